// SPDX-License-Identifier: BSD-3-Clause
/** Defines the heights of bars as shares of a row, and the fonts of the picture; draws lines. Must not depend on a trace. */
import { Kind } from '../base/kinds.ts';
import { css, type Palette } from '../base/palette.ts';

/** Height of each kind as a share of the bars' height: the process is lowest, interrupts are highest. */
export const heights = Object.assign(new Float32Array(32), {
	[Kind.USER]: 0.5, [Kind.KTHREAD]: 0.5, [Kind.SCHED]: 0.62, [Kind.TRAP]: 0.72, [Kind.SYSCALL]: 0.8, [Kind.SOFTIRQ]: 0.9,
	[Kind.IRQ]: 1, [Kind.CEXIT]: 0.5, [Kind.LOCK]: 0.5, [Kind.QUEUE]: 0.5, [Kind.POINT]: 0.5,
}) as Float32Array;
/** Share of a bar's height for its lower part, which shows the process in whose context the span runs. */
export const CONTEXT_SHARE = 0.22;
/** Share of a row's height for the bars; marks and samples are above. */
export const BAR_SHARE = 0.86;
const font = (px: number) => `${px}px system-ui, "DejaVu Sans", sans-serif`;
export let FONT = font(11);
export let SMALL = font(10);
export function setTextSize(px: number) {
	FONT = font(px);
	SMALL = font(px - 1);
}

/** Adds a line through these points to the path: x and y of each. */
export function line(ctx: CanvasRenderingContext2D, ...points: number[]) {
	ctx.moveTo(points[0], points[1]);
	for (let i = 2; i < points.length; i += 2) ctx.lineTo(points[i], points[i + 1]);
}

export function strokeLine(ctx: CanvasRenderingContext2D, ...points: number[]) {
	ctx.beginPath();
	line(ctx, ...points);
	ctx.stroke();
}

export function fillPolygon(ctx: CanvasRenderingContext2D, ...points: number[]) {
	ctx.beginPath();
	line(ctx, ...points);
	ctx.fill();
}

/** Writes a text over the picture, with a background of this height. */
export function caption(ctx: CanvasRenderingContext2D, palette: Palette, text: string, x: number, y: number, height: number) {
	ctx.font = SMALL;
	ctx.textBaseline = 'middle';
	ctx.fillStyle = css(palette.background, 0.8);
	ctx.fillRect(x, y, ctx.measureText(text).width + 6, height);
	ctx.fillStyle = css(palette.text);
	ctx.fillText(text, x + 3, y + height / 2 + 0.5);
}
