// SPDX-License-Identifier: BSD-3-Clause
/**
 * Shows texts below the picture: zero of the axis, shown range, omissions, measurement. Must not change the view.
 */
import { byId } from '../base/dom.ts';
import * as format from '../base/format.ts';
import { leftOut } from '../scene/drawn.ts';
import { axisBase } from '../scene/times.ts';
import type { View } from '../scene/view.ts';

/** Sets a text if it has changed. */
function say(id: string, text: string) {
	const element = byId(id);
	if (element.textContent !== text) element.textContent = text;
}

/** Returns functions that update the texts. */
export function statusLine(view: View) {
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
