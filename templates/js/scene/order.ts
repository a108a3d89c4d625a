// SPDX-License-Identifier: BSD-3-Clause
/** Filters and sorts the rows of a group. Must not change the list that it gets. */
import { asTree, type Birth } from '../ask/forks.ts';
import { programOf } from '../base/kinds.ts';
import type { RowOf } from './rows.ts';

/** The orders of rows: id in the address, and name for the page. The first one is the order of the trace. */
export const ORDERS = [
	['number', 'number'],
	['cpu', 'CPU time'],
	['start', 'start'],
	['name', 'name'],
	['tree', 'who forked whom'],
] as const;
export type Order = typeof ORDERS[number][0];

/** Returns the order for a text. @returns the first order if the text is not an order */
export const orderOf = (text: string | null): Order => ORDERS.find(([id]) => id === text)?.[0] ?? ORDERS[0][0];

/**
 * Returns the test for a typed filter: a regular expression for labels, in any case; a leading ! inverts the test. null: all
 * rows.
 * @throws SyntaxError if text is not a regular expression
 */
export function filterOf(text: string): ((label: string) => boolean) | null {
	const invert = text.startsWith('!');
	const pattern = invert ? text.slice(1) : text;
	if (!pattern) return null;
	const expression = new RegExp(pattern, 'i');
	return (label) => expression.test(label) !== invert;
}

/** Returns when a row's first span or wait begins, units of 10 ns. */
export function startOf(row: RowOf) {
	return Math.min(...[row.spans, row.waits].map((list) => (list?.length ? list.start(0) : Infinity)));
}

function cpuTime(row: RowOf) {
	if (!row.spans.length) return 0;
	row.spans.prepare();
	return row.spans.busyTime(0, row.spans.length);
}

const compareNames = new Intl.Collator('en', { numeric: true, sensitivity: 'accent' }).compare;

/** Orders rows of processes as a tree, each after its parent. */
function inTree(rows: RowOf[], births: Map<number, Birth>) {
	const byId = new Map(rows.map((row) => [row.id, row]));
	return asTree(rows, births).map(({ id, depth, guessed }) => {
		const row = byId.get(id)!;
		row.depth = depth;
		row.guessed = guessed;
		return row;
	});
}

/** Sorts rows by CPU time (most first), start, program or as a tree. Equal rows keep their order. Only processes can be a tree. */
export function sorted(rows: RowOf[], order: Order, births: () => Map<number, Birth>): RowOf[] {
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
