// SPDX-License-Identifier: BSD-3-Clause
/** Describes a span, with the extent and the parts of its call. Must not draw or speak itself. */
import * as format from '../base/format.ts';
import { isMark } from '../base/kinds.ts';
import { spanName } from '../ask/waitname.ts';
import { isCall } from '../data/calls.ts';
import { fullLabel } from './rows.ts';
import { when } from './times.ts';
import type { Trace } from '../data/trace.ts';
import type { Pin, View } from './view.ts';

/** Returns the beginning and the elapsed time of a span, or of the call that the span is a part of. */
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

/** Returns the duration of a span as text: `2.01 ms`; for a part of a call `2.01 ms, part 3 of 11 of 29.874 ms`. */
export function durationText(trace: Trace, span: number) {
	const time = format.duration(trace.dur[span]);
	if (!isCall(trace.kind(span)) || !trace.calls) return time;
	const { part, pieces, elapsed, noBegin, noEnd } = trace.calls.of(span);
	const bound = noBegin || noEnd ? '\u2265 ' : '';
	if (pieces.length === 1) return bound + time;
	return `${time}, part ${part} of ${format.count(pieces.length)} of ${bound}${format.duration(elapsed)}`;
}
