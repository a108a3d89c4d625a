// SPDX-License-Identifier: BSD-3-Clause
/**
 * Decodes columns of the page: base64, zlib and variable-length numbers into typed arrays. Some columns stay packed and are
 * decoded span by span. Must not trust a length: invalid data throw an Error, to which worker.ts adds the column's name.
 */

function fromBase64(text: string) {
	const native = (Uint8Array as any).fromBase64;
	if (native) return native.call(Uint8Array, text) as Uint8Array;
	const binary = atob(text);
	const bytes = new Uint8Array(binary.length);
	for (let i = 0; i < binary.length; i++) bytes[i] = binary.charCodeAt(i);
	return bytes;
}

/** Decodes base64 and inflates the zlib stream. Throws an Error if the result does not have length bytes. */
export async function unpack(text: string, length: number): Promise<Uint8Array> {
	const packed = fromBase64(text);
	// write directly: the stream of a Blob would go through another process
	const stream = new DecompressionStream('deflate');
	const writer = stream.writable.getWriter();
	// read() throws the error of invalid data
	writer.write(packed as BufferSource).catch(() => {});
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

/** Position after the number that long() has read. */
let after = 0;

/**
 * Reads a LEB128 number of up to 9 bytes, and sets `after`. The number is exact up to 2^53. Throws an Error if the bytes end
 * first.
 * @param at position after the number's first byte
 */
function long(bytes: Uint8Array, at: number) {
	let byte = bytes[at - 1];
	let value = byte & 0x7f;
	for (let scale = 128; byte & 0x80; scale *= 128) {
		if (at >= bytes.length || scale > 2 ** 56) throw new Error('broken number');
		byte = bytes[at++];
		value += (byte & 0x7f) * scale;
	}
	after = at;
	return value;
}

/** Decodes count numbers, and calls put with each. Throws an Error if the bytes contain fewer or more numbers. */
function eachVarint(bytes: Uint8Array, count: number, put: (value: number, i: number) => void) {
	after = 0;
	for (let i = 0; i < count; i++) put(long(bytes, after + 1), i);
	if (after !== bytes.length) throw new Error('broken numbers');
}

/** Decodes a zigzag number: 0, -1, 1, -2 ... are stored as 0, 1, 2, 3 ... */
const unzigzag = (v: number) => (v % 2 ? -(v + 1) / 2 : v / 2);

/** Decodes numbers of 32 bits. The result is always an Int32Array, so that the loop is compiled for one type. */
function narrowInto(bytes: Uint8Array, count: number, out: Int32Array, zigzag: boolean) {
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
 * Returns the array into which a column of a chunk is decoded: into, or a new array. Throws an Error if the bytes cannot
 * contain count numbers.
 * @param wide numbers may have more than 32 bits
 */
function room(bytes: number, count: number, wide: boolean, into?: Float64Array | Int32Array): Float64Array | Int32Array {
	if (count > bytes) throw new Error('broken numbers');
	if (into) return into;
	return wide ? new Float64Array(count) : new Int32Array(count);
}

/**
 * Decodes plain numbers (dur, name) or zigzag numbers (cpu).
 * @param into array of count elements; may be a Float64Array even if the column is not wide
 * @returns count elements; the caller must read elements of 32 bits as unsigned numbers, unless they are zigzag numbers
 */
export function values(
	bytes: Uint8Array, count: number, wide: boolean, zigzag = false,
	into: Float64Array | Int32Array | undefined = undefined,
): Float64Array | Int32Array {
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

/** Decodes a column (pid, rpc) of zigzag differences from the previous element. @param into as for values() */
export function differences(bytes: Uint8Array, count: number, wide: boolean, into?: Float64Array | Int32Array): Float64Array | Int32Array {
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
 * Computes the starts of spans that follow each other without a gap. The function is small, so that it is compiled early.
 * @param at position of span i's gap in bytes
 * @param start starts of the spans; start[i] must be set
 * @returns the first span after a gap, or count
 */
function abutting(bytes: Uint8Array, at: number, start: Float64Array, dur: Float64Array | Uint32Array, i: number, count: number): number {
	let time = start[i];
	for (at++; ++i < count && bytes[at] === 0; at++) {
		time += dur[i - 1];
		start[i] = time;
	}
	return i;
}

/**
 * Decodes the starts of spans from their gaps, most of which are 0. A gap is the zigzag difference from the end of the
 * previous span or, if dur is null, from its start. sorted: whether the starts are in order.
 */
export function starts(
	bytes: Uint8Array, count: number, dur: Float64Array | Uint32Array | null, into?: Float64Array,
): {start: Float64Array, sorted: boolean} {
	const start = room(bytes.length, count, true, into) as Float64Array;
	let sorted = true;
	let time = 0;
	let at = 0;
	for (let i = 0; i < count;) {
		const byte = bytes[at++];
		// fast case: numbers of one to four bytes
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
			at = after;
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

/** A packed column stores the position of every KNOWN_EVERYth number. */
const KNOWN_EVERY = 128;
const KNOWN_BITS = 7;

/** Zigzag numbers as in the file. offset: number of the first span; places: position in bytes of every KNOWN_EVERYth number. */
export type PackedChunk = {offset: number, count: number, bytes: Uint8Array, places: Uint32Array};

/**
 * Makes a chunk of a column that stays packed, because only a few of its numbers are read. Reads all numbers once, and throws
 * an Error if a number is broken. The caller sets the offset.
 */
export function packed(bytes: Uint8Array, count: number): PackedChunk {
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

/** A column that stays packed. Spans outside its chunks have the value 0. */
export class Packed {
	declare order: Uint32Array | null;
	/** next, place: number and position of the element after the last read element, so that reading the next element is fast. */
	declare chunks: (PackedChunk & {next: number, place: number})[];
	declare chunk: PackedChunk & {next: number, place: number};

	/** @param order number of each span in the file, if the file was not sorted; otherwise null */
	constructor(chunks: PackedChunk[], order: Uint32Array | null) {
		this.order = order;
		this.chunks = chunks.map((c) => ({ ...c, next: Infinity, place: 0 }));
		this.chunk = this.chunks[0];
	}

	at(span: number) {
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
		chunk.place = after;
		return unzigzag(value);
	}
}

/**
 * A column whose first numbers are 0 and are not stored. An example is the column of RPC ids, if only the spans on no CPU
 * have RPC ids: these spans come last.
 */
export class Tail {
	declare values: Float64Array | Int32Array | Int16Array;
	declare from: number;

	constructor(values: Float64Array | Int32Array | Int16Array, from: number) {
		this.values = values;
		this.from = from;
	}

	at(g: number) {
		return g < this.from ? 0 : this.values[g - this.from];
	}
}

/** KP_DICTIONARY_IN_KERNEL in postprocess/page/pack.h: added to the event number of a kernel thread's own code. */
const IN_KERNEL = 2 ** 51;

/** The dictionary of names. inKernel: true for the own code of a kernel thread. */
export type Dictionary = {events: number[], texts: string[], inKernel: boolean[]};

/** Decodes dictionary entries: zigzag event number, length, UTF-8 text. */
export function dictionary(bytes: Uint8Array, count: number, into: Dictionary) {
	const decoder = new TextDecoder();
	let at = 0;
	const number = () => {
		if (at >= bytes.length) throw new Error('broken number');
		const value = long(bytes, at + 1);
		at = after;
		return value;
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
