// SPDX-License-Identifier: BSD-3-Clause
/**
 * Explains why a process was not running: follows a gap to its wakeup, to the waker's own wait, and so on. Must not use the
 * page or the view. The chain ends where the trace has no cause. Only the parent of a new process may be a guess, which the
 * text marks as likely. A process that does not exist does not wait.
 */
import * as format from '../base/format.ts';
import { Kind, isIdle, waitLetter, isOwn } from '../base/kinds.ts';
import { isCall } from '../data/calls.ts';
import { callIn, stoppedIn, waitFor } from './waitname.ts';
import { ABUT, causeOf, processOf, wakeOf, type Cause } from './causes.ts';
import { exitsOf } from './ends.ts';
import { gapAt, gapBefore, runBefore, type Gap } from './gap.ts';
import { forWhat } from './pathwords.ts';
import { gapsIn, threadOf } from './thread.ts';
import type { Trace } from '../data/trace.ts';

/** One gap of one process. */
export interface Link {
	pid: number;
	from: number; /* end of its last span before the gap, or its birth, units of 10 ns */
	to: number; /* when it ran again */
	reasons: {letter: string, units: number}[];
	wake: number; /* the wakeup that ended the gap, or -1 */
	absent: 'unborn' | 'exited' | 'off' | ''; /* why it was not there: not forked yet, exited, or recording was off or events of some CPUs are missing; '': it was there */
	waker: number; /* pid of the waker, or -1; for unborn: its parent */
	ranFrom: number; /* start of the waker's run that contains the wakeup */
	text: string; /* description */
}

/** end: sentence that says why the chain ends; shown: number of visible links. */
export type Chain = {links: Link[], end: string, shown: number};

/**
 * Returns the process that ran longest on a CPU between two times. Reads at most 100,000 spans.
 * @param but pid to leave out
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

/** Describes what a CPU did in a time. */
export const hadWords = (trace: Trace, other: ReturnType<typeof holder>) => (!other ? 'was idle' : other.idle > other.units ? `was idle for ${format.duration(other.idle)}` :
	`ran ${other.pid ? trace.pidLabel(other.pid) : 'interrupts'} for ${format.duration(other.units)}`);

/**
 * Describes the end of a wait without a recorded wakeup: the process that ran meanwhile on the CPU that this one left, and
 * the CPU on which this one continued.
 * @param left CPU that the process left
 * @param cpu CPU on which it continued; -1: none
 */
export function unwokenWords(trace: Trace, pid: number, from: number, to: number, left: number, cpu: number) {
	const meanwhile = left >= 0 ? `: CPU ${left}, where it had been, ${hadWords(trace, holder(trace, left, from, to, pid))}` : '';
	return `No wakeup is recorded${meanwhile}${cpu >= 0 && cpu !== left ? `; it went on on CPU ${cpu}` : ''}`;
}

/** Returns the wait reasons in a gap with their times, longest first. */
function reasonsOf(trace: Trace, pid: number, from: number, to: number) {
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

/**
 * Describes the wakeup of a link. Either ends the chain or continues with the waker's own gap.
 * @param link a link with a wakeup
 * @param cpu CPU on which the process then ran
 * @param call call in which it waited; -1: none
 */
function wokenBy(trace: Trace, link: Link, cpu: number, call: number): {text: string, end: string, next: {pid: number, gap: Gap} | null} {
	const { pid, from, to, wake } = link;
	const at = trace.start[wake];
	const delay = to - at;
	const other = delay > ABUT && cpu >= 0 ? holder(trace, cpu, at, to, pid) : null;
	const late = delay > 100 ? ` It ran ${format.duration(delay)} after that` +
		(other && other.units > delay / 4 ? `: CPU ${cpu} ${hadWords(trace, other)}.` : '.') : '';
	const cause = causeOf(trace, wake);
	const wakeCpu = trace.cpuOf(wake);
	if (cause.source !== 'task') {
		const doing = cause.softirq >= 0 ? cause.softirq : cause.span;
		const text = `, until ${doing >= 0 ? trace.shown(doing) : 'something'} on CPU ${wakeCpu}` +
			`${trace.pid[wake] > 0 ? ` (in ${trace.pidLabel(trace.pid[wake])})` : ''} woke it.${late}`;
		return { text, end: outside(trace, cause, call), next: null };
	}
	link.waker = cause.pid;
	const waker = trace.pidLabel(cause.pid);
	const how = cause.softirq >= 0 ? ` in ${trace.shown(cause.softirq)}` : cause.at < at ? ' by way of another CPU' :
		cause.span >= 0 && !isOwn(trace.kind(cause.span)) ? ` in ${trace.label(cause.span)}` : '';
	const text = `, until ${waker} woke it${how} on CPU ${wakeCpu}.${late}`;
	const wakerList = processOf(trace, cause.pid)?.spans;
	const run = wakerList ? runBefore(wakerList, cause.at) : null;
	if (!run) return { text, end: `The trace does not show what ${waker} did before.`, next: null };
	link.ranFrom = run.from;
	if (run.from <= from) return { text, end: `${waker} was running all that time.`, next: null };
	const gap = gapAt(trace, cause.pid, run.from - 0.5);
	if (!gap || gap.there === 'unseen') return { text, end: `${waker} first ran ${format.duration(cause.at - run.from)} before that.`, next: null };
	return { text, end: '', next: { pid: cause.pid, gap } };
}

/** Describes a gap in which the process did not exist or was not recorded: before its fork, after its exit, or in a pause. */
function absence(trace: Trace, pid: number, { from, to, there, birth }: Gap): {link: Link, end: string} {
	const label = trace.pidLabel(pid);
	const link: Link = { pid, from, to, reasons: [], wake: -1, absent: 'exited', waker: -1, ranFrom: NaN, text: '' };
	if (there === 'unborn' && birth) {
		const parent = trace.pidLabel(birth.parent);
		const after = `${format.duration(to - trace.first)} after the trace's beginning`;
		link.absent = 'unborn';
		link.waker = birth.parent;
		link.text = `${label} was not there yet: ${birth.guessed ? `most likely ${parent} forked it, ${after}` : `${parent} forked it ${after}`}.`;
		return { link, end: `It waited for nothing. What ${parent} did until then is in the path.` };
	}
	if (there === 'off') {
		link.absent = 'off';
		const paused = trace.pausedIn(from, to);
		link.text = `${label} is not in the trace for ${format.duration(to - from)}: ${paused || !trace.partial ? `recording was off for ${format.duration(paused)} of that` :
			`events of some CPUs are missing until ${format.seconds(trace.partial.to)}`}.`;
		return { link, end: 'The trace does not show what it did then.' };
	}
	const list = (processOf(trace, pid)?.spans)!;
	const last = stoppedIn(list, list.seek(from + 0.001) - 1);
	const call = last >= 0 && exitsOf(trace)[trace.name[last]] === 1 ? ` in ${trace.shown(last)}` : '';
	link.text = `${label} was no longer there: it had ended${call}, ${format.duration(from - trace.first)} after the trace's beginning.`;
	return { link, end: to >= trace.last ? 'It waited for nothing.' : `It waited for nothing. Its number is used again ${format.duration(to - from)} after that.` };
}

/** Returns how long the process did not run, and from when. */
function howLong(trace: Trace, { from, to, there, birth }: Gap) {
	const time = format.duration(to - from);
	if (there === 'unseen') return `${time} from the trace's beginning, asleep or not born yet`;
	return birth ? `${time} after ${trace.pidLabel(birth.parent)} ${birth.guessed ? 'most likely had' : 'had'} forked it` : time;
}

/**
 * Returns the sentence that ends the chain at a cause that is not a process.
 * @param call call in which it waited
 */
function outside(trace: Trace, cause: Cause, call: number) {
	if (cause.source === 'none') return 'Something outside of the processes woke it: no interrupt is recorded.';
	return `It waited${forWhat(trace, { cause, call, by: -1 }).replace(/^,/, '')}.`;
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
	const seen = new Set();
	for (let who = pid; ;) {
		const { from, to, there } = gap;
		seen.add(`${who} ${from}`);
		if (there === 'unborn' || there === 'exited' || there === 'off') {
			const { link, end } = absence(trace, who, gap);
			links.push(link);
			return { links, shown: links.length, end };
		}
		const list = (processOf(trace, who)?.spans)!;
		const i = list.seek(to - 0.001);
		// a new process begins in its parent's fork call, and waits in no call
		const call = there === 'new' ? -1 : callIn(trace, list, i - 1);
		const name = call < 0 ? '' : trace.shown(call);
		const reasons = reasonsOf(trace, who, from, to);
		const link: Link = { pid: who, from, to, reasons, wake: wakeOf(trace, who, from, to), absent: '', waker: -1, ranFrom: NaN, text: '' };
		links.push(link);
		const cpu = i < list.length ? trace.cpuOf(list.at(i)) : -1;
		const said = reasons.map((r) => `${waitFor(r.letter, r.letter === 'c' ? '' : name)} ${format.duration(r.units)}`);
		link.text = `${trace.pidLabel(who)} did not run for ${howLong(trace, gap)}${said.length ? ` (${said.join(', ')})` : name && ` in ${name}`}`;
		if (link.wake < 0) {
			return { links, shown: links.length, end: to >= trace.last ? 'It does not run again in this trace.' :
				`${unwokenWords(trace, who, from, to, i > 0 ? trace.cpuOf(list.at(i - 1)) : -1, cpu)}.` };
		}
		const { text, end, next } = wokenBy(trace, link, cpu, call);
		link.text += text;
		if (!next) return { links, shown: links.length, end };
		if (next.gap.to <= until) return { links, shown: links.length, end: `${trace.pidLabel(next.pid)} had been running since before ${until > trace.first ? 'the selection' : 'the trace'} began.` };
		if (seen.has(`${next.pid} ${next.gap.from}`)) return { links, shown: links.length, end: `The rest repeats step ${links.findIndex((l) => l.pid === next.pid && l.from === next.gap.from) + 1}.` };
		({ pid: who, gap } = next);
	}
}

/**
 * Returns a time in the gap to explain for a span: in the wait itself, in the longest gap of a call, otherwise in the gap
 * before the span's run.
 */
export function gapOf(trace: Trace, span: number) {
	if (trace.kind(span) === Kind.WAIT) return trace.start[span] + trace.dur[span] / 2;
	const { calls } = trace;
	const list = calls && trace.pid[span] > 0 && isCall(trace.kind(span)) && calls.pieces(span).length > 1 ? threadOf(trace, span) : null;
	const gaps = calls && list ? gapsIn(trace, calls, list, span).gaps : [];
	if (!gaps.length) return gapBefore(trace, span);
	const { from, to } = gaps.reduce((most, gap) => (gap.to - gap.from > most.to - most.from ? gap : most));
	return (from + to) / 2;
}
