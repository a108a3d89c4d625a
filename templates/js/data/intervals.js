// SPDX-License-Identifier: BSD-3-Clause
/**
 * Lists of spans that may overlap: arcs, locks, messages, matches.
 * Never looks at all of them: blocks that end before the time asked for are left out whole.
 * Imported by trace.js and ask/search.js.
 */

/** The columns of a trace that a list is of. @typedef {{start: Float64Array, dur: Float64Array | Uint32Array}} Spans */

/** Elements, or latest ends, in one of the next level. */
const FAN = 8;
const FAN_BITS = 3;

/** @param {Spans} trace @param {Uint32Array} ids @returns {Float64Array} the latest end of each few */
function lastOfSpans({ start, dur }, ids) {
	const last = new Float64Array(Math.ceil(ids.length / FAN)).fill(-Infinity);
	for (let i = 0; i < ids.length; i++) {
		const g = ids[i];
		const end = start[g] + dur[g];
		if (end > last[i >>> FAN_BITS]) last[i >>> FAN_BITS] = end;
	}
	return last;
}

/** @param {Float64Array} ends @returns {Float64Array} the latest of each few */
function lastOf(ends) {
	const last = new Float64Array(Math.ceil(ends.length / FAN)).fill(-Infinity);
	for (let i = 0; i < ends.length; i++) if (ends[i] > last[i >>> FAN_BITS]) last[i >>> FAN_BITS] = ends[i];
	return last;
}

/** Spans that may lie over each other: arcs, and everything that is on no CPU. */
export class IntervalList {
	/**
	 * @param {Spans} trace
	 * @param {Uint32Array} ids in order of start
	 */
	constructor(trace, ids) {
		this.trace = trace;
		this.ids = ids;
		/** Made when first asked for. @type {Float64Array[] | null} */
		this.levels = null;
	}

	/** @returns {Float64Array[]} latest end in each 8, 64, ... */
	#prepare() {
		if (this.levels) return this.levels;
		let ends = lastOfSpans(this.trace, this.ids);
		this.levels = [ends];
		while (ends.length > FAN) this.levels.push((ends = lastOf(ends)));
		return this.levels;
	}

	get length() {
		return this.ids.length;
	}

	/** Do all of them begin in [t0, t1]? @param {number} t0 @param {number} t1 */
	within(t0, t1) {
		const { ids, trace: { start } } = this;
		return !ids.length || (start[ids[0]] >= t0 && start[ids[ids.length - 1]] <= t1);
	}

	/** First element that starts at or after t, from element from on, the sooner the nearer it is. @param {number} t */
	seek(t, from = 0) {
		const { ids } = this;
		const { start } = this.trace;
		let lo = from;
		let hi = ids.length;
		for (let step = 16; from > 0 && lo + step < hi; step *= 4) {
			if (start[ids[lo + step]] >= t) hi = lo + step;
			else lo += step + 1;
		}
		while (lo < hi) {
			const mid = (lo + hi) >>> 1;
			if (start[ids[mid]] < t) lo = mid + 1;
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
		const levels = this.#prepare();
		let i = 0;
		while (i < end) {
			// the highest block that begins here and ends before t0 is left out whole
			let skip = 0;
			for (let depth = 0; depth < levels.length; depth++) {
				const bits = FAN_BITS * (depth + 1);
				if (i & ((1 << bits) - 1) || levels[depth][i >>> bits] >= t0) break;
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
