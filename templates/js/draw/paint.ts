// SPDX-License-Identifier: BSD-3-Clause
/**
 * Paints rows into one buffer of pixels, which is copied to the canvas as a whole. The lines of a row (lines.ts) are repeated
 * downwards. Must not draw text or curves: other files draw these later over the rows. All coordinates are device pixels.
 */
import { EXECUTION_KINDS } from '../base/kinds.ts';
import { pixel, type Rgb } from '../base/palette.ts';
import { CONTEXT_LINE, FOOT_LINE, LEVELS, LineStyle, RowLines, WAIT_LINE } from './lines.ts';
import { BAR_SHARE, CONTEXT_SHARE, heights } from './sizes.ts';
import type { SpanList } from '../data/spans.ts';
import type { RowOf } from '../scene/rows.ts';
import type { Styles } from '../scene/styles.ts';

/** A span that is wide enough for text or a sine. */
export type Wide = {span: number, x0: number, x1: number, top: number, base: number};

/** Width of a column in pixels, for a row that must be drawn quickly. */
const GRAIN = 4;
/** Maximum size of the stored lines of rows in bytes, and minimum number of rows. */
const LINES_BYTES = 48e6;
const LINES_LEAST = 64;

export class Painter {
	/** Lines of rows; the least recently used row is first. */
	rowLines = new Map<RowOf, RowLines>();
	/** A line with only the grid. */
	blank = new Uint32Array(0);
	/** Buffer of copyDown() for a line of the picture. */
	mixed = new Uint32Array(0);
	/** Height of the foot line, pixels. */
	foot = 2;
	/** Comparison of each row with the row drawn again without stored lines, for tests. null: no comparison. */
	record: Map<SpanList, {shares: Float32Array, stale: number}> | null = null;
	width = 0;
	height = 0;
	image: ImageData | null = null;
	pixels = new Uint32Array(0);
	t0 = 0;
	/** Units of 10 ns per pixel. */
	step = 1;
	scale = 1;
	wide: Wide[] = [];
	style: LineStyle | null = null;
	/** Same as style, for rows that must be drawn quickly. */
	rough: LineStyle | null = null;

	resize(width: number, height: number, scale: number) {
		this.scale = scale;
		if (width === this.width && height === this.height) return;
		if (width !== this.width) this.rowLines.clear();
		this.width = width;
		this.height = height;
		this.image = new ImageData(width, height);
		this.pixels = new Uint32Array(this.image.data.buffer);
		this.blank = new Uint32Array(width);
		this.mixed = new Uint32Array(width);
	}

	/** Begins an empty picture with the lines of the grid. @param grid positions of the lines, pixels */
	begin(styles: Styles, t0: number, t1: number, grid: number[]) {
		this.t0 = t0;
		this.step = (t1 - t0) / this.width;
		const old = this.style;
		if (!old || old.styles !== styles || old.scale !== this.scale || old.step !== this.step) {
			this.style = new LineStyle(styles, this.scale, this.step);
			this.rough = new LineStyle(styles, this.scale, this.step, GRAIN);
		}
		this.foot = Math.max(1, Math.round(this.scale * 1.5));
		this.wide.length = 0;
		this.blank.fill(this.style!.background);
		for (const x of grid) this.blank.fill(pixel(styles.palette.grid), Math.max(0, x), Math.max(0, x + Math.max(1, Math.round(this.scale / 2))));
		this.blankRows();
	}

	/** Copies the grid to all rows of pixels. */
	blankRows() {
		const { width, pixels, blank } = this;
		for (let y = 0; y < this.height; y++) pixels.set(blank, y * width);
	}

	fill(x0: number, x1: number, y0: number, y1: number, color: number) {
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

	/** Returns whether the row can be painted quickly: its stored lines have full detail and lack less than an eighth of the width. */
	ready(row: RowOf, t0: number, grey: boolean) {
		const lines = this.rowLines.get(row);
		return lines !== undefined && !lines.rough && Math.abs(lines.missing(this.style!, t0, grey)) < this.width / 8;
	}

	/** Paints the execution and the waits of a row. @param hurry draw a row without stored lines in columns of several pixels */
	row(row: RowOf, t0: number, top: number, base: number, grey: boolean, hurry: boolean) {
		const style = this.style!;
		let lines = this.rowLines.get(row);
		if (lines) this.rowLines.delete(row);
		else lines = this.#another();
		this.rowLines.set(row, lines);
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

	/** Returns lines for a new row. If there are enough rows, reuses the lines of the least recently used row. */
	#another() {
		const bytes = this.width * (WAIT_LINE + 1) * 4;
		if (this.rowLines.size < Math.max(LINES_LEAST, LINES_BYTES / bytes)) return new RowLines(this.width);
		const [[row, lines]] = this.rowLines;
		this.rowLines.delete(row);
		lines.style = null;
		return lines;
	}

	/** Paints the lines of a row, each as high as its kind needs. */
	put({ lines }: RowLines, top: number, base: number) {
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

	/** Copies the pixels of a line, except empty ones, to the rows of pixels [y0, y1). */
	copyDown(line: Uint32Array, y0: number, y1: number) {
		const { width, pixels, mixed } = this;
		const from = Math.max(0, y0);
		const end = Math.min(this.height, y1);
		if (from >= end) return;
		if (end - from <= 2) {
			for (let y = from; y < end; y++) for (let x = 0; x < width; x++) if (line[x] !== 0) pixels[y * width + x] = line[x];
			return;
		}
		// all these rows of pixels are still equal
		mixed.set(pixels.subarray(from * width, (from + 1) * width));
		for (let x = 0; x < width; x++) if (line[x] !== 0) mixed[x] = line[x];
		for (let y = from; y < end; y++) pixels.set(mixed, y * width);
	}
	/** Paints a thin strip with one colour per span (PC samples). @param color null: the span is not in the strip */
	strip(list: SpanList, y0: number, y1: number, color: (span: number) => Rgb | null) {
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

/** Counts the pixels of two rows' lines that differ visibly. */
function different(a: RowLines, b: RowLines) {
	let count = 0;
	for (let l = 0; l < a.lines.length; l++) {
		for (let x = 0; x < a.width; x++) {
			const [p, q] = [a.lines[l][x], b.lines[l][x]];
			if ([0, 8, 16, 24].some((bits) => Math.abs(((p >>> bits) & 255) - ((q >>> bits) & 255)) > 3)) count++;
		}
	}
	return count;
}
