// SPDX-License-Identifier: BSD-3-Clause
/** Explains in the panel why a process was not running. ask/why.ts computes the chain, and draw/chain.ts draws it. */
import { byId, make } from '../base/dom.ts';
import * as format from '../base/format.ts';
import { why, type Link } from '../ask/why.ts';
import type { View } from '../scene/view.ts';

/** Number of links that are listed and drawn at first, and after [all]. */
const MOST_LINKS = 12;
const MANY_LINKS = 2000;

/** Makes the part of the panel that explains a gap. */
export function explaining(view: View, openPanel: () => void, path: (pid: number, from: number, to: number) => void) {
	const box = byId('why');
	/** Lists the first links, which are also drawn. */
	const list = (most: number) => {
		const { chain } = view;
		if (!chain) return;
		chain.shown = Math.min(most, chain.links.length);
		byId('whylist').replaceChildren(...chain.links.slice(0, chain.shown).map((link) =>
			make('li', '', [make('button', '', link.text, { click: () => show(link) })])));
		byId('whymore').hidden = chain.shown === chain.links.length;
		byId('whyrest').textContent = `and ${format.count(chain.links.length - chain.shown)} more `;
		byId('whyend').textContent = chain.end;
	};
	/** Ends the highlight of the explanation's rows. */
	let unmark = () => {};
	const clear = () => {
		if (!view.chain) return;
		view.chain = null;
		box.hidden = true;
		unmark();
		unmark = () => {};
		view.draw();
	};
	const show = (link: Link) => {
		const width = Math.max(20, link.to - link.from);
		view.showBounded(link.from - width * 0.25, link.to + width * 0.25);
	};
	/** Explains a process's gap around t. @param staying do not move picture and panel @returns whether there is a gap */
	const explain = (pid: number, t: number, staying = false): boolean => {
		const chain = pid > 0 ? why(view.trace, pid, t, view.selection?.t0) : null;
		if (!chain) return false;
		view.chain = chain;
		byId('whytitle').textContent = `Why was ${view.trace.pidLabel(pid)} not running?`;
		list(MOST_LINKS);
		box.hidden = false;
		view.draw(false);
		if (staying) return true;
		openPanel();
		const links = chain.links.slice(0, chain.shown);
		unmark();
		unmark = view.rows.marking(() => view.rows.gather('PID', links.flatMap((l) => [l.pid, l.waker]).filter((id) => id > 0)));
		// if the process did not exist at t, show t and the time at which the process begins or ended
		const from = Math.min(...links.map((l) => (l.absent === 'unborn' ? Math.min(t, l.to) : l.from)));
		const to = Math.max(...links.map((l) => (l.absent === 'exited' ? Math.max(t, l.from) : l.to)));
		const tiny = !links[0].absent && to - from < (view.t1 - view.t0) / 12;
		if (tiny || from < view.t0 || to > view.t1) view.showBounded(from - (to - from) * 0.15, to + (to - from) * 0.15);
		view.draw();
		return true;
	};
	byId('whyall').addEventListener('click', () => {
		list(MANY_LINKS);
		view.draw(false);
	});
	byId('whypath').addEventListener('click', () => {
		const first = view.chain?.links[0];
		if (first) path(first.pid, view.selection && view.selection.t0 < first.to ? view.selection.t0 : first.from, first.to);
	});
	byId('closewhy').addEventListener('click', clear);
	return { explain, clear };
}
