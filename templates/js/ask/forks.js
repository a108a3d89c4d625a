// SPDX-License-Identifier: BSD-3-Clause
/**
 * Who forked whom, as far as the trace says.
 * Never takes a number for a child that it could not be: what is only likely is marked as a guess, and the rest has no parent.
 * Imported by scene/rows.js, for the order of rows, process.js, details.js, gap.js and path.js.
 */
import { Kind, programOf } from '../base/kinds.js';

/** @typedef {import('../data/trace.js').Trace} Trace */
/** @typedef {import('../data/trace.js').Process} Process */
/** @typedef {{parent: number, guessed: boolean, end: number}} Birth the parent's pid; when its call returned, units: NaN when that is not known */

/** Calls that make a process or a thread. */
const CALLS = new Set(['clone', 'clone3', 'fork', 'vfork']);
/** The trace has the low bits of a call's result; the highest numbers are errors. */
const RESULT_BITS = 0xffff;
const FIRST_ERROR = 0x10000 - 4095;
/** A child is not seen longer before its parent's call has returned, units: it may run at once, while the parent waits. */
const EARLY = 1e8;
/** Spans between two pauses. */
const SLICE = 100000;

/** What has been found. @type {WeakMap<Trace, Map<number, Birth>>} */
const known = new WeakMap();

/** Is it part of a call that makes a process or a thread? @param {Trace} trace @param {number} span */
export const inFork = (trace, span) => trace.kind(span) === Kind.SYSCALL && CALLS.has(trace.text(span));

/** When a process is first seen, units. @param {Process} process */
function firstOf({ spans, waits }) {
	return Math.min(spans.length ? spans.start(0) : Infinity, waits?.length ? waits.start(0) : Infinity);
}

/**
 * Calls that returned a child's number: in the parent, once each.
 * @param {Trace} trace
 * @returns {Generator<void, {parent: number, result: number, end: number}[], void>} end in units
 */
function* returned(trace) {
	const wanted = Uint8Array.from(trace.texts, (text, i) => Number(trace.kinds[i] === Kind.SYSCALL && CALLS.has(text)));
	/** @type {{parent: number, result: number, end: number}[]} */
	const calls = [];
	let n = 0;
	if (!wanted.includes(1)) return calls;
	const { name, pid } = trace;
	for (const { cpu, lo, hi } of trace.tracks) {
		if (cpu < 0) continue;
		for (let g = lo; g < hi; g++) {
			if (++n % SLICE === 0) yield;
			if (wanted[name[g]] === 0) continue;
			const result = trace.ret.at(g) & RESULT_BITS;
			// the child returns 0, and so does a piece of a call that goes on
			if (result > 0 && result < FIRST_ERROR) calls.push({ parent: pid[g], result, end: trace.end(g) });
		}
	}
	return calls;
}

/**
 * Who let a process run for the first time.
 * @param {Trace} trace
 * @param {Process} process
 * @returns {number} pid; -1: not recorded
 */
function firstWaker(trace, { id, spans }) {
	if (!spans.length) return -1;
	const t = spans.start(0);
	let waker = -1;
	trace.arcs.each(t, t, (g) => {
		if (trace.kind(g) !== Kind.WAKE || trace.ret.at(g) !== id || trace.end(g) < t) return true;
		waker = trace.pid[g];
		return false;
	});
	return waker;
}

/** Programs that a process was before it got the names it has, oldest first; a kernel with that says so. @param {Trace} trace @returns {Map<number, string>} name at birth by pid */
function bornAs(trace) {
	/** @type {Map<number, string>} */
	const names = new Map();
	for (const g of trace.byKind[Kind.BRACKET]) {
		const text = programOf(trace.text(g));
		const plus = text.indexOf('+');
		if (plus > 0 && !names.has(trace.pid[g])) names.set(trace.pid[g], text.slice(0, plus));
	}
	return names;
}

/**
 * The parent of each process whose birth is in the trace. It is certain where a fork or clone
 * returned its number, and a guess where it began inside such a call, or has its parent's
 * name first, and somebody woke it to run for the first time.
 * @param {Trace} trace
 * @returns {Generator<void, Map<number, Birth>, void>} by pid
 */
export function* forking(trace) {
	const found = known.get(trace);
	if (found) return found;
	const processes = trace.processes();
	/** @type {Map<number, Process[]>} */
	const byResult = new Map();
	/** @type {Map<number, number>} */
	const first = new Map();
	for (const process of processes) {
		const low = process.id & RESULT_BITS;
		byResult.set(low, [...byResult.get(low) ?? [], process]);
		first.set(process.id, firstOf(process));
	}
	/** @param {number} pid */
	const seen = (pid) => first.get(pid) ?? Infinity;
	/** @type {Map<number, Birth>} */
	const births = new Map();
	for (const { parent, result, end } of yield* returned(trace)) {
		const could = (byResult.get(result) ?? []).filter(({ id }) => seen(id) > end - EARLY && seen(id) > seen(parent) && !births.has(id))
			.sort((a, b) => Math.abs(seen(a.id) - end) - Math.abs(seen(b.id) - end));
		// in another namespace its number is another: then who wakes it is somebody else
		const child = could.find((process) => [-1, parent].includes(firstWaker(trace, process)));
		if (child) births.set(child.id, { parent, guessed: false, end });
	}
	const names = bornAs(trace);
	for (const process of processes) {
		const { id, spans } = process;
		if (births.has(id) || !spans.length) continue;
		const inCall = inFork(trace, spans.at(0));
		if (!inCall && !names.has(id)) continue;
		const waker = firstWaker(trace, process);
		if (waker <= 0 || seen(waker) >= seen(id) || (!inCall && programOf(trace.pidLabel(waker)) !== names.get(id))) continue;
		births.set(id, { parent: waker, guessed: true, end: NaN });
	}
	known.set(trace, births);
	return births;
}

/** The same at once. @param {Trace} trace @returns {Map<number, Birth>} */
export function forks(trace) {
	const work = forking(trace);
	for (;;) {
		const { done, value } = work.next();
		if (done) return value;
	}
}

/** How a process was born, if the trace has that. @param {Trace} trace @param {number} pid */
export const birthOf = (trace, pid) => forks(trace).get(pid) ?? null;

/**
 * Processes as a tree: each behind its parent, deeper by one; those without one by number, children by birth.
 * @param {{id: number}[]} rows
 * @param {Map<number, Birth>} births
 * @returns {{id: number, depth: number, guessed: boolean}[]} as many as rows
 */
export function asTree(rows, births) {
	const there = new Set(rows.map(({ id }) => id));
	/** @type {Map<number, number[]>} */
	const children = new Map();
	/** @type {number[]} */
	const roots = [];
	for (const { id } of rows) {
		const parent = births.get(id)?.parent;
		if (parent === undefined || !there.has(parent)) roots.push(id);
		else children.set(parent, [...children.get(parent) ?? [], id]);
	}
	/** @type {{id: number, depth: number, guessed: boolean}[]} */
	const order = [];
	const waiting = roots.reverse().map((id) => ({ id, depth: 0 }));
	for (let next = waiting.pop(); next; next = waiting.pop()) {
		const { id, depth } = next;
		order.push({ id, depth, guessed: depth > 0 && (births.get(id)?.guessed ?? false) });
		for (const child of (children.get(id) ?? []).reverse()) waiting.push({ id: child, depth: depth + 1 });
	}
	return order;
}
