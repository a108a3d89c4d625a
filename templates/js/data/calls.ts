// SPDX-License-Identifier: BSD-3-Clause
/**
 * Finds the call that a span belongs to: a system call, fault, interrupt, softirq or scheduler call, in one or several parts.
 * The functions accept any part of a call. They treat a span that is not a call as a call of one part. Times are in units of
 * 10 ns.
 */
import { Kind } from '../base/kinds.ts';
import { bisect } from './intervals.ts';
import { CONTINUES, INFERRED, NO_BEGIN, NO_END, PARTIAL, PIECE, RANK_BITS } from './join.ts';
import type { Whole as Joined } from './totals.ts';

type Spans = {start: Float64Array, dur: Float64Array | Uint32Array, name: ArrayLike<number>};

/** Returns whether spans of this kind are calls, which can have several parts. */
export const isCall = (kind: number) => kind >= Kind.SYSCALL && kind <= Kind.SCHED;

export class Calls {
	declare trace: Spans;
	declare joined: Joined;
	declare flags: Uint8Array;
	/** Number of calls that have more than one part. */
	declare count: number;

	constructor(trace: Spans, joined: Joined) {
		this.trace = trace;
		this.joined = joined;
		this.flags = joined.flags;
		this.count = joined.begin.length;
	}

	/** Returns how many parts of joined calls are before span g. */
	rank(g: number) {
		const { flags, joined } = this;
		let rank = joined.ranks[g >>> RANK_BITS];
		for (let i = (g >>> RANK_BITS) << RANK_BITS; i < g; i++) if (flags[i] & PIECE) rank++;
		return rank;
	}

	/** Returns the joined call that span g is a part of; -1 if its call has one part. */
	at(g: number) {
		return this.flags[g] & PIECE ? this.joined.callOf[this.rank(g)] : -1;
	}

	firstOf(call: number) {
		return this.joined.pieces[this.joined.at[call]];
	}

	/** Returns whether span g is the first part of its call. */
	leads(g: number) {
		return !(this.flags[g] & CONTINUES);
	}

	/** Returns the first part of the call of span g. */
	first(g: number) {
		return this.leads(g) ? g : this.firstOf(this.at(g));
	}

	/** Returns the last part of the call of span g. */
	last(g: number) {
		const call = this.at(g);
		return call < 0 ? g : this.joined.pieces[this.joined.at[call + 1] - 1];
	}

	/** Returns whether the end of the call of span g is in the trace. */
	ends(g: number) {
		return !(this.flags[this.first(g)] & NO_END);
	}

	/** Returns the elapsed time of the call of span g, as far as it is in the trace. @returns units of 10 ns */
	elapsed(g: number): number {
		const call = this.at(g);
		return call < 0 ? this.trace.dur[g] : this.joined.elapsed[call];
	}

	/** Returns all parts of the call of span g, in time order. */
	pieces(g: number): Uint32Array {
		const call = this.at(g);
		return call < 0 ? Uint32Array.of(g) : this.joined.pieces.subarray(this.joined.at[call], this.joined.at[call + 1]);
	}

	/** Returns the dictionary entry of the call's name: the entry of the first part marked `?`, otherwise of the first part. */
	name(g: number) {
		const call = this.at(g);
		return call < 0 ? this.trace.name[g] : this.joined.name[call];
	}

	/** Returns the index of span g in pieces, the parts of its call. */
	#place(pieces: Uint32Array, g: number) {
		const { start } = this.trace;
		let at = bisect(0, pieces.length - 1, (i) => start[pieces[i]] < start[g]);
		while (pieces[at] !== g && at + 1 < pieces.length) at++;
		return at;
	}

	/** Returns all properties of the call of span g. */
	of(g: number) {
		const { start, dur } = this.trace;
		const call = this.at(g);
		const pieces = this.pieces(g);
		const state = this.flags[pieces[0]];
		return {
			first: pieces[0], pieces, begin: start[pieces[0]], elapsed: this.elapsed(g),
			/** position of g among the parts; the first part has 1 */
			part: 1 + this.#place(pieces, g),
			own: call < 0 ? dur[g] : this.joined.own[call],
			away: call < 0 ? 0 : this.joined.away[call],
			noBegin: (state & NO_BEGIN) !== 0, noEnd: (state & NO_END) !== 0, guessed: (state & INFERRED) !== 0,
			whole: !(state & PARTIAL),
		};
	}
}
