// SPDX-License-Identifier: BSD-3-Clause
/**
 * Implements the five slots and the double arrow. A slot holds a view as text (state.ts), some of them from the file. Must
 * not read or set the view directly.
 */
import { byId } from '../base/dom.ts';
import { apply, capture, type App } from './state.ts';
import type { SavedViews } from './viewsfile.ts';

/**
 * Makes the slots and the double arrow.
 * @param saved views of the file
 * @param changed called when a slot has another view
 */
export function slots(app: App, saved: SavedViews, changed: () => void) {
	const texts = [0, 1, 2, 3, 4].map((i) => saved.views[i] ?? null);
	/** The view before the last change of views, or when the file was written. */
	let back: string | null = saved.last;
	const swap = byId('swap') as HTMLButtonElement;
	const buttons = texts.map((_, i) => byId(`slot${i + 1}`) as HTMLButtonElement);
	const show = () => {
		buttons.forEach((button, i) => {
			button.dataset.full = String(texts[i] !== null);
			button.setAttribute('aria-label', `saved view ${i + 1}${texts[i] === null ? ', empty' : ''}`);
		});
		swap.disabled = back === null;
	};
	/** Saves the view in a slot. */
	const save = (i: number) => {
		texts[i] = capture(app);
		show();
		changed();
	};
	/** Shows a view. */
	const change = (to: string) => {
		back = capture(app);
		apply(app, to);
		show();
	};
	/** Shows the view of a slot. @returns whether there is a view in the slot */
	const restore = (i: number): boolean => {
		const to = texts[i];
		if (to === null) return false;
		change(to);
		return true;
	};
	/** Shows the previous view. @returns whether there is one */
	const toggle = (): boolean => {
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
	/** Sets all five slots. @param views results of capture() */
	const fill = (views: (string | null)[]) => {
		texts.forEach((_, i) => (texts[i] = views[i] ?? null));
		show();
	};
	/** Sets the view of the double arrow. @param text result of capture() */
	const offer = (text: string) => {
		back = text;
		show();
	};
	return { save, restore, toggle, change, offer, fill, all: () => [...texts] };
}
