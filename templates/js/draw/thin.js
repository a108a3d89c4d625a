// SPDX-License-Identifier: BSD-3-Clause
/**
 * Where more is than can be told apart: cells of the time axis that take so many of a kind, and names that
 * do not stand beside themselves.
 * Never depends on where the picture begins: what is left out stays out while it is panned.
 * Imported by arcs.js, layers.js, marks.js, names.js and inside.js.
 */

/** @typedef {import('../scene/view.js').View} View */

/** Names that are equal have at least so many pixels between them, or something else. */
const APART = 240;

/**
 * Width of a cell in units: at least so many pixels, and a power of two, so that a little zoom
 * changes nothing, either.
 * @param {View} view
 * @param {number} pixels
 */
export const cellWidth = (view, pixels) => 2 ** Math.ceil(Math.log2(((view.t1 - view.t0) / view.width) * pixels));

/**
 * Calls visit for the first few elements of each cell that touches what is shown.
 * @param {View} view
 * @param {number} pixels of a cell, at least
 * @param {number} most in each
 * @param {(t: number, from: number) => number} seek first element, from element from on, that begins at t or later
 * @param {(element: number) => void} visit
 */
export function eachCell(view, pixels, most, seek, visit) {
	const width = cellWidth(view, pixels);
	let i = seek(Math.floor(view.t0 / width) * width, 0);
	for (let cell = Math.floor(view.t0 / width); cell * width <= view.t1; cell++) {
		const next = seek((cell + 1) * width, i);
		for (let k = i; k < Math.min(next, i + most); k++) visit(k);
		i = next;
	}
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
