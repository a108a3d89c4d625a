// SPDX-License-Identifier: BSD-3-Clause
/**
 * Formats times in the format that the user has selected: seconds of the file, seconds since the start or since a mark, or
 * time of day. All parts of the page use the same setting. Files, the address and the raw row always have the seconds of the
 * file.
 */
import * as format from '../base/format.ts';
import { isMark } from '../base/kinds.ts';
import { spanName } from '../ask/waitname.ts';
import type { RowOf } from './rows.ts';
import type { View } from './view.ts';

/** file: seconds of the file; start: since the first event; clock: time of day; mark: since view.zero. */
export const TIMES = ['file', 'start', 'clock', 'mark'] as const;

/** Returns the time that is shown as 0, units of 10 ns. */
export function zeroOf(view: View) {
	const { options, trace, zero } = view;
	if (options.relative || options.time === 'start') return trace.first;
	return options.time === 'mark' ? zero : 0;
}

export const isClock = ({ options, timeBase }: View) => !options.relative && options.time === 'clock' && timeBase !== null;

/**
 * Returns a time as the page shows times now.
 * @param t units of 10 ns
 * @param row row that shows the time; rows may have their own zero
 * @param digits decimals of the second; by default all
 * @returns `57.80123456 s`, `23:09:57.80123456`, `+0.00173400 s`
 */
export function when(view: View, t: number, row: RowOf | null = null, digits = 8): string {
	const { options, timeBase } = view;
	if (isClock(view)) return format.wallClock(timeBase, t, digits);
	const from = zeroOf(view) + (row ? view.offset(row) : 0);
	const text = format.seconds(t - from, digits);
	return options.time === 'mark' && !options.relative && t >= from ? `+${text}` : text;
}

/** Returns the text at the beginning of the axis: the date for times of day, otherwise the time of 0 s: `0 s = 08:50:00`. */
export function axisBase(view: View): string {
	const { options, timeBase } = view;
	if (isClock(view)) return format.wallClock(timeBase, view.t0, 0, true).slice(0, 10);
	if (options.relative) return '0 s = row\'s start';
	const zero = zeroOf(view);
	if (timeBase === null) return zero ? `0 s = ${format.seconds(zero, 3)}` : 'seconds';
	return `0 s = ${format.wallClock(timeBase, zero, zero ? 3 : 0)}`;
}

/**
 * Returns the time for the setting 'mark': the start of the last annotated span. Without annotations, returns the last mark
 * before the middle of the picture, otherwise the first mark after the middle. null: there is no mark.
 */
export function momentOf(view: View): {t: number, label: string} | null {
	const { trace, pins } = view;
	const pin = pins[pins.length - 1];
	if (pin) return { t: trace.start[pin.span], label: spanName(trace, pin.span) };
	const middle = (view.t0 + view.t1) / 2;
	let best = -1;
	for (const g of trace.marks) {
		if (!isMark(trace.kind(g))) continue;
		if (best >= 0 && trace.start[g] > middle) break;
		best = g;
	}
	return best < 0 ? null : { t: trace.start[best], label: trace.label(best) };
}
