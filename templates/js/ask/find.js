// SPDX-License-Identifier: BSD-3-Clause
/**
 * Finds the spans that match a query. If names or pids decide, it evaluates the dictionary or the pids first, and reads one
 * column. Other queries read several columns block by block. Must not use the page. Works in steps, so that a search can be
 * cancelled.
 */
import { PIECE } from '../data/join.js';
import { NUMBERS } from '../data/totals.js';
import { BLOCK, all } from './combine.js';
import { byDuration, unsigned } from './fields.js';
import { inRows, testOf } from './match.js';
import { Matches, Totals } from './search.js';

/** @typedef {import('../data/trace.js').Trace} Trace */
/**
 * tree: null: everything matches. from, to: limits of elapsed time in µs; to = Infinity: no limit. rows: keys of the rows
 * to search; empty: all rows.
 * @typedef {{tree: import('./grammar.js').Node | null, from: number, to: number, sensitive: boolean, zero: number, rows: string[]}} Query
 */

/** Spans between two checks for room in the result. */
const STRETCH = 1 << 16;

/**
 * A query that one column decides. every: all numbers match; ofPids: the column has pids, not names.
 * @typedef {{keys: Uint16Array | Uint32Array, wanted: Uint8Array, every: boolean, ofPids: boolean}} Plain
 */

/**
 * Writes the matching spans of [from, to) to ids, from element n on. Writes each span and keeps it only if it matches, so
 * that the processor has no branch to predict.
 * @param {Uint16Array | Uint32Array} keys
 * @param {Uint8Array} wanted
 * @param {number} from
 * @param {number} to
 * @param {Uint32Array} ids
 * @param {number} n
 * @returns {number} one past the last
 */
function named(keys, wanted, from, to, ids, n) {
	for (let g = from; g < to; g++) {
		ids[n] = g;
		n += wanted[keys[g]];
	}
	return n;
}

/**
 * Writes all spans of [from, to) to ids, from element n on.
 * @param {number} from
 * @param {number} to
 * @param {Uint32Array} ids
 * @param {number} n
 */
function everyOne(from, to, ids, n) {
	for (let g = from; g < to; g++) ids[n++] = g;
	return n;
}

/**
 * Does the same as named(), but only for spans of low to high units of 10 ns.
 * @param {Uint16Array | Uint32Array} keys
 * @param {Uint8Array} wanted
 * @param {Float64Array | Uint32Array} dur
 * @param {number} low
 * @param {number} high
 * @param {number} from
 * @param {number} to
 * @param {Uint32Array} ids
 * @param {number} n
 */
function lasting(keys, wanted, dur, low, high, from, to, ids, n) {
	for (let g = from; g < to; g++) if (wanted[keys[g]] && dur[g] >= low && dur[g] <= high) ids[n++] = g;
	return n;
}

/**
 * Does the same as lasting(), but with the elapsed time of a span's call.
 * @param {Uint16Array | Uint32Array} keys
 * @param {Uint8Array} wanted
 * @param {Float64Array | Uint32Array} dur
 * @param {import('../data/calls.js').Calls} calls
 * @param {number} low
 * @param {number} high
 * @param {number} from
 * @param {number} to
 * @param {Uint32Array} ids
 * @param {number} n
 */
function elapsing(keys, wanted, dur, calls, low, high, from, to, ids, n) {
	const { flags, joined: { callOf, elapsed } } = calls;
	let rank = calls.rank(from);
	for (let g = from; g < to; g++) {
		const time = flags[g] & PIECE ? elapsed[callOf[rank++]] : dur[g];
		if (wanted[keys[g]] && time >= low && time <= high) ids[n++] = g;
	}
	return n;
}

/** A growing array of matching spans. */
class Found {
	/** @param {number} most maximum number of matches @param {boolean} [every] true: this many will come */
	constructor(most, every = false) {
		this.most = most;
		this.ids = new Uint32Array(every ? most : Math.min(most, 2 * STRETCH));
		this.length = 0;
	}

	/**
	 * Makes room for more matches. If it must grow, it grows to the expected number of all matches.
	 * @param {number} more number of matches to make room for
	 * @param {number} done number of spans already searched
	 */
	room(more, done) {
		if (this.length + more <= this.ids.length || this.ids.length >= this.most) return this.ids;
		const likely = done ? (this.length / done) * this.most * 1.1 : 0;
		const ids = new Uint32Array(Math.min(this.most, Math.ceil(Math.max(2 * this.ids.length, this.length + more, likely))));
		ids.set(this.ids.subarray(0, this.length));
		return (this.ids = ids);
	}

	/** Returns the matches. Copies them only if the array is much too long. @returns {Uint32Array} */
	get all() {
		return this.length * 2 > this.ids.length ? this.ids.subarray(0, this.length) : this.ids.slice(0, this.length);
	}
}

/**
 * Searches a part of the trace by one column and by limits of elapsed time.
 * @param {Trace} trace
 * @param {import('../data/calls.js').Calls | null} calls
 * @param {Plain} plain
 * @param {number} low units of 10 ns
 * @param {number} high units of 10 ns
 * @param {number} lo
 * @param {number} hi
 * @returns {Generator<number, Uint32Array, void>} yields numbers of spans searched
 */
function* scan({ dur }, calls, { keys, wanted, every }, low, high, lo, hi) {
	const always = low <= 0 && high === Infinity;
	const found = new Found(hi - lo, always && every);
	for (let from = lo; from < hi; from += STRETCH) {
		const to = Math.min(hi, from + STRETCH);
		const ids = found.room(to - from, from - lo);
		const n = found.length;
		if (always) found.length = every ? everyOne(from, to, ids, n) : named(keys, wanted, from, to, ids, n);
		else found.length = calls ? elapsing(keys, wanted, dur, calls, low, high, from, to, ids, n) : lasting(keys, wanted, dur, low, high, from, to, ids, n);
		yield to - from;
	}
	return found.all;
}

/**
 * Gives each part of a joined call the result of its call.
 * @param {import('../data/calls.js').Calls} calls
 * @param {Uint8Array} out results of the spans [from, to); 1: matches
 * @param {Uint8Array} ofCalls results of the joined calls
 * @param {number} rank rank of the first part
 * @param {number} from
 * @param {number} to
 * @returns {number} rank of the part after the last
 */
function wholly({ flags, joined: { callOf } }, out, ofCalls, rank, from, to) {
	for (let g = from; g < to; g++) if (flags[g] & PIECE) out[g - from] = ofCalls[callOf[rank++]];
	return rank;
}

/**
 * Does the same as named(), for spans that are 1 in out.
 * @param {Uint8Array} out
 * @param {number} from
 * @param {number} to
 * @param {Uint32Array} ids
 * @param {number} n
 */
function left(out, from, to, ids, n) {
	for (let g = from; g < to; g++) {
		ids[n] = g;
		n += out[g - from];
	}
	return n;
}

/**
 * Searches a part of the trace by a test. Parts have the result of their call.
 * @param {import('./combine.js').Test} test
 * @param {import('../data/calls.js').Calls | null} calls
 * @param {Uint8Array} ofCalls results of the joined calls
 * @param {number} cpu
 * @param {number} lo
 * @param {number} hi
 * @returns {Generator<number, Uint32Array, void>} yields numbers of spans searched
 */
function* sift(test, calls, ofCalls, cpu, lo, hi) {
	const found = new Found(hi - lo);
	const out = new Uint8Array(BLOCK);
	let rank = calls ? calls.rank(lo) : 0;
	for (let from = lo; from < hi; from += BLOCK) {
		const to = Math.min(hi, from + BLOCK);
		out.fill(1);
		test.spans(from, to, out, cpu);
		const ids = found.room(to - from, from - lo);
		if (calls) rank = wholly(calls, out, ofCalls, rank, from, to);
		found.length = left(out, from, to, ids, found.length);
		yield to - from;
	}
	return found.all;
}

/**
 * Tests all joined calls.
 * @param {import('./combine.js').Test} test
 * @param {number} count
 * @returns {Generator<number, Uint8Array, void>}
 */
function* siftCalls(test, count) {
	const wanted = new Uint8Array(count);
	const out = new Uint8Array(BLOCK);
	for (let from = 0; from < count; from += BLOCK) {
		const to = Math.min(count, from + BLOCK);
		out.fill(1);
		test.calls(from, to, out, -1);
		wanted.set(out.subarray(0, to - from), from);
		yield 0;
	}
	return wanted;
}

/**
 * Searches the trace in steps of a fraction of a millisecond. Yields the share that is done.
 * @param {Trace} trace
 * @param {Query} query
 * @returns {Generator<number, Matches, void>}
 * @throws {import('./grammar.js').Mistake} at its first step
 */
export function* find(trace, query) {
	const { calls } = trace;
	const low = Math.round(query.from * 100);
	const high = query.to * 100 + 1e-6;
	const asked = query.tree ? testOf(trace, query.tree, query) : null;
	const plain = query.rows.length ? null : plainOf(trace, asked);
	const tests = [...(asked ? [asked] : []), ...(low > 0 || high < Infinity ? [byDuration(trace, [{ low, high }])] : []),
		...(query.rows.length ? [inRows(trace, query.rows)] : [])];
	const test = plain ? null : all(tests);
	const count = calls?.count ?? 0;
	const ofCalls = test ? yield* siftCalls(test, count) : new Uint8Array(0);
	/** @type {{cpu: number, ids: Uint32Array}[]} */
	const lists = [];
	let done = 0;
	for (const { cpu, lo, hi } of trace.tracks) {
		const work = plain ? scan(trace, calls, plain, low, high, lo, hi) : sift(/** @type {import('./combine.js').Test} */ (test), calls, ofCalls, cpu, lo, hi);
		for (let step = work.next(); ; step = work.next()) {
			if (step.done) {
				lists.push({ cpu, ids: step.value });
				break;
			}
			done += step.value;
			yield done / trace.length;
		}
	}
	const whole = calls && plain && low <= 0 && high === Infinity ? wholeOf(calls.joined.totals, plain) : null;
	return new Matches(trace, calls, lists, plain ? joinedOf(calls, plain, low, high) : wantedOf(ofCalls), whole);
}

/**
 * Returns the query as a test of one column, or null if it needs more.
 * @param {Trace} trace
 * @param {import('./combine.js').Test | null} test null: everything matches
 * @returns {Plain | null}
 */
function plainOf({ name, pid, texts }, test) {
	const wanted = test ? test.table : new Uint8Array(texts.length).fill(1);
	if (wanted) return { keys: name, wanted, every: !wanted.includes(0), ofPids: false };
	if (!test?.pids || !(pid instanceof Int16Array)) return null;
	return { keys: unsigned(pid), wanted: test.pids, every: false, ofPids: true };
}

/** Returns the totals of all matches. @param {import('../data/totals.js').Known} known @param {Plain} plain */
function wholeOf({ names, pids, ofPids }, { wanted, ofPids: byPid }) {
	const sums = byPid ? ofPids : names;
	const whole = new Totals();
	for (let i = 0, at = 0; at < sums.length; i++, at += NUMBERS) {
		if (!wanted[byPid ? pids[i] & 0xffff : i]) continue;
		whole.count += sums[at];
		whole.units += sums[at + 1];
		whole.matches += sums[at + 2];
		whole.elapsed += sums[at + 3];
	}
	return whole;
}

/** Returns the indices of the elements that are 1. @param {Uint8Array} table */
function wantedOf(table) {
	const ids = new Uint32Array(table.length);
	let n = 0;
	for (let i = 0; i < table.length; i++) if (table[i]) ids[n++] = i;
	return ids.slice(0, n);
}

/**
 * Returns the joined calls that match by name or pid and by elapsed time.
 * @param {import('../data/calls.js').Calls | null} calls
 * @param {Plain} plain
 * @param {number} low units of 10 ns
 * @param {number} high units of 10 ns
 */
function joinedOf(calls, { keys, wanted, ofPids }, low, high) {
	if (!calls) return new Uint32Array(0);
	const { name, elapsed, at, pieces } = calls.joined;
	const ids = new Uint32Array(calls.count);
	let n = 0;
	// all parts of a call belong to one process
	for (let call = 0; call < calls.count; call++)
		if (wanted[ofPids ? keys[pieces[at[call]]] : name[call]] && elapsed[call] >= low && elapsed[call] <= high) ids[n++] = call;
	return n * 2 > ids.length ? ids.subarray(0, n) : ids.slice(0, n);
}

/** Searches the whole trace in one step. @param {Trace} trace @param {Query} query */
export function findNow(trace, query) {
	const work = find(trace, query);
	for (let step = work.next(); ; step = work.next()) if (step.done) return step.value;
}
