// SPDX-License-Identifier: BSD-3-Clause
/** Finds the nearest span of the same name before or after a span. Considers only the first part of a call. Works in steps. */
import { seekSpan } from './wakes.ts';
import type { SpanList } from '../data/spans.ts';
import type { Trace } from '../data/trace.ts';

/** Number of elements visited between two yields. */
const SLICE = 20000;

/** Returns for each dictionary entry whether it has the same name as entry. A final `?` (inferred) does not matter. */
function sameName(trace: Trace, entry: number) {
	const plain = (text: string) => (text.endsWith('?') ? text.slice(0, -1) : text);
	const name = plain(trace.texts[entry]);
	return Uint8Array.from(trace.texts, (text, i) => Number(trace.events[i] === trace.events[entry] && plain(text) === name));
}

/** Returns the nearest span with the same name in these lists; -1: none. @param first first part of the call to start from */
export function* sameNameIn(trace: Trace, lists: Iterable<SpanList>, first: number, direction: 1 | -1): Generator<void, number> {
	const { calls, name } = trace;
	const wanted = sameName(trace, name[first]);
	const t = trace.start[first];
	let best = -1;
	let n = 0;
	for (const list of lists) {
		for (let i = direction > 0 ? list.seek(t) : list.seek(t + 0.5) - 1; i >= 0 && i < list.length; i += direction) {
			if (++n % SLICE === 0) yield;
			const g = list.at(i);
			if (best >= 0 && (list.starts[g] - list.starts[best]) * direction >= 0) break;
			if (!wanted[name[g]] || g === first || (calls && !calls.leads(g))) continue;
			// spans with equal starts are on different CPUs: the lower span number comes first
			if (list.starts[g] === t && (g - first) * direction < 0) continue;
			best = g;
			break;
		}
	}
	return best;
}

/** Returns the nearest span on no CPU with the same name, and the same process or CPU; -1: none. */
export function* sameNameOffCpu(trace: Trace, g: number, direction: 1 | -1): Generator<void, number> {
	const list = trace.byKind[trace.kind(g)];
	let lo = seekSpan(trace, list, trace.start[g]);
	while (list[lo] !== g) lo++;
	const cpu = trace.cpuOf(g);
	for (let i = lo + direction, n = 1; i >= 0 && i < list.length; i += direction, n++) {
		if (n % SLICE === 0) yield;
		const s = list[i];
		if (trace.name[s] === trace.name[g] && (trace.pid[g] > 0 ? trace.pid[s] === trace.pid[g] : trace.cpuOf(s) === cpu)) return s;
	}
	return -1;
}
