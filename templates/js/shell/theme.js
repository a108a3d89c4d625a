// SPDX-License-Identifier: BSD-3-Clause
/**
 * Light or dark: as the system has it, and light on paper.
 * Never chooses colours (base/palette.js).
 * Imported by app.js.
 */
import { showLegend } from '../panel/legend.js';

/** @param {import('../draw/picture.js').Picture} picture */
export function followTheme(picture) {
	const { view } = picture;
	const dark = matchMedia('(prefers-color-scheme: dark)');
	const theme = () => {
		view.theme(dark.matches);
		showLegend(view);
	};
	dark.addEventListener('change', theme);
	// paper is white: what is put there (pictures.js) comes behind this
	addEventListener('beforeprint', () => {
		view.theme(false);
		picture.frame();
	});
	addEventListener('afterprint', theme);
	theme();
}
