// SPDX-License-Identifier: BSD-3-Clause
/** Shows the shortest and the longest match (ask/foundby.ts), and for each process a line that narrows the search to it. */
import { byId, make } from '../base/dom.ts';
import * as format from '../base/format.ts';
import { inTimedSlices } from '../base/slices.ts';
import { FoundBy } from '../ask/foundby.ts';
import type { Matches } from '../ask/search.ts';
import type { View } from '../scene/view.ts';

const MOST_LINES = 100;

export function foundBy(view: View, jump: (span: number) => void, narrow: (pid: number) => void) {
	const box = byId('foundby');
	const ends = byId('foundends');
	/** The matches and the range that are shown. */
	let of = { matches: null as Matches | null, t0: 0, t1: 0 };
	let stop = () => {};

	const button = (text: string, label: string, title: string, click: () => void) => make('button', 'link', text, { title, 'aria-label': label, click });
	const render = (sums: FoundBy) => {
		ends.replaceChildren();
		box.replaceChildren();
		if (!sums.count) return;
		for (const [what, span, time] of [['shortest', sums.shortest, sums.least], ['longest', sums.longest, sums.most]] as const)
			ends.append(`${what} `, button(format.duration(time), `${what} match: ${format.duration(time)}, go there`, `go to the ${what} match`, () => jump(span)), '  ');
		const head = ['process', 'matches', 'total', 'longest'].map((title) => make('th', title === 'process' ? 'text' : '', view.trace.term(title)));
		const list = sums.list;
		const rows = list.slice(0, MOST_LINES).map(({ pid, count, units, most, longest }) => {
			const label = view.trace.pidLabel(pid);
			return make('tr', '', [
				make('td', 'text', [button(label, `${label}: search only this process`, 'search only this process', () => narrow(pid))]),
				make('td', '', format.count(count)), make('td', '', format.brief(units)),
				make('td', '', [button(format.brief(most), `longest of ${label}: ${format.brief(most)}, go there`, 'go to the longest match', () => jump(longest))]),
			]);
		});
		box.append(make('table', 'lines', [make('thead', '', [make('tr', '', head)]), make('tbody', '', rows)]));
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
			if (matches) stop = inTimedSlices(sums.work(matches, t0, t1), { first: 6, done: () => render(sums) });
			else render(sums);
		},
	};
}
