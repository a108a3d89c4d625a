// SPDX-License-Identifier: BSD-3-Clause
/**
 * Finds the last span of a list that starts before a time. Each search must be for the same time as the last one, or an
 * earlier time. A small step back is fast.
 */
import type { SpanList } from '../data/spans.ts';

export class Backwards {
	/** Number of elements that start before the last time searched for. */
	count = this.list.length;

	constructor(public list: SpanList) {}

	/** Returns the index of the last span that starts before t; -1: none. t must be at most the t of the previous call. */
	before(t: number): number {
		const { starts, index, lo: base } = this.list;
		const later = (i: number) => starts[index ? index[base + i] : base + i] >= t;
		let hi = this.count;
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
		return (this.count = lo) - 1;
	}
}
