// SPDX-License-Identifier: BSD-3-Clause
/** Shows messages in the footer, perhaps with a button. A message stays until the user continues. Must not take the focus. */
import { byId } from '../base/dom.ts';

/** Shows a message. action: label and effect of its button. */
export type Tell = (text: string, action?: {label: string, tip?: string, run: () => void}) => void;

/** Minimum time of a message, so that the user can read it, ms. */
const LEAST_MS = 4000;

export function messages(): {tell: Tell, clear: () => void} {
	const box = byId('told');
	const button = byId('toldaction') as HTMLButtonElement;
	let run = () => {};
	let since = 0;
	const clear = () => (box.hidden = true);
	button.addEventListener('click', () => {
		clear();
		run();
	});
	byId('closetold').addEventListener('click', clear);
	// a user who continues has read the message; a message with a button waits for an answer
	for (const type of ['pointerdown', 'keydown'])
		addEventListener(type, (event) => {
			if (!box.hidden && button.hidden && performance.now() - since > LEAST_MS && !(event.target instanceof Node && box.contains(event.target))) clear();
		});
	return {
		clear,
		tell: (text, action) => {
			since = performance.now();
			button.hidden = !action;
			button.textContent = action?.label ?? '';
			button.title = action?.tip ?? '';
			run = action?.run ?? (() => {});
			box.hidden = false;
			// screen readers announce a change of a visible text, so set it last
			byId('toldtext').textContent = text;
		},
	};
}
