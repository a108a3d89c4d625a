// SPDX-License-Identifier: BSD-3-Clause
/**
 * The box over the labels that filters rows, and the menu beside it: their order, graphs, pins, the wheel.
 * Never throws for a broken expression: the box says so, and the rows stay as they are.
 * Imported by shell/app.js; keys reach it through what it returns.
 */
import { byId, make } from '../base/dom.js';
import { ORDERS } from '../scene/order.js';

/** @typedef {import('../scene/view.js').View} View */

/**
 * A group of choices in the menu, of which one is taken.
 * @param {HTMLElement} box
 * @param {string} name
 * @param {string} legend
 * @param {readonly (readonly [string, string])[]} choices value and text
 * @param {(value: string) => void} choose
 * @returns {(value: string) => void} shows which is taken
 */
export function choices(box, name, legend, choices, choose) {
	const set = make('fieldset');
	set.append(make('legend', '', legend));
	const inputs = choices.map(([value, text]) => {
		const label = make('label');
		const input = /** @type {HTMLInputElement} */ (make('input'));
		input.type = 'radio';
		input.name = name;
		input.value = value;
		input.addEventListener('change', () => choose(value));
		label.append(input, make('span', '', text));
		set.append(label);
		return input;
	});
	box.append(set);
	return (value) => {
		for (const input of inputs) input.checked = input.value === value;
	};
}

/** Filters the rows, or says in the box that this cannot be. @param {View} view @param {HTMLInputElement} input @param {string} text */
function filterRows(view, input, text) {
	try {
		view.rows.filter = text.slice(0, 200);
		input.removeAttribute('aria-invalid');
	} catch {
		input.setAttribute('aria-invalid', 'true');
	}
	view.draw();
}

/**
 * @param {View} view
 * @param {(text: string) => void} say to who does not see it
 * @param {{choices: readonly (readonly [string, string])[], get: () => string, set: (now: string) => void}} wheel what it does
 */
export function rowMenu(view, say, wheel) {
	const { rows, options } = view;
	const input = /** @type {HTMLInputElement} */ (byId('rowfilter'));
	const menu = /** @type {HTMLDetailsElement} */ (byId('rowmenu'));
	const box = byId('rowmenubox');
	box.replaceChildren();

	const filter = (/** @type {string} */ text) => filterRows(view, input, text);
	input.addEventListener('input', () => filter(input.value));
	input.addEventListener('keydown', (event) => {
		if (event.code !== 'Enter' && event.code !== 'NumpadEnter') return;
		input.blur();
		say(`${rows.visible.length} rows in sight`);
	});

	/** @param {string} order */
	const sort = (order) => {
		const known = ORDERS.find(([id]) => id === order) ?? ORDERS[0];
		rows.order = known[0];
		rows.scroll = 0;
		say(`rows by ${known[1]}`);
		show();
		view.draw();
	};
	const showOrder = choices(box, 'roworder', 'Rows by', ORDERS, sort);
	const showWheel = choices(box, 'wheel', 'The wheel (kept in this browser)', wheel.choices, (now) => {
		wheel.set(now);
		show();
	});
	const showGraphs = choices(box, 'rowgraph', 'PID rows show', [['spans', 'what ran, and waits'], ['use', 'CPU use, as a graph']], (what) => {
		options.use = what === 'use';
		if (options.use) rows.open('PID');
		view.draw();
	});
	const unpin = /** @type {HTMLButtonElement} */ (make('button', '', 'unpin all rows'));
	unpin.id = 'unpin';
	unpin.addEventListener('click', () => {
		rows.repin([]);
		show();
		view.draw();
	});
	box.append(unpin);
	const show = () => {
		if (input.value !== rows.filter && input.getAttribute('aria-invalid') !== 'true') input.value = rows.filter;
		showOrder(rows.order);
		showWheel(wheel.get());
		showGraphs(options.use ? 'use' : 'spans');
		unpin.disabled = !rows.pinned.size;
		menu.classList.toggle('on', rows.order !== 'number' || options.use);
	};
	addEventListener('pointerdown', (event) => {
		if (event.target instanceof Node && !menu.contains(event.target)) menu.open = false;
	});
	show();
	return {
		show,
		focus: () => {
			input.focus();
			input.select();
		},
		/** The next order. */
		next: () => sort(ORDERS[(ORDERS.findIndex(([id]) => id === rows.order) + 1) % ORDERS.length][0]),
		/** @returns {boolean} was there anything in the box? */
		clear: () => {
			const was = input.value !== '';
			input.value = '';
			if (was) filter('');
			return was;
		},
		/** @returns {boolean} was it open? */
		close: () => {
			const was = menu.open;
			menu.open = false;
			return was;
		},
	};
}
