// SPDX-License-Identifier: BSD-3-Clause
/**
 * The numbers that stand at places when numbers are ordered, without ordering them.
 * Never changes them; works in pieces, so that frames go on meanwhile. Imported by callsums.js, delays.js and query.js.
 */

const BINS = 1024;
/** Numbers between two pauses. */
const SLICE = 50000;
/** So few are ordered. */
const FEW = 256;

/** Place of a quantile, nearest rank, from 0 on. @param {number} count @param {number} percent */
export const placeOf = (count, percent) => Math.max(0, Math.ceil((count * percent) / 100) - 1);

/**
 * @param {Float64Array | Uint32Array} values whole numbers
 * @param {number} from
 * @param {number} to one past the last; at least one more than from
 * @param {number[]} places from 0 on
 * @returns {Generator<void, number[], void>} the numbers at these places
 */
export function* numbersAt(values, from, to, places) {
	if (to - from <= FEW) {
		const sorted = values.slice(from, to).sort();
		return places.map((place) => sorted[place]);
	}
	const range = { low: Infinity, high: -Infinity };
	for (let i = from; i < to; i += SLICE) {
		widen(values, i, Math.min(to, i + SLICE), range);
		yield;
	}
	const { low, high } = range;
	const bins = new Uint32Array(BINS);
	// all places are looked for in the same bins at first
	yield* count(values, from, to, low, high, bins);
	const numbers = [];
	for (const place of places) numbers.push(yield* narrowed(values, from, to, place, low, high, bins.slice()));
	return numbers;
}

/** How many there are in each part of a range. @param {Float64Array | Uint32Array} values @param {number} from @param {number} to @param {number} low @param {number} high @param {Uint32Array} bins */
function* count(values, from, to, low, high, bins) {
	const width = widthOf(low, high);
	bins.fill(0);
	for (let i = from; i < to; i += SLICE) {
		const end = Math.min(to, i + SLICE);
		if (values instanceof Uint32Array) countNarrow(values, i, end, low, high, Math.log2(width), bins);
		else countWide(values, i, end, low, high, width, bins);
		yield;
	}
}

/** How long the parts of a range are: a power of two, so that numbers of 32 bits need no division. @param {number} low @param {number} high */
function widthOf(low, high) {
	let width = 1;
	while (width * BINS < high - low + 1) width *= 2;
	return width;
}

/** @param {Uint32Array} values @param {number} from @param {number} to @param {number} low @param {number} high @param {number} bits of the width @param {Uint32Array} bins */
function countNarrow(values, from, to, low, high, bits, bins) {
	for (let i = from; i < to; i++) {
		const v = values[i];
		if (v >= low && v <= high) bins[(v - low) >>> bits]++;
	}
}

/** @param {Float64Array} values @param {number} from @param {number} to @param {number} low @param {number} high @param {number} width @param {Uint32Array} bins */
function countWide(values, from, to, low, high, width, bins) {
	for (let i = from; i < to; i++) {
		const v = values[i];
		if (v >= low && v <= high) bins[Math.floor((v - low) / width)]++;
	}
}

/** Least and greatest. @param {Float64Array | Uint32Array} values @param {number} from @param {number} to @param {{low: number, high: number}} range */
function widen(values, from, to, range) {
	let { low, high } = range;
	for (let i = from; i < to; i++) {
		const v = values[i];
		if (v < low) low = v;
		if (v > high) high = v;
	}
	range.low = low;
	range.high = high;
}

/** @param {Float64Array | Uint32Array} values @param {number} from @param {number} to @param {number} place @param {number} low @param {number} high @param {Uint32Array} bins of that range, counted */
function* narrowed(values, from, to, place, low, high, bins) {
	while (low < high) {
		const width = widthOf(low, high);
		let bin = 0;
		for (; place >= bins[bin]; bin++) place -= bins[bin];
		low += bin * width;
		high = Math.min(high, low + width - 1);
		if (low < high) yield* count(values, from, to, low, high, bins);
	}
	return low;
}
