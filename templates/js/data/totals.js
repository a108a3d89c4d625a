// SPDX-License-Identifier: BSD-3-Clause
/**
 * Sums all spans of each dictionary entry and of each process, so that a search for one of these need not sum them. The
 * sums are over the whole trace. Times are in units of 10 ns.
 */
import { PIECE, join } from './join.js';

/** @typedef {import('./join.js').Joined} Joined */
/** @typedef {import('./join.js').Source} Source */
/**
 * Four numbers for each entry or process: spans; their time; spans if a call counts as one; elapsed time of these. pids:
 * the processes in the order of ofPids.
 * @typedef {{names: Float64Array, pids: Float64Array, ofPids: Float64Array}} Known
 */
/** @typedef {Joined & {totals: Known}} Whole */

/** Number of numbers for each entry or process. */
export const NUMBERS = 4;

/** Sums by process, in the order of their first spans. */
class ByProcess {
	constructor() {
		/** @type {Map<number, number>} */
		this.places = new Map();
		this.sums = new Float64Array(NUMBERS * 64);
	}

	/** Returns the position of a process's numbers in sums. Makes them for a new process. @param {number} pid */
	place(pid) {
		let place = this.places.get(pid);
		if (place !== undefined) return place;
		place = NUMBERS * this.places.size;
		this.places.set(pid, place);
		if (place === this.sums.length) {
			const more = new Float64Array(2 * place);
			more.set(this.sums);
			this.sums = more;
		}
		return place;
	}
}

/** Computes the sums. @param {Source} source @param {Joined} joined @returns {Known} */
export function totalsOf({ name, pid, dur, texts }, { flags, at: places, pieces, name: names, elapsed }) {
	const ofNames = new Float64Array(NUMBERS * texts.length);
	const processes = new ByProcess();
	let last = NaN;
	let p = 0;
	for (let g = 0; g < dur.length; g++) {
		if (pid[g] !== last) p = processes.place((last = pid[g]));
		const { sums } = processes;
		const time = dur[g];
		const n = NUMBERS * name[g];
		ofNames[n]++;
		ofNames[n + 1] += time;
		sums[p]++;
		sums[p + 1] += time;
		// parts are counted below, with their call
		if (flags[g] & PIECE) continue;
		ofNames[n + 2]++;
		ofNames[n + 3] += time;
		sums[p + 2]++;
		sums[p + 3] += time;
	}
	for (let call = 0; call < names.length; call++) {
		const time = elapsed[call];
		const n = NUMBERS * names[call];
		ofNames[n + 2]++;
		ofNames[n + 3] += time;
		p = processes.place(pid[pieces[places[call]]]);
		processes.sums[p + 2]++;
		processes.sums[p + 3] += time;
	}
	return { names: ofNames, pids: Float64Array.from(processes.places.keys()), ofPids: processes.sums.slice(0, NUMBERS * processes.places.size) };
}

/** Joins calls and computes the sums. @param {Source} source @param {Parameters<typeof join>[1]} processes @returns {Whole} */
export function joinWhole(source, processes) {
	const joined = join(source, processes);
	return { ...joined, totals: totalsOf(source, joined) };
}
