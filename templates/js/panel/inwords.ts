// SPDX-License-Identifier: BSD-3-Clause
/**
 * Describes the picture in words for people who cannot see it: the shown range, the selected and annotated spans, and the
 * spans of each visible row in this range, including graphs. Writes only when the picture is at rest, so that it delays no
 * frame.
 */
import { byId, make } from '../base/dom.ts';
import * as format from '../base/format.ts';
import { USE_PARTS, useIn } from '../ask/machine.ts';
import { spoken } from '../scene/chosen.ts';
import { fullLabel, type RowOf } from '../scene/rows.ts';
import { when } from '../scene/times.ts';
import { few } from './reading.ts';
import type { View } from '../scene/view.ts';

/** The picture is at rest when nothing was drawn for this time, ms. */
const REST_MS = 400;
/** Maximum number of rows that are described. */
const MOST_ROWS = 100;

const percent = (share: number) => `${(100 * share).toFixed(1)}\u2009%`;
const sumOf = (values: Float64Array) => values.reduce((sum, value) => sum + value, 0);

/** Describes a graph: the average or the sum of its parts, and its maximum. */
function graphText(view: View, { row, graph, columns }: View['drawn']['graphs'][0]) {
	const { parts, peak, unit } = graph;
	const step = (view.t1 - view.t0) / columns;
	const place = (at: number) => when(view, view.t0 + at * step + view.offset(row), row);
	const totals = Float64Array.from({ length: columns }, (_, x) => parts.reduce((sum, { values }) => sum + values[x], 0));
	const most = peak ?? totals;
	const top = most.reduce((best, value, x) => (value > most[best] ? x : best), 0);
	const counted = unit === 'packets';
	const shift = view.offset(row);
	/** Number of columns in which recording was on. */
	const recorded = view.trace.recordedIn(view.t0 + shift, view.t1 + shift) / step;
	const each = parts.length > 1 ? `: ${parts.map(({ name, values }) => `${name} ${few(counted ? sumOf(values) : sumOf(values) / recorded)}`).join(', ')}` : '';
	const all = counted ? `${format.count(sumOf(totals))} packets` : `on average ${few(sumOf(totals) / recorded)} ${unit}`;
	return `graph, ${all}${each}; maximum ${few(most[top])}, at ${place(top)}`;
}

/** Describes the spans of a row, as shares of the shown time without pauses and stops. */
function rowText(view: View, row: RowOf) {
	const shift = view.offset(row);
	const use = useIn(row.spans, view.t0 + shift, view.t1 + shift);
	const recorded = view.trace.recordedIn(view.t0 + shift, view.t1 + shift);
	const share = (units: number) => percent(units / recorded);
	const total = sumOf(use);
	const parts = USE_PARTS.map((name, i) => (use[i] > 0 ? `${name} ${share(use[i])}` : '')).filter(Boolean);
	return total > 0 ? `ran ${share(total)} of the time: ${parts.join(', ')}` : 'did not run';
}

function textOf(view: View, row: RowOf) {
	const graph = view.drawn.graphs.find((g) => g.row === row);
	if (graph) return graphText(view, graph);
	if (row.group === 'Resource') {
		const n = row.spans.seek(view.t1) - row.spans.first(view.t0);
		return `used ${format.count(Math.max(0, n))} times`;
	}
	return rowText(view, row);
}

/** Prepares the description. @returns a function that describes the picture when it is at rest; call it after each frame */
export function inWords(view: View): () => void {
	const box = byId('inwords');
	const write = () => {
		const { rows, chosen, pins } = view;
		const caption = make('caption', '', `Shown: ${format.duration(view.t1 - view.t0)} from ${when(view, view.t0)}`);
		const lines = rows.visible.slice(0, MOST_ROWS).map((row) => make('tr', '', [make('th', '', fullLabel(row), { scope: 'row' }), make('td', '', textOf(view, row))]));
		const table = make('table', '', [caption, make('tbody', '', lines)]);
		const { above, below } = rows.unseen();
		const hidden = above + below + Math.max(0, rows.visible.length - MOST_ROWS);
		const stopped = view.trace.stoppedIn(view.t0, view.t1);
		const stolen = view.trace.stolenIn(view.t0, view.t1);
		const texts = [...(stopped ? [`The machine did not run for ${format.duration(stopped)} of the shown time`] : []),
			...(stolen ? [`Single CPUs did not run for ${format.duration(stolen)} (inferred)`] : []), ...(chosen ? [`Outlined: ${spoken(view, chosen)}`] : []), ...pins.map((pin) => `Annotated: ${spoken(view, pin)}`),
			...(hidden ? [`${format.count(hidden)} more rows`] : [])];
		box.replaceChildren(...texts.map((text) => make('p', '', text)), table);
	};
	let later: ReturnType<typeof setTimeout> | undefined;
	return () => {
		clearTimeout(later);
		later = setTimeout(write, REST_MS);
	};
}
