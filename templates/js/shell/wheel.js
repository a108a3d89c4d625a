// SPDX-License-Identifier: BSD-3-Clause
/**
 * What the wheel does: zooms time, or moves rows; which of them shift exchanges for the other.
 * Never relies on the browser to keep it: some keep nothing for files.
 * Imported by app.js; input.js reads it, the rows' menu sets it.
 */

const KEY = 'kutrace-wheel';

/** What the wheel does on the picture without shift, and what people read. */
export const WHEELS = /** @type {const} */ ([
	['zoom', 'zooms time; with shift, and on labels, moves rows'],
	['rows', 'moves rows; with shift zooms time, on labels zooms rows'],
]);
/** @typedef {{get: () => string, set: (now: string) => void, moves: () => boolean}} Wheel moves: rows, without shift */

/** @returns {Wheel} */
export function wheelSwitch() {
	let now = 'zoom';
	try {
		if (localStorage.getItem(KEY) === 'rows') now = 'rows';
	} catch {
		// this time as the guide says
	}
	return {
		get: () => now,
		moves: () => now === 'rows',
		set: (wanted) => {
			now = wanted === 'rows' ? 'rows' : 'zoom';
			try {
				localStorage.setItem(KEY, now);
			} catch {
				// it holds until the page is closed
			}
		},
	};
}
