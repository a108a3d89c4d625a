// SPDX-License-Identifier: BSD-3-Clause
/**
 * Marks and tracepoints over the rows, with their names where these have room.
 * Never lets a label lie over another, or stand beside itself; those without room are drawn as lines only, and counted.
 * Where there are too many marks, bars.js draws how many there are at each time.
 * Imported by picture.js.
 */
import { Kind, isMark, kindLabel } from '../base/kinds.js';
import { css } from '../base/palette.js';
import { Rows } from '../scene/rows.js';
import { addBars } from './bars.js';
import { SMALL } from './sizes.js';
import { Repeats, tooMany } from './thin.js';

/** @typedef {import('../scene/view.js').View} View */
/** @typedef {import('../scene/rows.js').RowOf} RowOf */
/** @typedef {import('../scene/drawn.js').DrawnMark} DrawnMark */

/** Letters of a tracepoint that are drawn; hover shows them all. */
const FLAG_TEXT = 40;

/** Kinds that the picture calls marks. */
const KINDS = [Kind.MARK_A, Kind.MARK_B, Kind.MARK_C, Kind.MARK_D, Kind.TRACEPOINT];

/** Returns the spans of a kind that begin on the screen. @param {View} view @param {number} kind */
function inSight({ trace, t0, t1 }, kind) {
	const ids = trace.byKind[kind];
	const first = lowerBound(ids, (g) => trace.start[g] < t0);
	return ids.subarray(first, lowerBound(ids, (g) => trace.start[g] <= t1, first));
}

/**
 * Marks a b c as brackets (a name that begins with / closes), d as a number,
 * tracepoints as flags with their fields.
 * Labels that would lie over one another are left out. When there are too many, their bars are added in their place.
 * @param {CanvasRenderingContext2D} ctx
 * @param {View} view
 * @param {string} what both, text or numbers
 * @returns {DrawnMark[]}
 */
export function drawMarks(ctx, view, what) {
	const { trace } = view;
	const kinds = KINDS.filter((kind) => what === 'both' || (kind === Kind.MARK_D) === (what === 'numbers'));
	const marks = kinds.map((kind) => inSight(view, kind));
	const visible = marks.reduce((sum, ids) => sum + ids.length, 0);
	if (tooMany(view, visible)) {
		addBars(view, 'marks', kinds.map((kind) => ({ name: kindLabel(kind), kind, list: trace.ofKind(kind) })), visible);
		return [];
	}
	const names = what === 'numbers' ? [] : inSight(view, Kind.BRACKET);
	/** @type {DrawnMark[]} */
	const drawn = [];
	/** Right ends of the last labels by row, one for each level. @type {Map<RowOf, number[]>} */
	const ends = new Map();
	/** Over all lines, so that none goes through one. @type {(() => void)[]} */
	const labels = [];
	/** Lines, by kind: drawn in one go. @type {Map<number, [number, number, number, number][]>} */
	const lines = new Map();
	const cpus = view.rows.byId('CPU');
	const pids = view.rows.byId('PID');
	ctx.save();
	ctx.font = SMALL;
	ctx.textBaseline = 'middle';
	const repeats = new Repeats();
	/** @type {Set<number>} */
	const shown = new Set();
	/** @type {Set<number>} */
	const named = new Set();
	// spans are numbered in order of their begin
	for (const span of [...marks, tooMany(view, visible + names.length) ? [] : names].flatMap((ids) => [...ids]).sort((a, b) => a - b)) {
		const x = view.x(trace.start[span]);
		for (const row of [cpus.get(trace.cpuOf(span)), pids.get(trace.pid[span])]) {
			if (!row || row.h < 8) continue;
			const labelled = drawMark(ctx, view, span, x, row, ends, repeats, labels, lines);
			if (labelled === null) continue;
			drawn.push({ span, x, row, labelled });
			if (trace.kind(span) === Kind.BRACKET) continue;
			shown.add(span);
			if (labelled) named.add(span);
		}
	}
	for (const [kind, rects] of lines) {
		ctx.fillStyle = css(view.palette.kinds[kind]);
		ctx.beginPath();
		for (const rect of rects) ctx.rect(...rect);
		ctx.fill();
	}
	for (const label of labels) label();
	ctx.restore();
	const { thinned } = view.drawn;
	thinned.marks = { shown: shown.size, of: visible, what: 'marks' };
	thinned.markNames = { shown: named.size, of: shown.size, what: 'names of marks' };
	return drawn;
}

/**
 * Returns whether it got its label, or null when it was left out.
 * @param {CanvasRenderingContext2D} ctx
 * @param {View} view
 * @param {number} span
 * @param {number} x
 * @param {RowOf} row
 * @param {Map<RowOf, number[]>} ends
 * @param {Repeats} repeats
 * @param {(() => void)[]} labels what is to be drawn when all lines are
 * @param {Map<number, [number, number, number, number][]>} lines by kind: left, top, width, height
 */
function drawMark(ctx, view, span, x, row, ends, repeats, labels, lines) {
	const { trace, palette } = view;
	const kind = trace.kind(span);
	const number = kind === Kind.MARK_D;
	// a number does not close anything, and is read only where it has room
	let text = number ? '' : markText(trace, span);
	const closing = text.startsWith('/');
	const bracket = kind === Kind.BRACKET;
	const top = row.y + 1;
	const bottom = row.y + row.h;
	// c stands lower, and d lowest, so that kinds can be told apart without colour
	const flag = kind === Kind.TRACEPOINT;
	const level = bracket || flag ? 3 : row.h < 36 ? 0 : kind === Kind.MARK_C ? 1 : number ? 2 : 0;
	let last = ends.get(row);
	if (!last) ends.set(row, (last = [-Infinity, -Infinity, -Infinity, -Infinity]));
	if (flag && text.length > FLAG_TEXT) text = `${text.slice(0, FLAG_TEXT - 1)}~`;
	const left = closing ? x - view.textWidth(ctx, text) - 7 : x + 2;
	if (number && left > last[level] + 2) text = markText(trace, span);
	const line = `${Rows.key(row)} ${level}`;
	const labelled = left > last[level] + 2 && !repeats.is(line, text, left);
	// names that processes take are many, and say less than what a program says
	if (bracket && (!labelled || row.h < 64)) return null;

	const thick = bracket ? 1 : 1.5;
	const rects = lines.get(kind) ?? [];
	lines.set(kind, rects);
	if (flag) rects.push([x - thick / 2, top, thick, (bottom - top) * 0.4], [x, top, 5, 4]);
	else rects.push([x - thick / 2, top, thick, bottom - top]);
	if (!number && !flag) {
		const foot = closing ? x - 4 : x;
		rects.push([foot, top - thick / 2, 4, thick], [foot, bottom - thick / 2, 4, thick]);
	}
	if (flag && row.h < 36) return false;
	// where programs are named on the row, those names take this one's place
	if (!labelled || (row.group === 'CPU' && (view.options.user || view.options.all))) return false;
	const y = Math.min(bottom - 6, top + 6 + level * 13);
	const width = view.textWidth(ctx, text);
	view.drawn.labels.push({ row, text, x0: left, x1: left + width + 5, y0: y - 6, y1: y + 6 });
	labels.push(() => {
		ctx.fillStyle = css(palette.background, 0.85);
		ctx.fillRect(left, y - 6, width + 5, 12);
		ctx.strokeStyle = ctx.fillStyle = css(palette.kinds[kind]);
		ctx.lineWidth = 1;
		if (number) ctx.strokeRect(left + 0.5, y - 5.5, width + 5, 11);
		ctx.fillText(text, left + 3, y + 0.5);
	});
	last[level] = left + width + 5;
	repeats.wrote(line, text, last[level]);
	return true;
}

/** @param {import('../data/trace.js').Trace} trace @param {number} span */
export function markText(trace, span) {
	const text = trace.text(span);
	if (!isMark(trace.kind(span))) return text;
	if (trace.kind(span) === Kind.MARK_D) return String(trace.arg.at(span));
	return /^mark_[abc]=/.test(text) ? text.slice(7) : text;
}

/**
 * First element, from element from on, that is not before.
 * @param {Uint32Array} ids
 * @param {(g: number) => boolean} before
 */
export function lowerBound(ids, before, from = 0) {
	let lo = from;
	let hi = ids.length;
	while (lo < hi) {
		const mid = (lo + hi) >>> 1;
		if (before(ids[mid])) lo = mid + 1;
		else hi = mid;
	}
	return lo;
}
