// SPDX-License-Identifier: BSD-3-Clause
/**
 * Saves and opens files of views and notes. Must not overwrite existing notes or views, or change the view without a request.
 * Reports the notes and views that do not fit.
 */
import { byId } from '../base/dom.ts';
import { MOST_NOTES, sameNote } from '../scene/notes.ts';
import { MOST_LETTERS, identity, readViews, writeViews, type SavedViews } from './viewsfile.ts';
import { saveText } from './export.ts';
import { capture, type App } from './state.ts';
import type { slots } from './slots.ts';
import type { Tell } from './message.ts';

const some = (n: number, what: string) => `${n} ${what}${n === 1 ? '' : 's'}`;

/** Parses a file's text as JSON; null: the text is not JSON. */
function objectOf(text: string) {
	try {
		// accept also the text that the page of KUtrace 3 puts on the clipboard; a user puts it in place of the last line of
		// a JSON file
		return JSON.parse(text.replace(/^\ufeff?\s*\]\s*,/, '{'));
	} catch {
		return null;
	}
}

/**
 * Adds the notes and views of a file to the existing ones.
 * @returns numbers of added notes and views; lost: number of notes and views that do not fit this trace or for which there is
 * no room
 */
function takeIn({ view }: App, slot: ReturnType<typeof slots>, read: SavedViews): {notes: number, views: number, lost: number} {
	const there = view.notes;
	const fresh = read.notes.filter((note) => !there.some((n) => sameNote(n, note)));
	const notes = fresh.slice(0, Math.max(0, MOST_NOTES - there.length));
	if (notes.length) view.notes = [...there, ...notes];
	const views = slot.all();
	let taken = 0;
	let lost = read.lost + fresh.length - notes.length;
	read.views.forEach((text, i) => {
		if (text === null || views.includes(text)) return;
		// use the slot with the same number if it is empty, otherwise any empty slot
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

/** Connects saving and opening. @param saved views and notes of the page's file @param changed called when views or notes change */
export function opening(app: App, slot: ReturnType<typeof slots>, saved: SavedViews, tell: Tell, changed: () => void) {
	const { view } = app;
	/** Values of the file that the page cannot show. The page writes them again unchanged. */
	const others = { extra: saved.extra, savedview: saved.savedview };
	const open = async (file: File) => {
		const name = file.name.slice(0, 60);
		if (file.size > MOST_LETTERS) {
			tell(`${name} was not read: it is too large for a file of views and notes.`);
			return;
		}
		const text = await file.text().catch(() => '');
		const read = readViews(view, objectOf(text));
		if (!read) {
			tell(`${name} was not read: it has no views and notes. Save, views and notes, writes such a file.`);
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
			read.trace && read.trace !== identity(view.trace) ? 'They belong to another trace.' : '',
			got.lost ? `${got.lost} other notes and views do not fit this trace, or there is no room for them.` : '',
		].filter(Boolean).map((part) => ` ${part}`).join('');
		tell(`${name}: ${some(got.notes, 'note')} and ${some(got.views, 'view')}.${besides}`,
			last ? { label: 'show its view', tip: 'show the view that was shown when the file was written; \u21c4 goes back', run: () => slot.change(last) } : undefined);
	};
	const chooser = byId('viewsfile') as HTMLInputElement;
	chooser.addEventListener('change', () => {
		const file = chooser.files?.[0];
		if (file) void open(file);
		// allow the same file to be chosen again
		chooser.value = '';
	});
	dropping((file) => void open(file));
	return {
		choose: () => chooser.click(),
		save: () => saveText(view, writeViews(view, slot.all(), capture(app), others), 'application/json', 'views.json'),
	};
}

/** Handles files that are dropped on the page. Otherwise the browser would leave the page. */
function dropping(open: (file: File) => void) {
	const root = document.documentElement;
	const files = (event: DragEvent) => event.dataTransfer?.types.includes('Files') ?? false;
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
