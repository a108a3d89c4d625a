// SPDX-License-Identifier: BSD-3-Clause
/**
 * Which rows of a group are shown, and in which order: the filter box, and sorting.
 * Never changes a list it is given.
 * Imported by rows.js; the menu (panel/rowmenu.js) offers what is in ORDERS.
 */
import { asTree } from '../ask/forks.js';
import { programOf } from '../base/kinds.js';

/** @typedef {import('./rows.js').RowOf} RowOf */

/** What rows can be sorted by, as the address has it and as people read it; the first is as the trace has them. */
export const ORDERS = /** @type {const} */ ([
	['number', 'number'],
	['cpu', 'CPU time'],
	['start', 'start'],
	['name', 'name'],
	['tree', 'who forked whom'],
]);
/** @typedef {typeof ORDERS[number][0]} Order */

/** @param {string | null} text @returns {Order} the first when it is none */
export const orderOf = (text) => ORDERS.find(([id]) => id === text)?.[0] ?? ORDERS[0][0];

/**
 * The filter as it is typed: a regular expression, capitals do not matter, looked for in
 * a row's label; with ! in front, the rows without it.
 * @param {string} text
 * @returns {((label: string) => boolean) | null} null: all
 * @throws {SyntaxError} when it is no regular expression
 */
export function filterOf(text) {
	const invert = text.startsWith('!');
	const pattern = invert ? text.slice(1) : text;
	if (!pattern) return null;
	const expression = new RegExp(pattern, 'i');
	return (label) => expression.test(label) !== invert;
}

/** When a row's first span or wait begins, units. @param {RowOf} row */
function startOf(row) {
	return Math.min(...[row.spans, row.waits].map((list) => (list?.length ? list.start(0) : Infinity)));
}

/** CPU time of a row in the whole trace, units. @param {RowOf} row */
function cpuTime(row) {
	if (!row.spans.length) return 0;
	row.spans.prepare();
	return row.spans.busyTime(0, row.spans.length);
}

const compareNames = new Intl.Collator('en', { numeric: true, sensitivity: 'accent' }).compare;

/**
 * Rows of processes, each behind the one that forked it.
 * @param {RowOf[]} rows
 * @param {Map<number, import('../ask/forks.js').Birth>} births
 */
function inTree(rows, births) {
	const byId = new Map(rows.map((row) => [row.id, row]));
	return asTree(rows, births).map(({ id, depth, guessed }) => {
		const row = /** @type {RowOf} */ (byId.get(id));
		row.depth = depth;
		row.guessed = guessed;
		return row;
	});
}

/**
 * Most CPU time first, or by start, or by program; where these are alike, as they were.
 * Processes also as a tree; then the other groups stay as they are.
 * @param {RowOf[]} rows of one group
 * @param {Order} order
 * @param {() => Map<number, import('../ask/forks.js').Birth>} births
 * @returns {RowOf[]}
 */
export function sorted(rows, order, births) {
	for (const row of rows) row.depth = 0;
	if (order === 'tree') return rows[0]?.group === 'PID' ? inTree(rows, births()) : rows;
	if (order === 'number') return rows;
	if (order === 'name') {
		const named = rows.map((row) => ({ row, name: programOf(row.label) }));
		return named.sort((a, b) => compareNames(a.name, b.name)).map(({ row }) => row);
	}
	const keyed = rows.map((row) => ({ row, key: order === 'cpu' ? -cpuTime(row) : startOf(row) }));
	return keyed.sort((a, b) => (a.key < b.key ? -1 : a.key > b.key ? 1 : 0)).map(({ row }) => row);
}
