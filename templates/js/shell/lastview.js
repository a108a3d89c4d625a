// SPDX-License-Identifier: BSD-3-Clause
/**
 * What was shown of this very trace when its page was closed: kept by the browser, and offered at the next opening.
 * Never goes there unasked, and keeps nothing of a page in which nobody has done anything.
 * Imported by sharing.js.
 */
import { byId } from '../base/dom.js';
import { pageIdentity } from './identity.js';
import { apply, capture } from './state.js';

/** What it is called in the browser; traces that are kept, and letters of each. */
const PREFIX = 'kutrace-view:';
const MOST_TRACES = 30;
const MOST_LETTERS = 12000;

/** What is kept, the latest first. @returns {{key: string, when: number, text: string}[]} */
function all() {
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
 * @param {import('./state.js').App} app
 * @param {ReturnType<typeof import('./slots.js').slots>} slot
 * @returns {() => void} offers it; call when the page shows what it opens with
 */
export function lastView(app, slot) {
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
			// a browser that keeps nothing for files offers nothing
		}
	});
	return () => {
		const button = byId('backto');
		/** @type {string | undefined} */
		let text;
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
			// notes and slots, too, unless there are others by now
			const now = new URLSearchParams(capture(app, true));
			if (!now.has('n') && !now.has('sl')) apply(app, there, true);
		}, { once: true });
	};
}
