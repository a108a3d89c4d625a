// SPDX-License-Identifier: BSD-3-Clause
/**
 * Implements the five slots and the double arrow. A slot holds a view as text (state.js), some of them from the file. Must
 * not read or set the view directly.
 */
import { byId } from '../base/dom.js';
import { apply, capture } from './state.js';

/** @typedef {import('./state.js').App} App */

/**
 * Makes the slots and the double arrow.
 * @param {App} app
 * @param {import('./behind.js').Behind} behind views of the file
 * @param {() => void} changed called when a slot has another view
 */
export function slots(app, behind, changed) {
	const kept = [0, 1, 2, 3, 4].map((i) => behind.views[i] ?? null);
	/** The view before the last change of views, or when the file was written. @type {string | null} */
	let back = behind.last;
	const swap = /** @type {HTMLButtonElement} */ (byId('swap'));
	const buttons = kept.map((_, i) => /** @type {HTMLButtonElement} */ (byId(`slot${i + 1}`)));
	const show = () => {
		buttons.forEach((button, i) => {
			button.dataset.full = String(kept[i] !== null);
			button.setAttribute('aria-label', `slot ${i + 1}, ${kept[i] === null ? 'empty' : 'full'}`);
		});
		swap.disabled = back === null;
	};
	/** Saves the view in a slot. @param {number} i */
	const save = (i) => {
		kept[i] = capture(app);
		show();
		changed();
	};
	/** Shows a view. @param {string} to */
	const change = (to) => {
		back = capture(app);
		apply(app, to);
		show();
	};
	/** Shows the view of a slot. @param {number} i @returns {boolean} whether there is a view in the slot */
	const restore = (i) => {
		const to = kept[i];
		if (to === null) return false;
		change(to);
		return true;
	};
	/** Shows the previous view. @returns {boolean} whether there is one */
	const toggle = () => {
		if (back === null) return false;
		change(back);
		return true;
	};
	buttons.forEach((button, i) => button.addEventListener('click', (event) => {
		if (event.shiftKey) save(i);
		else restore(i);
	}));
	swap.addEventListener('click', toggle);
	show();
	/** Sets all five slots. @param {(string | null)[]} views results of capture() */
	const fill = (views) => {
		kept.forEach((_, i) => (kept[i] = views[i] ?? null));
		show();
	};
	/** Sets the view of the double arrow. @param {string} text result of capture() */
	const offer = (text) => {
		back = text;
		show();
	};
	return { save, restore, toggle, change, offer, fill, all: () => [...kept] };
}
