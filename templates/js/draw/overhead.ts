// SPDX-License-Identifier: BSD-3-Clause
/** Draws the cost of recording as white diagonals at the beginning of spans, because each span begins with an event. */
import { isExecution, isIdle } from '../base/kinds.ts';
import { BAR_SHARE, heights, line } from './sizes.ts';
import type { Trace } from '../data/trace.ts';
import type { View } from '../scene/view.ts';
import type { Wide } from './paint.ts';

/** Minimum width of the drawn cost, CSS pixels. */
const LEAST = 8;
const LINES = 5;
/** Cost that the page of KUtrace 3 assumes for every machine, without and with counters; units of 10 ns. */
const ASSUMED = { plain: 2, counters: 5 };

/** Returns the cost of an event in units of 10 ns, and whether it was measured on the machine of the trace. */
export function overheadOf(trace: Trace) {
	const picoseconds = Number(trace.header.overhead?.emit_ps);
	if (picoseconds > 0) return { units: picoseconds / 1e4, measured: true };
	return { units: trace.hasIpc ? ASSUMED.counters : ASSUMED.plain, measured: false };
}

/** Draws diagonal lines that go down from right to left. */
export function diagonals(ctx: CanvasRenderingContext2D, x: number, y: number, width: number, height: number) {
	const step = height / (LINES + 1);
	for (const [color, wide] of [['rgba(0,0,0,0.45)', 3.5], ['#ffffff', 1.75]] as [string, number][]) {
		ctx.strokeStyle = color;
		ctx.lineWidth = wide;
		ctx.beginPath();
		for (let i = 0; i < LINES; i++) line(ctx, x + width, y + step * (i + 0.5), x, y + step * (i + 1.5));
		ctx.stroke();
	}
}

/** Draws the cost of recording on spans. @returns the spans on which the cost was drawn, with the edges of the drawing */
export function drawOverhead(ctx: CanvasRenderingContext2D, view: View, wide: Wide[]): {span: number, x0: number, x1: number}[] {
	const { trace } = view;
	const cost = (overheadOf(trace).units / (view.t1 - view.t0)) * view.width;
	const drawn: {span: number, x0: number, x1: number}[] = [];
	if (cost < LEAST) return drawn;
	for (const w of wide) {
		const kind = trace.kind(w.span);
		if (!isExecution(kind) || isIdle(kind) || trace.text(w.span).endsWith('?')) continue;
		const width = Math.min(cost, w.x1 - w.x0);
		if (w.x0 + width < 0 || width < LEAST) continue;
		const height = (w.base - w.top) * BAR_SHARE * heights[kind];
		diagonals(ctx, w.x0, w.base - height, width, height);
		drawn.push({ span: w.span, x0: w.x0, x1: w.x0 + width });
	}
	return drawn;
}
