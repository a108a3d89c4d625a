// SPDX-License-Identifier: BSD-3-Clause
/**
 * Derives the kind of a span from its event number. If the number is ambiguous, the name also matters. Must not give a number
 * a meaning that the event table (module/uapi/kutrace_events.def) does not give it. The filters have the same rules for the
 * overview of a page.
 */
import * as Event from './events.ts';

export const Kind = {
	IDLE: 0, IDLELP: 1, CEXIT: 2, USER: 3, SYSCALL: 4, TRAP: 5, IRQ: 6, SOFTIRQ: 7, SCHED: 8, KTHREAD: 9,
	WAIT: 10, WAKE: 11, IPI: 12, MARK_A: 13, MARK_B: 14, MARK_C: 15, MARK_D: 16, BRACKET: 17,
	PC: 18, FREQ: 19, LOCK: 20, RPC: 21, QUEUE: 22, PACKET: 23, POINT: 24,
	TRACEPOINT: 25, PAUSE: 26, STOPPED: 27, STOLEN: 28, DISK: 29, TIMER: 30,
} as const;
export const KINDS = 31;

const labels = [
	'idle', 'low-power idle', 'leaving deep idle', 'user', 'system call', 'fault or trap',
	'interrupt', 'softirq', 'scheduler', 'kernel thread', 'waiting', 'wakeup', 'IPI', 'mark a', 'mark b', 'mark c',
	'mark d', 'name', 'PC sample', 'frequency', 'lock', 'RPC', 'queue', 'packet', 'event', 'tracepoint',
	'not recorded', 'stopped', 'stolen', 'disk request', 'timer',
];

export const kindLabel = (kind: number) => labels[kind];

/** Event number of the idle task's spans in span JSON. The event number of another task is this number plus its pid. */
export const FIRST_TASK = 0x10000;
/** Event number of a span in which a CPU leaves deep idle. */
export const C_EXIT = 0x20000;
/* Event numbers of arcs: a wakeup, and an IPI from one CPU to another. */
const ARC_WAKE = -3, ARC_IPI = -7;
/* Difference between the event numbers of a return and of its call. */
const BACK = Event.SYSCALL64_RETURN - Event.SYSCALL64;
const LAST_SYSCALL64 = Event.SYSCALL64 + Event.SYSCALL64_COUNT - 1;
/** Returns the event number of a wait. @param letter the wait reason, a to z */
export const waitEvent = (letter: string) => Event.WAITA + letter.charCodeAt(0) - 'a'.charCodeAt(0);

/** Returns the kind of a span. @param inKernel true for a kernel thread */
export function kindOf(event: number, name: string, inKernel = false): number {
	if (event >= FIRST_TASK) {
		if (event === FIRST_TASK) return name.startsWith('-idlelp') ? Kind.IDLELP : Kind.IDLE;
		if (event === C_EXIT && name.startsWith('-c-exit')) return Kind.CEXIT;
		return inKernel ? Kind.KTHREAD : Kind.USER;
	}
	if (event === ARC_WAKE) return Kind.WAKE;
	if (event === ARC_IPI) return Kind.IPI;
	if (event >= Event.TRAP && event <= Event.SCHED_RETURN) {
		if (event === Event.SCHED || event === Event.SCHED_RETURN) return Kind.SCHED;
		/* Until 2023, KUtrace 3 used the number of a system call for the scheduler. */
		if ((event === LAST_SYSCALL64 || event === LAST_SYSCALL64 + BACK) && name.startsWith('-sched-')) return Kind.SCHED;
		if (event >= Event.SYSCALL64) return Kind.SYSCALL;
		if (event === Event.BH || event === Event.BH_RETURN) return Kind.SOFTIRQ;
		return event >= Event.IRQ_RETURN || (event >= Event.IRQ && event < Event.TRAP_RETURN) ? Kind.IRQ : Kind.TRAP;
	}
	if (event >= Event.WAITA && event <= Event.WAITZ) return Kind.WAIT;
	switch (event) {
	case Event.TPOINT: return Kind.TRACEPOINT;
	case Event.MARKA: return Kind.MARK_A;
	case Event.MARKB: return Kind.MARK_B;
	case Event.MARKC: return Kind.MARK_C;
	case Event.MARKD: return Kind.MARK_D;
	case Event.LEFTMARK: case Event.RIGHTMARK: return Kind.BRACKET;
	case Event.PC_OLD: case Event.PC_U: case Event.PC_K: return Kind.PC;
	case Event.PSTATE: case Event.PSTATE2: return Kind.FREQ;
	case Event.LOCKNOACQ: case Event.LOCKACQ: case Event.LOCKWAKEUP: case Event.LOCKHELD: case Event.LOCKTRY: return Kind.LOCK;
	case Event.RPCIDREQ: case Event.RPCIDRESP: case Event.RPCIDMID: case Event.RPCIDRXMSG: case Event.RPCIDTXMSG: return Kind.RPC;
	case Event.ENQUEUE: case Event.DEQUEUE: return Kind.QUEUE;
	case Event.PAUSE: return Kind.PAUSE;
	case Event.STOPPED: return Kind.STOPPED;
	case Event.STOLEN: return Kind.STOLEN;
	case Event.DISK_QUEUED: case Event.DISK_ISSUED: case Event.DISK_DONE: case Event.DISK_REQUEUED: case Event.DISK_MERGED: case Event.DISK_QUEUE: case Event.DISK_SERVED: return Kind.DISK;
	case Event.TIMER: case Event.TIMER_LATE: return Kind.TIMER;
	case Event.RX_PKT: case Event.TX_PKT: case Event.RX_USER: case Event.TX_USER: case Event.MBIT_SEC: return Kind.PACKET;
	}
	return Kind.POINT;
}

/** Number of execution kinds. They are the kinds below this number. */
export const EXECUTION_KINDS = Kind.KTHREAD + 1;
/**
 * Last idle kind. All kinds up to this one are idle. They include the exit from deep idle, whose length is an estimate. Every
 * sum counts exactly these kinds as idle. An interrupt during idle is work. postprocess/model/span.h has the same definition.
 */
export const LAST_IDLE = Kind.CEXIT;
/** Last kind in which a CPU does nothing. The picture shows this kind and all kinds before it as a thin line. */
export const LAST_STILL = Kind.IDLELP;
/** Returns whether the kind is an execution kind. Spans of these kinds fill a CPU's time. */
export const isExecution = (kind: number) => kind <= Kind.KTHREAD;
/** Returns whether the kind is a thread's own code: user code, or the kernel code of a kernel thread. */
export const isOwn = (kind: number) => kind === Kind.USER || kind === Kind.KTHREAD;
export const isIdle = (kind: number) => kind <= LAST_IDLE;
export const isStill = (kind: number) => kind <= LAST_STILL;
export const isMark = (kind: number) => kind >= Kind.MARK_A && kind <= Kind.MARK_D;

/** Wait reasons by letter. name: what a process waits for; doing: the same in a sentence; morse: how the picture shows it. */
export const waits = {
	c: { name: 'CPU', doing: 'waiting for a CPU', morse: '-.-.' },
	d: { name: 'disk', doing: 'waiting for disk', morse: '-..' },
	k: { name: 'task', doing: 'waiting for a task', morse: '-.-' },
	l: { name: 'lock', doing: 'waiting for a lock', morse: '.-..' },
	m: { name: 'memory', doing: 'waiting for memory', morse: '--' },
	n: { name: 'network', doing: 'waiting for network', morse: '-.' },
	p: { name: 'pipe', doing: 'waiting for a pipe', morse: '.--.' },
	q: { name: 'throttled', doing: 'throttled', morse: '--.-' },
	r: { name: 'RCU', doing: 'waiting for RCU', morse: '.-.' },
	s: { name: 'scheduler', doing: 'waiting for the scheduler', morse: '...' },
	t: { name: 'time', doing: 'waiting for a timer', morse: '-' },
	u: { name: 'unknown', doing: 'waiting, cause unknown', morse: '..-' },
	v: { name: 'reclaim', doing: 'waiting in direct reclaim', morse: '...-' },
	w: { name: 'writeback', doing: 'waiting for writeback', morse: '.--' },
	z: { name: 'unknown', doing: 'waiting, cause unknown', morse: '--..' },
} as Record<string, {name: string, doing: string, morse: string}>;

export const WAIT_CPU = waitEvent('c');
/** The process was runnable, but its cgroup had used its quota of CPU time. */
export const WAIT_THROTTLED = waitEvent('q');

export const waitLetter = (event: number) => String.fromCharCode('a'.charCodeAt(0) + event - Event.WAITA);

/** Returns the part `name` of a label `name.pid`. */
export function programOf(label: string) {
	const dot = label.lastIndexOf('.');
	return dot > 0 ? label.slice(0, dot) : label;
}
