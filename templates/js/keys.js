// SPDX-License-Identifier: BSD-3-Clause
/**
 * Keys, by their place on the keyboard, and what they move: a cursor that goes
 * from span to span and from row to row, and is the annotation that stays.
 */
import { rowFor } from './jump.js';
import * as format from './format.js';
import { Kind } from './kinds.js';
import { byId, showTooltip } from './panel.js';
import { GROUP_HEIGHT } from './rows.js';

/** @typedef {import('./view.js').View} View */
/** @typedef {import('./view.js').Pin} Pin */

/** @param {View} view */
export function cursor(view) {
	const { trace } = view;
	/** Where m began to measure. @type {Pin | null} */
	let anchor = null;
	const pin = () => /** @type {Pin | undefined} */ (view.pins[view.pins.length - 1]);
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
		const hit = { span: at.span, row: /** @type {import('./rows.js').RowOf} */ (row()) };
		byId('say').textContent = `${hit.row?.label ?? ''}: ${trace.label(at.span)}, ${format.duration(trace.dur[at.span])}, at ${format.seconds(start[at.span])}`;
		view.draw(false);
	};
	/** The nearest span of the list of a row. @param {import('./rows.js').RowOf} to @param {number} t */
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
		/** @param {1 | -1} direction along the row */
		along(direction) {
			const at = pin();
			const to = row() ?? view.rows.visible[0];
			if (!to) return;
			const list = at && to.waits && trace.kind(at.span) === Kind.WAIT ? to.waits : to.spans;
			const i = at ? list.seek(trace.start[at.span] + (direction > 0 ? 0.5 : 0)) : list.seek(view.t0);
			const k = at && direction < 0 ? i - 1 : i;
			if (k < 0 || k >= list.length) return;
			put({ span: list.at(k), group: to.group, id: to.id });
		},
		/** @param {1 | -1} direction to the row above or below; false: there is no cursor */
		across(direction) {
			const at = pin();
			if (!at) return false;
			const { visible } = view.rows;
			const now = row();
			const k = now ? visible.indexOf(now) + direction : 0;
			const last = visible[k];
			if (!last) {
				view.rows.scrollBy(direction * 3 * GROUP_HEIGHT);
				view.draw();
				return true;
			}
			const span = nearest(last, trace.start[at.span]);
			if (span >= 0) put({ span, group: last.group, id: last.id });
			return true;
		},
		/** Begins to measure at the cursor, or ends it. */
		measure() {
			anchor = anchor ? null : pin() ?? null;
			if (!anchor && !view.measure) return;
			view.draw(false);
		},
		/** @returns {boolean} was it measuring? */
		stop() {
			const was = anchor !== null;
			anchor = null;
			return was;
		},
		/** Shows all data of the cursor's span, as hovering does; again: hides it. */
		inspect() {
			const at = pin();
			const tip = byId('tip');
			if (!at || !tip.hidden) {
				tip.hidden = true;
				return;
			}
			const to = rowFor(view, at.span);
			const box = view.parts.over.getBoundingClientRect();
			showTooltip(view, at.span, box.left + view.x(trace.start[at.span]), box.top + (to ? to.y + to.h : 0));
		},
		/** Highlights the cursor's row. @param {boolean} alike with all whose name begins alike */
		mark(alike) {
			const to = row();
			if (!to) return;
			if (alike) view.rows.markPrefix(to);
			else view.rows.toggleMark(to);
			view.draw();
		},
	};
}

/**
 * @param {View} view
 * @param {ReturnType<typeof cursor>} at
 * @param {{search: () => void, next: (direction: 1 | -1) => void, help: () => void, escape: () => void,
 *	changed: () => void, why: () => void, kind: () => void, between: () => void, table: () => void, zoomSelection: () => void,
 *	slot: (n: number, save: boolean) => void, swap: () => void}} actions
 */
export function attachKeys(view, at, actions) {
	addEventListener('keydown', (event) => {
		const typing = event.target instanceof HTMLInputElement;
		if (event.code === 'Escape') {
			actions.escape();
			if (typing) /** @type {HTMLElement} */ (event.target).blur();
			event.preventDefault();
			return;
		}
		if (typing || event.ctrlKey || event.altKey || event.metaKey) return;
		// on some keyboards it is elsewhere
		if (event.key === '/') {
			actions.search();
			event.preventDefault();
			return;
		}
		if (event.key === '?') {
			actions.help();
			event.preventDefault();
			return;
		}
		// Enter and space belong to the button that has the focus
		if (['Enter', 'NumpadEnter', 'Space'].includes(event.code) && event.target instanceof Element && event.target.closest('button, summary, [role=tab]')) return;
		const digit = /^Digit([1-5])$/.exec(event.code);
		if (digit) {
			actions.slot(Number(digit[1]) - 1, event.shiftKey);
			event.preventDefault();
			return;
		}
		const pin = at.pin();
		const focus = view.hover ? view.hover.span : pin ? pin.span : -1;
		const middle = focus >= 0 ? Math.max(0, Math.min(view.width, view.x(view.trace.start[focus]))) : view.width / 2;
		switch (event.code) {
		case 'KeyW': view.zoomAt(1 / 1.4, middle); break;
		case 'KeyS': view.zoomAt(1.4, middle); break;
		case 'KeyA': view.pan(-view.width * 0.15); break;
		case 'KeyD': view.pan(view.width * 0.15); break;
		case 'KeyR': view.rows.zoomAt(1.3, view.height / 3); view.draw(); break;
		case 'KeyF': view.rows.zoomAt(1 / 1.3, view.height / 3); view.draw(); break;
		case 'ArrowLeft': at.along(-1); break;
		case 'ArrowRight': at.along(1); break;
		case 'ArrowUp': case 'ArrowDown': {
			const direction = event.code === 'ArrowUp' ? -1 : 1;
			if (event.shiftKey || !at.across(direction)) {
				view.rows.scrollBy(direction * 3 * GROUP_HEIGHT);
				view.draw();
			}
			break;
		}
		case 'Enter': case 'NumpadEnter': at.inspect(); break;
		case 'KeyM': at.measure(); break;
		case 'KeyH': at.mark(event.shiftKey); break;
		case 'KeyK': actions.kind(); break;
		case 'KeyY': actions.why(); break;
		case 'KeyX': actions.between(); break;
		case 'KeyZ': actions.zoomSelection(); break;
		case 'KeyT': actions.table(); break;
		case 'Digit0': actions.swap(); break;
		case 'Home': view.reset(); break;
		case 'Slash': actions.search(); break;
		case 'KeyN': actions.next(event.shiftKey ? -1 : 1); break;
		default: return;
		}
		event.preventDefault();
		actions.changed();
	});
}
