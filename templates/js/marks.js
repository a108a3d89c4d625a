// SPDX-License-Identifier: BSD-3-Clause
/**
 * What is drawn over the bars: arcs, marks, curves, text, annotations. Draws on
 * 2D contexts scaled to CSS pixels, and returns what it drew, for hit tests and
 * for the tests.
 */
import { ipcShare, llcShare, steps } from './counters.js';
import { Kind, isMark, waitLetter } from './kinds.js';
import { CONTEXT_SHARE, css, heights } from './palette.js';
import { BAR_SHARE } from './paint.js';

/** @typedef {import('./view.js').View} View */
/** @typedef {import('./rows.js').RowOf} RowOf */

/** A mark on the screen. @typedef {{span: number, x: number, row: RowOf, labelled: boolean}} DrawnMark */
/** An arc on the screen. @typedef {{span: number, x0: number, y0: number, x1: number, y1: number}} DrawnArc */

/** More arcs than these are thinned out, to so many in every few pixels. */
const MAX_ARCS = 500;
const ARCS_IN = 6;
const ARCS_OF = 2;
/** Letters of a tracepoint that are drawn; hover shows them all. */
const FLAG_TEXT = 40;
export const FONT = '11px system-ui, "DejaVu Sans", sans-serif';
export const SMALL = '10px system-ui, "DejaVu Sans", sans-serif';

/** Middle of the bars of a row. @param {RowOf} row */
const middle = (row) => row.y + row.h * (1 - BAR_SHARE * 0.5);

/** The rows of a group that are on the screen. @param {View} view @param {string} group @returns {Map<number, RowOf>} */
const rowsOf = (view, group) => new Map(view.rows.visible.filter((r) => r.group === group).map((r) => [r.id, r]));

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
	const cpus = rowsOf(view, 'CPU');
	const pids = rowsOf(view, 'PID');
	/** @param {number} span @param {RowOf | undefined} from @param {RowOf | undefined} to */
	const between = (span, from, to) => {
		if (from && to) drawn.push({ span, x0: view.x(trace.start[span]), y0: middle(from), x1: view.x(trace.end(span)), y1: middle(to) });
	};
	/** @param {number} span */
	const add = (span) => {
		if (cpus.size) between(span, cpus.get(trace.cpuOf(span)), cpus.get(trace.arg.at(span)));
		if (pids.size && trace.kind(span) === Kind.WAKE) between(span, pids.get(trace.pid[span]), pids.get(trace.ret.at(span)));
	};
	const { ids } = trace.arcs;
	const first = trace.arcs.seek(view.t0);
	const visible = trace.arcs.seek(view.t1) - first;
	if (visible <= MAX_ARCS) {
		trace.arcs.each(view.t0, view.t1, add);
	} else {
		// thinned out evenly: a few of those that begin in every few pixels
		for (let x = 0, i = first; x < view.width; x += ARCS_IN) {
			i = trace.arcs.seek(view.time(x), i);
			const end = Math.min(i + ARCS_OF, trace.arcs.seek(view.time(x + ARCS_IN), i));
			for (let k = i; k < end; k++) add(ids[k]);
		}
	}
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
	ctx.lineWidth = few ? 1.25 : 1;
	ctx.globalAlpha = few ? 0.95 : 0.5;
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

/**
 * Marks a b c as brackets (a name that begins with / closes), d as a number,
 * tracepoints as flags with their fields.
 * Labels that would lie over one another are left out.
 * @param {CanvasRenderingContext2D} ctx
 * @param {View} view
 * @param {string} what both, text or numbers
 * @returns {DrawnMark[]}
 */
export function drawMarks(ctx, view, what) {
	const { trace } = view;
	/** @type {DrawnMark[]} */
	const drawn = [];
	/** Right ends of the last labels by row, one for each level. @type {Map<RowOf, number[]>} */
	const ends = new Map();
	/** Over all lines, so that none goes through one. @type {(() => void)[]} */
	const labels = [];
	/** Lines, by kind: drawn in one go. @type {Map<number, [number, number, number, number][]>} */
	const lines = new Map();
	const cpus = rowsOf(view, 'CPU');
	const pids = rowsOf(view, 'PID');
	const { marks } = trace;
	ctx.save();
	ctx.font = SMALL;
	ctx.textBaseline = 'middle';
	/** Marks in these pixels so far: where there are many, a few stand for them. */
	let column = -1;
	let inColumn = 0;
	let wide = 2;
	let most = 4;
	let i = lowerBound(marks, (g) => trace.start[g] < view.t0);
	if (lowerBound(marks, (g) => trace.start[g] <= view.t1, i) - i > 1000) {
		wide = 6;
		most = 2;
	}
	while (i < marks.length && trace.start[marks[i]] <= view.t1) {
		const span = marks[i++];
		const x = view.x(trace.start[span]);
		if (Math.floor(x / wide) !== column) {
			column = Math.floor(x / wide);
			inColumn = 0;
		} else if (++inColumn >= most) {
			const t = view.time(wide * (column + 1));
			i = lowerBound(marks, (g) => trace.start[g] < t, i);
			continue;
		}
		const number = trace.kind(span) === Kind.MARK_D;
		if ((what === 'text' && number) || (what === 'numbers' && !number)) continue;
		for (const row of [cpus.get(trace.cpuOf(span)), pids.get(trace.pid[span])]) {
			if (!row || row.h < 8) continue;
			const labelled = drawMark(ctx, view, span, x, row, ends, labels, lines);
			if (labelled !== null) drawn.push({ span, x, row, labelled });
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
 * @param {(() => void)[]} labels what is to be drawn when all lines are
 * @param {Map<number, [number, number, number, number][]>} lines by kind: left, top, width, height
 */
function drawMark(ctx, view, span, x, row, ends, labels, lines) {
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
	const labelled = left > last[level] + 2;
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
	if (number) text = markText(trace, span);
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
	return true;
}

/** @param {import('./trace.js').Trace} trace @param {number} span */
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

/**
 * Names inside spans that have room, the sine of leaving deep idle, IPC.
 * @param {CanvasRenderingContext2D} ctx
 * @param {View} view
 * @param {string} ipc off, both, user or kernel
 */
export function drawInside(ctx, view, ipc) {
	const { trace, palette, styles } = view;
	ctx.save();
	ctx.font = FONT;
	ctx.textBaseline = 'middle';
	for (const w of view.wideSpans()) {
		const name = trace.name[w.span];
		const kind = trace.kinds[name];
		const h = w.base - w.top;
		const left = Math.max(0, w.x0);
		const right = Math.min(view.width, w.x1);
		const room = right - left - 8;
		if (kind === Kind.CEXIT) {
			sine(ctx, left, right, w.base - h * 0.28, h * 0.2, css(styles.rgb[name]));
			continue;
		}
		if (kind === Kind.IDLE || kind === Kind.IDLELP) continue;
		if (kind === Kind.WAIT) {
			const letter = waitLetter(trace.event(w.span));
			const text = h < 13 ? '' : fitted(ctx, view, room > 60 ? trace.text(w.span) : letter, room);
			ctx.fillStyle = css(palette.waits[letter] ?? palette.dim);
			ctx.fillText(text, left + 4, w.base - h * BAR_SHARE * 0.25 - 7);
			continue;
		}
		if (ipc !== 'off') needles(ctx, view, w, ipc);
		const body = h * BAR_SHARE * heights[kind];
		const context = h * BAR_SHARE * CONTEXT_SHARE;
		if (body - context < 11 || room < 16) continue;
		const long = kind === Kind.SYSCALL && room > 120;
		const text = fitted(ctx, view, long ? trace.label(w.span) : trace.text(w.span), room);
		const [r, g, b] = styles.rgb[name];
		ctx.fillStyle = 0.299 * r + 0.587 * g + 0.114 * b > 140 ? '#10141a' : '#ffffff';
		if (view.rows.marked.size) ctx.fillStyle = css(palette.text);
		ctx.fillText(text, left + 4, w.base - (body + context) / 2 + 0.5);
	}
	ctx.restore();
}

/**
 * text, or as much of it as fits with a ~ behind, or nothing.
 * @param {CanvasRenderingContext2D} ctx
 * @param {View} view
 * @param {string} text
 * @param {number} room
 */
function fitted(ctx, view, text, room) {
	const width = view.textWidth(ctx, text);
	if (width <= room) return text;
	const keep = Math.floor((text.length * room) / width) - 1;
	return keep >= 3 ? `${text.slice(0, keep)}~` : '';
}

/**
 * @param {CanvasRenderingContext2D} ctx
 * @param {number} x0
 * @param {number} x1
 * @param {number} y
 * @param {number} high
 * @param {string} color
 */
function sine(ctx, x0, x1, y, high, color) {
	ctx.strokeStyle = color;
	ctx.lineWidth = 1.5;
	ctx.beginPath();
	for (let x = x0; x <= x1; x++) {
		const at = y - high * Math.sin((x - x0) * 0.6);
		if (x === x0) ctx.moveTo(x, at);
		else ctx.lineTo(x, at);
	}
	ctx.stroke();
}

/**
 * A speedometer's needle: left 0, up the middle of the scale, right its end.
 * @param {CanvasRenderingContext2D} ctx
 * @param {number} x
 * @param {number} y its foot
 * @param {number} r its length
 * @param {number} share 0..1
 */
export function needle(ctx, x, y, r, share) {
	const angle = Math.PI * (1 - share);
	const dx = Math.cos(angle);
	const dy = -Math.sin(angle);
	ctx.beginPath();
	ctx.moveTo(x + dx * r, y + dy * r);
	ctx.lineTo(x - dy * 2.2, y + dx * 2.2);
	ctx.lineTo(x + dy * 2.2, y - dx * 2.2);
	ctx.fill();
}

/**
 * Needles of instructions per cycle and of cache misses, which are shorter and of another colour.
 * @param {CanvasRenderingContext2D} ctx
 * @param {View} view
 * @param {import('./paint.js').Wide} w
 * @param {string} which both, user or kernel
 */
function needles(ctx, view, w, which) {
	const { trace, palette } = view;
	const user = trace.kind(w.span) === Kind.USER;
	if ((which === 'user' && !user) || (which === 'kernel' && user) || !trace.hasIpc) return;
	const { ipc, llc } = steps(trace.counted, trace.ipc.at(w.span));
	const r = Math.min((w.base - w.top) * 0.4, 14);
	const x = (Math.max(0, w.x0) + Math.min(view.width, w.x1)) / 2;
	const y = w.top + r + 1;
	if (ipc) {
		ctx.fillStyle = css(palette.text);
		needle(ctx, x, y, r, ipcShare(ipc));
	}
	if (llc) {
		ctx.fillStyle = css(palette.kinds[Kind.MARK_A]);
		needle(ctx, x, y, ipc ? r * 0.7 : r, llcShare(llc));
	}
}

/** Width of a note. @param {CanvasRenderingContext2D} ctx in FONT @param {string} text */
export const noteWidth = (ctx, text) => ctx.measureText(text).width + 8;

/** Where a note for x begins: all of it on the screen. @param {View} view @param {number} x @param {number} width */
export const noteLeft = (view, x, width) => Math.max(1, Math.min(view.width - width - 1, x - 4));

/** Middle of a note, which is 16 pixels high: above its row, or in it where there is no room. @param {RowOf} row @param {number} level */
export function noteMiddle(row, level) {
	const above = row.y - 4 - level * 17;
	return above > 10 ? above : row.y + 8 + level * 17;
}

/**
 * A box with text near a span's start, and a line down through its row.
 * @param {CanvasRenderingContext2D} ctx
 * @param {View} view
 * @param {{x: number, row: RowOf, text: string, level: number}} note
 * @param {string} color
 */
export function drawNote(ctx, view, note, color) {
	const { palette } = view;
	ctx.save();
	ctx.font = FONT;
	ctx.textBaseline = 'middle';
	const width = noteWidth(ctx, note.text);
	const y = noteMiddle(note.row, note.level);
	const x0 = noteLeft(view, note.x, width);
	ctx.strokeStyle = color;
	ctx.lineWidth = 1;
	ctx.beginPath();
	ctx.moveTo(note.x, y);
	ctx.lineTo(note.x, note.row.y + note.row.h);
	ctx.stroke();
	ctx.fillStyle = css(palette.noteBack, 0.94);
	ctx.fillRect(x0, y - 8, width, 16);
	ctx.strokeRect(x0 + 0.5, y - 7.5, width - 1, 15);
	ctx.fillStyle = css(palette.text);
	ctx.fillText(note.text, x0 + 4, y + 0.5);
	ctx.restore();
}
