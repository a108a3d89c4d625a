// SPDX-License-Identifier: BSD-3-Clause
/**
 * Controls the search: runs ask/find.ts for the typed text between frames, cancels the search when the text changes, and
 * shows the number of matches and hints. An invalid query throws nothing: its error is shown with its position.
 */
import { byId, consume, make, store, stored } from '../base/dom.ts';
import * as format from '../base/format.ts';
import { inTimedSlices } from '../base/slices.ts';
import { UNITS_PER_SECOND } from '../data/trace.ts';
import { onlyProcess } from '../ask/fields.ts';
import { find } from '../ask/find.ts';
import { isTime, timeRangeOf, textOf } from '../ask/timetext.ts';
import { Mistake, hintOf, narrowed } from '../ask/grammar.ts';
import { jumpTo, pointOut } from '../scene/jump.ts';
import { when, zeroOf } from '../scene/times.ts';
import { foundBy } from './foundby.ts';
import { Histogram } from './histogram.ts';
import { recents } from './recent.ts';
import { searchBox, type Asked } from './searchbox.ts';
import type { View } from '../scene/view.ts';

/** A search that takes longer continues between frames, ms. */
const AT_ONCE_MS = 80;
const DIM = 'kutrace-dim';

/** Controls the switch that dims the spans that do not match. */
function dimming(view: View) {
	const button = byId('dim');
	view.dim = stored(DIM) !== 'off';
	const show = () => button.setAttribute('aria-pressed', String(view.dim));
	button.addEventListener('click', () => {
		view.dim = !view.dim;
		store(DIM, view.dim ? 'on' : 'off');
		show();
		view.draw();
	});
	show();
}

/** Returns whether the text is a time, or is `@@`, which inserts the shown range. */
const asksTime = (text: string) => text.trim() === '@@' || isTime(text);

/** Goes to the time in the field if go is true. Returns a message about the time. Throws a Mistake if the trace lacks it. */
function timed(view: View, input: HTMLInputElement, go: boolean): string {
	const { trace } = view;
	if (input.value.trim() === '@@') {
		if (!go) return 'Enter: insert the time that is shown';
		input.value = textOf(view.t0, view.t1, zeroOf(view));
	}
	const { t0, t1, at } = timeRangeOf(input.value, zeroOf(view), view.timeBase);
	if (at < trace.first || at > trace.last) throw new Mistake(`not in this trace, which lasts from ${when(view, trace.first)} to ${when(view, trace.last)}`, 0, input.value.length);
	if (go) view.showBounded(t0, t1);
	return `${go ? '' : 'Enter: '}${when(view, at)} \u00b1 ${format.duration((t1 - t0) / 2)}`;
}

/** Returns why there is no match on the screen. */
function nothing(view: View, searched: string) {
	const elsewhere = view.matches?.next(view.t0, 1) ?? -1;
	if (elsewhere >= 0) return 'no match on the screen; n or Enter goes to a match elsewhere';
	if (view.rows.marked.size) return 'no match in the highlighted rows; Esc ends the highlight and searches all rows';
	return hintOf(searched) || 'no match in this trace';
}

/**
 * Handles typing and keys in the search's fields.
 * @param act run: searches after a pause in typing; commit: searches immediately and goes to the first match
 */
function typing(
	{ input, from, to }: ReturnType<typeof searchBox>, list: ReturnType<typeof recents>,
	act: {
		run: () => void, commit: (direction?: 0 | 1 | -1) => void, next: (direction: 1 | -1) => void,
		isFound: () => boolean,
	},
) {
	/** True if the user has typed since the last Enter. */
	let typed = false;
	let timer: ReturnType<typeof setTimeout> | undefined;
	const keys = (event: KeyboardEvent) => {
		if (event.key === 'Escape') {
			// close the list, then leave the field; matches stay
			if (list.isOpen()) list.close();
			else (event.target as HTMLElement).blur();
		} else if (event.key === 'Enter') {
			if (list.take()) return;
			list.close();
			const direction = event.shiftKey ? -1 : 1;
			// Enter in a limit does not go to a match, because the user may type the other fields afterwards
			if (typed || !act.isFound()) act.commit(event.target === input ? direction : 0);
			else act.next(direction);
		} else if (event.target === input && (event.key === 'ArrowDown' || (event.key === 'ArrowUp' && list.isOpen()))) {
			list.move(event.key === 'ArrowDown' ? 1 : -1);
		} else {
			return;
		}
		consume(event);
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
		/** Stops waiting for a pause in typing, because the search runs now. */
		asked: () => clearTimeout(timer),
		/** Must be called when the text was confirmed by Enter, or was not typed by the user. */
		meant: () => {
			typed = false;
		},
	};
}

/** Makes the search field and its matches. @param asked called when the user has confirmed a search */
export function searching(view: View, asked: () => void) {
	const { trace } = view;
	const box = searchBox();
	const { input, from, to, invert, capitals } = box;
	const found = byId('found');
	const jump = (span: number) => jumpTo(view, span, true);
	const histogram = new Histogram(view, jump);
	/** Narrows the search by a field. @param more text of the field */
	const narrow = (more: string) => {
		box.set({ ...box.get(), pattern: narrowed(searched, box.get().invert, more), invert: false });
		run();
		list.add(input.value);
	};
	const processes = foundBy(view, jump, (pid) => narrow(onlyProcess(view.trace, pid)));
	const list = recents(input, (text) => {
		input.value = text;
		commit(1);
	});
	dimming(view);
	let last = '';
	/** The text of the current matches. */
	let searched = '';
	/** Text to show instead of the number of matches. */
	let message = '';
	let stop = () => {};

	/** Direction to go when a search started by Enter has found something; 0: none. */
	let going = 0 as 0 | 1 | -1;
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
	/** Returns the parameters of the search other than the text. If rows are highlighted, only these rows are searched. */
	const manner = () => ({ sensitive: box.sensitive(), zero: zeroOf(view), rows: [...view.rows.marked] });
	/** Searches if the query has changed. @param now search in one step @returns false: the query has not changed */
	const run = (now = false): boolean => {
		typist.asked();
		const key = JSON.stringify([box.get(), manner()]);
		if (key === last) return false;
		last = key;
		at = NaN;
		stop();
		view.matches = null;
		message = '';
		box.hint('');
		try {
			if (asksTime(input.value)) {
				for (const element of [input, from, to]) element.removeAttribute('aria-invalid');
				message = timed(view, input, false);
			} else {
				const query = box.asked();
				if (query) {
					searched = input.value;
					stop = inTimedSlices(find(trace, { ...query, ...manner() }), {
						first: now ? Infinity : AT_ONCE_MS,
						progress: (share) => (found.textContent = `searching \u2026 ${Math.floor(share * 100)} %`),
						done: (matches) => {
							view.matches = matches;
							finished();
							stop = inTimedSlices(matches.work(), { first: 0, done: () => {} });
						},
					});
					return true;
				}
			}
		} catch (error) {
			if (!(error instanceof Mistake)) throw error;
			box.wrong(error);
			message = error.message.startsWith('not a regular') ? 'not a regular expression' : 'not understood';
		}
		finished();
		return true;
	};
	/** Shows the number of matches. Returns the matching spans, the matches (a call is one match), and the seconds of both. */
	const show = () => {
		found.title = '';
		if (!view.matches) {
			found.textContent = message;
			return { count: 0, seconds: 0, matches: 0, elapsed: 0 };
		}
		const { count, units, matches, elapsed } = view.matches.total(view.t0, view.t1);
		const rows = view.rows.marked.size;
		const where = rows ? ` in ${rows} row${rows === 1 ? '' : 's'}` : '';
		if (rows && !matches) found.replaceChildren(`0 in the ${rows} highlighted row${rows === 1 ? '' : 's'} (all rows: Esc)`);
		else found.replaceChildren(`${format.count(matches)} match${matches === 1 ? '' : 'es'}${where}, `, make('span', '', format.duration(elapsed)));
		found.title = view.matches.calls ?
			`number of matches, and their time from beginning to end; the matches consist of ${format.count(count)} spans, which take ${format.duration(units)}` :
			'number of spans: the parts of calls are still being joined';
		if (rows) found.title += '; only in highlighted rows';
		const hint = matches ? '' : nothing(view, searched);
		box.hint(hint);
		if (hint) found.title = hint;
		return { count, seconds: units / UNITS_PER_SECOND, matches, elapsed: elapsed / UNITS_PER_SECOND };
	};
	/** Searches for the text in the field, and goes to the first match in this direction. */
	const commit = (direction: 0 | 1 | -1 = 0) => {
		typist.meant();
		asked();
		going = direction;
		const other = run();
		if (!other && view.matches) finished();
		else if (!other) show();
		if (!input.hasAttribute('aria-invalid')) list.add(input.value);
		try {
			if (asksTime(input.value)) found.textContent = message = timed(view, input, true);
		} catch {
			// run() has shown the error
		}
	};
	/** Time from which the keys n and N continue. */
	let at = NaN;
	/** Goes to the next match in time, or in the selected bar of the histogram. Returns '', or a message if there is no match. */
	const next = (direction: 1 | -1, go: (view: View, span: number) => void = jumpTo): string => {
		run();
		if (!view.matches) return input.value ? 'There are no matches to go to.' : 'The search is empty: press / for the search field.';
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
	const search = (text: string) => {
		input.value = text;
		typist.meant();
		last = '';
		run(true);
		return show();
	};
	let followed = '';
	return {
		next, show, search, manner, get: box.get,
		/** Searches for a text as if the user had typed it. */
		ask: (text: string) => {
			box.set({ ...box.get(), pattern: text, invert: false });
			commit();
		},
		set: (query: Asked) => {
			box.set(query);
			run();
		},
		/** Part of the address: whether the search distinguishes capital letters. */
		addressPart: {
			name: 'b',
			get: () => (box.sensitive() ? 'c' : ''),
			set: (text) => {
				capitals.setAttribute('aria-pressed', String(text === 'c'));
				run();
			},
		} as {name: string, get: () => string, set: (text: string) => void},
		selected: () => {
			histogram.update();
			processes.update();
		},
		/** Searches again if highlighted rows or the zero of times have changed. Must be called after each frame. */
		follow: () => {
			const state = `${view.rows.version} ${zeroOf(view)}`;
			if (!last || state === followed) return;
			followed = state;
			run();
		},
		/** Searches again after calls are joined, because the matches so far are parts of calls. */
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
