// SPDX-License-Identifier: BSD-3-Clause
/**
 * Sums the time of each CPU by kind in a time range, and the time in which the CPU was idle while a process was runnable but
 * not running. Does not explain this idle time: a process may be bound to another CPU, and leaving idle takes time. Times are
 * in units of 10 ns.
 */
import { EXECUTION_KINDS, Kind, LAST_IDLE, WAIT_CPU } from '../base/kinds.ts';
import type { Trace } from '../data/trace.ts';

const SLICE = 20000;

/** Times in which at least one process was runnable but not running: disjoint ranges in order. */
export class Ready {
	from: number[] = [];
	to: number[] = [];
	at = 0;

	/** Collects the times in [t0, t1). */
	*work(trace: Trace, t0: number, t1: number) {
		const { start, dur } = trace;
		const { from, to } = this;
		let last = -1;
		let n = 0;
		for (const g of trace.byKind[Kind.WAIT]) {
			if (++n % SLICE === 0) yield;
			if (start[g] >= t1) break;
			if (trace.event(g) !== WAIT_CPU) continue;
			const [a, b] = [Math.max(start[g], t0), Math.min(start[g] + dur[g], t1)];
			if (b <= a) continue;
			if (last >= 0 && a <= to[last]) {
				if (b > to[last]) to[last] = b;
			} else {
				last = from.push(a) - 1;
				to.push(b);
			}
		}
	}

	/** Restarts at the first time, so that a may be smaller in the next call of within(). */
	rewind() {
		this.at = 0;
	}

	/** Returns how much of [a, b) belongs to these times. In later calls a must not be smaller, except after rewind(). */
	within(a: number, b: number) {
		const { from, to } = this;
		while (this.at < to.length && to[this.at] <= a) this.at++;
		let sum = 0;
		for (let k = this.at; k < to.length && from[k] < b; k++) sum += Math.min(to[k], b) - Math.max(from[k], a);
		return sum;
	}
}

export class OfCpu {
	/** Time of the CPU by kind of span. */
	times: Float64Array = new Float64Array(EXECUTION_KINDS);
	/** wasted: idle time while a process was runnable. most: the longest part of it in one idle span. longest: this span, or -1. */
	wasted = 0;
	most = 0;
	longest = -1;

	constructor(public cpu: number) {}

	/** Adds the part of an idle span in which a process was runnable. */
	idled(span: number, part: number) {
		this.wasted += part;
		if (part <= this.most) return;
		this.most = part;
		this.longest = span;
	}

	get user() {
		return this.times[Kind.USER];
	}

	get interrupts() {
		return this.times[Kind.IRQ] + this.times[Kind.SOFTIRQ];
	}

	get busy() {
		return this.times.reduce((sum, time, kind) => (kind > LAST_IDLE ? sum + time : sum), 0);
	}

	/** Estimated time in which the CPU left deep idle states. */
	get leaving() {
		return this.times[Kind.CEXIT];
	}

	/** Time in system calls, faults, the scheduler and kernel threads. */
	get kernel() {
		return this.busy - this.user - this.interrupts;
	}
}
