// SPDX-License-Identifier: BSD-3-Clause
/**
 * Finds the spans that match a query. If only the name or only the pid matters, tests each dictionary entry or pid once, and
 * then reads one column. Other queries read several columns block by block. Must not use the page. Works in steps, so that a
 * search can be cancelled.
 */
import { PIECE } from '../data/join.ts';
import { NUMBERS, type Known } from '../data/totals.ts';
import { BLOCK, all, type Test } from './combine.ts';
import { byDuration, unsigned } from './fields.ts';
import { inRows, testOf } from './match.ts';
import { Matches, Totals } from './search.ts';
import { atOnce } from '../base/slices.ts';
import type { Calls } from '../data/calls.ts';
import type { Trace } from '../data/trace.ts';
import type { Node } from './grammar.ts';

/**
 * tree: the condition; null: everything matches. from, to: limits of elapsed time in µs; to = Infinity: no limit. sensitive,
 * zero: see Manner in match.ts. rows: keys of the rows to search; empty: all rows.
 */
type Query = {tree: Node | null, from: number, to: number, sensitive: boolean, zero: number, rows: string[]};

/** Number of spans between two checks that the result has room. */
const CHUNK = 1 << 16;

/**
 * A query that one column decides: span g matches if wanted[keys[g]] is 1. every: wanted is 1 for all keys. ofPids: true: the
 * keys are pids; false: the keys are dictionary entries.
 */
type Plain = {keys: Uint16Array | Uint32Array, wanted: Uint8Array, every: boolean, ofPids: boolean};

/**
 * Writes the matching spans of [from, to) to ids, from element n on. Stores every span but increments n only for a match,
 * because a branch would be slow. Returns one past the last match.
 */
function writeNamed(keys: Uint16Array | Uint32Array, wanted: Uint8Array, from: number, to: number, ids: Uint32Array, n: number): number {
	for (let g = from; g < to; g++) {
		ids[n] = g;
		n += wanted[keys[g]];
	}
	return n;
}

/** Writes all spans of [from, to) to ids, from element n on. */
function writeAll(from: number, to: number, ids: Uint32Array, n: number) {
	for (let g = from; g < to; g++) ids[n++] = g;
	return n;
}

/** Does the same as writeNamed(), but only for spans of low to high units of 10 ns. */
function writeByDuration(
	keys: Uint16Array | Uint32Array, wanted: Uint8Array, dur: Float64Array | Uint32Array, low: number, high: number,
	from: number, to: number, ids: Uint32Array, n: number,
) {
	for (let g = from; g < to; g++) if (wanted[keys[g]] && dur[g] >= low && dur[g] <= high) ids[n++] = g;
	return n;
}

/** Does the same as writeByDuration(), but with the elapsed time of a span's call. */
function writeByElapsed(
	keys: Uint16Array | Uint32Array, wanted: Uint8Array, dur: Float64Array | Uint32Array, calls: Calls, low: number,
	high: number, from: number, to: number, ids: Uint32Array, n: number,
) {
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
	ids: Uint32Array = new Uint32Array(this.every ? this.most : Math.min(this.most, 2 * CHUNK));
	length = 0;

	/** @param most maximum number of matches @param every true: exactly this many matches will be added */
	constructor(public most: number, public every = false) {}

	/**
	 * Makes room for more matches. An array that is too short grows to the expected number of all matches.
	 * @param more number of additional matches
	 * @param done number of spans already searched
	 */
	room(more: number, done: number) {
		if (this.length + more <= this.ids.length || this.ids.length >= this.most) return this.ids;
		const likely = done ? (this.length / done) * this.most * 1.1 : 0;
		const ids = new Uint32Array(Math.min(this.most, Math.ceil(Math.max(2 * this.ids.length, this.length + more, likely))));
		ids.set(this.ids.subarray(0, this.length));
		return (this.ids = ids);
	}

	get all(): Uint32Array {
		return shortened(this.ids, this.length);
	}
}

/** Returns the first n elements. Copies them only if the array is much too long. */
const shortened = (ids: Uint32Array, n: number) => (n * 2 > ids.length ? ids.subarray(0, n) : ids.slice(0, n));

/** Searches spans [lo, hi) by one column and by elapsed time, units of 10 ns. Yields the number of spans searched in each step. */
function* scan(
	{ dur }: Trace, calls: Calls | null, { keys, wanted, every }: Plain, low: number, high: number, lo: number,
	hi: number,
): Generator<number, Uint32Array, void> {
	const always = low <= 0 && high === Infinity;
	const found = new Found(hi - lo, always && every);
	for (let from = lo; from < hi; from += CHUNK) {
		const to = Math.min(hi, from + CHUNK);
		const ids = found.room(to - from, from - lo);
		const n = found.length;
		if (always) found.length = every ? writeAll(from, to, ids, n) : writeNamed(keys, wanted, from, to, ids, n);
		else found.length = calls ? writeByElapsed(keys, wanted, dur, calls, low, high, from, to, ids, n) : writeByDuration(keys, wanted, dur, low, high, from, to, ids, n);
		yield to - from;
	}
	return found.all;
}

/**
 * Copies the result of each joined call to its parts.
 * @param out results of the spans [from, to); 1: matches
 * @param rank number of parts before span from
 * @returns number of parts before span to
 */
function copyResults(
	{ flags, joined: { callOf } }: Calls, out: Uint8Array, ofCalls: Uint8Array, rank: number, from: number, to: number,
): number {
	for (let g = from; g < to; g++) if (flags[g] & PIECE) out[g - from] = ofCalls[callOf[rank++]];
	return rank;
}

/** Does the same as writeNamed(), for the spans whose element in out is 1. */
function writePassed(out: Uint8Array, from: number, to: number, ids: Uint32Array, n: number) {
	for (let g = from; g < to; g++) {
		ids[n] = g;
		n += out[g - from];
	}
	return n;
}

/** Searches spans [lo, hi) by a test. Parts get the result of their call from ofCalls. Yields the number of spans of each step. */
function* sift(
	test: Test, calls: Calls | null, ofCalls: Uint8Array, cpu: number, lo: number, hi: number,
): Generator<number, Uint32Array, void> {
	const found = new Found(hi - lo);
	const out = new Uint8Array(BLOCK);
	let rank = calls ? calls.rank(lo) : 0;
	for (let from = lo; from < hi; from += BLOCK) {
		const to = Math.min(hi, from + BLOCK);
		out.fill(1);
		test.spans(from, to, out, cpu);
		const ids = found.room(to - from, from - lo);
		if (calls) rank = copyResults(calls, out, ofCalls, rank, from, to);
		found.length = writePassed(out, from, to, ids, found.length);
		yield to - from;
	}
	return found.all;
}

function* siftCalls(test: Test, count: number): Generator<number, Uint8Array, void> {
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

/** Searches the trace in short steps. Yields the completed share of the search. @throws Mistake at its first step */
export function* find(trace: Trace, query: Query): Generator<number, Matches, void> {
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
	const lists: {cpu: number, ids: Uint32Array}[] = [];
	let done = 0;
	for (const { cpu, lo, hi } of trace.tracks) {
		const work = plain ? scan(trace, calls, plain, low, high, lo, hi) : sift(test!, calls, ofCalls, cpu, lo, hi);
		let step = work.next();
		for (; !step.done; step = work.next()) yield (done += step.value) / trace.length;
		lists.push({ cpu, ids: step.value });
	}
	const whole = calls && plain && low <= 0 && high === Infinity ? wholeOf(calls.joined.totals, plain) : null;
	return new Matches(trace, calls, lists, plain ? joinedOf(calls, plain, low, high) : wantedOf(ofCalls), whole);
}

/** Returns the query as a test of one column; null: the query needs several columns. @param test null: everything matches */
function plainOf({ name, pid, texts }: Trace, test: Test | null): Plain | null {
	const wanted = test ? test.table : new Uint8Array(texts.length).fill(1);
	if (wanted) return { keys: name, wanted, every: !wanted.includes(0), ofPids: false };
	if (!test?.pids || !(pid instanceof Int16Array)) return null;
	return { keys: unsigned(pid), wanted: test.pids, every: false, ofPids: true };
}

/** Returns the totals of all matches. */
function wholeOf({ names, pids, ofPids }: Known, { wanted, ofPids: byPid }: Plain) {
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

/** Returns the indices of the elements that are 1. */
function wantedOf(table: Uint8Array) {
	const ids = new Uint32Array(table.length);
	let n = 0;
	for (let i = 0; i < table.length; i++) if (table[i]) ids[n++] = i;
	return ids.slice(0, n);
}

/** Returns the joined calls that match by name or pid and by elapsed time. */
function joinedOf(calls: Calls | null, { keys, wanted, ofPids }: Plain, low: number, high: number) {
	if (!calls) return new Uint32Array(0);
	const { name, elapsed, at, pieces } = calls.joined;
	const ids = new Uint32Array(calls.count);
	let n = 0;
	// all parts of a call belong to one process
	for (let call = 0; call < calls.count; call++)
		if (wanted[ofPids ? keys[pieces[at[call]]] : name[call]] && elapsed[call] >= low && elapsed[call] <= high) ids[n++] = call;
	return shortened(ids, n);
}

/** Searches the whole trace in one step. */
export const findNow = (trace: Trace, query: Query) => atOnce(find(trace, query));
