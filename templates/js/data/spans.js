// SPDX-License-Identifier: BSD-3-Clause
/**
 * Lists of spans that follow each other, and their time by kind in pixel columns.
 * Never takes a time that grows with the number of spans (see bins.js).
 * Imported by trace.js and overview.js, which make the lists; the picture and ask/ read them.
 */
import { EXECUTION_KINDS, LAST_IDLE, LAST_STILL } from '../base/kinds.js';
import { BIN_FAN, FAN, FAN_BITS, FINE, SUM_BITS, SUM_EVERY, binOf, longestPart, makeTables, partSpan, partTime } from './bins.js';

/** @typedef {import('./bins.js').Tables} Tables */
/** @typedef {import('./bins.js').Bins} Bins */
/** @typedef {import('./bins.js').BinLevel} BinLevel */
/** The columns of a trace that a list is of. @typedef {{start: Float64Array, dur: Float64Array | Uint32Array, spanKinds: Uint8Array}} Spans */

/** Columns of fewer elements are added up one by one, parts of more by the sums. */
const FEW = 24;
const MANY = 96;

/** Spans that follow each other: one CPU's execution, one process's, its waits. */
export class SpanList {
	/**
	 * @param {Spans} trace
	 * @param {number} lo first span, or first element of index
	 * @param {number} hi one past the last
	 * @param {Uint32Array | null} index
	 */
	constructor(trace, lo, hi, index = null) {
		this.lo = lo;
		this.length = hi - lo;
		this.index = index;
		this.starts = trace.start;
		this.durs = trace.dur;
		this.kinds = trace.spanKinds;
		/** Made when first drawn, or by a worker. @type {Tables | null} */
		this.tables = null;
		/** @type {Float64Array} */
		this.scratch = new Float64Array(EXECUTION_KINDS);
	}

	/** The span (number in the trace's arrays) at element i. @param {number} i */
	at(i) {
		return this.index ? this.index[this.lo + i] : this.lo + i;
	}

	/** @param {number} i */
	start(i) {
		return this.starts[this.at(i)];
	}

	/** @param {number} i */
	end(i) {
		const g = this.at(i);
		return this.starts[g] + this.durs[g];
	}

	/** Kind of element i. @param {number} i */
	kind(i) {
		return this.kinds[this.at(i)];
	}

	/** Duration of a span that is more than a thin line, otherwise 0. @param {number} i */
	seen(i) {
		const g = this.at(i);
		return this.kinds[g] <= LAST_STILL ? 0 : this.durs[g];
	}

	/** To be called before longest(), times() and busyTime(). @returns {Tables} */
	prepare() {
		return (this.tables ??= makeTables(this.starts, this.durs, this.kinds, this.lo, this.length, this.index));
	}

	/**
	 * First element that starts at or after t, from element from on: steps that
	 * double from guess on, then halves, so that near targets are cheap.
	 * @param {number} t
	 * @param {number} from
	 * @param {number} guess elements that may lie between
	 */
	seek(t, from = 0, guess = 1) {
		// what most of a frame's time goes to, so without calls
		const { starts, index, lo: base, length: n } = this;
		let lo = from;
		let step = Math.max(1, guess >> 1);
		if (index) {
			while (lo + step <= n && starts[index[base + lo + step - 1]] < t) {
				lo += step;
				step *= 2;
			}
			let hi = Math.min(n, lo + step - 1);
			while (lo < hi) {
				const mid = (lo + hi) >>> 1;
				if (starts[index[base + mid]] < t) lo = mid + 1;
				else hi = mid;
			}
			return lo;
		}
		while (lo + step <= n && starts[base + lo + step - 1] < t) {
			lo += step;
			step *= 2;
		}
		let hi = Math.min(n, lo + step - 1);
		while (lo < hi) {
			const mid = (lo + hi) >>> 1;
			if (starts[base + mid] < t) lo = mid + 1;
			else hi = mid;
		}
		return lo;
	}

	/** seek() without a hint: between the ends of t's bin. @param {number} t */
	#find(t) {
		const bins = this.tables?.bins;
		if (!bins) return this.seek(t);
		const { starts, index, lo: base } = this;
		const { guide } = bins;
		const bin = binOf(bins, t);
		let lo = bin < 0 ? 0 : guide[bin];
		let hi = bin < 0 ? 0 : bin + 1 < guide.length ? guide[bin + 1] : this.length;
		if (index) {
			while (lo < hi) {
				const mid = (lo + hi) >>> 1;
				if (starts[index[base + mid]] < t) lo = mid + 1;
				else hi = mid;
			}
			return lo;
		}
		while (lo < hi) {
			const mid = (lo + hi) >>> 1;
			if (starts[base + mid] < t) lo = mid + 1;
			else hi = mid;
		}
		return lo;
	}

	/** First element that starts at or after t, not before from, which is likely to be near. @param {number} t @param {number} from */
	seekNear(t, from) {
		const { starts, index, lo: base, length: n } = this;
		const near = Math.min(n, from + 6);
		for (let i = from; i < near; i++) if (starts[index ? index[base + i] : base + i] >= t) return i;
		return near === n ? n : this.tables?.bins ? this.#find(t) : this.seek(t, near, 8);
	}

	/** Adds up columns of step units each, one after the other. @param {number} step @param {number} [least] as of Columns */
	columns(step, least) {
		return new Columns(this, step, least);
	}

	/** First element that ends behind t, or that starts there. @param {number} t */
	first(t) {
		let i = this.#find(t);
		if (i > 0 && this.end(i - 1) > t) i--;
		return i;
	}

	/**
	 * The element with the longest busy time in [a, b); a when all are idle.
	 * @param {number} a
	 * @param {number} b
	 */
	longest(a, b) {
		const { levels } = /** @type {Tables} */ (this.tables);
		let best = a;
		let longest = 0;
		/** @param {number} i @param {number} end */
		const leaves = (i, end) => {
			for (; i < end; i++) {
				const time = this.seen(i);
				if (time > longest) {
					longest = time;
					best = i;
				}
			}
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
			// what does not fill a block of the next level, from both ends
			const left = top ? hi : Math.min(hi, (lo + FAN - 1) & -FAN);
			const right = top ? hi : Math.max(left, hi & -FAN);
			for (let i = lo; i < left; i++) {
				if (busy[i] > longest) {
					longest = busy[i];
					best = ids[i];
				}
			}
			for (let i = right; i < hi; i++) {
				if (busy[i] > longest) {
					longest = busy[i];
					best = ids[i];
				}
			}
			if (top) break;
			lo = left >>> FAN_BITS;
			hi = right >>> FAN_BITS;
		}
		return best;
	}

	/**
	 * Adds sign times the time of each kind of the elements before i to out.
	 * @param {number} i
	 * @param {number} sign
	 * @param {Float64Array} out
	 */
	#before(i, sign, out) {
		const { sums } = /** @type {Tables} */ (this.tables);
		const { durs, kinds } = this;
		// from the nearer of the two sums around it
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

	/**
	 * Time of each kind of the elements [a, b), whole, into out; units of 10 ns.
	 * @param {number} a
	 * @param {number} b
	 * @param {Float64Array} out of EXECUTION_KINDS elements
	 */
	times(a, b, out) {
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

	/**
	 * Busy time of the elements [a, b), units of 10 ns.
	 * @param {number} a
	 * @param {number} b
	 */
	busyTime(a, b) {
		this.times(a, b, this.scratch);
		let sum = 0;
		for (let k = LAST_IDLE + 1; k < EXECUTION_KINDS; k++) sum += this.scratch[k];
		return sum;
	}
}

const edges = [new Float64Array(EXECUTION_KINDS), new Float64Array(EXECUTION_KINDS)];

/**
 * Time of each kind in columns of a list. Where a column has many spans, what is before
 * its ends is taken from the bins, so that only a part of two bins is added up; the end
 * of one column is the beginning of the next.
 */
export class Columns {
	/**
	 * @param {SpanList} list prepared
	 * @param {number} step units
	 * @param {number} [least] bins in a column, from which on their sums are enough
	 */
	constructor(list, step, least = FINE) {
		this.list = list;
		// what a column holds must be told modulo 2^32
		this.bins = step < 2 ** 31 ? list.prepare().bins : null;
		this.at = NaN;
		// one list's columns at a time
		this.left = edges[0];
		this.leftBin = 0;
		this.right = edges[1];
		this.rightBin = 0;
		/** The coarsest level that has FINE bins in a column; -1: columns have too few spans. */
		this.depth = -1;
		this.level = /** @type {BinLevel | null} */ (null);
		this.levelWidth = 1;
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
	 * A column of many spans, from the level's bins: what is in one bin is taken to be
	 * spread over it evenly, so that no more than a quarter of a bin is wrong at either
	 * end, and what one column has too little the next has too much.
	 * @param {number} tl
	 * @param {number} tr
	 * @param {Float64Array} out units of each kind
	 * @returns {number} the span with the longest part in it; -1: idle
	 */
	coarse(tl, tr, out) {
		const { sums, tops } = /** @type {BinLevel} */ (this.level);
		const { origin } = /** @type {Bins} */ (this.bins);
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
	 * @param {number} i first element that ends behind tl
	 * @param {number} j first, behind i, that starts at or behind tr
	 * @param {number} tl
	 * @param {number} tr
	 * @param {Float64Array} out units of each kind in [tl, tr)
	 */
	times(i, j, tl, tr, out) {
		const { list, bins } = this;
		if (j - i <= FEW || !bins || !this.#edges(bins, tl, tr)) {
			list.times(i, j, out);
			// only what lies in the column counts of the first and the last
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

	/** @param {Bins} bins @param {number} tl @param {number} tr @returns {boolean} false: too many spans in one bin */
	#edges(bins, tl, tr) {
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
	 * The bin that t is in, and the time of each kind from its beginning to t.
	 * @param {Bins} bins
	 * @param {number} t
	 * @param {Float64Array} out
	 * @returns {number} -1: not told here
	 */
	#edge(bins, t, out) {
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
