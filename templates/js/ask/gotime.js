// SPDX-License-Identifier: BSD-3-Clause
/**
 * A time typed into the search: `50.085` goes there, and shows 5 ms on each side, five of its last digit; each + behind it shows
 * less, each - more, in steps of 1, 2, 5; `18:40.1234` has the minute of the wall clock, too; `@@` is where one is.
 * Never moves anything. Imported by panel/finder.js.
 */

/** @typedef {{t0: number, t1: number, at: number}} Stretch units */

const STEPS = [1, 2, 5];
/** Half a stretch: five of the last of so many digits, and so many steps smaller; units. @param {number} digits @param {number} steps */
function half(digits, steps) {
	const n = 2 - steps;
	return STEPS[((n % 3) + 3) % 3] * 10 ** (8 - digits + Math.floor(n / 3));
}

/** Is it a time to go to? @param {string} text */
export const isTime = (text) => /^(\d\d?:)?\d{1,3}\.\d+[+-]*$/.test(text.trim());

/**
 * @param {string} text as of isTime()
 * @param {number} zero what seconds are told from, units
 * @param {number | null} base wall clock at 0, ms
 * @returns {Stretch}
 */
export function stretchOf(text, zero, base) {
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

/**
 * The text that goes to about what is shown.
 * @param {number} t0
 * @param {number} t1
 * @param {number} zero
 */
export function textOf(t0, t1, zero) {
	const middle = ((t0 + t1) / 2 - zero) / 1e8;
	const side = (t1 - t0) / 2;
	for (let digits = 8; digits > 0; digits--)
		for (const signs of ['++', '+', '']) if (side <= half(digits, signs.length) * 1.03) return middle.toFixed(digits) + signs;
	let signs = '';
	while (side > half(1, -signs.length) * 1.03) signs += '-';
	return middle.toFixed(1) + signs;
}
