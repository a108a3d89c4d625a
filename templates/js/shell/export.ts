// SPDX-License-Identifier: BSD-3-Clause
/** Implements the Save menu. Must not send data: the browser saves the files. No cell of a table is a formula. */
import { byId, closeOutside } from '../base/dom.ts';
import { kindLabel } from '../base/kinds.ts';
import { isCall, type Calls } from '../data/calls.ts';
import { UNITS_PER_SECOND } from '../data/trace.ts';
import { png, svg } from './pictures.ts';
import type { Picture } from '../draw/picture.ts';
import type { File } from '../panel/panes.ts';
import type { View } from '../scene/view.ts';
import type { Tell } from './message.ts';

const fileName = (view: View, end: string) => `${String(view.trace.header.title || 'kutrace').replace(/[^\p{L}\p{N}._-]+/gu, '-').slice(0, 60)}.${end}`;

function save(blob: Blob, name: string) {
	const link = document.createElement('a');
	link.href = URL.createObjectURL(blob);
	link.download = name;
	link.click();
	setTimeout(() => URL.revokeObjectURL(link.href), 10000);
}

/** Saves a text as a file. @param end end of the file's name */
export const saveText = (view: View, text: string, type: string, end: string) => save(new Blob([text], { type }), fileName(view, end));

/** Formats one cell. Puts ' before a text that a spreadsheet would take for a formula. */
export function cell(value: string | number) {
	if (typeof value === 'number') return String(value);
	const text = /^[=+@\t\r]|^-(?![\w ]*-?$)/.test(value) && !/^-?[\d.]+$/.test(value) ? `'${value}` : value;
	return /[",\n\r]/.test(text) ? `"${text.replace(/"/g, '""')}"` : text;
}

/** Returns the spans that touch the selection or the shown range, as they are in span JSON. */
function spansCsv(view: View) {
	const { trace } = view;
	const { t0, t1 } = view.selection ?? view;
	const spans: number[] = [];
	for (const list of trace.cpus.values())
		for (let i = list.first(t0); i < list.length && list.start(i) < t1; i++) spans.push(list.at(i));
	for (let g = trace.others.lo; g < trace.others.hi && trace.start[g] < t1; g++)
		if (trace.end(g) > t0 || trace.start[g] >= t0) spans.push(g);
	spans.sort((a, b) => trace.start[a] - trace.start[b] || a - b);
	const parts = [`${trace.columns(['start_s', 'duration_s', 'cpu', 'pid', 'rpc', 'event', 'arg0', 'retval', 'ipc', 'name'])}\r\n`];
	for (const g of spans) {
		const row = trace.row(g);
		parts.push(`${(trace.start[g] / UNITS_PER_SECOND).toFixed(8)},${(trace.dur[g] / UNITS_PER_SECOND).toFixed(8)},` +
			`${row.slice(2).map((v) => cell(v)).join(',')}\r\n`);
	}
	return new Blob(parts, { type: 'text/csv' });
}

/** Returns which parts of a call are missing or inferred. */
const lacks = ({ noBegin, noEnd, guessed }: ReturnType<Calls['of']>) =>
	[noBegin && 'beginning', noEnd && 'end', guessed && 'inferred'].filter(Boolean).join(' ');

/** Returns the calls that touch the selection or the shown range. The calls are not cut off at the ends of the range. */
function callsCsv(view: View, calls: Calls) {
	const { trace } = view;
	const { t0, t1 } = view.selection ?? view;
	const firsts: number[] = [];
	for (const list of trace.cpus.values())
		for (let i = list.first(t0); i < list.length && list.start(i) < t1; i++)
			if (isCall(list.kind(i)) && calls.at(list.at(i)) < 0) firsts.push(list.at(i));
	const { begin, elapsed } = calls.joined;
	for (let call = 0; call < calls.count && begin[call] < t1; call++)
		if (begin[call] + elapsed[call] > t0) firsts.push(calls.firstOf(call));
	firsts.sort((a, b) => trace.start[a] - trace.start[b] || a - b);
	const seconds = (units: number) => (units / UNITS_PER_SECOND).toFixed(8);
	const parts = [`${trace.columns(['start_s', 'elapsed_s', 'on_cpu_s', 'not_running_s', 'pieces', 'lacks', 'cpu', 'last_cpu', 'pid', 'process', 'kind', 'event', 'arg0',
		'retval', 'name'])}\r\n`];
	for (const g of firsts) {
		const call = calls.of(g);
		const last = call.pieces[call.pieces.length - 1];
		const row = trace.row(last);
		parts.push([seconds(call.begin), seconds(call.elapsed), seconds(call.own), seconds(call.away), call.pieces.length, lacks(call),
			trace.cpuOf(g), row[2], row[3], cell(trace.pidLabel(trace.pid[last])), kindLabel(trace.kind(g)), row[5], row[6], row[7], cell(trace.texts[calls.name(g)])].join(',') + '\r\n');
	}
	return new Blob(parts, { type: 'text/csv' });
}

/** Saves a table, or reports why it cannot be saved now. */
export function saveTable(view: View, file: File, tell: Tell) {
	if (typeof file === 'string') tell(file);
	else saveCells(view, file.cells, file.name);
}

/** Saves the lines of a table. @param name end of the file's name */
export function saveCells(view: View, cells: Iterable<(string | number)[]>, name: string) {
	const lines = Array.from(cells, (line) => `${line.map(cell).join(',')}\r\n`);
	save(new Blob(lines, { type: 'text/csv' }), fileName(view, name.replace(/[^\p{L}\p{N}._-]+/gu, '-')));
}

/** Copies the picture to the clipboard, for a report. If the browser does not allow copying, suggests another way. */
function copyPicture(picture: Picture, tell: Tell, savePng: () => void) {
	const refused = () => tell('This browser does not let a page that was opened from a file copy pictures.', { label: 'save it as a file', run: savePng });
	// the browser requires an immediate request, and accepts a promise
	const made = png(picture).then((blob) => blob ?? Promise.reject(new Error('no picture')));
	try {
		navigator.clipboard.write([new ClipboardItem({ 'image/png': made })])
			.then(() => tell('The picture is on the clipboard, with title, legend and notes.'), refused);
	} catch {
		refused();
	}
}

/** Copies the address to the clipboard. @param left returns in words the state for which the address has no room */
function copyLink(tell: Tell, left: () => string) {
	const { href } = location;
	const out = left();
	const besides = out ? ` It has no room for ${out}: save them with Save, views and notes.` : '';
	const refused = () => tell(`The browser blocked copying. Copy the address from the address bar.${besides}`);
	try {
		navigator.clipboard.writeText(href).then(() => tell(`The address is on the clipboard.${besides}`), refused);
	} catch {
		refused();
	}
}

/**
 * Connects the Save menu.
 * @param table returns the table of the visible pane
 * @param views actions for views and notes
 * @param left returns in words the state for which the address has no room
 */
export function saving(picture: Picture, table: () => File, views: {save: () => void, choose: () => void}, tell: Tell, left: () => string) {
	const { view } = picture;
	const menu = byId('save') as HTMLDetailsElement;
	const item = (id: string, action: () => void) => byId(id).addEventListener('click', () => {
		menu.open = false;
		action();
	});
	const savePng = () => void png(picture).then((blob) => {
		if (blob) save(blob, fileName(view, 'png'));
	});
	item('savepng', savePng);
	item('copypicture', () => copyPicture(picture, tell, savePng));
	item('copylink', () => copyLink(tell, left));
	item('savesvg', () => save(new Blob([svg(picture)], { type: 'image/svg+xml' }), fileName(view, 'svg')));
	item('savecsv', () => save(spansCsv(view), fileName(view, 'csv')));
	item('savecalls', () => {
		if (view.trace.calls) save(callsCsv(view, view.trace.calls), fileName(view, 'calls.csv'));
		else tell('The parts of calls are still being joined: save the calls after that.');
	});
	item('savetable', () => saveTable(view, table(), tell));
	item('saveviews', views.save);
	item('openviews', views.choose);
	closeOutside(menu);
}
