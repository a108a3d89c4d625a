// SPDX-License-Identifier: BSD-3-Clause
/** Implements the five slots for views, which the file can fill, the double arrow, and the view of the last visit. */
import { byId, store, stored } from '../base/dom.ts';
import { pageIdentity } from './viewsfile.ts';
import { apply, capture, type App } from './state.ts';
import type { SavedViews } from './viewsfile.ts';

/** Makes the slots and the double arrow. @param changed called when a slot has another view */
export function slots(app: App, saved: SavedViews, changed: () => void) {
	const texts = [0, 1, 2, 3, 4].map((i) => saved.views[i] ?? null);
	/** The view before the last change of views, or the view that was shown when the file was written. */
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
	const save = (i: number) => {
		texts[i] = capture(app);
		show();
		changed();
	};
	const change = (to: string) => {
		back = capture(app);
		apply(app, to);
		show();
	};
	/** Shows the view of a slot. @returns whether the slot has a view */
	const restore = (i: number): boolean => {
		const to = texts[i];
		if (to === null) return false;
		change(to);
		return true;
	};
	/** Shows the previous view. @returns whether there is a previous view */
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

/** Prefix of the keys in the browser's storage; maximum number of traces, and of letters for each trace. */
const PREFIX = 'kutrace-view:';
const MOST_TRACES = 30;
const MOST_LETTERS = 12000;

/** Returns the stored views, the latest first. */
function all(): {key: string, when: number, text: string}[] {
	try {
		return Object.keys(localStorage).filter((key) => key.startsWith(PREFIX)).map((key) => {
			const [, when = '0', text = ''] = /^(\d{1,15}) (.*)$/s.exec(stored(key)) ?? [];
			return { key, when: Number(when), text };
		}).sort((a, b) => b.when - a.when);
	} catch {
		return [];
	}
}

/**
 * Stores the trace's last view in the browser when the page is closed, unless the user has done nothing, and offers it next
 * time.
 * @returns a function that offers the stored view; must be called when the page shows its first view
 */
export function lastView(app: App, slot: ReturnType<typeof slots>): () => void {
	const key = PREFIX + pageIdentity(app.view.trace);
	let acted = false;
	for (const name of ['pointerdown', 'keydown', 'wheel']) addEventListener(name, () => (acted = true), { capture: true, passive: true, once: true });
	addEventListener('pagehide', () => {
		const text = capture(app, true);
		if (!acted || text.length > MOST_LETTERS) return;
		store(key, `${Date.now()} ${text}`);
		for (const old of all().slice(MOST_TRACES)) localStorage.removeItem(old.key);
	});
	return () => {
		const button = byId('backto');
		const text = all().find((view) => view.key === key)?.text;
		if (!text || text.length > MOST_LETTERS || text === capture(app, true)) return;
		button.hidden = false;
		button.addEventListener('click', () => {
			button.hidden = true;
			slot.change(text);
			// also restore notes and slots, unless the page has new ones
			const now = new URLSearchParams(capture(app, true));
			if (!now.has('n') && !now.has('sl')) apply(app, text, true);
		}, { once: true });
	};
}
