// SPDX-License-Identifier: BSD-3-Clause
/**
 * Tests features of the page in the KUtrace User Guide, other than rows and spans: names of rows, third states of
 * buttons, units, samples and locks that can be picked, overhead, and secondary controls. Compares pixels or text with
 * the JSON. Prints TAP.
 */
import { openBrowser } from './browser.mjs';
import { driver, turnTo } from './driver.mjs';
import { Event } from './events.mjs';
import { golden, jsonOf, pageOf, rowsOf } from './pages.mjs';
import { check, equal, near, test } from './tap.mjs';

/** @typedef {import('./pages.mjs').Row} Row */

const browser = await openBrowser();
/** @type {any} */
let page;
/** @type {ReturnType<typeof driver>} */
let d;
/** @param {string} file @param {string} [hash] */
async function open(file, hash = '') {
	({ page, d } = await turnTo(browser, page, file, hash));
}
/** Waits until the address of the page contains a text. @param {string} part @param {boolean} [there] */
const address = (part, there = true) => d.address(part, there);
/** Points at the label of a row. @param {any} row of rows() */
async function pointAt(row) {
	const { plot } = await d.drawn();
	await page.mouse.move(plot.x - 40, row.y + row.height * 0.6);
	await d.settle();
}
const tip = async () => (await page.locator('#tip').isVisible() ? (await page.locator('#tip').innerText()).replace(/\s+/g, ' ') : '');

await test('the label of a PID row names the programs that ran under the pid; a shortened label has the pid; the tooltip has the whole label', async () => {
	const json = golden('patched-4cpu');
	const rows = rowsOf(json);
	await open(pageOf(json, 'patched'), 'g=PID');
	// make the window so narrow that labels are cut
	const window = page.viewportSize();
	await page.setViewportSize({ width: 880, height: window.height });
	await d.settle();
	// the programs of each pid, as the JSON lists them
	const lists = new Map(rows.filter((r) => r[5] === Event.LEFTMARK).map((r) => [r[3], r[9]]));
	const shown = (await d.shown()).filter((r) => r.group === 'PID' && r.written);
	const several = shown.filter((r) => lists.has(r.id));
	check(several.length > 5 && several.length < shown.length, `${several.length} of ${shown.length} have been several programs`);
	let cut = 0;
	for (const row of shown) {
		const whole = lists.get(row.id) ?? row.label;
		check(row.written.endsWith(`.${row.id}`), `${row.written}: no number`);
		if (row.written === whole) continue;
		cut++;
		// the end of the text, after a ~
		const [front, back] = row.written.split(/~(.*)/s);
		check(whole.endsWith(back) || back === `.${row.id}`, `${row.written} is not of ${whole}`);
		check(whole.startsWith(front) || whole.includes(`+${front}`), `${row.written} does not begin as ${whole}`);
		if (cut > 4) continue;
		await pointAt(row);
		check((await tip()).startsWith(whole), `${whole}: the tip says ${await tip()}`);
	}
	check(cut > 0, 'all labels fit: nothing was tried');
	await page.setViewportSize(window);
	const [, changed] = several.map((r) => lists.get(r.id));
	await page.locator('#rowfilter').fill(String(changed).split('+')[0]);
	await d.settle();
	check((await d.shown()).some((r) => lists.get(r.id) === changed), 'the filter knows a program that it was before');
	/** @type {Row[]} */
	const few = [
		[1, 0.1, 0, 7, 0, 65543, 0, 0, 0, 'g++.7'], [1, 1e-8, 0, 7, 0, Event.LEFTMARK, 0, 0, 0, 'sh+g++.7'],
		[1.1, 0.1, 0, 8, 0, 65544, 0, 0, 0, 'a+b.8'], [1.2, 0.1, 0, 9, 0, 65545, 0, 0, 0, 'one.9'],
	];
	await open(pageOf(jsonOf(few.sort((a, b) => a[0] - b[0])), 'plus'), 'g=PID');
	equal((await d.shown()).filter((r) => r.group === 'PID').map((r) => r.written), ['sh+g++.7', 'a+b.8', 'one.9'], 'names with a plus of their own');
	await pointAt((await d.shown()).find((r) => r.id === 7));
	equal(await tip(), 'sh+g++.7 earlier programs sh last program g++', 'tip');
	await pointAt((await d.shown()).find((r) => r.id === 9));
	equal(await tip(), '', 'nothing more to say');
});

// 1 ms per unit; CPU 0 runs 5 and 6 alternately, and CPU 1 idles
const ms = 1e-3;
/** @param {number} a @param {number} b @param {number} cpu @param {number} pid @param {number} event @param {string} name @param {number} [arg] @param {number} [ret] @param {number} [ipc] @returns {Row} */
const row = (a, b, cpu, pid, event, name, arg = 0, ret = 0, ipc = 0) => [a * ms, Math.round((b - a) * 1e5) / 1e8, cpu, pid, 0, event, arg, ret, ipc, name];
/** @type {Row[]} */
const made = [
	row(0, 20, 0, 5, 65541, 'alpha.5', 0, 0, 9), row(20, 40, 0, 6, 65542, 'beta.6', 0, 0, 14), row(40, 60, 0, 5, Event.SYSCALL64 + 2, 'open', 3, 65534, 8), row(60, 100, 0, 6, 65542, 'beta.6'),
	row(0, 30, 1, 0, 65536, '-idle-', 0, 0, 3), row(30, 70, 1, 7, 65543, 'gamma.7'), row(70, 100, 1, 0, 65536, '-idle-'),
	row(0, 50, 0, 0, Event.PSTATE, '-freq-', 1000), row(50, 100, 0, 0, Event.PSTATE, '-freq-', 3000), row(50, 100, 1, 0, Event.PSTATE, '-freq-', 2000),
	row(5, 15, 0, 5, Event.PC_K, 'PC=do_work', 7), row(65, 75, 0, 6, Event.PC_U, 'PC=000055550000', 9), row(5, 15, 1, 0, Event.PC_K, 'PC=idle_loop', 9),
	row(25, 55, 0, 6, Event.LOCKHELD, '=pool', 11), row(30, 45, 0, 5, Event.LOCKTRY, '~pool', 11),
	row(42, 45, 0, 5, -3, '-wakeup-', 1, 7), row(35, 38, 0, 6, -7, '-ipi-', 1),
].sort((a, b) => a[0] - b[0]);
const madeFile = pageOf(jsonOf(made, { flags: 0x83, overhead: { emit_ps: 76873 } }), 'made');
/** @param {string} name */
const press = async (name) => {
	await page.locator(`#button-${name}`).click();
	await d.settle();
};
const words = async (/** @type {string} */ name) => [await page.locator(`#button-${name}`).innerText(), await page.locator(`#button-${name}`).getAttribute('aria-pressed')];
/** Returns the colours of one column of a row's pixels, from top to bottom. @param {string} label @param {number} t ms */
async function column(label, t) {
	const at = await d.row(label);
	return d.strip('base', Math.round(await d.xOf(t * ms)), Math.ceil(at.y), 1, Math.floor(at.height));
}

await test('Arc and Lock have a third, bolder state; Freq has an overlay, red where slow; the address stores them, and keys set them', async () => {
	await open(madeFile, 'g=CPU.PID');
	equal([await words('arc'), await words('lock'), await words('freq')], [['Arc', 'true'], ['Lock', 'true'], ['Freq', 'false']], 'at first');
	const { arcs } = await d.drawn();
	const [from, to] = [Math.min(...arcs.map((/** @type {any} */ a) => a.y0)), Math.max(...arcs.map((/** @type {any} */ a) => a.y1))];
	/** Returns the pixels in the area of arcs. */
	const arcPixels = async () => d.strip('base', Math.floor(await d.xOf(34 * ms)), Math.floor(from) - 20, Math.ceil(await d.xOf(46 * ms) - await d.xOf(34 * ms)), Math.ceil(to - from) + 20);
	const lock = async () => (await column('beta.6', 27)).slice(0, 8);
	const [thin, thinLock] = [await arcPixels(), await lock()];
	await press('arc');
	equal(await words('arc'), ['Arc', 'false'], 'off');
	const none = await arcPixels();
	await page.locator('#button-arc').focus();
	await page.keyboard.press('Enter');
	await d.settle();
	equal(await words('arc'), ['Arc', 'mixed'], 'the third');
	equal(await page.locator('#button-arc').getAttribute('aria-label'), 'Arc: bold', 'told to who does not see it');
	const bold = await arcPixels();
	/** @param {string[]} a @param {string[]} b */
	const differing = (a, b) => a.filter((c, i) => c !== b[i]).length;
	check(differing(bold, none) > differing(thin, none) * 1.4, `bolder: ${differing(bold, none)} pixels, were ${differing(thin, none)}`);
	await press('lock');
	const noLock = await lock();
	await press('lock');
	equal(await words('lock'), ['Lock', 'mixed'], 'locks');
	const high = differing(await lock(), noLock);
	near(high - differing(thinLock, noLock), 3, 0.9, 'a lock\'s line is higher');
	/** Returns how much more red than green an overlay adds to a point. @param {string} label @param {number} t */
	const tint = async (label, t) => {
		const at = await d.row(label);
		const x = Math.round(await d.xOf(t * ms));
		const before = (await d.strip('base', x, Math.round(at.y + 2), 1, 1))[0].split(',').map(Number);
		await press('freq');
		await press('freq');
		const after = (await d.strip('base', x, Math.round(at.y + 2), 1, 1))[0].split(',').map(Number);
		await press('freq');
		return (after[0] - before[0]) - (after[1] - before[1]);
	};
	const [slow, middle, quick] = [await tint('CPU 0', 3), await tint('CPU 1', 80), await tint('CPU 0', 80)];
	check(slow > 60 && quick < 0 && middle < slow && middle > quick, `1000 MHz ${slow}, 2000 ${middle}, 3000 ${quick}`);
	await press('freq');
	equal(await words('freq'), ['Freq', 'true'], 'a line first');
	await press('freq');
	equal(await words('freq'), ['Freq', 'mixed'], 'then the overlay');
	check((await page.locator('#legend').innerText()).includes('frequency, slow to fast'), 'legend');
	await address('freqOver');
	await page.reload();
	await page.waitForFunction(() => document.documentElement.dataset.state === 'ready');
	await d.settle();
	equal([await words('arc'), await words('lock'), await words('freq')], [['Arc', 'mixed'], ['Lock', 'mixed'], ['Freq', 'mixed']], 'by the address');
	equal(differing(await lock(), noLock), high, 'drawn by the address');
	for (const name of ['arc', 'lock']) await press(name);
	equal([await words('arc'), await words('lock')], [['Arc', 'true'], ['Lock', 'true']], 'round');
});

await test('Samp and Lock: a shift-click above the row annotates the sample or the lock, a shift-click in the bars the span; samples in idle are omitted', async () => {
	await open(madeFile, 'g=CPU.PID');
	/**
	 * Returns the text of the annotation that a shift-click makes.
	 * @param {string} label
	 * @param {number} t
	 * @param {number} down from the row's head, CSS pixels; below 1: a share of the row's height
	 */
	const taken = async (label, t, down) => {
		const at = await d.row(label);
		await page.keyboard.down('Shift');
		await page.mouse.move(await d.xOf(t * ms), at.y + (down > 0 && down < 1 ? down * at.height : down));
		await page.mouse.down();
		await d.settle();
		const { notes } = await d.drawn();
		await page.mouse.up();
		await page.keyboard.up('Shift');
		equal(notes.length, 1, `notes of ${label} at ${t}`);
		return notes[0];
	};
	check((await taken('CPU 0', 6, 2)).includes('alpha.5'), 'samples are off');
	await press('samp');
	for (const down of [-2, 3]) check((await taken('CPU 0', 6, down)).includes('PC=do_work  10 ms'), `over the row, ${down}: the sample`);
	check((await taken('CPU 0', 6, 0.7)).includes('alpha.5'), 'in the bars');
	check((await taken('CPU 0', 70, 2)).includes('PC=000055550000'), 'user code');
	check((await taken('CPU 0', 45, 2)).includes('open'), 'where there is none');
	check((await taken('CPU 1', 10, 2)).includes('idle  30 ms'), 'taken in idle: left out');
	check((await column('CPU 1', 10)).slice(0, 6).every((c) => c === '255,255,255'), 'taken in idle: not drawn');
	check((await taken('beta.6', 27, 1)).includes('=pool  30 ms'), 'a lock that is held');
	check((await taken('alpha.5', 35, 1)).includes('~pool  15 ms'), 'a lock that is tried');
	check((await taken('beta.6', 27, 0.8)).includes('beta.6'), 'the span below it');
	await press('lock');
	check((await taken('beta.6', 27, 1)).includes('beta.6'), 'locks are off');
	const at = await d.row('CPU 0');
	await page.mouse.move(await d.xOf(12 * ms), at.y + 2);
	await d.settle();
	check((await tip()).startsWith('PC=do_work') && (await tip()).includes('10 ms'), `hovered: ${await tip()}`);
});

await test('Units: durations are in ns, \u00b5s or ms everywhere, and the address stores the choice', async () => {
	await open(madeFile, 'g=CPU.PID');
	const at = await d.row('CPU 0');
	const everywhere = async () => {
		await page.mouse.move(await d.xOf(30 * ms), at.y + at.height * 0.8);
		await d.settle();
		const said = await tip();
		const cells = await d.cells();
		await page.mouse.move(5, 5);
		return [said.match(/duration (.*?) +\(/)?.[1], cells.find(([name]) => name === 'beta.6')?.[1], await page.locator('#found').innerText()].map((s) => String(s).replace(/[\u202f\u00a0]/g, ' '));
	};
	await page.locator('#search').fill('beta');
	await page.locator('#search').press('Enter');
	await page.locator('#tablebox tbody tr').first().waitFor();
	equal(await everywhere(), ['20 ms', '60.00 ms', '2 matches, 60 ms'], 'each as it suits');
	equal(await words('unit'), ['Units', 'false'], 'button');
	await press('unit');
	equal([await words('unit'), await everywhere()], [['ns', 'true'], ['20 000 000 ns', '60 000 000 ns', '2 matches, 60 000 000 ns']], 'ns');
	const name = await page.locator('#tablebox tbody td').first().boundingBox();
	check(name.width >= 89, `names have ${name.width} pixels beside long numbers`);
	await press('unit');
	equal([await words('unit'), await everywhere()], [['\u00b5s', 'true'], ['20 000 \u00b5s', '60 000 \u00b5s', '2 matches, 60 000 \u00b5s']], '\u00b5s');
	await address('unit-us');
	await page.reload();
	await page.waitForFunction(() => document.documentElement.dataset.state === 'ready');
	await d.settle();
	await page.locator('#tablebox tbody tr').first().waitFor();
	equal(await everywhere(), ['20 000 \u00b5s', '60 000 \u00b5s', '2 matches, 60 000 \u00b5s'], 'by the address');
	await press('unit');
	equal((await everywhere()).slice(0, 2), ['20 ms', '60.00 ms'], 'ms');
	await press('unit');
	await address('unit-', false);
	equal(await everywhere(), ['20 ms', '60.00 ms', '2 matches, 60 ms'], 'and back');
});

await test('annotations include IPC while IPC is shown for that kind of span', async () => {
	await open(madeFile, 'g=CPU');
	const at = await d.row('CPU 0');
	for (const t of [10, 50]) {
		await page.keyboard.down('Shift');
		await page.mouse.move(await d.xOf(t * ms), at.y + at.height * 0.8);
		await page.mouse.down();
		await page.keyboard.up('Shift');
		await page.mouse.up();
	}
	const ipc = async () => {
		await d.settle();
		return (await d.drawn()).notes.map((/** @type {string} */ n) => n.match(/  IPC (.*)/)?.[1] ?? '');
	};
	// the value 9 stands for 1.25 instructions per cycle, 8 for 1
	equal(await ipc(), ['', ''], 'off');
	await press('ipc');
	equal(await ipc(), ['1.25', '1'], 'both');
	await press('ipc');
	equal(await ipc(), ['1.25', ''], 'user');
	await press('ipc');
	equal(await ipc(), ['', '1'], 'kernel');
});

await test('only rows that are highlighted count for User and All', async () => {
	await open(madeFile, 'g=CPU');
	await press('all');
	const names = async () => (await d.drawn()).notes.map((/** @type {string} */ n) => n.replace(/[(.].*/, ''));
	check((await names()).includes('gamma') && (await names()).includes('open'), `all: ${await names()}`);
	const { plot } = await d.drawn();
	const at = await d.row('CPU 1');
	await page.keyboard.down('Shift');
	await page.mouse.click(plot.x - 40, at.y + at.height / 2);
	await page.keyboard.up('Shift');
	await d.settle();
	equal(await names(), ['gamma'], 'of CPU 1');
	await press('all');
	await press('user');
	equal(await names(), ['gamma'], 'User, of CPU 1');
	await page.keyboard.down('Shift');
	await page.mouse.click(plot.x - 40, at.y + at.height / 2);
	await page.keyboard.up('Shift');
	await d.settle();
	equal((await names()).sort(), ['alpha', 'beta', 'gamma'], 'nothing is highlighted');
	near(at.height, (await d.row('CPU 0')).height, 1, 'rows');
});

await test('the cost of recording: white diagonals at the beginning of spans, as long as in the trace; none in idle; the legend explains them', async () => {
	await open(madeFile, 'g=CPU&t=0.03999990-0.04000110');
	const cost = 76.873e-9;
	equal((await d.drawn()).overhead, [], 'off at first');
	const at = await d.row('CPU 0');
	const x = Math.ceil(await d.xOf(0.04));
	const width = Math.floor(await d.xOf(0.04 + cost)) - x;
	check(width > 30, `too small: ${width}`);
	// top and height of a part of the bar above its name
	const high = [Math.ceil(at.y + at.height * 0.34), Math.floor(at.height * 0.22 - 8)];
	const white = async (/** @type {number} */ from, /** @type {number} */ w) => (await d.strip('base', from, high[0], w, high[1])).filter((c) => c.split(',').every((v) => Number(v) > 235)).length / (w * high[1]);
	const before = await white(x + 2, width - 4);
	await page.locator('#second summary').click();
	await page.locator('#overhead').check();
	await d.settle();
	check((await page.locator('#secondbox').innerText()).includes('76.9 ns per event'), 'how much');
	const drawn = (await d.drawn()).overhead;
	equal(drawn.map((/** @type {any} */ o) => o.row[9]), ['open'], 'spans that begin here');
	near(drawn[0].x0, await d.xOf(0.04), 0.5, 'from the beginning');
	near(drawn[0].x1 - drawn[0].x0, (await d.xOf(0.04 + cost)) - (await d.xOf(0.04)), 0.5, 'as long as it took');
	const after = await white(x + 2, width - 4);
	check(before < 0.03 && after > 0.03 && after < 0.8, `white before ${before}, after ${after}`);
	check(await white(x + width + 6, 60) < 0.02, 'behind it');
	check((await page.locator('#legend').innerText()).includes('overhead'), 'legend');
	await address('sc=overhead');
	await d.setRange(0.0699999, 0.0700011);
	await d.settle();
	equal((await d.drawn()).overhead, [], 'idle has none');
	await open(pageOf(jsonOf(made), 'unsaid'), 'g=CPU&t=0.03999990-0.04000110&sc=overhead');
	const [only] = (await d.drawn()).overhead;
	near(only.x1 - only.x0, (await d.xOf(0.04 + 50e-9)) - (await d.xOf(0.04)), 0.5, 'a trace with counters that does not say: the original\'s figure');
	await page.locator('#second summary').click();
	check((await page.locator('#secondbox').innerText()).includes('50 ns per event (assumed'), 'and says so');
});

await test('secondary controls: by button, by shift-click on the red dot, by keys; each has its effect, and the address stores it', async () => {
	await open(madeFile, 'g=CPU.PID&t=0.005-0.095');
	const range = await d.range();
	await page.locator('#reset').click({ modifiers: ['Shift'] });
	await page.locator('#secondbox').waitFor();
	equal(await d.range(), range, 'a shift-click on the red dot does not reset');
	await page.keyboard.press('Escape');
	equal(await page.locator('#secondbox').isVisible(), false, 'Esc closes');
	equal(await page.evaluate(() => document.activeElement?.parentElement?.id), 'second', 'the focus is where it was');
	await page.keyboard.press('Enter');
	await page.locator('#secondbox').waitFor();
	const version = await page.locator('#secondbox p').innerText();
	check(/^KUtrace \d+\.\d+\.\d+; trace format 3$/.test(version), version);
	/** @param {string} id @param {string} value */
	const type = async (id, value) => {
		await page.locator(`#${id}`).fill(value);
		await page.keyboard.press('Enter');
		await d.settle();
	};
	// the height of rows
	const before = (await d.row('CPU 0')).height;
	await type('rowheight', '150');
	near((await d.row('CPU 0')).height, before * 1.5, 1, 'height of a row');
	await type('rowheight', '100');
	// the size of letters: labels get higher
	const letters = async () => {
		const at = await d.row('CPU 0');
		const { plot } = await d.drawn();
		const lines = await page.evaluate((/** @type {number[]} */ [x, y, w, h]) => {
			const canvas = /** @type {HTMLCanvasElement} */ (document.getElementById('labelcanvas'));
			const box = canvas.getBoundingClientRect();
			const { data } = /** @type {CanvasRenderingContext2D} */ (canvas.getContext('2d')).getImageData(x - box.left, y - box.top, w, h);
			return Array.from({ length: h }, (_, i) => Array.from({ length: w }, (__, k) => data[(i * w + k) * 4]).some((v) => v < 128)).filter(Boolean).length;
		}, [Math.floor(plot.x - 60), Math.ceil(at.y), 55, Math.floor(at.height)]);
		return lines;
	};
	const small = await letters();
	await type('textsize', '14');
	check(await letters() >= small + 2, `letters of ${await letters()} pixels, were ${small}`);
	const [wide] = [(await d.drawn()).plot.x];
	await type('labelchars', '30');
	check((await d.drawn()).plot.x > wide + 60, 'more letters');
	// names in spans
	const dark = async () => {
		const at = await d.row('CPU 0');
		const x = Math.ceil(await d.xOf(0.0205));
		return (await d.strip('base', x, Math.ceil(at.y + at.height * 0.3), Math.floor(await d.xOf(0.034)) - x, Math.floor(at.height * 0.5))).filter((c) => c.split(',').every((v) => Number(v) < 90)).length;
	};
	check(await dark() > 10, 'a name in the span');
	await type('textfrom', '400');
	equal(await dark(), 0, 'none that is narrower');
	await type('textfrom', 'abc'.slice(3));
	check(await dark() > 10, 'empty: as at first');
	// fading
	const marked = await d.row('CPU 1');
	const { plot } = await d.drawn();
	await page.keyboard.press('Escape');
	await page.keyboard.down('Shift');
	await page.mouse.click(plot.x - 40, marked.y + marked.height / 2);
	await page.keyboard.up('Shift');
	await d.settle();
	const grey = async () => Number((await column('CPU 0', 30)).slice(-12, -9)[1].split(',')[0]);
	const medium = await grey();
	await page.locator('#second summary').click();
	await page.locator('#secondbox input[value=strong]').check();
	await d.settle();
	const strong = await grey();
	await page.locator('#secondbox input[value=light]').check();
	await d.settle();
	check(await grey() < medium - 20 && strong > medium + 15, `grey ${await grey()}, ${medium}, ${strong}`);
	// lines of annotations
	await page.keyboard.press('Escape');
	await page.keyboard.down('Shift');
	await page.mouse.move(await d.xOf(0.031), marked.y + marked.height * 0.7);
	await page.mouse.down();
	await page.keyboard.up('Shift');
	await page.mouse.up();
	const line = async () => {
		await d.settle();
		const { plot: p } = await d.drawn();
		const x = Math.floor(await d.xOf(0.03)) - 1;
		const seen = await d.strip('over', x, Math.ceil(p.y), 3, Math.floor(p.height) - 1);
		return Array.from({ length: seen.length / 3 }, (_, y) => seen.slice(y * 3, y * 3 + 3).some((c) => c !== '0,0,0')).filter(Boolean).length;
	};
	const own = await line();
	await page.locator('#second summary').click();
	await page.locator('#secondbox input[value=full]').check();
	const full = await line();
	await page.locator('#secondbox input[value=short]').check();
	const short = await line();
	check(full > (await d.drawn()).plot.height - 4 && own < full - 50 && short < own - 8, `line of ${own}, ${full}, ${short}`);
	await page.locator('#legendon').uncheck();
	await d.settle();
	equal(await page.locator('#legend').isVisible(), false, 'no legend');
	await address('sc=nolegend.fade-light.reach-short.text-14.chars-30');
	await page.reload();
	await page.waitForFunction(() => document.documentElement.dataset.state === 'ready');
	await d.settle();
	equal([await page.locator('#legend').isVisible(), await grey() < medium - 20, (await d.drawn()).plot.x > wide + 60], [false, true, true], 'by the address');
	await open(madeFile, 'g=CPU&sc=text-9999.chars-.fade-x.reach-constructor.from--4');
	equal(await page.locator('#legend').isVisible(), true, 'an address that makes no sense');
	await address('text-14', true);
});

/** Returns JSON in the form of the original's programs. @param {string} key @param {any[]} list @param {Record<string, unknown>} header */
const foreignJson = (key, list, header) => `{\n${Object.entries(header).map(([k, v]) => ` "${k}" : ${JSON.stringify(v)},\n`).join('')}"${key}" : [\n${list.map((r) => `${JSON.stringify(r)},\n`).join('')}` +
	`${JSON.stringify(key === 'points' ? [999, 0] : [999, 0, 0, 0, '', '', 0, 0, 0, 0, '', '', '', 0, ''])}\n]}\n`;

await test('RPCs of the original\'s pages: rows by RPC, lanes for simultaneous ones, times as in the JSON; missing data is reported', async () => {
	/** @type {any[]} */
	const rpcs = [];
	for (let i = 0; i < 12; i++) {
		const at = 10 + i * 0.03;
		rpcs.push([at, at + 0.01, at + 0.05 + 0.01 * (i % 3), at + 0.1, `client${i % 2}`, `server${i % 3}`, 7.2, 7.2, 100 + i, 0, 'RespRcv ', i % 4 ? 'Read' : 'Write', i === 5 ? 'ERROR_2' : 'Success', 144, '...']);
	}
	rpcs.push([10.4, 0, 0, 0, 'client0', 'server0', 7.2, 7.2, 200, 0, 'ReqSend ', 'Lost', '', 0, ''], [10.41, 10.40, 10.45, 10.5, 'client0', 'server0', 7.2, 7.2, 201, 0, 'RespRcv ', 'Early', 'Success', 0, '']);
	await open(pageOf(foreignJson('events', rpcs, { title: 'rpcs', tracebase: '2026-11-20_08:50:00', version: 4 }), 'rpcs'));
	equal((await page.locator('.group span').allInnerTexts()), ['Lanes', 'RPCs'], 'groups');
	const shown = await d.shown();
	/** @param {any[]} r @param {number} i */
	const label = (r, i) => `${r[11]}${r[12] && r[12] !== 'Success' ? ` ${r[12]}` : ''} ${r[4]}>${r[5]}.${i + 1}`;
	const answered = rpcs.filter((r) => r[3] > 0);
	equal(shown.filter((r) => r.group === 'PID').map((r) => r.label), rpcs.flatMap((r, i) => (r[3] > 0 ? [label(r, i)] : [])), 'an RPC each');
	// as many lanes as RPCs are active at the same time
	const atOnce = Math.max(...answered.map((r) => answered.filter((o) => o[1] <= r[1] && o[2] > r[1] + 1e-8).length));
	equal(shown.filter((r) => r.group === 'CPU').length, atOnce, 'lanes');
	for (const [i, r] of rpcs.entries()) {
		if (!(r[3] > 0)) continue;
		const at = await d.row(label(r, i));
		const y = at.y + at.height * 0.7;
		for (const [from, to, event] of [[r[0], r[1], Event.WAITA + 13], [r[1], r[2], 65537 + i], [r[2], r[3], Event.WAITA + 13]]) {
			if (to < from) continue;
			const hit = await d.hit(await d.xOf((from + to) / 2), y);
			equal([hit?.[5], hit?.[3]], [event, i + 1], `${label(r, i)} at ${(from + to) / 2}`);
			near(hit[0], from, 1.1e-8, 'from');
			near(hit[1], to - from, 2.1e-8, 'for');
		}
	}
	const marks = (await d.drawn()).labels.map((/** @type {any} */ l) => l.text);
	check(marks.some((/** @type {string} */ m) => m.includes('Lost client0>server0.13, not whole')) || (await page.evaluate(() => window.kutrace.search('Lost').count)) === 1, `the one without an answer: ${marks}`);
	const facts = await page.locator('#facts').innerText();
	check(facts.includes('RPCs, not CPUs') && facts.includes('1 contradictory time'), `facts: ${facts}`);
	check(String(await page.locator('#facts div').first().getAttribute('title')).includes('is not shown'), 'what is not shown');
	// tables, tooltip and details use the words for RPCs
	equal(await page.locator('#tab-processes').innerText(), 'RPCs', 'table');
	for (const tab of ['processes', 'cpus', 'calls', 'kinds', 'names', 'waits']) {
		await page.locator(`#tab-${tab}`).click();
		for (const head of await page.locator('#tablebox th').allInnerTexts()) check(!/process|CPU/.test(head), `${tab}: ${head}`);
	}
	await page.locator('#tab-cpus').click();
	equal((await page.locator('#tablebox th').first().innerText()).trim(), 'lane', 'lanes');
	await page.locator('#tab-processes').click();
	equal((await page.locator('#tablebox th').allInnerTexts()).slice(0, 2).map((/** @type {string} */ t) => t.replace(/\W/g, ' ').trim()), ['RPC', 'at work'], 'heads');
	await page.locator('#tablebox button.name').first().click();
	for (const head of await page.locator('#processbox :is(th, h3, dt)').allInnerTexts()) check(!/^(process|CPUs?|on CPU)$/.test(head.trim()), `pane: ${head}`);
	check(!/CPU/.test(await page.locator('#processbox').innerText()), `pane: ${await page.locator('#processbox').innerText()}`);
	// the headers of files also use the words for RPCs
	const saved = async (/** @type {string} */ item, inMenu = false) => String((await d.saved(item, inMenu)).bytes).split('\r\n');
	equal((await saved('#savecsv', true))[0], 'start_s,duration_s,lane,rpc_id,rpc,event,arg0,retval,ipc,name', 'file of spans');
	equal((await saved('#savecalls', true))[0], 'start_s,elapsed_s,at_work_s,not_running_s,pieces,lacks,lane,last_lane,rpc_id,rpc,kind,event,arg0,retval,name', 'file of calls');
	const pane = await saved('#processcsv');
	check(pane.some((line) => /^Lanes,lane \d,/.test(line)) && !/CPU|process/.test(pane.join()), `file of the pane: ${pane}`);
	await page.locator('#processviews [data-view=tree]').click();
	equal((await saved('#processcsv'))[0], 'level,path,count,elapsed s,at work s,own s,longest s', 'file of the tree');
	await page.locator('#processviews [data-view=sums]').click();
	await page.locator('#panetab-tables').click();
	for (const [tab, head] of [['processes', 'RPC,at work s,share,waiting s,longest s'], ['cpus', 'lane,busy s,share,user s,kernel s,interrupts s,leaving idle s,idle while others waited s,longest s'], ['waits', 'RPC,waited for,time s,count,longest s']]) {
		await page.locator(`#tab-${tab}`).click();
		equal((await saved('#savetable', true))[0], head, `file of the table ${tab}`);
	}
	await page.locator('#tab-processes').click();
	await page.locator('#panetab-query').click();
	for (const [by, head] of [['process', 'RPC,count,sum s,max s,p99 s,p50 s,mean s,min s,at work s,incomplete'], ['cpu', 'lane,count,sum s,max s,p99 s,p50 s,mean s,min s,at work s,incomplete'], ['none', 'match,RPC,lane,begins s,elapsed s,at work s']]) {
		await page.locator('#queryby').selectOption(by);
		await page.locator('#queryfilter').fill('.');
		await page.locator('#queryfilter').press('Enter');
		await page.waitForFunction((/** @type {number} */ n) => document.querySelectorAll('#querybox th').length === n, head.split(',').length);
		equal((await saved('#querycsv'))[0], head, `file of the query by ${by}`);
	}
	await page.locator('#panetab-process').click();
	const one = await d.row(label(rpcs[0], 0));
	await page.mouse.move(await d.xOf((rpcs[0][1] + rpcs[0][2]) / 2), one.y + one.height * 0.7);
	await d.settle();
	check(/\blane 0\b/.test(await tip()) && /\bRPC 1\b/.test(await tip()) && !/\b(CPU|process)\b/.test(await tip()), `tooltip: ${await tip()}`);
	await page.mouse.move(3, 3);
	await page.locator('#rowfilter').fill('^Write.*server1');
	await d.settle();
	equal((await d.shown()).filter((r) => r.group === 'PID').map((r) => r.label), rpcs.flatMap((r, i) => (r[11] === 'Write' && r[5] === 'server1' ? [label(r, i)] : [])), 'by method and server');
});

await test('disk blocks of the original\'s pages: transfers of consecutive blocks, and a mark for each block, at their times', async () => {
	const points = [[0.001, 0], [0.002, 1], [0.003, 2], [0.004, 3], [0.006, 9], [0.007, 10], [0.009, 4]];
	await open(pageOf(foreignJson('points', points, { title: 'disk', shortMulY: 4096, thousandsY: 1024 }), 'disk'));
	equal((await page.locator('.group span').allInnerTexts()), ['Disk', 'Transfers'], 'groups');
	equal((await d.shown()).filter((r) => r.group === 'PID').map((r) => r.label), ['blocks 0 to 3.1', 'blocks 9 to 10.2', 'block 4.3'], 'transfers');
	const { marks } = await d.drawn();
	equal(marks.filter((/** @type {any} */ m) => m.group === 'CPU').map((/** @type {any} */ m) => [m.row[0], m.row[6]]), points, 'blocks');
	const at = await d.row('lane 0');
	const hit = await d.hit(await d.xOf(0.0025), at.y + at.height * 0.8);
	equal([hit?.[9], hit?.[0], hit?.[1]], ['blocks 0 to 3.1', 0.001, 0.003], 'the first transfer');
	check((await page.locator('#facts').innerText()).includes('disk blocks, not CPUs'), 'facts');
});

await test('guide: no complaint on the console, no request', () => {
	equal(browser.complaints, [], 'console');
	equal(browser.requests, [], 'requests');
});
await browser.close();
