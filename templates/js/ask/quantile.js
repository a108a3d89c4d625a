// SPDX-License-Identifier: BSD-3-Clause
/**
 * The number that stands at a place when numbers are ordered, without ordering them.
 * Never changes them; works in pieces, so that frames go on meanwhile. Imported by callsums.js.
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
 * @param {number} place from 0 on
 * @returns {Generator<void, number, void>}
 */
export function* numberAt(values, from, to, place) {
	if (to - from <= FEW) return values.slice(from, to).sort()[place];
	let low = Infinity;
	let high = -Infinity;
	for (let i = from; i < to; i++) {
		if (values[i] < low) low = values[i];
		if (values[i] > high) high = values[i];
		if (i % SLICE === 0) yield;
	}
	const bins = new Uint32Array(BINS);
	while (low < high) {
		const width = Math.ceil((high - low + 1) / BINS);
		bins.fill(0);
		for (let i = from; i < to; i++) {
			const v = values[i];
			if (v >= low && v <= high) bins[Math.floor((v - low) / width)]++;
			if (i % SLICE === 0) yield;
		}
		let bin = 0;
		for (; place >= bins[bin]; bin++) place -= bins[bin];
		low += bin * width;
		high = Math.min(high, low + width - 1);
	}
	return low;
}
