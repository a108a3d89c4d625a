// SPDX-License-Identifier: BSD-3-Clause
/** Describes the selected span, with the extent of its call. Must not draw or speak itself. */
import { isMark } from '../base/kinds.js';
import { spanName } from '../ask/waitname.js';
import { lasting } from './lasting.js';
import { fullLabel } from './rows.js';
import { when } from './times.js';

/** @typedef {import('../data/trace.js').Trace} Trace */
/** @typedef {import('./view.js').View} View */
/** @typedef {import('./view.js').Pin} Pin */

/** Returns begin and elapsed time of a span, or of the call that it is a part of. @param {Trace} trace @param {number} span */
export function extentOf({ start, dur, calls }, span) {
	if (!calls) return { begin: start[span], elapsed: dur[span] };
	return { begin: start[calls.first(span)], elapsed: calls.elapsed(span) };
}

/** Returns the text for a screen reader that describes a span. @param {View} view @param {Pin} pin */
export function spoken(view, { span, group, id }) {
	const row = view.rows.find(group, id);
	const { trace } = view;
	const length = isMark(trace.kind(span)) ? '' : `, ${lasting(trace, span)}`;
	return `${row ? fullLabel(row) : ''}: ${spanName(trace, span)}${length}, at ${when(view, trace.start[span], row)}`;
}
