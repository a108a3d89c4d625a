// SPDX-License-Identifier: BSD-3-Clause
/** Converts the facts of ask/ to text and to elements: times in the selected format, links as buttons. Inserts names as text. */
import { make } from '../base/dom.ts';
import { when } from '../scene/times.ts';
import type { Part, Section } from '../ask/fact.ts';
import type { View } from '../scene/view.ts';

export const textOf = (view: View, parts: Part[]) => parts.map((part) => (typeof part === 'string' ? part : 't' in part ? when(view, part.t) : part.text)).join('');

/** Replaces the content of into by parts. @param go called by links to a span @param open called by links to a process */
export function putParts(
	view: View, into: HTMLElement, parts: Part[],
	{ go, open }: {go: (span: number) => void, open: (pid: number) => void},
) {
	into.replaceChildren(...parts.filter((part) => part !== '').map((part) => {
		if (typeof part === 'string') return document.createTextNode(part);
		if ('t' in part) return document.createTextNode(when(view, part.t));
		return make('button', 'link', part.text, 'pid' in part ? { title: `${part.text}: show everything about it`, click: () => open(part.pid) } :
			{ 'data-span': String(part.span), click: () => go(part.span) });
	}));
}

/** Returns all details as lines of text. */
export function plainText(view: View, { title, sections }: {title: string, sections: Section[]}) {
	return [title, ...sections.flatMap((section) => [
		...(section.title ? ['', section.title] : []),
		...section.facts.map(({ term, parts }) => `${view.trace.term(term)}: ${textOf(view, parts)}`),
		...(section.lines ?? []).map((parts) => `- ${textOf(view, parts)}`),
		...(section.more ? [`(${section.more})`] : []),
	])].join('\n');
}
