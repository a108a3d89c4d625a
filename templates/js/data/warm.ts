// SPDX-License-Identifier: BSD-3-Clause
/** Runs the loops of a worker on a few numbers before the data arrive, so that the engine compiles the loops for all cases. */
import { EXECUTION_KINDS } from '../base/kinds.ts';
import { makeTables } from './bins.ts';
import { differences, packed, starts, values } from './columns.ts';
import { group } from './group.ts';

// The engine compiles a loop while the loop runs, for the cases that have occurred so far. When the code after the loop
// runs for the first time, the engine discards the compiled code, and begins again with the next chunk. After this warm-up
// all of the code has run, and the engine keeps the compiled code.

/** Number of calls of a function after which the engine begins to observe which cases occur in it. */
const ROUNDS = 12;
const SPANS = 96;

/** Odd and even numbers of one, two, three and (in LONG) five encoded bytes. */
const NUMBERS = [0, 0, 3, 4, 0, 301, 302, 0, 70001, 70002, 0];
const LONG = [...NUMBERS, 0x100000001, 0x100000002];

function varints(numbers: number[]) {
	const bytes: number[] = [];
	for (let n of numbers) {
		for (; n > 127; n = Math.floor(n / 128)) bytes.push((n % 128) + 128);
		bytes.push(n);
	}
	return Uint8Array.from(bytes);
}

export function warm() {
	const bytes = varints(NUMBERS);
	const long = varints(LONG);
	const start = new Float64Array(SPANS);
	const dur = new Uint32Array(SPANS);
	const kind = new Uint8Array(SPANS);
	const index = new Uint32Array(SPANS);
	for (let i = 0, time = 0; i < SPANS; i++) {
		start[i] = time;
		// some spans are longer than a bin, and some follow a gap
		time += dur[i] = i % 7 ? 10 : 500;
		if (i % 5 === 0) time += 7;
		kind[i] = i % EXECUTION_KINDS;
		index[i] = i;
	}
	for (let i = 0; i < ROUNDS; i++) {
		values(bytes, NUMBERS.length, false, false);
		values(bytes, NUMBERS.length, false, true);
		differences(bytes, NUMBERS.length, false);
		packed(long, LONG.length);
		starts(long, LONG.length, null);
		starts(long, LONG.length, dur);
		makeTables(start, dur, kind, 0, SPANS, null);
		makeTables(start, dur, kind, 0, SPANS, index);
		group(SPANS, (n) => n, (g) => kind[g] - 1);
	}
}
