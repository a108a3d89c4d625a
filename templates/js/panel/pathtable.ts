// SPDX-License-Identifier: BSD-3-Clause
/**
 * Makes the tables of the critical path, and its lines for a file or the clipboard. Must not compute the path, and must
 * insert names as text.
 */
import { byId, make } from '../base/dom.ts';
import { segmentsOf } from '../ask/pathsums.ts';
import { endWords } from '../ask/pathwords.ts';
import type { Path } from '../ask/path.ts';
import type { View } from '../scene/view.ts';

/** Maximum number of segments that are listed or copied; a file has all of them. */
export const MANY = 5000;

/** Formats seconds as in the file. */
export const seconds = (units: number) => (units / 1e8).toFixed(8);

/**
 * Makes a line of a table. A click calls go.
 * @param words number of text cells
 */
export function lineOf(cells: string[], words: number, go: () => void, tip: string) {
	const row = make('tr');
	cells.forEach((text, i) => {
		const cell = make('td', i < words ? 'text' : '');
		if (i === 0) {
			const button = make('button', 'name', text);
			button.title = tip;
			cell.append(button);
		} else {
			cell.textContent = text;
		}
		row.append(cell);
	});
	row.addEventListener('click', go);
	return row;
}

export function showTable(id: string, label: string, titles: string[], words: number, lines: HTMLElement[]) {
	const table = make('table', 'pathtable');
	table.setAttribute('aria-label', label);
	const head = make('tr');
	head.append(...titles.map((title, i) => make('th', i < words ? 'text' : '', title)));
	const thead = make('thead');
	thead.append(head);
	const body = make('tbody');
	body.append(...lines);
	table.append(thead, body);
	byId(id).replaceChildren(table);
}

/** Yields the path as lines of cells. */
export function* written({ trace }: View, path: Path): Generator<(string | number)[]> {
	yield trace.columns(['start_s', 'duration_s', 'pid', 'process', 'what', 'kind', 'cpu', 'then']);
	for (const { from, to, pid, text, sort, span, leg, last } of segmentsOf(trace, path)) {
		const cpu = span >= 0 ? trace.cpuOf(span) : leg.cpu;
		yield [seconds(from), seconds(to - from), pid, trace.pidLabel(pid), text, sort, cpu < 0 ? '' : cpu, last ? endWords(trace, leg) : ''];
	}
}

/** Copies text to the clipboard. */
export async function copy(text: string, say: (text: string) => void) {
	try {
		await navigator.clipboard.writeText(text);
		say('The path is copied.');
	} catch {
		say('The browser blocked copying: save the path with [CSV].');
	}
}
