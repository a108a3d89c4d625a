// SPDX-License-Identifier: BSD-3-Clause
/**
 * What happened in a stretch of time, added up by process, by CPU, by wait and by wakeup; of what is on no CPU, by name.
 * Never counts the part of a span that lies outside of the stretch; never touches the page.
 * Imported by panel/select.js; panel/table.js shows the sums.
 */
import { KINDS, Kind, isIdle, waitLetter } from '../base/kinds.js';
import { CallSums } from './callsums.js';
import { OfCpu, Ready } from './cpus.js';
import { inSlices } from './slices.js';
import { callsOfWaits, isReady } from './waitname.js';

/** @typedef {import('../data/trace.js').Trace} Trace */

/**
 * @typedef {object} Sum
 * @property {number} count
 * @property {number} units time, in units of 10 ns
 * @property {number} longest the span that is longest inside, or -1
 * @property {number} most its time inside
 */

/** @typedef {Sum & {pid: number, user: number, kernel: number, wait: number}} OfProcess units = user + kernel */
/** @typedef {Sum & {pid: number, letter: string, call: number}} OfWait call: in which it waited, a dictionary entry; -1: in none, or not known */
/** @typedef {Sum & {from: number, to: number}} OfWakeup */

/** Spans between two looks at the clock. */
const SLICE = 20000;

/** What is known of the whole of a trace, calls and all. @type {WeakMap<Trace, Tally>} */
const wholes = new WeakMap();

/**
 * The sums of everything, when they are of this stretch, and have been made.
 * @param {Trace} trace
 * @param {number} t0
 * @param {number} t1 units
 */
export const wholeTally = (trace, t0, t1) => (t0 === trace.first && t1 === trace.last ? wholes.get(trace) ?? null : null);

export class Tally {
	/** @param {Trace} trace @param {number} t0 @param {number} t1 units */
	constructor(trace, t0, t1) {
		this.trace = trace;
		this.t0 = t0;
		this.t1 = t1;
		/** @type {Map<number, OfProcess>} */
		this.processes = new Map();
		/** @type {OfCpu[]} */
		this.cpus = [];
		/** What is on no CPU, by kind. @type {(Sum & {kind: number})[]} */
		this.kinds = Array.from({ length: KINDS }, (_, kind) => ({ kind, count: 0, units: 0, longest: -1, most: -1 }));
		/** The same by dictionary entry. @type {(Sum & {name: number})[]} */
		this.names = trace.texts.map((_, name) => ({ name, count: 0, units: 0, longest: -1, most: -1 }));
		/** @type {Map<string, OfWait>} */
		this.waits = new Map();
		/** @type {Map<string, OfWakeup>} */
		this.wakeups = new Map();
		/** What ran on CPUs, by call; null until they are joined. @type {CallSums | null} */
		this.calls = null;
	}

	/** @param {Sum} sum @param {number} span @param {number} time */
	#add(sum, span, time) {
		sum.count++;
		sum.units += time;
		if (time > sum.most) {
			sum.most = time;
			sum.longest = span;
		}
	}

	/** @param {number} pid */
	process(pid) {
		let p = this.processes.get(pid);
		if (!p) {
			p = { pid, count: 0, units: 0, longest: -1, most: -1, user: 0, kernel: 0, wait: 0 };
			this.processes.set(pid, p);
		}
		return p;
	}

	/** The work, in pieces: each step of the generator is a fraction of a millisecond. */
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
					this.#add(process, g, time);
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
		this.names.forEach((sum, i) => {
			const kind = this.kinds[trace.kinds[i]];
			kind.count += sum.count;
			kind.units += sum.units;
			if (sum.most > kind.most) {
				kind.most = sum.most;
				kind.longest = sum.longest;
			}
		});
		for (const p of [...this.processes.values()])
			if (!p.count && !p.wait) this.processes.delete(p.pid);
		const { calls } = trace;
		if (!calls) return;
		const sums = new CallSums(trace, calls, t0, t1);
		yield* sums.work();
		this.calls = sums;
		if (named && t0 === trace.first && t1 === trace.last) wholes.set(trace, this);
	}

	/** Waits and wakeups. @returns {Generator<void, boolean, void>} are waits told by the call that they are in? */
	*#others() {
		const { trace, t0, t1 } = this;
		const { start, dur, name, pid } = trace;
		// which call it was is known when the spans have been sorted by process
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
			this.#add(this.names[name[g]], g, time);
			if (kind === Kind.WAIT) {
				const letter = waitLetter(trace.event(g));
				const span = callOf && !isReady(trace, g) ? callOf(g) : -1;
				const call = span < 0 ? -1 : name[span];
				const key = `${pid[g]} ${letter} ${call}`;
				n += 4;
				let sum = this.waits.get(key);
				if (!sum) this.waits.set(key, (sum = { pid: pid[g], letter, call, count: 0, units: 0, longest: -1, most: -1 }));
				this.#add(sum, g, time);
				this.process(pid[g]).wait += time;
			} else if (kind === Kind.WAKE && start[g] >= t0) {
				const to = trace.ret.at(g);
				const key = `${pid[g]} ${to}`;
				let sum = this.wakeups.get(key);
				if (!sum) this.wakeups.set(key, (sum = { from: pid[g], to, count: 0, units: 0, longest: -1, most: -1 }));
				this.#add(sum, g, dur[g]);
			}
		}
		return callOf !== null;
	}
}

/** All at once. @param {Trace} trace @param {number} t0 @param {number} t1 */
export function tally(trace, t0, t1) {
	const sums = new Tally(trace, t0, t1);
	const work = sums.work();
	while (!work.next().done);
	return sums;
}

/**
 * In the pauses between frames; done is called at the end.
 * @param {Trace} trace
 * @param {number} t0
 * @param {number} t1
 * @param {(sums: Tally) => void} done
 * @returns {() => void} gives it up
 */
export function tallySlowly(trace, t0, t1, done) {
	const sums = new Tally(trace, t0, t1);
	// what is small is there before anybody can look
	return inSlices(sums.work(), () => done(sums), { how: trace.length < 100000 ? 'once' : 'idle' });
}
