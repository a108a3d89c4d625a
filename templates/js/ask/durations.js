// SPDX-License-Identifier: BSD-3-Clause
/**
 * How long the search's matches last: how many fall into each quarter of a power of ten, and the longest of one.
 * Never touches the page or the view; works in pieces, so that frames go on meanwhile.
 * Imported by panel/histogram.js.
 */

/** @typedef {import('./search.js').Matches} Matches */

const PER_DECADE = 4;
export const BARS = 48;
/** Spans of a bar that can be stepped through. */
export const MOST_STEPS = 1000;
const SLICE = 20000;

/** The bar of a duration: 0 for none at all. @param {number} units */
export const barOf = (units) => (units < 1 ? 0 : Math.min(BARS - 1, 1 + Math.floor(Math.log10(units) * PER_DECADE + 1e-9)));
/** Shortest duration of a bar, units. @param {number} bar */
export const leastOf = (bar) => (bar <= 0 ? 0 : 10 ** ((bar - 1) / PER_DECADE));

/**
 * Counts, in pieces.
 * @param {Matches} matches
 * @param {number} t0
 * @param {number} t1
 * @param {Float64Array} counts
 */
export function* counting(matches, t0, t1, counts) {
	const { start, dur } = matches.trace;
	let n = 0;
	for (const ids of matches.lists()) {
		for (const g of ids) {
			if (start[g] >= t1) break;
			if (start[g] + dur[g] >= t0) counts[barOf(dur[g])]++;
			if (++n % SLICE === 0) yield;
		}
	}
}

/**
 * The spans of a bar, longest first, no more than MOST_STEPS.
 * @param {Matches} matches
 * @param {number} t0
 * @param {number} t1
 * @param {number} bar
 */
export function longestOf(matches, t0, t1, bar) {
	const { start, dur } = matches.trace;
	const low = leastOf(bar);
	const high = leastOf(bar + 1);
	const fine = new Uint32Array(4096);
	/** @param {number} units */
	const place = (units) => Math.max(0, Math.min(4095, Math.floor(((units - low) / Math.max(1, high - low)) * 4096)));
	/** @param {(g: number) => void} visit */
	const each = (visit) => {
		for (const ids of matches.lists()) {
			for (const g of ids) {
				if (start[g] >= t1) break;
				if (start[g] + dur[g] >= t0 && barOf(dur[g]) === bar) visit(g);
			}
		}
	};
	each((g) => {
		fine[place(dur[g])]++;
	});
	let from = 4095;
	for (let sum = fine[from]; from > 0 && sum < MOST_STEPS; from--) sum += fine[from - 1];
	/** @type {number[]} */
	const spans = [];
	each((g) => {
		if (place(dur[g]) >= from && spans.length < 200000) spans.push(g);
	});
	return spans.sort((a, b) => dur[b] - dur[a] || start[a] - start[b]).slice(0, MOST_STEPS);
}
