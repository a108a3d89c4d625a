// SPDX-License-Identifier: BSD-3-Clause
/**
 * The search: what is typed goes to ask/find.js, in pieces that are given up when it changes; count, stepping, hints.
 * Never searches itself, and never throws for a broken search: it says what is wrong, and where.
 * Imported by shell/app.js; keys and the address come through what it returns.
 */
import { byId, make } from '../base/dom.js';
import * as format from '../base/format.js';
import { inPieces } from '../base/pieces.js';
import { UNITS_PER_SECOND } from '../data/trace.js';
import { find } from '../ask/find.js';
import { isTime, stretchOf, textOf } from '../ask/gotime.js';
import { Mistake, hintOf, narrowed } from '../ask/grammar.js';
import { jumpTo, pointOut } from '../scene/jump.js';
import { when, zeroOf } from '../scene/times.js';
import { foundBy } from './foundby.js';
import { Histogram } from './histogram.js';
import { recents } from './recent.js';
import { searchBox } from './searchbox.js';

/** @typedef {import('./searchbox.js').Asked} Asked */
/** @typedef {import('../scene/view.js').View} View */

/** A search that takes longer goes on between frames, ms. */
const AT_ONCE_MS = 80;
const DIM = 'kutrace-dim';

/** Whether what does not match is dimmed: a switch, kept for all pages where the browser allows it. @param {View} view */
function dimming(view) {
	const button = byId('dim');
	try {
		view.dim = localStorage.getItem(DIM) !== 'off';
	} catch {
		view.dim = true;
	}
	const show = () => button.setAttribute('aria-pressed', String(view.dim));
	button.addEventListener('click', () => {
		view.dim = !view.dim;
		try {
			localStorage.setItem(DIM, view.dim ? 'on' : 'off');
		} catch {
			// a browser that keeps nothing for files
		}
		show();
		view.draw();
	});
	show();
}

/** Does the text ask for a time, or for that of what is shown? @param {string} text */
const asksTime = (text) => text.trim() === '@@' || isTime(text);

/**
 * Goes to the time that the field asks for; or says where that would be.
 * @param {View} view
 * @param {HTMLInputElement} input
 * @param {boolean} go
 * @returns {string} what to say; throws a Mistake where there is no such time
 */
function timed(view, input, go) {
	const { trace } = view;
	if (input.value.trim() === '@@') {
		if (!go) return 'Enter: the time that is shown';
		input.value = textOf(view.t0, view.t1, zeroOf(view));
	}
	const { t0, t1, at } = stretchOf(input.value, zeroOf(view), view.timeBase);
	if (at < trace.first || at > trace.last) throw new Mistake(`not in this trace, which is from ${when(view, trace.first)} to ${when(view, trace.last)}`, 0, input.value.length);
	if (go) view.showBounded(t0, t1);
	return `${go ? '' : 'Enter: '}${when(view, at)} \u00b1 ${format.duration((t1 - t0) / 2)}`;
}

/** Why there is no match on the screen. @param {View} view @param {string} searched */
function nothing(view, searched) {
	const elsewhere = view.matches?.next(view.t0, 1) ?? -1;
	if (elsewhere >= 0) return 'none on the screen, but elsewhere: n or Enter goes there';
	if (view.rows.marked.size) return 'none in the highlighted rows: only they count (Esc lets them go)';
	return hintOf(searched) || 'nothing in this trace matches';
}

/**
 * Typing in the search's fields, and their keys.
 * @param {ReturnType<typeof searchBox>} box
 * @param {ReturnType<typeof recents>} list
 * @param {{run: () => void, commit: (direction?: 0 | 1 | -1) => void, next: (direction: 1 | -1) => void, isFound: () => boolean}} act
 *	run: searches when typing rests; commit: searches immediately, and goes to the first match
 */
function typing({ input, from, to }, list, act) {
	/** What was typed has not been asked for by Enter. */
	let typed = false;
	/** @type {ReturnType<typeof setTimeout> | undefined} */
	let timer;
	/** @param {KeyboardEvent} event */
	const keys = (event) => {
		if (event.key === 'Escape') {
			// out of the list, then out of the field; what is found stays
			if (list.isOpen()) list.close();
			else /** @type {HTMLElement} */ (event.target).blur();
		} else if (event.key === 'Enter') {
			if (list.take()) return;
			list.close();
			const direction = event.shiftKey ? -1 : 1;
			// limits are set before, or after, what is searched for
			if (typed || !act.isFound()) act.commit(event.target === input ? direction : 0);
			else act.next(direction);
		} else if (event.target === input && (event.key === 'ArrowDown' || (event.key === 'ArrowUp' && list.isOpen()))) {
			list.move(event.key === 'ArrowDown' ? 1 : -1);
		} else {
			return;
		}
		event.preventDefault();
		event.stopPropagation();
	};
	for (const element of [input, from, to]) {
		element.addEventListener('input', () => {
			typed = true;
			list.close();
			clearTimeout(timer);
			timer = setTimeout(act.run, 150);
		});
		element.addEventListener('keydown', keys);
	}
	return {
		/** What stands there is being asked: no need to wait for it to rest. */
		asked: () => clearTimeout(timer),
		/** It has been asked for by Enter, or in another way than by typing. */
		meant: () => {
			typed = false;
		},
	};
}

/** @param {View} view */
export function searching(view) {
	const { trace } = view;
	const box = searchBox();
	const { input, from, to, invert, capitals } = box;
	const found = byId('found');
	const jump = (/** @type {number} */ span) => jumpTo(view, span, true);
	const histogram = new Histogram(view, jump);
	/** @param {string} more a field */
	const narrow = (more) => {
		box.set({ ...box.get(), pattern: narrowed(searched, box.get().invert, more), invert: false });
		run();
		list.add(input.value);
	};
	const processes = foundBy(view, jump, (pid) => narrow(`pid:${pid}`));
	const list = recents(input, (text) => {
		input.value = text;
		commit(1);
	});
	dimming(view);
	let last = '';
	/** What the matches are of. */
	let searched = '';
	/** Text in place of a number of matches. */
	let said = '';
	let stop = () => {};

	/** The direction to go when Enter's search has found something; 0: none. */
	let going = /** @type {0 | 1 | -1} */ (0);
	const finished = () => {
		if (going && view.matches) {
			const direction = going;
			going = 0;
			at = NaN;
			next(direction, pointOut);
		}
		show();
		histogram.update();
		processes.update();
		view.draw();
	};
	/** How is asked, whatever it is; rows that are highlighted: only they count. */
	const manner = () => ({ sensitive: box.sensitive(), zero: zeroOf(view), rows: [...view.rows.marked] });
	/** @param {boolean} [now] all of it at once @returns {boolean} false: it is what was asked before */
	const run = (now = false) => {
		typist.asked();
		const key = JSON.stringify([box.get(), manner()]);
		if (key === last) return false;
		last = key;
		at = NaN;
		stop();
		view.matches = null;
		said = '';
		box.hint('');
		try {
			if (asksTime(input.value)) {
				for (const element of [input, from, to]) element.removeAttribute('aria-invalid');
				said = timed(view, input, false);
			} else {
				const asked = box.asked();
				if (asked) {
					searched = input.value;
					stop = inPieces(find(trace, { ...asked, ...manner() }), {
						first: now ? Infinity : AT_ONCE_MS,
						progress: (share) => (found.textContent = `searching \u2026 ${Math.floor(share * 100)} %`),
						done: (matches) => {
							view.matches = matches;
							finished();
							stop = inPieces(matches.work(), { first: 0, done: () => {} });
						},
					});
					return true;
				}
			}
		} catch (error) {
			if (!(error instanceof Mistake)) throw error;
			box.wrong(error);
			said = error.message.startsWith('not a regular') ? 'not a regular expression' : 'not understood';
		}
		finished();
		return true;
	};
	/** Spans that match and their time, seconds; matches, in which a call is one, and what elapses of them. */
	const show = () => {
		found.title = '';
		if (!view.matches) {
			found.textContent = said;
			return { count: 0, seconds: 0, matches: 0, elapsed: 0 };
		}
		const { count, units, matches, elapsed } = view.matches.total(view.t0, view.t1);
		const rows = view.rows.marked.size;
		const where = rows ? ` in ${rows} row${rows === 1 ? '' : 's'}` : '';
		if (rows && !matches) found.replaceChildren(`0 in the ${rows} highlighted row${rows === 1 ? '' : 's'} (all rows: Esc)`);
		else found.replaceChildren(`${format.count(matches)} match${matches === 1 ? '' : 'es'}${where}, `, make('span', '', format.duration(elapsed)));
		found.title = view.matches.calls ?
			`from beginning to end; calls run in pieces: ${format.count(count)} spans, ${format.duration(units)} in all` : 'spans: the pieces of calls are still being joined';
		if (rows) found.title += '; only in highlighted rows';
		const hint = matches ? '' : nothing(view, searched);
		box.hint(hint);
		if (hint) found.title = hint;
		return { count, seconds: units / UNITS_PER_SECOND, matches, elapsed: elapsed / UNITS_PER_SECOND };
	};
	/**
	 * Searches for what the field has now, after Enter or a choice.
	 * @param {0 | 1 | -1} [direction] on to the first match that way
	 */
	const commit = (direction = 0) => {
		typist.meant();
		going = direction;
		const other = run();
		if (!other && view.matches) finished();
		else if (!other) show();
		if (!input.hasAttribute('aria-invalid')) list.add(input.value);
		try {
			if (asksTime(input.value)) found.textContent = said = timed(view, input, true);
		} catch {
			// run() has said it
		}
	};
	/** Where n and N go on from. */
	let at = NaN;
	/**
	 * Goes to the next match in time, or in the pressed bar of the histogram.
	 * @param {1 | -1} direction
	 * @param {(view: View, span: number) => void} [go]
	 * @returns {string} why it goes nowhere; '': it does
	 */
	const next = (direction, go = jumpTo) => {
		run();
		if (!view.matches) return input.value ? 'There is nothing to step through.' : 'The search is empty: press / for the search field.';
		if (histogram.step(direction)) return '';
		const inside = at >= view.t0 && at <= view.t1;
		const span = view.matches.next(inside ? at : direction > 0 ? view.t0 : view.t1, direction);
		if (span < 0) return 'Nothing matches the search.';
		at = trace.start[span];
		go(view, span);
		return '';
	};
	const typist = typing(box, list, { run, commit, next, isFound: () => view.matches !== null });
	for (const button of [invert, capitals]) {
		button.addEventListener('click', () => {
			button.setAttribute('aria-pressed', String(button.getAttribute('aria-pressed') !== 'true'));
			run();
		});
	}
	byId('next').addEventListener('click', () => next(1));
	byId('previous').addEventListener('click', () => next(-1));
	/** @param {string} text */
	const search = (text) => {
		input.value = text;
		typist.meant();
		last = '';
		run(true);
		return show();
	};
	let followed = '';
	return {
		next, show, search, manner, get: box.get,
		/** Searches for a text, as if it had been typed. @param {string} text */
		ask: (text) => {
			box.set({ ...box.get(), pattern: text, invert: false });
			commit();
		},
		/** @param {Asked} asked */
		set: (asked) => {
			box.set(asked);
			run();
		},
		/** For the address: is the case of all letters matched? @type {{name: string, get: () => string, set: (text: string) => void}} */
		kept: {
			name: 'b',
			get: () => (box.sensitive() ? 'c' : ''),
			set: (text) => {
				capitals.setAttribute('aria-pressed', String(text === 'c'));
				run();
			},
		},
		selected: () => {
			histogram.update();
			processes.update();
		},
		/** Other rows may be highlighted, or times told from elsewhere: call behind each frame. */
		follow: () => {
			const state = `${view.rows.version} ${zeroOf(view)}`;
			if (!last || state === followed) return;
			followed = state;
			run();
		},
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
