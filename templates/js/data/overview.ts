// SPDX-License-Identifier: BSD-3-Clause
/**
 * Makes a temporary trace from the overview in the page, which is drawn before the trace is decoded. It has each kind's share
 * of time in some thousand equal intervals of each CPU, and can only be drawn. Invalid data throw an Error.
 * postprocess/page/overview.c writes the overview.
 */
import * as Event from '../base/events.ts';
import { C_EXIT, EXECUTION_KINDS, FIRST_TASK, Kind, isOwn } from '../base/kinds.ts';
import { shade } from '../base/palette.ts';
import { unpack, values } from './columns.ts';
import { SpanList } from './spans.ts';
import { Trace } from './trace.ts';

/** Returns the first event number, from `event` on, that is drawn in exactly the colour of its kind. */
function plain(event: number) {
	while (shade(event) !== 0) event++;
	return event;
}

/** Event numbers that stand for the kinds. The overview has no details within a kind. */
const EVENTS: number[] = Object.assign(new Array(EXECUTION_KINDS).fill(FIRST_TASK), {
	[Kind.CEXIT]: C_EXIT, [Kind.USER]: FIRST_TASK + 1, [Kind.SYSCALL]: plain(Event.SYSCALL64), [Kind.TRAP]: plain(Event.TRAP),
	[Kind.IRQ]: plain(Event.IRQ), [Kind.SOFTIRQ]: Event.BH, [Kind.SCHED]: Event.SCHED, [Kind.KTHREAD]: FIRST_TASK + 2,
});
const NAMES = EVENTS.map((_, kind) => (kind === Kind.IDLELP ? '-idlelp-' : kind === Kind.CEXIT ? '-c-exit-' : kind === Kind.USER ? 'user' : kind === Kind.KTHREAD ? 'kernel' : `${kind}`));
const IN_KERNEL = EVENTS.map((_, kind) => kind === Kind.KTHREAD);

/** One CPU: spans of equal length, one for each interval. The kind of a span is the kind with the largest share of the interval. */
class OverviewList extends SpanList {
	declare most: Uint32Array;
	declare sums: Float64Array;
	declare origin: number;
	declare width: number;

	/**
	 * @param sums time of each kind before each interval and before the end, units of 10 ns
	 * @param most for each interval, number of the span that stands for the longest part that is not idle; 0: the whole
	 * interval is idle
	 */
	constructor(trace: Trace, lo: number, hi: number, sums: Float64Array, most: Uint32Array) {
		super(trace, lo, hi);
		this.most = most;
		this.sums = sums;
		this.origin = trace.start[lo];
		this.width = trace.dur[lo];
	}

	/** Returns an object with those functions of Columns that draw/lines.ts uses. */
	columns(): any {
		const { sums, origin, width, length, most } = this;
		/** Returns the time of a kind before t, units of 10 ns. */
		const before = (t: number, kind: number) => {
			const at = Math.max(0, Math.min(length, (t - origin) / width));
			const bin = Math.min(length - 1, Math.floor(at));
			const from = sums[bin * EXECUTION_KINDS + kind];
			return from + (at - bin) * (sums[(bin + 1) * EXECUTION_KINDS + kind] - from);
		};
		return {
			depth: 0,
			coarse: (tl: number, tr: number, out: Float64Array) => {
				let busy = false;
				for (let kind = 0; kind < EXECUTION_KINDS; kind++) {
					out[kind] = before(tr, kind) - before(tl, kind);
					if (kind > Kind.IDLELP && out[kind] > 0) busy = true;
				}
				if (!busy) return -1;
				// try the interval in the middle of the column, then its two neighbours
				const middle = Math.max(0, Math.min(length - 1, Math.floor(((tl + tr) / 2 - origin) / width)));
				return [middle, middle - 1, middle + 1].map((bin) => most[bin]).find((span) => span > 0) ?? -1;
			},
		};
	}
}

/** Makes a trace from the overview, which the page shows until the whole trace is read. @param text content of the element */
export async function overviewTrace(header: Record<string, any>, text: string): Promise<Trace> {
	const { first, last, width, bins, cpus, programs, mostBytes, most: packedMost, bytes, shares: packed } = JSON.parse(text);
	if (![first, last, width, bins, bytes, mostBytes].every(Number.isSafeInteger) || !(last > first) || !(width > 0) || !(bins > 0) || bins > 65536 ||
		!Array.isArray(cpus) || !cpus.length || cpus.length > 65536 || !cpus.every((c, i) => Number.isSafeInteger(c) && c >= 0 && (!i || c > cpus[i - 1])) ||
		!Array.isArray(programs) || !programs.every((p) => Number.isSafeInteger(p?.[0]) && typeof p[1] === 'string'))
		throw new Error('overview: a number is out of range');
	const [shares, mostOf] = await Promise.all([unpack(packed, bytes), unpack(packedMost, mostBytes)]);
	const known = Math.min(cpus.length, Math.floor(shares.length / (bins * EXECUTION_KINDS)));
	const whose = values(mostOf, known * bins, true);
	/** Index of each code, in the order of their first occurrence. A code is a pair of kind and pid, as in the file. */
	const codes: Map<number, number> = new Map();
	for (const code of whose) if (code > 0 && !codes.has(code)) codes.set(code, codes.size);
	// first the spans of the intervals of each CPU; then, for each pair of kind and pid, a span of user code of that process
	// and a span of that kind
	const standing = cpus.length * bins;
	const n = standing + 2 * codes.size;
	const start = new Float64Array(n);
	const dur = new Float64Array(n);
	const kind = new Uint8Array(n);
	// the same types as in the trace, so that drawing is compiled once for both
	const name = programs.length < 65000 ? new Uint16Array(n) : new Uint32Array(n);
	const pid = new Float64Array(n);
	const events = [...EVENTS, ...programs.map(([id]: [number, string]) => FIRST_TASK + id)];
	const texts = [...NAMES, ...programs.map(([, text]: [number, string]) => text)];
	const entries: Map<number, number> = new Map(programs.map(([id]: [number, string], i: number) => [id, EXECUTION_KINDS + i]));
	for (const [code, i] of codes) {
		const at = standing + 2 * i;
		const user = entries.get(Math.floor((code - 1) / EXECUTION_KINDS)) ?? Kind.USER;
		dur[at] = dur[at + 1] = Infinity;
		kind[at] = Kind.USER;
		kind[at + 1] = (code - 1) % EXECUTION_KINDS;
		name[at] = user;
		name[at + 1] = isOwn(kind[at + 1]) ? user : kind[at + 1];
		pid[at] = pid[at + 1] = Math.floor((code - 1) / EXECUTION_KINDS);
	}
	const sums: Float64Array[] = [];
	const most: Uint32Array[] = [];
	cpus.forEach((_, c) => {
		const sum = (sums[c] = new Float64Array((bins + 1) * EXECUTION_KINDS));
		most[c] = new Uint32Array(bins);
		for (let i = 0; i < bins; i++) {
			let largest = 0;
			for (let k = 0; k < EXECUTION_KINDS; k++) {
				const at = i * EXECUTION_KINDS + k;
				const share = c < known ? shares[c * bins * EXECUTION_KINDS + at] / 255 : 0;
				sum[at + EXECUTION_KINDS] = sum[at] + share * width;
				if (share > largest) {
					largest = share;
					kind[c * bins + i] = name[c * bins + i] = k;
				}
			}
			const of = c < known ? codes.get(whose[c * bins + i]) : undefined;
			if (of !== undefined) {
				const span = (most[c][i] = standing + 2 * of + 1);
				// if the longest part of the interval has its kind, draw the interval in the colours of that part's process
				if (kind[c * bins + i] === kind[span]) {
					name[c * bins + i] = name[span];
					pid[c * bins + i] = pid[span];
				}
			}
			start[c * bins + i] = first + i * width;
			dur[c * bins + i] = width;
		}
	});
	const tracks = cpus.map((cpu, c) => ({ cpu, lo: c * bins, hi: (c + 1) * bins }));
	const trace = new Trace(header, { spans: standing, others: 0, otherOffset: standing, chunks: [], has: {}, wide: {}, tracks }, {
		start, dur, kind, sorted: true, tables: [], name, pid, rpc: null, rpcFrom: 0,
		arg: [], ret: [], ipc: [], order: null, cpu: new Int32Array(0), byKind: null, hasRpc: false, events, texts, inKernel: IN_KERNEL,
	});
	trace.first = first;
	trace.last = last;
	// the overview has no calls: with this, trace.calls is null
	trace.joining = true;
	tracks.forEach(({ cpu, lo }, c) => trace.cpus.set(cpu, new OverviewList(trace, lo, lo + bins, sums[c], most[c])));
	return trace;
}
