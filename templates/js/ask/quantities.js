// SPDX-License-Identifier: BSD-3-Clause
/**
 * Numbers, durations and times as people type them, and ranges of them: `5`, `>1ms`, `2us..5us`, `50.085+`.
 * Never guesses: what it cannot read is null, and who asked says so. Units are of 10 ns.
 * Imported by grammar.js, panel/searchbox.js for the boxes, shell/behind.js.
 */

/** Both ends belong to it. @typedef {{low: number, high: number}} Range */
/** What is read: a number of it for the text, or null. @typedef {(text: string, unit?: string) => number | null} Reader */

/** Units of 10 ns in each. @type {Record<string, number>} */
const UNITS = { ns: 0.1, us: 100, µs: 100, μs: 100, usec: 100, ms: 1e5, msec: 1e5, s: 1e8, sec: 1e8 };
const DURATION = /^(\d+(?:\.\d*)?|\.\d+)\s*([a-zµμ]*)$/;

/** The unit that a duration is written in; '': none. @param {string} text */
const unitOf = (text) => DURATION.exec(text.trim())?.[2] ?? '';

/**
 * `340 ns`, `5us`, `1.5ms`, `1s`; a number alone is microseconds, or of the unit given.
 * @type {Reader}
 */
export function duration(text, unit = 'us') {
	const [, digits, own] = DURATION.exec(text.trim()) ?? [];
	if (digits === undefined) return null;
	const scale = UNITS[own || unit];
	return scale === undefined ? null : Number(digits) * scale;
}

/** Seconds, with or without an s behind them. @type {Reader} */
export const seconds = (text) => (/^-?(\d+(\.\d*)?|\.\d+)s?$/.test(text) ? Math.round(parseFloat(text) * 1e8) : null);

/** `104`, `-11`, `0x7f`, `1.5`. @type {Reader} */
export const number = (text) => (/^(-?\d+(\.\d+)?|-?\.\d+|0x[\da-f]+)$/i.test(text) ? Number(text) : null);

/** The least whole number that is not less, and so on; what is no whole number is compared as it is. */
const SIDES = /** @type {Record<string, (n: number, whole: boolean) => Range>} */ ({
	'>': (n, whole) => ({ low: whole ? Math.floor(n + 1e-6) + 1 : n + 1e-6, high: Infinity }),
	'>=': (n, whole) => ({ low: whole ? Math.ceil(n - 1e-6) : n, high: Infinity }),
	'<': (n, whole) => ({ low: -Infinity, high: whole ? Math.ceil(n - 1e-6) - 1 : n - 1e-6 }),
	'<=': (n, whole) => ({ low: -Infinity, high: whole ? Math.floor(n + 1e-6) : n }),
});

/**
 * `5`, `=5`, `>5`, `<=5`, `2..5`, `2..`, `..5`; for times `5+`, `5-`.
 * @param {string} text
 * @param {Reader} read
 * @param {boolean} whole what is compared are whole numbers
 * @returns {Range | null}
 */
function rangeOf(text, read, whole) {
	const side = /^([<>]=?)(.*)$/.exec(text);
	if (side) {
		const n = read(side[2]);
		return n === null ? null : SIDES[side[1]](n, whole);
	}
	const sign = read === seconds ? /^(.*\d)([+-])$/.exec(text) : null;
	if (sign) return rangeOf(`${sign[2] === '+' ? '>=' : '<='}${sign[1]}`, read, whole);
	const dots = text.indexOf('..');
	if (dots < 0) {
		const n = read(text.replace(/^=/, ''));
		return n === null ? null : { low: n, high: n };
	}
	const [a, b] = [text.slice(0, dots), text.slice(dots + 2)];
	// 2..5ms is in ms at both ends
	const low = a === '' ? -Infinity : read(a, unitOf(a) || unitOf(b) || undefined);
	const high = b === '' ? Infinity : read(b);
	if (low === null || high === null || (a === '' && b === '')) return null;
	return { low, high: whole ? Math.floor(high + 1e-6) : high };
}

/**
 * Several of them with commas.
 * @param {string} text
 * @param {Reader} read
 * @param {boolean} [whole] what is compared are whole numbers
 * @returns {Range[] | null}
 */
export function rangesOf(text, read, whole = true) {
	const ranges = text.split(',').map((part) => rangeOf(part, read, whole));
	return ranges.includes(null) ? null : /** @type {Range[]} */ (ranges);
}

const TIME = '(?:\\d+(?:\\.\\d*)?|\\.\\d+)(?:ns|us|µs|μs|usec|msec|ms|sec|s)';
const ALONE = new RegExp(`^(?:[<>]=?${TIME}|(?:${TIME}|\\d+(?:\\.\\d*)?)?\\.\\.${TIME}|${TIME}\\.\\.)$`);

/** Is it a condition on durations by itself, as `>1ms`, `1ms..2ms`? @param {string} text */
export const isDuration = (text) => ALONE.test(text);

/** Is n in one of them? @param {Range[]} ranges @param {number} n */
export function inside(ranges, n) {
	for (const { low, high } of ranges) if (n >= low && n <= high) return true;
	return false;
}
