// SPDX-License-Identifier: BSD-3-Clause
/**
 * What the page has to say for itself, in words at its foot, where the hint else is; with one thing to do about it, perhaps.
 * Never covers anything, and never takes the focus; what is said stays until the user goes on.
 * Imported by sharing.js, which gives it to whoever has something to say.
 */
import { byId } from '../base/dom.js';

/** Says it; do: what its button says and does. @typedef {(text: string, action?: {label: string, tip?: string, run: () => void}) => void} Tell */

/** What the user has not had time to read is not taken away, ms. */
const LEAST_MS = 4000;

/** @returns {{tell: Tell, clear: () => void}} */
export function telling() {
	const box = byId('told');
	const button = /** @type {HTMLButtonElement} */ (byId('toldaction'));
	let run = () => {};
	let since = 0;
	const clear = () => {
		box.hidden = true;
	};
	button.addEventListener('click', () => {
		clear();
		run();
	});
	byId('closetold').addEventListener('click', clear);
	// who goes on has read it; what has a button waits for an answer
	for (const type of ['pointerdown', 'keydown'])
		addEventListener(type, (event) => {
			if (!box.hidden && button.hidden && performance.now() - since > LEAST_MS && !(event.target instanceof Node && box.contains(event.target))) clear();
		});
	return {
		clear,
		tell: (text, action) => {
			since = performance.now();
			button.hidden = !action;
			button.textContent = action?.label ?? '';
			button.title = action?.tip ?? '';
			run = action?.run ?? (() => {});
			box.hidden = false;
			// said aloud when it changes, so behind what makes it seen
			byId('toldtext').textContent = text;
		},
	};
}
