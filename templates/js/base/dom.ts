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

/** Returns the position of an event in an element, CSS pixels. */
export function placeIn(element: Element, event: MouseEvent) {
	const box = element.getBoundingClientRect();
	return { x: event.clientX - box.left, y: event.clientY - box.top };
}

/** Returns a text that the browser stores, or null. Some browsers store nothing for pages from files. */
export function stored(key: string) {
	try {
		return localStorage.getItem(key);
	} catch {
		return null;
	}
}

/** Stores a text in the browser, if that is possible. */
export function store(key: string, text: string) {
	try {
		localStorage.setItem(key, text);
	} catch {
		// the setting lasts until the page is closed
	}
}

/** Closes a menu when the pointer is pressed elsewhere. */
export function closeOutside(menu: HTMLDetailsElement) {
	addEventListener('pointerdown', (event) => {
		if (event.target instanceof Node && !menu.contains(event.target)) menu.open = false;
	});
}
