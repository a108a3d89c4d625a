// SPDX-License-Identifier: BSD-3-Clause
/** Describes the legs of a critical path, and the kind of time of each. Must not claim more than the leg contains. */
import { Kind } from '../base/kinds.ts';
import { priorityAt } from './priority.ts';
import { say } from './sentences.ts';
import type { Cause } from './causes.ts';
import type { Trace } from '../data/trace.ts';
import type { Leg, What } from './path.ts';

/** System calls that only sleep for a given time. */
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

/** Kind of time (as in the table of the path) of each kind of span. */
const SORTS: Record<number, string> = {
	[Kind.USER]: 'user code', [Kind.KTHREAD]: 'kernel code', [Kind.SYSCALL]: 'system calls', [Kind.TRAP]: 'faults', [Kind.IRQ]: 'interrupts, softirqs', [Kind.SOFTIRQ]: 'interrupts, softirqs',
	[Kind.SCHED]: 'scheduler',
};
/** Returns the kind of time (such as user code) that is spent in a span of this kind. */
export const sortOfKind = (kind: number) => SORTS[kind] ?? 'user code';

/** Kind of time of a wait, by the source of its wakeup. */
const WAITS: Record<string, string> = {
	timer: 'waiting for a timer', network: 'waiting for network', disk: 'waiting for disk', device: 'waiting for a device', rcu: 'waiting for RCU',
	kernel: 'waiting for the kernel', ipi: 'waiting, process unknown', none: 'waiting, cause unknown', task: 'waiting for a process',
};
/** Kind of time of each type of leg, except runs and waits. */
const OTHERS: Record<Exclude<What, 'run'>, string> = {
	ready: 'ready', preempted: 'preempted', throttled: 'throttled', wait: '', handled: 'interrupts, softirqs', requested: 'wakeup requested', open: 'waiting, not over',
	made: 'forked, not yet woken', exited: 'exited', absent: 'not in the trace', held: 'machine or CPU stopped', silent: 'not running, cause unknown',
};

/** Returns the kind of time of a leg that is not a run. */
export const sortOf = ({ what, cause }: Leg) => (what === 'run' ? '' : what === 'wait' ? WAITS[cause?.source ?? 'none'] : OTHERS[what]);

/** Cause of the end of a wait. */
type Ender = Cause['source'] | 'ownTimer' | 'timeout';
/** Sentence (key of SENTENCES) for each end of a wait that no process caused. */
const ENDS = {
	ownTimer: 'byOwnTimer', timeout: 'byTimeout', timer: 'byTimer', network: 'byNetwork', disk: 'byDisk', device: 'byDevice', rcu: 'byRcu', kernel: 'byKernel',
	ipi: 'byOtherCpu', none: 'byUnknown', task: 'byUnknown',
} as const satisfies Record<Ender, string>;
/** Text (key of SENTENCES) of each wait, by the cause of its end. */
const LEGS = {
	ownTimer: 'legOwnTimer', timeout: 'legTimeout', timer: 'legTimer', network: 'legNetwork', disk: 'legDisk', device: 'legDevice', rcu: 'legRcu', kernel: 'legKernel',
	ipi: 'legOtherCpu', none: 'legUnknown', task: 'legTask',
} as const satisfies Record<Ender, string>;

function enderOf(trace: Trace, { source }: Cause, call: number): Ender {
	if (source !== 'timer') return source;
	const name = call < 0 ? '' : trace.text(call).replace(/\?$/, '');
	return SLEEPS.has(name) ? 'ownTimer' : TIMED.has(name) ? 'timeout' : 'timer';
}

/** Returns the interrupt or softirq that ended a wait, or ''. */
const throughOf = (trace: Trace, { irq, softirq }: Cause) => (irq >= 0 ? trace.shown(irq) : softirq >= 0 ? trace.shown(softirq) : '');

/** Returns the sentence about the end of a wait in a call, if no process ended it. */
export const endedBy = (trace: Trace, cause: Cause, call: number) => say(ENDS[enderOf(trace, cause, call)], { through: throughOf(trace, cause) });

/** Describes a leg in which the process was runnable but did not run. */
function readyWords(trace: Trace, { what, cpu, by, from }: Leg) {
	const woken = what === 'ready';
	if (cpu < 0) return say('legNeverRan', {});
	if (by === 0) return say(woken ? 'legReadyIdle' : 'legUnwokenIdle', { cpu });
	if (by < 0) return say(woken ? 'legReadyUnknown' : 'legPreemptedUnknown', { cpu });
	const process = trace.pidLabel(by);
	return woken ? say('legReady', { cpu, process }) : say('legPreempted', { cpu, process, priority: priorityAt(trace, by, from) });
}

export function legWords(trace: Trace, leg: Leg) {
	const { cause, by } = leg;
	const call = leg.call < 0 ? '' : trace.shown(leg.call);
	switch (leg.what) {
	case 'run': return say('legRun', {});
	case 'ready': case 'preempted': return readyWords(trace, leg);
	case 'throttled': return say('legThrottled', { throttled: trace.shown(leg.quota) });
	case 'wait': return cause ? say(LEGS[enderOf(trace, cause, leg.call)], { call, through: throughOf(trace, cause), process: by < 0 ? '' : trace.pidLabel(by) }) : say('legUnknown', { call });
	case 'handled': return cause && cause.softirq >= 0 ? say('legSoftirq', { softirq: trace.shown(cause.softirq) }) : say('legInterrupt', { interrupt: cause ? throughOf(trace, cause) : '' });
	case 'requested': return say('legRequested', { call });
	case 'open': return say('legOpen', { call });
	case 'made': return say('legForked', {});
	case 'exited': return say('legExited', {});
	case 'absent': return say('legAbsent', {});
	case 'held': return say(by === Kind.STOPPED ? 'legHeldMachine' : 'legHeldCpu', { cpu: leg.cpu });
	default: return say('legSilent', { call });
	}
}

/** Describes the event at the end of a leg: `forks make.30`, `wakes make.30`; '' if there is none. */
export function endWords(trace: Trace, { wake, born, guessed, waits }: Leg) {
	if (born >= 0) return say(guessed ? 'endForksLikely' : 'endForks', { process: trace.pidLabel(born) });
	if (wake >= 0) return say('endWakes', { process: trace.pidLabel(trace.woken(wake)) });
	if (waits) return say('endWaits', { call: waits.call < 0 ? '' : trace.shown(waits.call) });
	return '';
}
