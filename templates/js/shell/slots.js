// SPDX-License-Identifier: BSD-3-Clause
/**
 * The five slots and the double arrow: views kept as text (state.js), some from the file.
 * Never reads or sets the view itself.
 * Imported by sharing.js; keys reach them by actions.js.
 */
import { byId } from '../base/dom.js';
import { apply, capture } from './state.js';

/** @typedef {import('./state.js').App} App */

/**
 * The five slots and the double arrow.
 * @param {App} app
 * @param {import('./behind.js').Behind} behind what the file has of them
 * @param {() => void} changed called when there is another view in a slot
 */
export function slots(app, behind, changed) {
	const kept = [0, 1, 2, 3, 4].map((i) => behind.views[i] ?? null);
	/** The display before the last change of displays, or when the file was written. @type {string | null} */
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
	/** @param {number} i */
	const save = (i) => {
		kept[i] = capture(app);
		show();
		changed();
	};
	/** @param {string} to */
	const change = (to) => {
		back = capture(app);
		apply(app, to);
		show();
	};
	/** @param {number} i @returns {boolean} whether there is a view in the slot */
	const restore = (i) => {
		const to = kept[i];
		if (to === null) return false;
		change(to);
		return true;
	};
	/** @returns {boolean} whether there is a view to go back to */
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
	/** All five. @param {(string | null)[]} views as of capture() */
	const fill = (views) => {
		kept.forEach((_, i) => (kept[i] = views[i] ?? null));
		show();
	};
	/** The double arrow goes there. @param {string} text as of capture() */
	const offer = (text) => {
		back = text;
		show();
	};
	return { save, restore, toggle, change, offer, fill, all: () => [...kept] };
}
