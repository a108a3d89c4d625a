// SPDX-License-Identifier: BSD-3-Clause
/**
 * Runs a generator in short pieces, in the pauses between frames. A piece runs about PIECE_MS, then ends at the next yield.
 * Work that was cancelled does nothing more.
 */

/** Length of a piece, ms. */
const PIECE_MS = 8;

/**
 * Starts the work. An exception in the first piece reaches the caller.
 * @template P , R
 * @param {Generator<P, R, void>} work the generator
 * @param {object} how
 * @param {number} how.first length of the first piece, which runs before inPieces() returns, ms
 * @param {(result: R) => void} how.done
 * @param {(at: P) => void} [how.progress] called between pieces
 * @returns {() => void} cancels the work
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
