// SPDX-License-Identifier: BSD-3-Clause
/**
 * The pane of the panel with everything known about the span that is chosen, each thing beside it a link.
 * Never finds anything out itself: ask/details.js does. What takes long comes in later, in the pauses between frames.
 * Imported by shell/app.js.
 */
import { detailsOf } from '../ask/details.js';
import { inSlices } from '../ask/slices.js';
import { byId, make } from '../base/dom.js';
import { goTo, zoomTo } from '../scene/jump.js';
import { spoken } from '../scene/chosen.js';
import { copyText } from './copy.js';
import { plainText, putParts } from './parts.js';
import { rawRow } from './tooltip.js';

/** @typedef {import('../scene/view.js').View} View */
/** @typedef {import('../ask/fact.js').Section} Section */

const EMPTY = 'Click a span in the picture, or an arc: everything that is known about it stands here.';

/**
 * @param {View} view
 * @param {() => boolean} seen can the pane be seen?
 * @param {{open: (pid: number) => void, why: (span: number) => void, path: (span: number) => void}} act open: shows everything about a process; why, path: as the keys y and c do
 */
export function detailing(view, seen, act) {
	const { trace } = view;
	const box = byId('pane-details');
	/** What is shown, and in which language of time. */
	let shown = '';
	/** The span that was last said. */
	let said = -1;
	/** What is still being found out. @type {Set<() => void>} */
	const working = new Set();

	/** @param {number} span */
	const go = (span) => {
		goTo(view, span);
		render();
		focus();
	};
	const focus = () => box.querySelector('h2')?.focus();
	const to = { go, open: act.open };

	/** @param {HTMLElement} into @param {Section} section */
	const putFacts = (into, { title, facts }) => {
		const list = make('dl');
		if (title) list.setAttribute('aria-label', title);
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
	/** @param {HTMLElement} into @param {Section} section */
	const putLines = (into, { title, lines = [], more = '' }) => {
		const list = make('ul');
		if (title) list.setAttribute('aria-label', title);
		for (const parts of lines) {
			const line = make('li');
			putParts(view, line, parts, to);
			list.append(line);
		}
		if (lines.length) into.append(list);
		if (more) into.append(make('p', 'more', more));
	};
	/** @param {{title: string, sections: Section[]}} details @param {import('../scene/view.js').Pin} pin */
	const head = (details, pin) => {
		const line = make('div', 'panelhead');
		const title = make('h2', '', details.title);
		title.tabIndex = -1;
		const told = make('output');
		told.setAttribute('aria-live', 'polite');
		const copy = make('button', '', 'copy');
		copy.title = 'puts all of this on the clipboard, as text';
		copy.addEventListener('click', async () => {
			const done = await copyText(`${plainText(view, details)}\n\n${rawRow(trace, pin.span)}`);
			told.textContent = done ? 'copied' : 'the browser does not allow it: select the text';
		});
		const zoom = make('button', '', 'zoom');
		zoom.title = 'shows just this, as a double click on it does';
		zoom.addEventListener('click', () => zoomTo(view, pin));
		/** @param {string} label @param {string} tip @param {(span: number) => void} ask */
		const asking = (label, tip, ask) => {
			const button = make('button', '', label);
			button.title = tip;
			button.addEventListener('click', () => ask(pin.span));
			return button;
		};
		line.append(title, told);
		// only a process can wait
		if (trace.pid[pin.span] > 0)
			line.append(asking('why?', 'why its process did not run: in it, or before it (key y)', act.why), asking('path', 'the critical path to its end: what held it up (key c)', act.path));
		line.append(zoom, copy);
		return line;
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
	/** What render() depends on. */
	const key = () => {
		const { chosen, options, zero } = view;
		return chosen ? [chosen.span, options.time, options.relative, zero, trace.calls !== null, trace.sorting].join() : 'nothing';
	};
	return {
		/** Shows what is chosen now, if that is another; call behind each frame. */
		follow() {
			const { chosen } = view;
			if (chosen && chosen.span !== said) byId('say').textContent = spoken(view, chosen);
			said = chosen?.span ?? -1;
			if (seen() && shown !== key()) render();
		},
		focus,
	};
}
