// SPDX-License-Identifier: BSD-3-Clause
/**
 * Explains why a process was not running: follows a gap to its wakeup, to the waker's own wait, and so on. Must not use the
 * page or the view. The chain ends where the trace has no cause. Only the parent of a new process may be a guess, which the
 * text marks as likely. A process that does not exist does not wait.
 */
import * as format from '../base/format.ts';
import { Kind, isIdle, waitLetter, isOwn } from '../base/kinds.ts';
import { isCall } from '../data/calls.ts';
import { callIn, doingOf, stoppedIn } from './waitname.ts';
import { ABUT, causeOf, ofDevice, processOf, wakeOf, type Cause } from './causes.ts';
import { exitsOf } from './ends.ts';
import { gapAt, gapBefore, runBefore, type Gap } from './gap.ts';
import { endedBy } from './pathwords.ts';
import { priorityAt } from './priority.ts';
import { say } from './sentences.ts';
import { gapsIn, threadOf } from './thread.ts';
import type { Trace } from '../data/trace.ts';

/** Maximum delay between a wakeup and the run that the text does not mention, units of 10 ns. */
const SHORT = 100;

/** One gap of one process. */
export interface Link {
	pid: number;
	from: number; /* end of the process's last span before the gap, or its birth, units of 10 ns */
	to: number; /* when the process ran again */
	wake: number; /* the wakeup that ended the gap, or -1 */
	/**
	 * unborn: not forked yet; off: recording was off, or events of some CPUs are missing; stopped: the CPU did not run; '': the
	 * process was recorded.
	 */
	absent: 'unborn' | 'exited' | 'off' | 'stopped' | '';
	waker: number; /* pid of the waker, or -1; for unborn: its parent */
	ranFrom: number; /* start of the waker's run that contains the wakeup */
	text: string; /* description */
}

/** end: sentence about the end of the chain; shown: number of visible links. */
export type Chain = {links: Link[], end: string, shown: number};

/**
 * Returns the process that ran longest on a CPU between two times, except process `but`. Reads at most 100,000 spans.
 * @returns idle: idle time of the CPU; null: no other process ran there
 */
export function holder(
	trace: Trace, cpu: number, from: number, to: number, but: number,
): {pid: number, units: number, idle: number} | null {
	const list = trace.cpus.get(cpu);
	const sums: Map<number, number> = new Map();
	if (!list) return null;
	let idle = 0;
	const end = Math.min(list.seek(to), list.first(from) + 100000);
	for (let i = list.first(from); i < end; i++) {
		const g = list.at(i);
		const pid = trace.pid[g];
		const units = Math.min(to, list.end(i)) - Math.max(from, list.start(i));
		if (isIdle(trace.kind(g))) idle += units;
		else if (pid !== but) sums.set(pid, (sums.get(pid) ?? 0) + units);
	}
	const best = [...sums].sort((a, b) => b[1] - a[1])[0];
	return best ? { pid: best[0], units: best[1], idle } : null;
}

/** Returns the sentence about the work of a CPU while a process did not run. @param at time at which it stopped */
export function meanwhile(trace: Trace, cpu: number, other: ReturnType<typeof holder>, at: number) {
	if (!other) return say('cpuNothing', { cpu });
	const [ran, idle] = [format.duration(other.units), format.duration(other.idle)];
	if (other.idle > other.units) return say('cpuIdle', { cpu, time: idle });
	return other.pid ? say('cpuRan', { cpu, process: trace.pidLabel(other.pid), priority: priorityAt(trace, other.pid, at), time: ran }) : say('cpuInterrupts', { cpu, time: ran });
}

/**
 * Describes the end of a gap without a recorded wakeup: where the process continued, and the code that ran meanwhile on the
 * CPU that the process left.
 * @param left CPU that the process left
 * @param cpu CPU on which it continued; -1: none
 */
export function unwoken(trace: Trace, pid: number, from: number, to: number, left: number, cpu: number) {
	const reasons = reasonsOf(trace, pid, from, to);
	const ready = isReadyIn(reasons);
	const sentences: string[] = [isThrottledIn(reasons) ? say('quotaUsed', {}) : ready ? say('wasReady', {}) : say('unwoken', {})];
	if (cpu >= 0 && cpu !== left) sentences.push(ready && left >= 0 ? say('moved', { from: left, to: cpu, time: format.duration(to - from) }) : say('continued', { cpu }));
	if (left >= 0) sentences.push(meanwhile(trace, left, holder(trace, left, from, to, pid), from));
	return sentences.join(' ');
}

type Reason = {letter: string, units: number};

/** Returns the wait reasons in a gap with their times, longest first. */
function reasonsOf(trace: Trace, pid: number, from: number, to: number): Reason[] {
	const list = processOf(trace, pid)?.waits;
	const sums: Map<string, number> = new Map();
	if (list) {
		for (let i = list.first(from); i < list.length && list.start(i) < to; i++) {
			const letter = waitLetter(trace.event(list.at(i)));
			sums.set(letter, (sums.get(letter) ?? 0) + Math.min(to, list.end(i)) - Math.max(from, list.start(i)));
		}
	}
	return [...sums].map(([letter, units]) => ({ letter, units })).filter((r) => r.units > 0).sort((a, b) => b.units - a.units);
}

/** Returns whether a process was ready in most of a gap. */
const isReadyIn = (reasons: Reason[]) => reasons[0]?.letter === 'c';
/** Returns whether a process was throttled in most of a gap. */
const isThrottledIn = (reasons: Reason[]) => reasons[0]?.letter === 'q';

/** Returns the sentences about the delay after a wakeup, with a space before them; '' if the delay was short. */
function ranLater(trace: Trace, pid: number, at: number, to: number, cpu: number) {
	const delay = to - at;
	if (delay <= SHORT) return '';
	const other = cpu >= 0 ? holder(trace, cpu, at, to, pid) : null;
	return ` ${say('ranLater', { time: format.duration(delay) })}${other && other.units > delay / 4 ? ` ${meanwhile(trace, cpu, other, at)}` : ''}`;
}

/** Returns the sentence about a wakeup that no process caused. */
function interruptWoke(trace: Trace, wake: number, { softirq, span }: Cause) {
	const process = trace.pid[wake] > 0 ? trace.pidLabel(trace.pid[wake]) : '';
	const cpu = trace.cpuOf(wake);
	if (softirq >= 0) return say('wokenBySoftirq', { softirq: trace.shown(softirq), cpu, process });
	if (span >= 0 && trace.kind(span) === Kind.IRQ) return say('wokenByInterrupt', { interrupt: trace.shown(span), cpu, process });
	return say('wokenOn', { cpu });
}

/**
 * Describes the wakeup of a link. Returns either the end of the chain, or the waker's own gap, with which the chain
 * continues.
 * @param link a link with a wakeup
 * @param cpu CPU on which the process then ran
 * @param call call in which the process waited; -1: none
 */
function wokenBy(trace: Trace, link: Link, cpu: number, call: number): {text: string, end: string, next: {pid: number, gap: Gap} | null} {
	const { pid, from, to, wake } = link;
	const at = trace.start[wake];
	const cause = causeOf(trace, wake);
	const wakeCpu = trace.cpuOf(wake);
	const late = ranLater(trace, pid, at, to, cpu);
	if (cause.source !== 'task') return { text: `${interruptWoke(trace, wake, cause)}${late}`, end: endedBy(trace, ofDevice(trace, cause, pid, at), call), next: null };
	link.waker = cause.pid;
	const waker = trace.pidLabel(cause.pid);
	const inside = cause.softirq >= 0 ? trace.shown(cause.softirq) : cause.span >= 0 && !isOwn(trace.kind(cause.span)) ? trace.label(cause.span) : '';
	const how = cause.softirq < 0 && cause.at < at ? say('wokenAcross', { waker, cpu: wakeCpu }) : say('wokenBy', { waker, call: inside, cpu: wakeCpu });
	const text = `${how}${late}`;
	const wakerList = processOf(trace, cause.pid)?.spans;
	const run = wakerList ? runBefore(wakerList, cause.at) : null;
	if (!run) return { text, end: say('wakerUnseen', { waker }), next: null };
	link.ranFrom = run.from;
	if (run.from <= from) return { text, end: say('wakerRan', { waker }), next: null };
	const gap = gapAt(trace, cause.pid, run.from - 0.5);
	if (!gap || gap.there === 'unseen') return { text, end: say('wakerNew', { waker, time: format.duration(cause.at - run.from) }), next: null };
	return { text, end: '', next: { pid: cause.pid, gap } };
}

/** Describes a gap in which the process did not exist or was not recorded: before its fork, after its exit, in a pause, or while its CPU did not run. */
function absence(trace: Trace, pid: number, { from, to, there, birth }: Gap): {link: Link, end: string} {
	const process = trace.pidLabel(pid);
	const link: Link = { pid, from, to, wake: -1, absent: 'exited', waker: -1, ranFrom: NaN, text: '' };
	if (there === 'unborn' && birth) {
		const parent = trace.pidLabel(birth.parent);
		link.absent = 'unborn';
		link.waker = birth.parent;
		link.text = say(birth.guessed ? 'unbornLikely' : 'unborn', { process, parent, time: format.duration(to - trace.first) });
		return { link, end: say('unbornEnd', { parent }) };
	}
	if (there === 'held') {
		const stop = trace.stopOf(pid, from, to);
		const whole = trace.kind(stop) === Kind.STOPPED;
		link.absent = 'stopped';
		link.text = say(whole ? 'heldMachine' : 'heldCpu', { process, cpu: trace.cpuOf(stop), time: format.duration(to - from) });
		return { link, end: say('exitedEnd', {}) };
	}
	if (there === 'off') {
		link.absent = 'off';
		const paused = trace.pausedIn(from, to);
		const time = format.duration(to - from);
		link.text = paused || !trace.partial ? say('off', { process, time, paused: format.duration(paused) }) : say('partial', { process, time, until: format.seconds(trace.partial.to) });
		return { link, end: say('offEnd', {}) };
	}
	const list = (processOf(trace, pid)?.spans)!;
	const last = stoppedIn(list, list.seek(from + 0.001) - 1);
	const call = last >= 0 && exitsOf(trace)[trace.name[last]] === 1 ? trace.shown(last) : '';
	link.text = say('exited', { process, call, time: format.duration(from - trace.first) });
	return { link, end: to >= trace.last ? say('exitedEnd', {}) : say('exitedAgain', { time: format.duration(to - from) }) };
}

/** Returns the sentences about a gap of an existing process: length and wait reasons. @param woken when it was woken or ran */
function gapText(trace: Trace, pid: number, { from, to, there, birth }: Gap, call: string, woken: number, reasons: Reason[]) {
	const process = trace.pidLabel(pid);
	const time = format.duration(to - from);
	const [first] = reasons;
	if (there === 'stopped' && first && first.letter !== 'c' && first.units >= woken - from - ABUT)
		return say('gapWait', { process, time, waiting: doingOf(first.letter), call });
	const sentence = there === 'unseen' ? say('gapUnseen', { process, time }) :
		birth ? say(birth.guessed ? 'gapNewLikely' : 'gapNew', { process, time, parent: trace.pidLabel(birth.parent) }) :
			say('gap', { process, time, call: reasons.length ? '' : call });
	return [sentence, ...reasons.map((r) => (r.letter === 'c' ? say('ready', { time: format.duration(r.units) }) :
		say('waited', { time: format.duration(r.units), waiting: doingOf(r.letter), call })))].join(' ');
}

/**
 * Returns the chain for the gap of a process at a time.
 * @param t time in the gap
 * @param until earliest time; the chain ends there
 * @returns null: the process was running
 */
export function why(trace: Trace, pid: number, t: number, until: number = trace.first): Chain | null {
	const links: Link[] = [];
	let gap = gapAt(trace, pid, t);
	if (!gap) return null;
	/** Number of the link of each gap; the first link is 1. */
	const steps: Map<string, number> = new Map();
	for (let who = pid; ;) {
		const { from, to, there } = gap;
		steps.set(`${who} ${from}`, links.length + 1);
		if (there === 'unborn' || there === 'exited' || there === 'off' || there === 'held') {
			const { link, end } = absence(trace, who, gap);
			links.push(link);
			return { links, shown: links.length, end };
		}
		const list = (processOf(trace, who)?.spans)!;
		const i = list.seek(to - 0.001);
		// a new process begins in its parent's fork call, and waits in no call; the call before a pause may have ended
		const call = there === 'new' || there === 'queued' ? -1 : callIn(trace, list, i - 1);
		const name = call < 0 ? '' : trace.shown(call);
		const link: Link = { pid: who, from, to, wake: wakeOf(trace, who, from, to), absent: '', waker: -1, ranFrom: NaN, text: '' };
		links.push(link);
		const cpu = i < list.length ? trace.cpuOf(list.at(i)) : -1;
		const woken = link.wake < 0 ? to : trace.start[link.wake];
		const reasons = reasonsOf(trace, who, from, to);
		// a later sentence describes this ready time: the time after the wakeup, or the whole gap
		const later = (r: Reason) => r.letter === 'c' && (link.wake >= 0 ? r.units <= to - woken + ABUT : to < trace.last && isReadyIn(reasons));
		link.text = gapText(trace, who, gap, name, woken, reasons.filter((r) => !later(r)));
		if (link.wake < 0) {
			return { links, shown: links.length, end: to >= trace.last ? say('neverRan', {}) :
				unwoken(trace, who, from, to, i > 0 ? trace.cpuOf(list.at(i - 1)) : -1, cpu) };
		}
		const { text, end, next } = wokenBy(trace, link, cpu, call);
		link.text += ` ${text}`;
		if (!next) return { links, shown: links.length, end };
		if (next.gap.to <= until) return { links, shown: links.length, end: say(until > trace.first ? 'wakerSinceSelection' : 'wakerSinceTrace', { waker: trace.pidLabel(next.pid) }) };
		const step = steps.get(`${next.pid} ${next.gap.from}`);
		if (step !== undefined) return { links, shown: links.length, end: say('repeats', { step }) };
		({ pid: who, gap } = next);
	}
}

/** Returns the time to explain for a span: in the wait, in the call's longest gap, or in the gap before the span's run. */
export function gapOf(trace: Trace, span: number) {
	if (trace.kind(span) === Kind.WAIT) return trace.start[span] + trace.dur[span] / 2;
	const { calls } = trace;
	const list = calls && trace.pid[span] > 0 && isCall(trace.kind(span)) && calls.pieces(span).length > 1 ? threadOf(trace, span) : null;
	const gaps = calls && list ? gapsIn(trace, calls, list, span).gaps : [];
	if (!gaps.length) return gapBefore(trace, span);
	const { from, to } = gaps.reduce((most, gap) => (gap.to - gap.from > most.to - most.from ? gap : most));
	return (from + to) / 2;
}
