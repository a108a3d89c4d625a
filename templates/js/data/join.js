// SPDX-License-Identifier: BSD-3-Clause
/**
 * Joins the pieces of a call: what a system call, fault, interrupt or softirq is in several spans of, because something
 * came in between. The rules are those of docs/reconstruction.md, "Calls"; postprocess/report/calls.c has the same.
 * Never changes a span. data/calls.js reads the result.
 */
import { Kind, isOwn } from '../base/kinds.js';
import { inTimeOrder } from './group.js';

/** A span's flags: the call has a piece before this one, a piece behind it. */
export const CONTINUES = 1;
export const GOES_ON = 2;
export const PIECE = CONTINUES | GOES_ON;
/** Of a call, in the flags of its first piece: its beginning, its end is not in the trace; it is marked `?`. */
export const NO_BEGIN = 4;
export const NO_END = 8;
export const GUESSED = 16;
export const PARTIAL = NO_BEGIN | NO_END | GUESSED;
/** Spans between two sums of `ranks`. */
export const RANK_BITS = 6;

/** Calls in one another that a process can be in. */
const DEPTH = 16;

/**
 * Calls of several pieces ("joined calls") are numbered by their beginning. Transferable.
 * @typedef {object} Joined
 * @property {Uint8Array} flags of each span
 * @property {Uint32Array} ranks pieces before each 64th span
 * @property {Uint32Array} callOf joined call of each piece, by the pieces' order as spans
 * @property {Uint32Array} at where each joined call's pieces are in pieces; one element more than there are calls
 * @property {Uint32Array} pieces spans, those of a call together and in time order
 * @property {Uint16Array | Uint32Array} name dictionary entry of each joined call: of its first piece; of the first marked `?`, if one is
 * @property {Float64Array} begin units of 10 ns
 * @property {Float64Array | Uint32Array} elapsed units; this and the next two in no more room than the numbers need
 * @property {Float64Array | Uint32Array} own units on a CPU, without what came in between
 * @property {Float64Array | Uint32Array} away units inside that its process ran nowhere
 *
 * What is joined.
 * @typedef {object} Source
 * @property {Float64Array} start units
 * @property {Float64Array | Uint32Array} dur units
 * @property {Uint8Array} kind
 * @property {ArrayLike<number>} name dictionary entry
 * @property {ArrayLike<number>} pid
 * @property {{cpu: number, lo: number, hi: number}[]} tracks
 * @property {number[]} events of the dictionary
 * @property {string[]} texts of the dictionary
 */

/**
 * Of each dictionary entry: the first one of the same event and, but for a `?`, the same name; does it have one?
 * @param {ArrayLike<number>} events
 * @param {string[]} texts
 */
function likeness(events, texts) {
	/** @type {Map<string, number>} */
	const first = new Map();
	const alike = new Uint32Array(texts.length);
	const guessed = new Uint8Array(texts.length);
	texts.forEach((text, i) => {
		guessed[i] = Number(text.endsWith('?'));
		const key = `${events[i]} ${guessed[i] ? text.slice(0, -1) : text}`;
		const known = first.get(key) ?? i;
		first.set(key, known);
		alike[i] = known;
	});
	return { alike, guessed };
}

/** Numbers whose count is not known before. */
class Growing {
	constructor() {
		this.values = new Float64Array(1024);
		this.length = 0;
	}

	/** @param {number} value @returns {number} its place */
	push(value) {
		if (this.length === this.values.length) {
			const more = new Float64Array(2 * this.length);
			more.set(this.values);
			this.values = more;
		}
		this.values[this.length] = value;
		return this.length++;
	}
}

/** Returns where pauses begin, each time once and in order. @param {Source} source */
function pausesOf({ start, kind, tracks }) {
	const others = tracks.find((t) => t.cpu < 0);
	/** @type {number[]} */
	const times = [];
	for (let g = others?.lo ?? 0; others && g < others.hi; g++) {
		if (kind[g] === Kind.PAUSE && times[times.length - 1] !== start[g]) times.push(start[g]);
	}
	return times;
}

/** Goes through one process's spans after the other, each in time order. */
class Joiner {
	/** @param {Source} source */
	constructor(source) {
		const { start, dur, kind, name, events, texts, tracks } = source;
		const { alike, guessed } = likeness(events, texts);
		this.alike = alike;
		this.guessed = guessed;
		this.start = start;
		this.dur = dur;
		this.kind = kind;
		this.name = name;
		this.flags = new Uint8Array(start.length);
		/** Joined call of each piece, and 1; 0: of none. */
		this.callOf = new Uint32Array(start.length);
		this.own = new Growing();
		this.away = new Growing();
		/** First spans of CPUs: none stands before them. */
		this.firsts = new Set(tracks.map((t) => t.lo));
		/** Where recording went off, in order. */
		this.pauses = pausesOf(source);
		// what the process is in: what it is like, first and last piece, joined call, time away when it began
		this.likes = new Int32Array(DEPTH);
		this.first = new Uint32Array(DEPTH);
		this.last = new Uint32Array(DEPTH);
		this.call = new Int32Array(DEPTH);
		this.since = new Float64Array(DEPTH);
		this.depth = 0;
		/** Where the process's last span ended, and of what kind that was. */
		this.end = NaN;
		this.before = -1;
		/** Is it known what it is in, from the outermost on? */
		this.known = false;
		/** Time it was away so far. */
		this.gone = 0;
	}

	/** Another process. */
	begin() {
		this.depth = 0;
		this.end = NaN;
		this.before = -1;
		this.known = false;
		this.gone = 0;
	}

	/** All that is in more than so many has ended. @param {number} depth @param {number} flag NO_END when it was not seen */
	leave(depth, flag) {
		while (this.depth > depth) this.flags[this.first[--this.depth]] |= flag;
	}

	/** It ran nowhere up to t: nothing is switched away from inside of an interrupt. @param {number} t */
	absent(t) {
		if (t > this.end) this.gone += t - this.end;
		for (let i = 0; i < this.depth; i++) {
			const kind = this.kind[this.first[i]];
			if (kind !== Kind.SYSCALL && kind !== Kind.TRAP) {
				this.leave(i, 0);
				break;
			}
		}
	}

	/** A call begins with span g: is that in the trace? @param {number} g @param {boolean} touches */
	begins(g, touches) {
		const { kind, start, dur } = this;
		if (kind[g] === Kind.SYSCALL) return touches && (isOwn(this.before) || this.before === Kind.SYSCALL);
		if (kind[g] === Kind.TRAP) return touches && this.known;
		return g > 0 && start[g] === start[g - 1] + dur[g - 1] && !this.firsts.has(g);
	}

	/** @param {number} g @param {boolean} touches */
	enter(g, touches) {
		if (this.depth === DEPTH) this.leave(DEPTH - 1, 0);
		const entry = this.name[g];
		const i = this.depth++;
		this.likes[i] = this.alike[entry];
		this.first[i] = this.last[i] = g;
		this.call[i] = -1;
		this.since[i] = this.gone;
		this.flags[g] |= (this.begins(g, touches) ? 0 : NO_BEGIN) | (this.guessed[entry] ? GUESSED : 0);
	}

	/** The innermost goes on with span g. @param {number} g */
	goOn(g) {
		const i = this.depth - 1;
		const first = this.first[i];
		if (this.call[i] < 0) {
			this.call[i] = this.own.push(this.dur[first]);
			this.away.push(0);
			this.callOf[first] = this.call[i] + 1;
		}
		const call = this.call[i];
		this.own.values[call] += this.dur[g];
		this.away.values[call] = this.gone - this.since[i];
		this.callOf[g] = call + 1;
		this.flags[this.last[i]] |= GOES_ON;
		this.flags[g] |= CONTINUES;
		if (this.guessed[this.name[g]]) this.flags[first] |= GUESSED;
		this.last[i] = g;
	}

	/** Was recording off between the process's last span and t? @param {number} t */
	paused(t) {
		let lo = 0;
		for (let hi = this.pauses.length; lo < hi;) {
			const middle = (lo + hi) >> 1;
			if (this.pauses[middle] < this.end) lo = middle + 1;
			else hi = middle;
		}
		return lo < this.pauses.length && this.pauses[lo] < t;
	}

	/** The process's next span. @param {number} g */
	span(g) {
		const t = this.start[g];
		const kind = this.kind[g];
		if (this.pauses.length && t > this.end && this.paused(t)) {
			this.leave(0, NO_END);
			this.begin();
		}
		const touches = t === this.end;
		if (!touches && this.depth) this.absent(t);
		const unseen = touches ? 0 : NO_END;
		if (kind <= Kind.USER || kind === Kind.KTHREAD) {
			this.leave(0, unseen);
			this.known = true;
		} else {
			const like = this.alike[this.name[g]];
			let at = this.depth;
			while (at > 0 && this.likes[at - 1] !== like) at--;
			const again = at > 0 && at === this.depth && touches;
			if (again) this.leave(at - 1, 0);
			else if (at > 0 || kind === Kind.SYSCALL) this.leave(at, unseen);
			if (at > 0 && !again) this.goOn(g);
			else this.enter(g, touches);
			if (kind === Kind.SYSCALL) this.known = true;
		}
		this.before = kind;
		this.end = t + this.dur[g];
	}
}

/** First pieces of joined calls in time order. @param {Joiner} joiner @param {Source['tracks']} tracks @returns {Uint32Array} */
function firstPieces({ flags, start }, tracks) {
	/** @type {number[]} */
	const firsts = [];
	const parts = tracks.filter((t) => t.cpu >= 0).map(({ cpu, lo, hi }) => {
		const from = firsts.length;
		for (let g = lo; g < hi; g++) if ((flags[g] & PIECE) === GOES_ON) firsts.push(g);
		return { cpu, lo: from, hi: firsts.length };
	});
	const next = inTimeOrder(Float64Array.from(firsts, (g) => start[g]), parts);
	return Uint32Array.from(firsts, (_, i) => firsts[next(i)]);
}

/**
 * The piece that a call is called by.
 * @param {Joiner} joiner
 * @param {Uint32Array} pieces
 * @param {number} from its first one's place
 * @param {number} to
 */
function marked({ flags, name, guessed }, pieces, from, to) {
	if (flags[pieces[from]] & GUESSED) for (let i = from; i < to; i++) if (guessed[name[pieces[i]]]) return pieces[i];
	return pieces[from];
}

/** Whole numbers of 32 bits, if all are so short: 43 s. @param {Float64Array} values */
const narrowed = (values) => (values.every((value) => value < 2 ** 32) ? Uint32Array.from(values) : values);

/** @param {Joiner} joiner @param {Source['tracks']} tracks @returns {Joined} */
function arranged(joiner, tracks) {
	const { flags, start, dur } = joiner;
	const n = start.length;
	const firsts = firstPieces(joiner, tracks);
	const count = firsts.length;
	const number = new Uint32Array(count);
	const own = new Float64Array(count);
	const away = new Float64Array(count);
	const begin = new Float64Array(count);
	firsts.forEach((g, i) => {
		const old = joiner.callOf[g] - 1;
		number[old] = i;
		own[i] = joiner.own.values[old];
		away[i] = joiner.away.values[old];
		begin[i] = start[g];
	});
	const ranks = new Uint32Array((n >>> RANK_BITS) + 1);
	let total = 0;
	for (let g = 0; g < n; g++) {
		if (!(g & ((1 << RANK_BITS) - 1))) ranks[g >>> RANK_BITS] = total;
		if (flags[g] & PIECE) total++;
	}
	const callOf = new Uint32Array(total);
	const at = new Uint32Array(count + 1);
	for (let g = 0, rank = 0; g < n; g++) {
		if (!(flags[g] & PIECE)) continue;
		const call = number[joiner.callOf[g] - 1];
		callOf[rank++] = call;
		at[call + 1]++;
	}
	for (let i = 0; i < count; i++) at[i + 1] += at[i];
	const next = at.slice(0, count);
	const pieces = new Uint32Array(total);
	for (let g = 0, rank = 0; g < n; g++) {
		if (!(flags[g] & PIECE)) continue;
		const call = callOf[rank++];
		// from CPU to CPU: an earlier piece may have a higher number
		let to = next[call]++;
		for (; to > at[call] && start[pieces[to - 1]] > start[g]; to--) pieces[to] = pieces[to - 1];
		pieces[to] = g;
	}
	const elapsed = Float64Array.from(begin, (t, i) => start[pieces[at[i + 1] - 1]] + dur[pieces[at[i + 1] - 1]] - t);
	const name = new (joiner.alike.length > 0x10000 ? Uint32Array : Uint16Array)(count);
	for (let i = 0; i < count; i++) name[i] = joiner.name[marked(joiner, pieces, at[i], at[i + 1])];
	return { flags, ranks, callOf, at, pieces, name, begin, elapsed: narrowed(elapsed), own: narrowed(own), away: narrowed(away) };
}

/**
 * @param {Source} source its CPUs' spans in time order
 * @param {Map<number, {index: Uint32Array, lo: number, hi: number}>} processes execution by pid, as processGroups() has it
 * @returns {Joined}
 */
export function join(source, processes) {
	const joiner = new Joiner(source);
	for (const { index, lo, hi } of processes.values()) {
		joiner.begin();
		for (let i = lo; i < hi; i++) joiner.span(index[i]);
		joiner.leave(0, NO_END);
	}
	// every CPU has an idle process of its own
	for (const { cpu, lo, hi } of source.tracks) {
		if (cpu < 0) continue;
		joiner.begin();
		for (let g = lo; g < hi; g++) if (source.pid[g] === 0) joiner.span(g);
		joiner.leave(0, NO_END);
	}
	return arranged(joiner, source.tracks);
}
