// SPDX-License-Identifier: BSD-3-Clause
/**
 * Shows the tree of time (ask/flame.ts) in the process pane: as a table whose lines open, and as a flame above this table or
 * over the picture. Must compute the tree only once for the table and the flame.
 */
import { byId, make } from '../base/dom.ts';
import { flameOf, type Node } from '../ask/flame.ts';
import { inSlices } from '../base/slices.ts';
import { Flame } from './flame.ts';
import { Tree, treeCells } from './tree.ts';
import type { Subject } from '../ask/process.ts';
import type { View } from '../scene/view.ts';
import type { Measure } from './nodes.ts';

/** Which view is shown; sums: neither tree nor flame. */
export type Shown = 'sums' | 'tree' | 'flame';

export class TimeTree {
	shown: Shown = 'sums';
	by: Measure = 'elapsed';
	large = false;
	title = '';
	root: Node | null = null;
	/** State for which root was computed. */
	of = '';
	/** The palette of the flame. */
	palette = this.view.palette;
	tree: Tree;
	flame = new Flame(this.view, byId('flamebox'));
	cancel = () => {};
	/** Called when the state for the address has changed. */
	changed = () => {};

	constructor(public view: View, jump: (span: number) => void) {
		this.tree = new Tree(view, byId('treebox'), (span) => {
			// the flame covers the picture, which the user wants to see now
			if (this.large) this.enlarge(false);
			jump(span);
		}, (by) => this.measure(by));
		byId('flameby').addEventListener('change', () => this.measure((byId('flameby') as HTMLSelectElement).value === 'cpu' ? 'cpu' : 'elapsed'));
		byId('flamewide').addEventListener('click', () => this.enlarge(!this.large));
		byId('flamenarrow').addEventListener('click', () => this.enlarge(false));
		byId('flamelarge').addEventListener('keydown', (event) => {
			if (event.code !== 'Escape') return;
			event.stopPropagation();
			this.enlarge(false);
		});
	}

	show(shown: Shown) {
		this.shown = shown;
		this.place(true);
	}

	/** Shows or hides the elements of the tree and of the flame. @param seen whether the pane is visible */
	place(seen: boolean) {
		const over = seen && this.large && this.shown === 'flame';
		byId('treebox').hidden = this.shown === 'sums';
		byId('flamehome').hidden = this.shown !== 'flame' || over;
		byId('flamewide').hidden = this.shown !== 'flame';
		byId('flamewide').setAttribute('aria-pressed', String(over));
		byId('flameby').hidden = this.shown === 'sums';
		(byId('flameby') as HTMLSelectElement).value = this.by;
		if (byId('flamelarge').hidden === over) this.flame.place(over, byId('flamehome'));
	}

	enlarge(large: boolean) {
		this.large = large;
		this.place(true);
		this.changed();
		if (large) this.flame.canvas.focus();
		else if (this.shown === 'flame') byId('flamewide').focus();
	}

	measure(by: Measure) {
		this.by = by;
		this.place(true);
		this.render();
		this.changed();
	}

	/** Computes the tree if the subject or the range has changed. @param subject null: the machine */
	update(subject: Subject | null, title: string, t0: number, t1: number) {
		const { trace } = this.view;
		const { calls } = trace;
		const of = JSON.stringify([subject, t0, t1]);
		if (!calls) return;
		if (of === this.of) {
			if (this.root) this.render();
			return;
		}
		this.of = of;
		this.root = null;
		this.title = title;
		this.cancel();
		const boxes = [byId('treebox'), byId('flamebox')];
		for (const box of boxes) box.setAttribute('aria-busy', 'true');
		this.cancel = inSlices(flameOf(trace, calls, subject, t0, t1), (root) => {
			this.root = root;
			for (const box of boxes) box.removeAttribute('aria-busy');
			this.render();
		}, { how: trace.length < 100000 ? 'once' : 'soon' });
	}

	render() {
		const { root, by, title } = this;
		if (!root) return;
		byId('flamebox').hidden = !root.children.length;
		if (this.shown === 'flame' && root.children.length) this.flame.show(root, by, title);
		if (root.children.length) this.tree.show(root, by, title);
		else byId('treebox').replaceChildren(make('p', 'empty', `${title}: nothing ran or waited in this time.`));
	}

	/** Draws the flame again if the palette has changed. */
	follow() {
		if (this.palette === this.view.palette) return;
		this.palette = this.view.palette;
		if (this.shown === 'flame') this.flame.draw();
	}

	/** Returns the lines of the tree for a file; null: the tree is not computed yet. */
	cells() {
		return this.root && treeCells(this.view, this.root, this.title);
	}

	/** Returns the state for the address: `~flame.cpu.large`. */
	get() {
		return this.shown === 'sums' ? '' : `~${this.shown}${this.by === 'cpu' ? '.cpu' : ''}${this.large ? '.large' : ''}`;
	}

	/** Sets the state from the result of get() at the end of an address. Returns the address without this end. */
	set(address: string) {
		const m = /~(tree|flame)(\.cpu)?(\.large)?$/.exec(address);
		this.by = m?.[2] ? 'cpu' : 'elapsed';
		this.large = Boolean(m?.[3]);
		this.shown = (m?.[1] ?? 'sums') as Shown;
		return m ? address.slice(0, m.index) : address;
	}
}
