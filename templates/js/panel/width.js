// SPDX-License-Identifier: BSD-3-Clause
/**
 * How wide the panel is: as the style has it for the window and what the panel shows, or, once its edge was moved,
 * one width for all panes, which this browser keeps. Never changes the width by itself.
 * Imported by shell/app.js, and by shell/main.js for the picture that is there before the trace.
 */
import { byId } from '../base/dom.js';

const KEY = 'kutrace-panel';
/** CSS pixels: what its tabs have room in, what the picture keeps of the window, and a step by key. */
const LEAST = 341;
const LEAST_PICTURE = 170;
const STEP = 24;

/** @returns {number} CSS pixels; NaN: nobody has moved the edge */
function kept() {
	try {
		return parseInt(localStorage.getItem(KEY) ?? '', 10);
	} catch {
		return NaN;
	}
}

/** @param {number} width NaN: as the style has it */
function keep(width) {
	try {
		if (Number.isNaN(width)) localStorage.removeItem(KEY);
		else localStorage.setItem(KEY, String(width));
	} catch {
		// it holds until the page is closed
	}
}

/** The style sees to it that the window has room for it. @param {number} width NaN: as the style has it */
const apply = (width) => byId('main').style.setProperty('--panel', Number.isNaN(width) ? '' : `${width}px`);

/** As wide as it was made before, on whichever page. */
export const keptWidth = () => apply(kept());

/** Lets its edge be dragged, or moved by keys. */
export function panelWidth() {
	const edge = byId('paneledge');
	const panel = byId('panel');
	const now = () => panel.getBoundingClientRect().width;
	const most = () => panel.getBoundingClientRect().right - byId('labels').getBoundingClientRect().right - LEAST_PICTURE;
	/** What was set last; NaN: nothing. */
	let width = kept();
	/** Says how wide it is and can be, to those who cannot see the edge. */
	const say = () => {
		if (panel.hidden) return;
		edge.setAttribute('aria-valuenow', String(Math.round(now())));
		edge.setAttribute('aria-valuemax', String(Math.max(LEAST, Math.round(most()))));
	};
	/** @param {number} wanted NaN: as the style has it */
	const set = (wanted) => {
		width = Number.isNaN(wanted) ? NaN : Math.round(Math.max(LEAST, Math.min(most(), wanted)));
		apply(width);
		say();
	};
	/** From the pointer to the edge while it is dragged; NaN: it is not. */
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
		keep(width);
	};
	for (const name of /** @type {const} */ (['pointerup', 'pointercancel', 'lostpointercapture'])) edge.addEventListener(name, release);
	const usual = () => {
		set(NaN);
		keep(NaN);
	};
	edge.addEventListener('dblclick', usual);
	edge.addEventListener('keydown', (event) => {
		/** @type {Record<string, () => number>} */
		const to = { ArrowLeft: () => now() + STEP, ArrowRight: () => now() - STEP, Home: most, End: () => LEAST };
		if (event.code === 'Enter') usual();
		else if (event.code in to) {
			set(to[event.code]());
			keep(width);
		} else return;
		event.preventDefault();
		event.stopPropagation();
	});
	new ResizeObserver(say).observe(panel);
	keptWidth();
}
