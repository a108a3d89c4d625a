// SPDX-License-Identifier: BSD-3-Clause
/** Makes the test of each field of a search. A joined call is tested as a whole. Must not depend on the text of the query. */
import * as Event from '../base/events.ts';
import { ipcShare, steps } from '../base/counters.ts';
import { Kind, isExecution, isIdle } from '../base/kinds.ts';
import { NO_END } from '../data/join.ts';
import { Mistake, exactly } from './grammar.ts';
import { inside, type Range } from './quantities.ts';
import type { Trace } from '../data/trace.ts';
import type { Narrow, Test } from './combine.ts';

/** Pids below this are stored in a table. */
const MOST_PIDS = 1 << 22;

/** Returns a function that clears the set elements of out whose span (or joined call) does not pass. */
const where = (passes: (i: number, cpu: number) => unknown): Narrow => (from, to, out, cpu) => {
	for (let i = from; i < to; i++) if (out[i - from]) out[i - from] = Number(passes(i, cpu));
};

/** Returns a test of names. Calls wants() once for each dictionary entry, except for the records of identities. */
export function byName(trace: Trace, wants: (entry: number) => boolean): Test {
	return tabled(trace, Uint8Array.from(trace.texts, (_, i) => Number(trace.events[i] !== Event.TASK && trace.events[i] !== Event.CGROUP && wants(i))));
}

/** Returns a test of names. @param table 1 for each dictionary entry that passes */
export function tabled(trace: Trace, table: Uint8Array): Test {
	const { name } = trace;
	return {
		cost: 1, table,
		spans: (from, to, out) => {
			for (let g = from; g < to; g++) out[g - from] &= table[name[g]];
		},
		calls: (from, to, out) => {
			const names = trace.calls?.joined.name ?? [];
			for (let c = from; c < to; c++) out[c - from] &= table[names[c]];
		},
	};
}

/** Returns a field that only the spans of one thread match. @param id id of the thread */
export const onlyProcess = (trace: Trace, id: number) => (trace.lives?.byId.has(id) ? exactly('process', trace.pidLabel(id)) : `pid:${id}`);

export function byPid(trace: Trace, wants: (pid: number) => boolean): Test {
	const { pid } = trace;
	if (pid instanceof Int16Array) return bySmallPid(trace, smallPids(trace, wants));
	/** Result of wants() for each pid; 2: wants() was not called yet. more: results for ids outside the table. */
	const known = new Uint8Array(MOST_PIDS).fill(2);
	const more: Map<number, number> = new Map();
	const ask = (p: number) => {
		const value = more.get(p) ?? Number(wants(p));
		if (p >= 0 && p < known.length) known[p] = value;
		else more.set(p, value);
		return value;
	};
	return {
		cost: 2,
		spans: (from, to, out) => {
			for (let g = from; g < to; g++) {
				// undefined for a pid outside the table
				const is = known[pid[g]];
				out[g - from] &= is < 2 ? is : ask(pid[g]);
			}
		},
		calls: where((call) => ask(pid[firstOf(trace, call)])),
	};
}

/** Returns the same 16-bit numbers as unsigned numbers, which are indices of a table. */
export const unsigned = (pid: Int16Array) => new Uint16Array(pid.buffer, pid.byteOffset, pid.length);

/** Returns a table of the 16-bit pids that pass. Calls wants() only for pids in the trace, if these are known. */
function smallPids({ calls }: Trace, wants: (pid: number) => boolean) {
	const table = new Uint8Array(1 << 16);
	for (const pid of calls?.joined.totals.pids ?? Int16Array.from(table, (_, i) => i)) table[pid & 0xffff] = Number(wants(pid));
	return table;
}

/** Returns a test of 16-bit pids. @param pids 1 for each pid that passes */
export function bySmallPid(trace: Trace, pids: Uint8Array): Test {
	const pid = unsigned(trace.pid as Int16Array);
	return {
		cost: 1, pids,
		spans: (from, to, out) => {
			for (let g = from; g < to; g++) out[g - from] &= pids[pid[g]];
		},
		calls: where((call) => pids[pid[firstOf(trace, call)]]),
	};
}

const firstOf = (trace: Trace, call: number) => trace.calls!.firstOf(call);

/** Returns a test that a call passes if wants() is true for at least one of its parts. */
const anyPiece = ({ calls }: Trace, wants: (span: number) => boolean) => where((call) => {
	const { at, pieces } = calls!.joined;
	return pieces.subarray(at[call], at[call + 1]).some(wants);
});

/** Returns a function that finds the CPU of a span. */
export function cpuFinder(trace: Trace) {
	const tracks = [...trace.tracks].sort((a, b) => a.lo - b.lo);
	return (g: number) => {
		let lo = 0;
		for (let hi = tracks.length - 1; lo < hi;) {
			const mid = (lo + hi + 1) >>> 1;
			if (tracks[mid].lo <= g) lo = mid;
			else hi = mid - 1;
		}
		return tracks[lo].cpu;
	};
}

export function byCpu(trace: Trace, wants: (cpu: number) => boolean): Test {
	const { otherCpu, otherOffset } = trace;
	const cpuOf = cpuFinder(trace);
	const others = where((g) => wants(otherCpu[g - otherOffset]));
	return {
		cost: 1,
		spans: (from, to, out, cpu) => {
			if (cpu < 0) others(from, to, out, cpu);
			else if (!wants(cpu)) out.fill(0, 0, to - from);
		},
		calls: anyPiece(trace, (g) => wants(cpuOf(g))),
	};
}

/** Returns a test of elapsed times. The elapsed time of a call is from its beginning to its end. */
export function byDuration(trace: Trace, ranges: Range[]): Test {
	const { dur } = trace;
	const [{ low, high }] = ranges;
	const narrow = (times: Float64Array | Uint32Array): Narrow => (ranges.length > 1 ? where((i) => inside(ranges, times[i])) : (from, to, out) => {
		for (let i = from; i < to; i++) out[i - from] &= Number(times[i] >= low) & Number(times[i] <= high);
	});
	return { cost: 1, spans: narrow(dur), calls: trace.calls ? narrow(trace.calls.joined.elapsed) : () => {} };
}

/** Returns a test of the start times of spans and calls. */
export function byTime(trace: Trace, ranges: Range[]): Test {
	const narrow = (times: Float64Array) => where((i) => inside(ranges, times[i]));
	return { cost: 1, spans: narrow(trace.start), calls: trace.calls ? narrow(trace.calls.joined.begin) : () => {} };
}

/**
 * Returns a test of the argument and the result of a system call, which wants() unpacks only if it needs them.
 * @param wants gets the part with the argument, the part with the result, and whether the call's end is in the trace
 */
export function byCall(trace: Trace, wants: (first: number, last: number, ended: boolean) => boolean): Test {
	const { spanKinds, calls } = trace;
	const passes = (first: number, last: number) => spanKinds[first] === Kind.SYSCALL && wants(first, last, !calls || !(calls.flags[first] & NO_END));
	return {
		cost: 9,
		spans: where((g) => passes(g, g)),
		calls: where((call) => passes(firstOf(trace, call), calls!.joined.pieces[calls!.joined.at[call + 1] - 1])),
	};
}

/** Returns a test of instructions per cycle. Throws a Mistake if the trace does not have them. */
export function byIpc(trace: Trace, ranges: Range[]): Test {
	if (!trace.hasIpc || !trace.counted.ipc) throw new Mistake('ipc: this trace has no instructions per cycle', 0, 0);
	const wanted = Uint8Array.from({ length: 16 }, (_, value) => {
		const { ipc } = steps(trace.counted, value);
		return Number(ipc !== null && inside(ranges, ipcShare(ipc) * 4));
	});
	const { ipc, spanKinds } = trace;
	const wants = (g: number) => isExecution(spanKinds[g]) && !isIdle(spanKinds[g]) && wanted[ipc.at(g) & 15] === 1;
	return { cost: 8, spans: where(wants), calls: anyPiece(trace, wants) };
}

export function byRpc({ rpc, calls }: Trace, ranges: Range[]): Test {
	const wants = (g: number) => rpc !== null && rpc !== undefined && inside(ranges, rpc.at(g));
	return { cost: 2, spans: where(wants), calls: where((call) => wants(calls!.firstOf(call))) };
}
