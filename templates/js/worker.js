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
 *
 * @typedef {object} Rest what comes of the other columns
 * @property {Uint32Array} name dictionary entry
 * @property {Uint8Array} kind of each span
 * @property {Float64Array | Int32Array} pid
 * @property {Float64Array | Int32Array | null} rpc
 * @property {Float64Array | Int32Array | null} arg
 * @property {Float64Array | Int32Array | null} ret
 * @property {Int32Array | null} ipc
 * @property {Int32Array} cpu of the spans of "other"
 * @property {number[]} events of the dictionary
 * @property {string[]} texts of the dictionary
 *
 * @typedef {Times & Rest} Arrays
 */
import { dictionary, differences, starts, unpack, values } from './columns.js';
import { kindOf } from './kinds.js';

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
});

const forRest = () => (rest ??= {
	name: new Uint32Array(plan.spans),
	kind: new Uint8Array(plan.spans),
	pid: numbers('pid'),
	rpc: plan.has.rpc ? numbers('rpc') : null,
	arg: plan.has.arg ? numbers('arg') : null,
	ret: plan.has.ret ? numbers('ret') : null,
	ipc: plan.has.ipc ? new Int32Array(plan.spans) : null,
	cpu: new Int32Array(plan.others),
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
		values(bytes, count, /** @type {Int32Array} */ (forRest()[column]), offset, true);
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
	} else {
		if (data.finish.includes('times')) finishTimes();
		if (data.finish.includes('rest')) finishRest();
		const arrays = { ...times, ...rest };
		postMessage({ arrays }, {
			transfer: Object.values(arrays).filter((a) => ArrayBuffer.isView(a)).map((a) => a.buffer),
		});
	}
}

addEventListener('message', (event) => {
	queue = queue.then(() => handle(event)).catch((error) => {
		postMessage({ error: error instanceof Error ? error.message : String(error) });
	});
});
