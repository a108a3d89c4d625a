// SPDX-License-Identifier: BSD-3-Clause
/**
 * The search's boxes and count, and going from match to match.
 * Never searches itself (ask/search.js), and never throws for a broken expression: it says so.
 * Imported by shell/app.js; keys and the address come through what it returns.
 */
import { byId } from '../base/dom.js';
import * as format from '../base/format.js';
import { UNITS_PER_SECOND } from '../data/trace.js';
import { Matches } from '../ask/search.js';
import { jumpTo } from '../scene/jump.js';
import { Histogram } from './histogram.js';

/** @typedef {import('../ask/search.js').Query} Query */
/** @typedef {import('../scene/view.js').View} View */

/** What is in the boxes. @typedef {{pattern: string, invert: boolean, from: string, to: string}} Asked */

/** The boxes: what is asked for, as it was typed. */
function boxes() {
	const input = /** @type {HTMLInputElement} */ (byId('search'));
	const from = /** @type {HTMLInputElement} */ (byId('from'));
	const to = /** @type {HTMLInputElement} */ (byId('to'));
	const invert = byId('invert');
	/** @returns {Asked} */
	const get = () => ({
		pattern: input.value, invert: invert.getAttribute('aria-pressed') === 'true', from: from.value, to: to.value,
	});
	/** @param {Asked} asked */
	const set = (asked) => {
		input.value = asked.pattern;
		invert.setAttribute('aria-pressed', String(asked.invert));
		from.value = asked.from;
		to.value = asked.to;
	};
	return { input, from, to, invert, get, set };
}

/** @param {Asked} asked @returns {Query} */
const queryOf = ({ pattern, invert, from, to }) => ({
	pattern, invert, from: Number(from) || 0,
	to: to.trim() === '' || !Number.isFinite(Number(to)) ? Infinity : Number(to),
});

/** @param {View} view */
export function searching(view) {
	const { input, from, to, invert, get, set } = boxes();
	const found = byId('found');
	const histogram = new Histogram(view, (span) => jumpTo(view, span, true));
	let last = '';
	/** @type {ReturnType<typeof setTimeout> | undefined} */
	let timer;

	/** @returns {ReturnType<typeof show> | null} null: as it was */
	const run = () => {
		clearTimeout(timer);
		const asked = get();
		const query = queryOf(asked);
		const key = JSON.stringify([query, asked.to]);
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
	/** Spans that match and their time, seconds; matches, in which a call is one, and what elapses of them. */
	const show = () => {
		const none = { count: 0, seconds: 0, matches: 0, elapsed: 0 };
		found.title = '';
		if (input.getAttribute('aria-invalid')) {
			found.textContent = 'not a regular expression';
			return none;
		}
		if (!view.matches) {
			found.textContent = '';
			return none;
		}
		const { count, units, matches, elapsed } = view.matches.total(view.t0, view.t1);
		found.textContent = `${format.count(matches)} match${matches === 1 ? '' : 'es'}, ${format.duration(elapsed)}`;
		found.title = view.matches.calls ?
			`from beginning to end; calls run in pieces: ${format.count(count)} spans, ${format.duration(units)} in all` : 'spans: the pieces of calls are still being joined';
		return { count, seconds: units / UNITS_PER_SECOND, matches, elapsed: elapsed / UNITS_PER_SECOND };
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
		invert.setAttribute('aria-pressed', String(!get().invert));
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
	return {
		next, show, search, get,
		/** @param {Asked} asked */
		set: (asked) => {
			set(asked);
			run();
		},
		selected: () => histogram.update(),
		/** Calls have been joined: what was found were their pieces. */
		joined: () => {
			last = '';
			run();
		},
		focus: () => {
			input.focus();
			input.select();
		},
	};
}
