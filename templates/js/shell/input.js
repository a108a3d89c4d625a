// SPDX-License-Identifier: BSD-3-Clause
/**
 * Mouse, wheel and touch on the picture, its axis and its labels.
 * Never handles drags on the axis (panel/select.js) or keys (keys.js).
 * Imported by app.js and, for clearing notes, actions.js.
 */
import { Rows } from '../scene/rows.js';

/** @typedef {import('../scene/view.js').Pin} Pin */
/** @typedef {import('../scene/view.js').View} View */

/** Presses that are no further apart are a double click, ms. */
const DOUBLE_MS = 500;

/** @param {WheelEvent} event pixels, whatever the unit it came in */
function wheelPixels(event) {
	const unit = event.deltaMode === 1 ? 16 : event.deltaMode === 2 ? 400 : 1;
	return { dx: event.deltaX * unit, dy: event.deltaY * unit };
}

/** @param {number} pixels of the wheel */
const zoomFactor = (pixels) => Math.exp(Math.max(-600, Math.min(600, pixels)) * 0.002);

/**
 * @typedef {object} Parts
 * @property {HTMLElement} over
 * @property {HTMLElement} labels
 * @property {HTMLElement} axis
 * @property {(event: PointerEvent | null, clicked?: boolean) => void} hover clicked: what is there has been seen
 * @property {() => void} changed
 * @property {(x: number, y: number, time: number) => void} click
 * @property {(span: number) => void} kind
 * @property {HTMLElement} pinButton beside the label under the pointer
 * @property {() => void} pin pins the row under the pointer
 * @property {(row: import('../scene/rows.js').RowOf | null, event: MouseEvent | null) => void} label the pointer is on a row's label
 * @property {import('./wheel.js').Wheel} wheel
 */

/** A place on the picture, CSS pixels. @typedef {(event: MouseEvent) => {x: number, y: number}} Place */

/** @param {View} view @param {Parts} parts */
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

/** Zooming and moving rows; which of them shift exchanges for the other. @param {View} view @param {Parts} parts @param {Place} place */
function attachWheel(view, { over, labels, axis, hover, changed, wheel }, place) {
	/** With shift some browsers turn it to the side. @param {WheelEvent} event */
	const along = (event) => {
		const { dx, dy } = wheelPixels(event);
		return event.shiftKey && Math.abs(dx) > Math.abs(dy) ? dx : dy;
	};
	/** @param {number} pixels */
	const moveRows = (pixels) => {
		view.rows.scrollBy(pixels);
		view.draw();
		changed();
	};
	/** @param {WheelEvent} event */
	const onPicture = (event) => {
		event.preventDefault();
		const { dx, dy } = wheelPixels(event);
		const x = Math.max(0, Math.min(view.width, place(event).x));
		// two fingers on a trackpad come as a wheel with ctrl, in small steps
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
 * @returns {boolean} is there one?
 */
function measureTo(view, from, at) {
	const to = view.nearest(at.x, at.y);
	if (!to) return false;
	view.measure = { from, to };
	view.pins = [...view.pins.slice(0, view.pins.indexOf(from) + 1), ...(to.span === from.span ? [] : [to])];
	view.draw(false);
	return true;
}

/** One of two fingers moves. @param {View} view @param {Point} before @param {Point} at @param {Point} other */
function pinch(view, before, at, other) {
	const factor = Math.max(20, Math.abs(before.x - other.x)) / Math.max(20, Math.abs(at.x - other.x));
	view.zoomAt(factor, (at.x + other.x) / 2);
}

/** On the picture: dragging, pinching, annotating, measuring. @param {View} view @param {Parts} parts @param {Place} place */
function attachPointers(view, { over, hover, changed, click, kind }, place) {
	// one pointer drags, two pinch
	/** @type {Map<number, Point>} */
	const pointers = new Map();
	let mode = '';
	/** Where the button went down; NaN once it was a drag. */
	let down = { x: NaN, y: NaN };
	/** The pin that measuring goes from. @type {Pin | null} */
	let start = null;

	over.addEventListener('contextmenu', (event) => {
		if (event.shiftKey) event.preventDefault();
	});
	over.addEventListener('pointerdown', (event) => {
		// Firefox does not tell a page of the context menu when shift is held
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
	/** @param {PointerEvent} event */
	const up = (event) => {
		if (!pointers.delete(event.pointerId)) return;
		// what was measured stays, whichever is let go first
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

/** On the labels: moving the rows, pinning them, and what stands out. @param {View} view @param {Parts} parts @param {Place} place */
function attachLabels(view, { labels, changed, pinButton, pin, label }, place) {
	const { rows } = view;
	let labelY = NaN;
	/** The row whose label is there; the button to pin it stands beside it. @param {MouseEvent | null} event */
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
		// the groups' buttons lie over the labels
		if (event.button !== 0 || (event.target instanceof Element && event.target.closest('button'))) return;
		const { y } = place(event);
		if (event.shiftKey) {
			const row = rows.at(y);
			if (row) rows.toggleMark(row);
			view.draw();
			changed();
			return;
		}
		// told by ourselves: browsers that lose the second click's target to the capture report none
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
	// a touch may be taken away by the browser
	for (const name of /** @type {const} */ (['pointerup', 'pointercancel', 'lostpointercapture'])) labels.addEventListener(name, release);
	labels.addEventListener('contextmenu', (event) => {
		event.preventDefault();
		const row = rows.at(place(event).y);
		if (row) rows.markPrefix(row);
		view.draw();
		changed();
	});
}

/** @param {View} view */
export function clearNotes(view) {
	view.pins = [];
	view.measure = null;
	view.draw(false);
}
