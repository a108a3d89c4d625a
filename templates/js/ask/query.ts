// SPDX-License-Identifier: BSD-3-Clause
/**
 * Groups the matches of a search: count, elapsed time (sum, mean, minimum, p50, p99, maximum) and time on CPU of each group.
 * A match is incomplete if the range or the trace lacks its beginning or end. Incomplete matches are counted separately, and
 * only their part in the range is summed, as in callsums.ts. Must not use the page. Works in steps.
 */
import { errnoName, signedReturn } from '../base/errno.ts';
import { EXECUTION_KINDS, Kind, WAIT_CPU, WAIT_THROTTLED, kindLabel, programOf } from '../base/kinds.ts';
import { PARTIAL } from '../data/join.ts';
import { cpuFinder, onlyProcess } from './fields.ts';
import { KIND_WORDS, exactly } from './grammar.ts';
import { numbersAt, placeOf } from './quantile.ts';
import type { Trace } from '../data/trace.ts';
import type { Matches } from './search.ts';

/** The sums of the matches with one key. Times are in units of 10 ns; NaN: no value. */
export interface Group {
	label: string[]; /* one text, or two for name and process */
	only: string; /* search fields that find only this group; '': no field can do this */
	count: number; /* number of complete matches */
	cut: number; /* number of incomplete matches */
	sum: number; /* elapsed time of all matches */
	mean: number; /* mean elapsed time of complete matches; least, p50 and p99 are also of complete matches */
	least: number;
	p50: number;
	p99: number;
	most: number; /* elapsed time of the longest complete match or, if no match is complete, of the longest incomplete match */
	own: number; /* time on CPU of all matches */
	longest: number; /* span of the longest match */
	whole: number; /* elapsed time of complete matches */
}
export type By = 'process' | 'program' | 'name' | 'call' | 'cpu' | 'kind' | 'state' | 'errno' | 'failure' | 'none';
/** of: whether calls or single spans are grouped; t0, t1: range, units of 10 ns. */
type Grouping = {by: By, of: 'calls' | 'spans', t0: number, t1: number};
export type Match = {span: number, elapsed: number, own: number, whole: boolean};

/** Maximum number of matches that are listed individually; they are the longest. */
export const MOST_MATCHES = 1000;
const SLICE = 20000;

/** Maps each kind that has a word to the first kind of that word, and the word. */
const KINDS: Map<number, {of: number, word: string}> = new Map();
for (const [word, kinds] of Object.entries(KIND_WORDS))
	if (word !== 'kernel') for (const kind of kinds) KINDS.set(kind, { of: kinds[0], word });

/** Assigns a numeric key to each match, and a name to each key. */
type Keys = {key: (span: number, name: number) => number, name: (key: number) => {label: string[], only: string}};

function byProgram(trace: Trace): Keys {
	const programs: string[] = [];
	const ofPid: Map<number, number> = new Map();
	return {
		key: (span) => {
			const pid = trace.pid[span];
			let key = ofPid.get(pid);
			if (key === undefined) {
				const program = programOf(trace.pidLabel(pid));
				key = programs.indexOf(program);
				if (key < 0) key = programs.push(program) - 1;
				ofPid.set(pid, key);
			}
			return key;
		},
		name: (key) => ({ label: [programs[key]], only: exactly('process', programs[key]).replace(/\$("?)$/, '(\\.\\d+(#\\d+)?)?$$$1') }),
	};
}

/** Label of each state of a process or CPU, and the search fields that find the state. */
const STATES = [
	{ label: 'user code', only: 'kind:user' }, { label: 'kernel', only: 'kind:syscall,fault,sched,kthread' },
	{ label: 'interrupted', only: 'kind:irq,softirq' }, { label: 'ready, no CPU', only: 'kind:wait wait:cpu' },
	{ label: 'throttled', only: 'wait:throttled' }, { label: 'waiting', only: 'kind:wait !wait:cpu,throttled' }, { label: 'idle', only: 'kind:idle' }, { label: 'no state', only: '' },
];
const [RUNS, KERNEL, INTERRUPTED, READY, THROTTLED, WAITS, IDLE, NO_STATE] = STATES.keys();
/** State of each kind. The state of a wait also depends on its reason. */
const STATE_OF: Map<number, number> = new Map([[KIND_WORDS.user, RUNS], [KIND_WORDS.kernel, KERNEL], [KIND_WORDS.irq, INTERRUPTED], [KIND_WORDS.softirq, INTERRUPTED], [KIND_WORDS.wait, WAITS], [KIND_WORDS.idle, IDLE]]
	.flatMap(([kinds, state]) => (kinds as number[]).map((kind) => [kind, state as number] as [number, number])));

function byState({ kinds, events }: Trace): Keys {
	return {
		key: (_, name) => (kinds[name] === Kind.WAIT && events[name] === WAIT_CPU ? READY : kinds[name] === Kind.WAIT && events[name] === WAIT_THROTTLED ? THROTTLED : STATE_OF.get(kinds[name]) ?? NO_STATE),
		name: (key) => ({ label: [STATES[key].label], only: STATES[key].only }),
	};
}

/** Key for no result: a span that is not a system call, or whose end is not in the trace. */
const NO_RESULT = -1;

function byErrno(trace: Trace): Keys {
	return {
		key: (span) => {
			const { calls } = trace;
			if (trace.kind(span) !== Kind.SYSCALL || (calls && !calls.ends(span))) return NO_RESULT;
			const value = signedReturn(trace.ret.at(calls ? calls.last(span) : span));
			// other negative numbers are parts of addresses
			return value < 0 && (value >= -133 || (value <= -512 && value >= -530)) ? -value : 0;
		},
		name: (key) => (key === NO_RESULT ? { label: ['no result'], only: '' } : key ? { label: [errnoName(key)], only: `errno:${errnoName(key)}` } :
			{ label: ['no error'], only: 'kind:syscall !errno:*' }),
	};
}

/** Number that is greater than every error that a call can return. */
const ERRORS = 1024;

/** Groups by name and error number. @param first for each dictionary entry, the first entry with the same words on the page */
function byFailure(trace: Trace, first: Float64Array): Keys {
	const errors = byErrno(trace);
	return {
		key: (span, name) => first[name] * ERRORS + errors.key(span, name) - NO_RESULT,
		name: (key) => {
			const word = trace.words[Math.floor(key / ERRORS)];
			const { label, only } = errors.name((key % ERRORS) + NO_RESULT);
			return { label: [word, ...label], only: `${exactly('name', word)} ${only}`.trim() };
		},
	};
}

function keysOf(trace: Trace, by: By): Keys {
	const { pid, words, texts, kinds } = trace;
	const process = (p: number) => ({ label: [p ? trace.pidLabel(p) : 'idle'], only: onlyProcess(trace, p) });
	/** the dictionary entries that the page shows with the same words are one name */
	const firsts = new Map(words.map((word, i) => [word, i] as [string, number]).reverse());
	const first = Float64Array.from(words, (word) => firsts.get(word) ?? 0);
	const cpuOf = cpuFinder(trace);
	const all: Record<By, () => Keys> = {
		process: () => ({ key: (span) => pid[span], name: process }),
		program: () => byProgram(trace),
		name: () => ({ key: (_, name) => first[name], name: (key) => ({ label: [words[key]], only: exactly('name', words[key]) }) }),
		call: () => ({
			key: (span, name) => pid[span] * texts.length + first[name],
			name: (key) => {
				const [p, name] = [Math.floor(key / texts.length), key % texts.length];
				return { label: [words[name], ...process(p).label], only: `${exactly('name', words[name])} ${onlyProcess(trace, p)}` };
			},
		}),
		cpu: () => ({
			key: (span) => (span >= trace.others.lo && span < trace.others.hi ? trace.cpuOf(span) : cpuOf(span)),
			name: (key) => ({ label: [key < 0 ? `on no ${trace.term('CPU')}` : `${trace.term('CPU')} ${key}`], only: `cpu:${key}` }),
		}),
		kind: () => ({
			key: (_, name) => KINDS.get(kinds[name])?.of ?? -1,
			name: (key) => {
				const word = KINDS.get(key)?.word ?? '';
				return { label: [KIND_WORDS[word]?.length === 1 ? kindLabel(key) : word], only: `kind:${word}` };
			},
		}),
		state: () => byState(trace),
		errno: () => byErrno(trace),
		failure: () => byFailure(trace, first),
		none: () => ({ key: () => 0, name: () => ({ label: ['all'], only: '' }) }),
	};
	return all[by]();
}

export class Grouped {
	groups: Group[] = [];
	/** The longest matches, if the query does not group matches. */
	list: Match[] = [];
	total: Group = nothing({ label: ['all'], only: '' });

	constructor(public matches: Matches, public grouping: Grouping) {}

	/** Calls visit for each match in the range or, if spans are grouped, for each matching span in the range. */
	*#each(visit: (span: number, name: number, elapsed: number, own: number, whole: boolean) => void) {
		const { matches, grouping: { of, t0, t1 } } = this;
		const { start, dur, name, spanKinds } = matches.trace;
		const { calls } = matches;
		const part = (from: number, to: number) => Math.max(0, Math.min(to, t1) - Math.max(from, t0));
		const onCpu = (g: number) => spanKinds[g] < EXECUTION_KINDS;
		const one = (g: number, partial: boolean) => {
			const end = start[g] + dur[g];
			if (end === t0 && dur[g]) return;
			const inside = start[g] >= t0 && end <= t1;
			const time = inside ? dur[g] : part(start[g], end);
			visit(g, name[g], time, onCpu(g) ? time : 0, inside && !partial);
		};
		if (of === 'spans' || !calls) {
			let n = 0;
			for (const ids of matches.lists()) {
				for (const g of ids) {
					if (start[g] >= t1) break;
					if (start[g] + dur[g] >= t0) one(g, false);
					if (++n % SLICE === 0) yield;
				}
			}
			return;
		}
		const { flags, joined } = calls;
		yield* matches.slowly(t0, t1, (g, elapsed, call) => {
			if (call < 0) {
				one(g, onCpu(g) && (flags[g] & PARTIAL) !== 0);
				return;
			}
			const end = start[g] + elapsed;
			if (end === t0) return;
			const inside = start[g] >= t0 && end <= t1;
			let own = joined.own[call];
			if (!inside) {
				own = 0;
				for (let i = joined.at[call]; i < joined.at[call + 1]; i++) own += part(start[joined.pieces[i]], start[joined.pieces[i]] + dur[joined.pieces[i]]);
			}
			visit(g, joined.name[call], inside ? elapsed : part(start[g], end), own, inside && !(flags[g] & PARTIAL));
		});
	}

	*work() {
		const { grouping: { by, t0, t1 }, matches: { trace } } = this;
		const keys = keysOf(trace, by);
		const places: Map<number, number> = new Map();
		const place = (key: number) => {
			let at = places.get(key);
			if (at === undefined) {
				places.set(key, (at = this.groups.length));
				this.groups.push(nothing(keys.name(key)));
			}
			return at;
		};
		yield* this.#each((span, name, elapsed, own, whole) => add(this.groups[place(keys.key(span, name))], span, elapsed, own, whole));
		const next = new Float64Array(this.groups.length);
		let n = 0;
		this.groups.forEach((group, i) => {
			next[i] = n;
			n += group.count;
		});
		const values = t1 - t0 < 2 ** 32 ? new Uint32Array(n) : new Float64Array(n);
		yield* this.#each((span, name, elapsed, _, whole) => {
			if (whole) values[next[place(keys.key(span, name))]++] = elapsed;
		});
		let at = 0;
		for (const group of this.groups) {
			yield* quantiles(group, values, at, at + group.count);
			at += group.count;
			join(this.total, group);
		}
		if (by === 'none') yield* this.#longest(values);
		yield* quantiles(this.total, values, 0, n);
	}

	*#longest(values: Float64Array | Uint32Array) {
		const [least] = values.length > MOST_MATCHES ? yield* numbersAt(values, 0, values.length, [values.length - MOST_MATCHES]) : [0];
		const list: Match[] = [];
		yield* this.#each((span, _, elapsed, own, whole) => {
			if (elapsed >= least && list.length < 20 * MOST_MATCHES) list.push({ span, elapsed, own, whole });
		});
		const { start } = this.matches.trace;
		this.list = list.sort((a, b) => b.elapsed - a.elapsed || start[a.span] - start[b.span]).slice(0, MOST_MATCHES);
	}
}

const nothing = (name: {label: string[], only: string}): Group => ({ ...name, count: 0, cut: 0, sum: 0, whole: 0, mean: NaN, least: NaN, p50: NaN, p99: NaN, most: NaN, own: 0, longest: -1 });

function add(group: Group, span: number, elapsed: number, own: number, whole: boolean) {
	group.sum += elapsed;
	group.own += own;
	if (whole) {
		group.whole += elapsed;
		group.count++;
		if (!(elapsed >= group.least)) group.least = elapsed;
		// prefer a complete match to an incomplete one, even if the complete match is shorter
		if (group.count === 1 || elapsed > group.most) [group.most, group.longest] = [elapsed, span];
	} else {
		group.cut++;
		if (!group.count && !(elapsed <= group.most)) [group.most, group.longest] = [elapsed, span];
	}
}

function join(total: Group, group: Group) {
	if (group.count ? !total.count || group.most > total.most : !total.count && !(group.most <= total.most)) [total.most, total.longest] = [group.most, group.longest];
	if (group.count && !(group.least >= total.least)) total.least = group.least;
	for (const what of ['count', 'cut', 'sum', 'own', 'whole'] as const) total[what] += group[what];
}

function* quantiles(group: Group, values: Float64Array | Uint32Array, from: number, to: number) {
	if (from === to) return;
	group.mean = group.whole / group.count;
	[group.p50, group.p99] = yield* numbersAt(values, from, to, [placeOf(to - from, 50), placeOf(to - from, 99)]);
}
