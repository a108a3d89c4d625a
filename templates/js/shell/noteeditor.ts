// SPDX-License-Identifier: BSD-3-Clause
/** Implements writing notes, in place, and the list of notes. Must treat the typed text as plain text. */
import { byId, closeOutside, make, placeIn } from '../base/dom.ts';
import * as format from '../base/format.ts';
import { MOST_LETTERS, MOST_NOTES, plainText, type Note } from '../scene/notes.ts';
import { when } from '../scene/times.ts';
import { noteLeft, pinnedNotes } from '../draw/notes.ts';
import { pinnedBoxes, type Box } from '../draw/written.ts';
import { FONT } from '../draw/sizes.ts';
import type { Pin, View } from '../scene/view.ts';
import type { Tell } from './message.ts';

/** Subject of the editor: an existing note, or the position of a new one. */
type Target = {note: Note | null, t: number, group: string, id: number, pin: Pin | null};

/** Maximum distance of two presses of a double click, ms and CSS pixels. */
const DOUBLE_MS = 500;
const DOUBLE_PIXELS = 5;
const EDITOR_WIDTH = 260;

function placeOf(view: View, note: Note) {
	const row = note.group && view.rows.find(note.group, note.id);
	const label = row ? row.label : note.group === 'PID' ? view.trace.pidLabel(note.id) : `${note.group} ${note.id}`;
	return `${when(view, note.t)}${note.group ? `, ${label}` : ''}`;
}

/** Finds the target of a new note: under a point, or for the keys. */
function targets(view: View, over: HTMLElement) {
	/** Position of the pointer on the plot, CSS pixels. */
	let pointer: {x: number, y: number} | null = null;
	over.addEventListener('pointermove', (event) => (pointer = placeIn(over, event)));
	over.addEventListener('pointerleave', () => (pointer = null));
	const ofNote = (note: Note): Target => ({ note, t: note.t, group: note.group, id: note.id, pin: null });
	const ofPin = (pin: Pin): Target => {
		const t = view.trace.start[pin.span];
		const there = view.notes.find((n) => n.t === t && n.group === pin.group && n.id === pin.id);
		return there ? ofNote(there) : { note: null, t, group: pin.group, id: pin.id, pin };
	};
	const drawnAt = (x: number, y: number): Target | null => {
		const inside = (b: Box) => x >= b.x0 && x <= b.x1 && y >= b.y0 && y <= b.y1;
		const note = view.drawn.written.find(inside);
		if (note) return ofNote(note.note);
		if (!view.pins.length) return null;
		const ruler = document.createElement('canvas').getContext('2d')!;
		ruler.font = FONT;
		const k = pinnedBoxes(view, ruler).findIndex(inside);
		return k < 0 ? null : ofPin(pinnedNotes(view)[k].pin);
	};
	return {
		ofNote,
		drawnAt,
		/**
		 * Returns the target for the key: note or annotation under the pointer, otherwise last annotation, otherwise span or
		 * time under the pointer.
		 * @param time true: the time under the pointer
		 */
		here(time: boolean): Target {
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

/** Makes the editor, which appears at the position of its note. */
function editor(view: View, keep: (what: Target, text: string) => void) {
	const input = byId('noteedit') as HTMLInputElement;
	input.maxLength = MOST_LETTERS;
	let now: Target | null = null;
	const end = (accepted: boolean) => {
		const what = now;
		if (!what) return;
		now = null;
		input.hidden = true;
		if (accepted) keep(what, plainText(input.value));
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
	return (what: Target) => {
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

function doubleClicks(plot: HTMLElement, over: HTMLElement, act: (x: number, y: number) => boolean) {
	let last = { time: -Infinity, x: 0, y: 0 };
	plot.addEventListener('pointerdown', (event) => {
		if (event.button !== 0 || event.shiftKey || event.target !== over) return;
		const again = event.timeStamp < last.time + DOUBLE_MS && Math.hypot(event.clientX - last.x, event.clientY - last.y) < DOUBLE_PIXELS;
		last = { time: again ? -Infinity : event.timeStamp, x: event.clientX, y: event.clientY };
		const { x, y } = placeIn(over, event);
		if (!again || !act(x, y)) return;
		// prevent a drag and another double click; the focus belongs to the editor
		event.stopPropagation();
		event.preventDefault();
	}, true);
}

export function noteEditor(view: View, { plot, over }: {plot: HTMLElement, over: HTMLElement}, tell: Tell, changed: () => void) {
	const find = targets(view, over);
	const list = byId('notelist');
	const box = byId('notes') as HTMLDetailsElement;
	const done = () => {
		show();
		view.draw();
		changed();
	};
	/** Deletes a note, and offers to undo the deletion. */
	const remove = (note: Note) => {
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
			tell(`There can be ${MOST_NOTES} notes at most: delete a note first.`);
		} else if (text) {
			view.notes = [...view.notes, { t, group, id, text }];
			view.pins = view.pins.filter((p) => p !== pin);
			done();
		}
	});
	const go = (note: Note) => {
		if (note.group) view.rows.ensure(note.group, note.id);
		const width = view.t1 - view.t0;
		if (note.t < view.t0 || note.t > view.t1) view.showBounded(note.t - width / 2, note.t + width / 2);
		view.draw();
	};
	const item = (note: Note) => {
		const line = make('li');
		const place = placeOf(view, note);
		const button = (label: string, name: string, tip: string, action: () => void) => {
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
			// the position of the note is known after the next frame
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
	closeOutside(box);
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
		/** Edits a note by key. @param time write the note at a time, even if a note or a span is under the pointer */
		write: (time: boolean) => write(find.here(time)),
		/** Closes the list. @returns whether it was open */
		close: (): boolean => {
			const { open } = box;
			box.open = false;
			return open;
		},
	};
}
