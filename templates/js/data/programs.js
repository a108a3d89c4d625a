// SPDX-License-Identifier: BSD-3-Clause
/**
 * The programs that ran under a number one after the other, as the filters list them: `bash+hello.8292`.
 * Never guesses: a number without such a list has had one name.
 * Imported by scene/rows.js.
 */
import * as Event from '../base/events.js';
import { programOf } from '../base/kinds.js';

/** @typedef {import('./trace.js').Trace} Trace */

/**
 * @param {Trace} trace
 * @returns {Map<number, string[]>} by pid, the first program first; only of those that had several
 */
export function programsByPid(trace) {
	/** @type {Map<number, string[]>} */
	const found = new Map();
	trace.texts.forEach((text, i) => {
		if (trace.events[i] !== Event.LEFTMARK) return;
		const [, names, number] = /^(.*\+.*)\.(\d+)$/s.exec(text) ?? [];
		if (!names) return;
		const pid = Number(number);
		// a name may have a plus of its own: the last one is known from what ran
		const last = programOf(trace.pidLabel(pid));
		if (names === last) return;
		const before = names.endsWith(`+${last}`) ? names.slice(0, -last.length - 1) : null;
		found.set(pid, before === null ? names.split('+') : [...before.split('+'), last]);
	});
	return found;
}
