// SPDX-License-Identifier: BSD-3-Clause
/** Shows the table of a query: a line for each group (ask/query.ts), or for each match. A click on a heading sorts. */
import { make } from '../base/dom.ts';
import * as format from '../base/format.ts';
import { spanName } from '../ask/waitname.ts';
import type { Grouped, Match } from '../ask/query.ts';
import type { Trace } from '../data/trace.ts';

/** is: type of the column's cells; key: name in addresses, if it is not the title. */
type Column = {title: string, key?: string, tip: string, is: 'text' | 'count' | 'time' | 'when'};
/** cells: NaN: no value. only: search fields that find only the group. bound: the longest match is incomplete. */
type Line = {cells: (string | number)[], only: string, span: number, bound: boolean};
/** column: key of the column. */
type Order = {column: string, down: boolean};

/** Maximum number of rows; the file has all of them. */
const MOST_ROWS = 300;

/** Columns for groups. */
const GROUPS: Column[] = [
	{ title: 'count', tip: 'number of complete calls or spans', is: 'count' },
	{ title: 'sum', tip: 'total time from beginning to end, including incomplete calls or spans', is: 'time' },
	{ title: 'max', tip: 'the longest call or span; \u2265: all are incomplete, and took at least this long; click: go to it', is: 'time' },
	{ title: 'p99', tip: '99 % of the complete calls or spans took no longer', is: 'time' },
	{ title: 'p50', tip: 'half of the complete calls or spans took no longer', is: 'time' },
	{ title: 'mean', tip: 'average time from beginning to end of the complete calls or spans', is: 'time' },
	{ title: 'min', tip: 'the shortest complete call or span', is: 'time' },
	{ title: 'on CPU', tip: 'total time on a CPU, without interrupts and faults inside', is: 'time' },
	{ title: 'incomplete', key: 'cut off', tip: 'number of calls or spans whose beginning or end is outside this time, or was not recorded; sum and on CPU include their time', is: 'count' },
];
/** Columns for matches. */
const MATCHES: Column[] = [
	{ title: 'match', tip: 'click: go to it', is: 'text' },
	{ title: 'process', tip: 'process of the match', is: 'text' },
	{ title: 'CPU', tip: 'CPU on which the match begins', is: 'count' },
	{ title: 'begins', tip: 'time at which the match begins', is: 'when' },
	{ title: 'elapsed', tip: 'time from beginning to end; \u2265: the match is incomplete', is: 'time' },
	{ title: 'on CPU', tip: 'time on a CPU, without interrupts and faults inside', is: 'time' },
];
/** Returns the name of a column in addresses. */
const keyOf = (column: Column) => column.key ?? column.title;
/** Columns in which the time of the longest match may be only a lower bound. */
const BOUNDS = ['max', 'elapsed'];

export class QueryTable {
	order: Order = { column: 'sum', down: true };
	columns: Column[] = GROUPS;
	/** True if the lines are groups. */
	grouped = true;
	lines: Line[] = [];

	/** @param parts.changed called when the order has changed */
	constructor(
		public box: HTMLElement, public parts: {
			narrow: (only: string) => void, jump: (span: number) => void, changed: () => void, trace: Trace,
			when: (t: number) => string,
		},
	) {}

	sort({ column, down }: Order) {
		this.order = { column, down };
	}

	clear() {
		this.lines = [];
		this.box.replaceChildren();
	}

	/** Shows a result. @param by name of the grouping @param list matches to list one by one; null: list the groups */
	show({ groups }: Grouped, by: string, list: Match[] | null) {
		const { trace } = this.parts;
		this.grouped = !list;
		this.columns = list ? MATCHES : [...by.split(' and ').map((title) => ({ title, tip: 'click a row to search for its matches', is: 'text' } as Column)), ...GROUPS];
		this.lines = list ? list.map(({ span, elapsed, own, whole }) => ({
			cells: [spanName(trace, span), trace.pid[span] ? trace.pidLabel(trace.pid[span]) : 'idle', trace.cpuOf(span), trace.start[span], elapsed, own],
			only: '', span, bound: !whole,
		})) : groups.map((g) => ({
			cells: [...g.label, g.count, g.sum, g.most, g.p99, g.p50, g.mean, g.least, g.own, g.cut],
			only: g.only, span: g.longest, bound: !g.count,
		}));
		this.render();
	}

	#sorted() {
		const column = Math.max(0, this.columns.findIndex((c) => keyOf(c) === this.order.column));
		const sign = this.order.down ? -1 : 1;
		const value = (v: string | number) => (typeof v === 'number' && Number.isNaN(v) ? -1 : v);
		return [...this.lines].sort((a, b) => {
			const [x, y] = [value(a.cells[column]), value(b.cells[column])];
			const order = typeof x === 'number' && typeof y === 'number' ? x - y : String(x) < String(y) ? -1 : String(x) > String(y) ? 1 : 0;
			return order * sign || (String(a.cells[0]) < String(b.cells[0]) ? -1 : 1);
		});
	}

	render() {
		if (!this.lines.length) {
			this.clear();
			return;
		}
		const head = this.columns.map((column, i) => {
			const on = keyOf(column) === this.order.column;
			const click = () => {
				this.sort({ column: keyOf(column), down: on ? !this.order.down : column.is !== 'text' });
				this.render();
				this.parts.changed();
				(this.box.querySelectorAll('th button')[i] as HTMLElement | null)?.focus();
			};
			const button = make('button', '', this.parts.trace.term(column.title), { title: column.tip, click });
			return make('th', column.is === 'text' ? 'text' : '', [button], { 'aria-sort': !on ? 'none' : this.order.down ? 'descending' : 'ascending' });
		});
		const rows = this.#sorted().slice(0, MOST_ROWS).map((line) => this.#row(line));
		this.box.replaceChildren(make('table', 'lines sorted', [make('thead', '', [make('tr', '', head)]), make('tbody', '', rows)]));
		if (this.lines.length > MOST_ROWS) this.box.append(make('p', 'empty', `and ${format.count(this.lines.length - MOST_ROWS)} more: [CSV] saves all`));
	}

	#text(line: Line, i: number) {
		const value = line.cells[i];
		const { is, title } = this.columns[i];
		if (is === 'when') return this.parts.when(Number(value));
		if (is === 'count') return Number(value) === -1 ? '' : format.count(Number(value));
		if (is === 'text') return String(value);
		if (Number.isNaN(value)) return '';
		const bound = line.bound && BOUNDS.includes(title);
		return `${bound ? '\u2265\u2009' : ''}${format.brief(Number(value))}`;
	}

	#row(line: Line) {
		const { narrow, jump } = this.parts;
		const { grouped } = this;
		const cells = this.columns.map(({ is, title }, i) => {
			const text = this.#text(line, i);
			const press: (() => void) | null = i === 0 ? (grouped ? () => narrow(line.only) : () => jump(line.span)) : title === 'max' && line.span >= 0 ? () => jump(line.span) : null;
			if (!press) return make('td', is === 'text' ? 'text' : '', text, { title: is === 'text' ? text : undefined });
			return make('td', is === 'text' ? 'text' : '', [make('button', 'link', text, {
				'aria-label': i ? `longest of ${line.cells[0]}: ${text}, go there` : undefined,
				title: i || !grouped ? 'go to it' : `search for the matches of this row: ${text}`,
				click: (event) => {
					event.stopPropagation();
					press();
				},
			})]);
		});
		return make('tr', '', cells, { click: () => (grouped ? narrow(line.only) : jump(line.span)) });
	}

	/** Returns the whole table for a file. Times are in seconds. */
	cells(): string[][] {
		const { columns, parts: { trace } } = this;
		const seconds = ({ is }: Column) => is === 'time' || is === 'when';
		return [columns.map((c) => `${trace.term(c.title)}${seconds(c) ? ' s' : ''}`), ...this.#sorted().map((line) => line.cells.map((cell, i) =>
			(!seconds(columns[i]) ? String(cell) : Number.isNaN(cell) ? '' : (Number(cell) / 1e8).toFixed(columns[i].title === 'mean' ? 10 : 8))))];
	}
}
