// SPDX-License-Identifier: BSD-3-Clause
/**
 * Holds what the wheel does: it zooms time or moves rows, and shift exchanges the two. Must not depend on storage in the
 * browser, because some browsers store nothing for pages from files.
 */

const KEY = 'kutrace-wheel';

/** Effect of the wheel on the picture without shift, and its text on the page. */
export const WHEELS = [
	['zoom', 'zooms time; with shift or over the labels, scrolls the rows'],
	['rows', 'scrolls the rows; with shift zooms time, over the labels zooms the rows'],
] as const;
/** moves: whether the wheel without shift moves rows. */
export type Wheel = {get: () => string, set: (now: string) => void, moves: () => boolean};

/** Returns the setting of the wheel, which the browser stores if it can. */
export function wheelSwitch(): Wheel {
	let now = 'zoom';
	try {
		if (localStorage.getItem(KEY) === 'rows') now = 'rows';
	} catch {
		// not stored: use the default
	}
	return {
		get: () => now,
		moves: () => now === 'rows',
		set: (wanted) => {
			now = wanted === 'rows' ? 'rows' : 'zoom';
			try {
				localStorage.setItem(KEY, now);
			} catch {
				// not stored: it lasts until the page is closed
			}
		},
	};
}
