// SPDX-License-Identifier: BSD-3-Clause
/**
 * Lists the programs that ran under a pid one after the other. The filters write such a list as a name: `bash+hello.8292`.
 * A pid without a list has had one name.
 */
import * as Event from '../base/events.ts';
import { programOf } from '../base/kinds.ts';
import type { Trace } from './trace.ts';

/**
 * Returns the programs of each pid.
 * @returns by pid, the first program first; only pids that ran several programs
 */
export function programsByPid(trace: Trace): Map<number, string[]> {
	const found: Map<number, string[]> = new Map();
	trace.texts.forEach((text, i) => {
		if (trace.events[i] !== Event.LEFTMARK) return;
		const [, names, number] = /^(.*\+.*)\.(\d+)$/s.exec(text) ?? [];
		if (!names) return;
		const pid = Number(number);
		// a name may contain a plus: the last name is known from the spans
		const last = programOf(trace.pidLabel(pid));
		if (names === last) return;
		const before = names.endsWith(`+${last}`) ? names.slice(0, -last.length - 1) : null;
		found.set(pid, before === null ? names.split('+') : [...before.split('+'), last]);
	});
	return found;
}
