// SPDX-License-Identifier: BSD-3-Clause
/**
 * Going to a span: its row opened and scrolled to, the span in the middle and annotated.
 * Never draws, and never changes what is searched or selected.
 * Imported by shell/app.js, cursor.js and panel/finder.js.
 */
import { Kind } from '../base/kinds.js';

/** @typedef {import('./view.js').View} View */

/**
 * The row that shows a span, opened and scrolled to if it must be: what waits is
 * in its process's row only.
 * @param {View} view
 * @param {number} span
 */
export function rowFor(view, span) {
	const { trace, rows } = view;
	const cpu = trace.cpuOf(span);
	const pid = trace.pid[span];
	if (trace.kind(span) === Kind.WAIT || cpu < 0) return rows.ensure('PID', pid);
	return rows.find('CPU', cpu) ?? rows.find('PID', pid) ?? rows.ensure('CPU', cpu) ?? rows.ensure('PID', pid);
}

/**
 * Brings a span, with all of the call that it is a piece of, into the middle and annotates it.
 * @param {View} view
 * @param {number} span
 * @param {boolean} closer zooms in until it can be seen well
 */
export function jumpTo(view, span, closer = false) {
	const row = rowFor(view, span);
	const { start, dur, calls } = view.trace;
	const begin = start[calls ? calls.first(span) : span];
	const elapsed = calls ? calls.elapsed(span) : dur[span];
	// of a call in many pieces the pieces are to be seen
	const width = Math.max(elapsed * (elapsed > dur[span] ? 1.6 : 16), 1000);
	const middle = begin + elapsed / 2;
	if (closer && width < view.t1 - view.t0) view.showBounded(middle - width / 2, middle + width / 2);
	else view.reveal(span);
	view.measure = null;
	view.pins = row ? [{ span, group: row.group, id: row.id }] : [];
	view.draw();
}
