// SPDX-License-Identifier: BSD-3-Clause
/** Draws a view on its four canvases, one frame at a time, and only after a change. Must not change what the view shows. */
import { css, pixel, type Palette } from '../base/palette.ts';
import { arcsOf, drawArcs, strokeArc } from './arcs.ts';
import { drawBars } from './bars.ts';
import { drawChain } from './chain.ts';
import { drawChosen } from './chosen.ts';
import { drawAxis, drawBand, drawLabels } from './edges.ts';
import { matchesOnScreen } from './found.ts';
import { drawGraphs, graphed } from './graphs.ts';
import { drawInside } from './inside.ts';
import { SLOPED, sampledIdle } from '../scene/strip.ts';
import { drawFrequencies, drawFrequencyOverlay, drawLocks, drawMessages, drawPauses, drawStops, drawSamples, sampleColor } from './layers.ts';
import { drawMarks } from './marks.ts';
import { annotate, dimOthers, drawMatches } from './names.ts';
import { drawNote, pinnedNotes } from './notes.ts';
import { drawOverhead } from './overhead.ts';
import { Painter } from './paint.ts';
import { drawPath } from './path.ts';
import { strokeLine } from './sizes.ts';
import { drawWritten } from './written.ts';
import type { RowOf } from '../scene/rows.ts';
import type { Pin, View } from '../scene/view.ts';

/** Time for the rows in a frame, ms. After that, other rows are drawn roughly or wait for the next frame. */
const ROWS_MS = 5;

/** The element around the plot, and the canvases. */
type Parts = {plot: HTMLElement, base: HTMLCanvasElement, over: HTMLCanvasElement, labels: HTMLCanvasElement, axis: HTMLCanvasElement};

export class Picture {
	declare view: View;
	declare parts: Parts;
	painter = new Painter();
	/** Width of the labels and height of the axis, CSS pixels. */
	left = 100;
	foot = 30;
	/** Durations of the last frames, ms. */
	frames: number[] = [];
	onframe: () => void = () => {};
	pending = { base: false, over: false };
	/** Rows that the last frame drew. */
	shown = new Set<RowOf>();
	/** True if the last frame had no time for some new rows; the next frame continues. */
	unfinished = false;

	constructor(view: View, parts: Parts) {
		this.view = view;
		this.parts = parts;
		view.ondraw = (all) => this.#request(all);
	}

	#rest: ReturnType<typeof setTimeout> | undefined;

	/** Requests a frame. @param all false: only the drawings over the bars */
	#request(all: boolean) {
		const { view, pending } = this;
		const idle = !pending.base && !pending.over;
		if (all) {
			pending.base = true;
			if (view.matches) {
				view.moving = true;
				clearTimeout(this.#rest);
				this.#rest = setTimeout(() => {
					this.pending.base = true;
					view.moving = false;
					this.frame();
				}, 120);
			}
		}
		pending.over = true;
		if (idle) requestAnimationFrame(() => this.frame(ROWS_MS));
	}

	/** Adapts the canvases if the size of the plot or the scale of the screen has changed. */
	resize() {
		const { view, parts: { plot, base, over, labels, axis } } = this;
		view.resize(Math.max(50, plot.clientWidth), Math.max(50, plot.clientHeight), Math.min(3, window.devicePixelRatio || 1));
		const { width, height, scale } = view;
		const size = (canvas: HTMLCanvasElement, w: number, h: number) => {
			// setting a size makes a new canvas, even for the same size
			if (canvas.width !== Math.round(w * scale)) canvas.width = Math.round(w * scale);
			if (canvas.height !== Math.round(h * scale)) canvas.height = Math.round(h * scale);
			canvas.style.width = `${w}px`;
			canvas.style.height = `${h}px`;
		};
		this.#labels.of = '';
		this.#clear = false;
		size(base, width, height);
		size(over, width, height);
		this.left = labels.parentElement?.clientWidth ?? 100;
		this.foot = axis.parentElement?.clientHeight ?? 30;
		size(labels, this.left, height);
		size(axis, width, this.foot);
		this.painter.resize(base.width, base.height, scale);
		view.draw();
	}

	/** Draws a frame if one was requested. @param limit time for the rows, ms; by default all are drawn */
	frame(limit: number = Infinity) {
		const { view, pending } = this;
		if (!pending.base && !pending.over) return;
		const begin = performance.now();
		// names of matches avoid annotations, so draw the base again if the annotations have changed
		const pins = view.matches ? [...view.pins.map((pin) => `${pin.span} ${pin.group}`), ...view.notes.map((n) => `${n.t} ${n.text}`)].join() : '';
		if (pins !== this.#pins) {
			this.#pins = pins;
			pending.base = true;
		}
		if (pending.base) this.#drawBase(begin + limit);
		// do not clear an empty canvas again
		if (this.#over() || !this.#clear) {
			this.#clear = !this.#over();
			this.drawOver(this.context(this.parts.over));
		}
		pending.base = pending.over = false;
		if (this.unfinished) view.draw();
		this.frames.push(performance.now() - begin);
		if (this.frames.length > 1000) this.frames.shift();
		this.onframe();
	}

	/** The annotations at the time when the names of matches were last drawn. */
	#pins = '';

	/** True if the canvas over the bars is empty. */
	#clear = false;
	/** Returns whether there is anything to draw over the bars. */
	#over() {
		const { selection, chain, path, hover, arc, chosen, measure, options, pins, notes } = this.view;
		return Boolean(selection || chain || path || hover || arc >= 0 || chosen || measure || options.user || options.all || pins.length || notes.length);
	}

	/** Returns the context of a canvas, scaled to CSS pixels. */
	context(canvas: HTMLCanvasElement) {
		const { scale } = this.view;
		// the lower canvases are opaque
		const ctx = canvas.getContext('2d', { alpha: canvas === this.parts.over })!;
		ctx.setTransform(scale, 0, 0, scale, 0, 0);
		return ctx;
	}

	/** State for which the labels were drawn. */
	#labels = { of: '', palette: null as Palette | null };

	/** Draws the bars, their details, the labels and the axis. @param until as for paintRows() */
	#drawBase(until: number) {
		const { view, painter } = this;
		const time = this.paintRows(painter, until);
		const ctx = this.context(this.parts.base);
		ctx.setTransform(1, 0, 0, 1, 0, 0);
		if (painter.image) ctx.putImageData(painter.image, 0, 0);
		ctx.setTransform(view.scale, 0, 0, view.scale, 0, 0);
		this.decorate(ctx, painter);
		const { labels } = this.parts;
		const shown = [view.rows.version, labels.width, labels.height].join();
		if (this.#labels.of !== shown || this.#labels.palette !== view.palette) {
			this.#labels = { of: shown, palette: view.palette };
			this.drawLabels(this.context(labels));
		}
		this.drawAxis(this.context(this.parts.axis), time);
	}

	/**
	 * Paints the rows' bars and lines. A row is slow the first time, because its data are not in the processor's caches yet.
	 * So new rows, such as a group that is opened, are drawn in several frames. Rows of the previous frame are always drawn;
	 * when time is up, in columns of several pixels, which the next frames replace.
	 * @param until time of performance.now() after which new rows wait for the next frame
	 */
	paintRows(painter: Painter, until: number = Infinity) {
		const { view } = this;
		const { trace, rows, palette, scale, options } = view;
		const time = view.times();
		painter.begin(view.styles, view.t0, view.t1, time.ticks.map(({ t }) => Math.round(view.x(t) * scale)));
		const before = this.shown;
		this.shown = new Set();
		this.unfinished = false;
		let made = 0;
		const sloped = (view.t1 - view.t0) * (SLOPED / view.width);
		for (const row of rows.visible) {
			if (graphed(view, row)) continue;
			const grey = rows.greyed(row);
			const t0 = view.t0 + view.offset(row);
			const ready = painter.ready(row, t0, grey);
			// draw at least one new row in each frame, so that all are drawn in the end
			const hurry = !ready && made > 0 && performance.now() > until;
			if (hurry) {
				this.unfinished = true;
				if (!before.has(row)) continue;
			} else if (!ready) {
				made++;
			}
			this.shown.add(row);
			const top = Math.round(row.y * scale);
			const base = Math.round((row.y + row.h) * scale);
			painter.row(row, t0, top, base, grey, hurry);
			painter.fill(0, painter.width, base, base + 1, pixel(palette.grid));
			if (row.group === 'CPU' && options.samp) {
				const list = trace.samples.get(row.id);
				painter.t0 = t0;
				if (list) painter.strip(list, top, top + Math.round(3 * scale), (g) => (trace.dur[g] < sloped && !sampledIdle(trace, g) ? sampleColor(view, g) : null));
			}
		}
		painter.t0 = view.t0;
		return time;
	}

	#wideSpans(painter: Painter) {
		const s = this.view.scale;
		return painter.wide.map((w) => ({
			span: w.span, x0: w.x0 / s, x1: w.x1 / s, top: w.top / s, base: w.base / s,
		}));
	}

	/** Draws text, curves and marks over the bars. @param painter painter of the rows */
	decorate(ctx: CanvasRenderingContext2D, painter: Painter) {
		const { view } = this;
		const { trace, options, drawn } = view;
		drawGraphs(ctx, view);
		drawBand(ctx, view, view.width);
		const wide = this.#wideSpans(painter);
		drawn.overhead = view.look.overhead ? drawOverhead(ctx, view, wide) : [];
		drawInside(ctx, view, wide, options.ipc);
		if (trace.pauses.length || trace.partial) drawPauses(ctx, view);
		if (trace.stops.length) drawStops(ctx, view);
		if (options.samp) drawSamples(ctx, view);
		if (options.relative) {
			// with relative times, rows have no common time: leave out drawings that connect rows or need a common time
			Object.assign(drawn, { messages: [], arcs: [], marks: [], bars: [], labels: [], matched: 0, thinned: {} });
			return;
		}
		drawn.thinned = {};
		drawn.bars = [];
		const found = view.matches && matchesOnScreen(view, view.matches);
		if (found && view.dim) dimOthers(ctx, view, found);
		if (options.freq) (options.freqOver ? drawFrequencyOverlay : drawFrequencies)(ctx, view);
		if (options.lock && trace.locks.length) drawLocks(ctx, view);
		drawn.messages = options.arc ? drawMessages(ctx, view) : [];
		drawn.arcs = options.arc ? drawArcs(ctx, view) : [];
		drawn.labels = [];
		drawn.marks = options.mark === 'off' ? [] : drawMarks(ctx, view, options.mark);
		drawBars(ctx, view);
		drawn.matched = found ? drawMatches(ctx, view, found) : 0;
	}

	drawLabels(ctx: CanvasRenderingContext2D) {
		const { view, left: width } = this;
		ctx.fillStyle = css(view.palette.background);
		ctx.fillRect(0, 0, width, view.height);
		drawLabels(ctx, view, width);
	}

	drawAxis(ctx: CanvasRenderingContext2D, time: ReturnType<View['times']>) {
		const { view, foot: height } = this;
		ctx.fillStyle = css(view.palette.background);
		ctx.fillRect(0, 0, view.width, height);
		if (view.selection) {
			const x0 = Math.max(0, view.x(view.selection.t0));
			const x1 = Math.min(view.width, view.x(view.selection.t1));
			ctx.fillStyle = css(view.palette.note, 0.3);
			if (x1 > x0) ctx.fillRect(x0, 0, x1 - x0, height);
		}
		drawAxis(ctx, view, time);
	}

	/** Draws the items that can change without the bars: selection, annotations, the chain. */
	drawOver(ctx: CanvasRenderingContext2D) {
		const { view } = this;
		const { trace, palette, options, drawn } = view;
		ctx.clearRect(0, 0, view.width, view.height);
		if (view.selection) {
			const x0 = Math.max(-2, view.x(view.selection.t0));
			const x1 = Math.min(view.width + 2, view.x(view.selection.t1));
			if (x1 > x0) {
				ctx.fillStyle = css(palette.note, 0.12);
				ctx.fillRect(x0, 0, x1 - x0, view.height);
				ctx.fillStyle = css(palette.note, 0.8);
				ctx.fillRect(x0, 0, 1, view.height);
				ctx.fillRect(x1 - 1, 0, 1, view.height);
			}
		}
		drawn.path = options.relative ? [] : drawPath(ctx, view);
		drawn.chain = options.relative ? [] : drawChain(ctx, view);
		drawn.notes = [];
		delete drawn.thinned.names;
		if ((options.user || options.all) && !options.relative) drawn.notes = annotate(ctx, view);
		if (view.hover) {
			const { row, span } = view.hover;
			const x0 = Math.max(-2, view.xIn(row, trace.start[span]));
			const x1 = Math.min(view.width + 2, view.xIn(row, trace.end(span)));
			ctx.strokeStyle = css(palette.text);
			ctx.lineWidth = 1;
			ctx.strokeRect(Math.floor(x0) - 0.5, row.y + 0.5, Math.max(2, Math.ceil(x1 - x0) + 1), row.h);
		}
		if (view.arc >= 0 && !options.relative) for (const arc of arcsOf(view, view.arc)) strokeArc(ctx, arc, css(palette.text), 2.5);
		drawChosen(ctx, view);
		const color = css(palette.note);
		for (const note of pinnedNotes(view)) {
			drawNote(ctx, view, note, color, view.look.reach);
			drawn.notes.push(note.text);
		}
		if (view.measure) this.#drawMeasure(ctx, view.measure, color);
		drawWritten(ctx, view);
	}

	#drawMeasure(ctx: CanvasRenderingContext2D, measure: {from: Pin, to: Pin}, color: string) {
		const { view } = this;
		const { start } = view.trace;
		const rowA = view.rows.find(measure.from.group, measure.from.id);
		const rowB = view.rows.find(measure.to.group, measure.to.id);
		if (!rowA || !rowB) return;
		const x0 = view.xIn(rowA, start[measure.from.span]);
		const x1 = view.xIn(rowB, start[measure.to.span]);
		ctx.strokeStyle = color;
		ctx.lineWidth = 1.5;
		strokeLine(ctx, x0, rowA.y + rowA.h / 2, x1, rowB.y + rowB.h / 2);
	}
}
