// SPDX-License-Identifier: BSD-3-Clause
/**
 * What ended a gap of a process: which wakeup, and what brought that about, a process, an interrupt or a timer.
 * Never takes a process for the cause of what an interrupt on top of it did; what the trace does not say stays open.
 * Imported by why.js, path.js, thread.js and what shows a span's details. Times: units of 10 ns. The rules: docs/critical-path.md.
 */
import { Kind } from '../base/kinds.js';
import { seekSpan, wakesOf } from './wakes.js';

/** @typedef {import('../data/trace.js').Trace} Trace */
/** @typedef {import('../data/spans.js').SpanList} SpanList */

/** Spans that are no further apart belong to one run: the original's leave 10 ns out. */
export const ABUT = 1;
/** The original's arcs end this far from where the run begins, at most. */
const ARC_SLACK = 5;
/** Arcs that are looked through for one wakeup; of more, all wakeups are sorted once. */
const MOST_ARCS = 20000;

/** Interrupts by which CPUs ask each other for something. */
const IPI = /^(reschedule|call_function|irq_work).*ipi\??$/;
/** What softirqs are about, by their names. @type {Record<string, Source>} */
const SOFTIRQS = {
	'BH:timer': 'timer', 'BH:hrtim': 'timer', 'BH:rx': 'network', 'BH:tx': 'network', 'BH:block': 'disk', 'BH:irq_p': 'disk',
	'BH:rcu': 'rcu', 'BH:sched': 'kernel', 'BH:taskl': 'kernel', 'BH:hi': 'kernel',
};
/** Softirqs in which a packet that a process has sent to the same machine arrives. */
const LOOPBACK = new Set(['BH:rx', 'BH:tx']);

/**
 * task: a process; kernel: a softirq that says nothing of its cause; ipi: another CPU, several could be it; none: the trace does not say.
 * @typedef {'task' | 'timer' | 'network' | 'disk' | 'device' | 'rcu' | 'kernel' | 'ipi' | 'none'} Source
 */
/**
 * @typedef {object} Cause
 * @property {Source} source
 * @property {number} pid the process that did it; -1: none did
 * @property {number} at when that did it: at the wakeup, or, where another CPU was asked to wake, when it was asked
 * @property {number} span what ran at the wakeup, or -1
 * @property {number} softirq in which it was done, or -1
 * @property {number} irq interrupt in which it was done, or that raised the softirq; -1: none
 * @property {number} began since when interrupts and softirqs had been at it
 */

/** @type {WeakMap<Trace, Map<number, import('../data/trace.js').Process>>} */
const byPid = new WeakMap();

/** @param {Trace} trace @param {number} pid */
export function processOf(trace, pid) {
	let all = byPid.get(trace);
	if (!all) byPid.set(trace, (all = new Map(trace.processes().map((p) => [p.id, p]))));
	return all.get(pid);
}

/** Wakeups of a process in order of time. @param {Trace} trace @param {number} pid @returns {Uint32Array} */
function wakesTo(trace, pid) {
	const work = wakesOf(trace);
	let step = work.next();
	while (!step.done) step = work.next();
	return step.value.to.of(pid);
}

/**
 * The first wakeup of a process between two times: among the arcs, if they are not too many.
 * @param {Trace} trace
 * @param {number} pid
 * @param {number} from
 * @param {number} to
 * @returns {number} -1: there is none
 */
function firstWake(trace, pid, from, to) {
	const { arcs, start } = trace;
	const { ids } = arcs;
	const first = arcs.seek(from);
	for (let i = first; i < ids.length && start[ids[i]] < to; i++) {
		if (i - first > MOST_ARCS) {
			const wakes = wakesTo(trace, pid);
			const k = seekSpan(trace, wakes, from);
			return k < wakes.length && start[wakes[k]] < to ? wakes[k] : -1;
		}
		if (trace.kind(ids[i]) === Kind.WAKE && trace.ret.at(ids[i]) === pid) return ids[i];
	}
	return -1;
}

/**
 * The wakeup that ended a gap: the last one whose arc leads to the run behind it, else the first one in the gap.
 * @param {Trace} trace
 * @param {number} pid
 * @param {number} from when the process stopped; -Infinity: it had not run before
 * @param {number} to when it ran again; Infinity: it did not
 * @returns {number} -1: nobody woke it
 */
export function wakeOf(trace, pid, from, to) {
	let wake = -1;
	if (to < Infinity) {
		trace.arcs.each(to - ARC_SLACK, to + ARC_SLACK, (g) => {
			if (trace.kind(g) === Kind.WAKE && trace.start[g] < to + 0.5 && Math.abs(trace.end(g) - to) <= ARC_SLACK && trace.ret.at(g) === pid) wake = g;
		});
	}
	return wake >= 0 ? wake : firstWake(trace, pid, from - ABUT, to + 0.5);
}

/** Index in a list of what runs at t, the later one where two meet; -1: nothing. @param {SpanList | undefined} list @param {number} t */
export function indexAt(list, t) {
	if (!list) return -1;
	let i = list.first(t);
	if (i === list.length || list.start(i) > t) return i > 0 && list.end(i - 1) >= t ? i - 1 : -1;
	while (i + 1 < list.length && list.start(i + 1) <= t) i++;
	return i;
}

/** What runs on a CPU at a time, or -1. @param {Trace} trace @param {number} cpu @param {number} t */
export function runningOn(trace, cpu, t) {
	const list = trace.cpus.get(cpu);
	if (!list) return -1;
	const i = list.first(t);
	return i < list.length && list.start(i) <= t ? list.at(i) : -1;
}

/** Does a process run on a CPU at t, or begin to, or end? @param {Trace} trace @param {number} pid @param {number} t */
export const runsAt = (trace, pid, t) => indexAt(processOf(trace, pid)?.spans, t) >= 0;

/** Softirqs are worked off by it when there are too many. @param {Trace} trace @param {number} pid */
export const isKsoftirqd = (trace, pid) => pid > 0 && trace.pidLabel(pid).startsWith('ksoftirqd/');

/**
 * Who asked a CPU for something by an interrupt, or by a store that it waited for, that came between two times.
 * @param {Trace} trace
 * @param {number} cpu
 * @param {number} from
 * @param {number} to
 * @returns {{pid: number, at: number} | null} null: nobody; pid -1: several, which may differ
 */
function askedBy(trace, cpu, from, to) {
	/** @type {{pid: number, at: number} | null} */
	let found = null;
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

/** The name of a softirq, without what says that it was inferred. @param {Trace} trace @param {number} g */
const softirqName = (trace, g) => trace.text(g).replace(/\?$/, '');

/**
 * What brought a wakeup about that was done in an interrupt.
 * @param {Trace} trace
 * @param {Cause} cause all else of it
 * @param {number} cpu
 * @param {SpanList} list
 * @param {number} i its place on the CPU
 * @returns {Cause}
 */
function ofInterrupt(trace, cause, cpu, list, i) {
	const irq = list.at(i);
	const name = trace.text(irq);
	const base = { ...cause, irq, began: list.start(i) };
	if (IPI.test(name)) {
		const asked = askedBy(trace, cpu, base.began, base.began);
		if (asked && asked.pid > 0) return { ...base, source: 'task', pid: asked.pid, at: asked.at };
		return { ...base, source: 'ipi' };
	}
	return { ...base, source: /timer/.test(name) ? 'timer' : 'device' };
}

/**
 * What softirqs that follow each other stand on: an interrupt, a system call; interrupts that only split one are passed over.
 * @param {Trace} trace
 * @param {SpanList} list of a CPU
 * @param {number} i a softirq
 * @returns {number} its place; the first softirq's when nothing touches it
 */
function raiserOf(trace, list, i) {
	/** Does what is before touch it? @param {number} k */
	const touches = (k) => k > 0 && list.end(k - 1) === list.start(k);
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

/**
 * Of a wakeup that was done in a softirq: what raised that.
 * @param {Trace} trace
 * @param {Cause} cause
 * @param {number} cpu
 * @param {SpanList} list
 * @param {number} i its place on the CPU
 * @returns {Cause}
 */
function ofSoftirq(trace, cause, cpu, list, i) {
	const softirq = list.at(i);
	const name = softirqName(trace, softirq);
	const k = raiserOf(trace, list, i);
	const raiser = list.at(k);
	const kind = trace.kind(raiser);
	const pid = trace.pid[raiser];
	const base = { ...cause, softirq, began: kind === Kind.SOFTIRQ ? list.start(k) : list.end(k) };
	const source = SOFTIRQS[name] ?? 'kernel';
	if (kind === Kind.IRQ) {
		// a tick is what timers and RCU use; of all others the interrupt is the cause
		if (source === 'timer' || source === 'rcu') return { ...base, source, irq: raiser, began: list.start(k) };
		const of = ofInterrupt(trace, base, cpu, list, k);
		return of.source === 'device' && source !== 'kernel' ? { ...of, source } : of;
	}
	if (isKsoftirqd(trace, trace.pid[softirq])) return { ...base, source: 'task', pid: trace.pid[softirq] };
	if (kind === Kind.SYSCALL && pid > 0 && pid === trace.pid[softirq] && LOOPBACK.has(name)) return { ...base, source: 'task', pid };
	return { ...base, source };
}

/**
 * What brought a wakeup about.
 * @param {Trace} trace
 * @param {number} wake
 * @returns {Cause}
 */
export function causeOf(trace, wake) {
	const at = trace.start[wake];
	const cpu = trace.cpuOf(wake);
	const waker = trace.pid[wake];
	/** @type {Cause} */
	const cause = { source: waker > 0 ? 'task' : 'none', pid: waker > 0 ? waker : -1, at, span: -1, softirq: -1, irq: -1, began: at };
	const list = trace.cpus.get(cpu);
	const i = indexAt(list, at);
	if (!list || i < 0) return cause;
	cause.span = list.at(i);
	const kind = list.kind(i);
	const nobody = { ...cause, pid: -1 };
	if (kind === Kind.IRQ) return ofInterrupt(trace, nobody, cpu, list, i);
	if (kind === Kind.SOFTIRQ) return ofSoftirq(trace, nobody, cpu, list, i);
	// what is left over at the end of softirqs is given to ksoftirqd just behind them
	if (i > 0 && list.kind(i - 1) === Kind.SOFTIRQ && list.end(i - 1) === list.start(i) && isKsoftirqd(trace, trace.ret.at(wake)))
		return ofSoftirq(trace, nobody, cpu, list, i - 1);
	if (waker > 0) return cause;
	const asked = askedBy(trace, cpu, list.start(i), at);
	if (asked && asked.pid > 0) return { ...nobody, source: 'task', pid: asked.pid, at: asked.at };
	return { ...nobody, source: asked ? 'ipi' : 'none' };
}
