// SPDX-License-Identifier: BSD-3-Clause
/** Controls the switch for the format of times, at the axis. scene/times.ts formats times. */
import { byId, make } from '../base/dom.ts';
import * as format from '../base/format.ts';
import { momentOf } from '../scene/times.ts';
import type { View } from '../scene/view.ts';

const MOST_LETTERS = 14;

/** Makes the list of time formats. @param changed called when the format has changed */
export function timeSwitch(view: View, changed: () => void) {
	const { options, timeBase, trace } = view;
	const box = byId('timeas') as HTMLSelectElement;
	const option = (value: string, text: string, tip: string) => {
		const element = make('option', '', text) as HTMLOptionElement;
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
	/** Name of the mark at view.zero. */
	let called = '';
	const show = () => {
		box.value = options.relative ? 'row' : options.time;
		const name = called.length > MOST_LETTERS ? `${called.slice(0, MOST_LETTERS - 1)}~` : called;
		mark.textContent = options.time === 'mark' && called ? `since ${name}` : 'since mark';
	};
	const update = () => {
		show();
		changed();
		view.draw();
	};
	/** Sets times relative to the last annotation, or to the nearest mark. @returns whether there is an annotation or a mark */
	const fromHere = (): boolean => {
		const moment = momentOf(view);
		if (!moment) return false;
		view.zero = moment.t;
		called = moment.label;
		options.time = 'mark';
		options.relative = false;
		update();
		return true;
	};
	box.addEventListener('change', () => {
		const { value } = box;
		// keys act on the picture again
		box.blur();
		if (value === 'mark') {
			if (!fromHere()) {
				byId('say').textContent = 'The trace has no marks, and no span is annotated.';
				show();
			}
			return;
		}
		options.relative = value === 'row';
		if (value === 'file' || value === 'start' || value === 'clock') options.time = value;
		update();
	});
	byId('clock').addEventListener('click', () => {
		options.relative = !options.relative;
		update();
	});
	if (trace.marks.length === 0) mark.title = 'since the span that is annotated (u)';
	show();
	return {
		fromHere,
		/** Updates the switch after the address or a slot has set the format. */
		show: () => {
			if (called === '' && options.time === 'mark') called = 'mark';
			show();
			changed();
		},
	};
}
