// SPDX-License-Identifier: BSD-3-Clause
/** Controls the width of the panel: the style sheet's default, or the user's width, which the browser stores for all pages. */
import { byId, consume, store, stored } from '../base/dom.ts';

const KEY = 'kutrace-panel';
/** CSS pixels: minimum width for the panel's tabs, minimum width of the picture, and step of the keys. */
const LEAST = 341;
const LEAST_PICTURE = 170;
const STEP = 24;

/** Returns the stored width. @returns CSS pixels; NaN: the user has not moved the edge */
const storedWidth = () => parseInt(stored(KEY), 10);

/** Sets the width. The style sheet limits it to the window. @param width NaN: the default of the style sheet */
const apply = (width: number) => byId('main').style.setProperty('--panel', Number.isNaN(width) ? '' : `${width}px`);

/** Sets the width that is stored for all pages. */
export const applyStoredWidth = () => apply(storedWidth());

/** Handles drags and keys on the edge. */
export function panelWidth() {
	const edge = byId('paneledge');
	const panel = byId('panel');
	const now = () => panel.getBoundingClientRect().width;
	const most = () => panel.getBoundingClientRect().right - byId('labels').getBoundingClientRect().right - LEAST_PICTURE;
	/** The width that was set last; NaN: none. */
	let width = storedWidth();
	/** Announces the width and its maximum to screen readers. */
	const say = () => {
		if (panel.hidden) return;
		edge.setAttribute('aria-valuenow', String(Math.round(now())));
		edge.setAttribute('aria-valuemax', String(Math.max(LEAST, Math.round(most()))));
	};
	/** Sets the width. @param wanted NaN: the default of the style sheet */
	const set = (wanted: number) => {
		width = Number.isNaN(wanted) ? NaN : Math.round(Math.max(LEAST, Math.min(most(), wanted)));
		apply(width);
		say();
	};
	/** Distance from the pointer to the edge during a drag; NaN: no drag. */
	let hold = NaN;
	edge.addEventListener('pointerdown', (event) => {
		if (event.button !== 0) return;
		edge.setPointerCapture(event.pointerId);
		hold = panel.getBoundingClientRect().left - event.clientX;
	});
	edge.addEventListener('pointermove', (event) => {
		if (!Number.isNaN(hold)) set(panel.getBoundingClientRect().right - event.clientX - hold);
	});
	const release = () => {
		if (Number.isNaN(hold)) return;
		hold = NaN;
		store(KEY, String(width));
	};
	for (const name of ['pointerup', 'pointercancel', 'lostpointercapture'] as const) edge.addEventListener(name, release);
	const usual = () => {
		set(NaN);
		store(KEY, '');
	};
	edge.addEventListener('dblclick', usual);
	edge.addEventListener('keydown', (event) => {
		const to: Record<string, () => number> = { ArrowLeft: () => now() + STEP, ArrowRight: () => now() - STEP, Home: most, End: () => LEAST };
		if (event.code === 'Enter') usual();
		else if (event.code in to) {
			set(to[event.code]());
			store(KEY, String(width));
		} else return;
		consume(event);
	});
	new ResizeObserver(say).observe(panel);
	applyStoredWidth();
}
