// SPDX-License-Identifier: BSD-3-Clause
/** Draws annotations and names: boxes with text near a span's start, always completely on the screen. */
import { ipcText, llcText, steps } from '../base/counters.ts';
import { Kind, isExecution, isIdle } from '../base/kinds.ts';
import { css } from '../base/palette.ts';
import { spanName } from '../ask/waitname.ts';
import { durationText } from '../scene/chosen.ts';
import { when } from '../scene/times.ts';
import { FONT, strokeLine } from './sizes.ts';
import type { Look } from '../scene/look.ts';
import type { RowOf } from '../scene/rows.ts';
import type { Pin, View } from '../scene/view.ts';

/** Returns the counter values of a span as text: ` IPC 1.25`; '': the button for counters does not select the span. */
function ipcOf({ trace, options }: View, span: number) {
	const kind = trace.kind(span);
	const user = kind === Kind.USER;
	if (!trace.hasIpc || options.ipc === 'off' || options.ipc === (user ? 'kernel' : 'user') || !isExecution(kind) || isIdle(kind)) return '';
	const { ipc, llc } = steps(trace.counted, trace.ipc.at(span));
	return `${ipc ? `  IPC ${ipcText(ipc)}` : ''}${llc ? `  LLC misses ${llcText(llc)}` : ''}`;
}

export function pinnedNotes(view: View): {pin: Pin, x: number, row: RowOf, text: string, level: number}[] {
	const { trace } = view;
	const used: Map<RowOf, number[]> = new Map();
	const notes = [];
	for (const pin of view.pins) {
		const row = view.rows.find(pin.group, pin.id);
		if (!row) continue;
		const x = view.xIn(row, trace.start[pin.span]);
		if (x < -1 || x > view.width + 1) continue;
		const near = used.get(row) ?? [];
		used.set(row, [...near, x]);
		const text = `${when(view, trace.start[pin.span], row)}  ${spanName(trace, pin.span)}  ${durationText(trace, pin.span)}${ipcOf(view, pin.span)}`;
		notes.push({ pin, x, row, text, level: near.filter((n) => Math.abs(n - x) < 300).length });
	}
	return notes;
}

/** Returns the width of a note. @param ctx must have the font FONT */
export const noteWidth = (ctx: CanvasRenderingContext2D, text: string) => ctx.measureText(text).width + 8;

/** Returns the left end of a note at x, moved so that the whole note is on the screen. */
export const noteLeft = (view: View, x: number, width: number) => Math.max(1, Math.min(view.width - width - 1, x - 4));

/** Returns the rectangle that a note covers. @param y middle of the note */
export function noteBox(view: View, x: number, width: number, y: number) {
	const left = noteLeft(view, x, width);
	return { x0: left, x1: left + width, y0: y - 8, y1: y + 8 };
}

/** Returns the middle of a note, which is 16 pixels high: above its row, or in the row if there is no space above. */
export function noteMiddle(row: RowOf, level: number) {
	const above = row.y - 4 - level * 17;
	return above > 10 ? above : row.y + 8 + level * 17;
}

/** Draws a box with text near a span's start, and a line through its row or as far as reach requires. */
export function drawNote(
	ctx: CanvasRenderingContext2D, view: View, note: {x: number, row: RowOf, text: string, level: number},
	color: string, reach: Look['reach'] = 'row',
) {
	const { palette } = view;
	ctx.save();
	ctx.font = FONT;
	ctx.textBaseline = 'middle';
	const width = noteWidth(ctx, note.text);
	const y = noteMiddle(note.row, note.level);
	const x0 = noteLeft(view, note.x, width);
	ctx.strokeStyle = color;
	ctx.lineWidth = 1;
	const foot = reach === 'full' ? view.height : reach === 'short' ? Math.max(y, note.row.y) + 10 : note.row.y + note.row.h;
	strokeLine(ctx, note.x, reach === 'full' ? 0 : y, note.x, foot);
	ctx.fillStyle = css(palette.noteBack, 0.94);
	ctx.fillRect(x0, y - 8, width, 16);
	ctx.strokeRect(x0 + 0.5, y - 7.5, width - 1, 15);
	ctx.fillStyle = css(palette.text);
	ctx.fillText(note.text, x0 + 4, y + 0.5);
	ctx.restore();
}
