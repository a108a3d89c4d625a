// SPDX-License-Identifier: BSD-3-Clause
/**
 * Shows below the histogram: the shortest and the longest match, and a line for each process. A click narrows the search to
 * that process. Must not sum itself (ask/foundby.js does), and must insert names as text.
 */
import { byId, make } from '../base/dom.js';
import * as format from '../base/format.js';
import { inPieces } from '../base/pieces.js';
import { FoundBy } from '../ask/foundby.js';

/** @typedef {import('../scene/view.js').View} View */
/** @typedef {import('../ask/search.js').Matches} Matches */

/** Maximum number of lines. */
const MOST_LINES = 100;

/**
 * Makes the table.
 * @param {View} view
 * @param {(span: number) => void} jump
 * @param {(pid: number) => void} narrow
 */
export function foundBy(view, jump, narrow) {
	const box = byId('foundby');
	const ends = byId('foundends');
	/** The matches and the range that are shown. */
	let of = { matches: /** @type {Matches | null} */ (null), t0: 0, t1: 0 };
	let stop = () => {};

	/** @param {string} text @param {string} label @param {string} tip @param {() => void} press */
	const button = (text, label, tip, press) => {
		const b = make('button', 'link', text);
		b.title = tip;
		b.setAttribute('aria-label', label);
		b.addEventListener('click', press);
		return b;
	};
	/** @param {FoundBy} sums */
	const render = (sums) => {
		ends.replaceChildren();
		box.replaceChildren();
		if (!sums.count) return;
		for (const [what, span, time] of /** @type {const} */ ([['shortest', sums.shortest, sums.least], ['longest', sums.longest, sums.most]]))
			ends.append(`${what} `, button(format.duration(time), `${what} match: ${format.duration(time)}, go there`, `go to the ${what} match`, () => jump(span)), '  ');
		const table = make('table', 'lines');
		const head = make('tr');
		for (const title of ['process', 'matches', 'total', 'longest']) head.append(make('th', title === 'process' ? 'text' : '', view.trace.term(title)));
		table.append(make('thead'), make('tbody'));
		table.children[0].append(head);
		const list = sums.list;
		for (const { pid, count, elapsed, most, longest } of list.slice(0, MOST_LINES)) {
			const label = view.trace.pidLabel(pid);
			const row = make('tr');
			const cells = [make('td', 'text'), make('td', '', format.count(count)), make('td', '', format.brief(elapsed)), make('td')];
			cells[0].append(button(label, `${label}: search only this process`, 'search only this process', () => narrow(pid)));
			cells[3].append(button(format.brief(most), `longest of ${label}: ${format.brief(most)}, go there`, 'go to it', () => jump(longest)));
			row.append(...cells);
			table.children[1].append(row);
		}
		box.append(table);
		if (list.length > MOST_LINES) box.append(make('p', 'empty', `and ${format.count(list.length - MOST_LINES)} processes more: the pane Query has them all`));
	};
	return {
		/** Updates the table. Must be called when the search or the selection has changed. */
		update: () => {
			const { matches, selection, trace } = view;
			const t0 = selection?.t0 ?? trace.first;
			const t1 = selection?.t1 ?? Infinity;
			if (matches === of.matches && t0 === of.t0 && t1 === of.t1) return;
			of = { matches, t0, t1 };
			stop();
			const sums = new FoundBy();
			if (matches) stop = inPieces(sums.work(matches, t0, t1), { first: 6, done: () => render(sums) });
			else render(sums);
		},
	};
}
