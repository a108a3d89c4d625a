// SPDX-License-Identifier: BSD-3-Clause
/** Makes the name of a wait: `waiting in wait4`. Names a call only if the process was certainly in this call when it stopped. */
import { Kind, WAIT_CPU, WAIT_THROTTLED, waitLetter, waits, isOwn } from '../base/kinds.ts';
import { ABUT, processOf } from './causes.ts';
import type { SpanList } from '../data/spans.ts';
import type { Trace } from '../data/trace.ts';

/** Text for a wait reason that is not known. */
const UNKNOWN = 'unknown';
const reasonOf = (letter: string) => waits[letter]?.name ?? UNKNOWN;

/** Returns whether spans of this kind interrupt a process's call or own code. */
const onTop = (kind: number) => kind === Kind.SCHED || kind === Kind.IRQ || kind === Kind.SOFTIRQ;

/**
 * Returns the span that a process was in when it stopped, without the scheduler and interrupts: a system call, a fault,
 * user code.
 * @param list spans of the process
 * @param i last element before the gap; -1: the gap is at the beginning
 * @returns span; -1: not known
 */
export function stoppedIn(list: SpanList, i: number): number {
	let k = i;
	while (k > 0 && onTop(list.kind(k)) && list.start(k) - list.end(k - 1) <= ABUT) k--;
	return k >= 0 && !onTop(list.kind(k)) ? list.at(k) : -1;
}

/** Returns the call or fault that a process is in after element i of its list; -1: in no call, or not known. */
export function callIn(trace: Trace, list: SpanList, i: number): number {
	const before = stoppedIn(list, i);
	if (before >= 0) return isOwn(trace.kind(before)) ? -1 : before;
	// use the call in which the process continues after the gap, unless that call begins there
	let k = i + 1;
	// KUtrace 3 has an empty span where the scheduler returns into a call
	let empty = false;
	for (; k + 1 < list.length && list.start(k + 1) - list.end(k) <= ABUT; k++) {
		const none = list.start(k) === list.end(k);
		if (!none && !onTop(list.kind(k))) break;
		empty ||= none;
	}
	if (k >= list.length || trace.kind(list.at(k)) !== Kind.SYSCALL) return -1;
	if (empty) return list.at(k);
	if (!trace.calls) return -1;
	const { noBegin, part } = trace.calls.of(list.at(k));
	return noBegin || part > 1 ? list.at(k) : -1;
}

/** Returns a function that finds the call of a wait; -1: in no call, or not known. Call it with the waits in order of time. */
export function callsOfWaits(trace: Trace): (wait: number) => number {
	const places: Map<number, {pid: number, list: SpanList | undefined, at: number}> = new Map();
	/** Element of places for the process of the previous wait. */
	let place: {pid: number, list: SpanList | undefined, at: number} | undefined;
	return (wait) => {
		const pid = trace.pid[wait];
		if (place?.pid !== pid) place = places.get(pid);
		if (!place) places.set(pid, (place = { pid, list: processOf(trace, pid)?.spans, at: 0 }));
		const { list } = place;
		if (!list) return -1;
		place.at = list.seek(trace.start[wait] + 0.5, place.at);
		return callIn(trace, list, place.at - 1);
	};
}

/** Returns the call that a wait is in. @returns span; -1: in no call, or not known */
export function callOfWait(trace: Trace, wait: number): number {
	const list = processOf(trace, trace.pid[wait])?.spans;
	return list ? callIn(trace, list, list.seek(trace.start[wait] + 0.5) - 1) : -1;
}

/** Returns whether a wait is for a CPU. */
export const isReady = (trace: Trace, wait: number) => trace.event(wait) === WAIT_CPU;

/** Returns whether the process was runnable: it waited for a CPU, or was throttled. The name of the wait then contains no call. */
export const isRunnable = (trace: Trace, wait: number) => isReady(trace, wait) || trace.event(wait) === WAIT_THROTTLED;

/** Returns the name of a wait: its reason and its call. */
export function waitName(trace: Trace, wait: number) {
	const shown = trace.shown(wait);
	const call = isRunnable(trace, wait) ? -1 : callOfWait(trace, wait);
	if (call < 0) return shown;
	const name = trace.shown(call);
	return reasonOf(waitLetter(trace.event(wait))) === UNKNOWN ? `waiting in ${name}` : `${shown}, in ${name}`;
}

/** Returns the name of a span for the page: of a call with its argument, of a wait with its call. */
export const spanName = (trace: Trace, span: number) => (trace.kind(span) === Kind.WAIT && !trace.sorting ? waitName(trace, span) : trace.label(span));

/** Describes what a process waits for: the reason and the call. @param call '': in no call, or not known */
export function waitFor(letter: string, call: string) {
	const reason = reasonOf(letter);
	return call === '' ? reason : reason === UNKNOWN ? `in ${call}` : `${reason}, in ${call}`;
}

/** Returns the activity of a waiting process for a sentence: `waiting for a lock`; `waiting`: the reason is not known. */
export const doingOf = (letter: string) => (reasonOf(letter) === UNKNOWN ? 'waiting' : waits[letter].doing);

/** Describes a wait for a text that already names the call. Repeats the call only if the reason is not known. */
export function reasonIn(letter: string, call: string) {
	const reason = reasonOf(letter);
	return call !== '' && reason === UNKNOWN ? `waiting in ${call}` : `waiting: ${reason}`;
}

/** Returns the reason and the call of a wait: `disk, in pread64`. */
export function reasonFor(trace: Trace, wait: number) {
	const call = trace.sorting || isRunnable(trace, wait) ? -1 : callOfWait(trace, wait);
	return waitFor(waitLetter(trace.event(wait)), call < 0 ? '' : trace.shown(call));
}
