// SPDX-License-Identifier: BSD-3-Clause
/**
 * Decides whether a process has ended: by the exits in the trace, with the rule of postprocess/model/names.c. In a trace
 * without exits, the last call of the process decides. Times are in units of 10 ns.
 */
import * as Event from '../base/events.ts';
import { Kind } from '../base/kinds.ts';
import { processOf } from './causes.ts';
import { stoppedIn } from './waitname.ts';
import type { SpanList } from '../data/spans.ts';
import type { Process, Trace } from '../data/trace.ts';

const EXITS = new Set(['exit', 'exit_group']);
/** Minimum length of a wait that has a row, units of 10 ns. Equal to KP_LIFE_GAP in postprocess/model/names.h. */
const LIFE_GAP = 10;

/** Returns for each dictionary entry whether it is a system call that a process does not return from. */
export const exitsOf = (trace: Trace): Uint8Array => Uint8Array.from(trace.texts, (text, i) => Number(trace.kinds[i] === Kind.SYSCALL && EXITS.has(text.replace(/\?$/, ''))));

interface Exits {
	times: Map<number, number[]>; /* times at which each process exited, in order */
	ends: Map<number, Set<number>>; /* for each process, the elements of its list after which the process is gone */
}
const exits: WeakMap<Trace, Exits | null> = new WeakMap();

/** Returns the exits in a trace; null if the trace has none. */
function recorded(trace: Trace) {
	let all = exits.get(trace);
	if (all !== undefined) return all;
	const times: Exits['times'] = new Map();
	for (const g of trace.byKind[Kind.POINT]) {
		if (trace.event(g) !== Event.TASKEXIT) continue;
		const pid = trace.arg.at(g);
		(times.get(pid) ?? times.set(pid, []).get(pid)!).push(trace.start[g]);
	}
	all = trace.events.includes(Event.TASKEXIT) ? { times, ends: new Map() } : null;
	exits.set(trace, all);
	return all;
}

/** Returns how much of the time from t0 to t1 does not count: recording was off, or a CPU had no event yet after a pause. */
function unseen(trace: Trace, t0: number, t1: number) {
	let until = t0;
	let sum = 0;
	trace.pauses.each(t0, t1, (g) => {
		const end = Math.min(t1, trace.end(g));
		if (end <= until) return;
		sum += end - Math.max(until, trace.start[g]);
		until = end;
	});
	return sum;
}

/**
 * Returns true if an exiting process is gone after element i of its list: for some time after it, the process neither runs
 * nor waits. The time without pauses must be so long that a wait in it would have a row.
 */
function isGone(trace: Trace, { id, spans, waits }: Process, i: number) {
	const last = i + 1 === spans.length;
	const to = last ? trace.last : spans.start(i + 1);
	const least = last ? 1 : Math.max(LIFE_GAP, 2 * Math.round((Number(trace.header.resolution_us) || 0) * 100));
	let until = spans.end(i);
	if (to - until < least) return last;
	const rows: {start: number, end: number}[] = [{ start: to, end: to }];
	for (let k = waits?.first(until) ?? 0; waits && k < waits.length && waits.start(k) < to; k++) rows.push({ start: waits.start(k), end: waits.end(k) });
	// a long wakeup also has the row of a wait, so only short gaps need a search of the arcs
	if (to - until < 4 * least)
		trace.arcs.each(until, to, (g) => {
			if (trace.kind(g) === Kind.WAKE && trace.ret.at(g) === id) rows.push({ start: trace.start[g], end: trace.end(g) });
		});
	for (const { start, end } of rows.sort((a, b) => a.start - b.start)) {
		if (start - until - (last ? 0 : unseen(trace, until, start)) >= least) return true;
		until = Math.max(until, end);
	}
	return false;
}

/** Returns the elements in the list of a process after which the process is gone. */
function endsOf(trace: Trace, { times, ends }: Exits, pid: number): Set<number> {
	const known = ends.get(pid);
	if (known) return known;
	const found: Set<number> = new Set();
	ends.set(pid, found);
	const process = processOf(trace, pid);
	let next = 0;
	for (const t of (process && times.get(pid)) ?? []) {
		const { spans } = process!;
		let i = Math.max(0, spans.seek(t + 0.5) - 1);
		if (i < next) continue;
		while (i < spans.length && !isGone(trace, process!, i)) i++;
		if (i < spans.length) found.add(i);
		next = i + 1;
	}
	return found;
}

/** Returns true if a process ended after element i of its list. @param exit result of exitsOf() */
export function endsAfter(trace: Trace, list: SpanList, i: number, exit: Uint8Array) {
	if (i < 0) return false;
	const all = recorded(trace);
	if (all) return endsOf(trace, all, trace.pid[list.at(i)]).has(i);
	const inExit = (g: number) => g >= 0 && exit[trace.name[g]] === 1;
	if (i + 1 >= list.length) return inExit(stoppedIn(list, i));
	// later spans belong to another process with this pid, unless they continue the exit of this one
	return inExit(stoppedIn(list, i)) && !inExit(list.at(i + 1)) && !trace.calls?.of(list.at(i + 1)).noBegin;
}

/**
 * Returns when a process exited. In a trace without exits, returns the end of its last span if this span is in exit(). If
 * several processes had the pid, the result is for the last process. NaN: the trace does not show an exit.
 */
export function exitOf(trace: Trace, { id, spans }: Process) {
	const all = recorded(trace);
	if (!all) return endsAfter(trace, spans, spans.length - 1, exitsOf(trace)) ? spans.end(spans.length - 1) : NaN;
	const t = all.times.get(id)?.at(-1) ?? NaN;
	const again = [...endsOf(trace, all, id)].some((i) => i + 1 < spans.length && spans.start(i + 1) > t);
	return again ? NaN : t;
}
