// SPDX-License-Identifier: BSD-3-Clause
/**
 * Lists of spans with what drawing and hit tests need at any zoom: the longest
 * span of a stretch and how busy the stretch was, in a time that does not grow
 * with the number of spans in it. A list is a contiguous part of the trace's
 * arrays, or an index into them; it is in order of start.
 */
import { Kind } from './kinds.js';

/** @typedef {import('./trace.js').Trace} Trace */

const FAN = 8;
const FAN_BITS = 3;
const LAST_IDLE = Kind.IDLELP;

/** Spans that follow each other: one CPU's execution, one process's, its waits. */
export class SpanList {
	/**
	 * @param {Trace} trace
	 * @param {number} lo first span, or first element of index
	 * @param {number} hi one past the last
	 * @param {Uint32Array | null} index
	 */
	constructor(trace, lo, hi, index = null) {
		this.trace = trace;
		this.lo = lo;
		this.length = hi - lo;
		this.index = index;
		this.starts = trace.start;
		this.durs = trace.dur;
		this.kinds = trace.spanKinds;
		/** Longest busy span of 8, 64, ... elements: which, and its time. @type {{ids: Uint32Array, busy: Float64Array}[] | null} */
		this.levels = null;
		/** Busy time before each 8th element. @type {Float64Array | null} */
		this.busyBefore = null;
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

	/** Duration when busy, else 0. @param {number} i */
	busy(i) {
		const g = this.at(i);
		return this.kinds[g] <= LAST_IDLE ? 0 : this.durs[g];
	}

	/** Made when first drawn. */
	prepare() {
		if (this.levels) return;
		const n = this.length;
		const blocks = Math.ceil(n / FAN);
		const before = new Float64Array(blocks + 1);
		let ids = new Uint32Array(blocks);
		let busy = new Float64Array(blocks);
		let sum = 0;
		for (let b = 0; b < blocks; b++) {
			before[b] = sum;
			const end = Math.min(n, (b + 1) * FAN);
			ids[b] = b * FAN;
			for (let i = b * FAN; i < end; i++) {
				const time = this.busy(i);
				sum += time;
				if (time > busy[b]) {
					busy[b] = time;
					ids[b] = i;
				}
			}
		}
		before[blocks] = sum;
		this.levels = [{ ids, busy }];
		while (ids.length > FAN) {
			const length = Math.ceil(ids.length / FAN);
			const upper = { ids: new Uint32Array(length), busy: new Float64Array(length) };
			for (let i = 0; i < ids.length; i++) {
				const b = i >>> FAN_BITS;
				if (busy[i] > upper.busy[b] || !(i & (FAN - 1))) {
					upper.busy[b] = busy[i];
					upper.ids[b] = ids[i];
				}
			}
			this.levels.push(upper);
			({ ids, busy } = upper);
		}
		this.busyBefore = before;
	}

	/**
	 * First element that starts at or after t, from element from on: steps that
	 * double from guess on, then halves, so that near targets are cheap.
	 * @param {number} t
	 * @param {number} from
	 * @param {number} guess elements that may lie between
	 */
	seek(t, from = 0, guess = 1) {
		const n = this.length;
		let lo = from;
		let step = Math.max(1, guess >> 1);
		while (lo + step <= n && this.start(lo + step - 1) < t) {
			lo += step;
			step *= 2;
		}
		let hi = Math.min(n, lo + step - 1);
		while (lo < hi) {
			const mid = (lo + hi) >>> 1;
			if (this.start(mid) < t) lo = mid + 1;
			else hi = mid;
		}
		return lo;
	}

	/** First element that ends behind t, or that starts there. @param {number} t */
	first(t) {
		let i = this.seek(t);
		if (i > 0 && this.end(i - 1) > t) i--;
		return i;
	}

	/**
	 * The element with the longest busy time in [a, b); a when all are idle.
	 * @param {number} a
	 * @param {number} b
	 */
	longest(a, b) {
		const levels = /** @type {{ids: Uint32Array, busy: Float64Array}[]} */ (this.levels);
		let best = a;
		let longest = 0;
		/** @param {number} i @param {number} end */
		const leaves = (i, end) => {
			for (; i < end; i++) {
				const time = this.busy(i);
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
	 * Busy time of the elements [a, b), units of 10 ns.
	 * @param {number} a
	 * @param {number} b
	 */
	busyTime(a, b) {
		const before = /** @type {Float64Array} */ (this.busyBefore);
		let sum = 0;
		let lo = a;
		let hi = b;
		if ((hi >>> FAN_BITS) - ((lo + FAN - 1) >>> FAN_BITS) > 0) {
			for (; lo & (FAN - 1); lo++) sum += this.busy(lo);
			for (; hi & (FAN - 1); hi--) sum += this.busy(hi - 1);
			return sum + before[hi >>> FAN_BITS] - before[lo >>> FAN_BITS];
		}
		for (; lo < hi; lo++) sum += this.busy(lo);
		return sum;
	}
}

/** Spans that may lie over each other: arcs, and everything that is on no CPU. */
export class IntervalList {
	/**
	 * @param {Trace} trace
	 * @param {Uint32Array} ids in order of start
	 */
	constructor(trace, ids) {
		this.trace = trace;
		this.ids = ids;
		/** Latest end in each 8, 64, ... @type {Float64Array[]} */
		this.levels = [];
		let source = /** @type {Float64Array | null} */ (null);
		let n = ids.length;
		do {
			const next = new Float64Array(Math.ceil(n / FAN));
			for (let b = 0; b < next.length; b++) {
				let last = -Infinity;
				for (let i = b * FAN; i < Math.min(n, (b + 1) * FAN); i++)
					last = Math.max(last, source ? source[i] : trace.start[ids[i]] + trace.dur[ids[i]]);
				next[b] = last;
			}
			this.levels.push(next);
			source = next;
			n = next.length;
		} while (n > FAN);
	}

	get length() {
		return this.ids.length;
	}

	/** First element that starts at or after t, from element from on. @param {number} t */
	seek(t, from = 0) {
		let lo = from;
		let hi = this.ids.length;
		while (lo < hi) {
			const mid = (lo + hi) >>> 1;
			if (this.trace.start[this.ids[mid]] < t) lo = mid + 1;
			else hi = mid;
		}
		return lo;
	}

	/**
	 * Calls visit for each span that touches [t0, t1], in order of start, until
	 * it returns false.
	 * @param {number} t0
	 * @param {number} t1
	 * @param {(span: number) => boolean | void} visit
	 */
	each(t0, t1, visit) {
		const { start, dur } = this.trace;
		const end = this.seek(t1 + 0.5);
		let i = 0;
		while (i < end) {
			// the highest block that begins here and ends before t0 is left out whole
			let skip = 0;
			for (let depth = 0; depth < this.levels.length; depth++) {
				const bits = FAN_BITS * (depth + 1);
				if (i & ((1 << bits) - 1) || this.levels[depth][i >>> bits] >= t0) break;
				skip = 1 << bits;
			}
			if (skip) {
				i += skip;
				continue;
			}
			const span = this.ids[i++];
			if (start[span] + dur[span] >= t0 && visit(span) === false) return;
		}
	}
}
