// SPDX-License-Identifier: BSD-3-Clause
/**
 * Makes a table of names and numbers: headings that sort, names with links, times that go to their span. Must not compute
 * the values, and must insert names as text.
 */
import { make } from '../base/dom.js';
import * as format from '../base/format.js';

/** @typedef {import('../ask/process.js').Subject} Subject */
/**
 * goes: a click or key on the cell goes to the line's span.
 * @typedef {{title: string, show: (value: any) => string, tip: string, goes?: boolean}} Column
 */
/**
 * @typedef {object} Line
 * @property {(string | number)[]} cells
 * @property {number} span span that a click goes to; -1: none
 * @property {string} key
 * @property {boolean} [bound] the longest took at least this long
 * @property {(Subject | null)[]} [opens] subjects of the names at the left
 */
/** @typedef {{column: number, down: boolean}} Order */
/** Lines that are sorted among themselves. head: their sum. @typedef {{head: Line | null, lines: Line[]}} Group */

/**
 * @typedef {object} Shape
 * @property {string} label for screen readers
 * @property {Column[]} columns columns of text first
 * @property {Order | null} order null: unsorted
 * @property {(order: Order) => void} [sort] called when a heading is clicked
 * @property {(span: number) => void} jump
 * @property {(subject: Subject) => void} open
 * @property {(column: Column) => string} title returns the title of a column
 */

export const text = String;
/** Formats a time. @param {number} units */
export const time = (units) => format.brief(units);
/** Formats a time that may be missing. @param {number} units */
export const timeIfAny = (units) => (units >= 0 ? format.brief(units) : '');
/** Formats a number. @param {number} n */
export const count = (n) => (n ? format.count(n) : '0');
/** Formats a share as percentage. @param {number} share */
export const percent = (share) => {
	const p = share * 100;
	return `${p >= 99.95 || p === 0 ? p.toFixed(0) : p >= 9.995 ? p.toFixed(1) : p >= 0.01 ? p.toFixed(2) : '<0.01'}\u2009%`;
};
/** Formats a share that may be missing. @param {number} share */
export const percentIfAny = (share) => (share >= 0 ? percent(share) : '');
/** Converts a time that may be NaN for a cell. @param {number} units */
export const orNone = (units) => (Number.isNaN(units) ? -1 : units);

/**
 * Inserts a name. If it ends in a pid, the pid stays visible when the name is cut.
 * @param {HTMLElement} into
 * @param {string} name
 */
export function putName(into, name) {
	const [, front, pid] = /^(.+)(\.\d+)$/.exec(name) ?? ['', name, ''];
	into.append(make('span', 'front', front));
	if (pid) into.append(make('span', '', pid));
	into.title = name;
}

/** Sorts lines in place. Equal lines are sorted by their first name. @param {Line[]} lines @param {Order | null} order */
export function sortLines(lines, order) {
	if (!order) return lines;
	const { column } = order;
	const sign = order.down ? -1 : 1;
	return lines.sort((a, b) => {
		const [x, y] = [a.cells[column], b.cells[column]];
		const by = typeof x === 'number' && typeof y === 'number' ? x - y : String(x) < String(y) ? -1 : String(x) > String(y) ? 1 : 0;
		return by * sign || (String(a.cells[0]) < String(b.cells[0]) ? -1 : 1);
	});
}

/** Returns whether a column has times. @param {Column} column */
const isTime = ({ show }) => show === time || show === timeIfAny;

/**
 * Returns the table for a file: a heading with units, and the lines. Times are in seconds.
 * @param {Pick<Shape, 'columns' | 'title'>} shape
 * @param {Line[]} lines
 * @returns {string[][]}
 */
export function cellsOf({ columns, title }, lines) {
	return [columns.map((c) => (isTime(c) ? `${title(c)} s` : title(c))), ...lines.map((line) => line.cells.map((cell, i) =>
		(!isTime(columns[i]) ? String(cell) : Number(cell) < 0 ? '' : (Number(cell) / 1e8).toFixed(8))))];
}

/** Makes the headings. @param {Shape} shape */
function headOf({ columns, order, sort, title }) {
	const head = make('tr');
	columns.forEach((c, i) => {
		const cell = make('th', c.show === text ? 'text' : '');
		if (order && sort) {
			const on = order.column === i;
			cell.setAttribute('aria-sort', on ? (order.down ? 'descending' : 'ascending') : 'none');
			const button = make('button', '', title(c));
			if (c.tip) button.title = c.tip;
			button.addEventListener('click', () => sort({ column: i, down: on ? !order.down : c.show !== text }));
			cell.append(button);
		} else {
			const name = make('span', '', title(c));
			if (c.tip) name.title = c.tip;
			cell.append(name);
		}
		head.append(cell);
	});
	const thead = make('thead');
	thead.append(head);
	return thead;
}

/**
 * Makes the cell of a name, which opens the details of its subject, or goes to the line's span.
 * @param {Line} line
 * @param {number} i index of its column
 * @param {string} value
 * @param {Shape} shape
 */
function nameCell(line, i, value, { open }) {
	const subject = line.opens?.[i];
	const box = make(i === 0 || subject ? 'button' : 'div', 'name');
	putName(box, value);
	if (subject) {
		box.dataset.opens = '';
		box.title = `${value}: everything about it`;
		box.addEventListener('click', (event) => {
			event.stopPropagation();
			open(subject);
		});
	} else if (i === 0) {
		/** @type {HTMLButtonElement} */ (box).disabled = line.span < 0;
	}
	return box;
}

/** Makes the row of a line. @param {Line} line @param {Shape} shape @param {number} texts number of text columns at the left */
function rowOf(line, shape, texts) {
	const row = make('tr');
	shape.columns.forEach((c, i) => {
		const value = (line.bound && c.goes ? '\u2265\u2009' : '') + c.show(line.cells[i]);
		const cell = make('td', i < texts ? 'text' : '');
		if (i < texts) {
			cell.append(nameCell(line, i, value, shape));
		} else if (c.goes && line.span >= 0 && value) {
			const button = make('button', '', value);
			button.title = 'go to it';
			cell.append(button);
		} else {
			cell.textContent = value;
		}
		row.append(cell);
	});
	if (line.span >= 0) {
		row.classList.add('goes');
		row.addEventListener('click', () => shape.jump(line.span));
	}
	return row;
}

/** Makes the table. @param {Shape} shape @param {Group[]} groups */
export function grid(shape, groups) {
	const table = make('table', 'grid');
	table.setAttribute('aria-label', shape.label);
	const texts = shape.columns.filter((c) => c.show === text).length;
	table.append(headOf(shape));
	for (const { head, lines } of groups) {
		const body = make('tbody');
		if (head) {
			const row = rowOf(head, shape, texts);
			row.classList.add('of');
			body.append(row);
		}
		for (const line of lines) body.append(rowOf(line, shape, texts));
		table.append(body);
	}
	return table;
}
