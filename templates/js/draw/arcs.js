// SPDX-License-Identifier: BSD-3-Clause
/**
 * Draws arcs of wakeups and IPIs over the rows. If there are too many to distinguish, bars.js draws their number at each
 * time.
 */
import { Kind, kindLabel } from '../base/kinds.js';
import { css } from '../base/palette.js';
import { addBars } from './bars.js';
import { BAR_SHARE } from './sizes.js';
import { tooMany } from './thin.js';

/** @typedef {import('../scene/view.js').View} View */
/** @typedef {import('../scene/rows.js').RowOf} RowOf */
/** @typedef {import('../scene/drawn.js').DrawnArc} DrawnArc */

/** Returns the middle of the bars of a row. @param {RowOf} row */
const middle = (row) => row.y + row.h * (1 - BAR_SHARE * 0.5);

/**
 * Computes the positions of an arc: between rows of CPUs, and between rows of processes.
 * @param {View} view
 * @param {number} span
 * @param {Map<number, RowOf>} cpus
 * @param {Map<number, RowOf>} pids
 * @param {DrawnArc[]} out
 */
function place(view, span, cpus, pids, out) {
	const { trace } = view;
	/** @param {RowOf | undefined} from @param {RowOf | undefined} to */
	const between = (from, to) => {
		if (from && to) out.push({ span, x0: view.x(trace.start[span]), y0: middle(from), x1: view.x(trace.end(span)), y1: middle(to) });
	};
	if (cpus.size) between(cpus.get(trace.cpuOf(span)), cpus.get(trace.arg.at(span)));
	if (pids.size && trace.kind(span) === Kind.WAKE) between(pids.get(trace.pid[span]), pids.get(trace.ret.at(span)));
}

/** Returns the positions of an arc, whether it is drawn or not. @param {View} view @param {number} span @returns {DrawnArc[]} */
export function arcsOf(view, span) {
	/** @type {DrawnArc[]} */
	const out = [];
	place(view, span, view.rows.byId('CPU'), view.rows.byId('PID'), out);
	return out;
}

/** Returns the two control points of an arc's curve. It bends upwards; longer arcs bend more. @param {DrawnArc} a */
function bend({ x0, y0, x1, y1 }) {
	const lift = Math.min(40, 6 + Math.abs(x1 - x0) * 0.25) * (y0 === y1 ? 1 : 0.6);
	const dx = x1 - x0;
	return { cx0: x0 + dx * 0.15, cy0: y0 - lift, cx1: x1 - dx * 0.3, cy1: y1 - lift };
}

/** Draws one highlighted arc. @param {CanvasRenderingContext2D} ctx @param {DrawnArc} a @param {string} color @param {number} width */
export function strokeArc(ctx, a, color, width) {
	const { cx0, cy0, cx1, cy1 } = bend(a);
	ctx.strokeStyle = color;
	ctx.lineWidth = width;
	ctx.beginPath();
	ctx.moveTo(a.x0, a.y0);
	ctx.bezierCurveTo(cx0, cy0, cx1, cy1, a.x1, a.y1);
	ctx.moveTo(a.x1 - 4, a.y1 - 6);
	ctx.lineTo(a.x1, a.y1);
	ctx.lineTo(a.x1 + 4, a.y1 - 6);
	ctx.stroke();
}

/** Number of straight lines that approximate an arc in hit tests. */
const STEPS = 24;

/**
 * Returns the distance of a point from a drawn arc, CSS pixels. May return Infinity if the distance is more than most.
 * @param {DrawnArc} a
 * @param {number} x
 * @param {number} y
 * @param {number} most
 */
function distanceTo(a, x, y, most) {
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

/**
 * Returns the drawn arc nearest to a point.
 * @param {View} view
 * @param {number} x CSS pixels of the plot
 * @param {number} y
 * @param {number} most maximum distance in pixels
 * @returns {{arc: DrawnArc, distance: number} | null}
 */
export function arcAt(view, x, y, most) {
	/** @type {{arc: DrawnArc, distance: number} | null} */
	let best = null;
	for (const arc of view.drawn.arcs) {
		const distance = distanceTo(arc, x, y, most);
		if (distance <= most && distance < (best?.distance ?? Infinity)) best = { arc, distance };
	}
	return best;
}

/**
 * Draws wakeups (dotted) and IPIs (dashed) from the row of the sender to the row that then runs. If there are too many,
 * adds bars instead.
 * @param {CanvasRenderingContext2D} ctx
 * @param {View} view
 * @returns {{drawn: DrawnArc[], visible: number}}
 */
export function drawArcs(ctx, view) {
	const { trace, palette } = view;
	/** @type {DrawnArc[]} */
	const drawn = [];
	const cpus = view.rows.byId('CPU');
	const pids = view.rows.byId('PID');
	const visible = trace.arcs.seek(view.t1) - trace.arcs.seek(view.t0);
	if (tooMany(view, visible)) {
		addBars(view, 'arcs', [Kind.WAKE, Kind.IPI].map((kind) => ({ name: kindLabel(kind), kind, list: trace.ofKind(kind) })), visible);
		return { drawn, visible };
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
	return { drawn, visible };
}

/**
 * Draws the arcs of one kind.
 * @param {CanvasRenderingContext2D} ctx
 * @param {View} view
 * @param {DrawnArc[]} arcs
 * @param {number} kind
 * @param {string} color
 */
function strokeArcs(ctx, view, arcs, kind, color) {
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
		ctx.moveTo(a.x1 + 3, a.y1 - 5);
		ctx.lineTo(a.x1, a.y1);
		ctx.lineTo(a.x1 - 3, a.y1 - 5);
	}
	ctx.fill();
	ctx.restore();
}
