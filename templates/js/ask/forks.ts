// SPDX-License-Identifier: BSD-3-Clause
/** Finds the parent of each process, as far as the trace shows it. A parent that is only likely is marked as a guess. */
import { Kind, programOf } from '../base/kinds.ts';
import { atOnce } from '../base/slices.ts';
import type { Process, Trace } from '../data/trace.ts';

/** parent: pid of the parent; end: end of the parent's fork or clone call, units of 10 ns; NaN: not known. */
export type Birth = {parent: number, guessed: boolean, end: number};

/** System calls that make a process or a thread. */
const CALLS = new Set(['clone', 'clone3', 'fork', 'vfork']);
/** The trace has only the low bits of a call's result; the highest numbers are errors. */
const RESULT_BITS = 0xffff;
const FIRST_ERROR = 0x10000 - 4095;
/** Maximum time from a child's first span to the return of the parent's call: the child can run first. 1 s, units of 10 ns. */
const EARLY = 1e8;
/** Number of spans visited between two yields. */
const SLICE = 100000;

const known: WeakMap<Trace, Map<number, Birth>> = new WeakMap();

/** Returns whether the span is part of a call that makes a process or a thread. */
export const inFork = (trace: Trace, span: number) => trace.kind(span) === Kind.SYSCALL && CALLS.has(trace.text(span));

/** Returns when a process first appears, units of 10 ns. */
export function firstOf({ spans, waits }: Process) {
	return Math.min(spans.length ? spans.start(0) : Infinity, waits?.length ? waits.start(0) : Infinity);
}

/** Returns the fork and clone calls whose result in the parent is the child's pid. */
function* returned(trace: Trace): Generator<void, {parent: number, result: number, end: number}[], void> {
	const wanted = Uint8Array.from(trace.texts, (text, i) => Number(trace.kinds[i] === Kind.SYSCALL && CALLS.has(text)));
	const calls: {parent: number, result: number, end: number}[] = [];
	let n = 0;
	if (!wanted.includes(1)) return calls;
	const { name, pid } = trace;
	for (const { cpu, lo, hi } of trace.tracks) {
		if (cpu < 0) continue;
		for (let g = lo; g < hi; g++) {
			if (++n % SLICE === 0) yield;
			if (wanted[name[g]] === 0) continue;
			const result = trace.ret.at(g) & RESULT_BITS;
			// the result is 0 in the child, and in every part of a call except the last part
			if (result > 0 && result < FIRST_ERROR) calls.push({ parent: pid[g], result, end: trace.end(g) });
		}
	}
	return calls;
}

/** Returns the waker of the first run of a process; -1: not recorded. */
function firstWaker(trace: Trace, { id, spans }: Process): number {
	if (!spans.length) return -1;
	const t = spans.start(0);
	let waker = -1;
	trace.arcs.each(t, t, (g) => {
		if (trace.kind(g) !== Kind.WAKE || trace.woken(g) !== id || trace.end(g) < t) return true;
		waker = trace.pid[g];
		return false;
	});
	return waker;
}

/** Returns the first program of each process, if the filters list several, as in `bash+hello.8292`. */
function bornAs(trace: Trace): Map<number, string> {
	const names: Map<number, string> = new Map();
	for (const g of trace.byKind[Kind.BRACKET]) {
		const text = programOf(trace.text(g));
		const plus = text.indexOf('+');
		if (plus > 0 && !names.has(trace.pid[g])) names.set(trace.pid[g], text.slice(0, plus));
	}
	return names;
}

/**
 * Finds the parent of each process that begins in the trace. A parent is certain if its fork or clone call returned the pid.
 * Otherwise the waker of the process's first run is a guess, if the process began inside such a call, or if its first program
 * has the waker's name.
 * @returns births by pid
 */
export function* forking(trace: Trace): Generator<void, Map<number, Birth>, void> {
	const found = known.get(trace);
	if (found) return found;
	const processes = trace.processes();
	const byResult: Map<number, Process[]> = new Map();
	const first: Map<number, number> = new Map();
	for (const process of processes) {
		const low = process.id & RESULT_BITS;
		byResult.set(low, [...byResult.get(low) ?? [], process]);
		first.set(process.id, firstOf(process));
	}
	const seen = (pid: number) => first.get(pid) ?? Infinity;
	const births: Map<number, Birth> = new Map();
	for (const { parent, result, end } of yield* returned(trace)) {
		const could = (byResult.get(result) ?? []).filter(({ id }) => seen(id) > end - EARLY && seen(id) > seen(parent) && !births.has(id))
			.sort((a, b) => Math.abs(seen(a.id) - end) - Math.abs(seen(b.id) - end));
		// the result may be a pid of another pid namespace. Then the process with this pid has another first waker, and is
		// not the child
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

export const forks = (trace: Trace) => atOnce(forking(trace));

export const birthOf = (trace: Trace, pid: number) => forks(trace).get(pid) ?? null;

/** Orders processes as a tree: each after its parent, with a depth. Children are in the order of rows. */
export function asTree(rows: {id: number}[], births: Map<number, Birth>): {id: number, depth: number, guessed: boolean}[] {
	const there = new Set(rows.map(({ id }) => id));
	const children: Map<number, number[]> = new Map();
	const roots: number[] = [];
	for (const { id } of rows) {
		const parent = births.get(id)?.parent;
		if (parent === undefined || !there.has(parent)) roots.push(id);
		else children.set(parent, [...children.get(parent) ?? [], id]);
	}
	const order: {id: number, depth: number, guessed: boolean}[] = [];
	const waiting = roots.reverse().map((id) => ({ id, depth: 0 }));
	for (let next = waiting.pop(); next; next = waiting.pop()) {
		const { id, depth } = next;
		order.push({ id, depth, guessed: depth > 0 && (births.get(id)?.guessed ?? false) });
		for (const child of (children.get(id) ?? []).reverse()) waiting.push({ id: child, depth: depth + 1 });
	}
	return order;
}
