// SPDX-License-Identifier: BSD-3-Clause
/**
 * Finds out where a picture would be too dense to read: counts elements in cells of the time axis, and keeps equal names apart.
 * Never depends on where the picture begins: cells stay where they are while it is panned.
 * Imported by arcs.js, bars.js, layers.js, marks.js, names.js and inside.js.
 */

/** @typedef {import('../scene/view.js').View} View */

/** Names that are equal have at least so many pixels between them, or something else. */
const APART = 240;

/** Elements that have less room than this on average cannot be read one by one, CSS pixels. */
const READABLE = 6;
/** Least width of a cell, CSS pixels. */
const CELL = 4;

/** Returns true if a reader cannot tell that many elements apart. @param {View} view @param {number} elements in sight */
export const tooMany = (view, elements) => elements > view.width / READABLE;

/**
 * Returns the cells that overlap the visible time. Their width is a power of two, so a small zoom keeps the same cells.
 * @param {View} view
 * @returns {{t0: number, step: number, n: number}} begin of the first one, width and number
 */
export function cellsOf(view) {
	const step = 2 ** Math.ceil(Math.log2(((view.t1 - view.t0) / view.width) * CELL));
	const first = Math.floor(view.t0 / step);
	return { t0: first * step, step, n: Math.floor(view.t1 / step) - first + 1 };
}

/**
 * Counts the elements of a list that begin in each cell.
 * @param {{t0: number, step: number, n: number}} cells
 * @param {import('../data/intervals.js').IntervalList} list
 */
export function countIn({ t0, step, n }, list) {
	const counts = new Uint32Array(n);
	let i = list.seek(t0);
	for (let cell = 0; cell < n; cell++) {
		const next = list.seek(t0 + (cell + 1) * step, i);
		counts[cell] = next - i;
		i = next;
	}
	return counts;
}

/** Names along lines: which one of them is only its neighbour's again. */
export class Repeats {
	/** The last name on each line, and where it ends. @type {Map<any, {text: string, end: number}>} */
	#last = new Map();

	/**
	 * Is it the same as the one before it, and near? From left to right.
	 * @param {any} line whatever stands for one
	 * @param {string} text
	 * @param {number} x where it would begin, CSS pixels
	 */
	is(line, text, x) {
		const last = this.#last.get(line);
		return last !== undefined && last.text === text && x < last.end + APART;
	}

	/** It was written. @param {any} line @param {string} text @param {number} end where it ends, CSS pixels */
	wrote(line, text, end) {
		this.#last.set(line, { text, end });
	}
}
