// SPDX-License-Identifier: BSD-3-Clause
/** Draws arcs of wakeups and IPIs over the rows. If there are too many arcs, bars.ts draws their number at each time. */
import { Kind, kindLabel } from '../base/kinds.ts';
import { css } from '../base/palette.ts';
import { addBars } from './bars.ts';
import { BAR_SHARE, line } from './sizes.ts';
import { tooMany } from './thin.ts';
import type { DrawnArc } from '../scene/drawn.ts';
import type { RowOf } from '../scene/rows.ts';
import type { View } from '../scene/view.ts';

const middle = (row: RowOf) => row.y + row.h * (1 - BAR_SHARE * 0.5);

/** Computes the positions of an arc: between rows of CPUs, and between rows of processes. */
function place(view: View, span: number, cpus: Map<number, RowOf>, pids: Map<number, RowOf>, out: DrawnArc[]) {
	const { trace } = view;
	const between = (from: RowOf | undefined, to: RowOf | undefined) => {
		if (from && to) out.push({ span, x0: view.x(trace.start[span]), y0: middle(from), x1: view.x(trace.end(span)), y1: middle(to) });
	};
	if (cpus.size) between(cpus.get(trace.cpuOf(span)), cpus.get(trace.arg.at(span)));
	if (pids.size && trace.kind(span) === Kind.WAKE) between(pids.get(trace.pid[span]), pids.get(trace.woken(span)));
}

/** Returns the positions of an arc, whether it is drawn or not. */
export function arcsOf(view: View, span: number): DrawnArc[] {
	const out: DrawnArc[] = [];
	place(view, span, view.rows.byId('CPU'), view.rows.byId('PID'), out);
	return out;
}

/** Returns the two control points of an arc's curve. The curve bends upwards; longer arcs bend more. */
function bend({ x0, y0, x1, y1 }: DrawnArc) {
	const lift = Math.min(40, 6 + Math.abs(x1 - x0) * 0.25) * (y0 === y1 ? 1 : 0.6);
	const dx = x1 - x0;
	return { cx0: x0 + dx * 0.15, cy0: y0 - lift, cx1: x1 - dx * 0.3, cy1: y1 - lift };
}

export function strokeArc(ctx: CanvasRenderingContext2D, a: DrawnArc, color: string, width: number) {
	const { cx0, cy0, cx1, cy1 } = bend(a);
	ctx.strokeStyle = color;
	ctx.lineWidth = width;
	ctx.beginPath();
	ctx.moveTo(a.x0, a.y0);
	ctx.bezierCurveTo(cx0, cy0, cx1, cy1, a.x1, a.y1);
	line(ctx, a.x1 - 4, a.y1 - 6, a.x1, a.y1, a.x1 + 4, a.y1 - 6);
	ctx.stroke();
}

/** Number of straight lines that approximate an arc in hit tests. */
const STEPS = 24;

/** Returns the distance of a point from a drawn arc, CSS pixels. May return Infinity if the distance is more than `most`. */
function distanceTo(a: DrawnArc, x: number, y: number, most: number) {
	const { cx0, cy0, cx1, cy1 } = bend(a);
	if (x < Math.min(a.x0, a.x1) - most || x > Math.max(a.x0, a.x1) + most) return Infinity;
	if (y < Math.min(a.y0, a.y1, cy0, cy1) - most || y > Math.max(a.y0, a.y1) + most) return Infinity;
	let best = Infinity;
	let [px, py] = [a.x0, a.y0];
	for (let i = 1; i <= STEPS; i++) {
		const t = i / STEPS;
		const u = 1 - t;
		const [b0, b1, b2, b3] = [u * u * u, 3 * u * u * t, 3 * u * t * t, t * t * t];
		const qx = b0 * a.x0 + b1 * cx0 + b2 * cx1 + b3 * a.x1;
		const qy = b0 * a.y0 + b1 * cy0 + b2 * cy1 + b3 * a.y1;
		const [dx, dy] = [qx - px, qy - py];
		const along = Math.max(0, Math.min(1, ((x - px) * dx + (y - py) * dy) / (dx * dx + dy * dy || 1)));
		best = Math.min(best, Math.hypot(x - px - along * dx, y - py - along * dy));
		[px, py] = [qx, qy];
	}
	return best;
}

/** Returns the drawn arc nearest to a point of the plot. @param most maximum distance, CSS pixels */
export function arcAt(view: View, x: number, y: number, most: number): {arc: DrawnArc, distance: number} | null {
	let best: ReturnType<typeof arcAt> = null;
	for (const arc of view.drawn.arcs) {
		const distance = distanceTo(arc, x, y, most);
		if (distance <= most && distance < (best?.distance ?? Infinity)) best = { arc, distance };
	}
	return best;
}

/** Draws wakeups (dotted) and IPIs (dashed) from the sender's to the receiver's row. Adds bars instead of too many arcs. */
export function drawArcs(ctx: CanvasRenderingContext2D, view: View): DrawnArc[] {
	const { trace, palette } = view;
	const drawn: DrawnArc[] = [];
	const cpus = view.rows.byId('CPU');
	const pids = view.rows.byId('PID');
	const visible = (view.drawn.arcsVisible = trace.arcs.seek(view.t1) - trace.arcs.seek(view.t0));
	if (tooMany(view, visible)) {
		addBars(view, 'arcs', [Kind.WAKE, Kind.IPI].map((kind) => ({ name: kindLabel(kind), kind, list: trace.ofKind(kind) })), visible);
		return drawn;
	}
	let shown = 0;
	trace.arcs.each(view.t0, view.t1, (span) => {
		const before = drawn.length;
		place(view, span, cpus, pids, drawn);
		if (drawn.length > before) shown++;
	});
	view.drawn.thinned.arcs = { shown, of: Math.max(shown, visible), what: 'arcs' };
	strokeArcs(ctx, view, drawn, Kind.IPI, css(palette.kinds[Kind.IPI]));
	strokeArcs(ctx, view, drawn, Kind.WAKE, css(palette.kinds[Kind.WAKE]));
	return drawn;
}

function strokeArcs(ctx: CanvasRenderingContext2D, view: View, arcs: DrawnArc[], kind: number, color: string) {
	const few = arcs.length <= 300;
	ctx.save();
	const bold = view.options.arcBold;
	ctx.lineWidth = (few ? 1.25 : 1) + (bold ? 1.5 : 0);
	ctx.globalAlpha = few || bold ? 0.95 : 0.5;
	ctx.strokeStyle = ctx.fillStyle = color;
	// dashes take much time, and cannot be seen where arcs are dense
	if (few) ctx.setLineDash(kind === Kind.WAKE ? [2, 2.5] : [5, 2]);
	ctx.beginPath();
	for (const a of arcs) {
		if (view.trace.kind(a.span) !== kind) continue;
		const { cx0, cy0, cx1, cy1 } = bend(a);
		ctx.moveTo(a.x0, a.y0);
		ctx.bezierCurveTo(cx0, cy0, cx1, cy1, a.x1, a.y1);
	}
	ctx.stroke();
	ctx.setLineDash([]);
	ctx.beginPath();
	for (const a of few ? arcs : []) {
		if (view.trace.kind(a.span) !== kind) continue;
		ctx.moveTo(a.x0 + 1.8, a.y0);
		ctx.arc(a.x0, a.y0, 1.8, 0, 7);
		line(ctx, a.x1 + 3, a.y1 - 5, a.x1, a.y1, a.x1 - 3, a.y1 - 5);
	}
	ctx.fill();
	ctx.restore();
}
