// SPDX-License-Identifier: BSD-3-Clause
/**
 * What a search has found. A call is one match, in however many pieces. Stays in time order, so that showing a part
 * costs no more than that part. Never searches itself (find.js), never touches the page.
 * Made by find.js; the picture, the histogram and the query read the matches.
 */
import { IntervalList } from '../data/intervals.js';
import { PIECE } from '../data/join.js';

/** @typedef {import('../data/trace.js').Trace} Trace */

/** Matches between two looks at the clock. */
const SLICE = 20000;

/** No call of several pieces. */
const NONE = { start: new Float64Array(0), dur: new Float64Array(0) };

/** Matches in one of the sums that are kept. */
const BLOCK = 1 << 12;

/** What matches come to: spans and their time; calls, each a match of its own, and theirs. */
export class Totals {
	constructor() {
		this.count = 0;
		this.units = 0;
		this.matches = 0;
		this.elapsed = 0;
	}

	/** @param {Totals} more */
	add(more) {
		this.count += more.count;
		this.units += more.units;
		this.matches += more.matches;
		this.elapsed += more.elapsed;
	}

	/**
	 * Adds ids [from, to).
	 * @param {Uint8Array | null} flags null: no pieces of calls are known
	 * @param {Float64Array | Uint32Array} dur
	 * @param {Uint32Array} ids
	 * @param {number} from
	 * @param {number} to
	 */
	spans(flags, dur, ids, from, to) {
		let units = 0;
		let matches = 0;
		let elapsed = 0;
		for (let i = from; i < to; i++) {
			const g = ids[i];
			const time = dur[g];
			units += time;
			if (flags !== null && flags[g] & PIECE) continue;
			matches++;
			elapsed += time;
		}
		this.count += Math.max(0, to - from);
		this.units += units;
		this.matches += matches;
		this.elapsed += elapsed;
	}
}

/** The totals of a list's matches, of every BLOCK kept when they have been asked for. */
class Blocks {
	/** @param {Uint8Array | null} flags @param {Float64Array | Uint32Array} dur @param {Uint32Array} ids */
	constructor(flags, dur, ids) {
		this.flags = flags;
		this.dur = dur;
		this.ids = ids;
		/** @type {Totals[]} */
		this.kept = [];
		/** Spans that have been added up one by one, ever. */
		this.visited = 0;
	}

	/** @param {number} from @param {number} to @param {Totals} into */
	add(from, to, into) {
		for (let at = from; at < to;) {
			const block = Math.floor(at / BLOCK);
			const end = Math.min(to, (block + 1) * BLOCK);
			if (at > block * BLOCK || end < Math.min(this.ids.length, (block + 1) * BLOCK)) {
				into.spans(this.flags, this.dur, this.ids, at, end);
				this.visited += end - at;
			} else {
				into.add(this.#block(block));
			}
			at = end;
		}
	}

	/** @param {number} block */
	#block(block) {
		const known = this.kept[block];
		if (known) return known;
		const sums = (this.kept[block] = new Totals());
		const [from, to] = [block * BLOCK, Math.min(this.ids.length, (block + 1) * BLOCK)];
		sums.spans(this.flags, this.dur, this.ids, from, to);
		this.visited += to - from;
		return sums;
	}

	/** All blocks, ahead of who asks for a part of the time. */
	*work() {
		for (let block = 0; block * BLOCK < this.ids.length; block++) {
			this.#block(block);
			yield;
		}
	}
}

export class Matches {
	/**
	 * @param {Trace} trace
	 * @param {import('../data/calls.js').Calls | null} calls null: they are not joined yet, and pieces are what was found
	 * @param {{cpu: number, ids: Uint32Array}[]} lists of each track
	 * @param {Uint32Array} joined calls of several pieces
	 * @param {Totals | null} [whole] what all of it comes to, where that is known
	 */
	constructor(trace, calls, lists, joined, whole = null) {
		this.trace = trace;
		this.calls = calls;
		this.whole = whole;
		/** What was asked for last: the picture and what is said of it ask for the same. */
		this.last = { t0: NaN, t1: NaN, total: { count: 0, units: 0, matches: 0, elapsed: 0 } };
		/** Matches of each CPU's execution. */
		this.executions = lists.filter(({ cpu }) => cpu >= 0);
		this.others = new IntervalList(trace, lists.find(({ cpu }) => cpu < 0)?.ids ?? new Uint32Array(0));
		this.blocks = this.executions.map(({ ids }) => new Blocks(calls ? calls.flags : null, trace.dur, ids));
		/** Of what is on no CPU, and of calls in pieces, when all of them are asked for. @type {Totals | null} */
		this.lasting = null;
		/** Calls of several pieces, by their number among these. */
		this.joined = new IntervalList(calls ? { start: calls.joined.begin, dur: calls.joined.elapsed } : NONE, joined);
	}

	/** Is span g a match of its own, not a piece of one? @param {number} g */
	alone(g) {
		return !this.calls || !(this.calls.flags[g] & PIECE);
	}

	/**
	 * First match of ids, from one element on, that starts at t or later; or, behind, later than t.
	 * @param {Uint32Array} ids
	 * @param {number} t
	 * @param {number} [from]
	 * @param {boolean} [behind]
	 * @returns {number} ids.length if there is none
	 */
	seek(ids, t, from = 0, behind = false) {
		const { start } = this.trace;
		let lo = from;
		let hi = ids.length;
		while (lo < hi) {
			const mid = (lo + hi) >>> 1;
			if (start[ids[mid]] < t || (behind && start[ids[mid]] === t)) lo = mid + 1;
			else hi = mid;
		}
		return lo;
	}

	/** First match of ids that touches t or comes behind it. @param {Uint32Array} ids @param {number} t */
	#first(ids, t) {
		const { start, dur } = this.trace;
		let lo = this.seek(ids, t);
		while (lo > 0 && start[ids[lo - 1]] + dur[ids[lo - 1]] > t) lo--;
		return lo;
	}

	/** The matches on each CPU that touch [t0, t1]: elements [from, to) of ids. @param {number} t0 @param {number} t1 */
	parts(t0, t1) {
		return this.executions.map(({ cpu, ids }) => {
			const from = this.#first(ids, t0);
			return { cpu, ids, from, to: this.seek(ids, t1, from, true) };
		});
	}

	/**
	 * Of the matches on CPUs that touch [t0, t1] no more than one for each step of
	 * time: what is enough while the picture moves.
	 * @param {number} t0
	 * @param {number} t1
	 * @param {number} step units
	 * @param {(cpu: number) => (span: number) => void} begin what visits those of a CPU
	 */
	sample(t0, t1, step, begin) {
		const { start } = this.trace;
		for (const { cpu, ids, from, to } of this.parts(t0, t1)) {
			const visit = begin(cpu);
			for (let i = from; i < to; i = this.seek(ids, start[ids[i]] + step, i + 1)) visit(ids[i]);
		}
	}

	/**
	 * Each match, in which a call is one, that touches [t0, t1], in pieces of a fraction of a millisecond.
	 * @param {number} t0
	 * @param {number} t1
	 * @param {(span: number, elapsed: number, call: number) => void} visit a call's first piece; call: -1: it is in one piece
	 */
	*slowly(t0, t1, visit) {
		const { start, dur } = this.trace;
		let n = 0;
		for (const ids of this.lists()) {
			for (const g of ids) {
				if (start[g] >= t1) break;
				if (start[g] + dur[g] >= t0 && this.alone(g)) visit(g, dur[g], -1);
				if (++n % SLICE === 0) yield;
			}
		}
		const { trace: calls, ids } = this.joined;
		for (const call of ids) {
			if (calls.start[call] >= t1) break;
			if (calls.start[call] + calls.dur[call] >= t0) visit(/** @type {import('../data/calls.js').Calls} */ (this.calls).firstOf(call), calls.dur[call], call);
			if (++n % SLICE === 0) yield;
		}
	}

	/** All of them: each list in order of start. @returns {Uint32Array[]} */
	lists() {
		return [...this.executions.map((e) => e.ids), this.others.ids];
	}

	/** About how many matches are in [t0, t1]. @param {number} t0 @param {number} t1 */
	estimate(t0, t1) {
		return this.executions.reduce((n, { ids }) => n + this.#first(ids, t1) - this.#first(ids, t0), 0) +
			this.others.seek(t1) - this.others.seek(t0);
	}

	/**
	 * What touches [t0, t1]: spans that match, and their durations added up; their calls, and what elapses of these.
	 * @param {number} t0
	 * @param {number} t1
	 */
	total(t0, t1) {
		const { last } = this;
		if (last.t0 === t0 && last.t1 === t1) return last.total;
		const total = this.whole && this.#within(t0, t1) ? { ...this.whole } : this.#added(t0, t1);
		this.last = { t0, t1, total };
		return total;
	}

	/** @param {number} t0 @param {number} t1 */
	#added(t0, t1) {
		const sums = new Totals();
		this.executions.forEach(({ ids }, i) => {
			const from = this.#first(ids, t0);
			this.blocks[i].add(from, this.seek(ids, t1, from, true), sums);
		});
		sums.add(this.#lasting(t0, t1));
		const { count, units, matches, elapsed } = sums;
		return { count, units, matches, elapsed };
	}

	/** Does everything begin in [t0, t1]? @param {number} t0 @param {number} t1 */
	#within(t0, t1) {
		const { start } = this.trace;
		return [this.others, this.joined].every((list) => list.within(t0, t1)) &&
			this.executions.every(({ ids }) => !ids.length || (start[ids[0]] >= t0 && start[ids[ids.length - 1]] <= t1));
	}

	/** Adds up what parts of the time will be asked for, in pieces of a fraction of a millisecond. */
	*work() {
		for (const blocks of this.blocks) yield* blocks.work();
	}

	/** What may lie over each other: what is on no CPU, and calls in pieces. @param {number} t0 @param {number} t1 */
	#lasting(t0, t1) {
		const { others, joined } = this;
		const whole = [others, joined].every((list) => list.within(t0, t1));
		if (whole && this.lasting) return this.lasting;
		const sums = new Totals();
		/** @param {import('../data/intervals.js').IntervalList} list @param {boolean} spans */
		const add = (list, spans) => {
			const { dur } = list.trace;
			let n = 0;
			let units = 0;
			if (whole) {
				n = list.length;
				for (let i = 0; i < n; i++) units += dur[list.ids[i]];
			} else {
				list.each(t0, t1, (id) => {
					n++;
					units += dur[id];
				});
			}
			sums.matches += n;
			sums.elapsed += units;
			if (!spans) return;
			sums.count += n;
			sums.units += units;
		};
		add(others, true);
		add(joined, false);
		if (whole) this.lasting = sums;
		return sums;
	}

	/** Spans that have been added up one by one for totals, ever: for tests. */
	get visited() {
		return this.blocks.reduce((n, { visited }) => n + visited, 0);
	}

	/**
	 * The next match behind t (direction 1) or the last one before it (-1), by
	 * start; at the end it begins anew. -1 when there is none.
	 * @param {number} t
	 * @param {1 | -1} direction
	 */
	next(t, direction) {
		const { start } = this.trace;
		let best = -1;
		let wrapped = -1;
		/** @param {number} a @param {number} b is a before b on the way? */
		const before = (a, b) => a >= 0 && (b < 0 || (start[a] - start[b]) * direction < 0);
		/** @param {number} near @param {number} far of a list */
		const consider = (near, far) => {
			if (before(near, best)) best = near;
			if (before(far, wrapped)) wrapped = far;
		};
		for (const ids of this.lists()) {
			if (!ids.length) continue;
			const lo = this.seek(ids, t, 0, direction > 0);
			/** The first from element i on that is no piece of another match. @param {number} i */
			const alone = (i) => {
				while (i >= 0 && i < ids.length && !this.alone(ids[i])) i += direction;
				return i >= 0 && i < ids.length ? ids[i] : -1;
			};
			consider(alone(direction > 0 ? lo : lo - 1), alone(direction > 0 ? 0 : ids.length - 1));
		}
		const { joined, calls } = this;
		if (calls && joined.length) {
			const lo = joined.seek(direction > 0 ? t + 0.5 : t);
			/** @param {number} i */
			const first = (i) => (i >= 0 && i < joined.length ? calls.firstOf(joined.ids[i]) : -1);
			consider(first(direction > 0 ? lo : lo - 1), first(direction > 0 ? 0 : joined.length - 1));
		}
		return best >= 0 ? best : wrapped;
	}
}
