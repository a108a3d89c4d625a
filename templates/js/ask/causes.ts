// SPDX-License-Identifier: BSD-3-Clause
/**
 * Finds the wakeup that ended a gap of a process, and the cause of the wakeup: a process, an interrupt or a timer. An
 * interrupted process is not the cause of a wakeup in the interrupt. A cause that the trace does not show has the source
 * `none`. Times are in units of 10 ns. The rules are in docs/design/critical-path.md.
 */
import { Kind, waitLetter } from '../base/kinds.ts';
import { atOnce } from '../base/slices.ts';
import { seekSpan, wakesOf } from './wakes.ts';
import type { SpanList } from '../data/spans.ts';
import type { Process, Trace } from '../data/trace.ts';

/** Maximum gap between two spans of a run. Spans of KUtrace 3 have gaps of 10 ns. */
export const ABUT = 1;
/** Maximum distance between the end of an arc and the beginning of the run, in traces of KUtrace 3. */
const ARC_SLACK = 5;
/** Maximum number of arcs that are searched for one wakeup. If there are more, all wakeups are sorted once. */
const MOST_ARCS = 20000;

/** Names of interrupts that one CPU sends to another. */
const IPI = /^(reschedule|call_function|irq_work).*ipi\??$/;
/** Source of a wakeup in a softirq, by the softirq's name. */
const SOFTIRQS: Record<string, Source> = {
	'BH:timer': 'timer', 'BH:hrtim': 'timer', 'BH:rx': 'network', 'BH:tx': 'network', 'BH:block': 'disk', 'BH:irq_p': 'disk',
	'BH:rcu': 'rcu', 'BH:sched': 'kernel', 'BH:taskl': 'kernel', 'BH:hi': 'kernel',
};
/** Softirqs that receive packets. The sender of a packet may be a process on the same machine. */
const LOOPBACK = new Set(['BH:rx', 'BH:tx']);

/**
 * Source of a wakeup. task: a process; kernel: a softirq that does not show its cause; ipi: a request of another CPU, which
 * several processes may have made; none: the trace does not show the source.
 */
type Source = 'task' | 'timer' | 'network' | 'disk' | 'device' | 'rcu' | 'kernel' | 'ipi' | 'none';

export interface Cause {
	source: Source;
	pid: number; /* the process that caused the wakeup; -1: none */
	at: number; /* time of the cause: the wakeup, or the time at which another CPU requested it */
	span: number; /* span that ran at the wakeup, or -1 */
	softirq: number; /* softirq that executed the wakeup, or -1 */
	irq: number; /* interrupt that executed the wakeup or raised the softirq; -1: none */
	began: number; /* beginning of the interrupts and softirqs that led to the wakeup */
}

const byPid: WeakMap<Trace, Map<number, Process>> = new WeakMap();

export function processOf(trace: Trace, pid: number) {
	let all = byPid.get(trace);
	if (!all) byPid.set(trace, (all = new Map(trace.processes().map((p) => [p.id, p]))));
	return all.get(pid);
}

/** Returns the first wakeup of a process between two times, or -1. Searches the arcs or, if too many, the sorted wakeups. */
function firstWake(trace: Trace, pid: number, from: number, to: number): number {
	const { arcs, start } = trace;
	const { ids } = arcs;
	const first = arcs.seek(from);
	for (let i = first; i < ids.length && start[ids[i]] < to; i++) {
		if (i - first > MOST_ARCS) {
			const wakes = atOnce(wakesOf(trace)).to.of(pid);
			const k = seekSpan(trace, wakes, from);
			return k < wakes.length && start[wakes[k]] < to ? wakes[k] : -1;
		}
		if (trace.kind(ids[i]) === Kind.WAKE && trace.woken(ids[i]) === pid) return ids[i];
	}
	return -1;
}

/**
 * Returns the wakeup that ended a gap: the last one whose arc leads to the next run, otherwise the first one in the gap.
 * @param from when the process stopped; -Infinity: it had not run before
 * @param to when the process ran again; Infinity: it did not run again
 * @returns -1: no wakeup
 */
export function wakeOf(trace: Trace, pid: number, from: number, to: number): number {
	let wake = -1;
	if (to < Infinity) {
		trace.arcs.each(to - ARC_SLACK, to + ARC_SLACK, (g) => {
			if (trace.kind(g) === Kind.WAKE && trace.start[g] < to + 0.5 && Math.abs(trace.end(g) - to) <= ARC_SLACK && trace.woken(g) === pid) wake = g;
		});
	}
	return wake >= 0 ? wake : firstWake(trace, pid, from - ABUT, to + 0.5);
}

/** Returns the index of the span that runs at t; if two spans meet at t, of the later one; -1: none. */
export function indexAt(list: SpanList | undefined, t: number) {
	if (!list) return -1;
	let i = list.first(t);
	if (i === list.length || list.start(i) > t) return i > 0 && list.end(i - 1) >= t ? i - 1 : -1;
	while (i + 1 < list.length && list.start(i + 1) <= t) i++;
	return i;
}

/** Returns the span that runs on a CPU at a time, or -1. */
export function runningOn(trace: Trace, cpu: number, t: number) {
	const list = trace.cpus.get(cpu);
	if (!list) return -1;
	const i = list.first(t);
	return i < list.length && list.start(i) <= t ? list.at(i) : -1;
}

/** Returns whether a process runs, begins to run or stops at t. */
export const runsAt = (trace: Trace, pid: number, t: number) => indexAt(processOf(trace, pid)?.spans, t) >= 0;

/** Returns whether the process is a ksoftirqd, which executes softirqs when there are too many. */
export const isKsoftirqd = (trace: Trace, pid: number) => pid > 0 && trace.pidLabel(pid).startsWith('ksoftirqd/');

/**
 * Returns the process whose request (an IPI, or a store that the CPU waited for) arrived at a CPU between from and to.
 * @returns null: none; pid -1: several processes, and any of them is possible
 */
function requesterOf(trace: Trace, cpu: number, from: number, to: number): {pid: number, at: number} | null {
	let found: {pid: number, at: number} | null = null;
	trace.arcs.each(from, to, (g) => {
		if (trace.kind(g) !== Kind.IPI || trace.arg.at(g) !== cpu || trace.end(g) < from || trace.end(g) > to) return;
		const at = trace.start[g];
		const list = trace.cpus.get(trace.cpuOf(g));
		const i = indexAt(list, at);
		const pid = list && i >= 0 ? trace.pid[list.at(i)] : -1;
		found = found && found.pid !== pid ? { pid: -1, at } : { pid, at };
	});
	return found;
}

const softirqName = (trace: Trace, g: number) => trace.text(g).replace(/\?$/, '');

/** Returns the cause of a wakeup that an interrupt executed. @param cause its known properties @param i index of the interrupt */
function ofInterrupt(trace: Trace, cause: Cause, cpu: number, list: SpanList, i: number): Cause {
	const irq = list.at(i);
	const name = trace.text(irq);
	const base = { ...cause, irq, began: list.start(i) };
	if (IPI.test(name)) {
		const request = requesterOf(trace, cpu, base.began, base.began);
		if (request && request.pid > 0) return { ...base, source: 'task', pid: request.pid, at: request.at };
		return { ...base, source: 'ipi' };
	}
	return { ...base, source: /timer/.test(name) ? 'timer' : 'device' };
}

/**
 * Returns the interrupt or system call that raised a series of adjacent softirqs. Skips interrupts that only split a softirq.
 * @param list spans of a CPU
 * @param i index of a softirq in list
 * @returns index of the interrupt or call; index of the first softirq of the series if nothing is adjacent to this softirq
 */
function raiserOf(trace: Trace, list: SpanList, i: number): number {
	/** Returns whether the previous span ends where span k begins. */
	const touches = (k: number) => k > 0 && list.end(k - 1) === list.start(k);
	let k = i;
	for (;;) {
		while (list.kind(k) === Kind.SOFTIRQ && touches(k)) k--;
		if (list.kind(k) !== Kind.IRQ) return k;
		let under = k;
		while (list.kind(under) === Kind.IRQ && touches(under)) under--;
		if (list.kind(under) !== Kind.SOFTIRQ || softirqName(trace, list.at(under)) !== softirqName(trace, list.at(k + 1))) return k;
		k = under;
	}
}

/** Returns the cause of a wakeup in a softirq, which depends on what raised the softirq. @param i index of the softirq in list */
function ofSoftirq(trace: Trace, cause: Cause, cpu: number, list: SpanList, i: number): Cause {
	const softirq = list.at(i);
	const name = softirqName(trace, softirq);
	const k = raiserOf(trace, list, i);
	const raiser = list.at(k);
	const kind = trace.kind(raiser);
	const pid = trace.pid[raiser];
	const base = { ...cause, softirq, began: kind === Kind.SOFTIRQ ? list.start(k) : list.end(k) };
	const source = SOFTIRQS[name] ?? 'kernel';
	if (kind === Kind.IRQ) {
		// timer and RCU softirqs show the source by their names; for other softirqs, the interrupt shows the source
		if (source === 'timer' || source === 'rcu') return { ...base, source, irq: raiser, began: list.start(k) };
		const of = ofInterrupt(trace, base, cpu, list, k);
		return of.source === 'device' && source !== 'kernel' ? { ...of, source } : of;
	}
	if (isKsoftirqd(trace, trace.pid[softirq])) return { ...base, source: 'task', pid: trace.pid[softirq] };
	if (kind === Kind.SYSCALL && pid > 0 && pid === trace.pid[softirq] && LOOPBACK.has(name)) return { ...base, source: 'task', pid };
	return { ...base, source };
}

export function causeOf(trace: Trace, wake: number): Cause {
	const at = trace.start[wake];
	const cpu = trace.cpuOf(wake);
	const waker = trace.pid[wake];
	const cause: Cause = { source: waker > 0 ? 'task' : 'none', pid: waker > 0 ? waker : -1, at, span: -1, softirq: -1, irq: -1, began: at };
	const list = trace.cpus.get(cpu);
	const i = indexAt(list, at);
	if (!list || i < 0) return cause;
	cause.span = list.at(i);
	const kind = list.kind(i);
	const noProcess = { ...cause, pid: -1 };
	if (kind === Kind.IRQ) return ofInterrupt(trace, noProcess, cpu, list, i);
	if (kind === Kind.SOFTIRQ) return ofSoftirq(trace, noProcess, cpu, list, i);
	// at the end of softirqs, the kernel may wake ksoftirqd to execute the remaining ones
	if (i > 0 && list.kind(i - 1) === Kind.SOFTIRQ && list.end(i - 1) === list.start(i) && isKsoftirqd(trace, trace.woken(wake)))
		return ofSoftirq(trace, noProcess, cpu, list, i - 1);
	if (waker > 0) return cause;
	const request = requesterOf(trace, cpu, list.start(i), at);
	if (request && request.pid > 0) return { ...noProcess, source: 'task', pid: request.pid, at: request.at };
	return { ...noProcess, source: request ? 'ipi' : 'none' };
}

/** Replaces the source `device` by disk or network, if the process waited for this source. @param at end of the wait */
export function ofDevice(trace: Trace, cause: Cause, pid: number, at: number): Cause {
	const waits = cause.source === 'device' ? processOf(trace, pid)?.waits : null;
	if (!waits) return cause;
	const i = waits.seek(at) - 1;
	const letter = i >= 0 && waits.end(i) >= at - ABUT ? waitLetter(trace.event(waits.at(i))) : '';
	return letter === 'd' ? { ...cause, source: 'disk' } : letter === 'n' ? { ...cause, source: 'network' } : cause;
}
