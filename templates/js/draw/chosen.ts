// SPDX-License-Identifier: BSD-3-Clause
/** Draws the outline of the selected span in each row that shows it, and the extent of its call; or the selected arc. */
import { Kind, isExecution } from '../base/kinds.ts';
import { css } from '../base/palette.ts';
import { extentOf } from '../scene/chosen.ts';
import { arcsOf, strokeArc } from './arcs.ts';
import { fillPolygon, line } from './sizes.ts';
import type { Trace } from '../data/trace.ts';
import type { RowOf } from '../scene/rows.ts';
import type { View } from '../scene/view.ts';

/** Minimum width of an outline. An outline narrower than FLAGGED gets a triangle above it. CSS pixels. */
const LEAST = 6;
const FLAGGED = 14;
const THICK = 2;
const HALO = 5;

function shows(trace: Trace, span: number, { group, id, quantity }: RowOf) {
	const kind = trace.kind(span);
	if (quantity) return false;
	if (group === 'CPU') return kind !== Kind.WAIT && kind !== Kind.LOCK && trace.cpuOf(span) === id;
	if (group === 'PID') return id > 0 && trace.pid[span] === id && kind !== Kind.FREQ && kind !== Kind.PC;
	if (group === 'RPC') return isExecution(kind) && id > 0 && trace.rpc?.at(span) === id;
	return (kind === Kind.POINT || kind === Kind.QUEUE || kind === Kind.LOCK) && trace.name[span] === id;
}

export function drawChosen(ctx: CanvasRenderingContext2D, view: View) {
	const { chosen, trace, rows, palette, drawn } = view;
	drawn.chosen = [];
	if (!chosen) return;
	const { span } = chosen;
	const [color, halo] = [css(palette.text), css(palette.background)];
	ctx.save();
	if (trace.kind(span) === Kind.WAKE || trace.kind(span) === Kind.IPI) {
		for (const arc of view.options.relative ? [] : arcsOf(view, span)) {
			strokeArc(ctx, arc, halo, HALO);
			strokeArc(ctx, arc, color, THICK);
			drawn.chosen.push({ x0: arc.x0, x1: arc.x1, y0: arc.y0, y1: arc.y1 });
		}
		ctx.restore();
		return;
	}
	const { begin, elapsed } = extentOf(trace, span);
	for (const row of rows.visible) {
		if (!shows(trace, span, row)) continue;
		const more = LEAST - (view.xIn(row, trace.end(span)) - view.xIn(row, trace.start[span]));
		const x0 = view.xIn(row, trace.start[span]) - Math.max(1, more / 2);
		const x1 = view.xIn(row, trace.end(span)) + Math.max(1, more / 2);
		if (elapsed > trace.dur[span]) extent(ctx, view, row, begin, elapsed, color, halo);
		if (x1 < 0 || x0 > view.width) continue;
		const box = { x0: Math.max(-HALO, x0), x1: Math.min(view.width + HALO, x1), y0: row.y + 1, y1: row.y + row.h };
		for (const [style, width] of [[halo, HALO], [color, THICK]] as [string, number][]) {
			ctx.strokeStyle = style;
			ctx.lineWidth = width;
			ctx.strokeRect(box.x0, box.y0, box.x1 - box.x0, box.y1 - box.y0);
		}
		const middle = (box.x0 + box.x1) / 2;
		ctx.fillStyle = color;
		// a triangle points down at a narrow span
		if (box.x1 - box.x0 < FLAGGED) fillPolygon(ctx, middle - 5, box.y0 - 7, middle, box.y0, middle + 5, box.y0 - 7);
		drawn.chosen.push(box);
	}
	ctx.restore();
}

/** Draws the extent of a call: a line at the top of the row. */
function extent(ctx: CanvasRenderingContext2D, view: View, row: RowOf, begin: number, elapsed: number, color: string, halo: string) {
	const x0 = Math.max(-HALO, view.xIn(row, begin));
	const x1 = Math.min(view.width + HALO, view.xIn(row, begin + elapsed));
	if (x1 <= x0) return;
	const y = row.y + 2;
	for (const [style, width] of [[halo, HALO - 1], [color, THICK]] as [string, number][]) {
		ctx.strokeStyle = style;
		ctx.lineWidth = width;
		ctx.beginPath();
		line(ctx, x0, y, x1, y);
		for (const x of [x0, x1]) line(ctx, x, y - 2, x, y + 6);
		ctx.stroke();
	}
}
