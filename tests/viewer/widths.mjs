// SPDX-License-Identifier: BSD-3-Clause
/**
 * Tests that columns are as narrow as their numbers permit, and never too narrow. Names, processes and RPCs get
 * numbers below and above the limits of 16 and 32 bits. Prints TAP. Needs no browser.
 */
import { findNow } from '../../templates/js/ask/find.ts';
import { parse } from '../../templates/js/ask/grammar.ts';
import { sortTracks } from '../../templates/js/data/sort.ts';
import { Event } from './events.mjs';
import { jsonOf } from './pages.mjs';
import { equal, test } from './tap.mjs';
import { traceOf } from './traceof.mjs';

/** @typedef {import('./pages.mjs').Row} Row */

/** @param {string} text */
const asked = (text) => ({ tree: parse(text), from: 0, to: Infinity, sensitive: true, zero: 0, rows: [] });

/**
 * Makes spans of two CPUs, one after the other, in which one column has these numbers, and a wakeup that has the last
 * number. The other columns have small numbers.
 * @param {number[]} numbers
 * @param {'pid' | 'rpc'} column
 */
function rowsWith(numbers, column) {
	const rows = numbers.flatMap((n, i) => [n, 7].map((value, cpu) => /** @type {Row} */ (
		[1 + i * 1e-6, 5e-7, cpu, column === 'pid' ? value : 7, column === 'rpc' ? value : 3, 65536 + 9, 0, 0, 0, 'program.9'])));
	const last = numbers[numbers.length - 1];
	rows.push([1 + numbers.length * 1e-6, 1e-7, 0, column === 'pid' ? last : 7, column === 'rpc' ? last : 3, Event.RUNNABLE, 0, 7, 0, 'runnable.7']);
	return rows;
}

/** @type {[number[], {name: string}][]} */
const WIDTHS = [
	[[-1, 0, 5, 32767], Int16Array],
	[[5, 32768], Int32Array],
	[[5, 65535], Int32Array],
	// 65541 and 131071 would become 5 and -1 in 16 bits
	[[5, 65541, 131071], Int32Array],
	[[-1, 5, 2 ** 31 - 1], Int32Array],
	[[5, 2 ** 31], Float64Array],
	[[5, 2 ** 32 + 5, 2 ** 40], Float64Array],
];

for (const column of /** @type {const} */ (['pid', 'rpc']))
	await test(`${column}: the column has the width of its numbers, and each is unchanged`, async () => {
		for (const [numbers, kind] of WIDTHS) {
			const rows = rowsWith([...numbers], column);
			const what = `${column} ${numbers}`;
			const trace = await traceOf(jsonOf(rows), `${column}${numbers.length}-${numbers[numbers.length - 1]}`);
			const array = column === 'pid' ? trace.pid : trace.rpc?.values;
			equal(array?.constructor.name, kind.name, `${what}: array`);
			const at = column === 'pid' ? 3 : 4;
			equal(Array.from(array ?? []).sort((a, b) => a - b), rows.map((r) => r[at]).sort((a, b) => a - b), what);
			for (const n of new Set([...numbers, 7, 5, 0])) {
				if (column === 'rpc' && n < 0) continue;
				const { count, matches } = findNow(trace, asked(`${column}:${n}`)).total(0, Infinity);
				const want = rows.filter((r) => r[at] === n).length;
				equal([count, matches], [want, want], `${what}: search for ${n}`);
				const not = findNow(trace, asked(`!${column}:${n}`)).total(0, Infinity);
				equal(not.count, rows.length - want, `${what}: search for all but ${n}`);
			}
			if (column === 'rpc') continue;
			for (const n of numbers) {
				if (n > 0) equal(trace.processes().find(({ id }) => id === n)?.spans.length, 1, `${what}: row of ${n}`);
				const [one] = trace.cpus.values();
				equal(trace.pid[one.at(numbers.indexOf(n))], n, `${what}: span of ${n}`);
			}
		}
	});

await test('rpc: values of spans without a CPU take no space for other spans, and each is unchanged, also in an unsorted file', async () => {
	// a page may have its spans in any order
	const arrays = /** @type {any} */ ({
		start: Float64Array.of(1, 2, 5, 4), dur: Uint32Array.of(1, 2, 3, 4), name: Uint16Array.of(1, 2, 3, 4), kind: Uint8Array.of(1, 2, 3, 4), pid: Int16Array.of(1, 2, 3, 4),
		rpc: Int16Array.of(-1, 7), rpcFrom: 2, cpu: Int32Array.of(8, 9),
	});
	sortTracks(/** @type {any} */ ({ spans: 4, otherOffset: 2, tracks: [{ cpu: 0, lo: 0, hi: 2 }, { cpu: -1, lo: 2, hi: 4 }] }), arrays);
	equal(['start', 'dur', 'name', 'kind', 'pid', 'rpc', 'cpu'].map((name) => [...arrays[name]]), [[1, 2, 4, 5], ...new Array(4).fill([1, 2, 4, 3]), [7, -1], [9, 8]], 'in order');
	/** @type {Row[]} */
	const rows = Array.from({ length: 60 }, (_, i) => (i % 3 ? [1 + i * 1e-6, 5e-7, i % 2, 7, 0, 65536 + 7, 0, 0, 0, 'program.7'] :
		[1 + i * 1e-6, 5e-7, -1, 7, i % 4 - 1, Event.WAITA + 2, i, 0, 0, 'wait_cpu']));
	for (const [name, list] of /** @type {[string, Row[]][]} */ ([['sorted', rows], ['unsorted', [...rows.slice(30), ...rows.slice(0, 30)]]])) {
		const trace = await traceOf(jsonOf(list), `tail-${name}`);
		equal(trace.rpc?.values.length, rows.filter((r) => r[2] < 0).length, `${name}: those that have room`);
		/** @param {Row} a @param {Row} b */
		const byTime = (a, b) => a[0] - b[0];
		const got = Array.from({ length: trace.length }, (_, g) => trace.row(g));
		equal([...got].sort(byTime), [...rows].sort(byTime), name);
		equal(got.filter((r) => r[2] < 0), rows.filter((r) => r[2] < 0), `${name}: in order of time`);
		for (const n of [-1, 0, 2]) equal(findNow(trace, asked(`rpc:${n}..${n}`)).total(0, Infinity).count, rows.filter((r) => r[4] === n).length, `${name}: search for ${n}`);
	}
});

await test('names: 16 bits for 65,536 of them, 32 for one more, and each is unchanged', async () => {
	for (const [count, kind] of /** @type {const} */ ([[65536, Uint16Array], [65537, Uint32Array]])) {
		/** @type {Row[]} */
		const rows = Array.from({ length: count }, (_, i) => [1 + i * 1e-6, 1e-6, 0, 5, 0, Event.SYSCALL64 + (i % 256), 0, 0, 0, `call${i}`]);
		const trace = await traceOf(jsonOf(rows), `names${count}`);
		equal(trace.texts.length, count, 'names');
		equal(trace.name.constructor.name, kind.name, `${count}: array`);
		for (const i of [0, 1, 255, 32768, 65535, count - 1]) {
			equal(trace.text(i), `call${i}`, `${count}: span ${i}`);
			const found = findNow(trace, asked(`^call${i}$`));
			equal([...found.lists()[0]], [i], `${count}: search for call${i}`);
			equal(found.total(0, Infinity).count, 1, `${count}: how many`);
		}
	}
});
