// SPDX-License-Identifier: BSD-3-Clause
/**
 * Finds and makes elements of the page. Must not insert text as HTML, because names in a trace can contain anything.
 */

/** Returns the element with this id. Throws an Error if the page has none. */
export function byId(id: string) {
	const element = document.getElementById(id);
	if (!element) throw new Error(`the page lacks #${id}`);
	return element;
}

/** Makes an element. Its text is inserted as text. */
export function make(tag: string, className = '', text = '') {
	const element = document.createElement(tag);
	if (className) element.className = className;
	if (text) element.textContent = text;
	return element;
}
