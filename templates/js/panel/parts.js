// SPDX-License-Identifier: BSD-3-Clause
/**
 * Converts the facts of ask/ to text and to elements: times as the user has selected, links as buttons. Must insert names
 * as text.
 */
import { make } from '../base/dom.js';
import { when } from '../scene/times.js';

/** @typedef {import('../scene/view.js').View} View */
/** @typedef {import('../ask/fact.js').Part} Part */
/** @typedef {import('../ask/fact.js').Section} Section */

/** @param {View} view @param {Part[]} parts */
export const textOf = (view, parts) => parts.map((part) => (typeof part === 'string' ? part : 't' in part ? when(view, part.t) : part.text)).join('');

/**
 * Inserts parts.
 * @param {View} view
 * @param {HTMLElement} into
 * @param {Part[]} parts
 * @param {{go: (span: number) => void, open: (pid: number) => void}} to called for links
 */
export function putParts(view, into, parts, { go, open }) {
	into.replaceChildren(...parts.filter((part) => part !== '').map((part) => {
		if (typeof part === 'string') return document.createTextNode(part);
		if ('t' in part) return document.createTextNode(when(view, part.t));
		const button = make('button', 'link', part.text);
		if ('pid' in part) {
			button.title = `${part.text}: everything about it`;
			button.addEventListener('click', () => open(part.pid));
			return button;
		}
		button.dataset.span = String(part.span);
		button.addEventListener('click', () => go(part.span));
		return button;
	}));
}

/** Returns all details as lines of text. @param {View} view @param {{title: string, sections: Section[]}} details */
export function plainText(view, { title, sections }) {
	return [title, ...sections.flatMap((section) => [
		...(section.title ? ['', section.title] : []),
		...section.facts.map(({ term, parts }) => `${view.trace.term(term)}: ${textOf(view, parts)}`),
		...(section.lines ?? []).map((parts) => `- ${textOf(view, parts)}`),
		...(section.more ? [`(${section.more})`] : []),
	])].join('\n');
}
