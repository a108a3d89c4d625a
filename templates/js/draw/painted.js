// SPDX-License-Identifier: BSD-3-Clause
/**
 * For tests: how much of each pixel column of a row was drawn in each kind's colour.
 * Never part of a frame: it draws the picture again to find out.
 * Imported by shell/embed.js.
 */
import { EXECUTION_KINDS } from '../base/kinds.js';
import { BAR_SHARE, heights } from './sizes.js';

/** @typedef {import('./lines.js').LineStyle} LineStyle */
/** @typedef {import('./picture.js').Picture} Picture */

/**
 * For tests: draws the picture again and tells of one row how much of each pixel
 * column was drawn in each execution kind's colour, 0..1, and how many pixels of the
 * lines that were kept are not as when they are made anew.
 * @param {Picture} picture
 * @param {string} group
 * @param {number} id
 */
export function painted(picture, group, id) {
	const { view, painter } = picture;
	const row = view.rows.find(group, id);
	if (!row) return null;
	painter.record = new Map();
	view.draw();
	picture.frame();
	const { shares, stale } = painter.record.get(row.spans) ?? { shares: new Float32Array(0), stale: 0 };
	painter.record = null;
	const style = /** @type {LineStyle} */ (painter.style);
	/** @param {number} color */
	const rgb = (color) => [color & 255, (color >>> 8) & 255, (color >>> 16) & 255];
	return {
		kinds: EXECUTION_KINDS, shares: Array.from(shares), stale, colours: Array.from(style.kinds, rgb),
		background: rgb(style.background), barShare: BAR_SHARE, heights: Array.from(heights.subarray(0, EXECUTION_KINDS)),
	};
}
