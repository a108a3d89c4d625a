// SPDX-License-Identifier: BSD-3-Clause
/** Runs a generator in short pieces between frames. A piece runs about PIECE_MS, then ends at the next yield. */

const PIECE_MS = 8;

/**
 * Runs a generator in pieces. An exception in the first piece reaches the caller.
 * @param first length in ms of the first piece, which runs before inPieces() returns
 * @param progress called between pieces
 * @returns a function that cancels the work
 */
export function inPieces<P, R>(
	work: Generator<P, R, void>,
	{ first, done, progress }: {first: number, done: (result: R) => void, progress?: (at: P) => void},
): () => void {
	let timer: ReturnType<typeof setTimeout> | undefined;
	const step = (ms: number) => {
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
