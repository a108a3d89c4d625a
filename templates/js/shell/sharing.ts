// SPDX-License-Identifier: BSD-3-Clause
/**
 * Connects the parts that a user can save and share: notes, slots, the address, files. Must not make decisions itself.
 */
import { viewsOfPage } from './viewsfile.ts';
import { saving } from './export.ts';
import { addressParts } from './addressparts.ts';
import { lastView } from './lastview.ts';
import { noteEditor } from './noteeditor.ts';
import { opening } from './opening.ts';
import { onPaper } from './pictures.ts';
import { slots } from './slots.ts';
import { leftOut, type App } from './state.ts';
import { messages } from './message.ts';
import type { Picture } from '../draw/picture.ts';

/**
 * Connects the parts.
 * @param changed called when the address must be written
 */
export function sharing(app: App, picture: Picture, reasons: Parameters<typeof addressParts>[1], changed: () => void) {
	const { view } = app;
	const { tell } = messages();
	const saved = viewsOfPage(view);
	view.notes = saved.notes;
	const slot = slots(app, saved, changed);
	const notes = noteEditor(view, picture.parts, tell, changed);
	const parts = addressParts(app, reasons, slot, notes.show);
	app.addressParts.push(...parts.all);
	const files = opening(app, slot, saved, tell, () => {
		notes.show();
		changed();
	});
	saving(picture, app.pane.file, files, tell, () => leftOut(app));
	onPaper(picture);
	notes.show();
	return { slot, notes, tell, sorted: parts.sorted, offerLast: lastView(app, slot) };
}
