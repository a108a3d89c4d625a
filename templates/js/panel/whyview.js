// SPDX-License-Identifier: BSD-3-Clause
/**
 * Why a process was not running, as sentences in the panel.
 * Never finds or draws the chain: ask/why.js finds it, draw/chain.js draws what it puts into the view.
 * Imported by shell/app.js.
 */
import { byId, make } from '../base/dom.js';
import { why } from '../ask/why.js';

/** @typedef {import('../scene/view.js').View} View */
/** @typedef {import('../ask/why.js').Link} Link */
/**
 * @param {View} view
 * @param {() => void} openPanel
 */
export function explaining(view, openPanel) {
	const box = byId('why');
	const clear = () => {
		if (!view.chain) return;
		view.chain = null;
		box.hidden = true;
		view.draw(false);
	};
	/** @param {Link} link */
	const show = (link) => {
		const width = Math.max(20, link.to - link.from);
		view.showBounded(link.from - width * 0.25, link.to + width * 0.25);
	};
	/**
	 * Explains the gap of a pid around a time.
	 * @param {number} pid
	 * @param {number} t
	 * @param {boolean} [staying] the picture stays where it is, and the panel as it is
	 * @returns {boolean} was there a gap?
	 */
	const explain = (pid, t, staying = false) => {
		const chain = pid > 0 ? why(view.trace, pid, t) : null;
		if (!chain) return false;
		view.chain = chain;
		byId('whytitle').textContent = `Why was ${view.trace.pidLabel(pid)} not running?`;
		const list = byId('whylist');
		list.replaceChildren(...chain.links.map((link) => {
			const item = make('li');
			const button = make('button', '', link.text);
			button.addEventListener('click', () => show(link));
			item.append(button);
			return item;
		}));
		byId('whyend').textContent = chain.end;
		box.hidden = false;
		view.draw(false);
		if (staying) return true;
		openPanel();
		view.rows.gather('PID', chain.links.flatMap((l) => [l.pid, l.waker]).filter((id) => id > 0));
		const from = Math.min(...chain.links.map((l) => l.from));
		const to = Math.max(...chain.links.map((l) => l.to));
		const tiny = to - from < (view.t1 - view.t0) / 12;
		if (tiny || from < view.t0 || to > view.t1) view.showBounded(from - (to - from) * 0.15, to + (to - from) * 0.15);
		view.draw();
		return true;
	};
	byId('closewhy').addEventListener('click', clear);
	return { explain, clear };
}
