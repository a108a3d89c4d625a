// SPDX-License-Identifier: BSD-3-Clause
/**
 * Selects the light or dark colours: as in the system, and light on paper. base/palette.js defines the colours.
 */
import { showLegend } from '../panel/legend.js';

/** Connects the theme to the system. @param {import('../draw/picture.js').Picture} picture */
export function followTheme(picture) {
	const { view } = picture;
	const dark = matchMedia('(prefers-color-scheme: dark)');
	const theme = () => {
		view.theme(dark.matches);
		showLegend(view);
	};
	dark.addEventListener('change', theme);
	// paper is white; pictures.js must run after this
	addEventListener('beforeprint', () => {
		view.theme(false);
		picture.frame();
	});
	addEventListener('afterprint', theme);
	theme();
}
