// SPDX-License-Identifier: BSD-3-Clause
/** Sums the matches of a search by process, and finds the shortest and the longest match. Works in steps. */
import { addSpan, noSum, type Sum } from './stats.ts';
import type { Matches } from './search.ts';

/** Times are in units of 10 ns. */
type OfProcess = Sum & {pid: number};

export class FoundBy {
	processes: Map<number, OfProcess> = new Map();
	/** Spans of the shortest and the longest match; -1: no match. */
	shortest = -1;
	longest = -1;
	least = Infinity;
	most = -Infinity;
	count = 0;
	elapsed = 0;

	/** Sums the matches in a range. */
	*work(matches: Matches, t0: number, t1: number) {
		const { pid } = matches.trace;
		let sum: OfProcess | undefined;
		yield* matches.slowly(t0, t1, (span, elapsed) => {
			if (sum?.pid !== pid[span]) {
				sum = this.processes.get(pid[span]);
				if (!sum) this.processes.set(pid[span], (sum = { pid: pid[span], ...noSum() }));
			}
			addSpan(sum, span, elapsed);
			if (elapsed < this.least) {
				this.least = elapsed;
				this.shortest = span;
			}
			if (elapsed > this.most) {
				this.most = elapsed;
				this.longest = span;
			}
		});
		for (const { count, units } of this.processes.values()) {
			this.count += count;
			this.elapsed += units;
		}
	}

	/** Returns the sums, most time first. */
	get list() {
		return [...this.processes.values()].sort((a, b) => b.units - a.units || b.count - a.count || a.pid - b.pid);
	}
}
