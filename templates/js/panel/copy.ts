// SPDX-License-Identifier: BSD-3-Clause
/** Copies text to the clipboard, also from a page that was opened as a file. Restores the focus, and leaves nothing selected. */
import { make } from '../base/dom.ts';

/** Copies by selecting the text in an element, for browsers that do not let the page use the clipboard. */
function copySelected(text: string): boolean {
	const had = document.activeElement;
	const area = make('textarea', 'copied');
	area.value = text;
	document.body.append(area);
	area.select();
	let done = false;
	try {
		done = document.execCommand('copy');
	} catch {
		// the browser does not allow copying
	}
	area.remove();
	if (had instanceof HTMLElement) had.focus();
	return done;
}

/** Copies text. @returns whether the text was copied */
export async function copyText(text: string): Promise<boolean> {
	try {
		await navigator.clipboard.writeText(text);
		return true;
	} catch {
		return copySelected(text);
	}
}
