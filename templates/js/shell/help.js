// SPDX-License-Identifier: BSD-3-Clause
/**
 * The help, and the hints of the first opening.
 * Never writes their text: that is in show_cpu.html.
 * Imported by app.js.
 */
import { byId } from '../base/dom.js';
import { GROUP_HEIGHT } from '../scene/rows.js';

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

/** What the wheel does now, at the foot of the page. @param {import('./wheel.js').Wheel} wheel */
export function hintWheel(wheel) {
	byId('wheelhint').textContent = wheel.moves() ? 'wheel moves rows, with shift zooms' : 'wheel zooms, with shift moves rows';
}

/**
 * The first opening says at three places what can be done there, once: in the lines over the
 * rows and in the head of the table, where nothing else is.
 * @param {import('../scene/view.js').View} view
 * @returns {() => void} puts them where their groups are; call behind each frame
 */
export function hints(view) {
	try {
		if (localStorage.getItem('kutrace-hints')) return () => {};
		localStorage.setItem('kutrace-hints', 'shown');
	} catch {
		// a browser that keeps nothing for files shows them each time
	}
	const all = /** @type {HTMLElement[]} */ ([...document.querySelectorAll('.firsthint')]);
	let gone = false;
	const away = () => {
		gone = true;
		for (const hint of all) hint.hidden = true;
		for (const name of ['pointerdown', 'wheel', 'keydown']) removeEventListener(name, away, true);
	};
	for (const name of ['pointerdown', 'wheel', 'keydown']) addEventListener(name, away, true);
	const place = () => {
		for (const hint of gone ? [] : all) {
			const group = view.rows.groups.find((g) => g.name === hint.dataset.over);
			hint.hidden = Boolean(hint.dataset.over) && (!group || group.y < 0 || group.y + GROUP_HEIGHT > view.height);
			if (!group) continue;
			hint.style.top = `${group.y}px`;
			hint.dataset.state = group.state;
		}
	};
	place();
	return place;
}
