// SPDX-License-Identifier: BSD-3-Clause
/**
 * Decides whether a process has ended: by the exits in the trace. In a trace without exits, the last call of the process
 * decides. Times are in units of 10 ns.
 */
import * as Event from '../base/events.ts';
import { Kind } from '../base/kinds.ts';
import { exitTimes } from '../data/lives.ts';
import { processOf } from './causes.ts';
import { stoppedIn } from './waitname.ts';
import type { SpanList } from '../data/spans.ts';
import type { Process, Trace } from '../data/trace.ts';

const EXITS = new Set(['exit', 'exit_group']);
/** Returns for each dictionary entry whether it is a system call that a process does not return from. */
export const exitsOf = (trace: Trace): Uint8Array => Uint8Array.from(trace.texts, (text, i) => Number(trace.kinds[i] === Kind.SYSCALL && EXITS.has(text.replace(/\?$/, ''))));

const exits: WeakMap<Trace, Map<number, number> | null> = new WeakMap();

/** Returns when each thread exited, by id; null: the trace has no exits. */
function recorded(trace: Trace) {
	let all = exits.get(trace);
	if (all !== undefined) return all;
	all = trace.events.includes(Event.TASKEXIT) ? new Map([...exitTimes(trace)].flatMap(([pid, times]) => times.map((t) => [trace.idAt(pid, t), t] as [number, number]))) : null;
	exits.set(trace, all);
	return all;
}

/** Returns true if an exited process is gone after its last span: it does not wait until the end of the trace. */
function isGone(trace: Trace, { spans, waits }: Process) {
	const last = waits ? waits.length - 1 : -1;
	const until = spans.end(spans.length - 1);
	return trace.last - until < 1 || last < 0 || waits!.start(last) - until >= 1 || trace.last - Math.max(until, waits!.end(last)) >= 1;
}

/** Returns true if a process ended after element i of its list. @param exit result of exitsOf() */
export function endsAfter(trace: Trace, list: SpanList, i: number, exit: Uint8Array) {
	if (i < 0) return false;
	const all = recorded(trace);
	if (all) {
		const id = trace.pid[list.at(i)];
		return i + 1 === list.length && all.has(id) && isGone(trace, processOf(trace, id)!);
	}
	const inExit = (g: number) => g >= 0 && exit[trace.name[g]] === 1;
	if (i + 1 >= list.length) return inExit(stoppedIn(list, i));
	// later spans belong to another process with this pid, unless they continue the exit of this one
	return inExit(stoppedIn(list, i)) && !inExit(list.at(i + 1)) && !trace.calls?.of(list.at(i + 1)).noBegin;
}

/** Returns when a process exited. In a trace without exits, returns the end of its last span if this span is in exit(). NaN: not in the trace. */
export function exitOf(trace: Trace, { id, spans }: Process) {
	const all = recorded(trace);
	return all ? all.get(id) ?? NaN : endsAfter(trace, spans, spans.length - 1, exitsOf(trace)) ? spans.end(spans.length - 1) : NaN;
}
