// SPDX-License-Identifier: BSD-3-Clause
/** Computes the positions of groups and rows, from highlights, scrolling and zoom. Must not depend on time or colours. */
import { programOf } from '../base/kinds.ts';
import { foreignWords } from '../base/words.ts';
import { forks } from '../ask/forks.ts';
import { quantities, type Quantity } from '../ask/machine.ts';
import { SpanList } from '../data/spans.ts';
import { filterOf, sorted, type Order } from './order.ts';
import { programsByPid, type Process, type Trace } from '../data/trace.ts';

/** A row of the picture; y and h in CSS pixels of the plot. */
export interface RowOf {
	group: string; /* CPU, PID, RPC, Resource or Machine */
	id: number; /* CPU, pid, RPC id, dictionary entry of a resource, or number of a quantity */
	label: string;
	programs: string[]; /* programs that ran under the pid one after the other, if there were several */
	spans: SpanList;
	waits: SpanList | null;
	y: number;
	h: number;
	depth: number; /* depth in the process tree, if rows are in that order */
	quantity: Quantity | null; /* quantity that a row of Machine shows over time */
	guessed: boolean; /* the parent in the process tree is a guess */
	cut: number; /* height that the pinned rows hide; y and h are of the visible part */
}

/** title: the title that the page shows, if it is not name. waits: returns true while a worker prepares the rows, which must not be loaded then. */
export type Group = {
	name: string, title?: string, state: 'open' | 'marked' | 'closed', y: number, count: number, weight: number,
	load: () => RowOf[], rows: RowOf[] | null, waits: () => boolean,
};

export const GROUP_HEIGHT = 22;
const GAP = 3;
const MIN_UNIT = 11;
/** Minimum height of a CPU's row if all CPUs fit, CSS pixels. The row of a CPU shows more than the row of a process. */
const MIN_CPU = 36;
/** Minimum height of a CPU's row if not all CPUs fit at MIN_CPU. The gap between rows is then 1. */
const LOW_CPU = 6;
/** Height of a CPU's row if the CPUs do not fit and must be scrolled. */
const SCROLLED_CPU = 14;
/**
 * The height of a row is weight * unit pixels, with the weight of its group. Before the user zooms, the unit is at most
 * MAX_UNIT, or a twelfth of the picture's height if that is more.
 */
const MAX_UNIT = 60;
/** Used if the rows do not fit and must be scrolled: height of a readable row, and maximum share of the picture for the CPUs. */
const SCROLLED_UNIT = 15;
const CPU_SHARE = 0.3;
/**
 * Minimum share of the picture that must remain for rows below the CPUs. If less remains, processes that do not fit are
 * closed at first.
 */
const LEAST_SHARE = 0.3;
const SHRUNK = 4;
/** Maximum share of the plot for pinned rows. */
const MOST_PINNED = 0.6;
/** Pinned rows can hide a part of a row. If the visible part is lower than this, the row is not drawn. */
const LEAST_CUT = 3;
/** Space above and below the pinned rows, CSS pixels. */
const PINNED_GAP = 4;

/** Returns the minimum height of a CPU's row and the gap between rows, if the rows of all CPUs must fit room. */
function cpuRows(cpus: number, room: number) {
	if (cpus * (MIN_CPU + GAP) <= room) return { least: MIN_CPU, gap: GAP };
	const each = room / cpus - 1;
	if (each >= LOW_CPU) return { least: Math.min(MIN_CPU, each), gap: 1 };
	return { least: SCROLLED_CPU, gap: 1 };
}

const newRow = (
	group: string, { id, label, spans, waits }: {id: number, label: string, spans: SpanList, waits: SpanList | null},
	quantity: Quantity | null = null,
): RowOf =>
	({ group, id, label, programs: [], spans, waits, y: 0, h: 0, cut: 0, depth: 0, guessed: false, quantity });

/** Returns the row's label with all programs that ran under its pid: `bash+hello.8292`. */
export const fullLabel = (
	{ label, programs, id }: Pick<RowOf, 'label' | 'programs' | 'id'>,
) => (programs.length ? `${programs.join('+')}.${id}` : label);

function processRows(trace: Trace): RowOf[] {
	const programs = programsByPid(trace);
	return trace.processes().map((process) => Object.assign(newRow('PID', process), { programs: programs.get(process.id) ?? [] }));
}

export class Rows {
	declare groups: Group[];
	/** Highlighted rows; if there are any, all other rows are grey. */
	marked = new Set<string>();
	/** The row whose label is under the pointer. */
	pointed: RowOf | null = null;
	/** Rows that stay at the top, in the order in which they were pinned. */
	pinned = new Set<string>();
	band = 0;
	/** How far the other rows are scrolled up, CSS pixels. */
	scroll = 0;
	/** The user's vertical zoom; 1: the rows fill the plot. */
	zoom = 1;
	visible: RowOf[] = [];
	contentHeight = 0;
	height = 100;
	gap = GAP;
	/** True if the user or the address has chosen which groups are open. */
	asked = false;
	/** Increases when positions or looks of rows may have changed. */
	version = 0;

	constructor(trace: Trace) {
		const processes = (group: string, source: () => Process[]) => () => source().map((process) => newRow(group, process));
		let births: ReturnType<typeof forks> | null = null;
		this.#births = () => (births ??= forks(trace));
		const words = foreignWords(trace.header);
		const group = (name: string, load: () => RowOf[], more: Partial<Group> = {}): Group =>
			({ name, load, state: 'closed', y: 0, count: -1, weight: 1, rows: null, waits: () => false, ...more });
		const cpu = (id: number, spans: SpanList) => newRow('CPU', { id, label: `${words?.cpu ?? 'CPU'} ${id}`, spans, waits: null });
		this.groups = [
			group('CPU', () => [...trace.cpus].map(([id, spans]) => cpu(id, spans)), { title: words?.cpus, state: 'open', count: trace.cpus.size, weight: 2 }),
			group('PID', () => processRows(trace), { title: words?.processes, waits: () => trace.sorting }),
		];
		if (trace.hasRpc) this.groups.push(group('RPC', processes('RPC', () => trace.rpcs())));
		if (trace.hasResources) this.groups.push(group('Resource', processes('Resource', () => trace.resources())));
		// the machine comes first, so that it is visible without scrolling
		if (trace.cpus.size && !words)
			this.groups.unshift(group('Machine', () => quantities(trace).map((quantity) =>
				newRow('Machine', { id: quantity.id, label: quantity.label, spans: new SpanList(trace, 0, 0), waits: null }, quantity)), { weight: 3 }));
	}

	static key(row: RowOf) {
		return `${row.group} ${row.id}`;
	}

	rowsOf(group: Group): RowOf[] {
		if (!group.rows) {
			group.rows = group.load();
			group.count = group.rows.length;
		}
		return group.rows;
	}

	#present: ((row: RowOf) => boolean) | null = null;
	/** Sets the test for rows that have something to show. Other rows are hidden. null: all rows are shown. */
	set present(test: ((row: RowOf) => boolean) | null) {
		this.#present = test;
		this.#lists.clear();
	}

	/** The filter as typed; see filterOf(). */
	#filter = '';
	#passes: ((label: string) => boolean) | null = null;
	#order: Order = 'number';
	/** Rows that the user went to although the filter or the test `present` hides them. */
	#wanted: Set<string> = new Set();
	/** Parents of processes, found at the first use. */
	#births: () => ReturnType<typeof forks>;
	/** Results of shownRows(), until something changes. */
	#lists: Map<Group, RowOf[]> = new Map();

	get filter() {
		return this.#filter;
	}

	/** Shows only the rows of processes, RPCs and resources that pass the filter. @throws SyntaxError if text is invalid */
	set filter(text: string) {
		this.#passes = filterOf(text);
		this.#filter = text;
		this.#wanted.clear();
		this.#lists.clear();
		const processes = this.groups.find((g) => g.name === 'PID');
		if (text && processes?.state === 'closed') processes.state = 'open';
		this.layout(this.height);
	}

	get order() {
		return this.#order;
	}

	set order(order: Order) {
		this.#order = order;
		this.#lists.clear();
		this.layout(this.height);
	}

	/** Returns the rows of a group that exist and are not hidden, in order. */
	shownRows(group: Group): RowOf[] {
		if (!group.rows && group.waits()) return [];
		const known = this.#lists.get(group);
		if (known) return known;
		let rows = this.rowsOf(group);
		if (group.name !== 'CPU' && group.name !== 'Machine') {
			const [passes, present] = [this.#passes, this.#present];
			if (passes || present)
				rows = rows.filter((row) => ((!passes || passes(fullLabel(row))) && (!present || present(row))) || this.#wanted.has(Rows.key(row)));
			rows = sorted(rows, this.#order, this.#births);
		}
		this.#lists.set(group, rows);
		return rows;
	}

	/** Pins a row to the top, or unpins it. @returns whether it is pinned now */
	togglePin(row: RowOf): boolean {
		const key = Rows.key(row);
		if (!this.pinned.delete(key)) this.pinned.add(key);
		this.repin([...this.pinned]);
		return this.pinned.has(key);
	}

	/** Sets the pinned rows. @param keys keys of rows, which need not exist */
	repin(keys: string[]) {
		this.pinned = new Set(keys);
		this.#rest.clear();
		this.layout(this.height);
	}

	/** Results of shownRows() without the pinned rows, until something changes. */
	#rest: Map<Group, RowOf[]> = new Map();

	/** Returns the rows of a group that scroll: all except the pinned rows. */
	#scrolling(group: Group): RowOf[] {
		if (!this.pinned.size) return this.shownRows(group);
		const known = this.#lists.has(group) ? this.#rest.get(group) : undefined;
		if (known) return known;
		const rows = this.shownRows(group).filter((row) => !this.pinned.has(Rows.key(row)));
		this.#rest.set(group, rows);
		return rows;
	}

	#pinnedRows(): {group: Group, row: RowOf}[] {
		const found: {group: Group, row: RowOf}[] = [];
		for (const key of this.pinned) {
			const [name, id] = key.split(' ');
			const group = this.groups.find((g) => g.name === name);
			if (!group || (!group.rows && group.waits())) continue;
			const row = this.rowsOf(group).find((r) => r.id === Number(id));
			if (row) found.push({ group, row });
		}
		return found;
	}

	/** Returns the height that the rows of the CPUs leave free, CSS pixels. */
	#beside() {
		const cpus = this.groups.find((g) => g.name === 'CPU')?.count ?? 0;
		return this.height - this.groups.length * GROUP_HEIGHT - cpus * (MIN_CPU + GAP);
	}

	/** Returns whether this many rows fit below the CPUs at a readable height. */
	fits(count: number) {
		return count * (MIN_UNIT + GAP) <= this.#beside();
	}

	/** True if the CPUs leave enough of the picture for rows that scroll. */
	get roomy() {
		return this.#beside() >= this.height * LEAST_SHARE;
	}

	/**
	 * Switches a group to its next state. Without highlighted rows in the group: open, closed, open. With highlighted rows:
	 * open, other rows shrunk, closed, open.
	 */
	toggle(name: string) {
		const group = this.groups.find((g) => g.name === name);
		if (!group) return;
		this.asked = true;
		const some = group.state === 'open' && (group.rows ?? []).some((r) => this.marked.has(Rows.key(r)));
		group.state = group.state === 'closed' ? 'open' : some ? 'marked' : 'closed';
		this.layout(this.height);
	}

	open(name: string) {
		if (this.groups.some((g) => g.name === name && g.state === 'closed')) this.toggle(name);
	}

	/** Positions all groups and rows in a plot of this height, CSS pixels. */
	layout(height: number) {
		this.height = height;
		this.version++;
		const pinned = this.#pinnedRows();
		const shown = this.groups.map((group) => (group.state === 'closed' ? [] : this.#scrolling(group)));
		const high = this.#heights(shown, pinned, height);
		this.#placePinned(pinned, high);
		this.contentHeight = this.groups.reduce((sum, group, i) => sum + GROUP_HEIGHT +
			shown[i].reduce((n, row) => n + this.gap + high(group, row), 0), 0);
		this.scroll = Math.max(0, Math.min(this.scroll, this.reach));
		let y = this.band - this.scroll;
		let above = 0;
		let below = 0;
		for (const [i, group] of this.groups.entries()) {
			group.y = y;
			y += GROUP_HEIGHT;
			for (const row of shown[i]) {
				row.y = y;
				row.h = high(group, row);
				row.cut = 0;
				y += row.h + this.gap;
				const under = this.band - row.y;
				if (this.band > 0 && under > 0) {
					// draw only the visible part, as a lower row, so that nothing covers the pinned rows
					row.cut = Math.min(under, row.h);
					row.h -= row.cut;
					row.y += row.cut;
				}
				if (row.h <= 0 || row.y + row.h <= 0 || (row.cut && row.h < LEAST_CUT)) above++;
				else if (row.y >= height) below++;
				else this.visible.push(row);
			}
		}
		this.#unseen = { above, below };
	}

	#placePinned(pinned: {group: Group, row: RowOf}[], high: (group: Group, row: RowOf) => number) {
		this.band = 0;
		this.visible = [];
		if (!pinned.length) return;
		const total = pinned.reduce((sum, { group, row }) => sum + high(group, row) + this.gap, 0);
		const less = Math.min(1, (this.height * MOST_PINNED) / total);
		let y = PINNED_GAP;
		for (const { group, row } of pinned) {
			row.y = y;
			row.h = Math.max(1, (high(group, row) + this.gap) * less - this.gap);
			row.cut = 0;
			y += row.h + this.gap;
			this.visible.push(row);
		}
		this.band = y + PINNED_GAP;
	}

	#unseen = { above: 0, below: 0 };
	/** Returns how many rows of open groups are above, and how many below, the visible area. */
	unseen() {
		return this.#unseen;
	}

	/** Maximum scroll distance, CSS pixels. page is the distance of one page. */
	get reach() {
		return Math.max(0, this.contentHeight - this.page);
	}

	get page() {
		return Math.max(1, this.height - this.band);
	}

	/** Scrolls until a group's name is visible. */
	reveal(group: Group) {
		if (group.y < this.band) this.scrollBy(group.y - this.band);
		else if (group.y + GROUP_HEIGHT > this.height) this.scrollBy(group.y + GROUP_HEIGHT - this.height);
	}

	/**
	 * Returns a function for the height of a row. Rows fill the plot, but are high enough to be read.
	 * @param shown rows by group, without the pinned rows; a closed group has none
	 */
	#heights(shown: RowOf[][], pinned: {group: Group, row: RowOf}[], height: number): (group: Group, row: RowOf) => number {
		const cpus = this.groups.reduce((n, group, i) => n + (group.name !== 'CPU' ? 0 : shown[i].filter((row) => !this.#shrunk(group, row)).length), 0);
		const { least, gap } = cpuRows(cpus, height - this.groups.length * GROUP_HEIGHT - 4);
		this.gap = gap;
		let weights = 0;
		let fixed = pinned.length ? 2 * PINNED_GAP + pinned.length * gap : 0;
		for (const { group } of pinned) weights += group.weight;
		for (const [i, group] of this.groups.entries()) {
			fixed += GROUP_HEIGHT;
			for (const row of shown[i]) {
				if (this.#shrunk(group, row)) fixed += SHRUNK;
				else weights += group.weight;
			}
			fixed += shown[i].length * gap;
		}
		const fitting = Math.min(Math.max(MAX_UNIT, height / 12), (height - fixed - 6) / Math.max(1, weights));
		const scrolled = fitting < MIN_UNIT;
		const unit = (scrolled ? SCROLLED_UNIT : fitting) * this.zoom;
		// if the other rows scroll, the CPUs need not have their minimum height
		const cpu = scrolled ? Math.max(least, Math.min(MAX_UNIT, (height * CPU_SHARE) / cpus - gap)) : least;
		return (group, row) => {
			if (this.#shrunk(group, row)) return SHRUNK;
			if (group.name !== 'CPU') return group.weight * unit;
			return Math.max(group.weight * fitting * this.zoom, cpu * Math.min(1, this.zoom));
		};
	}

	#shrunk(group: Group, row: RowOf) {
		return group.state === 'marked' && !this.pinned.has(Rows.key(row)) && !this.marked.has(Rows.key(row));
	}

	/** Scrolls the rows. @param pixels distance down, CSS pixels */
	scrollBy(pixels: number) {
		this.scroll += pixels;
		this.layout(this.height);
	}

	/** Zooms vertically around y, where the picture stays in place. */
	zoomAt(factor: number, y: number) {
		const before = this.contentHeight;
		const at = Math.max(0, y - this.band);
		this.zoom = Math.min(40, Math.max(0.2, this.zoom * factor));
		this.layout(this.height);
		this.scroll = ((this.scroll + at) * this.contentHeight) / before - at;
		this.layout(this.height);
	}

	reset() {
		this.zoom = 1;
		this.scroll = 0;
		this.layout(this.height);
	}

	/** Returns the row at y, or a row less than a gap away from y. @param nearest return the nearest row, at any distance */
	at(y: number, nearest = false) {
		let best = null;
		let distance = nearest ? Infinity : this.gap;
		for (const row of this.visible) {
			const d = y < row.y ? row.y - y : Math.max(0, y - row.y - row.h);
			if (d < distance) {
				distance = d;
				best = row;
			}
		}
		return best;
	}

	find(group: string, id: number) {
		return this.visible.find((r) => r.group === group && r.id === id) ?? null;
	}

	byId(group: string): Map<number, RowOf> {
		return new Map(this.visible.filter((r) => r.group === group).map((r) => [r.id, r]));
	}

	/** Returns a row. If the row was not visible, opens its group and scrolls to it. null: the group does not have this row. */
	ensure(name: string, id: number): RowOf | null {
		const group = this.groups.find((g) => g.name === name);
		const row = group ? this.rowsOf(group).find((r) => r.id === id) : undefined;
		if (!group || !row) return null;
		if (this.visible.includes(row) && this.pinned.has(Rows.key(row))) return row;
		this.#want(group, [row]);
		if (group.state === 'closed') {
			group.state = 'open';
			this.asked = true;
			this.layout(this.height);
		}
		const [top, h] = [row.y - row.cut, row.h + row.cut];
		if (!this.visible.includes(row) || top < this.band || top + h > this.height)
			this.scrollBy(top + h / 2 - (this.band + this.height) / 2);
		return row;
	}

	/** Opens a group so that these rows are visible together. If they do not fit, highlights them and shrinks other rows. */
	gather(name: string, ids: number[]) {
		const group = this.groups.find((g) => g.name === name);
		if (!group || !ids.length) return;
		this.asked = true;
		if (group.state === 'closed') group.state = 'open';
		const wanted = this.rowsOf(group).filter((r) => ids.includes(r.id));
		this.#want(group, wanted);
		this.layout(this.height);
		const seen = (r: RowOf) => this.visible.includes(r) && !r.cut && r.y >= 0 && r.y + r.h <= this.height && r.h >= MIN_UNIT;
		if (wanted.every(seen)) return;
		for (const row of wanted) this.marked.add(Rows.key(row));
		group.state = 'marked';
		this.scroll = 0;
		this.layout(this.height);
		const first = Math.min(...wanted.map((r) => r.y));
		const last = Math.max(...wanted.map((r) => r.y + r.h));
		if (last > this.height) this.scrollBy(Math.min(first - this.band - GROUP_HEIGHT, (first + last - this.height) / 2));
	}

	/** Makes rows visible that the filter or the test `present` hides. */
	#want(group: Group, rows: RowOf[]) {
		const there = new Set(this.shownRows(group));
		const out = rows.filter((row) => !there.has(row));
		if (!out.length) return;
		for (const row of out) this.#wanted.add(Rows.key(row));
		this.#lists.clear();
		this.layout(this.height);
	}

	/** Returns whether the row is grey because other rows are highlighted. */
	greyed(row: RowOf) {
		return this.marked.size > 0 && !this.marked.has(Rows.key(row));
	}

	/** Highlights a row, or ends its highlight. */
	toggleMark(row: RowOf) {
		const key = Rows.key(row);
		if (!this.marked.delete(key)) this.marked.add(key);
		this.#unmarkGroups();
	}

	/**
	 * Highlights the rows of the same group whose names begin with the row's name up to the first . / : - or digit. If all
	 * are highlighted, ends the highlight.
	 */
	markPrefix(row: RowOf) {
		const prefix = row.group === 'CPU' ? row.label : programOf(row.label).split(/[./:\-0-9]/)[0] || row.label;
		const keys = this.groups.filter((g) => g.name === row.group)
			.flatMap((g) => this.rowsOf(g)).filter((r) => r.label.startsWith(prefix)).map(Rows.key);
		const all = keys.every((k) => this.marked.has(k));
		for (const key of keys) {
			if (all) this.marked.delete(key);
			else this.marked.add(key);
		}
		this.#unmarkGroups();
	}

	/** Calls act, which may highlight rows. @returns a function that undoes the highlight, unless it has changed since */
	marking(act: () => void): () => void {
		const before = [...this.marked];
		act();
		const after = [...this.marked];
		const added = after.filter((key) => !before.includes(key));
		return () => {
			if (!added.length || [...this.marked].join() !== after.join()) return;
			for (const key of added) this.marked.delete(key);
			this.#unmarkGroups();
		};
	}

	clearMarks() {
		this.marked.clear();
		this.#unmarkGroups();
	}

	#unmarkGroups() {
		for (const group of this.groups)
			if (group.state === 'marked' && !this.rowsOf(group).some((r) => this.marked.has(Rows.key(r))))
				group.state = 'open';
		this.layout(this.height);
	}
}
