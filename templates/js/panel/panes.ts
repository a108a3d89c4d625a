// SPDX-License-Identifier: BSD-3-Clause
/** Switches between the panes of the panel. Must not fill a pane: the pane's function seen() fills it when it becomes visible. */
import { byId, consume, make } from '../base/dom.ts';

interface Pane {
	id: string; /* the element pane-ID holds the pane */
	label: string; /* text of its button */
	tip: string;
	seen?: () => void; /* called when the pane becomes visible */
	file?: () => File; /* returns the pane's table for a file */
}
/** The complete table of a pane, and the end of its file name; or the reason why there is no table. */
export type File = {cells: (string | number)[][], name: string} | string;

/** Handles the keys Left and Right on a row of tabs. */
export function tabKeys(bar: HTMLElement, go: (by: 1 | -1) => void) {
	bar.addEventListener('keydown', (event) => {
		if (event.code !== 'ArrowRight' && event.code !== 'ArrowLeft') return;
		consume(event);
		go(event.code === 'ArrowRight' ? 1 : -1);
	});
}

/** Makes the row of buttons that switch between panes. @param changed called when another pane is shown */
export function panes(openPanel: (on: boolean) => void, isOpen: () => boolean, changed: () => void) {
	const bar = byId('panes');
	const all: Pane[] = [];
	let current = 'tables';
	const place = () => {
		bar.hidden = all.length < 2;
		byId('panel').dataset.pane = current;
		for (const { id } of all) {
			const on = id === current;
			byId(`pane-${id}`).hidden = !on;
			const button = byId(`panetab-${id}`) as HTMLButtonElement;
			button.setAttribute('aria-selected', String(on));
			button.tabIndex = on ? 0 : -1;
		}
	};
	/** Shows a pane, and opens the panel. */
	const open = (id: string) => {
		const pane = all.find((p) => p.id === id);
		if (!pane) return;
		const other = current !== id;
		current = id;
		place();
		if (!isOpen()) openPanel(true);
		pane.seen?.();
		if (other) changed();
	};
	const add = (pane: Pane) => {
		all.push(pane);
		bar.append(make('button', '', pane.label, {
			id: `panetab-${pane.id}`, title: pane.tip, role: 'tab', 'aria-controls': `pane-${pane.id}`, click: () => open(pane.id),
		}));
		place();
	};
	tabKeys(bar, (by) => {
		const at = all.findIndex((p) => p.id === current);
		open(all[(at + by + all.length) % all.length].id);
		byId(`panetab-${current}`).focus();
	});
	return {
		add,
		open,
		current: () => current,
		/** Returns the table of the current pane. */
		file: (): File => (isOpen() ? all.find((p) => p.id === current)?.file?.() ?? 'This pane has no table: the panes Tables, Process, Path, Query and Findings have one.' :
			'No table is open: press T, or the button Table.'),
		/** Updates the visible pane after a change of units or times. */
		again: () => all.find((p) => p.id === current)?.seen?.(),
		shows: (id: string) => current === id && isOpen(),
	};
}
