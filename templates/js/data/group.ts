// SPDX-License-Identifier: BSD-3-Clause
/** Sorts spans into groups: by process, RPC or kind. The order of spans within a group does not change. */
import { KINDS, isIdle } from '../base/kinds.ts';

/** Size of the cache that finds the group of a key without the map. */
const NEAR = 1024;

/** Spans of a group: index[lo] to index[hi - 1]. */
export type Group = {index: Uint32Array, lo: number, hi: number};

/** Sorts spans into groups by key. Within a group, their order does not change. @param keyOf key of span g; -1: omit the span */
export function group(n: number, spanAt: (i: number) => number, keyOf: (g: number) => number): Map<number, Group> {
	// number the groups in the order of their first spans; nearKey and nearNumber are a cache of the map
	const numbers: Map<number, number> = new Map();
	const nearKey = new Float64Array(NEAR).fill(-1);
	const nearNumber = new Uint32Array(NEAR);
	const counts: number[] = [];
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
	const groups: Map<number, Group> = new Map();
	const index = new Uint32Array(total);
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

/** Merges the tracks. Returns a function whose successive calls return the execution spans of all CPUs in time order. */
export function inTimeOrder(start: Float64Array, all: {cpu: number, lo: number, hi: number}[]): (i: number) => number {
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

export interface ProcessGroups {
	spans: Map<number, Group>; /* execution spans by pid */
	waits: Map<number, Group>; /* waits by pid */
}

/** Sorts execution spans and waits by pid. Omits idle time. @param kind kind of each span */
export function processGroups(
	start: Float64Array, kind: ArrayLike<number>, pid: ArrayLike<number>,
	tracks: {cpu: number, lo: number, hi: number}[], waitIds: Uint32Array,
): ProcessGroups {
	const n = tracks.reduce((sum, t) => sum + (t.cpu >= 0 ? t.hi - t.lo : 0), 0);
	return {
		spans: group(n, inTimeOrder(start, tracks), (g) => (pid[g] > 0 && !isIdle(kind[g]) ? pid[g] : -1)),
		waits: group(waitIds.length, (i) => waitIds[i], (g) => (pid[g] > 0 ? pid[g] : -1)),
	};
}

/** Returns the numbers of the spans [lo, hi) for each kind. */
export function splitByKind(kind: Uint8Array, lo: number, hi: number): Uint32Array[] {
	const counts = new Uint32Array(KINDS);
	for (let g = lo; g < hi; g++) counts[kind[g]]++;
	const lists = Array.from(counts, (n) => new Uint32Array(n));
	counts.fill(0);
	for (let g = lo; g < hi; g++) lists[kind[g]][counts[kind[g]]++] = g;
	return lists;
}
