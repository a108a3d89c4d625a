// SPDX-License-Identifier: BSD-3-Clause
/**
 * Shows below the histogram: the shortest and the longest match, and a line for each process. A click narrows the search to
 * that process. Must not sum itself (ask/foundby.ts does), and must insert names as text.
 */
import { byId, make } from '../base/dom.ts';
import * as format from '../base/format.ts';
import { inPieces } from '../base/pieces.ts';
import { FoundBy } from '../ask/foundby.ts';
import type { Matches } from '../ask/search.ts';
import type { View } from '../scene/view.ts';

/** Maximum number of lines. */
const MOST_LINES = 100;

/** Makes the table of matches by process. */
export function foundBy(view: View, jump: (span: number) => void, narrow: (pid: number) => void) {
	const box = byId('foundby');
	const ends = byId('foundends');
	/** The matches and the range that are shown. */
	let of = { matches: null as Matches | null, t0: 0, t1: 0 };
	let stop = () => {};

	const button = (text: string, label: string, tip: string, press: () => void) => {
		const b = make('button', 'link', text);
		b.title = tip;
		b.setAttribute('aria-label', label);
		b.addEventListener('click', press);
		return b;
	};
	const render = (sums: FoundBy) => {
		ends.replaceChildren();
		box.replaceChildren();
		if (!sums.count) return;
		for (const [what, span, time] of [['shortest', sums.shortest, sums.least], ['longest', sums.longest, sums.most]] as const)
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
			cells[3].append(button(format.brief(most), `longest of ${label}: ${format.brief(most)}, go there`, 'go to the longest', () => jump(longest)));
			row.append(...cells);
			table.children[1].append(row);
		}
		box.append(table);
		if (list.length > MOST_LINES) box.append(make('p', 'empty', `and ${format.count(list.length - MOST_LINES)} more processes: the pane Query shows all`));
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
