// SPDX-License-Identifier: BSD-3-Clause
/** Finds elements in a list of spans for times that only decrease. A small step back in time is fast. */
import type { SpanList } from '../data/spans.ts';

export class Backwards {
	/** Number of elements that start before the last time searched for. */
	count = this.list.length;

	constructor(public list: SpanList) {}

	/** Returns the last element that starts before t. t must not be later than the previous t. @returns -1: none */
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
