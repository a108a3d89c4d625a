// SPDX-License-Identifier: BSD-3-Clause
/**
 * Work that a generator does bit by bit, in the pauses between frames.
 * Never blocks longer than a piece; what is given up does nothing any more.
 * Imported by the panels whose questions may take long.
 */

/** As long as a piece, ms. */
const PIECE_MS = 8;

/**
 * @template P, R
 * @param {Generator<P, R, void>} work what it throws at its beginning is thrown
 * @param {object} how
 * @param {number} how.first as long as the first piece, at once, ms
 * @param {(result: R) => void} how.done
 * @param {(at: P) => void} [how.progress] called between pieces
 * @returns {() => void} gives it up
 */
export function inPieces(work, { first, done, progress }) {
	/** @type {ReturnType<typeof setTimeout> | undefined} */
	let timer;
	/** @param {number} ms */
	const step = (ms) => {
		for (const until = performance.now() + ms; ;) {
			const next = work.next();
			if (next.done) {
				done(next.value);
				return;
			}
			if (performance.now() < until) continue;
			progress?.(next.value);
			timer = setTimeout(() => step(PIECE_MS), 0);
			return;
		}
	};
	step(first);
	return () => clearTimeout(timer);
}
