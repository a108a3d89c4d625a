// SPDX-License-Identifier: BSD-3-Clause
/** Handles mouse, wheel and touch on the picture, its axis and its labels; panel/select.ts handles drags on the axis. */
import { placeIn, store, stored } from '../base/dom.ts';
import { Rows, type RowOf } from '../scene/rows.ts';
import type { Pin, View } from '../scene/view.ts';

/** Key of the setting in the browser's storage. */
const WHEEL = 'kutrace-wheel';

/** Effect of the wheel on the picture without shift, and its text on the page. */
export const WHEELS = [
	['zoom', 'zooms time; with shift or over the labels, scrolls the rows'],
	['rows', 'scrolls the rows; with shift zooms time, over the labels zooms the rows'],
] as const;
/** moves: whether the wheel without shift moves rows. */
export type Wheel = {get: () => string, set: (now: string) => void, moves: () => boolean};

/** Returns the setting of the wheel, which the browser stores if it can. */
export function wheelSwitch(): Wheel {
	let now = stored(WHEEL) === 'rows' ? 'rows' : 'zoom';
	return {
		get: () => now,
		moves: () => now === 'rows',
		set: (wanted) => {
			now = wanted === 'rows' ? 'rows' : 'zoom';
			store(WHEEL, now);
		},
	};
}

/** Maximum time between two presses of a double click, ms. */
const DOUBLE_MS = 500;

/** Returns the movement of the wheel in pixels, whatever the unit of the event. */
function wheelPixels(event: WheelEvent) {
	const unit = event.deltaMode === 1 ? 16 : event.deltaMode === 2 ? 400 : 1;
	return { dx: event.deltaX * unit, dy: event.deltaY * unit };
}

const zoomFactor = (pixels: number) => Math.exp(Math.max(-600, Math.min(600, pixels)) * 0.002);

interface Parts {
	over: HTMLElement;
	labels: HTMLElement;
	axis: HTMLElement;
	hover: (event: PointerEvent | null, clicked?: boolean) => void; /* called when the pointer moves over the picture; clicked: the pointer has clicked, so the span needs no tooltip */
	changed: () => void;
	click: (x: number, y: number, time: number) => void;
	kind: (span: number) => void;
	pinButton: HTMLElement; /* button beside the label under the pointer */
	pin: () => void; /* pins the row under the pointer */
	label: (row: RowOf | null, event: MouseEvent | null) => void; /* called when the pointer moves over a row's label */
	wheel: Wheel;
}

export function attachMouse(view: View, parts: Parts) {
	attachWheel(view, parts);
	attachPointers(view, parts);
	attachLabels(view, parts);
}

/** Handles the wheel, which zooms or moves rows. Shift exchanges the two. */
function attachWheel(view: View, { over, labels, axis, hover, changed, wheel }: Parts) {
	/** Returns the movement. With shift, some browsers report the movement as horizontal. */
	const along = (event: WheelEvent) => {
		const { dx, dy } = wheelPixels(event);
		return event.shiftKey && Math.abs(dx) > Math.abs(dy) ? dx : dy;
	};
	const moveRows = (pixels: number) => {
		view.rows.scrollBy(pixels);
		view.draw();
		changed();
	};
	const onPicture = (event: WheelEvent) => {
		event.preventDefault();
		const { dx, dy } = wheelPixels(event);
		const x = Math.max(0, Math.min(view.width, placeIn(over, event).x));
		// a pinch on a trackpad is reported as wheel with ctrl, in small steps
		if (event.ctrlKey) view.zoomAt(zoomFactor(dy * 5), x);
		else if (!event.shiftKey && Math.abs(dx) > Math.abs(dy)) view.pan(dx);
		else if (event.shiftKey !== wheel.moves() && event.currentTarget === over) moveRows(along(event));
		else view.zoomAt(zoomFactor(along(event)), x);
		hover(null);
	};
	over.addEventListener('wheel', onPicture, { passive: false });
	axis.addEventListener('wheel', onPicture, { passive: false });
	labels.addEventListener('wheel', (event) => {
		event.preventDefault();
		if (!event.ctrlKey && event.shiftKey === wheel.moves()) {
			moveRows(along(event));
			return;
		}
		view.rows.zoomAt(1 / zoomFactor(along(event)), placeIn(over, event).y);
		view.draw();
		changed();
	}, { passive: false });
}

type Point = {x: number, y: number};

/** Measures from a pin to the span nearest to a point. @returns whether there is a span near the point */
function measureTo(view: View, from: Pin, at: Point): boolean {
	const to = view.nearest(at.x, at.y);
	if (!to) return false;
	view.measure = { from, to };
	view.pins = [...view.pins.slice(0, view.pins.indexOf(from) + 1), ...(to.span === from.span ? [] : [to])];
	view.draw(false);
	return true;
}

function pinch(view: View, before: Point, at: Point, other: Point) {
	const factor = Math.max(20, Math.abs(before.x - other.x)) / Math.max(20, Math.abs(at.x - other.x));
	view.zoomAt(factor, (at.x + other.x) / 2);
}

/** Handles pointers on the picture: dragging, pinching, annotating, measuring. */
function attachPointers(view: View, { over, hover, changed, click, kind }: Parts) {
	// one pointer drags, two pinch
	const pointers: Map<number, Point> = new Map();
	let mode = '';
	/** Position at which the button was pressed; NaN after a drag. */
	let down = { x: NaN, y: NaN };
	/** The pin from which the user measures. */
	let start: Pin | null = null;

	over.addEventListener('contextmenu', (event) => {
		if (event.shiftKey) event.preventDefault();
	});
	over.addEventListener('pointerdown', (event) => {
		// with shift, Firefox sends no contextmenu event
		if (event.button === 2 && event.shiftKey) {
			const { x, y } = placeIn(over, event);
			const hit = view.hit(x, y);
			if (hit) kind(hit.span);
			return;
		}
		if (event.button !== 0) return;

		over.setPointerCapture(event.pointerId);
		const at = placeIn(over, event);
		pointers.set(event.pointerId, at);
		if (!event.shiftKey) {
			mode = 'drag';
			down = pointers.size === 1 ? at : { x: NaN, y: NaN };
			return;
		}
		mode = 'note';
		const pin = view.nearest(at.x, at.y);
		if (pin) {
			view.pins.push(pin);
			view.measure = null;
			view.draw(false);
			changed();
		}
	});
	over.addEventListener('pointermove', (event) => {
		const at = placeIn(over, event);
		const before = pointers.get(event.pointerId);
		if (!before) {
			hover(event);
			return;
		}
		if (mode === 'note') {
			const from = view.pins.find((p) => p === start) ?? view.pins[view.pins.length - 1];
			if (Math.hypot(at.x - before.x, at.y - before.y) > 4 && from && measureTo(view, from, at)) {
				start = from;
				changed();
			}
			return;
		}
		if (!(Math.hypot(at.x - down.x, at.y - down.y) < 4)) down = { x: NaN, y: NaN };
		if (pointers.size === 2) {
			const other = [...pointers.entries()].find(([id]) => id !== event.pointerId)?.[1];
			if (other) pinch(view, before, at, other);
		} else {
			view.pan(before.x - at.x);
		}
		pointers.set(event.pointerId, at);
		hover(null);
	});
	const up = (event: PointerEvent) => {
		if (!pointers.delete(event.pointerId)) return;
		// the measurement stays, whether shift or the button is released first
		if (mode === 'note' && event.shiftKey && !start) clearNotes(view);
		const clicked = mode === 'drag' && event.type === 'pointerup' && !Number.isNaN(down.x);
		if (clicked) click(down.x, down.y, event.timeStamp);
		mode = pointers.size ? mode : '';
		start = null;
		changed();
		hover(event, clicked);
	};
	over.addEventListener('pointerup', up);
	over.addEventListener('pointercancel', up);
	over.addEventListener('pointerleave', () => hover(null));
}

/** Handles the labels: moving, pinning and highlighting rows. */
function attachLabels(view: View, { over, labels, changed, pinButton, pin, label }: Parts) {
	const { rows } = view;
	let labelY = NaN;
	/** Sets the row under the pointer, and moves the button that pins it. */
	const point = (event: MouseEvent | null) => {
		rows.pointed = event && Number.isNaN(labelY) ? rows.at(placeIn(over, event).y) : null;
		const { pointed } = rows;
		pinButton.hidden = !pointed || pointed.h < 5;
		label(pointed, event);
		if (!pointed) return;
		pinButton.style.top = `${pointed.y + pointed.h * 0.6 - 8}px`;
		pinButton.textContent = rows.pinned.has(Rows.key(pointed)) ? 'unpin' : 'pin';
	};
	const pinPointed = () => {
		pin();
		point(null);
		changed();
	};
	pinButton.addEventListener('click', pinPointed);
	let last = { time: -Infinity, y: 0 };
	labels.addEventListener('pointerdown', (event) => {
		// a press on the button of a group is not a press on a label
		if (event.button !== 0 || (event.target instanceof Element && event.target.closest('button'))) return;
		const { y } = placeIn(over, event);
		if (event.shiftKey) {
			const row = rows.at(y);
			if (row) rows.toggleMark(row);
			view.draw();
			changed();
			return;
		}
		// detect double clicks here: some browsers report none after a pointer capture
		if (event.timeStamp < last.time + DOUBLE_MS && Math.abs(y - last.y) < 5) {
			last.time = -Infinity;
			rows.pointed = rows.at(y);
			if (rows.pointed) pinPointed();
			return;
		}
		last = { time: event.timeStamp, y };
		labels.setPointerCapture(event.pointerId);
		labelY = y;
	});
	labels.addEventListener('pointermove', (event) => {
		if (Number.isNaN(labelY)) {
			point(event);
			return;
		}
		const { y } = placeIn(over, event);
		rows.scrollBy(labelY - y);
		labelY = y;
		point(null);
		view.draw();
		changed();
	});
	labels.addEventListener('pointerleave', () => point(null));
	// the browser may cancel a touch
	for (const name of ['pointerup', 'pointercancel', 'lostpointercapture'] as const) labels.addEventListener(name, () => (labelY = NaN));
	labels.addEventListener('contextmenu', (event) => {
		event.preventDefault();
		const row = rows.at(placeIn(over, event).y);
		if (row) rows.markPrefix(row);
		view.draw();
		changed();
	});
}

/** Removes annotations and the measurement. */
export function clearNotes(view: View) {
	view.pins = [];
	view.measure = null;
	view.draw(false);
}
