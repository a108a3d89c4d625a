// SPDX-License-Identifier: BSD-3-Clause
/**
 * Rows into one buffer of pixels, which goes to the canvas in one piece; lines of rows (lines.js) are copied down.
 * Never draws text or curves: these come later, on top. All coordinates are device pixels.
 * Imported by picture.js; svg.js replaces its pixels by shapes.
 */
import { EXECUTION_KINDS } from '../base/kinds.js';
import { pixel } from '../base/palette.js';
import { CONTEXT_LINE, FOOT_LINE, LEVELS, LineStyle, RowLines, WAIT_LINE } from './lines.js';
import { BAR_SHARE, CONTEXT_SHARE, heights } from './sizes.js';

/** @typedef {import('../data/spans.js').SpanList} SpanList */
/** @typedef {import('../scene/styles.js').Styles} Styles */
/** @typedef {import('../base/palette.js').Rgb} Rgb */
/** @typedef {import('../scene/rows.js').RowOf} RowOf */

/** A span that is wide enough for more than colour. @typedef {{span: number, x0: number, x1: number, top: number, base: number}} Wide */

/** Pixels in a column of a row that there is no time for. */
const GRAIN = 4;
/** Rows' lines that are kept, bytes. */
const KEPT_BYTES = 48e6;
const KEPT_LEAST = 64;

export class Painter {
	constructor() {
		/** Lines of rows, the one that was used longest ago first. @type {Map<RowOf, RowLines>} */
		this.kept = new Map();
		/** A line with nothing but the grid. */
		this.blank = new Uint32Array(0);
		/** A line as it goes into the picture. */
		this.mixed = new Uint32Array(0);
		/** Height of the foot, pixels. */
		this.foot = 2;
		/** For tests: rows are made anew, for comparison. @type {Map<SpanList, {shares: Float32Array, stale: number}> | null} */
		this.record = null;
		this.width = 0;
		this.height = 0;
		/** @type {ImageData | null} */
		this.image = null;
		this.pixels = new Uint32Array(0);
		this.t0 = 0;
		/** units of 10 ns per pixel */
		this.step = 1;
		this.scale = 1;
		/** @type {Wide[]} */
		this.wide = [];
		/** @type {LineStyle | null} */
		this.style = null;
		/** As style, for rows that there is no time for. @type {LineStyle | null} */
		this.rough = null;
	}

	/** @param {number} width @param {number} height @param {number} scale device pixels per CSS pixel */
	resize(width, height, scale) {
		this.scale = scale;
		if (width === this.width && height === this.height) return;
		if (width !== this.width) this.kept.clear();
		this.width = width;
		this.height = height;
		this.image = new ImageData(width, height);
		this.pixels = new Uint32Array(this.image.data.buffer);
		this.blank = new Uint32Array(width);
		this.mixed = new Uint32Array(width);
	}

	/**
	 * An empty picture with the grid's lines.
	 * @param {Styles} styles
	 * @param {number} t0
	 * @param {number} t1
	 * @param {number[]} grid pixels
	 */
	begin(styles, t0, t1, grid) {
		this.t0 = t0;
		this.step = (t1 - t0) / this.width;
		const old = this.style;
		if (!old || old.styles !== styles || old.scale !== this.scale || old.step !== this.step) {
			this.style = new LineStyle(styles, this.scale, this.step);
			this.rough = new LineStyle(styles, this.scale, this.step, GRAIN);
		}
		this.foot = Math.max(1, Math.round(this.scale * 1.5));
		this.wide.length = 0;
		this.blank.fill(/** @type {LineStyle} */ (this.style).background);
		for (const x of grid) this.blank.fill(pixel(styles.palette.grid), Math.max(0, x), Math.max(0, x + Math.max(1, Math.round(this.scale / 2))));
		this.blankRows();
	}

	/** The grid's lines, from top to bottom. */
	blankRows() {
		const { width, pixels, blank } = this;
		for (let y = 0; y < this.height; y++) pixels.set(blank, y * width);
	}

	/** @param {number} x0 @param {number} x1 @param {number} y0 @param {number} y1 @param {number} color */
	fill(x0, x1, y0, y1, color) {
		const { width, pixels } = this;
		const left = Math.max(0, x0);
		const right = Math.min(width, x1);
		const bottom = Math.min(this.height, y1);
		if (left >= right) return;
		for (let y = Math.max(0, y0); y < bottom; y++) {
			const at = y * width;
			if (right - left === 1) pixels[at + left] = color;
			else pixels.fill(color, at + left, at + right);
		}
	}

	/**
	 * Is there little to do for this row?
	 * @param {RowOf} row
	 * @param {number} t0 of its first pixel
	 * @param {boolean} grey
	 */
	ready(row, t0, grey) {
		const lines = this.kept.get(row);
		return lines !== undefined && !lines.rough && Math.abs(lines.missing(/** @type {LineStyle} */ (this.style), t0, grey)) < this.width / 8;
	}

	/**
	 * One row: its execution and its waits.
	 * @param {RowOf} row
	 * @param {number} t0 of its first pixel
	 * @param {number} top
	 * @param {number} base
	 * @param {boolean} grey
	 * @param {boolean} hurry if it has to be made anew, it is made in columns of several pixels
	 */
	row(row, t0, top, base, grey, hurry) {
		const style = /** @type {LineStyle} */ (this.style);
		let lines = this.kept.get(row);
		if (lines) this.kept.delete(row);
		else lines = this.#another();
		this.kept.set(row, lines);
		lines.update(row.spans, row.waits, style, t0, grey, hurry ? this.rough : null);
		this.put(lines, top, base);
		lines.eachWide((span, x0, x1) => this.wide.push({ span, x0, x1, top, base }));
		if (this.record) {
			const fresh = new RowLines(this.width);
			fresh.shares = new Float32Array(this.width * EXECUTION_KINDS);
			fresh.update(row.spans, row.waits, style, t0, grey);
			this.record.set(row.spans, { shares: fresh.shares, stale: different(lines, fresh) });
		}
	}

	/** Lines for a row that has none: those of the row that was not seen for longest, if there are enough. */
	#another() {
		const bytes = this.width * (WAIT_LINE + 1) * 4;
		if (this.kept.size < Math.max(KEPT_LEAST, KEPT_BYTES / bytes)) return new RowLines(this.width);
		const [[row, lines]] = this.kept;
		this.kept.delete(row);
		lines.style = null;
		return lines;
	}

	/** The lines of a row, each as high as its kind needs. @param {RowLines} row @param {number} top @param {number} base */
	put({ lines }, top, base) {
		const room = (base - top) * BAR_SHARE;
		const foot = this.foot;
		let y = base - Math.max(foot + 1, Math.round(room));
		for (let level = 0; level <= FOOT_LINE; level++) {
			const share = level + 1 < LEVELS.length ? heights[LEVELS[level + 1]] : level < CONTEXT_LINE ? CONTEXT_SHARE : 0;
			const until = level === FOOT_LINE ? base : Math.min(base - foot, base - Math.max(foot, Math.round(room * share)));
			if (until > y) this.copyDown(lines[level], y, until);
			y = Math.max(y, until);
		}
		const wait = Math.round(base - room * 0.25);
		this.copyDown(lines[WAIT_LINE], wait - Math.max(1, Math.round(1.5 * this.scale)), wait);
	}

	/** What a line of pixels has, into the rows [y0, y1). @param {Uint32Array} line @param {number} y0 @param {number} y1 */
	copyDown(line, y0, y1) {
		const { width, pixels, mixed } = this;
		const from = Math.max(0, y0);
		const end = Math.min(this.height, y1);
		if (from >= end) return;
		if (end - from <= 2) {
			for (let y = from; y < end; y++) for (let x = 0; x < width; x++) if (line[x] !== 0) pixels[y * width + x] = line[x];
			return;
		}
		// so far all these rows of pixels are alike
		mixed.set(pixels.subarray(from * width, (from + 1) * width));
		for (let x = 0; x < width; x++) if (line[x] !== 0) mixed[x] = line[x];
		for (let y = from; y < end; y++) pixels.set(mixed, y * width);
	}
	/**
	 * A thin strip of one colour per span (PC samples).
	 * @param {SpanList} list
	 * @param {number} y0
	 * @param {number} y1
	 * @param {(span: number) => Rgb | null} color null: it is not in the strip
	 */
	strip(list, y0, y1, color) {
		const { t0, step, width } = this;
		const n = list.length;
		let x = 0;
		for (let i = list.first(t0); i < n && x < width;) {
			const from = Math.floor((list.start(i) - t0) / step);
			if (from >= width) break;
			x = Math.max(x, from);
			const to = Math.min(width, Math.max(x + 1, Math.floor((list.end(i) - t0) / step)));
			const own = color(list.at(i));
			if (own) this.fill(x, to, y0, y1, pixel(own));
			x = to;
			i = Math.max(i + 1, list.seek(t0 + x * step, i) - 1);
			while (i < n && list.end(i) <= t0 + x * step) i++;
		}
	}
}

/** Pixels of two rows' lines that can be told apart by eye. @param {RowLines} a @param {RowLines} b */
function different(a, b) {
	let count = 0;
	for (let l = 0; l < a.lines.length; l++) {
		for (let x = 0; x < a.width; x++) {
			const [p, q] = [a.lines[l][x], b.lines[l][x]];
			if ([0, 8, 16, 24].some((bits) => Math.abs(((p >>> bits) & 255) - ((q >>> bits) & 255)) > 3)) count++;
		}
	}
	return count;
}
