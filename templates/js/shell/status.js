// SPDX-License-Identifier: BSD-3-Clause
/**
 * Shows texts below the picture: zero of the axis, shown range, omissions, measurement. Must not change the view.
 */
import { byId } from '../base/dom.js';
import * as format from '../base/format.js';
import { leftOut } from '../scene/drawn.js';
import { axisBase } from '../scene/times.js';

/** Sets a text if it has changed. @param {string} id @param {string} text */
function say(id, text) {
	const element = byId(id);
	if (element.textContent !== text) element.textContent = text;
}

/** Makes the texts. @param {import('../scene/view.js').View} view */
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
