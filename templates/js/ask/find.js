// SPDX-License-Identifier: BSD-3-Clause
/**
 * Looks for what matches: names in the dictionary, then one pass over the column of name numbers, or of process numbers; what
 * asks for more goes column by column. Never touches the page, and works in pieces, so that it can be given up.
 */
import { PIECE } from '../data/join.js';
import { NUMBERS } from '../data/totals.js';
import { BLOCK, all } from './combine.js';
import { byDuration, unsigned } from './fields.js';
import { inRows, testOf } from './match.js';
import { Matches, Totals } from './search.js';

/** @typedef {import('../data/trace.js').Trace} Trace */
/**
 * tree: null: anything; from, to: usec, to = Infinity without limit; rows: keys of those that count, none: all do.
 * @typedef {{tree: import('./grammar.js').Node | null, from: number, to: number, sensitive: boolean, zero: number, rows: string[]}} Query
 */

/** Spans that are looked at between two looks whether there is room for as many matches. */
const STRETCH = 1 << 16;

/**
 * What a search asks of every span: is the number that the span has in a column wanted?
 * @typedef {{keys: Uint16Array | Uint32Array, wanted: Uint8Array, every: boolean, ofPids: boolean}} Plain every: all numbers are; ofPids: they are of processes, not of names
 */

/**
 * Writes the numbers of the wanted spans of [from, to) into ids, from element n on: each is
 * written, and only what is wanted stays, so that there is nothing to be guessed wrong.
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
 * All of them. @param {number} from @param {number} to @param {Uint32Array} ids @param {number} n
 */
function everyOne(from, to, ids, n) {
	for (let g = from; g < to; g++) ids[n++] = g;
	return n;
}

/**
 * As named(), of those that last from low to high units.
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
 * As lasting(), of those whose call lasts as long.
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

/** Numbers of matches, as many as come. */
class Found {
	/** @param {number} most there can be @param {boolean} [every] there are as many */
	constructor(most, every = false) {
		this.most = most;
		this.ids = new Uint32Array(every ? most : Math.min(most, 2 * STRETCH));
		this.length = 0;
	}

	/**
	 * Makes room for so many more, and where it has to, for as many as there will be if it goes on like this.
	 * @param {number} more
	 * @param {number} done how many spans have been looked at
	 */
	room(more, done) {
		if (this.length + more <= this.ids.length || this.ids.length >= this.most) return this.ids;
		const likely = done ? (this.length / done) * this.most * 1.1 : 0;
		const ids = new Uint32Array(Math.min(this.most, Math.ceil(Math.max(2 * this.ids.length, this.length + more, likely))));
		ids.set(this.ids.subarray(0, this.length));
		return (this.ids = ids);
	}

	/** @returns {Uint32Array} what is not much too long is not copied */
	get all() {
		return this.length * 2 > this.ids.length ? this.ids.subarray(0, this.length) : this.ids.slice(0, this.length);
	}
}

/**
 * What only names, or only processes, and limits of time decide: one look at one column.
 * @param {Trace} trace
 * @param {import('../data/calls.js').Calls | null} calls
 * @param {Plain} plain
 * @param {number} low units
 * @param {number} high units
 * @param {number} lo
 * @param {number} hi
 * @returns {Generator<number, Uint32Array, void>} how many spans were looked at
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
 * Pieces follow their call.
 * @param {import('../data/calls.js').Calls} calls
 * @param {Uint8Array} out of spans [from, to): 1: wanted
 * @param {Uint8Array} ofCalls
 * @param {number} rank of the first of them
 * @param {number} from
 * @param {number} to
 * @returns {number} rank of the one behind them
 */
function wholly({ flags, joined: { callOf } }, out, ofCalls, rank, from, to) {
	for (let g = from; g < to; g++) if (flags[g] & PIECE) out[g - from] = ofCalls[callOf[rank++]];
	return rank;
}

/** As named(), of what is 1 in out. @param {Uint8Array} out @param {number} from @param {number} to @param {Uint32Array} ids @param {number} n */
function left(out, from, to, ids, n) {
	for (let g = from; g < to; g++) {
		ids[n] = g;
		n += out[g - from];
	}
	return n;
}

/**
 * What takes more columns; pieces follow their call.
 * @param {import('./combine.js').Test} test
 * @param {import('../data/calls.js').Calls | null} calls
 * @param {Uint8Array} ofCalls the joined calls that are wanted
 * @param {number} cpu
 * @param {number} lo
 * @param {number} hi
 * @returns {Generator<number, Uint32Array, void>} how many spans were looked at
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
 * The joined calls that are wanted, as a table.
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
 * Looks for them, in pieces of a fraction of a millisecond, and yields the share that is done.
 * @param {Trace} trace
 * @param {Query} query
 * @returns {Generator<number, Matches, void>}
 * @throws {import('./grammar.js').Mistake} at its first piece
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

/** What one column decides. @param {Trace} trace @param {import('./combine.js').Test | null} test null: everything is wanted @returns {Plain | null} */
function plainOf({ name, pid, texts }, test) {
	const wanted = test ? test.table : new Uint8Array(texts.length).fill(1);
	if (wanted) return { keys: name, wanted, every: !wanted.includes(0), ofPids: false };
	if (!test?.pids || !(pid instanceof Int16Array)) return null;
	return { keys: unsigned(pid), wanted: test.pids, every: false, ofPids: true };
}

/** What all that is wanted comes to. @param {import('../data/totals.js').Known} known @param {Plain} plain */
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

/** Numbers of those that are 1. @param {Uint8Array} table */
function wantedOf(table) {
	const ids = new Uint32Array(table.length);
	let n = 0;
	for (let i = 0; i < table.length; i++) if (table[i]) ids[n++] = i;
	return ids.slice(0, n);
}

/** Joined calls by name, or process, and limits of time. @param {import('../data/calls.js').Calls | null} calls @param {Plain} plain @param {number} low units @param {number} high units */
function joinedOf(calls, { keys, wanted, ofPids }, low, high) {
	if (!calls) return new Uint32Array(0);
	const { name, elapsed, at, pieces } = calls.joined;
	const ids = new Uint32Array(calls.count);
	let n = 0;
	// all pieces are of one process
	for (let call = 0; call < calls.count; call++)
		if (wanted[ofPids ? keys[pieces[at[call]]] : name[call]] && elapsed[call] >= low && elapsed[call] <= high) ids[n++] = call;
	return n * 2 > ids.length ? ids.subarray(0, n) : ids.slice(0, n);
}

/** All at once. @param {Trace} trace @param {Query} query */
export function findNow(trace, query) {
	const work = find(trace, query);
	for (let step = work.next(); ; step = work.next()) if (step.done) return step.value;
}
