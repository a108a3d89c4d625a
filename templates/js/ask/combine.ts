// SPDX-License-Identifier: BSD-3-Clause
/** Combines tests of spans, and of joined calls, with and, or, not. Runs slow tests last, on the remaining elements. */

/**
 * Clears element i of out if span (or joined call) number from + i does not pass the test. cpu: CPU of the spans; -1: the
 * spans are on no CPU.
 */
export type Narrow = (from: number, to: number, out: Uint8Array, cpu: number) => void;
/**
 * cost: tests with a low cost run first. table: if the result depends only on the name, 1 for each dictionary entry that
 * passes. pids: if the result depends only on a 16-bit pid, 1 for each pid that passes.
 */
export type Test = {cost: number, table?: Uint8Array, pids?: Uint8Array, spans: Narrow, calls: Narrow};

/** Maximum number of spans in a block. */
export const BLOCK = 1 << 14;

/** Returns a test that passes if all tests pass. */
export function all(tests: Test[]): Test {
	const order = [...tests].sort((a, b) => a.cost - b.cost);
	const narrow = (of: 'spans' | 'calls'): Narrow => (from, to, out, cpu) => {
		for (const test of order) test[of](from, to, out, cpu);
	};
	return { cost: order[order.length - 1].cost, spans: narrow('spans'), calls: narrow('calls') };
}

/** Returns a test that passes if at least one test passes. */
export function either(tests: Test[]): Test {
	const order = [...tests].sort((a, b) => a.cost - b.cost);
	const found = new Uint8Array(BLOCK);
	const part = new Uint8Array(BLOCK);
	const narrow = (of: 'spans' | 'calls'): Narrow => (from, to, out, cpu) => {
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

/** Returns a test that passes where the given test does not pass. */
export function neither(test: Test): Test {
	const part = new Uint8Array(BLOCK);
	const narrow = (of: 'spans' | 'calls'): Narrow => (from, to, out, cpu) => {
		const n = to - from;
		for (let i = 0; i < n; i++) part[i] = out[i];
		test[of](from, to, part, cpu);
		for (let i = 0; i < n; i++) out[i] ^= part[i];
	};
	return { cost: test.cost, spans: narrow('spans'), calls: narrow('calls') };
}
