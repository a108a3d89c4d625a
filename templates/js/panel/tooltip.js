// SPDX-License-Identifier: BSD-3-Clause
/**
 * All data of one span, beside the pointer or the cursor.
 * Never rounds a number away: the row is there as it is in the JSON. Names go in as text only.
 * Imported by shell/app.js and cursor.js.
 */
import { ipcText, llcText, steps } from '../base/counters.js';
import { byId, make } from '../base/dom.js';
import { returnText } from '../base/errno.js';
import * as format from '../base/format.js';
import { Kind, kindLabel } from '../base/kinds.js';

/** @typedef {import('../scene/view.js').View} View */
/** @typedef {import('../data/trace.js').Trace} Trace */

/** @param {View} view @param {number} span */
export function tooltipLines(view, span) {
	const { trace, timeBase } = view;
	const row = trace.row(span);
	const kind = trace.kind(span);
	const start = trace.start[span];
	/** @type {[string, string][]} */
	const lines = [
		['start', `${format.seconds(start)}   ${format.wallClock(timeBase, start, 8)}`],
		['duration', `${format.duration(trace.dur[span])}   (${format.seconds(trace.dur[span])})`],
	];
	if (row[2] >= 0) lines.push(['CPU', String(row[2])]);
	if (row[3] >= 0) lines.push(['process', row[3] === 0 ? '0 (idle)' : `${row[3]}   ${trace.pidLabel(row[3])}`]);
	if (row[4] > 0) lines.push(['RPC', String(row[4])]);
	lines.push(['kind', kindLabel(kind)]);
	if (trace.shown(span) !== row[9]) lines.push(['in the data', row[9]]);
	lines.push(['event', `${row[5]}   0x${(row[5] >>> 0).toString(16)}`]);
	if (kind === Kind.WAKE) {
		lines.push(['wakes', `${trace.pidLabel(row[7])} on CPU ${row[6]}`]);
	} else if (kind === Kind.SYSCALL) {
		lines.push(['arg0', `${row[6]}   0x${row[6].toString(16)}`], ['returned', returnText(row[7])]);
	} else if (row[6] || row[7]) {
		lines.push(['arg0', `${row[6]}   0x${row[6].toString(16)}`]);
		if (row[7]) lines.push(['value', String(row[7])]);
	}
	if (trace.hasIpc) {
		const { ipc, llc } = steps(trace.counted, row[8]);
		if (ipc) lines.push(['IPC', ipcText(ipc)]);
		if (llc) lines.push(['LLC misses', llcText(llc)]);
	}
	return { title: trace.label(span), lines, raw: rawRow(trace, span) };
}

/** The row as its line of the JSON, but for the padding. @param {Trace} trace @param {number} span */
export function rawRow(trace, span) {
	const row = trace.row(span);
	return `[${row[0].toFixed(8)}, ${row[1].toFixed(8)}, ${row.slice(2, 9).join(', ')}, ${JSON.stringify(row[9])}]`;
}

/** @param {View} view @param {number | null} span @param {number} x client @param {number} y client */
export function showTooltip(view, span, x, y) {
	const tip = byId('tip');
	if (span === null) {
		tip.hidden = true;
		return;
	}
	const { title, lines, raw } = tooltipLines(view, span);
	const table = make('table');
	for (const [name, value] of lines) {
		const line = make('tr');
		line.append(make('th', '', name), make('td', '', value));
		table.append(line);
	}
	tip.replaceChildren(make('b', '', title), table, make('code', '', raw));
	tip.hidden = false;
	const { width, height } = tip.getBoundingClientRect();
	const left = x + 16 + width < innerWidth ? x + 16 : Math.max(4, x - width - 16);
	const top = y + 18 + height < innerHeight ? y + 18 : Math.max(4, y - height - 14);
	tip.style.left = `${left}px`;
	tip.style.top = `${top}px`;
}
