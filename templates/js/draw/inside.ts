// SPDX-License-Identifier: BSD-3-Clause
/** Draws details inside wide spans. Must not draw over a neighbour: a name is shortened to its span or left out. */
import { ipcShare, llcShare, steps } from '../base/counters.ts';
import { Kind, waitLetter } from '../base/kinds.ts';
import { css, inkOn } from '../base/palette.ts';
import { waitName } from '../ask/waitname.ts';
import { BAR_SHARE, CONTEXT_SHARE, FONT, fillPolygon, heights } from './sizes.ts';
import { Repeats } from './thin.ts';
import type { View } from '../scene/view.ts';
import type { Wide } from './paint.ts';

/** Draws names in wide spans, the sine for leaving deep idle, and needles. @param ipc code with needles: off, both, user, kernel */
export function drawInside(ctx: CanvasRenderingContext2D, view: View, wide: Wide[], ipc: string) {
	const { trace, palette, styles } = view;
	ctx.save();
	ctx.font = FONT;
	ctx.textBaseline = 'middle';
	const repeats = new Repeats();
	view.drawn.inside = [];
	/**
	 * Writes a name, unless the nearest name to the left on the line is the same (shortened or not).
	 * @param whole the whole name
	 * @param text the part of the name that fits
	 */
	const write = (line: number, whole: string, text: string, left: number, y: number, ink: string) => {
		if (!text || repeats.is(line, whole, left)) return;
		const end = left + 4 + view.textWidth(ctx, text);
		repeats.wrote(line, whole, end);
		view.drawn.inside.push({ text: whole, shown: text, x0: left, x1: end, y0: y });
		ctx.fillStyle = ink;
		ctx.fillText(text, left + 4, y);
	};
	for (const w of [...wide].sort((a, b) => a.base - b.base || a.x0 - b.x0)) {
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
			if (h < 13) continue;
			const whole = room > 60 ? waitName(trace, w.span) : letter;
			const text = fitted(ctx, view, whole, room);
			write(-w.base, whole, text === whole || text.length > LEAST_CAUSE ? text : letter, left, w.base - h * BAR_SHARE * 0.25 - 7, css(palette.waits[letter] ?? palette.dim));
			continue;
		}
		if (ipc !== 'off') needles(ctx, view, w, ipc);
		const body = h * BAR_SHARE * heights[kind];
		const context = h * BAR_SHARE * CONTEXT_SHARE;
		if (body - context < 11 || right - left < view.look.from) continue;
		const whole = kind === Kind.SYSCALL && room > 120 ? trace.label(w.span) : trace.shown(w.span);
		write(w.base, whole, fitted(ctx, view, whole, room), left, w.base - (body + context) / 2 + 0.5, view.rows.marked.size ? css(palette.text) : inkOn(styles.rgb[name]));
	}
	ctx.restore();
}

/**
 * If a wait's name must be shortened to this many letters or fewer, the wait's letter is drawn instead: after "waiting for ",
 * the name has no space for the reason.
 */
const LEAST_CAUSE = 16;

/** Returns text, or as much of it as fits followed by ~, or nothing. */
export function fitted(ctx: CanvasRenderingContext2D, view: View, text: string, room: number) {
	const width = view.textWidth(ctx, text);
	if (width <= room) return text;
	const keep = Math.floor((text.length * room) / width) - 1;
	return keep >= 3 ? `${text.slice(0, keep)}~` : '';
}

function sine(ctx: CanvasRenderingContext2D, x0: number, x1: number, y: number, high: number, color: string) {
	ctx.strokeStyle = color;
	ctx.lineWidth = 1.5;
	ctx.beginPath();
	for (let x = x0; x <= x1; x++) ctx.lineTo(x, y - high * Math.sin((x - x0) * 0.6));
	ctx.stroke();
}

/** Draws needles for IPC and for cache misses; if a span has both, the second is shorter. @param which both, user or kernel */
function needles(ctx: CanvasRenderingContext2D, view: View, w: Wide, which: string) {
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

/** Draws a needle like a speedometer's, from 0 (left) to 1 (right). @param y position of the needle's foot */
export function needle(ctx: CanvasRenderingContext2D, x: number, y: number, r: number, share: number) {
	const angle = Math.PI * (1 - share);
	const dx = Math.cos(angle);
	const dy = -Math.sin(angle);
	fillPolygon(ctx, x + dx * r, y + dy * r, x - dy * 2.2, y + dx * 2.2, x + dy * 2.2, y - dx * 2.2);
}
