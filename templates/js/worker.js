// SPDX-License-Identifier: BSD-3-Clause
/**
 * The worker: takes the plan of the data, then one packed column after the
 * other, and hands back the whole trace as typed arrays. Started by load.js from
 * a Blob; never touches the page.
 *
 * @typedef {object} Part one data element of the page
 * @property {string} column
 * @property {number} chunk
 * @property {number} count spans
 * @property {number} bytes inflated
 * @property {boolean} wide
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
 * @property {Record<string, boolean>} wide
 * @property {{cpu: number, lo: number, hi: number}[]} tracks cpu -1: other
 *
 * @typedef {object} Arrays
 * @property {Float64Array} start units of 10 ns
 * @property {Float64Array | Uint32Array} dur units of 10 ns
 * @property {Uint32Array} name dictionary entry
 * @property {Float64Array | Int32Array} pid
 * @property {Float64Array | Int32Array | null} rpc
 * @property {Float64Array | Int32Array | null} arg
 * @property {Float64Array | Int32Array | null} ret
 * @property {Int32Array | null} ipc
 * @property {Int32Array} cpu of the spans of "other"
 * @property {number[]} events of the dictionary
 * @property {string[]} texts of the dictionary
 */
import { dictionary, differences, starts, unpack, values } from './columns.js';

/** @type {Plan} */
let plan;
/** @type {Arrays} */
let arrays;
/** Gap columns wait for the durations of their chunk. @type {Map<number, Uint8Array>} */
const gaps = new Map();
const names = { events: /** @type {number[]} */ ([]), texts: /** @type {string[]} */ ([]) };

/** @param {Plan} p */
function allocate(p) {
	const n = p.spans;
	/** @param {string} c */
	const numbers = (c) => (p.wide[c] ? new Float64Array(n) : new Int32Array(n));
	plan = p;
	arrays = {
		start: new Float64Array(n),
		dur: p.wide.dur ? new Float64Array(n) : new Uint32Array(n),
		name: new Uint32Array(n),
		pid: numbers('pid'),
		rpc: p.has.rpc ? numbers('rpc') : null,
		arg: p.has.arg ? numbers('arg') : null,
		ret: p.has.ret ? numbers('ret') : null,
		ipc: p.has.ipc ? new Int32Array(n) : null,
		cpu: new Int32Array(p.others),
		events: names.events,
		texts: names.texts,
	};
}

/**
 * @param {Part} part
 * @param {Uint8Array} bytes
 */
function place(part, bytes) {
	const { column, count, wide } = part;
	if (column === 'names') {
		dictionary(bytes, count, names);
		return;
	}
	const { offset } = plan.chunks[part.chunk];
	switch (column) {
	case 'gap':
		gaps.set(part.chunk, bytes);
		break;
	case 'dur':
		values(bytes, count, arrays.dur, offset, { zigzag: false, wide });
		break;
	case 'name':
		values(bytes, count, arrays.name, offset, { zigzag: false, wide: false });
		break;
	case 'pid':
	case 'rpc':
		differences(bytes, count, /** @type {Int32Array} */ (arrays[column]), offset, wide);
		break;
	case 'arg':
	case 'ret':
	case 'ipc':
		values(bytes, count, /** @type {Int32Array} */ (arrays[column]), offset, { zigzag: true, wide });
		break;
	case 'cpu':
		values(bytes, count, arrays.cpu, offset - plan.otherOffset, { zigzag: true, wide: false });
		break;
	default:
		throw new Error('unknown column');
	}
}

/** A gap column needs the durations, which may come later or be left out. */
function placeStarts() {
	for (const [chunk, bytes] of gaps) {
		const { offset, count, track } = plan.chunks[chunk];
		const exec = plan.tracks[track].cpu >= 0;
		starts(bytes, count, arrays.start, offset, exec ? arrays.dur : null);
	}
	gaps.clear();
}

/**
 * What is drawn and searched relies on time order and on names that exist.
 * Rows out of order (an unsorted file) are sorted here, stably.
 */
function check() {
	const { start, name } = arrays;
	for (let i = 0; i < name.length; i++)
		if (name[i] >= names.texts.length) throw new Error('a span names what is not there');
	for (const { cpu, lo, hi } of plan.tracks) {
		let sorted = true;
		for (let i = lo + 1; i < hi && sorted; i++) sorted = start[i - 1] <= start[i];
		if (sorted) continue;
		const order = new Uint32Array(hi - lo);
		for (let i = 0; i < order.length; i++) order[i] = lo + i;
		order.sort((a, b) => start[a] - start[b] || a - b);
		for (const column of /** @type {const} */ (['start', 'dur', 'name', 'pid', 'rpc', 'arg', 'ret', 'ipc'])) {
			const array = arrays[column];
			if (!array) continue;
			const copy = array.slice(lo, hi);
			for (let i = 0; i < order.length; i++) array[lo + i] = copy[order[i] - lo];
		}
		if (cpu < 0) {
			const copy = arrays.cpu.slice();
			for (let i = 0; i < order.length; i++) arrays.cpu[i] = copy[order[i] - lo];
		}
	}
}

let queue = Promise.resolve();

/** @param {MessageEvent<any>} event */
async function handle({ data }) {
	if (data.plan) {
		allocate(data.plan);
	} else if (data.part) {
		const part = /** @type {Part} */ (data.part);
		try {
			place(part, await unpack(data.text, part.bytes));
		} catch (error) {
			throw new Error(`column ${part.column} of chunk ${part.chunk}: ` +
				(error instanceof Error ? error.message : error));
		}
		postMessage({ progress: part.bytes });
	} else {
		placeStarts();
		check();
		const transfer = Object.values(arrays)
			.filter((a) => ArrayBuffer.isView(a)).map((a) => a.buffer);
		postMessage({ arrays }, { transfer });
	}
}

addEventListener('message', (event) => {
	queue = queue.then(() => handle(event)).catch((error) => {
		postMessage({ error: error instanceof Error ? error.message : String(error) });
	});
});
