// SPDX-License-Identifier: BSD-3-Clause
/** Finds the spans in the strip above a row's bars: the PC samples of a CPU, or the locks of a process. */
import * as Event from '../base/events.ts';
import { Kind } from '../base/kinds.ts';
import type { Trace } from '../data/trace.ts';
import type { RowOf } from './rows.ts';
import type { View } from './view.ts';

/** Height of the strip in a row, and how far it begins above the row, CSS pixels. */
const STRIP = 7;
const OVER = 3;
/** Minimum width of a sample that is drawn as a line, CSS pixels. Narrower samples are a strip of colours. */
export const SLOPED = 6;
/** Maximum distance of the pointer from a sample or lock that it points at, CSS pixels. */
const NEAR = 2;

/** Returns whether the CPU was idle when the sample was taken. */
export const sampledIdle = (trace: Trace, span: number) => trace.pid[span] === 0;

/** Returns where a sample's line begins and ends. The sample was taken at the upper end. */
export const slope = (row: RowOf) => ({ low: row.y + Math.min(STRIP, row.h * 0.3), high: row.y });

/** Returns the sample of a CPU at a time, or the lock of a process. If locks overlap, returns the lock that began last. */
function spanOver(view: View, row: RowOf, x: number) {
	const { trace, options } = view;
	const [from, to] = [x - NEAR, x + NEAR].map((at) => view.time(at) + view.offset(row));
	let best = -1;
	if (options.samp && row.group === 'CPU') {
		const list = trace.samples.get(row.id);
		if (!list) return -1;
		const t = view.time(x) + view.offset(row);
		for (let i = list.first(from); i < list.length && list.start(i) <= to; i++) {
			const g = list.at(i);
			if (sampledIdle(trace, g)) continue;
			if (best < 0 || trace.start[g] <= t) best = g;
		}
	} else if (options.lock && row.group === 'PID' && !options.relative) {
		trace.locks.each(from, to, (g) => {
			if (trace.pid[g] === row.id && trace.kind(g) === Kind.LOCK && (trace.event(g) === Event.LOCKHELD || trace.event(g) === Event.LOCKTRY)) best = g;
		});
	}
	return best;
}

export function inStrip(view: View, x: number, y: number): {row: RowOf, span: number} | null {
	const { options } = view;
	if (!options.samp && !options.lock) return null;
	const row = view.rows.visible.find((r) => y >= r.y - OVER && y < r.y + Math.min(STRIP, r.h * 0.3));
	const span = row && row.h >= 8 ? spanOver(view, row, x) : -1;
	return row && span >= 0 ? { row, span } : null;
}
