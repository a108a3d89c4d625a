// SPDX-License-Identifier: BSD-3-Clause
/**
 * A worker: takes packed columns one after the other and, before the last of them,
 * the plan of the data, and hands them back as typed arrays. Started by load.js from a Blob, alone or
 * in a pair that shares the columns; never touches the page.
 *
 * @typedef {object} Part one data element of the page
 * @property {string} column
 * @property {number} chunk
 * @property {number} count spans
 * @property {number} bytes inflated
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
 * @property {import('./lod.js').Tables[]} tables of the tracks of CPUs, when sorted
 *
 * @typedef {object} Rest what comes of the other columns
 * @property {Uint32Array} name dictionary entry
 * @property {Uint8Array} kind of each span
 * @property {Float64Array | Int32Array} pid
 * @property {Float64Array | Int32Array | null} rpc
 * @property {import('./columns.js').PackedChunk[]} arg these three stay packed
 * @property {import('./columns.js').PackedChunk[]} ret
 * @property {import('./columns.js').PackedChunk[]} ipc
 * @property {Uint32Array | null} order of a file that was not sorted: the number that each span had in it
 * @property {Int32Array} cpu of the spans of "other"
 * @property {Uint32Array[] | null} byKind the spans of "other" by kind; null once they have been sorted again
 * @property {boolean} hasRpc does any span have an RPC id?
 * @property {number[]} events of the dictionary
 * @property {string[]} texts of the dictionary
 *
 * @typedef {Times & Rest} Arrays
 */
import { dictionary, differences, packed, starts, unpack, values } from './columns.js';
import { processGroups, splitByKind } from './group.js';
import { Kind, kindOf } from './kinds.js';
import { makeTables } from './lod.js';

/** Comes when the whole page has been read; parts that come before it are only unpacked. @type {Plan} */
let plan;
/** @type {[Part, Uint8Array][]} */
let unpacked = [];
/** @type {Times | null} */
let times = null;
/** @type {Rest | null} */
let rest = null;
/** Gap columns wait for the durations of their chunk. @type {Map<number, Uint8Array>} */
const gaps = new Map();

/** @param {string} c */
const numbers = (c) => (plan.wide[c] ? new Float64Array(plan.spans) : new Int32Array(plan.spans));

const forTimes = () => (times ??= {
	start: new Float64Array(plan.spans),
	dur: plan.wide.dur ? new Float64Array(plan.spans) : new Uint32Array(plan.spans),
	sorted: true,
	tables: [],
});

const forRest = () => (rest ??= {
	name: new Uint32Array(plan.spans),
	kind: new Uint8Array(plan.spans),
	pid: numbers('pid'),
	rpc: plan.has.rpc ? numbers('rpc') : null,
	arg: [],
	ret: [],
	ipc: [],
	order: null,
	cpu: new Int32Array(plan.others),
	byKind: null,
	hasRpc: false,
	events: [],
	texts: [],
});

/**
 * @param {Part} part
 * @param {Uint8Array} bytes
 */
function place({ column, count, chunk }, bytes) {
	if (column === 'names') {
		dictionary(bytes, count, forRest());
		return;
	}
	const { offset } = plan.chunks[chunk];
	switch (column) {
	case 'gap':
		gaps.set(chunk, bytes);
		break;
	case 'dur':
		values(bytes, count, forTimes().dur, offset, false);
		break;
	case 'name':
		values(bytes, count, forRest().name, offset, false);
		break;
	case 'pid':
	case 'rpc':
		differences(bytes, count, /** @type {Int32Array} */ (forRest()[column]), offset);
		break;
	case 'arg':
	case 'ret':
	case 'ipc':
		forRest()[column].push(packed(bytes, count, offset));
		break;
	case 'cpu':
		values(bytes, count, forRest().cpu, offset - plan.otherOffset, true);
		break;
	default:
		throw new Error('unknown column');
	}
}

/** Starts, once all durations are there. */
function finishTimes() {
	const { start, dur } = forTimes();
	for (const [chunk, bytes] of gaps) {
		const { offset, count, track } = plan.chunks[chunk];
		const exec = plan.tracks[track].cpu >= 0;
		if (!starts(bytes, count, start, offset, exec ? dur : null)) forTimes().sorted = false;
	}
	gaps.clear();
	for (let i = 1; i < plan.chunks.length; i++) {
		const { offset, track } = plan.chunks[i] ?? { offset: 0, track: -1 };
		if (track >= 0 && offset > plan.tracks[track].lo && start[offset] < start[offset - 1])
			forTimes().sorted = false;
	}
}

/** Kinds, once all names are there. */
function finishRest() {
	const { name, kind, events, texts } = forRest();
	const kinds = Uint8Array.from(texts, (text, i) => kindOf(events[i], text));
	const n = kinds.length;
	for (let i = 0; i < name.length; i++) {
		const entry = name[i];
		if (entry >= n) throw new Error('a span has a name that is not there');
		kind[i] = kinds[entry];
	}
	const { rpc } = forRest();
	forRest().hasRpc = rpc !== null && rpc.some((/** @type {number} */ id) => id > 0);
	const others = plan.tracks.find((t) => t.cpu < 0);
	forRest().byKind = splitByKind(kind, others ? others.lo : 0, others ? others.hi : 0);
}

/** Tables of the CPUs' rows, once times and kinds are there. @param {Uint8Array} kind */
function finishTables(kind) {
	const { start, dur, sorted, tables } = forTimes();
	if (sorted)
		plan.tracks.forEach(({ cpu, lo, hi }, i) => {
			if (cpu >= 0) tables[i] = makeTables(start, dur, kind, lo, hi - lo, null);
		});
}

/** @param {unknown} value @param {ArrayBuffer[]} into all buffers inside of value */
function buffers(value, into) {
	if (ArrayBuffer.isView(value)) into.push(/** @type {ArrayBuffer} */ (value.buffer));
	else if (value instanceof Map) for (const v of value.values()) buffers(v, into);
	else if (value && typeof value === 'object' && !(Array.isArray(value) && typeof value[0] !== 'object')) for (const v of Object.values(value)) buffers(v, into);
	return into;
}
/** To the page, without copying. @param {object} message */
const give = (message) => postMessage(message, { transfer: [...new Set(buffers(message, []))] });

/**
 * The processes' rows: comes behind the arrays, which the page has by then; so
 * this works on copies.
 * @param {Float64Array} start
 * @param {Float64Array | Uint32Array} dur
 * @param {Uint8Array} kind
 * @param {Int32Array | Float64Array} pid
 * @param {Uint32Array} waitIds
 */
function processes(start, dur, kind, pid, waitIds) {
	const groups = processGroups(start, kind, pid, plan.tracks, waitIds);
	const tables = new Map([...groups.spans].map(([id, { index, lo, hi }]) =>
		[id, makeTables(start, dur, kind, lo, hi - lo, index)]));
	give({ processes: { groups, tables } });
}

/** Whatever goes wrong with a part is told with its name. @param {Part} part @param {() => Promise<void> | void} work */
async function named(part, work) {
	try {
		await work();
	} catch (error) {
		throw new Error(`column ${part.column} of chunk ${part.chunk}: ` +
			(error instanceof Error ? error.message : error));
	}
}

let queue = Promise.resolve();

/** @param {MessageEvent<any>} event */
async function handle({ data }) {
	if (data.plan) {
		plan = data.plan;
		for (const [part, bytes] of unpacked) await named(part, () => place(part, bytes));
		unpacked = [];
	} else if (data.part) {
		const part = /** @type {Part} */ (data.part);
		await named(part, async () => {
			const bytes = await unpack(data.text, part.bytes);
			if (plan) place(part, bytes);
			else unpacked.push([part, bytes]);
		});
		postMessage({ progress: part.bytes });
	} else if (data.finish === 'both') {
		finishTimes();
		finishRest();
		finishTables(forRest().kind);
		give({ arrays: { ...times, ...rest } });
	} else if (data.finish === 'rest') {
		finishRest();
		const { kind, pid, byKind } = forRest();
		const message = { kind: kind.slice(), pid: pid.slice(), waitIds: byKind?.[Kind.WAIT].slice() };
		data.port.postMessage(message, buffers(message, []));
		give({ arrays: rest });
	} else {
		// the other worker sends the kinds when it has them; until then there is time for copies
		const other = new Promise((resolve) => (data.port.onmessage = (/** @type {MessageEvent} */ e) => resolve(e.data)));
		finishTimes();
		const { start, dur, sorted } = forTimes();
		const copies = sorted ? { start: start.slice(), dur: dur.slice() } : null;
		const { kind, pid, waitIds } = await other;
		finishTables(kind);
		give({ arrays: times });
		if (copies) processes(copies.start, copies.dur, kind, pid, waitIds);
	}
}

addEventListener('message', (event) => {
	queue = queue.then(() => handle(event)).catch((error) => {
		postMessage({ error: error instanceof Error ? error.message : String(error) });
	});
});
