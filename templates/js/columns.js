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

/**
 * Reads count varints and hands each, as a number of up to 2^53, to put.
 * @param {Uint8Array} bytes
 * @param {number} count
 * @param {(value: number, i: number) => void} put
 */
function eachVarint(bytes, count, put) {
	let at = 0;
	const end = bytes.length;
	for (let i = 0; i < count; i++) {
		let byte = bytes[at++];
		let value = byte & 0x7f;
		for (let scale = 128; byte & 0x80; scale *= 128) {
			if (at >= end || scale > 2 ** 56) throw new Error('broken number');
			byte = bytes[at++];
			value += (byte & 0x7f) * scale;
		}
		put(value, i);
	}
	if (at !== end) throw new Error('broken numbers');
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
 * Values as they are (dur, name), or zigzagged (arg, ret, ipc, cpu).
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
 * Starts from gaps: z(start - end of the one before), or, when dur is null, of
 * its start. Returns whether they are in order.
 * @param {Uint8Array} bytes
 * @param {number} count
 * @param {Float64Array} start
 * @param {number} offset
 * @param {Float64Array | Uint32Array | null} dur filled already
 */
export function starts(bytes, count, start, offset, dur) {
	return dur instanceof Uint32Array ? startsBehind(bytes, count, start, offset, dur) :
		startsOf(bytes, count, start, offset, dur);
}

/** starts() of nearly all data; most gaps are 0. @param {Uint8Array} bytes @param {number} count @param {Float64Array} start @param {number} offset @param {Uint32Array} dur */
function startsBehind(bytes, count, start, offset, dur) {
	const end = bytes.length;
	let sorted = true;
	let time = 0;
	let at = 0;
	for (let i = offset; i < offset + count; i++) {
		let byte = bytes[at++];
		if (byte) {
			let value = byte & 0x7f;
			for (let scale = 128; byte & 0x80; scale *= 128) {
				if (at >= end || scale > 2 ** 56) throw new Error('broken number');
				byte = bytes[at++];
				value += (byte & 0x7f) * scale;
			}
			time += value % 2 ? -(value + 1) / 2 : value / 2;
			if (i > offset && time < start[i - 1]) sorted = false;
		}
		start[i] = time;
		time += dur[i];
	}
	if (at !== end) throw new Error('broken numbers');
	return sorted;
}

/** starts() of the rest. @param {Uint8Array} bytes @param {number} count @param {Float64Array} start @param {number} offset @param {Float64Array | Uint32Array | null} dur */
function startsOf(bytes, count, start, offset, dur) {
	const end = bytes.length;
	let sorted = true;
	let time = 0;
	let last = -Infinity;
	let at = 0;
	for (let i = offset; i < offset + count; i++) {
		let byte = bytes[at++];
		if (byte) {
			let value = byte & 0x7f;
			for (let scale = 128; byte & 0x80; scale *= 128) {
				if (at >= end || scale > 2 ** 56) throw new Error('broken number');
				byte = bytes[at++];
				value += (byte & 0x7f) * scale;
			}
			time += value % 2 ? -(value + 1) / 2 : value / 2;
		}
		if (time < last) sorted = false;
		start[i] = last = time;
		if (dur) time += dur[i];
	}
	if (at !== end) throw new Error('broken numbers');
	return sorted;
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
