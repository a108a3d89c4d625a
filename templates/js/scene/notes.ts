// SPDX-License-Identifier: BSD-3-Clause
/**
 * Converts the user's notes to text in addresses, and to callouts in files of KUtrace 3 ("extra"). Must treat the text of a
 * note as plain text: one line of limited length, without characters that reverse the writing direction.
 */
import { plainSeconds } from '../base/format.ts';
import { threadAt, unitsOf } from './spanaddress.ts';
import type { Trace } from '../data/trace.ts';
import type { View } from './view.ts';

/** t: units of 10 ns; group: '' if the note belongs to all rows. */
export type Note = {t: number, group: string, id: number, text: string};

/** Maximum number of letters in a note, and of notes in a trace. */
export const MOST_LETTERS = 400;
export const MOST_NOTES = 500;

/** Event number of a callout in KUtrace 3, and how the callout points: pixels to the right, rows up. */
const CALLOUT = -4;
const POINTING = [10, -0.4, 0];

const GROUPS = ['CPU', 'PID', 'RPC', 'Resource', 'Machine'];

/** Returns one line of plain text from any input. */
export const plainText = (text: unknown) => (typeof text === 'string' ? text : '').slice(0, 4 * MOST_LETTERS)
	.replace(/[\u202a-\u202e\u2066-\u2069\u200e\u200f\ufeff]|[\ud800-\udbff](?![\udc00-\udfff])|(?<![\ud800-\udbff])[\udc00-\udfff]/g, '')
	.replace(/[\s\u0000-\u001f\u007f-\u009f]+/g, ' ').trim().slice(0, MOST_LETTERS);

const rowText = (group: string, id: number) => (group ? `${group}.${id}` : 'at');

function rowOf(text: unknown): {group: string, id: number} | null {
	const [, group, id] = /^(\w+)\.(-?\d{1,10})$/.exec(String(text)) ?? [];
	if (text === 'at') return { group: '', id: 0 };
	return GROUPS.includes(group) ? { group, id: Number(id) } : null;
}

/** Returns the id of a row as texts and files contain it: for a thread, the pid. */
const numberOf = (trace: Trace, { group, id }: Note) => (group === 'PID' ? trace.pidOf(id) : id);

/**
 * Returns a note with the id of its row.
 * @param note its id is the result of numberOf()
 * @returns null: the trace does not contain the time or the CPU of the note
 */
function placed({ trace }: View, note: Note): Note | null {
	const { t, group, id, text } = note;
	if (text === '' || !(t >= trace.first && t <= trace.last) || (group === 'CPU' && !trace.cpus.has(id))) return null;
	return group === 'PID' ? { ...note, id: threadAt(trace, id, t) } : note;
}

/** Returns a note as text: `PID.104_7.84584054_why so late?`. The address joins notes by ~. */
export const noteText = (trace: Trace, note: Note) => `${rowText(note.group, numberOf(trace, note))}_${plainSeconds(note.t)}_${note.text.replace(/%/g, '%25').replace(/~/g, '%7E')}`;

/**
 * Returns the note that a text describes. null: the text is not a note, or its time or row is not in the trace.
 * @param text result of noteText(), or any other text
 */
export function noteOf(view: View, text: string): Note | null {
	const m = /^([\w.-]{2,30})_([\d.-]{1,20})_(.*)$/s.exec(text);
	const row = m && rowOf(m[1]);
	if (!m || !row) return null;
	return placed(view, { t: unitsOf(m[2]), ...row, text: plainText(m[3].replace(/%7E/g, '~').replace(/%25/g, '%')) });
}

/** Returns a note as a callout. KUtrace 3 does not have rows of all groups, so an additional value names the row if necessary. */
export function callout(trace: Trace, note: Note) {
	const { t, group, text } = note;
	const id = numberOf(trace, note);
	const of = (name: string) => (group === name ? id : -1);
	const theirs = ['CPU', 'PID', 'RPC'].includes(group);
	const row = [t / 1e8, 0.00000001, theirs ? of('CPU') : 0, of('PID'), of('RPC'), CALLOUT, ...POINTING, text];
	return theirs ? row : [...row, rowText(group, id)];
}

/** Returns the note of an element of "extra". @returns null: not in this trace; undefined: not a callout */
export function noteOfCallout(view: View, row: unknown): Note | null | undefined {
	if (!Array.isArray(row) || row[5] !== CALLOUT) return undefined;
	const [t, , cpu, pid, rpc] = row;
	const named = row.length > 10 ? rowOf(row[10]) : null;
	const is = (id: unknown, least: number) => Number.isInteger(id) && Number(id) >= least;
	const [group, id] = named ? [named.group, named.id] : is(cpu, 0) ? ['CPU', cpu] : is(pid, 1) ? ['PID', pid] : is(rpc, 1) ? ['RPC', rpc] : ['', 0];
	if (!Number.isFinite(t) || Math.abs(t) > 1e10) return null;
	return placed(view, { t: Math.round(t * 1e8), group, id, text: plainText(row[9]) });
}

export const sameNote = (a: Note, b: Note) => a.t === b.t && a.group === b.group && a.id === b.id && a.text === b.text;
