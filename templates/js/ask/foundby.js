// SPDX-License-Identifier: BSD-3-Clause
/**
 * The search's matches by process: how many, how long all together, the longest; and the shortest and longest of all.
 * Never touches the page; works in pieces, so that frames go on meanwhile. Imported by panel/foundby.js.
 */

/** @typedef {import('./search.js').Matches} Matches */
/** Times: units. @typedef {{pid: number, count: number, elapsed: number, most: number, longest: number}} OfProcess */

export class FoundBy {
	constructor() {
		/** @type {Map<number, OfProcess>} */
		this.processes = new Map();
		/** Spans; -1: nothing matches. */
		this.shortest = -1;
		this.longest = -1;
		this.least = Infinity;
		this.most = -Infinity;
		this.count = 0;
		this.elapsed = 0;
	}

	/** @param {Matches} matches @param {number} t0 @param {number} t1 */
	*work(matches, t0, t1) {
		const { pid } = matches.trace;
		/** @type {OfProcess | undefined} */
		let sum;
		yield* matches.slowly(t0, t1, (span, elapsed) => {
			if (sum?.pid !== pid[span]) {
				sum = this.processes.get(pid[span]);
				if (!sum) this.processes.set(pid[span], (sum = { pid: pid[span], count: 0, elapsed: 0, most: -1, longest: -1 }));
			}
			sum.count++;
			sum.elapsed += elapsed;
			if (elapsed > sum.most) {
				sum.most = elapsed;
				sum.longest = span;
			}
			if (elapsed < this.least) {
				this.least = elapsed;
				this.shortest = span;
			}
			if (elapsed > this.most) {
				this.most = elapsed;
				this.longest = span;
			}
		});
		for (const { count, elapsed } of this.processes.values()) {
			this.count += count;
			this.elapsed += elapsed;
		}
	}

	/** The most time first. */
	get list() {
		return [...this.processes.values()].sort((a, b) => b.elapsed - a.elapsed || b.count - a.count || a.pid - b.pid);
	}
}
