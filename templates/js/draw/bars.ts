// SPDX-License-Identifier: BSD-3-Clause
/**
 * Draws bars in place of arcs, marks and messages that are too many, in the empty line above a group's rows. The height of a
 * bar is the number of elements that begin in its cell of the time axis. Each element counts in one bar.
 */
import { css } from '../base/palette.ts';
import { GROUP_HEIGHT } from '../scene/rows.ts';
import { caption } from './sizes.ts';
import { cellsOf, countIn } from './thin.ts';
import type { IntervalList } from '../data/intervals.ts';
import type { View } from '../scene/view.ts';

/** Top and height of the bars in the line above the rows, CSS pixels. Samples of a row use the rest of the line. */
const TOP = 2;
const HIGH = 16;
/** Minimum height of bars at which their name is drawn, CSS pixels. */
const LETTERS = 7;

/**
 * Adds bars for the elements of these lists. drawBars() draws them when all bars of the frame are known.
 * @param what `arcs`, `marks` or `messages`
 * @param lists elements by kind; the bars of the first list are lowest
 * @param inSight number of visible elements in all lists
 */
export function addBars(view: View, what: string, lists: {name: string, kind: number, list: IntervalList}[], inSight: number) {
	const cells = cellsOf(view);
	const parts = lists.filter(({ list }) => list.length).map(({ name, kind, list }) => ({ name, kind, counts: countIn(cells, list) }));
	let most = 1;
	for (let cell = 0; cell < cells.n; cell++) most = Math.max(most, parts.reduce((sum, { counts }) => sum + counts[cell], 0));
	view.drawn.bars.push({ what, parts, t0: cells.t0, step: cells.step, most, y0: 0, y1: 0 });
	view.drawn.thinned[what] = { shown: 0, of: inSight, what };
}

/** Returns the tops of the visible lines for bars: the line above the CPUs' rows, then the lines of other groups from the top. */
function linesFor({ rows, height }: View, n: number): number[] {
	const lines = rows.groups.filter(({ y }) => y >= rows.band && y + GROUP_HEIGHT <= height);
	return lines.sort((a, b) => Number(b.name === 'CPU') - Number(a.name === 'CPU')).slice(0, n).map(({ y }) => y);
}

/** Draws the bars that were added. Bars share a line if there are too few lines. */
export function drawBars(ctx: CanvasRenderingContext2D, view: View) {
	const { palette, drawn } = view;
	const lines = linesFor(view, drawn.bars.length);
	if (!lines.length) {
		drawn.bars = [];
		return;
	}
	drawn.bars.sort((a, b) => (a.what < b.what ? -1 : 1));
	ctx.save();
	drawn.bars.forEach((bars, i) => {
		const { what, parts, t0, step, most } = bars;
		const sharing = Math.ceil((drawn.bars.length - (i % lines.length)) / lines.length);
		const high = Math.floor(HIGH / sharing);
		bars.y0 = lines[i % lines.length] + TOP + Math.floor(i / lines.length) * high;
		bars.y1 = bars.y0 + high - (sharing > 1 ? 1 : 0);
		drawn.thinned[what].bars = true;
		const unit = (bars.y1 - bars.y0) / most;
		const below = new Uint32Array(parts[0]?.counts.length ?? 0);
		for (const { kind, counts } of parts) {
			ctx.fillStyle = css(palette.kinds[kind]);
			ctx.beginPath();
			counts.forEach((count, cell) => {
				if (!count) return;
				const x0 = Math.round(view.x(t0 + cell * step));
				const x1 = Math.round(view.x(t0 + (cell + 1) * step)) - 1;
				// a single element must be visible beside high bars
				const y0 = bars.y1 - Math.max(1, (below[cell] + count) * unit);
				ctx.rect(x0, y0, x1 - x0, bars.y1 - below[cell] * unit - y0);
				below[cell] += count;
			});
			ctx.fill();
		}
		if (bars.y1 - bars.y0 >= LETTERS) caption(ctx, palette, what, 0, bars.y0, bars.y1 - bars.y0);
	});
	ctx.restore();
}
