// SPDX-License-Identifier: BSD-3-Clause
/**
 * Takes the data elements out of the page while it is still being read, has
 * workers decode them, and drops each as soon as it is on its way. Throws DamagedError for a file that is not
 * whole; the caller shows what it says.
 */
import { early } from './early.js';
import { Trace } from './trace.js';

/** @typedef {import('./worker.js').Plan} Plan */
/** @typedef {import('./worker.js').Arrays} Arrays */

/** From here on a second worker takes less time than it costs: to be known early, of the first chunk. */
const PAIR_FROM_SPANS = 200000;

/** Columns of the first worker of a pair: times and names. */
const FIRST_COLUMNS = ['gap', 'dur', 'name', 'names'];

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
		/** Not sent yet: of one worker, or of the second? @type {[Taken, string][]} */
		this.waiting = [];
		this.spans = 0;
		/** @type {Decoder[]} */
		this.decoders = [];
		/** Started at the page's top. */
		this.early = early();
		this.bytes = 0;
		/** @type {(bytes: number) => void} */
		this.onbytes = () => {};
	}

	/** Takes what is complete: all but an element that nothing stands behind. @param {boolean} all */
	take(all) {
		for (const element of document.querySelectorAll('script[data-kutrace]')) {
			const d = /** @type {HTMLScriptElement} */ (element).dataset;
			const part = {
				column: d.kutrace ?? '', track: d.track ?? '', chunk: Number(d.chunk ?? 0), count: Number(d.count),
				bytes: Number(d.bytes), wide: d.wide !== undefined,
			};
			// how much there is of it can be read before it is there
			const spans = this.spans + (part.column === 'gap' ? part.count : 0);
			if (spans >= PAIR_FROM_SPANS) this.start(2);
			if (!all && !element.nextSibling) break;
			this.spans = spans;
			this.taken.push(part);
			const text = element.textContent ?? '';
			element.remove();
			// in a pair, one worker has what drawing needs and the other all the rest
			if (FIRST_COLUMNS.includes(part.column)) this.decoders[0].post({ part, text });
			else this.waiting.push([part, text]);
		}
		if (this.decoders.length > 1) this.send();
	}

	/** @param {number} workers at least so many */
	start(workers) {
		while (this.decoders.length < workers) this.decoders.push(new Decoder(this.decoders.length ? new Worker(this.early.url) : this.early.worker, (bytes) => {
			this.bytes += bytes;
			this.onbytes(this.bytes);
		}));
	}

	/** What waited, to the last worker. */
	send() {
		for (const [part, text] of this.waiting) this.decoders[this.decoders.length - 1].post({ part, text });
		this.waiting = [];
	}

	/** @param {Plan} plan @returns {Promise<Arrays>} */
	async finish(plan) {
		this.send();
		if (this.decoders.length === 1) return /** @type {Promise<Arrays>} */ (this.decoders[0].finish(plan, 'both'));
		const { port1, port2 } = new MessageChannel();
		/** @type {Arrays[]} */
		const parts = /** @type {any} */ (await Promise.all([
			this.decoders[0].finish(plan, 'first', port1), this.decoders[1].finish(plan, 'rest', port2)]));
		const arrays = /** @type {Arrays} */ (Object.assign({}, ...parts));
		for (const [track, tables] of arrays.othersTables ?? []) arrays.tables[track] = tables;
		return arrays;
	}

	/** The processes' rows go to the trace when a worker has sorted them. @param {Trace} trace */
	async behind(trace) {
		if (!trace.sorting) {
			this.stop();
			return;
		}
		try {
			this.decoders[0].post({ processes: true });
			const sorted = await this.decoders[0].processes;
			if (sorted) trace.adopt(sorted.groups, sorted.tables);
		} finally {
			this.stop();
			trace.sorting = false;
			trace.onsorted();
		}
	}

	stop() {
		for (const decoder of this.decoders) decoder.worker.terminate();
		URL.revokeObjectURL(this.early.url);
	}
}

/** A worker that decodes. */
class Decoder {
	/** @param {Worker} worker @param {(bytes: number) => void} advance */
	constructor(worker, advance) {
		this.worker = worker;
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
	 * @param {'both' | 'first' | 'rest'} finish what this worker makes
	 * @param {MessagePort} [port] to the other worker
	 */
	finish(plan, finish, port) {
		this.post({ plan, finish, port }, port ? [port] : []);
		return this.arrays;
	}
}

const intake = new Intake();
const observer = new MutationObserver(() => intake.take(false));
observer.observe(document.body, { childList: true });
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
 * @returns {Promise<{trace: Trace, behind: () => void}>} behind: to be called when the trace is on the screen
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

/** Spans of what has been read of the page. */
export const spansTaken = () => intake.spans;

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
	// from now on whoever needs the processes' rows, and can wait, does
	trace.sorting = arrays.sorted && intake.decoders.length > 1;
	return { trace, behind: () => void intake.behind(trace) };
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
