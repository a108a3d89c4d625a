// SPDX-License-Identifier: BSD-3-Clause
/**
 * The calls of a stretch of time, added up by process and name, by name, and by kind: how many, how long, p50, p99.
 * Never counts as whole what the trace, or the stretch, cuts off; never touches the page. What user code and idle are
 * is counted by stretches, without quantiles.
 */
import { isIdle } from '../base/kinds.js';
import { isCall } from '../data/calls.js';
import { PARTIAL, PIECE } from '../data/join.js';
import { numbersAt, placeOf } from './quantile.js';

/** @typedef {import('../data/trace.js').Trace} Trace */
/** @typedef {import('../data/calls.js').Calls} Calls */

/**
 * Times in units of 10 ns.
 * @typedef {object} OfCalls
 * @property {number} pid -1: of all
 * @property {number} name dictionary entry, -1: of all
 * @property {number} kind
 * @property {number} count whole calls
 * @property {number} cut those that are not whole
 * @property {number} own time on a CPU inside of the stretch, of all of them
 * @property {number} elapsed from beginning to end, inside of the stretch, of all of them
 * @property {number} longest first piece of the longest; a whole one, if there is one; -1: none
 * @property {number} most what elapsed of it
 * @property {boolean} bound it was cut off: it took at least that long
 * @property {number} p50 of the whole ones; NaN without
 * @property {number} p99
 */

/**
 * @typedef {object} Only a part of what ran
 * @property {import('../data/spans.js').SpanList[]} lists that it is in
 * @property {(g: number) => boolean} takes is span g of it?
 * @property {boolean} [all] of these lists, each span is
 * @property {'name' | 'pid'} by what `names` are the sums of: calls of a name, or, of each kind, those of a process
 */

/** Visits between two pauses. */
const SLICE = 20000;

/** @param {number} pid @param {number} name @param {number} kind @returns {OfCalls} */
const nothing = (pid, name, kind) => ({
	pid, name, kind, count: 0, cut: 0, own: 0, elapsed: 0, longest: -1, most: -1, bound: false, p50: NaN, p99: NaN,
});

/**
 * Adds one to another. The longest is a whole one, if there is one; of those that are as long the first.
 * @param {OfCalls} to
 * @param {OfCalls} sum
 * @param {Float64Array} start of spans
 */
function add(to, sum, start) {
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

/** What groups have so far, by their numbers, in arrays that grow: what is added to at every call. */
class Running {
	/** @param {Float64Array} start of spans */
	constructor(start) {
		this.start = start;
		this.elapsed = new Float64Array(64);
		/** What calls of several pieces were not on a CPU, of elapsed. */
		this.off = new Float64Array(64);
		this.count = new Uint32Array(64);
		this.cut = new Uint32Array(64);
		/** Of whole ones the longest, of these the first. */
		this.most = new Float64Array(64).fill(-1);
		this.longest = new Int32Array(64);
		/** The same of those that are cut off. */
		this.cutMost = new Float64Array(64).fill(-1);
		this.cutLongest = new Int32Array(64);
	}

	/** Room for group i. @param {number} i */
	room(i) {
		if (i < this.count.length) return;
		/** @template {Float64Array | Uint32Array | Int32Array} T @param {T} old @param {number} [rest] */
		const larger = (old, rest = 0) => {
			const more = /** @type {T} */ (new /** @type {any} */ (old.constructor)(2 * old.length).fill(rest));
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

	/** Whole call of group i that takes no less than the longest so far. @param {number} i @param {number} span @param {number} elapsed */
	longer(i, span, elapsed) {
		if (elapsed === this.most[i] && this.start[span] >= this.start[this.longest[i]]) return;
		this.most[i] = elapsed;
		this.longest[i] = span;
	}

	/** One more call of group i. @param {number} i @param {number} span @param {number} elapsed @param {number} own @param {boolean} whole */
	add(i, span, elapsed, own, whole) {
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

	/** @param {number} i @param {OfCalls} sum that has nothing yet */
	give(i, sum) {
		sum.count = this.count[i];
		sum.cut = this.cut[i];
		sum.own = this.elapsed[i] - this.off[i];
		sum.elapsed = this.elapsed[i];
		// any whole one rather than one that is cut off
		sum.bound = !sum.count;
		sum.longest = sum.bound ? this.cutLongest[i] : this.longest[i];
		sum.most = sum.bound ? this.cutMost[i] : this.most[i];
	}
}

/** Numbers of groups that are at hand. */
const NEAR = 1024;
/** Calls in one of the arrays that grow. */
const CHUNK_BITS = 16;

/** What elapsed of whole calls, as they come, and in which group each is. */
class Kept {
	constructor() {
		/** 32 bits are enough so far. */
		this.narrow = true;
		this.length = 0;
		/** @type {Uint32Array[]} */
		this.places = [];
		/** @type {(Uint32Array | Float64Array)[]} */
		this.times = [];
		/** The last of them, or those that are read. @type {Uint32Array} */
		this.place = new Uint32Array(0);
		/** @type {Uint32Array | Float64Array} */
		this.time = this.place;
	}

	/** Makes room for another, unless there is. @returns {number} where it goes, in place and time */
	room() {
		const i = this.length & ((1 << CHUNK_BITS) - 1);
		if (i === 0) {
			this.places.push((this.place = new Uint32Array(1 << CHUNK_BITS)));
			this.times.push((this.time = this.narrow ? new Uint32Array(1 << CHUNK_BITS) : new Float64Array(1 << CHUNK_BITS)));
		}
		return i;
	}

	/** @param {number} place @param {number} time */
	push(place, time) {
		const i = this.room();
		if (this.narrow && time > 0xffffffff) {
			this.narrow = false;
			this.times[this.times.length - 1] = this.time = Float64Array.from(this.time);
		}
		this.place[i] = place;
		this.time[i] = time;
		this.length++;
	}

	/**
	 * Group by group.
	 * @param {Uint32Array} next where the next of each group goes
	 * @returns {Generator<void, Uint32Array | Float64Array, void>}
	 */
	*sort(next) {
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

	/** @param {number} chunk @param {number} from @param {number} to @param {Uint32Array} next @param {Uint32Array | Float64Array} into */
	#sortPart(chunk, from, to, next, into) {
		const [place, time] = [this.places[chunk], this.times[chunk]];
		for (let i = from; i < to; i++) into[next[place[i]]++] = time[i];
	}
}

/** Where the calls of each group go, in an order. @param {OfCalls[]} groups @param {number[]} order */
function placesOf(groups, order) {
	const next = new Uint32Array(groups.length);
	let total = 0;
	for (const i of order) {
		next[i] = total;
		if (isCall(groups[i].kind)) total += groups[i].count;
	}
	return next;
}

export class CallSums {
	/** @param {Trace} trace @param {Calls} calls @param {number} t0 @param {number} t1 units @param {Only | null} [only] null: all that ran */
	constructor(trace, calls, t0, t1, only = null) {
		this.trace = trace;
		this.only = only;
		this.calls = calls;
		this.t0 = t0;
		this.t1 = t1;
		/** By process and name; in order of kind, name, pid when all is done. @type {OfCalls[]} */
		this.groups = [];
		/** @type {OfCalls[]} */
		this.names = [];
		/** @type {OfCalls[]} */
		this.kinds = [];
		/** Of all that ran: each process's, by kind. @type {OfCalls[]} */
		this.byProcess = [];
		/** Where a process's calls of a name are in groups. @type {Map<number, number>} */
		this.places = new Map();
		this.nearKey = new Float64Array(NEAR).fill(-1);
		this.nearPlace = new Uint32Array(NEAR);
		this.running = new Running(trace.start);
		this.kept = new Kept();
		/** Of each dictionary entry. */
		this.isCall = Uint8Array.from(trace.kinds, (kind) => Number(isCall(kind)));
	}

	/** One more call, or stretch of user code or idle. @param {number} first @param {number} name @param {number} elapsed @param {number} own @param {boolean} whole */
	#add(first, name, elapsed, own, whole) {
		const place = this.#place(this.trace.pid[first], name);
		this.running.add(place, first, elapsed, own, whole);
		if (whole && this.isCall[name]) this.kept.push(place, elapsed);
	}

	/** Spans of a list that are calls of one piece, or none. @param {import('../data/spans.js').SpanList} list @param {number} i @param {number} to */
	#spans({ index, lo }, i, to) {
		// nearly all of the time goes to this, so that what it reads is at hand
		const { trace: { start, dur, name, pid, texts: { length: names } }, calls: { flags }, t0, t1, only, isCall: keeps, nearKey, nearPlace, running, kept } = this;
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
			if (keeps[entry]) kept.push(place, time);
		}
	}

	/** Every call that has a part in the stretch, and each stretch of user code and idle. */
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

	/** Calls of several pieces. @param {number} call @param {number} end */
	#joined(call, end) {
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

	/** @returns {'name' | 'pid'} */
	get by() {
		return this.only?.by ?? 'name';
	}

	/** The number of a process's calls of a name, made when it is new. @param {number} pid @param {number} name */
	#place(pid, name) {
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

	/** All of it, in pieces of a fraction of a millisecond. */
	*work() {
		yield* this.#each();
		this.groups.forEach((sum, i) => this.running.give(i, sum));
		const { groups, by } = this;
		const order = [...groups.keys()].sort((a, b) => groups[a].kind - groups[b].kind || groups[a][by] - groups[b][by] ||
			groups[a].name - groups[b].name || groups[a].pid - groups[b].pid);
		yield;
		const values = yield* this.kept.sort(placesOf(groups, order));
		this.groups = order.map((i) => groups[i]);
		yield* this.#upwards(values);
		if (!this.only) yield* this.#ofProcesses(groups);
		this.places = new Map();
		this.kept = new Kept();
	}

	/** What each process's calls of a kind come to, so that one can be opened at once. @param {OfCalls[]} groups as they came */
	*#ofProcesses(groups) {
		const order = [...groups.keys()].sort((a, b) => groups[a].kind - groups[b].kind || groups[a].pid - groups[b].pid || groups[a].name - groups[b].name);
		const values = yield* this.kept.sort(placesOf(groups, order));
		/** @type {OfCalls | undefined} */
		let sum;
		/** @type {OfCalls | undefined} */
		let one;
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

	/**
	 * What there is about one process, kind or name, as it would be added up of that alone.
	 * @param {{pids: number[]} | {kind: number} | {entry: number}} subject
	 * @returns {Pick<CallSums, 'groups' | 'names' | 'kinds'> | null} null: not to be told from these
	 */
	of(subject) {
		const all = { pid: -1, name: -1 };
		if ('pids' in subject) {
			const [pid] = subject.pids;
			if (subject.pids.length !== 1) return null;
			/** @param {OfCalls} c */
			const is = (c) => c.pid === pid && !isIdle(c.kind);
			const groups = this.groups.filter(is);
			return { groups, names: groups.map((c) => ({ ...c, pid: -1 })), kinds: this.byProcess.filter(is).map((c) => ({ ...c, ...all })) };
		}
		if ('kind' in subject) {
			/** @param {OfCalls} c */
			const is = (c) => c.kind === subject.kind;
			const groups = this.groups.filter(is).sort((a, b) => a.pid - b.pid || a.name - b.name);
			return { groups, names: this.byProcess.filter(is), kinds: this.kinds.filter(is) };
		}
		const groups = this.groups.filter((c) => c.name === subject.entry);
		return { groups, names: groups.map((c) => ({ ...c, name: -1 })), kinds: this.names.filter((c) => c.name === subject.entry).map((c) => ({ ...c, ...all })) };
	}

	/** Names of processes' calls (or processes of names'), kinds of these, and all their quantiles. @param {Float64Array | Uint32Array} values in the order of groups */
	*#upwards(values) {
		const { by } = this;
		/** @type {OfCalls | undefined} */
		let name;
		/** @type {OfCalls | undefined} */
		let kind;
		let at = 0;
		let [nameAt, kindAt, from] = [0, 0, 0];
		/** @type {OfCalls | undefined} */
		let last;
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

	/** @param {OfCalls} sum @param {Float64Array | Uint32Array} values @param {number} from @param {number} to @param {OfCalls} [same] is of the same calls */
	*#quantiles(sum, values, from, to, same) {
		if (from === to) return;
		[sum.p50, sum.p99] = same ? [same.p50, same.p99] : yield* numbersAt(values, from, to, [50, 99].map((percent) => placeOf(to - from, percent)));
	}
}
