// SPDX-License-Identifier: BSD-3-Clause
/**
 * The picture that is there before the trace is decoded: each kind's share of time on
 * each CPU, in about a thousand stretches, as the file brings it (kp_page_overview.c).
 * It is drawn by what draws the trace, from a stand-in that has a span for each stretch
 * and says its shares when it is asked for a column's. Nothing can be done with it.
 */
import { unpack } from './columns.js';
import { Kind } from './kinds.js';
import { EXECUTION_KINDS, SpanList } from './lod.js';
import { shade } from './palette.js';
import { Trace } from './trace.js';

/** The first event number from here on whose colour is plainly its kind's. @param {number} event */
function plain(event) {
	while (shade(event) !== 0) event++;
	return event;
}

/** Event numbers that stand for the kinds, none of which the overview tells apart any further. */
const EVENTS = (() => {
	const of = new Array(EXECUTION_KINDS).fill(65536);
	of[Kind.CEXIT] = 0x20000;
	of[Kind.USER] = 65537;
	of[Kind.SYSCALL] = plain(0x800);
	of[Kind.TRAP] = plain(0x400);
	of[Kind.IRQ] = plain(0x500);
	of[Kind.SOFTIRQ] = 0x5ff;
	of[Kind.SCHED] = 0xdff;
	return of;
})();
const NAMES = EVENTS.map((_, kind) => (kind === Kind.IDLELP ? '-idlelp-' : kind === Kind.CEXIT ? '-c-exit-' : kind === Kind.USER ? 'user' : `${kind}`));

/** One CPU: spans all of one length, of the kind that has most of it. */
class OverviewList extends SpanList {
	/**
	 * @param {Trace} trace
	 * @param {number} lo
	 * @param {number} hi
	 * @param {Float64Array} sums units of each kind before each stretch and before the end
	 * @param {number} kinds first of the spans that stand for the kinds
	 */
	constructor(trace, lo, hi, sums, kinds) {
		super(trace, lo, hi);
		this.standing = kinds;
		this.sums = sums;
		this.origin = trace.start[lo];
		this.width = trace.dur[lo];
	}

	/** @returns {any} of one kind with Columns, as far as lines.js asks */
	columns() {
		const { sums, origin, width, length, standing } = this;
		/** @param {number} t @param {number} kind units before t */
		const before = (t, kind) => {
			const at = Math.max(0, Math.min(length, (t - origin) / width));
			const bin = Math.min(length - 1, Math.floor(at));
			const from = sums[bin * EXECUTION_KINDS + kind];
			return from + (at - bin) * (sums[(bin + 1) * EXECUTION_KINDS + kind] - from);
		};
		return {
			depth: 0,
			/** @param {number} tl @param {number} tr @param {Float64Array} out */
			coarse: (tl, tr, out) => {
				let best = -1;
				for (let kind = 0; kind < EXECUTION_KINDS; kind++) {
					out[kind] = before(tr, kind) - before(tl, kind);
					if (kind > Kind.IDLELP && out[kind] > 0 && (best < 0 || out[kind] > out[best])) best = kind;
				}
				return best < 0 ? -1 : standing + best;
			},
		};
	}
}

/**
 * @param {Record<string, any>} header of the trace
 * @param {string} text of the page's element
 * @returns {Promise<Trace>}
 * @throws {Error} when it makes no sense
 */
export async function overviewTrace(header, text) {
	const { first, last, width, bins, cpus, bytes, shares: packed } = JSON.parse(text);
	if (![first, last, width, bins, bytes].every(Number.isSafeInteger) || !(last > first) || !(width > 0) || !(bins > 0) || bins > 65536 ||
		!Array.isArray(cpus) || !cpus.length || cpus.length > 65536 || !cpus.every((c, i) => Number.isSafeInteger(c) && c >= 0 && (!i || c > cpus[i - 1])))
		throw new Error('overview: a number that makes no sense');
	const shares = await unpack(packed, bytes);
	const known = Math.min(cpus.length, Math.floor(shares.length / (bins * EXECUTION_KINDS)));
	// the stretches of each CPU, and in the end a span, everywhere, for each kind
	const standing = cpus.length * bins;
	const n = standing + EXECUTION_KINDS;
	const start = new Float64Array(n);
	const dur = new Float64Array(n);
	const kind = new Uint8Array(n);
	for (let k = 0; k < EXECUTION_KINDS; k++) {
		dur[standing + k] = Infinity;
		kind[standing + k] = k;
	}
	/** @type {Float64Array[]} */
	const sums = [];
	cpus.forEach((_, c) => {
		const sum = (sums[c] = new Float64Array((bins + 1) * EXECUTION_KINDS));
		for (let i = 0; i < bins; i++) {
			let most = 0;
			for (let k = 0; k < EXECUTION_KINDS; k++) {
				const at = i * EXECUTION_KINDS + k;
				const share = c < known ? shares[c * bins * EXECUTION_KINDS + at] / 255 : 0;
				sum[at + EXECUTION_KINDS] = sum[at] + share * width;
				if (share > most) {
					most = share;
					kind[c * bins + i] = k;
				}
			}
			start[c * bins + i] = first + i * width;
			dur[c * bins + i] = width;
		}
	});
	const tracks = cpus.map((cpu, c) => ({ cpu, lo: c * bins, hi: (c + 1) * bins }));
	const trace = new Trace(header, { spans: standing, others: 0, otherOffset: standing, chunks: [], has: {}, wide: {}, tracks }, {
		start, dur, kind, sorted: true, tables: [], name: Uint32Array.from(kind), pid: new Int32Array(n), rpc: null,
		arg: [], ret: [], ipc: [], order: null, cpu: new Int32Array(0), byKind: null, hasRpc: false, events: EVENTS, texts: NAMES,
	});
	trace.first = first;
	trace.last = last;
	tracks.forEach(({ cpu, lo }, c) => trace.cpus.set(cpu, new OverviewList(trace, lo, lo + bins, sums[c], standing)));
	return trace;
}
