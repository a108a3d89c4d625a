// SPDX-License-Identifier: BSD-3-Clause
/**
 * Makes the tables of the critical path, and its lines for a file or the clipboard. Must not compute the path, and must
 * insert names as text.
 */
import { byId, make } from '../base/dom.js';
import { segmentsOf } from '../ask/pathsums.js';
import { endWords } from '../ask/pathwords.js';

/** @typedef {import('../scene/view.js').View} View */
/** @typedef {import('../ask/path.js').Path} Path */

/** Maximum number of segments that are listed or copied; a file has all of them. */
export const MANY = 5000;

/** Formats seconds as in the file. @param {number} units */
export const seconds = (units) => (units / 1e8).toFixed(8);

/**
 * Makes a line of a table. A click calls go.
 * @param {string[]} cells
 * @param {number} words number of text cells
 * @param {() => void} go
 * @param {string} tip
 */
export function lineOf(cells, words, go, tip) {
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

/** @param {string} id @param {string} label @param {string[]} titles @param {number} words @param {HTMLElement[]} lines */
export function showTable(id, label, titles, words, lines) {
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

/** Yields the path as lines of cells. @param {View} view @param {Path} path @returns {Generator<(string | number)[]>} */
export function* written({ trace }, path) {
	yield trace.columns(['start_s', 'duration_s', 'pid', 'process', 'what', 'sort', 'cpu', 'then']);
	for (const { from, to, pid, text, sort, span, leg, last } of segmentsOf(trace, path)) {
		const cpu = span >= 0 ? trace.cpuOf(span) : leg.cpu;
		yield [seconds(from), seconds(to - from), pid, trace.pidLabel(pid), text, sort, cpu < 0 ? '' : cpu, last ? endWords(trace, leg) : ''];
	}
}

/** Copies text to the clipboard. @param {string} text @param {(text: string) => void} say */
export async function copy(text, say) {
	try {
		await navigator.clipboard.writeText(text);
		say('The path is copied.');
	} catch {
		say('This browser does not let a page copy.');
	}
}
