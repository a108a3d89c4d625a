// SPDX-License-Identifier: BSD-3-Clause
/** Collects everything known about a span on no CPU. Must not use the page. details.ts describes spans of execution. */
import * as Event from '../base/events.ts';
import * as format from '../base/format.ts';
import { Kind, kindLabel, waitLetter, isOwn } from '../base/kinds.ts';
import { diskFacts, requestFacts } from './disk.ts';
import { sameNameOffCpu } from './samename.ts';
import { processOf, runningOn, wakeOf } from './causes.ts';
import { doer, fact, found, link, ofProcess, processText, type Fact, type Part, type Section } from './fact.ts';
import { gapAt } from './gap.ts';
import { priorityAt } from './priority.ts';
import { partsOf, say } from './sentences.ts';
import { ofTimer, timerFacts } from './timer.ts';
import { reasonFor, spanName } from './waitname.ts';
import { holder, meanwhile, unwoken } from './why.ts';
import type { Trace } from '../data/trace.ts';

const { duration } = format;
/** Bits of a cgroup's id in the argument of an event (module/uapi/kutrace_quota.h). */
const CGROUP = 0x7fffff;
/** Maximum number of locks in a list. */
const MOST_LINES = 60;

/** Returns the span that runs on a CPU at a time, as a link. */
function running(trace: Trace, cpu: number, t: number): Part[] {
	const g = runningOn(trace, cpu, t);
	return g < 0 ? ['no recorded span'] : [link(trace, g), isOwn(trace.kind(g)) || trace.pid[g] < 0 ? '' : ` of ${processText(trace, trace.pid[g])}`];
}

export function arcTitle(trace: Trace, span: number) {
	const from = processText(trace, trace.pid[span]);
	return trace.kind(span) === Kind.IPI ? `IPI from CPU ${trace.cpuOf(span)} to CPU ${trace.arg.at(span)}` :
		`${from} woke ${processText(trace, trace.woken(span))}`;
}

export function arcFacts(trace: Trace, span: number): Fact[] {
	const [t, end, to] = [trace.start[span], trace.end(span), trace.arg.at(span)];
	const from = fact('from', ...doer(trace, trace.pid[span], trace.cpuOf(span), t));
	if (trace.kind(span) === Kind.IPI) {
		return [from, fact('at', { t }), fact('to', `CPU ${to}: `, ...running(trace, to, end)), fact('latency', `${duration(trace.dur[span])} until it arrived`)];
	}
	const woken = trace.woken(span);
	const ran = runningOn(trace, to, end);
	return [from, fact('at', { t }), fact('to', ran >= 0 && trace.pid[ran] === woken ? link(trace, ran, processText(trace, woken)) : processText(trace, woken), ` on CPU ${to}`),
		fact('latency', `${duration(trace.dur[span])} until it ran, at `, { t: end })];
}

/** Returns the reason for which the woken process had waited. */
function waitedFor(trace: Trace, span: number): Fact[] {
	if (trace.kind(span) !== Kind.WAKE || trace.sorting) return [];
	const pid = trace.woken(span);
	const gap = gapAt(trace, pid, trace.start[span]);
	if (!gap) return [];
	const waited = (...parts: Part[]) => [fact('waited before', ...parts)];
	if (gap.birth) return waited(...partsOf(gap.birth.guessed ? 'factWaitedNewLikely' : 'factWaitedNew', { parent: ofProcess(trace, gap.birth.parent) }));
	if (gap.there === 'exited') return waited(say('factWaitedExited', {}));
	if (gap.there === 'off' || gap.there === 'queued') return waited(say(trace.isPartial(gap.from) ? 'factWaitedPartial' : 'factWaitedOff', {}));
	if (gap.there === 'unseen') return waited(say('factWaitedUnseen', {}));
	const list = processOf(trace, pid)?.waits;
	const i = list ? list.first(gap.from) : 0;
	const wait = list && i < list.length && list.start(i) < gap.to ? link(trace, list.at(i)) : '';
	return waited(...partsOf('factWaited', { time: duration(trace.start[span] - gap.from), from: { t: gap.from }, wait }));
}

/** Returns the attempt to take a lock during which a thread waited from one time to another, or -1. */
function lockTried(trace: Trace, pid: number, from: number, to: number): number {
	let tried = -1;
	trace.locks.each(from, to, (g) => {
		if (trace.event(g) === Event.LOCKTRY && trace.pid[g] === pid && trace.start[g] <= from && trace.end(g) >= to) tried = g;
		return true;
	});
	return tried;
}

/** Returns a fact: the cgroup that was throttled, with its quota. */
function cgroupOf(trace: Trace, wait: number): Fact[] {
	const arg = trace.arg.at(wait);
	const id = arg & CGROUP;
	if (!arg) return [];
	const of = trace.byKind[Kind.POINT].find((g) => trace.event(g) === Event.THROTTLE && (trace.arg.at(g) & CGROUP) === id);
	const name = of === undefined ? '' : trace.text(of).replace(/^throttled=?/, '');
	return [fact('cgroup', name || `id ${id}`)];
}

/** Returns the facts about a wait, and about the event that ended it. */
function waitFacts(trace: Trace, span: number): Fact[] {
	const letter = waitLetter(trace.event(span));
	const facts = [fact('reason', `${reasonFor(trace, span)} (${letter})`), ...(letter === 'q' ? cgroupOf(trace, span) : requestFacts(trace, span)), ...timerFacts(trace, span)];
	const lock = letter === 'c' || letter === 'q' ? -1 : lockTried(trace, trace.pid[span], trace.start[span], trace.end(span));
	if (lock >= 0) facts.push(fact('lock', link(trace, lock)));
	if (trace.sorting) return [...facts, fact('thread', 'spans are being sorted')];
	const pid = trace.pid[span];
	const priority = priorityAt(trace, pid, trace.start[span]);
	if (priority) facts.push(fact('priority', priority));
	const list = processOf(trace, pid)?.spans;
	const gap = gapAt(trace, pid, trace.start[span] + trace.dur[span] / 2);
	if (!list || !gap) return facts;
	const i = list.seek(gap.to - 0.001);
	const wake = wakeOf(trace, pid, gap.from, gap.to);
	const cpu = i < list.length ? trace.cpuOf(list.at(i)) : -1;
	if (letter === 'c' && cpu >= 0) facts.push(fact('meanwhile', meanwhile(trace, cpu, holder(trace, cpu, trace.start[span], trace.end(span), pid), trace.start[span])));
	facts.push(gap.there === 'unseen' ? fact('did not run', ...partsOf('factUnseen', { to: { t: gap.to } })) :
		fact('did not run', ...partsOf('factDidNotRun', { time: duration(gap.to - gap.from), from: { t: gap.from }, to: { t: gap.to } })));
	facts.push(wake < 0 ? fact('ended by', unwoken(trace, pid, gap.from, gap.to, i > 0 ? trace.cpuOf(list.at(i - 1)) : -1, cpu)) : fact('ended by', ...doer(trace, trace.pid[wake], trace.cpuOf(wake), trace.start[wake])));
	if (wake >= 0) facts.push(fact('woken', ...partsOf('factWakeup', { wakeup: link(trace, wake, 'wakeup'), at: { t: trace.start[wake] }, delay: duration(gap.to - trace.start[wake]) })));
	facts.push(fact('ran before', ...(i > 0 ? [link(trace, list.at(i - 1))] : ['nothing in the trace'])));
	facts.push(fact('ran then', ...(i < list.length ? partsOf('factRan', { span: link(trace, list.at(i)), cpu: trace.cpuOf(list.at(i)) }) : ['nothing in the trace'])));
	return facts;
}

/** Returns a lock's name without the prefix that shows its state. */
const lockName = (text: string) => text.replace(/^[~=+]/, '');

/** Returns the processes that held the lock of a span, or tried to get it, at the same time. */
function lockSections(trace: Trace, span: number): Section[] {
	const event = trace.event(span);
	const held = event === Event.LOCKHELD;
	if (!held && event !== Event.LOCKTRY) return [];
	const name = lockName(trace.text(span));
	const lines: Part[][] = [];
	trace.locks.each(trace.start[span], trace.end(span), (g) => {
		if (g === span || (trace.event(g) === Event.LOCKHELD) === held || (trace.event(g) !== Event.LOCKHELD && trace.event(g) !== Event.LOCKTRY) || lockName(trace.text(g)) !== name) return true;
		lines.push([link(trace, g, processText(trace, trace.pid[g])), `   ${duration(trace.dur[g])} from `, { t: trace.start[g] }]);
		return lines.length <= MOST_LINES;
	});
	const title = held ? 'Tried to get the lock meanwhile' : 'Held the lock meanwhile';
	if (!lines.length) return [{ title: `${title}: no recorded process`, facts: [] }];
	return [{ title, facts: [], lines: lines.slice(0, MOST_LINES), ...(lines.length > MOST_LINES ? { more: `the first ${MOST_LINES}` } : {}) }];
}

/** Returns facts: the meaning of the span's argument and return value. */
function values(trace: Trace, span: number): Fact[] {
	const [kind, event, arg, ret] = [trace.kind(span), trace.event(span), trace.arg.at(span), trace.ret.at(span)];
	if (kind === Kind.FREQ) return [fact('frequency', `${arg} MHz`)];
	if (kind === Kind.PC) {
		return [fact('address', trace.text(span).replace(/^PC=/, '')), fact('in', event === Event.PC_K ? 'the kernel' : 'user code'),
			...(arg ? [fact('frequency', `${arg} MHz`)] : [])];
	}
	if (event === Event.MBIT_SEC) return [fact('speed', `${arg} Mbit/s`)];
	if (kind === Kind.MARK_D) return [fact('number', String(arg))];
	if (kind === Kind.DISK) return diskFacts(trace, span);
	if (kind === Kind.TIMER) return ofTimer(trace, span);
	return [...(arg || ret ? [fact('arg0', `${arg}   0x${arg.toString(16)}`)] : []), ...(ret ? [fact('value', String(ret))] : [])];
}

/** Returns a fact: the first process that was woken after a packet, in the interrupt or softirq that received the packet. */
function wokeThen(trace: Trace, span: number): Fact[] {
	const cpu = trace.cpuOf(span);
	const t = trace.start[span];
	const inside = trace.event(span) === Event.RX_PKT && cpu >= 0 ? runningOn(trace, cpu, t) : -1;
	if (inside < 0 || (trace.kind(inside) !== Kind.SOFTIRQ && trace.kind(inside) !== Kind.IRQ)) return [];
	const end = trace.end(trace.calls ? trace.calls.last(inside) : inside);
	const { ids } = trace.arcs;
	for (let i = trace.arcs.seek(t); i < ids.length && trace.start[ids[i]] < end; i++) {
		const g = ids[i];
		if (trace.kind(g) !== Kind.WAKE || trace.cpuOf(g) !== cpu) continue;
		return [fact('woke', ...partsOf('factWoke', {
			process: link(trace, g, processText(trace, trace.woken(g))), after: duration(trace.start[g] - t), at: { t: trace.start[g] }, delay: duration(trace.dur[g]),
		}))];
	}
	return [fact('woke', say('factWokeNone', { softirq: trace.shown(inside) }))];
}

/** Returns the span that ran on the same CPU at the start of a span. */
function during(trace: Trace, span: number): Fact[] {
	const cpu = trace.cpuOf(span);
	return cpu >= 0 && trace.kind(span) !== Kind.FREQ ? [fact('ran there', ...running(trace, cpu, trace.start[span]))] : [];
}

export function aboutOthers(trace: Trace, span: number): {title: string, sections: Section[]} {
	const kind = trace.kind(span);
	const isArc = kind === Kind.WAKE || kind === Kind.IPI;
	const [cpu, pid] = [trace.cpuOf(span), trace.pid[span]];
	const facts: Fact[] = [fact('kind', kindLabel(kind))];
	if (trace.shown(span) !== trace.text(span)) facts.push(fact('in the data', trace.text(span)));
	if (isArc) {
		facts.push(...arcFacts(trace, span), ...waitedFor(trace, span));
	} else {
		if (pid > 0 || (pid === 0 && kind !== Kind.FREQ)) facts.push(pid ? fact('process', `${trace.pidOf(pid)}   `, ofProcess(trace, pid)) : fact('process', '0 (idle)'));
		if (trace.rpc && trace.rpc.at(span) > 0) facts.push(fact('RPC', String(trace.rpc.at(span))));
		if (cpu >= 0 && kind !== Kind.WAIT) facts.push(fact('CPU', String(cpu)));
		facts.push(fact('start', { t: trace.start[span] }));
		if (trace.dur[span]) facts.push(fact('end', { t: trace.end(span) }), fact('duration', duration(trace.dur[span])));
		facts.push(...(kind === Kind.WAIT ? waitFacts(trace, span) : [...values(trace, span), ...during(trace, span), ...wokeThen(trace, span)]));
	}
	facts.push(found(trace, 'previous of this name', sameNameOffCpu(trace, span, -1)), found(trace, 'next of this name', sameNameOffCpu(trace, span, 1)));
	return { title: isArc ? arcTitle(trace, span) : spanName(trace, span), sections: [{ title: '', facts }, ...lockSections(trace, span)] };
}
