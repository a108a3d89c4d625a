// SPDX-License-Identifier: BSD-3-Clause
/** Writes names above the rows: of matches, and of spans for the buttons User and All. Counts the names that are left out. */
import { Kind, isOwn } from '../base/kinds.ts';
import { css } from '../base/palette.ts';
import { spanName } from '../ask/waitname.ts';
import { drawNote, noteBox, noteLeft, noteMiddle, noteWidth } from './notes.ts';
import { FONT } from './sizes.ts';
import { Repeats } from './thin.ts';
import { pinnedBoxes, writtenNotes } from './written.ts';
import type { RowOf } from '../scene/rows.ts';
import type { View } from '../scene/view.ts';
import type { OnScreen } from './found.ts';

/** Opacity of the background colour over spans that do not match. */
const DIMMED = 0.55;

/** Minimum width of a gap that is dimmed, CSS pixels. */
const LEAST_GAP = 2;
/** Maximum number of matches whose names are considered. The longest matches are considered first. */
const MOST_ASKED = 300;
/** Maximum number of matches with the same name that are tried until one has space. */
const MOST_TRIED = 8;

/** Dims the spans that do not match: draws the background's colour over the bars between matches. */
export function dimOthers(ctx: CanvasRenderingContext2D, view: View, { ranges }: OnScreen) {
	ctx.fillStyle = css(view.palette.background, DIMMED);
	for (const row of view.rows.visible) {
		if (row.group !== 'CPU' && row.group !== 'PID') continue;
		let at = 0;
		const list = ranges.get(row) ?? [];
		for (let i = 0; i <= list.length; i += 2) {
			const to = list[i] ?? view.width;
			if (to - at >= LEAST_GAP) ctx.fillRect(at, row.y, to - at, row.h);
			at = list[i + 1] ?? view.width;
		}
	}
}

/** Returns the matches whose names may be written: for each name, some of the longest. The same name everywhere is not useful. */
function longestOfEach({ trace }: View, matches: OnScreen['named']) {
	const asked: Map<string, number> = new Map();
	return [...matches].sort((a, b) => trace.dur[b.span] - trace.dur[a.span]).slice(0, MOST_ASKED).filter(({ span }) => {
		const text = spanName(trace, span);
		const before = asked.get(text) ?? 0;
		asked.set(text, before + 1);
		return before < MOST_TRIED;
	});
}

/** Underlines every match in its rows, and writes each name once if there is space. @returns number of visible matches */
export function drawMatches(ctx: CanvasRenderingContext2D, view: View, { total, ranges, named }: OnScreen): number {
	const { trace } = view;
	ctx.fillStyle = css(view.palette.match);
	for (const [row, list] of ranges) for (let i = 0; i < list.length; i += 2) ctx.fillRect(list[i], row.y + row.h - 1, list[i + 1] - list[i], 3);
	const written = drawNames(ctx, view, longestOfEach(view, named), css(view.palette.match), (g) => spanName(trace, g), 3, true);
	if (named.length) view.drawn.thinned.matches = { shown: Math.min(total, written.length), of: total, what: 'matches named' };
	return total;
}

/**
 * Writes names for spans from left to right, in up to `levels` lines above each row. Leaves out a name that would cover
 * another name, the name of a mark, or an annotation.
 * @param once write each name only once on the screen
 */
function drawNames(
	ctx: CanvasRenderingContext2D, view: View, items: {span: number, row: RowOf, x: number}[], color: string,
	text: (span: number) => string, levels: number, once = false,
): string[] {
	/** The lines above each row, and where the last name in each line ends. */
	const lines: Map<RowOf, {end: number}[]> = new Map();
	const written = [];
	const repeats = new Repeats();
	view.drawn.named = [];
	ctx.save();
	ctx.font = FONT;
	items.sort((a, b) => a.x - b.x);
	view.drawn.pinned = pinnedBoxes(view, ctx);
	const pinned = [...view.drawn.pinned, ...writtenNotes(ctx, view)];
	for (const { span, row, x } of items) {
		let over = lines.get(row);
		if (!over) lines.set(row, (over = Array.from({ length: row.h > 40 ? levels : 1 }, () => ({ end: -Infinity }))));
		// skip a name without space before measuring its text
		if (over.every(({ end }) => end >= x - 4)) continue;
		const label = text(span);
		const width = noteWidth(ctx, label);
		const left = noteLeft(view, x, width);
		if (once ? written.includes(label) : repeats.is(row, label, left)) continue;
		const place = { ...row, y: row.y + 18 * (over.length - 1) + 4, h: row.h - 18 * (over.length - 1) - 4 };
		const level = over.findIndex((line, n) => {
			const y = noteMiddle(place, n);
			const there = (p: {x0: number, x1: number, y0: number, y1: number}) => p.x0 < left + width && p.x1 > left && p.y0 < y + 8 && p.y1 > y - 8;
			// check the names of all rows, because a name may be higher than its row
			return line.end < left - 2 && !repeats.is(line, label, left) && !pinned.some(there) && !view.drawn.named.some(there) &&
				!view.drawn.labels.some((l) => l.row === row && there(l));
		});
		if (level < 0) continue;
		drawNote(ctx, view, { x, row: place, text: label, level }, color);
		view.drawn.named.push({ ...noteBox(view, x, width, noteMiddle(place, level)), text: label });
		over[level].end = left + width;
		// the same name is not repeated in its line or in its row
		for (const where of [over[level], row]) repeats.wrote(where, label, left + width);
		written.push(label);
	}
	ctx.restore();
	return written;
}

/**
 * Writes names for the button User: the first span on the screen of each program on each row. For All: shortened names of
 * all spans with enough space. Rows that are grey get no names.
 */
export function annotate(ctx: CanvasRenderingContext2D, view: View): string[] {
	const { trace } = view;
	const items: {span: number, row: RowOf, x: number}[] = [];
	const seen = new Set();
	const rows = view.rows.visible.filter((row) => !view.rows.greyed(row));
	if (view.options.all) {
		for (const row of rows) {
			let last = -Infinity;
			for (let i = row.spans.first(view.t0); i < row.spans.length && row.spans.start(i) <= view.t1 && items.length < 4000; i++) {
				const span = row.spans.at(i);
				const x = view.x(trace.start[span]);
				const kind = trace.kind(span);
				if (x < 0 || kind <= Kind.IDLELP) continue;
				if (x < last + 2) {
					i = Math.max(i, row.spans.seek(view.time(last + 2), i) - 1);
					continue;
				}
				last = x;
				if (isOwn(kind)) {
					if (seen.has(trace.name[span])) continue;
					seen.add(trace.name[span]);
				}
				items.push({ span, row, x });
			}
		}
		const written = drawNames(ctx, view, items, css(view.palette.dim), (g) => short(trace.label(g)), 3);
		const spans = rows.reduce((n, { spans: list }) => n + list.seek(view.t1) - list.first(view.t0), 0);
		view.drawn.thinned.names = { shown: Math.min(spans, written.length), of: spans, what: 'spans named' };
		return written;
	}
	const byId = (group: string) => new Map(rows.filter((row) => row.group === group).map((row) => [row.id, row]));
	const [cpus, pids] = [byId('CPU'), byId('PID')];
	for (const process of trace.processes()) {
		const list = process.spans;
		const end = Math.min(list.length, list.first(view.t0) + 64);
		for (let i = list.first(view.t0); i < end && list.start(i) <= view.t1; i++) {
			const span = list.at(i);
			if (!isOwn(trace.kind(span))) continue;
			const row = cpus.get(trace.cpuOf(span)) ?? pids.get(process.id);
			if (!row) continue;
			items.push({ span, row, x: Math.max(0, view.x(trace.start[span])) });
			break;
		}
	}
	const written = drawNames(ctx, view, items, css(view.palette.dim), (g) => trace.shown(g), 3);
	view.drawn.thinned.names = { shown: written.length, of: items.length, what: 'programs named' };
	return written;
}

const short = (text: string) => (text.length > 8 ? `${text.slice(0, 7)}~` : text);
