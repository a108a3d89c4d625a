// SPDX-License-Identifier: BSD-3-Clause
/** Sorts the spans of a file in which they are not in time order. Must run before tables and lists are made from the arrays. */
import type { Arrays, Plan } from './plan.ts';

/** Sorts the spans of each track by start. Drawing and searching need this order. */
export function sortTracks(plan: Plan, arrays: Arrays) {
	const { start, dur } = arrays;
	// byKind refers to the old order
	arrays.byKind = null;
	const from = (arrays.order = Uint32Array.from({ length: plan.spans }, (_, g) => g));
	for (const { lo, hi } of plan.tracks) {
		let inOrder = true;
		for (let g = lo + 1; g < hi && inOrder; g++) inOrder = start[g - 1] <= start[g];
		if (inOrder) continue;
		const order = new Uint32Array(hi - lo);
		for (let i = 0; i < order.length; i++) order[i] = lo + i;
		order.sort((a, b) => start[a] - start[b] || dur[a] - dur[b] || a - b);
		/** Each column of the arrays, and the number of the column's first span. */
		const columns: [Float64Array | Uint32Array | Int32Array | Uint16Array | Int16Array | Uint8Array | null, number][] = [[arrays.name, 0], [arrays.kind, 0], [arrays.pid, 0], [arrays.rpc, arrays.rpcFrom], [arrays.dur, 0], [arrays.cpu, plan.otherOffset]];
		for (const [array, first] of columns) {
			if (!array?.length || lo < first) continue;
			const copy = array.slice(lo - first, hi - first);
			for (let i = 0; i < order.length; i++) array[lo - first + i] = copy[order[i] - lo];
		}
		from.set(order, lo);
		start.subarray(lo, hi).sort();
	}
}
