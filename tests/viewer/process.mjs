// SPDX-License-Identifier: BSD-3-Clause
/**
 * Tests the panes of a process, a kind, a name, and highlighted rows: calls, waits, wakeups, delays, CPUs and
 * parents, for the whole trace and for a selection. Uses the real mouse and keys. Every expected number is computed
 * here from the JSON. Prints TAP.
 */
import { pathToFileURL } from 'node:url';
import { openBrowser } from './browser.mjs';
import { callsOf, elapsedOf, grouped, isCall, isWhole, ownOf, piecesOf, sumOf } from './callsof.mjs';
import { driver } from './driver.mjs';
import { generate, golden, jsonOf, pageOf, rowsOf } from './pages.mjs';
import { waitedFor } from './answersof.mjs';
import { Event } from './events.mjs';
import { kindOf } from '../../templates/js/base/kinds.ts';
import { wordsOf } from '../../templates/js/base/words.ts';
import { check, equal, test } from './tap.mjs';

/** @typedef {import('./callsof.mjs').Call} Call */
/** @typedef {import('./pages.mjs').Row} Row */

/** @param {number} s seconds */
const units = (s) => Math.round(s * 1e8);
/** @param {number} u */
const digits = (u) => `${Math.floor(u / 1e8)}.${String(u % 1e8).padStart(8, '0')}`;
const KINDS = /** @type {Record<string, string>} */ ({
	syscall: 'system calls', trap: 'faults; traps', irq: 'interrupts', softirq: 'softirqs', sched: 'scheduler', user: 'user code', kthread: 'kernel code',
});
const CAUSES = /** @type {Record<string, string>} */ ({ c: 'CPU', d: 'disk', k: 'task', l: 'lock', m: 'memory', n: 'network', p: 'pipe', r: 'RCU', s: 'scheduler', t: 'time', u: 'unknown', z: 'unknown' });
/** @param {Call} call */
const word = ({ name, pieces }) => wordsOf(kindOf(pieces[0].event, name), name);

/** Returns a trace and its data about processes. @param {string} name */
function traceOf(name) {
	const json = golden(name);
	const rows = rowsOf(json).map((r) => ({ start: units(r[0]), end: units(r[0]) + units(r[1]), cpu: r[2], pid: r[3], event: r[5], to: r[7], name: r[9] }));
	const calls = callsOf(json).filter((c) => c.kind !== 'idle');
	const labels = new Map(rows.filter((r) => r.event > 65536 && r.event < 0x20000).map((r) => [r.event - 65536, r.name]));
	const label = (/** @type {number} */ pid) => labels.get(pid) ?? (pid ? `.${pid}` : 'idle');
	const pieces = grouped(/** @type {any} */ (piecesOf(json)), (/** @type {any} */ p) => p.pid);
	return { json, rows, calls, label, pieces, first: Math.min(...rows.map((r) => r.start)) };
}
/** @typedef {ReturnType<typeof traceOf>} Told */
const stock = traceOf('stock');

/** Returns the part of a call inside an interval, or null if there is none. @param {Call} call @param {number} a @param {number} b @returns {Call | null} */
function clipped(call, a, b) {
	const [from, to] = [call.pieces[0].start, call.pieces[call.pieces.length - 1].end];
	if (from >= b || to <= a) return from === to && from >= a && from < b ? call : null;
	if (from >= a && to <= b) return call;
	const pieces = call.pieces.map((p) => ({ ...p, start: Math.min(b, Math.max(p.start, a)), end: Math.max(a, Math.min(p.end, b)) }));
	// the elapsed time extends to the edges of the interval, even if the call does not run there
	const edges = [{ ...pieces[0], start: Math.max(from, a), end: Math.max(from, a) }, ...pieces.filter((p) => p.end > p.start),
		{ ...pieces[0], start: Math.min(to, b), end: Math.min(to, b) }];
	return { ...call, begins: false, pieces: edges };
}

/** @param {string} name @param {Call[]} of */
function lineOf(name, of) {
	const s = sumOf(of);
	const most = s.count ? s.longest : Math.max(...of.map(elapsedOf));
	const quantile = (/** @type {number} */ u) => (s.count && isCall(of[0]) ? digits(u) : '');
	return [name, s.count, digits(s.elapsed), digits(most), quantile(s.p50), quantile(s.p99), digits(s.own), s.cut].join();
}
/** Returns the lines of the pane's calls: each kind in total, and each name (or process). @param {Call[]} calls @param {(call: Call) => string} name */
function callLines(calls, name) {
	return [...grouped(calls, (c) => c.kind)].flatMap(([kind, of]) => {
		const lines = [...grouped(of, name)].map(([what, list]) => lineOf(what, list));
		return [...(lines.length === 1 && !isCall(of[0]) ? [] : [lineOf(KINDS[kind], of)]), ...lines];
	});
}
/** @param {Iterable<{key: string, units: number}>} parts as the pane has sums: count, time, mean, longest */
function sumLines(parts) {
	return [...grouped(/** @type {any} */ ([...parts]), (/** @type {any} */ p) => p.key)].map(([key, list]) => {
		const times = list.map((/** @type {any} */ p) => p.units);
		const total = times.reduce((/** @type {number} */ a, /** @type {number} */ b) => a + b, 0);
		return [key, times.length, digits(total), (total / times.length / 1e8).toFixed(8), digits(Math.max(...times))].join();
	});
}
/** @param {{start: number, end: number}} r @param {number} a @param {number} b */
const inside = (r, a, b) => Math.min(r.end, b) - Math.max(r.start, a);

/** Returns the lines about processes of all tables except calls, by table. @param {Told} told @param {number[]} pids @param {number} a @param {number} b */
function othersOf({ rows, label, pieces, calls: made }, pids, a, b) {
	const waits = rows.filter((r) => r.event >= Event.WAITA && r.event <= Event.WAITZ && pids.includes(r.pid));
	const cause = (/** @type {any} */ r) => String.fromCharCode(97 + r.event - Event.WAITA);
	const reason = (/** @type {any} */ r) => waitedFor(/** @type {any} */ ({ calls: made }), r).replace(', ', '; ');
	const wakes = rows.filter((r) => r.event === -3);
	const begun = wakes.filter((r) => r.start >= a && r.start < b);
	/** @type {number[]} */
	const woken = [];
	/** @type {number[]} */
	const switched = [];
	/** @type {{key: string, units: number}[]} */
	const taken = [];
	/** @type {Map<number, {time: number, runs: number}>} */
	const cpus = new Map();
	let moves = 0;
	for (const pid of pids) {
		const list = /** @type {any[]} */ (/** @type {any} */ (pieces.get(pid)) ?? []);
		const arcs = wakes.filter((r) => r.to === pid);
		for (const w of arcs.filter((r) => begun.includes(r))) {
			const before = list.filter((p) => p.start < w.end).pop();
			woken.push(w.end - Math.max(w.start, Math.min(w.end, before ? before.end : 0)));
		}
		for (const w of waits.filter((r) => r.pid === pid && cause(r) === 'c' && r.start >= a && r.start < b))
			if (!arcs.some((r) => r.end > w.start && r.end <= w.end + 3)) {
				switched.push(w.end - w.start);
				const last = list.filter((p) => p.start <= w.start).pop();
				const next = rows.find((r) => last && r.cpu === last.cpu && r.start >= last.end && (r.event >= 65536 || (r.event >= Event.TRAP && r.event < 0x1000)));
				if (next && next.event !== 65536 && next.pid > 0 && next.pid !== pid) taken.push({ key: label(next.pid), units: w.end - w.start });
			}
		const seen = list.filter((p) => inside(p, a, b) > 0 || (p.start >= a && p.start < b));
		seen.forEach((p, i) => {
			const on = cpus.get(p.cpu) ?? { time: 0, runs: 0 };
			cpus.set(p.cpu, on);
			on.time += inside(p, a, b);
			const moved = i > 0 && seen[i - 1].cpu !== p.cpu;
			if (moved) moves++;
			if (i === 0 || moved || seen[i - 1].end !== p.start) on.runs++;
		});
	}
	const delay = (/** @type {string} */ name, /** @type {number[]} */ list) => {
		if (!list.length) return [];
		const sorted = [...list].sort((x, y) => x - y);
		const total = sorted.reduce((x, y) => x + y, 0);
		const place = (/** @type {number} */ share) => digits(sorted[Math.ceil((sorted.length * share) / 100) - 1]);
		return [[name, list.length, (total / list.length / 1e8).toFixed(8), place(50), place(99), digits(sorted[sorted.length - 1])].join()];
	};
	const ran = [...cpus.values()].reduce((s, c) => s + c.time, 0);
	return {
		moves,
		Waits: sumLines(waits.filter((r) => inside(r, a, b) > 0 || (r.start >= a && r.start < b)).map((r) => ({ key: reason(r), units: inside(r, a, b) }))),
		'Woken by': sumLines(begun.filter((r) => pids.includes(r.to)).map((r) => ({ key: label(r.pid), units: r.end - r.start }))),
		Woke: sumLines(begun.filter((r) => pids.includes(r.pid)).map((r) => ({ key: label(r.to), units: r.end - r.start }))),
		'Run-queue delay': [...delay('after a wakeup', woken), ...delay('after losing the CPU', switched)],
		'Preempted by': sumLines(taken),
		CPUs: [...cpus].map(([cpu, { time, runs }]) => [`CPU ${cpu}`, digits(time), String(time / ran), runs].join()),
	};
}

/** Returns the lines of the pane's file by table, with semicolons for commas in names. @param {string} text */
function tablesOf(text) {
	/** @type {Record<string, string[]>} */
	const tables = {};
	for (const line of text.split('\r\n')) {
		const cells = line.replace(/"([^"]*)"/g, (_, inner) => inner.replace(/,/g, ';')).split(',');
		if (cells[0] && cells[0] !== 'table') (tables[cells[0]] ??= []).push(cells.slice(1).join());
	}
	return tables;
}
/** @param {string[] | undefined} got @param {string[]} want @param {string} what */
function same(got, want, what) {
	const [x, y] = [[...got ?? []].sort(), [...want].sort()];
	const at = y.findIndex((line, i) => line !== x[i]);
	check(x.length === y.length && at < 0, `${what}: ${x.length} lines, not ${y.length}; ${x[at]}, not ${y[at]}`);
}

const browser = await openBrowser();
/** @type {any} */
let page = await browser.open(pageOf(stock.json, 'stock'));
let d = driver(page);
await page.keyboard.press('Shift');
const pane = () => page.locator('#processbox');
const title = () => page.locator('#processtitle').innerText();
const saved = async () => tablesOf((await d.saved('#processcsv', false)).bytes.toString());
/** @param {string} hash */
async function address(hash) {
	await page.evaluate((/** @type {string} */ text) => (location.hash = text), hash);
	await d.settle();
	const what = hash.includes('~tree') ? '#treebox table' : hash.includes('~flame') ? '#flamebox canvas' : '#processbox section';
	if (hash.includes('v=process')) await page.locator(what).first().waitFor();
}

/** Checks everything that the pane shows about processes. @param {Told} told @param {number[]} pids @param {number} [a] @param {number} [b] */
async function holds(told, pids, a = 0, b = Infinity) {
	const tables = await saved();
	const calls = told.calls.filter((c) => pids.includes(c.pid)).flatMap((c) => clipped(c, a, b) ?? []);
	same(tables.Calls, callLines(calls, word), `calls of ${pids}`);
	const { moves, ...others } = othersOf(told, pids, a, b);
	for (const [name, lines] of Object.entries(others)) same(tables[name], lines, `${name} of ${pids}`);
	if (pids.some((pid) => pid > 0) && others.CPUs.length)
		check((await pane().locator('[data-of=cpus] h3').innerText()).includes(moves ? `${moves} time${moves === 1 ? '' : 's'}` : 'never moved'), `migrations, not ${moves}`);
	return { calls, others };
}

await test('an empty pane explains how to fill it; the name of a process in the table opens it, by mouse and by key', async () => {
	await page.locator('#panetab-process').click();
	check((await pane().innerText()).includes('Click the name'), 'what fills it');
	await page.locator('#panetab-tables').click();
	const name = page.locator('#tablebox tbody tr').nth(1).locator('button.name');
	const label = await name.innerText();
	await name.click();
	await d.settle();
	equal(await title(), label.replace(/\s/g, ''), 'title');
	equal((await d.drawn()).notes.length, 0, 'no jump');
	await page.locator('#panetab-tables').click();
	await page.locator('#tablebox tbody tr').first().locator('button.name').press('Enter');
	equal(await title(), 'workload.105', 'by key');
	equal(await page.evaluate(() => document.activeElement?.id), 'processtitle', 'the focus is there');
});

await test('calls by name, faults, interrupts, waits, wakeups, delays, CPUs: as in the JSON, to the last digit', async () => {
	const { calls, others } = await holds(stock, [105]);
	check(calls.some((c) => !isWhole(c)) && others['Run-queue delay'].length === 2 && others['Preempted by'].length > 1 && others.Woke.length > 2, 'there is little to tell');
	for (const pid of [109, 110, 51, 123]) {
		await address(`v=process&x=p${pid}`);
		await holds(stock, [pid]);
	}
	await address('v=process&x=p0');
	const tables = await saved();
	same(tables.Calls, callLines(stock.calls.filter((c) => c.pid === 0), word), 'interrupts in idle');
});

await test('in a selection, calls are clipped as in the tables, also a call that waits throughout', async () => {
	for (const share of [[0.2, 0.5], [0.31, 0.33], [0.7, 0.95]]) {
		const length = 51251400;
		const [a, b] = share.map((s) => Math.round(stock.first + s * length));
		await address(`v=process&x=p105&s=${digits(a)}-${digits(b)}`);
		await holds(stock, [105], a, b);
	}
	const call = /** @type {Call} */ (stock.calls.find((c) => c.pid === 105 && c.kind === 'syscall' && c.away > 200000));
	const gap = /** @type {number} */ (call.pieces.findIndex((p, i) => i && p.start - call.pieces[i - 1].end > 100000));
	const [a, b] = [call.pieces[gap - 1].end + 1000, call.pieces[gap].start - 1000];
	await address(`v=process&x=p105&s=${digits(a)}-${digits(b)}`);
	const { calls } = await holds(stock, [105], a, b);
	check(calls.some((c) => ownOf(c) === 0 && elapsedOf(c) === b - a), `it waits all the time: ${JSON.stringify(calls)}`);
});

await test('a kind and a name list the processes that make these calls', async () => {
	const label = (/** @type {Call} */ c) => stock.label(c.pid);
	await address('g=CPU&v=tables&p=kinds');
	await page.locator('#tablebox tbody tr', { hasText: 'fault or trap' }).locator('button.name').click();
	equal(await title(), 'fault or trap', 'kind');
	same((await saved())['By process'], callLines(stock.calls.filter((c) => c.kind === 'trap'), label), 'faults');
	await page.locator('#panetab-tables').click();
	await page.locator('#tab-names').click();
	await page.locator('#tablebox tbody tr', { hasText: /^write/ }).first().locator('button.name').click();
	equal(await title(), 'write', 'name');
	same((await saved())['By process'], callLines(stock.calls.filter((c) => c.name === 'write' && c.kind === 'syscall'), label), 'write');
	await pane().locator('tbody tr:not(.of) button.name').first().click();
	check(/\.\d+$/.test(await title()), 'a process of it opens');
});

await test('highlighted rows are added up, and the pane follows changes', async () => {
	await address('v=process&x=m&g=CPU.PID&m=PID.105_PID.110');
	check((await title()).startsWith('2 highlighted'), await title());
	await holds(stock, [105, 110]);
	await address('v=process&x=m&g=CPU.PID&m=PID.110_PID.109_PID.51');
	await holds(stock, [109, 110, 51]);
	await page.keyboard.press('Escape');
	await d.settle();
	check((await title()).startsWith('0 highlighted'), `when none is: ${await title()}`);
	await address('v=process&x=p51&g=CPU.PID&m=PID.110_PID.109');
	await page.locator('#processmarked').click();
	check((await title()).startsWith('2 highlighted'), 'by the button');
});

await test('a click goes to the longest wait, call or wakeup; the address stores the open pane; the tables sort', async () => {
	await address('g=CPU&v=process&x=p105');
	const most = Math.max(...stock.rows.filter((r) => r.pid === 105 && r.event >= Event.WAITA && r.event <= Event.WAITZ).map((r) => r.end - r.start));
	await pane().locator('[data-of=waits] th', { hasText: 'longest' }).locator('button').click();
	await pane().locator('[data-of=waits] tbody tr').first().locator('td:not(.text) button').press('Enter');
	await d.settle();
	const wait = stock.rows.find((r) => r.pid === 105 && r.event >= Event.WAITA && r.event <= Event.WAITZ && r.end - r.start === most);
	check((await d.drawn()).notes[0].startsWith(digits(wait?.start ?? 0)), `${(await d.drawn()).notes}, not ${digits(wait?.start ?? 0)}`);
	await page.waitForFunction(() => location.hash.includes('x=p105') && location.hash.includes('v=process'));
	await page.reload();
	await page.waitForFunction(() => document.documentElement.dataset.state === 'ready');
	equal(await title(), 'workload.105', 'after loading anew');
	await page.locator('#closeprocess').click();
	equal(await title(), 'No process', 'closed');
	const shortly = /** @type {any} */ (stock.rows.find((r) => r.pid === 105 && r.cpu >= 0 && r.event > 65536 && r.end - r.start > 100000));
	const row = await d.row(`CPU ${shortly.cpu}`);
	// the key i opens an arc that is nearer to the pointer than the span, so remove all arcs
	await page.evaluate(() => (location.hash = location.hash.replace('o=arc.', 'o=')));
	await d.settle();
	await page.mouse.move(await d.xOf((shortly.start + shortly.end) / 2e8), row.y + row.height * 0.7);
	await page.keyboard.press('i');
	equal(await title(), 'workload.105', 'i: the process under the pointer');
	await page.locator('#closeprocess').click();
	await page.mouse.move(3, 3);
	for (const nonsense of ['x=p1e9', 'x=k99', 'x=n%00', 'x=p', 'x=n5-%3Cb%3E'])
		await page.evaluate((/** @type {string} */ text) => (location.hash = `v=process&${text}`), nonsense);
	await d.settle();
	equal(await title(), 'No process', 'nonsense');
});

/** A call, and its place in the tree. @typedef {{call: Call, part: Call, from: number, to: number, path: string}} Placed */
/** @typedef {{path: string, count: number, elapsed: number, cpu: number, own: number, most: number}} Branch */

/**
 * Computes the tree of time of processes. Calls are nested by their times, and waits are in the innermost call around
 * them.
 * @param {Told} told @param {number[]} pids @param {number} [a] @param {number} [b]
 */
function branchesOf({ calls, rows, label }, pids, a = 0, b = Infinity) {
	/** @type {Map<string, Branch>} */
	const branches = new Map();
	const branch = (/** @type {string} */ path) => branches.get(path) ?? /** @type {Branch} */ (branches.set(path, { path, count: 0, elapsed: 0, cpu: 0, own: 0, most: -1 }).get(path));
	for (const pid of pids) {
		/** @type {Placed[]} */
		const mine = [];
		for (const call of calls.filter((c) => c.pid === pid)) {
			const part = clipped(call, a, b);
			if (part) mine.push({ call, part, from: call.pieces[0].start, to: call.pieces[call.pieces.length - 1].end, path: '' });
		}
		mine.sort((x, y) => x.from - y.from || y.to - x.to);
		const base = pid ? label(pid) : 'interrupts in idle';
		/** @type {Placed[]} */
		let around = [];
		for (const c of mine) {
			around = around.filter((o) => o.to > c.from && isCall(o.call));
			const inner = around[around.length - 1];
			const code = KINDS[c.call.kind];
			const name = isCall(c.call) ? word(c.call) : c.call.name === label(pid) ? code : `${code} of ${c.call.name}`;
			c.path = `${inner ? inner.path : base} > ${name}`;
			around.push(c);
			const { part } = c;
			const it = branch(c.path);
			it.count++;
			it.own += ownOf(part);
			it.elapsed += elapsedOf(part);
			it.most = Math.max(it.most, elapsedOf(part));
			for (let path = c.path; path; path = path.includes(' > ') ? path.slice(0, path.lastIndexOf(' > ')) : '') branch(path).cpu += ownOf(part);
		}
		for (const w of rows.filter((r) => r.pid === pid && r.event >= Event.WAITA && r.event <= Event.WAITZ && inside(r, a, b) > 0)) {
			const around2 = mine.filter((c) => c.from <= w.start && c.to >= w.end && isCall(c.call));
			const lock = w.event === Event.WAITA + 2 ? null : rows.find((r) => r.event === Event.LOCKTRY && r.pid === pid && r.start <= w.start && r.end > w.start);
			const cause = CAUSES[String.fromCharCode(97 + w.event - Event.WAITA)];
			const inner = around2[around2.length - 1];
			const path = `${inner ? inner.path : base} > waiting${lock ? ` for ${lock.name}` : inner && cause === 'unknown' ? ` in ${word(inner.call)}` : `: ${cause}`}`;
			const it = branch(path);
			it.count++;
			it.own += inside(w, a, b);
			it.elapsed += inside(w, a, b);
			it.most = Math.max(it.most, inside(w, a, b));
		}
	}
	return branches;
}

/** Returns the lines of the tree's file by path, without its title and without the lines of whole processes. @param {string} text @param {string} [title] of all */
function treeLines(text, title = '') {
	const lines = text.split('\r\n').slice(1, -1).map((line) => line.split(','));
	return lines.map((cells) => [(title && cells[1].startsWith(`${title} > `) ? cells[1].slice(title.length + 3) : cells[1]), ...cells.slice(2)])
		.filter(([path]) => path.includes(' > ') && !path.endsWith('cause unknown'));
}
/** @param {Map<string, Branch>} branches */
const wantedLines = (branches) => [...branches.values()].filter((w) => w.path.includes(' > '))
	.map((w) => [w.path, w.count, digits(w.elapsed), digits(w.cpu), digits(w.own), digits(w.most)].join());
const file = async () => (await d.saved('#processcsv', false)).bytes.toString();

await test('the tree has process, call, nested calls and waits, to the last digit, for the trace and a selection', async () => {
	await address('g=CPU&v=process&x=p105~tree');
	const want = branchesOf(stock, [105]);
	check([...want.keys()].some((p) => /wait4 > \w/.test(p)) && [...want.keys()].some((p) => p.includes(' > waiting: ')), 'nothing in anything');
	same(treeLines(await file()).map(String), wantedLines(want), 'tree of 105');
	const [a, b] = [0.31, 0.62].map((s) => Math.round(stock.first + s * 51251400));
	await address(`v=process&x=p105~tree&s=${digits(a)}-${digits(b)}`);
	same(treeLines(await file()).map(String), wantedLines(branchesOf(stock, [105], a, b)), 'tree of a selection');
	await address('g=CPU&v=process&x=~tree');
	equal(await title(), 'All processes', 'nothing is open: all of it');
	const pids = [...new Set(stock.calls.map((c) => c.pid))];
	same(treeLines(await file(), 'All processes').filter(([path]) => !path.startsWith('interrupts in idle')).map(String), wantedLines(branchesOf(stock, pids.filter((p) => p))), 'all');
});

await test('the tree names the lock of a wait', async () => {
	const patched = traceOf('patched-4cpu');
	const other = await browser.open(pageOf(patched.json, 'patched'), 'ready', 'g=CPU.PID&v=process&x=m~tree&m=PID.56_PID.59');
	await other.locator('#treebox table').waitFor();
	const want = branchesOf(patched, [56, 59]);
	equal([...want.keys()].filter((path) => path.includes('waiting for lock.')).length, 2, 'waits for locks');
	same(treeLines((await driver(other).saved('#processcsv', false)).bytes.toString(), '2 highlighted processes').map(String), wantedLines(want), 'tree of 56 and 59');
	await other.close();
});

await test('the tree opens by click and by keys, and sorts by elapsed time or by time on CPU', async () => {
	await address('g=CPU&v=process&x=p105~tree');
	const want = [...branchesOf(stock, [105]).values()].filter((w) => w.path.split(' > ').length === 2);
	const names = () => page.evaluate(() => [...document.querySelectorAll('#treebox tbody tr')].map((tr) => ({
		level: Number(tr.getAttribute('aria-level')), name: tr.querySelector('td span:last-child')?.textContent, open: tr.getAttribute('aria-expanded') })));
	const first = async () => (await names()).filter((/** @type {any} */ l) => l.level === 2)[0].name;
	const by = (/** @type {(w: Branch) => number} */ key) => want.reduce((x, y) => (key(y) > key(x) ? y : x)).path.split(' > ')[1];
	equal(await first(), by((w) => w.elapsed), 'by what elapses');
	await page.locator('#treebox th', { hasText: 'on CPU' }).locator('button').click();
	equal(await first(), by((w) => w.cpu), 'on CPU');
	await page.locator('#treebox th', { hasText: 'elapsed' }).locator('button').click();
	const before = (await names()).length;
	await page.locator('#treebox tbody tr').nth(1).locator('td').first().click();
	const inside1 = [...branchesOf(stock, [105]).keys()].filter((p) => p.startsWith(`workload.105 > ${by((w) => w.elapsed)} > `) && p.split(' > ').length === 3);
	equal((await names()).length, before + inside1.length, 'lines in it');
	equal((await names())[1].open, 'true', 'said');
	await page.keyboard.press('ArrowLeft');
	equal((await names()).length, before, 'closed by key');
	await page.keyboard.press('ArrowRight');
	await page.keyboard.press('ArrowRight');
	equal(await page.evaluate(() => document.activeElement?.getAttribute('aria-level')), '3', 'into it');
	await page.keyboard.press('ArrowLeft');
	await page.keyboard.press('Enter');
	await d.settle();
	equal((await d.drawn()).notes.length, 1, 'Enter goes to the longest');
	await page.keyboard.press('Escape');
});

await test('a file has the whole table of the screen; until it is complete, the page gives a reason instead', async () => {
	const large = await browser.context.newPage();
	// after hold(true), the page does one more step, and continues after hold(false)
	await large.addInitScript(() => {
		const { postMessage } = MessagePort.prototype;
		const now = performance.now.bind(performance);
		const later = window.setTimeout;
		const idle = window.requestIdleCallback;
		let clock = 0;
		/** @type {(() => void)[]} */
		const held = [];
		let holding = false;
		performance.now = () => now() + (holding ? clock += 1000 : clock);
		MessagePort.prototype.postMessage = function (/** @type {any[]} */ ...message) {
			if (holding) held.push(() => postMessage.apply(this, /** @type {any} */ (message)));
			else postMessage.apply(this, /** @type {any} */ (message));
		};
		window.setTimeout = /** @type {any} */ ((/** @type {() => void} */ body, /** @type {number} */ ms) => (holding ? held.push(() => later(body, ms)) : later(body, ms)));
		window.requestIdleCallback = (body, options) => (holding ? held.push(() => idle(body, options)) : idle(body, options));
		Object.assign(window, { hold: (/** @type {boolean} */ on) => {
			holding = on;
			if (!on) for (const go of held.splice(0)) go();
		} });
	});
	const file = pageOf(generate('150000', '4'), 'large');
	await large.goto(`${pathToFileURL(file).href}#g=CPU&v=process&x=p101`);
	await large.waitForFunction(() => document.documentElement.dataset.state === 'ready');
	await large.locator('#processbox section').first().waitFor();
	const by = driver(large);
	const hold = (/** @type {boolean} */ on) => large.evaluate((/** @type {boolean} */ held) => /** @type {any} */ (window).hold(held), on);
	/** @type {string[]} */
	const files = [];
	large.on('download', (/** @type {any} */ f) => files.push(f.suggestedFilename()));
	/** Returns the reason that the page gives. @param {string} button @param {boolean} [inMenu] */
	const refused = async (button, inMenu = false) => {
		if (await large.locator('#closetold').isVisible()) await large.locator('#closetold').click();
		if (inMenu) await large.locator('#save summary').click();
		await large.locator(button).click();
		return await large.locator('#told').isVisible() ? await large.locator('#toldtext').innerText() : '';
	};
	const address = (/** @type {string} */ hash) => large.evaluate((/** @type {string} */ text) => (location.hash = text), hash);
	const text = async (/** @type {string} */ button, inMenu = false) => (await by.saved(button, inMenu)).bytes.toString();
	await large.locator('#panetab-tables').click();
	await large.locator('#tablebox tbody tr').first().waitFor();
	const whole = await text('#savetable', true);
	for (const [hash, button, busy, part] of /** @type {[string, string, string, string][]} */ ([
		['v=process&x=~tree', '#processcsv', '#treebox[aria-busy]', 'All processes,'], ['v=process&x=p108~flame', '#processcsv', '#flamebox[aria-busy]', 'postgres.108'],
		['v=process&x=p115', '#processcsv', '#processbox[aria-busy]', 'table,'], ['v=query&w=call.calls.whole.max-d.kind:fault', '#querycsv', '#querysays', 'page_fault']])) {
		await hold(true);
		await address(`g=CPU&${hash}`);
		await large.locator(busy).waitFor();
		for (const inMenu of [false, true]) {
			const why = await refused(inMenu ? '#savetable' : button, inMenu);
			check(/not complete yet|no table yet/.test(why), `${hash}: "${why}"`);
		}
		await hold(false);
		await large.locator(busy.startsWith('#query') ? '#querybox tbody tr' : busy.replace(/\[.*/, ':not([aria-busy])')).first().waitFor();
		const saved = await text(button);
		check(saved.split('\r\n').length > 3 && saved.includes(part), `${hash}: ${saved.slice(0, 200)}`);
	}
	await large.locator('#panetab-tables').click();
	await hold(true);
	const axis = await large.locator('#axis').boundingBox();
	await by.drag([axis.x + axis.width * 0.4, axis.y + 9], [axis.x + axis.width * 0.45, axis.y + 9]);
	check(/not complete yet/.test(await refused('#savetable', true)), 'the tables of a selection');
	const before = await large.locator('#tablebox').textContent();
	await hold(false);
	await large.waitForFunction((/** @type {string} */ text) => document.getElementById('tablebox')?.textContent !== text, before);
	check(await text('#savetable', true) !== whole, 'the selection has the table of the whole trace');
	await large.locator('#closepanel').click();
	check(/No table is open/.test(await refused('#savetable', true)), 'no panel');
	equal(files.length, 6, `files: ${files}`);
	await large.close();
});

const flame = () => page.evaluate(() => window.kutrace.flame());
await test('the flame graph has nested boxes as wide as their time; a click narrows it, the path widens it', async () => {
	await address('g=CPU&v=process&x=~flame');
	let boxes = await flame();
	const all = boxes[0];
	const canvas = await page.locator('#flamebox canvas').boundingBox();
	check(Math.abs(all.width - canvas.width) < 1 && boxes.length > 40, `${boxes.length} boxes, the first ${all.width} wide`);
	for (const box of boxes) check(Math.abs(box.width - (all.width * box.elapsed) / all.elapsed) < 0.01, `${box.path.join(' > ')} is ${box.width} wide`);
	for (const box of boxes.slice(1)) {
		const above = boxes.find((/** @type {any} */ o) => o.path.join() === box.path.slice(0, -1).join());
		check(box.x >= above.x - 0.01 && box.x + box.width <= above.x + above.width + 0.01 && Math.abs(box.y - above.y - above.height) < 0.01, `${box.label} is not in ${above.label}`);
	}
	const ran = stock.calls.reduce((sum, c) => sum + ownOf(c), 0);
	equal(all.cpu, ran, 'all that ran');
	const process = boxes.find((/** @type {any} */ o) => o.label === 'workload.105');
	await page.mouse.move(process.x + process.width / 2, process.y + 5);
	check((await page.locator('.told').innerText()).startsWith('workload.105: '), 'hover tells');
	await page.mouse.click(process.x + process.width / 2, process.y + 5);
	boxes = await flame();
	const narrowed = boxes.find((/** @type {any} */ o) => o.label === 'workload.105');
	check(Math.abs(narrowed.width - canvas.width) < 1, 'narrowed');
	const call = boxes.find((/** @type {any} */ o) => o.label === 'wait4');
	const want = /** @type {Branch} */ (branchesOf(stock, [105]).get('workload.105 > wait4'));
	equal([call.elapsed, call.cpu, call.count], [want.elapsed, want.cpu, want.count], 'wait4');
	await page.locator('.path button').first().click();
	check(Math.abs((await flame()).find((/** @type {any} */ o) => o.label === 'workload.105').width - process.width) < 0.01, 'wide again');
	await page.locator('#flameby').selectOption('cpu');
	boxes = await flame();
	for (const box of boxes) check(Math.abs(box.width - (boxes[0].width * box.cpu) / boxes[0].cpu) < 0.01, `on CPU: ${box.label}`);
	check(!boxes.some((/** @type {any} */ o) => o.label.startsWith('waiting')), 'nothing waits on a CPU');
	await page.waitForFunction(() => location.hash.includes('flame.cpu'));
});

await test('the flame graph works by keys: arrows, Enter, Esc; over the picture and back', async () => {
	await address('g=CPU&v=process&x=~flame');
	await page.locator('#flamewide').click();
	const canvas = page.locator('#flamelarge canvas');
	check(await canvas.isVisible() && await page.locator('#treebox').isVisible(), 'over the picture, the table beside it');
	check((await canvas.boundingBox()).width > 500, 'wide');
	const told = async () => (await page.locator('.told').innerText()).split(':')[0];
	await canvas.focus();
	const boxes = await flame();
	const second = boxes.filter((/** @type {any} */ o) => o.path.length === 2);
	await page.keyboard.press('ArrowDown');
	equal(await told(), second[0].label, 'down');
	await page.keyboard.press('ArrowRight');
	equal(await told(), second[1].label, 'right');
	await page.keyboard.press('ArrowLeft');
	await page.keyboard.press('ArrowRight');
	await page.keyboard.press('Enter');
	const width = (await flame()).find((/** @type {any} */ o) => o.label === second[1].label).width;
	check(Math.abs(width - boxes[0].width) < 1, 'Enter narrows');
	await page.keyboard.press('Escape');
	check(Math.abs((await flame()).find((/** @type {any} */ o) => o.label === second[1].label).width - second[1].width) < 0.01, 'Esc widens');
	await page.keyboard.press('Escape');
	check(await page.locator('#flamelarge').isHidden() && await page.locator('#flamehome canvas').isVisible(), 'Esc: back in the panel');
	await page.locator('#panetab-tables').click();
	await address('g=CPU&v=process&x=~flame.large');
	check(await page.locator('#flamelarge canvas').isVisible(), 'by its address');
	await page.locator('#panetab-tables').click();
	await d.settle();
	check(await page.locator('#flamelarge').isHidden(), 'not without its pane');
	await page.close();
});

// 11 forks 12, which calls exec, waits for a lock and exits; in units of 1 ms
const at = (/** @type {number} */ ms) => ms / 1000;
/** @param {number} a @param {number} b @param {number} cpu @param {number} pid @param {string} name @param {number} [event] @param {number} [ret] @returns {Row} */
const run = (a, b, cpu, pid, name, event = 65536 + pid, ret = 0) => [at(a), at(b - a), cpu, pid, 0, event, 0, ret, 0, name];
/** @type {Row[]} */
const family = [
	run(0, 10, 0, 11, 'shell.11'), run(10, 14, 0, 11, 'clone', Event.SYSCALL64 + 56, 12), run(14, 30, 0, 11, 'shell.11'), run(0, 12, 1, 0, '-idle-', 65536),
	[at(11), at(1), 0, 11, 0, -3, 1, 12, 0, '-wakeup-'], run(12, 20, 1, 12, 'child.12'), run(20, 25, 1, 12, 'exit_group', Event.SYSCALL64 + 231), run(25, 30, 1, 0, '-idle-', 65536),
];
family.sort((a, b) => a[0] - b[0]);

await test('parent, children, birth and exit', async () => {
	page = await browser.open(pageOf(jsonOf(family), 'family'), 'ready', 'v=process&x=p12');
	d = driver(page);
	let about = await page.locator('.about').innerText();
	for (const part of ['shell.11', 'began 0.01200000 s', 'exited 0.02500000 s']) check(about.replace(/\s+/g, ' ').includes(part), `lacks ${part}: ${about}`);
	await page.locator('.about .link').click();
	equal(await title(), 'shell.11', 'a click on the parent');
	about = await page.locator('.about').innerText();
	check(/forked\s+child\.12/.test(about) && about.includes('from the start, no exit recorded'), about);
	await page.close();
});
await test('process: no complaint on the console, no request', () => {
	equal(browser.complaints, [], 'console');
	equal(browser.requests, [], 'requests');
});
await browser.close();
