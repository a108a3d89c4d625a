// SPDX-License-Identifier: BSD-3-Clause
/** Shows all data of a span beside the pointer, and its row exactly as in span JSON. x and y are client coordinates. */
import * as Event from '../base/events.ts';
import { ipcText, llcText, steps } from '../base/counters.ts';
import { byId, make } from '../base/dom.ts';
import * as format from '../base/format.ts';
import { Kind, kindLabel } from '../base/kinds.ts';
import { arcFacts, arcTitle } from '../ask/others.ts';
import { spanName } from '../ask/waitname.ts';
import { isCall } from '../data/calls.ts';
import { fullLabel, type RowOf } from '../scene/rows.ts';
import { when } from '../scene/times.ts';
import { textOf } from './parts.ts';
import type { Row, Trace } from '../data/trace.ts';
import type { View } from '../scene/view.ts';

/** Returns the times of the call that a span is a part of: elapsed, on CPU, and not running. */
function callLines(view: View, span: number): [string, string][] {
	const { trace } = view;
	if (!isCall(trace.kind(span))) return [];
	const { calls } = trace;
	if (!calls) return [['call', 'its parts are still being joined']];
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

const arcLines = (view: View, span: number): [string, string][] => arcFacts(view.trace, span).map(({ term, parts }) => [term, textOf(view, parts)]);

export function tooltipLines(view: View, span: number) {
	const { trace } = view;
	const row = trace.row(span);
	const kind = trace.kind(span);
	if (kind === Kind.WAKE || kind === Kind.IPI)
		return { title: arcTitle(trace, span), lines: arcLines(view, span), raw: rawRow(trace, span) };
	const start = trace.start[span];
	const lines: [string, string][] = [
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

/** Returns the meaning of the argument and the return value, with units. */
function valueLines(trace: Trace, span: number, [, , , , , event, arg, ret]: Row, kind: number): [string, string][] {
	if (kind === Kind.FREQ) return [['frequency', `${arg} MHz`]];
	if (kind === Kind.PC && arg) return [['frequency', `${arg} MHz`]];
	if (event === Event.MBIT_SEC) return [['speed', `${arg} Mbit/s`]];
	if (kind === Kind.SYSCALL) return [['arg0', `${arg}   0x${arg.toString(16)}`], ['returned', trace.returned(span) || 'its end is not in the trace']];
	const lines: [string, string][] = arg || ret ? [['arg0', `${arg}   0x${arg.toString(16)}`]] : [];
	if (ret) lines.push(['value', String(ret)]);
	return lines;
}

/** Returns the row of a span as a line of span JSON, without padding. */
export function rawRow(trace: Trace, span: number) {
	const row = trace.row(span);
	return `[${row[0].toFixed(8)}, ${row[1].toFixed(8)}, ${row.slice(2, 9).join(', ')}, ${JSON.stringify(row[9])}]`;
}

export function showTooltip(view: View, span: number | null, x: number, y: number) {
	if (span === null) {
		byId('tip').hidden = true;
		return;
	}
	const { title, lines, raw } = tooltipLines(view, span);
	showTip(title, lines, raw, x, y);
}

/** Shows the full name of a row if its label is shortened, and all programs of its pid. @param row null: hides the tooltip */
export function showLabel(view: View, row: RowOf | null, event: MouseEvent | null) {
	const full = row ? fullLabel(row) : '';
	if (!row || !event || (!row.programs.length && view.drawn.rowLabels.find((l) => l.row === row)?.text === full)) {
		byId('tip').hidden = true;
		return;
	}
	const lines: [string, string][] = row.programs.length ? [['earlier programs', row.programs.slice(0, -1).join(', then ')], ['last program', row.programs[row.programs.length - 1]]] : [];
	showTip(full, lines, null, event.clientX, event.clientY);
}

/** Shows the tooltip beside a point. @param raw text below the lines */
export function showTip(title: string, lines: [string, string][], raw: string | null, x: number, y: number) {
	const tip = byId('tip');
	const rows = lines.map(([name, value]) => make('tr', '', [make('th', '', name), make('td', '', value)]));
	tip.replaceChildren(make('b', '', title), make('table', '', rows));
	if (raw !== null) tip.append(make('code', '', raw));
	tip.hidden = false;
	const { width, height } = tip.getBoundingClientRect();
	const left = x + 16 + width < innerWidth ? x + 16 : Math.max(4, x - width - 16);
	const top = y + 18 + height < innerHeight ? y + 18 : Math.max(4, y - height - 14);
	tip.style.left = `${left}px`;
	tip.style.top = `${top}px`;
}
