// SPDX-License-Identifier: BSD-3-Clause
/** Controls the selected time range: by a drag on the axis, a measurement, or between marks. Must cancel work no longer needed. */
import { byId } from '../base/dom.ts';
import * as format from '../base/format.ts';
import { isMark } from '../base/kinds.ts';
import { tallySlowly, type Tally } from '../ask/stats.ts';
import { when } from '../scene/times.ts';
import { Table } from './table.ts';
import type { Trace } from '../data/trace.ts';
import type { View } from '../scene/view.ts';

/** Minimum movement of a drag in pixels; a shorter one is a click. */
const LEAST_DRAG = 4;

/** Handles the axis: a drag selects, a click clears. */
function dragging(view: View, axis: HTMLElement, set: (a: number, b: number) => void, clear: () => void) {
	/** Beginning of the drag, CSS pixels. */
	let from = NaN;
	const at = (event: PointerEvent) => Math.max(0, Math.min(view.width, event.clientX - axis.getBoundingClientRect().left));
	axis.addEventListener('pointerdown', (event) => {
		if (event.button !== 0) return;
		axis.setPointerCapture(event.pointerId);
		from = at(event);
	});
	axis.addEventListener('pointermove', (event) => {
		if (Number.isNaN(from) || Math.abs(at(event) - from) < LEAST_DRAG) return;
		const [a, b] = [view.time(from), view.time(at(event))];
		view.selection = { t0: Math.min(a, b), t1: Math.max(a, b) };
		view.draw();
	});
	const up = (event: PointerEvent) => {
		if (Number.isNaN(from)) return;
		if (Math.abs(at(event) - from) < LEAST_DRAG) clear();
		else set(view.time(from), view.time(at(event)));
		from = NaN;
	};
	axis.addEventListener('pointerup', up);
	axis.addEventListener('pointercancel', up);
}

/** Returns the last mark up to t and the first mark after t; -1: none. */
function marksAround(trace: Trace, t: number) {
	let before = -1;
	let after = -1;
	for (const g of trace.marks) {
		if (!isMark(trace.kind(g))) continue;
		if (trace.start[g] <= t) before = g;
		else if (after < 0) after = g;
	}
	return { before, after };
}

/**
 * Controls the selected time range and its table.
 * @param act changed: called when the time range has changed; summed: when the sums of the whole trace are complete;
 * asked: when the user has selected a time range
 */
export function selecting(
	view: View, axis: HTMLElement, jump: (span: number) => void,
	{ changed, summed, asked }: {changed: () => void, summed: () => void, asked: () => void},
) {
	const { trace } = view;
	const table = new Table(view, jump);
	const panel = byId('panel');
	const button = byId('button-table');
	let whole: Tally | null = null;
	let cancel = () => {};

	const title = () => {
		const s = view.selection;
		byId('paneltitle').textContent = s ? `Selection: ${format.duration(s.t1 - s.t0)} from ${when(view, s.t0)}` : 'Whole trace';
	};
	/** Updates the table if it is visible. */
	const update = () => {
		cancel();
		changed();
		const s = view.selection;
		title();
		byId('clearselection').hidden = !s;
		byId('zoomselection').hidden = !s;
		if (panel.hidden) return;
		if (!s && whole) {
			table.show(whole);
			return;
		}
		if (!s) table.show(null);
		cancel = tallySlowly(trace, s ? s.t0 : trace.first, s ? s.t1 : trace.last, (sums) => {
			table.show(sums);
			if (s) return;
			whole = sums;
			summed();
		});
	};
	/** Selects the time range between a and b, units of 10 ns. */
	const set = (a: number, b: number) => {
		const t0 = Math.max(trace.first, Math.min(a, b));
		const t1 = Math.min(trace.last, Math.max(a, b));
		view.selection = t1 > t0 ? { t0: Math.round(t0), t1: Math.max(Math.round(t0) + 1, Math.round(t1)) } : null;
		if (view.selection && panel.hidden) open(true);
		else update();
		view.draw();
	};
	const clear = () => {
		view.selection = null;
		update();
		view.draw();
	};
	const open = (on: boolean) => {
		panel.hidden = !on;
		byId('main').classList.toggle('withpanel', on);
		button.setAttribute('aria-pressed', String(on));
		if (on) update();
		view.draw();
	};

	const choose = (a: number, b: number) => {
		set(a, b);
		asked();
	};
	dragging(view, axis, choose, clear);

	/**
	 * Selects the measured time, otherwise the time between the marks around t (or the ends of the trace).
	 * @returns false: nothing is measured, and there is no mark
	 */
	const between = (t: number): boolean => {
		if (view.measure) {
			choose(trace.start[view.measure.from.span], trace.start[view.measure.to.span]);
			return true;
		}
		const { before, after } = marksAround(trace, t);
		if (before < 0 && after < 0) return false;
		choose(before >= 0 ? trace.start[before] : trace.first, after >= 0 ? trace.start[after] : trace.last);
		return true;
	};

	button.addEventListener('click', () => open(panel.hidden));
	byId('closepanel').addEventListener('click', () => open(false));
	byId('clearselection').addEventListener('click', clear);
	byId('zoomselection').addEventListener('click', () => {
		if (view.selection) view.show(view.selection.t0, view.selection.t1);
	});
	byId('selectmeasure').addEventListener('click', () => between(view.t0));
	/** Updates the table after the parts of calls were joined (data/join.ts), because the table can then sum calls. */
	const joined = () => {
		const before = whole;
		whole = null;
		update();
		if (before && !whole && !view.selection) table.show(before);
	};
	return { set, clear, open, between, joined, title, table, isOpen: () => !panel.hidden };
}
