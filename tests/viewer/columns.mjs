// SPDX-License-Identifier: BSD-3-Clause
/**
 * Tests the decoding of packed columns by the page's source. Values of every size are read in
 * order, at random and across chunks. Broken columns are refused. Prints TAP.
 */
import { Packed, differences, packed, starts, values } from '../../templates/js/data/columns.ts';
import { check, equal, test } from './tap.mjs';

let state = 2718;
const random = () => {
	state = (Math.imul(state, 1103515245) + 12345) >>> 0;
	return (state >>> 8) / 16777216;
};
/** Returns a random whole number. Each number of bits is equally probable. @param {number} bits */
const any = (bits) => Math.floor(2 ** (random() * bits)) - 1;
/** @param {bigint[]} numbers @returns {Uint8Array} varints */
function varints(numbers) {
	/** @type {number[]} */
	const bytes = [];
	for (let n of numbers) {
		for (; n > 127n; n >>= 7n) bytes.push(Number(n & 127n) | 128);
		bytes.push(Number(n));
	}
	return Uint8Array.from(bytes);
}
/** @param {number} v */
const zigzag = (v) => (v < 0 ? BigInt(-v) * 2n - 1n : BigInt(v) * 2n);
/** @param {() => void} body */
const refused = (body) => {
	try {
		body();
	} catch (error) {
		return /^broken number/.test(/** @type {Error} */ (error).message);
	}
	return false;
};

await test('packed columns return every value, in any order', () => {
	// spans 0 to 99 have no value; the third chunk lies between the first and the second
	const lengths = [5000, 129, 3001];
	const offsets = [100, 8101, 5100];
	const want = new Float64Array(8230);
	const chunks = lengths.map((n, c) => {
		const numbers = Array.from({ length: n }, () => (random() < 0.6 ? 0 : any(50) * (random() < 0.5 ? -1 : 1)));
		numbers.forEach((v, i) => (want[offsets[c] + i] = v === 0 ? 0 : v));
		return { ...packed(varints(numbers.map(zigzag)), n), offset: offsets[c] };
	});
	const column = new Packed(chunks, null);
	for (let g = 0; g < want.length; g++) equal(column.at(g), want[g], `span ${g}, in order`);
	for (let k = 0; k < 20000; k++) {
		const g = Math.floor(random() * want.length);
		if (column.at(g) !== want[g]) equal(column.at(g), want[g], `span ${g}, at random`);
		const near = Math.min(want.length - 1, g + Math.floor(random() * 4));
		if (column.at(near) !== want[near]) equal(column.at(near), want[near], `span ${near}, behind ${g}`);
	}
	const order = Uint32Array.from(want, (_, g) => want.length - 1 - g);
	const turned = new Packed(chunks, order);
	for (let g = 0; g < want.length; g++) if (turned.at(g) !== want[order[g]]) equal(turned.at(g), want[order[g]], `span ${g}, of a file not in order`);
	equal(new Packed([], null).at(5), 0, 'no column');
});

await test('unpacked columns have the packed numbers', () => {
	const n = 4000;
	for (const wide of [false, true]) {
		const bits = wide ? 48 : 30;
		const numbers = Array.from({ length: n }, () => any(bits));
		equal([...values(varints(numbers.map(BigInt)), n, wide)], numbers, `values, ${bits} bits`);
		const steps = numbers.map((v, i) => (i ? v - numbers[i - 1] : v));
		equal([...values(varints(steps.map(zigzag)), n, wide, true)], steps, `zigzagged, ${bits} bits`);
		equal([...differences(varints(steps.map(zigzag)), n, wide)], numbers, `differences, ${bits} bits`);
		const dur = wide ? Float64Array.from(numbers) : Uint32Array.from(numbers);
		// steps of every size, forwards only
		const gaps = Array.from({ length: n }, () => (random() < 0.5 ? 0 : any(44)));
		for (const behind of [dur, null]) {
			const { start, sorted } = starts(varints(gaps.map(zigzag)), n, behind);
			equal(sorted, true, 'in order');
			let time = 0;
			gaps.forEach((gap, i) => {
				time += gap;
				if (start[i] !== time) equal(start[i], time, `start ${i}`);
				if (behind) time += behind[i];
			});
		}
		const back = Array.from({ length: n }, (_, i) => (i % 3 === 2 ? -any(40) : any(40)));
		const { start, sorted } = starts(varints(back.map(zigzag)), n, null);
		let time = 0;
		equal([...start], back.map((gap) => (time += gap)), 'starts that go back');
		equal(sorted, false, 'not in order');
	}
	equal(starts(varints([5n, 3n]), 2, null).sorted, false, 'not in order, by little');
});

await test('broken columns are refused', () => {
	const good = varints([1n, 300n, 2n ** 40n]);
	const endless = Uint8Array.from({ length: 12 }, () => 255);
	const huge = Uint8Array.from([...new Array(10).fill(255), 1]);
	for (const [name, read] of /** @type {[string, (bytes: Uint8Array, n: number) => void][]} */ ([
		['packed', (b, n) => packed(b, n)],
		['wide values', (b, n) => values(b, n, true)],
		['starts', (b, n) => starts(b, n, null)],
	])) {
		read(good, 3);
		check(refused(() => read(good, 2)), `${name}: one too many`);
		check(refused(() => read(good, 4)), `${name}: one too few`);
		check(refused(() => read(good.subarray(0, -1), 3)), `${name}: cut`);
		check(refused(() => read(endless, 1)), `${name}: a number without end`);
		check(refused(() => read(huge, 1)), `${name}: a number beyond 63 bits`);
	}
	check(refused(() => values(varints([2n ** 40n]), 1, false)), 'too large for its column');
});
