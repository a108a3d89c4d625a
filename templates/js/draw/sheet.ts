// SPDX-License-Identifier: BSD-3-Clause
/**
 * Draws the surroundings of an exported or printed picture, so that a reader understands the picture without the page:
 * title, facts, names of groups, legend, time of 0 s, omissions. Must not draw the rows. Must work for a canvas and for
 * SVG.
 */
import * as format from '../base/format.ts';
import { css, type Rgb } from '../base/palette.ts';
import { leftOut } from '../scene/drawn.ts';
import { axisBase } from '../scene/times.ts';
import { drawGroups } from './edges.ts';
import { SMALL } from './sizes.ts';
import type { View } from '../scene/view.ts';

/** One line of the legend; an entry without draw is a heading. */
export type Entry = {label: string, draw?: (ctx: CanvasRenderingContext2D, w: number, h: number) => void};
/** Calls draw with the origin moved to x, y. */
type Place = (x: number, y: number, draw: (ctx: CanvasRenderingContext2D) => void) => void;

interface Around {
	left: number; /* width of the labels */
	axis: number; /* height of the axis, CSS pixels */
	title: string;
	facts: string[];
	legend: Entry[];
}

const EDGE = 10;
const TITLE = 24;
const LINE = 14;
const LEGEND = 148;
const ENTRY = 18;
const FONT = 'system-ui, "DejaVu Sans", sans-serif';

/** Joins parts to as few lines as fit the width. @param ruler measures text in the font */
function lines(ruler: CanvasRenderingContext2D, parts: string[], width: number) {
	const all: string[] = [];
	for (const part of parts) {
		const longer = all.length ? `${all[all.length - 1]} \u00b7 ${part}` : part;
		if (all.length && ruler.measureText(longer).width <= width) all[all.length - 1] = longer;
		else all.push(part);
	}
	return all;
}

/** Returns the size of the sheet, the position of the plot on it, and a function that draws everything around the plot. */
export function sheet(view: View, ruler: CanvasRenderingContext2D, { left, axis, title, facts, legend }: Around) {
	const perColumn = Math.max(1, Math.floor((view.height + axis) / ENTRY));
	const columns = Math.ceil(legend.length / perColumn);
	const width = left + view.width + columns * LEGEND + EDGE;
	ruler.font = SMALL;
	const head = lines(ruler, facts, width - 2 * EDGE);
	const foot = lines(ruler, [view.measureText(), leftOut(view.drawn)].filter(Boolean), width - 2 * EDGE);
	const top = TITLE + head.length * LINE + 6;
	const height = top + view.height + axis + (foot.length ? foot.length * LINE + 4 : 0) + EDGE / 2;
	const { palette } = view;
	const pen = (ctx: CanvasRenderingContext2D, font: string, color: Rgb) => {
		ctx.font = font;
		ctx.fillStyle = css(color);
		ctx.textBaseline = 'middle';
		ctx.textAlign = 'left';
	};
	const heading = (ctx: CanvasRenderingContext2D) => {
		pen(ctx, `600 13px ${FONT}`, palette.text);
		ctx.fillText(title, EDGE, TITLE / 2);
		const right = EDGE + ctx.measureText(title).width + 16;
		pen(ctx, SMALL, palette.text);
		ctx.fillText(`${format.wallClock(view.timeBase, view.t0, 6, true)}, ${format.duration(view.t1 - view.t0)} across`, right, TITLE / 2 + 1);
		pen(ctx, SMALL, palette.dim);
		head.forEach((line, i) => ctx.fillText(line, EDGE, TITLE + LINE * (i + 0.5)));
	};
	const footing = (ctx: CanvasRenderingContext2D) => {
		pen(ctx, SMALL, palette.text);
		foot.forEach((line, i) => ctx.fillText(line, EDGE, 4 + LINE * (i + 0.5)));
	};
	const beginning = (ctx: CanvasRenderingContext2D) => {
		pen(ctx, SMALL, palette.text);
		ctx.textAlign = 'right';
		ctx.fillText(axisBase(view), left - 6, 14);
	};
	return {
		width, height, left, top,
		draw(place: Place) {
			place(0, 0, heading);
			place(0, top, (ctx) => drawGroups(ctx, view));
			place(0, top + view.height, beginning);
			place(0, top + view.height + axis, footing);
			legend.forEach(({ label, draw }, i) => {
				const x = left + view.width + 12 + Math.floor(i / perColumn) * LEGEND;
				const y = top + (i % perColumn) * ENTRY;
				if (draw) place(x, y + 1, (ctx) => draw(ctx, 26, 16));
				place(draw ? x + 34 : x, y, (ctx) => {
					pen(ctx, SMALL, draw ? palette.text : palette.dim);
					ctx.fillText(label, 0, ENTRY / 2);
				});
			});
		},
	};
}
