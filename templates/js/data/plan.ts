// SPDX-License-Identifier: BSD-3-Clause
/** Computes the position of each data element's spans in the arrays. Must refuse elements that contradict each other. */
import type { Tables } from './bins.ts';
import type { PackedChunk } from './columns.ts';

/** One data element of the page. */
export interface Part {
	column: string;
	chunk: number;
	track: string; /* number of a CPU, or "other" */
	count: number; /* number of spans */
	bytes: number; /* number of bytes after inflation */
	wide: boolean; /* whether the element has numbers of more than 32 bits */
}

interface ChunkPlan {
	track: number; /* index of the track */
	offset: number; /* position of the chunk's first span in the arrays */
	count: number;
}

export interface Plan {
	spans: number;
	others: number; /* number of spans on no CPU */
	otherOffset: number;
	chunks: ChunkPlan[];
	has: Record<string, boolean>; /* for each column, whether the page has it */
	wide: Record<string, boolean>; /* for each column, whether some chunk has numbers of more than 32 bits */
	tracks: {cpu: number, lo: number, hi: number}[]; /* cpu -1: the track "other", with the spans on no CPU */
}

/** Result of the columns gap and dur. */
export interface Times {
	start: Float64Array; /* units of 10 ns */
	dur: Float64Array | Uint32Array; /* units of 10 ns */
	sorted: boolean; /* whether each chunk is in order of start */
	tables: Tables[]; /* tables of the CPUs' tracks; empty if not sorted; if two workers make tables, only the tables of this worker */
}

/** Result of the columns name and names. */
export interface Names {
	name: Uint16Array | Uint32Array; /* dictionary entry of each span, in the narrowest type that fits */
	kind: Uint8Array; /* kind of each span */
	events: number[]; /* event numbers of the dictionary */
	texts: string[]; /* texts of the dictionary */
	inKernel: boolean[]; /* for each dictionary entry, whether it is the own code of a kernel thread */
}

/** Result of the other columns. */
export interface Rest {
	pid: Float64Array | Int32Array | Int16Array; /* pid of each span, in the narrowest type that fits */
	rpc: Float64Array | Int32Array | Int16Array | null; /* RPC ids of the spans from number rpcFrom on; earlier spans have RPC id 0 */
	rpcFrom: number;
	arg: PackedChunk[]; /* arg, ret and ipc stay packed */
	ret: PackedChunk[];
	ipc: PackedChunk[];
	order: Uint32Array | null; /* number of each span in the file, if the file was not sorted; otherwise null */
	cpu: Int32Array; /* CPU of each span of the track "other" */
	byKind: Uint32Array[] | null; /* spans of the track "other" by kind; null if they have been sorted again */
	hasRpc: boolean; /* whether any span has an RPC id */
	othersTables?: Map<number, Tables>; /* tables of the second worker, by track */
}
export type Arrays = Times & Names & Rest;

/** Error: the file is incomplete or contradicts itself. */
export class DamagedError extends Error {}

/** Returns the plan for the data elements. Throws DamagedError if they contradict each other. */
export function planOf(taken: Part[]): Plan {
	const chunks: Map<number, {cpu: number, count: number, chunk: number}> = new Map();
	const plan: Plan = { spans: 0, others: 0, otherOffset: 0, chunks: [], has: {}, wide: {}, tracks: [] };

	for (const { column, track, chunk, count, wide } of taken) {
		if (column === 'names') continue;
		plan.has[column] = true;
		if (wide) plan.wide[column] = true;
		const cpu = track === 'other' ? -1 : Number(track);
		const known = chunks.get(chunk);
		if (![chunk, cpu, count].every(Number.isSafeInteger) || count <= 0 || chunk < 0 || chunk >= taken.length)
			throw new DamagedError('a data element has wrong attributes');
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
