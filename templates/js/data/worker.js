// SPDX-License-Identifier: BSD-3-Clause
/**
 * A worker: unpacks columns as they come and, when the plan says what belongs where, puts them together.
 * Never touches the page, and is imported by nobody: load.js starts it from the page's text.
 * Works alone or in a pair that shares the columns; hands everything back as typed arrays.
 */
import { Kind, kindOf } from '../base/kinds.js';
import { makeTables } from './bins.js';
import { dictionary, differences, packed, starts, unpack, values } from './columns.js';
import { processGroups, splitByKind } from './group.js';
import { join } from './join.js';
import { warm } from './warm.js';

/** @typedef {import('./plan.js').Part} Part */
/** @typedef {import('./plan.js').Plan} Plan */
/** @typedef {import('./plan.js').First} First */
/** @typedef {import('./plan.js').Rest} Rest */

/** Comes when the whole page has been read. @type {Plan} */
let plan;
/**
 * Up to so many spans a column's chunks are decoded as they come, and copied together in the end;
 * those behind are decoded into their place when that is known: copies take time, too.
 */
const EARLY_SPANS = 2e6;
/** Spans of the chunks, by what has come of their first column. */
let come = 0;
/** What has come of each column, by chunk: numbers, or the part and its bytes. @type {Record<string, Map<number, any>>} */
const columns = {};
/** @param {string} name @returns {Map<number, any>} */
const column = (name) => (columns[name] ??= new Map());
/** Of the CPUs' spans, the part whose tables the second worker makes. */
const OTHERS_SHARE = 0.5;
/** Is each chunk that has come in order of start? */
let sorted = true;
/** @type {{events: number[], texts: string[]}} */
const names = { events: [], texts: [] };

/** @typedef {{part: Part, bytes: Uint8Array}} Waiting not decoded yet */

/** Whatever goes wrong with a part is told with its name. @template T @param {Part} part @param {() => T} work @returns {T} */
function named({ column: name, chunk }, work) {
	try {
		return work();
	} catch (error) {
		throw new Error(`column ${name} of chunk ${chunk}: ${error instanceof Error ? error.message : error}`);
	}
}

/** @param {Float64Array | Int32Array | Uint32Array} array as values() wants it @returns {any} */
const signed = (array) => (array instanceof Uint32Array ? new Int32Array(array.buffer, array.byteOffset, array.length) : array);

/**
 * Decodes a column of a chunk, not of starts.
 * @param {Waiting} waiting
 * @param {Float64Array | Int32Array | Uint32Array} [into] its place
 */
function decode({ part: { column: name, count, wide }, bytes }, into) {
	const out = into && signed(into);
	return name === 'pid' || name === 'rpc' ? differences(bytes, count, wide, out) : values(bytes, count, wide, name === 'cpu', out);
}

/**
 * @param {Part} part
 * @param {Uint8Array} bytes
 */
function place(part, bytes) {
	const { column: name, chunk, count } = part;
	const waiting = { part, bytes };
	if (name === 'gap' || name === 'pid') come += count;
	const early = come <= EARLY_SPANS;
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

/** Starts of a chunk, once it has both its columns. @param {number} chunk */
function startsOf(chunk) {
	const gaps = column('start').get(chunk);
	const dur = column('dur').get(chunk);
	if (!gaps?.bytes || !dur || dur.bytes) return;
	const { bytes, part: { count, track } } = /** @type {Waiting} */ (gaps);
	if (dur.length !== count) throw new Error('another count than the durations');
	const { start, sorted: inOrder } = starts(bytes, count, track === 'other' ? null : dur);
	if (!inOrder) sorted = false;
	column('start').set(chunk, start);
}

/**
 * The chunks of a column, put into one array.
 * @template {Float64Array | Int32Array | Uint32Array} T
 * @param {string} name
 * @param {T} out
 * @param {number} [before] elements of the trace that stand before out's first
 * @returns {T}
 */
function gather(name, out, before = 0) {
	for (const [chunk, array] of column(name)) {
		const { offset, count } = plan.chunks[chunk] ?? { offset: 0, count: -1 };
		const from = offset - before;
		if ((array.part ? array.part.count : array.length) !== count) throw new Error(`column ${name} of chunk ${chunk}: another count than planned`);
		if (array.part) named(array.part, () => decode(array, out.subarray(from, from + count)));
		else out.set(array, from);
		column(name).delete(chunk);
	}
	return out;
}

/** @param {string} c */
const numbers = (c) => gather(c, plan.wide[c] ? new Float64Array(plan.spans) : new Int32Array(plan.spans));

/** @returns {Pick<First, 'start' | 'dur'>} */
function finishTimes() {
	const dur = gather('dur', plan.wide.dur ? new Float64Array(plan.spans) : new Uint32Array(plan.spans));
	const start = new Float64Array(plan.spans);
	plan.chunks.forEach(({ offset, count, track }, chunk) => {
		const known = column('start').get(chunk);
		column('start').delete(chunk);
		const place = start.subarray(offset, offset + count);
		if (known instanceof Float64Array) {
			place.set(known);
		} else {
			if (known && known.part.count !== count) throw new Error(`column gap of chunk ${chunk}: another count than planned`);
			// a column that is all 0 is left out of the page
			const bytes = known?.bytes ?? new Uint8Array(count);
			const behind = plan.tracks[track].cpu < 0 ? null : dur.subarray(offset, offset + count);
			const made = named(known?.part ?? { column: 'gap', chunk }, () => starts(bytes, count, behind, place));
			if (!made.sorted) sorted = false;
		}
		if (offset > plan.tracks[track].lo && start[offset] < start[offset - 1]) sorted = false;
	});
	return { start, dur };
}

/** Names and kinds. */
function finishKinds() {
	const { events, texts } = names;
	const kinds = Uint8Array.from(texts, (text, i) => kindOf(events[i], text));
	const name = gather('name', new Uint32Array(plan.spans));
	const kind = new Uint8Array(plan.spans);
	const n = kinds.length;
	for (let i = 0; i < name.length; i++) {
		const entry = name[i];
		if (entry >= n) throw new Error('a span has a name that is not there');
		kind[i] = kinds[entry];
	}
	return { name, kind, ...names };
}

/** @param {string} name @returns {import('./columns.js').PackedChunk[]} */
const stillPacked = (name) => [...column(name)].map(([chunk, c]) => ({ ...c, offset: plan.chunks[chunk].offset }));

/** @returns {Omit<Rest, 'byKind'>} */
function finishRest() {
	const rpc = plan.has.rpc ? numbers('rpc') : null;
	let hasRpc = false;
	if (rpc) for (let i = 0; i < rpc.length && !hasRpc; i++) hasRpc = rpc[i] > 0;
	return {
		pid: numbers('pid'), rpc, hasRpc,
		arg: stillPacked('arg'),
		ret: stillPacked('ret'),
		ipc: stillPacked('ipc'),
		order: null,
		cpu: gather('cpu', new Int32Array(plan.others), plan.otherOffset),
	};
}

/** @param {Uint8Array} kind @returns {Uint32Array[]} spans of "other" */
function othersByKind(kind) {
	const others = plan.tracks.find((t) => t.cpu < 0);
	return splitByKind(kind, others ? others.lo : 0, others ? others.hi : 0);
}

/** @param {Pick<First, 'start' | 'dur' | 'kind'>} first @param {Map<number, any>} [elsewhere] tracks that the other worker does */
function finishTables({ start, dur, kind }, elsewhere) {
	/** @type {import('./bins.js').Tables[]} */
	const tables = [];
	if (sorted)
		plan.tracks.forEach(({ cpu, lo, hi }, i) => {
			if (cpu >= 0 && !elsewhere?.has(i)) tables[i] = makeTables(start, dur, kind, lo, hi - lo, null);
		});
	return tables;
}

/**
 * The times of tracks whose tables the other worker is to make: of about half the spans.
 * @param {Pick<First, 'start' | 'dur'>} times
 * @returns {Map<number, {start: Float64Array, dur: Float64Array | Uint32Array}>} by track
 */
function shared({ start, dur }) {
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

/** @param {unknown} value @param {ArrayBuffer[]} into all buffers inside of value */
function buffers(value, into) {
	if (ArrayBuffer.isView(value)) into.push(/** @type {ArrayBuffer} */ (value.buffer));
	else if (value instanceof Map) for (const v of value.values()) buffers(v, into);
	else if (value && typeof value === 'object' && !(Array.isArray(value) && typeof value[0] !== 'object')) for (const v of Object.values(value)) buffers(v, into);
	return into;
}
/** To the page, without copying. @param {object} message */
const give = (message) => postMessage(message, { transfer: [...new Set(buffers(message, []))] });

/** Made when the page has all else, and has drawn it. @type {() => void} */
let processes = () => {};

/**
 * The processes' rows, then their calls, of copies: the page has the arrays.
 * @param {Omit<import('./join.js').Source, 'tracks' | 'events' | 'texts'>} copies
 * @param {Uint32Array} waitIds
 */
function sortProcesses({ start, dur, kind, name, pid }, waitIds) {
	const groups = processGroups(start, kind, pid, plan.tracks, waitIds);
	const tables = new Map([...groups.spans].map(([id, { index, lo, hi }]) =>
		[id, makeTables(start, dur, kind, lo, hi - lo, index)]));
	// the rows go to the page, which draws them meanwhile
	const spans = new Map([...groups.spans].map(([id, { lo, hi }]) => [id, { index: new Uint32Array(0), lo, hi }]));
	const index = [...groups.spans.values()][0]?.index.slice() ?? new Uint32Array(0);
	for (const group of spans.values()) group.index = index;
	give({ processes: { groups, tables } });
	give({ calls: join({ start, dur, kind, name, pid, tracks: plan.tracks, ...names }, spans) });
}

/** A copy in no more room than the numbers need. @param {Uint32Array} name dictionary entries @returns {Uint16Array | Uint32Array} */
const copied = (name) => (names.texts.length <= 65536 ? Uint16Array.from(name) : name.slice());

/** What comes by a port. @param {MessagePort} port @returns {() => Promise<any>} */
function mail(port) {
	/** @type {any[]} */
	const come = [];
	let wake = () => {};
	port.onmessage = ({ data }) => {
		come.push(data);
		wake();
	};
	return async () => {
		if (!come.length) await new Promise((resolve) => (wake = () => resolve(null)));
		return come.shift();
	};
}

/** @param {MessageEvent<any>} event */
async function handle({ data }) {
	if (data.part) {
		const part = /** @type {Part} */ (data.part);
		const bytes = await unpack(data.text, part.bytes).catch((error) => named(part, () => {
			throw error;
		}));
		named(part, () => place(part, bytes));
		postMessage({ progress: part.bytes });
		return;
	}
	if (data.processes) {
		processes();
		return;
	}
	plan = data.plan;
	if (data.finish === 'both') {
		const first = { ...finishTimes(), ...finishKinds() };
		give({ arrays: { ...first, sorted, tables: finishTables(first), ...finishRest(), byKind: othersByKind(first.kind) } });
	} else if (data.finish === 'rest') {
		const next = mail(data.port);
		const rest = finishRest();
		const pid = rest.pid.slice();
		const { kind, share } = await next();
		const byKind = othersByKind(kind);
		const message = { pid, waitIds: byKind[Kind.WAIT].slice() };
		data.port.postMessage(message, buffers(message, []));
		/** @type {Rest['othersTables']} */
		const othersTables = new Map();
		for (const [i, { start, dur }] of share) {
			const { lo, hi } = plan.tracks[i];
			othersTables.set(i, makeTables(start, dur, kind.subarray(lo, hi), 0, hi - lo, null, lo));
		}
		give({ arrays: { ...rest, byKind, othersTables } });
	} else {
		const next = mail(data.port);
		const first = { ...finishTimes(), ...finishKinds() };
		const { start, dur, kind } = first;
		const message = { kind: kind.slice(), share: shared(first) };
		data.port.postMessage(message, buffers(message, []));
		const tables = finishTables(first, message.share);
		const copies = sorted ? { start: start.slice(), dur: dur.slice(), kind: kind.slice(), name: copied(first.name) } : null;
		give({ arrays: { ...first, sorted, tables } });
		if (!copies) return;
		const { pid, waitIds } = await next();
		processes = () => sortProcesses({ ...copies, pid }, waitIds);
	}
}

let queue = Promise.resolve();

addEventListener('message', (event) => {
	queue = queue.then(() => handle(event)).catch((error) => {
		postMessage({ error: error instanceof Error ? error.message : String(error) });
	});
});

warm();
