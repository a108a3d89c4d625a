// SPDX-License-Identifier: BSD-3-Clause
/**
 * Tests pauses. The page draws dots and no bar in a pause, and the legend names pauses. The same holds for a partial
 * interval, in which events of some CPUs are missing. Prints TAP.
 */
import { partialOf } from '../../templates/js/base/header.ts';
import { Kind } from '../../templates/js/base/kinds.ts';
import { SpanList } from '../../templates/js/data/spans.ts';
import { drawPauses } from '../../templates/js/draw/layers.ts';
import { openBrowser } from './browser.mjs';
import { shareDrawn, turnTo } from './driver.mjs';
import { Event } from './events.mjs';
import { jsonOf, pageOf } from './pages.mjs';
import { check, equal, test } from './tap.mjs';

/** @typedef {import('./pages.mjs').Row} Row */

const ms = 1e-3;
/** @param {number} a @param {number} b @param {number} cpu @param {number} pid @param {number} event @param {string} name @param {number} [arg] @returns {Row} */
const row = (a, b, cpu, pid, event, name, arg = 0) => [a * ms, Math.round((b - a) * 1e5) / 1e8, cpu, pid, 0, event, arg, 0, 0, name];
/** @type {Row[]} */
const rows = [
	row(0, 30, 0, 5, 65541, 'alpha.5'), row(30, 40, 0, 5, Event.SYSCALL64 + 1, 'write'), row(0, 40, 1, 0, 65536, '-idle-'),
	row(40, 80, 0, 0, Event.PAUSE, '-pause-', 1), row(40, 80, 1, 0, Event.PAUSE, '-pause-', 1),
	row(80, 90, 0, 5, Event.SYSCALL64 + 1, 'write'), row(90, 100, 0, 5, 65541, 'alpha.5'), row(80, 100, 1, 0, 65536, '-idle-'),
];
const browser = await openBrowser();
/** @type {any} */
let page;
/** @type {import('./driver.mjs').Driver} */
let d;
/** @param {Row[]} list @param {string} name @param {Record<string, unknown>} [header] @param {string} [hash] */
async function open(list, name, header, hash = 'g=CPU') {
	({ page, d } = await turnTo(browser, page, pageOf(jsonOf([...list].sort((a, b) => a[0] - b[0]), header), name), hash));
}

/** Returns shareDrawn() of this page. @param {string} label @param {number} a ms @param {number} b ms */
const drawn = (label, a, b) => shareDrawn(d, label, a * ms, b * ms);

const factOf = async (/** @type {string} */ list) => (await page.locator(list).innerText()).replace(/\s+/g, ' ');

await open(rows, 'pauses');
await test('a pause is drawn as dots on each CPU, without a bar', async () => {
	for (const cpu of ['CPU 0', 'CPU 1']) {
		const share = await drawn(cpu, 42, 78);
		check(share > 0.01 && share < 0.3, `${cpu}: ${share} of the pixels are drawn`);
	}
});

await test('the legend has a word for a pause', async () => {
	check((await page.locator('#legend').innerText()).includes('not recorded'), 'not recorded');
});

await test('shares of time do not count a pause, in each table, in the Process panel, and for screen readers', async () => {
	await open(rows, 'pauses', {}, 'g=CPU.PID');
	/** Returns the cells of a line in a table. @param {string} tab @param {string} name */
	const line = async (tab, name) => {
		await page.locator(`#tab-${tab}`).click();
		return /** @type {string[]} */ ((await d.cells()).find((l) => l[0] === name)).map((text) => text.replace(/\s/g, ' '));
	};
	// recording was on for 60 ms: 40 ms of them in user code, 20 ms in write
	for (const [tab, name, share] of [['processes', 'alpha.5', '100 %'], ['cpus', '0', '100 %'], ['kinds', 'user', '66.7 %'], ['names', 'write', '33.3 %']])
		check((await line(tab, name)).includes(share), `${tab}: ${await line(tab, name)}`);
	await page.locator('#inwords tr', { hasText: 'alpha.5' }).first().waitFor({ state: 'attached' });
	const words = (await page.locator('#inwords').textContent()).replace(/\s/g, ' ');
	check(words.includes('ran 100.0 % of the time: user 66.7 %, kernel 33.3 %'), words);
	await page.locator('#tab-processes').click();
	await page.locator('#tablebox tbody button', { hasText: 'alpha' }).first().click();
	await d.settle();
	check((await page.locator('#processbox').innerText()).replace(/\s+/g, ' ').includes('100 % of one CPU'), 'Process panel');
});

await test('shares of a selection do not count the part of the pause in it', async () => {
	await open(rows, 'pauses', {}, 'g=CPU&s=0.02-0.08');
	await page.locator('#tab-processes').click();
	const [line] = await d.cells();
	equal(line.slice(0, 3).map((text) => text.replace(/\s/g, ' ')), ['alpha.5', '20.00 ms', '100 %'], 'selection');
});

await test('a fact names the length of the pauses, and a trace without a pause has no such fact', async () => {
	await open(rows, 'pauses');
	check((await factOf('#facts')).includes('Recording was off for 40 ms of 100 ms.'), await factOf('#facts'));
	await open(rows.filter((r) => r[0] >= 80 * ms), 'nopause');
	check(!(await factOf('#facts')).includes('was off'), await factOf('#facts'));
});

/**
 * CPU 0 has no event before 60 ms: its earlier events were overwritten. Process 5 may have run there.
 * @type {Row[]}
 */
const partial = [
	row(60, 100, 0, 0, 65536, '-idle-'), row(0, 20, 1, 5, 65541, 'alpha.5'), row(20, 50, 1, 0, 65536, '-idle-'), row(50, 65, 1, 5, 65541, 'alpha.5'),
	row(65, 80, 1, 0, 65536, '-idle-'), row(65, 80, -1, 5, Event.WAITA + 25, 'wait_unk'), [80 * ms, 1e-8, 1, 0, 0, -3, 1, 5, 0, '-wakeup-'], row(80, 90, 1, 5, 65541, 'alpha.5'), row(90, 100, 1, 0, 65536, '-idle-'),
];
const covered = (/** @type {unknown} */ range) => ({ coverage: { backend: 'tracepoint', caveats: [] }, coverage2: { partial: range } });

await test('events of some CPUs are missing: the facts name the interval, rows without spans have dots there, and the legend names it', async () => {
	await open(partial, 'partial', covered('0:6000000'), 'g=CPU.PID');
	for (const list of ['#facts', '#factlist']) {
		if (list === '#factlist') await page.locator('#allfacts summary').click();
		const text = await factOf(list);
		check(text.includes('Partial from 0.00000000 s to 0.06000000 s events of some CPUs are missing: waits that begin there are not drawn'), `${list}: ${text}`);
	}
	await page.locator('#allfacts summary').click();
	check((await page.locator('#legend').innerText()).includes('events missing'), 'the legend');
	for (const [label, from, to] of /** @type {[string, number, number][]} */ ([['CPU 0', 2, 58], ['alpha.5', 22, 48]])) {
		const share = await drawn(label, from, to);
		check(share > 0.03 && share < 0.3, `${label}: ${share} of the pixels are drawn`);
	}
	const svg = (await d.saved('#savesvg')).bytes.toString();
	check(svg.includes('events of some CPUs are missing') && svg.includes('>events missing<'), 'a picture has both');
	await open(partial, 'whole', {}, 'g=CPU.PID');
	check(!(await page.locator('#legend').innerText()).includes('events missing') && !(await factOf('#facts')).includes('Partial'), 'without the fact');
	for (const [label, from, to] of /** @type {[string, number, number][]} */ ([['CPU 0', 2, 58], ['alpha.5', 22, 48]])) check(await drawn(label, from, to) < 0.01, `${label} without the fact`);
});

await test('explanations and paths do not show a wait where events are missing', async () => {
	const at = async (/** @type {number} */ t) => {
		const { y, height } = await d.row('alpha.5');
		await page.mouse.move(await d.xOf(t * ms), y + height / 2);
		await page.keyboard.press('y');
		await d.settle();
		return (await page.locator('#why').innerText()).replace(/\s+/g, ' ');
	};
	for (const [range, text] of /** @type {[string, RegExp][]} */ ([['0:6000000', /Events of some CPUs are missing until 0\.06000000 s/], ['0:1000000', /did not run for 30 ms/]])) {
		await open(partial, 'partial', covered(range), 'g=CPU.PID');
		check(text.test(await at(55)), `${range}: ${await at(55)}`);
		check(/did not run for 15 ms/.test(await at(85)), `${range}, after it: ${await at(85)}`);
		await page.evaluate(() => (location.hash = '#g=CPU.PID&v=path&c=5_0_0.095'));
		await page.locator('#pathlegs tbody tr').first().waitFor();
		const legs = (await page.locator('#pathlegs').innerText()).replace(/\s+/g, ' ');
		equal(/the trace does not show why 30/.test(legs), range === '0:6000000', `${range}: ${legs}`);
	}
});

await test('after 33 days of recording, a span without length does not keep the drawing busy', () => {
	const t0 = 33 * 86400 * 1e8;
	const spans = new SpanList({ start: Float64Array.of(t0, t0 + 4, t0 + 6), dur: Float64Array.of(2, 0, 2), spanKinds: new Uint8Array(3) }, 0, 3);
	let looks = 0;
	const first = spans.first.bind(spans);
	spans.first = (t) => {
		if (++looks > 1000) throw new Error('no end of it');
		return first(t);
	};
	/** @type {number[][]} */
	const lines = [];
	/** @type {any} */
	const ctx = { save() {}, restore() {}, setLineDash() {}, beginPath() {}, stroke() {}, moveTo: (/** @type {number} */ x, /** @type {number} */ y) => lines.push([x, y]), lineTo: (/** @type {number} */ x) => lines[lines.length - 1].push(x) };
	/** @type {any} */
	const view = {
		t0, t1: t0 + 8, width: 2400, palette: { kinds: [] }, rows: { byId: () => new Map(), visible: [{ group: 'CPU', id: 0, spans, y: 0, h: 4 }] },
		trace: { partial: { from: 0, to: t0 + 100 }, pauses: { each() {} } }, offset: () => 0, xIn: (/** @type {any} */ _, /** @type {number} */ t) => (t - t0) * 300,
	};
	view.palette.kinds[Kind.PAUSE] = [0, 0, 0];
	drawPauses(ctx, view);
	// after the span without length, the next 10 ns may be blank
	equal(lines.map(([from, , to]) => [from, to]), [[600, 1200], [1500, 1800]], 'dots');
});

await test('a range that is not two times is reported', async () => {
	for (const bad of ['junk', '5:', '6000000:5', '0:0', 7, '<b>:1', '0:6000000x']) {
		await open(partial, 'bad', covered(bad), 'g=CPU.PID');
		const text = await factOf('#facts');
		check(text.includes(`Partial events of some CPUs are missing, but the file does not give two times: ${bad}`), `${bad}: ${text}`);
		check(await drawn('CPU 0', 2, 58) < 0.01, `${bad}: drawn`);
	}
});

await test('a range of any type is read', () => {
	for (const [json, range] of /** @type {[string, unknown][]} */ ([
		['{"toString": 1}', '{"toString":1}'], ['[{"toString": 1}]', '[{"toString":1}]'], ['null', 'null'], ['true', 'true'], ['"3:4"', { from: 3, to: 4 }],
	])) equal(partialOf({ coverage: { partial: JSON.parse(json) } }), range, json);
});

await test('no complaint, no request', () => {
	equal(browser.complaints, [], 'console');
	equal(browser.requests, [], 'requests');
});

await browser.close();
