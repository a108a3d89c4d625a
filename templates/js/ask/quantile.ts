// SPDX-License-Identifier: BSD-3-Clause
/** Finds quantiles of numbers, without sorting or changing them. Works in steps, so that frames are drawn in between. */

/** Number of equal parts into which a range is divided. */
const BINS = 1024;
/** Number of values visited between two yields. */
const SLICE = 50000;
/** Up to this many numbers are sorted. */
const FEW = 256;

/** Returns the index of a quantile among sorted numbers (nearest rank). */
export const placeOf = (count: number, percent: number) => Math.max(0, Math.ceil((count * percent) / 100) - 1);

// The exponent and the first bits of a number give its approximate value, its step. Step 0 is for 0; then 32 steps lie
// between a power of two and the next.
const number = new Float64Array(1);
const words = new Uint32Array(number.buffer);
const HIGH = new Uint8Array(Uint32Array.of(1).buffer)[0];
const FIRST_BITS = 15;
const BEFORE = (1023 << 5) - 1;
const STEPS = 1 + 32 * 54;

/** Returns the step of a number. @param value a whole number */
function stepOf(value: number) {
	number[0] = value;
	return value > 0 ? (words[HIGH] >>> FIRST_BITS) - BEFORE : 0;
}

function countSteps(values: Float64Array | Uint32Array, from: number, to: number, counts: Uint32Array) {
	for (let i = from; i < to; i++) counts[stepOf(values[i])]++;
}

/** Appends the numbers of one step to into. @param n number of elements that into already has */
function takeStep(values: Float64Array | Uint32Array, from: number, to: number, step: number, into: Float64Array, n: number): number {
	for (let i = from; i < to; i++) if (stepOf(values[i]) === step) into[n++] = values[i];
	return n;
}

/**
 * Returns the numbers that have these indices after sorting values[from, to).
 * @param values whole numbers
 * @param to greater than from
 */
export function* numbersAt(
	values: Float64Array | Uint32Array, from: number, to: number, places: number[],
): Generator<void, number[], void> {
	if (to - from <= FEW) {
		const sorted = values.slice(from, to).sort();
		return places.map((place) => sorted[place]);
	}
	const counts = new Uint32Array(STEPS);
	for (let i = from; i < to; i += SLICE) {
		countSteps(values, i, Math.min(to, i + SLICE), counts);
		yield;
	}
	/** Numbers by step, for the steps needed so far. */
	const known: Map<number, Float64Array> = new Map();
	const numbers = [];
	for (let place of places) {
		let step = 0;
		for (; place >= counts[step]; step++) place -= counts[step];
		let some = known.get(step);
		if (!some) {
			known.set(step, (some = new Float64Array(counts[step])));
			for (let i = from, n = 0; i < to; i += SLICE) {
				n = takeStep(values, i, Math.min(to, i + SLICE), step, some, n);
				yield;
			}
		}
		numbers.push(yield* among(some, place));
	}
	return numbers;
}

/** Returns the number that has this index after sorting the values. All values are of one step. */
function* among(values: Float64Array, place: number) {
	if (values.length <= FEW) return values.slice().sort()[place];
	const range = { low: Infinity, high: -Infinity };
	for (let i = 0; i < values.length; i += SLICE) {
		widen(values, i, Math.min(values.length, i + SLICE), range);
		yield;
	}
	const { low, high } = range;
	if (low === high) return low;
	const bins = new Uint32Array(BINS);
	yield* count(values, low, high, bins);
	return yield* narrowed(values, place, low, high, bins);
}

/** Counts the values in each part of the range [low, high]. */
function* count(values: Float64Array, low: number, high: number, bins: Uint32Array) {
	const width = widthOf(low, high);
	bins.fill(0);
	for (let i = 0; i < values.length; i += SLICE) {
		countParts(values, i, Math.min(values.length, i + SLICE), low, high, width, bins);
		yield;
	}
}

/** Returns the width of the parts of a range: a power of two, so that all parts are equal. */
function widthOf(low: number, high: number) {
	let width = 1;
	while (width * BINS < high - low + 1) width *= 2;
	return width;
}

function countParts(values: Float64Array, from: number, to: number, low: number, high: number, width: number, bins: Uint32Array) {
	for (let i = from; i < to; i++) {
		const v = values[i];
		if (v >= low && v <= high) bins[Math.floor((v - low) / width)]++;
	}
}

/** Extends range to contain the smallest and the largest number in values[from, to). */
function widen(values: Float64Array, from: number, to: number, range: {low: number, high: number}) {
	let { low, high } = range;
	for (let i = from; i < to; i++) {
		const v = values[i];
		if (v < low) low = v;
		if (v > high) high = v;
	}
	range.low = low;
	range.high = high;
}

/** Finds the number with this index after sorting: narrows the range again and again. @param bins count of numbers in each part */
function* narrowed(values: Float64Array, place: number, low: number, high: number, bins: Uint32Array) {
	while (low < high) {
		const width = widthOf(low, high);
		let bin = 0;
		for (; place >= bins[bin]; bin++) place -= bins[bin];
		low += bin * width;
		high = Math.min(high, low + width - 1);
		if (low < high) yield* count(values, low, high, bins);
	}
	return low;
}
