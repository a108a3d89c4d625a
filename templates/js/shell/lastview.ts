// SPDX-License-Identifier: BSD-3-Clause
/**
 * Stores the last view of a trace in the browser when the page is closed, and offers it at the next opening. Must not show
 * it without a request. Stores nothing if the user has done nothing.
 */
import { byId } from '../base/dom.ts';
import { pageIdentity } from './identity.ts';
import { apply, capture, type App } from './state.ts';
import type { slots } from './slots.ts';

/** Prefix of the keys in the browser's storage; maximum number of traces, and of letters for each trace. */
const PREFIX = 'kutrace-view:';
const MOST_TRACES = 30;
const MOST_LETTERS = 12000;

/** Returns the stored views, the latest first. */
function all(): {key: string, when: number, text: string}[] {
	const found = [];
	for (let i = 0; i < localStorage.length; i++) {
		const key = localStorage.key(i);
		if (!key?.startsWith(PREFIX)) continue;
		const [, when, text] = /^(\d{1,15}) (.*)$/s.exec(localStorage.getItem(key) ?? '') ?? [];
		found.push({ key, when: Number(when ?? 0), text: text ?? '' });
	}
	return found.sort((a, b) => b.when - a.when);
}

/**
 * Stores the last view.
 * @returns offers the stored view; must be called when the page shows its first view
 */
export function lastView(app: App, slot: ReturnType<typeof slots>): () => void {
	const key = PREFIX + pageIdentity(app.view.trace);
	let acted = false;
	for (const name of ['pointerdown', 'keydown', 'wheel']) addEventListener(name, () => (acted = true), { capture: true, passive: true, once: true });
	addEventListener('pagehide', () => {
		const text = capture(app, true);
		if (!acted || text.length > MOST_LETTERS) return;
		try {
			localStorage.setItem(key, `${Date.now()} ${text}`);
			for (const old of all().slice(MOST_TRACES)) localStorage.removeItem(old.key);
		} catch {
			// the browser stores nothing for pages from files
		}
	});
	return () => {
		const button = byId('backto');
		let text: string | undefined;
		try {
			text = all().find((kept) => kept.key === key)?.text;
		} catch {
			return;
		}
		if (!text || text.length > MOST_LETTERS || text === capture(app, true)) return;
		const there = text;
		button.hidden = false;
		button.addEventListener('click', () => {
			button.hidden = true;
			slot.change(there);
			// also restore notes and slots, unless there are new ones
			const now = new URLSearchParams(capture(app, true));
			if (!now.has('n') && !now.has('sl')) apply(app, there, true);
		}, { once: true });
	};
}
