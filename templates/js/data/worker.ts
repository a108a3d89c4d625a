// SPDX-License-Identifier: BSD-3-Clause
/**
 * Runs in a worker: decodes columns as they arrive. When the plan arrives, combines them into arrays and passes these to
 * the page. Works alone, or shares the columns with a second worker. Must not use the page. load.ts starts it from the
 * page's text, so no file imports it.
 */
import { kindOf } from '../base/kinds.ts';
import { makeTables, type Tables } from './bins.ts';
import { dictionary, differences, packed, starts, unpack, values, type Dictionary, type PackedChunk } from './columns.ts';
import { processGroups, splitByKind } from './group.ts';
import { regroup, rename, type Pids, type Renamed } from './lives.ts';
import { joinWhole } from './totals.ts';
import { warm } from './warm.ts';
import type { Source } from './join.ts';
import type { Arrays, Names, Part, Plan, Rest, Times } from './plan.ts';

/** Columns of the page, and the positions of their chunks in the final arrays. Arrives when the whole page has been read. */
let plan: Plan;
/**
 * Chunks of the first spans, up to this number, are decoded when they arrive and are copied in the end. Later chunks are
 * decoded directly into their final array when it exists, because copying takes time.
 */
const EARLY_SPANS = 2e6;
/** Number of arrived spans, counted by the columns gap and pid. If there are two workers, each gets only one of these. */
let arrived = 0;
/** Chunks of each column that have arrived: decoded numbers, or the undecoded bytes with their description. */
const columns: Record<string, Map<number, any>> = {};
const column = (name: string): Map<number, any> => (columns[name] ??= new Map());
/** Share of the CPUs' spans for which the second worker makes tables. */
const OTHERS_SHARE = 0.5;
/** True if each chunk so far is in order of start. */
let sorted = true;
const names: Dictionary = { events: [], texts: [], inKernel: [] };

type Waiting = {part: Part, bytes: Uint8Array};

/** Runs work. Adds the name of the column and the chunk to the message of an error. */
function named<T>({ column: name, chunk }: Part, work: () => T): T {
	try {
		return work();
	} catch (error) {
		throw new Error(`column ${name} of chunk ${chunk}: ${error instanceof Error ? error.message : error}`);
	}
}

/** Returns the array as a type that values() accepts. */
const signed = (array: Float64Array | Int32Array | Uint32Array): any => (array instanceof Uint32Array ? new Int32Array(array.buffer, array.byteOffset, array.length) : array);

/** Decodes a column of a chunk, except starts. @param into the column's part of its final array */
function decode({ part: { column: name, count, wide }, bytes }: Waiting, into?: Float64Array | Int32Array | Uint32Array) {
	const out = into && signed(into);
	return name === 'pid' || name === 'rpc' ? differences(bytes, count, wide, out) : values(bytes, count, wide, name === 'cpu', out);
}

/** Stores a data element that has arrived; decodes it if it is early. */
function place(part: Part, bytes: Uint8Array) {
	const { column: name, chunk, count } = part;
	const waiting = { part, bytes };
	if (name === 'gap' || name === 'pid') arrived += count;
	const early = arrived <= EARLY_SPANS;
	switch (name) {
	case 'names':
		dictionary(bytes, count, names);
		break;
	case 'gap':
		column('start').set(chunk, waiting);
		if (early) startsOf(chunk);
		break;
	case 'dur':
		if (early) {
			const durs = decode(waiting);
			column('dur').set(chunk, durs instanceof Float64Array ? durs : new Uint32Array(durs.buffer));
			startsOf(chunk);
			break;
		}
		column('dur').set(chunk, waiting);
		break;
	case 'name':
	case 'cpu':
	case 'pid':
	case 'rpc':
		column(name).set(chunk, early ? decode(waiting) : waiting);
		break;
	case 'arg':
	case 'ret':
	case 'ipc':
		column(name).set(chunk, packed(bytes, count));
		break;
	default:
		throw new Error('unknown column');
	}
}

/** Decodes the starts of a chunk if both of its time columns have arrived. */
function startsOf(chunk: number) {
	const gaps = column('start').get(chunk);
	const dur = column('dur').get(chunk);
	if (!gaps?.bytes || !dur || dur.bytes) return;
	const { bytes, part: { count, track } } = gaps as Waiting;
	if (dur.length !== count) throw new Error('the number of its starts differs from the number of its durations');
	const { start, sorted: inOrder } = starts(bytes, count, track === 'other' ? null : dur);
	if (!inOrder) sorted = false;
	column('start').set(chunk, start);
}

/** Combines the chunks of a column into out. @param before number of spans before the first span of out */
function gather<T extends Float64Array | Int32Array | Uint32Array>(name: string, out: T, before = 0): T {
	for (const [chunk, array] of column(name)) {
		const { offset, count } = plan.chunks[chunk] ?? { offset: 0, count: -1 };
		const from = offset - before;
		if ((array.part ? array.part.count : array.length) !== count) throw new Error(`column ${name} of chunk ${chunk}: its number of values is not the number of its spans`);
		if (array.part) named(array.part, () => decode(array, out.subarray(from, from + count)));
		else out.set(array, from);
		column(name).delete(chunk);
	}
	return out;
}

/** Calls visit for each chunk of a column of 32 bits, with the chunk's numbers and the position of its first span. */
function eachChunk(name: string, visit: (numbers: Int32Array | Float64Array, offset: number) => void) {
	let room = new Int32Array(0);
	plan.chunks.forEach(({ offset, count }, chunk) => {
		const known = column(name).get(chunk);
		column(name).delete(chunk);
		if (known && (known.part ? known.part.count : known.length) !== count) throw new Error(`column ${name} of chunk ${chunk}: its number of values is not the number of its spans`);
		if (known && !known.part) {
			visit(known, offset);
			return;
		}
		if (room.length < count) room = new Int32Array(count);
		const numbers = room.subarray(0, count);
		// the page leaves out a column that is all 0
		if (known) named(known.part, () => decode(known, numbers));
		else numbers.fill(0);
		visit(numbers, offset);
	});
}

/** Returns whether all numbers, which may be negative, fit 16 bits. */
function fit16(numbers: Int32Array | Float64Array) {
	let other = 0;
	for (let i = 0; i < numbers.length; i++) other |= numbers[i] ^ ((numbers[i] << 16) >> 16);
	return other === 0;
}

/** Returns a column in the narrowest type that fits. @param from first stored span; earlier spans have the value 0 */
function numbers(name: string, from = 0): Float64Array | Int32Array | Int16Array {
	if (plan.wide[name]) return gather(name, new Float64Array(plan.spans - from), from);
	let out: Int32Array | Int16Array = new Int16Array(plan.spans - from);
	eachChunk(name, (chunk, offset) => {
		if (offset < from) return;
		if (out instanceof Int16Array && !fit16(chunk)) out = new Int32Array(out);
		out.set(chunk, offset - from);
	});
	return out;
}

/** Returns the number of the first span for which the page stores this column: 0, or the first span on no CPU. */
const beginOf = (name: string) => ([...column(name).keys()].every((chunk) => plan.chunks[chunk]?.offset >= plan.otherOffset) ? plan.otherOffset : 0);

function finishTimes(): Pick<Times, 'start' | 'dur'> {
	const dur = gather('dur', plan.wide.dur ? new Float64Array(plan.spans) : new Uint32Array(plan.spans));
	const start = new Float64Array(plan.spans);
	plan.chunks.forEach(({ offset, count, track }, chunk) => {
		const known = column('start').get(chunk);
		column('start').delete(chunk);
		const place = start.subarray(offset, offset + count);
		if (known instanceof Float64Array) {
			place.set(known);
		} else {
			if (known && known.part.count !== count) throw new Error(`column gap of chunk ${chunk}: its number of values is not the number of its spans`);
			// the page leaves out a column that is all 0
			const bytes = known?.bytes ?? new Uint8Array(count);
			const durs = plan.tracks[track].cpu < 0 ? null : dur.subarray(offset, offset + count);
			const made = named(known?.part ?? { column: 'gap', chunk }, () => starts(bytes, count, durs, place));
			if (!made.sorted) sorted = false;
		}
		if (offset > plan.tracks[track].lo && start[offset] < start[offset - 1]) sorted = false;
	});
	return { start, dur };
}

/** Writes the dictionary entries of a chunk and their kinds into the arrays. @param kinds kinds of the dictionary */
function enter(entries: ArrayLike<number>, kinds: Uint8Array, name: Uint16Array | Uint32Array, kind: Uint8Array, offset: number) {
	const n = kinds.length;
	for (let i = 0; i < entries.length; i++) {
		const entry = entries[i] >>> 0;
		if (entry >= n) throw new Error('a span has a name that the file does not contain');
		name[offset + i] = entry;
		kind[offset + i] = kinds[entry];
	}
}

/** Returns the dictionary of names and, for each span, its dictionary entry and its kind. */
function finishKinds(): Names {
	const { events, texts, inKernel } = names;
	const kinds = Uint8Array.from(texts, (text, i) => kindOf(events[i], text, inKernel[i]));
	const name = texts.length <= 65536 ? new Uint16Array(plan.spans) : new Uint32Array(plan.spans);
	const kind = new Uint8Array(plan.spans);
	eachChunk('name', (entries, offset) => enter(entries, kinds, name, kind, offset));
	return { name, kind, ...names };
}

const stillPacked = (name: string): PackedChunk[] => [...column(name)].map(([chunk, c]) => ({ ...c, offset: plan.chunks[chunk].offset }));

function finishRest(): Omit<Rest, 'byKind'> {
	const rpcFrom = beginOf('rpc');
	const rpc = plan.has.rpc ? numbers('rpc', rpcFrom) : null;
	let hasRpc = false;
	if (rpc) for (let i = 0; i < rpc.length && !hasRpc; i++) hasRpc = rpc[i] > 0;
	return {
		pid: numbers('pid'), rpc, rpcFrom, hasRpc,
		arg: stillPacked('arg'),
		ret: stillPacked('ret'),
		ipc: stillPacked('ipc'),
		order: null,
		cpu: gather('cpu', new Int32Array(plan.others), plan.otherOffset),
	};
}

function othersByKind(kind: Uint8Array): Uint32Array[] {
	const others = plan.tracks.find((t) => t.cpu < 0);
	return splitByKind(kind, others ? others.lo : 0, others ? others.hi : 0);
}

/** Makes the tables of the CPUs' tracks. @param elsewhere tracks for which the other worker makes them */
function finishTables({ start, dur, kind }: Pick<Arrays, 'start' | 'dur' | 'kind'>, elsewhere?: Map<number, any>) {
	const tables: Tables[] = [];
	if (sorted)
		plan.tracks.forEach(({ cpu, lo, hi }, i) => {
			if (cpu >= 0 && !elsewhere?.has(i)) tables[i] = makeTables(start, dur, kind, lo, hi - lo, null);
		});
	return tables;
}

/** Returns the times of the spans for which the other worker makes tables, by track. These tracks have about half of the spans. */
function shared({ start, dur }: Pick<Times, 'start' | 'dur'>): Map<number, {start: Float64Array, dur: Float64Array | Uint32Array}> {
	const share = new Map();
	if (!sorted) return share;
	const tracks = plan.tracks.map(({ cpu, lo, hi }, i) => ({ cpu, lo, hi, i })).filter((t) => t.cpu >= 0);
	let left = tracks.reduce((sum, { lo, hi }) => sum + hi - lo, 0) * OTHERS_SHARE;
	for (const { lo, hi, i } of tracks.sort((a, b) => b.hi - b.lo - (a.hi - a.lo))) {
		if (hi - lo > left) continue;
		left -= hi - lo;
		share.set(i, { start: start.slice(lo, hi), dur: dur.slice(lo, hi) });
	}
	return share;
}

/** Adds all buffers inside value to into. */
function buffers(value: unknown, into: ArrayBuffer[]) {
	if (ArrayBuffer.isView(value)) into.push(value.buffer as ArrayBuffer);
	else if (value instanceof Map) for (const v of value.values()) buffers(v, into);
	else if (value && typeof value === 'object' && !(Array.isArray(value) && typeof value[0] !== 'object')) for (const v of Object.values(value)) buffers(v, into);
	return into;
}
/** Sends a message to the page without copying its arrays. */
const give = (message: object) => postMessage(message, { transfer: [...new Set(buffers(message, []))] });

type Copies = Source & {pid: Pids};
/** Joins the calls of the sorted processes. @param renamed spans of threads with reused pids; null: none */
let joinCalls: (renamed: Renamed | null) => void = () => {};

/** Sorts the processes' rows. Works on copies, because the page has the arrays. */
function sortProcesses({ waitIds, ...source }: Copies & {waitIds: Uint32Array}) {
	const { start, dur, kind, pid, tracks } = source;
	const groups = processGroups(start, kind, pid, tracks, waitIds);
	const tables = new Map([...groups.spans].map(([id, { index, lo, hi }]) =>
		[id, makeTables(start, dur, kind, lo, hi - lo, index)]));
	// the page gets the rows, and draws them while the calls are joined
	const spans = new Map([...groups.spans].map(([id, { lo, hi }]) => [id, { index: new Uint32Array(0), lo, hi }]));
	const index = [...groups.spans.values()][0]?.index.slice() ?? new Uint32Array(0);
	for (const group of spans.values()) group.index = index;
	give({ processes: { groups, tables } });
	joinCalls = (renamed) => {
		const before = source.pid;
		if (renamed) {
			const reused = new Set(Array.from(renamed.spans, (g) => before[g]));
			source.pid = rename(before, renamed);
			regroup(spans, source.pid, reused);
		}
		give({ calls: joinWhole(source, spans) });
	};
}

/** Returns a function that waits for the next message of a port. */
function mail(port: MessagePort): () => Promise<any> {
	const arrived: any[] = [];
	let wake = () => {};
	port.onmessage = ({ data }) => {
		arrived.push(data);
		wake();
	};
	return async () => {
		if (!arrived.length) await new Promise((resolve) => (wake = () => resolve(null)));
		return arrived.shift();
	};
}

/** Handles one message of the page: a data element, the copies for sorting, or the plan. */
async function handle({ data }: MessageEvent<any>) {
	if (data.part) {
		const part = data.part as Part;
		const bytes = await unpack(data.text, part.bytes).catch((error) => named(part, () => {
			throw error;
		}));
		named(part, () => place(part, bytes));
		postMessage({ progress: part.bytes });
		return;
	}
	if (data.processes) {
		sortProcesses({ ...data.processes, tracks: plan.tracks });
		return;
	}
	if ('join' in data) {
		joinCalls(data.join);
		return;
	}
	plan = data.plan;
	if (data.finish === 'both') {
		const times = finishTimes();
		const kinds = finishKinds();
		give({ arrays: { ...times, ...kinds, sorted, tables: finishTables({ ...times, ...kinds }), ...finishRest(), byKind: othersByKind(kinds.kind) } });
	} else if (data.finish === 'rest') {
		const next = mail(data.port);
		const kinds = finishKinds();
		const { kind } = kinds;
		const message = { kind: kind.slice() };
		data.port.postMessage(message, buffers(message, []));
		const rest = finishRest();
		const byKind = othersByKind(kind);
		const othersTables: Rest['othersTables'] = new Map();
		for (const [i, { start, dur }] of (await next()).share) {
			const { lo, hi } = plan.tracks[i];
			othersTables.set(i, makeTables(start, dur, kind.subarray(lo, hi), 0, hi - lo, null, lo));
		}
		give({ arrays: { ...kinds, ...rest, byKind, othersTables } });
	} else {
		const next = mail(data.port);
		const times = finishTimes();
		const message = { share: shared(times) };
		data.port.postMessage(message, buffers(message, []));
		const { kind } = await next();
		give({ arrays: { ...times, sorted, tables: finishTables({ ...times, kind }, message.share) } });
	}
}

let queue = Promise.resolve();

addEventListener('message', (event) => {
	queue = queue.then(() => handle(event)).catch((error) => {
		postMessage({ error: error instanceof Error ? error.message : String(error) });
	});
});

warm();
