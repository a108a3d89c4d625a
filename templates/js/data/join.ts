// SPDX-License-Identifier: BSD-3-Clause
/**
 * Joins the parts of a call. Interrupts and waits can divide a system call, fault, interrupt or softirq into several spans.
 * The rules are in docs/design/reconstruction.md, "Calls". postprocess/report/calls.c has the same rules. Must not change a
 * span.
 */
import { Kind, isOwn } from '../base/kinds.ts';
import { inTimeOrder, type Group } from './group.ts';
import { bisect } from './intervals.ts';

/** Flags of a span: its call has a part before this span, or a part after it. */
export const CONTINUES = 1;
const GOES_ON = 2;
export const PIECE = CONTINUES | GOES_ON;
/** Flags of a call, in the flags of its first part: its beginning or end is not in the trace, or a part is marked `?`. */
export const NO_BEGIN = 4;
export const NO_END = 8;
export const INFERRED = 16;
export const PARTIAL = NO_BEGIN | NO_END | INFERRED;
/** ranks has one element for each 2^RANK_BITS spans. */
export const RANK_BITS = 6;

/** Maximum nesting of a process's calls. */
const DEPTH = 16;

/** Calls of several parts ("joined calls"), numbered in order of their beginnings. They can be transferred from a worker. */
export interface Joined {
	flags: Uint8Array; /* flags of each span */
	ranks: Uint32Array; /* number of parts before each 64th span */
	callOf: Uint32Array; /* joined call of each part; the parts are in the order of their spans */
	at: Uint32Array; /* for each joined call, the position of its first part in pieces; a last element has the length of pieces */
	pieces: Uint32Array; /* parts of all calls; the parts of a call are together and in time order */
	name: Uint16Array | Uint32Array; /* dictionary entry of each joined call: the entry of the first part marked `?` if there is one, otherwise of the first part */
	begin: Float64Array; /* units of 10 ns */
	elapsed: Float64Array | Uint32Array; /* units of 10 ns; elapsed, own and away have the narrowest type that fits */
	own: Float64Array | Uint32Array; /* time on a CPU, without interruptions and waits, units of 10 ns */
	away: Float64Array | Uint32Array; /* time inside the call in which its process did not run, units of 10 ns */
}

/** Input of join(). */
export interface Source {
	start: Float64Array; /* units of 10 ns */
	dur: Float64Array | Uint32Array; /* units of 10 ns */
	kind: Uint8Array;
	name: ArrayLike<number>; /* dictionary entry of each span */
	pid: ArrayLike<number>;
	tracks: {cpu: number, lo: number, hi: number}[];
	events: number[]; /* event numbers of the dictionary */
	texts: string[]; /* texts of the dictionary */
}

/** Returns for each dictionary entry the first entry with equal event and name (without `?`), and whether it has a `?`. */
function likeness(events: ArrayLike<number>, texts: string[]) {
	const first: Map<string, number> = new Map();
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

class Growing {
	values = new Float64Array(1024);
	length = 0;

	push(value: number): number {
		if (this.length === this.values.length) {
			const more = new Float64Array(2 * this.length);
			more.set(this.values);
			this.values = more;
		}
		this.values[this.length] = value;
		return this.length++;
	}
}

/** Returns the times at which pauses begin, in order and without duplicates. */
function pausesOf({ start, kind, tracks }: Source) {
	const others = tracks.find((t) => t.cpu < 0);
	const times: number[] = [];
	for (let g = others?.lo ?? 0; others && g < others.hi; g++) {
		if (kind[g] === Kind.PAUSE && times[times.length - 1] !== start[g]) times.push(start[g]);
	}
	return times;
}

/**
 * Returns the times in which CPUs did not run: the end of each by its start. A process whose span ends at the start, and whose
 * next span begins at the end, had such a CPU.
 */
function stopsOf({ start, dur, kind, tracks }: Source): Map<number, number> {
	const others = tracks.find((t) => t.cpu < 0);
	const ends: Map<number, number> = new Map();
	for (let g = others?.lo ?? 0; others && g < others.hi; g++) {
		if (kind[g] === Kind.STOPPED || kind[g] === Kind.STOLEN) ends.set(start[g], start[g] + dur[g]);
	}
	return ends;
}

/** Joins the spans of the processes, one process after another. The spans of a process must be in time order. */
class Joiner {
	declare alike: Uint32Array;
	declare guessed: Uint8Array;
	declare start: Float64Array;
	declare dur: Float64Array | Uint32Array;
	declare kind: Uint8Array;
	declare name: ArrayLike<number>;
	declare flags: Uint8Array;
	/** For each span, the number of its joined call plus 1; 0: not a part. */
	declare callOf: Uint32Array;
	own = new Growing();
	away = new Growing();
	/** First span of each CPU. No span of the same CPU precedes it. */
	declare firsts: Set<number>;
	declare pauses: number[];
	declare stops: Map<number, number>;
	/**
	 * Stack of the calls that contain the current span of the process: dictionary entry, first and last part, joined call,
	 * and value of `gone` when the call began.
	 */
	likes = new Int32Array(DEPTH);
	first = new Uint32Array(DEPTH);
	last = new Uint32Array(DEPTH);
	call = new Int32Array(DEPTH);
	since = new Float64Array(DEPTH);
	depth = 0;
	/** End and kind of the process's last span. */
	end = NaN;
	before = -1;
	/** True if the stack has all calls that the process is in, from the outermost on. */
	known = false;
	/** Time in which the process did not run, up to the current span. */
	gone = 0;

	constructor(source: Source) {
		const { start, dur, kind, name, events, texts, tracks } = source;
		const { alike, guessed } = likeness(events, texts);
		this.alike = alike;
		this.guessed = guessed;
		this.start = start;
		this.dur = dur;
		this.kind = kind;
		this.name = name;
		this.flags = new Uint8Array(start.length);
		this.callOf = new Uint32Array(start.length);
		this.firsts = new Set(tracks.map((t) => t.lo));
		this.pauses = pausesOf(source);
		this.stops = stopsOf(source);
	}

	begin() {
		this.depth = 0;
		this.end = NaN;
		this.before = -1;
		this.known = false;
		this.gone = 0;
	}

	/** Ends the calls above this depth. @param flag NO_END if their ends are not recorded, otherwise 0 */
	leave(depth: number, flag: number) {
		while (this.depth > depth) this.flags[this.first[--this.depth]] |= flag;
	}

	/** Adds the time up to t in which the process did not run. Ends its interrupts and softirqs: they contain no context switch. */
	absent(t: number) {
		if (t > this.end) this.gone += t - this.end;
		for (let i = 0; i < this.depth; i++) {
			const kind = this.kind[this.first[i]];
			if (kind !== Kind.SYSCALL && kind !== Kind.TRAP) {
				this.leave(i, 0);
				break;
			}
		}
	}

	/** Returns whether the beginning of span g's call is in the trace. @param touches g begins where the last span ended */
	begins(g: number, touches: boolean) {
		const { kind, start, dur } = this;
		if (kind[g] === Kind.SYSCALL) return touches && (isOwn(this.before) || this.before === Kind.SYSCALL);
		if (kind[g] === Kind.TRAP) return touches && this.known;
		if (g === 0 || this.firsts.has(g)) return false;
		const end = start[g - 1] + dur[g - 1];
		return start[g] === end || this.stops.get(end) === start[g];
	}

	/** Pushes a call that begins with span g to the stack. */
	enter(g: number, touches: boolean) {
		if (this.depth === DEPTH) this.leave(DEPTH - 1, 0);
		const entry = this.name[g];
		const i = this.depth++;
		this.likes[i] = this.alike[entry];
		this.first[i] = this.last[i] = g;
		this.call[i] = -1;
		this.since[i] = this.gone;
		this.flags[g] |= (this.begins(g, touches) ? 0 : NO_BEGIN) | (this.guessed[entry] ? INFERRED : 0);
	}

	/** Continues the innermost call with span g. */
	goOn(g: number) {
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
		if (this.guessed[this.name[g]]) this.flags[first] |= INFERRED;
		this.last[i] = g;
	}

	/** Returns whether recording was off between the process's last span and t. */
	paused(t: number) {
		const { pauses, end } = this;
		const next = bisect(0, pauses.length, (i) => pauses[i] < end);
		return next < pauses.length && pauses[next] < t;
	}

	span(g: number) {
		const t = this.start[g];
		const kind = this.kind[g];
		if (this.pauses.length && t > this.end && this.paused(t)) {
			this.leave(0, NO_END);
			this.begin();
		}
		// the CPU did not run: the calls continue, and the time counts as away
		const held = this.stops.size > 0 && this.stops.get(this.end) === t;
		const touches = held || t === this.end;
		if (held) this.gone += t - this.end;
		if (!touches && this.depth) this.absent(t);
		const unseen = touches ? 0 : NO_END;
		if (kind <= Kind.USER || kind === Kind.KTHREAD) {
			this.leave(0, unseen);
			this.known = true;
		} else {
			const like = this.alike[this.name[g]];
			let at = this.depth;
			while (at > 0 && this.likes[at - 1] !== like) at--;
			const again = at > 0 && at === this.depth && touches && !held;
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

/** Returns the first parts of joined calls in time order. */
function firstPieces({ flags, start }: Joiner, tracks: Source['tracks']): Uint32Array {
	const firsts: number[] = [];
	const parts = tracks.filter((t) => t.cpu >= 0).map(({ cpu, lo, hi }) => {
		const from = firsts.length;
		for (let g = lo; g < hi; g++) if ((flags[g] & PIECE) === GOES_ON) firsts.push(g);
		return { cpu, lo: from, hi: firsts.length };
	});
	const next = inTimeOrder(Float64Array.from(firsts, (g) => start[g]), parts);
	return Uint32Array.from(firsts, (_, i) => firsts[next(i)]);
}

/** Returns the part that gives a call its name. The parts of the call are pieces[from] to pieces[to - 1]. */
function namingPart({ flags, name, guessed }: Joiner, pieces: Uint32Array, from: number, to: number) {
	if (flags[pieces[from]] & INFERRED) for (let i = from; i < to; i++) if (guessed[name[pieces[i]]]) return pieces[i];
	return pieces[from];
}

/** Returns the numbers as 32-bit numbers if all of them fit. Times shorter than 43 s fit. */
const narrowed = (values: Float64Array) => (values.every((value) => value < 2 ** 32) ? Uint32Array.from(values) : values);

/** Numbers the calls in order of time, and makes the arrays of the result. */
function arranged(joiner: Joiner, tracks: Source['tracks']): Joined {
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
		// spans come CPU by CPU, so an earlier part may have a higher number
		let to = next[call]++;
		for (; to > at[call] && start[pieces[to - 1]] > start[g]; to--) pieces[to] = pieces[to - 1];
		pieces[to] = g;
	}
	const elapsed = Float64Array.from(begin, (t, i) => start[pieces[at[i + 1] - 1]] + dur[pieces[at[i + 1] - 1]] - t);
	const name = new (joiner.alike.length > 0x10000 ? Uint32Array : Uint16Array)(count);
	for (let i = 0; i < count; i++) name[i] = joiner.name[namingPart(joiner, pieces, at[i], at[i + 1])];
	return { flags, ranks, callOf, at, pieces, name, begin, elapsed: narrowed(elapsed), own: narrowed(own), away: narrowed(away) };
}

/** Joins the calls of all processes. @param source spans; each CPU's spans are in time order */
export function join(source: Source, processes: Map<number, Group>): Joined {
	const joiner = new Joiner(source);
	for (const { index, lo, hi } of processes.values()) {
		joiner.begin();
		for (let i = lo; i < hi; i++) joiner.span(index[i]);
		joiner.leave(0, NO_END);
	}
	// each CPU has its own idle process
	for (const { cpu, lo, hi } of source.tracks) {
		if (cpu < 0) continue;
		joiner.begin();
		for (let g = lo; g < hi; g++) if (source.pid[g] === 0) joiner.span(g);
		joiner.leave(0, NO_END);
	}
	return arranged(joiner, source.tracks);
}
