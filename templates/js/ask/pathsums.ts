// SPDX-License-Identifier: BSD-3-Clause
/**
 * Sums the critical path by process and activity. Must not make an object for each span, because a run may have millions.
 * Times are in units of 10 ns.
 */
import { Kind } from '../base/kinds.ts';
import { isCall } from '../data/calls.ts';
import { legWords, runWords, sortOf, sortOfKind } from './pathwords.ts';
import { processOf } from './causes.ts';
import type { Trace } from '../data/trace.ts';
import type { Leg, Path } from './path.ts';

export interface Sum {
	pid: number;
	text: string; /* words for the activity: a call, user code or a wait */
	sort: string; /* kind of time, from pathwords.ts */
	units: number;
	count: number;
	from: number; /* beginning of the longest segment */
	to: number;
}

/** Sums of one process's runs, by slot. There is a slot for each name of a call, and for own code. */
class Ran {
	units: Float64Array = new Float64Array(this.slots);
	count: Float64Array = new Float64Array(this.slots);
	most: Float64Array = new Float64Array(this.slots);
	span: Float64Array = new Float64Array(this.slots);
	from: Float64Array = new Float64Array(this.slots);

	constructor(public slots: number) {}
}

/** Sums a path by process and text. @returns most time first */
export function sumsOf(trace: Trace, path: Path): Sum[] {
	const { name, start, dur } = trace;
	// slot 0 is for user code, slot 1 for the own code of kernel threads
	let slots = 2;
	const slotOf = Uint32Array.from(trace.kinds, (kind) => (kind === Kind.KTHREAD ? 1 : isCall(kind) ? slots++ : 0));
	const ran: Map<number, Ran> = new Map();
	const others: Map<string, Sum> = new Map();
	for (const leg of path.legs) {
		const { pid } = leg;
		if (leg.what !== 'run') {
			const text = legWords(trace, leg);
			const key = `${pid} ${text}`;
			let sum = others.get(key);
			if (!sum) others.set(key, (sum = { pid, text, sort: sortOf(leg), units: 0, count: 0, from: 0, to: 0 }));
			sum.units += leg.to - leg.from;
			sum.count++;
			if (leg.to - leg.from > sum.to - sum.from) [sum.from, sum.to] = [leg.from, leg.to];
			continue;
		}
		let own = ran.get(pid);
		if (!own) ran.set(pid, (own = new Ran(slots)));
		const list = processOf(trace, pid)?.spans;
		if (!list) continue;
		for (let i = leg.lo; i <= leg.hi; i++) {
			const g = list.at(i);
			const from = Math.max(leg.from, start[g]);
			const units = Math.min(leg.to, start[g] + dur[g]) - from;
			if (!(units > 0)) continue;
			const slot = slotOf[name[g]];
			own.units[slot] += units;
			own.count[slot]++;
			if (units > own.most[slot]) {
				own.most[slot] = units;
				own.span[slot] = g;
				own.from[slot] = from;
			}
		}
	}
	const sums = [...others.values()];
	for (const [pid, { units, count, most, span, from }] of ran) {
		for (let slot = 0; slot < slots; slot++) {
			if (!count[slot]) continue;
			sums.push({
				pid, text: runWords(trace, span[slot]), sort: sortOfKind(trace.kind(span[slot])), units: units[slot], count: count[slot],
				from: from[slot], to: from[slot] + most[slot],
			});
		}
	}
	return sums.sort((a, b) => b.units - a.units || a.pid - b.pid);
}

/** Combines sums by process, or by kind of time. @returns most time first */
export function sumsBy(sums: Sum[], key: (sum: Sum) => string | number): Sum[] {
	const all: Map<string | number, Sum> = new Map();
	for (const one of sums) {
		const sum = all.get(key(one));
		if (!sum) {
			all.set(key(one), { ...one });
			continue;
		}
		sum.units += one.units;
		sum.count += one.count;
		if (one.to - one.from > sum.to - sum.from) [sum.from, sum.to] = [one.from, one.to];
	}
	return [...all.values()].sort((a, b) => b.units - a.units || a.pid - b.pid);
}

/** Returns the number of segments in a path. Each span of a run and each other leg is a segment. */
export const segmentCount = (path: Path) => path.legs.reduce((n, leg) => n + (leg.what === 'run' ? leg.hi - leg.lo + 1 : 1), 0);

/** Yields the spans of a leg of type `run`, each cut off at the ends of the leg. */
function* piecesOf(trace: Trace, leg: Leg): Generator<{from: number, to: number, span: number}> {
	const list = processOf(trace, leg.pid)?.spans;
	if (!list || leg.what !== 'run') return;
	for (let i = leg.lo; i <= leg.hi; i++) {
		const from = Math.max(leg.from, list.start(i));
		const to = Math.min(leg.to, list.end(i));
		if (to > from) yield { from, to, span: list.at(i) };
	}
}

/**
 * Yields the segments of a path in order of time: each span of a run, and each other leg. The segments add up to the
 * interval. span: -1 if the segment is not in a run; last: true for the last segment of a leg.
 */
export function* segmentsOf(trace: Trace, path: Path): Generator<{from: number, to: number, pid: number, text: string, sort: string, span: number, leg: Leg, last: boolean}> {
	for (const leg of path.legs) {
		const { pid } = leg;
		if (leg.what !== 'run') {
			yield { from: leg.from, to: leg.to, pid, text: legWords(trace, leg), sort: sortOf(leg), span: -1, leg, last: true };
			continue;
		}
		for (const { from, to, span } of piecesOf(trace, leg))
			yield { from, to, pid, text: runWords(trace, span), sort: sortOfKind(trace.kind(span)), span, leg, last: to === leg.to };
	}
}
