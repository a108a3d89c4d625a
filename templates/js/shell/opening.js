// SPDX-License-Identifier: BSD-3-Clause
/**
 * Files of views and notes: saved, and opened, by a file chooser or by being dropped onto the page.
 * Never overwrites what is there, and never shows another view unasked; what does not fit is said.
 * Imported by sharing.js.
 */
import { byId } from '../base/dom.js';
import { MOST_NOTES, sameNote } from '../scene/notes.js';
import { MOST_LETTERS, readBehind, writeBehind } from './behind.js';
import { saveText } from './export.js';
import { identity } from './identity.js';
import { capture } from './state.js';

/** @param {number} n @param {string} what */
const some = (n, what) => `${n} ${what}${n === 1 ? '' : 's'}`;

/** A file's text as an object; null: it is none. @param {string} text */
function objectOf(text) {
	try {
		// what the original's page puts on the clipboard, to replace the last line of a JSON
		return JSON.parse(text.replace(/^\ufeff?\s*\]\s*,/, '{'));
	} catch {
		return null;
	}
}

/**
 * Takes in what was read, beside what is there.
 * @param {import('./state.js').App} app
 * @param {ReturnType<typeof import('./slots.js').slots>} slot
 * @param {import('./behind.js').Behind} read
 * @returns {{notes: number, views: number, lost: number}} how many were taken in, and how many have no room
 */
function takeIn({ view }, slot, read) {
	const there = view.notes;
	const fresh = read.notes.filter((note) => !there.some((n) => sameNote(n, note)));
	const notes = fresh.slice(0, Math.max(0, MOST_NOTES - there.length));
	if (notes.length) view.notes = [...there, ...notes];
	const views = slot.all();
	let taken = 0;
	let lost = read.lost + fresh.length - notes.length;
	read.views.forEach((text, i) => {
		if (text === null || views.includes(text)) return;
		// where it was, or where there is room
		const k = views[i] === null ? i : views.indexOf(null);
		if (k < 0) lost++;
		else {
			views[k] = text;
			taken++;
		}
	});
	slot.fill(views);
	return { notes: notes.length, views: taken, lost };
}

/**
 * @param {import('./state.js').App} app
 * @param {ReturnType<typeof import('./slots.js').slots>} slot
 * @param {import('./behind.js').Behind} behind what the page's file has
 * @param {import('./telling.js').Tell} tell
 * @param {() => void} changed notes and views are others
 */
export function opening(app, slot, behind, tell, changed) {
	const { view } = app;
	/** What was read and is none of ours goes out again. */
	const others = { extra: behind.extra, savedview: behind.savedview };
	/** @param {File} file */
	const open = async (file) => {
		const name = file.name.slice(0, 60);
		if (file.size > MOST_LETTERS) {
			tell(`${name} was not read: it is larger than any file of views and notes`);
			return;
		}
		const text = await file.text().catch(() => '');
		const read = readBehind(view, objectOf(text));
		if (!read) {
			tell(`${name} was not read: there are no views and notes in it, as Save, views and notes, writes them`);
			return;
		}
		const got = takeIn(app, slot, read);
		others.extra = [...others.extra, ...read.extra];
		others.savedview = [...others.savedview, ...read.savedview];
		const last = read.last;
		if (last) slot.offer(last);
		changed();
		view.draw();
		const besides = [
			read.trace && read.trace !== identity(view.trace) ? 'they are of another trace' : '',
			got.lost ? `${got.lost} that make no sense here, or have no room, were left out` : '',
		].filter(Boolean).map((part) => `; ${part}`).join('');
		tell(`${name}: ${some(got.notes, 'note')} and ${some(got.views, 'view')}${besides}`,
			last ? { label: 'show its view', tip: 'what was shown when it was written; \u21c4 goes back', run: () => slot.change(last) } : undefined);
	};
	const chooser = /** @type {HTMLInputElement} */ (byId('viewsfile'));
	chooser.addEventListener('change', () => {
		const file = chooser.files?.[0];
		if (file) void open(file);
		// the same file again is a choice, too
		chooser.value = '';
	});
	dropping((file) => void open(file));
	return {
		choose: () => chooser.click(),
		save: () => saveText(view, writeBehind(view, slot.all(), capture(app), others), 'application/json', 'views.json'),
	};
}

/** Files that are dropped onto the page; a browser would leave it for them. @param {(file: File) => void} open */
function dropping(open) {
	const root = document.documentElement;
	/** @param {DragEvent} event */
	const files = (event) => event.dataTransfer?.types.includes('Files') ?? false;
	addEventListener('dragover', (event) => {
		if (!files(event)) return;
		event.preventDefault();
		root.dataset.dropping = '';
	});
	addEventListener('dragleave', (event) => {
		if (!event.relatedTarget) delete root.dataset.dropping;
	});
	addEventListener('drop', (event) => {
		delete root.dataset.dropping;
		if (!files(event)) return;
		event.preventDefault();
		const file = event.dataTransfer?.files[0];
		if (file) open(file);
	});
}
