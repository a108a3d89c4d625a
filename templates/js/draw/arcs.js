// SPDX-License-Identifier: BSD-3-Clause
/**
 * Arcs of wakeups and IPIs over the rows.
 * Never draws more than the eye can tell apart: many are thinned out evenly, and counted.
 * Imported by picture.js.
 */
import { Kind } from '../base/kinds.js';
import { css } from '../base/palette.js';
import { BAR_SHARE } from './sizes.js';
import { eachCell } from './thin.js';

/** @typedef {import('../scene/view.js').View} View */
/** @typedef {import('../scene/rows.js').RowOf} RowOf */
/** @typedef {import('../scene/drawn.js').DrawnArc} DrawnArc */

/** Where there are more than one in so many pixels, they are thinned out to one in each cell. */
const ARC_PIXELS = 6;
const CELL_PIXELS = 8;

/** Middle of the bars of a row. @param {RowOf} row */
const middle = (row) => row.y + row.h * (1 - BAR_SHARE * 0.5);

/**
 * Wakeups (dotted) and IPIs (dashed): from the row that acts to the row that
 * then runs. When there are too many, they are thinned out evenly.
 * @param {CanvasRenderingContext2D} ctx
 * @param {View} view
 * @returns {{drawn: DrawnArc[], visible: number}}
 */
export function drawArcs(ctx, view) {
	const { trace, palette } = view;
	/** @type {DrawnArc[]} */
	const drawn = [];
	let shown = 0;
	const cpus = view.rows.byId('CPU');
	const pids = view.rows.byId('PID');
	/** @param {number} span @param {RowOf | undefined} from @param {RowOf | undefined} to */
	const between = (span, from, to) => {
		if (from && to) drawn.push({ span, x0: view.x(trace.start[span]), y0: middle(from), x1: view.x(trace.end(span)), y1: middle(to) });
	};
	/** @param {number} span */
	const add = (span) => {
		const before = drawn.length;
		if (cpus.size) between(span, cpus.get(trace.cpuOf(span)), cpus.get(trace.arg.at(span)));
		if (pids.size && trace.kind(span) === Kind.WAKE) between(span, pids.get(trace.pid[span]), pids.get(trace.ret.at(span)));
		if (drawn.length > before) shown++;
	};
	const { ids } = trace.arcs;
	const first = trace.arcs.seek(view.t0);
	const visible = trace.arcs.seek(view.t1) - first;
	if (visible <= view.width / ARC_PIXELS) trace.arcs.each(view.t0, view.t1, add);
	else eachCell(view, CELL_PIXELS, 1, (t, from) => trace.arcs.seek(t, from), (i) => add(ids[i]));
	view.drawn.thinned.arcs = { shown, of: Math.max(shown, visible), what: 'arcs' };
	strokeArcs(ctx, view, drawn, Kind.IPI, css(palette.kinds[Kind.IPI]));
	strokeArcs(ctx, view, drawn, Kind.WAKE, css(palette.kinds[Kind.WAKE]));
	return { drawn, visible };
}

/**
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
	// dashes cost much and say little where arcs are dense
	if (few) ctx.setLineDash(kind === Kind.WAKE ? [2, 2.5] : [5, 2]);
	ctx.beginPath();
	for (const a of arcs) {
		if (view.trace.kind(a.span) !== kind) continue;
		// bows upwards, further the longer it is
		const lift = Math.min(40, 6 + Math.abs(a.x1 - a.x0) * 0.25) * (a.y0 === a.y1 ? 1 : 0.6);
		const dx = a.x1 - a.x0;
		ctx.moveTo(a.x0, a.y0);
		ctx.bezierCurveTo(a.x0 + dx * 0.15, a.y0 - lift, a.x1 - dx * 0.3, a.y1 - lift, a.x1, a.y1);
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
