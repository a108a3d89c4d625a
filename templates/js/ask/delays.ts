// SPDX-License-Identifier: BSD-3-Clause
/**
 * Measures how long runnable processes waited for a CPU: from a wakeup until they ran, and from a preemption until they ran
 * again. Counts each delay once, and only if it begins in the range.
 */
import { BARS, barOf } from './durations.ts';
import { numbersAt, placeOf } from './quantile.ts';
import { isReady } from './waitname.ts';
import { seekSpan } from './wakes.ts';
import type { Process, Trace } from '../data/trace.ts';

/** Maximum distance of a wait from the spans around it, units of 10 ns. In traces of KUtrace 3 this distance is about 20 ns. */
const NEAR = 3;
const SLICE = 2000;

/** Delays after wakeups, or after preemptions; units of 10 ns. */
export class Delays {
	count = 0;
	units = 0;
	most = -1;
	/** Span of the longest delay: the wakeup or, after a preemption, the wait. */
	longest = -1;
	p50 = NaN;
	p99 = NaN;
	/** Number of delays of each length, see durations.ts. */
	bars: Float64Array = new Float64Array(BARS);
	values: number[] = [];

	add(units: number, span: number) {
		this.count++;
		this.units += units;
		this.values.push(units);
		this.bars[barOf(units)]++;
		if (units <= this.most) return;
		this.most = units;
		this.longest = span;
	}

	/** Computes the quantiles. Must be called when all delays have been added. */
	*quantiles() {
		if (!this.count) return;
		const values = Float64Array.from(this.values);
		this.values = [];
		[this.p50, this.p99] = yield* numbersAt(values, 0, values.length, [50, 99].map((percent) => placeOf(values.length, percent)));
	}
}

/**
 * Measures the delays of a process that begin in [t0, t1).
 * @param wakes wakeups of the process in time order
 * @param away called for each wait after a preemption
 */
export function* delaysOf(
	trace: Trace, { spans, waits }: Process, wakes: Uint32Array, t0: number, t1: number,
	into: {woken: Delays, switched: Delays}, away: (wait: number) => void,
) {
	const { start } = trace;
	const from = seekSpan(trace, wakes, t0);
	for (let i = from, near = 0; i < wakes.length && start[wakes[i]] < t1; i++) {
		const g = wakes[i];
		const ran = trace.end(g);
		near = spans.seek(ran, near);
		// a process that was still on its CPU at the wakeup waits only from the end of its run
		into.woken.add(ran - Math.max(start[g], Math.min(ran, near > 0 ? spans.end(near - 1) : -Infinity)), g);
		if (i % SLICE === 0) yield;
	}
	if (!waits) return;
	let k = Math.max(0, from - 1);
	for (let i = waits.seek(t0); i < waits.length && waits.start(i) < t1; i++) {
		if (i % SLICE === 0) yield;
		const g = waits.at(i);
		if (!isReady(trace, g)) continue;
		while (k < wakes.length && trace.end(wakes[k]) <= start[g]) k++;
		// waits after a wakeup are already counted
		if (k < wakes.length && trace.end(wakes[k]) <= trace.end(g) + NEAR) continue;
		const woken = i > 0 && start[g] - waits.end(i - 1) <= NEAR && !isReady(trace, waits.at(i - 1));
		into[woken ? 'woken' : 'switched'].add(trace.dur[g], g);
		if (!woken) away(g);
	}
}
