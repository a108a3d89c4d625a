// SPDX-License-Identifier: BSD-3-Clause
/**
 * Computes the position of each data element's spans in the arrays. Defines the types of what the workers send. Must refuse
 * elements that contradict each other.
 */

/**
 * @typedef {object} Part one data element of the page
 * @property {string} column
 * @property {number} chunk
 * @property {string} track number of a CPU, or "other"
 * @property {number} count number of spans
 * @property {number} bytes number of bytes after inflation
 * @property {boolean} wide whether it has numbers of more than 32 bits
 * @typedef {object} ChunkPlan
 * @property {number} track index of the track
 * @property {number} offset position of its first span in the arrays
 * @property {number} count
 * @typedef {object} Plan
 * @property {number} spans
 * @property {number} others number of spans on no CPU
 * @property {number} otherOffset
 * @property {ChunkPlan[]} chunks
 * @property {Record<string, boolean>} has columns that the page has
 * @property {Record<string, boolean>} wide columns with numbers of more than 32 bits
 * @property {{cpu: number, lo: number, hi: number}[]} tracks cpu -1: other
 * @typedef {object} Times result of the columns gap and dur
 * @property {Float64Array} start units of 10 ns
 * @property {Float64Array | Uint32Array} dur units of 10 ns
 * @property {boolean} sorted whether the chunks are in order of start
 * @property {import('./bins.js').Tables[]} tables tables of the CPUs' tracks, if sorted. With two workers, without the tables that the other worker makes
 * @typedef {object} Names result of the columns name and names
 * @property {Uint16Array | Uint32Array} name dictionary entry of each span, in the narrowest type that fits
 * @property {Uint8Array} kind kind of each span
 * @property {number[]} events event numbers of the dictionary
 * @property {string[]} texts texts of the dictionary
 * @property {boolean[]} inKernel for each dictionary entry, whether it is the own code of a kernel thread
 * @typedef {object} Rest result of the other columns
 * @property {Float64Array | Int32Array | Int16Array} pid pid of each span, in the narrowest type that fits
 * @property {Float64Array | Int32Array | Int16Array | null} rpc RPC id of the spans from rpcFrom on; before them it is 0
 * @property {number} rpcFrom
 * @property {import('./columns.js').PackedChunk[]} arg arg, ret and ipc stay packed
 * @property {import('./columns.js').PackedChunk[]} ret
 * @property {import('./columns.js').PackedChunk[]} ipc
 * @property {Uint32Array | null} order number of each span in the file, if the file was not sorted
 * @property {Int32Array} cpu CPU of the spans of "other"
 * @property {Uint32Array[] | null} byKind the spans of "other" by kind; null if they have been sorted again
 * @property {boolean} hasRpc whether any span has an RPC id
 * @property {Map<number, import('./bins.js').Tables>} [othersTables] tables of the second worker, by track
 * @typedef {Times & Names & Rest} Arrays
 */

/** Error: the file is incomplete or contradicts itself. */
export class DamagedError extends Error {}

/**
 * Returns the plan for the data elements. Throws DamagedError if they contradict each other.
 * @param {Part[]} taken
 * @returns {Plan}
 */
export function planOf(taken) {
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
