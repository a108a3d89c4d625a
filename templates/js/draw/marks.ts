// SPDX-License-Identifier: BSD-3-Clause
/**
 * Draws marks and tracepoints over the rows, with their names where there is space. Marks without space for a label are drawn
 * as lines, and counted. If there are too many marks, bars.ts draws their number at each time.
 */
import { Kind, isMark, kindLabel } from '../base/kinds.ts';
import { css } from '../base/palette.ts';
import { bisect } from '../data/intervals.ts';
import { Rows, type RowOf } from '../scene/rows.ts';
import { addBars } from './bars.ts';
import { SMALL } from './sizes.ts';
import { Repeats, tooMany } from './thin.ts';
import type { Trace } from '../data/trace.ts';
import type { DrawnMark } from '../scene/drawn.ts';
import type { View } from '../scene/view.ts';

/** Maximum number of letters in a tracepoint's label. The tooltip shows the whole text. */
const FLAG_TEXT = 40;

/** Kinds that the picture calls marks. */
const KINDS = [Kind.MARK_A, Kind.MARK_B, Kind.MARK_C, Kind.MARK_D, Kind.TRACEPOINT];

/** Returns the spans of a kind that begin on the screen. */
function inSight({ trace, t0, t1 }: View, kind: number) {
	const ids = trace.byKind[kind];
	const first = bisect(0, ids.length, (i) => trace.start[ids[i]] < t0);
	return ids.subarray(first, bisect(first, ids.length, (i) => trace.start[ids[i]] <= t1));
}

/**
 * Draws marks a, b and c as brackets (closing if the name begins with /), d as a number, and tracepoints as flags with their
 * fields. Leaves out labels that would overlap. If there are too many marks, adds bars instead.
 * @param what both, text or numbers
 */
export function drawMarks(ctx: CanvasRenderingContext2D, view: View, what: string): DrawnMark[] {
	const { trace } = view;
	const kinds = KINDS.filter((kind) => what === 'both' || (kind === Kind.MARK_D) === (what === 'numbers'));
	const marks = kinds.map((kind) => inSight(view, kind));
	const visible = marks.reduce((sum, ids) => sum + ids.length, 0);
	if (tooMany(view, visible)) {
		addBars(view, 'marks', kinds.map((kind) => ({ name: kindLabel(kind), kind, list: trace.ofKind(kind) })), visible);
		return [];
	}
	const names = what === 'numbers' ? [] : inSight(view, Kind.BRACKET);
	const drawn: DrawnMark[] = [];
	/** For each row, the right end of the last label at each level. */
	const ends: Map<RowOf, number[]> = new Map();
	/** Functions that draw the labels. They run after all lines are drawn, so that no line crosses a label. */
	const labels: (() => void)[] = [];
	/** Rectangles of lines by kind, to be drawn together. */
	const lines: Map<number, [number, number, number, number][]> = new Map();
	const cpus = view.rows.byId('CPU');
	const pids = view.rows.byId('PID');
	ctx.save();
	ctx.font = SMALL;
	ctx.textBaseline = 'middle';
	const repeats = new Repeats();
	const shown: Set<number> = new Set();
	const named: Set<number> = new Set();
	// spans are numbered in order of their beginning
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
 * Draws a mark. Returns whether the mark got its label. Returns null if the mark is not drawn.
 * @param labels functions to call after all lines are drawn
 * @param lines rectangles by kind: left, top, width, height
 */
function drawMark(
	ctx: CanvasRenderingContext2D, view: View, span: number, x: number, row: RowOf, ends: Map<RowOf, number[]>,
	repeats: Repeats, labels: (() => void)[], lines: Map<number, [number, number, number, number][]>,
) {
	const { trace, palette } = view;
	const kind = trace.kind(span);
	const number = kind === Kind.MARK_D;
	// a number closes no bracket, so its text is made later, and only if there is space
	let text = number ? '' : markText(trace, span);
	const closing = text.startsWith('/');
	const bracket = kind === Kind.BRACKET;
	const top = row.y + 1;
	const bottom = row.y + row.h;
	// mark c is lower, and mark d is lowest, so that kinds can be distinguished without colour
	const flag = kind === Kind.TRACEPOINT;
	const level = bracket || flag ? 3 : row.h < 36 ? 0 : kind === Kind.MARK_C ? 1 : number ? 2 : 0;
	let last = ends.get(row);
	if (!last) ends.set(row, (last = [-Infinity, -Infinity, -Infinity, -Infinity]));
	if (flag && text.length > FLAG_TEXT) text = `${text.slice(0, FLAG_TEXT - 1)}~`;
	const left = closing ? x - view.textWidth(ctx, text) - 7 : x + 2;
	if (number && left > last[level] + 2) text = markText(trace, span);
	const line = `${Rows.key(row)} ${level}`;
	const labelled = left > last[level] + 2 && !repeats.is(line, text, left);
	// names of processes are many, and less important than marks of programs: draw them only with a label in a high row
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
	// if programs are named on the row, their names take the space of this label
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

/** Returns the text of a mark: the number of mark d, or the name without `mark_a=`. */
function markText(trace: Trace, span: number) {
	const text = trace.text(span);
	if (!isMark(trace.kind(span))) return text;
	if (trace.kind(span) === Kind.MARK_D) return String(trace.arg.at(span));
	return /^mark_[abc]=/.test(text) ? text.slice(7) : text;
}
