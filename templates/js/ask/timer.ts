// SPDX-License-Identifier: BSD-3-Clause
/** Divides how late a thread ran after its timer was due, into five parts. Must not use the page. */
import * as Event from '../base/events.ts';
import * as format from '../base/format.ts';
import { Kind, waitEvent } from '../base/kinds.ts';
import { fact, link, ofProcess, type Fact } from './fact.ts';
import { gapAt } from './gap.ts';
import type { Trace } from '../data/trace.ts';

const { duration } = format;
const [WAIT_DISK, WAIT_THROTTLED] = [waitEvent('d'), waitEvent('q')];
/** Nanoseconds in a unit of time. */
const NS = 10;

/** The parts of a timer's lateness until the wakeup, in units of 10 ns, in the order of time. interrupt: null if unknown. */
export interface Parts { wheel: boolean, slack: number, interrupt: number | null, before: number, wakeup: number }

/** Returns the parts in the name of a timer's span; null: it is not such a name. */
export function partsOfTimer(name: string): Parts | null {
	const parts = /^(hrtimer|wheel) slack (\d+)(?: interrupt (\d+))? before (\d+) wakeup (\d+)$/.exec(name);
	if (!parts) return null;
	const units = (text: string) => Number(text) / NS;
	return { wheel: parts[1] === 'wheel', slack: units(parts[2]), interrupt: parts[3] === undefined ? null : units(parts[3]), before: units(parts[4]), wakeup: units(parts[5]) };
}

/** Returns the number of the timer that ended a wait; 0: none, or not recorded. */
const numberOf = (trace: Trace, wait: number) => (trace.event(wait) === WAIT_DISK || trace.event(wait) === WAIT_THROTTLED ? 0 : trace.arg.at(wait));

/** Returns the span of the timer that ended a wait; -1: none, or not recorded. */
function timerOf(trace: Trace, wait: number): number {
	const number = numberOf(trace, wait);
	return number > 0 ? trace.byKind[Kind.TIMER].find((g) => trace.event(g) === Event.TIMER_LATE && trace.arg.at(g) === number) ?? -1 : -1;
}

const untilWakeup = (parts: Parts) => parts.slack + (parts.interrupt ?? 0) + parts.before + parts.wakeup;

/**
 * Returns facts: when the timer was due, and the parts of its lateness.
 * @param waited time at which the thread began to wait; null: unknown
 * @param ran time at which the thread ran; null: unknown
 */
function facts(parts: Parts, woken: number, waited: number | null, ran: number | null): Fact[] {
	const late = untilWakeup(parts);
	const due = woken - late;
	// the interrupt was not late by all of its part: the program asked for a time that had passed
	const passed = waited !== null && due + parts.slack < waited ? [fact('before the wait by', duration(waited - due))] : [];
	return [fact('timer was due at', { t: due }), ...passed, fact('late', duration(late + (ran === null ? 0 : ran - woken)), ran === null ? ' until the wakeup' : ''),
		fact(parts.wheel ? 'rounded up to ticks' : 'slack', duration(parts.slack)),
		...(parts.interrupt === null ? [] : [fact('then interrupt after', duration(parts.interrupt))]),
		fact(parts.interrupt === null ? 'then interrupt and earlier callbacks' : 'then earlier callbacks', duration(parts.before)),
		fact('then wakeup after', duration(parts.wakeup)), ...(ran === null ? [] : [fact('then waited for a CPU', duration(ran - woken))])];
}

/** Returns facts: the timer that ended a wait, and the five parts of its lateness. */
export function timerFacts(trace: Trace, wait: number): Fact[] {
	const timer = timerOf(trace, wait);
	const parts = timer < 0 ? null : partsOfTimer(trace.text(timer));
	if (!parts) return [];
	const gap = trace.sorting ? null : gapAt(trace, trace.pid[wait], trace.start[wait] + trace.dur[wait] / 2);
	return [fact('timer', link(trace, timer, parts.wheel ? 'by the kernel\u2019s tick' : 'by a clock')), ...facts(parts, trace.end(timer), trace.start[wait], gap && gap.to < trace.last ? gap.to : null)];
}

/** Returns the facts about the span of a timer. */
export function ofTimer(trace: Trace, span: number): Fact[] {
	const parts = trace.event(span) === Event.TIMER_LATE ? partsOfTimer(trace.text(span)) : null;
	if (!parts) return [];
	const wait = trace.byKind[Kind.WAIT].find((g) => trace.pid[g] === trace.pid[span] && numberOf(trace, g) === trace.arg.at(span));
	return [...facts(parts, trace.end(span), wait === undefined ? null : trace.start[wait], null), ...(wait === undefined ? [] : [fact('ended the wait', link(trace, wait), ' of ', ofProcess(trace, trace.pid[wait]))])];
}
