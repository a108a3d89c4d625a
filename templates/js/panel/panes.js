// SPDX-License-Identifier: BSD-3-Clause
/**
 * The panel's panes, of which one is shown: the tables, and what the page knows about one thing.
 * Never fills a pane: who adds one does, when it is told that the pane can be seen.
 * Imported by shell/app.js; whoever wants its pane seen is given what this returns.
 */
import { byId, make } from '../base/dom.js';

/**
 * @typedef {object} Pane
 * @property {string} id the element pane-ID holds it
 * @property {string} label on its button
 * @property {string} tip
 * @property {() => void} [seen] it can be seen from now on
 * @property {() => File} [file]
 */
/** The complete table of a pane, and the end of its file's name; or why there is none now, in words. @typedef {{cells: (string | number)[][], name: string} | string} File */

/**
 * @param {(on: boolean) => void} openPanel
 * @param {() => boolean} isOpen
 * @param {() => void} changed another pane is shown
 */
export function panes(openPanel, isOpen, changed) {
	const bar = byId('panes');
	/** @type {Pane[]} */
	const all = [];
	let current = 'tables';
	const place = () => {
		bar.hidden = all.length < 2;
		byId('panel').dataset.pane = current;
		for (const { id } of all) {
			const on = id === current;
			byId(`pane-${id}`).hidden = !on;
			const button = /** @type {HTMLButtonElement} */ (byId(`panetab-${id}`));
			button.setAttribute('aria-selected', String(on));
			button.tabIndex = on ? 0 : -1;
		}
	};
	/** Shows a pane, and the panel around it. @param {string} id */
	const open = (id) => {
		const pane = all.find((p) => p.id === id);
		if (!pane) return;
		const other = current !== id;
		current = id;
		place();
		if (!isOpen()) openPanel(true);
		pane.seen?.();
		if (other) changed();
	};
	/** @param {Pane} pane */
	const add = (pane) => {
		all.push(pane);
		const button = make('button', '', pane.label);
		button.id = `panetab-${pane.id}`;
		button.title = pane.tip;
		button.setAttribute('role', 'tab');
		button.setAttribute('aria-controls', `pane-${pane.id}`);
		button.addEventListener('click', () => open(pane.id));
		bar.append(button);
		place();
	};
	bar.addEventListener('keydown', (event) => {
		const by = event.code === 'ArrowRight' ? 1 : event.code === 'ArrowLeft' ? -1 : 0;
		if (!by) return;
		event.preventDefault();
		event.stopPropagation();
		const at = all.findIndex((p) => p.id === current);
		open(all[(at + by + all.length) % all.length].id);
		byId(`panetab-${current}`).focus();
	});
	return {
		add,
		open,
		current: () => current,
		/** The table that the current pane shows. @returns {File} */
		file: () => (isOpen() ? all.find((p) => p.id === current)?.file?.() ?? 'This pane has no table: the panes Tables, Process, Path and Query have one.' :
			'No table is open: press T, or the button Table.'),
		/** What the pane that is seen says may be told otherwise now. */
		again: () => all.find((p) => p.id === current)?.seen?.(),
		/** Can a pane be seen? @param {string} id */
		shows: (id) => current === id && isOpen(),
	};
}
