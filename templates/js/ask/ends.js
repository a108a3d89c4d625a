// SPDX-License-Identifier: BSD-3-Clause
/**
 * Whether a process has ended: by what it was in when it was last seen, or because the trace says so.
 * Never takes a process that only did not run again for one that ended. Imported by path.js, gap.js and why.js.
 */
import { Kind } from '../base/kinds.js';
import { stoppedIn } from './waitname.js';

/** @typedef {import('../data/trace.js').Trace} Trace */
/** @typedef {import('../data/spans.js').SpanList} SpanList */

const EXITS = new Set(['exit', 'exit_group']);
const TASK_EXIT = 0x213;

/** Dictionary entries of system calls that a process does not return from. @param {Trace} trace @returns {Uint8Array} of each: 1 if it is */
export const exitsOf = (trace) => Uint8Array.from(trace.texts, (text, i) => Number(trace.kinds[i] === Kind.SYSCALL && EXITS.has(text.replace(/\?$/, ''))));

/** @type {WeakMap<Trace, Set<number>>} */
const exits = new WeakMap();
/** Processes that the trace says have ended. @param {Trace} trace */
function exited(trace) {
	let all = exits.get(trace);
	if (!all) exits.set(trace, (all = new Set(Array.from(trace.byKind[Kind.POINT].filter((g) => trace.event(g) === TASK_EXIT), (g) => trace.pid[g]))));
	return all;
}

/** Did a process end behind element i of its list? @param {Trace} trace @param {SpanList} list @param {number} i @param {Uint8Array} exit as of exitsOf() */
export function endsBehind(trace, list, i, exit) {
	/** @param {number} g */
	const inExit = (g) => g >= 0 && exit[trace.name[g]] === 1;
	if (i < 0) return false;
	if (i + 1 >= list.length) return inExit(stoppedIn(list, i)) || exited(trace).has(trace.pid[list.at(i)]);
	// its number is used again, unless it only was pushed off its CPU on its way out
	return inExit(stoppedIn(list, i)) && !inExit(list.at(i + 1)) && !trace.calls?.of(list.at(i + 1)).noBegin;
}
