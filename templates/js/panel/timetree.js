// SPDX-License-Identifier: BSD-3-Clause
/**
 * Shows the tree of time in the process pane: as a table whose lines open, and as a flame above this table. The flame can
 * also cover the trace's picture. Both show elapsed time or time on a CPU. Must not sum itself (ask/flame.js does), and
 * must sum only once for both.
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
/** Which view is shown; sums: neither tree nor flame. @typedef {'sums' | 'tree' | 'flame'} Shown */

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
		/** State for which root was computed. */
		this.of = '';
		/** The palette of the flame. */
		this.palette = view.palette;
		this.tree = new Tree(view, byId('treebox'), (span) => {
			// the user wants to see the picture now
			if (this.large) this.enlarge(false);
			jump(span);
		}, (by) => this.measure(by));
		this.flame = new Flame(view, byId('flamebox'));
		this.give = () => {};
		/** Called when the state for the address has changed. */
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

	/** @param {Shown} shown */
	show(shown) {
		this.shown = shown;
		this.place(true);
	}

	/** Shows and hides the elements. @param {boolean} seen whether the pane is visible */
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

	/** Shows the flame over the picture, or in the panel again. @param {boolean} large */
	enlarge(large) {
		this.large = large;
		this.place(true);
		this.changed();
		if (large) this.flame.canvas.focus();
		else if (this.shown === 'flame') byId('flamewide').focus();
	}

	/** Selects elapsed time or time on a CPU. @param {Measure} by */
	measure(by) {
		this.by = by;
		this.place(true);
		this.render();
		this.changed();
	}

	/**
	 * Computes the tree if it has changed.
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

	/** Draws the flame again if the palette has changed. */
	follow() {
		if (this.palette === this.view.palette) return;
		this.palette = this.view.palette;
		if (this.shown === 'flame') this.flame.draw();
	}

	/** Returns the lines of a file; null: the tree is not computed yet. */
	cells() {
		return this.root && treeCells(this.view, this.root, this.title);
	}

	/** Returns the state for the address: `~flame.cpu.large`. */
	get() {
		return this.shown === 'sums' ? '' : `~${this.shown}${this.by === 'cpu' ? '.cpu' : ''}${this.large ? '.large' : ''}`;
	}

	/** Sets the state from the result of get() at the end of an address. Returns the rest of the address. @param {string} address */
	set(address) {
		const m = /~(tree|flame)(\.cpu)?(\.large)?$/.exec(address);
		this.by = m?.[2] ? 'cpu' : 'elapsed';
		this.large = Boolean(m?.[3]);
		this.shown = /** @type {Shown} */ (m?.[1] ?? 'sums');
		return m ? address.slice(0, m.index) : address;
	}
}
