// SPDX-License-Identifier: BSD-3-Clause
/** Finds the process that took the CPU from a runnable process. */
import { isIdle } from '../base/kinds.ts';
import type { SpanList } from '../data/spans.ts';
import type { Trace } from '../data/trace.ts';

/**
 * Returns the process that took the CPU. -1: the CPU became idle, or the same process ran next.
 * @param spans spans of the process that lost the CPU
 * @param wait wait of this process for a CPU, which begins at the preemption
 */
export function preemptorOf(trace: Trace, spans: SpanList, wait: number): number {
	const k = spans.seek(trace.start[wait] + 0.5) - 1;
	if (k < 0) return -1;
	const last = spans.at(k);
	const list = trace.cpus.get(trace.cpuOf(last));
	if (!list) return -1;
	// the spans of a CPU have consecutive numbers
	const next = last + 1;
	if (next >= list.lo + list.length || isIdle(trace.kind(next))) return -1;
	const pid = trace.pid[next];
	return pid > 0 && pid !== trace.pid[last] ? pid : -1;
}
