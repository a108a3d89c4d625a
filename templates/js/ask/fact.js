// SPDX-License-Identifier: BSD-3-Clause
/**
 * The shape of what is known about a span: sections of terms with their values, of which parts are times or lead elsewhere.
 * Never turns a time into text: whoever shows it knows how times are told.
 * Imported by ask/ and the panel.
 */
import { isOwn } from '../base/kinds.js';
import { runningOn } from './causes.js';
import { spanName } from './waitname.js';

/** @typedef {import('../data/trace.js').Trace} Trace */
/** Text, a moment (units), a span that can be gone to, or a process that can be opened. @typedef {string | {t: number} | {span: number, text: string} | {pid: number, text: string}} Part */
/** later: takes long to find out. @typedef {{term: string, parts: Part[], later?: Generator<void, Part[]>}} Fact */
/** lines: a list below the terms. @typedef {{title: string, facts: Fact[], lines?: Part[][], more?: string}} Section */

/** @param {string} term @param {...Part} parts @returns {Fact} */
export const fact = (term, ...parts) => ({ term, parts });

/** A span that can be gone to. @param {Trace} trace @param {number} span @param {string} [text] @returns {Part} */
export const link = (trace, span, text = spanName(trace, span)) => ({ span, text: text || '(no name)' });

/** A process of which everything can be shown. @param {Trace} trace @param {number} pid @returns {Part} */
export const ofProcess = (trace, pid) => (pid > 0 ? { pid, text: processText(trace, pid) } : processText(trace, pid));

/** A process as people read it. @param {Trace} trace @param {number} pid */
export const processText = (trace, pid) => (pid === 0 ? 'idle' : pid < 0 ? 'nobody' : trace.pidLabel(pid));

/**
 * Whoever does something at a time on a CPU, and in what: `worker.104 in write(1)`.
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
 * What was found behind some time, as a link.
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
