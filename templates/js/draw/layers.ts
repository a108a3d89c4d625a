// SPDX-License-Identifier: BSD-3-Clause
/** Draws the layers that buttons switch on: PC samples, frequency, locks, messages. picture.ts decides which to draw. */
import * as Event from '../base/events.ts';
import { Kind } from '../base/kinds.ts';
import { css, hash, oklch } from '../base/palette.ts';
import { SLOPED, sampledIdle, slope } from '../scene/strip.ts';
import { addBars } from './bars.ts';
import { fillPolygon, line, strokeLine } from './sizes.ts';
import { tooMany } from './thin.ts';
import type { Trace } from '../data/trace.ts';
import type { DrawnArc } from '../scene/drawn.ts';
import type { View } from '../scene/view.ts';

/** Returns the colour of a sample: kernel addresses are darker than user addresses, and each address has its hue. */
export function sampleColor(view: View, span: number) {
	const h = hash(view.trace.text(span));
	const kernel = view.trace.event(span) === Event.PC_K;
	return oklch(kernel ? 0.5 : 0.75, kernel ? 0.06 : 0.14, h % 360);
}

/**
 * Draws wide PC samples as lines. A line rises from the time of the previous sample to the time of this sample. Lines are
 * thick for kernel addresses, and thin for user addresses. Samples of idle CPUs are left out.
 */
export function drawSamples(ctx: CanvasRenderingContext2D, view: View) {
	const { trace } = view;
	const room = (view.t1 - view.t0) * (SLOPED / view.width);
	for (const row of view.rows.visible) {
		const list = row.group === 'CPU' ? trace.samples.get(row.id) : null;
		if (!list) continue;
		const { low, high } = slope(row);
		const t0 = view.t0 + view.offset(row);
		const t1 = t0 + view.t1 - view.t0;
		// narrower samples are in the strip: skip them fast, because there may be many
		for (let i = list.first(t0); i < list.length && list.start(i) <= t1; i++) {
			const g = list.at(i);
			if (trace.dur[g] < room) {
				i = Math.max(i, list.seek(trace.end(g) + room / 2, i) - 2);
				continue;
			}
			if (sampledIdle(trace, g)) continue;
			const kernel = trace.event(g) === Event.PC_K;
			const x1 = view.xIn(row, trace.end(g));
			ctx.strokeStyle = css(sampleColor(view, g));
			ctx.lineWidth = kernel ? 3.5 : 1.5;
			strokeLine(ctx, view.xIn(row, trace.start[g]), low, x1, high);
			ctx.fillStyle = css(view.palette.text);
			ctx.fillRect(x1 - 0.5, high - 2, 1, 5);
		}
	}
}

/** Number of colours of the overlay, from slow to fast. */
const STEPS = 8;
/** Hue and opacity of the slowest and of the fastest frequency. Slow frequencies are conspicuous. */
const SLOW = { hue: 25, alpha: 0.5 };
const QUICK = { hue: 145, alpha: 0.08 };

/** The lowest and the highest frequency of the trace, MHz. */
const ranges: WeakMap<Trace, {least: number, most: number}> = new WeakMap();

function frequencyRange(trace: Trace) {
	const known = ranges.get(trace);
	if (known) return known;
	const range = { least: Infinity, most: 1 };
	for (const g of trace.byKind[Kind.FREQ]) {
		range.least = Math.min(range.least, trace.arg.at(g));
		range.most = Math.max(range.most, trace.arg.at(g));
	}
	ranges.set(trace, range);
	return range;
}

/** Returns the overlay's colour for a frequency. @param share 0: the lowest, 1: the highest frequency */
export const frequencyColor = (share: number) => css(oklch(0.62, 0.19, SLOW.hue + (QUICK.hue - SLOW.hue) * share), SLOW.alpha + (QUICK.alpha - SLOW.alpha) * share);

/** Draws frequencies as colours over the bars: red is slow; fast is green and hardly visible. */
export function drawFrequencyOverlay(ctx: CanvasRenderingContext2D, view: View) {
	const { trace } = view;
	const { least, most } = frequencyRange(trace);
	const colours = Array.from({ length: STEPS }, (_, i) => frequencyColor(i / (STEPS - 1)));
	for (const row of view.rows.visible) {
		const list = row.group === 'CPU' ? trace.frequencies.get(row.id) : null;
		if (!list) continue;
		let last = 0;
		for (let i = list.first(view.t0); i < list.length && list.start(i) <= view.t1; i++) {
			const x1 = Math.min(view.width, view.x(list.end(i)));
			const x0 = Math.max(last, view.x(list.start(i)));
			if (x1 < x0 + 0.5) continue;
			const share = most > least ? (trace.arg.at(list.at(i)) - least) / (most - least) : 1;
			ctx.fillStyle = colours[Math.round(share * (STEPS - 1))];
			ctx.fillRect(x0, row.y, x1 - x0, row.h);
			last = x1;
		}
	}
}

/** Draws frequencies as a line: 0 is at the bottom of the row, the highest frequency near its top. */
export function drawFrequencies(ctx: CanvasRenderingContext2D, view: View) {
	const { trace } = view;
	const { most } = frequencyRange(trace);
	ctx.strokeStyle = css(view.palette.kinds[Kind.FREQ]);
	ctx.lineWidth = 1.5;
	for (const row of view.rows.visible) {
		const list = row.group === 'CPU' ? trace.frequencies.get(row.id) : null;
		if (!list) continue;
		ctx.beginPath();
		let last = -Infinity;
		for (let i = list.first(view.t0); i < list.length && list.start(i) <= view.t1; i++) {
			const x0 = view.x(list.start(i));
			const x1 = view.x(list.end(i));
			if (x1 < last + 0.5) continue;
			const y = row.y + row.h * (1 - 0.96 * (trace.arg.at(list.at(i)) / most));
			line(ctx, x0, y, x1, y);
			last = x1;
		}
		ctx.stroke();
	}
}

/** Adds dots over the whole height of a row to the current path, for a time in which recording was off. */
export function dotted(ctx: CanvasRenderingContext2D, x0: number, y: number, x1: number, h: number) {
	for (let down = 2; down < h - 1; down += 4) line(ctx, x0, y + down, x1, y + down);
}

const LEAST_GAP = 4;

/** Draws dots where a CPU or a process has no span, in the time in which events of some CPUs are missing. */
function drawPartial(ctx: CanvasRenderingContext2D, view: View) {
	const { partial } = view.trace;
	const least = (LEAST_GAP * (view.t1 - view.t0)) / view.width;
	for (const row of partial ? view.rows.visible : []) {
		if (!partial || (row.group !== 'CPU' && row.group !== 'PID')) continue;
		const { spans } = row;
		const end = Math.min(partial.to, view.t1 + view.offset(row));
		// Each iteration advances t. After weeks of recording t + least may round to t, and a span may end where it begins.
		for (let t = Math.max(partial.from, view.t0 + view.offset(row)); t < end;) {
			const i = spans.first(t);
			const next = i < spans.length ? Math.min(end, spans.start(i)) : end;
			if (next - t >= least) dotted(ctx, view.xIn(row, t), row.y, view.xIn(row, next), row.h);
			const after = Math.max(t + least, i < spans.length ? spans.end(i) : end);
			t = after > t ? after : t + 1;
		}
	}
}

/** Draws dots on the rows of CPUs where recording was off, and on rows of CPUs and processes where events may be missing. */
export function drawPauses(ctx: CanvasRenderingContext2D, view: View) {
	const { trace } = view;
	const rows = view.rows.byId('CPU');
	ctx.save();
	ctx.strokeStyle = css(view.palette.kinds[Kind.PAUSE]);
	ctx.lineWidth = 1;
	ctx.setLineDash([1, 4]);
	ctx.beginPath();
	trace.pauses.each(view.t0, view.t1, (g) => {
		const row = rows.get(trace.cpuOf(g));
		if (!row) return;
		const x0 = Math.max(0, view.x(trace.start[g]));
		dotted(ctx, x0, row.y, Math.max(x0 + 1, Math.min(view.x(view.t1), view.x(trace.end(g)))), row.h);
	});
	drawPartial(ctx, view);
	ctx.stroke();
	ctx.restore();
}

/** Adds diagonal lines over the whole height of a row to the current path, for a time in which the CPU did not run. */
export function hatched(ctx: CanvasRenderingContext2D, x0: number, y: number, x1: number, h: number) {
	const step = 8;
	for (let x = x0 - h; x < x1; x += step) {
		const from = Math.max(x, x0), to = Math.min(x + h, x1);
		if (to > from) line(ctx, from, y + h - (from - x), to, y + h - (to - x));
	}
}

/** Draws diagonal lines on the rows of CPUs and processes where the CPU did not run. */
export function drawStops(ctx: CanvasRenderingContext2D, view: View) {
	const { trace } = view;
	const cpus = view.rows.byId('CPU');
	const processes = view.rows.byId('PID');
	const over = (row: {y: number, h: number} | undefined, g: number) => {
		if (!row) return;
		const x0 = Math.max(0, view.x(trace.start[g]));
		hatched(ctx, x0, row.y, Math.max(x0 + 1, Math.min(view.x(view.t1), view.x(trace.end(g)))), row.h);
	};
	ctx.save();
	ctx.strokeStyle = css(view.palette.kinds[Kind.STOPPED]);
	ctx.lineWidth = 1;
	ctx.beginPath();
	trace.stops.each(view.t0, view.t1, (g) => {
		over(cpus.get(trace.cpuOf(g)), g);
		if (trace.pid[g] > 0) over(processes.get(trace.pid[g]), g);
	});
	ctx.stroke();
	ctx.restore();
}

/** Draws a held lock as a line, and an attempt to get a lock as dots, at the top of the process's row. */
export function drawLocks(ctx: CanvasRenderingContext2D, view: View) {
	const { trace } = view;
	const rows = view.rows.byId('PID');
	/** Right end of the last drawn line, pixels, by event and pid. A line that ends less than half a pixel later is skipped. */
	const until: Map<string, number> = new Map();
	ctx.save();
	ctx.strokeStyle = css(view.palette.kinds[Kind.LOCK]);
	const wide = view.options.lockBold ? 5 : 2;
	ctx.lineWidth = wide;
	trace.locks.each(view.t0, view.t1, (g) => {
		const event = trace.event(g);
		const row = rows.get(trace.pid[g]);
		const x1 = view.x(trace.end(g));
		const key = `${event} ${trace.pid[g]}`;
		if (!row || (event !== Event.LOCKHELD && event !== Event.LOCKTRY) || x1 < (until.get(key) ?? -Infinity) + 0.5) return;
		until.set(key, x1);
		const x0 = view.x(trace.start[g]);
		ctx.setLineDash(event === Event.LOCKTRY ? [wide * 0.75, wide] : []);
		strokeLine(ctx, x0, row.y + 0.5 + wide / 2, Math.max(x1, x0 + 1), row.y + 0.5 + wide / 2);
	});
	ctx.restore();
}

/**
 * Draws network messages as slanted lines: received messages come down from the top of the row to its bars, sent messages go
 * up. A line lasts as long as the message is transmitted. If there are too many messages, adds bars instead.
 */
export function drawMessages(ctx: CanvasRenderingContext2D, view: View): DrawnArc[] {
	const { trace, palette, rows } = view;
	const drawn: DrawnArc[] = [];
	if (!trace.messages.length) return drawn;
	const visible = trace.messages.seek(view.t1) - trace.messages.seek(view.t0);
	if (tooMany(view, visible)) {
		addBars(view, 'messages', [{ name: 'message', kind: Kind.PACKET, list: trace.messages }], visible);
		return drawn;
	}
	let shown = 0;
	const byKey = new Map(rows.visible.map((r) => [`${r.group} ${r.id}`, r]));
	ctx.save();
	ctx.strokeStyle = ctx.fillStyle = css(palette.kinds[Kind.PACKET]);
	ctx.lineWidth = view.options.arcBold ? 3 : 1.5;
	trace.messages.each(view.t0, view.t1, (g) => {
		const before = drawn.length;
		const event = trace.event(g);
		const received = event === Event.RPCIDRXMSG || event === Event.RX_PKT || event === Event.RX_USER;
		const x0 = view.x(trace.start[g]);
		const x1 = view.x(trace.end(g));
		for (const key of [`CPU ${trace.cpuOf(g)}`, `PID ${trace.pid[g]}`, `RPC ${trace.rpc ? trace.rpc.at(g) : 0}`]) {
			const row = byKey.get(key);
			if (!row) continue;
			const [high, low] = [row.y + 1, row.y + row.h * 0.55];
			const [y0, y1] = received ? [high, low] : [low, high];
			strokeLine(ctx, x0, y0, x1, y1);
			const tip = received ? -1 : 1;
			fillPolygon(ctx, x1 - 3, y1 + 5 * tip, x1, y1, x1 + 3, y1 + 5 * tip);
			drawn.push({ span: g, x0, y0, x1, y1 });
		}
		if (drawn.length > before) shown++;
	});
	view.drawn.thinned.messages = { shown, of: Math.max(shown, visible), what: 'messages' };
	ctx.restore();
	return drawn;
}
