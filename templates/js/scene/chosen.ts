// SPDX-License-Identifier: BSD-3-Clause
/** Describes the selected span, with the extent of its call. Must not draw or speak itself. */
import { isMark } from '../base/kinds.ts';
import { spanName } from '../ask/waitname.ts';
import { durationText } from './durationtext.ts';
import { fullLabel } from './rows.ts';
import { when } from './times.ts';
import type { Trace } from '../data/trace.ts';
import type { Pin, View } from './view.ts';

/** Returns begin and elapsed time of a span, or of the call that it is a part of. */
export function extentOf({ start, dur, calls }: Trace, span: number) {
	if (!calls) return { begin: start[span], elapsed: dur[span] };
	return { begin: start[calls.first(span)], elapsed: calls.elapsed(span) };
}

/** Returns the text for a screen reader that describes a span. */
export function spoken(view: View, { span, group, id }: Pin) {
	const row = view.rows.find(group, id);
	const { trace } = view;
	const length = isMark(trace.kind(span)) ? '' : `, ${durationText(trace, span)}`;
	return `${row ? fullLabel(row) : ''}: ${spanName(trace, span)}${length}, at ${when(view, trace.start[span], row)}`;
}
