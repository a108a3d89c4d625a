// SPDX-License-Identifier: BSD-3-Clause
/**
 * One thread's spans around a span: the call around it, the calls in it, its gaps, what it waited for and who woke it.
 * Never guesses: a call whose end is not in the trace is around what follows only as far as docs/reconstruction.md says so, and marked.
 * Times are in units of 10 ns.
 */
import { Kind } from '../base/kinds.js';
import { isCall } from '../data/calls.js';
import { ABUT, processOf, wakeOf } from './causes.js';

/** @typedef {import('../data/trace.js').Trace} Trace */
/** @typedef {import('../data/calls.js').Calls} Calls */
/** @typedef {import('../data/spans.js').SpanList} SpanList */
/** A stretch in which a thread ran nowhere: its waits, and the wakeup that ended it, -1: none. @typedef {{from: number, to: number, waits: number[], wake: number}} Gap */

/** Elements of a thread, or wakeups, that are looked at for one question. */
const MOST = 5000;

/**
 * The spans of a span's thread, in time order; of idle those of its CPU, other processes' among them.
 * @param {Trace} trace
 * @param {number} g
 * @returns {SpanList | null} null: they are still being sorted, or there are none
 */
export function threadOf(trace, g) {
	if (trace.pid[g] <= 0) return trace.cpus.get(trace.cpuOf(g)) ?? null;
	return trace.sorting ? null : processOf(trace, trace.pid[g])?.spans ?? null;
}

/** Where span g is in a list. @param {SpanList} list @param {number} g */
export function placeIn(list, g) {
	let i = list.seek(list.starts[g]);
	while (i < list.length && list.at(i) !== g) i++;
	return i;
}

/** Is it of the same thread, and a call? @param {Trace} trace @param {number} g @param {number} s */
const callBeside = (trace, g, s) => trace.pid[s] === trace.pid[g] && isCall(trace.kind(s));

/**
 * The call that the call of span g began in.
 * @param {Trace} trace
 * @param {Calls} calls
 * @param {SpanList} list its thread
 * @param {number} g
 * @returns {{span: number, open: boolean}} span -1: none; open: its end is not in the trace, it was not seen to go on
 */
export function parentOf(trace, calls, list, g) {
	const first = calls.first(g);
	const none = { span: -1, open: false };
	if (trace.kind(g) === Kind.SYSCALL) return none;
	for (let k = placeIn(list, first) - 1, n = 0; k >= 0 && n < MOST; n++) {
		const s = list.at(k);
		if (!callBeside(trace, g, s)) return none;
		const began = calls.first(s);
		if (trace.start[calls.last(s)] > trace.start[first]) return { span: began, open: false };
		if (!calls.ends(s)) return { span: began, open: true };
		k = placeIn(list, began) - 1;
	}
	return none;
}

/**
 * The calls that began directly in the call of span g.
 * @param {Trace} trace
 * @param {Calls} calls
 * @param {SpanList} list its thread
 * @param {number} g
 * @returns {{spans: number[], all: boolean}} first pieces; all: false when there may be more
 */
export function childrenOf(trace, calls, list, g) {
	const last = calls.last(g);
	const open = !calls.ends(g);
	/** @type {number[]} */
	const spans = [];
	const call = calls.first(g);
	let k = placeIn(list, call) + 1;
	for (let n = 0; n < MOST; n++) {
		const s = k < list.length ? list.at(k) : -1;
		const beyond = s < 0 || trace.start[s] > trace.start[last];
		if (beyond && (!open || s < 0 || !callBeside(trace, g, s) || trace.kind(s) === Kind.SYSCALL)) return { spans, all: true };
		if (calls.first(s) === call || trace.pid[s] !== trace.pid[g]) {
			k++;
			continue;
		}
		spans.push(calls.first(s));
		k = placeIn(list, calls.last(s)) + 1;
	}
	return { spans, all: false };
}

/** What a thread waited for between two times. @param {Trace} trace @param {number} pid @param {number} from @param {number} to */
function waitsIn(trace, pid, from, to) {
	const list = processOf(trace, pid)?.waits;
	/** @type {number[]} */
	const spans = [];
	if (list) for (let i = list.first(from); i < list.length && list.start(i) < to; i++) if (list.end(i) > from) spans.push(list.at(i));
	return spans;
}

/**
 * The gap in front of element i of a thread.
 * @param {Trace} trace
 * @param {SpanList} list
 * @param {number} i
 * @returns {Gap | null} null: it ran, or nothing is known of before
 */
export function gapTo(trace, list, i) {
	if (i < 1 || i >= list.length) return null;
	const [from, to] = [list.end(i - 1), list.start(i)];
	const pid = trace.pid[list.at(i)];
	if (to - from <= ABUT || pid <= 0) return null;
	return { from, to, waits: waitsIn(trace, pid, from, to), wake: wakeOf(trace, pid, from, to) };
}

/** The element with which the run began that element i is in. @param {SpanList} list @param {number} i */
export function runStart(list, i) {
	for (let n = 0; i > 0 && list.start(i) - list.end(i - 1) <= ABUT; i--) if (++n > MOST) return -1;
	return i;
}

/**
 * The gaps in the call of span g.
 * @param {Trace} trace
 * @param {Calls} calls
 * @param {SpanList} list its thread
 * @param {number} g
 * @returns {{gaps: Gap[], all: boolean}}
 */
export function gapsIn(trace, calls, list, g) {
	/** @type {Gap[]} */
	const gaps = [];
	const end = placeIn(list, calls.last(g));
	const from = placeIn(list, calls.first(g)) + 1;
	for (let i = from; i <= end && i < from + MOST; i++) {
		const gap = gapTo(trace, list, i);
		if (gap) gaps.push(gap);
	}
	return { gaps, all: end < from + MOST };
}

/**
 * Wakeups, and IPIs, that came from within spans.
 * @param {Trace} trace
 * @param {ArrayLike<number>} pieces
 * @returns {{spans: number[], all: boolean}}
 */
export function sentFrom(trace, pieces) {
	const { ids } = trace.arcs;
	/** @type {number[]} */
	const spans = [];
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
