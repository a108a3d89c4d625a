// SPDX-License-Identifier: BSD-3-Clause
/**
 * The one switch of the language of time, at the axis: of the file, since the start, of day, since a mark, or
 * since the start of each row.
 * Never writes a time itself (scene/times.js).
 * Imported by app.js; a key and the address reach it through what it returns.
 */
import { byId, make } from '../base/dom.js';
import * as format from '../base/format.js';
import { momentOf } from '../scene/times.js';

/** @typedef {import('../scene/view.js').View} View */

/** Letters of a mark's name that there is room for. */
const MOST_LETTERS = 14;

/**
 * @param {View} view
 * @param {() => void} changed called when times are told otherwise
 */
export function timeSwitch(view, changed) {
	const { options, timeBase, trace } = view;
	const box = /** @type {HTMLSelectElement} */ (byId('timeas'));
	/** @param {string} value @param {string} text @param {string} tip */
	const option = (value, text, tip) => {
		const element = /** @type {HTMLOptionElement} */ (make('option', '', text));
		element.value = value;
		element.title = tip;
		box.append(element);
		return element;
	};
	option('file', timeBase === null ? 'seconds' : `since ${format.wallClock(timeBase, 0, 0)}`, 'seconds as in the file, the address and the search');
	option('start', 'since start', 'since the first event');
	option('clock', 'time of day', 'wall clock').disabled = timeBase === null;
	const mark = option('mark', 'since mark', 'since the span that is annotated, or the mark before the middle (u)');
	option('row', "row's start", 'since the start of each row, so that rows can be compared');
	/** What view.zero is called. */
	let called = '';
	const show = () => {
		box.value = options.relative ? 'row' : options.time;
		const name = called.length > MOST_LETTERS ? `${called.slice(0, MOST_LETTERS - 1)}~` : called;
		mark.textContent = options.time === 'mark' && called ? `since ${name}` : 'since mark';
	};
	const told = () => {
		show();
		changed();
		view.draw();
	};
	/** Times are since what is annotated, or the nearest mark. @returns {boolean} is there one? */
	const fromHere = () => {
		const moment = momentOf(view);
		if (!moment) return false;
		view.zero = moment.t;
		called = moment.label;
		options.time = 'mark';
		options.relative = false;
		told();
		return true;
	};
	box.addEventListener('change', () => {
		const { value } = box;
		// keys go to the picture again
		box.blur();
		if (value === 'mark') {
			if (!fromHere()) {
				byId('say').textContent = 'There is no mark, and nothing is annotated';
				show();
			}
			return;
		}
		options.relative = value === 'row';
		if (value === 'file' || value === 'start' || value === 'clock') options.time = value;
		told();
	});
	byId('clock').addEventListener('click', () => {
		options.relative = !options.relative;
		told();
	});
	if (trace.marks.length === 0) mark.title = 'since the span that is annotated (u)';
	show();
	return {
		fromHere,
		/** The address or a slot has set it. */
		show: () => {
			if (called === '' && options.time === 'mark') called = 'mark';
			show();
			changed();
		},
	};
}
