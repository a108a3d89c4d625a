// SPDX-License-Identifier: BSD-3-Clause
/**
 * The picture: what part of the trace it shows, how, and its drawing. Input and
 * panels call its methods; it draws at most once a frame, and only when
 * something changed.
 */
import { Kind, isMark } from './kinds.js';
import * as format from './format.js';
import { FONT, drawArcs, drawInside, drawMarks, drawNote, lowerBound } from './marks.js';
import { Painter, spanAt } from './paint.js';
import { Palette, Styles, css, hash, oklch, pixel, programOf } from './palette.js';
import { GROUP_HEIGHT, Rows } from './rows.js';

/** @typedef {import('./trace.js').Trace} Trace */
/** @typedef {import('./rows.js').RowOf} RowOf */
/** @typedef {import('./search.js').Matches} Matches */

/** A pinned span: where it was pinned, and what it says. @typedef {{span: number, group: string, id: number}} Pin */

/** Zoom ends at this many units (of 10 ns) across. */
const LEAST_UNITS = 8;

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
			lock: true, ipc: 'off', cb: false,
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
		/** Under the pointer. @type {{row: RowOf, span: number} | null} */
		this.hover = null;
		/** What the last frame drew. */
		this.drawn = {
			arcs: /** @type {import('./marks.js').DrawnArc[]} */ ([]), arcsVisible: 0,
			marks: /** @type {import('./marks.js').DrawnMark[]} */ ([]),
			notes: /** @type {string[]} */ ([]), matched: 0,
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
	}

	/** @type {ReturnType<typeof setTimeout> | undefined} */
	#rest;

	// --- coordinates ----------------------------------------------------------

	/** CSS pixel of a time. @param {number} t */
	x(t) {
		return ((t - this.t0) / (this.t1 - this.t0)) * this.width;
	}

	/** Time at a CSS pixel. @param {number} x */
	time(x) {
		return this.t0 + (x / this.width) * (this.t1 - this.t0);
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
		this.draw();
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

	/** @param {number} pixels to the right */
	pan(pixels) {
		const by = (pixels / this.width) * (this.t1 - this.t0);
		this.showBounded(this.t0 + by, this.t1 + by);
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
		const tl = this.t0 + column * step;
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
		let distance = inside ? Math.abs(this.x(this.trace.start[best]) - x) : Infinity;
		const t = this.time(x);
		for (const list of [row.spans, row.waits]) {
			if (!list) continue;
			const i = list.seek(t);
			for (const k of [i - 1, i]) {
				if (k < 0 || k >= list.length) continue;
				const d = Math.abs(this.x(list.start(k)) - x);
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
		this.styles = new Styles(this.trace, this.palette);
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
		if (idle) requestAnimationFrame(() => this.frame());
	}

	resize() {
		const { plot, base, over, labels, axis } = this.parts;
		this.scale = Math.min(3, window.devicePixelRatio || 1);
		this.width = Math.max(50, plot.clientWidth);
		this.height = Math.max(50, plot.clientHeight);
		/** @param {HTMLCanvasElement} canvas @param {number} w @param {number} h */
		const size = (canvas, w, h) => {
			canvas.width = Math.round(w * this.scale);
			canvas.height = Math.round(h * this.scale);
			canvas.style.width = `${w}px`;
			canvas.style.height = `${h}px`;
		};
		size(base, this.width, this.height);
		size(over, this.width, this.height);
		size(labels, labels.parentElement?.clientWidth ?? 100, this.height);
		size(axis, this.width, axis.parentElement?.clientHeight ?? 30);
		this.painter.resize(base.width, base.height, this.scale);
		this.rows.layout(this.height);
		this.draw();
	}

	frame() {
		if (!this.pending.base && !this.pending.over) return;
		const begin = performance.now();
		if (this.pending.base) this.drawBase();
		this.drawOver();
		this.pending.base = this.pending.over = false;
		this.frames.push(performance.now() - begin);
		if (this.frames.length > 1000) this.frames.shift();
		this.onframe();
	}

	/** @param {HTMLCanvasElement} canvas */
	context(canvas) {
		const ctx = /** @type {CanvasRenderingContext2D} */ (canvas.getContext('2d'));
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

	drawBase() {
		const { painter, trace, rows, palette, scale, options } = this;
		painter.begin(this.styles, this.t0, this.t1);
		const time = format.axis(this.t0, this.t1, this.width / 110);
		for (const { t } of time.ticks) {
			const x = Math.round(this.x(t) * scale);
			painter.fill(x, x + Math.max(1, Math.round(scale / 2)), 0, painter.height, pixel(palette.grid));
		}
		for (const row of rows.visible) {
			const top = Math.round(row.y * scale);
			const base = Math.round((row.y + row.h) * scale);
			const grey = rows.greyed(row);
			painter.fill(0, painter.width, base, base + 1, pixel(palette.grid));
			painter.executions(row.spans, top, base, grey, 18 * scale);
			if (row.waits) painter.waits(row.waits, top, base, grey);
			if (row.group === 'CPU' && options.samp) {
				const list = trace.samples.get(row.id);
				if (list) painter.strip(list, top, top + Math.round(3 * scale), (g) => this.sampleColor(g));
			}
		}
		const ctx = this.context(this.parts.base);
		ctx.setTransform(1, 0, 0, 1, 0, 0);
		if (painter.image) ctx.putImageData(painter.image, 0, 0);
		ctx.setTransform(scale, 0, 0, scale, 0, 0);
		drawInside(ctx, this, options.ipc);
		if (options.freq) this.drawFrequencies(ctx);
		if (options.lock && trace.locks.length) this.drawLocks(ctx);
		if (options.arc) {
			const { drawn, visible } = drawArcs(ctx, this);
			this.drawn.arcs = drawn;
			this.drawn.arcsVisible = visible;
		} else {
			this.drawn.arcs = [];
		}
		this.drawn.marks = options.mark === 'off' ? [] : drawMarks(ctx, this, options.mark);
		if (this.matches) this.drawMatches(ctx, this.matches);
		else this.drawn.matched = 0;
		this.drawLabels();
		this.drawAxis(time);
	}

	/** Kernel addresses darker than user ones; a hue for each place. @param {number} span */
	sampleColor(span) {
		const h = hash(this.trace.text(span));
		const kernel = this.trace.event(span) === 0x281;
		return oklch(kernel ? 0.5 : 0.75, kernel ? 0.06 : 0.14, h % 360);
	}

	/** Frequency as a line, 0 at the row's foot, the trace's highest at its head. @param {CanvasRenderingContext2D} ctx */
	drawFrequencies(ctx) {
		const { trace } = this;
		if (!trace.arg) return;
		let most = 1;
		for (const g of trace.byKind[Kind.FREQ]) most = Math.max(most, trace.arg[g]);
		ctx.strokeStyle = css(this.palette.kinds[Kind.FREQ]);
		ctx.lineWidth = 1.5;
		for (const row of this.rows.visible) {
			const list = row.group === 'CPU' ? trace.frequencies.get(row.id) : null;
			if (!list) continue;
			ctx.beginPath();
			let last = -Infinity;
			for (let i = list.first(this.t0); i < list.length && list.start(i) <= this.t1; i++) {
				const x0 = this.x(list.start(i));
				const x1 = this.x(list.end(i));
				if (x1 < last + 0.5) continue;
				const y = row.y + row.h * (1 - 0.96 * (trace.arg[list.at(i)] / most));
				ctx.moveTo(x0, y);
				ctx.lineTo(x1, y);
				last = x1;
			}
			ctx.stroke();
		}
	}

	/** Locks held (line) and tried (dots), at the head of the process's row. @param {CanvasRenderingContext2D} ctx */
	drawLocks(ctx) {
		const { trace } = this;
		ctx.save();
		ctx.strokeStyle = css(this.palette.kinds[Kind.LOCK]);
		ctx.lineWidth = 2;
		let last = -Infinity;
		for (let i = lowerBound(trace.locks, (g) => trace.end(g) < this.t0); i < trace.locks.length; i++) {
			const g = trace.locks[i];
			if (trace.start[g] > this.t1) break;
			const event = trace.event(g);
			const row = this.rows.find('PID', trace.pid[g]);
			const x1 = this.x(trace.end(g));
			if (!row || (event !== 0x282 && event !== 0x283) || x1 < last + 0.5) continue;
			last = x1;
			ctx.setLineDash(event === 0x283 ? [1.5, 2] : []);
			ctx.beginPath();
			ctx.moveTo(this.x(trace.start[g]), row.y + 1.5);
			ctx.lineTo(Math.max(x1, this.x(trace.start[g]) + 1), row.y + 1.5);
			ctx.stroke();
		}
		ctx.restore();
	}

	/** Every match underlined in its rows; named while there is room. @param {CanvasRenderingContext2D} ctx @param {Matches} matches */
	drawMatches(ctx, matches) {
		const { trace, rows } = this;
		const byKey = new Map(rows.visible.map((r) => [`${r.group} ${r.id}`, r]));
		/** Pixel up to which a row is underlined. @type {Map<RowOf, number>} */
		const until = new Map();
		/** @type {{span: number, row: RowOf, x: number}[]} */
		const named = [];
		let total = 0;
		ctx.fillStyle = css(this.palette.match);
		/** @param {number} span */
		const visit = (span) => {
			total++;
			const cpu = trace.cpuOf(span);
			for (const row of [cpu >= 0 ? byKey.get(`CPU ${cpu}`) : undefined, byKey.get(`PID ${trace.pid[span]}`)]) {
				if (!row) continue;
				const x0 = Math.max(this.x(trace.start[span]), 0);
				const x1 = Math.min(this.x(trace.end(span)), this.width);
				const last = until.get(row) ?? -1;
				if (x1 <= last + 0.25) continue;
				const from = Math.max(x0, last);
				ctx.fillRect(from, row.y + row.h - 1, Math.max(1, x1 - from), 3);
				until.set(row, Math.max(x1, from + 1));
				if (named.length < 500) named.push({ span, row, x: x0 });
			}
		};
		if (this.moving && matches.estimate(this.t0, this.t1) > 20000)
			matches.sample(this.t0, this.t1, (this.t1 - this.t0) / this.width, visit);
		else matches.each(this.t0, this.t1, visit);
		this.drawn.matched = total;
		this.drawNames(ctx, named, css(this.palette.match), (g) => trace.label(g), 3);
	}

	/**
	 * Notes for spans, left to right, in up to levels lines above each row; what
	 * has no room is left out.
	 * @param {CanvasRenderingContext2D} ctx
	 * @param {{span: number, row: RowOf, x: number}[]} items
	 * @param {string} color
	 * @param {(span: number) => string} text
	 * @param {number} levels
	 * @returns {string[]} what was written
	 */
	drawNames(ctx, items, color, text, levels) {
		/** @type {Map<RowOf, number[]>} */
		const ends = new Map();
		const written = [];
		ctx.save();
		ctx.font = FONT;
		items.sort((a, b) => a.x - b.x);
		for (const { span, row, x } of items) {
			let rowEnds = ends.get(row);
			if (!rowEnds) ends.set(row, (rowEnds = new Array(row.h > 40 ? levels : 1).fill(-Infinity)));
			const level = rowEnds.findIndex((end) => end < x - 6);
			if (level < 0) continue;
			const label = text(span);
			drawNote(ctx, this, { x, row: { ...row, y: row.y + 18 * (rowEnds.length - 1) + 4, h: row.h - 18 * (rowEnds.length - 1) - 4 }, text: label, level }, color);
			rowEnds[level] = x - 4 + ctx.measureText(label).width + 10;
			written.push(label);
		}
		ctx.restore();
		return written;
	}

	drawLabels() {
		const { rows, palette } = this;
		const canvas = this.parts.labels;
		const ctx = this.context(canvas);
		const width = canvas.width / this.scale;
		ctx.fillStyle = css(palette.background);
		ctx.fillRect(0, 0, width, this.height);
		ctx.textBaseline = 'middle';
		ctx.textAlign = 'right';
		let below = -Infinity;
		for (const row of rows.visible) {
			const y = row.y + row.h * 0.6;
			if (row.h < 5 || y < below + 10) continue;
			ctx.font = row.group === 'CPU' ? `600 ${FONT}` : FONT;
			ctx.fillStyle = css(rows.greyed(row) ? palette.dim : palette.text);
			let text = row.label;
			while (text.length > 4 && ctx.measureText(text).width > width - 16) text = `${text.slice(0, -2)}~`;
			ctx.fillText(text, width - 8, y);
			if (row.group === 'PID' && row.h >= 5) {
				// the same two tones as in the picture, to find one by the other
				const program = programOf(row.label);
				const [main, second] = palette.user(program, row.id);
				ctx.fillStyle = css(main);
				ctx.fillRect(width - 5, y - 5, 4, 5);
				ctx.fillStyle = css(second);
				ctx.fillRect(width - 5, y, 4, 5);
			}
			below = y;
		}
	}

	/** @param {ReturnType<typeof format.axis>} time */
	drawAxis(time) {
		const { palette } = this;
		const ctx = this.context(this.parts.axis);
		const height = this.parts.axis.height / this.scale;
		ctx.fillStyle = css(palette.background);
		ctx.fillRect(0, 0, this.width, height);
		ctx.strokeStyle = css(palette.dim);
		ctx.lineWidth = 1;
		ctx.beginPath();
		ctx.moveTo(0, 0.5);
		ctx.lineTo(this.width, 0.5);
		const first = Math.ceil((this.t0 - time.base) / time.minor) * time.minor + time.base;
		for (let t = first; t <= this.t1; t += time.minor) {
			const x = Math.round(this.x(t)) + 0.5;
			ctx.moveTo(x, 0);
			ctx.lineTo(x, 3);
		}
		ctx.stroke();
		ctx.font = FONT;
		ctx.textBaseline = 'top';
		ctx.textAlign = 'center';
		ctx.fillStyle = css(palette.text);
		ctx.beginPath();
		for (const { t, label } of time.ticks) {
			const x = Math.round(this.x(t)) + 0.5;
			ctx.moveTo(x, 0);
			ctx.lineTo(x, 7);
			const half = ctx.measureText(label).width / 2;
			if (x - half > 0 && x + half < this.width) ctx.fillText(label, x, 9);
		}
		ctx.stroke();
	}

	drawOver() {
		const { trace, rows, palette } = this;
		const ctx = this.context(this.parts.over);
		ctx.clearRect(0, 0, this.width, this.height);
		this.drawn.notes = [];
		if (this.options.user || this.options.all) this.drawn.notes = this.annotate(ctx);
		if (this.hover) {
			const { row, span } = this.hover;
			const x0 = Math.max(-2, this.x(trace.start[span]));
			const x1 = Math.min(this.width + 2, this.x(trace.end(span)));
			ctx.strokeStyle = css(palette.text);
			ctx.lineWidth = 1;
			ctx.strokeRect(Math.floor(x0) - 0.5, row.y + 0.5, Math.max(2, Math.ceil(x1 - x0) + 1), row.h);
		}
		const color = css(palette.note);
		/** @type {Map<string, number[]>} */
		const used = new Map();
		for (const pin of this.pins) {
			const row = rows.find(pin.group, pin.id);
			if (!row) continue;
			const x = this.x(trace.start[pin.span]);
			if (x < -1 || x > this.width + 1) continue;
			const near = used.get(`${row.group} ${row.id}`) ?? [];
			used.set(`${row.group} ${row.id}`, [...near, x]);
			const text = `${format.seconds(trace.start[pin.span])}  ${trace.label(pin.span)}  ${format.duration(trace.dur[pin.span])}`;
			drawNote(ctx, this, { x, row, text, level: near.filter((n) => Math.abs(n - x) < 300).length }, color);
			this.drawn.notes.push(text);
		}
		if (this.measure) this.drawMeasure(ctx, this.measure, color);
	}

	/** @param {CanvasRenderingContext2D} ctx @param {{from: Pin, to: Pin}} measure @param {string} color */
	drawMeasure(ctx, measure, color) {
		const rowA = this.rows.find(measure.from.group, measure.from.id);
		const rowB = this.rows.find(measure.to.group, measure.to.id);
		if (!rowA || !rowB) return;
		const x0 = this.x(this.trace.start[measure.from.span]);
		const x1 = this.x(this.trace.start[measure.to.span]);
		ctx.strokeStyle = color;
		ctx.lineWidth = 1.5;
		ctx.beginPath();
		ctx.moveTo(x0, rowA.y + rowA.h / 2);
		ctx.lineTo(x1, rowB.y + rowB.h / 2);
		ctx.stroke();
	}

	/**
	 * User: the first instance on the screen of each program on each row; All:
	 * every span with room, in short.
	 * @param {CanvasRenderingContext2D} ctx
	 */
	annotate(ctx) {
		const { trace } = this;
		/** @type {{span: number, row: RowOf, x: number}[]} */
		const items = [];
		const seen = new Set();
		if (this.options.all) {
			for (const row of this.rows.visible) {
				let last = -Infinity;
				for (let i = row.spans.first(this.t0); i < row.spans.length && row.spans.start(i) <= this.t1 && items.length < 4000; i++) {
					const span = row.spans.at(i);
					const x = this.x(trace.start[span]);
					const kind = trace.kind(span);
					if (x < 0 || kind <= Kind.IDLELP) continue;
					if (x < last + 2) {
						i = Math.max(i, row.spans.seek(this.time(last + 2), i) - 1);
						continue;
					}
					last = x;
					if (kind === Kind.USER) {
						if (seen.has(trace.name[span])) continue;
						seen.add(trace.name[span]);
					}
					items.push({ span, row, x });
				}
			}
			return this.drawNames(ctx, items, css(this.palette.dim), (g) => short(trace.label(g)), 3);
		}
		for (const process of trace.processes()) {
			const list = process.spans;
			const end = Math.min(list.length, list.first(this.t0) + 64);
			for (let i = list.first(this.t0); i < end && list.start(i) <= this.t1; i++) {
				const span = list.at(i);
				if (trace.kind(span) !== Kind.USER) continue;
				const row = this.rows.find('CPU', trace.cpuOf(span)) ?? this.rows.find('PID', process.id);
				if (row) items.push({ span, row, x: Math.max(0, this.x(trace.start[span])) });
				break;
			}
		}
		return this.drawNames(ctx, items, css(this.palette.dim), (g) => trace.text(g), 3);
	}

	/** Elapsed time between what is measured, as text; "" without. */
	measureText() {
		if (!this.measure) return '';
		const { from, to } = this.measure;
		const a = this.trace.start[from.span];
		const b = this.trace.start[to.span];
		return `${format.seconds(a)} to ${format.seconds(b)}: elapsed ${format.duration(b - a)}`;
	}

	get groupHeight() {
		return GROUP_HEIGHT;
	}

	/** For the mark button. */
	get markCount() {
		return this.drawn.marks.filter((m) => isMark(this.trace.kind(m.span))).length;
	}
}

/** At most eight characters. @param {string} text */
const short = (text) => (text.length > 8 ? `${text.slice(0, 7)}~` : text);
