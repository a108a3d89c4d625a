// SPDX-License-Identifier: BSD-3-Clause
/**
 * Calls: what is one system call, fault, interrupt or softirq, in however many pieces it ran. Times: units of 10 ns.
 * Never asks for more than a span of it: any piece stands for its call, and a span that is not a call for itself.
 * Made by trace.js of what join.js has joined; ask/, scene/ and panel/ read it.
 */
import { Kind } from '../base/kinds.js';
import { CONTINUES, GUESSED, NO_BEGIN, NO_END, PARTIAL, PIECE, RANK_BITS } from './join.js';

/** @typedef {import('./totals.js').Whole} Joined */
/** @typedef {{start: Float64Array, dur: Float64Array | Uint32Array, name: ArrayLike<number>}} Spans */

/** Has it a beginning and an end, and pieces? @param {number} kind */
export const isCall = (kind) => kind >= Kind.SYSCALL && kind <= Kind.SCHED;

export class Calls {
	/** @param {Spans} trace @param {Joined} joined */
	constructor(trace, joined) {
		this.trace = trace;
		this.joined = joined;
		this.flags = joined.flags;
		/** How many calls have more than one piece. */
		this.count = joined.begin.length;
	}

	/** How many pieces stand before span g. @param {number} g */
	rank(g) {
		const { flags, joined } = this;
		let rank = joined.ranks[g >>> RANK_BITS];
		for (let i = (g >>> RANK_BITS) << RANK_BITS; i < g; i++) if (flags[i] & PIECE) rank++;
		return rank;
	}

	/** The joined call that span g is a piece of; -1: it is all in one. @param {number} g */
	at(g) {
		return this.flags[g] & PIECE ? this.joined.callOf[this.rank(g)] : -1;
	}

	/** First piece of a joined call. @param {number} call */
	firstOf(call) {
		return this.joined.pieces[this.joined.at[call]];
	}

	/** Does its call begin with span g? @param {number} g */
	leads(g) {
		return !(this.flags[g] & CONTINUES);
	}

	/** First piece of the call of span g. @param {number} g */
	first(g) {
		return this.leads(g) ? g : this.firstOf(this.at(g));
	}

	/** Last piece of the call of span g. @param {number} g */
	last(g) {
		const call = this.at(g);
		return call < 0 ? g : this.joined.pieces[this.joined.at[call + 1] - 1];
	}

	/** Is the end of the call of span g in the trace? @param {number} g */
	ends(g) {
		return !(this.flags[this.first(g)] & NO_END);
	}

	/** @param {number} g @returns {number} units from its beginning to its end, as far as they are in the trace */
	elapsed(g) {
		const call = this.at(g);
		return call < 0 ? this.trace.dur[g] : this.joined.elapsed[call];
	}

	/** All pieces of the call of span g, in time order. @param {number} g @returns {Uint32Array} */
	pieces(g) {
		const call = this.at(g);
		return call < 0 ? Uint32Array.of(g) : this.joined.pieces.subarray(this.joined.at[call], this.joined.at[call + 1]);
	}

	/** Its name's dictionary entry: that of the piece that is marked `?`, if one is. @param {number} g */
	name(g) {
		const call = this.at(g);
		return call < 0 ? this.trace.name[g] : this.joined.name[call];
	}

	/** Which of the pieces span g is, from 0 on. @param {Uint32Array} pieces @param {number} g */
	#place(pieces, g) {
		const { start } = this.trace;
		let lo = 0;
		for (let hi = pieces.length - 1; lo < hi;) {
			const mid = (lo + hi) >>> 1;
			if (start[pieces[mid]] < start[g]) lo = mid + 1;
			else hi = mid;
		}
		while (pieces[lo] !== g && lo + 1 < pieces.length) lo++;
		return lo;
	}

	/** Everything about the call of span g. @param {number} g */
	of(g) {
		const { start, dur } = this.trace;
		const call = this.at(g);
		const pieces = this.pieces(g);
		const state = this.flags[pieces[0]];
		return {
			first: pieces[0], pieces, begin: start[pieces[0]], elapsed: this.elapsed(g),
			/** Which of them g is, from 1 on. */
			part: 1 + this.#place(pieces, g),
			own: call < 0 ? dur[g] : this.joined.own[call],
			away: call < 0 ? 0 : this.joined.away[call],
			noBegin: (state & NO_BEGIN) !== 0, noEnd: (state & NO_END) !== 0, guessed: (state & GUESSED) !== 0,
			whole: !(state & PARTIAL),
		};
	}
}
