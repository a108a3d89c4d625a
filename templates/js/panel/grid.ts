// SPDX-License-Identifier: BSD-3-Clause
/** Makes a table of names and numbers: headings that sort, names with links, and times with links to their span. */
import { make } from '../base/dom.ts';
import * as format from '../base/format.ts';
import type { Subject } from '../ask/process.ts';

/** goes: a click or key on the cell goes to the line's span; key: name in addresses, if it is not the title. */
export type Column = {title: string, key?: string, show: (value: any) => string, tip: string, goes?: boolean};

export interface Line {
	cells: (string | number)[];
	span: number; /* span that a click goes to; -1: none */
	key: string;
	bound?: boolean; /* true: the longest call is incomplete, so it took at least this long */
	opens?: (Subject | null)[]; /* subject that each name at the left opens */
}
export type Order = {column: number, down: boolean};
/** Lines that are sorted independently of other groups. head: line with their sums. */
export type Group = {head: Line | null, lines: Line[]};

interface Shape {
	label: string; /* name of the table for screen readers */
	columns: Column[]; /* the columns of text are first */
	order: Order | null; /* null: unsorted */
	sort?: (order: Order) => void; /* called when a heading is clicked */
	jump: (span: number) => void;
	open: (subject: Subject) => void;
	title: (column: Column) => string; /* returns the title of a column */
}

export const text = String;
export const time = (units: number) => format.brief(units);
/** Formats a time. Returns '' for a missing time, which is negative. */
export const timeIfAny = (units: number) => (units >= 0 ? format.brief(units) : '');
export const count = (n: number) => (n ? format.count(n) : '0');
export const percent = (share: number) => {
	const p = share * 100;
	return `${p >= 99.95 || p === 0 ? p.toFixed(0) : p >= 9.995 ? p.toFixed(1) : p >= 0.01 ? p.toFixed(2) : '<0.01'}\u2009%`;
};
/** Formats a share. Returns '' for a missing share, which is negative. */
export const percentIfAny = (share: number) => (share >= 0 ? percent(share) : '');
/** Converts NaN to -1, with which a cell marks a missing time. */
export const orNone = (units: number) => (Number.isNaN(units) ? -1 : units);

/** Inserts a name. If it ends in a pid, the pid stays visible when the name is cut. */
export function putName(into: HTMLElement, name: string) {
	const [, front, pid] = /^(.+)(\.\d+(?:#\d+)?)$/.exec(name) ?? ['', name, ''];
	into.append(make('span', 'front', front));
	if (pid) into.append(make('span', '', pid));
	into.title = name;
}

/** Sorts lines in place. Equal lines are sorted by their first name. */
export function sortLines(lines: Line[], order: Order | null) {
	if (!order) return lines;
	const { column } = order;
	const sign = order.down ? -1 : 1;
	return lines.sort((a, b) => {
		const [x, y] = [a.cells[column], b.cells[column]];
		const by = typeof x === 'number' && typeof y === 'number' ? x - y : String(x) < String(y) ? -1 : String(x) > String(y) ? 1 : 0;
		return by * sign || (String(a.cells[0]) < String(b.cells[0]) ? -1 : 1);
	});
}

const isTime = ({ show }: Column) => show === time || show === timeIfAny;

/** Returns the table for a file: a heading with units, and the lines. Times are in seconds. */
export function cellsOf({ columns, title }: Pick<Shape, 'columns' | 'title'>, lines: Line[]): string[][] {
	return [columns.map((c) => (isTime(c) ? `${title(c)} s` : title(c))), ...lines.map((line) => line.cells.map((cell, i) =>
		(!isTime(columns[i]) ? String(cell) : Number(cell) < 0 ? '' : (Number(cell) / 1e8).toFixed(8))))];
}

function headOf({ columns, order, sort, title }: Shape) {
	return make('thead', '', [make('tr', '', columns.map((c, i) => {
		const tip = c.tip || undefined;
		const className = c.show === text ? 'text' : '';
		if (!order || !sort) return make('th', className, [make('span', '', title(c), { title: tip })]);
		const on = order.column === i;
		const click = () => sort({ column: i, down: on ? !order.down : c.show !== text });
		return make('th', className, [make('button', '', title(c), { title: tip, click })], { 'aria-sort': on ? (order.down ? 'descending' : 'ascending') : 'none' });
	}))]);
}

/** Makes the cell of a name, which opens the details of its subject, or goes to the line's span. */
function nameCell(line: Line, i: number, value: string, { open }: Shape) {
	const subject = line.opens?.[i];
	const box = make(i === 0 || subject ? 'button' : 'div', 'name');
	putName(box, value);
	if (subject) {
		box.dataset.opens = '';
		box.title = `${value}: show everything about it`;
		box.addEventListener('click', (event) => {
			event.stopPropagation();
			open(subject);
		});
	} else if (i === 0) {
		(box as HTMLButtonElement).disabled = line.span < 0;
	}
	return box;
}

/** Makes the row of a line. @param texts number of text columns at the left */
function rowOf(line: Line, shape: Shape, texts: number) {
	const cells = shape.columns.map((c, i) => {
		const value = (line.bound && c.goes ? '\u2265\u2009' : '') + c.show(line.cells[i]);
		if (i < texts) return make('td', 'text', [nameCell(line, i, value, shape)]);
		return make('td', '', c.goes && line.span >= 0 && value ? [make('button', '', value, { title: 'go to the longest call or span' })] : value);
	});
	return line.span >= 0 ? make('tr', 'goes', cells, { click: () => shape.jump(line.span) }) : make('tr', '', cells);
}

export function grid(shape: Shape, groups: Group[]) {
	const texts = shape.columns.filter((c) => c.show === text).length;
	const bodies = groups.map(({ head, lines }) => {
		const rows = (head ? [head, ...lines] : lines).map((line) => rowOf(line, shape, texts));
		if (head) rows[0].classList.add('of');
		return make('tbody', '', rows);
	});
	return make('table', 'grid', [headOf(shape), ...bodies], { 'aria-label': shape.label });
}
