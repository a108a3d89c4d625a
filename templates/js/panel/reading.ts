// SPDX-License-Identifier: BSD-3-Clause
/** Shows the values of a graph, or of bars of arcs and marks, at the pointer. x and y are CSS pixels of the plot. */
import * as format from '../base/format.ts';
import { when } from '../scene/times.ts';
import { showTip } from './tooltip.ts';
import type { RowOf } from '../scene/rows.ts';
import type { View } from '../scene/view.ts';

/** Formats a number with three digits. */
export const few = (value: number) => String(Number(value.toPrecision(3)));

/** Returns the values of a graph at a position; null: there is no graph. */
export function readingAt(view: View, row: RowOf, x: number): {title: string, lines: [string, string][]} | null {
	const drawn = view.drawn.graphs.find((g) => g.row === row);
	if (!drawn || x < 0 || x >= view.width) return null;
	const { graph, columns } = drawn;
	const at = Math.min(columns - 1, Math.floor((x / view.width) * columns));
	const step = (view.t1 - view.t0) / columns;
	const total = graph.parts.reduce((sum, { values }) => sum + values[at], 0);
	const lines: [string, string][] = [['from', `${when(view, view.t0 + at * step + view.offset(row), row)} for ${format.duration(step)}`]];
	if (graph.parts.length > 1) for (const { name, values } of graph.parts) lines.push([name, few(values[at])]);
	else lines.push([graph.parts[0].name, few(total)]);
	if (graph.peak) lines.push(['maximum', few(graph.peak[at])]);
	const share = graph.unit.startsWith('CPU') ? ` (${few((100 * total) / graph.most)} %)` : '';
	return { title: `${row.label}: ${few(total)} ${graph.unit}${share}`, lines };
}

/** Shows the values of a graph. @returns whether there is a graph */
export function showReading(view: View, row: RowOf, x: number, event: MouseEvent): boolean {
	const reading = readingAt(view, row, x);
	if (!reading) return false;
	showTip(reading.title, reading.lines, null, event.clientX, event.clientY);
	return true;
}

/** Shows how many arcs, marks or messages the bar at a point stands for. @returns whether there are bars */
export function showBars(view: View, x: number, y: number, event: MouseEvent): boolean {
	const bars = view.drawn.bars.find(({ y0, y1 }) => y >= y0 && y < y1);
	if (!bars || x < 0 || x >= view.width) return false;
	const { what, parts, t0, step, most } = bars;
	const cell = Math.floor((view.time(x) - t0) / step);
	const total = parts.reduce((sum, { counts }) => sum + counts[cell], 0);
	showTip(`${what} that begin here: ${format.count(total)}`, [
		['from', `${when(view, t0 + cell * step)} for ${format.duration(step)}`],
		...parts.map(({ name, counts }) => [name, format.count(counts[cell])] as [string, string]),
		['highest bar', format.count(most)],
	], null, event.clientX, event.clientY);
	return true;
}
