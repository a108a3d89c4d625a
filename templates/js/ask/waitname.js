// SPDX-License-Identifier: BSD-3-Clause
/**
 * Finds the call in which a process waits, and makes the name of a wait: `waiting in wait4`. Names a call only if the
 * process was certainly in it when it stopped.
 */
import { Kind, WAIT_CPU, waitLetter, waits, isOwn } from '../base/kinds.js';
import { ABUT, processOf } from './causes.js';

/** @typedef {import('../data/trace.js').Trace} Trace */
/** @typedef {import('../data/spans.js').SpanList} SpanList */


/** Name of the reason of a wait if it is not known. */
const UNKNOWN = 'unknown';
/** Returns the name of a wait reason. @param {string} letter */
const reasonOf = (letter) => waits[letter]?.name ?? UNKNOWN;

/** Returns whether spans of this kind interrupt what a process was in. @param {number} kind */
const onTop = (kind) => kind === Kind.SCHED || kind === Kind.IRQ || kind === Kind.SOFTIRQ;

/**
 * Returns what a process was in when it stopped, without the scheduler and interrupts: a system call, a fault, user code.
 * @param {SpanList} list spans of the process
 * @param {number} i last element before the gap; -1: the gap is at the beginning
 * @returns {number} span; -1: not known
 */
export function stoppedIn(list, i) {
	let k = i;
	while (k > 0 && onTop(list.kind(k)) && list.start(k) - list.end(k - 1) <= ABUT) k--;
	return k >= 0 && !onTop(list.kind(k)) ? list.at(k) : -1;
}

/**
 * Returns the call or fault that a process is in between two of its spans.
 * @param {Trace} trace
 * @param {SpanList} list spans of the process
 * @param {number} i last element before the gap, or -1
 * @returns {number} span; -1: in no call, or not known
 */
export function callIn(trace, list, i) {
	const before = stoppedIn(list, i);
	if (before >= 0) return isOwn(trace.kind(before)) ? -1 : before;
	// take the call in which it continues, unless that call begins there
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

/**
 * Returns a function for the calls of waits. Waits must be passed in order of time, so that it goes through each process
 * once.
 * @param {Trace} trace
 * @returns {(wait: number) => number} span; -1: in no call, or not known
 */
export function callsOfWaits(trace) {
	/** @type {Map<number, {pid: number, list: SpanList | undefined, at: number}>} */
	const places = new Map();
	/** Position of the previous wait's process. @type {{pid: number, list: SpanList | undefined, at: number} | undefined} */
	let place;
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

/** Returns the call that a wait is in. @param {Trace} trace @param {number} wait @returns {number} span; -1: in no call, or not known */
export function callOfWait(trace, wait) {
	const list = processOf(trace, trace.pid[wait])?.spans;
	return list ? callIn(trace, list, list.seek(trace.start[wait] + 0.5) - 1) : -1;
}

/** Returns whether a wait is for a CPU. The process is then runnable, so the wait has no call. @param {Trace} trace @param {number} wait */
export const isReady = (trace, wait) => trace.event(wait) === WAIT_CPU;

/**
 * Returns the name of a wait: its reason and its call.
 * @param {Trace} trace
 * @param {number} wait
 */
export function waitName(trace, wait) {
	const shown = trace.shown(wait);
	const call = isReady(trace, wait) ? -1 : callOfWait(trace, wait);
	if (call < 0) return shown;
	const name = trace.shown(call);
	return reasonOf(waitLetter(trace.event(wait))) === UNKNOWN ? `waiting in ${name}` : `${shown}, in ${name}`;
}

/** Returns the name of a span for the page: of a call with its argument, of a wait with its call. @param {Trace} trace @param {number} span */
export const spanName = (trace, span) => (trace.kind(span) === Kind.WAIT && !trace.sorting ? waitName(trace, span) : trace.label(span));

/** Describes what a process waits for: the reason and the call. @param {string} letter @param {string} call '': in no call, or not known */
export function waitFor(letter, call) {
	const reason = reasonOf(letter);
	return call === '' ? reason : reason === UNKNOWN ? `in ${call}` : `${reason}, in ${call}`;
}

/**
 * Describes what a process waits for if the text already names the call. Repeats the call only if the reason is not known.
 * @param {string} letter
 * @param {string} call '': in no call
 */
export function reasonIn(letter, call) {
	const reason = reasonOf(letter);
	return call !== '' && reason === UNKNOWN ? `waiting in ${call}` : `waiting: ${reason}`;
}

/** Returns the reason and the call of a wait: `disk, in pread64`. @param {Trace} trace @param {number} wait */
export function reasonFor(trace, wait) {
	const call = trace.sorting || isReady(trace, wait) ? -1 : callOfWait(trace, wait);
	return waitFor(waitLetter(trace.event(wait)), call < 0 ? '' : trace.shown(call));
}
