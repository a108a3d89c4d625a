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
/** The kinds that fill a CPU's time are the first ones. */
export const EXECUTION_KINDS = Kind.SCHED + 1;
/** Elements between two sums of time by kind. */
const SUM_EVERY = 32;
const SUM_BITS = 5;
/** Elements, on average, between two entries of the table that starts a search. */
const GUIDE_EVERY = 64;

/**
 * What a list needs to be drawn, made in one pass; transferable.
 * @typedef {object} Tables
 * @property {{ids: Uint32Array, busy: Float64Array}[]} levels longest busy span of 8, 64, ... elements: which, and its time
 * @property {Float64Array} sums time of each kind before each 32nd element, units of 10 ns
 * @property {Uint32Array} guide first element at or behind each of equal parts of the list's time
 */

/**
 * @param {Float64Array} starts
 * @param {Float64Array | Uint32Array} durs
 * @param {Uint8Array} kinds
 * @param {number} lo
 * @param {number} n
 * @param {Uint32Array | null} index
 * @returns {Tables}
 */
export function makeTables(starts, durs, kinds, lo, n, index) {
	const blocks = Math.ceil(n / FAN);
	const sumBlocks = Math.floor(n / SUM_EVERY) + 1;
	const sums = new Float64Array(sumBlocks * EXECUTION_KINDS);
	const running = new Float64Array(32);
	const parts = Math.max(1, Math.ceil(n / GUIDE_EVERY));
	const guide = new Uint32Array(parts + 1);
	const origin = n ? starts[index ? index[lo] : lo] : 0;
	const last = n ? starts[index ? index[lo + n - 1] : lo + n - 1] : 0;
	const scale = last > origin ? parts / (last - origin) : 0;
	let part = 0;
	let ids = new Uint32Array(blocks);
	let busy = new Float64Array(blocks);
	for (let i = 0; i < n; i++) {
		const g = index ? index[lo + i] : lo + i;
		const time = durs[g];
		const kind = kinds[g];
		if (!(i & (SUM_EVERY - 1))) {
			const at = (i >>> SUM_BITS) * EXECUTION_KINDS;
			for (let k = 0; k < EXECUTION_KINDS; k++) sums[at + k] = running[k];
			const here = Math.min(parts, Math.floor((starts[g] - origin) * scale));
			while (part <= here) guide[part++] = Math.max(0, i - SUM_EVERY);
		}
		running[kind & 31] += time;
		const b = i >>> FAN_BITS;
		if (!(i & (FAN - 1))) ids[b] = i;
		if (kind > LAST_IDLE && time > busy[b]) {
			busy[b] = time;
			ids[b] = i;
		}
	}
	if (!(n & (SUM_EVERY - 1)))
		for (let k = 0; k < EXECUTION_KINDS; k++) sums[(n >>> SUM_BITS) * EXECUTION_KINDS + k] = running[k];
	while (part <= parts) guide[part++] = Math.max(0, n - SUM_EVERY);
	const levels = [{ ids, busy }];
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
		levels.push(upper);
		({ ids, busy } = upper);
	}
	return { levels, sums, guide };
}

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

	/** Duration when busy, else 0. @param {number} i */
	busy(i) {
		const g = this.at(i);
		return this.kinds[g] <= LAST_IDLE ? 0 : this.durs[g];
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

	/** seek() without a hint: begins where the guide says. @param {number} t */
	#find(t) {
		const n = this.length;
		if (!this.tables || n < GUIDE_EVERY) return this.seek(t);
		const { guide } = this.tables;
		const parts = guide.length - 1;
		const origin = this.start(0);
		const part = Math.floor(((t - origin) / (this.start(n - 1) - origin)) * parts);
		if (!(part > 0)) return this.seek(t);
		const lo = guide[Math.min(part, parts)];
		const next = guide[Math.min(part + 1, parts)];
		// the guide's arithmetic may be a rounding off
		return lo > 0 && this.start(lo - 1) >= t ? this.seek(t) : this.seek(t, lo, Math.max(1, (next - lo) >> 1));
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
