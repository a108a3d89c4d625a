// SPDX-License-Identifier: BSD-3-Clause
/**
 * Does long work, a generator, in slices between which the page draws and answers.
 * Never runs longer than a slice at once, but where it is told to. Imported by stats.js, and by the panels whose sums take long.
 */

/** Longest slice, ms. */
const SLICE_MS = 6;

/** @type {(() => void)[]} */
const waiting = [];
/** @type {MessageChannel | null} */
let channel = null;

/** As soon as the page has looked at what else there is to do. @param {() => void} body */
function soon(body) {
	if (!channel) {
		channel = new MessageChannel();
		channel.port1.onmessage = () => waiting.shift()?.();
	}
	waiting.push(body);
	channel.port2.postMessage(null);
}

/** When the page has nothing else to do. @param {() => void} body */
function idle(body) {
	if ('requestIdleCallback' in window) requestIdleCallback(body, { timeout: 500 });
	else setTimeout(body, 4);
}

/**
 * @template T
 * @param {Generator<void, T, void>} work each step of which takes a fraction of a millisecond
 * @param {(result: T) => void} done called at the end
 * @param {{how: 'once' | 'soon' | 'idle'}} options once: all of it now; soon: somebody waits for it, the first slice now
 * @returns {() => void} gives it up
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
