// SPDX-License-Identifier: BSD-3-Clause
/**
 * Describes the duration of a span and, for a part of a call, of the call. Must not depend on where the text is shown.
 */
import * as format from '../base/format.ts';
import { isCall } from '../data/calls.ts';
import type { Trace } from '../data/trace.ts';

/** Returns `2.01 ms`, or `2.01 ms, part 3 of 11 of 29.874 ms`. */
export function durationText(trace: Trace, span: number) {
	const time = format.duration(trace.dur[span]);
	if (!isCall(trace.kind(span)) || !trace.calls) return time;
	const { part, pieces, elapsed, noBegin, noEnd } = trace.calls.of(span);
	const bound = noBegin || noEnd ? '\u2265 ' : '';
	if (pieces.length === 1) return bound + time;
	return `${time}, part ${part} of ${format.count(pieces.length)} of ${bound}${format.duration(elapsed)}`;
}
