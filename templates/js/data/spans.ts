// SPDX-License-Identifier: BSD-3-Clause
/**
 * Finds elements in lists of spans that follow each other, sums their time by kind in pixel columns, and chooses the span
 * that stands for a column, for drawing and pointing. The cost must not grow with the number of spans (see bins.ts).
 */
import { EXECUTION_KINDS, LAST_IDLE, LAST_STILL } from '../base/kinds.ts';
import { BIN_FAN, FAN, FAN_BITS, FINE, SUM_BITS, SUM_EVERY, binOf, longestPart, makeTables, partSpan, partTime } from './bins.ts';
import type { BinLevel, Bins, Tables } from './bins.ts';

type Spans = {start: Float64Array, dur: Float64Array | Uint32Array, spanKinds: Uint8Array};

/**
 * A column with up to FEW elements is summed element by element. A bin at an end of a column is summed element by element if
 * it has up to MANY elements. Otherwise the sums of the tables are used.
 */
const FEW = 24;
const MANY = 96;

/** Spans that follow each other: the execution of one CPU or of one process, or the waits of a process. */
export class SpanList {
	declare lo: number;
	declare length: number;
	declare index: Uint32Array | null;
	declare starts: Float64Array;
	declare durs: Float64Array | Uint32Array;
	declare kinds: Uint8Array;
	/** The tables for drawing. Made at the first use, or by a worker. */
	tables: Tables | null = null;
	scratch = new Float64Array(EXECUTION_KINDS);

	/** @param lo first span, or first element of index @param hi one past the last */
	constructor(trace: Spans, lo: number, hi: number, index: Uint32Array | null = null) {
		this.lo = lo;
		this.length = hi - lo;
		this.index = index;
		this.starts = trace.start;
		this.durs = trace.dur;
		this.kinds = trace.spanKinds;
	}

	/** Returns the span (its number in the trace's arrays) at element i. */
	at(i: number) {
		return this.index ? this.index[this.lo + i] : this.lo + i;
	}

	start(i: number) {
		return this.starts[this.at(i)];
	}

	end(i: number) {
		const g = this.at(i);
		return this.starts[g] + this.durs[g];
	}

	kind(i: number) {
		return this.kinds[this.at(i)];
	}

	/** Returns the duration of element i, or 0 if it is drawn as a thin line. */
	seen(i: number) {
		const g = this.at(i);
		return this.kinds[g] <= LAST_STILL ? 0 : this.durs[g];
	}

	/** Makes the tables if necessary. Must be called before longest(), times() and busyTime(). */
	prepare(): Tables {
		return (this.tables ??= makeTables(this.starts, this.durs, this.kinds, this.lo, this.length, this.index));
	}

	/**
	 * Returns the first element, from element `from` on, that starts at or after t. Doubles its steps, beginning with guess,
	 * then bisects, so that near targets are fast.
	 * @param guess expected number of elements between from and the result
	 */
	seek(t: number, from = 0, guess = 1) {
		// hot loop of drawing: reads the arrays itself instead of calling start()
		const { starts, index, lo: base, length: n } = this;
		let lo = from;
		let step = Math.max(1, guess >> 1);
		while (lo + step <= n && starts[index ? index[base + lo + step - 1] : base + lo + step - 1] < t) {
			lo += step;
			step *= 2;
		}
		return this.#bisect(lo, Math.min(n, lo + step - 1), t);
	}

	/** Returns the first element in [lo, hi) that starts at or after t; hi: none. */
	#bisect(lo: number, hi: number, t: number) {
		const { starts, index, lo: base } = this;
		while (lo < hi) {
			const mid = (lo + hi) >>> 1;
			if (starts[index ? index[base + mid] : base + mid] < t) lo = mid + 1;
			else hi = mid;
		}
		return lo;
	}

	/** Returns the same as seek(t), by bisection between the ends of the bin that contains t. */
	#find(t: number) {
		const bins = this.tables?.bins;
		if (!bins) return this.seek(t);
		const { guide } = bins;
		const bin = binOf(bins, t);
		return bin < 0 ? 0 : this.#bisect(guide[bin], bin + 1 < guide.length ? guide[bin + 1] : this.length, t);
	}

	/** Returns the first element, from element `from` on, that starts at or after t. Fast if the result is near `from`. */
	seekNear(t: number, from: number) {
		const { starts, index, lo: base, length: n } = this;
		const near = Math.min(n, from + 6);
		for (let i = from; i < near; i++) if (starts[index ? index[base + i] : base + i] >= t) return i;
		return near === n ? n : this.tables?.bins ? this.#find(t) : this.seek(t, near, 8);
	}

	/** Returns an object that sums successive pixel columns of this list. @param step width of a column, units of 10 ns */
	columns(step: number, least?: number) {
		return new Columns(this, step, least);
	}

	/** Returns the first element that ends after t or starts at t. */
	first(t: number) {
		let i = this.#find(t);
		if (i > 0 && this.end(i - 1) > t) i--;
		return i;
	}

	/** Returns the element with the longest busy time in [a, b); a if all elements are idle. */
	longest(a: number, b: number) {
		const { levels } = this.tables!;
		let best = a;
		let longest = 0;
		const consider = (i: number, time: number) => {
			if (time <= longest) return;
			longest = time;
			best = i;
		};
		const leaves = (i: number, end: number) => {
			for (; i < end; i++) consider(i, this.seen(i));
		};
		let lo = Math.ceil(a / FAN);
		let hi = b >>> FAN_BITS;
		if (lo >= hi) {
			leaves(a, b);
			return best;
		}
		leaves(a, lo * FAN);
		leaves(hi * FAN, b);
		for (let depth = 0; lo < hi; depth++) {
			const { ids, busy } = levels[depth];
			const top = depth + 1 === levels.length;
			// blocks at both ends that do not fill a block of the next level
			const left = top ? hi : Math.min(hi, (lo + FAN - 1) & -FAN);
			const right = top ? hi : Math.max(left, hi & -FAN);
			for (let i = lo; i < left; i++) consider(ids[i], busy[i]);
			for (let i = right; i < hi; i++) consider(ids[i], busy[i]);
			if (top) break;
			lo = left >>> FAN_BITS;
			hi = right >>> FAN_BITS;
		}
		return best;
	}

	/** Adds the time of each kind in the elements before i to out, multiplied by sign. */
	#before(i: number, sign: number, out: Float64Array) {
		const { sums } = this.tables!;
		const { durs, kinds } = this;
		// begin at the nearer of the two sums around element i
		const up = (i & (SUM_EVERY - 1)) > SUM_EVERY / 2 && ((i >>> SUM_BITS) + 1) * EXECUTION_KINDS < sums.length;
		const block = (i >>> SUM_BITS) + (up ? 1 : 0);
		const at = block * EXECUTION_KINDS;
		for (let k = 0; k < EXECUTION_KINDS; k++) out[k] += sign * sums[at + k];
		const from = block << SUM_BITS;
		for (let e = i; e < from; e++) {
			const g = this.at(e);
			if (kinds[g] < EXECUTION_KINDS) out[kinds[g]] -= sign * durs[g];
		}
		for (let e = from; e < i; e++) {
			const g = this.at(e);
			if (kinds[g] < EXECUTION_KINDS) out[kinds[g]] += sign * durs[g];
		}
	}

	/** Writes the time of each kind in the elements [a, b) to out, units of 10 ns. */
	times(a: number, b: number, out: Float64Array) {
		out.fill(0);
		if (b - a > SUM_EVERY) {
			this.#before(b, 1, out);
			this.#before(a, -1, out);
			return;
		}
		const { durs, kinds } = this;
		for (let i = a; i < b; i++) {
			const g = this.at(i);
			if (kinds[g] < EXECUTION_KINDS) out[kinds[g]] += durs[g];
		}
	}

	/** Returns the busy time of the elements [a, b), units of 10 ns. */
	busyTime(a: number, b: number) {
		this.times(a, b, this.scratch);
		let sum = 0;
		for (let k = LAST_IDLE + 1; k < EXECUTION_KINDS; k++) sum += this.scratch[k];
		return sum;
	}
}

const edges = [new Float64Array(EXECUTION_KINDS), new Float64Array(EXECUTION_KINDS)];

/**
 * Sums the time of each kind in pixel columns of a list. For a column with many spans, reads the time before each end of the
 * column from the bins, and sums only parts of two bins. The end of a column is the beginning of the next column.
 */
export class Columns {
	declare list: SpanList;
	declare bins: Bins | null;
	at = NaN;
	declare left: Float64Array;
	leftBin = 0;
	declare right: Float64Array;
	rightBin = 0;
	/** The coarsest level that has FINE bins in a column; -1: columns have too few spans. */
	depth = -1;
	level: BinLevel | null = null;
	levelWidth = 1;

	/**
	 * @param step width of a column, units of 10 ns
	 * @param least minimum number of bins in a column for which the sums of the bins are used
	 */
	constructor(list: SpanList, step: number, least: number = FINE) {
		this.list = list;
		// the sums of bins are modulo 2^32, so a column must be shorter than 2^32 units
		this.bins = step < 2 ** 31 ? list.prepare().bins : null;
		// all objects of this class share these arrays, so only the newest object may be used
		this.left = edges[0];
		this.right = edges[1];
		if (this.bins) {
			const { width, levels } = this.bins;
			while (this.depth + 1 < levels.length && width * BIN_FAN ** (this.depth + 1) * FINE <= step) this.depth++;
			if (this.depth < 0 && width * least <= step) this.depth = 0;
			if (this.depth >= 0) {
				this.level = levels[this.depth];
				this.levelWidth = width * BIN_FAN ** this.depth;
			}
		}
	}

	/**
	 * Sums a column of many spans from the bins of the level. Assumes that the time of each kind is spread evenly over a
	 * bin. So the error at each end is at most a quarter of a bin, and the next column has the opposite error.
	 * @param out time of each kind, units of 10 ns
	 * @returns the span with the longest part in the column; -1: idle
	 */
	coarse(tl: number, tr: number, out: Float64Array): number {
		const { sums, tops } = this.level!;
		const { origin } = this.bins!;
		const last = tops.length / 2 - 1;
		const from = Math.max(0, Math.min(last, (tl - origin) / this.levelWidth));
		const to = Math.max(0, Math.min(last, (tr - origin) / this.levelWidth));
		const a = Math.min(last - 1, Math.floor(from));
		const b = Math.min(last - 1, Math.floor(to));
		for (let k = 0; k < EXECUTION_KINDS; k++) {
			const [p, q] = [a * EXECUTION_KINDS + k, b * EXECUTION_KINDS + k];
			out[k] = ((sums[q] - sums[p]) >>> 0) + (to - b) * ((sums[q + EXECUTION_KINDS] - sums[q]) >>> 0) -
				(from - a) * ((sums[p + EXECUTION_KINDS] - sums[p]) >>> 0);
		}
		longestPart(tops, a, b + (to > b ? 1 : 0));
		return partTime > 0 ? partSpan : -1;
	}

	/**
	 * Sums the time of each kind in a column exactly.
	 * @param i first element that ends after tl
	 * @param j first element after i that starts at or after tr
	 * @param out time of each kind in [tl, tr), units of 10 ns
	 */
	times(i: number, j: number, tl: number, tr: number, out: Float64Array) {
		const { list, bins } = this;
		if (j - i <= FEW || !bins || !this.#edges(bins, tl, tr)) {
			list.times(i, j, out);
			// for the first and the last element, only the part in the column counts
			const start = list.start(i);
			if (start < tl) out[list.kind(i)] -= tl - start;
			const over = list.end(j - 1) - tr;
			if (over > 0) out[list.kind(j - 1)] -= over;
			return;
		}
		const { sums } = bins.levels[0];
		const { left, right } = this;
		const a = this.leftBin * EXECUTION_KINDS;
		const b = this.rightBin * EXECUTION_KINDS;
		for (let k = 0; k < EXECUTION_KINDS; k++) out[k] = ((sums[b + k] - sums[a + k]) >>> 0) + right[k] - left[k];
	}

	/** Sums the parts of the bins at both ends of a column. @returns false: too many spans in one bin */
	#edges(bins: Bins, tl: number, tr: number): boolean {
		if (this.at === tl) {
			const { left } = this;
			this.left = this.right;
			this.right = left;
			this.leftBin = this.rightBin;
		} else {
			this.leftBin = this.#edge(bins, tl, this.left);
		}
		this.rightBin = this.leftBin < 0 ? -1 : this.#edge(bins, tr, this.right);
		this.at = this.rightBin < 0 ? NaN : tr;
		return this.rightBin >= 0;
	}

	/**
	 * Returns the bin that contains t, and writes the time of each kind from the bin's beginning to t to out.
	 * @returns -1: t is before the first bin, or the bin has too many spans
	 */
	#edge(bins: Bins, t: number, out: Float64Array): number {
		const { list } = this;
		const { starts, durs, kinds, index, lo, length: n } = list;
		const bin = binOf(bins, t);
		if (bin < 0) return -1;
		const begin = bins.origin + bin * bins.width;
		let e = bins.guide[bin];
		const most = Math.min(n, e + MANY);
		out.fill(0);
		if (e > 0) {
			const g = index ? index[lo + e - 1] : lo + e - 1;
			const end = Math.min(t, starts[g] + durs[g]);
			if (end > begin) out[kinds[g]] += end - begin;
		}
		for (; e < most; e++) {
			const g = index ? index[lo + e] : lo + e;
			const start = starts[g];
			if (start >= t) return bin;
			out[kinds[g]] += Math.min(t - start, durs[g]);
		}
		return e === n ? bin : -1;
	}
}

/**
 * Returns the element of list that stands for the time [tl, tr): the element with the longest busy part in this time.
 * @param i first element that ends after tl
 * @param j first element that starts at or after tr
 */
export function pick(list: SpanList, i: number, j: number, tl: number, tr: number) {
	if (j - i <= 1) return i;
	let best = i;
	let longest = -1;
	const clipped = (k: number) => {
		const share = list.seen(k) > 0 ? Math.min(list.end(k), tr) - Math.max(list.start(k), tl) : 0;
		if (share > longest) {
			longest = share;
			best = k;
		}
	};
	clipped(i);
	clipped(j - 1);
	if (j - i > 2) {
		const inner = list.longest(i + 1, j - 1);
		if (list.seen(inner) > longest) best = inner;
	}
	return best;
}

/** Returns the span that is drawn in the pixel column [tl, tr) of a list, or -1. */
export function spanAt(list: SpanList, tl: number, tr: number) {
	list.prepare();
	const i = list.first(tl);
	if (i >= list.length || list.start(i) >= tr) return -1;
	return list.at(pick(list, i, Math.max(i + 1, list.seek(tr, i)), tl, tr));
}
