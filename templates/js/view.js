// SPDX-License-Identifier: BSD-3-Clause
/**
 * The picture: what part of the trace it shows, how, and its drawing. Input and
 * panels call its methods; it draws at most once a frame, and only when
 * something changed.
 */
import { drawAxis, drawLabels } from './edges.js';
import * as format from './format.js';
import { Kind } from './kinds.js';
import { drawFrequencies, drawLocks, drawMessages, sampleColor } from './layers.js';
import { spanAt } from './lines.js';
import { drawArcs, drawInside, drawMarks, drawNote } from './marks.js';
import { annotate, drawMatches } from './names.js';
import { Painter } from './paint.js';
import { Palette, Styles, css, pixel, programOf } from './palette.js';
import { Rows } from './rows.js';
import { drawChain } from './whyview.js';

/** @typedef {import('./trace.js').Trace} Trace */
/** @typedef {import('./rows.js').RowOf} RowOf */
/** @typedef {import('./search.js').Matches} Matches */

/** A pinned span: where it was pinned, and what it says. @typedef {{span: number, group: string, id: number}} Pin */

/** Zoom ends at this many units (of 10 ns) across. */
const LEAST_UNITS = 8;
/** When rows have taken a frame so long, the others are drawn roughly or wait for the next one, ms. */
const ROWS_MS = 5;

export class View {
	/**
	 * @param {Trace} trace
	 * @param {{plot: HTMLElement, base: HTMLCanvasElement, over: HTMLCanvasElement,
	 *	labels: HTMLCanvasElement, axis: HTMLCanvasElement}} parts
	 */
	constructor(trace, parts) {
		this.trace = trace;
		this.parts = parts;
		this.rows = new Rows(trace);
		this.t0 = trace.first;
		this.t1 = trace.last;
		this.width = 1;
		this.height = 1;
		this.scale = 1;
		this.painter = new Painter();
		this.options = {
			mark: 'both', arc: true, user: false, all: false, samp: false, freq: false,
			lock: true, ipc: 'off', cb: false, prune: false, relative: false,
		};
		this.palette = new Palette(false, false);
		this.styles = new Styles(trace, this.palette);
		this.timeBase = format.parseBase(trace.header.tracebase);
		/** @type {Matches | null} */
		this.matches = null;
		/** Pinned by shift-click. @type {Pin[]} */
		this.pins = [];
		/** @type {{from: Pin, to: Pin} | null} */
		this.measure = null;
		/** Part of the trace that the table is about. @type {{t0: number, t1: number} | null} */
		this.selection = null;
		/** Why something did not run, as shown. @type {import('./why.js').Chain | null} */
		this.chain = null;
		/** Dictionary entries that stand out. @type {Uint8Array | null} */
		this.only = null;
		/** Under the pointer. @type {{row: RowOf, span: number} | null} */
		this.hover = null;
		/** What the last frame drew. */
		this.drawn = {
			arcs: /** @type {import('./marks.js').DrawnArc[]} */ ([]), arcsVisible: 0,
			marks: /** @type {import('./marks.js').DrawnMark[]} */ ([]),
			/** Marks' names, and what they cover. */
			labels: /** @type {{row: RowOf, text: string, x0: number, x1: number, y0: number, y1: number}[]} */ ([]),
			/** Names of spans, and what is annotated: what they cover. */
			named: /** @type {{x0: number, x1: number, y0: number, y1: number}[]} */ ([]),
			pinned: /** @type {{x0: number, x1: number, y0: number, y1: number}[]} */ ([]),
			notes: /** @type {string[]} */ ([]), matched: 0,
			chain: /** @type {import('./whyview.js').DrawnLink[]} */ ([]),
			messages: /** @type {import('./layers.js').DrawnMessage[]} */ ([]),
		};
		/** Time the last frames took to make, ms. @type {number[]} */
		this.frames = [];
		/** Frames follow each other; when they stop, one more makes good what these left out. */
		this.moving = false;
		/** Called behind each full frame. @type {() => void} */
		this.onframe = () => {};
		/** @type {Map<string, number>} */
		this.widths = new Map();
		this.pending = { base: false, over: false };
		/** Rows that the last frame drew. @type {Set<RowOf>} */
		this.shown = new Set();
		/** Rows came into sight that the last frame had no time for; the next one goes on. */
		this.unfinished = false;
	}

	/** @type {ReturnType<typeof setTimeout> | undefined} */
	#rest;
	/** @type {ReturnType<typeof setTimeout> | undefined} */
	#pruning;

	// --- coordinates ----------------------------------------------------------

	/** CSS pixel of a time. @param {number} t */
	x(t) {
		return ((t - this.t0) / (this.t1 - this.t0)) * this.width;
	}

	/** Time at a CSS pixel. @param {number} x */
	time(x) {
		return this.t0 + (x / this.width) * (this.t1 - this.t0);
	}

	/**
	 * How far a row is shifted to the left: with times relative to the row, all
	 * rows begin together.
	 * @param {RowOf} row
	 */
	offset(row) {
		if (!this.options.relative) return 0;
		const starts = [row.spans, row.waits].map((list) => (list?.length ? list.start(0) : Infinity));
		const start = Math.min(...starts);
		return Number.isFinite(start) ? start - this.trace.first : 0;
	}

	/** CSS pixel of a time in a row. @param {RowOf} row @param {number} t */
	xIn(row, t) {
		return this.x(t - this.offset(row));
	}

	/** The axis: counted from a round moment, or from where the rows begin. */
	times() {
		const zero = this.options.relative ? this.trace.first : 0;
		const time = format.axis(this.t0 - zero, this.t1 - zero, this.width / 110);
		return { ...time, base: time.base + zero, ticks: time.ticks.map(({ t, label }) => ({ t: t + zero, label })) };
	}

	// --- what it shows ---------------------------------------------------------

	/** @param {number} t0 @param {number} t1 */
	show(t0, t1) {
		if (!(t1 > t0)) return;
		let width = Math.max(LEAST_UNITS, t1 - t0);
		const middle = (t0 + t1) / 2;
		if (width !== t1 - t0) t0 = middle - width / 2;
		this.t0 = t0;
		this.t1 = width === t1 - t0 ? t1 : t0 + width;
		if (this.options.prune) {
			clearTimeout(this.#pruning);
			this.#pruning = setTimeout(() => this.prune(), 150);
		}
		this.draw();
	}

	/**
	 * Leaves out the rows that have nothing in the range, or takes them in again.
	 * While the picture moves they stay where they are.
	 */
	prune() {
		this.rows.present = this.options.prune ? (row) => [row.spans, row.waits].some((list) => {
			if (!list || !list.length) return false;
			const by = this.offset(row);
			const i = list.first(this.t0 + by);
			return i < list.length && list.start(i) <= this.t1 + by;
		}) : null;
		this.rows.layout(this.height);
		this.draw();
	}

	/** @param {number} span all that have its name stand out; the same again: nothing does */
	highlight(span) {
		const { trace } = this;
		const entry = trace.name[span];
		if (this.only?.[entry]) {
			this.only = null;
		} else {
			const user = trace.kind(span) === Kind.USER;
			const name = user ? programOf(trace.text(span)) : trace.text(span);
			this.only = Uint8Array.from(trace.texts, (text, i) => Number(trace.kinds[i] === trace.kind(span) &&
				(user ? programOf(text) === name : text === name)));
		}
		this.theme(this.palette.dark);
	}

	/** Keeps part of the trace in sight. @param {number} t0 @param {number} t1 */
	showBounded(t0, t1) {
		const { first, last } = this.trace;
		const width = t1 - t0;
		if (width >= last - first) {
			this.show(first, last);
			return;
		}
		const low = first - width * 0.1;
		const high = last + width * 0.1;
		const shift = t0 < low ? low - t0 : t1 > high ? high - t1 : 0;
		this.show(t0 + shift, t1 + shift);
	}

	/** @param {number} factor below 1: closer @param {number} x stays where it is */
	zoomAt(factor, x) {
		const t = this.time(x);
		const width = Math.max(LEAST_UNITS, (this.t1 - this.t0) * factor);
		const share = x / this.width;
		this.showBounded(t - share * width, t + (1 - share) * width);
	}

	/** Device pixels, less than one, that the last pan left to the next. */
	#carry = 0;

	/** Moves by whole device pixels, so that what stays on the screen need not be drawn anew. @param {number} pixels to the right */
	pan(pixels) {
		const wanted = pixels * this.scale + this.#carry;
		const by = Math.round(wanted);
		this.#carry = wanted - by;
		const step = (this.t1 - this.t0) / this.painter.width;
		this.showBounded(this.t0 + by * step, this.t1 + by * step);
	}

	reset() {
		this.rows.reset();
		this.show(this.trace.first, this.trace.last);
	}

	/** Brings a span into the middle, zooming only if it is too small or large to see. @param {number} span */
	reveal(span) {
		const { start, dur } = this.trace;
		let width = this.t1 - this.t0;
		if (dur[span] > width * 0.8) width = dur[span] * 1.5;
		else if (dur[span] < width / 2000) width = Math.max(dur[span] * 200, 1000);
		const middle = start[span] + dur[span] / 2;
		this.showBounded(middle - width / 2, middle + width / 2);
	}

	// --- hit tests --------------------------------------------------------------

	/**
	 * The span at a point of the plot.
	 * @param {number} x
	 * @param {number} y
	 * @returns {{row: RowOf, span: number} | null}
	 */
	hit(x, y) {
		if (x < 0 || y < 0 || x >= this.width || y >= this.height) return null;
		const row = this.rows.at(y);
		if (!row) return null;
		const mark = this.drawn.marks.find((m) => m.row === row && Math.abs(m.x - x) <= 2.5);
		if (mark) return { row, span: mark.span };
		// the same pixel column as the picture's
		const step = (this.t1 - this.t0) / this.painter.width;
		const column = Math.floor(x * this.scale);
		const tl = this.t0 + column * step + this.offset(row);
		for (const list of [row.spans, row.waits]) {
			const span = list ? spanAt(list, tl, tl + step) : -1;
			if (span >= 0) return { row, span };
		}
		return null;
	}

	/**
	 * The span whose front is nearest, in the nearest row.
	 * @param {number} x
	 * @param {number} y
	 * @returns {Pin | null}
	 */
	nearest(x, y) {
		const row = this.rows.at(y, true);
		if (!row) return null;
		const inside = this.hit(x, row.y + row.h / 2);
		let best = inside ? inside.span : -1;
		let distance = inside ? Math.abs(this.xIn(row, this.trace.start[best]) - x) : Infinity;
		const t = this.time(x) + this.offset(row);
		for (const list of [row.spans, row.waits]) {
			if (!list) continue;
			const i = list.seek(t);
			for (const k of [i - 1, i]) {
				if (k < 0 || k >= list.length) continue;
				const d = Math.abs(this.xIn(row, list.start(k)) - x);
				if (d < distance - 1) {
					distance = d;
					best = list.at(k);
				}
			}
		}
		for (const mark of this.drawn.marks) {
			const d = Math.abs(mark.x - x);
			if (mark.row === row && (d < distance || d < 6)) {
				distance = d;
				best = mark.span;
			}
		}
		return best < 0 ? null : { span: best, group: row.group, id: row.id };
	}

	// --- drawing -----------------------------------------------------------------

	/** @param {boolean} dark */
	theme(dark) {
		this.palette = new Palette(dark, this.options.cb);
		const { only } = this;
		this.styles = new Styles(this.trace, this.palette, only ? (entry) => only[entry] === 1 : null);
		this.draw();
	}

	/** @param {boolean} [all] false: only what lies over the bars */
	draw(all = true) {
		const idle = !this.pending.base && !this.pending.over;
		if (all) {
			this.pending.base = true;
			if (this.matches) {
				this.moving = true;
				clearTimeout(this.#rest);
				this.#rest = setTimeout(() => {
					this.pending.base = true;
					this.moving = false;
					this.frame();
				}, 120);
			}
		}
		this.pending.over = true;
		if (idle) requestAnimationFrame(() => this.frame(ROWS_MS));
	}

	resize() {
		const { plot, base, over, labels, axis } = this.parts;
		this.scale = Math.min(3, window.devicePixelRatio || 1);
		this.width = Math.max(50, plot.clientWidth);
		this.height = Math.max(50, plot.clientHeight);
		/** @param {HTMLCanvasElement} canvas @param {number} w @param {number} h */
		const size = (canvas, w, h) => {
			// setting it makes a new canvas, even if it stays as large
			if (canvas.width !== Math.round(w * this.scale)) canvas.width = Math.round(w * this.scale);
			if (canvas.height !== Math.round(h * this.scale)) canvas.height = Math.round(h * this.scale);
			canvas.style.width = `${w}px`;
			canvas.style.height = `${h}px`;
		};
		this.#labels.of = '';
		this.#clear = false;
		size(base, this.width, this.height);
		size(over, this.width, this.height);
		size(labels, labels.parentElement?.clientWidth ?? 100, this.height);
		size(axis, this.width, axis.parentElement?.clientHeight ?? 30);
		this.painter.resize(base.width, base.height, this.scale);
		this.rows.layout(this.height);
		this.draw();
	}

	/** @param {number} [limit] ms for the rows; without, all are drawn */
	frame(limit = Infinity) {
		if (!this.pending.base && !this.pending.over) return;
		const begin = performance.now();
		// names of matches make room for what is annotated
		const pins = this.matches ? this.pins.map((pin) => `${pin.span} ${pin.group}`).join() : '';
		if (pins !== this.#pins) {
			this.#pins = pins;
			this.pending.base = true;
		}
		if (this.pending.base) this.drawBase(begin + limit);
		// an empty canvas is not cleared again
		if (this.#over() || !this.#clear) {
			this.#clear = !this.#over();
			this.drawOver(this.context(this.parts.over));
		}
		this.pending.base = this.pending.over = false;
		if (this.unfinished) this.draw();
		this.frames.push(performance.now() - begin);
		if (this.frames.length > 1000) this.frames.shift();
		this.onframe();
	}

	/** What was annotated when the matches were named last. */
	#pins = '';

	/** The canvas over the bars is empty. */
	#clear = false;
	/** Is there anything to be drawn on it? */
	#over() {
		const { selection, chain, hover, measure, options, pins } = this;
		return Boolean(selection || chain || hover || measure || options.user || options.all || pins.length);
	}

	/** @param {HTMLCanvasElement} canvas */
	context(canvas) {
		// nothing shines through those below
		const ctx = /** @type {CanvasRenderingContext2D} */ (canvas.getContext('2d', { alpha: canvas === this.parts.over }));
		ctx.setTransform(this.scale, 0, 0, this.scale, 0, 0);
		return ctx;
	}

	/** Width of text in the usual font. @param {CanvasRenderingContext2D} ctx @param {string} text */
	textWidth(ctx, text) {
		let width = this.widths.get(text);
		if (width === undefined) {
			if (this.widths.size > 20000) this.widths.clear();
			width = ctx.measureText(text).width;
			this.widths.set(text, width);
		}
		return width;
	}

	/** The spans with room inside, in CSS pixels. */
	wideSpans() {
		const s = this.scale;
		return this.painter.wide.map((w) => ({
			span: w.span, x0: w.x0 / s, x1: w.x1 / s, top: w.top / s, base: w.base / s,
		}));
	}

	/** What the labels were drawn of. */
	#labels = { of: '', palette: /** @type {Palette | null} */ (null) };

	/** @param {number} until new rows wait behind this time of performance.now() */
	drawBase(until) {
		const { painter, scale } = this;
		const time = this.paintRows(painter, until);
		const ctx = this.context(this.parts.base);
		ctx.setTransform(1, 0, 0, 1, 0, 0);
		if (painter.image) ctx.putImageData(painter.image, 0, 0);
		ctx.setTransform(scale, 0, 0, scale, 0, 0);
		this.decorate(ctx);
		const { labels } = this.parts;
		const shown = [this.rows.version, labels.width, labels.height].join();
		if (this.#labels.of !== shown || this.#labels.palette !== this.palette) {
			this.#labels = { of: shown, palette: this.palette };
			this.drawLabels(this.context(labels));
		}
		this.drawAxis(this.context(this.parts.axis), time);
	}

	/**
	 * The rows' bars and lines. A row is slow the first time: its data is not in the
	 * processor's caches yet. So what comes into sight all at once, a group that is
	 * opened, is drawn in several frames; what was there before, always, but when
	 * time is up in columns of several pixels, which the next frames make good.
	 * @param {Painter} painter
	 * @param {number} [until] new rows wait behind this time of performance.now()
	 */
	paintRows(painter, until = Infinity) {
		const { trace, rows, palette, scale, options } = this;
		const time = this.times();
		painter.begin(this.styles, this.t0, this.t1, time.ticks.map(({ t }) => Math.round(this.x(t) * scale)));
		const before = this.shown;
		this.shown = new Set();
		this.unfinished = false;
		let made = 0;
		for (const row of rows.visible) {
			const grey = rows.greyed(row);
			const t0 = this.t0 + this.offset(row);
			const ready = painter.ready(row, t0, grey);
			// one is made in any frame, so that all are in the end
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
				if (list) painter.strip(list, top, top + Math.round(3 * scale), (g) => sampleColor(this, g));
			}
		}
		painter.t0 = this.t0;
		return time;
	}

	/** Text, curves and marks over the bars. @param {CanvasRenderingContext2D} ctx */
	decorate(ctx) {
		const { trace, options } = this;
		drawInside(ctx, this, options.ipc);
		if (options.relative) {
			// what connects rows, or stands at a time of all of them, has no place here
			Object.assign(this.drawn, { messages: [], arcs: [], marks: [], labels: [], matched: 0 });
			return;
		}
		if (options.freq) drawFrequencies(ctx, this);
		if (options.lock && trace.locks.length) drawLocks(ctx, this);
		this.drawn.messages = options.arc ? drawMessages(ctx, this) : [];
		if (options.arc) {
			const { drawn, visible } = drawArcs(ctx, this);
			this.drawn.arcs = drawn;
			this.drawn.arcsVisible = visible;
		} else {
			this.drawn.arcs = [];
		}
		this.drawn.labels = [];
		this.drawn.marks = options.mark === 'off' ? [] : drawMarks(ctx, this, options.mark);
		this.drawn.matched = this.matches ? drawMatches(ctx, this, this.matches) : 0;
	}

	/** @param {CanvasRenderingContext2D} ctx */
	drawLabels(ctx) {
		ctx.fillStyle = css(this.palette.background);
		ctx.fillRect(0, 0, this.parts.labels.width / this.scale, this.height);
		drawLabels(ctx, this);
	}

	/** @param {CanvasRenderingContext2D} ctx @param {ReturnType<typeof format.axis>} time */
	drawAxis(ctx, time) {
		const height = this.parts.axis.height / this.scale;
		ctx.fillStyle = css(this.palette.background);
		ctx.fillRect(0, 0, this.width, height);
		if (this.selection) {
			const x0 = Math.max(0, this.x(this.selection.t0));
			const x1 = Math.min(this.width, this.x(this.selection.t1));
			ctx.fillStyle = css(this.palette.note, 0.3);
			if (x1 > x0) ctx.fillRect(x0, 0, x1 - x0, height);
		}
		drawAxis(ctx, this, time);
	}

	/** What changes without the bars: selection, annotations, the chain. @param {CanvasRenderingContext2D} ctx */
	drawOver(ctx) {
		const { trace, palette } = this;
		ctx.clearRect(0, 0, this.width, this.height);
		if (this.selection) {
			const x0 = Math.max(-2, this.x(this.selection.t0));
			const x1 = Math.min(this.width + 2, this.x(this.selection.t1));
			if (x1 > x0) {
				ctx.fillStyle = css(palette.note, 0.12);
				ctx.fillRect(x0, 0, x1 - x0, this.height);
				ctx.fillStyle = css(palette.note, 0.8);
				ctx.fillRect(x0, 0, 1, this.height);
				ctx.fillRect(x1 - 1, 0, 1, this.height);
			}
		}
		this.drawn.chain = this.options.relative ? [] : drawChain(ctx, this);
		this.drawn.notes = [];
		if ((this.options.user || this.options.all) && !this.options.relative) this.drawn.notes = annotate(ctx, this);
		if (this.hover) {
			const { row, span } = this.hover;
			const x0 = Math.max(-2, this.xIn(row, trace.start[span]));
			const x1 = Math.min(this.width + 2, this.xIn(row, trace.end(span)));
			ctx.strokeStyle = css(palette.text);
			ctx.lineWidth = 1;
			ctx.strokeRect(Math.floor(x0) - 0.5, row.y + 0.5, Math.max(2, Math.ceil(x1 - x0) + 1), row.h);
		}
		const color = css(palette.note);
		for (const note of this.pinned()) {
			drawNote(ctx, this, note, color);
			this.drawn.notes.push(note.text);
		}
		if (this.measure) this.drawMeasure(ctx, this.measure, color);
	}

	/** The notes of what is annotated, where they stand. @returns {{x: number, row: RowOf, text: string, level: number}[]} */
	pinned() {
		const { trace } = this;
		/** @type {Map<RowOf, number[]>} */
		const used = new Map();
		const notes = [];
		for (const pin of this.pins) {
			const row = this.rows.find(pin.group, pin.id);
			if (!row) continue;
			const x = this.xIn(row, trace.start[pin.span]);
			if (x < -1 || x > this.width + 1) continue;
			const near = used.get(row) ?? [];
			used.set(row, [...near, x]);
			const text = `${format.seconds(trace.start[pin.span])}  ${trace.label(pin.span)}  ${format.duration(trace.dur[pin.span])}`;
			notes.push({ x, row, text, level: near.filter((n) => Math.abs(n - x) < 300).length });
		}
		return notes;
	}

	/** @param {CanvasRenderingContext2D} ctx @param {{from: Pin, to: Pin}} measure @param {string} color */
	drawMeasure(ctx, measure, color) {
		const rowA = this.rows.find(measure.from.group, measure.from.id);
		const rowB = this.rows.find(measure.to.group, measure.to.id);
		if (!rowA || !rowB) return;
		const x0 = this.xIn(rowA, this.trace.start[measure.from.span]);
		const x1 = this.xIn(rowB, this.trace.start[measure.to.span]);
		ctx.strokeStyle = color;
		ctx.lineWidth = 1.5;
		ctx.beginPath();
		ctx.moveTo(x0, rowA.y + rowA.h / 2);
		ctx.lineTo(x1, rowB.y + rowB.h / 2);
		ctx.stroke();
	}

	/** Elapsed time between what is measured, as text; "" without. */
	measureText() {
		if (!this.measure) return '';
		const { from, to } = this.measure;
		const a = this.trace.start[from.span];
		const b = this.trace.start[to.span];
		return `${format.seconds(a)} to ${format.seconds(b)}: elapsed ${format.duration(b - a)}`;
	}
}
