// SPDX-License-Identifier: BSD-3-Clause
/**
 * What is added up once and handed out again is what adding up gives: a search's totals from those of names and processes; and
 * where its matches are on the screen. Prints TAP; wants no browser.
 */
import { findNow } from '../../templates/js/ask/find.js';
import { parse } from '../../templates/js/ask/grammar.js';
import { Matches } from '../../templates/js/ask/search.js';
import { Kind } from '../../templates/js/base/kinds.js';
import { matchesOnScreen } from '../../templates/js/draw/found.js';
import { golden, jsonOf } from './pages.mjs';
import { check, equal, near, test } from './tap.mjs';
import { traceOf } from './traceof.mjs';

/** @typedef {import('../../templates/js/data/trace.js').Trace} Trace */

/** @param {string} text */
const asked = (text) => ({ tree: parse(text), from: 0, to: Infinity, sensitive: true, zero: 0, rows: [] });

/** Calls that are cut off, the longest and the first of several as long, in pieces, on two CPUs. */
const edges = jsonOf([
	[0.9, 1e-3, 1, 5, 0, 65541, 0, 0, 0, 'a.5'], [0.95, 1e-3, 0, 5, 0, 65541, 0, 0, 0, 'a.5'],
	[1, 1e-5, 0, 5, 0, 65541, 0, 0, 0, 'a.5'], [1, 1e-5, 1, 6, 0, 65542, 0, 0, 0, 'b.6'],
	...Array.from({ length: 41 }, (_, i) => /** @type {import('./pages.mjs').Row[]} */ ([
		[1.00001 + i * 1e-5, 4e-6, 0, i % 3 ? 5 : 6, 0, 0x801, 0, 0, 0, i % 7 ? 'read' : 'read?'], [1.000014 + i * 1e-5, 6e-6, 0, i % 3 ? 5 : 6, 0, i % 2 ? 0x40e : 65541, 0, 0, 0, i % 2 ? 'page_fault' : 'a.5'],
		[1.00001 + i * 1e-5, 4e-6, 1, i % 3 ? 6 : 5, 0, 0x801, 0, 0, 0, 'read'], [1.000014 + i * 1e-5, 6e-6, 1, i % 3 ? 6 : 5, 0, 65536, 0, 0, 0, '-idle-'],
	])).flat(),
]);
/** @type {[string, Trace][]} */
const traces = [];
for (const [name, json] of /** @type {[string, string | Buffer][]} */ ([['patched-4cpu', golden('patched-4cpu')], ['stock', golden('stock')], ['edges', edges]]))
	traces.push([name, await traceOf(json, name)]);

await test('a search by names, or by processes, knows what it comes to before anything is added up', () => {
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
			// of a part it is not known
			const [a, b] = [trace.first + (trace.last - trace.first) * 0.3, trace.first + (trace.last - trace.first) * 0.6];
			equal(found.total(a, b), added.total(a, b), `${name}, ${text}, a part`);
			// and as by the slower way, which asks every span
			const slow = findNow(trace, { ...asked(text), from: 0, to: 1e15 });
			equal(slow.whole, null, `${name}, ${text}: limits`);
			equal(found.total(0, Infinity), slow.total(0, Infinity), `${name}, ${text}, as when it is limited by what nothing exceeds`);
			const both = findNow(trace, asked(`(${text}) cpu:0..`));
			equal(both.executions.map(({ ids }) => ids.length), found.executions.map(({ ids }) => ids.length), `${name}, ${text}, with a CPU`);
		}
	}
});

/** A view as the picture asks it: rows of all CPUs and processes. @param {Trace} trace @param {number} t0 @param {number} t1 */
function viewOf(trace, t0, t1) {
	const width = 900;
	const rows = [...[...trace.cpus.keys()].map((id) => ({ group: 'CPU', id })), ...trace.processes().map(({ id }) => ({ group: 'PID', id }))];
	return /** @type {any} */ ({
		trace, t0, t1, width, moving: false, rows: { visible: rows },
		x: (/** @type {number} */ t) => ((t - t0) / (t1 - t0)) * width, time: (/** @type {number} */ x) => t0 + (x / width) * (t1 - t0),
	});
}

await test('matches are shown in the rows of their CPU and of their process, whatever the CPU', () => {
	for (const [name, trace] of traces) for (const [from, to] of [[0, 1], [0.4, 0.45], [0.7, 0.7005]]) {
		const length = trace.last - trace.first;
		const view = viewOf(trace, trace.first + from * length, trace.first + to * length);
		for (const text of ['.', 'read', 'kind:wait', 'kind:user', 'page_fault', `pid:${trace.processes()[0].id}`]) {
			const found = findNow(trace, asked(text));
			const { total, stretches, named } = matchesOnScreen(view, found);
			const what = `${name}, ${from} to ${to}, ${text}`;
			/** Pixels with a match, by row. @type {Map<any, Uint8Array>} */
			const want = new Map(view.rows.visible.map((/** @type {any} */ r) => [r, new Uint8Array(view.width + 4)]));
			let count = 0;
			for (const ids of found.lists()) for (const g of ids) {
				if (trace.end(g) < view.t0 || trace.start[g] > view.t1) continue;
				count++;
				for (const row of view.rows.visible) {
					if (row.id !== (row.group === 'CPU' ? trace.cpuOf(g) : trace.pid[g])) continue;
					const at = /** @type {Uint8Array} */ (want.get(row));
					for (let x = Math.max(0, Math.floor(view.x(trace.start[g]))); x <= Math.min(view.width, Math.floor(view.x(trace.end(g)))); x++) at[x] = 1;
				}
			}
			// a span that ends where the picture begins may count, or not
			check(Math.abs(total - count) <= 2 * trace.tracks.length, `${what}: ${total} matches, not ${count}`);
			for (const [row, pixels] of want) {
				const list = stretches.get(row) ?? [];
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
