// SPDX-License-Identifier: BSD-3-Clause
/**
 * Text on the clipboard, also where a page from a file is not let near it.
 * Never leaves anything selected, or the focus elsewhere. Imported by details.js.
 */
import { make } from '../base/dom.js';

/** The old way: what is selected is copied. @param {string} text @returns {boolean} */
function copySelected(text) {
	const had = document.activeElement;
	const area = /** @type {HTMLTextAreaElement} */ (make('textarea', 'copied'));
	area.value = text;
	document.body.append(area);
	area.select();
	let done = false;
	try {
		done = document.execCommand('copy');
	} catch {
		// it says no
	}
	area.remove();
	if (had instanceof HTMLElement) had.focus();
	return done;
}

/** @param {string} text @returns {Promise<boolean>} is it there? */
export async function copyText(text) {
	try {
		await navigator.clipboard.writeText(text);
		return true;
	} catch {
		return copySelected(text);
	}
}
