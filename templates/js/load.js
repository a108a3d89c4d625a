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

/** From here on a second worker takes less time than it costs. */
const PAIR_FROM_SPANS = 300000;

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
	if (elements.length !== end.elements)
		throw new DamagedError(`it has ${elements.length} of ${end.elements} parts`);

	const total = elements.reduce((sum, e) => sum + Number(e.dataset.bytes), 0) || 1;
	let done = 0;
	/** @param {number} bytes */
	const advance = (bytes) => progress((done += bytes) / total);
	const url = URL.createObjectURL(new Blob([workerSource], { type: 'text/javascript' }));
	// in a pair, one worker has the times and the other all the rest
	const isTime = (/** @type {HTMLElement} */ e) => e.dataset.kutrace === 'gap' || e.dataset.kutrace === 'dur';
	const decoded = plan.spans < PAIR_FROM_SPANS ?
		[decode(url, plan, elements, ['times', 'rest'], advance)] :
		[decode(url, plan, elements.filter(isTime), ['times'], advance),
			decode(url, plan, elements.filter((e) => !isTime(e)), ['rest'], advance)];
	/** @type {Arrays} */
	const arrays = Object.assign({}, ...await Promise.all(decoded));
	URL.revokeObjectURL(url);
	if (arrays.texts.length !== end.names)
		throw new DamagedError(`it has ${arrays.texts.length} of ${end.names} names`);
	if (!arrays.sorted) sort(plan, arrays);
	return new Trace(header ?? {}, plan, arrays);
}

/**
 * @param {string} url of the worker's source
 * @param {Plan} plan
 * @param {HTMLScriptElement[]} elements
 * @param {string[]} finish what this worker makes: times, rest
 * @param {(bytes: number) => void} advance
 */
async function decode(url, plan, elements, finish, advance) {
	const worker = new Worker(url);
	try {
		return await new Promise((resolve, reject) => {
			worker.onerror = (event) => reject(new Error(event.message || 'a worker failed'));
			worker.onmessage = ({ data }) => {
				if (data.error) reject(new DamagedError(data.error));
				else if (data.arrays) resolve(data.arrays);
				else advance(data.progress);
			};
			worker.postMessage({ plan });
			for (const element of elements) {
				const d = element.dataset;
				worker.postMessage({
					part: {
						column: d.kutrace, chunk: Number(d.chunk ?? 0), count: Number(d.count), bytes: Number(d.bytes),
					},
					text: element.textContent,
				});
				element.remove();
			}
			worker.postMessage({ finish });
		});
	} finally {
		worker.terminate();
	}
}

/**
 * The rows of a file that was not sorted, by start. What is drawn and searched
 * relies on it.
 * @param {Plan} plan
 * @param {Arrays} arrays
 */
function sort(plan, arrays) {
	const { start, dur } = arrays;
	for (const { cpu, lo, hi } of plan.tracks) {
		let inOrder = true;
		for (let g = lo + 1; g < hi && inOrder; g++) inOrder = start[g - 1] <= start[g];
		if (inOrder) continue;
		const order = new Uint32Array(hi - lo);
		for (let i = 0; i < order.length; i++) order[i] = lo + i;
		order.sort((a, b) => start[a] - start[b] || dur[a] - dur[b] || a - b);
		for (const column of /** @type {const} */ (['name', 'kind', 'pid', 'rpc', 'arg', 'ret', 'ipc', 'dur'])) {
			const array = arrays[column];
			if (!array) continue;
			const copy = array.slice(lo, hi);
			for (let i = 0; i < order.length; i++) array[lo + i] = copy[order[i] - lo];
		}
		if (cpu < 0) {
			const copy = arrays.cpu.slice();
			for (let i = 0; i < order.length; i++) arrays.cpu[i] = copy[order[i] - lo];
		}
		start.subarray(lo, hi).sort();
	}
}
