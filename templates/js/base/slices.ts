// SPDX-License-Identifier: BSD-3-Clause
/** Runs a generator in slices, so that the page can draw and react between them. A slice ends at the next yield after its time. */

/** Length of a slice, ms: of inSlices(), and of inTimedSlices(). */
const SLICE_MS = 6;
const TIMED_SLICE_MS = 8;

const waiting: (() => void)[] = [];
let channel: MessageChannel | null = null;

/** Runs body after the events that are already waiting. */
function soon(body: () => void) {
	if (!channel) {
		channel = new MessageChannel();
		channel.port1.onmessage = () => waiting.shift()?.();
	}
	waiting.push(body);
	channel.port2.postMessage(null);
}

/** Runs body when the page has nothing else to do. */
function idle(body: () => void) {
	if ('requestIdleCallback' in window) requestIdleCallback(body, { timeout: 500 });
	else setTimeout(body, 4);
}

/** Runs a generator in one step. */
export function atOnce<T>(work: Generator<unknown, T, void>): T {
	for (;;) {
		const { done, value } = work.next();
		if (done) return value;
	}
}

/**
 * Runs a generator.
 * @param work each step takes a fraction of a millisecond
 * @param done called at the end
 * @param how `once`: run everything now; `soon`: run the first slice now, because the user waits; `idle`: run when the page
 * has nothing else to do
 * @returns a function that cancels the work
 */
export function inSlices<T>(
	work: Generator<void, T, void>, done: (result: T) => void, { how }: {how: 'once' | 'soon' | 'idle'},
): () => void {
	let stopped = false;
	const later = how === 'soon' ? soon : idle;
	const step = () => {
		for (const until = performance.now() + SLICE_MS; !stopped && (how === 'once' || performance.now() < until);) {
			const { done: ended, value } = work.next();
			if (!ended) continue;
			stopped = true;
			done(value as T);
		}
		if (!stopped) later(step);
	};
	if (how === 'idle') later(step);
	else step();
	return () => {
		stopped = true;
	};
}

/**
 * Runs a generator in slices, between which the browser handles events and timers. An exception in the first slice reaches the
 * caller.
 * @param first length in ms of the first slice, which runs before this function returns
 * @param progress called between slices
 * @returns a function that cancels the work
 */
export function inTimedSlices<P, R>(
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
			timer = setTimeout(() => step(TIMED_SLICE_MS), 0);
			return;
		}
	};
	step(first);
	return () => clearTimeout(timer);
}
