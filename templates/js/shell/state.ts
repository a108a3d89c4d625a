// SPDX-License-Identifier: BSD-3-Clause
/** Converts the view to text and back, for the address and the slots. Must not trust an address: invalid values change nothing. */
import { UNITS, plainSeconds as written } from '../base/format.ts';
import { orderOf } from '../scene/order.ts';
import { TIMES } from '../scene/times.ts';
import type { File } from '../panel/panes.ts';
import type { Table } from '../panel/table.ts';
import type { AddressPart, View } from '../scene/view.ts';

export interface App {
	view: View;
	search: {get: () => {pattern: string, invert: boolean, from: string, to: string}, set: (query: {pattern: string, invert: boolean, from: string, to: string}) => void};
	selection: {set: (a: number, b: number) => void, clear: () => void, open: (on: boolean) => void, isOpen: () => boolean, table: Table};
	pane: {open: (id: string) => void, current: () => string, file: () => File}; /* the panes of the panel */
	addressParts: AddressPart[]; /* other parts of the address, in the order in which they must be set */
	refresh: () => void; /* updates buttons and boxes from the options */
}

const FLAGS = ['user', 'all', 'arc', 'lock', 'freq', 'samp', 'cb', 'prune', 'relative', 'use', 'arcBold', 'lockBold', 'freqOver'] as const;
const WORDS = { mark: ['both', 'text', 'numbers', 'off'], ipc: ['off', 'both', 'user', 'kernel'], time: TIMES, unit: UNITS };

/** Returns the time range of a text. @returns units of 10 ns */
function rangeOf(text: string | null): [number, number] | null {
	const m = /^(-?\d+(?:\.\d+)?)-(-?\d+(?:\.\d+)?)$/.exec(text ?? '');
	if (!m) return null;
	const [a, b] = [Math.round(Number(m[1]) * 1e8), Math.round(Number(m[2]) * 1e8)];
	return Number.isFinite(a) && Number.isFinite(b) && b > a ? [a, b] : null;
}

/** Returns the row keys in a text: `PID.104_CPU.0` gives `PID 104` and `CPU 0`. */
const rowKeys = (text: string | null): string[] => (text ?? '').split('_').filter((key) => /^[A-Za-z]+\.-?\d+$/.test(key)).map((key) => key.replace('.', ' '));

/** Characters that stay readable in an address. */
const READABLE = /%(?:2C|2F|3A|3B|40|7E)/g;

/**
 * Returns the view as text:
 * #t=7.84584054-7.84752914&g=CPU.PID&m=PID.104&q=futex&u=2-3&i=1&s=7.845-7.846&o=arc.mark-text&f=nginx&r=cpu&k=PID.104_CPU.0
 * @param whole also the parts that belong to the page, not to a view
 */
export function capture(app: App, whole = false) {
	const { view, search, selection } = app;
	const { rows, trace, options } = view;
	const p = new URLSearchParams();
	if (view.t0 !== trace.first || view.t1 !== trace.last) p.set('t', `${written(view.t0)}-${written(view.t1)}`);
	p.set('g', rows.groups.filter((g) => g.state !== 'closed').map((g) => g.name + (g.state === 'marked' ? '!' : '')).join('.'));
	if (rows.marked.size) p.set('m', [...rows.marked].slice(0, 200).map((k) => k.replace(' ', '.')).join('_'));
	if (rows.pinned.size) p.set('k', [...rows.pinned].slice(0, 50).map((k) => k.replace(' ', '.')).join('_'));
	if (rows.filter) p.set('f', rows.filter);
	if (rows.order !== 'number') p.set('r', rows.order);
	if (rows.zoom !== 1) p.set('z', rows.zoom.toFixed(3));
	if (rows.scroll) p.set('y', String(Math.round(rows.scroll)));
	const q = search.get();
	if (q.pattern) p.set('q', q.pattern);
	if (q.invert) p.set('i', '1');
	if (q.from || q.to) p.set('u', `${q.from}..${q.to}`);
	if (view.selection) p.set('s', `${written(view.selection.t0)}-${written(view.selection.t1)}`);
	if (!selection.isOpen()) p.set('p', '0');
	else if (selection.table.tab.id !== 'processes') p.set('p', selection.table.tab.id);
	p.set('o', [...FLAGS.filter((f) => options[f]), `mark-${options.mark}`, `ipc-${options.ipc}`, `time-${options.time}`, ...options.unit === 'auto' ? [] : [`unit-${options.unit}`]].join('.'));
	if (options.time === 'mark') p.set('zero', written(view.zero));
	for (const part of app.addressParts) {
		const text = part.ofPage && !whole ? '' : part.get();
		if (text) p.set(part.name, text);
	}
	if (app.pane.current() !== 'tables') p.set('v', app.pane.current());
	return p.toString().replace(READABLE, decodeURIComponent);
}

/** Describes the state for which the address has no space; '': none. */
export const leftOut = ({ addressParts }: App) => addressParts.map((part) => part.left?.() ?? '').filter(Boolean).join(', ');

/** Sets the view from text. @param text result of capture() @param whole as in capture() */
export function apply(app: App, text: string, whole = false) {
	const { view, search, selection } = app;
	const { rows, trace, options } = view;
	const p = new URLSearchParams(text);
	if (p.has('o')) {
		const set = (p.get('o') ?? '').split('.');
		for (const f of FLAGS) options[f] = set.includes(f);
		for (const [name, words] of Object.entries(WORDS)) {
			const word = words.find((w) => set.includes(`${name}-${w}`));
			if (word) Object.assign(options, { [name]: word });
		}
		if (!UNITS.some((unit) => set.includes(`unit-${unit}`))) options.unit = 'auto';
	}
	const zero = Number(p.get('zero')) * 1e8;
	if (p.has('zero') && Number.isFinite(zero)) view.zero = Math.round(zero);
	if (p.has('g')) {
		rows.asked = true;
		const open = (p.get('g') ?? '').split('.');
		for (const g of rows.groups) g.state = open.includes(`${g.name}!`) ? 'marked' : open.includes(g.name) ? 'open' : 'closed';
	}
	rows.marked = new Set(rowKeys(p.get('m')));
	rows.repin(rowKeys(p.get('k')).slice(0, 50));
	try {
		rows.filter = (p.get('f') ?? '').slice(0, 200);
	} catch {
		rows.filter = '';
	}
	rows.order = orderOf(p.get('r'));
	rows.zoom = Math.min(40, Math.max(0.2, Number(p.get('z')) || 1));
	rows.scroll = Math.max(0, Number(p.get('y')) || 0);
	rows.layout(rows.height);
	const u = /^(.*?)\.\.(.*)$/.exec(p.get('u') ?? '');
	search.set({ pattern: (p.get('q') ?? '').slice(0, 1000), invert: p.get('i') === '1', from: u?.[1] ?? '', to: u?.[2] ?? '' });
	const panel = p.get('p') ?? 'processes';
	selection.open(panel !== '0');
	if (panel !== '0') selection.table.choose(panel);
	const s = rangeOf(p.get('s'));
	if (s) selection.set(s[0], s[1]);
	else if (view.selection) selection.clear();
	const t = rangeOf(p.get('t'));
	if (t) view.showBounded(t[0], t[1]);
	else view.show(trace.first, trace.last);
	for (const part of app.addressParts) if (whole || !part.ofPage) part.set(p.get(part.name) ?? '');
	if (panel !== '0') app.pane.open(p.get('v') ?? 'tables');
	app.refresh();
	view.draw();
}
