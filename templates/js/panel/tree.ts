// SPDX-License-Identifier: BSD-3-Clause
/** Shows the tree of time as a table whose lines open: process, call, spans inside it. Makes only lines inside of open lines. */
import { consume, make } from '../base/dom.ts';
import * as format from '../base/format.ts';
import { count, timeIfAny } from './grid.ts';
import { labelOf, type Measure } from './nodes.ts';
import type { Node } from '../ask/flame.ts';
import type { View } from '../scene/view.ts';

/** Maximum number of lines for the children of a node. */
const MOST_PARTS = 100;
/** Indent of each level, CSS pixels. */
const INDENT = 11;

export class Tree {
	by: Measure = 'elapsed';
	title = '';
	root: Node | null = null;
	/** Open lines, as paths of names. The paths also open lines of other trees. */
	open: Set<string> = new Set();
	/** The line with the keyboard focus. */
	at = '';

	/** @param sorted called when another column is selected for sorting */
	constructor(public view: View, public box: HTMLElement, public jump: (span: number) => void, public sorted: (by: Measure) => void) {}

	show(root: Node, by: Measure, title: string) {
		this.by = by;
		this.title = title;
		this.root = root;
		this.open.add(this.#key(root));
		if (root.children.length === 1) this.open.add(this.#key(root.children[0]));
		this.render();
	}

	#key(node: Node): string {
		return `${node.parent ? this.#key(node.parent) : ''}/${node.what[0]}${node.id}${node.letter}`;
	}

	/** Makes the table. @param focus give the browser's focus to the line `at` */
	render(focus = false) {
		if (!this.root) return;
		const body = make('tbody');
		this.#lines(this.root, 1, 1, body);
		const table = make('table', 'grid treegrid', [this.#head(), body], { role: 'treegrid', 'aria-label': `${this.title}: where the time went` });
		const rows = [...body.querySelectorAll('tr')];
		const at = rows.find((row) => row.dataset.key === this.at) ?? rows[0];
		if (at) at.tabIndex = 0;
		this.box.replaceChildren(table);
		if (focus) at?.focus();
	}

	#head() {
		const columns: [Measure | '', string, string][] = [
			['', 'count', 'number of calls, waits, or spans of user code'], ['elapsed', 'elapsed', 'elapsed time, including everything inside and all waits'],
			['cpu', 'on CPU', 'time on a CPU, including everything inside'], ['', 'longest', 'click a line to go there'],
		];
		const cells = columns.map(([by, title, tip]) => {
			if (!by) return make('th', '', [make('span', '', title, { title: tip })]);
			const click = () => {
				this.sorted(by);
				(this.box.querySelector('th[aria-sort=descending] button') as HTMLElement | null)?.focus();
			};
			const button = make('button', '', this.view.trace.term(title), { title: `${tip}; click: sort by this`, click });
			return make('th', '', [button], { 'aria-sort': this.by === by ? 'descending' : 'none' });
		});
		return make('thead', '', [make('tr', '', [make('th', 'text', 'what'), ...cells])]);
	}

	/** Adds the line of a node and, if open, the lines of its children. @param of number of the node among its siblings, from 1 */
	#lines(node: Node, level: number, of: number, body: HTMLElement) {
		const key = this.#key(node);
		const open = this.open.has(key);
		body.append(this.#row(node, level, of, key, open));
		if (!open) return;
		const parts = [...node.children].sort((a, b) => b[this.by] - a[this.by] || b.elapsed - a.elapsed);
		parts.slice(0, MOST_PARTS).forEach((part, i) => this.#lines(part, level + 1, i + 1, body));
		if (parts.length <= MOST_PARTS) return;
		const cell = make('td', 'text', `and ${format.count(parts.length - MOST_PARTS)} more: [CSV] saves all`, { colspan: '5' });
		cell.style.paddingLeft = `${5 + level * INDENT}px`;
		body.append(make('tr', '', [cell], { 'aria-level': String(level + 1) }));
	}

	#row(node: Node, level: number, of: number, key: string, open: boolean) {
		const label = labelOf(this.view, node, this.title);
		const mark = make('span', 'twist', node.children.length ? (open ? '\u25BE' : '\u25B8') : '', { 'aria-hidden': 'true' });
		const name = make('td', 'text', [mark, make('span', '', label)], { title: label });
		name.style.paddingLeft = `${5 + (level - 1) * INDENT}px`;
		const values = [node.count ? count(node.count) : '', timeIfAny(node.elapsed), node.what === 'wait' ? '' : timeIfAny(node.cpu), node.longest >= 0 ? timeIfAny(node.most) : ''];
		const row: HTMLElement = make('tr', 'goes', [name, ...values.map((value) => make('td', '', value))], {
			'data-key': key, tabindex: '-1', 'aria-level': String(level), 'aria-posinset': String(of), 'aria-setsize': String(node.parent?.children.length ?? 1),
			'aria-expanded': node.children.length ? String(open) : undefined,
			click: (event) => {
				this.at = key;
				const onName = event.target instanceof HTMLElement && event.target.closest('td.text');
				if (onName && node.children.length) this.#toggle(key);
				else if (node.longest >= 0) this.jump(node.longest);
			},
			keydown: (event) => this.#keys(event, node, key, open, row),
		});
		return row;
	}

	#toggle(key: string) {
		if (!this.open.delete(key)) this.open.add(key);
		this.render(true);
	}

	#keys(event: KeyboardEvent, node: Node, key: string, open: boolean, row: HTMLElement) {
		const go = (to: Element | null | undefined) => {
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
		consume(event);
	}
}

/** Returns the whole tree for a file: a line for each node, with its path. */
export function treeCells(view: View, root: Node, title: string): string[][] {
	const seconds = (units: number) => (units / 1e8).toFixed(8);
	const lines = [['level', 'path', 'count', 'elapsed s', `${view.trace.term('on CPU')} s`, 'own s', 'longest s']];
	const put = (node: Node, path: string, level: number) => {
		const name = labelOf(view, node, title);
		const whole = path ? `${path} > ${name}` : name;
		lines.push([String(level), whole, String(node.count), seconds(node.elapsed), seconds(node.cpu), seconds(node.own), node.longest >= 0 ? seconds(node.most) : '']);
		for (const child of [...node.children].sort((a, b) => b.elapsed - a.elapsed)) put(child, whole, level + 1);
	};
	put(root, '', 0);
	return lines;
}
