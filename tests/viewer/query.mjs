// SPDX-License-Identifier: BSD-3-Clause
/**
 * Tests the pane Query on a real trace: groups, counts, sums and quantiles must equal plain sums over the JSON's
 * calls (things.mjs). Also tests sorting, the step to the search, the file, the address, ready queries, and mistakes.
 * Prints TAP.
 */
import { openBrowser } from './browser.mjs';
import { driver } from './driver.mjs';
import { Event } from './events.mjs';
import { golden, isExecution, pageOf, rowsOf } from './pages.mjs';
import { check, equal, test } from './tap.mjs';
import { failed, isSyscall, thingsOf } from './things.mjs';

/** @typedef {import('./things.mjs').Thing} Thing */
/** @typedef {import('./pages.mjs').Row} Row */

const json = golden('patched-4cpu');
const things = thingsOf(json);
const programs = new Map(rowsOf(json).filter((r) => r[5] > 65536 && r[5] < 0x20000).map((r) => [r[5] - 65536, r[9]]));
const file = pageOf(json, 'query');
const browser = await openBrowser();
let page = await browser.open(file);
let d = driver(page);
await page.keyboard.press('Shift');
await page.locator('#panetab-query').click();

/** Returns the table of a query, as in its file. @param {string} filter @param {string} by @param {string} [where] @param {string} [of] @returns {Promise<string[]>} */
async function asked(filter, by, where = 'selection', of = 'calls') {
	await page.locator('#queryby').selectOption(by);
	await page.locator('#queryof').selectOption(of);
	await page.locator('#querywhere').selectOption(where);
	await page.locator('#queryfilter').fill(filter);
	await page.locator('#queryfilter').press('Enter');
	await page.locator('#querybox tbody tr').first().waitFor();
	return (await d.saved('#querycsv')).bytes.toString().split('\r\n').slice(1, -1);
}
/** @param {number} units @param {number} [n] */
const digits = (units, n = 8) => (units / 1e8).toFixed(n);
/** Returns a line of a file. Cells with commas are in quotes. @param {(string | number)[]} cells */
const line = (cells) => cells.map((c) => (/[",]/.test(String(c)) ? `"${c}"` : String(c))).join();
/** @param {string} label @param {Thing[]} of @param {[number, number]} [stretch] units */
function lineOf(label, of, [t0, t1] = [-Infinity, Infinity]) {
	const inside = (/** @type {Thing} */ t) => t.start >= t0 && t.start + t.elapsed <= t1;
	const whole = of.filter((t) => t.whole && inside(t)).map((t) => t.elapsed).sort((a, b) => a - b);
	const n = whole.length;
	const part = (/** @type {number} */ a, /** @type {number} */ b) => Math.max(0, Math.min(b, t1) - Math.max(a, t0));
	const elapsed = of.map((t) => part(t.start, t.start + t.elapsed));
	const own = of.map((t) => t.pieces.reduce((s, [a, b]) => s + part(a, b), 0));
	const sum = (/** @type {number[]} */ list) => list.reduce((s, x) => s + x, 0);
	const place = (/** @type {number} */ p) => (n ? digits(whole[Math.ceil((n * p) / 100) - 1]) : '');
	return [label, line([n, digits(sum(elapsed)), digits(n ? whole[n - 1] : Math.max(...elapsed)), place(99), place(50),
		n ? digits(sum(whole) / n, 10) : '', n ? digits(whole[0]) : '', digits(sum(own)), of.length - n])].join();
}
/** @param {string[]} got @param {Thing[]} of @param {(t: Thing) => string} label @param {[number, number]} [stretch] */
function held(got, of, label, stretch) {
	/** @type {Map<string, Thing[]>} */
	const groups = new Map();
	for (const t of of) groups.set(label(t), [...(groups.get(label(t)) ?? []), t]);
	const want = [...groups].map(([name, list]) => lineOf(name, list, stretch));
	check(want.length > 0 && of.length > 10, 'nothing is grouped');
	equal([...got].sort(), want.sort(), 'groups');
}
/** @param {Thing} t */
const process = (t) => (t.pid ? programs.get(t.pid) ?? `.${t.pid}` : 'idle');

await test('calls in groups: count, incomplete, sum, mean, min, p50, p99, max, on CPU, to the last digit', async () => {
	const calls = things.filter(isSyscall);
	check(calls.some((t) => !t.whole) && calls.some((t) => t.pieces.length > 3), 'nothing is cut off or in pieces');
	held(await asked('kind:syscall', 'name'), calls, (t) => t.name);
	held(await asked('kind:syscall', 'call'), calls, (t) => `${t.name},${process(t)}`);
	held(await asked('kind:syscall,fault dur:>20us', 'process'), things.filter((t) => (isSyscall(t) || t.kind === 'trap') && t.elapsed > 2000), process);
	held(await asked('kind:syscall', 'program'), calls, (t) => process(t).replace(/\.\d+$/, ''));
	held(await asked('kind:irq or kind:softirq', 'cpu'), things.filter((t) => t.kind === 'irq' || t.kind === 'softirq'), (t) => `CPU ${t.cpus[0]}`);
	held(await asked('kind:wait', 'cpu'), things.filter((t) => t.kind === 'wait'), () => 'on no CPU');
	const errors = /** @type {Record<number, string>} */ ({ 10: 'ECHILD', 11: 'EAGAIN', 22: 'EINVAL' });
	held(await asked('kind:syscall', 'errno'), calls, (t) => (t.ret === null ? 'no result' : failed(t) ? errors[-t.ret] ?? String(-t.ret) : 'no error'));
});

await test('spans: each part of a call by itself', async () => {
	const spans = rowsOf(json).filter((r) => isExecution(r) && r[5] >= Event.SYSCALL64 && r[5] < Event.SCHED && !r[9].startsWith('-sched'));
	const pieces = spans.map((r) => /** @type {Thing} */ ({
		name: r[9], kind: 'syscall', pid: r[3], cpus: [r[2]], start: Math.round(r[0] * 1e8), elapsed: Math.round(r[1] * 1e8), own: 0, whole: true, arg: 0, ret: 0, event: 0, text: [],
		pieces: [[Math.round(r[0] * 1e8), Math.round(r[0] * 1e8) + Math.round(r[1] * 1e8)]],
	}));
	held(await asked('kind:syscall', 'cpu', 'whole', 'spans'), pieces, (t) => `CPU ${t.cpus[0]}`);
});

await test('states of a process or a CPU cover all of the time; a state leads to the search', async () => {
	/** Returns the state: user code, kernel, interrupted, ready, waiting, or idle. @param {Row} r */
	const state = ([, , , , , event, arg, , , name]) => (event >= 65536 ? (event === 65536 || name.startsWith('-c-exit') ? 'idle' : arg === 1 ? 'kernel' : 'user code') : event === Event.WAITA + 2 ? '"ready, no CPU"' : event === Event.WAITA + 16 ? 'throttled' :
		event >= Event.WAITA && event <= Event.WAITZ ? 'waiting' : event === Event.BH || event === Event.BH_RETURN || (event < Event.SYSCALL64 && event & 0x100) ? 'interrupted' : 'kernel');
	const spans = rowsOf(json).filter((r) => isExecution(r) || (r[5] >= Event.WAITA && r[5] <= Event.WAITZ)).map((r) => {
		const [start, elapsed] = [Math.round(r[0] * 1e8), Math.round(r[1] * 1e8)];
		return /** @type {Thing} */ ({ name: state(r), kind: '', pid: r[3], cpus: [r[2]], start, elapsed, own: 0, whole: true, pieces: isExecution(r) ? [[start, start + elapsed]] : [], arg: 0, ret: 0, event: r[5], text: [] });
	});
	check(new Set(spans.map((t) => t.name)).size === 6, 'not all states are there');
	const all = await asked('kind:user,kernel,idle,wait', 'state', 'whole', 'spans');
	held(all, spans, (t) => t.name);
	const ran = spans.filter((t) => t.pieces.length);
	const lengths = [...new Set(ran.map((t) => t.cpus[0]))].map((cpu) => ran.filter((t) => t.cpus[0] === cpu)).map((of) => Math.max(...of.map((t) => t.start + t.elapsed)) - Math.min(...of.map((t) => t.start)));
	const sums = all.filter((l) => !/^(waiting|"ready)/.test(l)).map((l) => Math.round(Number(l.replace(/^"[^"]*"|^[^,]*/, '').split(',')[2]) * 1e8));
	const total = (/** @type {number[]} */ list) => list.reduce((sum, x) => sum + x, 0);
	equal(total(sums), total(lengths), 'each moment of a CPU is in one state');
	const pid = /** @type {number} */ ([...programs].find(([, name]) => name.startsWith('workload'))?.[0]);
	held(await asked(`pid:${pid} kind:user,kernel,idle,wait`, 'state', 'whole', 'spans'), spans.filter((t) => t.pid === pid), (t) => t.name);
	await page.locator('#querybox tbody tr', { hasText: 'ready' }).locator('button').first().click();
	const ready = spans.filter((t) => t.pid === pid && t.event === Event.WAITA + 2);
	check((await page.locator('#search').inputValue()).endsWith('kind:wait wait:cpu'), await page.locator('#search').inputValue());
	equal(Number((await page.locator('#found').innerText()).split(' match')[0].replace(/\D/g, '')), ready.length, 'matches');
	await page.evaluate(() => window.kutrace.search(''));
	await page.locator('#queryof').selectOption('calls');
	await page.locator('#queryby').selectOption('name');
	await page.locator('#queryby').selectOption('state');
	equal(await page.locator('#queryof').inputValue(), 'spans', 'a call may be in several states');
});

await test('in a selection and on the screen, only the part inside counts', async () => {
	const axis = await page.locator('#axis').boundingBox();
	await d.drag([axis.x + axis.width * 0.3, axis.y + 10], [axis.x + axis.width * 0.42, axis.y + 10]);
	const { selection } = await d.drawn();
	/** @param {[number, number]} stretch */
	const inside = ([a, b]) => things.filter((t) => isSyscall(t) && t.start < b && t.start + t.elapsed > a);
	const selected = /** @type {[number, number]} */ ([Math.round(selection.from * 1e8), Math.round(selection.to * 1e8)]);
	check(inside(selected).some((t) => t.start < selected[0]), 'nothing is cut off');
	held(await asked('kind:syscall', 'name'), inside(selected), (t) => t.name, selected);
	await d.setRange(selection.from + 0.002, selection.to + 0.002);
	const screen = /** @type {[number, number]} */ ((await d.range()).map((t) => Math.round(t * 1e8)));
	held(await asked('kind:syscall', 'name', 'screen'), inside(screen), (t) => t.name, screen);
	await page.locator('#clearselection').click();
	await d.reset();
});

await test('single calls are listed with the longest first; a click goes there', async () => {
	const got = await asked('kind:syscall', 'none');
	const want = things.filter(isSyscall).sort((a, b) => b.elapsed - a.elapsed || a.start - b.start).slice(0, 1000);
	equal(got.length, want.length, 'as many');
	equal(got.slice(0, 5).map((l) => l.split(',').slice(-3)), want.slice(0, 5).map((t) => [digits(t.start), digits(t.elapsed), digits(t.own)]), 'the longest');
	await page.locator('#querybox tbody tr').nth(1).locator('button').click();
	await d.settle();
	check((await d.drawn()).notes[0].startsWith(digits(want[1].start)), `${(await d.drawn()).notes[0]}, not ${digits(want[1].start)}`);
	await page.keyboard.press('Escape');
	await d.reset();
});

await test('a column header sorts; a group leads to the search, and its max to the longest call', async () => {
	await asked('kind:syscall', 'name');
	const column = (/** @type {number} */ i) => page.locator(`#querybox tbody td:nth-child(${i})`).allInnerTexts();
	await page.locator('#querybox th button').nth(1).click();
	const counts = (await column(2)).map((/** @type {string} */ text) => Number(text.replace(/\D/g, '')));
	equal(counts, [...counts].sort((a, b) => b - a), 'by count');
	await page.locator('#querybox th button').nth(1).click();
	equal((await column(2)).map((/** @type {string} */ text) => Number(text.replace(/\D/g, ''))), [...counts].sort((a, b) => a - b), 'and back');
	equal(await page.locator('#querybox th').nth(1).getAttribute('aria-sort'), 'ascending', 'said');
	const row = page.locator('#querybox tbody tr').last();
	const name = await row.locator('button').first().innerText();
	await row.locator('button').first().click();
	equal(await page.locator('#search').inputValue(), `kind:syscall name:^${name}$`, 'search');
	const of = things.filter((t) => isSyscall(t) && t.name === name);
	equal(Number((await page.locator('#found').innerText()).split(' match')[0].replace(/\D/g, '')), of.length, 'matches');
	await row.locator('button').last().click();
	await d.settle();
	const most = of.filter((t) => t.whole).reduce((a, b) => (b.elapsed > a.elapsed ? b : a));
	check((await d.drawn()).notes[0].startsWith(digits(most.start)), 'the longest');
	await page.keyboard.press('Escape');
	await page.evaluate(() => window.kutrace.search(''));
	await d.reset();
});

await test('ready queries give results; mistakes and empty results are reported', async () => {
	const ready = await page.locator('#queryready option').allInnerTexts();
	check(ready.length > 8, 'ready queries');
	for (let i = 0; i + 1 < ready.length; i++) {
		await page.locator('#queryready').selectOption(String(i));
		await page.waitForFunction(() => /^[\d\u202f]+ (call|span)s?|^no match/.test(document.getElementById('querysays')?.textContent ?? ''));
		check(await page.locator('#querybox tbody tr').count() > 0, `${ready[i + 1]}: nothing`);
	}
	await page.locator('#queryfilter').fill('pid:x');
	await page.locator('#queryfilter').press('Enter');
	check((await page.locator('#querysays').innerText()).startsWith('pid: takes a number'), 'a mistake');
	await page.locator('#queryfilter').fill('no_such_name');
	await page.locator('#queryfilter').press('Enter');
	equal(await page.locator('#querysays').innerText(), 'no match in this time', 'nothing');
});

await test('the address keeps the query', async () => {
	await asked('kind:fault dur:>1us', 'program', 'whole');
	await page.locator('#querybox th button').nth(1).click();
	const rows = await page.locator('#querybox tbody tr').allInnerTexts();
	await page.waitForFunction(() => (new URLSearchParams(location.hash.slice(1)).get('w') ?? '').startsWith('program.calls.whole.count-d'));
	const hash = new URL(page.url()).hash.slice(1);
	await page.close();
	page = await browser.open(file, 'ready', hash);
	d = driver(page);
	await page.locator('#querybox tbody tr').first().waitFor();
	equal(await page.locator('#queryfilter').inputValue(), 'kind:fault dur:>1us', 'filter');
	equal(await page.locator('#querybox tbody tr').allInnerTexts(), rows, 'table');
	await page.evaluate(() => {
		location.hash = 'v=query&w=<b>.x.y.9-z.(';
	});
	await page.waitForFunction(() => /** @type {HTMLInputElement} */ (document.getElementById('queryfilter')).value === 'kind:syscall');
	await page.close();
});

await browser.close();
