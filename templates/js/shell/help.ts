// SPDX-License-Identifier: BSD-3-Clause
/** Shows the help, and the hints at the first opening. Their texts are in show_cpu.html. */
import { byId, store, stored } from '../base/dom.ts';
import { GROUP_HEIGHT } from '../scene/rows.ts';
import type { View } from '../scene/view.ts';
import type { Wheel } from './input.ts';

export function helping() {
	const box = byId('help');
	const toggle = () => {
		box.hidden = !box.hidden;
		if (!box.hidden) byId('closehelp').focus();
	};
	byId('more').addEventListener('click', toggle);
	byId('closehelp').addEventListener('click', toggle);
	for (const button of box.querySelectorAll<HTMLElement>('[data-part]'))
		button.addEventListener('click', () => byId(button.dataset.part ?? '').scrollIntoView());
	return {
		toggle,
		/** Closes the help. @returns whether it was open */
		close(): boolean {
			const open = !box.hidden;
			box.hidden = true;
			return open;
		},
	};
}

/** Shows in the footer what the wheel does. */
export function hintWheel(wheel: Wheel) {
	byId('wheelhint').textContent = wheel.moves() ? 'wheel: scroll rows, with shift: zoom' : 'wheel: zoom, with shift: scroll rows';
}

/**
 * Shows three hints once, at the first opening of a page, in lines that are otherwise empty.
 * @returns a function that moves the hints to their groups; must be called after each frame
 */
export function hints(view: View): () => void {
	if (stored('kutrace-hints')) return () => {};
	store('kutrace-hints', 'shown');
	const all = [...document.querySelectorAll('.firsthint')] as HTMLElement[];
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
