// SPDX-License-Identifier: BSD-3-Clause
/**
 * Makes the tables with which a list of spans is drawn at any zoom: the longest span of each block, and sums of time by kind.
 * Workers make the tables of most lists. spans.ts makes the other tables when they are needed.
 */
import { EXECUTION_KINDS, LAST_STILL } from '../base/kinds.ts';

/** Number of elements for which the next higher level has one element. */
export const FAN = 8;
export const FAN_BITS = 3;
/** Number of elements between two sums of time by kind. */
export const SUM_EVERY = 64;
export const SUM_BITS = 6;
/** Average number of spans in a bin. The bins divide the time of a list into equal parts. */
const BIN_SPANS = 18;
/** Number of bins that one bin of the next level combines. */
export const BIN_FAN = 4;
/** If a pixel column has at least this many bins, its sums come from the bins at its two ends. */
export const FINE = 4;

/** Data for drawing a list. One pass over its spans makes them. They can be transferred from a worker. */
export interface Tables {
	levels: {ids: Uint32Array, busy: Float64Array | Uint32Array}[]; /* for each block of 8, 64, ... elements, the longest busy span: its index in the list, and its time */
	sums: Float64Array; /* time of each kind before each 64th element, units of 10 ns */
	bins: Bins | null; /* null if spans overlap, or if there are few spans */
}

/** Sums of time in equal parts (bins) of the list's time. */
export interface Bins {
	origin: number; /* beginning of the first bin, units of 10 ns */
	width: number; /* width of a bin, whole units of 10 ns */
	guide: Uint32Array; /* for each bin, the first element that starts at or after the bin's beginning */
	levels: BinLevel[]; /* bins of this width, 4 times this width, 16 times this width ... */
}

export interface BinLevel {
	sums: Uint32Array; /* time of each kind from the list's start to the beginning of each bin and to the list's end, modulo 2^32 units of 10 ns */
	tops: Uint32Array; /* for each bin, two numbers: the longest time in it that one busy span fills, units of 10 ns; the number of this span */
}

/**
 * Makes the tables of the elements [lo, lo + n) of a list.
 * @param index numbers of the spans; null: the list is the spans themselves
 * @param first number of the span that is element 0 of the arrays, if these hold a part of the trace
 */
export function makeTables(
	starts: Float64Array, durs: Float64Array | Uint32Array, kinds: Uint8Array, lo: number, n: number,
	index: Uint32Array | null, first = 0,
): Tables {
	const bins = newBins(starts, durs, lo, n, index);
	const sums = new Float64Array((Math.floor(n / SUM_EVERY) + 1) * EXECUTION_KINDS);
	const running = new Float64Array(32);
	const blocks = Math.ceil(n / FAN);
	const ids = new Uint32Array(blocks);
	const busy = timesLike(durs, blocks);

	const { guide, width, origin, levels: [{ sums: binSums, tops }] } = bins ?? NO_BINS;
	const count = guide.length;
	/** Time of each kind so far, modulo 2^32. */
	const low = new Uint32Array(32);
	/** Beginning and number of the next bin. */
	let next = count ? origin : Infinity;
	let bin = 0;
	/** True if no span overlaps the previous one. */
	let apart = count > 0;
	let before = -Infinity;
	for (let i = 0; i < n; i++) {
		const g = index !== null ? index[lo + i] : lo + i;
		const start = starts[g];
		const time = durs[g];
		const kind = kinds[g] & 31;
		if (!(i & (SUM_EVERY - 1))) {
			const at = (i >>> SUM_BITS) * EXECUTION_KINDS;
			for (let k = 0; k < EXECUTION_KINDS; k++) sums[at + k] = running[k];
		}
		const works = kind > LAST_STILL;
		const b = i >>> FAN_BITS;
		if (!(i & (FAN - 1))) ids[b] = i;
		if (works && time > busy[b]) {
			busy[b] = time;
			ids[b] = i;
		}
		if (apart) {
			if (start < before) apart = false;
			before = start + time;
			for (; next <= start && bin < count; next += width) {
				guide[bin] = i;
				const at = bin++ * EXECUTION_KINDS;
				for (let k = 0; k < EXECUTION_KINDS; k++) binSums[at + k] = low[k];
			}
			if (works) {
				const part = (next < before ? next : before) - start;
				if (part > tops[bin * 2 - 2]) {
					tops[bin * 2 - 2] = part;
					tops[bin * 2 - 1] = first + g;
				}
			}
			for (; next < before && bin < count; next += width) {
				guide[bin] = i + 1;
				const at = bin++ * EXECUTION_KINDS;
				for (let k = 0; k < EXECUTION_KINDS; k++) binSums[at + k] = low[k];
				if (kind < EXECUTION_KINDS) binSums[at + kind] += next - start;
				if (works) {
					tops[bin * 2 - 2] = Math.min(before - next, width);
					tops[bin * 2 - 1] = first + g;
				}
			}
			low[kind] += time;
		}
		running[kind] += time;
	}
	if (!(n & (SUM_EVERY - 1)))
		for (let k = 0; k < EXECUTION_KINDS; k++) sums[(n >>> SUM_BITS) * EXECUTION_KINDS + k] = running[k];
	for (; bin < count; bin++) {
		guide[bin] = n;
		for (let k = 0; k < EXECUTION_KINDS; k++) binSums[bin * EXECUTION_KINDS + k] = low[k];
	}
	return { levels: levelsOver(ids, busy), sums, bins: apart && bins ? withLevels(bins) : null };
}

/**
 * Makes the levels above the blocks: each element has the longest span of FAN elements of the level below.
 * @param ids for each block, the list index of its longest span
 * @param busy time of the longest span of each block
 */
function levelsOver(ids: Uint32Array, busy: Float64Array | Uint32Array) {
	const levels = [{ ids, busy }];
	while (ids.length > FAN) {
		const length = Math.ceil(ids.length / FAN);
		const upper = { ids: new Uint32Array(length), busy: timesLike(busy, length) };
		for (let i = 0; i < ids.length; i++) {
			const b = i >>> FAN_BITS;
			if (busy[i] > upper.busy[b] || !(i & (FAN - 1))) {
				upper.busy[b] = busy[i];
				upper.ids[b] = ids[i];
			}
		}
		levels.push(upper);
		({ ids, busy } = upper);
	}
	return levels;
}

const timesLike = (durs: Float64Array | Uint32Array, n: number) => (durs instanceof Uint32Array ? new Uint32Array(n) : new Float64Array(n));

/** Empty bins, for lists that are too short for bins. */
const NO_BINS: Bins = { origin: 0, width: 1, guide: new Uint32Array(0), levels: [{ sums: new Uint32Array(0), tops: new Uint32Array(0) }] };

/** Makes empty bins of the finest level. Returns null for a short list. */
function newBins(starts: Float64Array, durs: Float64Array | Uint32Array, lo: number, n: number, index: Uint32Array | null): Bins | null {
	if (n < 8 * BIN_SPANS) return null;
	const origin = starts[index ? index[lo] : lo];
	const final = index ? index[lo + n - 1] : lo + n - 1;
	const extent = starts[final] + durs[final] - origin;
	const width = Math.max(1, Math.ceil((extent * BIN_SPANS) / n));
	const count = Math.ceil(extent / width) + 1;
	return {
		origin, width, guide: new Uint32Array(count),
		levels: [{ sums: new Uint32Array(count * EXECUTION_KINDS), tops: new Uint32Array(count * 2) }],
	};
}

function withLevels(bins: Bins) {
	const { levels } = bins;
	while (levels[levels.length - 1].tops.length > 2 * FINE * FINE) levels.push(coarser(levels[levels.length - 1]));
	return bins;
}

/** Returns the next coarser level: each of its bins combines BIN_FAN bins of the fine level. */
function coarser(fine: BinLevel): BinLevel {
	const last = fine.tops.length / 2 - 1;
	const count = Math.ceil(last / BIN_FAN) + 1;
	const sums = new Uint32Array(count * EXECUTION_KINDS);
	const tops = new Uint32Array(count * 2);
	for (let bin = 0; bin < count; bin++) {
		const from = Math.min(last, bin * BIN_FAN);
		for (let k = 0; k < EXECUTION_KINDS; k++) sums[bin * EXECUTION_KINDS + k] = fine.sums[from * EXECUTION_KINDS + k];
		longestPart(fine.tops, from, Math.min(last + 1, from + BIN_FAN));
		tops[2 * bin] = partTime;
		tops[2 * bin + 1] = partSpan;
	}
	return { sums, tops };
}

/** Results of longestPart(): the span, and its time in units of 10 ns. The time is 0 if the bins are idle. */
export let partTime = 0;
export let partSpan = 0;

/** Finds the busy span that fills the longest time in the bins [from, to). Adds the times of one span in adjacent bins. */
export function longestPart(tops: Uint32Array, from: number, to: number) {
	partTime = partSpan = 0;
	let time = 0;
	let span = -1;
	for (let at = 2 * from; at < 2 * to; at += 2) {
		time = tops[at + 1] === span ? time + tops[at] : tops[at];
		span = tops[at + 1];
		if (time > partTime) {
			partTime = time;
			partSpan = span;
		}
	}
}

/** Returns the bin that contains t; -1 if t is before the first bin; the last bin if t is after all bins. */
export function binOf({ origin, width, guide }: Bins, t: number) {
	if (t < origin) return -1;
	let bin = Math.min(guide.length - 1, Math.floor((t - origin) / width));
	// correct a rounding error of the division
	if (origin + bin * width > t) bin--;
	else if (bin + 1 < guide.length && origin + (bin + 1) * width <= t) bin++;
	return bin;
}
