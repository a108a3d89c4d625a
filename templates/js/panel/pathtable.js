// SPDX-License-Identifier: BSD-3-Clause
/**
 * Tables of the critical path, and the path as lines for a file or the clipboard.
 * Never finds the path; names go in as text only. Imported by path.js.
 */
import { byId, make } from '../base/dom.js';
import { segmentsOf } from '../ask/pathsums.js';
import { endWords } from '../ask/pathwords.js';

/** @typedef {import('../scene/view.js').View} View */
/** @typedef {import('../ask/path.js').Path} Path */

/** Segments that are listed, or copied, at most; a file has them all. */
export const MANY = 5000;

/** Seconds as the file has them. @param {number} units */
export const seconds = (units) => (units / 1e8).toFixed(8);

/** A line of a table that leads somewhere. @param {string[]} cells @param {number} words how many of them are words @param {() => void} go @param {string} tip */
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

/** The path as lines of cells. @param {View} view @param {Path} path @returns {Generator<(string | number)[]>} */
export function* written({ trace }, path) {
	yield trace.columns(['start_s', 'duration_s', 'pid', 'process', 'what', 'sort', 'cpu', 'then']);
	for (const { from, to, pid, text, sort, span, leg, last } of segmentsOf(trace, path)) {
		const cpu = span >= 0 ? trace.cpuOf(span) : leg.cpu;
		yield [seconds(from), seconds(to - from), pid, trace.pidLabel(pid), text, sort, cpu < 0 ? '' : cpu, last ? endWords(trace, leg) : ''];
	}
}

/** Puts text where it can be pasted. @param {string} text @param {(text: string) => void} say */
export async function copy(text, say) {
	try {
		await navigator.clipboard.writeText(text);
		say('The path is copied.');
	} catch {
		say('This browser does not let a page copy.');
	}
}
