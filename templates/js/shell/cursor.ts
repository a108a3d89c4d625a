// SPDX-License-Identifier: BSD-3-Clause
/** Holds the cursor that keys move between spans and rows: the last annotation, or the selected span. */
import { byId } from '../base/dom.ts';
import { Kind } from '../base/kinds.ts';
import { spoken } from '../scene/chosen.ts';
import type { RowOf } from '../scene/rows.ts';
import type { Pin, View } from '../scene/view.ts';

export function cursor(view: View) {
	const { trace } = view;
	/** Span at which the key m began to measure. */
	let anchor: Pin | null = null;
	const pin = () => (view.pins[view.pins.length - 1] ?? view.chosen ?? undefined) as Pin | undefined;
	const row = () => {
		const at = pin();
		return at ? view.rows.find(at.group, at.id) : null;
	};
	const put = (at: Pin) => {
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
	const nearest = (to: RowOf, t: number) => {
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
		reaches: () => stops().length > 0,
		/** Moves the cursor along the row. @returns whether the row has a span in this direction */
		along(direction: 1 | -1): boolean {
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
		/** Moves the cursor to the row above or below. @returns false: there is no cursor, or no such row */
		across(direction: 1 | -1): boolean {
			const at = pin();
			if (!at) return false;
			const all = stops();
			const now = row();
			const next = all[now ? all.indexOf(now) + direction : 0];
			if (!next) return false;
			put({ span: nearest(next, trace.start[at.span]), group: next.group, id: next.id });
			return true;
		},
		/** Begins to measure at the cursor, or ends measuring. @returns whether there was a cursor or a measurement */
		measure(): boolean {
			const was = anchor !== null;
			anchor = anchor ? null : pin() ?? null;
			view.draw(false);
			return was || anchor !== null;
		},
		/** Ends measuring. @returns whether the user was measuring */
		stop(): boolean {
			const was = anchor !== null;
			anchor = null;
			return was;
		},
		/**
		 * Highlights the cursor's row.
		 * @param alike also rows with the same prefix in their name
		 * @returns whether there is a cursor
		 */
		mark(alike: boolean): boolean {
			const to = row();
			if (!to) return false;
			if (alike) view.rows.markPrefix(to);
			else view.rows.toggleMark(to);
			view.draw();
			return true;
		},
	};
}
