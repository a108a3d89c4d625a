// SPDX-License-Identifier: BSD-3-Clause
/**
 * What is kept and shared: everything that the address holds, notes, views and notes in a file, pictures:
 * set by real mouse and keys, taken to a fresh page, and held against the JSON. Prints TAP.
 */
import { openBrowser } from './browser.mjs';
import { driver } from './driver.mjs';
import { jsonOf, pageOf } from './pages.mjs';
import { check, equal, near, test } from './tap.mjs';

/** @typedef {import('./pages.mjs').Row} Row */

const browser = await openBrowser();
/** @type {any} */
let page;
/** @type {ReturnType<typeof driver>} */
let d;
/** @param {string} file @param {string} [hash] */
async function open(file, hash = 'g=CPU.PID') {
	await page?.close();
	page = await browser.open(file, 'ready', hash);
	d = driver(page);
	await page.keyboard.press('Shift');
	await d.settle();
}

// A waits for B, B for C, C for the timer: units of 1 ms
const at = (/** @type {number} */ ms) => Number((1 + ms / 1000).toFixed(8));
/** @param {number} a @param {number} b @param {number} cpu @param {number} pid @param {string} name @param {number} [event] @returns {Row} */
const run = (a, b, cpu, pid, name, event = 65536 + pid) => [at(a), (b - a) / 1000, cpu, pid, 0, event, 0, 0, 0, name];
/** @param {number} a @param {number} b @param {number} pid @param {string} letter @returns {Row} */
const wait = (a, b, pid, letter) => [at(a), (b - a) / 1000, -1, pid, 0, 0x300 + letter.charCodeAt(0) - 97, 0, 0, 0, `wait_${letter}`];
/** @param {number} a @param {number} b @param {number} cpu @param {number} pid @param {number} to @param {number} toCpu @returns {Row} */
const wake = (a, b, cpu, pid, to, toCpu) => [at(a), (b - a) / 1000, cpu, pid, 0, -3, toCpu, to, 0, '-wakeup-'];
/** @type {Row[]} */
const story = [
	run(0, 10, 0, 11, 'client.11'), wait(10, 60, 11, 'n'), run(10, 61, 0, 0, '-idle-', 65536), wake(60, 61, 1, 22, 11, 0), run(61, 80, 0, 11, 'client.11'),
	run(0, 12, 1, 22, 'server.22'), wait(12, 50, 22, 'l'), run(12, 51, 1, 0, '-idle-', 65536), wake(50, 51, 2, 33, 22, 1), run(51, 59, 1, 22, 'server.22'),
	run(59, 61, 1, 22, 'sendto', 0x800 + 44), run(61, 80, 1, 22, 'server.22'),
	run(0, 14, 2, 33, 'holder.33'), wait(14, 40, 33, 't'), run(14, 39, 2, 0, '-idle-', 65536), run(39, 41, 2, 0, 'local_timer', 0x5ec), wake(40, 41, 2, 0, 33, 2),
	// begins with the call: only its kind tells them apart
	[at(49), 0, 2, 33, 0, 0x20a, 1, 0, 0, 'a=begin'],
	run(41, 49, 2, 33, 'holder.33'), run(49, 51, 2, 33, 'futex', 0x800 + 202), run(51, 80, 2, 33, 'holder.33'),
];
story.sort((a, b) => a[0] - b[0]);
const storyJson = jsonOf(story, { title: 'story' });
const file = pageOf(storyJson, 'story');

/** @param {number} ms @param {string} label of a row @param {number} [high] share of its height, from above */
async function place(ms, label, high = 0.7) {
	const row = await d.row(label);
	return /** @type {[number, number]} */ ([await d.xOf(at(ms)), row.y + row.height * high]);
}
/** Annotates the span that begins there: shift is let go of first. @param {number} ms @param {string} label */
async function annotate(ms, label) {
	await page.mouse.move(...await place(ms, label));
	await page.keyboard.down('Shift');
	await page.mouse.down();
	await page.keyboard.up('Shift');
	await page.mouse.up();
	await page.mouse.move(2, 2);
	await d.settle();
}
/** The page's address, when it has followed. @param {RegExp} has what it must have @returns {Promise<string>} */
async function address(has) {
	await page.waitForFunction((/** @type {string} */ text) => new RegExp(text).test(location.hash), has.source);
	return new URL(page.url()).hash.slice(1);
}
/** All that the page shows of what is kept. */
async function shown() {
	const { notes, measure, chain, selection, written } = await d.drawn();
	return {
		notes, written, measure, selection, chain: chain.map((/** @type {any} */ c) => c.pid),
		range: (await d.range()).map((/** @type {number} */ t) => t.toFixed(7)),
		rows: (await d.shown()).map((r) => [r.label, r.marked, Math.round(r.y), Math.round(r.height)]),
		slots: await page.evaluate(() => [...document.querySelectorAll('#slots button')].map((b) => /** @type {HTMLElement} */ (b).dataset.full)),
		sorted: await page.evaluate(() => [...document.querySelectorAll('#tablebox th')].map((th) => th.getAttribute('aria-sort'))),
		tab: await page.locator('#tabs [aria-selected=true]').innerText(),
		why: await page.locator('#why').isVisible(),
		search: await page.locator('#search').inputValue(),
	};
}
/** Everything that a fresh page shows at the address is what this one shows. @param {RegExp} has @param {string} what */
async function same(has, what) {
	const hash = await address(has);
	const want = await shown();
	await open(file, hash);
	equal(await shown(), want, what);
	equal(await address(has), hash, `${what}: the address again`);
}

await test('the address holds annotations, by row, start and kind', async () => {
	await open(file);
	await annotate(59, 'server.22');
	await annotate(49, 'CPU 2');
	await annotate(14, 'holder.33');
	const { notes } = await d.drawn();
	equal(notes.length, 3, `notes: ${notes}`);
	check(notes[0].includes('sendto') && notes[2].includes('wait_t'), `notes: ${notes}`);
	const hash = await address(/pi=[^&]*~[^&]*~/);
	// two things begin at 49 ms on CPU 2
	check(/pi=PID\.22_1\.059_82c~CPU\.2_1\.049_(8ca|20a)~PID\.33_1\.014_313(&|$)/.test(hash), `address: ${hash}`);
	await same(/pi=/, 'annotations');
	for (const [kind, name] of [['8ca', 'futex'], ['20a', 'begin']]) {
		await open(file, `g=CPU&pi=CPU.2_1.049_${kind}`);
		check((await d.drawn()).notes[0].includes(name), `${kind}: ${(await d.drawn()).notes}`);
	}
});

await test('the address holds what is measured, why something did not run, what stands out, and the sort', async () => {
	await open(file);
	await page.mouse.click(...await place(30, 'client.11', 0.5));
	await d.settle();
	equal((await d.drawn()).chain.map((/** @type {any} */ c) => c.pid), [11, 22, 33], 'chain');
	await d.reset();
	await page.mouse.move(...await place(0.2, 'CPU 0'));
	await page.keyboard.down('Shift');
	await page.mouse.down();
	await page.mouse.move(...await place(61.2, 'CPU 1'), { steps: 4 });
	await page.keyboard.up('Shift');
	await page.mouse.up();
	await page.mouse.move(...await place(60, 'CPU 1'));
	await page.keyboard.press('k');
	await page.mouse.move(2, 2);
	await page.locator('#tab-calls').click();
	await page.locator('#tablebox th button', { hasText: 'p99' }).click();
	await page.locator('#tab-names').click();
	await page.locator('#tablebox th button', { hasText: 'name' }).click();
	await d.settle();
	const { measure } = await d.drawn();
	check(measure.includes('elapsed 61 ms'), `measured: ${measure}`);
	const hash = await address(/so=calls-p99-down\.names-name-up/);
	for (const part of ['me=CPU.0_1_1000b~CPU.1_1.061_10016', 'wy=11_', 'hi=SYSCALL.sendto', 'p=names']) check(hash.includes(part), `no ${part}: ${hash}`);
	await same(/so=/, 'all of it');
	equal(await page.locator('#tablebox th[aria-sort=ascending]').innerText(), 'name', 'this table\'s order');
	await page.locator('#tab-calls').click();
	equal(await page.locator('#tablebox th[aria-sort=descending]').innerText(), 'p99', 'the other\'s');
	await page.keyboard.press('Escape');
	await page.locator('#title').click();
	for (const part of [/^(?!.*me=)/, /^(?!.*wy=)/, /^(?!.*hi=)/]) {
		await page.keyboard.press('Escape');
		await address(part);
	}
});

await test('the address holds the slots; each is a view alone, and is not changed by another', async () => {
	await open(file);
	await annotate(59, 'server.22');
	await d.setRange(1.01, 1.02);
	await page.keyboard.press('Shift+Digit2');
	await page.locator('#search').fill('fut;ex:~|a&b=c');
	await page.locator('#search').press('Enter');
	await d.setRange(1.03, 1.05);
	await page.locator('#title').click();
	await page.keyboard.press('Shift+Digit4');
	await d.reset();
	const hash = await address(/^(?!t=).*sl=~t:1\.01-1\.02;.*~~t:1\.03/);
	check(hash.length < 900, `long: ${hash.length}`);
	await same(/sl=~t/, 'slots');
	await page.keyboard.press('4');
	await d.settle();
	near((await d.range())[0], 1.03, 1e-7, 'slot 4');
	equal(await page.locator('#search').inputValue(), 'fut;ex:~|a&b=c', 'its search');
	await page.keyboard.press('2');
	await d.settle();
	equal((await d.range()).map((/** @type {number} */ t) => t.toFixed(6)), ['1.010000', '1.020000'], 'slot 2');
	equal((await shown()).slots.slice(0, 5), ['false', 'true', 'false', 'true', 'false'], 'all are still there');
	// views of the file are not repeated, and an address that has none brings them back
	const views = [['back', null], ['one', { xleft_ts: 1.01, xright_ts: 1.02 }]];
	const withViews = pageOf(storyJson.replace(/\]\}\s*$/, `], "savedview" : ${JSON.stringify(views)}}\n`), 'withviews');
	await open(withViews);
	equal((await shown()).slots[0], 'true', 'from the file');
	await page.keyboard.press('Shift+Digit3');
	await address(/sl=t:1\.01-1\.02~~t:|sl=t:1\.01-1\.02~~g:/);
	await page.evaluate(() => (location.hash = 'g=CPU'));
	await page.waitForFunction(() => document.getElementById('slot3')?.dataset.full === 'false');
	equal((await shown()).slots.slice(0, 3), ['true', 'false', 'false'], 'as the file has them');
	await page.evaluate(() => (location.hash = 'g=CPU&sl=-'));
	await page.waitForFunction(() => document.getElementById('slot1')?.dataset.full === 'false');
});

/** Texts of the notes on the screen. */
const texts = async () => (await d.drawn()).written.map((/** @type {any} */ w) => w.text);
/** What the list of notes says. @returns {Promise<string[]>} */
const listed = async () => {
	await page.locator('#notes summary').click();
	const all = await page.locator('#notelist .go').allInnerTexts();
	await page.locator('#notes summary').click();
	return all.map((/** @type {string} */ t) => t.replace(/\s*\n\s*/, ' | '));
};

await test('e writes on what is annotated, a double click on what is written; Esc leaves it, no words delete it', async () => {
	await open(file);
	await annotate(59, 'server.22');
	await page.keyboard.press('e');
	equal(await page.evaluate(() => document.activeElement?.id), 'noteedit', 'the editor has the focus');
	const words = 'why <b>here</b>? 100 % ~ & "so" \u202e\u2014 late';
	await page.locator('#noteedit').fill(words);
	await page.keyboard.press('Enter');
	await d.settle();
	const want = words.replace('\u202e', '');
	equal(await texts(), [want], 'the note');
	equal((await d.drawn()).notes, [], 'in place of the annotation');
	const [note] = (await d.drawn()).written;
	const { plot } = await d.drawn();
	const [x] = await place(59, 'server.22');
	check(plot.x + note.x0 <= x && x <= plot.x + note.x1, `stands at ${note.x0}`);
	// where its words are, there are letters
	const ink = await d.colours('over', { x: plot.x + note.x0 + 8, y: plot.y + note.y0 + 2, width: note.x1 - note.x0 - 12, height: note.y1 - note.y0 - 4 });
	check(Object.keys(ink).length > 8, 'nothing is written there');
	const middle = /** @type {[number, number]} */ ([plot.x + (note.x0 + note.x1) / 2, plot.y + (note.y0 + note.y1) / 2]);
	const range = await d.range();
	await page.mouse.dblclick(...middle);
	equal(await page.locator('#noteedit').inputValue(), want, 'double click');
	equal(await d.range(), range, 'which zooms nothing');
	await page.keyboard.type('other');
	await page.keyboard.press('Escape');
	equal(await texts(), [want], 'Esc leaves it');
	await page.mouse.move(...middle);
	await page.keyboard.press('e');
	await page.locator('#noteedit').fill('shorter');
	await page.mouse.click(plot.x + 5, plot.y + 5);
	await d.settle();
	equal(await texts(), ['shorter'], 'who goes elsewhere keeps it');
	await annotate(51, 'CPU 1');
	const pin = (await d.drawn()).pinned;
	check(pin.length <= 1, 'one annotation');
	const on = await place(51, 'CPU 1');
	const { y } = await d.row('CPU 1');
	await page.mouse.dblclick(on[0] + 20, y - 4);
	equal(await page.locator('#noteedit').inputValue(), '', 'a double click on an annotation');
	await page.keyboard.type('it runs');
	await page.keyboard.press('Enter');
	await d.settle();
	equal((await texts()).sort(), ['it runs', 'shorter'], 'two');
	await same(/n=PID\.22_1\.059_shorter~CPU\.1_1\.051_it\+runs/, 'notes');
	await page.mouse.move(2, 2);
	await page.locator('#notes summary').click();
	await page.locator('#notelist li', { hasText: 'shorter' }).getByText('edit').click();
	await page.waitForFunction(() => document.activeElement?.id === 'noteedit');
	await page.locator('#noteedit').fill('  ');
	await page.keyboard.press('Enter');
	await d.settle();
	equal(await texts(), ['it runs'], 'no words delete it');
	await page.locator('#toldaction').click();
	await d.settle();
	equal((await texts()).sort(), ['it runs', 'shorter'], 'undo');
});

await test('E writes at a time; the list goes there, counts and deletes; words are no markup', async () => {
	await open(file);
	await page.mouse.move(...await place(30, 'CPU 0'));
	await page.keyboard.press('Shift+E');
	await page.keyboard.type('<img src=x onerror=alert(1)>');
	await page.keyboard.press('Enter');
	await d.settle();
	await page.mouse.move(2, 2);
	await page.locator('#notes summary').click();
	await page.locator('#addnote').click();
	await page.keyboard.type('in the middle');
	await page.keyboard.press('Enter');
	await d.settle();
	const times = (await d.drawn()).written.map((/** @type {any} */ w) => Number((w.t / 1e8).toFixed(3)));
	near(times[0], 1.03, 2e-4, 'at the pointer');
	near(times[1], 1.04, 2e-4, 'in the middle');
	const [one, two] = (await d.drawn()).written;
	check(one.x1 <= two.x0 || two.x1 <= one.x0 || one.y1 <= two.y0 || two.y1 <= one.y0, 'one lies over the other');
	const lines = await listed();
	check(lines.length === 2 && lines[0].startsWith('<img src=x onerror=alert(1)> | 1.0') && lines[1].startsWith('in the middle | 1.0'), `list: ${lines}`);
	equal(await page.locator('#notecount').innerText(), ' 2', 'how many');
	equal(await page.locator('#app img').count(), 0, 'no markup');
	await same(/n=at_1\.0\d+_.*~at_1\.0/, 'notes at times');
	await d.setRange(1.001, 1.002);
	await d.settle();
	equal(await texts(), [], 'elsewhere');
	await page.locator('#notes summary').click();
	await page.locator('#notelist .go', { hasText: 'middle' }).click();
	await d.settle();
	equal(await texts(), ['in the middle'], 'the list goes there');
	await page.locator('#notelist li', { hasText: 'middle' }).getByLabel('delete').click();
	await d.settle();
	equal(await texts(), [], 'deleted');
	await page.keyboard.press('Escape');
	equal(await page.locator('#notelist').isVisible(), false, 'Esc closes the list');
	// a note whose row is not there is counted
	await open(file, 'g=CPU&n=PID.22_1.059_hidden~CPU.1_1.051_seen~CPU.9_1.051_no such CPU~CPU.1_9_no such time~Foo.1_1.05_x~at_1.05_~at_x_y');
	equal(await texts(), ['seen'], 'in sight');
	equal((await listed()).length, 2, 'that the trace has a place for');
	check((await page.locator('#thinned').innerText()).includes('1 of 2 notes'), `said: ${await page.locator('#thinned').innerText()}`);
});

await test('an address that means harm does none: what the trace does not have is left out', async () => {
	await open(file);
	const bad = ['pi=CPU.0_1_1000b~PID.11_1_1000b~CPU.1_1_1000b~CPU.0_1e400_1~CPU.0_99999999999999999999_1~<img src=x onerror=alert(1)>~__proto__.0_1_1~CPU.0_1.00000001_1000b',
		`pi=${'CPU.0_1_1000b~'.repeat(5000)}`, 'me=CPU.0_1_1000b', 'me=~~~', 'wy=11_x', 'wy=__proto__', 'wy=11_99', 'hi=USER.<b>', 'hi=__proto__.x', 'hi=toString', 'so=calls-__proto__-down.x.-.names',
		`sl=${'~'.repeat(10000)}t:1-2`, 'sl=t:9-1;p:%3Cimg%3E;pi:%22', 'sl=sl:t%3A1'];
	for (const text of bad) {
		await page.evaluate((/** @type {string} */ t) => (location.hash = `g=CPU.PID&${t.replace(/=(.*)/s, (_, v) => `=${encodeURIComponent(v)}`)}`), text);
		await d.settle();
		for (const slot of [1, 2]) await page.keyboard.press(String(slot));
		await d.settle();
	}
	await page.evaluate((/** @type {string} */ t) => (location.hash = `g=CPU.PID&pi=${encodeURIComponent(t)}`), bad[0].slice(3));
	await page.waitForFunction(() => window.kutrace.drawn().notes.length === 2);
	equal((await d.drawn()).notes.map((/** @type {string} */ n) => n.includes('client.11')), [true, true], 'what is there, and no more');
	equal(await page.evaluate(() => [...document.querySelectorAll('img')].length), 0, 'markup');
});

await test('kept: no complaint on the console, no request', async () => {
	equal(browser.complaints, [], 'console');
	equal(browser.requests, [], 'requests');
});
await browser.close();
