// SPDX-License-Identifier: BSD-3-Clause
/**
 * Takes the data elements out of the page while it is still being read, has
 * workers decode them, and drops each as soon as it is on its way. Throws DamagedError for a file that is not
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
 * A data element, taken out of the page.
 * @typedef {object} Taken
 * @property {string} column
 * @property {string} track
 * @property {number} chunk
 * @property {number} count
 * @property {number} bytes
 * @property {boolean} wide
 */

/**
 * What the page has brought so far. Data goes to the workers while the rest of
 * the page is still being read.
 */
class Intake {
	constructor() {
		/** @type {Taken[]} */
		this.taken = [];
		/** Not sent yet: one worker or two? @type {[Taken, string][]} */
		this.waiting = [];
		this.spans = 0;
		/** @type {Decoder[]} */
		this.decoders = [];
		/** Some of it is with the workers. */
		this.sending = false;
		this.bytes = 0;
		/** @type {(bytes: number) => void} */
		this.onbytes = () => {};
	}

	/** Takes what is complete: all but an element that nothing stands behind. @param {boolean} all */
	take(all) {
		for (const element of document.querySelectorAll('script[data-kutrace]')) {
			if (!all && !element.nextSibling) break;
			const d = /** @type {HTMLScriptElement} */ (element).dataset;
			const part = {
				column: d.kutrace ?? '', track: d.track ?? '', chunk: Number(d.chunk ?? 0), count: Number(d.count),
				bytes: Number(d.bytes), wide: d.wide !== undefined,
			};
			this.taken.push(part);
			if (part.column === 'gap') this.spans += part.count;
			this.waiting.push([part, element.textContent ?? '']);
			element.remove();
		}
		if (this.spans >= PAIR_FROM_SPANS || this.sending) this.send(2);
	}

	/** @param {number} workers at least so many */
	start(workers) {
		while (this.decoders.length < workers) this.decoders.push(new Decoder((bytes) => {
			this.bytes += bytes;
			this.onbytes(this.bytes);
		}));
	}

	/** @param {number} workers unless data is on its way already */
	send(workers) {
		this.start(this.sending ? 0 : workers);
		this.sending = true;
		// in a pair, one worker has the times and the other all the rest
		for (const [part, text] of this.waiting)
			this.decoders[part.column === 'gap' || part.column === 'dur' ? 0 : this.decoders.length - 1].post({ part, text });
		this.waiting = [];
	}

	/** @param {Plan} plan @returns {Promise<Arrays>} */
	async finish(plan) {
		if (!this.sending) this.send(1);
		if (this.decoders.length === 1) return /** @type {Promise<Arrays>} */ (this.decoders[0].finish(plan, 'both'));
		const { port1, port2 } = new MessageChannel();
		/** @type {Arrays[]} */
		const parts = /** @type {any} */ (await Promise.all([
			this.decoders[0].finish(plan, 'times', port1), this.decoders[1].finish(plan, 'rest', port2)]));
		return Object.assign({}, ...parts);
	}

	/** The processes' rows go to the trace when a worker has them. @param {Trace} trace */
	async behind(trace) {
		try {
			if (this.decoders.length > 1) {
				trace.sorting = true;
				const sorted = await this.decoders[0].processes;
				if (sorted) trace.adopt(sorted.groups, sorted.tables);
			}
		} finally {
			this.stop();
			trace.sorting = false;
			trace.onsorted();
		}
	}

	stop() {
		for (const decoder of this.decoders) decoder.stop();
	}
}

/** A worker that decodes. */
class Decoder {
	/** @param {(bytes: number) => void} advance */
	constructor(advance) {
		this.url = URL.createObjectURL(new Blob([workerSource], { type: 'text/javascript' }));
		this.worker = new Worker(this.url);
		/** @type {(processes: any) => void} */
		let given = () => {};
		/** Null when it failed: then the page sorts them itself. @type {Promise<{groups: import('./group.js').ProcessGroups, tables: Map<number, import('./lod.js').Tables>} | null>} */
		this.processes = new Promise((resolve) => (given = resolve));
		/** @type {Promise<Partial<Arrays>>} */
		this.arrays = new Promise((resolve, reject) => {
			this.worker.onerror = (event) => reject(new Error(event.message || 'a worker failed'));
			this.worker.onmessage = ({ data }) => {
				if (data.error) {
					reject(new DamagedError(data.error));
					given(null);
				} else if (data.arrays) resolve(data.arrays);
				else if (data.processes) given(data.processes);
				else advance(data.progress);
			};
		});
		// whoever asks for the arrays hears of it; it may come before anybody asks
		this.arrays.catch(() => {});
	}

	/** @param {unknown} message @param {Transferable[]} [transfer] */
	post(message, transfer = []) {
		this.worker.postMessage(message, transfer);
	}

	/**
	 * @param {Plan} plan
	 * @param {'both' | 'times' | 'rest'} finish what this worker makes
	 * @param {MessagePort} [port] to the other worker
	 */
	finish(plan, finish, port) {
		this.post({ plan });
		this.post({ finish, port }, port ? [port] : []);
		return this.arrays;
	}

	stop() {
		this.worker.terminate();
		URL.revokeObjectURL(this.url);
	}
}

const intake = new Intake();
const observer = new MutationObserver(() => intake.take(false));
observer.observe(document.body, { childList: true });
// it takes a while to start, as does reading the page
intake.start(1);

/**
 * @param {Taken[]} taken
 * @returns {Plan}
 */
function planOf(taken) {
	/** @type {Map<number, {cpu: number, count: number, chunk: number}>} */
	const chunks = new Map();
	/** @type {Plan} */
	const plan = { spans: 0, others: 0, otherOffset: 0, chunks: [], has: {}, wide: {}, tracks: [] };

	for (const { column, track, chunk, count, wide } of taken) {
		if (column === 'names') continue;
		plan.has[column] = true;
		if (wide) plan.wide[column] = true;
		const cpu = track === 'other' ? -1 : Number(track);
		const known = chunks.get(chunk);
		if (![chunk, cpu, count].every(Number.isSafeInteger) || count <= 0 || chunk < 0 || chunk >= taken.length)
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
 * To be called when the whole page has been read.
 * @param {(fraction: number) => void} progress
 * @returns {Promise<Trace>}
 */
export async function loadTrace(progress) {
	observer.disconnect();
	try {
		return await load(progress);
	} catch (error) {
		intake.stop();
		throw error;
	}
}

/** @param {(fraction: number) => void} progress */
async function load(progress) {
	intake.take(true);
	const { taken } = intake;
	const header = json('kutrace-header');
	const end = json('kutrace-end');
	if (!header && !taken.length && !end)
		throw new DamagedError('there is no trace in it');
	if (!end)
		throw new DamagedError('its end is missing: it was cut off, or the program that made it stopped');
	const plan = planOf(taken);
	if (plan.spans !== end.spans || plan.chunks.filter(Boolean).length !== end.chunks)
		throw new DamagedError(`it has ${plan.spans} of ${end.spans} spans`);
	if (taken.length !== end.elements)
		throw new DamagedError(`it has ${taken.length} of ${end.elements} parts`);

	const total = taken.reduce((sum, part) => sum + part.bytes, 0) || 1;
	intake.onbytes = (bytes) => progress(bytes / total);
	const arrays = await intake.finish(plan);
	if (arrays.texts.length !== end.names)
		throw new DamagedError(`it has ${arrays.texts.length} of ${end.names} names`);
	if (!arrays.sorted) sort(plan, arrays);
	const trace = new Trace(header ?? {}, plan, arrays);
	if (arrays.sorted) intake.behind(trace);
	else intake.stop();
	return trace;
}

/**
 * The rows of a file that was not sorted, by start. What is drawn and searched
 * relies on it.
 * @param {Plan} plan
 * @param {Arrays} arrays
 */
function sort(plan, arrays) {
	const { start, dur } = arrays;
	// made of the old order
	arrays.byKind = null;
	const from = (arrays.order = Uint32Array.from({ length: plan.spans }, (_, g) => g));
	for (const { cpu, lo, hi } of plan.tracks) {
		let inOrder = true;
		for (let g = lo + 1; g < hi && inOrder; g++) inOrder = start[g - 1] <= start[g];
		if (inOrder) continue;
		const order = new Uint32Array(hi - lo);
		for (let i = 0; i < order.length; i++) order[i] = lo + i;
		order.sort((a, b) => start[a] - start[b] || dur[a] - dur[b] || a - b);
		for (const array of [arrays.name, arrays.kind, arrays.pid, arrays.rpc, arrays.dur]) {
			if (!array) continue;
			const copy = array.slice(lo, hi);
			for (let i = 0; i < order.length; i++) array[lo + i] = copy[order[i] - lo];
		}
		from.set(order, lo);
		if (cpu < 0) {
			const copy = arrays.cpu.slice();
			for (let i = 0; i < order.length; i++) arrays.cpu[i] = copy[order[i] - lo];
		}
		start.subarray(lo, hi).sort();
	}
}
