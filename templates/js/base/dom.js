// SPDX-License-Identifier: BSD-3-Clause
/**
 * The page's elements: finding one by its id, making one.
 * Never puts text in as markup: names of a trace may hold anything.
 * Imported by the panels and the shell.
 */

/** @param {string} id */
export function byId(id) {
	const element = document.getElementById(id);
	if (!element) throw new Error(`the page lacks #${id}`);
	return element;
}

/**
 * @param {string} tag
 * @param {string} [className]
 * @param {string} [text]
 */
export function make(tag, className = '', text = '') {
	const element = document.createElement(tag);
	if (className) element.className = className;
	if (text) element.textContent = text;
	return element;
}
