// SPDX-License-Identifier: BSD-3-Clause
/**
 * Joins the spans of span JSON into calls by the rules of docs/design/reconstruction.md, "Calls". Tests compare the page,
 * spantoprof and spandiff with the result. Shares no code with them, and works on the text of the JSON with objects
 * and lists. Times are in units of 10 ns.
 *
 *	node tests/viewer/callsof.mjs foo.json      prints a line for each name: count, cut off, elapsed, on CPU, longest, p50, p99
 */
import { readFileSync } from 'node:fs';
import { pathToFileURL } from 'node:url';
import { Event } from './events.mjs';

/** @typedef {{start: number, end: number, cpu: number, pid: number, event: number, arg: number, name: string}} Piece */
/**
 * @typedef {object} Call
 * @property {string} name
 * @property {string} kind syscall, trap, irq, softirq, sched; for spans that are not calls: user, kthread (a kernel thread's own code), idle
 * @property {number} pid
 * @property {Piece[]} pieces
 * @property {number} away
 * @property {boolean} begins whether its beginning is in the trace
 * @property {boolean} ends
 */

/** Converts a decimal time to a whole number of 10 ns. @param {string} digits */
const units = (digits) => {
	const [, whole, part = ''] = /^(\d+)(?:\.(\d+))?$/.exec(digits.trim()) ?? [];
	if (whole === undefined) throw new Error(`not a time: ${digits}`);
	return Number(whole + part.padEnd(8, '0').slice(0, 8));
};

/** @param {string | Buffer} json @returns {number[]} starts of the rows of pauses */
const pausesOf = (json) => [...String(json).matchAll(/^\s*\[\s*([\d.]+),\s*[\d.]+,\s*\d+,\s*0,\s*\d+,\s*644,/gm)].map((m) => units(m[1]));

/**
 * @param {string | Buffer} json
 * @returns {Set<string>} `CPU pid start end` of each row in which a CPU did not run while the pid had it
 */
const stopsOf = (json) => new Set([...String(json).matchAll(/^\s*\[\s*([\d.]+),\s*([\d.]+),\s*(\d+),\s*(\d+),\s*\d+,\s*(\d+),/gm)]
	.filter((m) => Number(m[5]) === Event.STOPPED || Number(m[5]) === Event.STOLEN)
	.map((m) => `${m[3]} ${m[4]} ${units(m[1])} ${units(m[1]) + units(m[2])}`));

/** @param {string | Buffer} json @returns {Piece[]} the rows that ran on CPUs, in order of time */
export function piecesOf(json) {
	const pieces = [];
	for (const line of String(json).split('\n')) {
		const m = /^\s*\[\s*([\d.]+),\s*([\d.]+),\s*(-?\d+),\s*(-?\d+),\s*-?\d+,\s*(-?\d+),\s*(-?\d+),.*?,\s*("(?:[^"\\]|\\.)*")\]/.exec(line);
		if (!m) continue;
		const [cpu, pid, event, arg] = [m[3], m[4], m[5], m[6]].map(Number);
		if (cpu < 0 || event < Event.TRAP || (event >= 0x1000 && event < 65536)) continue;
		const start = units(m[1]);
		pieces.push({ start, end: start + units(m[2]), cpu, pid, event, arg, name: JSON.parse(m[7]) });
	}
	return pieces.sort((a, b) => a.start - b.start);
}

/** Kinds of spans that are not calls. */
const OWN = ['user', 'kthread', 'idle'];

/** @param {Piece} piece */
function kindOf({ event, arg, name }) {
	if (event === 65536) return 'idle';
	if (event > 65536) return arg === 1 ? 'kthread' : 'user';
	if (event === Event.SCHED || event === Event.SCHED_RETURN || ((event === Event.SYSCALL64 + 511 || event === Event.SYSCALL64_RETURN + 511) && name.startsWith('-sched-'))) return 'sched';
	if (event >= Event.SYSCALL64) return 'syscall';
	if (event === Event.BH || event === Event.BH_RETURN) return 'softirq';
	return (event >> 8) % 2 ? 'irq' : 'trap';
}

/** @param {Piece} a @param {Piece} b */
const alike = (a, b) => a.event === b.event && a.name.replace(/\?$/, '') === b.name.replace(/\?$/, '');

/**
 * Returns the calls of one process.
 * @param {Piece[]} pieces rows of the process
 * @param {Set<string>} ends `CPU time` of each row's end
 * @param {Set<string>} stops times in which CPUs did not run
 * @returns {Call[]}
 */
function ofProcess(pieces, ends, stops) {
	/** @type {Call[]} */
	const calls = [];
	/** The calls that contain the present part, outermost first. @type {Call[]} */
	let within = [];
	/** True if all of these calls are known. */
	let sure = false;
	pieces.forEach((piece, i) => {
		const before = pieces[i - 1];
		// the calls continue through a time in which the CPU did not run
		const held = before !== undefined && stops.has(`${piece.cpu} ${piece.pid} ${before.end} ${piece.start}`);
		const touches = before !== undefined && (held || before.end === piece.start);
		const kind = kindOf(piece);
		if (before && !touches) {
			const cut = within.findIndex((c) => !['syscall', 'trap'].includes(c.kind));
			if (cut >= 0) within = within.slice(0, cut);
		}
		/** @param {Call[]} ended */
		const close = (ended) => {
			for (const call of ended) if (!touches) call.ends = false;
		};
		const which = within.map((c) => alike(c.pieces[0], piece)).lastIndexOf(true);
		if (OWN.includes(kind)) {
			close(within.splice(0));
			calls.push({ name: piece.name, kind, pid: piece.pid, pieces: [piece], away: 0, begins: true, ends: true });
			sure = true;
			return;
		}
		if (which >= 0 && !(touches && !held && which === within.length - 1)) {
			close(within.splice(which + 1));
			within[which].pieces.push(piece);
		} else {
			if (which >= 0) within.pop();
			else if (kind === 'syscall') close(within.splice(0));
			if (within.length === 16) within.pop();
			const begins = kind === 'syscall' ? touches && ['user', 'kthread', 'syscall'].includes(kindOf(before)) :
				kind === 'trap' ? touches && sure : ends.has(`${piece.cpu} ${piece.start}`);
			const call = { name: piece.name, kind, pid: piece.pid, pieces: [piece], away: 0, begins, ends: true };
			calls.push(call);
			within.push(call);
		}
		if (kind === 'syscall') sure = true;
	});
	for (const call of within) call.ends = false;
	// times in which the process did not run: gaps between its rows that are inside the call
	const gaps = pieces.slice(1).map((p, i) => ({ from: pieces[i].end, to: p.start })).filter((g) => g.to > g.from);
	let next = 0;
	for (const call of calls) {
		call.name = (call.pieces.find((p) => p.name.endsWith('?')) ?? call.pieces[0]).name;
		if (call.pieces.length === 1) continue;
		const [from, to] = [call.pieces[0].start, call.pieces[call.pieces.length - 1].start];
		while (next < gaps.length && gaps[next].from < from) next++;
		for (let i = next; i < gaps.length && gaps[i].to <= to; i++) call.away += gaps[i].to - gaps[i].from;
	}
	return calls;
}

/** @param {string | Buffer} json @returns {Call[]} also intervals of user code and of idle */
export function callsOf(json) {
	const pieces = piecesOf(json);
	const pauses = pausesOf(json);
	const stops = stopsOf(json);
	/** @type {Map<string, Piece[]>} */
	const processes = new Map();
	/** @type {Set<string>} */
	const ends = new Set();
	for (const piece of pieces) {
		const key = piece.pid ? `pid ${piece.pid}` : `CPU ${piece.cpu}`;
		if (!processes.has(key)) processes.set(key, []);
		/** @type {Piece[]} */ (processes.get(key)).push(piece);
		ends.add(`${piece.cpu} ${piece.end}`);
	}
	/** The parts between pauses count as different processes. @type {Piece[][]} */
	const parts = [];
	for (const all of processes.values()) {
		let from = 0;
		for (let i = 1; i < all.length; i++) {
			if (!pauses.some((t) => t >= all[i - 1].end && t < all[i].start)) continue;
			parts.push(all.slice(from, i));
			from = i;
		}
		parts.push(all.slice(from));
	}
	return parts.flatMap((p) => ofProcess(p, ends, stops));
}

/** @param {Call} call */
export const elapsedOf = (call) => call.pieces[call.pieces.length - 1].end - call.pieces[0].start;
/** @param {Call} call */
export const ownOf = (call) => call.pieces.reduce((sum, p) => sum + p.end - p.start, 0);
/** @param {Call} call */
export const isWhole = (call) => call.begins && call.ends && !call.name.endsWith('?');
/** @param {Call} call */
export const isCall = (call) => !OWN.includes(call.kind);

/** @param {Call[]} calls of one row of a table */
export function sumOf(calls) {
	const whole = calls.filter(isWhole).map(elapsedOf).sort((a, b) => a - b);
	/** @param {number} share */
	const place = (share) => (whole.length ? whole[Math.ceil((whole.length * share) / 100) - 1] : 0);
	return {
		count: whole.length, cut: calls.length - whole.length, elapsed: calls.reduce((s, c) => s + elapsedOf(c), 0),
		own: calls.reduce((s, c) => s + ownOf(c), 0), away: calls.reduce((s, c) => s + c.away, 0),
		longest: Math.max(0, ...whole), p50: place(50), p99: place(99),
	};
}

/** @template K @param {Call[]} calls @param {(call: Call) => K} key @returns {Map<K, Call[]>} */
export function grouped(calls, key) {
	const groups = new Map();
	for (const call of calls) {
		const k = key(call);
		if (!groups.has(k)) groups.set(k, []);
		groups.get(k).push(call);
	}
	return groups;
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) {
	const calls = callsOf(readFileSync(process.argv[2] ?? 0)).filter(isCall);
	for (const [name, list] of [...grouped(calls, (c) => c.name)].sort()) {
		const { count, cut, elapsed, own, longest, p50, p99 } = sumOf(list);
		console.log([name, count, cut, elapsed, own, longest, p50, p99].join('\t'));
	}
}
