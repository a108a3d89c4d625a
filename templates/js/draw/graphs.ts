// SPDX-License-Identifier: BSD-3-Clause
/** Draws graphs over time. Must compute a graph only once while the range, the size and the rows are the same. */
import { Kind } from '../base/kinds.ts';
import { css, type Palette } from '../base/palette.ts';
import { processUse, type Graph } from '../ask/machine.ts';
import { caption } from './sizes.ts';
import type { RowOf } from '../scene/rows.ts';
import type { View } from '../scene/view.ts';

/** Minimum width of a column, CSS pixels; maximum number of columns in a frame; minimum height of a process's row, CSS pixels. */
const COLUMN = 2;
const MOST_COLUMNS = 12000;
const LEAST_HEIGHT = 8;
/** Kind whose colour an area of a graph has, by the name of the area. Other areas have the colours of waits. */
const KINDS = new Map<string, number>([['kernel', Kind.SYSCALL], ['interrupts', Kind.IRQ], ['received', Kind.PACKET], ['sent', Kind.MARK_B], ['user', Kind.USER]]);

const lastGraphs: WeakMap<RowOf, {key: string, graph: Graph}> = new WeakMap();

/** Returns the graph of a row, in n columns of the view's range. */
function graphOf(view: View, row: RowOf, n: number) {
	const t0 = view.t0 + view.offset(row);
	const step = (view.t1 - view.t0) / n;
	const key = `${t0} ${step} ${n}`;
	const known = lastGraphs.get(row);
	if (known?.key === key) return known.graph;
	const graph = row.quantity ? row.quantity.graph(t0, step, n) : processUse(row.spans, t0, step, n);
	lastGraphs.set(row, { key, graph });
	return graph;
}

function colorOf(palette: Palette, part: string, row: RowOf) {
	const kind = KINDS.get(part);
	return css(kind === undefined ? palette.waits[row.id === 2 ? 'd' : 'c'] : palette.kinds[kind]);
}

/** Draws one graph: stacked areas, the peaks as a line, and the top of the scale as text. */
function drawGraph(ctx: CanvasRenderingContext2D, view: View, row: RowOf, graph: Graph, n: number) {
	const { palette } = view;
	const wide = view.width / n;
	const foot = row.y + row.h;
	const high = (row.h - 2) / graph.most;
	const below = new Float64Array(n);
	for (const { name, values } of graph.parts) {
		ctx.fillStyle = colorOf(palette, name, row);
		ctx.beginPath();
		for (let x = 0; x < n; x++) {
			const top = below[x] + values[x];
			if (values[x] > 0) ctx.rect(x * wide, foot - top * high, wide, values[x] * high);
			below[x] = top;
		}
		ctx.fill();
	}
	if (graph.peak) {
		ctx.strokeStyle = css(palette.text);
		ctx.lineWidth = 1;
		ctx.beginPath();
		for (let x = 0; x < n; x++) {
			const y = foot - graph.peak[x] * high;
			if (x) ctx.lineTo(x * wide, y);
			else ctx.moveTo(0, y);
			ctx.lineTo((x + 1) * wide, y);
		}
		ctx.stroke();
	}
	if (row.h < 20 || !row.quantity) return;
	const text = `${row.quantity.what}; top: ${Number(graph.most.toPrecision(3))} ${graph.unit}${graph.unit === 'packets' ? ' a column' : ''}`;
	caption(ctx, palette, text, 2, row.y + 1, 13);
}

/** Returns whether the row has a graph instead of bars. */
export const graphed = (view: View, row: RowOf) => row.quantity !== null || (view.options.use && row.group === 'PID' && row.h >= LEAST_HEIGHT);

export function drawGraphs(ctx: CanvasRenderingContext2D, view: View) {
	const { rows } = view;
	view.drawn.graphs = [];
	const wanted = rows.visible.filter((row) => graphed(view, row));
	if (!wanted.length) return;
	const lists = wanted.reduce((sum, row) => sum + (row.quantity?.id === 0 ? view.trace.cpus.size : 1), 0);
	const n = Math.max(20, Math.min(Math.floor(view.width / COLUMN), Math.floor(MOST_COLUMNS / lists)));
	ctx.save();
	for (const row of wanted) {
		const graph = graphOf(view, row, n);
		drawGraph(ctx, view, row, graph, n);
		view.drawn.graphs.push({ row, graph, columns: n });
	}
	ctx.restore();
}
