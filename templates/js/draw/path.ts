// SPDX-License-Identifier: BSD-3-Clause
/**
 * Draws the critical path over the processes' rows: a line where a process runs, and a step where the path continues with
 * another process. Must not open or move rows: leaves out parts in rows that are not visible. The cost depends only on the
 * width.
 */
import { css } from '../base/palette.ts';
import { bisect } from '../data/intervals.ts';
import { BAR_SHARE, line } from './sizes.ts';
import type { Leg } from '../ask/path.ts';
import type { DrawnPart } from '../scene/drawn.ts';
import type { View } from '../scene/view.ts';

/** Minimum distance of two vertical lines between the same rows, in CSS pixels. A nearer line is not drawn. */
const LEAST_STEP = 4;

/** Returns the first leg that ends after t. */
const endsAfter = (legs: Leg[], t: number, from: number) => bisect(from, legs.length, (i) => legs[i].to <= t);

export function drawPath(ctx: CanvasRenderingContext2D, view: View): DrawnPart[] {
	const { path, rows, palette } = view;
	const parts: DrawnPart[] = [];
	if (!path) return parts;
	const { legs } = path;
	const step = (view.t1 - view.t0) / view.width;
	for (let i = endsAfter(legs, view.t0, 0); i < legs.length && legs[i].from < view.t1;) {
		const { pid, from, to, what } = legs[i];
		const row = rows.find('PID', pid);
		if (row) parts.push({ pid, x0: Math.max(-5, view.x(from)), x1: Math.min(view.width + 5, view.x(to)), y: row.y + row.h * (1 - BAR_SHARE * 0.12), runs: what === 'run' });
		// one leg stands for all legs within a pixel
		i = to - from < step ? Math.max(i + 1, endsAfter(legs, from + step, i)) : i + 1;
	}
	ctx.save();
	ctx.strokeStyle = css(palette.match);
	ctx.lineCap = 'butt';
	for (const runs of [true, false]) {
		ctx.lineWidth = runs ? 5 : 3;
		ctx.globalAlpha = runs ? 0.9 : 0.55;
		ctx.beginPath();
		for (const { x0, x1, y, runs: is } of parts) if (is === runs) line(ctx, x0, y, Math.max(x1, x0 + 1), y);
		ctx.stroke();
	}
	ctx.lineWidth = 1.5;
	ctx.globalAlpha = 0.9;
	ctx.beginPath();
	/** Position of the last step between two rows. */
	const steps: Map<string, number> = new Map();
	parts.forEach(({ x0, y }, i) => {
		const before = parts[i - 1];
		if (!before || before.y === y) return;
		const key = `${Math.min(y, before.y)} ${Math.max(y, before.y)}`;
		if (x0 - (steps.get(key) ?? -Infinity) < LEAST_STEP) return;
		steps.set(key, x0);
		line(ctx, x0, before.y, x0, y);
	});
	ctx.stroke();
	ctx.restore();
	return parts;
}
