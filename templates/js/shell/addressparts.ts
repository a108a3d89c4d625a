// SPDX-License-Identifier: BSD-3-Clause
/**
 * Makes the parts of the address that are not the view itself (state.ts): annotations, notes, measurement, explanation,
 * highlighted name, order of tables, and slots. Must not use span numbers (scene/spanaddress.ts makes texts instead). Parts
 * of an address that the trace does not have are ignored.
 */
import { plainSeconds } from '../base/format.ts';
import { Kind } from '../base/kinds.ts';
import { noteOf, noteText, type Note } from '../scene/notes.ts';
import { spanAddress, spanOfAddress, threadAt, unitsOf } from '../scene/spanaddress.ts';
import type { AddressPart, View } from '../scene/view.ts';
import type { slots } from './slots.ts';
import type { App } from './state.ts';

/** Limits, because an address may be sent by mail: number of annotations, letters of all slots, letters of all notes. */
const MOST_PINS = 40;
const MOST_OF_SLOTS = 2500;
const MOST_OF_NOTES = 3000;

const pins = (view: View): AddressPart => ({
	name: 'pi',
	get: () => view.pins.slice(-MOST_PINS).map((pin) => spanAddress(view.trace, pin)).join('~'),
	set: (text) => {
		view.pins = text.split('~').slice(0, MOST_PINS).map((address) => spanOfAddress(view.trace, address)).filter((pin) => pin !== null);
	},
	left: () => (view.pins.length > MOST_PINS ? `${view.pins.length - MOST_PINS} of ${view.pins.length} annotations` : ''),
});

/** Makes the part for the measurement. Must be set after the annotations, because the measurement can refer to their objects. */
const measure = (view: View): AddressPart => ({
	name: 'me',
	get: () => (view.measure ? [view.measure.from, view.measure.to].map((pin) => spanAddress(view.trace, pin)).join('~') : ''),
	set: (text) => {
		const end = (address: string) => {
			const found = spanOfAddress(view.trace, address);
			return view.pins.find((pin) => pin.span === found?.span && pin.group === found.group) ?? found;
		};
		const [from, to] = text.split('~').slice(0, 2).map(end);
		view.measure = from && to ? { from, to } : null;
	},
});

/**
 * Makes the part for the explained gap: the pid, and a time in the gap at which the thread had the pid. If another thread had
 * the pid during the gap, the id of the thread replaces the pid.
 */
function chain(
	view: View, reasons: {explain: (pid: number, t: number, staying: boolean) => boolean, clear: () => void},
): AddressPart & {ready: () => void} {
	/** Text that set() got before the spans were sorted by process. */
	let waiting = '';
	const set = (text: string) => {
		waiting = view.trace.sorting ? text : '';
		if (waiting) return;
		const [pid, t] = text.split('_');
		const units = unitsOf(t ?? '');
		reasons.clear();
		if (/^\d{1,15}$/.test(pid) && !Number.isNaN(units)) reasons.explain(view.trace.idAt(Number(pid), units), units, true);
	};
	return {
		name: 'wy',
		get: () => {
			const link = view.chain?.links[0];
			if (!link) return waiting;
			const { trace } = view;
			const { pid: id, from, to } = link;
			const [pid, middle] = [trace.pidOf(id), Math.floor((from + to) / 2)];
			// before the birth or after the exit of a thread, another thread may have had its pid
			const t = [middle, from, to - 1].find((time) => trace.idAt(pid, time) === id);
			return t === undefined ? `${id}_${plainSeconds(middle)}` : `${pid}_${plainSeconds(t)}`;
		},
		set,
		ready: () => {
			if (waiting) set(waiting);
		},
	};
}

/** Makes the part for the highlighted name: SYSCALL.futex. */
const highlighted = (view: View): AddressPart => ({
	name: 'hi',
	get: () => {
		const what = view.highlighted;
		const kind = Object.entries(Kind).find(([, number]) => number === what?.kind);
		return what && kind ? `${kind[0]}.${what.name}` : '';
	},
	set: (text) => {
		const dot = text.indexOf('.');
		const kind = Object.entries(Kind).find(([word]) => word === text.slice(0, dot));
		if (kind || view.only) view.highlightNamed(kind ? { kind: kind[1], name: text.slice(dot + 1) } : null);
	},
});

/** Makes the part for the slots. Each is an address, with ; for & and : for =. Empty text: as in the file; -: all are empty. */
function fiveSlots(slot: ReturnType<typeof slots>): AddressPart {
	const fitting = () => {
		let room = MOST_OF_SLOTS;
		return slot.all().map((view) => {
			const text = new URLSearchParams(view ?? '').toString();
			room -= text.length;
			return room < 0 ? '' : text;
		});
	};
	const ofFile = slot.all();
	return {
		name: 'sl',
		ofPage: true,
		get: () => {
			if (slot.all().every((view, i) => view === ofFile[i])) return '';
			return fitting().map((text) => text.replace(/&/g, ';').replace(/=/g, ':')).join('~').replace(/~+$/, '') || '-';
		},
		set: (text) => slot.fill(!text ? ofFile : text === '-' ? [] : text.slice(0, 2 * MOST_OF_SLOTS).split('~')
			.map((view) => view.replace(/;/g, '&').replace(/:/g, '=') || null)),
		left: () => {
			const out = fitting().filter((text, i) => text === '' && slot.all()[i] !== null).length;
			return out ? `${out} of the saved views` : '';
		},
	};
}

/** Makes the part for notes. Empty text: as in the file; -: none. @param show updates the list of notes on the page */
function notes(view: View, show: () => void): AddressPart {
	const ofFile = view.notes;
	const fitting = () => {
		let room = MOST_OF_NOTES;
		return view.notes.map((note) => noteText(view.trace, note)).filter((text) => (room -= encodeURIComponent(text).length) > 0);
	};
	return {
		name: 'n',
		ofPage: true,
		get: () => (view.notes === ofFile ? '' : fitting().join('~') || '-'),
		set: (text) => {
			const read = text.slice(0, 2 * MOST_OF_NOTES).split('~').map((note) => noteOf(view, note)).filter((note) => note !== null);
			view.notes = text ? read : ofFile;
			show();
		},
		left: () => {
			const out = view.notes.length - fitting().length;
			return view.notes !== ofFile && out > 0 ? `${out} of ${view.notes.length} notes` : '';
		},
	};
}

/**
 * Replaces the pids of annotations and notes, which were read while the spans were being sorted, by the ids of the threads.
 * @param notes the page's own notes, which an address may have replaced
 */
function identify({ trace, pins, chosen, measure, notes: shown }: View, notes: Note[]) {
	for (const pin of [...pins, chosen, measure?.from, measure?.to]) if (pin?.group === 'PID') pin.id = trace.pid[pin.span];
	for (const note of [...notes, ...shown]) if (note.group === 'PID') note.id = threadAt(trace, note.id, note.t);
}

export function addressParts(
	{ view, selection }: App, reasons: Parameters<typeof chain>[1], slot: ReturnType<typeof slots>,
	showNotes: () => void,
) {
	const why = chain(view, reasons);
	const ofFile = view.notes;
	const sorting: AddressPart = {
		name: 'so',
		get: () => selection.table.sorting,
		set: (text) => (selection.table.sorting = text),
	};
	return {
		all: [pins(view), measure(view), why, highlighted(view), sorting, notes(view, showNotes), fiveSlots(slot)],
		/** Must be called when the spans are sorted by process. */
		sorted: () => {
			identify(view, ofFile);
			showNotes();
			why.ready();
		},
	};
}
