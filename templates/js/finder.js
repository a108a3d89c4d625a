// SPDX-License-Identifier: BSD-3-Clause
/** The search's boxes, its count, and going from match to match. */
import * as format from './format.js';
import { Histogram } from './histogram.js';
import { jumpTo } from './jump.js';
import { byId } from './panel.js';
import { Matches } from './search.js';
import { UNITS_PER_SECOND } from './trace.js';

/** @typedef {import('./view.js').View} View */

/** @param {View} view */
export function searching(view) {
	const input = /** @type {HTMLInputElement} */ (byId('search'));
	const from = /** @type {HTMLInputElement} */ (byId('from'));
	const to = /** @type {HTMLInputElement} */ (byId('to'));
	const invert = byId('invert');
	const found = byId('found');
	const histogram = new Histogram(view, (span) => jumpTo(view, span, true));
	let last = '';
	/** @type {ReturnType<typeof setTimeout> | undefined} */
	let timer;

	/** @returns {{count: number, seconds: number} | null} null: as it was */
	const run = () => {
		clearTimeout(timer);
		const query = {
			pattern: input.value,
			invert: invert.getAttribute('aria-pressed') === 'true',
			from: Number(from.value) || 0,
			to: to.value.trim() === '' || !Number.isFinite(Number(to.value)) ? Infinity : Number(to.value),
		};
		const key = JSON.stringify([query, to.value]);
		if (key === last) return null;
		last = key;
		input.removeAttribute('aria-invalid');
		view.matches = null;
		if (query.pattern) {
			try {
				view.matches = new Matches(view.trace, query);
			} catch {
				input.setAttribute('aria-invalid', 'true');
			}
		}
		const result = show();
		histogram.update();
		view.draw();
		return result;
	};
	const show = () => {
		if (input.getAttribute('aria-invalid')) {
			found.textContent = 'not a regular expression';
			return { count: 0, seconds: 0 };
		}
		if (!view.matches) {
			found.textContent = '';
			return { count: 0, seconds: 0 };
		}
		const { count, units } = view.matches.total(view.t0, view.t1);
		found.textContent = `${format.count(count)} match${count === 1 ? '' : 'es'}, ${format.duration(units)}`;
		return { count, seconds: units / UNITS_PER_SECOND };
	};
	for (const element of [input, from, to]) {
		element.addEventListener('input', () => {
			clearTimeout(timer);
			timer = setTimeout(run, 150);
		});
		element.addEventListener('keydown', (event) => {
			if (event.key !== 'Enter') return;
			if (!run()) show();
		});
	}
	invert.addEventListener('click', () => {
		invert.setAttribute('aria-pressed', String(invert.getAttribute('aria-pressed') !== 'true'));
		run();
	});
	/** Where n and N go on from. */
	let at = NaN;
	/** To the next match in time, or in the bar of the histogram that was pressed. @param {1 | -1} direction */
	const next = (direction) => {
		run();
		if (!view.matches || histogram.step(direction)) return;
		const inside = at >= view.t0 && at <= view.t1;
		const span = view.matches.next(inside ? at : direction > 0 ? view.t0 : view.t1, direction);
		if (span < 0) return;
		at = view.trace.start[span];
		jumpTo(view, span);
	};
	byId('next').addEventListener('click', () => next(1));
	byId('previous').addEventListener('click', () => next(-1));
	/** @param {string} text */
	const search = (text) => {
		input.value = text;
		return run() ?? show();
	};
	const get = () => ({
		pattern: input.value, invert: invert.getAttribute('aria-pressed') === 'true', from: from.value, to: to.value,
	});
	/** @param {{pattern: string, invert: boolean, from: string, to: string}} query */
	const set = (query) => {
		input.value = query.pattern;
		invert.setAttribute('aria-pressed', String(query.invert));
		from.value = query.from;
		to.value = query.to;
		run();
	};
	return {
		next, show, search, get, set,
		selected: () => histogram.update(),
		focus: () => {
			input.focus();
			input.select();
		},
	};
}
