// SPDX-License-Identifier: BSD-3-Clause
/**
 * Holds the cursor that keys move from span to span and from row to row: the last annotation, or the selected span. Must
 * not depend on keys.
 */
import { byId } from '../base/dom.js';
import { Kind } from '../base/kinds.js';
import { spoken } from '../scene/chosen.js';

/** @typedef {import('../scene/view.js').View} View */
/** @typedef {import('../scene/view.js').Pin} Pin */

/** Makes the cursor. @param {View} view */
export function cursor(view) {
	const { trace } = view;
	/** Span at which the key m began to measure. @type {Pin | null} */
	let anchor = null;
	const pin = () => /** @type {Pin | undefined} */ (view.pins[view.pins.length - 1] ?? view.chosen ?? undefined);
	const row = () => {
		const at = pin();
		return at ? view.rows.find(at.group, at.id) : null;
	};
	/** @param {Pin} at */
	const put = (at) => {
		if (anchor && anchor.span !== at.span) {
			view.measure = { from: anchor, to: at };
			view.pins = [anchor, at];
		} else {
			view.measure = null;
			view.pins = [at];
		}
		const { start } = trace;
		if (start[at.span] < view.t0 || start[at.span] > view.t1) view.reveal(at.span);
		byId('say').textContent = spoken(view, at);
		view.draw(false);
	};
	/** Returns the visible rows that have spans. The rows of the machine have none. */
	const stops = () => view.rows.visible.filter((to) => to.spans.length > 0 || to.waits?.length);
	/** Returns the nearest span or wait of a row. @param {import('../scene/rows.js').RowOf} to @param {number} t */
	const nearest = (to, t) => {
		let best = -1;
		for (const list of [to.spans, to.waits]) {
			if (!list?.length) continue;
			const i = Math.min(list.length - 1, list.first(t));
			const g = list.at(i);
			if (best < 0 || Math.abs(trace.start[g] - t) < Math.abs(trace.start[best] - t)) best = g;
		}
		return best;
	};
	return {
		pin,
		row,
		/** Returns whether a visible row has spans. */
		reaches: () => stops().length > 0,
		/** Moves the cursor along the row. @param {1 | -1} direction @returns {boolean} whether there is a span */
		along(direction) {
			const at = pin();
			const to = row() ?? stops()[0];
			if (!to) return false;
			const list = to.waits && (!to.spans.length || (at && trace.kind(at.span) === Kind.WAIT)) ? to.waits : to.spans;
			const i = at ? list.seek(trace.start[at.span] + (direction > 0 ? 0.5 : 0)) : list.seek(view.t0);
			const k = at && direction < 0 ? i - 1 : i;
			if (k < 0 || k >= list.length) return false;
			put({ span: list.at(k), group: to.group, id: to.id });
			return true;
		},
		/** Moves the cursor to the row above or below. @param {1 | -1} direction @returns {boolean} whether there are a cursor and a row */
		across(direction) {
			const at = pin();
			if (!at) return false;
			const all = stops();
			const now = row();
			const next = all[now ? all.indexOf(now) + direction : 0];
			if (!next) return false;
			put({ span: nearest(next, trace.start[at.span]), group: next.group, id: next.id });
			return true;
		},
		/** Begins to measure at the cursor, or ends it. @returns {boolean} whether there was a cursor or a measurement */
		measure() {
			const was = anchor !== null;
			anchor = anchor ? null : pin() ?? null;
			view.draw(false);
			return was || anchor !== null;
		},
		/** Ends measuring. @returns {boolean} whether it was active */
		stop() {
			const was = anchor !== null;
			anchor = null;
			return was;
		},
		/** Highlights the cursor's row. @param {boolean} alike also all rows whose names begin alike @returns {boolean} whether there is a cursor */
		mark(alike) {
			const to = row();
			if (!to) return false;
			if (alike) view.rows.markPrefix(to);
			else view.rows.toggleMark(to);
			view.draw();
			return true;
		},
	};
}
