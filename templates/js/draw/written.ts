// SPDX-License-Identifier: BSD-3-Clause
/** Draws the user's notes. A note must not cover another note or an annotation; notes without space are counted. */
import { css } from '../base/palette.ts';
import { noteBox, noteLeft, noteMiddle, noteWidth, pinnedNotes } from './notes.ts';
import { FONT, strokeLine } from './sizes.ts';
import type { Note } from '../scene/notes.ts';
import type { RowOf } from '../scene/rows.ts';
import type { View } from '../scene/view.ts';

export type Box = {x0: number, x1: number, y0: number, y1: number};
type Written = Box & {note: Note, row: RowOf | null, x: number, lines: string[]};

/** Height of a line, and free space around the text, CSS pixels; LEFT includes the bar at the left. */
const LINE = 14;
const PAD = 3;
const LEFT = 8;
/** Maximum number of letters in a line, and of lines in a note. */
const MOST_ACROSS = 44;
const MOST_LINES = 8;
/** Maximum number of times that a note is moved to avoid other notes. */
const MOST_STEPS = 12;

/** Splits a text into lines, between words if possible. */
function broken(text: string): string[] {
	const lines = [''];
	for (const word of text.split(' ').flatMap((w) => w.match(new RegExp(`.{1,${MOST_ACROSS}}`, 'gsu')) ?? [])) {
		const last = lines.at(-1);
		const longer = last ? `${last} ${word}` : word;
		if (!last || longer.length <= MOST_ACROSS) lines[lines.length - 1] = longer;
		else lines.push(word);
	}
	if (lines.length <= MOST_LINES) return lines;
	return [...lines.slice(0, MOST_LINES - 1), `${lines[MOST_LINES - 1].slice(0, MOST_ACROSS - 1)}~`];
}

/** Returns the rectangles of annotations. @param ctx must have the font FONT */
export const pinnedBoxes = (view: View, ctx: CanvasRenderingContext2D): Box[] =>
	pinnedNotes(view).map(({ x, row, text, level }) => noteBox(view, x, noteWidth(ctx, text), noteMiddle(row, level)));

/** Returns the notes on the screen from left to right: above their row, in it, or further down where there is space. */
export function writtenNotes(ctx: CanvasRenderingContext2D, view: View): Written[] {
	if (!view.notes.length) return [];
	ctx.save();
	ctx.font = FONT;
	const taken = pinnedBoxes(view, ctx);
	const all: Written[] = [];
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
		// leave out a note without space, except the first
		if (taken.length && inTheWay()) continue;
		taken.push(box);
		all.push(box);
	}
	ctx.restore();
	return all;
}

export function drawWritten(ctx: CanvasRenderingContext2D, view: View) {
	const { palette, drawn, notes } = view;
	const written = writtenNotes(ctx, view);
	drawn.written = written;
	if (notes.length) {
		const here = notes.filter(({ t }) => t >= view.t0 && t <= view.t1).length;
		drawn.thinned.written = { shown: Math.min(here, written.length), of: here, what: 'notes in this time range' };
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
		ctx.setLineDash(row ? [] : [3, 3]);
		const top = y0 < (row?.y ?? 0) ? y0 : Math.min(y1, row ? row.y : y0);
		strokeLine(ctx, x, top, x, Math.max(y0, row ? row.y + row.h : view.height));
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
