// SPDX-License-Identifier: BSD-3-Clause
/**
 * Sums the calls of a time range: by process and name, by name, and by kind, with count, time, p50 and p99. A call is
 * complete if the trace and the range contain its beginning and its end, and none of its parts is inferred. Each span of user
 * code or idle time counts as one call, and has no quantiles. Must not use the page.
 */
import { isIdle } from '../base/kinds.ts';
import { isCall, type Calls } from '../data/calls.ts';
import { PARTIAL, PIECE } from '../data/join.ts';
import { numbersAt, placeOf } from './quantile.ts';
import type { SpanList } from '../data/spans.ts';
import type { Trace } from '../data/trace.ts';

/** Sums of calls. Times are in units of 10 ns. */
export interface OfCalls {
	pid: number; /* -1: all */
	name: number; /* dictionary entry; -1: all */
	kind: number;
	count: number; /* number of complete calls, or of complete spans of user code or idle */
	cut: number; /* number of incomplete calls or spans */
	own: number; /* sum of all times on a CPU inside the range */
	elapsed: number; /* sum of all elapsed times (from beginning to end) inside the range */
	longest: number; /* first part of the longest complete call, otherwise of the longest incomplete call; -1: no call */
	most: number; /* elapsed time of the longest call */
	bound: boolean; /* true: the longest call is incomplete, so it took at least this long */
	p50: number; /* median elapsed time of the complete calls; NaN if there are none */
	p99: number;
}

/** A selection of execution spans. */
export interface Only {
	lists: SpanList[]; /* lists that contain the selected spans */
	takes: (g: number) => boolean; /* whether span g is selected */
	all?: boolean; /* all spans of the lists are selected */
	by: 'name' | 'pid'; /* key of the sums in `names`: the name, or the process and the kind */
}

/** Number of spans or times visited between two yields. */
const SLICE = 20000;

/** Returns empty sums. */
const nothing = (pid: number, name: number, kind: number): OfCalls => ({
	pid, name, kind, count: 0, cut: 0, own: 0, elapsed: 0, longest: -1, most: -1, bound: false, p50: NaN, p99: NaN,
});

/**
 * Adds the sums in sum to those in to. The longest complete call replaces any incomplete longest call. Of equally long calls,
 * the earliest is used.
 */
function add(to: OfCalls, sum: OfCalls, start: Float64Array) {
	to.count += sum.count;
	to.cut += sum.cut;
	to.own += sum.own;
	to.elapsed += sum.elapsed;
	if (sum.longest < 0) return;
	if (to.longest >= 0) {
		if (to.bound !== sum.bound ? sum.bound : sum.most < to.most) return;
		if (to.bound === sum.bound && sum.most === to.most && start[sum.longest] >= start[to.longest]) return;
	}
	to.longest = sum.longest;
	to.most = sum.most;
	to.bound = sum.bound;
}

/** Arrays of sums: element i belongs to group i. The arrays grow. Separate arrays make adding a call fast. */
class Running {
	elapsed: Float64Array = new Float64Array(64);
	/** Time in which calls of several parts were not on a CPU. `elapsed` includes this time. */
	off: Float64Array = new Float64Array(64);
	count: Uint32Array = new Uint32Array(64);
	cut: Uint32Array = new Uint32Array(64);
	/** Elapsed time and first part of the longest complete call. Of equally long calls, the earliest is used. */
	most: Float64Array = new Float64Array(64).fill(-1);
	longest: Int32Array = new Int32Array(64);
	/** Elapsed time and first part of the longest incomplete call. */
	cutMost: Float64Array = new Float64Array(64).fill(-1);
	cutLongest: Int32Array = new Int32Array(64);

	constructor(public start: Float64Array) {}

	room(i: number) {
		if (i < this.count.length) return;
		const larger = <T extends Float64Array | Uint32Array | Int32Array>(old: T, rest = 0) => {
			const more = new (old.constructor as any)(2 * old.length).fill(rest) as T;
			more.set(old);
			return more;
		};
		this.elapsed = larger(this.elapsed);
		this.off = larger(this.off);
		this.count = larger(this.count);
		this.cut = larger(this.cut);
		this.most = larger(this.most, -1);
		this.longest = larger(this.longest);
		this.cutMost = larger(this.cutMost, -1);
		this.cutLongest = larger(this.cutLongest);
	}

	/** Records a complete call that is at least as long as the longest call of group i. Of equal calls, keeps the earliest. */
	longer(i: number, span: number, elapsed: number) {
		if (elapsed === this.most[i] && this.start[span] >= this.start[this.longest[i]]) return;
		this.most[i] = elapsed;
		this.longest[i] = span;
	}

	add(i: number, span: number, elapsed: number, own: number, whole: boolean) {
		this.elapsed[i] += elapsed;
		this.off[i] += elapsed - own;
		if (whole) {
			this.count[i]++;
			if (elapsed >= this.most[i]) this.longer(i, span, elapsed);
			return;
		}
		this.cut[i]++;
		if (elapsed < this.cutMost[i] || (elapsed === this.cutMost[i] && this.start[span] >= this.start[this.cutLongest[i]])) return;
		this.cutMost[i] = elapsed;
		this.cutLongest[i] = span;
	}

	copyTo(i: number, sum: OfCalls) {
		sum.count = this.count[i];
		sum.cut = this.cut[i];
		sum.own = this.elapsed[i] - this.off[i];
		sum.elapsed = this.elapsed[i];
		// prefer a complete call to an incomplete one
		sum.bound = !sum.count;
		sum.longest = sum.bound ? this.cutLongest[i] : this.longest[i];
		sum.most = sum.bound ? this.cutMost[i] : this.most[i];
	}
}

/** Number of entries in the cache of group numbers. */
const NEAR = 1024;
/** A chunk has room for 2^CHUNK_BITS calls. */
const CHUNK_BITS = 16;

/** Elapsed times of complete calls, and the group of each, in the order in which they were added. */
class CallTimes {
	/** True while all times fit 32 bits. */
	narrow = true;
	length = 0;
	places: Uint32Array[] = [];
	times: (Uint32Array | Float64Array)[] = [];
	/** The last chunk, to which calls are added. */
	place: Uint32Array = new Uint32Array(0);
	time: Uint32Array | Float64Array = this.place;

	/** Makes room for another call if necessary. @returns the index of the call in `place` and `time` */
	room(): number {
		const i = this.length & ((1 << CHUNK_BITS) - 1);
		if (i === 0) {
			this.places.push((this.place = new Uint32Array(1 << CHUNK_BITS)));
			this.times.push((this.time = this.narrow ? new Uint32Array(1 << CHUNK_BITS) : new Float64Array(1 << CHUNK_BITS)));
		}
		return i;
	}

	push(place: number, time: number) {
		const i = this.room();
		if (this.narrow && time > 0xffffffff) {
			this.narrow = false;
			this.times[this.times.length - 1] = this.time = Float64Array.from(this.time);
		}
		this.place[i] = place;
		this.time[i] = time;
		this.length++;
	}

	/** Returns the times sorted by group. @param next for each group, the position of its next time in the result */
	*sort(next: Uint32Array): Generator<void, Uint32Array | Float64Array, void> {
		const into = this.narrow ? new Uint32Array(this.length) : new Float64Array(this.length);
		for (let chunk = 0; chunk < this.places.length; chunk++) {
			const most = Math.min(1 << CHUNK_BITS, this.length - (chunk << CHUNK_BITS));
			for (let from = 0; from < most; from += SLICE) {
				this.#sortPart(chunk, from, Math.min(most, from + SLICE), next, into);
				yield;
			}
		}
		return into;
	}

	#sortPart(chunk: number, from: number, to: number, next: Uint32Array, into: Uint32Array | Float64Array) {
		const [place, time] = [this.places[chunk], this.times[chunk]];
		for (let i = from; i < to; i++) into[next[place[i]]++] = time[i];
	}
}

/** Returns for each group the position of its first time in an array of all times, which is sorted by group in the given order. */
function placesOf(groups: OfCalls[], order: number[]) {
	const next = new Uint32Array(groups.length);
	let total = 0;
	for (const i of order) {
		next[i] = total;
		if (isCall(groups[i].kind)) total += groups[i].count;
	}
	return next;
}

export class CallSums {
	/** Sums by process and name. work() sorts them by kind, name and pid at its end. */
	groups: OfCalls[] = [];
	names: OfCalls[] = [];
	kinds: OfCalls[] = [];
	/** Sums by process and kind. Empty if only a selection is summed. */
	byProcess: OfCalls[] = [];
	/** Index in groups, by process and name. */
	places: Map<number, number> = new Map();
	nearKey: Float64Array = new Float64Array(NEAR).fill(-1);
	nearPlace: Uint32Array = new Uint32Array(NEAR);
	running = new Running(this.trace.start);
	callTimes = new CallTimes();
	/** 1 for each dictionary entry that is a call. */
	isCall: Uint8Array = Uint8Array.from(this.trace.kinds, (kind) => Number(isCall(kind)));

	/** @param only null: all execution spans */
	constructor(public trace: Trace, public calls: Calls, public t0: number, public t1: number, public only: Only | null = null) {}

	/** Adds one call, or one span of user code or idle. */
	#add(first: number, name: number, elapsed: number, own: number, whole: boolean) {
		const place = this.#place(this.trace.pid[first], name);
		this.running.add(place, first, elapsed, own, whole);
		if (whole && this.isCall[name]) this.callTimes.push(place, elapsed);
	}

	/** Adds the spans of a list, except parts of joined calls. */
	#spans({ index, lo }: SpanList, i: number, to: number) {
		// most of the time is spent here: read everything from local variables
		const { trace: { start, dur, name, pid, texts: { length: names } }, calls: { flags }, t0, t1, only, isCall: timed, nearKey, nearPlace, running, callTimes } = this;
		const takes = only && !only.all ? only.takes : null;
		let { count, elapsed, most } = running;
		for (; i < to; i++) {
			const g = index ? index[lo + i] : lo + i;
			const flag = flags[g];
			if (flag & PIECE || (takes !== null && !takes(g))) continue;
			const from = start[g];
			const time = dur[g];
			const entry = name[g];
			const key = pid[g] * names + entry;
			const near = key & (NEAR - 1);
			let place = nearPlace[near];
			if (nearKey[near] !== key) {
				place = this.#place(pid[g], entry);
				({ count, elapsed, most } = running);
			}
			if (flag & PARTIAL || from < t0 || from + time > t1) {
				const part = Math.min(from + time, t1) - Math.max(from, t0);
				running.add(place, g, part, part, false);
				continue;
			}
			count[place]++;
			elapsed[place] += time;
			if (time >= most[place]) running.longer(place, g, time);
			if (timed[entry]) callTimes.push(place, time);
		}
	}

	/** Adds every call that has a part in the range, and each span of user code and idle time. */
	*#each() {
		const { trace: { cpus }, calls: { joined: { begin } }, calls, t0, t1, only } = this;
		for (const list of only?.lists ?? cpus.values()) {
			const end = list.seek(t1);
			for (let i = list.first(t0); i < end; i += SLICE) {
				this.#spans(list, i, Math.min(end, i + SLICE));
				yield;
			}
		}
		for (let call = 0; call < calls.count && begin[call] < t1; call += SLICE) {
			this.#joined(call, Math.min(calls.count, call + SLICE));
			yield;
		}
	}

	/** Adds the joined calls from number `call` to number end - 1. */
	#joined(call: number, end: number) {
		const { trace: { start, dur }, calls: { flags, joined: { begin, elapsed, own, at, pieces, name: names } }, t0, t1, only } = this;
		for (; call < end && begin[call] < t1; call++) {
			const to = begin[call] + elapsed[call];
			if (to <= t0) continue;
			const first = pieces[at[call]];
			if (only && !only.takes(first)) continue;
			if (begin[call] >= t0 && to <= t1) {
				this.#add(first, names[call], elapsed[call], own[call], !(flags[first] & PARTIAL));
				continue;
			}
			let part = 0;
			for (let i = at[call]; i < at[call + 1]; i++)
				part += Math.max(0, Math.min(start[pieces[i]] + dur[pieces[i]], t1) - Math.max(start[pieces[i]], t0));
			this.#add(first, names[call], Math.min(to, t1) - Math.max(begin[call], t0), part, false);
		}
	}

	get by(): 'name' | 'pid' {
		return this.only?.by ?? 'name';
	}

	/** Returns the number of the group for a process and a name. Makes the group if it is new. */
	#place(pid: number, name: number) {
		const key = pid * this.trace.texts.length + name;
		const near = key & (NEAR - 1);
		if (this.nearKey[near] === key) return this.nearPlace[near];
		let place = this.places.get(key);
		if (place === undefined) {
			place = this.groups.length;
			this.places.set(key, place);
			this.groups.push(nothing(pid, name, this.trace.kinds[name]));
			this.running.room(place);
		}
		this.nearKey[near] = key;
		return (this.nearPlace[near] = place);
	}

	/** Computes all sums, in steps of a fraction of a millisecond. */
	*work() {
		yield* this.#each();
		this.groups.forEach((sum, i) => this.running.copyTo(i, sum));
		const { groups, by } = this;
		const order = [...groups.keys()].sort((a, b) => groups[a].kind - groups[b].kind || groups[a][by] - groups[b][by] ||
			groups[a].name - groups[b].name || groups[a].pid - groups[b].pid);
		yield;
		const values = yield* this.callTimes.sort(placesOf(groups, order));
		this.groups = order.map((i) => groups[i]);
		yield* this.#upwards(values);
		if (!this.only) yield* this.#ofProcesses(groups);
		this.places = new Map();
		this.callTimes = new CallTimes();
	}

	/** Sums each process's calls by kind, so that the panel can open a process immediately. @param groups as they were added */
	*#ofProcesses(groups: OfCalls[]) {
		const order = [...groups.keys()].sort((a, b) => groups[a].kind - groups[b].kind || groups[a].pid - groups[b].pid || groups[a].name - groups[b].name);
		const values = yield* this.callTimes.sort(placesOf(groups, order));
		let sum: OfCalls | undefined;
		let one: OfCalls | undefined;
		let [from, at] = [0, 0];
		for (const group of [...order.map((i) => groups[i]), null]) {
			if (sum && (sum.pid !== group?.pid || sum.kind !== group?.kind)) {
				yield* this.#quantiles(sum, values, from, at, one);
				sum = undefined;
			}
			if (!group) break;
			if (sum) {
				one = undefined;
			} else {
				this.byProcess.push((sum = nothing(group.pid, -1, group.kind)));
				one = group;
				from = at;
			}
			add(sum, group, this.trace.start);
			if (isCall(group.kind)) at += group.count;
		}
	}

	/** Returns the sums of one process, kind or name, taken from these sums. @returns null: these sums do not contain them */
	of(subject: {pids: number[]} | {kind: number} | {entry: number}): Pick<CallSums, 'groups' | 'names' | 'kinds'> | null {
		const all = { pid: -1, name: -1 };
		if ('pids' in subject) {
			const [pid] = subject.pids;
			if (subject.pids.length !== 1) return null;
			const is = (c: OfCalls) => c.pid === pid && !isIdle(c.kind);
			const groups = this.groups.filter(is);
			return { groups, names: groups.map((c) => ({ ...c, pid: -1 })), kinds: this.byProcess.filter(is).map((c) => ({ ...c, ...all })) };
		}
		if ('kind' in subject) {
			const is = (c: OfCalls) => c.kind === subject.kind;
			const groups = this.groups.filter(is).sort((a, b) => a.pid - b.pid || a.name - b.name);
			return { groups, names: this.byProcess.filter(is), kinds: this.kinds.filter(is) };
		}
		const groups = this.groups.filter((c) => c.name === subject.entry);
		return { groups, names: groups.map((c) => ({ ...c, name: -1 })), kinds: this.names.filter((c) => c.name === subject.entry).map((c) => ({ ...c, ...all })) };
	}

	/** Sums the groups by name (or process) and by kind, and sets all quantiles. @param values times in the order of groups */
	*#upwards(values: Float64Array | Uint32Array) {
		const { by } = this;
		let name: OfCalls | undefined;
		let kind: OfCalls | undefined;
		let at = 0;
		let [nameAt, kindAt, from] = [0, 0, 0];
		let last: OfCalls | undefined;
		for (const sum of [...this.groups, null]) {
			if (name && (name[by] !== sum?.[by] || name.kind !== sum?.kind)) yield* this.#quantiles(name, values, nameAt, at, from === nameAt ? last : undefined);
			if (kind && kind.kind !== sum?.kind) yield* this.#quantiles(kind, values, kindAt, at, nameAt === kindAt ? name : undefined);
			if (!sum) break;
			if (name?.[by] !== sum[by] || name.kind !== sum.kind) {
				this.names.push((name = by === 'name' ? nothing(-1, sum.name, sum.kind) : nothing(sum.pid, -1, sum.kind)));
				nameAt = at;
			}
			if (kind?.kind !== sum.kind) {
				this.kinds.push((kind = nothing(-1, -1, sum.kind)));
				kindAt = at;
			}
			add(name, sum, this.trace.start);
			add(kind, sum, this.trace.start);
			from = at;
			if (isCall(sum.kind)) at += sum.count;
			yield* this.#quantiles(sum, values, from, at);
			last = sum;
		}
	}

	/** Sets the quantiles of sum from values[from, to). @param same sums of the same calls, whose quantiles are known */
	*#quantiles(sum: OfCalls, values: Float64Array | Uint32Array, from: number, to: number, same?: OfCalls) {
		if (from === to) return;
		[sum.p50, sum.p99] = same ? [same.p50, same.p99] : yield* numbersAt(values, from, to, [50, 99].map((percent) => placeOf(to - from, percent)));
	}
}
