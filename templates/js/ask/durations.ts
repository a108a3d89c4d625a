// SPDX-License-Identifier: BSD-3-Clause
/**
 * Counts the matches of a search by duration: a bar for each quarter of a power of ten. A call counts from beginning to end.
 * Must not use the page or the view. Works in steps, so that frames are drawn in between.
 */
import { atOnce } from '../base/slices.ts';
import type { Matches } from './search.ts';

const PER_DECADE = 4;
export const BARS = 48;
/** Maximum number of matches of a bar that the user can step through. */
export const MOST_STEPS = 1000;

/** Returns the bar of a duration; 0 for no duration. @param units units of 10 ns */
export const barOf = (units: number) => (units < 1 ? 0 : Math.min(BARS - 1, 1 + Math.floor(Math.log10(units) * PER_DECADE + 1e-9)));
/** Returns the shortest duration of a bar, units of 10 ns. */
export const leastOf = (bar: number) => (bar <= 0 ? 0 : 10 ** ((bar - 1) / PER_DECADE));

/** Counts the matches of each bar, in steps. */
export function* counting(matches: Matches, t0: number, t1: number, counts: Float64Array) {
	yield* matches.slowly(t0, t1, (_, elapsed) => {
		counts[barOf(elapsed)]++;
	});
}

/** Returns the MOST_STEPS longest matches of a bar, longest first. span: first part of a call; time: units of 10 ns. */
export function longestOf(matches: Matches, t0: number, t1: number, bar: number): {span: number, time: number}[] {
	const { start } = matches.trace;
	const low = leastOf(bar);
	const high = leastOf(bar + 1);
	const fine = new Uint32Array(4096);
	const place = (units: number) => Math.max(0, Math.min(4095, Math.floor(((units - low) / Math.max(1, high - low)) * 4096)));
	const each = (visit: (span: number, time: number) => void) => {
		atOnce(matches.slowly(t0, t1, (span, time) => {
			if (barOf(time) === bar) visit(span, time);
		}));
	};
	each((_, time) => {
		fine[place(time)]++;
	});
	let from = 4095;
	for (let sum = fine[from]; from > 0 && sum < MOST_STEPS; from--) sum += fine[from - 1];
	const found: {span: number, time: number}[] = [];
	each((span, time) => {
		if (place(time) >= from && found.length < 200000) found.push({ span, time });
	});
	return found.sort((a, b) => b.time - a.time || start[a.span] - start[b.span]).slice(0, MOST_STEPS);
}
