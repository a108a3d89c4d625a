// SPDX-License-Identifier: BSD-3-Clause
/**
 * A worker takes 50 ms and more to start: so the first is started at the page's top, by
 * start.js, before the browser has read anything else.
 */

/** @typedef {{url: string, worker: Worker}} Early */

/** Starts it, the first time. @returns {Early} */
export function early() {
	const page = /** @type {{kutraceWorker?: Early}} */ (window);
	if (!page.kutraceWorker) {
		const source = document.getElementById('worker')?.textContent ?? '';
		const url = URL.createObjectURL(new Blob([source], { type: 'text/javascript' }));
		page.kutraceWorker = { url, worker: new Worker(url) };
	}
	return page.kutraceWorker;
}
