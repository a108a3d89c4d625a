// SPDX-License-Identifier: BSD-3-Clause
/**
 * Describes the legs of a critical path, and the sort of time of each. Must not claim more than the leg contains.
 */
import { Kind } from '../base/kinds.ts';
import type { Trace } from '../data/trace.ts';
import type { Leg, What } from './path.ts';

/** System calls that end when their time is over. */
const SLEEPS = new Set(['nanosleep', 'clock_nanosleep']);
/** System calls that can have a timeout. */
const TIMED = new Set(['poll', 'ppoll', 'select', 'pselect6', 'epoll_wait', 'epoll_pwait', 'epoll_pwait2', 'futex', 'futex_wait',
	'futex_waitv', 'rt_sigtimedwait', 'semtimedop', 'mq_timedreceive', 'mq_timedsend', 'io_getevents', 'io_pgetevents', 'recvmmsg']);

/** Describes a span of a run. */
export function runWords(trace: Trace, span: number) {
	switch (trace.kind(span)) {
	case Kind.USER: case Kind.KTHREAD: return `${SORTS[trace.kind(span)]}${trace.text(span).endsWith('?') ? '?' : ''}`;
	case Kind.SYSCALL: case Kind.TRAP: return `in ${trace.shown(span)}`;
	case Kind.IRQ: return `interrupt ${trace.shown(span)}`;
	default: return trace.shown(span);
	}
}

/** Sorts of time by kinds of spans. */
const SORTS: Record<number, string> = {
	[Kind.USER]: 'user code', [Kind.KTHREAD]: 'kernel code', [Kind.SYSCALL]: 'system calls', [Kind.TRAP]: 'faults', [Kind.IRQ]: 'interrupts, softirqs', [Kind.SOFTIRQ]: 'interrupts, softirqs',
	[Kind.SCHED]: 'scheduler',
};
/** Returns the sort of time of a span's kind. */
export const sortOfKind = (kind: number) => SORTS[kind] ?? 'user code';

/** Sorts of time for waits, by source. */
const WAITS: Record<string, string> = {
	timer: 'waiting for a timer', network: 'waiting for network', disk: 'waiting for disk', device: 'waiting for a device', rcu: 'waiting for RCU',
	kernel: 'waiting for the kernel', ipi: 'waiting, not told for whom', none: 'waiting, not told for what', task: 'waiting for a process',
};
/** Sorts of time for other legs. */
const OTHERS: Record<Exclude<What, 'run'>, string> = {
	ready: 'ready, without a CPU', preempted: 'preempted', wait: '', handled: 'interrupts, softirqs', asked: 'asked for by another CPU', open: 'waiting, not over',
	made: 'forked, not yet woken', exited: 'exited', absent: 'not in the trace', silent: 'not told why not running',
};

/** Returns the sort of time of a leg that is not a run. */
export const sortOf = ({ what, cause }: Leg) => (what === 'run' ? '' : what === 'wait' ? WAITS[cause?.source ?? 'none'] : OTHERS[what]);

/** Returns `waiting in read`, or `waiting`. */
const waiting = (trace: Trace, call: number) => (call < 0 ? 'waiting' : `waiting in ${trace.shown(call)}`);

/** Returns what a wait was for: `, for its own timer`. */
export function forWhat(trace: Trace, { cause, call, by }: Pick<Leg, 'cause' | 'call' | 'by'>) {
	if (!cause) return '';
	const { irq, softirq } = cause;
	const through = irq >= 0 ? trace.shown(irq) : softirq >= 0 ? trace.shown(softirq) : '';
	switch (cause.source) {
	case 'timer': {
		const name = call < 0 ? '' : trace.text(call).replace(/\?$/, '');
		return SLEEPS.has(name) ? ', for its own timer' : TIMED.has(name) ? ', for its timeout' : ', for a timer';
	}
	case 'network': return `, for the network: ${through}`;
	case 'disk': return `, for disk: ${through}`;
	case 'device': return `, for a device: ${through}`;
	case 'rcu': return ', for RCU';
	case 'kernel': return `, for ${through}`;
	case 'ipi': return ', for another CPU: the trace does not say whom';
	case 'task': return `, for ${trace.pidLabel(by)}`;
	default: return ': the trace does not say for what';
	}
}

/** Describes a leg in which the process was runnable but did not run. */
function readyWords(trace: Trace, { what, cpu, by }: Leg) {
	if (cpu < 0) return 'woken, and never run';
	if (by === 0) return `${what === 'ready' ? 'woken' : 'could run'}: CPU ${cpu} was idle`;
	return `${what}: ${by > 0 ? `CPU ${cpu} ran ${trace.pidLabel(by)}` : `not told what CPU ${cpu} ran`}`;
}

export function legWords(trace: Trace, leg: Leg) {
	const { cause, call } = leg;
	switch (leg.what) {
	case 'run': return 'running';
	case 'ready': case 'preempted': return readyWords(trace, leg);
	case 'wait': return waiting(trace, call) + forWhat(trace, leg);
	case 'handled': return `woken in ${cause && cause.softirq >= 0 ? trace.shown(cause.softirq) : `interrupt ${cause && cause.irq >= 0 ? trace.shown(cause.irq) : ''}`}`;
	case 'asked': return `${waiting(trace, call)}: another CPU has been asked to wake it`;
	case 'open': return `${waiting(trace, call)}: not over then`;
	case 'made': return 'forked, and not yet woken';
	case 'exited': return 'has exited';
	case 'absent': return 'not yet in the trace: not born, or asleep';
	default: return call < 0 ? 'did not run: the trace does not say why' : `did not run, in ${trace.shown(call)}: the trace does not say why`;
	}
}

/** Describes the event at the end of a leg: `forks make.30`, `wakes make.30`; '' if there is none. */
export function endWords(trace: Trace, { wake, born, guessed, waits }: Leg) {
	if (born >= 0) return `${guessed ? 'forks (most likely)' : 'forks'} ${trace.pidLabel(born)}, not yet born before`;
	if (wake >= 0) return `wakes ${trace.pidLabel(trace.ret.at(wake))}`;
	if (waits) return `begins to wait${waits.call < 0 ? '' : ` in ${trace.shown(waits.call)}`}`;
	return '';
}
