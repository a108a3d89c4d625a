// SPDX-License-Identifier: BSD-3-Clause
/**
 * For tests: measures how much of each pixel column of a row was drawn in each kind's colour. Draws the picture again, so
 * it is not part of a frame.
 */
import { EXECUTION_KINDS } from '../base/kinds.ts';
import { BAR_SHARE, heights } from './sizes.ts';
import type { Picture } from './picture.ts';

/**
 * Draws the picture again. Returns for one row how much of each pixel column was drawn in each execution kind's colour, 0
 * to 1, and how many pixels of the stored lines differ from newly drawn lines.
 */
export function painted(picture: Picture, group: string, id: number) {
	const { view, painter } = picture;
	const row = view.rows.find(group, id);
	if (!row) return null;
	painter.record = new Map();
	view.draw();
	picture.frame();
	const { shares, stale } = painter.record.get(row.spans) ?? { shares: new Float32Array(0), stale: 0 };
	painter.record = null;
	const style = painter.style!;
	const rgb = (color: number) => [color & 255, (color >>> 8) & 255, (color >>> 16) & 255];
	return {
		kinds: EXECUTION_KINDS, shares: Array.from(shares), stale, colours: Array.from(style.kinds, rgb),
		background: rgb(style.background), barShare: BAR_SHARE, heights: Array.from(heights.subarray(0, EXECUTION_KINDS)),
	};
}
