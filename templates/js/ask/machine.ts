// SPDX-License-Identifier: BSD-3-Clause
/**
 * Computes graphs of the machine or of a process over time, in columns: CPU use, number of waiting processes, packets.
 * quantities() lists the graphs for which the trace has data. A graph has n columns, each of the length step. Times are in
 * units of 10 ns.
 */
import * as Event from '../base/events.ts';
import { EXECUTION_KINDS, Kind, LAST_IDLE, WAIT_CPU, waitEvent } from '../base/kinds.ts';
import { seekSpan } from './wakes.ts';
import type { SpanList } from '../data/spans.ts';
import type { Trace } from '../data/trace.ts';

/** Parts of CPU use, lowest first in the graph. */
export const USE_PARTS = ['user', 'kernel', 'interrupts'] as const;
/** Index in USE_PARTS of each execution kind. */
const partOf = Uint8Array.from({ length: EXECUTION_KINDS }, (_, kind) => (kind === Kind.USER ? 0 : kind === Kind.IRQ || kind === Kind.SOFTIRQ ? 2 : 1));

/** Computes the CPU use of the spans in lists. @returns for each column and part, the average number of CPUs that it used */
export function cpuUse(lists: Iterable<SpanList>, t0: number, step: number, n: number): Float64Array {
	const parts = USE_PARTS.length;
	const use = new Float64Array(n * parts);
	const times = new Float64Array(EXECUTION_KINDS);
	const add = (x: number) => {
		for (let kind = LAST_IDLE + 1; kind < EXECUTION_KINDS; kind++) use[x * parts + partOf[kind]] += Math.max(0, times[kind]) / step;
	};
	for (const list of lists) {
		if (!list.length) continue;
		list.prepare();
		const columns = list.columns(step);
		if (columns.depth >= 0) {
			for (let x = 0; x < n; x++) {
				columns.coarse(t0 + x * step, t0 + (x + 1) * step, times);
				add(x);
			}
			continue;
		}
		for (let x = 0, i = list.first(t0); x < n && i < list.length; x++) {
			const tl = t0 + x * step;
			const tr = tl + step;
			while (i < list.length && list.end(i) <= tl) i++;
			if (i >= list.length || list.start(i) >= tr) continue;
			const j = Math.max(i + 1, list.seekNear(tr, i));
			columns.times(i, j, tl, tr, times);
			add(x);
			i = j - 1;
		}
	}
	return use;
}

/** Computes the exact CPU time of each part of one list in a range. */
export function useIn(list: SpanList, t0: number, t1: number): Float64Array {
	const use = new Float64Array(USE_PARTS.length);
	if (!list.length) return use;
	list.prepare();
	const times = new Float64Array(EXECUTION_KINDS);
	const [first, end] = [list.first(t0), list.seek(t1)];
	if (first >= end) return use;
	list.times(first, end, times);
	times[list.kind(first)] -= Math.max(0, t0 - list.start(first));
	times[list.kind(end - 1)] -= Math.max(0, list.end(end - 1) - t1);
	for (let kind = LAST_IDLE + 1; kind < EXECUTION_KINDS; kind++) use[partOf[kind]] += times[kind];
	return use;
}

/** A block has 2^BLOCK_BITS changes; its maximum is stored. */
const BLOCK_BITS = 6;

/** Number of overlapping spans at a time. */
export class Depth {
	/** For each change of the number: its time, the new number, and the sum of number times duration up to this time. */
	at: Float64Array;
	number: Int32Array;
	area: Float64Array;
	/** Maximum of the number in each block of changes. */
	most: Int32Array;

	/** @param spans spans in order of start */
	constructor(trace: Trace, spans: Uint32Array) {
		const n = spans.length;
		const starts = new Float64Array(n + 1);
		const ends = new Float64Array(n + 1);
		const { start, dur } = trace;
		for (let i = 0; i < n; i++) {
			const g = spans[i];
			starts[i] = start[g];
			ends[i] = start[g] + dur[g];
		}
		// sentinels, so that the loop need not check the lengths
		starts[n] = ends[n] = Infinity;
		ends.sort();
		this.at = new Float64Array(2 * n);
		this.number = new Int32Array(2 * n);
		this.area = new Float64Array(2 * n);
		this.most = new Int32Array((2 * n >> BLOCK_BITS) + 1);
		let area = 0;
		let number = 0;
		for (let i = 0, s = 0, e = 0, last = starts[0]; i < 2 * n; i++) {
			// a span that ends where another begins does not overlap it
			const ending = ends[e] <= starts[s];
			const t = ending ? ends[e++] : starts[s++];
			area += number * (t - last);
			last = t;
			number += ending ? -1 : 1;
			this.at[i] = t;
			this.number[i] = number;
			this.area[i] = area;
			const block = i >> BLOCK_BITS;
			if (number > this.most[block]) this.most[block] = number;
		}
	}

	/** Returns the number of changes before t. @param lo number of changes that are known to be before t */
	#before(t: number, lo: number) {
		const { at } = this;
		let hi = at.length;
		while (lo < hi) {
			const mid = (lo + hi) >>> 1;
			if (at[mid] < t) lo = mid + 1;
			else hi = mid;
		}
		return lo;
	}

	/** Returns the maximum of the number after the changes [a, b). */
	#highest(a: number, b: number) {
		let highest = 0;
		while (a < b) {
			const whole = (a & ((1 << BLOCK_BITS) - 1)) === 0 && a + (1 << BLOCK_BITS) <= b;
			const number = whole ? this.most[a >> BLOCK_BITS] : this.number[a];
			if (number > highest) highest = number;
			a += whole ? 1 << BLOCK_BITS : 1;
		}
		return highest;
	}

	/** Returns the mean and the maximum of the number in each column. */
	columns(t0: number, step: number, n: number): {mean: Float64Array, most: Float64Array} {
		const mean = new Float64Array(n);
		const most = new Float64Array(n);
		let i = this.#before(t0, 0);
		/** Returns the sum of number times duration up to t. i: number of changes before t. */
		const area = (t: number) => (i ? this.area[i - 1] + this.number[i - 1] * (t - this.at[i - 1]) : 0);
		let before = area(t0);
		for (let x = 0; x < n; x++) {
			const tr = t0 + (x + 1) * step;
			const from = i;
			i = this.#before(tr, i);
			const now = area(tr);
			mean[x] = (now - before) / step;
			before = now;
			most[x] = Math.max(from ? this.number[from - 1] : 0, this.#highest(from, i));
		}
		return { mean, most };
	}
}

/** Returns how many spans begin in each column. @param spans spans in order of start */
export function begun(trace: Trace, spans: Uint32Array, t0: number, step: number, n: number) {
	const counts = new Float64Array(n);
	for (let i = seekSpan(trace, spans, t0); i < spans.length; i++) {
		const x = Math.floor((trace.start[spans[i]] - t0) / step);
		if (x >= n) break;
		counts[x]++;
	}
	return counts;
}

/** parts: stacked curves; most: top of the scale; peak: maximum in each column, or null. */
export type Graph = {parts: {name: string, values: Float64Array}[], most: number, peak: Float64Array | null, unit: string};
export type Quantity = {id: number, label: string, what: string, graph: (t0: number, step: number, n: number) => Graph};

const useParts = (use: Float64Array, n: number) => USE_PARTS.map((name, p) => ({ name, values: Float64Array.from({ length: n }, (_, x) => use[x * USE_PARTS.length + p]) }));

export const processUse = (list: SpanList, t0: number, step: number, n: number): Graph => ({ parts: useParts(cpuUse([list], t0, step, n), n), most: 1, peak: null, unit: 'CPU' });

/** Returns the quantities that this trace can show over time. */
export function quantities(trace: Trace): Quantity[] {
	const list: Quantity[] = [];
	const cpus = trace.cpus.size;
	if (!cpus) return list;
	list.push({
		id: 0, label: 'CPU use', what: `of ${cpus} CPU${cpus === 1 ? '' : 's'}`,
		graph: (t0, step, n) => ({ parts: useParts(cpuUse(trace.cpus.values(), t0, step, n), n), most: cpus, peak: null, unit: 'CPUs' }),
	});
	const of = (event: number, kind: number) => (trace.events.some((e) => e === event) ? trace.byKind[kind].filter((g) => trace.event(g) === event) : new Uint32Array(0));
	const waiting = (id: number, label: string, what: string, event: number) => {
		const spans = of(event, Kind.WAIT);
		if (!spans.length) return;
		let depth: Depth | null = null;
		list.push({
			id, label, what,
			graph: (t0, step, n) => {
				const { mean, most } = (depth ??= new Depth(trace, spans)).columns(t0, step, n);
				return { parts: [{ name: 'on average', values: mean }], most: Math.max(1, ...most), peak: most, unit: 'waiting' };
			},
		});
	};
	waiting(1, 'run queue', 'ready processes', WAIT_CPU);
	waiting(2, 'disk queue', 'processes that wait for a disk', waitEvent('d'));
	const packets = [['received', of(Event.RX_PKT, Kind.PACKET)], ['sent', of(Event.TX_PKT, Kind.PACKET)]];
	if (packets.some(([, spans]) => spans.length)) {
		list.push({
			id: 3, label: 'packets', what: 'received and sent',
			graph: (t0, step, n) => {
				const parts = packets.map(([name, spans]) => ({ name: String(name), values: begun(trace, spans as Uint32Array, t0, step, n) }));
				const most = parts[0].values.reduce((m, v, x) => Math.max(m, v + parts[1].values[x]), 1);
				return { parts, most, peak: null, unit: 'packets' };
			},
		});
	}
	return list;
}
