// SPDX-License-Identifier: BSD-3-Clause
/**
 * Spans sorted into groups: those of a process, of an RPC. Used by the trace and by
 * the worker, which has the processes ready before anybody asks for them.
 */
import { KINDS, Kind } from './kinds.js';

/**
 * Splits spans that come in time order by a key; the order stays.
 * @param {number} n
 * @param {(i: number) => number} spanAt
 * @param {(g: number) => number} keyOf -1: leave it out
 * @returns {Map<number, {index: Uint32Array, lo: number, hi: number}>}
 */
export function group(n, spanAt, keyOf) {
	/** @type {Map<number, number>} */
	const counts = new Map();
	const spans = new Uint32Array(n);
	for (let i = 0; i < n; i++) {
		const g = spanAt(i);
		const key = keyOf(g);
		spans[i] = g;
		if (key !== -1) counts.set(key, (counts.get(key) ?? 0) + 1);
	}
	/** @type {Map<number, {index: Uint32Array, lo: number, hi: number}>} */
	const groups = new Map();
	let total = 0;
	for (const count of counts.values()) total += count;
	const index = new Uint32Array(total);
	let at = 0;
	for (const key of [...counts.keys()].sort((a, b) => a - b)) {
		groups.set(key, { index, lo: at, hi: at });
		at += /** @type {number} */ (counts.get(key));
	}
	for (let i = 0; i < n; i++) {
		const key = keyOf(spans[i]);
		if (key === -1) continue;
		const group = /** @type {{hi: number}} */ (groups.get(key));
		index[group.hi++] = spans[i];
	}
	return groups;
}

/**
 * The execution spans of all CPUs in time order (a merge of the tracks).
 * @param {Float64Array} start
 * @param {{cpu: number, lo: number, hi: number}[]} all
 * @returns {(i: number) => number} to be called with 0, 1, 2 ...
 */
export function inTimeOrder(start, all) {
	const tracks = all.filter((t) => t.cpu >= 0 && t.lo < t.hi);
	const next = tracks.map((t) => t.lo);
	const ends = tracks.map((t) => t.hi);
	/** heap of tracks by the start of their next span */
	const heap = tracks.map((_, i) => i).sort((a, b) => start[next[a]] - start[next[b]]);
	let size = heap.length;
	return () => {
		const track = heap[0];
		const span = next[track]++;
		let moving = track;
		if (next[track] >= ends[track]) moving = heap[--size];
		const key = start[next[moving]];
		let at = 0;
		for (;;) {
			let child = 2 * at + 1;
			if (child >= size) break;
			if (child + 1 < size && start[next[heap[child + 1]]] < start[next[heap[child]]]) child++;
			if (start[next[heap[child]]] >= key) break;
			heap[at] = heap[child];
			at = child;
		}
		heap[at] = moving;
		return span;
	};
}

/**
 * @typedef {object} ProcessGroups
 * @property {Map<number, {index: Uint32Array, lo: number, hi: number}>} spans execution by pid
 * @property {Map<number, {index: Uint32Array, lo: number, hi: number}>} waits
 */

/**
 * What ran and what waited, by pid; idle time is nobody's.
 * @param {Float64Array} start
 * @param {ArrayLike<number>} kind of each span
 * @param {ArrayLike<number>} pid
 * @param {{cpu: number, lo: number, hi: number}[]} tracks
 * @param {Uint32Array} waitIds
 * @returns {ProcessGroups}
 */
export function processGroups(start, kind, pid, tracks, waitIds) {
	const n = tracks.reduce((sum, t) => sum + (t.cpu >= 0 ? t.hi - t.lo : 0), 0);
	return {
		spans: group(n, inTimeOrder(start, tracks), (g) => (pid[g] > 0 && kind[g] > Kind.IDLELP ? pid[g] : -1)),
		waits: group(waitIds.length, (i) => waitIds[i], (g) => (pid[g] > 0 ? pid[g] : -1)),
	};
}

/**
 * Numbers of the spans [lo, hi) by kind.
 * @param {Uint8Array} kind
 * @param {number} lo
 * @param {number} hi
 * @returns {Uint32Array[]}
 */
export function splitByKind(kind, lo, hi) {
	const counts = new Uint32Array(KINDS);
	for (let g = lo; g < hi; g++) counts[kind[g]]++;
	const lists = Array.from(counts, (n) => new Uint32Array(n));
	counts.fill(0);
	for (let g = lo; g < hi; g++) lists[kind[g]][counts[kind[g]]++] = g;
	return lists;
}
