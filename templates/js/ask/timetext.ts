// SPDX-License-Identifier: BSD-3-Clause
/**
 * Parses a time that is typed into the search. `50.085` selects that time with 5 ms on each side: five units of its last
 * digit. Each final + selects the next smaller range and each - the next larger, in steps of 1, 2, 5. `18:40.1234` begins
 * with the minute of the wall clock.
 */

/** A time range, units of 10 ns. */
type TimeRange = {t0: number, t1: number, at: number};

const STEPS = [1, 2, 5];
/**
 * Returns half the length of a range, units of 10 ns.
 * @param digits number of typed decimals
 * @param steps number of steps by which the range is smaller
 */
function half(digits: number, steps: number) {
	const n = 2 - steps;
	return STEPS[((n % 3) + 3) % 3] * 10 ** (8 - digits + Math.floor(n / 3));
}

export const isTime = (text: string) => /^(\d\d?:)?\d{1,3}\.\d+[+-]*$/.test(text.trim());

/**
 * Returns the range for a text.
 * @param text text for which isTime() is true
 * @param zero time that the page displays as 0, units of 10 ns
 * @param base wall clock at 0, ms
 */
export function timeRangeOf(text: string, zero: number, base: number | null): TimeRange {
	const [, minute, whole, part, signs] = /^(?:(\d\d?):)?(\d+)\.(\d+)([+-]*)$/.exec(text.trim()) ?? [];
	let at = zero + Number(`${whole}.${part}`) * 1e8;
	if (minute !== undefined && base !== null) {
		const from = new Date(base);
		const minutes = (Number(minute) - from.getUTCMinutes() + 60) % 60;
		at = Number(`${whole}.${part}`) * 1e8 + (minutes * 60 - from.getUTCSeconds()) * 1e8;
	}
	const side = half(Math.min(8, part.length), [...signs].reduce((n, sign) => n + (sign === '+' ? 1 : -1), 0));
	return { t0: at - side, t1: at + side, at };
}

/** Returns the text that selects approximately the given range. */
export function textOf(t0: number, t1: number, zero: number) {
	const middle = ((t0 + t1) / 2 - zero) / 1e8;
	const side = (t1 - t0) / 2;
	for (let digits = 8; digits > 0; digits--)
		for (const signs of ['++', '+', '']) if (side <= half(digits, signs.length) * 1.03) return middle.toFixed(digits) + signs;
	let signs = '';
	while (side > half(1, -signs.length) * 1.03) signs += '-';
	return middle.toFixed(1) + signs;
}
