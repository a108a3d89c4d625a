// SPDX-License-Identifier: BSD-3-Clause
/** Starts the first worker at the top of the page, while the browser reads the rest. Must need only the worker's source. */

export type Early = {url: string, worker: Worker};

/** Returns the first worker. Starts it at the first call. */
export function early(): Early {
	const page = window as {kutraceWorker?: Early};
	if (!page.kutraceWorker) {
		const source = document.getElementById('worker')?.textContent ?? '';
		const url = URL.createObjectURL(new Blob([source], { type: 'text/javascript' }));
		page.kutraceWorker = { url, worker: new Worker(url) };
	}
	return page.kutraceWorker;
}
