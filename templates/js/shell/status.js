// SPDX-License-Identifier: BSD-3-Clause
/**
 * Words below the picture: where the axis counts from, how much it shows, what was left out, what is measured.
 * Never changes anything of the view.
 * Imported by app.js, which calls it behind each frame.
 */
import { byId } from '../base/dom.js';
import * as format from '../base/format.js';
import { leftOut } from '../scene/drawn.js';
import { axisBase } from '../scene/times.js';

/** A text that has not changed costs nothing. @param {string} id @param {string} text */
function say(id, text) {
	const element = byId(id);
	if (element.textContent !== text) element.textContent = text;
}

/** @param {import('../scene/view.js').View} view */
export function statusLine(view) {
	return {
		axis() {
			say('clock', axisBase(view));
			say('across', `${format.duration(view.t1 - view.t0)} across`);
			say('thinned', leftOut(view.drawn));
		},
		measure() {
			say('measure', view.measureText());
			byId('hint').hidden = view.measure !== null;
			byId('selectmeasure').hidden = view.measure === null;
		},
	};
}
