// SPDX-License-Identifier: BSD-3-Clause
/**
 * The span that is chosen: what it is said to be, from when to when its call goes.
 * Never draws, and never says it itself.
 * Imported by jump.js, draw/chosen.js, panel/details.js and shell/cursor.js.
 */
import { isMark } from '../base/kinds.js';
import { spanName } from '../ask/waitname.js';
import { lasting } from './lasting.js';
import { fullLabel } from './rows.js';
import { when } from './times.js';

/** @typedef {import('../data/trace.js').Trace} Trace */
/** @typedef {import('./view.js').View} View */
/** @typedef {import('./view.js').Pin} Pin */

/** From when to when a span, or the call that it is a piece of, goes. @param {Trace} trace @param {number} span */
export function extentOf({ start, dur, calls }, span) {
	if (!calls) return { begin: start[span], elapsed: dur[span] };
	return { begin: start[calls.first(span)], elapsed: calls.elapsed(span) };
}

/** What a screen reader says of a span. @param {View} view @param {Pin} pin */
export function spoken(view, { span, group, id }) {
	const row = view.rows.find(group, id);
	const { trace } = view;
	const length = isMark(trace.kind(span)) ? '' : `, ${lasting(trace, span)}`;
	return `${row ? fullLabel(row) : ''}: ${spanName(trace, span)}${length}, at ${when(view, trace.start[span], row)}`;
}
