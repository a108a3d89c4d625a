// SPDX-License-Identifier: BSD-3-Clause
/**
 * Runs a generator in slices, so that the page can draw and react between them. A slice is at most about SLICE_MS, except
 * with how: 'once'.
 */

/** Maximum length of a slice, ms. */
const SLICE_MS = 6;

/** @type {(() => void)[]} */
const waiting = [];
/** @type {MessageChannel | null} */
let channel = null;

/** Runs body after the events that are already waiting. @param {() => void} body */
function soon(body) {
	if (!channel) {
		channel = new MessageChannel();
		channel.port1.onmessage = () => waiting.shift()?.();
	}
	waiting.push(body);
	channel.port2.postMessage(null);
}

/** Runs body when the page has nothing else to do. @param {() => void} body */
function idle(body) {
	if ('requestIdleCallback' in window) requestIdleCallback(body, { timeout: 500 });
	else setTimeout(body, 4);
}

/**
 * Runs a generator.
 * @template T
 * @param {Generator<void, T, void>} work each step takes a fraction of a millisecond
 * @param {(result: T) => void} done called at the end
 * @param {{how: 'once' | 'soon' | 'idle'}} options once: run everything now; soon: the user waits, so run the first slice now; idle: run when the page has nothing else to do
 * @returns {() => void} cancels the work
 */
export function inSlices(work, done, { how }) {
	let stopped = false;
	const later = how === 'soon' ? soon : idle;
	const step = () => {
		for (const until = performance.now() + SLICE_MS; !stopped && (how === 'once' || performance.now() < until);) {
			const { done: ended, value } = work.next();
			if (!ended) continue;
			stopped = true;
			done(/** @type {T} */ (value));
		}
		if (!stopped) later(step);
	};
	if (how === 'idle') later(step);
	else step();
	return () => {
		stopped = true;
	};
}
