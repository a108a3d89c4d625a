// SPDX-License-Identifier: BSD-3-Clause
/**
 * What kind of thing a span is, told from its event number and, where that is not enough, from its name.
 * Never gives a number a meaning that the event table (module/uapi/kutrace_events.def) does not give it.
 * Imported nearly everywhere; postprocess tells kinds apart by the same rules for the overview.
 */

export const Kind = /** @type {const} */ ({
	IDLE: 0, IDLELP: 1, CEXIT: 2, USER: 3, SYSCALL: 4, TRAP: 5, IRQ: 6, SOFTIRQ: 7, SCHED: 8, KTHREAD: 9,
	WAIT: 10, WAKE: 11, IPI: 12, MARK_A: 13, MARK_B: 14, MARK_C: 15, MARK_D: 16, BRACKET: 17,
	PC: 18, FREQ: 19, LOCK: 20, RPC: 21, QUEUE: 22, PACKET: 23, POINT: 24,
	TRACEPOINT: 25, PAUSE: 26,
});
export const KINDS = 27;

const labels = [
	'idle', 'low-power idle', 'leaving deep idle', 'user', 'system call', 'fault or trap',
	'interrupt', 'softirq', 'scheduler', 'kernel thread', 'waiting', 'wakeup', 'IPI', 'mark a', 'mark b', 'mark c',
	'mark d', 'name', 'PC sample', 'frequency', 'lock', 'RPC', 'queue', 'packet', 'event', 'tracepoint',
	'not recorded',
];

/** @param {number} kind */
export const kindLabel = (kind) => labels[kind];

/**
 * @param {number} event
 * @param {string} name
 * @param {boolean} [inKernel] of a thread that never leaves the kernel
 * @returns {number} a Kind
 */
export function kindOf(event, name, inKernel = false) {
	if (event >= 65536) {
		if (event === 65536) return name.startsWith('-idlelp') ? Kind.IDLELP : Kind.IDLE;
		if (event === 0x20000 && name.startsWith('-c-exit')) return Kind.CEXIT;
		return inKernel ? Kind.KTHREAD : Kind.USER;
	}
	if (event === -3) return Kind.WAKE;
	if (event === -7) return Kind.IPI;
	if (event >= 0x400 && event < 0x1000) {
		if (event === 0xdff || event === 0xfff) return Kind.SCHED;
		/* until 2023 the original gave the scheduler the number of another call */
		if ((event === 0x9ff || event === 0xbff) && name.startsWith('-sched-')) return Kind.SCHED;
		if (event >= 0x800) return Kind.SYSCALL;
		if (event === 0x5ff || event === 0x7ff) return Kind.SOFTIRQ;
		return event & 0x100 ? Kind.IRQ : Kind.TRAP;
	}
	if (event >= 0x300 && event <= 0x319) return Kind.WAIT;
	switch (event) {
	case 0x109: return Kind.TRACEPOINT;
	case 0x20a: return Kind.MARK_A;
	case 0x20b: return Kind.MARK_B;
	case 0x20c: return Kind.MARK_C;
	case 0x20d: return Kind.MARK_D;
	case 0x20e: case 0x20f: return Kind.BRACKET;
	case 0x101: case 0x280: case 0x281: return Kind.PC;
	case 0x209: case 0x21c: return Kind.FREQ;
	case 0x210: case 0x211: case 0x212: case 0x282: case 0x283: return Kind.LOCK;
	case 0x201: case 0x202: case 0x203: case 0x204: case 0x205: return Kind.RPC;
	case 0x21a: case 0x21b: return Kind.QUEUE;
	case 0x284: return Kind.PAUSE;
	case 0x214: case 0x215: case 0x216: case 0x217: case 0x218: return Kind.PACKET;
	}
	return Kind.POINT;
}

/** How many there are; they are the first ones. */
export const EXECUTION_KINDS = Kind.KTHREAD + 1;
/**
 * Idle kinds are the first ones: idle of any depth, and the way out of it, whose length is an estimate. Every sum counts these
 * as idle, and nothing else: an interrupt in idle is work. postprocess/model/span.h has the same definition.
 */
export const LAST_IDLE = Kind.CEXIT;
/**
 * The first kinds are those in which a CPU stands still: the picture shows them as a thin
 * line, and leaving deep idle as a sine.
 */
export const LAST_STILL = Kind.IDLELP;
/** Execution kinds are those that fill a CPU's time. @param {number} kind */
export const isExecution = (kind) => kind <= Kind.KTHREAD;
/** A thread's own code, in user mode or, of a kernel thread, in the kernel. @param {number} kind */
export const isOwn = (kind) => kind === Kind.USER || kind === Kind.KTHREAD;
/** @param {number} kind */
export const isIdle = (kind) => kind <= LAST_IDLE;
/** @param {number} kind */
export const isStill = (kind) => kind <= LAST_STILL;
/** @param {number} kind */
export const isMark = (kind) => kind >= Kind.MARK_A && kind <= Kind.MARK_D;

/** What a process waits for, by the letter in its event number; Morse as drawn. */
export const waits = /** @type {Record<string, {name: string, morse: string}>} */ ({
	c: { name: 'CPU', morse: '-.-.' },
	d: { name: 'disk', morse: '-..' },
	k: { name: 'task', morse: '-.-' },
	l: { name: 'lock', morse: '.-..' },
	m: { name: 'memory', morse: '--' },
	n: { name: 'network', morse: '-.' },
	p: { name: 'pipe', morse: '.--.' },
	r: { name: 'RCU', morse: '.-.' },
	s: { name: 'scheduler', morse: '...' },
	t: { name: 'time', morse: '-' },
	u: { name: 'unknown', morse: '..-' },
	z: { name: 'unknown', morse: '--..' },
});

/** Event of a wait for a CPU. */
export const WAIT_CPU = 0x302;

/** @param {number} event */
export const waitLetter = (event) => String.fromCharCode(97 + (event - 0x300));

/** `name` of `name.pid`. @param {string} label */
export function programOf(label) {
	const dot = label.lastIndexOf('.');
	return dot > 0 ? label.slice(0, dot) : label;
}
