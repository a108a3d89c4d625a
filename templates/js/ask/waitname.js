// SPDX-License-Identifier: BSD-3-Clause
/**
 * In which call a process waits, and what a wait is called: `waiting in wait4`.
 * Never names a call that the process was not in when it stopped, nor one that it only might have been in.
 * Imported by what adds up waits, explains them, or shows a span's name.
 */
import { Kind, WAIT_CPU, waitLetter, waits, isOwn } from '../base/kinds.js';
import { ABUT, processOf } from './causes.js';

/** @typedef {import('../data/trace.js').Trace} Trace */
/** @typedef {import('../data/spans.js').SpanList} SpanList */


/** What a wait is for of which the waker showed no reason. */
const UNKNOWN = 'unknown';
/** @param {string} letter */
const reasonOf = (letter) => waits[letter]?.name ?? UNKNOWN;

/** Stands on top of what a process is in. @param {number} kind */
const onTop = (kind) => kind === Kind.SCHED || kind === Kind.IRQ || kind === Kind.SOFTIRQ;

/**
 * What a process was in when it stopped, without the scheduler and interrupts: a system call, a fault, user code.
 * @param {SpanList} list of the process
 * @param {number} i its last element before the gap; -1: the gap is its beginning
 * @returns {number} span; -1: not known
 */
export function stoppedIn(list, i) {
	let k = i;
	while (k > 0 && onTop(list.kind(k)) && list.start(k) - list.end(k - 1) <= ABUT) k--;
	return k >= 0 && !onTop(list.kind(k)) ? list.at(k) : -1;
}

/**
 * The call, or fault, that a process is in between two of its spans.
 * @param {Trace} trace
 * @param {SpanList} list of the process
 * @param {number} i its last element before the gap, or -1
 * @returns {number} span; -1: in none, or not known
 */
export function callIn(trace, list, i) {
	const before = stoppedIn(list, i);
	if (before >= 0) return isOwn(trace.kind(before)) ? -1 : before;
	// what it comes back to, unless that begins there
	let k = i + 1;
	// the original has a row of no length where the scheduler returns into a call
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
 * The calls of waits that are asked for in order of time: each process is gone through once.
 * @param {Trace} trace
 * @returns {(wait: number) => number} span; -1: in none, or not known
 */
export function callsOfWaits(trace) {
	/** @type {Map<number, {pid: number, list: SpanList | undefined, at: number}>} */
	const places = new Map();
	/** Of the wait before. @type {{pid: number, list: SpanList | undefined, at: number} | undefined} */
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

/** The call that a wait is in. @param {Trace} trace @param {number} wait span @returns {number} span; -1: in none, or not known */
export function callOfWait(trace, wait) {
	const list = processOf(trace, trace.pid[wait])?.spans;
	return list ? callIn(trace, list, list.seek(trace.start[wait] + 0.5) - 1) : -1;
}

/** Is it a wait for a CPU? The process could run, and so is in no call that waits. @param {Trace} trace @param {number} wait */
export const isReady = (trace, wait) => trace.event(wait) === WAIT_CPU;

/**
 * What a wait is called: for what, and in which call.
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

/** A span as the page calls it: a call as people write it, a wait by the call that it is in. @param {Trace} trace @param {number} span */
export const spanName = (trace, span) => (trace.kind(span) === Kind.WAIT && !trace.sorting ? waitName(trace, span) : trace.label(span));

/** For what a process waits: the reason, and the call. @param {string} letter @param {string} call '': in none, or not known */
export function waitFor(letter, call) {
	const reason = reasonOf(letter);
	return call === '' ? reason : reason === UNKNOWN ? `in ${call}` : `${reason}, in ${call}`;
}

/** For what a process waits, where the call that it is in is already said: only of what is not known otherwise, it says more. @param {string} letter @param {string} call '': in none */
export function reasonIn(letter, call) {
	const reason = reasonOf(letter);
	return call !== '' && reason === UNKNOWN ? `waiting in ${call}` : `waiting: ${reason}`;
}

/** For what a wait is, and in which call: `disk, in pread64`. @param {Trace} trace @param {number} wait */
export function reasonFor(trace, wait) {
	const call = trace.sorting || isReady(trace, wait) ? -1 : callOfWait(trace, wait);
	return waitFor(waitLetter(trace.event(wait)), call < 0 ? '' : trace.shown(call));
}
