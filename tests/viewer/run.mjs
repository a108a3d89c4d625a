// SPDX-License-Identifier: BSD-3-Clause
/**
 * Tests the page in Chromium with the real mouse and keys. Every expectation comes from the JSON of the page, or from
 * its pixels. odd.mjs tests odd and damaged pages. Prints TAP. Needs $BUILD/bin/makeself and the built template.
 */
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { openBrowser, usual } from './browser.mjs';
import { callsOf, elapsedOf } from './callsof.mjs';
import { opened } from './driver.mjs';
import { Event, LOCAL_TIMER, PAGE_FAULT } from './events.mjs';
import { build, generate, isExecution, pageOf, rowsOf } from './pages.mjs';
import { check, done, equal, near, skip, test } from './tap.mjs';

/** @typedef {any} Page */
/** @typedef {import('./pages.mjs').Row} Row */

const json = generate('20000', '4');
const rows = rowsOf(json);
const first = Math.min(...rows.map((r) => r[0]));
const last = Math.max(...rows.filter((r) => isExecution(r) || r[5] === -3).map((r) => r[0] + r[1]));
const file = pageOf(json, 'plain');

const browser = await openBrowser();
/** @type {Page} */
let page;
/** @type {import('./driver.mjs').Driver} */
let d;
/** @param {string} path @param {string} [state] */
async function open(path, state) {
	({ page, d } = await opened(browser, path, state));
}
/** Returns the row that runs on a CPU at a time, from the JSON. @param {number} cpu @param {number} t */
const running = (cpu, t) => rows.find((r) => isExecution(r) && r[2] === cpu && r[0] <= t && r[0] + r[1] > t);
/** A short interval with long busy spans on CPU 0. */
const busy = /** @type {Row} */ (rows.filter((r) => isExecution(r) && r[2] === 0 && r[5] > 65536 && r[5] !== 131072)
	.sort((a, b) => b[1] - a[1])[0]);
const tooltip = () => page.locator('#tip').innerText();

await test('the page opens, becomes ready, and writes nothing to the console', async () => {
	await open(file);
	equal(browser.complaints, [], 'console');
	equal(await page.evaluate(() => window.kutrace.spans), rows.length, 'spans');
	equal(await page.locator('#boot').isVisible(), false, 'loading text');
});

await test('the page shows the whole trace at first', async () => {
	const [a, b] = await d.range();
	near(a, first, 1e-9, 'start');
	near(b, last, 1e-9, 'stop');
});

await test('there is one row per CPU, and PID is closed', async () => {
	const list = await d.shown();
	equal(list.map((r) => r.label), ['CPU 0', 'CPU 1', 'CPU 2', 'CPU 3'], 'rows');
	equal(list.map((r) => r.spans), [0, 1, 2, 3].map((c) => rows.filter((r) => isExecution(r) && r[2] === c).length), 'spans of the rows');
	equal(await page.locator('[data-group=PID]').getAttribute('aria-expanded'), 'false', 'PID group');
});

await test('every CPU row is drawn, blank space is not', async () => {
	const { plot } = await d.drawn();
	for (const row of await d.shown()) {
		const seen = await d.colours('base', { x: plot.x, y: Math.round(row.y + row.height * 0.3), width: plot.width, height: Math.round(row.height * 0.6) });
		check(Object.keys(seen).length > 10, `${row.label}: only ${Object.keys(seen).length} colours`);
	}
	const list = await d.shown();
	const heads = await page.locator('[data-group]').evaluateAll((/** @type {Element[]} */ all) => Math.max(...all.map((e) => e.getBoundingClientRect().bottom)));
	const below = Math.ceil(Math.max(list[list.length - 1].y + list[list.length - 1].height, heads)) + 2;
	const height = Math.min(24, Math.floor(plot.y + plot.height - below));
	check(height >= 16, `${height} pixels below the rows`);
	const blank = await d.colours('base', { x: plot.x, y: below, width: plot.width, height });
	check(Object.keys(blank).length <= 2, `below the rows: ${Object.keys(blank).length} colours`);
});

await test('kinds have their own colours and heights', async () => {
	/** @type {Record<string, string>} */
	const found = {};
	/** @type {[string, (r: Row) => boolean, number][]} height of a point that only this kind and higher ones reach */
	const kinds = [
		['user', (r) => r === busy, 0.4], ['syscall', (r) => r[5] >= Event.SYSCALL64 && r[5] < Event.SYSCALL32 + 256, 0.65],
		['fault', (r) => r[5] === PAGE_FAULT, 0.6], ['interrupt', (r) => r[5] === LOCAL_TIMER, 0.83], ['softirq', (r) => r[5] === Event.BH, 0.74],
		['scheduler', (r) => r[5] === Event.SCHED, 0.5],
	];
	/** The height of each kind in pixels. @type {[string, number][]} */
	const order = [];
	for (const [name, is, share] of kinds) {
		const r = /** @type {Row} */ (rows.filter((x) => isExecution(x) && x[2] === 0 && is(x)).sort((a, b) => b[1] - a[1])[0]);
		await d.setRange(r[0] - r[1] * 0.2, r[0] + r[1] * 1.2);
		const row = (await d.shown())[0];
		const x = Math.round(await d.xOf(r[0] + r[1] * 0.97));
		const seen = await d.colours('base', { x, y: Math.round(row.y + row.height * (1 - share)), width: 1, height: 1 });
		found[name] = Object.keys(seen)[0];
		check(found[name] !== '255,255,255,255', `${name}: nothing drawn`);
		const { barShare, heights } = await page.evaluate(() => window.kutrace.painted('CPU', 0));
		const kind = /** @type {Record<string, number>} */ ({ user: 3, syscall: 4, fault: 5, interrupt: 6, softirq: 7, scheduler: 8 })[name];
		const above = Math.round(row.y + row.height * (1 - barShare * heights[kind])) - 3;
		check(!(await d.colours('base', { x, y: above, width: 1, height: 1 }))[found[name]], `${name}: higher than its kind is`);
		// find the height that the colour of this kind reaches in the row
		const strip = (await d.strip('base', x, Math.round(row.y), 1, Math.floor(row.height))).map((c) => `${c},255` === found[name]);
		const top = strip.indexOf(true);
		check(top >= 0 && strip.indexOf(false, top) > top + 3, `${name}: no bar`);
		order.push([name, strip.length - top]);
		near(strip.length - top, row.height * barShare * heights[kind], 2, `${name}: pixels high`);
	}
	const names = ['user', 'scheduler', 'fault', 'syscall', 'softirq', 'interrupt'];
	order.sort((a, b) => names.indexOf(a[0]) - names.indexOf(b[0]));
	for (const [i, [name]] of order.entries()) {
		if (i) check(order[i][1] >= order[i - 1][1] + 2, `${name} is as high as ${order[i - 1][0]}: ${order.join('; ')}`);
	}
	check(new Set(Object.values(found)).size === kinds.length, `kinds share colours: ${JSON.stringify(found)}`);
	const idle = /** @type {Row} */ (rows.find((r) => r[5] === 65536 && r[2] === 0 && r[9] === '-idle-'));
	await d.setRange(idle[0], idle[0] + idle[1]);
	const row = (await d.shown())[0];
	const x = Math.round(await d.xOf(idle[0] + idle[1] / 2)) + 7;
	equal(Object.keys(await d.colours('base', { x, y: Math.round(row.y + row.height * 0.5), width: 1, height: 1 })), ['255,255,255,255'], 'idle is only a line');
	const line = await d.colours('base', { x, y: Math.round(row.y + row.height) - 2, width: 1, height: 1 });
	check(!line['255,255,255,255'], 'no idle line');
	await d.reset();
});

await test('setRange, range and hit agree with the JSON', async () => {
	await d.setRange(busy[0] - 2e-6, busy[0] + busy[1] + 2e-6);
	const list = await d.shown();
	const [a, b] = await d.range();
	near(a, busy[0] - 2e-6, 1e-12, 'start');
	near(b, busy[0] + busy[1] + 2e-6, 1e-12, 'stop');
	for (let cpu = 0; cpu < 4; cpu++) {
		for (const share of [0.21, 0.5, 0.77]) {
			const t = a + (b - a) * share;
			const got = await d.hit(await d.xOf(t), list[cpu].y + list[cpu].height / 2);
			const want = running(cpu, t);
			// if two spans meet in a pixel, both are right
			const pixel = (b - a) / (await d.drawn()).plot.width;
			if (!want || t - want[0] < 2 * pixel || want[0] + want[1] - t < 2 * pixel) continue;
			equal(got, want, `CPU ${cpu} at ${t}`);
		}
	}
	for (const [x, want] of [[2, busy], [-2, running(0, busy[0] - 1e-9)]]) {
		const got = await d.hit(await d.xOf(busy[0]) + /** @type {number} */ (x), list[0].y + list[0].height / 2);
		equal(got, want, `${x} pixels from a start`);
	}
	equal(await d.hit(5, 5), null, 'outside of the plot');
});

await test('hover shows the row of the JSON', async () => {
	await d.setRange(busy[0] - busy[1], busy[0] + 2 * busy[1]);
	const row = (await d.shown())[0];
	await page.mouse.move(await d.xOf(busy[0] + busy[1] / 2), row.y + row.height * 0.7);
	await d.settle();
	const text = await tooltip();
	for (const part of [busy[9], busy[0].toFixed(8), busy[1].toFixed(8), JSON.stringify(busy[9]), String(busy[5])])
		check(text.includes(part), `tooltip lacks ${part}: ${text}`);
	const raw = await page.locator('#tip code').innerText();
	equal(JSON.parse(raw), busy, 'row in the tooltip');
	const { plot } = await d.drawn();
	await page.mouse.move(plot.x + 10, plot.y + plot.height - 5);
	await d.settle();
	equal(await page.locator('#tip').isVisible(), false, 'tooltip over nothing');
});

await test('the wheel zooms about the pointer', async () => {
	await d.reset();
	const { plot } = await d.drawn();
	const x = plot.x + plot.width * 0.3;
	const [a0, b0] = await d.range();
	const t = a0 + (b0 - a0) * 0.3;
	await page.mouse.move(x, plot.y + 60);
	await page.mouse.wheel(0, -240);
	await d.settle();
	const [a1, b1] = await d.range();
	check(b1 - a1 < (b0 - a0) * 0.8, `not closer: ${b1 - a1} of ${b0 - a0}`);
	near(a1 + (b1 - a1) * 0.3, t, (b0 - a0) * 1e-3, 'time under the pointer');
	await page.mouse.wheel(0, 240);
	await d.settle();
	const [a2, b2] = await d.range();
	near(b2 - a2, b0 - a0, (b0 - a0) * 1e-6, 'back out');
	await page.mouse.wheel(0, 2000);
	await d.settle();
	equal(await d.range(), [a0, b0], 'no further out than the whole');
});

await test('drag pans', async () => {
	const width = (last - first) / 10;
	await d.setRange(first + width * 4, first + width * 5);
	const { plot } = await d.drawn();
	const y = plot.y + 60;
	await page.mouse.move(plot.x + 400, y);
	await page.mouse.down();
	await page.mouse.move(plot.x + 250, y, { steps: 5 });
	await page.mouse.up();
	await d.settle();
	const [a, b] = await d.range();
	near(a, first + width * 4 + (150 / plot.width) * width, width * 0.003, 'start');
	near(b - a, width, 1e-9, 'width');
});

await test('the red dot resets', async () => {
	await d.reset();
	const [a, b] = await d.range();
	near(a, first, 1e-9, 'start');
	near(b, last, 1e-9, 'stop');
});

await test('the PID group opens, shows every process, and closes', async () => {
	await page.locator('[data-group=PID]').click();
	await d.settle();
	const pids = new Set(rows.filter((r) => r[3] > 0 && ((isExecution(r)) || r[2] === -1)).map((r) => r[3]));
	const list = (await d.shown()).filter((r) => r.group === 'PID');
	equal(list.map((r) => r.id), [...pids].sort((a, b) => a - b), 'pids');
	equal(list.map((r) => r.spans), list.map((r) => rows.filter((x) => isExecution(x) && x[3] === r.id && x[9] !== '-idle-').length), 'spans by pid');
	const { plot } = await d.drawn();
	const seen = await d.colours('base', { x: plot.x, y: Math.round(list[1].y), width: plot.width, height: Math.round(list[1].height) });
	check(Object.keys(seen).length > 10, 'the second PID row is blank');
	const waiting = /** @type {Row} */ (rows.filter((r) => r[2] === -1 && r[3] === list[1].id).sort((a, b) => b[1] - a[1])[0]);
	await d.setRange(waiting[0], waiting[0] + waiting[1]);
	const row = (await d.shown()).find((r) => r.group === 'PID' && r.id === list[1].id);
	const got = await d.hit(await d.xOf(waiting[0] + waiting[1] * 0.5), row.y + row.height / 2);
	check(got && got[3] === waiting[3], `a wait of pid ${waiting[3]}: ${JSON.stringify(got)}`);
	await page.locator('[data-group=PID]').click();
	await d.settle();
	equal((await d.shown()).filter((r) => r.group === 'PID').length, 0, 'closed');
	await page.locator('[data-group=CPU]').click();
	await d.settle();
	equal((await d.shown()).length, 0, 'all closed');
	await page.locator('[data-group=CPU]').click();
	await d.reset();
});

await test('rows move by a drag on the labels, and grow by the wheel with shift', async () => {
	await page.locator('[data-group=PID]').click();
	await d.settle();
	const { plot } = await d.drawn();
	const before = await d.shown();
	await page.mouse.move(plot.x - 60, plot.y + 200);
	await page.keyboard.down('Shift');
	await page.mouse.wheel(0, -700);
	await page.keyboard.up('Shift');
	await d.settle();
	const bigger = await d.shown();
	check(bigger[0].height > before[0].height * 1.5, `rows ${before[0].height} -> ${bigger[0].height}`);
	await page.mouse.down();
	await page.mouse.move(plot.x - 60, plot.y + 120, { steps: 4 });
	await page.mouse.up();
	await d.settle();
	const moved = await d.shown();
	const same = moved.find((r) => r.label === bigger[bigger.length - 1].label);
	near(same.y, bigger[bigger.length - 1].y - 80, 1.5, 'row after the drag');
	await page.locator('[data-group=PID]').click();
	await d.reset();
	near((await d.shown())[0].height, 120, 15, 'row height after reset');
});

await test('shift-click on a label highlights its row and greys the rest', async () => {
	await d.setRange(busy[0] - busy[1], busy[0] + 2 * busy[1]);
	const list = await d.shown();
	const { plot } = await d.drawn();
	const x = Math.round(await d.xOf(busy[0] + busy[1] * 0.97));
	const spot = { x, y: Math.round(list[0].y + list[0].height * 0.6), width: 1, height: 1 };
	const [before] = Object.keys(await d.colours('base', spot));
	await page.keyboard.down('Shift');
	await page.mouse.click(plot.x - 30, list[1].y + list[1].height / 2);
	await page.keyboard.up('Shift');
	await d.settle();
	equal((await d.shown()).map((r) => r.marked), [false, true, false, false], 'highlighted');
	const [grey] = Object.keys(await d.colours('base', spot));
	const [r, g, b] = grey.split(',');
	check(r === g && g === b && grey !== before, `CPU 0 was ${before}, is ${grey}`);
	await page.locator('[data-group=CPU]').click();
	await d.settle();
	const shrunk = await d.shown();
	check(shrunk[0].height < 6 && shrunk[1].height > 20, `the triangle shrinks the others: ${shrunk.map((s) => s.height)}`);
	await page.keyboard.press('Escape');
	await d.settle();
	equal((await d.shown()).some((s) => s.marked), false, 'Esc clears');
	equal(Object.keys(await d.colours('base', spot))[0], before, 'colour after Esc');
});

await test('shift-click annotates; the annotation stays if shift is released first', async () => {
	await d.setRange(busy[0] - busy[1], busy[0] + 2 * busy[1]);
	const row = (await d.shown())[0];
	const x = await d.xOf(busy[0] + busy[1] * 0.2);
	await page.keyboard.down('Shift');
	await page.mouse.move(x, row.y + row.height * 0.7);
	await page.mouse.down();
	await d.settle();
	const { notes } = await d.drawn();
	equal(notes.length, 1, 'notes while pressed');
	check(notes[0].includes(busy[0].toFixed(8)) && notes[0].includes(busy[9]), notes[0]);
	const over = await d.colours('over', { x: Math.round(await d.xOf(busy[0])) - 20, y: Math.round(row.y), width: 60, height: 20 });
	check(Object.keys(over).length > 3, 'nothing is drawn for the note');
	await page.keyboard.up('Shift');
	await page.mouse.up();
	await d.settle();
	equal((await d.drawn()).notes.length, 1, 'notes after shift, then button');
	await page.keyboard.down('Shift');
	await page.mouse.down();
	await page.mouse.up();
	await d.settle();
	equal((await d.drawn()).notes.length, 0, 'notes after button, then shift');
	await page.keyboard.up('Shift');
});

await test('shift-click snaps to the nearest start, in the nearest row', async () => {
	const next = /** @type {Row} */ (rows.find((r) => isExecution(r) && r[2] === 0 && Math.abs(r[0] - busy[0] - busy[1]) < 5e-9 && r[1] > 0));
	await d.setRange(busy[0] - busy[1] * 0.2, busy[0] + busy[1] * 1.5);
	const row = (await d.shown())[0];
	await page.keyboard.down('Shift');
	for (const y of [row.y + row.height / 2, row.y - 8]) {
		await page.mouse.move(await d.xOf(next[0]) - 6, y);
		await page.mouse.down();
		await d.settle();
		const { notes } = await d.drawn();
		await page.mouse.up();
		check(notes.length === 1 && notes[0].startsWith(next[0].toFixed(8)), `${notes}, not the one at ${next[0]}`);
	}
	await page.keyboard.up('Shift');
});

await test('shift-drag measures between span starts', async () => {
	const from = /** @type {Row} */ (rows.find((r) => isExecution(r) && r[2] === 0 && r[0] > busy[0] - 2e-5));
	const to = /** @type {Row} */ (rows.filter((r) => isExecution(r) && r[2] === 2 && r[0] > busy[0] + 1e-5 && r[1] > 2e-6)[0]);
	await d.setRange(from[0] - 5e-6, to[0] + to[1] + 5e-6);
	const list = await d.shown();
	await page.keyboard.down('Shift');
	await page.mouse.move(await d.xOf(from[0]) + 2, list[0].y + list[0].height * 0.8);
	await page.mouse.down();
	await page.mouse.move(await d.xOf(to[0]) + 3, list[2].y + list[2].height * 0.8, { steps: 6 });
	await page.keyboard.up('Shift');
	await page.mouse.up();
	await d.settle();
	const text = await page.locator('#measure').innerText();
	const elapsed = `${Number(((to[0] - from[0]) * 1e6).toFixed(2))} µs`;
	for (const part of [from[0].toFixed(8), to[0].toFixed(8), elapsed]) check(text.includes(part), `measured "${text}", lacks ${part}`);
	equal((await d.drawn()).notes.length, 2, 'both ends are annotated');
	await page.keyboard.press('Escape');
	await d.settle();
	equal(await page.locator('#measure').innerText(), '', 'Esc clears');
});

await test('search finds the number and time of matches of the JSON', async () => {
	await d.reset();
	for (const pattern of ['page_fault', '^(read|write)$', 'nginx', '.', 'wakeup']) {
		const want = rows.filter((r) => new RegExp(pattern).test(r[9]));
		const got = await page.evaluate((/** @type {string} */ p) => window.kutrace.search(p), pattern);
		equal(got.count, want.length, `count of ${pattern}`);
		near(got.seconds, want.reduce((s, r) => s + r[1], 0), 1e-7, `seconds of ${pattern}`);
	}
	equal((await page.evaluate(() => window.kutrace.search('no such name'))).count, 0, 'nothing');
});

await test('search by keys: text, Enter, [!], usec, n and N', async () => {
	await page.evaluate(() => window.kutrace.search(''));
	await page.keyboard.press('/');
	await page.keyboard.type('futex');
	await page.keyboard.press('Enter');
	await d.settle();
	const futex = rows.filter((r) => r[9] === 'futex');
	/** A call is one match, which lasts from its beginning to its end. */
	const things = [...callsOf(json).map((c) => ({ name: c.name, time: elapsedOf(c) / 1e8 })),
		...rows.filter((r) => !isExecution(r)).map((r) => ({ name: r[9], time: r[1] }))];
	const calls = things.filter((c) => c.name === 'futex');
	const found = page.locator('#found');
	/** @param {{time: number}[]} matches */
	const counted = async (matches) => {
		const n = matches.length;
		const time = matches.reduce((sum, m) => sum + m.time, 0);
		const text = await found.innerText();
		equal(Number(text.split(/ match/)[0].replace(/\D/g, '')), n, `found "${text}"`);
		const [, value, unit] = /, ([\d.,]+) (ns|µs|ms|s)$/.exec(text) ?? [];
		near(Number(value) * { ns: 1e-9, µs: 1e-6, ms: 1e-3, s: 1 }[/** @type {'s'} */ (unit)], time, time * 0.005, `time in "${text}"`);
	};
	await counted(calls);
	await page.locator('#from').fill('2');
	await page.locator('#to').fill('3');
	await page.locator('#to').press('Enter');
	await counted(calls.filter((c) => c.time >= 1.999999e-6 && c.time <= 3.000001e-6));
	await page.locator('#from').fill('');
	await page.locator('#to').fill('');
	await page.locator('#to').press('Enter');
	await page.locator('#invert').click();
	await counted(things.filter((c) => c.name !== 'futex'));
	await page.locator('#invert').click();
	await page.locator('#search').fill('(');
	await page.locator('#search').press('Enter');
	check((await found.innerText()).includes('not a regular expression'), 'a broken expression is said');
	await page.locator('#search').fill('futex');
	await page.locator('#search').press('Enter');
	await page.keyboard.press('Escape');
	// search again, because Enter has already moved to the first match
	await page.evaluate(() => { window.kutrace.search(''); window.kutrace.search('futex'); });
	await page.locator('#plot').hover();
	await d.setRange(first, first + (last - first) / 50);
	await page.keyboard.press('n');
	await d.settle();
	const one = (await d.drawn()).notes;
	const byStart = [...futex].sort((a, b) => a[0] - b[0]);
	equal(one.length, 1, 'n pins a match');
	check(one[0].startsWith(byStart[0][0].toFixed(8)), `n: ${one[0]}, first is ${byStart[0][0]}`);
	await page.keyboard.press('n');
	await d.settle();
	check((await d.drawn()).notes[0].startsWith(byStart[1][0].toFixed(8)), `second n: ${(await d.drawn()).notes[0]}`);
	await page.keyboard.press('Shift+N');
	await d.settle();
	check((await d.drawn()).notes[0].startsWith(byStart[0][0].toFixed(8)), `N: ${(await d.drawn()).notes[0]}`);
});

await test('matches are underlined', async () => {
	await d.setRange(busy[0] - busy[1], busy[0] + 2 * busy[1]);
	const row = (await d.shown())[0];
	const x = Math.round(await d.xOf(busy[0] + busy[1] / 2));
	const spot = { x, y: Math.round(row.y + row.height), width: 1, height: 1 };
	await page.evaluate(() => window.kutrace.search(''));
	await d.settle();
	const [before] = Object.keys(await d.colours('base', spot));
	await page.evaluate((/** @type {string} */ p) => window.kutrace.search(p), `^${busy[9].replace('.', '\\.')}$`);
	await d.settle();
	const [after] = Object.keys(await d.colours('base', spot));
	check(before !== after, `still ${after}`);
	check((await d.drawn()).matched > 0, 'nothing matched');
	await page.keyboard.press('Escape');
	await page.evaluate(() => window.kutrace.search(''));
});

await test('marks are drawn where the JSON has them; Mark cycles', async () => {
	await d.setRange(first, first + (last - first) / 20);
	const [a, b] = await d.range();
	const want = rows.filter((r) => r[5] >= Event.MARKA && r[5] <= Event.MARKD && r[0] >= a && r[0] <= b);
	check(want.length > 3, 'the generator made too few marks');
	const { marks } = await d.drawn();
	equal(marks.length, want.length, 'marks');
	for (const mark of marks) near(mark.x, await d.xOf(mark.row[0]), 1, `mark at ${mark.row[0]}`);
	const letter = /** @type {Row} */ (want.find((r) => r[5] === Event.MARKA));
	const m = marks.find((/** @type {any} */ k) => k.row[0] === letter[0]);
	const seen = await d.colours('base', { x: Math.round(m.x) - 1, y: Math.round(m.y + 2), width: 2, height: 1 });
	check(Object.keys(seen).some((c) => Number(c.split(',')[0]) > Number(c.split(',')[2]) + 60), `no red at mark a: ${JSON.stringify(seen)}`);
	const button = page.locator('#button-mark');
	await button.click();
	await d.settle();
	equal((await d.drawn()).marks.length, want.filter((r) => r[5] !== Event.MARKD).length, 'text only');
	await button.click();
	await d.settle();
	equal((await d.drawn()).marks.length, want.filter((r) => r[5] === Event.MARKD).length, 'numbers only');
	await button.click();
	await d.settle();
	equal((await d.drawn()).marks.length, 0, 'off');
	await button.click();
});

await test('wakeup arcs lead from the waker to the CPU of the woken task', async () => {
	const wake = /** @type {Row} */ (rows.find((r) => r[5] === -3 && r[2] !== r[6] && r[1] > 5e-6));
	await d.setRange(wake[0] - wake[1], wake[0] + 2 * wake[1]);
	const list = await d.shown();
	const { arcs } = await d.drawn();
	const arc = arcs.find((/** @type {any} */ a) => a.row[0] === wake[0] && a.row[7] === wake[7]);
	check(arc, 'the arc is not drawn');
	near(arc.x0, await d.xOf(wake[0]), 1, 'x of the start');
	near(arc.x1, await d.xOf(wake[0] + wake[1]), 1, 'x of the end');
	check(arc.y0 > list[wake[2]].y && arc.y0 < list[wake[2]].y + list[wake[2]].height, 'starts in the waker\'s row');
	check(arc.y1 > list[wake[6]].y && arc.y1 < list[wake[6]].y + list[wake[6]].height, 'ends in the other row');
	const spot = { x: Math.round(arc.x1) - 2, y: Math.round(arc.y1) - 4, width: 4, height: 4 };
	const on = await d.colours('base', spot);
	await page.locator('#button-arc').click();
	await d.settle();
	equal((await d.drawn()).arcs.length, 0, 'arcs when off');
	check(JSON.stringify(on) !== JSON.stringify(await d.colours('base', spot)), 'the arrow head is no pixels');
	await page.locator('#button-arc').click();
});

await test('User and All name spans', async () => {
	await d.setRange(busy[0] - 3 * busy[1], busy[0] + 4 * busy[1]);
	await page.locator('#button-user').click();
	await d.settle();
	const users = (await d.drawn()).notes;
	check(users.length > 0 && users.every((/** @type {string} */ n) => rows.some((r) => r[9] === n)), `User: ${users}`);
	await page.locator('#button-user').click();
	await page.locator('#button-all').click();
	await d.settle();
	const all = (await d.drawn()).notes;
	check(all.length > users.length && all.every((/** @type {string} */ n) => n.length <= 8), `All: ${all}`);
	await page.locator('#button-all').click();
	await d.settle();
	equal((await d.drawn()).notes.length, 0, 'off');
});

await test('buttons without data are greyed out, CB changes colours', async () => {
	equal(await page.locator('#button-lock').isDisabled(), true, 'Lock');
	equal(await page.locator('#button-freq').isDisabled(), true, 'Freq');
	equal(await page.locator('#button-samp').isDisabled(), false, 'Samp');
	equal(await page.locator('#button-ipc').isDisabled(), false, 'IPC');
	const { plot } = await d.drawn();
	const box = { x: plot.x, y: plot.y, width: plot.width, height: 150 };
	const before = JSON.stringify(await d.colours('base', box));
	for (const name of ['cb', 'samp', 'ipc']) {
		await page.locator(`#button-${name}`).click();
		await d.settle();
		check(JSON.stringify(await d.colours('base', box)) !== before, `${name} changes nothing`);
		await page.locator(`#button-${name}`).click();
		if (name === 'ipc') for (let i = 0; i < 2; i++) await page.locator('#button-ipc').click();
		await d.settle();
		equal(JSON.stringify(await d.colours('base', box)), before, `${name} off again`);
	}
});

await test('keys: W S zoom, A D pan, arrows step, Home resets', async () => {
	await page.mouse.move(3, 3);
	await d.reset();
	await page.locator('#title').click();
	const [a0, b0] = await d.range();
	await page.keyboard.press('w');
	await page.keyboard.press('w');
	await d.settle();
	const [a1, b1] = await d.range();
	check(b1 - a1 < (b0 - a0) * 0.6, 'W');
	await page.keyboard.press('d');
	await d.settle();
	const [a2] = await d.range();
	check(a2 > a1, 'D');
	await page.keyboard.press('a');
	await d.settle();
	near((await d.range())[0], a1, 1e-9, 'A');
	await page.keyboard.press('s');
	await d.settle();
	check((await d.range())[1] - (await d.range())[0] > b1 - a1, 'S');
	await page.keyboard.press('ArrowRight');
	await d.settle();
	const one = (await d.drawn()).notes;
	await page.keyboard.press('ArrowRight');
	await d.settle();
	const two = (await d.drawn()).notes;
	check(one.length === 1 && two.length === 1 && parseFloat(two[0]) > parseFloat(one[0]), `arrows: ${one} ${two}`);
	await page.keyboard.press('Escape');
	await page.keyboard.press('Home');
	await d.settle();
	equal(await d.range(), [a0, b0], 'Home');
});

await test('help opens by ? and [more], closes by Esc', async () => {
	const help = page.locator('#help');
	equal(await help.isVisible(), false, 'at first');
	await page.keyboard.press('?');
	equal(await help.isVisible(), true, '?');
	check((await help.innerText()).includes('shift-drag'), 'help text');
	await page.keyboard.press('Escape');
	equal(await help.isVisible(), false, 'Esc');
	await page.locator('#more').click();
	equal(await help.isVisible(), true, '[more]');
	await page.locator('#closehelp').click();
	equal(await help.isVisible(), false, 'its button');
});

await test('title, facts, wall clock and axis', async () => {
	await d.reset();
	equal(await page.locator('#title').innerText(), 'generated', 'title');
	const facts = (await page.locator('#facts').innerText()).replace(/\s+/g, ' ');
	for (const part of ['Host gen', 'Kernel 6.1.0', 'CPUs 4', 'Lost events none', 'Coverage syscall'])
		check(facts.includes(part), `facts lack ${part}: ${facts}`);
	const t = first + 0.0123;
	await d.setRange(t, t + 0.0005);
	await d.settle();
	equal(await page.locator('#clock').innerText(), '0 s = 08:50:00', 'when 0 s is');
	const ticks = (await d.drawn()).axis;
	check(ticks.length >= 3 && ticks.every((/** @type {{t: number, label: string}} */ a) => a.label.endsWith(' s') && Math.abs(parseFloat(a.label) - a.t) < 1e-9), `ticks ${ticks.map((/** @type {{label: string}} */ a) => a.label)}`);
	await page.locator('#timeas').selectOption('clock');
	await d.settle();
	equal(await page.locator('#clock').innerText(), '2026-11-20', 'the day');
	check((await d.drawn()).axis.every((/** @type {{t: number, label: string}} */ a) => /^08:50:\d\d\.\d+$/.test(a.label) && Math.abs(parseFloat(a.label.slice(6)) - a.t) < 1e-9), 'times of day');
	await page.locator('#timeas').selectOption('file');
	const axis = page.locator('#axis');
	const box = await axis.boundingBox();
	check(box && Object.keys(await d.colours('axis', box)).length > 3, 'the axis is blank');
});

await test('dark colours follow the setting of the system', async () => {
	// twin.mjs tests dark colours in Firefox, whose driver cannot change the setting while a page is open
	if (usual === 'firefox') return;
	await page.emulateMedia({ colorScheme: 'dark' });
	await d.settle();
	const { plot } = await d.drawn();
	const blank = await d.colours('base', { x: plot.x + 3, y: plot.y + plot.height - 5, width: 2, height: 2 });
	check(Object.keys(blank).every((c) => Number(c.split(',')[0]) < 60), `background ${Object.keys(blank)}`);
	await page.emulateMedia({ colorScheme: 'light' });
});

await test('no network request, nothing on the console so far', async () => {
	equal(browser.requests, [], 'requests');
	equal(browser.complaints, [], 'console');
	await page.close();
});

const demo = join(build, 'demo', 'demo.json');
if (!existsSync(demo)) {
	skip('the demo\'s trace opens, draws and searches', 'build/demo/demo.json is not there: make demo');
} else {
	await test('the demo\'s trace opens, draws and searches', async () => {
		const text = readFileSync(demo);
		const all = rowsOf(text);
		browser.complaints.length = 0;
		await open(pageOf(text, 'demo'));
		equal(await page.evaluate(() => window.kutrace.spans), all.length, 'spans');
		const want = all.filter((r) => /page_fault/.test(r[9]));
		const got = await page.evaluate(() => window.kutrace.search('page_fault'));
		equal(got.count, want.length, 'page faults');
		near(got.seconds, want.reduce((s, r) => s + r[1], 0), 1e-6, 'their time');
		const { plot } = await d.drawn();
		for (const row of await d.shown()) {
			const seen = await d.colours('base', { x: plot.x, y: Math.round(row.y), width: plot.width, height: Math.round(row.height) });
			check(Object.keys(seen).length > 5, `${row.label} is blank`);
		}
		await page.locator('[data-group=PID]').click();
		await d.settle();
		check((await d.shown()).some((r) => r.group === 'PID'), 'PID rows');
		equal(browser.complaints, [], 'console');
		await page.close();
	});
}
await test('no network request at all', () => equal(browser.requests, [], 'requests'));
await browser.close();
done();
