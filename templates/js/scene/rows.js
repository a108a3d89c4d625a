// SPDX-License-Identifier: BSD-3-Clause
/**
 * Groups and rows and where they stand: what is open, what is highlighted, scrolling and zooming up and down.
 * Never knows of time or colours.
 * Imported by view.js; everybody reaches rows through the view.
 */
import { programOf } from '../base/kinds.js';

/** @typedef {import('../data/trace.js').Trace} Trace */
/** @typedef {import('../data/spans.js').SpanList} SpanList */

/**
 * @typedef {object} RowOf a row of the picture; y and h in CSS pixels of the plot
 * @property {string} group CPU, PID or RPC
 * @property {number} id CPU, pid or RPC id
 * @property {string} label
 * @property {SpanList} spans
 * @property {SpanList | null} waits
 * @property {number} y
 * @property {number} h
 */

/** @typedef {{name: string, state: 'open' | 'marked' | 'closed', y: number, count: number, weight: number, load: () => RowOf[], rows: RowOf[] | null, waits: () => boolean}} Group */

export const GROUP_HEIGHT = 22;
const GAP = 3;
const MIN_UNIT = 11;
/** A CPU's row shows more than a process's: never lower than this. */
const MIN_CPU = 36;
/** Rows grow no higher than this, or than a twelfth of the picture. */
const MAX_UNIT = 60;
const SHRUNK = 4;

export class Rows {
	/** @param {Trace} trace */
	constructor(trace) {
		/** @param {string} group @param {() => import('../data/trace.js').Process[]} source */
		const processes = (group, source) => () =>
			source().map(({ id, label, spans, waits }) => ({ group, id, label, spans, waits, y: 0, h: 0 }));
		const never = () => false;
		/** waits: its rows will be there in a moment, at no cost. @type {Group[]} */
		this.groups = [{
			name: 'CPU', state: /** @type {const} */ ('open'), y: 0, count: trace.cpus.size, weight: 2, rows: null, waits: never,
			load: () => [...trace.cpus].map(([cpu, spans]) => ({
				group: 'CPU', id: cpu, label: `CPU ${cpu}`, spans, waits: null, y: 0, h: 0,
			})),
		}, {
			name: 'PID', state: /** @type {const} */ ('closed'), y: 0, count: -1, weight: 1, rows: null, waits: () => trace.sorting,
			load: processes('PID', () => trace.processes()),
		}];
		if (trace.hasRpc)
			this.groups.push({
				name: 'RPC', state: 'closed', y: 0, count: -1, weight: 1, rows: null, waits: never,
				load: processes('RPC', () => trace.rpcs()),
			});
		if (trace.hasResources)
			this.groups.push({
				name: 'Resource', state: 'closed', y: 0, count: -1, weight: 1, rows: null, waits: never,
				load: processes('Resource', () => trace.resources()),
			});
		/** Is there anything in the row to be seen? null: rows are not pruned. @type {((row: RowOf) => boolean) | null} */
		this.present = null;
		/** Rows that stand out; the rest is grey. @type {Set<string>} */
		this.marked = new Set();
		this.scroll = 0;
		/** Set by the user's vertical zoom; 1 = as high as fits. */
		this.zoom = 1;
		/** @type {RowOf[]} */
		this.visible = [];
		this.contentHeight = 0;
		this.height = 100;
		/** Goes up whenever a row may stand elsewhere or look different. */
		this.version = 0;
	}

	/** @param {RowOf} row */
	static key(row) {
		return `${row.group} ${row.id}`;
	}

	/** @param {Group} group @returns {RowOf[]} */
	rowsOf(group) {
		if (!group.rows) {
			group.rows = group.load();
			group.count = group.rows.length;
		}
		return group.rows;
	}

	/** Those that are there and not pruned. @param {Group} group @returns {RowOf[]} */
	kept(group) {
		if (!group.rows && group.waits()) return [];
		const rows = this.rowsOf(group);
		return this.present && group.name !== 'CPU' ? rows.filter(this.present) : rows;
	}

	/**
	 * Open -> closed -> open; with highlighted rows in it: open -> the others
	 * shrunk -> closed -> open.
	 * @param {string} name
	 */
	toggle(name) {
		const group = this.groups.find((g) => g.name === name);
		if (!group) return;
		const some = group.state === 'open' && (group.rows ?? []).some((r) => this.marked.has(Rows.key(r)));
		group.state = group.state === 'closed' ? 'open' : some ? 'marked' : 'closed';
		this.layout(this.height);
	}

	/** Places everything for a plot of height CSS pixels. @param {number} height */
	layout(height) {
		this.height = height;
		this.version++;
		let weights = 0;
		let fixed = 0;
		const kept = this.groups.map((group) => (group.state === 'closed' ? [] : this.kept(group)));
		for (const [i, group] of this.groups.entries()) {
			fixed += GROUP_HEIGHT;
			if (group.state === 'closed') continue;
			const rows = kept[i];
			for (const row of rows) {
				if (this.#shrunk(group, row)) fixed += SHRUNK;
				else weights += group.weight;
			}
			fixed += rows.length * GAP;
		}
		const fitting = Math.min(Math.max(MAX_UNIT, height / 12), Math.max(MIN_UNIT, (height - fixed - 6) / Math.max(1, weights)));
		const unit = fitting * this.zoom;
		/** @param {Group} group */
		const high = (group) => Math.max(group.weight * unit, group.name === 'CPU' ? MIN_CPU * Math.min(1, this.zoom) : 0);
		this.contentHeight = this.groups.reduce((sum, group, i) => sum + GROUP_HEIGHT + (group.state === 'closed' ? 0 :
			kept[i].reduce((n, row) => n + GAP + (this.#shrunk(group, row) ? SHRUNK : high(group)), 0)), 0);
		this.scroll = Math.max(0, Math.min(this.scroll, this.contentHeight - height));
		let y = -this.scroll;
		this.visible = [];
		for (const [i, group] of this.groups.entries()) {
			group.y = y;
			y += GROUP_HEIGHT;
			if (group.state === 'closed') continue;
			for (const row of kept[i]) {
				row.y = y;
				row.h = this.#shrunk(group, row) ? SHRUNK : high(group);
				if (row.y + row.h > 0 && row.y < height) this.visible.push(row);
				y += row.h + GAP;
			}
		}
	}

	/** @param {Group} group @param {RowOf} row */
	#shrunk(group, row) {
		return group.state === 'marked' && !this.marked.has(Rows.key(row));
	}

	/** @param {number} pixels down */
	scrollBy(pixels) {
		this.scroll += pixels;
		this.layout(this.height);
	}

	/** Zooms so that what is at y stays there. @param {number} factor @param {number} y */
	zoomAt(factor, y) {
		const before = this.contentHeight;
		this.zoom = Math.min(40, Math.max(0.2, this.zoom * factor));
		this.layout(this.height);
		this.scroll = ((this.scroll + y) * this.contentHeight) / before - y;
		this.layout(this.height);
	}

	reset() {
		this.zoom = 1;
		this.scroll = 0;
		this.layout(this.height);
	}

	/** The row at y, or the nearest one. @param {number} y @param {boolean} nearest */
	at(y, nearest = false) {
		let best = null;
		let distance = nearest ? Infinity : GAP;
		for (const row of this.visible) {
			const d = y < row.y ? row.y - y : Math.max(0, y - row.y - row.h);
			if (d < distance) {
				distance = d;
				best = row;
			}
		}
		return best;
	}

	/** @param {string} group @param {number} id */
	find(group, id) {
		return this.visible.find((r) => r.group === group && r.id === id) ?? null;
	}

	/** The rows of a group that are on the screen, by their number. @param {string} group @returns {Map<number, RowOf>} */
	byId(group) {
		return new Map(this.visible.filter((r) => r.group === group).map((r) => [r.id, r]));
	}

	/**
	 * The row, with its group opened and scrolled to it if it was out of sight.
	 * @param {string} name
	 * @param {number} id
	 * @returns {RowOf | null}
	 */
	ensure(name, id) {
		const group = this.groups.find((g) => g.name === name);
		const row = group ? this.rowsOf(group).find((r) => r.id === id) : undefined;
		if (!group || !row) return null;
		if (group.state === 'closed') {
			group.state = 'open';
			this.layout(this.height);
		}
		if (!this.visible.includes(row) || row.y < 0 || row.y + row.h > this.height)
			this.scrollBy(row.y + row.h / 2 - this.height / 2);
		return row;
	}

	/**
	 * Opens a group so that these rows can be seen together: when they do not fit,
	 * they are highlighted and the others shrunk.
	 * @param {string} name
	 * @param {number[]} ids
	 */
	gather(name, ids) {
		const group = this.groups.find((g) => g.name === name);
		if (!group || !ids.length) return;
		if (group.state === 'closed') group.state = 'open';
		this.layout(this.height);
		const wanted = this.rowsOf(group).filter((r) => ids.includes(r.id));
		/** @param {RowOf} r */
		const seen = (r) => this.visible.includes(r) && r.y >= 0 && r.y + r.h <= this.height && r.h >= MIN_UNIT;
		if (wanted.every(seen)) return;
		for (const row of wanted) this.marked.add(Rows.key(row));
		group.state = 'marked';
		this.scroll = 0;
		this.layout(this.height);
		const first = Math.min(...wanted.map((r) => r.y));
		const last = Math.max(...wanted.map((r) => r.y + r.h));
		if (last > this.height) this.scrollBy(Math.min(first - GROUP_HEIGHT, last - this.height + 8));
	}

	/** Is the row drawn in grey, because others stand out? @param {RowOf} row */
	greyed(row) {
		return this.marked.size > 0 && !this.marked.has(Rows.key(row));
	}

	/** @param {RowOf} row */
	toggleMark(row) {
		const key = Rows.key(row);
		if (!this.marked.delete(key)) this.marked.add(key);
		this.#unmarkGroups();
	}

	/** Marks the rows whose name begins like this one's, up to the first . / - or digit. @param {RowOf} row */
	markPrefix(row) {
		const prefix = row.group === 'CPU' ? row.label : programOf(row.label).split(/[./:\-0-9]/)[0] || row.label;
		const keys = this.groups.filter((g) => g.name === row.group)
			.flatMap((g) => this.rowsOf(g)).filter((r) => r.label.startsWith(prefix)).map(Rows.key);
		const all = keys.every((k) => this.marked.has(k));
		for (const key of keys) {
			if (all) this.marked.delete(key);
			else this.marked.add(key);
		}
		this.#unmarkGroups();
	}

	clearMarks() {
		this.marked.clear();
		this.#unmarkGroups();
	}

	#unmarkGroups() {
		for (const group of this.groups)
			if (group.state === 'marked' && !this.rowsOf(group).some((r) => this.marked.has(Rows.key(r))))
				group.state = 'open';
		this.layout(this.height);
	}
}
