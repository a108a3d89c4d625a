// SPDX-License-Identifier: BSD-3-Clause
/**
 * What each CPU did in a stretch of time, and how long it was idle while a process could run and had no CPU.
 * Never says why: a process may be bound to another CPU, and a CPU takes its time to leave idle.
 * Imported by stats.js, which goes through the spans. Times: units of 10 ns.
 */
import { EXECUTION_KINDS, Kind, LAST_IDLE, WAIT_CPU } from '../base/kinds.js';

/** @typedef {import('../data/trace.js').Trace} Trace */

const SLICE = 20000;

/** When at least one process could run and had no CPU: stretches that do not touch, in order. */
export class Ready {
	constructor() {
		/** @type {number[]} */
		this.from = [];
		/** @type {number[]} */
		this.to = [];
		this.at = 0;
	}

	/** @param {Trace} trace @param {number} t0 @param {number} t1 */
	*work(trace, t0, t1) {
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

	/** What is asked for next may lie before what was asked for last. */
	rewind() {
		this.at = 0;
	}

	/** How much of [a, b) they are; no later call asks for what lies before a. @param {number} a @param {number} b */
	within(a, b) {
		const { from, to } = this;
		while (this.at < to.length && to[this.at] <= a) this.at++;
		let sum = 0;
		for (let k = this.at; k < to.length && from[k] < b; k++) sum += Math.min(to[k], b) - Math.max(from[k], a);
		return sum;
	}
}

/** One CPU. */
export class OfCpu {
	/** @param {number} cpu */
	constructor(cpu) {
		this.cpu = cpu;
		/** By kind. */
		this.times = new Float64Array(EXECUTION_KINDS);
		/** Idle while a process could run; and the idle span in which that was longest, or -1. */
		this.wasted = 0;
		this.most = 0;
		this.longest = -1;
	}

	/** A span of idle, of which a part lay in time in which a process could run. @param {number} span @param {number} part */
	idled(span, part) {
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

	/** The way out of deep idle: an estimate. */
	get leaving() {
		return this.times[Kind.CEXIT];
	}

	/** System calls, faults, the scheduler. */
	get kernel() {
		return this.busy - this.user - this.interrupts;
	}
}
