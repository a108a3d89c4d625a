// SPDX-License-Identifier: BSD-3-Clause
/**
 * Takes the data elements out of the page, has the worker decode them, and drops
 * each as soon as it is on its way. Throws DamagedError for a file that is not
 * whole; the caller shows what it says.
 */
import { Trace } from './trace.js';

/** @typedef {import('./worker.js').Plan} Plan */
/** @typedef {import('./worker.js').Arrays} Arrays */

/** The worker's source, put in by the build. @type {string} */
// @ts-ignore
const workerSource = WORKER_SOURCE;

export class DamagedError extends Error {}

/** @param {string} id */
function json(id) {
	const element = document.getElementById(id);
	if (!element) return null;
	try {
		return JSON.parse(element.textContent ?? '');
	} catch {
		throw new DamagedError(`its ${id} part cannot be read`);
	}
}

/**
 * @param {HTMLScriptElement[]} elements
 * @returns {Plan}
 */
function planOf(elements) {
	/** @type {Map<number, {cpu: number, count: number, chunk: number}>} */
	const chunks = new Map();
	/** @type {Plan} */
	const plan = { spans: 0, others: 0, otherOffset: 0, chunks: [], has: {}, wide: {}, tracks: [] };

	for (const { dataset: d } of elements) {
		const column = d.kutrace ?? '';
		if (column === 'names') continue;
		plan.has[column] = true;
		if (d.wide !== undefined) plan.wide[column] = true;
		const chunk = Number(d.chunk);
		const cpu = d.track === 'other' ? -1 : Number(d.track);
		const count = Number(d.count);
		const known = chunks.get(chunk);
		if (![chunk, cpu, count].every(Number.isSafeInteger) || count <= 0 || chunk < 0)
			throw new DamagedError('a data element has no sense');
		if (known && (known.cpu !== cpu || known.count !== count))
			throw new DamagedError(`chunk ${chunk} contradicts itself`);
		chunks.set(chunk, { cpu, count, chunk });
	}
	const cpus = [...new Set([...chunks.values()].map((c) => c.cpu))];
	cpus.sort((a, b) => (a < 0 ? 1 : b < 0 ? -1 : a - b));
	for (const cpu of cpus) {
		const lo = plan.spans;
		if (cpu < 0) plan.otherOffset = lo;
		for (const c of [...chunks.values()].filter((x) => x.cpu === cpu).sort((a, b) => a.chunk - b.chunk)) {
			plan.chunks[c.chunk] = { track: plan.tracks.length, offset: plan.spans, count: c.count };
			plan.spans += c.count;
			if (cpu < 0) plan.others += c.count;
		}
		plan.tracks.push({ cpu, lo, hi: plan.spans });
	}
	return plan;
}

/**
 * @param {(fraction: number) => void} progress
 * @returns {Promise<Trace>}
 */
export async function loadTrace(progress) {
	const header = json('kutrace-header');
	const end = json('kutrace-end');
	if (!header && !document.querySelector('script[data-kutrace]') && !end)
		throw new DamagedError('there is no trace in it');
	if (!end)
		throw new DamagedError('its end is missing: it was cut off, or the program that made it stopped');
	const elements = /** @type {HTMLScriptElement[]} */ ([...document.querySelectorAll('script[data-kutrace]')]);
	const plan = planOf(elements);
	if (plan.spans !== end.spans || plan.chunks.filter(Boolean).length !== end.chunks)
		throw new DamagedError(`it has ${plan.spans} of ${end.spans} spans`);

	const url = URL.createObjectURL(new Blob([workerSource], { type: 'text/javascript' }));
	const worker = new Worker(url);
	URL.revokeObjectURL(url);
	const total = elements.reduce((sum, e) => sum + Number(e.dataset.bytes), 0) || 1;
	let done = 0;
	try {
		const arrays = await new Promise((resolve, reject) => {
			worker.onerror = (event) => reject(new Error(event.message || 'the worker failed'));
			worker.onmessage = ({ data }) => {
				if (data.error) reject(new DamagedError(data.error));
				else if (data.arrays) resolve(data.arrays);
				else progress((done += data.progress) / total);
			};
			worker.postMessage({ plan });
			for (const element of elements) {
				const d = element.dataset;
				worker.postMessage({
					part: {
						column: d.kutrace,
						chunk: Number(d.chunk ?? 0),
						count: Number(d.count),
						bytes: Number(d.bytes),
						wide: d.wide !== undefined,
					},
					text: element.textContent,
				});
				element.remove();
			}
			worker.postMessage({ finish: true });
		});
		if (arrays.texts.length !== end.names)
			throw new DamagedError(`it has ${arrays.texts.length} of ${end.names} names`);
		return new Trace(header ?? {}, plan, arrays);
	} finally {
		worker.terminate();
	}
}
