// SPDX-License-Identifier: BSD-3-Clause
/**
 * The calls of a stretch of time, added up by process and name, by name, and by kind: how many, how long, p50, p99.
 * Never counts as whole what the trace, or the stretch, cuts off; never touches the page. What user code and idle are
 * is counted by stretches, without quantiles. Imported by stats.js and process.js; panel/table.js and panel/process.js show the sums.
 */
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
 * A call, whole or cut off, of which time elapsed: is it the longest?
 * @param {OfCalls} sum
 * @param {number} span
 * @param {number} time
 * @param {boolean} whole
 */
function longer(sum, span, time, whole) {
	if (sum.longest >= 0 && (sum.bound === whole ? !whole : time <= sum.most)) return;
	sum.longest = span;
	sum.most = time;
	sum.bound = !whole;
}

/** Adds one to another. @param {OfCalls} to @param {OfCalls} sum */
function add(to, sum) {
	to.count += sum.count;
	to.cut += sum.cut;
	to.own += sum.own;
	to.elapsed += sum.elapsed;
	if (sum.longest >= 0) longer(to, sum.longest, sum.most, !sum.bound);
}

/** What groups have so far, by their numbers, in arrays that grow: what is added to at every call. */
class Running {
	constructor() {
		this.own = new Float64Array(64);
		this.elapsed = new Float64Array(64);
		this.most = new Float64Array(64);
		this.count = new Uint32Array(64);
		this.cut = new Uint32Array(64);
		this.longest = new Int32Array(64);
		/** The longest is a whole one. */
		this.whole = new Uint8Array(64);
	}

	/** Room for group i. @param {number} i */
	room(i) {
		if (i < this.own.length) return;
		for (const key of /** @type {(keyof this & string)[]} */ (Object.keys(this))) {
			const old = /** @type {any} */ (this[key]);
			const more = new old.constructor(2 * old.length);
			more.set(old);
			/** @type {any} */ (this)[key] = more;
		}
	}

	/** One more call of group i. @param {number} i @param {number} span @param {number} elapsed @param {number} own @param {boolean} whole */
	add(i, span, elapsed, own, whole) {
		this.elapsed[i] += elapsed;
		this.own[i] += own;
		if (whole) {
			// of whole ones the longest, and any rather than one that is cut off
			if (this.whole[i] && elapsed <= this.most[i]) {
				this.count[i]++;
				return;
			}
			this.count[i]++;
			this.whole[i] = 1;
		} else if (this.whole[i] || (this.cut[i]++ && elapsed <= this.most[i])) {
			if (this.whole[i]) this.cut[i]++;
			return;
		}
		this.longest[i] = span;
		this.most[i] = elapsed;
	}

	/** @param {number} i @param {OfCalls} sum that has nothing yet */
	give(i, sum) {
		sum.count = this.count[i];
		sum.cut = this.cut[i];
		sum.own = this.own[i];
		sum.elapsed = this.elapsed[i];
		sum.longest = this.longest[i];
		sum.most = this.most[i];
		sum.bound = !this.whole[i];
	}
}

/** Numbers of groups that are at hand. */
const NEAR = 1024;
/** Calls in one of the arrays that grow. */
const CHUNK_BITS = 16;

/** What elapsed of whole calls, as they come, and in which group each is. */
class Kept {
	/** @param {boolean} narrow 32 bits are enough */
	constructor(narrow) {
		this.narrow = narrow;
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

	/** @param {number} place @param {number} time */
	push(place, time) {
		const i = this.length++ & ((1 << CHUNK_BITS) - 1);
		if (i === 0) {
			this.places.push((this.place = new Uint32Array(1 << CHUNK_BITS)));
			this.times.push((this.time = this.narrow ? new Uint32Array(1 << CHUNK_BITS) : new Float64Array(1 << CHUNK_BITS)));
		}
		this.place[i] = place;
		this.time[i] = time;
	}

	/** Group by group. @param {Float64Array} next where the next of each group goes @param {Uint32Array | Float64Array} into */
	*sort(next, into) {
		for (let n = 0; n < this.length; n++) {
			const [chunk, i] = [n >>> CHUNK_BITS, n & ((1 << CHUNK_BITS) - 1)];
			if (i === 0) {
				this.place = this.places[chunk];
				this.time = this.times[chunk];
				yield;
			}
			into[next[this.place[i]]++] = this.time[i];
		}
	}
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
		/** Where a process's calls of a name are in groups. @type {Map<number, number>} */
		this.places = new Map();
		this.nearKey = new Float64Array(NEAR).fill(-1);
		this.nearPlace = new Uint32Array(NEAR);
		this.running = new Running();
		this.narrow = t1 - t0 < 2 ** 32;
		this.kept = new Kept(this.narrow);
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
		const { trace: { start, dur, name }, calls: { flags }, t0, t1, only } = this;
		const takes = only && !only.all ? only.takes : null;
		for (; i < to; i++) {
			const g = index ? index[lo + i] : lo + i;
			const flag = flags[g];
			if (flag & PIECE || (takes && !takes(g))) continue;
			const from = start[g];
			const time = dur[g];
			if (from >= t0 && from + time <= t1) {
				this.#add(g, name[g], time, time, !(flag & PARTIAL));
			} else {
				const part = Math.min(from + time, t1) - Math.max(from, t0);
				this.#add(g, name[g], part, part, false);
			}
		}
	}

	/** Every call that has a part in the stretch, and each stretch of user code and idle. */
	*#each() {
		const { trace: { start, dur, cpus }, calls: { flags, joined }, calls, t0, t1, only } = this;
		for (const list of only?.lists ?? cpus.values()) {
			const end = list.seek(t1);
			for (let i = list.first(t0); i < end; i += SLICE) {
				this.#spans(list, i, Math.min(end, i + SLICE));
				yield;
			}
		}
		const { begin, elapsed, own, at, pieces, name: names } = joined;
		let n = 0;
		for (let call = 0; call < calls.count && begin[call] < t1; call++) {
			if (++n % SLICE === 0) yield;
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
		const { kept, narrow } = this;
		yield* this.#each();
		this.groups.forEach((sum, i) => this.running.give(i, sum));
		const { groups, by } = this;
		const order = [...groups.keys()].sort((a, b) => groups[a].kind - groups[b].kind || groups[a][by] - groups[b][by] ||
			groups[a].name - groups[b].name || groups[a].pid - groups[b].pid);
		yield;
		/** Where the next elapsed time of a group goes. */
		const next = new Float64Array(groups.length);
		let total = 0;
		for (const i of order) {
			next[i] = total;
			if (isCall(groups[i].kind)) total += groups[i].count;
		}
		const values = narrow ? new Uint32Array(total) : new Float64Array(total);
		yield* kept.sort(next, values);
		this.groups = order.map((i) => groups[i]);
		this.places = new Map();
		this.kept = new Kept(narrow);
		yield* this.#upwards(values);
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
			add(name, sum);
			add(kind, sum);
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
