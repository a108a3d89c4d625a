// SPDX-License-Identifier: BSD-3-Clause
/**
 * Draws the cost of recording as white diagonals at the beginning of spans, because each span begins with an event. Must
 * not cover a neighbour, and draws nothing where no event was recorded.
 */
import { isExecution, isIdle } from '../base/kinds.js';
import { BAR_SHARE, heights } from './sizes.js';

/** @typedef {import('../scene/view.js').View} View */
/** @typedef {import('./paint.js').Wide} Wide */

/** Minimum width, CSS pixels. */
const LEAST = 8;
const LINES = 5;
/** Cost that the page of KUtrace 3 assumes for every machine, without and with counters; units of 10 ns. */
const ASSUMED = { plain: 2, counters: 5 };

/**
 * Returns the cost of an event in units of 10 ns, and whether it was measured on the machine of the trace.
 * @param {import('../data/trace.js').Trace} trace
 */
export function overheadOf(trace) {
	const picoseconds = Number(trace.header.overhead?.emit_ps);
	if (picoseconds > 0) return { units: picoseconds / 1e4, measured: true };
	return { units: trace.hasIpc ? ASSUMED.counters : ASSUMED.plain, measured: false };
}

/**
 * Draws lines from the right down to the left.
 * @param {CanvasRenderingContext2D} ctx
 * @param {number} x
 * @param {number} y
 * @param {number} width
 * @param {number} height
 */
export function diagonals(ctx, x, y, width, height) {
	const step = height / (LINES + 1);
	for (const [color, wide] of /** @type {[string, number][]} */ ([['rgba(0,0,0,0.45)', 3.5], ['#ffffff', 1.75]])) {
		ctx.strokeStyle = color;
		ctx.lineWidth = wide;
		ctx.beginPath();
		for (let i = 0; i < LINES; i++) {
			ctx.moveTo(x + width, y + step * (i + 0.5));
			ctx.lineTo(x, y + step * (i + 1.5));
		}
		ctx.stroke();
	}
}

/**
 * Draws the cost of recording.
 * @param {CanvasRenderingContext2D} ctx
 * @param {View} view
 * @param {Wide[]} wide wide spans, CSS pixels
 * @returns {{span: number, x0: number, x1: number}[]} where it was drawn
 */
export function drawOverhead(ctx, view, wide) {
	const { trace } = view;
	const cost = (overheadOf(trace).units / (view.t1 - view.t0)) * view.width;
	/** @type {{span: number, x0: number, x1: number}[]} */
	const drawn = [];
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
