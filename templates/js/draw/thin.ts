// SPDX-License-Identifier: BSD-3-Clause
/** Detects where a picture is too dense to read. Cells must not depend on the picture's beginning: a pan does not change them. */
import type { IntervalList } from '../data/intervals.ts';
import type { View } from '../scene/view.ts';

/** Minimum distance of equal names with no other name between them, CSS pixels. */
const APART = 240;

/** Minimum average space of an element that can be read individually, CSS pixels. */
const READABLE = 6;
/** Minimum width of a cell, CSS pixels. */
const CELL = 4;

/** Returns true if the elements are too dense for a reader to distinguish. @param elements number of visible elements */
export const tooMany = (view: View, elements: number) => elements > view.width / READABLE;

/** Returns the cells that overlap the visible time. Their width is a power of two, so a small zoom does not change them. */
export function cellsOf(view: View): {t0: number, step: number, n: number} {
	const step = 2 ** Math.ceil(Math.log2(((view.t1 - view.t0) / view.width) * CELL));
	const first = Math.floor(view.t0 / step);
	return { t0: first * step, step, n: Math.floor(view.t1 / step) - first + 1 };
}

/** Counts the elements of a list that begin in each cell. */
export function countIn({ t0, step, n }: {t0: number, step: number, n: number}, list: IntervalList) {
	const counts = new Uint32Array(n);
	let i = list.seek(t0);
	for (let cell = 0; cell < n; cell++) {
		const next = list.seek(t0 + (cell + 1) * step, i);
		counts[cell] = next - i;
		i = next;
	}
	return counts;
}

/** Detects names that only repeat the previous name on their line. */
export class Repeats {
	/** The last name on each line, and where it ends. */
	#last: Map<any, {text: string, end: number}> = new Map();

	/**
	 * Returns whether the name is equal to the previous name on the line, and near it. Names must come from left to right.
	 * @param line any value that identifies the line
	 */
	is(line: any, text: string, x: number) {
		const last = this.#last.get(line);
		return last !== undefined && last.text === text && x < last.end + APART;
	}

	/** Records a name that was written. @param end right end, CSS pixels */
	wrote(line: any, text: string, end: number) {
		this.#last.set(line, { text, end });
	}
}
