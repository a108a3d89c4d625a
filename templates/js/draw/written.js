// SPDX-License-Identifier: BSD-3-Clause
/**
 * The user's own notes, where they stand: boxes with their words, and a line to the time they are about.
 * Never covers one with another, or an annotation: what has no room is left out, and counted.
 * Imported by picture.js and names.js.
 */
import { css } from '../base/palette.js';
import { noteLeft, noteMiddle, noteWidth, pinnedNotes } from './notes.js';
import { FONT } from './sizes.js';

/** @typedef {import('../scene/view.js').View} View */
/** @typedef {import('../scene/notes.js').Note} Note */
/** @typedef {import('../scene/rows.js').RowOf} RowOf */
/** @typedef {{x0: number, x1: number, y0: number, y1: number}} Box */
/** @typedef {Box & {note: Note, row: RowOf | null, x: number, lines: string[]}} Written */

/** A line's height, and what is left free around the words, CSS pixels; the bar at the left is in it. */
const LINE = 14;
const PAD = 3;
const LEFT = 8;
/** Letters of a line, and lines of a note. */
const MOST_ACROSS = 44;
const MOST_LINES = 8;
/** How often a note makes way for another. */
const MOST_STEPS = 12;

/** @param {string} text @returns {string[]} lines, broken between words where there are any */
function broken(text) {
	const lines = [''];
	for (const word of text.split(' ').flatMap((w) => w.match(new RegExp(`.{1,${MOST_ACROSS}}`, 'gsu')) ?? [])) {
		const last = lines[lines.length - 1];
		if (!last) lines[lines.length - 1] = word;
		else if (last.length + 1 + word.length <= MOST_ACROSS) lines[lines.length - 1] = `${last} ${word}`;
		else lines.push(word);
	}
	if (lines.length <= MOST_LINES) return lines;
	return [...lines.slice(0, MOST_LINES - 1), `${lines[MOST_LINES - 1].slice(0, MOST_ACROSS - 1)}~`];
}

/** What annotations cover. @param {View} view @param {CanvasRenderingContext2D} ctx in FONT @returns {Box[]} */
export const pinnedBoxes = (view, ctx) => pinnedNotes(view).map(({ x, row, text, level }) => {
	const width = noteWidth(ctx, text);
	const left = noteLeft(view, x, width);
	const y = noteMiddle(row, level);
	return { x0: left, x1: left + width, y0: y - 8, y1: y + 8 };
});

/**
 * Notes on the screen, from left to right: above their row, or in it, or where there is room further down.
 * @param {CanvasRenderingContext2D} ctx
 * @param {View} view
 * @returns {Written[]}
 */
export function writtenNotes(ctx, view) {
	if (!view.notes.length) return [];
	ctx.save();
	ctx.font = FONT;
	const taken = pinnedBoxes(view, ctx);
	/** @type {Written[]} */
	const all = [];
	for (const note of [...view.notes].sort((a, b) => a.t - b.t)) {
		const row = note.group ? view.rows.find(note.group, note.id) : null;
		if (note.group ? !row : view.options.relative) continue;
		const x = row ? view.xIn(row, note.t) : view.x(note.t);
		if (x < -1 || x > view.width + 1) continue;
		const lines = broken(note.text);
		const width = Math.max(...lines.map((line) => view.textWidth(ctx, line))) + LEFT + 5;
		const height = lines.length * LINE + 2 * PAD;
		const x0 = noteLeft(view, x, width);
		const above = row ? row.y - 3 - height : 2;
		const box = { note, row, x, lines, x0, x1: x0 + width, y0: above >= 1 ? above : (row?.y ?? 0) + 3, y1: 0 };
		const inTheWay = () => taken.find((b) => b.x0 < box.x1 && b.x1 > box.x0 && b.y0 < box.y0 + height && b.y1 > box.y0);
		let there = inTheWay();
		for (let step = 0; there && step < MOST_STEPS; step++) {
			box.y0 = there.y1 + 2;
			there = inTheWay();
		}
		box.y0 = Math.max(1, Math.min(box.y0, view.height - height - 1));
		box.y1 = box.y0 + height;
		// where there is no room; the first is written in any case
		if (taken.length && inTheWay()) continue;
		taken.push(box);
		all.push(box);
	}
	ctx.restore();
	return all;
}

/** @param {CanvasRenderingContext2D} ctx @param {View} view */
export function drawWritten(ctx, view) {
	const { palette, drawn, notes } = view;
	const written = writtenNotes(ctx, view);
	drawn.written = written;
	if (notes.length) {
		const here = notes.filter(({ t }) => t >= view.t0 && t <= view.t1).length;
		drawn.thinned.written = { shown: Math.min(here, written.length), of: here, what: 'notes in sight' };
	} else {
		delete drawn.thinned.written;
	}
	if (!written.length) return;
	ctx.save();
	ctx.font = FONT;
	ctx.textBaseline = 'middle';
	ctx.lineWidth = 1;
	ctx.strokeStyle = css(palette.note);
	for (const { row, x, y0, y1 } of written) {
		ctx.beginPath();
		ctx.setLineDash(row ? [] : [3, 3]);
		ctx.moveTo(x, y0 < (row?.y ?? 0) ? y0 : Math.min(y1, row ? row.y : y0));
		ctx.lineTo(x, Math.max(y0, row ? row.y + row.h : view.height));
		ctx.stroke();
	}
	ctx.setLineDash([]);
	for (const { x0, x1, y0, y1, lines } of written) {
		ctx.fillStyle = css(palette.noteBack);
		ctx.fillRect(x0, y0, x1 - x0, y1 - y0);
		ctx.strokeRect(x0 + 0.5, y0 + 0.5, x1 - x0 - 1, y1 - y0 - 1);
		ctx.fillStyle = css(palette.note);
		ctx.fillRect(x0, y0, 3, y1 - y0);
		ctx.fillStyle = css(palette.text);
		lines.forEach((line, i) => ctx.fillText(line, x0 + LEFT, y0 + PAD + LINE * (i + 0.5)));
	}
	ctx.restore();
}
