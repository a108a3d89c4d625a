// SPDX-License-Identifier: BSD-3-Clause
/** Finds the times in which a process did not run: between runs, before its birth, after its exit. Times are in units of 10 ns. */
import { ABUT, processOf, wakeOf } from './causes.ts';
import { endsAfter, exitsOf } from './ends.ts';
import { birthOf, inFork, type Birth } from './forks.ts';
import { callIn } from './waitname.ts';
import type { SpanList } from '../data/spans.ts';
import type { Trace } from '../data/trace.ts';

/**
 * Why a process did not run. stopped: it had run before, or was in a call that began before the trace. new: forked, but has
 * not run yet. unborn: not forked yet. unseen: asleep or not forked yet; the trace does not show which. exited: it has
 * exited. off: recording was off, or events of some CPUs are missing, so the trace does not show its activity. queued: it has
 * waited for a CPU since its wakeup; the time before the wakeup was not recorded. held: it had a CPU, which did not run.
 */
type There = 'stopped' | 'new' | 'unborn' | 'unseen' | 'exited' | 'off' | 'queued' | 'held';
/** birth: set for new and unborn. */
export type Gap = {from: number, to: number, there: There, birth: Birth | null};

/** Returns the latest possible time of a process's birth: its parent's return, its first wakeup or its first run. */
function bornAt(trace: Trace, pid: number, list: SpanList, birth: Birth) {
	const ran = list.length ? list.start(0) : Infinity;
	const wake = wakeOf(trace, pid, -Infinity, ran);
	return Math.min(ran, wake < 0 ? Infinity : trace.start[wake], Number.isNaN(birth.end) ? Infinity : birth.end);
}

/** Returns the gap before the first run of a process. */
function beforeAll(trace: Trace, pid: number, list: SpanList, t: number): Gap {
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
 * Returns the time in a gap from which the trace shows the process: the beginning of the gap, or, if recording was off in the
 * gap or events are missing, its first wakeup after that; without such a wakeup, the end of the gap. gap_start() in why.c
 * does the same.
 */
export function recordedFrom(trace: Trace, pid: number, from: number, to: number) {
	let complete = trace.partial && trace.isPartial(from) ? trace.partial.to : from;
	trace.pauses.each(from, to, (g) => {
		if (trace.arg.at(g)) complete = Math.max(complete, trace.end(g));
	});
	if (complete === from || complete >= to) return Math.min(complete, to);
	const wake = wakeOf(trace, pid, complete, to);
	return wake < 0 ? to : Math.max(complete, trace.start[wake]);
}

/** Returns the gap of a process around t; null: the process ran at t. */
export function gapAt(trace: Trace, pid: number, t: number): Gap | null {
	const list = processOf(trace, pid)?.spans;
	if (!list) return null;
	const next = list.seek(t + 0.001);
	if (next === 0 && trace.first > t) return null;
	const gap: Gap = next === 0 ? beforeAll(trace, pid, list, t) : {
		from: list.end(next - 1), to: next < list.length ? list.start(next) : trace.last,
		there: endsAfter(trace, list, next - 1, exitsOf(trace)) ? 'exited' : 'stopped', birth: null,
	};
	if (trace.stopOf(pid, gap.from, gap.to) >= 0) {
		gap.there = 'held';
	} else if (gap.there === 'stopped' || gap.there === 'unseen') {
		const since = next > 0 || trace.isPartial(gap.from) ? recordedFrom(trace, pid, gap.from, gap.to) : gap.from;
		if (since > t) Object.assign(gap, { to: since, there: 'off' });
		else if (since > gap.from) Object.assign(gap, { from: since, there: 'queued' });
	}
	return gap.from <= t && gap.to - gap.from > ABUT ? gap : null;
}

/** Returns the beginning of the last run that begins at or before t, and whether it is the process's first run. null: no run. */
export function runBefore(list: SpanList, t: number) {
	let k = list.seek(t + 0.001) - 1;
	if (k < 0) return null;
	while (k > 0 && list.start(k) - list.end(k - 1) <= ABUT) k--;
	return { from: list.start(k), first: k === 0 };
}

/** Returns a time in the gap before the run that contains a span. */
export function gapBefore(trace: Trace, span: number) {
	const list = processOf(trace, trace.pid[span])?.spans;
	const run = list ? runBefore(list, trace.start[span]) : null;
	return (run ? run.from : trace.start[span]) - 0.5;
}
