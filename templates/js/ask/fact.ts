// SPDX-License-Identifier: BSD-3-Clause
/** Defines the form of facts about a span. Must not convert a time to text: the panel does that in the selected unit. */
import { isOwn } from '../base/kinds.ts';
import { runningOn } from './causes.ts';
import { partsOf } from './sentences.ts';
import { spanName } from './waitname.ts';
import type { Trace } from '../data/trace.ts';

/** A text, a time (units of 10 ns), a link to a span, or a link to a process. */
export type Part = string | {t: number} | {span: number, text: string} | {pid: number, text: string};
/** later: generator that computes the parts, set only if this takes long. */
export type Fact = {term: string, parts: Part[], later?: Generator<void, Part[]>};
/** lines: a list below the facts. */
export type Section = {title: string, facts: Fact[], lines?: Part[][], more?: string};

export const fact = (term: string, ...parts: Part[]): Fact => ({ term, parts });

export const link = (trace: Trace, span: number, text: string = spanName(trace, span)): Part => ({ span, text: text || '(no name)' });

/** Makes a link to the panel of a process. */
export const ofProcess = (trace: Trace, pid: number): Part => (pid > 0 ? { pid, text: processText(trace, pid) } : processText(trace, pid));

export const processText = (trace: Trace, pid: number) => (pid === 0 ? 'idle' : pid < 0 ? 'an unknown process' : trace.pidLabel(pid));

/** Returns a process that acts on a CPU at a time, and the call that it is in: `worker.104 in write(1)`. */
export function doer(trace: Trace, pid: number, cpu: number, t: number): Part[] {
	const span = runningOn(trace, cpu, t);
	const process = processText(trace, pid);
	if (span < 0) return partsOf('factDoerOn', { process, cpu });
	if (isOwn(trace.kind(span))) return partsOf('factDoerOn', { process: link(trace, span, trace.pid[span] === pid ? process : trace.label(span)), cpu });
	return partsOf('factDoer', { process, call: link(trace, span), cpu });
}

/** Makes a fact from a search that may take long. Its value is a link to the span found. */
export function found(trace: Trace, term: string, search: Generator<void, number>): Fact {
	return {
		term, parts: ['\u2026'], later: (function* later() {
			const span = yield* search;
			if (span < 0) return ['none'];
			return [link(trace, span), ' at ', { t: trace.start[span] }];
		})(),
	};
}
