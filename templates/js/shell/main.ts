// SPDX-License-Identifier: BSD-3-Clause
/**
 * Starts the page: loads the trace, draws a first picture in the meantime, and shows the error of a damaged file. This file
 * is the entry of the page, so no file imports it.
 */
import { byId, make } from '../base/dom.ts';
import { loadTrace, spansTaken } from '../data/load.ts';
import { overviewTrace } from '../data/overview.ts';
import { DamagedError } from '../data/plan.ts';
import { applyStoredWidth } from '../panel/width.ts';
import { show, start } from './app.ts';
import { groupButtons } from './controls.ts';

const root = document.documentElement;
/** Minimum number of spans for an overview. Smaller traces appear in OVERVIEW_MS, so an overview would only delay them. */
const OVERVIEW_SPANS = 2e6;
const OVERVIEW_MS = 300;
/** Memory for each span, bytes, as in postprocess/page/page.h. From LARGE_BYTES on, the page shows how much memory it needs. */
const SPAN_BYTES = 52;
const LARGE_BYTES = 1e9;
/** If the page needs more than this share of the machine's memory, the user must agree. */
const MOST_SHARE = 0.6;
/** Assumed memory of the machine if the browser does not report it, GiB. */
const UNKNOWN_MEMORY = 8;
/** True if a first picture was drawn, or is being made. */
let begun = false;

function failed(error: unknown) {
	root.dataset.state = 'error';
	delete root.dataset.picture;
	const box = byId('boot');
	const damaged = error instanceof DamagedError;
	const message = (error instanceof Error ? error.message : String(error)).replace(/\.+$/, '');
	box.replaceChildren(
		make('h1', '', damaged ? 'This file is damaged' : 'This trace cannot be shown'),
		make('p', '', `${message.charAt(0).toUpperCase()}${message.slice(1)}.`),
		make('p', '', damaged ? 'Copy it again, or make it again from its trace.' :
			'This page needs a browser of 2023 or later, and enough memory for the trace.'));
	// the box is now the only content of the page
	box.setAttribute('role', 'main');
	box.hidden = false;
	byId('app').hidden = true;
}

/** Shows how much memory a large trace needs. Waits for the user's choice if the machine may not have that much. */
function agreed(spans: number): Promise<void> {
	const need = spans * SPAN_BYTES;
	/** Memory in GiB, which the browser rounds to a power of two and limits. Firefox does not report it. */
	const machine = (navigator as {deviceMemory?: number}).deviceMemory;
	const tight = need > (machine ?? UNKNOWN_MEMORY) * 2 ** 30 * MOST_SHARE;
	if (!tight && need < LARGE_BYTES) return Promise.resolve();
	const text = `${(spans / 1e6).toFixed(1)} million spans take about ${(need / 1e9).toFixed(1)} GB of memory`;
	const remedy = 'If the tab ends with an error, make a smaller page: rawtohtml --spans 5M.';
	if (!tight) {
		byId('boottext').textContent = `${text}. ${remedy}`;
		return Promise.resolve();
	}
	const memory = machine === undefined ? 'The browser does not report how much memory there is' : `The browser reports ${machine} GB (rounded, with an upper limit)`;
	byId('boottext').textContent = `${text}. ${memory}, and it may end the tab. A smaller page: rawtohtml --spans 5M. `;
	const go = make('button', '', 'load it anyway');
	go.id = 'loadanyway';
	byId('boot').append(go);
	return new Promise((resolve) => go.addEventListener('click', () => {
		go.remove();
		byId('boottext').textContent = `Reading the trace: ${text}. ${remedy}`;
		resolve();
	}));
}

/** Returns the text of the overview, or '' if it is not complete yet. @param all whether the whole page has been read */
function overviewText(all: boolean) {
	const element = document.getElementById('kutrace-overview');
	// a page that was made in a pipe has no overview before the data
	return element && (all || element.nextSibling) ? element.textContent?.trim() ?? '' : '';
}

async function overview() {
	if (root.dataset.state !== 'loading' || begun) return;
	const text = overviewText(document.readyState !== 'loading');
	const head = document.getElementById('kutrace-header')?.textContent;
	if (!text || !head) return;
	begun = true;
	try {
		const header = JSON.parse(head);
		const trace = await overviewTrace(header, text);
		if (root.dataset.state !== 'loading') return;
		byId('title').textContent = String(header.title || 'KUtrace');
		byId('boottext').textContent = 'Reading the trace';
		byId('app').hidden = false;
		byId('app').inert = true;
		byId('main').classList.add('withpanel');
		applyStoredWidth();
		const { view, picture } = show(trace);
		view.theme(matchMedia('(prefers-color-scheme: dark)').matches);
		picture.resize();
		picture.frame();
		groupButtons(view)();
		root.dataset.picture = 'overview';
	} catch {
		// without an overview, the page only waits for the trace
		root.dataset.overview = 'damaged';
	}
}

const spansIn = (text: string) => Number(/^\{"spans":(\d+),/.exec(text)?.[1] ?? 0);

// if the overview is before the data, draw a large trace while the data are still being read
const reading = new MutationObserver(() => {
	const text = overviewText(false);
	if (!text && !document.querySelector('script[data-kutrace]')) return;
	reading.disconnect();
	if (spansIn(text) >= OVERVIEW_SPANS) void overview();
});
reading.observe(document.body, { childList: true });

addEventListener('DOMContentLoaded', () => {
	reading.disconnect();
	const bar = byId('progress') as HTMLProgressElement;
	byId('boottext').textContent = 'Reading the trace';
	// compute the layout of the hidden page while the workers decode
	byId('app').hidden = false;
	const loading = loadTrace((fraction) => (bar.value = fraction), agreed);
	setTimeout(overview, spansTaken() < OVERVIEW_SPANS ? OVERVIEW_MS : 0);
	loading.then(({ trace, sortAndJoin }) => {
		try {
			start(trace);
		} finally {
			sortAndJoin();
		}
	}).catch(failed);
});
