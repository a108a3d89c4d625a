// SPDX-License-Identifier: BSD-3-Clause
/** Describes the span or arc under the pointer in a tooltip, and handles clicks on it. input.ts detects clicks and drags. */
import { placeIn } from '../base/dom.ts';
import { Kind, isExecution } from '../base/kinds.ts';
import { arcAt } from '../draw/arcs.ts';
import { showBars, showReading } from '../panel/reading.ts';
import { showTooltip } from '../panel/tooltip.ts';
import { zoomTo } from '../scene/jump.ts';
import type { Pin, View } from '../scene/view.ts';

/** Maximum distance between the pointer and an arc that it points at: over a span, and where there is no span; CSS pixels. */
const ARC_NEAR = 3;
const ARC_FAR = 6;
/** Maximum distance of two clicks of a double click, ms and CSS pixels. */
const DOUBLE_MS = 400;
const DOUBLE_PIXELS = 6;

/** Returns the span or arc at a position of the plot. @returns hit: the span, or null; arc: the span of the arc, or -1 */
function under(view: View, x: number, y: number): {hit: ReturnType<View['hit']>, arc: number} {
	const hit = view.hit(x, y);
	// prefer a mark, which is thinner than an arc
	const kind = hit ? view.trace.kind(hit.span) : -1;
	const thin = hit !== null && !isExecution(kind) && kind !== Kind.WAIT;
	const near = thin ? null : arcAt(view, x, y, hit ? ARC_NEAR : ARC_FAR);
	return near ? { hit: null, arc: near.arc.span } : { hit, arc: -1 };
}

/**
 * Shows the tooltip for the position of the pointer.
 * @returns move: shows the tooltip for the pointer; null: the pointer left; clicked: show nothing until the pointer moves.
 * again: must be called when the picture has moved under the pointer
 */
export function hovering(view: View, over: HTMLElement): {move: (event: PointerEvent | null, clicked?: boolean) => void, again: () => void} {
	/** Position of a click, until the pointer moves. */
	let quiet = { x: NaN, y: NaN };
	/** The last event of the pointer while it is over the picture. */
	let last: PointerEvent | null = null;
	/** Interval and version of the picture at the last event of the pointer. */
	let seen = { t0: NaN, t1: NaN, version: NaN };
	const move = (event: PointerEvent | null, clicked = false) => {
		const { x, y } = event ? placeIn(over, event) : { x: 0, y: 0 };
		last = event;
		seen = { t0: view.t0, t1: view.t1, version: view.rows.version };
		view.pointer = event && { x, y };
		const { hit, arc } = event ? under(view, x, y) : { hit: null, arc: -1 };
		const other = hit?.span !== view.hover?.span || hit?.row !== view.hover?.row || arc !== view.arc;
		view.hover = hit;
		view.arc = arc;
		const span = hit ? hit.span : arc >= 0 ? arc : null;
		const row = event && view.rows.at(y);
		if (clicked && event) quiet = { x: event.clientX, y: event.clientY };
		else if (event && (event.clientX !== quiet.x || event.clientY !== quiet.y)) quiet = { x: NaN, y: NaN };
		if (!Number.isNaN(quiet.x)) showTooltip(view, null, 0, 0);
		else if (!event || span !== null || !(row ? showReading(view, row, x, event) : showBars(view, x, y, event))) showTooltip(view, span, event?.clientX ?? 0, event?.clientY ?? 0);
		if (other) view.draw(false);
	};
	return {
		move,
		again: () => {
			if (!last || (view.t0 === seen.t0 && view.t1 === seen.t1 && view.rows.version === seen.version)) return;
			move(last);
		},
	};
}

/**
 * Handles clicks. A click selects a span or an arc; a click in a gap of a process's row explains the gap. A second click on
 * the span opens its details, even if the picture has moved. A double click zooms to the span.
 * @returns a function that handles a click at a position of the plot, CSS pixels, and a time, ms
 */
export function clicking(
	view: View, panel: {explain: (pid: number, t: number) => boolean, isOpen: () => boolean, open: () => void},
): (x: number, y: number, time: number) => void {
	let last = { time: -Infinity, x: 0, y: 0, pin: null as Pin | null };
	const choose = (pin: Pin) => {
		const again = view.chosen?.span === pin.span;
		view.chosen = pin;
		if (again || panel.isOpen()) panel.open();
		view.draw(false);
	};
	return (x, y, time) => {
		const { hit, arc } = under(view, x, y);
		const row = hit?.row ?? view.rows.at(y);
		const span = hit ? hit.span : arc;
		const pin = span < 0 ? null : { span, group: hit?.row.group ?? 'CPU', id: hit?.row.id ?? view.trace.cpuOf(span) };
		const before = last;
		last = { time, x, y, pin };
		if (before.pin && time < before.time + DOUBLE_MS && Math.hypot(x - before.x, y - before.y) < DOUBLE_PIXELS) {
			last.time = -Infinity;
			view.chosen = before.pin;
			zoomTo(view, before.pin);
			return;
		}
		const gap = arc < 0 && row?.group === 'PID' && (!hit || view.trace.kind(hit.span) === Kind.WAIT);
		if (pin && gap && before.pin?.span === pin.span) choose(pin);
		else if (gap && row && panel.explain(row.id, view.time(x) + view.offset(row))) return;
		else if (pin) choose(pin);
	};
}
