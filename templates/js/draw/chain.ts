// SPDX-License-Identifier: BSD-3-Clause
/** Draws the wakeup chain over the rows: each gap, and the wakeup that ended it. Leaves out a link whose row is not visible. */
import { css } from '../base/palette.ts';
import { BAR_SHARE, FONT, fillPolygon, line, strokeLine } from './sizes.ts';
import type { DrawnLink } from '../scene/drawn.ts';
import type { RowOf } from '../scene/rows.ts';
import type { View } from '../scene/view.ts';

/** Dash pattern where a process does not exist: length of a dot and of the space after it, pixels. */
const ABSENT = [1, 9];

export function drawChain(ctx: CanvasRenderingContext2D, view: View): DrawnLink[] {
	const { chain, trace, rows, palette } = view;
	const drawn: DrawnLink[] = [];
	if (!chain) return drawn;
	const color = css(palette.match);
	const level = (row: RowOf) => row.y + row.h * (1 - BAR_SHARE * 0.25);
	ctx.save();
	ctx.strokeStyle = ctx.fillStyle = color;
	ctx.lineCap = 'round';
	chain.links.slice(0, chain.shown).forEach((link, n) => {
		const row = rows.find('PID', link.pid);
		if (!row) return;
		const x0 = view.x(link.from);
		const x1 = view.x(link.to);
		const y = level(row);
		const born = link.absent === 'unborn';
		const source = born ? rows.find('PID', link.waker) : link.wake < 0 ? null : rows.find('PID', link.waker) ?? rows.find('CPU', trace.cpuOf(link.wake));
		const wakeX = born ? x1 : link.wake < 0 ? NaN : view.x(trace.start[link.wake]);
		ctx.lineWidth = 4;
		// the process did not exist, so it did not wait
		ctx.setLineDash(link.absent ? ABSENT : []);
		ctx.globalAlpha = 0.6;
		ctx.beginPath();
		/** Adds the visible part of a horizontal line. */
		const across = (from: number, to: number, at: number) => line(ctx, Math.max(-5, from), at, Math.min(view.width + 5, to), at);
		across(x0, x1, y);
		if (source && link.waker > 0 && Number.isFinite(link.ranFrom)) across(view.x(link.ranFrom), wakeX, level(source));
		ctx.stroke();
		ctx.setLineDash([]);
		ctx.globalAlpha = 1;
		ctx.lineWidth = 1.5;
		if (source) {
			const up = level(source) > y ? 1 : -1;
			strokeLine(ctx, wakeX, level(source), wakeX, y);
			fillPolygon(ctx, wakeX - 4, y + 7 * up, wakeX, y + up, wakeX + 4, y + 7 * up);
		}
		drawn.push({ pid: link.pid, x0, x1, y, from: source ? { x: wakeX, y: level(source) } : null });
		const middle = (Math.max(0, x0) + Math.min(view.width, x1)) / 2;
		if (x1 < 0 || x0 > view.width) return;
		ctx.font = `600 ${FONT}`;
		ctx.textAlign = 'center';
		ctx.textBaseline = 'middle';
		ctx.beginPath();
		ctx.arc(middle, y, 8, 0, 7);
		ctx.fill();
		ctx.fillStyle = css(palette.background);
		ctx.fillText(String(n + 1), middle, y + 0.5);
		ctx.fillStyle = color;
	});
	ctx.restore();
	return drawn;
}
