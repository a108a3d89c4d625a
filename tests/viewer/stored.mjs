// SPDX-License-Identifier: BSD-3-Clause
/**
 * Tests the data that users store and share: the address, notes, files of views and notes, and pictures. Real
 * mouse and keys make them, a fresh page opens them, and the result is compared with the JSON. Prints TAP.
 */
import { execFileSync, spawnSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Palette } from '../../templates/js/base/palette.ts';
import { Kind } from '../../templates/js/base/kinds.ts';
import { openBrowser, usual } from './browser.mjs';
import { driver, turnTo } from './driver.mjs';
import { Event, LOCAL_TIMER } from './events.mjs';
import { build, dir, jsonOf, pageOf, template } from './pages.mjs';
import { check, equal, near, test } from './tap.mjs';

/** @typedef {import('./pages.mjs').Row} Row */

const browser = await openBrowser();
/** @type {any} */
let page;
/** @type {ReturnType<typeof driver>} */
let d;
/** @param {string} file @param {string} [hash] */
async function open(file, hash = 'g=CPU.PID') {
	({ page, d } = await turnTo(browser, page, file, hash));
}

// A waits for B, B for C, and C for the timer; in units of 1 ms
const at = (/** @type {number} */ ms) => Number((1 + ms / 1000).toFixed(8));
/** @param {number} a @param {number} b @param {number} cpu @param {number} pid @param {string} name @param {number} [event] @returns {Row} */
const run = (a, b, cpu, pid, name, event = 65536 + pid) => [at(a), (b - a) / 1000, cpu, pid, 0, event, 0, 0, 0, name];
/** @param {number} a @param {number} b @param {number} pid @param {string} letter @returns {Row} */
const wait = (a, b, pid, letter) => [at(a), (b - a) / 1000, -1, pid, 0, Event.WAITA + letter.charCodeAt(0) - 97, 0, 0, 0, `wait_${letter}`];
/** @param {number} a @param {number} b @param {number} cpu @param {number} pid @param {number} to @param {number} toCpu @returns {Row} */
const wake = (a, b, cpu, pid, to, toCpu) => [at(a), (b - a) / 1000, cpu, pid, 0, -3, toCpu, to, 0, '-wakeup-'];
/** @type {Row[]} */
const story = [
	run(0, 10, 0, 11, 'client.11'), wait(10, 60, 11, 'n'), run(10, 61, 0, 0, '-idle-', 65536), wake(60, 61, 1, 22, 11, 0), run(61, 80, 0, 11, 'client.11'),
	run(0, 12, 1, 22, 'server.22'), wait(12, 50, 22, 'l'), run(12, 51, 1, 0, '-idle-', 65536), wake(50, 51, 2, 33, 22, 1), run(51, 59, 1, 22, 'server.22'),
	run(59, 61, 1, 22, 'sendto', Event.SYSCALL64 + 44), run(61, 80, 1, 22, 'server.22'),
	run(0, 14, 2, 33, 'holder.33'), wait(14, 40, 33, 't'), run(14, 39, 2, 0, '-idle-', 65536), run(39, 41, 2, 0, 'local_timer', LOCAL_TIMER), wake(40, 41, 2, 0, 33, 2),
	// this mark begins at the same time as the call futex, and has another kind
	[at(49), 0, 2, 33, 0, Event.MARKA, 1, 0, 0, 'a=begin'],
	run(41, 49, 2, 33, 'holder.33'), run(49, 51, 2, 33, 'futex', Event.SYSCALL64 + 202), run(51, 80, 2, 33, 'holder.33'),
];
story.sort((a, b) => a[0] - b[0]);
const storyJson = jsonOf(story, { title: 'story' });
const file = pageOf(storyJson, 'story');

/** @param {number} ms @param {string} label of a row @param {number} [high] share of its height, from above */
async function place(ms, label, high = 0.7) {
	const row = await d.row(label);
	return /** @type {[number, number]} */ ([await d.xOf(at(ms)), row.y + row.height * high]);
}
/** Annotates the span that begins at a time. Releases shift before that. @param {number} ms @param {string} label */
async function annotate(ms, label) {
	await page.mouse.move(...await place(ms, label));
	await page.keyboard.down('Shift');
	await page.mouse.down();
	await page.keyboard.up('Shift');
	await page.mouse.up();
	await page.mouse.move(2, 2);
	await d.settle();
}
/** Waits until the address of the page matches, and returns it. @param {RegExp} has for the address @returns {Promise<string>} */
async function address(has) {
	await page.waitForFunction((/** @type {string} */ text) => new RegExp(text).test(location.hash), has.source);
	return new URL(page.url()).hash.slice(1);
}
/** Returns everything that the page shows of a stored view. */
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
/** Checks that a fresh page at the address shows everything that this page shows. @param {RegExp} has @param {string} what */
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
	// a mark and a call begin at 49 ms on CPU 2
	check(/pi=PID\.22_1\.059_82c~CPU\.2_1\.049_(8ca|20a)~PID\.33_1\.014_313(&|$)/.test(hash), `address: ${hash}`);
	await same(/pi=/, 'annotations');
	for (const [kind, name] of [['8ca', 'futex'], ['20a', 'begin']]) {
		await open(file, `g=CPU&pi=CPU.2_1.049_${kind}`);
		check((await d.drawn()).notes[0].includes(name), `${kind}: ${(await d.drawn()).notes}`);
	}
});

await test('the address holds the measurement, the explanation, the highlights and the sort order', async () => {
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

await test('the address holds the slots, which are independent views', async () => {
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
	const hash = await address(/^#(?!t=).*sl=~t:1\.01-1\.02;.*~~t:1\.03/);
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
	// the address does not repeat views of the file; an address without views shows the views of the file again
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

/** Returns the texts of the notes in this time range. */
const texts = async () => {
	await d.settle();	// notes appear one frame after the change
	return (await d.drawn()).written.map((/** @type {any} */ w) => w.text);
};
/** Returns the texts of the list of notes. @returns {Promise<string[]>} */
const listed = async () => {
	await page.locator('#notes summary').click();
	const all = await page.locator('#notelist .go').allInnerTexts();
	await page.locator('#notes summary').click();
	return all.map((/** @type {string} */ t) => t.replace(/\s*\n\s*/, ' | '));
};

await test('e edits a note at an annotation, a double click edits a note; Esc cancels, empty text deletes it', async () => {
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
	// there are letters at the place of the text
	const ink = await d.colours('over', { x: plot.x + note.x0 + 8, y: plot.y + note.y0 + 2, width: note.x1 - note.x0 - 12, height: note.y1 - note.y0 - 4 });
	check(Object.keys(ink).length > 8, 'nothing is written there');
	const middle = /** @type {[number, number]} */ ([plot.x + (note.x0 + note.x1) / 2, plot.y + (note.y0 + note.y1) / 2]);
	const range = await d.range();
	await d.doubleClick(...middle);
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
	await d.doubleClick(on[0] + 20, y - 4);
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

await test('E adds a note at a time; the list goes to notes, counts and deletes them; texts are not markup', async () => {
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
	// the page reports a note whose row is not shown
	await open(file, 'g=CPU&n=PID.22_1.059_hidden~CPU.1_1.051_seen~CPU.9_1.051_no such CPU~CPU.1_9_no such time~Foo.1_1.05_x~at_1.05_~at_x_y');
	equal(await texts(), ['seen'], 'in sight');
	equal((await listed()).length, 2, 'that the trace has a place for');
	check((await page.locator('#thinned').innerText()).includes('1 of 2 notes'), `said: ${await page.locator('#thinned').innerText()}`);
});

await test('a hostile address does no harm: parts that the trace lacks are omitted', async () => {
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

/** Waits for a message at the bottom of the page, and returns it. @param {RegExp} has @returns {Promise<string>} */
async function said(has) {
	await page.waitForFunction((/** @type {string} */ text) => new RegExp(text).test(document.getElementById('toldtext')?.textContent ?? ''), has.source);
	equal(await page.locator('#toldtext').isVisible(), true, 'what is said is seen');
	return page.locator('#toldtext').innerText();
}
/** Opens a file of views and notes. @param {string | Buffer} text @param {string} [name] */
const bring = (text, name = 'some.views.json') => page.locator('#viewsfile').setInputFiles({ name, mimeType: 'application/json', buffer: Buffer.from(text) });
/** The keys that the original's page reads when it shows a view (its state2). */
const THEIRS = ['savedtransformX', 'rangeX', 'xleft_ts', 'xright_ts', 'savedtransformY', 'rangeY', 'ytop_track', 'ybot_track', 'grouplength', 'groupcompress',
	'grouplabelypos', 'groupfirsttrack', 'grouphashilite', 'annottype_value', 'annotateuser_value', 'annotateall_value', 'marks_value', 'arcs_value', 'freq_value',
	'waits_value', 'ipc_value', 'samp_value', 'ovhd_value', 'lock_value', 'cb_value', 'searchnot_value', 'search_text', 'minmax_units_value', 'usec_lo_time',
	'usec_hi_time', 'basetime0_value', 'hack_value', 'annotated_one_d', 'rowToHilite', 'dummy'];
let saved = '';

await test('views and notes go into a file that the original\'s page can read', async () => {
	await open(file, 'g=CPU.PID&n=PID.22_1.059_why so late?~CPU.1_1.051_it runs~at_1.03_deploy');
	await page.locator('#search').fill('futex');
	await page.locator('#search').press('Enter');
	// Enter may have moved the view to a match
	await d.setRange(1.01, 1.02);
	await page.locator('#title').click();
	await page.keyboard.press('Shift+Digit2');
	await d.reset();
	const { name, bytes } = await d.saved('#saveviews');
	equal(name, 'story.views.json', 'name');
	saved = String(bytes);
	const { extra, savedview, kutrace } = JSON.parse(saved);
	/** The fields of the original's callouts: time, CPU, pid, RPC, its number, text. @param {any[]} r */
	const callout = (r) => [Number(r[0].toFixed(8)), r[2], r[3], r[4], r[5], r[9]];
	equal(extra.map(callout), [[1.059, -1, 22, -1, -4, 'why so late?'], [1.051, 1, -1, -1, -4, 'it runs'], [1.03, 0, -1, -1, -4, 'deploy']], 'callouts');
	check(extra.every((/** @type {any[]} */ r) => r[1] > 0 && r.slice(6, 9).every((v) => typeof v === 'number')), `callouts: ${extra}`);
	equal(savedview.map((/** @type {any[]} */ v) => v[0]), ['&#x21d0;', '&#x2780;', '&#x2781;', '&#x2782;', '&#x2783;', '&#x2784;'], 'buttons');
	equal(savedview.map((/** @type {any[]} */ v) => v[1] !== null), [true, false, true, false, false, false], 'full');
	for (const i of [0, 2]) for (const key of THEIRS) check(key in savedview[i][1], `view ${i} lacks ${key}`);
	const view = savedview[2][1];
	near(view.xleft_ts, 1.01, 1e-9, 'left');
	near(view.xright_ts, 1.02, 1e-9, 'right');
	// the trace is 80 ms long, and the view 10 ms
	near(view.savedtransformX.k, 8, 1e-6, 'how many times closer');
	near(-view.savedtransformX.x / view.savedtransformX.k / view.rangeX, 0.01 / 0.08, 1e-6, 'moved to the left');
	equal([view.search_text, view.groupcompress, view.marks_value], ['futex', [2, 2, 0, 0], 3], 'what is shown');
	check(kutrace.version === 1 && kutrace.title === 'story' && kutrace.trace.length > 8, 'whose they are');
});

await test('opening the file adds its views and notes to those of the page; makeself --views puts them into the page', async () => {
	await open(file, 'g=CPU.PID&n=at_1.02_mine');
	await page.keyboard.press('Shift+Digit2');
	await bring(saved, 'mail.json');
	equal(await said(/mail/), 'mail.json: 3 notes and 1 view.', 'said');
	equal((await texts()).sort(), ['deploy', 'it runs', 'mine', 'why so late?'], 'notes');
	equal((await shown()).slots.slice(0, 5), ['true', 'true', 'false', 'false', 'false'], 'nothing was overwritten');
	await page.keyboard.press('1');
	await d.settle();
	near((await d.range())[0], 1.01, 1e-7, 'the view');
	equal(await page.locator('#search').inputValue(), 'futex', 'with all that is ours');
	equal((await listed()).length, 4, 'views do not change notes');
	await page.locator('#toldaction').click();
	await d.settle();
	near((await d.range())[1], 1.08, 1e-7, 'what was shown last');
	await bring(saved);
	equal(await said(/some/), 'some.views.json: 0 notes and 0 views.', 'twice');
	// a page that has all views and notes saves them unchanged
	const again = JSON.parse(String((await d.saved('#saveviews')).bytes));
	const first = JSON.parse(saved);
	for (const row of first.extra) check(again.extra.some((/** @type {any} */ r) => JSON.stringify(r) === JSON.stringify(row)), `lost: ${row}`);
	writeFileSync(join(dir, 'v.json'), saved);
	const made = spawnSync(join(build, 'bin', 'makeself'), [template, '--views', join(dir, 'v.json')], { input: storyJson });
	check(made.status === 0, `makeself: ${made.stderr}`);
	const withThem = join(dir, 'withthem.html');
	writeFileSync(withThem, made.stdout);
	equal(JSON.parse(execFileSync(join(build, 'bin', 'unmakeself'), [withThem], { encoding: 'utf8' })).extra, first.extra, 'unmakeself');
	await open(withThem);
	equal((await texts()).sort(), ['deploy', 'it runs', 'why so late?'], 'the page opens with the notes');
	equal((await shown()).slots, ['false', 'true', 'false', 'false', 'false', null], 'and the views');
	equal(await page.locator('#swap').isEnabled(), true, 'the last view is behind the arrow');
	check(!(await address(/g=/)).includes('n='), 'what the file has is not repeated in the address');
	await page.locator('#notes summary').click();
	for (let i = 0; i < 3; i++) await page.locator('#notelist').getByLabel('delete').first().click();
	await open(withThem, await address(/n=-/));
	equal(await texts(), [], 'deleted, by the address');
});

await test('exports of the original are read: callouts, named views, more views than slots, without loss', async () => {
	/** @param {number} a @param {number} b */
	const theirs = (a, b) => ({ savedtransformX: { k: 2, x: -100, y: 0 }, rangeX: 1396, xleft_ts: a, xright_ts: b, grouplength: [4, 54, 0, 0], rowToHilite: [58] });
	const views = [['&#x21d0;', theirs(1, 1.08)], ['fig1-1', theirs(1.01, 1.03)], ['&#x2781;', null], ['&#x2782;', JSON.stringify(theirs(1.02, 1.03))],
		['a', null], ['b', null], ['sixth', theirs(1.04, 1.05)]];
	const bracket = [1.02, 0.01, 0, 0, 0, -1, 0, 0, 0, 'a bracket'];
	const callouts = [[1.0591, 1e-8, -1, 22, -1, -4, 10, -0.2, 0, 'theirs'], [1.02, 1e-8, 0, -1, -1, -4, 50, -2, 0, 'on CPU 0'], bracket];
	const text = `],\n"extra" : [\n  ${callouts.map((r) => JSON.stringify(r)).join(',\n  ')}\n],\n"savedview" : [\n  ${views.map(([name, v]) => `["${name}", ${typeof v === 'string' ? JSON.stringify(v) : JSON.stringify(v)}]`).join(',\n  ')}\n]}`;
	await open(file);
	// drop the text as a file
	const transfer = await page.evaluateHandle((/** @type {string} */ t) => {
		const data = new DataTransfer();
		data.items.add(new File([t], 'export.txt', { type: 'text/plain' }));
		return data;
	}, text);
	await page.dispatchEvent('#over', 'dragover', { dataTransfer: transfer });
	equal(await page.evaluate(() => 'dropping' in document.documentElement.dataset), true, 'shown while it is dragged');
	await page.dispatchEvent('#over', 'drop', { dataTransfer: transfer });
	equal(await said(/export/), 'export.txt: 2 notes and 2 views.', 'said');
	equal((await texts()).sort(), ['on CPU 0', 'theirs'], 'notes');
	equal((await shown()).slots.slice(0, 5), ['true', 'false', 'true', 'false', 'false'], 'views');
	await page.keyboard.press('3');
	await d.settle();
	equal((await d.range()).map((/** @type {number} */ t) => t.toFixed(6)), ['1.020000', '1.030000'], 'a view');
	const { extra, savedview } = JSON.parse(String((await d.saved('#saveviews')).bytes));
	check(extra.some((/** @type {any[]} */ r) => JSON.stringify(r) === JSON.stringify(bracket)), 'what is no callout goes out again');
	equal(savedview[6], views[6], 'and a view that has no slot');
});

await test('a hostile file does no harm, and its errors are reported', async () => {
	await open(file);
	const before = await shown();
	for (const [text, has] of /** @type {[string | Buffer, RegExp][]} */ ([
		['', /was not read: it has no views/], ['{"extra":', /was not read/], ['[]', /was not read/], ['{"a":1}', /was not read/], ['null', /was not read/],
		['"extra"', /was not read/], [Buffer.from([0xff, 0xfe, 0, 1, 2]), /was not read/], ['{"extra":{},"savedview":7}', /was not read/],
		[`{"extra":${'['.repeat(50000)}`, /was not read/], [Buffer.alloc(9e6, 32), /was not read: it is too large/],
		['{"extra":[[1.02,0,0,0,0,-4,1,1,1,""],[null,0,0,0,0,-4,0,0,0,"x"],[1e300,0,0,0,0,-4,0,0,0,"x"],[9,0,0,0,0,-4,0,0,0,"outside"],[1.02,0,77,0,0,-4,0,0,0,"no such CPU"],{"length":10}]}',
			/: 0 notes and 0 views. 5 other notes and views do not fit/],
		['{"savedview":[["a",{"xleft_ts":1.01,"xright_ts":1.02,"kutrace":7}],["b",{"xleft_ts":2,"xright_ts":1}],["c","{"],["d",{"xleft_ts":"1","xright_ts":[2]}],7]}', /0 views. 4 other notes and views do not fit/],
	])) {
		await bring(text, 'bad.json');
		check(/^bad\.json/.test(await said(has)), `${String(text).slice(0, 40)}: not said`);
		await page.locator('#closetold').click();
		await page.evaluate(() => {
			/** @type {any} */ (document.getElementById('toldtext')).textContent = '';
		});
	}
	await page.mouse.move(2, 2);
	equal(await shown(), before, 'the page is as it was');
	const evil = '<img src=x onerror=alert(1)>';
	await bring(JSON.stringify({ extra: [[1.02, 0, 0, 0, 0, -4, 0, 0, 0, evil], [1.03, 0, 0, 0, 0, -4, 0, 0, 0, `a\nb\u0000\u202ec${'x'.repeat(5000)}`], [1.04, 0, 0, 0, 0, -4, 0, 0, 0, { toString: 1 }]],
		savedview: [['x', null], [evil, { xleft_ts: 1.01, xright_ts: 1.02, kutrace: `t=1.01-1.02&g=${evil}&p=${evil}&n=at_1.02_no&hi=__proto__.x` }],
			['y', { xleft_ts: 1.03, xright_ts: 1.04, kutrace: 't=1.05-1.06' }], ['z', null], ['z', null], ['z', null], ...new Array(3000).fill([evil, null])],
		kutrace: { trace: 'another', __proto__: { x: 1 } } }), 'evil.json');
	check((await said(/evil/)).startsWith('evil.json: 2 notes and 2 views. They belong to another trace. 200'), await said(/evil/));
	const notes = await texts();
	check(notes.length === 2 && notes[0] === evil && notes[1].startsWith('a b cxxx') && notes[1].length === 400, `notes: ${notes}`);
	await page.keyboard.press('1');
	await page.keyboard.press('2');
	await d.settle();
	near((await d.range())[0], 1.03, 1e-7, 'the original has moved it: what is ours is not of it');
	equal((await listed()).length, 2, 'a view has no notes');
	equal(await page.locator('img').count(), 0, 'markup');
	await bring(JSON.stringify({ extra: Array.from({ length: 5000 }, (_, i) => [1 + i / 1e5, 0, 0, 0, 0, -4, 0, 0, 0, `n${i}`]) }), 'many.json');
	check((await said(/many/)).startsWith('many.json: 498 notes and 0 views. 4502 other notes and views do not fit this trace, or there is no room'), await said(/many/));
	check((await address(/n=/)).length < 12000, 'the address stays as long as it can be sent');
});

/** A picture must have these texts to be understood without its page. */
const WORDS = ['story', 'CPU', 'PID', 'CPU 0', 'client.11', 'user', 'system call', 'interrupt', 'wakeup', 'n  network', 'l  lock',
	'0 s = 08:50:00', 'why so late? <b>'];

await test('PNG and SVG pictures have title, facts, groups, legend, date and notes', async () => {
	await open(file, 'g=CPU.PID&n=PID.22_1.059_why so late? <b>');
	const { bytes } = await d.saved('#savesvg');
	const { words, error } = await page.evaluate((/** @type {string} */ t) => {
		const doc = new DOMParser().parseFromString(t, 'image/svg+xml');
		return { words: [...doc.querySelectorAll('text')].map((e) => e.textContent ?? ''), error: doc.querySelector('parsererror')?.textContent ?? '' };
	}, String(bytes));
	equal(error, '', 'XML');
	for (const word of WORDS) check(words.includes(word), `no ${word} in ${words.join('|')}`);
	check(words.some((/** @type {string} */ w) => w.startsWith('2026-11-20 08:50:01.000000, 80 ms across')), 'which part of the time');
	check(words.some((/** @type {string} */ w) => w.includes('Lost events: unknown') && w.includes('CPUs: 3')), `facts: ${words}`);
	check(words.filter((/** @type {string} */ w) => /^\d+\.\d+ s$/.test(w)).length > 2, 'the time axis');
	const [, left, top] = /class="plot" transform="translate\(([\d.]+) ([\d.]+)\)/.exec(String(bytes)) ?? [];
	const { plot } = await d.drawn();
	const png = (await d.saved('#savepng')).bytes;
	/** Pixels of each colour to the right of the plot, where the legend is, and beside the first group. @type {{legend: Record<string, number>, group: Record<string, number>, width: number, height: number}} */
	const seen = await page.evaluate(async (/** @type {any} */ [data, x, y]) => {
		const image = await createImageBitmap(new Blob([Uint8Array.from(data)]));
		const ctx = /** @type {any} */ (new OffscreenCanvas(image.width, image.height).getContext('2d'));
		ctx.drawImage(image, 0, 0);
		/** @param {number} a @param {number} b @param {number} w @param {number} h */
		const colours = (a, b, w, h) => {
			/** @type {Record<string, number>} */
			const counts = {};
			const { data: p } = ctx.getImageData(a, b, w, h);
			for (let i = 0; i < p.length; i += 4) counts[`${p[i]},${p[i + 1]},${p[i + 2]}`] = (counts[`${p[i]},${p[i + 1]},${p[i + 2]}`] ?? 0) + 1;
			return counts;
		};
		return { legend: colours(x, y, image.width - x, image.height - y), group: colours(0, y, 100, 22), width: image.width, height: image.height };
	}, [[...png], Math.ceil(Number(left) + plot.width) + 2, Math.round(Number(top))]);
	const palette = new Palette(false, false);
	for (const kind of [Kind.SYSCALL, Kind.IRQ]) check((seen.legend[palette.kinds[kind].join()] ?? 0) > 40, `legend without ${kind}: ${JSON.stringify(seen.legend)}`);
	check(Object.keys(seen.group).length > 10, 'the group has no name');
	const [, width, height] = /<svg [^>]*width="([\d.]+)" height="([\d.]+)"/.exec(String(bytes)) ?? [];
	near(seen.width, Number(width), 1, 'as wide as the SVG');
	near(seen.height, Number(height), 1, 'as high');
});

await test('on paper, the picture fills one page in light colours, with title, facts, legend and notes', async () => {
	// the driver of Firefox cannot print
	if (usual === 'firefox') return;
	await page.emulateMedia({ colorScheme: 'dark' });
	await d.settle();
	const before = await d.range();
	const shownRows = await d.shown();
	await page.evaluate(() => dispatchEvent(new window.Event('beforeprint')));
	await page.emulateMedia({ media: 'print', colorScheme: 'dark' });
	const { words, fill, box } = await page.evaluate(() => {
		const svg = /** @type {SVGSVGElement} */ (document.querySelector('#paper > svg'));
		const rect = svg.getBoundingClientRect();
		return {
			words: [...svg.querySelectorAll('text')].map((e) => e.textContent ?? ''), fill: svg.querySelector('rect')?.getAttribute('fill'),
			box: { width: svg.viewBox.baseVal.width, height: svg.viewBox.baseVal.height, shown: rect.width / innerWidth },
		};
	});
	for (const word of WORDS) check(words.includes(word), `no ${word} on paper`);
	/** Returns the vertical position of a text: of a label, or in the picture. @param {string} where @param {string} text */
	const down = async (where, text) => {
		const found = await page.evaluate((/** @type {string[]} */ [selector, wanted]) => [...document.querySelectorAll(selector)].filter((e) => e.textContent === wanted).map((e) => {
			const { y, height } = e.getBoundingClientRect();
			return y + height / 2;
		}), [where, text]);
		equal(found.length, 1, `${text} on paper`);
		return found[0];
	};
	const [labels, inside] = ['#paper > svg > g:not(.plot) text', '#paper > svg > g.plot text'];
	const high = await down(labels, 'server.22') - await down(labels, 'client.11');
	for (const [label, name] of [['client.11', 'wait_n'], ['server.22', 'wait_l'], ['holder.33', 'wait_t']])
		near(await down(inside, name), await down(labels, label), high / 2, `${name} is in the row of ${label}`);
	equal(fill, 'rgb(255,255,255)', 'paper is white');
	near(box.width / box.height, 281 / 194, 0.03, 'as A4 is, between its edges');
	near(box.shown, 1, 0.02, 'as wide as the page');
	equal(await page.locator('#app').isVisible(), false, 'nothing else is printed');
	await page.evaluate(() => dispatchEvent(new window.Event('afterprint')));
	await page.emulateMedia({ media: 'screen', colorScheme: 'light' });
	await d.settle();
	equal(await d.range(), before, 'the view is as it was');
	equal(await d.shown(), shownRows, 'and its rows');
	equal(await page.locator('#app').isVisible(), true, 'the page is there again');
	const pdf = String(await page.pdf({ preferCSSPageSize: true, printBackground: true }));
	equal((pdf.match(/\/Type\s*\/Page\b/g) ?? []).length, 1, 'pages');
	await d.settle();
	equal(await page.locator('#paper > svg').count(), 0, 'the paper is gone');
});

await test('picture and address go to the clipboard, or a message names another way', async () => {
	if (usual === 'firefox') return;
	await browser.context.grantPermissions(['clipboard-read', 'clipboard-write']);
	await page.bringToFront();
	await page.locator('#save summary').click();
	await page.locator('#copypicture').click();
	await said(/picture is on the clipboard/);
	const size = await page.evaluate(async () => {
		const [item] = await navigator.clipboard.read();
		const image = await createImageBitmap(await item.getType('image/png'));
		return [item.types, image.width > 900 && image.height > 500];
	});
	equal(size, [['image/png'], true], 'a picture');
	await page.locator('#save summary').click();
	await page.locator('#copylink').click();
	equal(await said(/address/), 'The address is on the clipboard.', 'said');
	equal(await page.evaluate(() => navigator.clipboard.readText()), page.url(), 'the address');
	// the page reports what does not fit into the address
	await bring(JSON.stringify({ extra: Array.from({ length: 50 }, (_, i) => [1 + i / 1000, 0, 0, 0, 0, -4, 0, 0, 0, `${i} ${'x'.repeat(200)}`]) }));
	await page.locator('#save summary').click();
	await page.locator('#copylink').click();
	check(/no room for \d\d of 51 notes: save them with Save, views and notes\./.test(await said(/no room/)), await said(/no room/));
	await page.evaluate(() => {
		Object.defineProperty(navigator, 'clipboard', { value: { write: () => Promise.reject(new Error('no')), writeText: () => Promise.reject(new Error('no')) } });
	});
	await page.locator('#save summary').click();
	await page.locator('#copypicture').click();
	await said(/does not let a page that was opened from a file copy pictures/);
	const [download] = await Promise.all([page.waitForEvent('download'), page.locator('#toldaction').click()]);
	equal(download.suggestedFilename(), 'story.png', 'the file');
	await page.locator('#save summary').click();
	await page.locator('#copylink').click();
	await said(/Copy the address from the address bar/);
});

await test('reopening a trace offers its last view, but does not apply it by itself', async () => {
	const other = pageOf(jsonOf(story, { title: 'story', tracebase: '2026-11-21_09:00:00' }), 'other');
	// leave the page, which stores its view when it is closed, and clear the storage
	await open(other, '');
	await page.evaluate(() => localStorage.clear());
	await open(file, '');
	equal(await page.locator('#backto').isVisible(), false, 'nothing to go back to');
	await d.setRange(1.02, 1.03);
	await page.mouse.move(...await place(25, 'CPU 0'));
	await page.keyboard.press('Shift+E');
	await page.keyboard.type('come back');
	await page.keyboard.press('Enter');
	await address(/n=at_/);
	await open(other, '');
	equal(await page.locator('#backto').isVisible(), false, 'another trace');
	await open(file, '');
	equal((await d.range()).map((/** @type {number} */ t) => t.toFixed(5)), ['1.00000', '1.08000'], 'the whole trace, as ever');
	equal(await texts(), [], 'no notes');
	await page.locator('#backto').click();
	await d.settle();
	equal((await d.range()).map((/** @type {number} */ t) => t.toFixed(5)), ['1.02000', '1.03000'], 'back there');
	equal(await texts(), ['come back'], 'with notes');
	equal(await page.locator('#backto').isVisible(), false, 'once');
	await page.locator('#swap').click();
	await d.settle();
	near((await d.range())[1], 1.08, 1e-7, 'and the arrow comes back');
	// add other entries with the same prefix to the storage
	await page.evaluate(() => {
		for (let i = 0; i < 40; i++) localStorage.setItem(`kutrace-view:x${i}`, i % 2 ? 'nonsense' : `${i} t=1-2`);
	});
	await open(other, '');
	await open(file, '');
	check(await page.evaluate(() => localStorage.length) <= 32, 'no more than so many are kept');
});

await test('stored: no complaint on the console, no request', async () => {
	equal(browser.complaints, [], 'console');
	equal(browser.requests, [], 'requests');
});
await browser.close();
