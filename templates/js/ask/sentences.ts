// SPDX-License-Identifier: BSD-3-Clause
/**
 * Contains every sentence that explains why a process did not run. `{name}` stands for a value. A part in brackets
 * is left out if its value is ''.
 */
import type { Part } from './fact.ts';

export const SENTENCES = {
	// ---- a gap, in the explanation ----
	gap: '{process} did not run for {time}[, in {call}].',
	gapWait: '{process} did not run for {time}: it was {waiting}[ in {call}].',
	gapNew: '{process} did not run for {time} after {parent} forked it.',
	gapNewLikely: '{process} did not run for {time} after its fork, most likely by {parent}.',
	gapUnseen: '{process} did not run in the first {time} of the trace. It was asleep, or did not exist yet.',
	waited: 'It spent {time} {waiting}[ in {call}].',
	ready: 'It was ready for {time}.',

	// ---- the process was not there, or was not recorded ----
	unborn: '{process} did not exist yet. {parent} forked it {time} after the beginning of the trace.',
	unbornLikely: '{process} did not exist yet. Most likely {parent} forked it, {time} after the beginning of the trace.',
	unbornEnd: 'So it did not wait. The path shows what {parent} did before the fork.',
	exited: '{process} did not exist any more. It had exited[ in {call}] {time} after the beginning of the trace.',
	exitedEnd: 'So it did not wait.',
	exitedAgain: 'So it did not wait. Another process got its PID {time} later.',
	off: 'The trace does not show {process} for {time}. Recording was off for {paused} of that time.',
	partial: 'The trace does not show {process} for {time}. Events of some CPUs are missing until {until}.',
	offEnd: 'So it is unknown what it did.',
	heldMachine: '{process} had CPU {cpu}, but the machine did not run for {time}.',
	heldCpu: '{process} had CPU {cpu}, but most likely this CPU did not run for {time}.',

	// ---- the wakeup ----
	wokenBy: '{waker} woke it[ in {call}] on CPU {cpu}.',
	wokenAcross: '{waker} requested the wakeup. CPU {cpu} carried it out.',
	wokenByInterrupt: 'Interrupt {interrupt} woke it on CPU {cpu}[, while {process} was running there].',
	wokenBySoftirq: 'The {softirq} woke it on CPU {cpu}[, while {process} was running there].',
	wokenOn: 'It was woken on CPU {cpu}.',
	ranLater: 'It ran {time} later.',

	// ---- no wakeup ----
	unwoken: 'No wakeup recorded.',
	wasReady: 'It was ready.',
	quotaUsed: 'It was ready, but its cgroup had used its quota of CPU time.',
	moved: 'It moved from CPU {from} to CPU {to}, which took {time}.',
	continued: 'It continued on CPU {cpu}.',
	neverRan: 'It does not run again in this trace.',

	// ---- what a CPU did meanwhile ----
	cpuRan: 'CPU {cpu} ran {process}[ ({priority})] for {time} of that time.',
	cpuInterrupts: 'CPU {cpu} handled interrupts for {time} of that time.',
	cpuIdle: 'CPU {cpu} was idle for {time} of that time.',
	cpuNothing: 'CPU {cpu} ran no other process.',

	// ---- why the explanation ends at a wakeup that no process caused ----
	byOwnTimer: 'Its own timer ended the wait.',
	byTimeout: 'Its timeout ended the wait.',
	byTimer: 'A timer ended the wait.',
	byNetwork: 'The network ended the wait ({through}).',
	byDisk: 'The disk ended the wait ({through}).',
	byDevice: 'A device ended the wait ({through}).',
	byRcu: 'RCU ended the wait.',
	byKernel: 'The kernel ended the wait[ ({through})].',
	byOtherCpu: 'Another CPU ended the wait. The trace does not show which process requested that.',
	byUnknown: 'The trace does not show what ended the wait: no interrupt was recorded.',

	// ---- why the explanation ends at a waker ----
	wakerUnseen: 'The trace does not show what {waker} did before.',
	wakerRan: '{waker} was running all that time.',
	wakerNew: '{waker} first ran {time} before this wakeup.',
	wakerSinceTrace: '{waker} had been running since before the trace began.',
	wakerSinceSelection: '{waker} had been running since before the selection began.',
	repeats: 'The rest repeats step {step}.',

	// ---- segments of a critical path ----
	legRun: 'running',
	legReady: 'ready: CPU {cpu} ran {process}',
	legReadyIdle: 'ready: CPU {cpu} was idle',
	legReadyUnknown: 'ready: the trace does not show what CPU {cpu} ran',
	legPreempted: 'preempted: CPU {cpu} ran {process}[ ({priority})]',
	legUnwokenIdle: 'ready without a wakeup: CPU {cpu} was idle',
	legPreemptedUnknown: 'preempted: the trace does not show what CPU {cpu} ran',
	legThrottled: '{throttled}: its cgroup had used its quota of CPU time',
	legNeverRan: 'ready, but it does not run again',
	legOwnTimer: 'waiting[ in {call}] for its own timer',
	legTimeout: 'waiting[ in {call}] for its timeout',
	legTimer: 'waiting[ in {call}] for a timer',
	legNetwork: 'waiting[ in {call}] for the network: {through}',
	legDisk: 'waiting[ in {call}] for disk: {through}',
	legDevice: 'waiting[ in {call}] for a device: {through}',
	legRcu: 'waiting[ in {call}] for RCU',
	legKernel: 'waiting[ in {call}] for the kernel[: {through}]',
	legOtherCpu: 'waiting[ in {call}] for another CPU: the trace does not show which process',
	legTask: 'waiting[ in {call}] for {process}',
	legUnknown: 'waiting[ in {call}]: the trace does not show for what',
	legRequested: 'waiting[ in {call}]: the wakeup was requested from another CPU',
	legOpen: 'waiting[ in {call}]: not over at the end',
	legInterrupt: 'woken in interrupt {interrupt}',
	legSoftirq: 'woken in {softirq}',
	legForked: 'forked, not yet woken',
	legExited: 'exited',
	legAbsent: 'not in the trace yet: asleep, or not forked yet',
	legHeldMachine: 'had CPU {cpu}, but the machine did not run',
	legHeldCpu: 'had CPU {cpu}, which most likely did not run',
	legSilent: 'did not run[, in {call}]: the trace does not show why',

	// ---- the event at the end of a segment ----
	endForks: 'forks {process}',
	endForksLikely: 'forks {process} (most likely)',
	endWakes: 'wakes {process}',
	endWaits: 'begins to wait[ in {call}]',

	// ---- facts about waits and wakeups, in the details ----
	factGap: '{time} from {from}[: {waits}].',
	factWoken: 'Woken by {waker}: {wakeup} at {at}. It ran {delay} later.',
	factWakeup: '{wakeup} at {at}; it ran {delay} later',
	factDoer: '{process} in {call} on CPU {cpu}',
	factDoerOn: '{process} on CPU {cpu}',
	factDidNotRun: '{time} from {from} to {to}',
	factUnseen: 'until {to}: asleep, or not forked yet',
	factWaited: '{time} since {from}[: {wait}]',
	factWaitedNew: 'not at all: {parent} had just forked it',
	factWaitedNewLikely: 'not at all: most likely {parent} had just forked it',
	factWaitedExited: 'not at all: its PID belonged to a process that had exited',
	factWaitedPartial: 'for an unknown time: events of some CPUs are missing before',
	factWaitedOff: 'for an unknown time: recording was off before',
	factWaitedUnseen: 'for an unknown time: it slept since before the trace, or was forked in it',
	factRan: '{span} on CPU {cpu}',
	factWoke: '{process}, {after} after the packet arrived, at {at}. It ran {delay} later',
	factWokeNone: 'no process, in this {softirq}',
} as const;

type Key = keyof typeof SENTENCES;
/** Names of the values in a sentence. */
type Holes<S extends string> = S extends `${string}{${infer Name}}${infer Rest}` ? Name | Holes<Rest> : never;
type Values<K extends Key, Value> = Record<Holes<typeof SENTENCES[K]>, Value | string | number>;

/** Matches a value, or a part in brackets with its value. */
const HOLE = /\[([^\]{]*)\{(\w+)\}([^\]]*)\]|\{(\w+)\}/;

/** Returns a sentence in parts: its texts and values, in order. @param values a list stands for its elements */
export function partsOf<K extends Key>(key: K, values: Values<K, Part | Part[]>): Part[] {
	const parts: Part[] = [];
	const texts = SENTENCES[key].split(HOLE);
	for (let i = 0; i < texts.length; i += 5) {
		const [text, before = '', optional, after = '', plain] = texts.slice(i, i + 5);
		parts.push(text);
		const name = optional ?? plain;
		if (name === undefined) continue;
		const value = (values as Record<string, Part | Part[] | number>)[name];
		if (optional && (value === '' || (Array.isArray(value) && !value.length))) continue;
		parts.push(before, ...(Array.isArray(value) ? value : [typeof value === 'number' ? String(value) : value]), after);
	}
	return parts.filter((part) => part !== '');
}

export const say = <K extends Key>(key: K, values: Values<K, never>) => partsOf(key, values).join('');
