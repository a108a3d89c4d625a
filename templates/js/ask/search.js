// SPDX-License-Identifier: BSD-3-Clause
/**
 * Search: a regular expression over the dictionary of names, then one pass over the column of name numbers.
 * A call is one match, in however many pieces. Never touches the page. What was found stays in time order, so that
 * showing a part costs no more than that part.
 * Imported by panel/finder.js; the picture and the histogram read the matches.
 */
import { IntervalList } from '../data/intervals.js';
import { PIECE } from '../data/join.js';

/** @typedef {import('../data/trace.js').Trace} Trace */
/** @typedef {{pattern: string, invert: boolean, from: number, to: number}} Query usec; to = Infinity without limit */

/** Spans that are looked at between two looks whether there is room for as many matches. */
const BLOCK = 1 << 16;

/**
 * Writes the numbers of the wanted spans of [from, to) into ids, from element n on: each is
 * written, and only what is wanted stays, so that there is nothing to be guessed wrong.
 * @param {Uint32Array} name
 * @param {Uint8Array} wanted
 * @param {number} from
 * @param {number} to
 * @param {Uint32Array} ids
 * @param {number} n
 * @returns {number} one past the last
 */
function named(name, wanted, from, to, ids, n) {
	for (let g = from; g < to; g++) {
		ids[n] = g;
		n += wanted[name[g]];
	}
	return n;
}

/**
 * As named(), of those that last from low to high units.
 * @param {Uint32Array} name
 * @param {Uint8Array} wanted
 * @param {Float64Array | Uint32Array} dur
 * @param {number} low
 * @param {number} high
 * @param {number} from
 * @param {number} to
 * @param {Uint32Array} ids
 * @param {number} n
 */
function lasting(name, wanted, dur, low, high, from, to, ids, n) {
	for (let g = from; g < to; g++) if (wanted[name[g]] && dur[g] >= low && dur[g] <= high) ids[n++] = g;
	return n;
}

/**
 * As lasting(), of those whose call lasts as long.
 * @param {Trace} trace
 * @param {import('../data/calls.js').Calls} calls
 * @param {Uint8Array} wanted
 * @param {number} low
 * @param {number} high
 * @param {number} from
 * @param {number} to
 * @param {Uint32Array} ids
 * @param {number} n
 */
function elapsing({ name, dur }, calls, wanted, low, high, from, to, ids, n) {
	const { flags, joined: { callOf, elapsed } } = calls;
	let rank = calls.rank(from);
	for (let g = from; g < to; g++) {
		const time = flags[g] & PIECE ? elapsed[callOf[rank++]] : dur[g];
		if (wanted[name[g]] && time >= low && time <= high) ids[n++] = g;
	}
	return n;
}

/** No call of several pieces. */
const NONE = { start: new Float64Array(0), dur: new Float64Array(0) };

/** Adds up the durations of ids [from, to). @param {Float64Array | Uint32Array} dur @param {Uint32Array} ids @param {number} from @param {number} to */
function timeOf(dur, ids, from, to) {
	let units = 0;
	for (let i = from; i < to; i++) units += dur[ids[i]];
	return units;
}

/** What timeOfAll() found: those that are no pieces, and their time. */
let alone = 0;
let aloneTime = 0;

/**
 * As timeOf(); those that are no pieces of a call also by themselves.
 * @param {Uint8Array} flags
 * @param {Float64Array | Uint32Array} dur
 * @param {Uint32Array} ids
 * @param {number} from
 * @param {number} to
 */
function timeOfAll(flags, dur, ids, from, to) {
	let units = 0;
	let n = 0;
	let time = 0;
	for (let i = from; i < to; i++) {
		const g = ids[i];
		const is = (flags[g] & PIECE) === 0 ? 1 : 0;
		units += dur[g];
		n += is;
		time += is * dur[g];
	}
	alone = n;
	aloneTime = time;
	return units;
}

export class Matches {
	/** @param {Trace} trace @param {Query} query @throws {SyntaxError} */
	constructor(trace, query) {
		this.trace = trace;
		this.query = query;
		/** Null: they are not joined yet, and pieces are what is found. */
		this.calls = trace.calls;
		const expression = new RegExp(query.pattern);
		const wanted = Uint8Array.from(trace.texts, (text, i) =>
			Number((expression.test(text) || (trace.words[i] !== text && expression.test(trace.words[i]))) !== query.invert));
		const low = Math.round(query.from * 100);
		const high = query.to * 100 + 1e-6;
		/** Matches of each CPU's execution. @type {{cpu: number, ids: Uint32Array}[]} */
		this.executions = [];
		/** @type {IntervalList} */
		this.others = new IntervalList(trace, new Uint32Array(0));
		for (const { cpu, lo, hi } of trace.tracks) {
			const ids = this.#scan(wanted, lo, hi, low, high);
			if (cpu >= 0) this.executions.push({ cpu, ids });
			else this.others = new IntervalList(trace, ids);
		}
		/** Calls of several pieces, by their number among these. */
		this.joined = this.#scanJoined(wanted, low, high);
	}

	/** @param {Uint8Array} wanted @param {number} low units @param {number} high units */
	#scanJoined(wanted, low, high) {
		const { calls } = this;
		if (!calls) return new IntervalList(NONE, new Uint32Array(0));
		const { name, begin, elapsed } = calls.joined;
		const ids = new Uint32Array(calls.count);
		let n = 0;
		for (let call = 0; call < calls.count; call++)
			if (wanted[name[call]] && elapsed[call] >= low && elapsed[call] <= high) ids[n++] = call;
		return new IntervalList({ start: begin, dur: elapsed }, ids.slice(0, n));
	}

	/** Is span g a match of its own, not a piece of one? @param {number} g */
	alone(g) {
		return !this.calls || !(this.calls.flags[g] & PIECE);
	}

	/** @param {Uint8Array} wanted @param {number} lo @param {number} hi @param {number} low units @param {number} high units */
	#scan(wanted, lo, hi, low, high) {
		const { trace, calls } = this;
		const { name, dur } = trace;
		const all = low <= 0 && high === Infinity;
		let ids = new Uint32Array(Math.min(hi - lo, 2 * BLOCK));
		let n = 0;
		for (let from = lo; from < hi; from += BLOCK) {
			if (n + BLOCK > ids.length && ids.length < hi - lo) {
				const more = new Uint32Array(Math.min(hi - lo, 2 * ids.length));
				more.set(ids);
				ids = more;
			}
			const to = Math.min(hi, from + BLOCK);
			n = all ? named(name, wanted, from, to, ids, n) : calls ? elapsing(trace, calls, wanted, low, high, from, to, ids, n) :
				lasting(name, wanted, dur, low, high, from, to, ids, n);
		}
		return ids.slice(0, n);
	}

	/**
	 * First match of ids, from one element on, that starts at t or later; or, behind, later than t.
	 * @param {Uint32Array} ids
	 * @param {number} t
	 * @param {boolean} [behind]
	 * @param {number} [from]
	 * @returns {number} ids.length if there is none
	 */
	#seek(ids, t, behind = false, from = 0) {
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
		let lo = this.#seek(ids, t);
		while (lo > 0 && start[ids[lo - 1]] + dur[ids[lo - 1]] > t) lo--;
		return lo;
	}

	/**
	 * Calls visit for each match that touches [t0, t1].
	 * @param {number} t0
	 * @param {number} t1
	 * @param {(span: number) => void} visit
	 */
	each(t0, t1, visit) {
		const { start } = this.trace;
		for (const { ids } of this.executions)
			for (let i = this.#first(ids, t0); i < ids.length && start[ids[i]] <= t1; i++) visit(ids[i]);
		this.others.each(t0, t1, visit);
	}

	/**
	 * As each(), but of the matches on CPUs no more than one for each step of
	 * time, and none of the others: what is enough while the picture moves.
	 * @param {number} t0
	 * @param {number} t1
	 * @param {number} step units
	 * @param {(span: number) => void} visit
	 */
	sample(t0, t1, step, visit) {
		const { start } = this.trace;
		for (const { ids } of this.executions) {
			let i = this.#first(ids, t0);
			for (let t = t0; i < ids.length && start[ids[i]] <= t1; t = start[ids[i]] + step) {
				i = this.#seek(ids, t, false, i);
				if (i >= ids.length) break;
				visit(ids[i]);
			}
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
		const { dur } = this.trace;
		let count = 0;
		let units = 0;
		let matches = 0;
		let elapsed = 0;
		for (const { ids } of this.executions) {
			const from = this.#first(ids, t0);
			const to = this.#seek(ids, t1, true, from);
			count += to - from;
			if (!this.calls) {
				const time = timeOf(dur, ids, from, to);
				units += time;
				elapsed += time;
				matches += to - from;
				continue;
			}
			units += timeOfAll(this.calls.flags, dur, ids, from, to);
			matches += alone;
			elapsed += aloneTime;
		}
		this.joined.each(t0, t1, (call) => {
			matches++;
			elapsed += this.joined.trace.dur[call];
		});
		this.others.each(t0, t1, (span) => {
			count++;
			units += dur[span];
			matches++;
			elapsed += dur[span];
		});
		return { count, units, matches, elapsed };
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
			const lo = this.#seek(ids, t, direction > 0);
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
