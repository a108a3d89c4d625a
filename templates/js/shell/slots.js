// SPDX-License-Identifier: BSD-3-Clause
/**
 * The five slots and the double arrow: views kept as text (state.js), some from the file.
 * Never reads or sets the view itself.
 * Imported by app.js; keys reach them by actions.js.
 */
import { byId } from '../base/dom.js';
import { plainSeconds as written } from '../base/format.js';
import { apply, capture } from './state.js';

/** @typedef {import('./state.js').App} App */

/**
 * Views that stood behind the events of the JSON ("savedview", as the original's page
 * exports them): of each the part of the time that it shows, as of capture(). The first of
 * theirs is what was shown last, and has no slot.
 * @returns {(string | null)[]}
 */
function exported() {
	/** @param {string | null | undefined} text */
	const parsed = (text) => {
		try {
			return JSON.parse(text ?? 'null');
		} catch {
			return null;
		}
	};
	const views = parsed(document.getElementById('kutrace-behind')?.textContent)?.savedview;
	return (Array.isArray(views) ? views.slice(1) : []).map((/** @type {any} */ view) => {
		const kept = Array.isArray(view) ? view[1] : null;
		const { xleft_ts: from, xright_ts: to } = (typeof kept === 'string' ? parsed(kept) : kept) ?? {};
		return Number.isFinite(from) && Number.isFinite(to) && to > from ? `t=${written(from * 1e8)}-${written(to * 1e8)}` : null;
	});
}

/**
 * The five slots and the double arrow.
 * @param {App} app
 * @param {() => void} changed called when there is another view in a slot
 */
export function slots(app, changed) {
	const behind = exported();
	const kept = [0, 1, 2, 3, 4].map((i) => behind[i] ?? null);
	/** The display before the last change of displays. @type {string | null} */
	let back = null;
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
	/** @param {number} i */
	const restore = (i) => {
		const to = kept[i];
		if (to !== null) change(to);
	};
	const toggle = () => {
		if (back !== null) change(back);
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
	return { save, restore, toggle, change, fill, all: () => [...kept] };
}
