// SPDX-License-Identifier: BSD-3-Clause
/**
 * Finds where the matches of a search are on the screen. Must skip matches in pixels that already show a match: there may be
 * millions of matches.
 */
import type { Matches } from '../ask/search.ts';
import type { RowOf } from '../scene/rows.ts';
import type { View } from '../scene/view.ts';

type Named = {span: number, row: RowOf, x: number};

/** ranges: pixel ranges of each row, as from, to, from, to; in order and disjoint. */
export type OnScreen = {total: number, ranges: Map<RowOf, number[]>, named: Named[]};

/** A match is left out if it would lengthen a pixel range by less than this, pixels. */
const LEAST = 0.25;
/** Minimum distance of spans whose names may be written, pixels. A name needs at least this space. */
const NAMED_EVERY = 4;
/** If there are more matches than this while the picture moves, only some matches are used. */
const MANY = 20000;

/** Pixel ranges of the matches of one list in one row. Matches come in order of their beginnings. */
class Ranges {
	declare view: View;
	declare row: RowOf;
	declare named: Named[];
	/** Intervals as pairs of start and end, in order and disjoint. */
	list: number[] = [];
	last = -1;
	/** A match that ends at or before this time does not lengthen a range, units of 10 ns. */
	until = -Infinity;
	lastNamed = -Infinity;

	constructor(view: View, row: RowOf, named: Named[]) {
		this.view = view;
		this.row = row;
		this.named = named;
	}

	/** Adds a match. @param end end of the match, units of 10 ns */
	add(span: number, begin: number, end: number) {
		const { view, list, last } = this;
		const x0 = Math.max(view.x(begin), 0);
		const x1 = Math.min(view.x(end), view.width);
		if (x1 <= last + LEAST) return;
		const from = Math.max(x0, last);
		const to = Math.max(x1, from + 1);
		if (list.length && from <= last) list[list.length - 1] = to;
		else list.push(from, to);
		this.last = to;
		this.until = view.time(to + LEAST);
		if (x0 < this.lastNamed + NAMED_EVERY) return;
		this.lastNamed = x0;
		this.named.push({ span, row: this.row, x: x0 });
	}
}

/** Joins pixel ranges that touch, in order of their beginnings. */
function union(lists: number[][]): number[] {
	if (lists.length === 1) return lists[0];
	const pairs = lists.flatMap((list) => Array.from({ length: list.length / 2 }, (_, i) => [list[2 * i], list[2 * i + 1]]));
	pairs.sort((a, b) => a[0] - b[0]);
	const all: number[] = [];
	for (const [from, to] of pairs) {
		if (all.length && from <= all[all.length - 1]) all[all.length - 1] = Math.max(to, all[all.length - 1]);
		else all.push(from, to);
	}
	return all;
}

/** The visible rows, and the matches in them. */
class Sheet {
	declare view: View;
	lists = new Map<RowOf, number[][]>();
	named: Named[] = [];
	declare cpus: Map<number, RowOf>;
	declare pids: Map<number, RowOf>;

	constructor(view: View) {
		this.view = view;
		const rows = (group: string) => new Map(view.rows.visible.filter((row) => row.group === group).map((row) => [row.id, row]));
		this.cpus = rows('CPU');
		this.pids = rows('PID');
	}

	/** Begins new pixel ranges in a row, for another list of matches. @returns null: the row is not visible */
	begin(row: RowOf | undefined): Ranges | null {
		if (!row) return null;
		const made = new Ranges(this.view, row, this.named);
		const lists = this.lists.get(row);
		if (lists) lists.push(made.list);
		else this.lists.set(row, [made.list]);
		return made;
	}

	beginEach(rows: Map<number, RowOf>) {
		return new Each(new Map([...rows].map(([id, row]) => [id, this.begin(row)!])));
	}
}

/** Finds the ranges of a row by its id. Fast for ids without a visible row, because most ids have none. */
class Each {
	declare rows: Map<number, Ranges>;
	/** Table indexed by the low bits of an id: 1 if the id of a visible row has these bits. */
	maybe = new Uint8Array(1 << 12);
	last = NaN;
	found: Ranges | null = null;

	constructor(rows: Map<number, Ranges>) {
		this.rows = rows;
		for (const id of rows.keys()) this.maybe[id & 0xfff] = 1;
	}

	of(id: number): Ranges | null {
		if (this.maybe[id & 0xfff] === 0) return null;
		if (id !== this.last) {
			this.last = id;
			this.found = this.rows.get(id) ?? null;
		}
		return this.found;
	}
}

/** Matches of a CPU in order: elements [from, to) of ids. */
type Part = {cpu: number, ids: Uint32Array, from: number, to: number};

/** Adds matches to the row of their CPU. Skips matches in pixels that already show a match. */
function onCpu(sheet: Sheet, matches: Matches, { cpu, ids, from, to }: Part) {
	const { start, dur } = matches.trace;
	const ranges = sheet.begin(sheet.cpus.get(cpu));
	if (!ranges) return;
	for (let i = from; i < to; i++) {
		const g = ids[i];
		ranges.add(g, start[g], start[g] + dur[g]);
		// continue one match earlier, because that match may end after ranges.until
		i = Math.max(i, matches.seek(ids, ranges.until, i + 1) - 2);
	}
}

function ofProcesses(sheet: Sheet, matches: Matches, { ids, from, to }: Part) {
	const { start, dur, pid } = matches.trace;
	const ofPid = sheet.beginEach(sheet.pids);
	for (let i = from; i < to; i++) {
		const g = ids[i];
		const ranges = ofPid.of(pid[g]);
		if (ranges === null) continue;
		const end = start[g] + dur[g];
		if (end > ranges.until) ranges.add(g, start[g], end);
	}
}

/** Adds matches on no CPU to the rows of CPUs and processes. */
function onNoCpu(sheet: Sheet, matches: Matches) {
	const { start, dur, pid, otherCpu, otherOffset } = matches.trace;
	const { t0, t1 } = sheet.view;
	const [ofCpu, ofPid] = [sheet.beginEach(sheet.cpus), sheet.beginEach(sheet.pids)];
	matches.others.each(t0, t1, (g) => {
		const end = start[g] + dur[g];
		const a = ofCpu.of(otherCpu[g - otherOffset]);
		if (a !== null && end > a.until) a.add(g, start[g], end);
		const b = ofPid.of(pid[g]);
		if (b !== null && end > b.until) b.add(g, start[g], end);
	});
}

/** Adds at most one match in each pixel of a CPU's row. Does not add matches on no CPU. */
function roughly(sheet: Sheet, matches: Matches) {
	const { start, dur, pid } = matches.trace;
	const { t0, t1, width } = sheet.view;
	let total = 0;
	matches.sample(t0, t1, (t1 - t0) / width, (cpu) => {
		const a = sheet.begin(sheet.cpus.get(cpu));
		const ofPid = sheet.beginEach(sheet.pids);
		return (g) => {
			total++;
			a?.add(g, start[g], start[g] + dur[g]);
			ofPid.of(pid[g])?.add(g, start[g], start[g] + dur[g]);
		};
	});
	return total;
}

export function matchesOnScreen(view: View, matches: Matches): OnScreen {
	const { t0, t1 } = view;
	const sheet = new Sheet(view);
	const finish = (total: number) => ({ total, named: sheet.named, ranges: new Map([...sheet.lists].map(([row, lists]) => [row, union(lists)])) });
	if (view.moving && matches.estimate(t0, t1) > MANY) return finish(roughly(sheet, matches));
	for (const part of matches.parts(t0, t1)) {
		onCpu(sheet, matches, part);
		if (sheet.pids.size) ofProcesses(sheet, matches, part);
	}
	onNoCpu(sheet, matches);
	return finish(matches.total(t0, t1).matches);
}
