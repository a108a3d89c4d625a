// SPDX-License-Identifier: BSD-3-Clause
/** Draws the labels left of the rows, and the time axis below. Must not draw on the picture itself. */
import { programOf } from '../base/kinds.ts';
import { css } from '../base/palette.ts';
import { FONT, SMALL, fillPolygon, line } from './sizes.ts';
import { ORDERS } from '../scene/order.ts';
import { GROUP_HEIGHT, Rows, fullLabel, type Group, type RowOf } from '../scene/rows.ts';
import type { View } from '../scene/view.ts';

/**
 * Left end of labels in the tree, and the indent of each level, CSS pixels. From level MOST_DEPTH on, the indent stays the
 * same.
 */
const TREE_LEFT = 14;
const TREE_STEP = 10;
const MOST_DEPTH = 5;

export function drawLabels(ctx: CanvasRenderingContext2D, view: View, width: number) {
	const { rows, palette } = view;
	ctx.textBaseline = 'middle';
	ctx.textAlign = 'right';
	let below = -Infinity;
	view.drawn.rowLabels = [];
	for (const row of rows.visible) {
		const y = row.y + row.h * 0.6;
		if (row.h < 5 || y < below + 10) continue;
		ctx.font = row.group === 'CPU' ? `600 ${FONT}` : FONT;
		ctx.fillStyle = css(rows.greyed(row) ? palette.dim : palette.text);
		const label = rows.order === 'tree' && row.guessed ? `${fullLabel(row)} ?` : fullLabel(row);
		const indent = rows.order === 'tree' && row.group === 'PID' ? drawBranch(ctx, view, row) : 0;
		const text = fitted(ctx, label, width - 16 - indent, row.programs);
		view.drawn.rowLabels.push({ row, text });
		if (indent) {
			ctx.textAlign = 'left';
			ctx.fillText(text, indent, y);
			ctx.textAlign = 'right';
		} else {
			ctx.fillText(text, width - 8, y);
		}
		if (row.group === 'PID') {
			// show the two colours of the process in the picture
			palette.user(programOf(row.label), row.id).forEach((color, i) => {
				ctx.fillStyle = css(color);
				ctx.fillRect(width - 5, y - 5 + 5 * i, 4, 5);
			});
		}
		if (rows.pinned.has(Rows.key(row))) {
			ctx.fillStyle = css(palette.dim);
			ctx.fillRect(6, y - 5, 5, 5);
			ctx.fillRect(8, y, 1, 5);
		}
		below = y;
	}
	drawBand(ctx, view, width);
}

/** Returns text: how many rows of a group are shown, how many rows the group has, and in which order. */
export function groupCount(rows: Rows, group: Group) {
	const shown = group.rows && group.state !== 'closed' ? rows.shownRows(group).length : group.count;
	const all = group.count >= 0 ? String(group.count) : group.state !== 'closed' && group.waits() ? 'sorting …' : '';
	const [order, by] = ORDERS.find(([id]) => id === rows.order) ?? ORDERS[0];
	const sorted = shown > 1 && group.name === 'PID' && group.state !== 'closed' && order !== ORDERS[0][0] ? ` by ${by}` : '';
	return `${shown === group.count ? '' : `${shown} of `}${all}${sorted}`;
}

/** Draws the names of groups, which are buttons on the page. */
export function drawGroups(ctx: CanvasRenderingContext2D, { rows, palette, height }: View) {
	ctx.textBaseline = 'middle';
	ctx.textAlign = 'left';
	for (const group of rows.groups) {
		const y = group.y + GROUP_HEIGHT / 2;
		if (group.y < rows.band || y > height) continue;
		ctx.fillStyle = css(palette.dim);
		if (group.state === 'closed') fillPolygon(ctx, 8, y - 5, 16, y, 8, y + 5);
		else fillPolygon(ctx, 6, y - 3, 16, y - 3, 11, y + 5);
		ctx.font = `700 12px system-ui, "DejaVu Sans", sans-serif`;
		ctx.fillStyle = css(palette.text);
		const name = group.title ?? group.name;
		ctx.fillText(name, 21, y);
		const after = 21 + ctx.measureText(name).width + 5;
		ctx.font = SMALL;
		ctx.fillStyle = css(palette.dim);
		ctx.fillText(groupCount(rows, group), after, y);
	}
}

/** Draws the line below the pinned rows. @param width width of the line, CSS pixels */
export function drawBand(ctx: CanvasRenderingContext2D, { rows, palette }: View, width: number) {
	if (!rows.band) return;
	ctx.fillStyle = css(palette.dim);
	ctx.fillRect(0, Math.round(rows.band) - 3, width, 1);
}

/** Shortens a label until it fits. Cuts the program's name but not the pid. Of several programs, cuts the earlier ones first. */
function fitted(ctx: CanvasRenderingContext2D, label: string, room: number, programs: string[]): string {
	if (label.length <= room && ctx.measureText(label).width <= room) return label;
	const [, name, number] = /^(.*)(\.\d+(?:#\d+)?(?: \?)?)$/s.exec(label) ?? ['', label, ''];
	const last = programs.length ? `+${programs[programs.length - 1]}` : '';
	// first cut the name to one letter per pixel: a longer text cannot fit
	let front = name.slice(0, Math.min(name.length - last.length, Math.max(1, Math.floor(room))));
	const text = () => `${front}~${last}${number}`;
	const fits = () => ctx.measureText(text()).width <= room;
	while (front.length > 1 && !fits()) front = front.slice(0, -1);
	return last && !fits() ? fitted(ctx, `${last.slice(1)}${number}`, room, []) : text();
}

/** Draws the line of the process tree from the row above to this row. @returns left end of the label, CSS pixels */
function drawBranch(ctx: CanvasRenderingContext2D, view: View, row: RowOf): number {
	const x = TREE_LEFT + TREE_STEP * Math.min(MOST_DEPTH, row.depth);
	if (row.depth) {
		const text = ctx.fillStyle;
		const y = Math.round(row.y + row.h * 0.6);
		ctx.fillStyle = css(view.palette.dim);
		ctx.fillRect(x - TREE_STEP + 2, Math.round(row.y - view.rows.gap), 1, y - Math.round(row.y - view.rows.gap) + 1);
		ctx.fillRect(x - TREE_STEP + 2, y, TREE_STEP - 5, 1);
		ctx.fillStyle = text;
	}
	return x;
}

export function drawAxis(ctx: CanvasRenderingContext2D, view: View, time: ReturnType<View['times']>) {
	const { palette } = view;
	ctx.strokeStyle = css(palette.dim);
	ctx.lineWidth = 1;
	ctx.beginPath();
	line(ctx, 0, 0.5, view.width, 0.5);
	const first = Math.ceil((view.t0 - time.zero) / time.minor) * time.minor + time.zero;
	for (let t = first; t <= view.t1; t += time.minor) {
		const x = Math.round(view.x(t)) + 0.5;
		line(ctx, x, 0, x, 3);
	}
	ctx.stroke();
	ctx.font = FONT;
	ctx.textBaseline = 'top';
	ctx.textAlign = 'center';
	ctx.fillStyle = css(palette.text);
	ctx.beginPath();
	for (const { t, label } of time.ticks) {
		const x = Math.round(view.x(t)) + 0.5;
		line(ctx, x, 0, x, 7);
		const half = ctx.measureText(label).width / 2;
		if (x - half > 0 && x + half < view.width) ctx.fillText(label, x, 9);
	}
	ctx.stroke();
}
