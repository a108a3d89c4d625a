// SPDX-License-Identifier: BSD-3-Clause
/**
 * How wide the panel is: as the window says, the same for all panes, or as its edge was dragged, which this browser keeps.
 * Never changes by itself what the user looks at: no pane and no table has a width of its own.
 * Imported by shell/app.js, and by shell/main.js for the picture that is there before the trace.
 */
import { byId } from '../base/dom.js';

const KEY = 'kutrace-panel';
/** As narrow as it can be made, and what is left for the picture, CSS pixels. */
const LEAST = 240;
const LEAST_PICTURE = 170;
const STEP = 24;

/** @returns {number} CSS pixels; NaN: as the window says */
function kept() {
	try {
		return parseInt(localStorage.getItem(KEY) ?? '', 10);
	} catch {
		return NaN;
	}
}

/** @param {number} width NaN: as the window says */
function keep(width) {
	try {
		if (Number.isNaN(width)) localStorage.removeItem(KEY);
		else localStorage.setItem(KEY, String(width));
	} catch {
		// it holds until the page is closed
	}
}

/** @param {number} width */
const apply = (width) => byId('main').style.setProperty('--panel', Number.isNaN(width) ? '' : `${width}px`);

/** As it was dragged before. */
export const keptWidth = () => apply(kept());

/** Lets its edge be dragged, or moved by keys. */
export function panelWidth() {
	const edge = byId('paneledge');
	const main = byId('main');
	const panel = byId('panel');
	const now = () => panel.getBoundingClientRect().width;
	const most = () => main.clientWidth - byId('labels').offsetWidth - LEAST_PICTURE;
	const say = () => {
		if (panel.hidden) return;
		edge.setAttribute('aria-valuenow', String(Math.round(now())));
		edge.setAttribute('aria-valuemax', String(Math.max(LEAST, Math.round(most()))));
	};
	/** @param {number} wanted NaN: as the window says */
	const set = (wanted) => {
		const width = Number.isNaN(wanted) ? NaN : Math.round(Math.max(LEAST, Math.min(most(), wanted)));
		apply(width);
		keep(width);
	};
	/** From the pointer to the panel's left side while it is dragged. */
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
		hold = NaN;
	};
	for (const name of /** @type {const} */ (['pointerup', 'pointercancel', 'lostpointercapture'])) edge.addEventListener(name, release);
	edge.addEventListener('dblclick', () => set(NaN));
	edge.addEventListener('keydown', (event) => {
		/** @type {Record<string, number>} */
		const to = { ArrowLeft: now() + STEP, ArrowRight: now() - STEP, Home: most(), End: LEAST, Enter: NaN };
		if (!(event.code in to)) return;
		set(to[event.code]);
		event.preventDefault();
		event.stopPropagation();
	});
	new ResizeObserver(say).observe(panel);
	keptWidth();
}
