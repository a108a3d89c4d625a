// SPDX-License-Identifier: BSD-3-Clause
/**
 * What belongs where: from data elements to the places of their spans, and the shapes of what workers send.
 * Never accepts elements that contradict each other.
 * Imported by load.js, worker.js and trace.js (for the shapes), and by shell/main.js for DamagedError.
 */

/**
 * @typedef {object} Part one data element of the page
 * @property {string} column
 * @property {number} chunk
 * @property {string} track a CPU's number, or "other"
 * @property {number} count spans
 * @property {number} bytes inflated
 * @property {boolean} wide has numbers of more than 32 bits
 *
 * @typedef {object} ChunkPlan
 * @property {number} track index of the track
 * @property {number} offset of its first span in the arrays
 * @property {number} count
 *
 * @typedef {object} Plan
 * @property {number} spans
 * @property {number} others spans of the track that is on no CPU
 * @property {number} otherOffset
 * @property {ChunkPlan[]} chunks
 * @property {Record<string, boolean>} has columns there are
 * @property {Record<string, boolean>} wide columns with numbers of more than 32 bits
 * @property {{cpu: number, lo: number, hi: number}[]} tracks cpu -1: other
 *
 * @typedef {object} Times what comes of the columns gap and dur
 * @property {Float64Array} start units of 10 ns
 * @property {Float64Array | Uint32Array} dur units of 10 ns
 * @property {boolean} sorted are the chunks in order of start?
 * @property {import('./bins.js').Tables[]} tables of the tracks of CPUs, when sorted; of a pair, but for those that the other one made
 *
 * @typedef {object} Names what comes of the columns name and names
 * @property {Uint16Array | Uint32Array} name dictionary entry, in no more room than the numbers need
 * @property {Uint8Array} kind of each span
 * @property {number[]} events of the dictionary
 * @property {string[]} texts of the dictionary
 * @property {boolean[]} inKernel of the dictionary: is it the own code of a kernel thread?
 *
 * @typedef {object} Rest what comes of the other columns
 * @property {Float64Array | Int32Array | Int16Array} pid in no more room than the numbers need
 * @property {Float64Array | Int32Array | Int16Array | null} rpc of the spans from rpcFrom on; of those before it is 0
 * @property {number} rpcFrom
 * @property {import('./columns.js').PackedChunk[]} arg these three stay packed
 * @property {import('./columns.js').PackedChunk[]} ret
 * @property {import('./columns.js').PackedChunk[]} ipc
 * @property {Uint32Array | null} order of a file that was not sorted: the number that each span had in it
 * @property {Int32Array} cpu of the spans of "other"
 * @property {Uint32Array[] | null} byKind the spans of "other" by kind; null once they have been sorted again
 * @property {boolean} hasRpc does any span have an RPC id?
 * @property {Map<number, import('./bins.js').Tables>} [othersTables] by track
 *
 * @typedef {Times & Names & Rest} Arrays
 */

/** The file is not whole. */
export class DamagedError extends Error {}

/**
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
