// SPDX-License-Identifier: BSD-3-Clause
/**
 * Selects the light or dark colours: as in the system, and light on paper. base/palette.ts defines the colours.
 */
import { showLegend } from '../panel/legend.ts';
import type { Picture } from '../draw/picture.ts';

/** Connects the theme to the system. */
export function followTheme(picture: Picture) {
	const { view } = picture;
	const dark = matchMedia('(prefers-color-scheme: dark)');
	const theme = () => {
		view.theme(dark.matches);
		showLegend(view);
	};
	dark.addEventListener('change', theme);
	// paper is white; pictures.ts must run after this
	addEventListener('beforeprint', () => {
		view.theme(false);
		picture.frame();
	});
	addEventListener('afterprint', theme);
	theme();
}
