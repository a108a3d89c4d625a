// SPDX-License-Identifier: BSD-3-Clause
/**
 * Connects the parts that a user can save and share: notes, slots, the address, files. Must not make decisions itself.
 */
import { behindEvents } from './behind.js';
import { saving } from './export.js';
import { keepers } from './kept.js';
import { lastView } from './lastview.js';
import { noting } from './noting.js';
import { opening } from './opening.js';
import { onPaper } from './pictures.js';
import { slots } from './slots.js';
import { notHeld } from './state.js';
import { telling } from './telling.js';

/**
 * Connects the parts.
 * @param {import('./state.js').App} app
 * @param {import('../draw/picture.js').Picture} picture
 * @param {Parameters<typeof keepers>[1]} reasons
 * @param {() => void} changed called when the address must be written
 */
export function sharing(app, picture, reasons, changed) {
	const { view } = app;
	const { tell } = telling();
	const behind = behindEvents(view);
	view.notes = behind.notes;
	const slot = slots(app, behind, changed);
	const notes = noting(view, picture.parts, tell, changed);
	const parts = keepers(app, reasons, slot, notes.show);
	app.kept.push(...parts.all);
	const files = opening(app, slot, behind, tell, () => {
		notes.show();
		changed();
	});
	saving(picture, app.pane.file, files, tell, () => notHeld(app));
	onPaper(picture);
	notes.show();
	return { slot, notes, tell, sorted: parts.sorted, offerLast: lastView(app, slot) };
}
