// SPDX-License-Identifier: BSD-3-Clause
/**
 * Parses numbers, durations and times, and ranges of them: `5`, `>1ms`, `2us..5us`, `50.085+`. Returns null for other text.
 * Results are in units of 10 ns.
 */

/** A range, with both ends included. */
export type Range = {low: number, high: number};
/** A parser: returns the number in a text, or null. unit: default unit. */
export type NumberParser = (text: string, unit?: string) => number | null;

/** Length of each unit, in units of 10 ns. */
const UNITS: Record<string, number> = { ns: 0.1, us: 100, µs: 100, μs: 100, usec: 100, ms: 1e5, msec: 1e5, s: 1e8, sec: 1e8 };
const DURATION = /^(\d+(?:\.\d*)?|\.\d+)\s*([a-zµμ]*)$/;

/** Returns the unit of a duration; '': none. */
const unitOf = (text: string) => DURATION.exec(text.trim())?.[2] ?? '';

/** Parses a duration: `340 ns`, `5us`, `1.5ms`, `1s`. Without a unit it is in microseconds, or in the given unit. */
export function duration(text: string, unit = 'us'): number | null {
	const [, digits, own] = DURATION.exec(text.trim()) ?? [];
	if (digits === undefined) return null;
	const scale = UNITS[own || unit];
	return scale === undefined ? null : Number(digits) * scale;
}

/** Parses seconds, with or without a final s. */
export const seconds: NumberParser = (text) => (/^-?(\d+(\.\d*)?|\.\d+)s?$/.test(text) ? Math.round(parseFloat(text) * 1e8) : null);

/** Parses a number: `104`, `-11`, `0x7f`, `1.5`. */
export const number: NumberParser = (text) => (/^(-?\d+(\.\d+)?|-?\.\d+|0x[\da-f]+)$/i.test(text) ? Number(text) : null);

/** Range for each comparison operator. If whole numbers are compared, the limits are whole numbers. */
const SIDES = {
	'>': (n, whole) => ({ low: whole ? Math.floor(n + 1e-6) + 1 : n + 1e-6, high: Infinity }),
	'>=': (n, whole) => ({ low: whole ? Math.ceil(n - 1e-6) : n, high: Infinity }),
	'<': (n, whole) => ({ low: -Infinity, high: whole ? Math.ceil(n - 1e-6) - 1 : n - 1e-6 }),
	'<=': (n, whole) => ({ low: -Infinity, high: whole ? Math.floor(n + 1e-6) : n }),
} as Record<string, (n: number, whole: boolean) => Range>;

/** Parses a range: `5`, `=5`, `>5`, `<=5`, `2..5`, `2..`, `..5`; of times `5+`, `5-`. @param whole compare whole numbers */
function rangeOf(text: string, read: NumberParser, whole: boolean): Range | null {
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

/** Parses several ranges, separated by commas. */
export function rangesOf(text: string, read: NumberParser, whole = true): Range[] | null {
	const ranges = text.split(',').map((part) => rangeOf(part, read, whole));
	return ranges.includes(null) ? null : (ranges as Range[]);
}

const TIME = '(?:\\d+(?:\\.\\d*)?|\\.\\d+)(?:ns|us|µs|μs|usec|msec|ms|sec|s)';
const ALONE = new RegExp(`^(?:[<>]=?${TIME}|(?:${TIME}|\\d+(?:\\.\\d*)?)?\\.\\.${TIME}|${TIME}\\.\\.)$`);

/** Returns whether the text is a condition on durations by itself: `>1ms`, `1ms..2ms`. */
export const isDuration = (text: string) => ALONE.test(text);

/** Returns whether n is in one of the ranges. */
export function inside(ranges: Range[], n: number) {
	for (const { low, high } of ranges) if (n >= low && n <= high) return true;
	return false;
}
