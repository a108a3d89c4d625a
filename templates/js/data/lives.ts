// SPDX-License-Identifier: BSD-3-Clause
/**
 * Distinguishes threads that had the same pid one after the other, with the rule of postprocess/model/names.h. Gives each
 * later thread an id of its own, which replaces the pid in the column of pids. Must visit only rows of pids that
 * exited. If a pid was reused, also visits the spans on no CPU. Times are in units of 10 ns.
 */
import * as Event from '../base/events.ts';
import { Kind } from '../base/kinds.ts';
import { group, type Group, type ProcessGroups } from './group.ts';
import { bisect } from './intervals.ts';
import { SpanList } from './spans.ts';
import type { Trace } from './trace.ts';

/** Minimum length of a wait that has a row. Equal to KP_LIFE_GAP in postprocess/model/names.h. */
export const LIFE_GAP = 10;

export type Pids = Float64Array | Int32Array | Int16Array;
/** number: number of earlier threads with this pid. */
type Life = {pid: number, number: number};
/** Spans whose pid is replaced, and the id of each. */
export type Renamed = {spans: Uint32Array, ids: Float64Array};

export interface Lives {
	byId: Map<number, Life>; /* threads of all reused pids */
	later: Map<number, {from: number, id: number}[]>; /* for each reused pid, the threads after the first, and their start times */
	renamed: Renamed;
}

/** Returns the times at which each pid exited, in order. */
export function exitTimes(trace: Trace): Map<number, number[]> {
	const times: Map<number, number[]> = new Map();
	if (!trace.events.includes(Event.TASKEXIT)) return times;
	for (const g of trace.byKind[Kind.POINT]) {
		if (trace.event(g) !== Event.TASKEXIT) continue;
		const pid = trace.arg.at(g);
		(times.get(pid) ?? times.set(pid, []).get(pid)!).push(trace.start[g]);
	}
	return times;
}

/**
 * Returns how much of the time from t0 to t1 does not count: recording was off, a CPU had no event yet after a pause, or the
 * CPU of the process did not run.
 */
function unseen(trace: Trace, t0: number, t1: number) {
	let until = t0;
	let sum = 0;
	trace.pauses.each(t0, t1, (g) => {
		const end = Math.min(t1, trace.end(g));
		if (end <= until) return;
		sum += end - Math.max(until, trace.start[g]);
		until = end;
	});
	let stopped = t0;
	trace.stops.each(t0, t1, (g) => {
		const end = Math.min(t1, trace.end(g));
		if (end <= stopped) return;
		sum += end - Math.max(stopped, trace.start[g]);
		stopped = end;
	});
	return sum;
}

/** Returns whether another thread may have the pid after the exit at t. */
function isCandidate(spans: SpanList, waits: SpanList, t: number) {
	for (let i = Math.max(1, spans.seek(t + 0.5)); i < spans.length; i++) {
		const gap = spans.start(i) - spans.end(i - 1);
		if (gap < 0 || gap >= LIFE_GAP) return true;
	}
	return waits.length > 0 && waits.start(waits.length - 1) > t;
}

/** Assigns the rows of one pid to its threads. The names of the fields are the names in struct kp_life. */
class Walk {
	number = 0;
	exiting = false;
	until = Infinity;
	cpu = -1;
	ranUntil = -Infinity;
	beforeCpu = -1;
	beforeUntil = -Infinity;
	/** Start times of the threads after the first. */
	begins: number[] = [];

	/** @param least minimum length of a visible interval */
	constructor(public trace: Trace, public pid: number, public least: number) {}

	/** Returns whether the thread neither ran nor waited for a visible time before t. */
	wasAbsent(t: number) {
		const { trace, pid, least } = this;
		let { until } = this;
		// where events of some CPUs are missing, waits have no rows
		if (t - until < least || trace.isPartial(until)) return false;
		let absent = false;
		const reach = (start: number) => (absent ||= start - until - unseen(trace, until, start) >= least);
		// a long wakeup also has the row of a wait, so only short gaps need a search of the arcs
		if (t - until < 4 * least)
			trace.arcs.each(until, t, (g) => {
				if (trace.kind(g) !== Kind.WAKE || trace.ret.at(g) !== pid) return;
				reach(trace.start[g]);
				until = Math.max(until, trace.end(g));
			});
		return reach(t);
	}

	/** Returns the number of earlier threads, for the thread of the next row. @param cpu -1: a wait */
	row(start: number, end: number, cpu: number): number {
		const { least } = this;
		if (cpu >= 0 && cpu === this.beforeCpu && start - this.beforeUntil < LIFE_GAP) {
			this.beforeUntil = end;
			return this.number - 1;
		}
		const overlaps = (cpu < 0 || cpu !== this.cpu) && this.ranUntil - start >= least && end - start >= least;
		if (this.exiting && (overlaps || this.wasAbsent(start))) {
			// what happens after the last row of the previous thread belongs to this thread
			this.begins.push(this.until < start ? this.until + 0.5 : start);
			this.number++;
			this.exiting = false;
			this.beforeCpu = this.cpu;
			this.beforeUntil = this.ranUntil;
			this.until = Infinity;
		}
		this.until = this.until === Infinity ? end : Math.max(this.until, end);
		if (cpu >= 0) {
			this.cpu = cpu;
			this.ranUntil = end;
		}
		return this.number;
	}

	/** Assigns the elements [from, to) of a list to the current thread. */
	rest(list: SpanList, from: number, to: number, put: (g: number, number: number) => void) {
		if (from >= to) return;
		if (this.number) for (let i = from; i < to; i++) put(list.at(i), this.number);
		this.until = Math.max(this.until === Infinity ? -Infinity : this.until, list.end(to - 1));
	}

	/** Assigns all rows. @param put receives each span of a later thread, and the number of earlier threads */
	all(spans: SpanList, waits: SpanList, exits: number[], put: (g: number, number: number) => void) {
		for (let i = 0, w = 0, x = 0; i < spans.length || w < waits.length;) {
			const waiting = i >= spans.length || (w < waits.length && waits.start(w) < spans.start(i));
			const g = waiting ? waits.at(w) : spans.at(i);
			const start = this.trace.start[g];
			for (; x < exits.length && exits[x] < start; x++) this.exiting = true;
			if (!this.exiting && start - this.beforeUntil >= LIFE_GAP) {
				// until its exit, all rows belong to this thread
				const t = (exits[x] ?? Infinity) + 0.5;
				const [ran, waited] = [spans.seek(t, i), waits.seek(t, w)];
				this.rest(spans, i, ran, put);
				this.rest(waits, w, waited, put);
				if (ran > i) [this.cpu, this.ranUntil] = [this.trace.cpuOf(spans.at(ran - 1)), spans.end(ran - 1)];
				[i, w] = [ran, waited];
				continue;
			}
			const number = this.row(start, this.trace.end(g), waiting ? -1 : this.trace.cpuOf(g));
			if (number > 0) put(g, number);
			if (waiting) w++;
			else i++;
		}
	}
}

/** Collects the spans to rename. Typed arrays make adding a span fast. */
class Renaming {
	spans = new Uint32Array(1024);
	ids = new Float64Array(1024);
	length = 0;

	add(g: number, id: number) {
		if (this.length === this.spans.length) {
			const { spans, ids } = this;
			(this.spans = new Uint32Array(2 * this.length)).set(spans);
			(this.ids = new Float64Array(2 * this.length)).set(ids);
		}
		this.spans[this.length] = g;
		this.ids[this.length++] = id;
	}

	get all(): Renamed {
		return { spans: this.spans.slice(0, this.length), ids: this.ids.slice(0, this.length) };
	}
}

/** Returns the id of the thread with a pid at a time. */
export function idAt(later: Lives['later'], pid: number, t: number) {
	const threads = later.get(pid);
	if (!threads) return pid;
	const i = bisect(0, threads.length, (k) => threads[k].from <= t);
	return i ? threads[i - 1].id : pid;
}

/** Adds the spans on no CPU, except waits, of later threads. */
function addOthers(trace: Trace, later: Lives['later'], renaming: Renaming) {
	for (let g = trace.others.lo; g < trace.others.hi; g++) {
		const pid = trace.pid[g];
		const kind = trace.kind(g);
		if (kind === Kind.WAIT || !later.has(pid)) continue;
		// a sample reaches back to the previous sample
		const id = idAt(later, pid, kind === Kind.PC ? trace.end(g) : trace.start[g]);
		if (id !== pid) renaming.add(g, id);
	}
}

/** Finds the threads that had the pid of an earlier thread. @returns null: there are none */
export function findLives(trace: Trace, { spans, waits }: ProcessGroups): Lives | null {
	const byId: Lives['byId'] = new Map();
	const later: Lives['later'] = new Map();
	const renaming = new Renaming();
	const least = Math.max(LIFE_GAP, 2 * Math.round((Number(trace.header.resolution_us) || 0) * 100));
	// pids of Linux have at most 22 bits; pids of other systems have up to 32 bits
	const stride = [...spans.keys(), ...waits.keys()].every((pid) => pid < 2 ** 22) ? 2 ** 22 : 2 ** 32;
	const listOf = (g: Group | undefined) => new SpanList(trace, g?.lo ?? 0, g?.hi ?? 0, g?.index ?? null);
	for (const [pid, exits] of exitTimes(trace)) {
		const [ran, waited] = [listOf(spans.get(pid)), listOf(waits.get(pid))];
		if (!exits.some((t) => isCandidate(ran, waited, t))) continue;
		const walk = new Walk(trace, pid, least);
		walk.all(ran, waited, exits, (g, number) => renaming.add(g, pid + number * stride));
		if (!walk.number) continue;
		later.set(pid, walk.begins.map((from, k) => ({ from, id: pid + (k + 1) * stride })));
		for (let number = 0; number <= walk.number; number++) byId.set(pid + number * stride, { pid, number });
	}
	if (!later.size) return null;
	addOthers(trace, later, renaming);
	return { byId, later, renamed: renaming.all };
}

/** Returns a copy of the column of pids with the ids. @param pid not changed, because the page may be copying it for a worker */
export function rename(pid: Pids, { spans, ids }: Renamed): Pids {
	let most = 0;
	for (let i = 0; i < ids.length; i++) if (ids[i] > most) most = ids[i];
	const wide = pid instanceof Float64Array || most >= 2 ** 31 ? new Float64Array(pid) : new Int32Array(pid);
	for (let i = 0; i < spans.length; i++) wide[spans[i]] = ids[i];
	return wide;
}

/** Replaces the groups of reused pids by groups of their threads. @param pid column with ids @param reused reused pids */
export function regroup(groups: Map<number, Group>, pid: Pids, reused: Iterable<number>) {
	for (const p of reused) {
		const of = groups.get(p);
		if (!of) continue;
		groups.delete(p);
		for (const [id, part] of group(of.hi - of.lo, (i) => of.index[of.lo + i], (g) => pid[g])) groups.set(id, part);
	}
}
