// SPDX-License-Identifier: BSD-3-Clause
/** Goes to a span: opens its row, scrolls to it, shows and annotates the span. Must not change the search or the selected time. */
import { Kind } from '../base/kinds.ts';
import { extentOf } from './chosen.ts';
import type { RowOf } from './rows.ts';
import type { Pin, View } from './view.ts';

/** Returns the row that shows a span, after opening it and scrolling to it. Only the process's row shows a wait. */
function rowFor(view: View, span: number) {
	const { trace, rows } = view;
	const cpu = trace.cpuOf(span);
	const pid = trace.pid[span];
	if (trace.kind(span) === Kind.WAIT || cpu < 0) return rows.ensure('PID', pid);
	return rows.find('CPU', cpu) ?? rows.find('PID', pid) ?? rows.ensure('CPU', cpu) ?? rows.ensure('PID', pid);
}

/** Shows a span with its whole call in the middle, and annotates it. @param closer zoom in, in the row of the span's process */
export function jumpTo(view: View, span: number, closer = false) {
	const { dur, pid, sorting } = view.trace;
	// the row of the span's process exists only when the spans are sorted by process
	const row = (closer && pid[span] > 0 && !sorting ? view.rows.ensure('PID', pid[span]) : null) ?? rowFor(view, span);
	const { begin, elapsed } = extentOf(view.trace, span);
	// of a call with several parts, show all parts
	const width = Math.max(elapsed * (elapsed > dur[span] ? 1.6 : 16), 1000);
	const middle = begin + elapsed / 2;
	if (closer && width < view.t1 - view.t0) view.showBounded(middle - width / 2, middle + width / 2);
	else view.reveal(span);
	annotate(view, span, row);
}

function annotate(view: View, span: number, row: RowOf | null) {
	view.measure = null;
	view.pins = row ? [{ span, group: row.group, id: row.id }] : [];
	view.chosen = view.pins[0] ?? view.chosen;
	view.draw();
}

/** Annotates a span. If the beginning of the span is not visible, goes there first. */
export function pointOut(view: View, span: number) {
	const { start } = view.trace;
	if (start[span] < view.t0 || start[span] > view.t1) jumpTo(view, span);
	else annotate(view, span, rowFor(view, span));
}

/** A span that is narrower than LEAST_PIXELS is enlarged to NEAR_PIXELS when the user goes to it. */
const LEAST_PIXELS = 4;
const NEAR_PIXELS = 40;
/** Share of the picture's width for a span that fills it. */
const SHARE = 0.8;

/** Shows a time range in a row. With relative times, the row may be shifted. */
function showIn(view: View, row: RowOf | null, middle: number, width: number) {
	const t0 = middle - width / 2 - (row ? view.offset(row) : 0);
	view.showBounded(t0, t0 + width);
}

/** Selects a span and makes it visible with its whole call. Nothing moves if the span is clearly visible. Annotations stay. */
export function goTo(view: View, span: number) {
	const row = rowFor(view, span);
	const { begin, elapsed } = extentOf(view.trace, span);
	const across = view.t1 - view.t0;
	const shift = row ? view.offset(row) : 0;
	const small = (elapsed / across) * view.width < LEAST_PIXELS;
	const width = small ? Math.max(1000, (elapsed * view.width) / NEAR_PIXELS) : elapsed > SHARE * across ? elapsed / SHARE : across;
	const seen = begin - shift >= view.t0 && begin + elapsed - shift <= view.t1;
	if (!seen || width < across) showIn(view, row, begin + elapsed / 2, Math.min(width, Math.max(across, elapsed / SHARE)));
	view.chosen = { span, group: row?.group ?? 'CPU', id: row?.id ?? view.trace.cpuOf(span) };
	view.draw();
}

/** Zooms to a span, or to the call that the span is a part of. */
export function zoomTo(view: View, { span, group, id }: Pin) {
	const { begin, elapsed } = extentOf(view.trace, span);
	showIn(view, view.rows.find(group, id), begin + elapsed / 2, Math.max(elapsed / SHARE, 100));
}
