// SPDX-License-Identifier: BSD-3-Clause
/** Finds the spans that touch a time in a list of spans that may overlap. Skips blocks of spans that end before the time. */

type Spans = {start: Float64Array, dur: Float64Array | Uint32Array};

/** Number of elements, or of latest ends, for which the next level has one latest end. */
const FAN = 8;
const FAN_BITS = 3;

/** Returns the first number in [lo, hi) for which before() is false, or hi. before() is true up to some number. */
export function bisect(lo: number, hi: number, before: (i: number) => boolean) {
	while (lo < hi) {
		const mid = (lo + hi) >>> 1;
		if (before(mid)) lo = mid + 1;
		else hi = mid;
	}
	return lo;
}

/** Returns the latest end of each block of FAN spans. */
function lastOfSpans({ start, dur }: Spans, ids: Uint32Array): Float64Array {
	const last = new Float64Array(Math.ceil(ids.length / FAN)).fill(-Infinity);
	for (let i = 0; i < ids.length; i++) {
		const g = ids[i];
		const end = start[g] + dur[g];
		if (end > last[i >>> FAN_BITS]) last[i >>> FAN_BITS] = end;
	}
	return last;
}

/** Returns the latest end of each block of FAN ends. */
function lastOf(ends: Float64Array): Float64Array {
	const last = new Float64Array(Math.ceil(ends.length / FAN)).fill(-Infinity);
	for (let i = 0; i < ends.length; i++) if (ends[i] > last[i >>> FAN_BITS]) last[i >>> FAN_BITS] = ends[i];
	return last;
}

/** Spans that may overlap: arcs, and all spans that are on no CPU. */
export class IntervalList {
	declare trace: Spans;
	declare ids: Uint32Array;
	/** Latest end of each block of 8, 64, ... elements. Made at the first use. */
	levels: Float64Array[] | null = null;

	/** @param ids spans in order of start */
	constructor(trace: Spans, ids: Uint32Array) {
		this.trace = trace;
		this.ids = ids;
	}

	#prepare(): Float64Array[] {
		if (this.levels) return this.levels;
		let ends = lastOfSpans(this.trace, this.ids);
		this.levels = [ends];
		while (ends.length > FAN) this.levels.push((ends = lastOf(ends)));
		return this.levels;
	}

	get length() {
		return this.ids.length;
	}

	within(t0: number, t1: number) {
		const { ids, trace: { start } } = this;
		return !ids.length || (start[ids[0]] >= t0 && start[ids[ids.length - 1]] <= t1);
	}

	/** Returns the first element, from element `from` on, that starts at or after t. Fast if the result is near `from`. */
	seek(t: number, from = 0) {
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

	/** Calls visit for each span that touches [t0, t1], in order of start, until visit returns false. */
	each(t0: number, t1: number, visit: (span: number) => boolean | void) {
		const { start, dur } = this.trace;
		const end = this.seek(t1 + 0.5);
		const levels = this.#prepare();
		let i = 0;
		while (i < end) {
			// skip the largest block that begins at i and ends before t0
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
