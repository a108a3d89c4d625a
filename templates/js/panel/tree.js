// SPDX-License-Identifier: BSD-3-Clause
/**
 * Shows the tree of time as a table whose lines open: process, call, spans inside it; sorted by elapsed time or time on CPU.
 * Makes only open lines. Keys: up, down; right opens, left closes; Enter goes to the longest span.
 */
import { make } from '../base/dom.js';
import * as format from '../base/format.js';
import { count, timeIfAny } from './grid.js';
import { labelOf } from './nodes.js';

/** @typedef {import('../ask/flame.js').Node} Node */
/** @typedef {import('./nodes.js').Measure} Measure */
/** @typedef {import('../scene/view.js').View} View */

/** Maximum number of lines for the children of a node. */
const MOST_PARTS = 100;
/** Indent of each level, CSS pixels. */
const INDENT = 11;

export class Tree {
	/**
	 * @param {View} view
	 * @param {HTMLElement} box
	 * @param {(span: number) => void} jump
	 * @param {(by: Measure) => void} sorted called when another column is selected for sorting
	 */
	constructor(view, box, jump, sorted) {
		this.view = view;
		this.box = box;
		this.jump = jump;
		this.sorted = sorted;
		/** @type {Measure} */
		this.by = 'elapsed';
		this.title = '';
		/** @type {Node | null} */
		this.root = null;
		/** Open lines, as paths of names. Other trees can have the same paths. @type {Set<string>} */
		this.open = new Set();
		/** The line with the keyboard focus. */
		this.at = '';
	}

	/** @param {Node} root @param {Measure} by @param {string} title */
	show(root, by, title) {
		this.by = by;
		this.title = title;
		this.root = root;
		this.open.add(this.#key(root));
		if (root.children.length === 1) this.open.add(this.#key(root.children[0]));
		this.render();
	}

	/** Returns the path of a node. @param {Node} node @returns {string} */
	#key(node) {
		return `${node.parent ? this.#key(node.parent) : ''}/${node.what[0]}${node.id}${node.letter}`;
	}

	/** Makes the table. @param {boolean} [focus] set the focus to the line with the keyboard focus */
	render(focus = false) {
		if (!this.root) return;
		const table = make('table', 'grid treegrid');
		table.setAttribute('role', 'treegrid');
		table.setAttribute('aria-label', `${this.title}: what the time went into`);
		table.append(this.#head());
		const body = make('tbody');
		this.#lines(this.root, 1, 1, body);
		table.append(body);
		const rows = [...body.querySelectorAll('tr')];
		const at = rows.find((row) => row.dataset.key === this.at) ?? rows[0];
		if (at) at.tabIndex = 0;
		this.box.replaceChildren(table);
		if (focus) at?.focus();
	}

	#head() {
		const head = make('tr');
		head.append(make('th', 'text', 'what'));
		for (const [by, title, tip] of /** @type {[Measure | '', string, string][]} */ ([
			['', 'count', 'calls, waits, stretches of user code'], ['elapsed', 'elapsed', 'with all that is in it, waits too'],
			['cpu', 'on CPU', 'with all that is in it, on a CPU'], ['', 'longest', 'a click on the line goes there']])) {
			const cell = make('th');
			if (by) {
				cell.setAttribute('aria-sort', this.by === by ? 'descending' : 'none');
				const button = make('button', '', this.view.trace.term(title));
				button.addEventListener('click', () => {
					this.sorted(by);
					/** @type {HTMLElement | null} */ (this.box.querySelector('th[aria-sort=descending] button'))?.focus();
				});
				button.title = `${tip}; click: sort by it`;
				cell.append(button);
			} else {
				const name = make('span', '', title);
				name.title = tip;
				cell.append(name);
			}
			head.append(cell);
		}
		const thead = make('thead');
		thead.append(head);
		return thead;
	}

	/**
	 * Adds the line of a node and, if it is open, of its children.
	 * @param {Node} node
	 * @param {number} level
	 * @param {number} of its position among its siblings, from 1 on
	 * @param {HTMLElement} body
	 */
	#lines(node, level, of, body) {
		const key = this.#key(node);
		const open = this.open.has(key);
		body.append(this.#row(node, level, of, key, open));
		if (!open) return;
		const parts = [...node.children].sort((a, b) => b[this.by] - a[this.by] || b.elapsed - a.elapsed);
		parts.slice(0, MOST_PARTS).forEach((part, i) => this.#lines(part, level + 1, i + 1, body));
		if (parts.length <= MOST_PARTS) return;
		const row = make('tr');
		row.setAttribute('aria-level', String(level + 1));
		const cell = make('td', 'text', `and ${format.count(parts.length - MOST_PARTS)} more: CSV`);
		cell.style.paddingLeft = `${5 + level * INDENT}px`;
		/** @type {HTMLTableCellElement} */ (cell).colSpan = 5;
		row.append(cell);
		body.append(row);
	}

	/** Makes the line of a node. @param {Node} node @param {number} level @param {number} of @param {string} key @param {boolean} open */
	#row(node, level, of, key, open) {
		const row = make('tr', 'goes');
		row.dataset.key = key;
		row.tabIndex = -1;
		row.setAttribute('aria-level', String(level));
		row.setAttribute('aria-posinset', String(of));
		row.setAttribute('aria-setsize', String(node.parent?.children.length ?? 1));
		if (node.children.length) row.setAttribute('aria-expanded', String(open));
		const label = labelOf(this.view, node, this.title);
		const name = make('td', 'text');
		name.style.paddingLeft = `${5 + (level - 1) * INDENT}px`;
		const mark = make('span', 'twist', node.children.length ? (open ? '\u25BE' : '\u25B8') : '');
		mark.setAttribute('aria-hidden', 'true');
		name.append(mark, make('span', '', label));
		name.title = label;
		row.append(name);
		for (const value of [node.count ? count(node.count) : '', timeIfAny(node.elapsed), node.what === 'wait' ? '' : timeIfAny(node.cpu), node.longest >= 0 ? timeIfAny(node.most) : ''])
			row.append(make('td', '', value));
		row.addEventListener('click', (event) => {
			this.at = key;
			const onName = event.target instanceof HTMLElement && event.target.closest('td.text');
			if (onName && node.children.length) this.#toggle(key);
			else if (node.longest >= 0) this.jump(node.longest);
		});
		row.addEventListener('keydown', (event) => this.#keys(event, node, key, open, row));
		return row;
	}

	/** Opens or closes a line. @param {string} key */
	#toggle(key) {
		if (!this.open.delete(key)) this.open.add(key);
		this.render(true);
	}

	/**
	 * Handles the keys on a line.
	 * @param {KeyboardEvent} event
	 * @param {Node} node
	 * @param {string} key
	 * @param {boolean} open
	 * @param {HTMLElement} row
	 */
	#keys(event, node, key, open, row) {
		/** Moves the focus to a line. @param {Element | null | undefined} to */
		const go = (to) => {
			if (!(to instanceof HTMLElement) || to.dataset.key === undefined) return;
			this.at = to.dataset.key;
			row.tabIndex = -1;
			to.tabIndex = 0;
			to.focus();
		};
		switch (event.code) {
		case 'ArrowDown': go(row.nextElementSibling); break;
		case 'ArrowUp': go(row.previousElementSibling); break;
		case 'ArrowRight':
			if (open) go(row.nextElementSibling);
			else if (node.children.length) {
				this.at = key;
				this.#toggle(key);
			}
			break;
		case 'ArrowLeft':
			if (open) {
				this.at = key;
				this.#toggle(key);
			} else if (node.parent) {
				const up = this.#key(node.parent);
				go([...this.box.querySelectorAll('tr')].find((r) => r.dataset.key === up));
			}
			break;
		case 'Enter': case 'NumpadEnter':
			if (node.longest >= 0) this.jump(node.longest);
			break;
		default: return;
		}
		event.preventDefault();
		event.stopPropagation();
	}
}

/**
 * Returns the whole tree for a file: a line for each node, with its path.
 * @param {View} view
 * @param {Node} root
 * @param {string} title
 * @returns {string[][]}
 */
export function treeCells(view, root, title) {
	const seconds = (/** @type {number} */ units) => (units / 1e8).toFixed(8);
	const lines = [['level', 'path', 'count', 'elapsed s', `${view.trace.term('on CPU')} s`, 'own s', 'longest s']];
	/** Adds a node and its children. @param {Node} node @param {string} path @param {number} level */
	const put = (node, path, level) => {
		const name = labelOf(view, node, title);
		const whole = path ? `${path} > ${name}` : name;
		lines.push([String(level), whole, String(node.count), seconds(node.elapsed), seconds(node.cpu), seconds(node.own), node.longest >= 0 ? seconds(node.most) : '']);
		for (const child of [...node.children].sort((a, b) => b.elapsed - a.elapsed)) put(child, whole, level + 1);
	};
	put(root, '', 0);
	return lines;
}
