// SPDX-License-Identifier: BSD-3-Clause
/**
 * Finds the times in which a process did not run: between two runs, before its birth, after its exit. A process that does
 * not exist does not wait. Times are in units of 10 ns.
 */
import { ABUT, processOf, wakeOf } from './causes.js';
import { endsBehind, exitsOf } from './ends.js';
import { birthOf, inFork } from './forks.js';
import { callIn } from './waitname.js';

/** @typedef {import('../data/trace.js').Trace} Trace */
/** @typedef {import('../data/spans.js').SpanList} SpanList */
/** @typedef {import('./forks.js').Birth} Birth */

/**
 * Why a process did not run. stopped: it had run before, or was in a call that began before the trace. new: forked, but has
 * not run yet. unborn: not forked yet. unseen: asleep or not forked yet; the trace does not show which. exited: it has
 * exited. off: recording was off, or events of some CPUs are missing, so the trace does not show its activity.
 * @typedef {'stopped' | 'new' | 'unborn' | 'unseen' | 'exited' | 'off'} There
 */
/** birth: for new and unborn. @typedef {{from: number, to: number, there: There, birth: Birth | null}} Gap */

/**
 * Returns the latest possible time of a process's birth: its parent's call returned, or it was woken, or it ran.
 * @param {Trace} trace
 * @param {number} pid
 * @param {SpanList} list
 * @param {Birth} birth
 */
function bornAt(trace, pid, list, birth) {
	const ran = list.length ? list.start(0) : Infinity;
	const wake = wakeOf(trace, pid, -Infinity, ran);
	return Math.min(ran, wake < 0 ? Infinity : trace.start[wake], Number.isNaN(birth.end) ? Infinity : birth.end);
}

/**
 * Returns the gap before the first run of a process.
 * @param {Trace} trace
 * @param {number} pid
 * @param {SpanList} list
 * @param {number} t
 * @returns {Gap}
 */
function beforeAll(trace, pid, list, t) {
	const to = list.length ? list.start(0) : trace.last;
	const birth = birthOf(trace, pid);
	if (birth) {
		const born = bornAt(trace, pid, list, birth);
		return t < born ? { from: trace.first, to: born, there: 'unborn', birth } : { from: born, to, there: 'new', birth };
	}
	const call = callIn(trace, list, -1);
	return { from: trace.first, to, there: call >= 0 && !inFork(trace, call) ? 'stopped' : 'unseen', birth: null };
}

/**
 * Returns the gap of a process around t; null if it ran.
 * @param {Trace} trace
 * @param {number} pid
 * @param {number} t
 * @returns {Gap | null}
 */
export function gapAt(trace, pid, t) {
	const list = processOf(trace, pid)?.spans;
	if (!list) return null;
	const next = list.seek(t + 0.001);
	if (next === 0 && trace.first > t) return null;
	/** @type {Gap} */
	const gap = next === 0 ? beforeAll(trace, pid, list, t) : {
		from: list.end(next - 1), to: next < list.length ? list.start(next) : trace.last,
		there: endsBehind(trace, list, next - 1, exitsOf(trace)) ? 'exited' : 'stopped', birth: null,
	};
	const off = trace.isPartial(gap.from) || (next > 0 && trace.pausedIn(gap.from, gap.to));
	if (off && (gap.there === 'stopped' || gap.there === 'unseen')) gap.there = 'off';
	return gap.from <= t && gap.to - gap.from > ABUT ? gap : null;
}

/**
 * Returns when the run began that reaches t.
 * @param {SpanList} list
 * @param {number} t
 */
export function runBefore(list, t) {
	let k = list.seek(t + 0.001) - 1;
	if (k < 0) return null;
	while (k > 0 && list.start(k) - list.end(k - 1) <= ABUT) k--;
	return { from: list.start(k), first: k === 0 };
}

/** Returns a time in the gap before the run that contains a span. @param {Trace} trace @param {number} span */
export function gapBefore(trace, span) {
	const list = processOf(trace, trace.pid[span])?.spans;
	const run = list ? runBefore(list, trace.start[span]) : null;
	return (run ? run.from : trace.start[span]) - 0.5;
}
