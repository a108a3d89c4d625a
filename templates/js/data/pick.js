// SPDX-License-Identifier: BSD-3-Clause
/**
 * Chooses the span that stands for a pixel column. Drawing and pointing both use it, so that the span under the pointer is
 * the drawn one.
 */

/** @typedef {import('./spans.js').SpanList} SpanList */

/**
 * Returns the element of list that stands for the time [tl, tr): the one with the longest busy part in it.
 * @param {SpanList} list
 * @param {number} i first element that ends after tl
 * @param {number} j first element that starts at or after tr
 * @param {number} tl
 * @param {number} tr
 */
export function pick(list, i, j, tl, tr) {
	if (j - i <= 1) return i;
	let best = i;
	let longest = -1;
	/** @param {number} k */
	const clipped = (k) => {
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

/**
 * Returns the span that is drawn at the pixel column [tl, tr) of a list, or -1.
 * @param {SpanList} list
 * @param {number} tl
 * @param {number} tr
 */
export function spanAt(list, tl, tr) {
	list.prepare();
	const i = list.first(tl);
	if (i >= list.length || list.start(i) >= tr) return -1;
	return list.at(pick(list, i, Math.max(i + 1, list.seek(tr, i)), tl, tr));
}
