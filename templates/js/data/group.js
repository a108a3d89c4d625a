// SPDX-License-Identifier: BSD-3-Clause
/**
 * Sorts spans into groups, such as the spans of a process, of an RPC or of a kind. The order of spans within a group does
 * not change.
 */
import { KINDS, isIdle } from '../base/kinds.js';

/** Number of recent keys whose group is found without the map. */
const NEAR = 1024;

/**
 * Splits spans by a key. The order of spans stays.
 * @param {number} n
 * @param {(i: number) => number} spanAt
 * @param {(g: number) => number} keyOf -1: leave the span out
 * @returns {Map<number, {index: Uint32Array, lo: number, hi: number}>}
 */
export function group(n, spanAt, keyOf) {
	// number the groups in the order of their first spans; nearKey and nearNumber are a cache in front of the map
	/** @type {Map<number, number>} */
	const numbers = new Map();
	const nearKey = new Float64Array(NEAR).fill(-1);
	const nearNumber = new Uint32Array(NEAR);
	/** Number of spans in each group. @type {number[]} */
	const counts = [];
	const spans = new Uint32Array(n);
	const numberOf = new Uint32Array(n);
	let total = 0;
	for (let i = 0; i < n; i++) {
		const g = spanAt(i);
		const key = keyOf(g);
		if (key === -1) continue;
		const near = key & (NEAR - 1);
		let number = nearNumber[near];
		if (nearKey[near] !== key) {
			number = numbers.get(key) ?? counts.length;
			if (number === counts.length) {
				numbers.set(key, number);
				counts.push(0);
			}
			nearKey[near] = key;
			nearNumber[near] = number;
		}
		counts[number]++;
		spans[total] = g;
		numberOf[total++] = number;
	}
	/** @type {Map<number, {index: Uint32Array, lo: number, hi: number}>} */
	const groups = new Map();
	const index = new Uint32Array(total);
	/** Position of the next span of each group. */
	const next = new Uint32Array(counts.length);
	let at = 0;
	for (const [key, number] of [...numbers].sort((a, b) => a[0] - b[0])) {
		next[number] = at;
		at += counts[number];
		groups.set(key, { index, lo: at - counts[number], hi: at });
	}
	for (let i = 0; i < total; i++) index[next[numberOf[i]]++] = spans[i];
	return groups;
}

/**
 * Returns an iterator over the execution spans of all CPUs in time order, which merges the tracks.
 * @param {Float64Array} start
 * @param {{cpu: number, lo: number, hi: number}[]} all
 * @returns {(i: number) => number} call it with 0, 1, 2 ...
 */
export function inTimeOrder(start, all) {
	const tracks = all.filter((t) => t.cpu >= 0 && t.lo < t.hi);
	const next = tracks.map((t) => t.lo);
	const ends = tracks.map((t) => t.hi);
	/** Heap of tracks by the start of their next span. */
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
 * @property {Map<number, {index: Uint32Array, lo: number, hi: number}>} spans execution spans by pid
 * @property {Map<number, {index: Uint32Array, lo: number, hi: number}>} waits waits by pid
 */

/**
 * Sorts execution spans and waits by pid. Leaves idle time out.
 * @param {Float64Array} start
 * @param {ArrayLike<number>} kind kind of each span
 * @param {ArrayLike<number>} pid
 * @param {{cpu: number, lo: number, hi: number}[]} tracks
 * @param {Uint32Array} waitIds
 * @returns {ProcessGroups}
 */
export function processGroups(start, kind, pid, tracks, waitIds) {
	const n = tracks.reduce((sum, t) => sum + (t.cpu >= 0 ? t.hi - t.lo : 0), 0);
	return {
		spans: group(n, inTimeOrder(start, tracks), (g) => (pid[g] > 0 && !isIdle(kind[g]) ? pid[g] : -1)),
		waits: group(waitIds.length, (i) => waitIds[i], (g) => (pid[g] > 0 ? pid[g] : -1)),
	};
}

/**
 * Returns the numbers of the spans [lo, hi) for each kind.
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
