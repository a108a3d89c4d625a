// SPDX-License-Identifier: BSD-3-Clause
/**
 * Collects everything about one process, several processes, or one kind or name of spans: calls, CPUs, waits, wakeups,
 * delays, parent. The sums are equal to the sums of the tables (stats.ts, callsums.ts) for the same range. Works in steps.
 * Times are in units of 10 ns.
 */
import { KINDS, isExecution, isIdle, waitLetter } from '../base/kinds.ts';
import { SpanList } from '../data/spans.ts';
import { CallSums, type Only } from './callsums.ts';
import { Delays, delaysOf } from './delays.ts';
import { exitOf } from './ends.ts';
import { firstOf, forking } from './forks.ts';
import { identityFacts } from './identity.ts';
import { addSpan, noSum, wholeTally, type Sum, type Tally } from './stats.ts';
import { preemptorOf } from './preemptor.ts';
import { callsOfWaits, isRunnable } from './waitname.ts';
import { seekSpan, wakesOf } from './wakes.ts';
import type { Calls } from '../data/calls.ts';
import type { Fact } from './fact.ts';
import type { Process, Trace } from '../data/trace.ts';

/** The subject: processes by pid (0: the interrupts in the idle tasks), or a kind, or a dictionary entry. */
export type Subject = {pids: number[]} | {kind: number} | {entry: number};

export type Keyed = Sum & {key: number | string};
/** call: a dictionary entry; -1: in no call, or not known. */
type OfWait = Keyed & {letter: string, call: number};
/** Execution on one CPU. runs: number of runs on this CPU */
type OnCpu = {cpu: number, units: number, runs: number};
/** first: first time at which the process appears; exit: time of its exit; NaN: not in the trace. */
type Life = {
	pid: number, parent: {pid: number, guessed: boolean} | null, children: {pid: number, guessed: boolean}[],
	first: number, exit: number, identity: Fact[],
};

/** Number of spans visited between two yields. */
const SLICE = 20000;
/** Number of processes that are summed in advance, and the minimum number of spans of such a process. */
const READY = 3;
const MANY_SPANS = 1e5;

function add<K>(sums: Map<K, Keyed>, key: K & (number | string), span: number, time: number) {
	let sum = sums.get(key);
	if (!sum) sums.set(key, (sum = { key, ...noSum() }));
	addSpan(sum, span, time);
}

export class SubjectSums {
	processes: Process[] = [];
	/** Sums of the whole trace, if the range is the whole trace and they have been computed. null for several processes. */
	tally: Tally | null;
	/** Sums of calls by name. If the subject is a kind or a name, by process. */
	calls: Pick<CallSums, 'groups' | 'names' | 'kinds'>;
	cpus: Map<number, OnCpu> = new Map();
	migrations = 0;
	/** Waits by reason and by the call that they are in. */
	waits: Map<string, OfWait> = new Map();
	/** Sums of spans on no CPU by process, if the subject is a kind or a name. */
	others: Map<number, Keyed> = new Map();
	wokenBy: Map<number, Keyed> = new Map();
	woke: Map<number, Keyed> = new Map();
	delays: {woken: Delays, switched: Delays} = { woken: new Delays(), switched: new Delays() };
	/** Processes that took the CPU while the subject's process was runnable, and how long that process then waited for a CPU. */
	takenBy: Map<number, Keyed> = new Map();
	/** Parent, children, beginning and end. null: the subject is not one process. */
	life: Life | null = null;

	constructor(public trace: Trace, calls: Calls, public subject: Subject, public t0: number, public t1: number) {
		this.tally = 'pids' in subject && subject.pids.length !== 1 ? null : wholeTally(trace, t0, t1);
		const only = this.#only();
		this.calls = this.tally?.calls?.of(subject) ?? new CallSums(trace, calls, t0, t1, only);
	}

	#only(): Only {
		const { trace, subject } = this;
		const { pid, spanKinds, cpus } = trace;
		if ('pids' in subject) {
			const wanted = new Set(subject.pids);
			// the list of a process has no idle spans, so use the lists of the CPUs
			if (wanted.has(0)) return { lists: [...cpus.values()], takes: (g) => wanted.has(pid[g]) && !isIdle(spanKinds[g]), by: 'name' };
			this.processes = trace.processes().filter((p) => wanted.has(p.id));
			const [one] = subject.pids;
			const takes = subject.pids.length === 1 ? (g: number) => pid[g] === one : (g: number) => wanted.has(pid[g]);
			return { lists: this.processes.map((p) => p.spans), takes, all: true, by: 'name' };
		}
		if ('kind' in subject) return { lists: isExecution(subject.kind) ? [...cpus.values()] : [], takes: (g) => spanKinds[g] === subject.kind, by: 'pid' };
		return { lists: isExecution(trace.kinds[subject.entry]) ? [...cpus.values()] : [], takes: this.#named(subject.entry), by: 'pid' };
	}

	/** Returns a function that tests the name of a span or of its call. */
	#named(entry: number): (g: number) => boolean {
		const { trace } = this;
		const { calls } = trace;
		return (g) => (calls ? calls.name(g) : trace.name[g]) === entry;
	}

	/** Computes all sums except the sums of more(), in steps of a fraction of a millisecond. */
	*work() {
		if (this.calls instanceof CallSums) yield* this.calls.work();
		if (!('pids' in this.subject)) {
			yield* this.#onNoCpu();
			return;
		}
		const wakes = yield* wakesOf(this.trace);
		for (const process of this.processes) {
			yield* this.#places(process.spans);
			if (!this.tally) yield* this.#waits(process);
			yield* delaysOf(this.trace, process, wakes.to.of(process.id), this.t0, this.t1, this.delays, (wait) => {
				const taker = preemptorOf(this.trace, process.spans, wait);
				if (taker >= 0) add(this.takenBy, taker, wait, this.trace.dur[wait]);
			});
		}
		if (this.subject.pids.includes(0))
			for (const { lo, hi } of this.trace.tracks) yield* this.#places(new SpanList(this.trace, lo, hi), true);
		if (this.tally) this.#take(this.tally, this.subject.pids[0]);
		for (const pid of this.tally ? [] : this.subject.pids) {
			yield* this.#wakeups(wakes.to.of(pid), (g) => this.trace.pid[g], this.wokenBy);
			yield* this.#wakeups(wakes.from.of(pid), (g) => this.trace.woken(g), this.woke);
		}
		yield* this.delays.woken.quantiles();
		yield* this.delays.switched.quantiles();
	}

	/** Computes the sums that need a search of all processes. Must be called after work(). */
	*more() {
		if ('pids' in this.subject && this.processes.length === 1 && this.subject.pids.length === 1) yield* this.#life(this.processes[0]);
	}

	/** Copies the sums of one process from the tables. */
	#take({ waits, wakeups }: Tally, pid: number) {
		for (const w of waits.values()) {
			const key = `${w.letter} ${w.call}`;
			if (w.pid === pid && pid > 0) this.waits.set(key, { ...w, key });
		}
		for (const w of wakeups.values()) {
			if (w.to === pid) this.wokenBy.set(w.from, { ...w, key: w.from });
			if (w.from === pid) this.woke.set(w.to, { ...w, key: w.to });
		}
	}

	/** Sums the time of a list on each CPU, and counts its changes of CPU. @param idle count only the idle tasks */
	*#places(list: SpanList, idle = false) {
		const at = { track: this.trace.tracks[0], on: null as OnCpu | null, ended: NaN };
		const end = list.seek(this.t1);
		for (let i = list.first(this.t0); i < end; i += SLICE) {
			if (!this.#place(list, i, Math.min(end, i + SLICE), idle, at)) return;
			yield;
		}
	}

	/** Sums elements [i, end) of a list. Updates at, the state at the previous element. @returns false: the rest is on no CPU */
	#place(
		{ index, lo }: SpanList, i: number, end: number, idle: boolean,
		at: {track: {cpu: number, lo: number, hi: number}, on: OnCpu | null, ended: number},
	): boolean {
		const { trace: { tracks, start, dur, pid, spanKinds }, t0, t1 } = this;
		let { track, on, ended } = at;
		/** Sums for the current CPU. */
		let units = 0;
		let runs = 0;
		for (; i < end; i++) {
			const g = index ? index[lo + i] : lo + i;
			if (idle && (pid[g] !== 0 || isIdle(spanKinds[g]))) continue;
			if (g < track.lo || g >= track.hi || !on) {
				track = tracks.find((t) => g >= t.lo && g < t.hi)!;
				if (track.cpu < 0) break;
				if (on) {
					on.units += units;
					on.runs += runs;
					if (!idle) this.migrations++;
				}
				units = runs = 0;
				on = this.cpus.get(track.cpu) ?? { cpu: track.cpu, units: 0, runs: 0 };
				this.cpus.set(track.cpu, on);
				ended = NaN;
			}
			const from = start[g];
			if (from !== ended) runs++;
			ended = from + dur[g];
			units += ended <= t1 && from >= t0 ? dur[g] : Math.min(ended, t1) - Math.max(from, t0);
		}
		if (on) {
			on.units += units;
			on.runs += runs;
		}
		Object.assign(at, { track, on, ended });
		return i === end;
	}

	*#waits({ waits }: Process) {
		if (!waits) return;
		const { trace, t0, t1 } = this;
		const callOf = callsOfWaits(trace);
		let sum: OfWait | undefined;
		for (let i = waits.first(t0), n = 0; i < waits.length && waits.start(i) < t1; i++) {
			if (++n % (SLICE / 4) === 0) yield;
			const g = waits.at(i);
			const letter = waitLetter(trace.event(g));
			const span = isRunnable(trace, g) ? -1 : callOf(g);
			const call = span < 0 ? -1 : trace.name[span];
			if (sum?.letter !== letter || sum.call !== call) {
				const key = `${letter} ${call}`;
				sum = this.waits.get(key);
				if (!sum) this.waits.set(key, (sum = { key, ...noSum(), letter, call }));
			}
			addSpan(sum, g, Math.min(waits.end(i), t1) - Math.max(waits.start(i), t0));
		}
	}

	/** Sums the wakeups of list by the pid that other() returns. */
	*#wakeups(list: Uint32Array, other: (g: number) => number, into: Map<number, Keyed>) {
		const { start, dur } = this.trace;
		for (let i = seekSpan(this.trace, list, this.t0); i < list.length && start[list[i]] < this.t1; i++) {
			if (i % SLICE === 0) yield;
			add(into, other(list[i]), list[i], dur[list[i]]);
		}
	}

	/** Sums spans on no CPU of a kind or name by process. Names that differ only in a process count as one name. */
	*#onNoCpu() {
		const { trace, subject, t0, t1 } = this;
		if ('pids' in subject) return;
		const kind = 'kind' in subject ? subject.kind : trace.kinds[subject.entry];
		if (isExecution(kind) || kind >= KINDS) return;
		const wanted = 'entry' in subject ? trace.relatives(subject.entry) : null;
		let n = 0;
		for (const g of trace.byKind[kind]) {
			if (++n % SLICE === 0) yield;
			if (trace.start[g] >= t1) break;
			if (wanted && !wanted[trace.name[g]]) continue;
			const end = trace.end(g);
			if (end < t0 || (end === t0 && trace.dur[g])) continue;
			add(this.others, trace.pid[g], g, Math.min(end, t1) - Math.max(trace.start[g], t0));
		}
	}

	/** Finds the parent, children, beginning and end of a process in the whole trace. */
	*#life(process: Process) {
		const { trace } = this;
		const { id } = process;
		const births = yield* forking(trace);
		const birth = births.get(id);
		const children = [...births].filter(([, { parent }]) => parent === id).map(([pid, { guessed }]) => ({ pid, guessed }));
		const parent = birth ? { pid: birth.parent, guessed: birth.guessed } : null;
		const { spans } = process;
		const identity = identityFacts(trace, id, spans.length ? spans.end(spans.length - 1) : trace.last);
		this.life = { pid: id, parent, children, first: firstOf(process), exit: exitOf(trace, process), identity };
	}
}

/** Results for the whole trace that were computed in advance. */
const ready: WeakMap<Trace, Map<number, SubjectSums>> = new WeakMap();

/** Sums the largest processes in advance, after the tables, so that their panels open immediately. */
export function* prepare(trace: Trace, calls: Calls, least: number = MANY_SPANS) {
	const large = trace.processes().filter(({ spans }) => spans.length >= least).sort((a, b) => b.spans.length - a.spans.length);
	const made: Map<number, SubjectSums> = new Map();
	ready.set(trace, made);
	for (const { id } of large.slice(0, READY)) {
		const sums = new SubjectSums(trace, calls, { pids: [id] }, trace.first, trace.last);
		yield* sums.work();
		made.set(id, sums);
	}
}

/** Returns a result that was computed in advance, or null. */
export function prepared(trace: Trace, subject: Subject, t0: number, t1: number): SubjectSums | null {
	if (!('pids' in subject) || subject.pids.length !== 1 || t0 !== trace.first || t1 !== trace.last) return null;
	return ready.get(trace)?.get(subject.pids[0]) ?? null;
}
