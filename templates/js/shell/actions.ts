// SPDX-License-Identifier: BSD-3-Clause
/** Implements the actions of keys and clicks that need more than the view. keys.ts and input.ts handle the events. */
import { byId } from '../base/dom.ts';
import { programOf, isOwn } from '../base/kinds.ts';
import { gapOf } from '../ask/why.ts';
import { clearNotes } from './input.ts';
import type { Trace } from '../data/trace.ts';
import type { searching } from '../panel/finder.ts';
import type { criticalPath } from '../panel/path.ts';
import type { rowMenu } from '../panel/rowmenu.ts';
import type { selecting } from '../panel/select.ts';
import type { explaining } from '../panel/whyview.ts';
import type { Pin, View } from '../scene/view.ts';
import type { cursor } from './cursor.ts';
import type { helping } from './help.ts';
import type { noteEditor } from './noteeditor.ts';
import type { slots } from './slots.ts';
import type { Tell } from './message.ts';

export const NO_TARGET = 'This key needs a span: point at one, or click it, and press the key again.';
const NO_CURSOR = 'This key needs a cursor: click a span, or press an arrow key, and press the key again.';
const NO_SPANS = 'No visible row has spans: open a group, such as CPU, and press the key again.';

function firstOf(trace: Trace, only: Uint8Array) {
	return trace.name.findIndex((entry) => only[entry] === 1);
}

/** Returns the actions of keys, menus and clicks. @param details opens the details of a span */
export function actionsOf(
	{ view, at, search, selection, reasons, path, help, slot, menu, notes, details, tell }: {
		view: View, at: ReturnType<typeof cursor>, search: ReturnType<typeof searching>,
		selection: ReturnType<typeof selecting>, reasons: ReturnType<typeof explaining>,
		path: ReturnType<typeof criticalPath>, help: ReturnType<typeof helping>, slot: ReturnType<typeof slots>,
		menu: ReturnType<typeof rowMenu>, notes: ReturnType<typeof noteEditor>, details: (pin: Pin) => void, tell: Tell,
	},
) {
	const { trace } = view;
	/** Highlights all spans of a span's name, and searches for them. */
	const kind = (span: number) => {
		view.highlight(span);
		const own = isOwn(trace.kind(span));
		const name = (own ? programOf(trace.text(span)) : trace.text(span)).replace(/[\\^$.*+?()[\]{}|]/g, '\\$&');
		search.search(view.only ? `^${name}${own ? '\\.\\d+' : ''}$` : '');
	};
	/** Returns the span under the pointer or at the cursor; -1: none. */
	const focus = () => view.hover?.span ?? at.pin()?.span ?? -1;
	/** Returns the time under the pointer, or in the middle of the picture. */
	const pointed = () => {
		const { pointer } = view;
		const row = pointer && view.rows.at(pointer.y);
		return pointer ? view.time(pointer.x) + (row ? view.offset(row) : 0) : (view.t0 + view.t1) / 2;
	};
	/** Removes one item that the user has added to the picture, the topmost first. */
	const clearOne = () => {
		if (at.stop() || view.pins.length) {
			if (view.pins.some(({ span }) => span === view.chosen?.span)) view.chosen = null;
			clearNotes(view);
		} else if (view.chain) reasons.clear();
		else if (view.path) path.clear();
		else if (view.chosen) view.chosen = null;
		else if (view.only) kind(view.only.indexOf(1) < 0 ? 0 : firstOf(trace, view.only));
		else if (view.rows.marked.size) view.rows.clearMarks();
		else if (view.selection) selection.clear();
		else if (menu.clear()) return;
		else search.search('');
	};
	/** Explains why the process of a span did not run. @param span the span; -1: none */
	const why = (span: number) => {
		if (span < 0) {
			tell(NO_TARGET);
			return;
		}
		// while a worker sorts the spans, trace.pid has no ids of threads
		trace.processes();
		if (!reasons.explain(trace.pid[span], gapOf(trace, span)))
			tell(trace.pid[span] > 0 ? `${trace.pidLabel(trace.pid[span])} did not wait between the beginning of the trace and this span.` : 'This span belongs to no process, so there is no wait to explain.');
	};
	/** Shows the critical path to the end of a span. @param span the span; -1: none */
	const pathTo = (span: number) => {
		if (span < 0) tell(NO_TARGET);
		else if (!path.pathTo(span)) tell('This span belongs to no process, so it has no critical path.');
	};
	return {
		kind, why, path: pathTo,
		keys: {
			search: search.focus,
			next: (direction: 1 | -1) => {
				const problem = search.next(direction);
				if (problem) tell(problem);
			},
			help: help.toggle,
			why: () => why(focus()),
			path: () => {
				const row = view.rows.pointed ?? at.row();
				const s = view.selection;
				if (focus() < 0 && s && row?.group === 'PID') path.pathOf(row.id, s.t0, s.t1);
				else pathTo(focus());
			},
			kind: () => {
				const span = focus();
				if (span >= 0) kind(span);
				else tell(NO_TARGET);
			},
			between: () => {
				if (!selection.between(pointed())) tell('The trace has no marks, so there is no time between marks to select.');
			},
			zoomSelection: () => {
				if (view.selection) view.show(view.selection.t0, view.selection.t1);
				else tell('Nothing is selected: drag on the time axis first.');
			},
			table: () => selection.open(!selection.isOpen()),
			slot: (n: number, save: boolean) => {
				if (save) slot.save(n);
				else if (!slot.restore(n)) tell(`Saved view ${n + 1} is empty. Shift+${n + 1} saves this view there.`);
			},
			swap: () => {
				if (!slot.toggle()) tell('There is no previous view to go back to. Show a saved view first (1 to 5).');
			},
			note: notes.write,
			details: () => {
				const pin = at.pin();
				if (pin) details(pin);
				else tell(NO_CURSOR);
			},
			noCursor: () => tell(NO_CURSOR),
			/** Reports that an arrow key reaches no more spans or rows. @param what spans or rows, in words */
			ends: (what: string) => tell(at.reaches() ? `There are no more ${what}.` : NO_SPANS),
			filter: menu.focus,
			order: menu.next,
			pin: () => {
				const row = view.rows.pointed ?? view.hover?.row ?? at.row();
				if (!row) {
					tell('This key needs a row: point at one, and press the key again.');
					return;
				}
				byId('say').textContent = `${row.label} ${view.rows.togglePin(row) ? 'pinned to the top' : 'no longer pinned'}`;
				menu.show();
				view.draw();
			},
			escape: () => {
				byId('tip').hidden = true;
				(byId('save') as HTMLDetailsElement).open = false;
				if (!menu.close() && !help.close() && !notes.close()) clearOne();
				view.draw();
			},
		},
	};
}
