// SPDX-License-Identifier: BSD-3-Clause
/**
 * Finds the spans of a thread around a span: the call that contains it, the calls inside, the gaps with their waits and
 * wakeups. Whether a call without an end in the trace contains the following spans is explained in
 * docs/design/reconstruction.md. Times are in units of 10 ns.
 */
import { Kind } from '../base/kinds.ts';
import { isCall, type Calls } from '../data/calls.ts';
import { ABUT, processOf, wakeOf } from './causes.ts';
import type { SpanList } from '../data/spans.ts';
import type { Trace } from '../data/trace.ts';

/** A time in which a thread did not run, with its waits and the wakeup that ended it; wake -1: none. */
export type Gap = {from: number, to: number, waits: number[], wake: number};

/** Maximum number of elements of a thread, or of wakeups, that one function reads. */
const MOST = 5000;

/** Returns the spans of g's thread in time order; for idle time, of its CPU. null: there are none, or they are not sorted yet. */
export function threadOf(trace: Trace, g: number): SpanList | null {
	if (trace.pid[g] <= 0) return trace.cpus.get(trace.cpuOf(g)) ?? null;
	return trace.sorting ? null : processOf(trace, trace.pid[g])?.spans ?? null;
}

export function placeIn(list: SpanList, g: number) {
	let i = list.seek(list.starts[g]);
	while (i < list.length && list.at(i) !== g) i++;
	return i;
}

/** Returns whether span s is a part of a call in the thread of g. */
const isCallOfThread = (trace: Trace, g: number, s: number) => trace.pid[s] === trace.pid[g] && isCall(trace.kind(s));

/**
 * Returns the call in which the call of span g began.
 * @returns span -1: none; open: the end of the returned call is not in the trace, so it may have ended before span g
 */
export function parentOf(trace: Trace, calls: Calls, list: SpanList, g: number): {span: number, open: boolean} {
	const first = calls.first(g);
	const none = { span: -1, open: false };
	if (trace.kind(g) === Kind.SYSCALL) return none;
	for (let k = placeIn(list, first) - 1, n = 0; k >= 0 && n < MOST; n++) {
		const s = list.at(k);
		if (!isCallOfThread(trace, g, s)) return none;
		const began = calls.first(s);
		if (trace.start[calls.last(s)] > trace.start[first]) return { span: began, open: false };
		if (!calls.ends(s)) return { span: began, open: true };
		k = placeIn(list, began) - 1;
	}
	return none;
}

/** Returns the first parts of the calls that began directly in the call of span g. all: false if there may be more calls. */
export function childrenOf(trace: Trace, calls: Calls, list: SpanList, g: number): {spans: number[], all: boolean} {
	const last = calls.last(g);
	const open = !calls.ends(g);
	const spans: number[] = [];
	const call = calls.first(g);
	let k = placeIn(list, call) + 1;
	for (let n = 0; n < MOST; n++) {
		const s = k < list.length ? list.at(k) : -1;
		const beyond = s < 0 || trace.start[s] > trace.start[last];
		if (beyond && (!open || s < 0 || !isCallOfThread(trace, g, s) || trace.kind(s) === Kind.SYSCALL)) return { spans, all: true };
		if (calls.first(s) === call || trace.pid[s] !== trace.pid[g]) {
			k++;
			continue;
		}
		spans.push(calls.first(s));
		k = placeIn(list, calls.last(s)) + 1;
	}
	return { spans, all: false };
}

function waitsIn(trace: Trace, pid: number, from: number, to: number) {
	const list = processOf(trace, pid)?.waits;
	const spans: number[] = [];
	if (list) for (let i = list.first(from); i < list.length && list.start(i) < to; i++) if (list.end(i) > from) spans.push(list.at(i));
	return spans;
}

/** Returns the gap before element i of a thread; null: there is no gap, or the trace has no earlier element of the thread. */
export function gapTo(trace: Trace, list: SpanList, i: number): Gap | null {
	if (i < 1 || i >= list.length) return null;
	const [from, to] = [list.end(i - 1), list.start(i)];
	const pid = trace.pid[list.at(i)];
	if (to - from <= ABUT || pid <= 0) return null;
	return { from, to, waits: waitsIn(trace, pid, from, to), wake: wakeOf(trace, pid, from, to) };
}

/** Returns the first element of the run that contains element i; -1: the run has too many elements. */
export function runStart(list: SpanList, i: number) {
	for (let n = 0; i > 0 && list.start(i) - list.end(i - 1) <= ABUT; i--) if (++n > MOST) return -1;
	return i;
}

export function gapsIn(trace: Trace, calls: Calls, list: SpanList, g: number): {gaps: Gap[], all: boolean} {
	const gaps: Gap[] = [];
	const end = placeIn(list, calls.last(g));
	const from = placeIn(list, calls.first(g)) + 1;
	for (let i = from; i <= end && i < from + MOST; i++) {
		const gap = gapTo(trace, list, i);
		if (gap) gaps.push(gap);
	}
	return { gaps, all: end < from + MOST };
}

/** Returns the wakeups and IPIs that began in these spans. */
export function sentFrom(trace: Trace, pieces: ArrayLike<number>): {spans: number[], all: boolean} {
	const { ids } = trace.arcs;
	const spans: number[] = [];
	let left = MOST;
	for (let p = 0; p < pieces.length; p++) {
		const [cpu, end] = [trace.cpuOf(pieces[p]), trace.end(pieces[p])];
		for (let i = trace.arcs.seek(trace.start[pieces[p]]); i < ids.length && trace.start[ids[i]] < end; i++) {
			if (trace.cpuOf(ids[i]) === cpu) spans.push(ids[i]);
			if (--left < 0) return { spans, all: false };
		}
		if (--left < 0) return { spans, all: false };
	}
	return { spans, all: true };
}
