// SPDX-License-Identifier: BSD-3-Clause
/**
 * Tests the page's sums of time and explanations: the tables, the selection, the histogram, and why a process did not
 * run. Uses the real mouse and keys. Every expected number comes from the JSON. Prints TAP.
 */
import { openBrowser } from './browser.mjs';
import { callsOf, elapsedOf, grouped, sumOf } from './callsof.mjs';
import { brief, driver } from './driver.mjs';
import { Event, LOCAL_TIMER } from './events.mjs';
import { generate, golden, isExecution, jsonOf, pageOf, rowsOf } from './pages.mjs';
import { check, equal, near, test } from './tap.mjs';

/** @typedef {import('./pages.mjs').Row} Row */

const json = generate('20000', '4');
const rows = rowsOf(json);
const first = Math.min(...rows.map((r) => r[0]));
const last = Math.max(...rows.filter((r) => isExecution(r) || r[5] === -3).map((r) => r[0] + r[1]));
const browser = await openBrowser();
/** @type {any} */
let page = await browser.open(pageOf(json, 'tables'));
let d = driver(page);
await page.keyboard.press('Shift');

/** Returns the part of a row inside an interval. @param {Row} r @param {number} a @param {number} b */
const inside = (r, a, b) => Math.max(0, Math.min(r[0] + r[1], b) - Math.max(r[0], a));
/** Leaving deep idle counts as idle time. @param {Row} r */
const isLeaving = (r) => r[5] === 0x20000 && r[9].startsWith('-c-exit-');
/** @param {Row} r */
const isIdle = (r) => r[5] === 65536 || isLeaving(r);
/** @param {number} a @param {number} b */
function cpuTimes(a, b) {
	/** @type {Map<number, number>} */
	const sums = new Map();
	for (const r of rows)
		if (isExecution(r) && !isIdle(r) && inside(r, a, b) > 0) sums.set(r[3], (sums.get(r[3]) ?? 0) + inside(r, a, b));
	return sums;
}
/** @param {number} pid */
const label = (pid) => rows.find((r) => r[5] === 65536 + pid && pid)?.[9] ?? 'interrupts in idle';

await test('the start page has the whole trace\'s table: CPU time by process, most first', async () => {
	equal(await page.locator('#panel').isVisible(), true, 'panel');
	const sums = [...cpuTimes(first, last + 1)].sort((a, b) => b[1] - a[1]);
	const lines = await d.cells();
	equal(lines.slice(0, 5).map((l) => [l[0], l[1]]), sums.slice(0, 5).map(([pid, s]) => [label(pid), brief(s)]), 'first lines');
	const share = (sums[0][1] / (last - first)) * 100;
	check(lines[0][2].startsWith(share.toFixed(1)), `share ${lines[0][2]}, not ${share}`);
	const waits = rows.filter((r) => r[2] === -1 && r[3] === sums[0][0]).reduce((s, r) => s + r[1], 0);
	near(parseFloat(lines[0][3]), parseFloat(brief(waits)), 0.11, 'waiting');
});

await test('a click on a column header sorts, and a second one reverses the order', async () => {
	const head = page.locator('#tablebox th', { hasText: 'process' }).locator('button');
	await head.click();
	const up = (await d.cells()).map((l) => l[0]);
	equal(up, [...up].sort(), 'by name');
	await page.locator('#tablebox th', { hasText: 'process' }).locator('button').click();
	equal((await d.cells()).map((l) => l[0]), [...up].sort().reverse(), 'by name, down');
	equal(await page.locator('#tablebox th[aria-sort=descending]').count(), 1, 'said to screen readers');
	await page.locator('#tablebox th', { hasText: 'CPU' }).locator('button').click();
});

await test('a click on a row outside of its names jumps to its longest span, as does Enter on its time', async () => {
	const [pid] = [...cpuTimes(first, last + 1)].sort((a, b) => b[1] - a[1])[0];
	const want = Math.max(...rows.filter((r) => isExecution(r) && !isIdle(r) && r[3] === pid).map((r) => r[1]));
	await page.locator('#tablebox tbody tr').first().click();
	await d.settle();
	const { notes } = await d.drawn();
	equal(notes.length, 1, 'annotations');
	const got = rows.find((r) => isExecution(r) && notes[0].startsWith(r[0].toFixed(8)) && r[3] === pid);
	near(got?.[1] ?? 0, want, 1e-9, 'its duration');
	const [a, b] = await d.range();
	check(got && got[0] >= a && got[0] <= b && b - a < last - first, 'it is on the screen');
	await page.keyboard.press('Escape');
	await d.reset();
	await page.locator('#tablebox tbody tr').first().locator('td:not(.text) button').press('Enter');
	await d.settle();
	equal((await d.drawn()).notes, notes, 'by key');
	await page.keyboard.press('Escape');
	await d.reset();
});

await test('kinds, names, waits and wakeups add up as in the JSON', async () => {
	await page.locator('#tab-kinds').click();
	let lines = await d.cells();
	const calls = callsOf(json);
	const faults = sumOf(calls.filter((c) => c.kind === 'trap'));
	let line = /** @type {string[]} */ (lines.find((l) => l[0] === 'fault or trap'));
	equal([line[1], line[3].replace(/\D/g, '')], [brief(faults.own / 1e8), String(faults.count)], 'faults');
	await page.locator('#tab-names').click();
	lines = await d.cells();
	const futex = sumOf(calls.filter((c) => c.name === 'futex'));
	line = /** @type {string[]} */ (lines.find((l) => l[0] === 'futex'));
	equal([line[1], line[3].replace(/\D/g, ''), line[4]],
		[brief(futex.own / 1e8), String(futex.count), brief(futex.longest / 1e8)], 'futex');
	check(!lines.some((l) => /^(wait|PC=|-?wakeup)/.test(l[0])), 'what is in other tables is not among the names');
	await page.locator('#tab-waits').click();
	lines = await d.cells();
	const waits = rows.filter((r) => r[2] === -1 && r[3] === 101 && r[5] === Event.WAITA + 3);
	// one line for each call in which the process waited
	const of = (await d.saved('#savetable')).bytes.toString().split('\r\n').map((l) => l.split(',').length > 5 ? l.replace(/"(\w+), in (\S+)"/, '$1; in $2').split(',') : l.split(','))
		.filter((l) => l[0] === label(101) && /^disk(;|$)/.test(l[1]));
	equal([of.reduce((sum, l) => sum + Math.round(Number(l[2]) * 1e8), 0), of.reduce((sum, l) => sum + Number(l[3]), 0)],
		[waits.reduce((sum, r) => sum + Math.round(r[1] * 1e8), 0), waits.length], 'pid 101 waits for the disk');
	await page.locator('#tab-wakeups').click();
	lines = await d.cells();
	const wakes = rows.filter((r) => r[5] === -3 && r[3] === 101 && r[7] === 108);
	line = /** @type {string[]} */ (lines.find((l) => l[0] === label(101) && l[1] === label(108)));
	equal([line[2], line[3]], [String(wakes.length), brief(wakes.reduce((s, r) => s + r[1], 0))], '101 wakes 108');
	await page.locator('#tab-wakeups').press('ArrowRight');
	equal(await page.locator('#tab-processes').getAttribute('aria-selected'), 'true', 'arrow keys go round the tabs');
});

/** Returns the table of CPUs for an interval, as in its file. @param {number} a @param {number} b seconds */
function cpuLines(a, b) {
	const [t0, t1] = [a, b].map((t) => Math.round(t * 1e8));
	const part = (/** @type {Row} */ r) => {
		const [start, dur] = [Math.round(r[0] * 1e8), Math.round(r[1] * 1e8)];
		return { from: Math.max(t0, start), to: Math.min(t1, start + dur) };
	};
	/** @type {Map<number, number>} */
	const ready = new Map();
	// for each time, the change of the number of ready processes
	for (const r of rows.filter((x) => x[5] === Event.WAITA + 2)) {
		const { from, to } = part(r);
		if (to <= from) continue;
		ready.set(from, (ready.get(from) ?? 0) + 1);
		ready.set(to, (ready.get(to) ?? 0) - 1);
	}
	const times = [...ready].sort((x, y) => x[0] - y[0]);
	/** @type {{from: number, to: number}[]} */
	const stretches = [];
	for (let i = 0, n = 0; i + 1 < times.length; i++) if ((n += times[i][1]) > 0) stretches.push({ from: times[i][0], to: times[i + 1][0] });
	return [...new Set(rows.filter(isExecution).map((r) => r[2]))].map((cpu) => {
		const mine = rows.filter((r) => isExecution(r) && r[2] === cpu).map((r) => ({ ...part(r), idle: isIdle(r), leaves: isLeaving(r), event: r[5] })).filter((r) => r.to > r.from);
		const sum = (/** @type {typeof mine} */ list) => list.reduce((s, r) => s + r.to - r.from, 0);
		const busy = mine.filter((r) => !r.idle);
		const user = sum(busy.filter((r) => r.event > 65536));
		const interrupts = sum(busy.filter((r) => r.event < Event.SYSCALL64 && r.event & 0x100));
		const wasted = mine.filter((r) => r.idle).map((r) => stretches.reduce((s, t) => s + Math.max(0, Math.min(r.to, t.to) - Math.max(r.from, t.from)), 0));
		return [cpu, ...[sum(busy), user, sum(busy) - user - interrupts, interrupts, sum(mine.filter((r) => r.leaves)), wasted.reduce((x, y) => x + y, 0), Math.max(0, ...wasted)].map((u) => (u / 1e8).toFixed(8))].join();
	});
}

await test('the table of CPUs has their activities and idle time while a process was ready, to the last digit, also for a selection', async () => {
	await page.locator('#tab-cpus').click();
	const saved = async () => (await d.saved('#savetable')).bytes.toString().split('\r\n').slice(1, -1).map((line) => line.split(',').filter((_, i) => i !== 2).join());
	const want = cpuLines(first, last);
	check(want.length === 4 && want.some((line) => Number(line.split(',')[6]) > 0 && Number(line.split(',')[5]) > 0), 'nobody leaves deep idle, or nobody waits for an idle CPU');
	equal((await saved()).sort(), want.sort(), 'whole trace');
	const axis = await page.locator('#axis').boundingBox();
	await d.drag([axis.x + axis.width * 0.31, axis.y + 10], [axis.x + axis.width * 0.63, axis.y + 10]);
	const { selection } = await d.drawn();
	equal((await saved()).sort(), cpuLines(selection.from, selection.to).sort(), 'a selection');
	await page.locator('#clearselection').click();
	await page.locator('#tablebox th button').nth(7).click();
	const [line] = await d.cells();
	equal(line[0], want.reduce((a, b) => (Number(b.split(',')[6]) > Number(a.split(',')[6]) ? b : a)).split(',')[0], 'sorted');
	await page.locator('#tablebox tbody tr').first().locator('td').last().click();
	await d.settle();
	check((await d.drawn()).notes[0]?.includes('idle'), 'a click goes to that idle');
	await page.keyboard.press('Escape');
	await d.reset();
});

await test('spans without a CPU have no time on CPU', async () => {
	await page.locator('#tab-kinds').click();
	const line = /** @type {string[]} */ ((await d.cells()).find((l) => l[0] === 'mark a'));
	equal([line[1], line[2], line[3].replace(/\D/g, '')], ['', '', String(rows.filter((r) => r[5] === Event.MARKA).length)], 'marks');
	await page.locator('#tab-processes').click();
});

await test('a drag on the axis selects, and the table covers that part', async () => {
	const axis = await page.locator('#axis').boundingBox();
	const y = axis.y + 10;
	await d.drag([axis.x + axis.width * 0.3, y], [axis.x + axis.width * 0.5, y]);
	const { selection } = await d.drawn();
	const width = last - first;
	near(selection.from, first + 0.3 * width, width * 0.003, 'from');
	near(selection.to, first + 0.5 * width, width * 0.003, 'to');
	check((await page.locator('#paneltitle').innerText()).startsWith('Selection'), 'title');
	const sums = [...cpuTimes(selection.from, selection.to)].sort((a, b) => b[1] - a[1]);
	const lines = await d.cells();
	equal(lines.slice(0, 4).map((l) => [l[0], l[1]]), sums.slice(0, 4).map(([pid, s]) => [label(pid), brief(s)]), 'lines');
	const { plot } = await d.drawn();
	const spot = { x: Math.round(await d.xOf(selection.from + 0.1 * width)), y: plot.y + plot.height - 20, width: 3, height: 3 };
	check(!(await d.colours('over', spot))['0,0,0,0'], 'the selection is not drawn');
	await page.locator('#zoomselection').click();
	await d.settle();
	const [a, b] = await d.range();
	near(a, selection.from, 1e-7, 'zoom: from');
	near(b, selection.to, 1e-7, 'zoom: to');
	await page.locator('#clearselection').click();
	equal((await d.drawn()).selection, null, 'cleared');
	check((await page.locator('#paneltitle').innerText()).startsWith('Whole'), 'whole trace again');
	await d.reset();
});

await test('a measurement and the part between two marks can become the selection', async () => {
	const mid = first + (last - first) / 2;
	await d.setRange(mid, mid + (last - first) / 50);
	const list = await d.shown();
	const y = list[0].y + list[0].height * 0.8;
	const { plot } = await d.drawn();
	await page.keyboard.down('Shift');
	await page.mouse.move(plot.x + 100, y);
	await page.mouse.down();
	await page.mouse.move(plot.x + 400, y, { steps: 4 });
	await page.keyboard.up('Shift');
	await page.mouse.up();
	const [from, to] = (await page.locator('#measure').innerText()).match(/\d+\.\d{8}/g).map(Number);
	await page.locator('#selectmeasure').click();
	await d.settle();
	let { selection } = await d.drawn();
	near(selection.from, from, 1e-8, 'from');
	near(selection.to, to, 1e-8, 'to');
	await page.keyboard.press('Escape');
	await page.mouse.move(5, 5);
	const marks = rows.filter((r) => r[5] >= Event.MARKA && r[5] <= Event.MARKD).map((r) => r[0]).sort((a, b) => a - b);
	const [a, b] = await d.range();
	await page.keyboard.press('x');
	await d.settle();
	({ selection } = await d.drawn());
	near(selection.from, Math.max(...marks.filter((t) => t <= (a + b) / 2)), 1e-8, 'mark before the middle');
	near(selection.to, Math.min(...marks.filter((t) => t > (a + b) / 2)), 1e-8, 'mark behind it');
	await page.keyboard.press('z');
	await d.settle();
	near((await d.range())[0], selection.from, 1e-7, 'z shows it');
	await page.keyboard.press('Escape');
	equal((await d.drawn()).selection, null, 'Esc clears it');
	await d.reset();
});

await test('the histogram counts the matches\' durations; a bar steps through them, longest first', async () => {
	await page.locator('#search').fill('^read$');
	await page.locator('#search').press('Enter');
	const reads = callsOf(json).filter((c) => c.name === 'read');
	await page.locator('#histogram').waitFor({ state: 'visible' });
	/** @type {{bar: number, count: number, high: number}[]} */
	const bars = await page.evaluate(() => [...document.querySelectorAll('#bars button')].map((b) => ({
		bar: Number(/** @type {HTMLElement} */ (b).dataset.bar), count: Number((b.getAttribute('aria-label') ?? '').split(': ')[1].replace(/\D/g, '')),
		high: /** @type {HTMLElement} */ (b.firstChild).getBoundingClientRect().height,
	})));
	const want = grouped(reads, (c) => 1 + Math.floor(Math.log10(elapsedOf(c)) * 4 + 1e-9));
	check(want.size >= 4, `only ${want.size} bars`);
	equal(bars.filter((b) => b.count).map((b) => [b.bar, b.count]), [...want].map(([b, list]) => [b, list.length]).sort((a, b) => a[0] - b[0]), 'counts');
	const most = bars.reduce((a, b) => (b.count > a.count ? b : a));
	check(bars.every((b) => b.high <= most.high) && most.high > 40, 'the largest is the highest');
	const least = bars.filter((b) => b.count).reduce((a, b) => (b.count < a.count ? b : a));
	check(Math.abs(least.high / most.high - Math.max(0.06, Math.log1p(least.count) / Math.log1p(most.count))) < 0.05, 'heights are logarithms');
	const list = (want.get(most.bar) ?? []).sort((a, b) => elapsedOf(b) - elapsedOf(a) || a.pieces[0].start - b.pieces[0].start)
		.map((c) => (c.pieces[0].start / 1e8).toFixed(8));
	for (let i = 0; i < 3; i++) {
		await page.locator(`.bar[data-bar="${most.bar}"]`).click();
		await d.settle();
		const { notes } = await d.drawn();
		check(notes.length === 1 && notes[0].startsWith(list[i]), `click ${i + 1}: ${notes}, not ${list[i]}`);
	}
	check((await page.locator('#bartext').innerText()).startsWith('3 of '), 'which one it is');
	await page.locator('#title').click();
	await page.keyboard.press('Shift+N');
	await d.settle();
	check((await d.drawn()).notes[0].startsWith(list[1]), 'N: back to the second');
	await page.keyboard.press('Escape');
	await page.keyboard.press('Escape');
	equal(await page.locator('#histogram').isVisible(), false, 'without a search there is none');
	await d.reset();
});

await test('the table of a large trace is added up in several steps, and is right', async () => {
	await page.close();
	const big = generate('150000', '4');
	const all = rowsOf(big);
	page = await browser.open(pageOf(big, 'big'));
	d = driver(page);
	await page.locator('#tablebox table').waitFor();
	const sum = all.filter((r) => isExecution(r) && !isIdle(r) && r[3] === 101).reduce((s, r) => s + r[1], 0);
	const line = (await d.cells()).find((l) => l[0] === label(101));
	equal(line?.[1], brief(sum), 'pid 101');
	await page.close();
});

// A waits for B, B for C, and C for the timer; in units of 1 ms
const at = (/** @type {number} */ ms) => ms / 1000;
/** @param {number} a @param {number} b @param {number} cpu @param {number} pid @param {string} name @param {number} [event] @returns {Row} */
const run = (a, b, cpu, pid, name, event = 65536 + pid) => [at(a), at(b - a), cpu, pid, 0, event, 0, 0, 0, name];
/** @param {number} a @param {number} b @param {number} pid @param {string} letter @returns {Row} */
const wait = (a, b, pid, letter) => [at(a), at(b - a), -1, pid, 0, Event.WAITA + letter.charCodeAt(0) - 97, 0, 0, 0, `wait_${letter}`];
/** @param {number} a @param {number} b @param {number} cpu @param {number} pid @param {number} to @param {number} toCpu @returns {Row} */
const wake = (a, b, cpu, pid, to, toCpu) => [at(a), at(b - a), cpu, pid, 0, -3, toCpu, to, 0, '-wakeup-'];
/** @type {Row[]} */
const story = [
	run(0, 10, 0, 11, 'client.11'), wait(10, 60, 11, 'n'), run(10, 61, 0, 0, '-idle-', 65536), wake(60, 61, 1, 22, 11, 0), run(61, 80, 0, 11, 'client.11'),
	run(0, 12, 1, 22, 'server.22'), wait(12, 50, 22, 'l'), run(12, 51, 1, 0, '-idle-', 65536), wake(50, 51, 2, 33, 22, 1), run(51, 59, 1, 22, 'server.22'),
	run(59, 61, 1, 22, 'sendto', Event.SYSCALL64 + 44), run(61, 80, 1, 22, 'server.22'),
	run(0, 14, 2, 33, 'holder.33'), wait(14, 40, 33, 't'), run(14, 39, 2, 0, '-idle-', 65536), run(39, 41, 2, 0, 'local_timer', LOCAL_TIMER), wake(40, 41, 2, 0, 33, 2),
	run(41, 49, 2, 33, 'holder.33'), run(49, 51, 2, 33, 'futex', Event.SYSCALL64 + 202), run(51, 80, 2, 33, 'holder.33'),
];
story.sort((a, b) => a[0] - b[0]);
/** @type {any} */
let whyPage;

await test('a click on a gap explains it by the chain of wakers to its cause', async () => {
	whyPage = page = await browser.open(pageOf(jsonOf(story), 'story'));
	d = driver(page);
	await page.locator('[data-group=PID]').click();
	await d.settle();
	const row = await d.row('client.11');
	await page.mouse.click(await d.xOf(0.03), row.y + row.height * 0.5);
	await d.settle();
	const lines = await page.locator('#whylist li').allInnerTexts();
	equal(lines.length, 3, `links: ${lines}`);
	for (const [i, parts] of [['client.11', '51 ms', 'waiting for network. ', 'server.22', 'sendto(0)=0', 'CPU 1'],
		['server.22', '39 ms', 'waiting for a lock. ', 'holder.33', 'futex(0)=0', 'CPU 2'], ['holder.33', '27 ms', 'waiting for a timer. ', 'local_timer', 'CPU 2']].entries())
		for (const part of parts) check(lines[i].includes(part), `link ${i + 1} lacks ${part}: ${lines[i]}`);
	equal(await page.locator('#whyend').innerText(), 'A timer ended the wait.', 'the cause');
});

await test('the chain is drawn: gaps, and lines from the wakers', async () => {
	const { chain, plot } = await d.drawn();
	equal(chain.map((/** @type {any} */ c) => c.pid), [11, 22, 33], 'rows');
	for (const [i, [a, b, w]] of [[10, 61, 60], [12, 51, 50], [14, 41, 40]].entries()) {
		near(chain[i].x0, await d.xOf(at(a)), 1, 'from');
		near(chain[i].x1, await d.xOf(at(b)), 1, 'to');
		near(chain[i].from.x, await d.xOf(at(w)), 1, 'wakeup');
	}
	const { row } = { row: await d.row('server.22') };
	near(chain[0].from.y, row.y + row.height * 0.785, 2, 'from the waker\'s row');
	const y = Math.round((chain[0].y + chain[0].from.y) / 2);
	const seen = await d.colours('over', { x: Math.round(chain[0].from.x) - 2, y, width: 4, height: 1 });
	check(Object.keys(seen).some((c) => c !== '0,0,0,0'), `nothing drawn at ${chain[0].from.x},${y}`);
	check(plot.width > 100, 'plot');
});

await test('a sentence of the explanation shows its gap; y explains by key; Esc ends it', async () => {
	await page.locator('#whylist button').nth(2).click();
	await d.settle();
	const [a, b] = await d.range();
	check(a > 0 && a < 0.014 && b > 0.041 && b < 0.055, `range ${a} ${b}`);
	await page.keyboard.press('Escape');
	await d.settle();
	equal((await d.drawn()).chain, [], 'Esc');
	equal(await page.locator('#why').isVisible(), false, 'panel');
	await page.mouse.move(5, 5);
	await d.reset();
	await page.locator('#title').click();
	// select the second run of client.11 on CPU 0, and explain the gap before it
	for (let i = 0; i < 3; i++) await page.keyboard.press('ArrowRight');
	await page.keyboard.press('y');
	await d.settle();
	equal((await d.drawn()).chain.map((/** @type {any} */ c) => c.pid), [11, 22, 33], 'chain by key');
	const row = await d.row('client.11');
	await page.keyboard.press('Escape');
	await page.keyboard.press('Escape');
	await page.mouse.click(await d.xOf(0.07), row.y + row.height * 0.9);
	equal(await page.locator('#why').isVisible(), false, 'a click on what runs asks nothing');
});

await test('no table cuts off the number of a process or a column header, however long the other words are', async () => {
	await page.close();
	page = await browser.open(pageOf(golden('patched-4cpu'), 'narrow'));
	d = driver(page);
	await page.keyboard.press('Shift');
	for (const tab of ['processes', 'calls', 'names', 'waits', 'wakeups']) {
		await page.locator(`#tab-${tab}`).click();
		await page.locator('#tablebox tbody tr').first().waitFor();
		/** For each cell of text: its width, and how far its last part or its header extends beyond it. */
		const cells = await page.evaluate(() => [...document.querySelectorAll('#tablebox :is(td, th).text')].map((cell) => {
			const last = cell.querySelector('.name > span:last-child') ?? cell.querySelector('button');
			const box = cell.getBoundingClientRect();
			return { text: cell.textContent ?? '', width: box.width, over: last && (cell.tagName === 'TH' || last.previousSibling) ? last.getBoundingClientRect().right - box.right : -1 };
		}));
		check(cells.length > 5, `${tab}: nothing to see`);
		for (const { text, width, over } of cells) check(over <= 0.5 && width >= 60, `${tab}, ${text}: ${width} px, ${over} beyond`);
	}
});

await test('no complaint on the console, no request', async () => {
	equal(browser.complaints, [], 'console');
	equal(browser.requests, [], 'requests');
	await whyPage.close();
});
await browser.close();
