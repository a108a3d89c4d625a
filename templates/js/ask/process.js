// SPDX-License-Identifier: BSD-3-Clause
/**
 * Collects everything about one process, several processes, or one kind or name of spans: calls, CPUs, waits, wakeups,
 * delays, parent. The sums are equal to the sums of the tables (stats.js, callsums.js) for the same range. Works in steps.
 */
import { KINDS, isExecution, isIdle, waitLetter } from '../base/kinds.js';
import { SpanList } from '../data/spans.js';
import { CallSums } from './callsums.js';
import { Delays, delaysOf } from './delays.js';
import { exitOf } from './ends.js';
import { forking } from './forks.js';
import { wholeTally } from './stats.js';
import { takerOf } from './taken.js';
import { callsOfWaits, isReady } from './waitname.js';
import { seekSpan, wakesOf } from './wakes.js';

/** @typedef {import('../data/trace.js').Trace} Trace */
/** @typedef {import('../data/trace.js').Process} Process */
/** @typedef {import('./stats.js').Sum} Sum */

/**
 * The subject: processes by pid (0: the idle tasks, so interrupts during idle), or a kind, or a dictionary entry.
 * @typedef {{pids: number[]} | {kind: number} | {entry: number}} Subject
 */

/** @typedef {Sum & {key: number | string}} Keyed */
/** call: a dictionary entry; -1: in no call, or not known. @typedef {Keyed & {letter: string, call: number}} OfWait */
/** Execution on one CPU. @typedef {{cpu: number, units: number, runs: number}} OnCpu runs: number of runs there */
/**
 * first: first time at which it appears; exit: when it exited, NaN: not in the trace.
 * @typedef {{pid: number, parent: {pid: number, guessed: boolean} | null, children: {pid: number, guessed: boolean}[], first: number, exit: number}} Life
 */

/** Spans between two yields. */
const SLICE = 20000;
/** Number of processes that are summed in advance, and the minimum number of spans of such a process. */
const READY = 3;
const MANY_SPANS = 1e5;

/** Returns an empty sum. @param {number | string} key @returns {Keyed} */
const nothing = (key) => ({ key, count: 0, units: 0, longest: -1, most: -1 });

/**
 * Adds a span to the sum of a key.
 * @template K
 * @param {Map<K, Keyed>} sums
 * @param {K & (number | string)} key
 * @param {number} span
 * @param {number} time
 */
function add(sums, key, span, time) {
	let sum = sums.get(key);
	if (!sum) sums.set(key, (sum = nothing(key)));
	put(sum, span, time);
}

/** Adds a span to a sum. @param {Sum} sum @param {number} span @param {number} time */
function put(sum, span, time) {
	sum.count++;
	sum.units += time;
	if (time <= sum.most) return;
	sum.most = time;
	sum.longest = span;
}

export class Particulars {
	/**
	 * @param {Trace} trace
	 * @param {import('../data/calls.js').Calls} calls
	 * @param {Subject} subject
	 * @param {number} t0
	 * @param {number} t1 units of 10 ns
	 */
	constructor(trace, calls, subject, t0, t1) {
		this.trace = trace;
		this.subject = subject;
		this.t0 = t0;
		this.t1 = t1;
		/** @type {Process[]} */
		this.processes = [];
		/** Sums of the tables for the same range, if they exist and the subject is not several processes. */
		this.tally = 'pids' in subject && subject.pids.length !== 1 ? null : wholeTally(trace, t0, t1);
		const only = this.#only();
		/** Calls by name; for a kind or a name, by process. @type {Pick<CallSums, 'groups' | 'names' | 'kinds'>} */
		this.calls = this.tally?.calls?.of(subject) ?? new CallSums(trace, calls, t0, t1, only);
		/** Execution by CPU. @type {Map<number, OnCpu>} */
		this.cpus = new Map();
		this.migrations = 0;
		/** Waits by reason and by the call that they are in. @type {Map<string, OfWait>} */
		this.waits = new Map();
		/** Spans on no CPU of a kind or name, by process. @type {Map<number, Keyed>} */
		this.others = new Map();
		/** @type {Map<number, Keyed>} */
		this.wokenBy = new Map();
		/** @type {Map<number, Keyed>} */
		this.woke = new Map();
		this.delays = { woken: new Delays(), switched: new Delays() };
		/** Processes that took the CPU while this one was runnable, and how long it then waited for a CPU. @type {Map<number, Keyed>} */
		this.takenBy = new Map();
		/** Only for one process. @type {Life | null} */
		this.life = null;
	}

	/** Returns the spans of the subject. @returns {import('./callsums.js').Only} */
	#only() {
		const { trace, subject } = this;
		const { pid, spanKinds, cpus } = trace;
		if ('pids' in subject) {
			const wanted = new Set(subject.pids);
			// the list of a process has no idle spans, so take the lists of the CPUs
			if (wanted.has(0)) return { lists: [...cpus.values()], takes: (g) => wanted.has(pid[g]) && !isIdle(spanKinds[g]), by: 'name' };
			this.processes = trace.processes().filter((p) => wanted.has(p.id));
			const [one] = subject.pids;
			const takes = subject.pids.length === 1 ? (/** @type {number} */ g) => pid[g] === one : (/** @type {number} */ g) => wanted.has(pid[g]);
			return { lists: this.processes.map((p) => p.spans), takes, all: true, by: 'name' };
		}
		if ('kind' in subject) return { lists: isExecution(subject.kind) ? [...cpus.values()] : [], takes: (g) => spanKinds[g] === subject.kind, by: 'pid' };
		return { lists: isExecution(trace.kinds[subject.entry]) ? [...cpus.values()] : [], takes: this.#named(subject.entry), by: 'pid' };
	}

	/** Returns a function that tests the name of a span or of its call. @param {number} entry @returns {(g: number) => boolean} */
	#named(entry) {
		const { trace } = this;
		const { calls } = trace;
		return (g) => (calls ? calls.name(g) : trace.name[g]) === entry;
	}

	/** Computes all sums except more(), in steps of a fraction of a millisecond. */
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
				const taker = takerOf(this.trace, process.spans, wait);
				if (taker >= 0) add(this.takenBy, taker, wait, this.trace.dur[wait]);
			});
		}
		if (this.subject.pids.includes(0))
			for (const { lo, hi } of this.trace.tracks) yield* this.#places(new SpanList(this.trace, lo, hi), true);
		if (this.tally) this.#take(this.tally, this.subject.pids[0]);
		for (const pid of this.tally ? [] : this.subject.pids) {
			yield* this.#wakeups(wakes.to.of(pid), (g) => this.trace.pid[g], this.wokenBy);
			yield* this.#wakeups(wakes.from.of(pid), (g) => this.trace.ret.at(g), this.woke);
		}
		yield* this.delays.woken.quantiles();
		yield* this.delays.switched.quantiles();
	}

	/** Computes what needs a search of all processes. Must be called after work(). */
	*more() {
		if ('pids' in this.subject && this.processes.length === 1 && this.subject.pids.length === 1) yield* this.#life(this.processes[0]);
	}

	/** Copies the sums of one process from the tables. @param {import('./stats.js').Tally} tally @param {number} pid */
	#take({ waits, wakeups }, pid) {
		for (const w of waits.values()) {
			const key = `${w.letter} ${w.call}`;
			if (w.pid === pid && pid > 0) this.waits.set(key, { ...w, key });
		}
		for (const w of wakeups.values()) {
			if (w.to === pid) this.wokenBy.set(w.from, { ...w, key: w.from });
			if (w.from === pid) this.woke.set(w.to, { ...w, key: w.to });
		}
	}

	/** Sums where a list ran, and counts its migrations. @param {SpanList} list @param {boolean} [idle] count only the idle tasks */
	*#places(list, idle = false) {
		const at = { track: this.trace.tracks[0], on: /** @type {OnCpu | null} */ (null), ended: NaN };
		const end = list.seek(this.t1);
		for (let i = list.first(this.t0); i < end; i += SLICE) {
			if (!this.#place(list, i, Math.min(end, i + SLICE), idle, at)) return;
			yield;
		}
	}

	/**
	 * Sums elements [i, end) of a list.
	 * @param {SpanList} list
	 * @param {number} i
	 * @param {number} end
	 * @param {boolean} idle
	 * @param {{track: {cpu: number, lo: number, hi: number}, on: OnCpu | null, ended: number}} at the previous CPU; updated
	 * @returns {boolean} false: the rest is on no CPU
	 */
	#place({ index, lo }, i, end, idle, at) {
		const { trace: { tracks, start, dur, pid, spanKinds }, t0, t1 } = this;
		let { track, on, ended } = at;
		/** Sums for the current CPU. */
		let units = 0;
		let runs = 0;
		for (; i < end; i++) {
			const g = index ? index[lo + i] : lo + i;
			if (idle && (pid[g] !== 0 || isIdle(spanKinds[g]))) continue;
			if (g < track.lo || g >= track.hi || !on) {
				track = /** @type {typeof track} */ (tracks.find((t) => g >= t.lo && g < t.hi));
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

	/** Sums the waits of a process. @param {Process} process */
	*#waits({ waits }) {
		if (!waits) return;
		const { trace, t0, t1 } = this;
		const callOf = callsOfWaits(trace);
		/** @type {OfWait | undefined} */
		let sum;
		for (let i = waits.first(t0), n = 0; i < waits.length && waits.start(i) < t1; i++) {
			if (++n % (SLICE / 4) === 0) yield;
			const g = waits.at(i);
			const letter = waitLetter(trace.event(g));
			const span = isReady(trace, g) ? -1 : callOf(g);
			const call = span < 0 ? -1 : trace.name[span];
			if (sum?.letter !== letter || sum.call !== call) {
				const key = `${letter} ${call}`;
				sum = this.waits.get(key);
				if (!sum) this.waits.set(key, (sum = { ...nothing(key), letter, call }));
			}
			put(sum, g, Math.min(waits.end(i), t1) - Math.max(waits.start(i), t0));
		}
	}

	/** Sums wakeups by the other process. @param {Uint32Array} list @param {(g: number) => number} other @param {Map<number, Keyed>} into */
	*#wakeups(list, other, into) {
		const { start, dur } = this.trace;
		for (let i = seekSpan(this.trace, list, this.t0); i < list.length && start[list[i]] < this.t1; i++) {
			if (i % SLICE === 0) yield;
			add(into, other(list[i]), list[i], dur[list[i]]);
		}
	}

	/** Sums spans on no CPU of a kind or name by process. A name that contains a process stands for all of its kind. */
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

	/** Finds the parent, children, beginning and end of a process in the whole trace. @param {Process} process */
	*#life(process) {
		const { trace } = this;
		const { id, spans, waits } = process;
		const births = yield* forking(trace);
		const birth = births.get(id);
		const children = [...births].filter(([, { parent }]) => parent === id).map(([pid, { guessed }]) => ({ pid, guessed }));
		const first = Math.min(spans.length ? spans.start(0) : Infinity, waits?.length ? waits.start(0) : Infinity);
		this.life = { pid: id, parent: birth ? { pid: birth.parent, guessed: birth.guessed } : null, children, first, exit: exitOf(trace, process) };
	}
}

/** Results for the whole trace that were computed in advance. @type {WeakMap<Trace, Map<number, Particulars>>} */
const ready = new WeakMap();

/**
 * Sums the largest processes in advance, after the tables, so that their panels open immediately.
 * @param {Trace} trace
 * @param {import('../data/calls.js').Calls} calls
 * @param {number} [least] minimum number of spans
 */
export function* prepare(trace, calls, least = MANY_SPANS) {
	const large = trace.processes().filter(({ spans }) => spans.length >= least).sort((a, b) => b.spans.length - a.spans.length);
	/** @type {Map<number, Particulars>} */
	const made = new Map();
	ready.set(trace, made);
	for (const { id } of large.slice(0, READY)) {
		const sums = new Particulars(trace, calls, { pids: [id] }, trace.first, trace.last);
		yield* sums.work();
		made.set(id, sums);
	}
}

/**
 * Returns a result that was computed in advance, or null.
 * @param {Trace} trace
 * @param {Subject} subject
 * @param {number} t0
 * @param {number} t1 units
 * @returns {Particulars | null}
 */
export function prepared(trace, subject, t0, t1) {
	if (!('pids' in subject) || subject.pids.length !== 1 || t0 !== trace.first || t1 !== trace.last) return null;
	return ready.get(trace)?.get(subject.pids[0]) ?? null;
}
