// SPDX-License-Identifier: BSD-3-Clause
/**
 * The picture as a table of words, for who does not see it: what is shown of the trace, what is outlined and annotated, and what
 * each row in sight did in that time, graphs among them.
 * Never in a frame's way: written when the picture has rested. Imported by shell/app.js.
 */
import { byId, make } from '../base/dom.js';
import * as format from '../base/format.js';
import { USE_PARTS, useIn } from '../ask/machine.js';
import { spoken } from '../scene/chosen.js';
import { fullLabel } from '../scene/rows.js';
import { when } from '../scene/times.js';

/** @typedef {import('../scene/view.js').View} View */
/** @typedef {import('../scene/rows.js').RowOf} RowOf */

/** The picture has rested when nothing was drawn for so long, ms. */
const REST_MS = 400;
/** More rows than this nobody listens to. */
const MOST_ROWS = 100;

/** @param {number} share */
const percent = (share) => `${(100 * share).toFixed(1)}\u2009%`;
/** @param {number} value */
const few = (value) => String(Number(value.toPrecision(3)));
/** @param {Float64Array} values */
const sumOf = (values) => values.reduce((sum, value) => sum + value, 0);

/** A graph: its parts on average, or added up, and its most. @param {View} view @param {View['drawn']['graphs'][0]} drawn */
function graphText(view, { row, graph, columns }) {
	const { parts, peak, unit } = graph;
	const step = (view.t1 - view.t0) / columns;
	/** @param {number} at */
	const place = (at) => when(view, view.t0 + at * step + view.offset(row), row);
	const totals = Float64Array.from({ length: columns }, (_, x) => parts.reduce((sum, { values }) => sum + values[x], 0));
	const most = peak ?? totals;
	const top = most.reduce((best, value, x) => (value > most[best] ? x : best), 0);
	const counted = unit === 'packets';
	const each = parts.length > 1 ? `: ${parts.map(({ name, values }) => `${name} ${few(counted ? sumOf(values) : sumOf(values) / columns)}`).join(', ')}` : '';
	const all = counted ? `${format.count(sumOf(totals))} packets` : `on average ${few(sumOf(totals) / columns)} ${unit}`;
	return `graph, ${all}${each}; most ${few(most[top])}, at ${place(top)}`;
}

/** What ran in a row, as shares of the time that is shown. @param {View} view @param {RowOf} row */
function rowText(view, row) {
	const shift = view.offset(row);
	const use = useIn(row.spans, view.t0 + shift, view.t1 + shift);
	const share = (/** @type {number} */ units) => percent(units / Math.max(1, view.t1 - view.t0));
	const total = sumOf(use);
	const parts = USE_PARTS.map((name, i) => (use[i] > 0 ? `${name} ${share(use[i])}` : '')).filter(Boolean);
	return total > 0 ? `ran ${share(total)} of the time: ${parts.join(', ')}` : 'did not run';
}

/** @param {View} view @param {RowOf} row */
function textOf(view, row) {
	const graph = view.drawn.graphs.find((g) => g.row === row);
	if (graph) return graphText(view, graph);
	if (row.group === 'Resource') {
		const n = row.spans.seek(view.t1) - row.spans.first(view.t0);
		return `used ${format.count(Math.max(0, n))} times`;
	}
	return rowText(view, row);
}

/** @param {View} view @returns {() => void} to be called behind each frame */
export function inWords(view) {
	const box = byId('inwords');
	const write = () => {
		const { rows, chosen, pins } = view;
		const table = make('table');
		table.append(make('caption', '', `Shown: ${format.duration(view.t1 - view.t0)} from ${when(view, view.t0)}`));
		const body = make('tbody');
		for (const row of rows.visible.slice(0, MOST_ROWS)) {
			const line = make('tr');
			const head = make('th', '', fullLabel(row));
			head.setAttribute('scope', 'row');
			line.append(head, make('td', '', textOf(view, row)));
			body.append(line);
		}
		table.append(body);
		const { above, below } = rows.unseen();
		const hidden = above + below + Math.max(0, rows.visible.length - MOST_ROWS);
		const said = [...(chosen ? [`Outlined: ${spoken(view, chosen)}`] : []), ...pins.map((pin) => `Annotated: ${spoken(view, pin)}`),
			...(hidden ? [`${format.count(hidden)} more rows`] : [])];
		box.replaceChildren(...said.map((text) => make('p', '', text)), table);
	};
	/** @type {ReturnType<typeof setTimeout> | undefined} */
	let later;
	return () => {
		clearTimeout(later);
		later = setTimeout(write, REST_MS);
	};
}
