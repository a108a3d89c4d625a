// SPDX-License-Identifier: BSD-3-Clause
/** Chooses the default interval for the critical path to a span. Times are in units of 10 ns. */
import { Kind, isExecution } from '../base/kinds.ts';
import { ABUT, indexAt, processOf } from './causes.ts';
import type { Trace } from '../data/trace.ts';

/** Returns the interval of a system call or fault, otherwise of the process's run with the wait before it. null: no process. */
export function intervalOf(trace: Trace, span: number): {pid: number, from: number, to: number} | null {
	// while a worker sorts the spans, trace.pid has no ids of threads
	trace.processes();
	const kind = trace.kind(span);
	const wakes = kind === Kind.WAKE;
	const pid = wakes ? trace.woken(span) : trace.pid[span];
	const list = pid > 0 ? processOf(trace, pid)?.spans : undefined;
	if (!list?.length) return null;
	const { calls } = trace;
	if (calls && (kind === Kind.SYSCALL || kind === Kind.TRAP)) {
		const from = trace.start[calls.first(span)];
		return { pid, from, to: from + calls.elapsed(span) };
	}
	// a wait ends where the process runs again
	const gone = wakes || kind === Kind.WAIT;
	let i = gone ? Math.min(list.length - 1, list.seek(trace.end(span) - 0.5)) : Math.max(0, indexAt(list, trace.start[span]));
	const to = gone ? Math.max(trace.end(span), list.start(i)) : isExecution(kind) ? trace.end(span) : trace.start[span];
	// find the beginning of the run, and the gap before it
	while (i > 0 && list.start(i) - list.end(i - 1) <= ABUT) i--;
	const from = i > 0 ? list.end(i - 1) : Math.min(trace.first, list.start(i));
	return from < to ? { pid, from, to } : null;
}
