// SPDX-License-Identifier: BSD-3-Clause
/** Sums all spans of each dictionary entry and process, for searches for one entry or process. Times are in units of 10 ns. */
import { PIECE, join, type Joined, type Source } from './join.ts';

/**
 * names: totals of each dictionary entry. pids: pid of each process. ofPids: totals of each process, in the order of pids.
 * Totals are four numbers: spans, their time, matches (a call is one match), and the elapsed time of the matches.
 */
export type Known = {names: Float64Array, pids: Float64Array, ofPids: Float64Array};
export type Whole = Joined & {totals: Known};

/** Count of the numbers for each entry or process. */
export const NUMBERS = 4;

/** Totals by process, in the order of the processes' first spans. */
class ByProcess {
	places = new Map<number, number>();
	sums = new Float64Array(NUMBERS * 64);

	/** Returns the position of a process's totals in sums. Adds the process if it is new. */
	place(pid: number) {
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

function totalsOf({ name, pid, dur, texts }: Source, { flags, at: places, pieces, name: names, elapsed }: Joined): Known {
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

export function joinWhole(source: Source, processes: Parameters<typeof join>[1]): Whole {
	const joined = join(source, processes);
	return { ...joined, totals: totalsOf(source, joined) };
}
