// SPDX-License-Identifier: BSD-3-Clause
/**
 * Search: a regular expression over the dictionary of names, then one pass over the column of name numbers.
 * Never touches the page. What was found stays in time order, so that showing a part costs no more than that part.
 * Imported by panel/finder.js; the picture and the histogram read the matches.
 */
import { IntervalList } from '../data/intervals.js';

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

/** Adds up the durations of ids [from, to). @param {Float64Array | Uint32Array} dur @param {Uint32Array} ids @param {number} from @param {number} to */
function timeOf(dur, ids, from, to) {
	let units = 0;
	for (let i = from; i < to; i++) units += dur[ids[i]];
	return units;
}

export class Matches {
	/** @param {Trace} trace @param {Query} query @throws {SyntaxError} */
	constructor(trace, query) {
		this.trace = trace;
		this.query = query;
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
	}

	/** @param {Uint8Array} wanted @param {number} lo @param {number} hi @param {number} low units @param {number} high units */
	#scan(wanted, lo, hi, low, high) {
		const { name, dur } = this.trace;
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
			n = all ? named(name, wanted, from, to, ids, n) : lasting(name, wanted, dur, low, high, from, to, ids, n);
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

	/** How many matches touch [t0, t1], and their durations added up. @param {number} t0 @param {number} t1 */
	total(t0, t1) {
		const { dur } = this.trace;
		let count = 0;
		let units = 0;
		for (const { ids } of this.executions) {
			const from = this.#first(ids, t0);
			const to = this.#seek(ids, t1, true, from);
			count += to - from;
			units += timeOf(dur, ids, from, to);
		}
		this.others.each(t0, t1, (span) => {
			count++;
			units += dur[span];
		});
		return { count, units };
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
		const lists = [...this.executions.map((e) => e.ids), this.others.ids];
		for (const ids of lists) {
			if (!ids.length) continue;
			const lo = this.#seek(ids, t, direction > 0);
			const near = direction > 0 ? lo : lo - 1;
			const far = direction > 0 ? 0 : ids.length - 1;
			/** @param {number} a @param {number} b is a before b on the way? */
			const before = (a, b) => b < 0 || (start[a] - start[b]) * direction < 0;
			if (near >= 0 && near < ids.length && before(ids[near], best)) best = ids[near];
			if (before(ids[far], wrapped)) wrapped = ids[far];
		}
		return best >= 0 ? best : wrapped;
	}
}
