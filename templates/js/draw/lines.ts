// SPDX-License-Identifier: BSD-3-Clause
/**
 * Draws one row as a few lines of pixels, one for each height of bars. The lines are stored, and shifted when the picture
 * moves. Must not allocate in inner loops. Coordinates are device pixels, times are in units of 10 ns; an empty pixel is 0.
 */
import { EXECUTION_KINDS, Kind, isStill, waitLetter, waits, isOwn } from '../base/kinds.ts';
import { blend, mix, pixel } from '../base/palette.ts';
import { pick, type Columns, type SpanList } from '../data/spans.ts';
import type { Trace } from '../data/trace.ts';
import type { Styles } from '../scene/styles.ts';

/** Kinds in order of the height of their bars, highest first. Each kind has a line of pixels. */
export const LEVELS: number[] = [Kind.IRQ, Kind.SOFTIRQ, Kind.SYSCALL, Kind.TRAP, Kind.SCHED, Kind.USER, Kind.KTHREAD, Kind.CEXIT];
/** For each kind, the uppermost line of its bar. */
const LEVEL_OF = Uint8Array.from({ length: EXECUTION_KINDS }, (_, kind) => Math.max(0, LEVELS.indexOf(kind)));
export const CONTEXT_LINE = LEVELS.length;
export const FOOT_LINE = CONTEXT_LINE + 1;
/** Line for waits, which is empty where the process runs. */
export const WAIT_LINE = FOOT_LINE + 1;
const LINES = WAIT_LINE + 1;
/** Minimum widths, CSS pixels: of a span for text, of a wait for its reason, of leaving deep idle for its sine. */
const WIDE = 18;
const WIDE_WAIT = 24;
const WIDE_SINE = 6;
/** If one kind fills this share of a column, one span may fill the column. */
const ALONE = 0.999;
/**
 * Look of a column with several spans: kind, dictionary entry, pid and time of its main span; user: dictionary entry of the
 * user code beside that span, or -1.
 */
const look = { kind: 0, name: 0, pid: 0, user: -1, start: 0, dur: 0 };
/** Cache of looks: the number of the span + 1, then the values of look. */
const LOOKS = 1 << 16;
const LOOK = 7;
const looks = new Float64Array(LOOKS * LOOK);
let looksOf: Trace | null = null;
/** Maximum error, pixels, with which stored lines still match the pixels of the picture. */
const OFF_GRID = 1e-3;

/** Colours and other values for the lines of all rows, which do not change within a frame. */
export class LineStyle {
	declare styles: Styles;
	declare grain: number;
	declare scale: number;
	declare step: number;
	declare background: number;
	/** Plain colour of each kind. */
	declare kinds: Uint32Array;
	declare greyBody: number;
	declare greyContext: number;

	/** @param scale device pixels per CSS pixel @param step units of 10 ns per pixel @param grain pixels in a column */
	constructor(styles: Styles, scale: number, step: number, grain = 1) {
		const { palette } = styles;
		this.styles = styles;
		this.grain = grain;
		this.scale = scale / grain;
		this.step = step * grain;
		this.background = pixel(palette.background);
		this.kinds = Uint32Array.from({ length: EXECUTION_KINDS }, (_, k) => pixel(palette.kinds[k]));
		const [tone] = palette.grey;
		this.greyBody = pixel([tone, tone, tone]);
		this.greyContext = pixel([tone - 15, tone - 15, tone - 15]);
	}
}

export class RowLines {
	declare width: number;
	declare lines: Uint32Array[];
	/** Time of the first pixel. */
	t0 = NaN;
	grey = false;
	/** Number of the first pixel, so that dashes keep their positions. */
	column = 0;
	/** Spans that are wide enough for text or a sine. */
	wide = new Set<number>();
	style: LineStyle | null = null;
	/** Time of each kind in one column. */
	times = new Float64Array(EXECUTION_KINDS);
	/** True if the lines were drawn in columns of several pixels. */
	rough = false;
	/** Share of each kind in each column, for tests. */
	shares: Float32Array | null = null;

	constructor(width: number) {
		this.width = width;
		this.lines = Array.from({ length: LINES }, () => new Uint32Array(width));
	}

	/** Updates the lines. Draws only the missing pixels. @param rough style for columns of several pixels, if time is short */
	update(spans: SpanList, waiting: SpanList | null, style: LineStyle, t0: number, grey: boolean, rough: LineStyle | null = null) {
		const { step } = style;
		const old = this.style;
		let by = this.missing(style, t0, grey);
		this.style = style;
		if (this.rough && (by !== 0 || !rough)) by = Infinity;
		if (by === 0) return;
		this.rough = rough !== null && by === Infinity;
		const { width } = this;
		if (rough && this.rough) {
			this.#roughly(spans, waiting, rough, t0, grey);
			this.style = style;
			return;
		}
		let from = 0;
		let to = width;
		if (Math.abs(by) < width) {
			for (const line of this.lines) line.copyWithin(Math.max(0, -by), Math.max(0, by), width + Math.min(0, by));
			if (by > 0) from = width - by;
			else to = -by;
			this.t0 += by * old!.step;
			this.column += by;
		} else {
			this.t0 = t0;
			this.column = Math.round(t0 / step);
			this.wide.clear();
		}
		this.grey = grey;
		for (const line of this.lines) line.fill(0, from, to);
		this.#executions(spans, from, to);
		if (waiting) this.#waits(waiting, from, to);
	}

	/** Draws the whole row in columns of several pixels, with exact shares. @param style style with the step of these columns */
	#roughly(spans: SpanList, waiting: SpanList | null, style: LineStyle, t0: number, grey: boolean) {
		const { width } = this;
		const grain = style.grain;
		const columns = Math.ceil(width / grain);
		this.style = style;
		this.width = columns;
		this.t0 = t0;
		this.column = Math.round(t0 / style.step);
		this.grey = grey;
		this.wide.clear();
		for (const line of this.lines) line.fill(0);
		this.#executions(spans, 0, columns);
		if (waiting) this.#waits(waiting, 0, columns);
		this.width = width;
		for (const line of this.lines) for (let x = width - 1; x > 0; x--) line[x] = line[Math.floor(x / grain)];
	}

	/** Returns how many pixels are missing at the right end (positive) or left end (negative); Infinity: all. */
	missing(style: LineStyle, t0: number, grey: boolean) {
		const { step } = style;
		const old = this.style;
		if (!old || old.styles !== style.styles || old.scale !== style.scale || this.grey !== grey ||
			Math.abs(old.step - step) * this.width > OFF_GRID * step) return Infinity;
		const by = Math.round((t0 - this.t0) / step);
		return Math.abs(t0 - this.t0 - by * step) > OFF_GRID * step || Math.abs(by) >= this.width ? Infinity : by;
	}

	/**
	 * Draws columns [x0, x1) of execution. A column that one span fills has the colour of that span. In a column with
	 * several spans, each kind is as strong as its share of the column's time, as if a very large picture were scaled down.
	 * So the shares of colours are the shares of the data at every zoom. The foot line has the full colour of the longest
	 * span that is not idle, so that no span is too short to be seen.
	 */
	#executions(list: SpanList, x0: number, x1: number) {
		const { t0, times } = this;
		const { step, scale, grain } = this.style!;
		list.prepare();
		const n = list.length;
		const end = t0 + x1 * step;
		const columns = list.columns(step, grain > 1 ? 1 : undefined);
		let x = columns.depth < 0 ? x0 : this.#many(list, columns, x0, x1);
		let i = x < x1 ? list.first(t0 + x * step) : n;
		while (x < x1 && i < n) {
			const tl = t0 + x * step;
			const tr = tl + step;
			let start = list.start(i);
			let stop = list.end(i);
			while (stop <= tl && ++i < n) {
				start = list.start(i);
				stop = list.end(i);
			}
			if (i >= n || start >= end) break;
			if (start >= tr) {
				x = Math.max(x + 1, Math.floor((start - t0) / step));
				continue;
			}
			if (start <= tl && stop >= tr) {
				const next = Math.max(x + 1, Math.min(x1, Math.floor((stop - t0) / step)));
				const span = list.at(i);
				const seen = Math.min(this.width, (stop - t0) / step) - Math.max(0, (start - t0) / step);
				this.#bar(span, x, next, (stop - start) / step);
				if (seen >= WIDE_SINE * scale) this.wide.add(span);
				x = next;
				continue;
			}
			const j = Math.max(i + 1, list.seekNear(tr, i));
			columns.times(i, j, tl, tr, times);
			this.#look(list, pick(list, i, j, tl, tr));
			this.#mixed(x);
			i = j - 1;
			x++;
		}
	}

	/** Does the same as #executions() for columns with many spans. */
	#many(list: SpanList, columns: Columns, x0: number, x1: number): number {
		const { t0, times } = this;
		const { step, scale, styles, grain } = this.style!;
		const { start: starts, dur: durs } = styles.trace;
		if (looksOf !== styles.trace) {
			looksOf = styles.trace;
			looks.fill(0);
		}
		for (let x = x0; x < x1;) {
			const tl = t0 + x * step;
			const span = columns.coarse(tl, tl + step, times);
			let most = 0;
			for (let k = 0; k < EXECUTION_KINDS; k++) most = Math.max(most, times[k]);
			if (most <= 0) {
				x++;
				continue;
			}
			if (most > ALONE * step) {
				const i = list.first(tl);
				if (i < list.length && list.start(i) <= tl && list.end(i) >= tl + step) {
					const alone = list.at(i);
					const start = (starts[alone] - t0) / step;
					const stop = start + durs[alone] / step;
					const next = Math.max(x + 1, Math.min(x1, Math.floor(stop)));
					this.#bar(alone, x, next, stop - start);
					if (Math.min(this.width, stop) - Math.max(0, start) >= WIDE_SINE * scale) this.wide.add(alone);
					x = next;
					continue;
				}
			}
			if (span < 0) {
				look.kind = Kind.IDLE;
			} else {
				this.#lookUp(span);
				// the bins at the ends may contain a span outside of the column: check the span, except in rough columns
				const tr = tl + step;
				if (grain > 1) {
					this.#mixed(x++);
					continue;
				}
				if (look.start < tl - 0.1 * look.dur || look.start + look.dur > tr + 0.1 * look.dur) {
					const i = list.first(tl);
					if (i < list.length) this.#look(list, pick(list, i, Math.max(i + 1, list.seekNear(tr, i)), tl, tr));
				}
			}
			this.#mixed(x);
			x++;
		}
		return x1;
	}

	/** Sets `look` for a column. The list's element with the index best stands for the column. */
	#look(list: SpanList, best: number) {
		const { trace } = this.style!.styles;
		const span = list.at(best);
		look.kind = list.kinds[span];
		look.name = trace.name[span];
		look.pid = trace.pid[span];
		look.user = -1;
		if (best > 0) {
			const g = list.at(best - 1);
			if (isOwn(list.kinds[g])) look.user = trace.name[g];
		}
		if (look.user < 0 && best + 1 < list.length) {
			const g = list.at(best + 1);
			if (isOwn(list.kinds[g])) look.user = trace.name[g];
		}
	}

	/** Does the same as #look() for a span and its neighbours on the CPU. Caches results: long spans are looked up often. */
	#lookUp(span: number) {
		const { trace } = this.style!.styles;
		const at = (span & (LOOKS - 1)) * LOOK;
		if (looks[at] !== span + 1) {
			const { spanKinds, name, pid } = trace;
			looks[at + 5] = trace.start[span];
			looks[at + 6] = trace.dur[span];
			looks[at] = span + 1;
			looks[at + 1] = spanKinds[span];
			looks[at + 2] = name[span];
			looks[at + 3] = pid[span];
			looks[at + 4] = isOwn(spanKinds[span - 1]) ? name[span - 1] : isOwn(spanKinds[span + 1]) ? name[span + 1] : -1;
		}
		look.kind = looks[at + 1];
		look.name = looks[at + 2];
		look.pid = looks[at + 3];
		look.user = looks[at + 4];
		look.start = looks[at + 5];
		look.dur = looks[at + 6];
	}

	/** Draws columns that one span fills. @param length length of the span, pixels */
	#bar(span: number, x0: number, x1: number, length: number) {
		const { styles, scale, greyBody, greyContext } = this.style!;
		const { trace, palette } = styles;
		const { lines, grey } = this;
		const name = trace.name[span];
		const kind = trace.kinds[name];
		if (this.shares) for (let x = x0; x < x1; x++) this.shares[x * EXECUTION_KINDS + kind] = 1;
		if (isStill(kind)) {
			this.#idle(kind, x0, x1);
			return;
		}
		if (kind === Kind.CEXIT && length >= WIDE_SINE * scale) {
			// drawInside() draws the sine over this bar
			lines[FOOT_LINE].fill(pixel(palette.idle), x0, x1);
			return;
		}
		const body = grey ? greyBody : styles.body[name];
		const context = grey ? greyContext : styles.context(trace.pid[span]);
		for (let level = LEVEL_OF[kind]; level < CONTEXT_LINE; level++) lines[level].fill(body, x0, x1);
		lines[CONTEXT_LINE].fill(context, x0, x1);
		lines[FOOT_LINE].fill(context, x0, x1);
	}

	/** Draws columns of idle. @param kind IDLE or IDLELP */
	#idle(kind: number, x0: number, x1: number) {
		const { styles, scale } = this.style!;
		const { palette } = styles;
		const own = kind === Kind.IDLE ? palette.idle : palette.idleLow;
		const color = pixel(this.grey ? mix(own, palette.background, 0.5) : own);
		const line = this.lines[FOOT_LINE];
		if (kind === Kind.IDLE) {
			line.fill(color, x0, x1);
			return;
		}
		// dashed, to distinguish low-power idle
		const dash = Math.max(1, Math.round(4 * scale));
		const from = ((this.column % (2 * dash)) + 2 * dash) % (2 * dash);
		for (let x = x0; x < x1; x++) if ((x + from) % (2 * dash) < dash) line[x] = color;
	}

	/** Draws a column with several spans. this.times has the time of each kind; look is set. */
	#mixed(x: number) {
		const { styles, step, background, kinds, greyBody, greyContext } = this.style!;
		const { lines, times, shares, grey } = this;
		const { kind, name, pid, user } = look;
		if (shares) for (let k = 0; k < EXECUTION_KINDS; k++) shares[x * EXECUTION_KINDS + k] = Math.max(0, times[k] / step);
		if (isStill(kind)) {
			this.#idle(times[Kind.IDLELP] > times[Kind.IDLE] ? Kind.IDLELP : Kind.IDLE, x, x + 1);
			return;
		}
		const context = grey ? greyContext : styles.context(pid);
		lines[FOOT_LINE][x] = isOwn(kind) || kind === Kind.CEXIT || grey ? context : styles.body[name];
		const backR = background & 255;
		const backG = (background >>> 8) & 255;
		const backB = (background >>> 16) & 255;
		let r = backR + 0.5;
		let g = backG + 0.5;
		let b = backB + 0.5;
		let all = 0;
		for (let level = 0; level < CONTEXT_LINE; level++) {
			const k = LEVELS[level];
			const share = times[k] / step;
			if (share > 0) {
				// user code has the colour of the adjacent user span, because the kernel mostly works for that span
				const color = grey ? greyBody : k === kind ? styles.body[name] : isOwn(k) ? (user < 0 ? context : styles.body[user]) : kinds[k];
				r += share * ((color & 255) - backR);
				g += share * (((color >>> 8) & 255) - backG);
				b += share * (((color >>> 16) & 255) - backB);
				all += share;
			}
			if (all > 0.002) lines[level][x] = ((255 << 24) | (b << 16) | (g << 8) | r) >>> 0;
		}
		if (all > 0.002) lines[CONTEXT_LINE][x] = blend(background, context, Math.min(1, all));
	}

	/** Draws waits in columns [xa, xb) where the process does not run. Dashes are the Morse code of the wait reason. */
	#waits(list: SpanList, xa: number, xb: number) {
		const { t0, lines } = this;
		const { styles, step, scale } = this.style!;
		const { trace, palette } = styles;
		const ran = lines[FOOT_LINE];
		const line = lines[WAIT_LINE];
		const unit = Math.max(1, Math.round(2 * scale));
		const n = list.length;
		let x = xa;
		for (let i = list.first(t0 + xa * step); i < n && x < xb;) {
			const from = (list.start(i) - t0) / step;
			const to = (list.end(i) - t0) / step;
			if (from >= xb) break;
			const x0 = Math.max(x, Math.floor(from));
			const x1 = Math.min(xb, Math.max(x0 + 1, Math.floor(to)));
			const span = list.at(i);
			const letter = waitLetter(trace.event(span));
			const color = pixel(this.grey ? mix(palette.dim, palette.background, 0.6) : palette.waits[letter] ?? palette.dim);
			const pattern = morsePattern(waits[letter]?.morse ?? '.');
			const origin = Math.floor(from);
			for (let at = x0; at < x1; at++)
				if (ran[at] === 0 && pattern[Math.floor((at - origin) / unit) % pattern.length]) line[at] = color;
			if (to - from >= WIDE_WAIT * scale) this.wide.add(span);
			x = x1;
			// skip spans that end within this pixel
			i = Math.max(i + 1, list.seek(t0 + x * step, i) - 1);
			while (i < n && list.end(i) <= t0 + x * step) i++;
		}
	}

	/** Calls visit for each span that is wide enough for text or a sine. @param visit x0, x1: pixels, also beyond the row's ends */
	eachWide(visit: (span: number, x0: number, x1: number) => void) {
		const { t0, width, wide } = this;
		const { styles, step, scale } = this.style!;
		const { trace } = styles;
		for (const span of wide) {
			const x0 = (trace.start[span] - t0) / step;
			const x1 = x0 + trace.dur[span] / step;
			const seen = Math.min(width, x1) - Math.max(0, x0);
			const kind = trace.spanKinds[span];
			if (seen <= 0) wide.delete(span);
			else if (kind === Kind.WAIT || seen >= (kind === Kind.CEXIT ? WIDE_SINE : WIDE) * scale) visit(span, x0, x1);
		}
	}
}

const patterns: Map<string, boolean[]> = new Map();

/** Returns a Morse code as units of line (true) and gap: dot 1, dash 4, a gap of 2 after each sign, 3 more after the letter. */
export function morsePattern(morse: string) {
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
