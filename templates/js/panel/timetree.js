// SPDX-License-Identifier: BSD-3-Clause
/**
 * The two pictures of the tree of time in the pane of a process: a table that opens, and a flame, which has the table below it, and also fits over the
 * trace's picture; by what elapses or by time on a CPU.
 * Never adds up itself (ask/flame.js), nor twice for both. Imported by process.js.
 */
import { byId, make } from '../base/dom.js';
import { flameOf } from '../ask/flame.js';
import { inSlices } from '../ask/slices.js';
import { Flame } from './flame.js';
import { Tree, treeCells } from './tree.js';

/** @typedef {import('../ask/flame.js').Node} Node */
/** @typedef {import('../ask/process.js').Subject} Subject */
/** @typedef {import('./nodes.js').Measure} Measure */
/** @typedef {import('../scene/view.js').View} View */
/** Which of them is shown; sums: neither. @typedef {'sums' | 'tree' | 'flame'} Shown */

export class TimeTree {
	/** @param {View} view @param {(span: number) => void} jump */
	constructor(view, jump) {
		this.view = view;
		/** @type {Shown} */
		this.shown = 'sums';
		/** @type {Measure} */
		this.by = 'elapsed';
		this.large = false;
		this.title = '';
		/** @type {Node | null} */
		this.root = null;
		/** What root is of. */
		this.of = '';
		/** The colours of the flame. */
		this.palette = view.palette;
		this.tree = new Tree(view, byId('treebox'), (span) => {
			// the picture is to be seen then
			if (this.large) this.enlarge(false);
			jump(span);
		}, (by) => this.measure(by));
		this.flame = new Flame(view, byId('flamebox'));
		this.give = () => {};
		/** Called when the address has something else to keep. */
		this.changed = () => {};
		byId('flameby').addEventListener('change', () => this.measure(/** @type {HTMLSelectElement} */ (byId('flameby')).value === 'cpu' ? 'cpu' : 'elapsed'));
		byId('flamewide').addEventListener('click', () => this.enlarge(!this.large));
		byId('flamenarrow').addEventListener('click', () => this.enlarge(false));
		byId('flamelarge').addEventListener('keydown', (event) => {
			if (event.code !== 'Escape') return;
			event.stopPropagation();
			this.enlarge(false);
		});
	}

	/** Which of them is to be seen. @param {Shown} shown */
	show(shown) {
		this.shown = shown;
		this.place(true);
	}

	/** Hides what cannot be seen. @param {boolean} seen can the pane be seen? */
	place(seen) {
		const over = seen && this.large && this.shown === 'flame';
		byId('treebox').hidden = this.shown === 'sums';
		byId('flamehome').hidden = this.shown !== 'flame' || over;
		byId('flamewide').hidden = this.shown !== 'flame';
		byId('flamewide').setAttribute('aria-pressed', String(over));
		byId('flameby').hidden = this.shown === 'sums';
		/** @type {HTMLSelectElement} */ (byId('flameby')).value = this.by;
		if (byId('flamelarge').hidden === over) this.flame.place(over, byId('flamehome'));
	}

	/** @param {boolean} large over the picture */
	enlarge(large) {
		this.large = large;
		this.place(true);
		this.changed();
		if (large) this.flame.canvas.focus();
		else if (this.shown === 'flame') byId('flamewide').focus();
	}

	/** @param {Measure} by */
	measure(by) {
		this.by = by;
		this.place(true);
		this.render();
		this.changed();
	}

	/**
	 * Adds up, unless it has.
	 * @param {Subject | null} subject null: the machine
	 * @param {string} title
	 * @param {number} t0
	 * @param {number} t1
	 */
	update(subject, title, t0, t1) {
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
		this.give();
		const boxes = [byId('treebox'), byId('flamebox')];
		for (const box of boxes) box.setAttribute('aria-busy', 'true');
		this.give = inSlices(flameOf(trace, calls, subject, t0, t1), (root) => {
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
		else byId('treebox').replaceChildren(make('p', 'empty', 'Nothing of this ran here.'));
	}

	/** Colours that have changed. */
	follow() {
		if (this.palette === this.view.palette) return;
		this.palette = this.view.palette;
		if (this.shown === 'flame') this.flame.draw();
	}

	/** Returns the lines of a file; null: they have not been added up yet. */
	cells() {
		return this.root && treeCells(this.view, this.root, this.title);
	}

	/** For the address: `~flame.cpu.large`. */
	get() {
		return this.shown === 'sums' ? '' : `~${this.shown}${this.by === 'cpu' ? '.cpu' : ''}${this.large ? '.large' : ''}`;
	}

	/** What of() made, at the end of an address; gives the rest of that. @param {string} address */
	set(address) {
		const m = /~(tree|flame)(\.cpu)?(\.large)?$/.exec(address);
		this.by = m?.[2] ? 'cpu' : 'elapsed';
		this.large = Boolean(m?.[3]);
		this.shown = /** @type {Shown} */ (m?.[1] ?? 'sums');
		return m ? address.slice(0, m.index) : address;
	}
}
