// SPDX-License-Identifier: BSD-3-Clause
/**
 * The help, and the hints of the first opening.
 * Never writes their text: that is in show_cpu.html.
 * Imported by app.js.
 */
import { byId } from '../base/dom.js';

/** The help's buttons. */
export function helping() {
	const box = byId('help');
	const toggle = () => {
		box.hidden = !box.hidden;
		if (!box.hidden) byId('closehelp').focus();
	};
	byId('more').addEventListener('click', toggle);
	byId('closehelp').addEventListener('click', toggle);
	return {
		toggle,
		/** @returns {boolean} was it open? */
		close() {
			const open = !box.hidden;
			box.hidden = true;
			return open;
		},
	};
}

/** The first opening points at three things, once. */
export function hints() {
	const box = byId('hints');
	try {
		if (localStorage.getItem('kutrace-hints')) return;
		localStorage.setItem('kutrace-hints', 'shown');
	} catch {
		// a browser that keeps nothing for files shows them each time
	}
	box.hidden = false;
	const away = () => {
		box.hidden = true;
		for (const name of ['pointerdown', 'wheel', 'keydown']) removeEventListener(name, away, true);
	};
	for (const name of ['pointerdown', 'wheel', 'keydown']) addEventListener(name, away, true);
}

