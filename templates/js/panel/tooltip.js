// SPDX-License-Identifier: BSD-3-Clause
/**
 * Shows all data of one span beside the pointer or the cursor. Must also show the row exactly as in span JSON, with all
 * digits. Must insert names as text.
 */
import * as Event from '../base/events.js';
import { ipcText, llcText, steps } from '../base/counters.js';
import { byId, make } from '../base/dom.js';
import * as format from '../base/format.js';
import { Kind, kindLabel } from '../base/kinds.js';
import { arcFacts, arcTitle } from '../ask/others.js';
import { spanName } from '../ask/waitname.js';
import { isCall } from '../data/calls.js';
import { fullLabel } from '../scene/rows.js';
import { when } from '../scene/times.js';
import { textOf } from './parts.js';

/** @typedef {import('../scene/view.js').View} View */
/** @typedef {import('../data/trace.js').Trace} Trace */

/**
 * Returns elapsed time, time on CPU and time away of the call that a span is a part of.
 * @param {View} view
 * @param {number} span
 * @returns {[string, string][]}
 */
function callLines(view, span) {
	const { trace } = view;
	if (!isCall(trace.kind(span))) return [];
	const { calls } = trace;
	if (!calls) return [['call', 'its pieces are being joined']];
	const { pieces, part, begin, elapsed, own, away, noBegin, noEnd, guessed } = calls.of(span);
	const cut = [...(noBegin ? ['its beginning is not in the trace'] : []), ...(noEnd ? ['its end is not in the trace'] : []),
		...(guessed ? ['its beginning or end was not recorded'] : [])];
	if (pieces.length === 1) return cut.length ? [['call', cut.join(', ')]] : [];
	const bound = noBegin || noEnd ? '\u2265 ' : '';
	const row = view.hover?.row ?? null;
	return [
		['call', `part ${part} of ${format.count(pieces.length)}${cut.length ? `; ${cut.join(', ')}` : ''}`],
		['elapsed', `${bound}${format.duration(elapsed)}   (${when(view, begin, row)} to ${when(view, begin + elapsed, row)})`],
		[trace.term('on CPU'), `${bound}${format.duration(own)}   not running ${format.duration(away)}, interrupted ${format.duration(elapsed - own - away)}`],
	];
}

/** Returns the facts about a wakeup or IPI. @param {View} view @param {number} span @returns {[string, string][]} */
const arcLines = (view, span) => arcFacts(view.trace, span).map(({ term, parts }) => [term, textOf(view, parts)]);

/** Returns the content of the tooltip. @param {View} view @param {number} span */
export function tooltipLines(view, span) {
	const { trace } = view;
	const row = trace.row(span);
	const kind = trace.kind(span);
	if (kind === Kind.WAKE || kind === Kind.IPI)
		return { title: arcTitle(trace, span), lines: arcLines(view, span), raw: rawRow(trace, span) };
	const start = trace.start[span];
	/** @type {[string, string][]} */
	const lines = [
		['start', when(view, start, view.hover?.row ?? null)],
		['duration', `${format.duration(trace.dur[span])}   (${format.seconds(trace.dur[span])})`],
	];
	lines.push(...callLines(view, span));
	if (row[2] >= 0) lines.push([trace.term('CPU'), String(row[2])]);
	if (row[3] >= 0) lines.push([trace.term('process'), row[3] === 0 ? '0 (idle)' : `${row[3]}   ${trace.pidLabel(row[3])}`]);
	if (row[4] > 0) lines.push(['RPC', String(row[4])]);
	lines.push(['kind', kindLabel(kind)]);
	if (trace.shown(span) !== row[9]) lines.push(['in the data', row[9]]);
	lines.push(['event', `${row[5]}   0x${(row[5] >>> 0).toString(16)}`]);
	lines.push(...valueLines(trace, span, row, kind));
	if (trace.hasIpc) {
		const { ipc, llc } = steps(trace.counted, row[8]);
		if (ipc) lines.push(['IPC', ipcText(ipc)]);
		if (llc) lines.push(['LLC misses', llcText(llc)]);
	}
	return { title: spanName(trace, span), lines, raw: rawRow(trace, span) };
}

/**
 * Returns the meaning of the argument and the return value, with units.
 * @param {Trace} trace
 * @param {number} span
 * @param {import('../data/trace.js').Row} row
 * @param {number} kind
 * @returns {[string, string][]}
 */
function valueLines(trace, span, [, , , , , event, arg, ret], kind) {
	if (kind === Kind.FREQ) return [['frequency', `${arg} MHz`]];
	if (kind === Kind.PC && arg) return [['frequency', `${arg} MHz`]];
	if (event === Event.MBIT_SEC) return [['speed', `${arg} Mbit/s`]];
	if (kind === Kind.SYSCALL) return [['arg0', `${arg}   0x${arg.toString(16)}`], ['returned', trace.returned(span) || 'its end is not in the trace']];
	/** @type {[string, string][]} */
	const lines = arg || ret ? [['arg0', `${arg}   0x${arg.toString(16)}`]] : [];
	if (ret) lines.push(['value', String(ret)]);
	return lines;
}

/** Returns the row as its line of span JSON, without padding. @param {Trace} trace @param {number} span */
export function rawRow(trace, span) {
	const row = trace.row(span);
	return `[${row[0].toFixed(8)}, ${row[1].toFixed(8)}, ${row.slice(2, 9).join(', ')}, ${JSON.stringify(row[9])}]`;
}

/**
 * Shows the tooltip of a span.
 * @param {View} view
 * @param {number | null} span
 * @param {number} x client coordinate
 * @param {number} y client coordinate
 */
export function showTooltip(view, span, x, y) {
	if (span === null) {
		byId('tip').hidden = true;
		return;
	}
	const { title, lines, raw } = tooltipLines(view, span);
	showTip(title, lines, raw, x, y);
}

/**
 * Shows the full name of a row if its label is shortened, and all programs that ran under its pid.
 * @param {View} view
 * @param {import('../scene/rows.js').RowOf | null} row null: hides the tooltip
 * @param {MouseEvent | null} event
 */
export function showLabel(view, row, event) {
	const full = row ? fullLabel(row) : '';
	if (!row || !event || (!row.programs.length && view.drawn.rowLabels.find((l) => l.row === row)?.text === full)) {
		byId('tip').hidden = true;
		return;
	}
	/** @type {[string, string][]} */
	const lines = row.programs.length ? [['was', row.programs.slice(0, -1).join(', then ')], ['is', row.programs[row.programs.length - 1]]] : [];
	showTip(full, lines, null, event.clientX, event.clientY);
}

/**
 * Shows the tooltip beside a point.
 * @param {string} title
 * @param {[string, string][]} lines
 * @param {string | null} raw text below the lines
 * @param {number} x client coordinate
 * @param {number} y client coordinate
 */
export function showTip(title, lines, raw, x, y) {
	const tip = byId('tip');
	const table = make('table');
	for (const [name, value] of lines) {
		const line = make('tr');
		line.append(make('th', '', name), make('td', '', value));
		table.append(line);
	}
	tip.replaceChildren(make('b', '', title), table);
	if (raw !== null) tip.append(make('code', '', raw));
	tip.hidden = false;
	const { width, height } = tip.getBoundingClientRect();
	const left = x + 16 + width < innerWidth ? x + 16 : Math.max(4, x - width - 16);
	const top = y + 18 + height < innerHeight ? y + 18 : Math.max(4, y - height - 14);
	tip.style.left = `${left}px`;
	tip.style.top = `${top}px`;
}
