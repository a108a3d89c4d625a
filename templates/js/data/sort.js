// SPDX-License-Identifier: BSD-3-Clause
/**
 * Brings the spans of a file that was not sorted into order.
 * Never runs once anything has been made of the arrays: their tables and lists would be of the old order.
 * Imported by load.js.
 */

/** @typedef {import('./plan.js').Plan} Plan */
/** @typedef {import('./plan.js').Arrays} Arrays */

/**
 * The rows of a file that was not sorted, by start. What is drawn and searched
 * relies on it.
 * @param {Plan} plan
 * @param {Arrays} arrays
 */
export function sortTracks(plan, arrays) {
	const { start, dur } = arrays;
	// made of the old order
	arrays.byKind = null;
	const from = (arrays.order = Uint32Array.from({ length: plan.spans }, (_, g) => g));
	for (const { cpu, lo, hi } of plan.tracks) {
		let inOrder = true;
		for (let g = lo + 1; g < hi && inOrder; g++) inOrder = start[g - 1] <= start[g];
		if (inOrder) continue;
		const order = new Uint32Array(hi - lo);
		for (let i = 0; i < order.length; i++) order[i] = lo + i;
		order.sort((a, b) => start[a] - start[b] || dur[a] - dur[b] || a - b);
		for (const array of [arrays.name, arrays.kind, arrays.pid, arrays.rpc, arrays.dur]) {
			if (!array) continue;
			const copy = array.slice(lo, hi);
			for (let i = 0; i < order.length; i++) array[lo + i] = copy[order[i] - lo];
		}
		from.set(order, lo);
		if (cpu < 0) {
			const copy = arrays.cpu.slice();
			for (let i = 0; i < order.length; i++) arrays.cpu[i] = copy[order[i] - lo];
		}
		start.subarray(lo, hi).sort();
	}
}
