// SPDX-License-Identifier: BSD-3-Clause
/**
 * Finds elements in a list of spans for times that only decrease, so that near steps are fast. Must not be asked for a
 * later time than the previous one.
 */

/** @typedef {import('../data/spans.js').SpanList} SpanList */

export class Backwards {
	/** @param {SpanList} list */
	constructor(list) {
		this.list = list;
		/** Number of elements before the last time. */
		this.behind = list.length;
	}

	/** Returns the last element that starts before t. t must not be later than the previous t. @param {number} t @returns {number} -1: none */
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
