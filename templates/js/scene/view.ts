// SPDX-License-Identifier: BSD-3-Clause
/** Holds the state of the picture. Must not draw: it calls ondraw after a change, and draw/picture.ts draws. */
import * as format from '../base/format.ts';
import { programOf, isOwn } from '../base/kinds.ts';
import { Palette } from '../base/palette.ts';
import { spanAt } from '../data/spans.ts';
import { inStrip } from './strip.ts';
import { nothingDrawn } from './drawn.ts';
import { firstLook } from './look.ts';
import { startOf } from './order.ts';
import { Rows, type RowOf } from './rows.ts';
import { Styles } from './styles.ts';
import { isClock, when, zeroOf, type TIMES } from './times.ts';
import type { Path } from '../ask/path.ts';
import type { Matches } from '../ask/search.ts';
import type { Chain } from '../ask/why.ts';
import type { Unit } from '../base/format.ts';
import type { Trace } from '../data/trace.ts';
import type { Note } from './notes.ts';

/** An annotated span, and the row in which it was annotated. */
export type Pin = {span: number, group: string, id: number};

/** A part of the page whose state is stored in the address. */
export interface AddressPart {
	name: string; /* name of the state's parameter in the address: letters */
	get: () => string; /* returns the state; '': the default */
	set: (text: string) => void; /* sets the state; must accept any text, also '' */
	ofPage?: boolean; /* the state belongs to the page, not to a view: slots do not hold or change it */
	left?: () => string; /* describes the part of the state that is too long for the address; '': none */
}

/** Minimum range of the zoom, units of 10 ns. */
const LEAST_UNITS = 8;

export class View {
	declare trace: Trace;
	declare rows: Rows;
	declare t0: number;
	declare t1: number;
	/** Width and height of the plot, CSS pixels; device pixels per CSS pixel. */
	width = 1;
	height = 1;
	scale = 1;
	options = {
		mark: 'both', arc: true, user: false, all: false, samp: false, freq: false,
		lock: true, ipc: 'off', cb: false, prune: false, relative: false, use: false,
		/** The third state of buttons: bolder arcs and locks; frequencies over the bars. */
		arcBold: false, lockBold: false, freqOver: false,
		/** How times are shown, see times.ts. */
		time: 'file' as typeof TIMES[number],
		unit: 'auto' as Unit,
	};
	look = firstLook();
	palette = new Palette(false, false);
	declare styles: Styles;
	declare timeBase: number | null;
	/** Zero of the times if options.time is 'mark', units of 10 ns. */
	declare zero: number;
	matches: Matches | null = null;
	/** True if spans that do not match are dimmed. */
	dim = true;
	/** Spans that are annotated (shift-click). */
	pins: Pin[] = [];
	notes: Note[] = [];
	measure: {from: Pin, to: Pin} | null = null;
	/** Time range that the user has selected, for the table. */
	selection: {t0: number, t1: number} | null = null;
	chain: Chain | null = null;
	path: Path | null = null;
	/** For each dictionary entry, 1 if it is highlighted. null: there is no highlight. */
	only: Uint8Array | null = null;
	/** The selected span: it has an outline, and the details describe it. */
	chosen: Pin | null = null;
	/** The wakeup or IPI whose arc is under the pointer; -1: none. */
	arc = -1;
	hover: {row: RowOf, span: number} | null = null;
	/** Position of the pointer on the plot, CSS pixels. */
	pointer: {x: number, y: number} | null = null;
	drawn = nothingDrawn();
	/** True while frames follow each other and omit details. A complete frame follows the last one. */
	moving = false;
	/** Called when the picture must be drawn; all false: only the drawings over the bars. */
	ondraw: (all: boolean) => void = () => {};
	widths = new Map<string, number>();

	constructor(trace: Trace) {
		this.trace = trace;
		this.rows = new Rows(trace);
		this.t0 = trace.first;
		this.t1 = trace.last;
		this.styles = new Styles(trace, this.palette);
		this.timeBase = format.parseBase(trace.header.tracebase);
		this.zero = trace.first;
	}

	#pruning: ReturnType<typeof setTimeout> | undefined;

	draw(all = true) {
		this.ondraw(all);
	}

	get columns() {
		return Math.round(this.width * this.scale);
	}

	/** Returns the CSS pixel of a time. */
	x(t: number) {
		return ((t - this.t0) / (this.t1 - this.t0)) * this.width;
	}

	/** Returns the time at a CSS pixel. */
	time(x: number) {
		return this.t0 + (x / this.width) * (this.t1 - this.t0);
	}

	/** Returns how far a row is shifted left, units of 10 ns. With relative times, all rows begin at the same pixel. */
	offset(row: RowOf) {
		if (!this.options.relative) return 0;
		const start = startOf(row);
		return Number.isFinite(start) ? start - this.trace.first : 0;
	}

	/** Returns the CSS pixel of a time in a row. */
	xIn(row: RowOf, t: number) {
		return this.x(t - this.offset(row));
	}

	/** Returns the ticks of the axis, with times as the page shows them now. */
	times() {
		const zero = zeroOf(this);
		const { ticks, ...time } = format.axis(this.t0 - zero, this.t1 - zero, this.width / (isClock(this) ? 140 : 110));
		return { ...time, zero, ticks: ticks.map((t) => ({ t: t + zero, label: when(this, t + zero, null, time.decimals) })) };
	}

	show(t0: number, t1: number) {
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

	/** Hides the rows that have nothing in the range, if the option is on. Rows stay while the picture moves. */
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

	/** Sets the size of the plot, CSS pixels. @param scale device pixels per CSS pixel */
	resize(width: number, height: number, scale: number) {
		this.scale = scale;
		this.width = width;
		this.height = height;
		this.rows.layout(height);
	}

	/** The highlighted name. The name of a program is without the pid. */
	highlighted: {kind: number, name: string} | null = null;

	/** Highlights all spans with the name of this span. If the name is already highlighted, ends the highlight. */
	highlight(span: number) {
		const { trace } = this;
		const kind = trace.kind(span);
		const name = isOwn(kind) ? programOf(trace.text(span)) : trace.text(span);
		this.highlightNamed(this.only?.[trace.name[span]] ? null : { kind, name });
	}

	/** Highlights a name. @param what name to highlight, if the trace has it */
	highlightNamed(what: {kind: number, name: string} | null) {
		const { trace } = this;
		const only = what && Uint8Array.from(trace.texts, (text, i) => Number(trace.kinds[i] === what.kind &&
			(isOwn(what.kind) ? programOf(text) : text) === what.name));
		this.only = only?.includes(1) ? only : null;
		this.highlighted = this.only && what;
		this.theme(this.palette.dark);
	}

	/** Shows a time range. Moves the range so that the trace stays visible. */
	showBounded(t0: number, t1: number) {
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

	/** Zooms horizontally. The time at x stays at x. @param factor below 1: zoom in */
	zoomAt(factor: number, x: number) {
		const t = this.time(x);
		const width = Math.max(LEAST_UNITS, (this.t1 - this.t0) * factor);
		const share = x / this.width;
		this.showBounded(t - share * width, t + (1 - share) * width);
	}

	/** Fraction of a device pixel by which the last pan did not move the picture. The next pan adds it. */
	#carry = 0;

	/** Moves the picture by whole device pixels, so that less must be drawn again. @param pixels to the right, CSS pixels */
	pan(pixels: number) {
		const wanted = pixels * this.scale + this.#carry;
		const by = Math.round(wanted);
		this.#carry = wanted - by;
		const step = (this.t1 - this.t0) / this.columns;
		this.showBounded(this.t0 + by * step, this.t1 + by * step);
	}

	reset() {
		this.rows.reset();
		this.show(this.trace.first, this.trace.last);
	}

	/** Shows a span in the middle of the picture. Zooms only if the span is too small or too large to see. */
	reveal(span: number) {
		const { start, dur } = this.trace;
		let width = this.t1 - this.t0;
		if (dur[span] > width * 0.8) width = dur[span] * 1.5;
		else if (dur[span] < width / 2000) width = Math.max(dur[span] * 200, 1000);
		const middle = start[span] + dur[span] / 2;
		this.showBounded(middle - width / 2, middle + width / 2);
	}

	/** Returns the span at a point of the plot. */
	hit(x: number, y: number): {row: RowOf, span: number} | null {
		if (x < 0 || y < 0 || x >= this.width || y >= this.height) return null;
		const over = inStrip(this, x, y);
		if (over) return over;
		const row = this.rows.at(y);
		if (!row) return null;
		const mark = this.drawn.marks.find((m) => m.row === row && Math.abs(m.x - x) <= 2.5);
		if (mark) return { row, span: mark.span };
		// use the same pixel column as the picture
		const step = (this.t1 - this.t0) / this.columns;
		const column = Math.floor(x * this.scale);
		const tl = this.t0 + column * step + this.offset(row);
		for (const list of [row.spans, row.waits]) {
			const span = list ? spanAt(list, tl, tl + step) : -1;
			if (span >= 0) return { row, span };
		}
		return null;
	}

	/** Returns the span of the nearest row that begins nearest to x. Above the bars, returns the sample or lock at the point. */
	nearest(x: number, y: number): Pin | null {
		const over = inStrip(this, x, y);
		if (over) return { span: over.span, group: over.row.group, id: over.row.id };
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

	theme(dark: boolean) {
		this.palette = new Palette(dark, this.options.cb, this.look.fade);
		const { only } = this;
		this.styles = new Styles(this.trace, this.palette, only ? (entry) => only[entry] === 1 : null);
		this.draw();
	}

	/** Returns the width of text in the usual font. */
	textWidth(ctx: CanvasRenderingContext2D, text: string) {
		let width = this.widths.get(text);
		if (width === undefined) {
			if (this.widths.size > 20000) this.widths.clear();
			width = ctx.measureText(text).width;
			this.widths.set(text, width);
		}
		return width;
	}

	/** Returns the elapsed time between the two measured spans as text; "" if no spans are measured. */
	measureText() {
		if (!this.measure) return '';
		const { from, to } = this.measure;
		const a = this.trace.start[from.span];
		const b = this.trace.start[to.span];
		return `${when(this, a)} to ${when(this, b)}: elapsed ${format.duration(b - a)}`;
	}
}
