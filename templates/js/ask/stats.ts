// SPDX-License-Identifier: BSD-3-Clause
/** Sums a time range by process, CPU, wait, wakeup and name. Counts only the part of a span in the range, units of 10 ns. */
import { KINDS, Kind, isIdle, waitLetter } from '../base/kinds.ts';
import { CallSums } from './callsums.ts';
import { OfCpu, Ready } from './cpus.ts';
import { atOnce, inSlices } from '../base/slices.ts';
import { callsOfWaits, isRunnable } from './waitname.ts';
import type { Trace } from '../data/trace.ts';

export interface Sum {
	count: number;
	units: number; /* time, in units of 10 ns */
	longest: number; /* the span with the longest part inside the range, or -1 */
	most: number; /* time of that part */
}

export const noSum = (): Sum => ({ count: 0, units: 0, longest: -1, most: -1 });

export function addSpan(sum: Sum, span: number, time: number) {
	sum.count++;
	sum.units += time;
	if (time <= sum.most) return;
	sum.most = time;
	sum.longest = span;
}

export function addSum(to: Sum, { count, units, longest, most }: Sum) {
	to.count += count;
	to.units += units;
	if (most > to.most) Object.assign(to, { most, longest });
}

/** units = user + kernel. */
type OfProcess = Sum & {pid: number, user: number, kernel: number, wait: number};
/** call: the dictionary entry of the call in which the process waited; -1: in no call, or not known. */
type OfWait = Sum & {pid: number, letter: string, call: number};
type OfWakeup = Sum & {from: number, to: number};

/** Number of spans visited between two yields. */
const SLICE = 20000;

/** Sums of a whole trace, including calls. */
const wholes: WeakMap<Trace, Tally> = new WeakMap();

/** Returns the sums of the whole trace, if the range is the whole trace and the sums have been computed. */
export const wholeTally = (trace: Trace, t0: number, t1: number) => (t0 === trace.first && t1 === trace.last ? wholes.get(trace) ?? null : null);

export class Tally {
	processes: Map<number, OfProcess> = new Map();
	cpus: OfCpu[] = [];
	/** Sums of spans on no CPU by kind. */
	kinds: (Sum & {kind: number})[] = Array.from({ length: KINDS }, (_, kind) => ({ kind, ...noSum() }));
	/** Sums of spans on no CPU by dictionary entry. */
	names: (Sum & {name: number})[] = this.trace.texts.map((_, name) => ({ name, ...noSum() }));
	waits: Map<string, OfWait> = new Map();
	wakeups: Map<string, OfWakeup> = new Map();
	/** Sums of execution by call; null until the calls are joined. */
	calls: CallSums | null = null;

	constructor(public trace: Trace, public t0: number, public t1: number) {}

	process(pid: number) {
		let p = this.processes.get(pid);
		if (!p) this.processes.set(pid, (p = { pid, ...noSum(), user: 0, kernel: 0, wait: 0 }));
		return p;
	}

	/** Computes the sums. Each step takes a fraction of a millisecond. */
	*work() {
		const { trace, t0, t1 } = this;
		const { start, dur, spanKinds, pid } = trace;
		let process = this.process(0);
		const ready = new Ready();
		yield* ready.work(trace, t0, t1);
		for (const [id, list] of trace.cpus) {
			const cpu = new OfCpu(id);
			this.cpus.push(cpu);
			ready.rewind();
			const end = list.seek(t1);
			for (let i = list.first(t0), until = i + SLICE; i < end; i++) {
				const g = list.at(i);
				const time = Math.min(start[g] + dur[g], t1) - Math.max(start[g], t0);
				const kind = spanKinds[g];
				cpu.times[kind] += time;
				if (isIdle(kind)) {
					const from = Math.max(start[g], t0);
					cpu.idled(g, ready.within(from, from + time));
				} else {
					if (process.pid !== pid[g]) process = this.process(pid[g]);
					addSpan(process, g, time);
					if (kind === Kind.USER) process.user += time;
					else process.kernel += time;
				}
				if (i >= until) {
					until = i + SLICE;
					yield;
				}
			}
		}
		const named = yield* this.#others();
		this.names.forEach((sum, i) => addSum(this.kinds[trace.kinds[i]], sum));
		for (const p of [...this.processes.values()])
			if (!p.count && !p.wait) this.processes.delete(p.pid);
		const { calls } = trace;
		if (!calls) return;
		const sums = new CallSums(trace, calls, t0, t1);
		yield* sums.work();
		this.calls = sums;
		if (named && t0 === trace.first && t1 === trace.last) wholes.set(trace, this);
	}

	/** Sums spans on no CPU by name; waits and wakeups also by process. @returns whether the calls of the waits are known */
	*#others(): Generator<void, boolean, void> {
		const { trace, t0, t1 } = this;
		const { start, dur, name, pid } = trace;
		// the calls of waits are known only when the spans are sorted by process
		const callOf = trace.calls && !trace.sorting ? callsOfWaits(trace) : null;
		let n = 0;
		for (let g = trace.others.lo; g < trace.others.hi; g++) {
			if (start[g] >= t1) break;
			if (++n > SLICE) {
				n = 0;
				yield;
			}
			const end = start[g] + dur[g];
			if (end < t0 || (end === t0 && dur[g])) continue;
			const time = Math.min(end, t1) - Math.max(start[g], t0);
			const kind = trace.kind(g);
			addSpan(this.names[name[g]], g, time);
			if (kind === Kind.WAIT) {
				const letter = waitLetter(trace.event(g));
				const span = callOf && !isRunnable(trace, g) ? callOf(g) : -1;
				const call = span < 0 ? -1 : name[span];
				const key = `${pid[g]} ${letter} ${call}`;
				n += 4;
				let sum = this.waits.get(key);
				if (!sum) this.waits.set(key, (sum = { pid: pid[g], letter, call, ...noSum() }));
				addSpan(sum, g, time);
				this.process(pid[g]).wait += time;
			} else if (kind === Kind.WAKE && start[g] >= t0) {
				const to = trace.woken(g);
				const key = `${pid[g]} ${to}`;
				let sum = this.wakeups.get(key);
				if (!sum) this.wakeups.set(key, (sum = { from: pid[g], to, ...noSum() }));
				addSpan(sum, g, dur[g]);
			}
		}
		return callOf !== null;
	}
}

export function tally(trace: Trace, t0: number, t1: number) {
	const sums = new Tally(trace, t0, t1);
	atOnce(sums.work());
	return sums;
}

/** Computes the sums between frames, and calls done at the end. Returns a function that cancels the work. */
export function tallySlowly(trace: Trace, t0: number, t1: number, done: (sums: Tally) => void): () => void {
	const sums = new Tally(trace, t0, t1);
	// compute small sums now, before the user sees that they are missing
	return inSlices(sums.work(), () => done(sums), { how: trace.length < 100000 ? 'once' : 'idle' });
}
