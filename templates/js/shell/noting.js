// SPDX-License-Identifier: BSD-3-Clause
/**
 * Implements writing notes, in place: on an annotation, on a span or at a time; and the list of notes. draw/written.js
 * draws them. Must treat the typed text as plain text.
 */
import { byId, make } from '../base/dom.js';
import * as format from '../base/format.js';
import { MOST_LETTERS, MOST_NOTES, plainText } from '../scene/notes.js';
import { when } from '../scene/times.js';
import { noteLeft, pinnedNotes } from '../draw/notes.js';
import { pinnedBoxes } from '../draw/written.js';
import { FONT } from '../draw/sizes.js';

/** @typedef {import('../scene/notes.js').Note} Note */
/** @typedef {import('../scene/view.js').View} View */
/** @typedef {import('../scene/view.js').Pin} Pin */
/**
 * Subject of the editor: an existing note, or the position of a new one.
 * @typedef {{note: Note | null, t: number, group: string, id: number, pin: Pin | null}} Target
 */

/** Maximum distance of two presses of a double click, ms and CSS pixels. */
const DOUBLE_MS = 500;
const DOUBLE_PIXELS = 5;
const EDITOR_WIDTH = 260;

/** Describes the position of a note. @param {View} view @param {Note} note */
function placeOf(view, note) {
	const row = note.group && view.rows.find(note.group, note.id);
	const label = row ? row.label : note.group === 'PID' ? view.trace.pidLabel(note.id) : `${note.group} ${note.id}`;
	return `${when(view, note.t)}${note.group ? `, ${label}` : ''}`;
}

/**
 * Finds the target of a new note: under a point, or for the keys.
 * @param {View} view
 * @param {HTMLElement} over
 */
function targets(view, over) {
	/** Position of the pointer on the plot, CSS pixels. @type {{x: number, y: number} | null} */
	let pointer = null;
	over.addEventListener('pointermove', (event) => {
		const box = over.getBoundingClientRect();
		pointer = { x: event.clientX - box.left, y: event.clientY - box.top };
	});
	over.addEventListener('pointerleave', () => (pointer = null));
	/** Returns a target for an existing note. @param {Note} note @returns {Target} */
	const ofNote = (note) => ({ note, t: note.t, group: note.group, id: note.id, pin: null });
	/** Returns a target for an annotation. @param {Pin} pin @returns {Target} */
	const ofPin = (pin) => {
		const t = view.trace.start[pin.span];
		const there = view.notes.find((n) => n.t === t && n.group === pin.group && n.id === pin.id);
		return there ? ofNote(there) : { note: null, t, group: pin.group, id: pin.id, pin };
	};
	/** Returns the note or annotation that is drawn at a point. @param {number} x @param {number} y @returns {Target | null} */
	const drawnAt = (x, y) => {
		/** @param {import('../draw/written.js').Box} b */
		const inside = (b) => x >= b.x0 && x <= b.x1 && y >= b.y0 && y <= b.y1;
		const note = view.drawn.written.find(inside);
		if (note) return ofNote(note.note);
		if (!view.pins.length) return null;
		const ruler = /** @type {CanvasRenderingContext2D} */ (document.createElement('canvas').getContext('2d'));
		ruler.font = FONT;
		const k = pinnedBoxes(view, ruler).findIndex(inside);
		return k < 0 ? null : ofPin(pinnedNotes(view)[k].pin);
	};
	return {
		ofNote,
		drawnAt,
		/**
		 * Returns the target for the key: the note or annotation under the pointer, the last annotation, the span under the
		 * pointer, or the time.
		 * @param {boolean} time only the time
		 * @returns {Target}
		 */
		here(time) {
			const last = view.pins[view.pins.length - 1];
			const drawn = !time && pointer && drawnAt(pointer.x, pointer.y);
			if (drawn) return drawn;
			if (!time && last) return ofPin(last);
			if (!time && view.hover) return ofPin({ span: view.hover.span, group: view.hover.row.group, id: view.hover.row.id });
			const t = Math.round(pointer ? view.time(pointer.x) : (view.t0 + view.t1) / 2);
			return { note: null, t: Math.max(view.trace.first, Math.min(view.trace.last, t)), group: '', id: 0, pin: null };
		},
	};
}

/**
 * Makes the editor, which appears at the position of its note.
 * @param {View} view
 * @param {(what: Target, text: string) => void} keep
 */
function editor(view, keep) {
	const input = /** @type {HTMLInputElement} */ (byId('noteedit'));
	input.maxLength = MOST_LETTERS;
	/** @type {Target | null} */
	let now = null;
	/** Ends editing. @param {boolean} kept */
	const end = (kept) => {
		const what = now;
		if (!what) return;
		now = null;
		input.hidden = true;
		if (kept) keep(what, plainText(input.value));
	};
	input.addEventListener('keydown', (event) => {
		event.stopPropagation();
		if (event.key === 'Enter') end(true);
		else if (event.key === 'Escape') end(false);
		else return;
		event.preventDefault();
	});
	// keep the text when the focus moves elsewhere
	input.addEventListener('blur', () => end(true));
	return (/** @type {Target} */ what) => {
		end(true);
		const row = what.group ? view.rows.find(what.group, what.id) : null;
		const box = view.drawn.written.find(({ note }) => note === what.note);
		const x = row ? view.xIn(row, what.t) : view.x(what.t);
		const width = Math.min(EDITOR_WIDTH, view.width - 8);
		input.style.width = `${width}px`;
		input.style.left = `${box ? Math.min(box.x0, view.width - width - 2) : noteLeft(view, x, width)}px`;
		input.style.top = `${Math.max(0, Math.min(view.height - 24, box ? box.y0 : row ? Math.max(0, row.y - 26) : 2))}px`;
		input.value = what.note?.text ?? '';
		input.hidden = false;
		now = what;
		input.focus();
		input.select();
	};
}

/** Handles double clicks on the picture. @param {HTMLElement} plot @param {HTMLElement} over @param {(x: number, y: number) => boolean} act */
function doubleClicks(plot, over, act) {
	let last = { time: -Infinity, x: 0, y: 0 };
	plot.addEventListener('pointerdown', (event) => {
		if (event.button !== 0 || event.shiftKey || event.target !== over) return;
		const again = event.timeStamp < last.time + DOUBLE_MS && Math.hypot(event.clientX - last.x, event.clientY - last.y) < DOUBLE_PIXELS;
		last = { time: again ? -Infinity : event.timeStamp, x: event.clientX, y: event.clientY };
		const box = over.getBoundingClientRect();
		if (!again || !act(event.clientX - box.left, event.clientY - box.top)) return;
		// prevent a drag and another double click; the focus belongs to the editor
		event.stopPropagation();
		event.preventDefault();
	}, true);
}

/**
 * Implements notes.
 * @param {View} view
 * @param {{plot: HTMLElement, over: HTMLElement}} parts
 * @param {import('./telling.js').Tell} tell
 * @param {() => void} changed
 */
export function noting(view, { plot, over }, tell, changed) {
	const find = targets(view, over);
	const list = byId('notelist');
	const box = /** @type {HTMLDetailsElement} */ (byId('notes'));
	const done = () => {
		show();
		view.draw();
		changed();
	};
	/** Deletes a note, and offers to undo that. @param {Note} note */
	const remove = (note) => {
		view.notes = view.notes.filter((n) => n !== note);
		done();
		tell(`Deleted: ${note.text.length > 40 ? `${note.text.slice(0, 39)}~` : note.text}`, { label: 'undo', run: () => {
			view.notes = [...view.notes, note];
			done();
		} });
	};
	const write = editor(view, ({ note, t, group, id, pin }, text) => {
		if (note && text === note.text) return;
		if (note && !text) {
			remove(note);
		} else if (note) {
			view.notes = view.notes.map((n) => (n === note ? { ...n, text } : n));
			done();
		} else if (text && view.notes.length >= MOST_NOTES) {
			tell(`No more than ${MOST_NOTES} notes`);
		} else if (text) {
			view.notes = [...view.notes, { t, group, id, text }];
			view.pins = view.pins.filter((p) => p !== pin);
			done();
		}
	});
	/** @param {Note} note */
	const go = (note) => {
		if (note.group) view.rows.ensure(note.group, note.id);
		const width = view.t1 - view.t0;
		if (note.t < view.t0 || note.t > view.t1) view.showBounded(note.t - width / 2, note.t + width / 2);
		view.draw();
	};
	/** Makes the entry of a note in the list. @param {Note} note */
	const item = (note) => {
		const line = make('li');
		const place = placeOf(view, note);
		/** Makes a button of the entry. @param {string} label @param {string} name @param {string} tip @param {() => void} action */
		const button = (label, name, tip, action) => {
			const element = make('button', name, label);
			element.title = tip;
			element.setAttribute('aria-label', `${tip}: ${note.text}`);
			element.addEventListener('click', action);
			return element;
		};
		const to = button('', 'go', 'go there', () => go(note));
		to.append(make('span', '', note.text), make('small', '', place));
		line.append(to, button('edit', '', 'edit (e)', () => {
			go(note);
			box.open = false;
			// its position is known after the next frame
			requestAnimationFrame(() => requestAnimationFrame(() => write(find.ofNote(note))));
		}), button('\u00d7', 'plain', 'delete', () => remove(note)));
		return line;
	};
	const fill = () => {
		list.replaceChildren(...[...view.notes].sort((a, b) => a.t - b.t).map(item));
		byId('nonotes').hidden = view.notes.length > 0;
	};
	const show = () => {
		byId('notecount').textContent = view.notes.length ? ` ${format.count(view.notes.length)}` : '';
		if (box.open) fill();
	};
	// fill the list before it opens, so that an old list cannot be seen or used
	box.querySelector('summary')?.addEventListener('click', fill);
	addEventListener('pointerdown', (event) => {
		if (event.target instanceof Node && !box.contains(event.target)) box.open = false;
	});
	byId('addnote').addEventListener('click', () => {
		box.open = false;
		write(find.here(true));
	});
	doubleClicks(plot, over, (x, y) => {
		const target = find.drawnAt(x, y);
		if (target) write(target);
		return target !== null;
	});
	return {
		show,
		/** Edits a note by key. @param {boolean} time at a time, whatever is there */
		write: (time) => write(find.here(time)),
		/** Closes the list. @returns {boolean} whether it was open */
		close: () => {
			const { open } = box;
			box.open = false;
			return open;
		},
	};
}
