// SPDX-License-Identifier: BSD-3-Clause
/**
 * How long processes that could run had to wait for a CPU: from being woken until they ran, and from being switched away,
 * though ready, until they ran again.
 * Never counts a delay twice, nor one that does not begin in the stretch. Imported by process.js.
 */
import { BARS, barOf } from './durations.js';
import { numbersAt, placeOf } from './quantile.js';
import { isReady } from './waitname.js';
import { seekSpan } from './wakes.js';

/** @typedef {import('../data/trace.js').Trace} Trace */
/** @typedef {import('../data/trace.js').Process} Process */

/** The original's waits begin and end some 20 ns beside the spans, units. */
const NEAR = 3;
const SLICE = 2000;

/** Delays of one sort; units of 10 ns. */
export class Delays {
	constructor() {
		this.count = 0;
		this.units = 0;
		this.most = -1;
		/** The wakeup, or the wait, of the longest. */
		this.longest = -1;
		this.p50 = NaN;
		this.p99 = NaN;
		/** How many of each length, see durations.js. */
		this.bars = new Float64Array(BARS);
		/** @type {number[]} */
		this.values = [];
	}

	/** @param {number} units @param {number} span */
	add(units, span) {
		this.count++;
		this.units += units;
		this.values.push(units);
		this.bars[barOf(units)]++;
		if (units <= this.most) return;
		this.most = units;
		this.longest = span;
	}

	/** When all have been added. */
	*quantiles() {
		if (!this.count) return;
		const values = Float64Array.from(this.values);
		this.values = [];
		[this.p50, this.p99] = yield* numbersAt(values, 0, values.length, [50, 99].map((percent) => placeOf(values.length, percent)));
	}
}

/**
 * The delays of a process that begin in a stretch.
 * @param {Trace} trace
 * @param {Process} process
 * @param {Uint32Array} wakes its wakeups, in time order
 * @param {number} t0
 * @param {number} t1 units
 * @param {{woken: Delays, switched: Delays}} into
 * @param {(wait: number) => void} away told of each that it was switched away for, though ready
 */
export function* delaysOf(trace, { spans, waits }, wakes, t0, t1, into, away) {
	const { start } = trace;
	const from = seekSpan(trace, wakes, t0);
	for (let i = from, near = 0; i < wakes.length && start[wakes[i]] < t1; i++) {
		const g = wakes[i];
		const ran = trace.end(g);
		near = spans.seek(ran, near);
		// one that had not left its CPU yet was not kept waiting until it did
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
		// those it was woken from are counted
		if (k < wakes.length && trace.end(wakes[k]) <= trace.end(g) + NEAR) continue;
		const woken = i > 0 && start[g] - waits.end(i - 1) <= NEAR && !isReady(trace, waits.at(i - 1));
		into[woken ? 'woken' : 'switched'].add(trace.dur[g], g);
		if (!woken) away(g);
	}
}
