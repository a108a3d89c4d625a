// SPDX-License-Identifier: BSD-3-Clause
/**
 * Who got the CPU that a process was switched away from while it could still run.
 * Never names anybody when that CPU went idle, or when the process itself is the next to run there.
 * Imported by process.js.
 */
import { isIdle } from '../base/kinds.js';

/** @typedef {import('../data/trace.js').Trace} Trace */
/** @typedef {import('../data/spans.js').SpanList} SpanList */

/**
 * @param {Trace} trace
 * @param {SpanList} spans of the process
 * @param {number} wait for a CPU, which begins where the process was switched away
 * @returns {number} pid; -1: nobody did
 */
export function takerOf(trace, spans, wait) {
	const k = spans.seek(trace.start[wait] + 0.5) - 1;
	if (k < 0) return -1;
	const last = spans.at(k);
	const list = trace.cpus.get(trace.cpuOf(last));
	if (!list) return -1;
	// spans of a CPU are numbered one behind the other
	const next = last + 1;
	if (next >= list.lo + list.length || isIdle(trace.kind(next))) return -1;
	const pid = trace.pid[next];
	return pid > 0 && pid !== trace.pid[last] ? pid : -1;
}
