// SPDX-License-Identifier: BSD-3-Clause
/**
 * Tests that keys and buttons act on the visible part, report when there is nothing to act
 * on, and lead from a slow call to its cause. Uses the real mouse and keys. Expected spans
 * come from the JSON. Prints TAP.
 */
import { pathToFileURL } from 'node:url';
import { openBrowser } from './browser.mjs';
import { driver } from './driver.mjs';
import { Event, LOCAL_TIMER } from './events.mjs';
import { generate, golden, isExecution, jsonOf, pageOf, rowsOf } from './pages.mjs';
import { check, equal, near, test } from './tap.mjs';

/** @typedef {import('./pages.mjs').Row} Row */

const json = generate('20000', '4');
const rows = rowsOf(json);
const browser = await openBrowser();
/** @type {any} */
let page;
/** @type {ReturnType<typeof driver>} */
let d;
/** @param {string} file */
async function open(file) {
	await page?.close();
	page = await browser.open(file);
	d = driver(page);
	await page.keyboard.press('Shift');
	await d.settle();
}
const plain = pageOf(json, 'acting');
/** The same trace without marks. The key u counts from a mark, and x selects between two marks. */
const unmarked = pageOf(jsonOf(rows.filter((r) => r[5] < Event.MARKA || r[5] > Event.MARKD)), 'unmarked');
const tip = () => page.locator('#tip');
/** @param {string} label @param {number} share of the width */
async function pointAt(label, share) {
	const { plot } = await d.drawn();
	const row = await d.row(label);
	const at = { x: Math.round(plot.x + plot.width * share), y: Math.round(row.y + row.height * 0.6) };
	await page.mouse.move(at.x, at.y);
	await d.settle();
	return at;
}
const first = Math.min(...rows.map((r) => r[0]));
const last = Math.max(...rows.filter(isExecution).map((r) => r[0] + r[1]));

// ---- the pointer rests while the picture moves --------------------------------------

for (const [key, what] of /** @type {[string, string][]} */ ([['d', 'panning'], ['z', 'zooming to the selection'], ['Home', 'the whole trace'], ['f', 'lower rows'], ['PageDown', 'a page of rows']]))
	await test(`${key}, ${what}: afterwards, the tooltip shows the span under the pointer`, async () => {
		await open(plain);
		// hide arcs: an arc may be nearer to the pointer than a span
		await page.locator('#button-arc').click();
		await d.setRange(first + (last - first) * 0.3, first + (last - first) * 0.36);
		if (key === 'z') {
			const axis = await page.locator('#axis').boundingBox();
			await d.drag([axis.x + axis.width * 0.1, axis.y + 10], [axis.x + axis.width * 0.35, axis.y + 10]);
		}
		if (key === 'PageDown') {
			await page.evaluate(() => (location.hash = '#g=CPU.PID'));
			await page.keyboard.press('r');
			await page.keyboard.press('r');
			await page.keyboard.press('r');
			await page.keyboard.press('r');
			await page.keyboard.press('r');
			await d.settle();
		}
		let at = { x: 0, y: 0 };
		let before = null;
		const { plot } = await d.drawn();
		for (const r of [...await d.shown()].sort((a, b) => Number(b.label === 'CPU 1') - Number(a.label === 'CPU 1'))) {
			if (before || r.y < plot.y || r.y + r.height > plot.y + plot.height) continue;
			at = await pointAt(r.label, 0.47);
			before = await d.hit(at.x, at.y);
		}
		check(before && await tip().isVisible(), 'nothing is under the pointer');
		await page.keyboard.press(key);
		await d.settle();
		const now = await d.hit(at.x, at.y);
		check(JSON.stringify(now) !== JSON.stringify(before), `the picture has not moved: ${key}`);
		const text = await tip().isVisible() ? await tip().innerText() : '';
		if (now) check(text.includes(`[${now[0].toFixed(8)}, ${now[1].toFixed(8)}`), `the tip is of another span: ${text.slice(0, 80)}`);
		else check(!text.includes(`[${before[0].toFixed(8)}`), 'the tip is of the span of before');
	});

await test('each of several quick keys acts on the result of the key before', async () => {
	await open(plain);
	const [from, width] = [first + (last - first) * 0.3, (last - first) * 0.05];
	await d.setRange(from, from + width);
	const running = (/** @type {number} */ t) => rows.find((r) => isExecution(r) && r[2] === 1 && r[0] <= t && r[0] + r[1] > t);
	// a point where another process runs after the picture has moved twice
	const share = Array.from({ length: 60 }, (_, i) => 0.05 + i / 100).find((s) => {
		const then = running(from + (s + 0.3) * width);
		return then && then[3] > 0 && then[5] > 65536 && [-1, 1].every((by) => running(from + (s + 0.3 + by / 400) * width) === then) && running(from + s * width)?.[3] !== then[3];
	}) ?? NaN;
	await page.locator('#button-arc').click();
	await pointAt('CPU 1', share);
	// all three keys between two frames
	await page.evaluate(() => {
		for (const code of ['KeyD', 'KeyD', 'KeyC']) document.body.dispatchEvent(new KeyboardEvent('keydown', { code, key: code.slice(3).toLowerCase(), bubbles: true }));
	});
	await d.settle();
	const title = await page.locator('#pathtitle').innerText();
	const label = running(from + (share + 0.3) * width)?.[9] ?? '';
	check(label && title.includes(label), `the path is of "${title}", the pointer was on ${label}`);
});

await test('x selects between the marks around the pointer, with or without a span under it', async () => {
	const at = (/** @type {number} */ t, /** @type {number} */ event, /** @type {string} */ name) => /** @type {Row} */ ([t, 0.00000001, 0, 5, 0, event, 0, 0, 0, name]);
	const run = (/** @type {number} */ a, /** @type {number} */ b) => /** @type {Row} */ ([a, b - a, 0, 5, 0, 65541, 0, 0, 0, 'work.5']);
	await open(pageOf(jsonOf([run(1, 1.1), at(1.1, Event.MARKA, 'mark_a=one'), run(1.1, 1.4), at(1.4, Event.MARKA, 'mark_a=two'), run(1.4, 1.8), at(1.8, Event.MARKA, 'mark_a=three'), run(1.8, 2)]), 'marks'));
	const { plot } = await d.drawn();
	for (const [share, from, to] of [[0.25, 1.1, 1.4], [0.6, 1.4, 1.8], [0.95, 1.8, 2]]) {
		// below all rows, where there is nothing
		await page.mouse.move(plot.x + plot.width * share, plot.y + plot.height - 6);
		await page.keyboard.press('x');
		await d.settle();
		const { selection } = await d.drawn();
		near(selection?.from ?? NaN, from, 1e-6, `from, at ${share}`);
		near(selection?.to ?? NaN, to, 1e-6, `to, at ${share}`);
		await page.keyboard.press('Escape');
	}
});

await test('keys without anything to act on show a visible message', async () => {
	await open(unmarked);
	await page.mouse.move(2, 2);
	for (const key of ['c', 'y', 'k', 'h', 'm', 'z', 'n', 'i', 'Enter', 'p', 'u', 'x', '0', '1', '5']) {
		if (await page.locator('#closetold').isVisible()) await page.locator('#closetold').click();
		await page.mouse.move(2, 2);
		await page.locator('#plot').evaluate((/** @type {HTMLElement} */ e) => /** @type {HTMLElement} */ (document.activeElement)?.blur() ?? e);
		await page.keyboard.press(key);
		await d.settle();
		check(await page.locator('#told').isVisible(), `${key}: nothing is said`);
	}
});

await test('u shows times since a mark, wherever the picture is, without a message', async () => {
	await open(plain);
	const marks = rows.filter((r) => r[5] >= Event.MARKA && r[5] <= Event.MARKD).map((r) => r[0]).sort((a, b) => a - b);
	check(marks.length > 1, 'the trace has no marks');
	// the middle of the picture is before the first mark, and then after the last one
	for (const [from, to, mark] of [[first, marks[0], marks[0]], [marks[marks.length - 1], last, marks[marks.length - 1]]]) {
		await d.setRange(from, to);
		await page.keyboard.press('u');
		await d.settle();
		check(!await page.locator('#told').isVisible(), await page.locator('#toldtext').innerText());
		equal(await page.locator('#timeas').inputValue(), 'mark', 'times are told');
		const { t, label } = (await d.drawn()).axis[1];
		near(parseFloat(label), t - mark, 1e-8, `the tick at ${t} is "${label}"`);
	}
});

await test('arrow keys report that nothing follows: no row has spans, a row or the rows end, all rows are visible', async () => {
	await open(plain);
	await page.mouse.move(2, 2);
	const said = async (/** @type {string} */ key) => {
		if (await page.locator('#closetold').isVisible()) await page.locator('#closetold').click();
		await page.mouse.move(2, 2);
		await page.keyboard.press(key);
		await d.settle();
		return await page.locator('#told').isVisible() ? await page.locator('#toldtext').innerText() : '';
	};
	await page.evaluate(() => (location.hash = '#g=Machine'));
	await d.settle();
	equal([...new Set((await d.shown()).map((r) => r.group))], ['Machine'], 'groups that are open');
	for (const key of ['ArrowLeft', 'ArrowRight', 'ArrowUp', 'ArrowDown', 'PageUp', 'PageDown'])
		check(/no visible row has spans/i.test(await said(key)), `${key}: "${await page.locator('#toldtext').innerText()}"`);
	await page.evaluate(() => (location.hash = '#g=CPU'));
	await d.settle();
	check(/rows below/.test(await said('ArrowDown')), 'down, without a cursor, all rows in sight');
	equal(await said('ArrowRight'), '', 'the first span');
	const { notes } = await d.drawn();
	equal(notes.length, 1, 'the first span is annotated');
	check(/earlier spans/.test(await said('ArrowLeft')), 'left of the first span');
	check(/rows above/.test(await said('ArrowUp')), 'up from the first row');
	equal((await d.drawn()).notes, notes, 'the cursor stays');
	equal(await said('ArrowDown'), '', 'the row below');
	await page.evaluate((/** @type {number[]} */ [a, b]) => window.kutrace.setRange(a, b), [last - 1e-7, last]);
	await page.keyboard.press('Escape');
	await d.settle();
	// moves to the end of the first row
	let text = '';
	for (let i = 0; i < 50 && !text; i++) text = await said('ArrowRight');
	check(/later spans/.test(text), `right of the last span: "${text}"`);
});

await test('arrow keys move along the waits of a row that has only waits', async () => {
	/** @type {Row[]} */
	const waiting = [[1, 1, 0, 5, 0, 65541, 0, 0, 0, 'a.5'], [1.2, 0.2, -1, 6, 0, Event.WAITZ, 0, 0, 0, 'wait_unk'], [1.5, 0.2, -1, 6, 0, Event.WAITZ, 0, 0, 0, 'wait_unk'], [2, 1, 0, 5, 0, 65541, 0, 0, 0, 'a.5']];
	await open(pageOf(jsonOf(waiting), 'waiting'));
	await page.evaluate(() => (location.hash = '#g=PID'));
	await page.locator('#rowfilter').fill('6');
	await page.locator('#title').click();
	await d.settle();
	equal((await d.shown()).map((r) => r.label), ['.6'], 'rows');
	for (const at of ['1.2', '1.5']) {
		await page.keyboard.press('ArrowRight');
		await d.settle();
		check((await d.drawn()).notes[0]?.startsWith(at), `${at}: ${(await d.drawn()).notes}`);
	}
});

// ---- the search ------------------------------------------------------------------------

await test('the first Enter goes to the first match, the second one to the next', async () => {
	await open(plain);
	const faults = rows.filter((r) => isExecution(r) && r[9] === 'page_fault').sort((a, b) => a[0] - b[0]);
	const from = first + (last - first) * 0.4;
	await d.setRange(from, from + 0.0001);
	const after = faults.filter((r) => r[0] >= from);
	await page.keyboard.press('/');
	await page.keyboard.type('page_fault');
	await page.waitForFunction(() => /match/.test(document.getElementById('found')?.textContent ?? ''));
	for (const i of [0, 1]) {
		await page.keyboard.press('Enter');
		await d.settle();
		const { notes } = await d.drawn();
		check(notes[0]?.startsWith(after[i][0].toFixed(8)), `Enter ${i + 1}: ${notes[0]}, not ${after[i][0].toFixed(8)}`);
	}
});

await test('each hint of the search is a text that finds something', async () => {
	await open(pageOf(golden(), 'stock'));
	const pid = rowsOf(golden()).find((r) => r[9] === 'pwrite64')?.[3];
	for (const wrong of ['read dur>1us', `pid=${pid}`, 'PWRITE64', 'pid = 1 or dur >= 1us']) {
		await page.locator('#search').fill(wrong);
		await page.locator('#search').press('Enter');
		await d.settle();
		const hint = await page.locator('#searchsays').innerText();
		const better = hint.replace(/^.*?(write|any:) /, '');
		check(hint && better !== hint, `${wrong}: "${hint}"`);
		const { matches } = await page.evaluate((/** @type {string} */ t) => window.kutrace.search(t), better);
		check(matches > 0, `${wrong}: the hint "${better}" finds nothing`);
	}
	// lower case matches upper case, as in the filter of the rows
	const { matches } = await page.evaluate(() => window.kutrace.search('bh:rx'));
	check(matches > 0, 'bh:rx');
});

// ---- explanations -----------------------------------------------------------------------

/** A process that sleeps inside a call while many other processes run. */
const sleepers = () => {
	/** @type {Row[]} */
	const list = [];
	const put = (/** @type {number} */ a, /** @type {number} */ b, /** @type {number} */ cpu, /** @type {number} */ pid, /** @type {number} */ event, /** @type {string} */ name, ret = 0) => list.push([a / 1000, (b - a) / 1000, cpu, pid, 0, event, 0, ret, 0, name]);
	put(0, 1, 0, 9, 65545, 'sleeper.9');
	put(1, 2, 0, 9, Event.SYSCALL64 + 35, 'nanosleep');
	put(2, 80, 0, 0, 65536, '-idle-');
	put(2, 81, -1, 9, Event.WAITA + 19, 'wait_time');
	put(80, 81, 0, 0, LOCAL_TIMER, 'local_timer');
	put(80.5, 81, 0, 0, -3, '-wakeup-', 9);
	put(81, 82, 0, 9, Event.SYSCALL64 + 35, 'nanosleep');
	put(82, 83, 0, 9, 65545, 'sleeper.9');
	// the process is ready without a wakeup, and continues on the other CPU
	put(83, 90, 0, 7, 65543, 'other.7');
	put(83, 88, -1, 9, Event.WAITA + 2, 'wait_cpu');
	put(2, 88, 1, 0, 65536, '-idle-');
	put(88, 95, 1, 9, 65545, 'sleeper.9');
	// then the process waits for a process whose row is far away
	put(95, 96, 1, 9, Event.SYSCALL64, 'read');
	put(96, 120, -1, 9, Event.WAITA + 15, 'wait_pipe');
	put(110, 111, 0, 170, 65706, 'late.170');
	put(111, 118, -1, 170, Event.WAITA + 19, 'wait_time');
	put(118, 121, 0, 170, 65706, 'late.170');
	put(119, 120, 0, 170, -3, '-wakeup-', 9);
	put(120, 122, 1, 9, Event.SYSCALL64, 'read');
	for (let pid = 100; pid < 160; pid++) put(90 + (pid - 100) / 10, 90.1 + (pid - 100) / 10, 0, pid, 65536 + pid, `one.${pid}`);
	return list.sort((a, b) => a[0] - b[0]);
};
const sleeping = pageOf(jsonOf(sleepers()), 'sleepers');
/** Clicks in the row of a process. @param {string} label @param {number} t seconds */
async function clickAt(label, t) {
	const row = await d.row(label);
	await page.mouse.click(await d.xOf(t), row.y + row.height * 0.6);
	await d.settle();
}

await test('a sleep ends by its own timer: the explanation and the path both show it', async () => {
	await open(sleeping);
	await page.evaluate(() => (location.hash = '#g=CPU.PID'));
	await d.settle();
	await clickAt('sleeper.9', 0.04);
	const end = await page.locator('#whyend').innerText();
	check(/own timer/.test(end) && !/outside/.test(end), end);
});

await test('two panels explain a wait that no wakeup ended in the same words', async () => {
	await open(sleeping);
	await page.evaluate(() => (location.hash = '#g=CPU.PID'));
	await d.settle();
	await clickAt('sleeper.9', 0.086);
	const end = (await page.locator('#whyend').innerText()).replace(/\.$/, '');
	check(/^It was ready\. It moved from CPU 0 to CPU 1, which took .* CPU 0 ran other\.7 for 5 ms of that time$/.test(end), end);
	await page.keyboard.press('Escape');
	await d.reset();
	await clickAt('sleeper.9', 0.091);
	await page.locator('#panetab-details').click();
	await d.settle();
	const details = await page.locator('#pane-details').innerText();
	check(details.includes(end), `"${end}" is not in: ${details.slice(0, 600)}`);
});

await test('closing an explanation removes its highlight: the search finds all matches again', async () => {
	await open(sleeping);
	await page.setViewportSize({ width: 1280, height: 500 });
	await page.evaluate(() => (location.hash = '#g=CPU.PID'));
	await page.keyboard.press('r');
	await page.keyboard.press('r');
	await d.settle();
	await clickAt('sleeper.9', 0.115);
	check((await d.shown()).some((r) => r.marked), 'the rows fit: nothing is highlighted');
	await page.keyboard.press('Escape');
	await d.settle();
	check(!(await d.shown()).some((r) => r.marked), 'rows are still highlighted');
	const { count } = await page.evaluate(() => window.kutrace.search('one.120'));
	equal(count, 1, 'found');
	await page.setViewportSize({ width: 1280, height: 720 });
});

await test('from the longest call to its cause: a click on its line, then buttons of its details', async () => {
	await open(sleeping);
	await page.setViewportSize({ width: 1280, height: 500 });
	await page.locator('#tab-calls').click();
	await page.locator('#tablebox tbody tr', { hasText: 'nanosleep' }).locator('td').nth(2).click();
	await d.settle();
	const row = await d.row('sleeper.9');
	const { plot, chosen } = await d.drawn();
	check(row && row.y >= plot.y && row.y + row.height <= plot.y + plot.height, 'the row of the process is not in sight');
	equal([chosen?.group, chosen?.id], ['PID', 9], 'chosen');
	await page.locator('#panetab-details').click();
	await page.locator('#pane-details button', { hasText: 'why?' }).click();
	await d.settle();
	check((await page.locator('#why').innerText()).includes('sleeper.9 did not run for 79 ms'), await page.locator('#why').innerText());
	await page.locator('#panetab-details').click();
	await page.locator('#pane-details button', { hasText: 'path' }).click();
	await d.settle();
	check((await page.locator('#pathtitle').innerText()).includes('sleeper.9'), await page.locator('#pathtitle').innerText());
	check((await page.locator('#pathbox').innerText()).includes('for its own timer'), 'the path');
	await page.setViewportSize({ width: 1280, height: 720 });
});

await test('Save, this table: the table on the screen', async () => {
	await open(plain);
	await page.locator('#panetab-query').click();
	await page.locator('#querybox tbody tr').first().waitFor();
	const saved = await d.saved('#savetable');
	check(saved.name.endsWith('query.csv'), saved.name);
	equal(saved.bytes.toString(), (await d.saved('#querycsv')).bytes.toString(), 'the query');
	await page.locator('#panetab-tables').click();
	await page.locator('#tab-kinds').click();
	check((await d.saved('#savetable')).name.endsWith('kinds.csv'), 'the tables');
});

// ---- time, the machine, memory -------------------------------------------------------------

await test('the axis shows times as the tooltip does, at every zoom, and so does the saved picture', async () => {
	await open(plain);
	const start = first + (last - first) * 0.31;
	for (const width of [last - first, 0.02, 0.0003, 0.000004]) {
		await d.setRange(start, Math.min(last, start + width));
		await d.settle();
		const ticks = (await d.drawn()).axis;
		check(ticks.length >= 3, `${ticks.length} ticks of ${width} s`);
		for (const { t, label } of ticks) check(/^\d+(\.\d+)? s$/.test(label) && Math.abs(parseFloat(label) - t) < 6e-9, `a tick at ${t} is "${label}"`);
		equal(new Set(ticks.map((/** @type {{label: string}} */ t) => t.label)).size, ticks.length, 'labels that differ');
		const svg = (await d.saved('#savesvg')).bytes.toString();
		for (const { label } of ticks.slice(1, -1)) check(svg.includes(`>${label}<`), `${label} is not in the picture`);
		check(!/ \+</.test(svg), 'something in the picture reads as a sum');
	}
});

await test('the rows of the machine are announced without scrolling, and keys skip them from span to span', async () => {
	await open(sleeping);
	await page.setViewportSize({ width: 1280, height: 500 });
	await page.evaluate(() => (location.hash = '#g=CPU.PID'));
	await d.settle();
	await page.mouse.click(4, 4);
	// with higher rows, some are out of sight
	for (const key of ['r', 'r', 'r', 'r', 'PageUp', 'PageUp', 'PageUp', 'PageUp']) await page.keyboard.press(key);
	await d.settle();
	const { plot } = await d.drawn();
	const heads = await page.locator('[data-group]').evaluateAll((/** @type {Element[]} */ all) => all.map((e) => e.getBoundingClientRect().bottom));
	check(Math.max(...heads) > plot.y + plot.height || (await d.shown()).some((r) => r.y + r.height > plot.y + plot.height), 'all rows fit');
	const head = page.locator('[data-group=Machine]');
	const box = await head.boundingBox();
	check(box && box.y >= plot.y - 1 && box.y + box.height <= plot.y + plot.height, 'the group cannot be seen');
	await head.click();
	await d.settle();
	const machine = (await d.shown()).find((r) => r.group === 'Machine');
	check(machine && machine.y + machine.height <= plot.y + plot.height, 'its rows are not in sight');
	// the first visible row has no spans
	await page.locator('#plot').hover();
	await page.mouse.move(4, 4);
	await page.keyboard.press('ArrowRight');
	await d.settle();
	const { notes } = await d.drawn();
	equal(notes.length, 1, 'an arrow key goes to a span');
	await page.keyboard.press('ArrowUp');
	await d.settle();
	equal((await d.drawn()).notes, notes, 'there is no span above it');
	await page.keyboard.press('Escape');
	await page.setViewportSize({ width: 1280, height: 720 });
});

await test('the page of a trace that may not fit into memory reports that, and waits', async () => {
	const other = await browser.context.newPage();
	await other.addInitScript(() => Object.defineProperty(Navigator.prototype, 'deviceMemory', { get: () => 0.0001, configurable: true }));
	await other.goto(pathToFileURL(plain).href);
	await other.locator('#loadanyway').waitFor();
	const text = await other.locator('#boottext').innerText();
	check(/million spans take about [\d.]+ GB of memory/.test(text) && text.includes('rawtohtml --spans'), text);
	equal(await other.evaluate(() => document.documentElement.dataset.state), 'loading', 'it waits');
	await other.locator('#loadanyway').click();
	await other.waitForFunction(() => document.documentElement.dataset.state === 'ready');
	await other.close();
});

await test('no complaint, no request', () => {
	equal(browser.complaints, [], 'console');
	equal(browser.requests, [], 'requests');
});
await browser.close();
