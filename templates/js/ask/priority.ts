// SPDX-License-Identifier: BSD-3-Clause
/** Finds the policy and the priority of a thread at a time. Must not guess: '' if the trace does not have it. */
import * as Event from '../base/events.ts';
import { Kind } from '../base/kinds.ts';
import { bisect } from '../data/intervals.ts';
import type { Trace } from '../data/trace.ts';

/** Spans of priorities, in time order, by the number of the thread. Number 0: threads without spans of their own. */
const found: WeakMap<Trace, Map<number, number[]>> = new WeakMap();

function spansOf(trace: Trace): Map<number, number[]> {
	const known = found.get(trace);
	if (known) return known;
	const byPid: Map<number, number[]> = new Map();
	if (trace.events.includes(Event.PRIORITY_SPAN)) {
		for (const g of trace.byKind[Kind.POINT]) {
			if (trace.event(g) !== Event.PRIORITY_SPAN) continue;
			const pid = trace.pidOf(trace.pid[g]);
			(byPid.get(pid) ?? byPid.set(pid, []).get(pid)!).push(g);
		}
	}
	found.set(trace, byPid);
	return byPid;
}

function textAt(trace: Trace, spans: number[] | undefined, t: number): string {
	const span = spans?.[bisect(0, spans.length, (i) => trace.start[spans[i]] <= t) - 1];
	return span === undefined || trace.end(span) < t ? '' : trace.text(span);
}

/** Returns the policy and the priority: "FIFO 50". @param pid id of the thread */
export function priorityAt(trace: Trace, pid: number, t: number): string {
	if (pid <= 0) return '';
	const spans = spansOf(trace);
	return textAt(trace, spans.get(trace.pidOf(pid)), t) || textAt(trace, spans.get(0), t);
}
