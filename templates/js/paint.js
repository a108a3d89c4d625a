// SPDX-License-Identifier: BSD-3-Clause
/**
 * Rows into pixels. Spans are drawn by the program itself into one buffer, which
 * then goes to the canvas in one piece: a full rectangle for every pixel column
 * that one span covers, and for the rest the longest busy span in the column, as
 * strong as the column was busy. Text and curves come later, on top.
 *
 * All coordinates here are device pixels.
 */
import { Kind, isIdle, waitLetter, waits } from './kinds.js';
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
 * Busy part of [tl, tr), 0..1.
 * @param {SpanList} list
 * @param {number} i
 * @param {number} j
 * @param {number} tl
 * @param {number} tr
 */
function busyShare(list, i, j, tl, tr) {
	let busy = list.busyTime(i, j);
	if (list.busy(i) > 0) busy -= Math.max(0, tl - list.start(i));
	if (list.busy(j - 1) > 0) busy -= Math.max(0, list.end(j - 1) - tr);
	return Math.min(1, Math.max(0, busy / (tr - tl)));
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

export class Painter {
	constructor() {
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
	}

	/** @param {Styles} styles @param {number} t0 @param {number} t1 */
	begin(styles, t0, t1) {
		this.styles = styles;
		this.t0 = t0;
		this.step = (t1 - t0) / this.width;
		this.background = pixel(styles.palette.background);
		this.pixels.fill(this.background);
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
	 * One row of execution.
	 * @param {SpanList} list
	 * @param {number} top
	 * @param {number} base
	 * @param {boolean} grey
	 * @param {number} wideFrom pixels from which a span goes to this.wide
	 */
	executions(list, top, base, grey, wideFrom) {
		const { width, t0, step } = this;
		list.prepare();
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
				this.bar(span, x, next, top, base, grey, 1);
				if (next - x >= wideFrom)
					this.wide.push({ span, x0: (start - t0) / step, x1: (stop - t0) / step, top, base });
				x = next;
				continue;
			}
			const j = Math.max(i + 1, list.seek(tr, i, guess));
			guess = j - i;
			const best = pick(list, i, j, tl, tr);
			const share = busyShare(list, i, j, tl, tr);
			this.bar(list.at(best), x, x + 1, top, base, grey, share);
			i = j - 1;
			x++;
		}
	}

	/**
	 * @param {number} span
	 * @param {number} x0
	 * @param {number} x1
	 * @param {number} top
	 * @param {number} base
	 * @param {boolean} grey
	 * @param {number} share how busy the columns are, 0..1
	 */
	bar(span, x0, x1, top, base, grey, share) {
		const styles = /** @type {Styles} */ (this.styles);
		const { trace, palette } = styles;
		const name = trace.name[span];
		const kind = trace.kinds[name];
		const room = base - top;
		const line = Math.max(1, Math.round(this.scale * 1.5));
		if (isIdle(kind)) {
			const color = grey ? pixel(mix(palette.idle, palette.background, 0.5)) : styles.body[name];
			if (kind === Kind.IDLE) {
				this.fill(x0, x1, base - line, base, color);
			} else {
				// dashed, and a little thicker: a state of its own
				const dash = Math.round(4 * this.scale);
				for (let x = x0; x < x1; x++)
					if (x % (2 * dash) < dash) this.fill(x, x + 1, base - line - 1, base, color);
			}
			return;
		}
		const high = Math.max(line + 1, Math.round(room * BAR_SHARE * heights[kind]));
		const low = Math.max(line, Math.round(room * BAR_SHARE * CONTEXT_SHARE));
		let body = styles.body[name];
		let context = styles.context(trace.pid[span]);
		if (grey) {
			const g = palette.dark ? 70 : 205;
			body = pixel([g, g, g]);
			context = pixel([g - 15, g - 15, g - 15]);
		} else if (share < 1) {
			// never so pale that one short span in a long idle pixel cannot be seen
			const strength = 0.35 + 0.65 * share;
			body = blend(this.background, body, strength);
			context = blend(this.background, context, strength);
		}
		if (kind === Kind.CEXIT) {
			// the sine is drawn over it when there is room
			this.fill(x0, x1, base - line, base, pixel(palette.idle));
			if (x1 - x0 < 6 * this.scale) this.fill(x0, x1, base - Math.round(room * 0.3), base - line, body);
			return;
		}
		this.fill(x0, x1, base - high, base - low, body);
		this.fill(x0, x1, base - low, base, context);
	}

	/**
	 * The waits of one process: thin lines, dashed in Morse by their reason.
	 * @param {SpanList} list
	 * @param {number} top
	 * @param {number} base
	 * @param {boolean} grey
	 */
	waits(list, top, base, grey) {
		const { t0, step, width, scale } = this;
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
				if (pattern[Math.floor((at - origin) / unit) % pattern.length]) this.fill(at, at + 1, y - line, y, color);
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
