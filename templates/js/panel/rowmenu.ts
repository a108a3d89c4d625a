// SPDX-License-Identifier: BSD-3-Clause
/** Controls the box above the labels that filters rows, and the menu beside it. An invalid expression does not change the rows. */
import { byId, closeOutside, make } from '../base/dom.ts';
import { ORDERS } from '../scene/order.ts';
import type { View } from '../scene/view.ts';

export const fieldset = (legend: string, controls: Node[]) => make('fieldset', '', [make('legend', '', legend), ...controls]);

/** Adds radio buttons to a menu. @param choices value and text @returns a function that shows the selected value */
export function choices(
	box: HTMLElement, name: string, legend: string, choices: readonly (readonly [string, string])[],
	choose: (value: string) => void,
): (value: string) => void {
	const inputs = choices.map(([value]) => make('input', '', '', { type: 'radio', name, value, change: () => choose(value) }));
	box.append(fieldset(legend, inputs.map((input, i) => make('label', '', [input, make('span', '', choices[i][1])]))));
	return (value) => {
		for (const input of inputs) input.checked = input.value === value;
	};
}

/** Filters the rows, or marks the box as invalid. */
function filterRows(view: View, input: HTMLInputElement, text: string) {
	try {
		view.rows.filter = text.slice(0, 200);
		input.removeAttribute('aria-invalid');
	} catch {
		input.setAttribute('aria-invalid', 'true');
	}
	view.draw();
}

/** Makes the menu of the rows: order, graphs, pins, wheel. @param say announces a text to screen readers */
export function rowMenu(
	view: View, say: (text: string) => void,
	wheel: {choices: readonly (readonly [string, string])[], get: () => string, set: (now: string) => void},
) {
	const { rows, options } = view;
	const input = byId('rowfilter') as HTMLInputElement;
	const menu = byId('rowmenu') as HTMLDetailsElement;
	const box = byId('rowmenubox');
	box.replaceChildren();

	const filter = (text: string) => filterRows(view, input, text);
	input.addEventListener('input', () => filter(input.value));
	input.addEventListener('keydown', (event) => {
		if (event.code !== 'Enter' && event.code !== 'NumpadEnter') return;
		input.blur();
		say(`${rows.visible.length} rows are visible`);
	});

	const sort = (order: string) => {
		const known = ORDERS.find(([id]) => id === order) ?? ORDERS[0];
		rows.order = known[0];
		rows.scroll = 0;
		say(`rows sorted by ${known[1]}`);
		show();
		view.draw();
	};
	const showOrder = choices(box, 'roworder', 'Sort rows by', ORDERS, sort);
	const showWheel = choices(box, 'wheel', 'Wheel (for all pages in this browser)', wheel.choices, (now) => {
		wheel.set(now);
		show();
	});
	const showGraphs = choices(box, 'rowgraph', 'PID rows show', [['spans', 'runs and waits'], ['use', 'graph of the CPU use']], (what) => {
		options.use = what === 'use';
		if (options.use) rows.open('PID');
		view.draw();
	});
	const unpin = make('button', '', 'unpin all rows', { id: 'unpin', click: () => {
		rows.repin([]);
		show();
		view.draw();
	} });
	box.append(unpin);
	const show = () => {
		if (input.value !== rows.filter && input.getAttribute('aria-invalid') !== 'true') input.value = rows.filter;
		showOrder(rows.order);
		showWheel(wheel.get());
		showGraphs(options.use ? 'use' : 'spans');
		unpin.disabled = !rows.pinned.size;
		menu.classList.toggle('on', rows.order !== 'number' || options.use);
	};
	closeOutside(menu);
	show();
	return {
		show,
		focus: () => {
			input.focus();
			input.select();
		},
		next: () => sort(ORDERS[(ORDERS.findIndex(([id]) => id === rows.order) + 1) % ORDERS.length][0]),
		/** Empties the filter. @returns whether it had text */
		clear: (): boolean => {
			const was = input.value !== '';
			input.value = '';
			if (was) filter('');
			return was;
		},
		/** Closes the menu. @returns whether it was open */
		close: (): boolean => {
			const was = menu.open;
			menu.open = false;
			return was;
		},
	};
}
