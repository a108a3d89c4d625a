// SPDX-License-Identifier: BSD-3-Clause
/**
 * Counts the matches of a search by duration: a bar for each quarter of a power of ten, and the longest matches of a bar. A
 * call counts from beginning to end. Must not use the page or the view. Works in steps, so that frames are drawn in
 * between.
 */

/** @typedef {import('./search.js').Matches} Matches */

const PER_DECADE = 4;
export const BARS = 48;
/** Maximum number of matches of a bar that the user can step through. */
export const MOST_STEPS = 1000;

/** Returns the bar of a duration; 0 for no duration. @param {number} units units of 10 ns */
export const barOf = (units) => (units < 1 ? 0 : Math.min(BARS - 1, 1 + Math.floor(Math.log10(units) * PER_DECADE + 1e-9)));
/** Returns the shortest duration of a bar, units of 10 ns. @param {number} bar */
export const leastOf = (bar) => (bar <= 0 ? 0 : 10 ** ((bar - 1) / PER_DECADE));

/**
 * Counts the matches of each bar, in steps.
 * @param {Matches} matches
 * @param {number} t0
 * @param {number} t1
 * @param {Float64Array} counts
 */
export function* counting(matches, t0, t1, counts) {
	yield* matches.slowly(t0, t1, (_, elapsed) => {
		counts[barOf(elapsed)]++;
	});
}

/**
 * Returns the matches of a bar, longest first, at most MOST_STEPS. A call is represented by its first part.
 * @param {Matches} matches
 * @param {number} t0
 * @param {number} t1
 * @param {number} bar
 * @returns {{span: number, time: number}[]} time: units of 10 ns
 */
export function longestOf(matches, t0, t1, bar) {
	const { start } = matches.trace;
	const low = leastOf(bar);
	const high = leastOf(bar + 1);
	const fine = new Uint32Array(4096);
	/** @param {number} units */
	const place = (units) => Math.max(0, Math.min(4095, Math.floor(((units - low) / Math.max(1, high - low)) * 4096)));
	/** @param {(span: number, time: number) => void} visit */
	const each = (visit) => {
		const work = matches.slowly(t0, t1, (span, time) => {
			if (barOf(time) === bar) visit(span, time);
		});
		while (!work.next().done);
	};
	each((_, time) => {
		fine[place(time)]++;
	});
	let from = 4095;
	for (let sum = fine[from]; from > 0 && sum < MOST_STEPS; from--) sum += fine[from - 1];
	/** @type {{span: number, time: number}[]} */
	const found = [];
	each((span, time) => {
		if (place(time) >= from && found.length < 200000) found.push({ span, time });
	});
	return found.sort((a, b) => b.time - a.time || start[a.span] - start[b.span]).slice(0, MOST_STEPS);
}
