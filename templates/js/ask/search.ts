// SPDX-License-Identifier: BSD-3-Clause
/**
 * Holds the matches of a search in time order, so that the cost of showing a range depends only on that range. A call is one
 * match, however many parts it has. Must not search (find.ts does that) or use the page.
 */
import { IntervalList } from '../data/intervals.ts';
import { PIECE } from '../data/join.ts';
import type { Calls } from '../data/calls.ts';
import type { Trace } from '../data/trace.ts';

/** Number of matches visited between two yields. */
const SLICE = 20000;

/** Columns for a trace without joined calls. */
const NONE = { start: new Float64Array(0), dur: new Float64Array(0) };

/** Number of matches in a block. The totals of a block are stored. */
const BLOCK = 1 << 12;

/** Totals of matches: spans and their time; matches (a call is one match) and their elapsed time. */
export class Totals {
	count = 0;
	units = 0;
	matches = 0;
	elapsed = 0;

	add(more: Totals) {
		this.count += more.count;
		this.units += more.units;
		this.matches += more.matches;
		this.elapsed += more.elapsed;
	}

	/** Adds the spans ids[from, to). Parts of joined calls count only as spans. @param flags null: calls are not joined yet */
	spans(flags: Uint8Array | null, dur: Float64Array | Uint32Array, ids: Uint32Array, from: number, to: number) {
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

/** Totals of a list's matches in blocks. The totals of a block are stored when they have been computed. */
class Blocks {
	totals: Totals[] = [];
	/** Number of spans that were summed one by one so far. */
	visited = 0;

	constructor(public flags: Uint8Array | null, public dur: Float64Array | Uint32Array, public ids: Uint32Array) {}

	/** Adds the totals of elements [from, to). */
	add(from: number, to: number, into: Totals) {
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

	#block(block: number) {
		const known = this.totals[block];
		if (known) return known;
		const sums = (this.totals[block] = new Totals());
		const [from, to] = [block * BLOCK, Math.min(this.ids.length, (block + 1) * BLOCK)];
		sums.spans(this.flags, this.dur, this.ids, from, to);
		this.visited += to - from;
		return sums;
	}

	/** Computes the totals of all blocks, before a range is requested. */
	*work() {
		for (let block = 0; block * BLOCK < this.ids.length; block++) {
			this.#block(block);
			yield;
		}
	}
}

export class Matches {
	/** The last result. It is stored because the picture and the panel request the same range. */
	last = { t0: NaN, t1: NaN, total: { count: 0, units: 0, matches: 0, elapsed: 0 } };
	/** Matching execution spans of each CPU. */
	executions: {cpu: number, ids: Uint32Array}[];
	others: IntervalList;
	blocks: Blocks[];
	/** Totals of spans on no CPU and of joined calls, for the whole trace. */
	overlapping: Totals | null = null;
	/** Joined calls that match. Their numbers are numbers of joined calls, not of spans. */
	joined: IntervalList;

	/**
	 * @param calls null: calls are not joined yet, and their parts are the matches
	 * @param lists matches of each track
	 * @param joined joined calls that match
	 * @param whole totals of the whole trace, if they are known
	 */
	constructor(
		public trace: Trace, public calls: Calls | null, lists: {cpu: number, ids: Uint32Array}[], joined: Uint32Array,
		public whole: Totals | null = null,
	) {
		this.executions = lists.filter(({ cpu }) => cpu >= 0);
		this.others = new IntervalList(trace, lists.find(({ cpu }) => cpu < 0)?.ids ?? new Uint32Array(0));
		this.blocks = this.executions.map(({ ids }) => new Blocks(calls ? calls.flags : null, trace.dur, ids));
		this.joined = new IntervalList(calls ? { start: calls.joined.begin, dur: calls.joined.elapsed } : NONE, joined);
	}

	/** Returns whether span g is a match by itself, not a part of a joined call. */
	alone(g: number) {
		return !this.calls || !(this.calls.flags[g] & PIECE);
	}

	/**
	 * Returns the first element, from element `from` on, that starts at or after t; ids.length: none.
	 * @param after true: the element must start after t
	 */
	seek(ids: Uint32Array, t: number, from = 0, after = false): number {
		const { start } = this.trace;
		let lo = from;
		let hi = ids.length;
		while (lo < hi) {
			const mid = (lo + hi) >>> 1;
			if (start[ids[mid]] < t || (after && start[ids[mid]] === t)) lo = mid + 1;
			else hi = mid;
		}
		return lo;
	}

	/** Returns the first match of ids that touches t or starts after t. */
	#first(ids: Uint32Array, t: number) {
		const { start, dur } = this.trace;
		let lo = this.seek(ids, t);
		while (lo > 0 && start[ids[lo - 1]] + dur[ids[lo - 1]] > t) lo--;
		return lo;
	}

	/** Returns the matches on each CPU that touch [t0, t1], as elements [from, to) of ids. */
	parts(t0: number, t1: number) {
		return this.executions.map(({ cpu, ids }) => {
			const from = this.#first(ids, t0);
			return { cpu, ids, from, to: this.seek(ids, t1, from, true) };
		});
	}

	/**
	 * Visits the matches on CPUs that touch [t0, t1], but at most one in each step of time. This is enough while the
	 * picture moves.
	 * @param step units of 10 ns
	 * @param begin returns the function that visits the matches of a CPU
	 */
	sample(t0: number, t1: number, step: number, begin: (cpu: number) => (span: number) => void) {
		const { start } = this.trace;
		for (const { cpu, ids, from, to } of this.parts(t0, t1)) {
			const visit = begin(cpu);
			for (let i = from; i < to; i = this.seek(ids, start[ids[i]] + step, i + 1)) visit(ids[i]);
		}
	}

	/**
	 * Visits each match that touches [t0, t1], in steps of a fraction of a millisecond.
	 * @param visit gets the first part of a call; call: number of the joined call, -1: the call has one part
	 */
	*slowly(t0: number, t1: number, visit: (span: number, elapsed: number, call: number) => void) {
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
			if (calls.start[call] + calls.dur[call] >= t0) visit(this.calls!.firstOf(call), calls.dur[call], call);
			if (++n % SLICE === 0) yield;
		}
	}

	/** Returns all matching spans. Each list is in order of start. */
	lists(): Uint32Array[] {
		return [...this.executions.map((e) => e.ids), this.others.ids];
	}

	/** Returns about how many matches are in [t0, t1]. */
	estimate(t0: number, t1: number) {
		return this.executions.reduce((n, { ids }) => n + this.#first(ids, t1) - this.#first(ids, t0), 0) +
			this.others.seek(t1) - this.others.seek(t0);
	}

	/** Returns the totals of the matches that touch [t0, t1]: spans and their durations; matches and their elapsed time. */
	total(t0: number, t1: number) {
		const { last } = this;
		if (last.t0 === t0 && last.t1 === t1) return last.total;
		const total = this.whole && this.#within(t0, t1) ? { ...this.whole } : this.#added(t0, t1);
		this.last = { t0, t1, total };
		return total;
	}

	#added(t0: number, t1: number) {
		const sums = new Totals();
		this.executions.forEach(({ ids }, i) => {
			const from = this.#first(ids, t0);
			this.blocks[i].add(from, this.seek(ids, t1, from, true), sums);
		});
		sums.add(this.#overlapping(t0, t1));
		const { count, units, matches, elapsed } = sums;
		return { count, units, matches, elapsed };
	}

	/** Returns whether all matches begin in [t0, t1]. */
	#within(t0: number, t1: number) {
		const { start } = this.trace;
		return [this.others, this.joined].every((list) => list.within(t0, t1)) &&
			this.executions.every(({ ids }) => !ids.length || (start[ids[0]] >= t0 && start[ids[ids.length - 1]] <= t1));
	}

	/** Computes the totals of all blocks, in steps of a fraction of a millisecond. */
	*work() {
		for (const blocks of this.blocks) yield* blocks.work();
	}

	/** Returns the totals of matches that may overlap: spans on no CPU, and joined calls. */
	#overlapping(t0: number, t1: number) {
		const { others, joined } = this;
		const whole = [others, joined].every((list) => list.within(t0, t1));
		if (whole && this.overlapping) return this.overlapping;
		const sums = new Totals();
		const add = (list: IntervalList, spans: boolean) => {
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
		if (whole) this.overlapping = sums;
		return sums;
	}

	/** Number of spans that were summed one by one for totals so far. Tests read this number. */
	get visited() {
		return this.blocks.reduce((n, { visited }) => n + visited, 0);
	}

	/** Returns the next match that starts after t (direction 1) or before t (-1); -1: none. Wraps around at the trace's ends. */
	next(t: number, direction: 1 | -1) {
		const { start } = this.trace;
		let best = -1;
		let wrapped = -1;
		/** Returns whether a comes before b in this direction. */
		const before = (a: number, b: number) => a >= 0 && (b < 0 || (start[a] - start[b]) * direction < 0);
		/** Considers the nearest match of a list, and the match after wrapping around. */
		const consider = (near: number, far: number) => {
			if (before(near, best)) best = near;
			if (before(far, wrapped)) wrapped = far;
		};
		for (const ids of this.lists()) {
			if (!ids.length) continue;
			const lo = this.seek(ids, t, 0, direction > 0);
			/** Returns the first element from element i on that is not a part of a joined call. */
			const alone = (i: number) => {
				while (i >= 0 && i < ids.length && !this.alone(ids[i])) i += direction;
				return i >= 0 && i < ids.length ? ids[i] : -1;
			};
			consider(alone(direction > 0 ? lo : lo - 1), alone(direction > 0 ? 0 : ids.length - 1));
		}
		const { joined, calls } = this;
		if (calls && joined.length) {
			const lo = joined.seek(direction > 0 ? t + 0.5 : t);
			/** Returns the first part of the joined call at an index. */
			const first = (i: number) => (i >= 0 && i < joined.length ? calls.firstOf(joined.ids[i]) : -1);
			consider(first(direction > 0 ? lo : lo - 1), first(direction > 0 ? 0 : joined.length - 1));
		}
		return best >= 0 ? best : wrapped;
	}
}
