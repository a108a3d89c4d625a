// SPDX-License-Identifier: BSD-3-Clause
/**
 * What keys and clicks do that takes more than the view: search, selection, explanation, slots.
 * Never knows an event: keys.js and input.js say when.
 * Imported by app.js.
 */
import { byId } from '../base/dom.js';
import { Kind, programOf } from '../base/kinds.js';
import { gapBefore } from '../ask/gap.js';
import { clearNotes } from './input.js';

/** A span of a name that stands out. @param {import('../data/trace.js').Trace} trace @param {Uint8Array} only */
function firstOf(trace, only) {
	return trace.name.findIndex((entry) => only[entry] === 1);
}

/**
 * @param {object} parts
 * @param {import('../scene/view.js').View} parts.view
 * @param {ReturnType<typeof import('./cursor.js').cursor>} parts.at
 * @param {ReturnType<typeof import('../panel/finder.js').searching>} parts.search
 * @param {ReturnType<typeof import('../panel/select.js').selecting>} parts.selection
 * @param {ReturnType<typeof import('../panel/whyview.js').explaining>} parts.reasons
 * @param {ReturnType<typeof import('../panel/path.js').criticalPath>} parts.path
 * @param {ReturnType<typeof import('./help.js').helping>} parts.help
 * @param {ReturnType<typeof import('./slots.js').slots>} parts.slot
 * @param {ReturnType<typeof import('../panel/rowmenu.js').rowMenu>} parts.menu
 * @param {ReturnType<typeof import('./noting.js').noting>} parts.notes
 * @param {(pin: import('../scene/view.js').Pin) => void} parts.details opens the pane with a span's
 */
export function actionsOf({ view, at, search, selection, reasons, path, help, slot, menu, notes, details }) {
	const { trace } = view;
	/** All of a span's kind stand out, and are counted by the search. @param {number} span */
	const kind = (span) => {
		view.highlight(span);
		const user = trace.kind(span) === Kind.USER;
		const name = (user ? programOf(trace.text(span)) : trace.text(span)).replace(/[\\^$.*+?()[\]{}|]/g, '\\$&');
		search.search(view.only ? `^${name}${user ? '\\.\\d+' : ''}$` : '');
	};
	/** The span under the pointer, or the cursor; -1: neither. */
	const focus = () => view.hover?.span ?? at.pin()?.span ?? -1;
	/** What was put on the picture, one thing at a time, the topmost first. */
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
	return {
		kind,
		keys: {
			search: search.focus,
			next: search.next,
			help: help.toggle,
			why: () => {
				const span = focus();
				if (span < 0) return;
				// inside of a wait, or before what ran
				const wait = trace.kind(span) === Kind.WAIT;
				reasons.explain(trace.pid[span], wait ? trace.start[span] + trace.dur[span] / 2 : gapBefore(trace, span));
			},
			path: () => {
				const span = focus();
				const row = view.rows.pointed ?? at.row();
				const s = view.selection;
				if (span >= 0) path.pathTo(span);
				else if (s && row?.group === 'PID') path.pathOf(row.id, s.t0, s.t1);
				else byId('say').textContent = 'Point at a span, or annotate it: the path leads there.';
			},
			kind: () => {
				const span = focus();
				if (span >= 0) kind(span);
			},
			between: () => selection.between(view.hover ? trace.start[view.hover.span] : (view.t0 + view.t1) / 2),
			zoomSelection: () => byId('zoomselection').click(),
			table: () => selection.open(!selection.isOpen()),
			/** @param {number} n @param {boolean} save */
			slot: (n, save) => (save ? slot.save(n) : slot.restore(n)),
			swap: slot.toggle,
			note: notes.write,
			details: () => {
				const pin = at.pin();
				if (pin) details(pin);
			},
			filter: menu.focus,
			order: menu.next,
			pin: () => {
				const row = view.rows.pointed ?? view.hover?.row ?? at.row();
				if (!row) return;
				byId('say').textContent = `${row.label} ${view.rows.togglePin(row) ? 'pinned to the top' : 'no longer pinned'}`;
				menu.show();
				view.draw();
			},
			escape: () => {
				byId('tip').hidden = true;
				/** @type {HTMLDetailsElement} */ (byId('save')).open = false;
				if (!menu.close() && !help.close() && !notes.close()) clearOne();
				view.draw();
			},
		},
	};
}
