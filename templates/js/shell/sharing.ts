// SPDX-License-Identifier: BSD-3-Clause
/**
 * Connects the parts that a user can save and share: notes, slots, the address, files. Must not make decisions itself.
 */
import { behindEvents } from './behind.ts';
import { saving } from './export.ts';
import { keepers } from './kept.ts';
import { lastView } from './lastview.ts';
import { noting } from './noting.ts';
import { opening } from './opening.ts';
import { onPaper } from './pictures.ts';
import { slots } from './slots.ts';
import { notHeld, type App } from './state.ts';
import { telling } from './telling.ts';
import type { Picture } from '../draw/picture.ts';

/**
 * Connects the parts.
 * @param changed called when the address must be written
 */
export function sharing(app: App, picture: Picture, reasons: Parameters<typeof keepers>[1], changed: () => void) {
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
