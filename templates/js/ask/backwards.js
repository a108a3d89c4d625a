// SPDX-License-Identifier: BSD-3-Clause
/**
 * A place in a list of spans that goes from later to earlier times only, so that near steps are quick.
 * Never finds anything for a later time than the last. Imported by path.js.
 */

/** @typedef {import('../data/spans.js').SpanList} SpanList */

/** A list that is gone through from its end to its beginning. */
export class Backwards {
	/** @param {SpanList} list */
	constructor(list) {
		this.list = list;
		/** What is not before the last time asked for. */
		this.behind = list.length;
	}

	/** The last element that starts before t, which is no later than the last t. @param {number} t @returns {number} -1: none */
	before(t) {
		const { starts, index, lo: base } = this.list;
		/** @param {number} i */
		const later = (i) => starts[index ? index[base + i] : base + i] >= t;
		let hi = this.behind;
		let step = 1;
		while (hi >= step && later(hi - step)) {
			hi -= step;
			step *= 2;
		}
		let lo = Math.max(0, hi - step);
		while (lo < hi) {
			const mid = (lo + hi) >>> 1;
			if (later(mid)) hi = mid;
			else lo = mid + 1;
		}
		return (this.behind = lo) - 1;
	}
}
