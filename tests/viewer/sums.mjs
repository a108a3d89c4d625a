// SPDX-License-Identifier: BSD-3-Clause
/**
 * Tests that stored sums equal sums over spans: the sums of a process, which come from the sums of the whole trace,
 * and the totals of a search, which come from the totals of names and processes. Also tests quantiles and the
 * positions of matches on the screen. Prints TAP. Needs no browser.
 */
import { detailsOf } from '../../templates/js/ask/details.ts';
import { findNow } from '../../templates/js/ask/find.ts';
import { parse } from '../../templates/js/ask/grammar.ts';
import { runWords } from '../../templates/js/ask/pathwords.ts';
import { SubjectSums, prepare, prepared } from '../../templates/js/ask/process.ts';
import { numbersAt } from '../../templates/js/ask/quantile.ts';
import { Matches } from '../../templates/js/ask/search.ts';
import { tally, wholeTally } from '../../templates/js/ask/stats.ts';
import { Kind, isOwn } from '../../templates/js/base/kinds.ts';
import { matchesOnScreen } from '../../templates/js/draw/found.ts';
import { Event, LOCAL_TIMER, PAGE_FAULT } from './events.mjs';
import { golden, jsonOf } from './pages.mjs';
import { check, equal, near, test } from './tap.mjs';
import { traceOf } from './traceof.mjs';

/** @typedef {import('../../templates/js/data/trace.ts').Trace} Trace */
/** @typedef {import('../../templates/js/ask/process.ts').Subject} Subject */

let state = 31415;
const random = () => {
	state = (Math.imul(state, 1103515245) + 12345) >>> 0;
	return (state >>> 8) / 16777216;
};
/** @template T @param {Generator<unknown, T, void>} work @returns {T} */
function all(work) {
	for (let step = work.next(); ; step = work.next()) if (step.done) return step.value;
}
/** @param {string} text */
const asked = (text) => ({ tree: parse(text), from: 0, to: Infinity, sensitive: true, zero: 0, rows: [] });

/** Calls that are cut off, the first of several equally long calls, calls in parts, and calls on two CPUs. */
const edges = jsonOf([
	[0.9, 1e-3, 1, 5, 0, 65541, 0, 0, 0, 'a.5'], [0.95, 1e-3, 0, 5, 0, 65541, 0, 0, 0, 'a.5'],
	[1, 1e-5, 0, 5, 0, 65541, 0, 0, 0, 'a.5'], [1, 1e-5, 1, 6, 0, 65542, 0, 0, 0, 'b.6'],
	...Array.from({ length: 41 }, (_, i) => /** @type {import('./pages.mjs').Row[]} */ ([
		[1.00001 + i * 1e-5, 4e-6, 0, i % 3 ? 5 : 6, 0, Event.SYSCALL64 + 1, 0, 0, 0, i % 7 ? 'read' : 'read?'], [1.000014 + i * 1e-5, 6e-6, 0, i % 3 ? 5 : 6, 0, i % 2 ? PAGE_FAULT : 65541, 0, 0, 0, i % 2 ? 'page_fault' : 'a.5'],
		[1.00001 + i * 1e-5, 4e-6, 1, i % 3 ? 6 : 5, 0, Event.SYSCALL64 + 1, 0, 0, 0, 'read'], [1.000014 + i * 1e-5, 6e-6, 1, i % 3 ? 6 : 5, 0, 65536, 0, 0, 0, '-idle-'],
	])).flat(),
]);
/** @type {[string, Trace][]} */
const traces = [];
for (const [name, json] of /** @type {[string, string | Buffer][]} */ ([['patched-4cpu', golden('patched-4cpu')], ['stock', golden('stock')], ['edges', edges]]))
	traces.push([name, await traceOf(json, name)]);

/** Returns the sums of a pane. @param {Trace} trace @param {Subject} subject */
function particulars(trace, subject) {
	const sums = new SubjectSums(trace, callsOf(trace), subject, trace.first, trace.last);
	all(sums.work());
	return asPlain(sums);
}

/** @param {Trace} trace */
const callsOf = ({ calls }) => /** @type {import('../../templates/js/data/calls.ts').Calls} */ (calls);

/** Returns the sums in a fixed order. @param {SubjectSums} sums complete sums */
function asPlain(sums) {
	/** @param {Map<any, any>} map @param {(s: any) => unknown} of */
	const plain = (map, of) => [...map.values()].map(of).map((x) => JSON.stringify(x)).sort();
	const { groups, names, kinds } = sums.calls;
	/** @param {any} s */
	const keyed = (s) => [s.key, s.count, s.units, s.longest, s.most, s.letter, s.call];
	return {
		groups, names, kinds, waits: plain(sums.waits, keyed), wokenBy: plain(sums.wokenBy, keyed), woke: plain(sums.woke, keyed),
		cpus: plain(sums.cpus, (c) => c), migrations: sums.migrations, delays: sums.delays, takenBy: plain(sums.takenBy, keyed), others: plain(sums.others, keyed),
	};
}

await test('sums of a process, a kind and a name are equal from the sums of the whole trace and from spans', () => {
	for (const [name, trace] of traces) {
		const subjects = [...[0, ...trace.processes().map(({ id }) => id)].map((pid) => ({ pids: [pid] })), ...[...new Set(trace.kinds)].map((kind) => ({ kind })),
			...trace.texts.map((_, entry) => ({ entry })), { pids: trace.processes().slice(0, 2).map(({ id }) => id) }];
		equal(wholeTally(trace, trace.first, trace.last), null, `${name}: nothing has been added up`);
		const own = subjects.map((subject) => particulars(trace, subject));
		const sums = tally(trace, trace.first, trace.last);
		check(wholeTally(trace, trace.first, trace.last) === sums, `${name}: the whole is not kept`);
		equal([wholeTally(trace, trace.first, trace.last - 1), wholeTally(trace, trace.first + 1, trace.last)], [null, null], `${name}: a part is taken for the whole`);
		let taken = 0;
		subjects.forEach((subject, i) => {
			equal(particulars(trace, subject), own[i], `${name}: ${JSON.stringify(subject)}`);
			if (sums.calls?.of(subject)) taken++;
		});
		equal(taken, subjects.length - 1, `${name}: all but two processes together are told from the whole`);
		check(own.some(({ groups }) => groups.some(({ p99 }) => p99 > 0)) && (name === 'edges' || own.some(({ waits }) => waits.length > 2)), `${name}: there is little to compare`);
	}
});

await test('the sums of the processes with most spans are computed before they are opened, and are equal', () => {
	for (const [name, trace] of traces) {
		const [largest, ...others] = trace.processes().sort((a, b) => b.spans.length - a.spans.length).map(({ id }) => ({ pids: [id] }));
		equal(prepared(trace, largest, trace.first, trace.last), null, `${name}: before`);
		all(prepare(trace, callsOf(trace), 2));
		for (const subject of [largest, ...others].slice(0, 2)) {
			const made = prepared(trace, subject, trace.first, trace.last);
			check(made, `${name}: ${subject.pids} is not ready`);
			equal(asPlain(/** @type {SubjectSums} */ (made)), particulars(trace, subject), `${name}: ${subject.pids}`);
		}
		equal([prepared(trace, largest, trace.first, trace.last - 1), prepared(trace, { pids: [largest.pids[0], 0] }, trace.first, trace.last), prepared(trace, { kind: 4 }, trace.first, trace.last)],
			[null, null, null], `${name}: something else is taken for it`);
	}
});

await test('a search by names or processes has its totals before any span is added up', () => {
	for (const [name, trace] of traces) {
		const { calls } = trace;
		const pids = trace.processes().map(({ id }) => id);
		for (const text of ['.', 'read', '^page_fault$', '!read', 'kind:irq,softirq', 'nothing at all', `pid:${pids[0]}`, `pid:${pids[0]}..${pids[pids.length - 1]}`, 'pid:0', '!pid:0', 'process:^a', 'pid:99999']) {
			const found = findNow(trace, asked(text));
			check(found.whole, `${name}, ${text}: not known`);
			const lists = [...found.executions, { cpu: -1, ids: found.others.ids }];
			const added = new Matches(trace, calls, lists, found.joined.ids);
			equal(found.total(0, Infinity), added.total(0, Infinity), `${name}, ${text}`);
			equal(found.visited, 0, `${name}, ${text}: spans that were added up`);
			// totals of a part of the trace are not stored
			const [a, b] = [trace.first + (trace.last - trace.first) * 0.3, trace.first + (trace.last - trace.first) * 0.6];
			equal(found.total(a, b), added.total(a, b), `${name}, ${text}, a part`);
			// a search with limits examines every span; with these limits, the totals must be equal
			const slow = findNow(trace, { ...asked(text), from: 0, to: 1e15 });
			equal(slow.whole, null, `${name}, ${text}: limits`);
			equal(found.total(0, Infinity), slow.total(0, Infinity), `${name}, ${text}, as when it is limited by what nothing exceeds`);
			const both = findNow(trace, asked(`(${text}) cpu:0..`));
			equal(both.executions.map(({ ids }) => ids.length), found.executions.map(({ ids }) => ids.length), `${name}, ${text}, with a CPU`);
		}
	}
});

await test('quantiles equal the values at their positions in the sorted list', () => {
	for (const count of [1, 255, 257, 5000, 130000]) for (const bits of [0, 3, 20, 31.9, 52]) for (const same of [0, 0.6, 1]) {
		const numbers = Array.from({ length: count }, () => (random() < same ? 123 : Math.floor(2 ** (random() * bits)) - Number(random() < 0.5)));
		const values = bits > 32 ? Float64Array.from(numbers) : Uint32Array.from(numbers, (n) => Math.max(0, n));
		// the values are a part of a larger array
		const whole = /** @type {typeof values} */ (new /** @type {any} */ (values.constructor)(count + 20));
		whole.set(values, 10);
		const sorted = values.slice().sort();
		const places = [...new Set([0, Math.floor(count / 2), Math.floor(count * 0.99), count - 1])];
		equal(all(numbersAt(whole, 10, 10 + count, places)), places.map((p) => sorted[p]), `${count} numbers of up to ${bits} bits, ${same} of them alike`);
		equal([...whole.subarray(10, 10 + count)], [...values], 'they stay as they were');
	}
});

/** Returns a view like the picture's view: rows of all CPUs and processes. @param {Trace} trace @param {number} t0 @param {number} t1 */
function viewOf(trace, t0, t1) {
	const width = 900;
	const rows = [...[...trace.cpus.keys()].map((id) => ({ group: 'CPU', id })), ...trace.processes().map(({ id }) => ({ group: 'PID', id }))];
	return /** @type {any} */ ({
		trace, t0, t1, width, moving: false, rows: { visible: rows },
		x: (/** @type {number} */ t) => ((t - t0) / (t1 - t0)) * width, time: (/** @type {number} */ x) => t0 + (x / width) * (t1 - t0),
	});
}

await test('matches are shown in the rows of their CPU and of their process', () => {
	for (const [name, trace] of traces) for (const [from, to] of [[0, 1], [0.4, 0.45], [0.7, 0.7005]]) {
		const length = trace.last - trace.first;
		const view = viewOf(trace, trace.first + from * length, trace.first + to * length);
		for (const text of ['.', 'read', 'kind:wait', 'kind:user', 'page_fault', `pid:${trace.processes()[0].id}`]) {
			const found = findNow(trace, asked(text));
			const { total, ranges, named } = matchesOnScreen(view, found);
			const what = `${name}, ${from} to ${to}, ${text}`;
			/** Pixels with a match, by row. @type {Map<any, Uint8Array>} */
			const want = new Map(view.rows.visible.map((/** @type {any} */ r) => [r, new Uint8Array(view.width + 4)]));
			/** The matches on screen: all spans of a call are one match, by its first span. */
			const calls = new Set();
			for (const ids of found.lists()) for (const g of ids) {
				if (trace.end(g) < view.t0 || trace.start[g] > view.t1) continue;
				calls.add(trace.calls?.pieces(g)[0] ?? g);
				for (const row of view.rows.visible) {
					if (row.id !== (row.group === 'CPU' ? trace.cpuOf(g) : trace.pid[g])) continue;
					const at = /** @type {Uint8Array} */ (want.get(row));
					for (let x = Math.max(0, Math.floor(view.x(trace.start[g]))); x <= Math.min(view.width, Math.floor(view.x(trace.end(g)))); x++) at[x] = 1;
				}
			}
			// a span that ends at the left edge may or may not count
			check(Math.abs(total - calls.size) <= 2 * trace.tracks.length, `${what}: ${total} matches, not ${calls.size}`);
			for (const [row, pixels] of want) {
				const list = ranges.get(row) ?? [];
				const got = new Uint8Array(view.width + 4);
				for (let i = 0; i < list.length; i += 2) {
					check(list[i] < list[i + 1] && (i === 0 || list[i] > list[i - 1]), `${what}, ${row.group} ${row.id}: not in order: ${list.slice(Math.max(0, i - 2), i + 4)}`);
					for (let x = Math.floor(list[i]); x < list[i + 1]; x++) got[x] = 1;
				}
				for (let x = 1; x < view.width; x++) {
					if (pixels[x] && !(got[x - 1] || got[x] || got[x + 1])) throw new Error(`${what}, ${row.group} ${row.id}: nothing at pixel ${x}`);
					if (got[x] && !(pixels[x - 1] || pixels[x] || pixels[x + 1] || pixels[x - 2])) throw new Error(`${what}, ${row.group} ${row.id}: something at pixel ${x}`);
				}
			}
			for (const { span, row, x } of named) {
				equal(row.id, row.group === 'CPU' ? trace.cpuOf(span) : trace.pid[span], `${what}: row of a name`);
				near(x, Math.max(0, view.x(trace.start[span])), 1e-6, `${what}: place of a name`);
			}
			if (from === 0 && text === '.') check(new Set(named.map(({ row }) => row)).size >= trace.cpus.size + 2, `${what}: names in a few rows only`);
		}
	}
	check(traces[0][1].byKind[Kind.WAIT].length > 100 && traces[0][1].cpus.size === 4, 'too simple a trace');
});

/**
 * A program, a kernel thread that is interrupted, and on another CPU a program whose code looks like a kernel
 * thread's.
 */
const kernelThread = jsonOf([
	[1, 1e-3, 0, 5, 0, 65541, 0, 0, 0, 'a.5'], [1.001, 2e-3, 0, 6, 0, 65542, 1, 0, 0, 'kworker/0:1.6'],
	[1.003, 1e-3, 0, 6, 0, LOCAL_TIMER, 0, 0, 0, 'local_timer'], [1.004, 3e-3, 0, 6, 0, 65542, 1, 0, 0, 'kworker/0:1.6'],
	[1.007, 1e-3, 0, 5, 0, Event.SYSCALL64 + 1, 3, 4, 0, 'read'], [1.008, 1e-3, 0, 0, 0, 65536, 1, 0, 0, '-idlelp-'],
]);

await test('the time of a kernel thread is shown as kernel time', async () => {
	const trace = await traceOf(kernelThread, 'kernelthread');
	const sums = tally(trace, trace.first, trace.last);
	const of = (/** @type {number} */ pid) => [sums.processes.get(pid)?.user, sums.processes.get(pid)?.kernel].map((units) => Math.round(units ?? -1));
	equal(of(5), [1e5, 1e5], 'the program: user and kernel time');
	equal(of(6), [0, 6e5], 'the kernel thread');
	const [cpu] = sums.cpus;
	equal([cpu.user, cpu.kernel, cpu.interrupts].map(Math.round), [1e5, 6e5, 1e5], 'the CPU: user, kernel, interrupts');
	const own = Array.from({ length: trace.length }, (_, g) => g).filter((g) => isOwn(trace.kind(g)));
	/** @param {number} g */
	const facts = (g) => detailsOf(trace, g).sections[0].facts;
	equal(own.map((g) => `${trace.pid[g]} ${facts(g).find(({ term }) => term === 'kind')?.parts[0]}, ${runWords(trace, g)}`).sort(),
		['5 user, user code', '6 kernel thread, kernel code', '6 kernel thread, kernel code'], 'Details and the words of a path');
	check(!own.some((g) => facts(g).some(({ term }) => term === 'arg0')), 'Details has an argument that is none');
});
