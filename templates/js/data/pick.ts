// SPDX-License-Identifier: BSD-3-Clause
/**
 * Chooses the span that stands for a pixel column. Drawing and pointing both use it, so that the span under the pointer is
 * the drawn one.
 */
import type { SpanList } from './spans.ts';

/**
 * Returns the element of list that stands for the time [tl, tr): the one with the longest busy part in it.
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

/** Returns the span that is drawn at the pixel column [tl, tr) of a list, or -1. */
export function spanAt(list: SpanList, tl: number, tr: number) {
	list.prepare();
	const i = list.first(tl);
	if (i >= list.length || list.start(i) >= tr) return -1;
	return list.at(pick(list, i, Math.max(i + 1, list.seek(tr, i)), tl, tr));
}
