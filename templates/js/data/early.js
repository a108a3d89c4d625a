// SPDX-License-Identifier: BSD-3-Clause
/**
 * Starts the first worker at the page's top: starting one takes 50 ms and more.
 * Never waits for anything of the page but the worker's own text.
 * Imported by shell/start.js, which is the page's first script, and load.js.
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
