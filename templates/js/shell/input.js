// SPDX-License-Identifier: BSD-3-Clause
/**
 * Handles mouse, wheel and touch on the picture, its axis and its labels. Must not handle drags on the axis
 * (panel/select.js) or keys (keys.js).
 */
import { Rows } from '../scene/rows.js';

/** @typedef {import('../scene/view.js').Pin} Pin */
/** @typedef {import('../scene/view.js').View} View */

/** Maximum time between two presses of a double click, ms. */
const DOUBLE_MS = 500;

/** Returns the movement of the wheel in pixels, whatever the unit of the event. @param {WheelEvent} event */
function wheelPixels(event) {
	const unit = event.deltaMode === 1 ? 16 : event.deltaMode === 2 ? 400 : 1;
	return { dx: event.deltaX * unit, dy: event.deltaY * unit };
}

/** Returns the zoom factor for a movement of the wheel. @param {number} pixels */
const zoomFactor = (pixels) => Math.exp(Math.max(-600, Math.min(600, pixels)) * 0.002);

/**
 * @typedef {object} Parts
 * @property {HTMLElement} over
 * @property {HTMLElement} labels
 * @property {HTMLElement} axis
 * @property {(event: PointerEvent | null, clicked?: boolean) => void} hover the pointer moves over the picture; clicked: it has clicked, so the span needs no tooltip
 * @property {() => void} changed
 * @property {(x: number, y: number, time: number) => void} click
 * @property {(span: number) => void} kind
 * @property {HTMLElement} pinButton button beside the label under the pointer
 * @property {() => void} pin pins the row under the pointer
 * @property {(row: import('../scene/rows.js').RowOf | null, event: MouseEvent | null) => void} label the pointer moves over a row's label
 * @property {import('./wheel.js').Wheel} wheel
 */

/** Returns the position of an event on the picture, CSS pixels. @typedef {(event: MouseEvent) => {x: number, y: number}} Place */

/** Connects the mouse. @param {View} view @param {Parts} parts */
export function attachMouse(view, parts) {
	const { over } = parts;
	/** @type {Place} */
	const place = (event) => {
		const box = over.getBoundingClientRect();
		return { x: event.clientX - box.left, y: event.clientY - box.top };
	};
	attachWheel(view, parts, place);
	attachPointers(view, parts, place);
	attachLabels(view, parts, place);
}

/** Handles the wheel, which zooms or moves rows. Shift exchanges the two. @param {View} view @param {Parts} parts @param {Place} place */
function attachWheel(view, { over, labels, axis, hover, changed, wheel }, place) {
	/** Returns the movement. With shift some browsers report it as horizontal. @param {WheelEvent} event */
	const along = (event) => {
		const { dx, dy } = wheelPixels(event);
		return event.shiftKey && Math.abs(dx) > Math.abs(dy) ? dx : dy;
	};
	/** Moves the rows. @param {number} pixels */
	const moveRows = (pixels) => {
		view.rows.scrollBy(pixels);
		view.draw();
		changed();
	};
	/** Handles the wheel on the picture. @param {WheelEvent} event */
	const onPicture = (event) => {
		event.preventDefault();
		const { dx, dy } = wheelPixels(event);
		const x = Math.max(0, Math.min(view.width, place(event).x));
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
		view.rows.zoomAt(1 / zoomFactor(along(event)), place(event).y);
		view.draw();
		changed();
	}, { passive: false });
}

/** @typedef {{x: number, y: number}} Point */

/**
 * Measures from a pin to the span nearest to a point.
 * @param {View} view
 * @param {Pin} from
 * @param {Point} at
 * @returns {boolean} whether there is a span
 */
function measureTo(view, from, at) {
	const to = view.nearest(at.x, at.y);
	if (!to) return false;
	view.measure = { from, to };
	view.pins = [...view.pins.slice(0, view.pins.indexOf(from) + 1), ...(to.span === from.span ? [] : [to])];
	view.draw(false);
	return true;
}

/** Zooms while one of two fingers moves. @param {View} view @param {Point} before @param {Point} at @param {Point} other */
function pinch(view, before, at, other) {
	const factor = Math.max(20, Math.abs(before.x - other.x)) / Math.max(20, Math.abs(at.x - other.x));
	view.zoomAt(factor, (at.x + other.x) / 2);
}

/** Handles pointers on the picture: dragging, pinching, annotating, measuring. @param {View} view @param {Parts} parts @param {Place} place */
function attachPointers(view, { over, hover, changed, click, kind }, place) {
	// one pointer drags, two pinch
	/** @type {Map<number, Point>} */
	const pointers = new Map();
	let mode = '';
	/** Position at which the button was pressed; NaN after a drag. */
	let down = { x: NaN, y: NaN };
	/** The pin from which the user measures. @type {Pin | null} */
	let start = null;

	over.addEventListener('contextmenu', (event) => {
		if (event.shiftKey) event.preventDefault();
	});
	over.addEventListener('pointerdown', (event) => {
		// with shift, Firefox sends no contextmenu event
		if (event.button === 2 && event.shiftKey) {
			const { x, y } = place(event);
			const hit = view.hit(x, y);
			if (hit) kind(hit.span);
			return;
		}
		if (event.button !== 0) return;

		over.setPointerCapture(event.pointerId);
		const at = place(event);
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
		const at = place(event);
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
	/** Handles the release of a button or finger. @param {PointerEvent} event */
	const up = (event) => {
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

/** Handles the labels: moving, pinning and highlighting rows. @param {View} view @param {Parts} parts @param {Place} place */
function attachLabels(view, { labels, changed, pinButton, pin, label }, place) {
	const { rows } = view;
	let labelY = NaN;
	/** Sets the row under the pointer, and moves the button that pins it. @param {MouseEvent | null} event */
	const point = (event) => {
		rows.pointed = event && Number.isNaN(labelY) ? rows.at(place(event).y) : null;
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
	/** The last press of the button. */
	let last = { time: -Infinity, y: 0 };
	labels.addEventListener('pointerdown', (event) => {
		// the groups' buttons are above the labels
		if (event.button !== 0 || (event.target instanceof Element && event.target.closest('button'))) return;
		const { y } = place(event);
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
		const { y } = place(event);
		rows.scrollBy(labelY - y);
		labelY = y;
		point(null);
		view.draw();
		changed();
	});
	labels.addEventListener('pointerleave', () => point(null));
	const release = () => {
		labelY = NaN;
	};
	// the browser may cancel a touch
	for (const name of /** @type {const} */ (['pointerup', 'pointercancel', 'lostpointercapture'])) labels.addEventListener(name, release);
	labels.addEventListener('contextmenu', (event) => {
		event.preventDefault();
		const row = rows.at(place(event).y);
		if (row) rows.markPrefix(row);
		view.draw();
		changed();
	});
}

/** Removes annotations and the measurement. @param {View} view */
export function clearNotes(view) {
	view.pins = [];
	view.measure = null;
	view.draw(false);
}
