// SPDX-License-Identifier: BSD-3-Clause
/**
 * Mouse, wheel and touch on the picture and its labels. Changes the view; keys
 * are keys.js's, and everything that is not on the picture is panel.js's.
 */
/** @typedef {import('./view.js').View} View */

/** @param {WheelEvent} event pixels, whatever the unit it came in */
function wheelPixels(event) {
	const unit = event.deltaMode === 1 ? 16 : event.deltaMode === 2 ? 400 : 1;
	return { dx: event.deltaX * unit, dy: event.deltaY * unit };
}

/** @param {number} pixels of the wheel */
const zoomFactor = (pixels) => Math.exp(Math.max(-600, Math.min(600, pixels)) * 0.002);

/**
 * @param {View} view
 * @param {{over: HTMLElement, labels: HTMLElement, axis: HTMLElement,
 *	hover: (event: PointerEvent | null) => void, changed: () => void, click: (x: number, y: number) => void,
 *	kind: (span: number) => void}} parts
 */
export function attachMouse(view, parts) {
	const { over, labels, axis, hover, changed, click, kind } = parts;
	/** @param {MouseEvent} event */
	const place = (event) => {
		const box = over.getBoundingClientRect();
		return { x: event.clientX - box.left, y: event.clientY - box.top };
	};

	/** @param {WheelEvent} event */
	const wheelTime = (event) => {
		event.preventDefault();
		const { dx, dy } = wheelPixels(event);
		// two fingers on a trackpad come as a wheel with ctrl, in small steps
		if (event.ctrlKey) view.zoomAt(zoomFactor(dy * 5), Math.max(0, Math.min(view.width, place(event).x)));
		else if (Math.abs(dx) > Math.abs(dy)) view.pan(dx);
		else view.zoomAt(zoomFactor(dy), Math.max(0, Math.min(view.width, place(event).x)));
		hover(null);
	};
	over.addEventListener('wheel', wheelTime, { passive: false });
	axis.addEventListener('wheel', wheelTime, { passive: false });
	labels.addEventListener('wheel', (event) => {
		event.preventDefault();
		view.rows.zoomAt(1 / zoomFactor(wheelPixels(event).dy), place(event).y);
		view.draw();
		changed();
	}, { passive: false });

	// one pointer drags, two pinch
	/** @type {Map<number, {x: number, y: number}>} */
	const pointers = new Map();
	let mode = '';
	/** Where the button went down; NaN once it was a drag. */
	let down = { x: NaN, y: NaN };

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
			const to = view.nearest(at.x, at.y);
			if (from && to && Math.hypot(at.x - before.x, at.y - before.y) > 4) {
				start = from;
				view.measure = { from, to };
				view.pins = [...view.pins.slice(0, view.pins.indexOf(from) + 1), ...(to.span === from.span ? [] : [to])];
				view.draw(false);
				changed();
			}
			return;
		}
		if (!(Math.hypot(at.x - down.x, at.y - down.y) < 4)) down = { x: NaN, y: NaN };
		if (pointers.size === 2) {
			const other = [...pointers.entries()].find(([id]) => id !== event.pointerId)?.[1];
			if (other) {
				const factor = Math.max(20, Math.abs(before.x - other.x)) / Math.max(20, Math.abs(at.x - other.x));
				view.zoomAt(factor, (at.x + other.x) / 2);
			}
		} else {
			view.pan(before.x - at.x);
		}
		pointers.set(event.pointerId, at);
		hover(null);
	});
	/** The pin that measuring goes from. @type {import('./view.js').Pin | null} */
	let start = null;
	/** @param {PointerEvent} event */
	const up = (event) => {
		if (!pointers.delete(event.pointerId)) return;
		if (mode === 'note' && event.shiftKey) clearNotes(view);
		if (mode === 'drag' && event.type === 'pointerup' && !Number.isNaN(down.x)) click(down.x, down.y);
		mode = pointers.size ? mode : '';
		start = null;
		changed();
		hover(event);
	};
	over.addEventListener('pointerup', up);
	over.addEventListener('pointercancel', up);
	over.addEventListener('pointerleave', () => hover(null));

	let labelY = NaN;
	labels.addEventListener('pointerdown', (event) => {
		// the groups' buttons lie over the labels
		if (event.button !== 0 || (event.target instanceof Element && event.target.closest('button'))) return;
		const { y } = place(event);
		if (event.shiftKey) {
			const row = view.rows.at(y);
			if (row) view.rows.toggleMark(row);
			view.draw();
			changed();
			return;
		}
		labels.setPointerCapture(event.pointerId);
		labelY = y;
	});
	labels.addEventListener('pointermove', (event) => {
		if (Number.isNaN(labelY)) return;
		const { y } = place(event);
		view.rows.scrollBy(labelY - y);
		labelY = y;
		view.draw();
		changed();
	});
	labels.addEventListener('pointerup', () => {
		labelY = NaN;
	});
	labels.addEventListener('contextmenu', (event) => {
		event.preventDefault();
		const row = view.rows.at(place(event).y);
		if (row) view.rows.markPrefix(row);
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
