// SPDX-License-Identifier: BSD-3-Clause
/** Finds and makes elements of the page. Must not insert text as HTML, because names in a trace can contain anything. */

/** Returns the element with this id. Throws an Error if the page has no such element. */
export function byId(id: string) {
	const element = document.getElementById(id);
	if (!element) throw new Error(`the page lacks #${id}`);
	return element;
}

/**
 * Makes an element.
 * @param content text of the element, which is inserted as text, or its children
 * @param more attributes of the element, and functions that handle its events
 */
export function make<K extends keyof HTMLElementTagNameMap>(
	tag: K, className = '', content: string | (Node | string)[] = '', more: Record<string, string | undefined | ((event: any) => void)> = {},
): HTMLElementTagNameMap[K] {
	const element = document.createElement(tag);
	if (className) element.className = className;
	element.append(...[content].flat().filter((part) => part !== ''));
	for (const [name, value] of Object.entries(more)) {
		if (typeof value === 'string') element.setAttribute(name, value);
		else if (value) element.addEventListener(name, value);
	}
	return element;
}

/** Returns the position of an event in an element, CSS pixels. */
export function placeIn(element: Element, event: MouseEvent) {
	const box = element.getBoundingClientRect();
	return { x: event.clientX - box.left, y: event.clientY - box.top };
}

/** Stops the default action and the propagation of an event. */
export function consume(event: Event) {
	event.preventDefault();
	event.stopPropagation();
}

/** Returns the text that the browser stores under a key; '': none. Some browsers store nothing for pages from files. */
export function stored(key: string) {
	try {
		return localStorage.getItem(key) ?? '';
	} catch {
		return '';
	}
}

/** Stores a text for all pages under a key. If the browser does not allow storing, the text is lost when the page is closed. */
export function store(key: string, text: string) {
	try {
		localStorage.setItem(key, text);
	} catch {
	}
}

/** Makes a menu close when the user presses the pointer outside of it. */
export function closeOutside(menu: HTMLDetailsElement) {
	addEventListener('pointerdown', (event) => {
		if (event.target instanceof Node && !menu.contains(event.target)) menu.open = false;
	});
}
