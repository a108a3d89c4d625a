// SPDX-License-Identifier: BSD-3-Clause
/**
 * Loads a trace in Node as the page does: makes the page of a JSON, and decodes its elements with the page's worker.
 * For tests that need no browser.
 */
import { readFileSync } from 'node:fs';
import { planOf } from '../../templates/js/data/plan.ts';
import { sortTracks } from '../../templates/js/data/sort.ts';
import { Trace } from '../../templates/js/data/trace.ts';
import { pageOf } from './pages.mjs';

/** Number of workers so far. It makes import() load the worker's module again, with separate columns. */
let workers = 0;

/**
 * Runs a worker of the page: passes messages to the worker, and returns its last message.
 * @returns {Promise<(messages: object[]) => Promise<any>>}
 */
async function worker() {
	const here = /** @type {any} */ (globalThis);
	/** @type {(event: {data: object}) => void} */
	let tell = () => {};
	here.addEventListener = (/** @type {string} */ _, /** @type {typeof tell} */ listener) => (tell = listener);
	await import(`../../templates/js/data/worker.ts?${workers++}`);
	return (messages) => new Promise((resolve, reject) => {
		here.postMessage = (/** @type {any} */ said) => {
			if (said.error) reject(new Error(said.error));
			else if (said.arrays) resolve(said.arrays);
		};
		for (const data of messages) tell({ data });
	});
}

/** Returns the JSON in an element of a page. @param {string} html @param {string} id */
const jsonIn = (html, id) => JSON.parse(new RegExp(`id="${id}">(.*?)</script>`, 's').exec(html)?.[1] ?? '{}');

/** @param {string | Buffer} json @param {string} name name of the page @returns {Promise<Trace>} */
export async function traceOf(json, name) {
	const html = readFileSync(pageOf(json, name), 'latin1');
	/** @type {{part: import('../../templates/js/data/plan.ts').Part, text: string}[]} */
	const parts = [];
	for (const [, attributes, text] of html.matchAll(/<script type="application\/octet-stream"( data-kutrace=[^>]*)>([^<]*)<\/script>/g)) {
		/** @param {string} key */
		const value = (key) => new RegExp(` data-${key}="([^"]*)"`).exec(attributes)?.[1] ?? '';
		parts.push({
			part: {
				column: value('kutrace'), track: value('track'), chunk: Number(value('chunk')), count: Number(value('count')),
				bytes: Number(value('bytes')), wide: / data-wide\b/.test(attributes),
			},
			text,
		});
	}
	const plan = planOf(parts.map(({ part }) => part));
	const arrays = await (await worker())([...parts, { plan, finish: 'both' }]);
	if (!arrays.sorted) sortTracks(plan, arrays);
	return new Trace(jsonIn(html, 'kutrace-header'), plan, arrays);
}
