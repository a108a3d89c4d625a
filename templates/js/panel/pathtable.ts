// SPDX-License-Identifier: BSD-3-Clause
/** Makes the tables of the critical path, and the lines of the path for a file or the clipboard. Must insert names as text. */
import { byId, make } from '../base/dom.ts';
import { segmentsOf } from '../ask/pathsums.ts';
import { endWords } from '../ask/pathwords.ts';
import type { Path } from '../ask/path.ts';
import type { View } from '../scene/view.ts';

/** Maximum number of segments that are listed or copied; a file has all of them. */
export const MANY = 5000;

/** Formats a time as seconds with all digits, as in the file. */
export const seconds = (units: number) => (units / 1e8).toFixed(8);

/** Makes a line of a table. A click calls go. @param words number of text cells */
export function lineOf(cells: string[], words: number, go: () => void, tip: string) {
	const content = (text: string, i: number) => (i ? text : [make('button', 'name', text, { title: tip })]);
	return make('tr', '', cells.map((text, i) => make('td', i < words ? 'text' : '', content(text, i))), { click: go });
}

export function showTable(id: string, label: string, titles: string[], words: number, lines: HTMLElement[]) {
	const head = titles.map((title, i) => make('th', i < words ? 'text' : '', title));
	byId(id).replaceChildren(make('table', 'pathtable', [make('thead', '', [make('tr', '', head)]), make('tbody', '', lines)], { 'aria-label': label }));
}

/** Yields the segments of the path as lines of cells, after a line of headings. */
export function* written({ trace }: View, path: Path): Generator<(string | number)[]> {
	yield trace.columns(['start_s', 'duration_s', 'pid', 'process', 'what', 'kind', 'cpu', 'then']);
	for (const { from, to, pid, text, sort, span, leg, last } of segmentsOf(trace, path)) {
		const cpu = span >= 0 ? trace.cpuOf(span) : leg.cpu;
		yield [seconds(from), seconds(to - from), trace.pidOf(pid), trace.pidLabel(pid), text, sort, cpu < 0 ? '' : cpu, last ? endWords(trace, leg) : ''];
	}
}
