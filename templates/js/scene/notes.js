// SPDX-License-Identifier: BSD-3-Clause
/**
 * Notes in the user's own words: each at a time, in a row or across all of them; as they stand in addresses, and
 * in files as the original's page has its callouts ("extra").
 * Never takes a text for more than text: one line, of so many letters, without what turns writing around.
 * Imported by shell/kept.js, shell/noting.js and shell/behind.js; draw/written.js draws notes.
 */
import { plainSeconds } from '../base/format.js';
import { unitsOf } from './spots.js';

/** @typedef {import('./view.js').View} View */
/** @typedef {{t: number, group: string, id: number, text: string}} Note t: units; group: '' across all rows */

/** Letters of a note, and notes of a trace. */
export const MOST_LETTERS = 400;
export const MOST_NOTES = 500;

/** The original's number of a callout, and how it points: pixels to the right, rows up. */
const CALLOUT = -4;
const POINTING = [10, -0.4, 0];

const GROUPS = ['CPU', 'PID', 'RPC', 'Resource', 'Machine'];

/** One line of text, whatever was typed, pasted or read. @param {unknown} text */
export const plainText = (text) => (typeof text === 'string' ? text : '').slice(0, 4 * MOST_LETTERS)
	.replace(/[\u202a-\u202e\u2066-\u2069\u200e\u200f\ufeff]|[\ud800-\udbff](?![\udc00-\udfff])|(?<![\ud800-\udbff])[\udc00-\udfff]/g, '')
	.replace(/[\s\u0000-\u001f\u007f-\u009f]+/g, ' ').trim().slice(0, MOST_LETTERS);

/** @param {Note} note */
const rowText = ({ group, id }) => (group ? `${group}.${id}` : 'at');

/** @param {unknown} text @returns {{group: string, id: number} | null} */
function rowOf(text) {
	const [, group, id] = /^(\w+)\.(-?\d{1,10})$/.exec(String(text)) ?? [];
	if (text === 'at') return { group: '', id: 0 };
	return GROUPS.includes(group) ? { group, id: Number(id) } : null;
}

/** A note that the trace has a place for. @param {View} view @param {Note} note */
const hasPlace = ({ trace }, { t, group, id, text }) => text !== '' && t >= trace.first && t <= trace.last &&
	(group !== 'CPU' || trace.cpus.has(id));

/** As `PID.104_7.84584054_why so late?`, with ~ between them. @param {Note} note */
export const noteText = (note) => `${rowText(note)}_${plainSeconds(note.t)}_${note.text.replace(/%/g, '%25').replace(/~/g, '%7E')}`;

/** @param {View} view @param {string} text of noteText(), or anything @returns {Note | null} null: none, or not of this trace */
export function noteOf(view, text) {
	const m = /^([\w.-]{2,30})_([\d.-]{1,20})_(.*)$/s.exec(text);
	const row = m && rowOf(m[1]);
	if (!m || !row) return null;
	const note = { t: unitsOf(m[2]), ...row, text: plainText(m[3].replace(/%7E/g, '~').replace(/%25/g, '%')) };
	return hasPlace(view, note) ? note : null;
}

/** As a callout. Of rows that the original does not have, one value more says which. @param {Note} note */
export function callout({ t, group, id, text }) {
	/** @param {string} name */
	const of = (name) => (group === name ? id : -1);
	const theirs = ['CPU', 'PID', 'RPC'].includes(group);
	const row = [t / 1e8, 0.00000001, theirs ? of('CPU') : 0, of('PID'), of('RPC'), CALLOUT, ...POINTING, text];
	return theirs ? row : [...row, rowText({ t, group, id, text })];
}

/**
 * @param {View} view
 * @param {unknown} row of "extra"
 * @returns {Note | null | undefined} null: a callout, for which this trace has no place; undefined: something else
 */
export function noteOfCallout(view, row) {
	if (!Array.isArray(row) || row[5] !== CALLOUT) return undefined;
	const [t, , cpu, pid, rpc] = row;
	const named = row.length > 10 ? rowOf(row[10]) : null;
	/** @param {unknown} id @param {number} least */
	const is = (id, least) => Number.isInteger(id) && Number(id) >= least;
	const [group, id] = named ? [named.group, named.id] : is(cpu, 0) ? ['CPU', cpu] : is(pid, 1) ? ['PID', pid] : is(rpc, 1) ? ['RPC', rpc] : ['', 0];
	if (!Number.isFinite(t) || Math.abs(t) > 1e10) return null;
	const note = { t: Math.round(t * 1e8), group, id, text: plainText(row[9]) };
	return hasPlace(view, note) ? note : null;
}

/** @param {Note} a @param {Note} b */
export const sameNote = (a, b) => a.t === b.t && a.group === b.group && a.id === b.id && a.text === b.text;
