// SPDX-License-Identifier: BSD-3-Clause
/**
 * Tests of whole blocks of spans, and of calls in several pieces, put together by and, or, not.
 * Never looks at a column itself (fields.js does), and asks what is slow last, of what is left.
 * Imported by fields.js and match.js.
 */

/**
 * Leaves those of out that are 1 and that it asks for: spans, or joined calls, from on; cpu: whose they are, -1: on none.
 * @typedef {(from: number, to: number, out: Uint8Array, cpu: number) => void} Narrow
 */
/**
 * table: it asks for names only, and has 1 for each dictionary entry that it wants. pids: it asks for processes only, whose
 * numbers have 16 bits, and has 1 for each number, as it is without its sign.
 * @typedef {{cost: number, table?: Uint8Array, pids?: Uint8Array, spans: Narrow, calls: Narrow}} Test
 */

/** Spans in a block, at most. */
export const BLOCK = 1 << 14;

/** @param {Test[]} tests all of them @returns {Test} */
export function all(tests) {
	const order = [...tests].sort((a, b) => a.cost - b.cost);
	/** @param {'spans' | 'calls'} of @returns {Narrow} */
	const narrow = (of) => (from, to, out, cpu) => {
		for (const test of order) test[of](from, to, out, cpu);
	};
	return { cost: order[order.length - 1].cost, spans: narrow('spans'), calls: narrow('calls') };
}

/** @param {Test[]} tests at least one of them @returns {Test} */
export function either(tests) {
	const order = [...tests].sort((a, b) => a.cost - b.cost);
	const found = new Uint8Array(BLOCK);
	const part = new Uint8Array(BLOCK);
	/** @param {'spans' | 'calls'} of @returns {Narrow} */
	const narrow = (of) => (from, to, out, cpu) => {
		const n = to - from;
		found.fill(0, 0, n);
		for (const test of order) {
			for (let i = 0; i < n; i++) part[i] = out[i] & ~found[i];
			test[of](from, to, part, cpu);
			for (let i = 0; i < n; i++) found[i] |= part[i];
		}
		for (let i = 0; i < n; i++) out[i] = found[i];
	};
	return { cost: order[order.length - 1].cost, spans: narrow('spans'), calls: narrow('calls') };
}

/** @param {Test} test @returns {Test} */
export function neither(test) {
	const part = new Uint8Array(BLOCK);
	/** @param {'spans' | 'calls'} of @returns {Narrow} */
	const narrow = (of) => (from, to, out, cpu) => {
		const n = to - from;
		for (let i = 0; i < n; i++) part[i] = out[i];
		test[of](from, to, part, cpu);
		for (let i = 0; i < n; i++) out[i] ^= part[i];
	};
	return { cost: test.cost, spans: narrow('spans'), calls: narrow('calls') };
}
