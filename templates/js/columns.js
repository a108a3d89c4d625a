// SPDX-License-Identifier: BSD-3-Clause
/**
 * Columns of the page's data: base64 -> zlib -> varints -> typed arrays. Runs in
 * the worker. Trusts nothing: lengths are checked, and zlib's checksum by the
 * browser; whatever is wrong throws an Error that names the column.
 */

/** @typedef {Float64Array | Int32Array | Uint32Array} Column wide ones are Float64Array */

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
 * @param {number} offset
 * @param {boolean} zigzag
 */
function narrowInto(bytes, count, out, offset, zigzag) {
	const end = bytes.length;
	let at = 0;
	for (let i = offset; i < offset + count; i++) {
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

/** @param {Int32Array | Uint32Array} array */
const signed = (array) => new Int32Array(array.buffer, array.byteOffset, array.length);

/**
 * Values as they are (dur, name), or zigzagged (cpu).
 * @param {Uint8Array} bytes
 * @param {number} count
 * @param {Column} out
 * @param {number} offset first element of out to fill
 * @param {boolean} zigzag
 */
export function values(bytes, count, out, offset, zigzag) {
	if (!(out instanceof Float64Array)) {
		narrowInto(bytes, count, signed(out), offset, zigzag);
		return;
	}
	eachVarint(bytes, count, (v, i) => {
		out[offset + i] = zigzag ? unzigzag(v) : v;
	});
}

/**
 * Zigzagged differences from the element before (pid, rpc).
 * @param {Uint8Array} bytes
 * @param {number} count
 * @param {Column} out
 * @param {number} offset
 */
export function differences(bytes, count, out, offset) {
	let last = 0;
	if (out instanceof Float64Array) {
		eachVarint(bytes, count, (v, i) => {
			last += unzigzag(v);
			out[offset + i] = last;
		});
		return;
	}
	const ints = signed(out);
	narrowInto(bytes, count, ints, offset, true);
	for (let i = offset; i < offset + count; i++) {
		last += ints[i];
		ints[i] = last;
	}
}

/**
 * Starts from gaps, most of which are 0: z(start - end of the one before), or, when
 * dur is null, of its start. Returns whether they are in order.
 * @param {Uint8Array} bytes
 * @param {number} count
 * @param {Float64Array} start
 * @param {number} offset
 * @param {Float64Array | Uint32Array | null} dur filled already
 */
export function starts(bytes, count, start, offset, dur) {
	let sorted = true;
	let time = 0;
	let last = -Infinity;
	let at = 0;
	for (let i = offset; i < offset + count; i++) {
		const byte = bytes[at++];
		if (byte & 0x80) {
			time += unzigzag(long(bytes, at));
			at = behind;
		} else if (byte) {
			time += unzigzag(byte);
		}
		if (time < last) sorted = false;
		start[i] = last = time;
		if (dur) time += dur[i];
	}
	if (at !== bytes.length) throw new Error('broken numbers');
	return sorted;
}

/** Numbers of a packed column between two whose places are known. */
const KNOWN_EVERY = 128;
const KNOWN_BITS = 7;

/** Zigzagged numbers as they came. @typedef {{offset: number, count: number, bytes: Uint8Array, places: Uint32Array}} PackedChunk */

/**
 * A chunk of a column that is looked at here and there, and stays packed: a sixth
 * of the memory, and no time. Its numbers are counted, so that a broken one is
 * found now.
 * @param {Uint8Array} bytes
 * @param {number} count
 * @param {number} offset number of its first span
 * @returns {PackedChunk}
 */
export function packed(bytes, count, offset) {
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
	return { offset, count, bytes, places };
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

/**
 * Dictionary entries: z(event), length, UTF-8.
 * @param {Uint8Array} bytes
 * @param {number} count
 * @param {{events: number[], texts: string[]}} into
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
		into.events.push(unzigzag(number()));
		const length = number();
		if (length > bytes.length - at) throw new Error('broken name');
		into.texts.push(decoder.decode(bytes.subarray(at, at + length)));
		at += length;
	}
	if (at !== bytes.length) throw new Error('broken names');
}
