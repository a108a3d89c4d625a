// SPDX-License-Identifier: BSD-3-Clause
/**
 * Reads and writes views and notes in the format of KUtrace 3: the keys "extra" and "savedview" after the events. Adds data
 * under a key of this page. Must not trust its input. Unknown values are written again unchanged.
 */
import { plainSeconds } from '../base/format.ts';
import { hash } from '../base/palette.ts';
import { duration } from '../ask/quantities.ts';
import { MOST_NOTES, callout, noteOfCallout, type Note } from '../scene/notes.ts';
import type { Trace } from '../data/trace.ts';
import type { View } from '../scene/view.ts';

export interface SavedViews {
	notes: Note[];
	views: (string | null)[]; /* views of the slots, as capture() returns them */
	last: string | null; /* the view that was shown when the file was written */
	extra: unknown[]; /* other values in "extra" */
	savedview: unknown[]; /* views for which there is no slot */
	trace: string; /* identity() of the trace of these views; '': not given */
	lost: number; /* number of notes and views that are invalid or not in this trace */
}

/** Maximum length of an opened file, letters. A file of views and notes is not longer. */
export const MOST_LETTERS = 8e6;
/** Maximum number of views without a slot, and of other values in "extra". */
const MOST_OTHERS = 1000;
const MOST_VIEW = 20000;
const SLOTS = 5;
/** Names of the buttons in KUtrace 3. */
const LABELS = ['&#x21d0;', '&#x2780;', '&#x2781;', '&#x2782;', '&#x2783;', '&#x2784;'];
/** Key for the additions of this page in views and files. */
const OURS = 'kutrace';

const isObject = (value: unknown): value is Record<string, any> => typeof value === 'object' && value !== null && !Array.isArray(value);

/** Parses JSON; null if it is invalid. */
function parsed(text: string | null | undefined) {
	try {
		return JSON.parse(text || 'null');
	} catch {
		return null;
	}
}

/** Returns the time range in the text of a view. @returns units of 10 ns */
function timesOf({ trace }: View, text: string): [number, number] {
	const m = /^(-?[\d.]+)-(-?[\d.]+)$/.exec(new URLSearchParams(text).get('t') ?? '');
	const [from, to] = m ? [Math.round(Number(m[1]) * 1e8), Math.round(Number(m[2]) * 1e8)] : [NaN, NaN];
	return to > from ? [from, to] : [trace.first, trace.last];
}

/** Returns the text of a view from an element of "savedview"; undefined: invalid. */
function viewOf(view: View, entry: unknown): string | null | undefined {
	const saved = Array.isArray(entry) ? entry[1] : undefined;
	if (saved === null) return null;
	const { xleft_ts: left, xright_ts: right, [OURS]: ours } = (typeof saved === 'string' ? parsed(saved.slice(0, MOST_VIEW)) : saved) ?? {};
	if (!Number.isFinite(left) || !Number.isFinite(right)) return undefined;
	const [from, to] = [Math.round(left * 1e8), Math.round(right * 1e8)];
	if (!(to > from) || to <= view.trace.first || from >= view.trace.last) return undefined;
	// KUtrace 3 retains unknown values. If KUtrace 3 has moved a view, the text of this page no longer describes the view
	const near = (a: number, b: number) => Math.abs(a - b) <= 2;
	if (typeof ours === 'string' && ours.length <= MOST_VIEW && timesOf(view, ours).every((t, i) => near(t, [from, to][i]))) return ours;
	return `t=${plainSeconds(from)}-${plainSeconds(to)}`;
}

/** Reads views and notes from an object. @returns null: the object has no views and notes */
export function readViews(view: View, keys: unknown): SavedViews | null {
	if (!isObject(keys) || (!Array.isArray(keys.extra) && !Array.isArray(keys.savedview))) return null;
	const read: SavedViews = { notes: [], views: new Array(SLOTS).fill(null), last: null, extra: [], savedview: [], trace: '', lost: 0 };
	for (const row of (Array.isArray(keys.extra) ? keys.extra : [])) {
		const note = noteOfCallout(view, row);
		if (note && read.notes.length < MOST_NOTES) read.notes.push(note);
		else if (note === undefined && read.extra.length < MOST_OTHERS) read.extra.push(row);
		else read.lost++;
	}
	for (const [i, entry] of (Array.isArray(keys.savedview) ? keys.savedview : []).entries()) {
		const text = viewOf(view, entry);
		if (i > SLOTS && read.savedview.length < MOST_OTHERS) read.savedview.push(entry);
		else if (text === undefined || i > SLOTS) read.lost++;
		else if (i === 0) read.last = text;
		else read.views[i - 1] = text;
	}
	if (isObject(keys[OURS]) && typeof keys[OURS].trace === 'string') read.trace = keys[OURS].trace;
	return read;
}

export const viewsOfPage = (view: View): SavedViews => readViews(view, parsed(document.getElementById('kutrace-behind')?.textContent)) ??
	{ notes: [], views: [], last: null, extra: [], savedview: [], trace: '', lost: 0 };

/** Returns a view in the format of KUtrace 3, which also contains the text of the view. @param text result of capture() */
function savedview(view: View, text: string) {
	const { rows, trace } = view;
	const p = new URLSearchParams(text);
	const [from, to] = timesOf(view, text);
	const on = (p.get('o') ?? '').split('.');
	const open = (p.get('g') ?? '').split('.');
	const is = (word: string) => Number(on.includes(word));
	const one = (option: string, values: Record<string, number>) => Object.entries(values).find(([word]) => on.includes(`${option}-${word}`))?.[1] ?? 0;
	const groups = ['CPU', 'PID', 'RPC', 'Resource'].map((name) => rows.groups.find((g) => g.name === name));
	const [low, high] = /^(.*?)\.\.(.*)$/.exec(p.get('u') ?? '')?.slice(1).map((limit) => (duration(limit.toLowerCase()) ?? 0) / 100) ?? [0, 0];
	const k = (trace.last - trace.first) / (to - from);
	const x = -((from - trace.first) / (to - from)) * view.width;
	return {
		savedtransformX: { k, x, y: 0 }, rangeX: Math.round(view.width), xleft_ts: from / 1e8, xright_ts: to / 1e8,
		savedtransformY: { k: 1, x: 0, y: 0 }, rangeY: Math.round(view.height), ytop_track: 0, ybot_track: 0,
		grouplength: groups.map((group) => Math.max(0, group?.count ?? 0)),
		groupcompress: groups.map((group) => (open.includes(`${group?.name}!`) ? 1 : open.includes(group?.name ?? '') ? 2 : 0)),
		grouplabelypos: [0, 0, 0, 0], groupfirsttrack: [0, 0, 0, 0], grouphashilite: [0, 0, 0, 0],
		annottype_value: 0, annotateuser_value: is('user'), annotateall_value: is('all'),
		// -1: the trace has no such events
		marks_value: one('mark', { both: 3, text: 2, numbers: 1 }), arcs_value: 2 * is('arc'), freq_value: trace.frequencies.size ? 2 * is('freq') : -1,
		waits_value: 1, ipc_value: trace.hasIpc ? one('ipc', { both: 3, user: 2, kernel: 1 }) : -1, samp_value: trace.samples.size ? 2 * is('samp') : -1,
		ovhd_value: 1, lock_value: trace.locks.length ? 2 * is('lock') : -1, cb_value: is('cb'),
		searchnot_value: Number(p.get('i') === '1'), search_text: p.get('q') ?? '', minmax_units_value: 1,
		usec_lo_time: low, usec_hi_time: high, basetime0_value: is('relative'), hack_value: 0,
		annotated_one_d: -1, rowToHilite: [], dummy: 0, [OURS]: text,
	};
}

/**
 * Returns the text of a file for `makeself --views`, with the slots and the current view.
 * @param others values of the opened file that the page cannot show
 */
export function writeViews(view: View, views: (string | null)[], now: string, others: {extra: unknown[], savedview: unknown[]}) {
	const all = [now, ...views].map((text, i) => [LABELS[i], text === null ? null : savedview(view, text)]);
	/** Formats an array with each item on its own line. */
	const lines = (items: unknown[]) => `[${items.map((item) => `\n  ${JSON.stringify(item)}`).join(',')}\n]`;
	const extra = [...view.notes.map((note) => callout(view.trace, note)), ...others.extra];
	const ours = { version: 1, title: String(view.trace.header.title || ''), trace: identity(view.trace) };
	return `{\n"extra" : ${lines(extra)},\n"savedview" : ${lines([...all, ...others.savedview])},\n"${OURS}" : ${JSON.stringify(ours)}\n}\n`;
}

/**
 * Returns a text that identifies the recording. It is the same for a trimmed trace and another file name, and reveals no
 * content.
 */
export function identity({ header }: Trace) {
	const id = header.start?.trace_id;
	if (typeof id === 'string' && /^[\w-]{8,64}$/.test(id)) return id;
	const what = [header.randomid, header.tracebase, header.hostName, header.kernelVersion].map(String).join('\n');
	return [what, `${what}\n`].map((text) => hash(text).toString(16).padStart(8, '0')).join('');
}

/** Returns a text that identifies the part of the recording in this page. */
export const pageIdentity = (trace: Trace) => [identity(trace), trace.first, trace.last, trace.length].join('.');
