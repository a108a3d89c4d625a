// SPDX-License-Identifier: BSD-3-Clause
/** Shows the pane with everything known about the selected span (ask/details.ts). Slow facts are filled in later. */
import { detailsOf } from '../ask/details.ts';
import { inSlices } from '../base/slices.ts';
import { byId, make } from '../base/dom.ts';
import { goTo, zoomTo } from '../scene/jump.ts';
import { spoken } from '../scene/chosen.ts';
import { copyText } from './copy.ts';
import { plainText, putParts } from './parts.ts';
import { rawRow } from './tooltip.ts';
import type { Section } from '../ask/fact.ts';
import type { Pin, View } from '../scene/view.ts';

const EMPTY = 'Click a span or an arc in the picture to see everything about it here.';

/**
 * Makes the pane Details.
 * @param seen returns whether the pane is visible
 * @param act why, path: functions of the keys y and c; open: shows a process
 */
export function detailing(
	view: View, seen: () => boolean,
	act: {open: (pid: number) => void, why: (span: number) => void, path: (span: number) => void},
) {
	const { trace } = view;
	const box = byId('pane-details');
	/** State for which the pane was made: span and format of times. */
	let shown = '';
	/** The span that was last announced to screen readers. */
	let announced = -1;
	/** Functions that cancel the facts that are still being computed. */
	const working: Set<() => void> = new Set();

	const go = (span: number) => {
		goTo(view, span);
		render();
		focus();
	};
	const focus = () => box.querySelector('h2')?.focus();
	const to = { go, open: act.open };

	const putFacts = (into: HTMLElement, { title, facts }: Section) => {
		const list = make('dl', '', '', { 'aria-label': title || undefined });
		for (const fact of facts) {
			const value = make('dd');
			putParts(view, value, fact.parts, to);
			list.append(make('dt', '', trace.term(fact.term)), value);
			if (!fact.later) continue;
			const stop = inSlices(fact.later, (parts) => {
				fact.parts = parts;
				putParts(view, value, parts, to);
				working.delete(stop);
				box.toggleAttribute('aria-busy', working.size > 0);
			}, { how: 'idle' });
			working.add(stop);
		}
		if (facts.length) into.append(list);
	};
	const putLines = (into: HTMLElement, { title, lines = [], more = '' }: Section) => {
		const list = make('ul', '', '', { 'aria-label': title || undefined });
		for (const parts of lines) {
			const line = make('li');
			putParts(view, line, parts, to);
			list.append(line);
		}
		if (lines.length) into.append(list);
		if (more) into.append(make('p', 'more', more));
	};
	const head = (details: {title: string, sections: Section[]}, pin: Pin) => {
		const status = make('output', '', '', { 'aria-live': 'polite' });
		const copy = async () => {
			const done = await copyText(`${plainText(view, details)}\n\n${rawRow(trace, pin.span)}`);
			status.textContent = done ? 'copied' : 'The browser blocked copying: select the text.';
		};
		const button = (label: string, title: string, click: () => void) => make('button', '', label, { title, click });
		return make('div', 'panelhead', [
			make('h2', '', details.title, { tabindex: '-1' }), status,
			// only a process has waits and a critical path
			...(trace.pid[pin.span] > 0 ? [
				button('why?', 'explain why the process did not run, in this call or before this span (key y)', () => act.why(pin.span)),
				button('path', 'critical path: what held up the process until the end of this span or call (key c)', () => act.path(pin.span)),
			] : []),
			button('zoom', 'show only this span, or its whole call (like a double click on it)', () => zoomTo(view, pin)),
			button('copy', 'copy all of this as text', copy),
		]);
	};
	const render = () => {
		for (const stop of working) stop();
		working.clear();
		shown = key();
		box.scrollTop = 0;
		const { chosen } = view;
		if (!chosen) {
			box.replaceChildren(make('p', 'empty', EMPTY));
			box.removeAttribute('aria-busy');
			return;
		}
		const details = detailsOf(trace, chosen.span);
		const body = make('div', 'facts');
		for (const section of details.sections) {
			if (section.title) body.append(make('h3', '', section.title));
			putFacts(body, section);
			putLines(body, section);
		}
		body.append(make('h3', '', 'In the file'), make('code', '', rawRow(trace, chosen.span)));
		box.replaceChildren(head(details, chosen), body);
		box.toggleAttribute('aria-busy', working.size > 0);
	};
	/** Returns the state that render() depends on. */
	const key = () => {
		const { chosen, options, zero } = view;
		return chosen ? [chosen.span, options.time, options.relative, zero, trace.calls !== null, trace.sorting].join() : 'nothing';
	};
	return {
		/** Shows the selected span if it has changed. Must be called after each frame. */
		follow() {
			const { chosen } = view;
			if (chosen && chosen.span !== announced) byId('say').textContent = spoken(view, chosen);
			announced = chosen?.span ?? -1;
			if (seen() && shown !== key()) render();
		},
		focus,
	};
}
