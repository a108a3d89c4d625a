// SPDX-License-Identifier: BSD-3-Clause
/**
 * Defines the form of facts about a span: sections of terms with values. Parts of a value are texts, times, or links. Must
 * not convert a time to text: the panel does that in the selected unit.
 */
import { isOwn } from '../base/kinds.js';
import { runningOn } from './causes.js';
import { spanName } from './waitname.js';

/** @typedef {import('../data/trace.js').Trace} Trace */
/**
 * A text, a time (units of 10 ns), a link to a span, or a link to a process.
 * @typedef {string | {t: number} | {span: number, text: string} | {pid: number, text: string}} Part
 */
/** later: computes the parts if that takes long. @typedef {{term: string, parts: Part[], later?: Generator<void, Part[]>}} Fact */
/** lines: a list below the facts. @typedef {{title: string, facts: Fact[], lines?: Part[][], more?: string}} Section */

/** @param {string} term @param {...Part} parts @returns {Fact} */
export const fact = (term, ...parts) => ({ term, parts });

/** Makes a link to a span. @param {Trace} trace @param {number} span @param {string} [text] @returns {Part} */
export const link = (trace, span, text = spanName(trace, span)) => ({ span, text: text || '(no name)' });

/** Makes a link to the panel of a process. @param {Trace} trace @param {number} pid @returns {Part} */
export const ofProcess = (trace, pid) => (pid > 0 ? { pid, text: processText(trace, pid) } : processText(trace, pid));

/** Returns the text for a process. @param {Trace} trace @param {number} pid */
export const processText = (trace, pid) => (pid === 0 ? 'idle' : pid < 0 ? 'nobody' : trace.pidLabel(pid));

/**
 * Returns the process that does something at a time on a CPU, and the call it is in: `worker.104 in write(1)`.
 * @param {Trace} trace
 * @param {number} pid
 * @param {number} cpu
 * @param {number} t
 * @returns {Part[]}
 */
export function doer(trace, pid, cpu, t) {
	const span = runningOn(trace, cpu, t);
	const who = processText(trace, pid);
	if (span < 0) return [`${who} on CPU ${cpu}`];
	if (isOwn(trace.kind(span))) return [link(trace, span, trace.pid[span] === pid ? who : trace.label(span)), ` on CPU ${cpu}`];
	return [`${who} in `, link(trace, span), ` on CPU ${cpu}`];
}

/**
 * Makes a fact from a search that may take long. Its value is a link to the span found.
 * @param {Trace} trace
 * @param {string} term
 * @param {Generator<void, number>} search
 * @returns {Fact}
 */
export function found(trace, term, search) {
	return {
		term, parts: ['\u2026'], later: (function* later() {
			const span = yield* search;
			if (span < 0) return ['none'];
			return [link(trace, span), ' at ', { t: trace.start[span] }];
		})(),
	};
}
