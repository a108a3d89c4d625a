// SPDX-License-Identifier: BSD-3-Clause
/**
 * Collects everything known about a span of execution: its call and parts, its waits, the processes that it woke, and the
 * spans around it. Must not use the page. others.ts describes spans on no CPU.
 */
import { ipcText, llcText, steps } from '../base/counters.ts';
import * as format from '../base/format.ts';
import { Kind, isExecution, kindLabel, programOf } from '../base/kinds.ts';
import { isCall, type Calls } from '../data/calls.ts';
import { sameNameIn } from './samename.ts';
import { wakeOf } from './causes.ts';
import { doer, fact, found, link, ofProcess, processText, type Fact, type Part, type Section } from './fact.ts';
import { forking } from './forks.ts';
import { identityFacts } from './identity.ts';
import { aboutOthers } from './others.ts';
import { priorityAt } from './priority.ts';
import { partsOf } from './sentences.ts';
import { childrenOf, gapTo, gapsIn, parentOf, placeIn, runStart, sentFrom, threadOf, type Gap } from './thread.ts';
import { reasonFor } from './waitname.ts';
import { unwoken } from './why.ts';
import type { SpanList } from '../data/spans.ts';
import type { Trace } from '../data/trace.ts';

type Call = ReturnType<Calls['of']>;

/** Maximum number of lines in a list. A longer list of parts shows only the parts around the selected part. */
const MOST_LINES = 60;
/** Maximum number of parts whose CPUs are collected. */
const MOST_PIECES = 5000;

const { duration } = format;

function cpusOf(trace: Trace, pieces: ArrayLike<number>) {
	const cpus = new Set<number>();
	for (let i = 0; i < Math.min(pieces.length, MOST_PIECES); i++) cpus.add(trace.cpuOf(pieces[i]));
	return [...cpus].sort((a, b) => a - b).join(', ') + (pieces.length > MOST_PIECES ? ', of the first parts' : '');
}

function counters(trace: Trace, span: number, of: string): Fact[] {
	if (!trace.hasIpc) return [];
	const { ipc, llc } = steps(trace.counted, trace.ipc.at(span));
	return [...(ipc ? [fact('IPC', ipcText(ipc) + of)] : []), ...(llc ? [fact('LLC misses', llcText(llc) + of)] : [])];
}

/** Returns facts about the process of a span at a time. The first fact is the process itself. */
function processFacts(trace: Trace, pid: number, t: number): Fact[] {
	if (pid <= 0) return [fact('process', pid ? 'unknown' : '0 (idle)')];
	const label = trace.pidLabel(pid);
	const identity = identityFacts(trace, pid, t);
	const process = fact('process', `${trace.pidOf(pid)}   `, ofProcess(trace, pid));
	const program = fact('program', label.startsWith('.') ? 'unknown' : programOf(label));
	if (identity.length) return [process, program, ...identity];
	return [process, program, {
		term: 'parent', parts: ['\u2026'], later: (function* later() {
			while (trace.sorting) yield;
			const birth = (yield* forking(trace)).get(pid);
			return birth ? [`${birth.parent}   `, ofProcess(trace, birth.parent), birth.guessed ? ' (likely)' : ''] : ['its fork is not in the trace'];
		})(),
	}];
}

/** Returns the reasons why the times of a call are only lower bounds. */
const lacks = ({ noBegin, noEnd, guessed }: Call) => [...(noBegin ? ['its beginning is not in the trace'] : []),
	...(noEnd ? ['its end is not in the trace'] : []), ...(guessed ? ['its beginning or end was not recorded'] : [])];

function timesOfCall(trace: Trace, span: number, call: Call): Fact[] {
	const { pieces, part, begin, elapsed, own, away, noBegin, noEnd } = call;
	const bound = noBegin || noEnd ? '\u2265 ' : '';
	const many = pieces.length > 1;
	const facts = [
		fact('elapsed', bound + duration(elapsed)),
		fact('start', { t: begin }, noBegin ? ' or earlier' : ''),
		fact('end', { t: begin + elapsed }, noEnd ? ' or later' : ''),
		fact('on CPU', bound + duration(own), many ? `: not running ${duration(away)}, interrupted ${duration(elapsed - own - away)}` : ''),
	];
	if (lacks(call).length) facts.push(fact('incomplete', lacks(call).join(', ')));
	if (many) {
		facts.push(fact('this part', `${part} of ${format.count(pieces.length)}: ${duration(trace.dur[span])} from `, { t: trace.start[span] },
			` on CPU ${trace.cpuOf(span)}`));
	}
	return facts;
}

function timesOfSpan(trace: Trace, span: number): Fact[] {
	return [fact('elapsed', duration(trace.dur[span])), fact('start', { t: trace.start[span] }), fact('end', { t: trace.end(span) })];
}

/** Returns the facts about the argument and the result of a call. */
function values(trace: Trace, span: number): Fact[] {
	const [arg, ret] = [trace.arg.at(span), trace.ret.at(span)];
	const first = fact('arg0', `${arg}   0x${arg.toString(16)}`);
	if (trace.kind(span) === Kind.SYSCALL) return [first, fact('returned', trace.returned(span) || 'its end is not in the trace')];
	if (trace.kind(span) === Kind.KTHREAD) return [];
	return [...(arg || ret ? [first] : []), ...(ret ? [fact('value', String(ret))] : [])];
}

/** Describes a wakeup: the waker, the time, and the delay until the process ran. */
const wokenBy = (trace: Trace, wake: number, ran: number): Part[] => partsOf('factWoken', {
	waker: doer(trace, trace.pid[wake], trace.cpuOf(wake), trace.start[wake]), wakeup: link(trace, wake, 'wakeup'), at: { t: trace.start[wake] }, delay: duration(ran - trace.start[wake]),
});

/**
 * Describes a gap: the wait reasons, the waker, and the delay until the process ran.
 * @param before span of the thread before the gap
 * @param next span of the thread after the gap
 */
function gapParts(trace: Trace, { from, to, waits: spans, wake }: Gap, before: number, next: number): Part[] {
	const waits = spans.flatMap((g, i): Part[] => [...(i ? [', '] : []), link(trace, g, `${reasonFor(trace, g)} ${duration(trace.dur[g])}`)]);
	return [...partsOf('factGap', { time: duration(to - from), from: { t: from }, waits }), ' ',
		...(wake < 0 ? [unwoken(trace, trace.pid[next], from, to, trace.cpuOf(before), trace.cpuOf(next))] : wokenBy(trace, wake, to))];
}

/** Returns the facts about the run that contains a span: its beginning, and the gap or wakeup before it. */
function beforeRun(trace: Trace, list: SpanList, span: number): Fact[] {
	if (trace.pid[span] <= 0) return [];
	const begin = runStart(list, placeIn(list, span));
	if (begin < 0) return [];
	const gap = gapTo(trace, list, begin);
	const ran = list.at(begin);
	const since = fact('runs since', link(trace, ran), ' at ', { t: trace.start[ran] });
	if (gap) return [since, fact('did not run before', ...gapParts(trace, gap, list.at(begin - 1), ran))];
	const wake = wakeOf(trace, trace.pid[span], -Infinity, trace.start[ran]);
	return [since, wake < 0 ? fact('did not run before', 'not in the trace') : fact('woken', ...wokenBy(trace, wake, trace.start[ran]))];
}

function waitsInside(trace: Trace, calls: Calls, list: SpanList, span: number): Section[] {
	if (calls.pieces(span).length < 2 || trace.pid[span] <= 0) return [];
	const { gaps, all } = gapsIn(trace, calls, list, span);
	if (!gaps.length) return [];
	const total = gaps.reduce((sum, { from, to }) => sum + to - from, 0);
	const longest = [...gaps].sort((a, b) => b.to - b.from - a.to + a.from).slice(0, MOST_LINES);
	return [{
		title: `Waited inside: ${format.count(gaps.length)} time${gaps.length === 1 ? '' : 's'}, ${all ? '' : '\u2265 '}${duration(total)}`, facts: [],
		lines: gaps.filter((gap) => longest.includes(gap)).map((gap) => {
			const i = list.seek(gap.to);
			return gapParts(trace, gap, list.at(i - 1), list.at(i));
		}),
		...(gaps.length > MOST_LINES || !all ? { more: `the ${MOST_LINES} longest of ${format.count(gaps.length)}${all ? '' : ' and more'}` } : {}),
	}];
}

/** Returns the wakeups and IPIs that the parts of a call sent. */
function sent(trace: Trace, pieces: ArrayLike<number>): Section[] {
	const { spans, all } = sentFrom(trace, pieces);
	if (!spans.length) return [];
	return [{
		title: `Woke or interrupted: ${all ? '' : '\u2265 '}${format.count(spans.length)}`, facts: [],
		lines: spans.slice(0, MOST_LINES).map((g) => [
			link(trace, g, trace.kind(g) === Kind.IPI ? `IPI to CPU ${trace.arg.at(g)}` : processText(trace, trace.woken(g))), ' at ', { t: trace.start[g] },
			trace.kind(g) === Kind.IPI ? `, arrived ${duration(trace.dur[g])} later` : `, ran ${duration(trace.dur[g])} later on CPU ${trace.arg.at(g)}`,
		]),
		...(spans.length > MOST_LINES || !all ? { more: `the first ${Math.min(MOST_LINES, spans.length)}` } : {}),
	}];
}

/** Returns the calls inside a call, summed by name. */
function inside(trace: Trace, calls: Calls, list: SpanList, span: number): Section[] {
	const { spans, all } = childrenOf(trace, calls, list, span);
	if (!spans.length) return [];
	const names: Map<number, {count: number, elapsed: number, longest: number}> = new Map();
	for (const g of spans) {
		const entry = calls.name(g);
		const sum = names.get(entry) ?? { count: 0, elapsed: 0, longest: g };
		names.set(entry, sum);
		sum.count++;
		sum.elapsed += calls.elapsed(g);
		if (calls.elapsed(g) > calls.elapsed(sum.longest)) sum.longest = g;
	}
	const sums = [...names].sort((a, b) => b[1].elapsed - a[1].elapsed);
	return [{
		title: `Calls inside: ${all ? '' : '\u2265 '}${format.count(spans.length)} call${spans.length === 1 ? '' : 's'}`,
		facts: sums.map(([entry, { count, elapsed, longest }]) => fact(trace.words[entry], `${format.count(count)} in ${duration(elapsed)}, the longest `,
			link(trace, longest, duration(calls.elapsed(longest))))),
		lines: spans.slice(0, MOST_LINES).map((g) => [link(trace, g), `   ${duration(calls.elapsed(g))} at `, { t: trace.start[g] }]),
		...(spans.length > MOST_LINES || !all ? { more: `the first ${MOST_LINES}` } : {}),
	}];
}

/** Returns the surroundings of a span: the call that contains it, the spans before and after it, and other spans with its name. */
function around(trace: Trace, list: SpanList, span: number): Section {
	const { calls } = trace;
	const [first, last] = calls ? [calls.first(span), calls.last(span)] : [span, span];
	const at = (i: number): Part[] => {
		const g = i >= 0 && i < list.length ? list.at(i) : -1;
		return g < 0 || trace.pid[g] !== trace.pid[span] ? ['none'] : [link(trace, g), `   ${duration(trace.dur[g])} at `, { t: trace.start[g] }];
	};
	const facts: Fact[] = [];
	if (calls && isCall(trace.kind(span))) {
		const parent = parentOf(trace, calls, list, span);
		facts.push(parent.span < 0 ? fact('inside', 'no call') :
			fact('inside', link(trace, parent.span), parent.open ? ', whose end is not in the trace' : `   ${duration(calls.elapsed(parent.span))}`));
	}
	facts.push(fact('before it', ...at(placeIn(list, first) - 1)), fact('after it', ...at(placeIn(list, last) + 1)));
	facts.push(found(trace, 'previous of this name', sameNameIn(trace, [list], first, -1)), found(trace, 'next of this name', sameNameIn(trace, [list], first, 1)));
	if (isCall(trace.kind(span))) {
		const all = [...trace.cpus.values()];
		facts.push(found(trace, 'previous in all processes', sameNameIn(trace, all, first, -1)), found(trace, 'next in all processes', sameNameIn(trace, all, first, 1)));
	}
	return { title: 'Around it, in this thread', facts };
}

function piecesOf(trace: Trace, { pieces, part }: Call): Section[] {
	if (pieces.length < 2) return [];
	const from = Math.max(0, Math.min(pieces.length - MOST_LINES, part - 1 - MOST_LINES / 2));
	const shown = [...pieces.subarray(from, from + MOST_LINES)];
	return [{
		title: `Parts: ${format.count(pieces.length)}`, facts: [],
		lines: shown.map((g, i) => {
			const ipc = trace.hasIpc ? steps(trace.counted, trace.ipc.at(g)).ipc : null;
			return [link(trace, g, `part ${from + i + 1}`), `   ${duration(trace.dur[g])} from `, { t: trace.start[g] }, ` on CPU ${trace.cpuOf(g)}`,
				...(ipc ? [`, IPC ${ipcText(ipc)}`] : []), ...(from + i + 1 === part ? [' \u25C2 this part'] : [])];
		}),
		...(pieces.length > MOST_LINES ? { more: `${MOST_LINES} of ${format.count(pieces.length)}, around this one` } : {}),
	}];
}

export function detailsOf(trace: Trace, span: number): {title: string, sections: Section[]} {
	const kind = trace.kind(span);
	if (!isExecution(kind)) return aboutOthers(trace, span);
	const { calls } = trace;
	const call = calls && isCall(kind) ? calls.of(span) : null;
	const pieces = call ? call.pieces : [span];
	const list = threadOf(trace, span);
	const [process, ...more] = processFacts(trace, trace.pid[span], trace.end(span));
	const priority = priorityAt(trace, trace.pid[span], trace.start[span]);
	const facts: Fact[] = [
		process,
		fact('kind', kindLabel(kind)),
		...(trace.shown(span) !== trace.text(span) ? [fact('in the data', trace.text(span))] : []),
		...(call ? timesOfCall(trace, span, call) : timesOfSpan(trace, span)),
		...(!calls && isCall(kind) ? [fact('call', 'its parts are being joined')] : []),
		...values(trace, span),
		...counters(trace, span, pieces.length > 1 ? ', this part' : ''),
		fact(pieces.length > 1 ? 'CPUs' : 'CPU', cpusOf(trace, pieces)),
		...(trace.rpc && trace.rpc.at(span) > 0 ? [fact('RPC', String(trace.rpc.at(span)))] : []),
		...(priority ? [fact('priority', priority)] : []),
		...more,
	];
	if (!list) return { title: trace.label(span), sections: [{ title: '', facts: [...facts, fact('thread', 'spans are being sorted')] }] };
	facts.push(...beforeRun(trace, list, span));
	return {
		title: trace.label(span),
		sections: [
			{ title: '', facts },
			...(call && calls ? waitsInside(trace, calls, list, span) : []),
			...(kind > Kind.CEXIT ? sent(trace, pieces) : []),
			around(trace, list, span),
			...(call && calls ? [...inside(trace, calls, list, span), ...piecesOf(trace, call)] : []),
		],
	};
}
