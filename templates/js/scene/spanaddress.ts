// SPDX-License-Identifier: BSD-3-Clause
/**
 * Converts a span in a row to a text that identifies it in every page of the trace, and back: `PID.104_7.84584054_823` is the
 * row, the start in seconds and the event number in hexadecimal. Must not use a number that changes when the page is made
 * again, such as the id of a thread with a reused pid: the pid and the start identify the thread.
 */
import * as format from '../base/format.ts';
import { Kind, isExecution } from '../base/kinds.ts';
import { bisect } from '../data/intervals.ts';
import type { Trace } from '../data/trace.ts';
import type { Pin } from './view.ts';

/** Returns the text of a span in a row. */
export const spanAddress = (trace: Trace, { span, group, id }: Pin) =>
	`${group}.${group === 'PID' ? trace.pidOf(id) : id}_${format.plainSeconds(trace.start[span])}_${trace.event(span).toString(16)}`;

/** Converts seconds to units of 10 ns. Returns NaN for other text. */
export function unitsOf(text: string) {
	const units = /^-?\d{1,10}(\.\d{1,8})?$/.test(text) ? Math.round(Number(text) * 1e8) : NaN;
	return Number.isSafeInteger(units) ? units : NaN;
}

/** Returns whether the row of a process shows a span of this kind as a bar or a line. */
const isInRow = (kind: number) => isExecution(kind) || kind === Kind.WAIT;

/** Yields the spans that begin at a time, on a CPU or on no CPU. */
function* beginning(trace: Trace, t: number) {
	for (const list of trace.cpus.values())
		for (let i = list.seek(t); i < list.length && list.start(i) === t; i++) yield list.at(i);
	const { lo, hi } = trace.others;
	for (let g = bisect(lo, hi, (i) => trace.start[i] < t); g < hi && trace.start[g] === t; g++) yield g;
}

/** Returns the id of the thread that had a pid at a time. If two threads overlap, prefers a thread with a span that begins then. */
export function threadAt(trace: Trace, pid: number, t: number) {
	for (const span of beginning(trace, t)) if (trace.pidOf(trace.pid[span]) === pid) return trace.pid[span];
	return trace.idAt(pid, t);
}

/**
 * Returns the span of a thread that begins at a time, otherwise the last span before it. Must be called when the spans are
 * sorted by process. @returns null: the thread has no such span
 */
export function spanOf(trace: Trace, pid: number, t: number): Pin | null {
	const id = threadAt(trace, pid, t);
	const row = trace.processes().find((process) => process.id === id);
	for (const span of row ? beginning(trace, t) : []) if (trace.pid[span] === id && isInRow(trace.kind(span))) return { span, group: 'PID', id };
	const before = row ? bisect(0, row.spans.length, (i) => row.spans.start(i) <= t) - 1 : -1;
	return row && before >= 0 ? { span: row.spans.at(before), group: 'PID', id } : null;
}

/**
 * Returns whether a row shows a span. The row of a mark's CPU and the row of its process both show the mark.
 * @param id for group PID: a pid
 */
function belongs(trace: Trace, span: number, group: string, id: number) {
	switch (group) {
	case 'CPU': return trace.cpuOf(span) === id;
	case 'PID': return trace.pidOf(trace.pid[span]) === id;
	case 'RPC': return trace.rpc !== null && trace.rpc.at(span) === id;
	case 'Resource': return trace.name[span] === id;
	default: return false;
	}
}

/** Returns the span that a text names. @param text result of spanAddress(), or any text @returns null: not in this trace */
export function spanOfAddress(trace: Trace, text: string): Pin | null {
	const m = /^(CPU|PID|RPC|Resource)\.(-?\d{1,10})_([\d.-]{1,20})_(-?[0-9a-f]{1,9})$/.exec(text);
	if (!m) return null;
	const [group, id, t, event] = [m[1], Number(m[2]), unitsOf(m[3]), parseInt(m[4], 16)];
	if (Number.isNaN(t)) return null;
	for (const span of beginning(trace, t))
		if (trace.event(span) === event && belongs(trace, span, group, id)) return { span, group, id: group === 'PID' ? trace.pid[span] : id };
	return null;
}
