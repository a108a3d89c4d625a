// SPDX-License-Identifier: BSD-3-Clause
/**
 * Rows into pixels. Spans are drawn by the program itself into one buffer, which
 * then goes to the canvas in one piece. A row is made as a few lines of pixels,
 * one for each height that a kind's bars reach to, which are then copied down. Text
 * and curves come later, on top.
 *
 * All coordinates here are device pixels.
 */
import { Kind, isIdle, waitLetter, waits } from './kinds.js';
import { EXECUTION_KINDS } from './lod.js';
import { CONTEXT_SHARE, blend, heights, mix, pixel } from './palette.js';

/** @typedef {import('./lod.js').SpanList} SpanList */
/** @typedef {import('./palette.js').Styles} Styles */
/** @typedef {import('./palette.js').Rgb} Rgb */

/** A span that is wide enough for more than colour. @typedef {{span: number, x0: number, x1: number, top: number, base: number}} Wide */

/** The bars take this share of a row's height; what is above is for marks and samples. */
export const BAR_SHARE = 0.86;

/**
 * The element of list that stands for the time [tl, tr), where several meet:
 * the one with the longest busy part in it.
 * @param {SpanList} list
 * @param {number} i first element that ends behind tl
 * @param {number} j first that starts at or behind tr
 * @param {number} tl
 * @param {number} tr
 */
function pick(list, i, j, tl, tr) {
	if (j - i <= 1) return i;
	let best = i;
	let longest = -1;
	/** @param {number} k */
	const clipped = (k) => {
		const share = list.busy(k) > 0 ? Math.min(list.end(k), tr) - Math.max(list.start(k), tl) : 0;
		if (share > longest) {
			longest = share;
			best = k;
		}
	};
	clipped(i);
	clipped(j - 1);
	if (j - i > 2) {
		const inner = list.longest(i + 1, j - 1);
		if (list.busy(inner) > longest) best = inner;
	}
	return best;
}

/**
 * The span that is drawn at the pixel column [tl, tr) of a list, or -1.
 * @param {SpanList} list
 * @param {number} tl
 * @param {number} tr
 */
export function spanAt(list, tl, tr) {
	list.prepare();
	const i = list.first(tl);
	if (i >= list.length || list.start(i) >= tr) return -1;
	return list.at(pick(list, i, Math.max(i + 1, list.seek(tr, i)), tl, tr));
}

/** The kinds by height, the highest first: a line of pixels for each. */
const LEVELS = [Kind.IRQ, Kind.SOFTIRQ, Kind.SYSCALL, Kind.TRAP, Kind.SCHED, Kind.USER, Kind.CEXIT];
/** Line that a kind's bar begins with. */
const LEVEL_OF = (() => {
	const of = new Uint8Array(EXECUTION_KINDS);
	LEVELS.forEach((kind, level) => (of[kind] = level));
	return of;
})();
const CONTEXT_LINE = LEVELS.length;
const FOOT_LINE = CONTEXT_LINE + 1;

export class Painter {
	constructor() {
		/** One row as it is being made: a line for each level, for the context, and for the foot. @type {Uint32Array[]} */
		this.lines = [];
		/** A line without anything but the grid. */
		this.blank = new Uint32Array(0);
		/** Nothing but the grid has been drawn. */
		this.fresh = true;
		/** Time of each kind in one column. */
		this.times = new Float64Array(EXECUTION_KINDS);
		/** Plain colour of each kind. */
		this.kindPixels = new Uint32Array(EXECUTION_KINDS);
		this.greyBody = 0;
		this.greyContext = 0;
		/** Height of the foot, pixels. */
		this.foot = 2;
		/** For tests: the shares that were drawn of each kind, column by column. @type {Map<SpanList, Float32Array> | null} */
		this.record = null;
		/** Of the row being drawn. @type {Float32Array | null} */
		this.shares = null;
		this.width = 0;
		this.height = 0;
		/** @type {ImageData | null} */
		this.image = null;
		this.pixels = new Uint32Array(0);
		this.t0 = 0;
		/** units of 10 ns per pixel */
		this.step = 1;
		this.scale = 1;
		this.background = 0;
		/** @type {Wide[]} */
		this.wide = [];
		/** @type {Styles | null} */
		this.styles = null;
	}

	/** @param {number} width @param {number} height @param {number} scale device pixels per CSS pixel */
	resize(width, height, scale) {
		this.scale = scale;
		if (width === this.width && height === this.height) return;
		this.width = width;
		this.height = height;
		this.image = new ImageData(width, height);
		this.pixels = new Uint32Array(this.image.data.buffer);
		this.lines = Array.from({ length: FOOT_LINE + 1 }, () => new Uint32Array(width));
		this.blank = new Uint32Array(width);
	}

	/** @param {Styles} styles @param {number} t0 @param {number} t1 */
	begin(styles, t0, t1) {
		this.styles = styles;
		this.t0 = t0;
		this.step = (t1 - t0) / this.width;
		this.background = pixel(styles.palette.background);
		const { palette } = styles;
		this.pixels.fill(this.background);
		this.fresh = true;
		for (let k = 0; k < EXECUTION_KINDS; k++) this.kindPixels[k] = pixel(palette.kinds[k]);
		const tone = palette.dark ? 70 : 205;
		this.greyBody = pixel([tone, tone, tone]);
		this.greyContext = pixel([tone - 15, tone - 15, tone - 15]);
		this.foot = Math.max(1, Math.round(this.scale * 1.5));
		this.wide.length = 0;
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
	 * One row of execution. A column that one span fills is a bar of its colour;
	 * one that several meet in is what a picture of endless resolution would come
	 * to when it is scaled down: each kind as strong as its share of the column's
	 * time. So the colours' shares are those of the data, at every zoom. The foot
	 * is in the full colour of the longest span that is not idle, so that nothing
	 * is too short to be seen.
	 * @param {SpanList} list
	 * @param {number} top
	 * @param {number} base
	 * @param {boolean} grey
	 * @param {number} wideFrom pixels from which a span goes to this.wide
	 */
	executions(list, top, base, grey, wideFrom) {
		const { width, t0, step, times } = this;
		list.prepare();
		if (this.fresh) {
			// not from the row's own foot, which is drawn already
			const y = base === 0 && this.height > 1 ? 1 : 0;
			this.blank.set(this.pixels.subarray(y * width, (y + 1) * width));
			this.fresh = false;
		}
		for (const line of this.lines) line.set(this.blank);
		this.shares = this.record ? new Float32Array(width * EXECUTION_KINDS) : null;
		const n = list.length;
		const end = t0 + width * step;
		let x = 0;
		let guess = 1;
		let i = list.first(t0);
		while (x < width && i < n) {
			const tl = t0 + x * step;
			const tr = tl + step;
			while (i < n && list.end(i) <= tl) i++;
			if (i >= n) break;
			const start = list.start(i);
			if (start >= end) break;
			if (start >= tr) {
				x = Math.max(x + 1, Math.floor((start - t0) / step));
				continue;
			}
			const stop = list.end(i);
			if (start <= tl && stop >= tr) {
				const next = Math.max(x + 1, Math.min(width, Math.floor((stop - t0) / step)));
				const span = list.at(i);
				this.bar(span, x, next, grey);
				if (next - x >= wideFrom)
					this.wide.push({ span, x0: (start - t0) / step, x1: (stop - t0) / step, top, base });
				x = next;
				continue;
			}
			const j = Math.max(i + 1, list.seek(tr, i, guess));
			guess = j - i;
			list.times(i, j, times);
			// only what lies in the column counts of the first and the last
			if (start < tl) times[list.kind(i)] -= tl - start;
			const over = list.end(j - 1) - tr;
			if (over > 0) times[list.kind(j - 1)] -= over;
			this.mixed(list, pick(list, i, j, tl, tr), x, grey);
			i = j - 1;
			x++;
		}
		this.put(top, base);
		if (this.record && this.shares) this.record.set(list, this.shares);
	}

	/** The lines of a row, each as high as its kind needs. @param {number} top @param {number} base */
	put(top, base) {
		const { lines } = this;
		const room = (base - top) * BAR_SHARE;
		const foot = this.foot;
		let y = base - Math.max(foot + 1, Math.round(room));
		for (let level = 0; level < lines.length; level++) {
			const share = level + 1 < LEVELS.length ? heights[LEVELS[level + 1]] : level < LEVELS.length ? CONTEXT_SHARE : 0;
			const until = level === FOOT_LINE ? base : Math.min(base - foot, base - Math.max(foot, Math.round(room * share)));
			if (until > y) this.copyDown(lines[level], y, until);
			y = Math.max(y, until);
		}
	}

	/** A line of pixels into the rows [y0, y1). @param {Uint32Array} line @param {number} y0 @param {number} y1 */
	copyDown(line, y0, y1) {
		const end = Math.min(this.height, y1);
		for (let y = Math.max(0, y0); y < end; y++) this.pixels.set(line, y * this.width);
	}

	/**
	 * Columns that one span fills.
	 * @param {number} span
	 * @param {number} x0
	 * @param {number} x1
	 * @param {boolean} grey
	 */
	bar(span, x0, x1, grey) {
		const styles = /** @type {Styles} */ (this.styles);
		const { trace, palette } = styles;
		const { lines } = this;
		const name = trace.name[span];
		const kind = trace.kinds[name];
		if (this.shares) for (let x = x0; x < x1; x++) this.shares[x * EXECUTION_KINDS + kind] = 1;
		if (isIdle(kind)) {
			this.idle(kind, x0, x1, grey);
			return;
		}
		if (kind === Kind.CEXIT && x1 - x0 >= 6 * this.scale) {
			// the sine is drawn over it
			lines[FOOT_LINE].fill(pixel(palette.idle), x0, x1);
			return;
		}
		const body = grey ? this.greyBody : styles.body[name];
		const context = grey ? this.greyContext : styles.context(trace.pid[span]);
		for (let level = LEVEL_OF[kind]; level < CONTEXT_LINE; level++) lines[level].fill(body, x0, x1);
		lines[CONTEXT_LINE].fill(context, x0, x1);
		lines[FOOT_LINE].fill(context, x0, x1);
	}

	/** @param {number} kind IDLE or IDLELP @param {number} x0 @param {number} x1 @param {boolean} grey */
	idle(kind, x0, x1, grey) {
		const { palette } = /** @type {Styles} */ (this.styles);
		const own = kind === Kind.IDLE ? palette.idle : palette.idleLow;
		const color = pixel(grey ? mix(own, palette.background, 0.5) : own);
		const line = this.lines[FOOT_LINE];
		if (kind === Kind.IDLE) {
			line.fill(color, x0, x1);
			return;
		}
		// dashed: a state of its own
		const dash = Math.round(4 * this.scale);
		for (let x = x0; x < x1; x++) if (x % (2 * dash) < dash) line[x] = color;
	}

	/**
	 * A column that several spans meet in; this.times has the time of each kind.
	 * @param {SpanList} list
	 * @param {number} best the element that stands for it
	 * @param {number} x
	 * @param {boolean} grey
	 */
	mixed(list, best, x, grey) {
		const styles = /** @type {Styles} */ (this.styles);
		const { lines, times, step, shares } = this;
		const span = list.at(best);
		const kind = list.kinds[span];
		const name = styles.trace.name[span];
		if (shares) for (let k = 0; k < EXECUTION_KINDS; k++) shares[x * EXECUTION_KINDS + k] = Math.max(0, times[k] / step);
		if (isIdle(kind)) {
			this.idle(times[Kind.IDLELP] > times[Kind.IDLE] ? Kind.IDLELP : Kind.IDLE, x, x + 1, grey);
			return;
		}
		const context = grey ? this.greyContext : styles.context(styles.trace.pid[span]);
		lines[FOOT_LINE][x] = kind === Kind.USER || kind === Kind.CEXIT || grey ? context : styles.body[name];
		const back = this.background;
		const backR = back & 255;
		const backG = (back >>> 8) & 255;
		const backB = (back >>> 16) & 255;
		let r = backR;
		let g = backG;
		let b = backB;
		let all = 0;
		for (let level = 0; level < LEVELS.length; level++) {
			const k = LEVELS[level];
			const share = times[k] / step;
			if (share > 0) {
				const color = grey ? this.greyBody : k === kind ? styles.body[name] : k === Kind.USER ? this.userBody(list, best, span) : this.kindPixels[k];
				r += share * ((color & 255) - backR);
				g += share * (((color >>> 8) & 255) - backG);
				b += share * (((color >>> 16) & 255) - backB);
				all += share;
			}
			if (all > 0.002) lines[level][x] = ((255 << 24) | ((b + 0.5) << 16) | ((g + 0.5) << 8) | (r + 0.5)) >>> 0;
		}
		if (all > 0.002) lines[CONTEXT_LINE][x] = blend(back, context, Math.min(1, all));
	}

	/**
	 * The colour of the user code in a column whose longest span is none: that of
	 * the span before it, which is mostly what the kernel works for.
	 * @param {SpanList} list
	 * @param {number} best
	 * @param {number} span
	 */
	userBody(list, best, span) {
		const styles = /** @type {Styles} */ (this.styles);
		for (const near of [best - 1, best + 1]) {
			if (near < 0 || near >= list.length) continue;
			const g = list.at(near);
			if (list.kinds[g] === Kind.USER) return styles.body[styles.trace.name[g]];
		}
		return styles.context(styles.trace.pid[span]);
	}

	/**
	 * The waits of one process: thin lines, dashed in Morse by their reason, where
	 * its execution, which must have been drawn just before, is not.
	 * @param {SpanList} list
	 * @param {number} top
	 * @param {number} base
	 * @param {boolean} grey
	 */
	waits(list, top, base, grey) {
		const { t0, step, width, scale, blank } = this;
		const ran = this.lines[FOOT_LINE];
		const { trace, palette } = /** @type {Styles} */ (this.styles);
		const unit = Math.max(1, Math.round(2 * scale));
		const line = Math.max(1, Math.round(1.5 * scale));
		const y = Math.round(base - (base - top) * BAR_SHARE * 0.25);
		const n = list.length;
		let x = 0;
		for (let i = list.first(t0); i < n && x < width;) {
			const from = (list.start(i) - t0) / step;
			const to = (list.end(i) - t0) / step;
			if (from >= width) break;
			const x0 = Math.max(x, Math.floor(from));
			const x1 = Math.min(width, Math.max(x0 + 1, Math.floor(to)));
			const span = list.at(i);
			const letter = waitLetter(trace.event(span));
			const color = pixel(grey ? mix(palette.dim, palette.background, 0.6) : palette.waits[letter] ?? palette.dim);
			const pattern = morsePattern(waits[letter]?.morse ?? '.');
			const origin = Math.floor(from);
			for (let at = x0; at < x1; at++)
				if (pattern[Math.floor((at - origin) / unit) % pattern.length] && ran[at] === blank[at]) this.fill(at, at + 1, y - line, y, color);
			if (to - from >= 24 * scale) this.wide.push({ span, x0: from, x1: to, top, base });
			x = x1;
			// spans that end within this pixel are under it
			i = Math.max(i + 1, list.seek(t0 + x * step, i) - 1);
			while (i < n && list.end(i) <= t0 + x * step) i++;
		}
	}

	/**
	 * A thin strip of one colour per span (PC samples).
	 * @param {SpanList} list
	 * @param {number} y0
	 * @param {number} y1
	 * @param {(span: number) => Rgb} color
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
			this.fill(x, to, y0, y1, pixel(color(list.at(i))));
			x = to;
			i = Math.max(i + 1, list.seek(t0 + x * step, i) - 1);
			while (i < n && list.end(i) <= t0 + x * step) i++;
		}
	}
}

/** @type {Map<string, boolean[]>} */
const patterns = new Map();

/** Units of line (true) and gap: dot 1, dash 4, between them 2, behind the letter 5. @param {string} morse */
export function morsePattern(morse) {
	let pattern = patterns.get(morse);
	if (pattern) return pattern;
	pattern = [];
	for (const sign of morse) {
		for (let i = 0; i < (sign === '-' ? 4 : 1); i++) pattern.push(true);
		pattern.push(false, false);
	}
	pattern.push(false, false, false);
	patterns.set(morse, pattern);
	return pattern;
}

/**
 * For tests: draws the picture again and tells of one row how much of each pixel
 * column was drawn in each execution kind's colour, 0..1.
 * @param {import('./view.js').View} view
 * @param {string} group
 * @param {number} id
 */
export function painted(view, group, id) {
	const row = view.rows.find(group, id);
	if (!row) return null;
	const { painter } = view;
	painter.record = new Map();
	view.draw();
	view.frame();
	const shares = painter.record.get(row.spans) ?? new Float32Array(0);
	painter.record = null;
	/** @param {number} color */
	const rgb = (color) => [color & 255, (color >>> 8) & 255, (color >>> 16) & 255];
	return {
		kinds: EXECUTION_KINDS, shares: Array.from(shares), colours: Array.from(painter.kindPixels, rgb),
		background: rgb(painter.background), barShare: BAR_SHARE, heights: Array.from(heights.subarray(0, EXECUTION_KINDS)),
	};
}
