// SPDX-License-Identifier: BSD-3-Clause
/**
 * Copies to the clipboard: the picture, for a report, and the address. Must report a failure: if the browser does not allow
 * copying, the message suggests another way.
 */
import { png } from './pictures.ts';
import type { Picture } from '../draw/picture.ts';
import type { Tell } from './message.ts';

export function copyPicture(picture: Picture, tell: Tell, savePng: () => void) {
	const refused = () => tell('This browser does not let a page that was opened from a file copy pictures.', { label: 'save it as a file', run: savePng });
	// the browser requires an immediate request, and accepts a promise
	const made = png(picture).then((blob) => blob ?? Promise.reject(new Error('no picture')));
	try {
		navigator.clipboard.write([new ClipboardItem({ 'image/png': made })])
			.then(() => tell('The picture is on the clipboard, with title, legend and notes.'), refused);
	} catch {
		refused();
	}
}

/** Copies the address. @param left returns what the address does not hold, in words */
export function copyLink(tell: Tell, left: () => string) {
	const { href } = location;
	const out = left();
	const besides = out ? ` It has no room for ${out}: save them with Save, views and notes.` : '';
	const refused = () => tell(`The browser blocked copying. Copy the address from the address bar.${besides}`);
	try {
		navigator.clipboard.writeText(href).then(() => tell(`The address is on the clipboard.${besides}`), refused);
	} catch {
		refused();
	}
}
