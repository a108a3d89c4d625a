// SPDX-License-Identifier: BSD-3-Clause
/**
 * Columns of the file: base64, zlib, varints, typed arrays; some stay packed and are read span by span.
 * Never trusts a length: what is wrong throws an Error, to which worker.js adds the column's name.
 * Imported by worker.js, warm.js, overview.js and, for packed columns, trace.js.
 */

/** @param {string} text */
function fromBase64(text) {
	const native = /** @type {any} */ (Uint8Array).fromBase64;
	if (native) return /** @type {Uint8Array} */ (native.call(Uint8Array, text));
	const binary = atob(text);
	const bytes = new Uint8Array(binary.length);
	for (let i = 0; i < binary.length; i++) bytes[i] = binary.charCodeAt(i);
	return bytes;
}

/**
 * @param {string} text base64 of a zlib stream
 * @param {number} length bytes it must inflate to
 * @returns {Promise<Uint8Array>}
 */
export async function unpack(text, length) {
	const packed = fromBase64(text);
	// written in directly: a Blob's stream would go by way of another process
	const stream = new DecompressionStream('deflate');
	const writer = stream.writable.getWriter();
	// what is wrong with the data is thrown by read()
	writer.write(/** @type {BufferSource} */ (packed)).catch(() => {});
	writer.close().catch(() => {});
	const reader = stream.readable.getReader();
	const bytes = new Uint8Array(length);
	let used = 0;
	for (;;) {
		const { done, value } = await reader.read();
		if (done) break;
		if (used + value.length > length) throw new Error('more bytes than announced');
		bytes.set(value, used);
		used += value.length;
	}
	if (used !== length) throw new Error(`${used} bytes instead of ${length}`);
	return bytes;
}

/** Where the number ends that long() has read. */
let behind = 0;

/**
 * A number of several bytes, up to 2^53, whose first byte is the one before at.
 * @param {Uint8Array} bytes
 * @param {number} at
 */
function long(bytes, at) {
	let byte = bytes[at - 1];
	let value = byte & 0x7f;
	for (let scale = 128; byte & 0x80; scale *= 128) {
		if (at >= bytes.length || scale > 2 ** 56) throw new Error('broken number');
		byte = bytes[at++];
		value += (byte & 0x7f) * scale;
	}
	behind = at;
	return value;
}

/**
 * Reads count varints and hands each, as a number of up to 2^53, to put.
 * @param {Uint8Array} bytes
 * @param {number} count
 * @param {(value: number, i: number) => void} put
 */
function eachVarint(bytes, count, put) {
	behind = 0;
	for (let i = 0; i < count; i++) put(long(bytes, behind + 1), i);
	if (behind !== bytes.length) throw new Error('broken numbers');
}

/** @param {number} v */
const unzigzag = (v) => (v % 2 ? -(v + 1) / 2 : v / 2);

/**
 * Numbers that fit 32 bits: the loop that nearly all data goes through. Always
 * into an Int32Array, so that it is compiled for one type of array.
 * @param {Uint8Array} bytes
 * @param {number} count
 * @param {Int32Array} out
 * @param {boolean} zigzag
 */
function narrowInto(bytes, count, out, zigzag) {
	const end = bytes.length;
	let at = 0;
	for (let i = 0; i < count; i++) {
		let value = bytes[at++];
		if (value & 0x80) {
			let byte = value;
			value &= 0x7f;
			let shift = 7;
			do {
				if (at >= end || shift > 28) throw new Error('broken number');
				byte = bytes[at++];
				value |= (byte & 0x7f) << shift;
				shift += 7;
			} while (byte & 0x80);
		}
		out[i] = zigzag ? (value >>> 1) ^ -(value & 1) : value;
	}
	if (at !== end) throw new Error('broken numbers');
}

/**
 * A column of a chunk: into, or new. Room is made only for as many numbers as the bytes can hold.
 * @param {number} bytes
 * @param {number} count
 * @param {boolean} wide more than 32 bits
 * @param {Float64Array | Int32Array} [into]
 * @returns {Float64Array | Int32Array}
 */
function room(bytes, count, wide, into) {
	if (count > bytes) throw new Error('broken numbers');
	if (into) return into;
	return wide ? new Float64Array(count) : new Int32Array(count);
}

/**
 * Values as they are (dur, name), or zigzagged (cpu).
 * @param {Uint8Array} bytes
 * @param {number} count
 * @param {boolean} wide
 * @param {boolean} [zigzag]
 * @param {Float64Array | Int32Array} [into] of count elements; a wide one may take what is not
 * @returns {Float64Array | Int32Array} of count elements; 32 bits are to be read as unsigned, unless zigzagged
 */
export function values(bytes, count, wide, zigzag = false, into = undefined) {
	const out = room(bytes.length, count, wide, into);
	if (!(out instanceof Float64Array)) {
		narrowInto(bytes, count, out, zigzag);
		return out;
	}
	eachVarint(bytes, count, (v, i) => {
		out[i] = zigzag ? unzigzag(v) : v;
	});
	return out;
}

/**
 * Zigzagged differences from the element before (pid, rpc).
 * @param {Uint8Array} bytes
 * @param {number} count
 * @param {boolean} wide
 * @param {Float64Array | Int32Array} [into] as of values()
 * @returns {Float64Array | Int32Array} of count elements
 */
export function differences(bytes, count, wide, into) {
	const out = room(bytes.length, count, wide, into);
	let last = 0;
	if (out instanceof Float64Array) {
		eachVarint(bytes, count, (v, i) => {
			last += unzigzag(v);
			out[i] = last;
		});
		return out;
	}
	narrowInto(bytes, count, out, true);
	for (let i = 0; i < count; i++) {
		last = (last + out[i]) | 0;
		out[i] = last;
	}
	return out;
}

/**
 * Starts of spans that follow each other without a gap: small, so that it is compiled at once.
 * @param {Uint8Array} bytes
 * @param {number} at gap of the first of them
 * @param {Float64Array} start that of the first is there
 * @param {Float64Array | Uint32Array} dur
 * @param {number} i the first of them
 * @param {number} count
 * @returns {number} the first behind a gap, or count
 */
function abutting(bytes, at, start, dur, i, count) {
	let time = start[i];
	for (at++; ++i < count && bytes[at] === 0; at++) {
		time += dur[i - 1];
		start[i] = time;
	}
	return i;
}

/**
 * Starts from gaps, most of which are 0: z(start - end of the one before), or, when
 * dur is null, of its start.
 * @param {Uint8Array} bytes
 * @param {number} count
 * @param {Float64Array | Uint32Array | null} dur
 * @param {Float64Array} [into] of count elements
 * @returns {{start: Float64Array, sorted: boolean}} sorted: are they in order?
 */
export function starts(bytes, count, dur, into) {
	const start = /** @type {Float64Array} */ (room(bytes.length, count, true, into));
	let sorted = true;
	let time = 0;
	let at = 0;
	for (let i = 0; i < count;) {
		const byte = bytes[at++];
		// nearly all are of one to three bytes
		let value = byte & 0x7f;
		let next = byte;
		for (let shift = 7; next & 0x80 && shift < 28; shift += 7) {
			next = bytes[at++];
			value |= (next & 0x7f) << shift;
		}
		let gap = (value >>> 1) ^ -(value & 1);
		if (next & 0x80) {
			at -= 3;
			gap = unzigzag(long(bytes, at));
			at = behind;
		}
		time += gap;
		if (i > 0 && time < start[i - 1]) sorted = false;
		start[i] = time;
		if (dur === null) {
			i++;
			continue;
		}
		const from = i;
		i = abutting(bytes, at - 1, start, dur, i, count);
		at += i - from - 1;
		time = start[i - 1] + dur[i - 1];
	}
	if (at !== bytes.length) throw new Error('broken numbers');
	return { start, sorted };
}

/** Numbers of a packed column between two whose places are known. */
const KNOWN_EVERY = 128;
const KNOWN_BITS = 7;

/** Zigzagged numbers as they came; offset: number of the first span. @typedef {{offset: number, count: number, bytes: Uint8Array, places: Uint32Array}} PackedChunk */

/**
 * A chunk of a column that is looked at here and there, and stays packed: a sixth
 * of the memory, and no time. Its numbers are counted, so that a broken one is
 * found now.
 * @param {Uint8Array} bytes
 * @param {number} count
 * @returns {PackedChunk} its offset is still to be set
 */
export function packed(bytes, count) {
	if (count > bytes.length) throw new Error('broken numbers');
	const places = new Uint32Array(Math.ceil(count / KNOWN_EVERY));
	const end = bytes.length;
	let n = 0;
	let from = 0;
	for (let at = 0; at < end; at++) {
		if (bytes[at] & 0x80) continue;
		if (at - from > 8) throw new Error('broken number');
		if (!(n & (KNOWN_EVERY - 1))) places[n >>> KNOWN_BITS] = from;
		n++;
		from = at + 1;
	}
	if (n !== count || from !== end) throw new Error('broken numbers');
	return { offset: 0, count, bytes, places };
}

/** A column that stays packed; 0 where it has nothing. */
export class Packed {
	/**
	 * @param {PackedChunk[]} chunks
	 * @param {Uint32Array | null} order of a file that was not sorted: the number that each span had in it
	 */
	constructor(chunks, order) {
		this.order = order;
		/** Each with the place behind what was read last, so that going on from there is quick. */
		this.chunks = chunks.map((c) => ({ ...c, next: Infinity, place: 0 }));
		this.chunk = this.chunks[0];
	}

	/** @param {number} span */
	at(span) {
		const g = this.order ? this.order[span] : span;
		let { chunk } = this;
		if (!chunk || g < chunk.offset || g >= chunk.offset + chunk.count) {
			const other = this.chunks.find((c) => g >= c.offset && g < c.offset + c.count);
			if (!other) return 0;
			this.chunk = chunk = other;
		}
		const { bytes, next } = chunk;
		const i = g - chunk.offset;
		const known = i & -KNOWN_EVERY;
		const near = next <= i && next >= known;
		let at = near ? chunk.place : chunk.places[i >>> KNOWN_BITS];
		for (let n = near ? next : known; n < i; n++) while (bytes[at++] & 0x80);
		const value = long(bytes, at + 1);
		chunk.next = i + 1;
		chunk.place = behind;
		return unzigzag(value);
	}
}

/** Added to the event of an entry that is the own code of a kernel thread, as KP_DICTIONARY_IN_KERNEL in postprocess/page/dictionary.h. */
const IN_KERNEL = 2 ** 51;

/** inKernel: is it the own code of a kernel thread? @typedef {{events: number[], texts: string[], inKernel: boolean[]}} Dictionary */

/**
 * Dictionary entries: z(event), length, UTF-8.
 * @param {Uint8Array} bytes
 * @param {number} count
 * @param {Dictionary} into
 */
export function dictionary(bytes, count, into) {
	const decoder = new TextDecoder();
	let at = 0;
	const number = () => {
		let value = 0;
		for (let scale = 1; ; scale *= 128) {
			if (at >= bytes.length || scale > 2 ** 56) throw new Error('broken number');
			const byte = bytes[at++];
			value += (byte & 0x7f) * scale;
			if (byte < 128) return value;
		}
	};
	for (let i = 0; i < count; i++) {
		const event = unzigzag(number());
		into.inKernel.push(event > IN_KERNEL);
		into.events.push(event > IN_KERNEL ? event - IN_KERNEL : event);
		const length = number();
		if (length > bytes.length - at) throw new Error('broken name');
		into.texts.push(decoder.decode(bytes.subarray(at, at + length)));
		at += length;
	}
	if (at !== bytes.length) throw new Error('broken names');
}
