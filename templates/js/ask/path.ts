// SPDX-License-Identifier: BSD-3-Clause
/**
 * Computes the critical path of an interval, from its end back to its beginning: the runs of a process, its waits, and the
 * work of other processes that ended these waits. The path consists of legs, and each time belongs to exactly one leg. If
 * the trace does not show the waker, the text of the leg reports that. Times are in units of 10 ns. The rules are in
 * docs/design/critical-path.md.
 */
import { Kind, WAIT_THROTTLED } from '../base/kinds.ts';
import { Backwards } from './backwards.ts';
import { ABUT, causeOf, isKsoftirqd, ofDevice, processOf, runsAt, wakeOf, type Cause } from './causes.ts';
import { endsAfter, exitsOf } from './ends.ts';
import { birthOf, type Birth } from './forks.ts';
import { recordedFrom } from './gap.ts';
import { callIn } from './waitname.ts';
import type { SpanList } from '../data/spans.ts';
import type { Trace } from '../data/trace.ts';

/**
 * Type of a leg. run: the process ran. ready: woken, but not running yet. preempted: runnable without a wakeup. throttled:
 * runnable, but its cgroup had used its quota. wait: waits for something that is not a process. handled: the interrupt or softirq that woke the process was running. requested: the
 * wakeup was requested from another CPU. open: a wait that continues after the leg. made: forked, but not woken yet. exited:
 * no longer exists. absent: not in the trace yet. held: had a CPU that did not run. silent: did not run, and the trace does not
 * show why.
 */
export type What = 'run' | 'ready' | 'preempted' | 'throttled' | 'wait' | 'handled' | 'requested' | 'open' | 'made' | 'exited' | 'absent' | 'held' | 'silent';

export interface Leg {
	what: What;
	pid: number;
	from: number;
	to: number;
	lo: number; /* run: first element of the run in the process's list */
	hi: number; /* run: last element of the run */
	quota: number; /* throttled: the wait; otherwise -1 */
	cpu: number; /* ready, preempted: the CPU on which the process then ran; held: its CPU; -1: none */
	by: number; /* ready, preempted: the process on that CPU; 0: idle, -1: not known. wait: the waker, if the path does not continue with the waker. held: kind of the time */
	call: number; /* span of the call in which the process waits; -1: none, or not known */
	cause: Cause | null; /* wait, handled, requested: cause of the wakeup */
	wake: number; /* wakeup of the next leg's process at the end of this leg; -1: none */
	born: number; /* the process that was forked at the end of this leg; -1: none */
	guessed: boolean; /* the fork is a guess */
	waits: {call: number, wake: number} | null; /* set if the process begins a wait at the end of this leg; the next legs show its cause */
}

export interface Path {
	pid: number;
	from: number;
	to: number;
	back: boolean; /* whether the path returns from a waker to the waiting process where the wait begins */
	legs: Leg[]; /* in order of time */
}

/** Values for a leg that ends without an event. */
const NOTHING: {wake: number, born: number, guessed: boolean, waits: Leg['waits']} = { wake: -1, born: -1, guessed: false, waits: null };

/** Maximum number of changes to another process at the same time. After these changes, the path does not continue with a waker. */
const MOST_HOPS = 32;

class Walk {
	/** Waits to which the walk returns from their wakers. */
	frames: {pid: number, at: number, call: number, wake: number}[] = [];
	/** The process that waits for work of ksoftirqd. */
	served: {ksoftirqd: number, pid: number, call: number} | null = null;
	legs: Leg[] = [];
	/** Event at the end of the next leg. (The next leg is earlier in time.) */
	next: {wake: number, born: number, guessed: boolean, waits: Leg['waits']} = NOTHING;
	hops = 0;
	places: Map<SpanList, Backwards> = new Map();
	exit: Uint8Array = exitsOf(this.trace);
	/** True if wakeups were recorded. */
	recorded = this.trace.byKind[Kind.WAKE].length > 0;

	/** @param pid the current process @param at the current time, which only decreases */
	constructor(public trace: Trace, public pid: number, public from: number, public at: number, public back: boolean) {}

	/** Returns the last element of a list that starts before the current time. */
	before(list: SpanList) {
		let place = this.places.get(list);
		if (!place) this.places.set(list, (place = new Backwards(list)));
		return place.before(this.at);
	}

	/** Time at which the walk returns to a waiting process, or ends. */
	get floor() {
		const { frames } = this;
		return frames.length ? frames[frames.length - 1].at : this.from;
	}

	/** Adds a leg from a time up to the current time. */
	leg(what: What, from: number, more: Partial<Leg> = {}) {
		from = Math.max(from, this.floor);
		if (!(from < this.at)) return;
		const { wake, born, guessed, waits } = this.next;
		const { pid = this.pid, lo = 0, hi = -1, quota = -1, cpu = -1, by = -1, call = -1, cause = null } = more;
		this.legs.push({ what, pid, from, to: this.at, lo, hi, quota, cpu, by, call, cause, wake, born, guessed, waits });
		if (this.next !== NOTHING) this.next = NOTHING;
		this.at = from;
		this.hops = 0;
	}

	/** Continues with another process. */
	hop(pid: number, at: number, by: {wake?: number, born?: number, guessed?: boolean}) {
		this.pid = pid;
		this.at = Math.min(this.at, at);
		this.next = { ...this.next, ...by };
		this.hops++;
	}

	/** Returns whether the walk can continue with a process. The process must run at that time. */
	canFollow(pid: number, at: number) {
		return this.hops < MOST_HOPS && runsAt(this.trace, pid, at);
	}

	/** Computes the legs. @returns in order of time */
	walk(): Leg[] {
		while (this.at > this.from) {
			const { floor } = this;
			if (this.at <= floor) {
				const { pid, call, wake } = this.frames.pop()!;
				this.pid = pid;
				this.served = null;
				this.next = { ...NOTHING, waits: { call, wake } };
				continue;
			}
			const list = processOf(this.trace, this.pid)?.spans;
			if (!list?.length) {
				this.leg('absent', floor);
				continue;
			}
			const i = this.before(list);
			if (i >= 0 && list.end(i) >= this.at) this.run(list, i, floor);
			else this.gap(list, i);
		}
		return this.legs.reverse();
	}

	run(list: SpanList, i: number, floor: number) {
		const { starts, durs } = list;
		let k = i;
		let start = list.start(k);
		while (k > 0 && start > floor) {
			const g = list.at(k - 1);
			if (starts[g] + durs[g] !== start) break;
			start = starts[g];
			k--;
		}
		this.leg('run', start, { lo: k, hi: i });
	}

	/** Adds legs for the gap between element i and the next one. */
	gap(list: SpanList, i: number) {
		const { trace, pid } = this;
		const next = i + 1 < list.length ? i + 1 : -1;
		const to = next < 0 ? Infinity : list.start(next);
		const ended = endsAfter(trace, list, i, this.exit);
		const from = i < 0 ? -Infinity : list.end(i);
		if (to - from <= ABUT) {
			this.leg('silent', from);
			return;
		}
		const stop = trace.stopOf(pid, from, to);
		if (stop >= 0) {
			this.leg('held', from, { cpu: trace.cpuOf(stop), by: trace.kind(stop) });
			return;
		}
		const since = i >= 0 && !ended ? recordedFrom(trace, pid, from, Math.min(to, trace.last)) : from;
		if (since > from) {
			if (this.at > since) this.ready('ready', next < 0 ? -1 : list.at(next), since);
			if (this.at > this.floor && this.at > from) this.leg('silent', from);
			return;
		}
		if (ended && next < 0) {
			this.leg('exited', from);
			return;
		}
		const wake = wakeOf(trace, pid, from, to);
		const call = callIn(trace, list, i);
		if (wake < 0 && ended) this.leg('exited', from);
		else if (wake < 0) this.unwoken(list, i, from, next, call);
		else if (trace.start[wake] >= this.at) this.leg(i < 0 ? 'absent' : ended ? 'exited' : 'open', from, { call });
		else {
			this.ready('ready', next < 0 ? -1 : list.at(next), Math.max(from, trace.start[wake]));
			if (!(this.at > this.floor && this.at > from)) return;
			if (ended) this.numberAgain(wake, from);
			else this.woken(wake, from, call, i < 0);
		}
	}

	/** Adds legs for a gap that no wakeup ended. */
	unwoken(list: SpanList, i: number, from: number, next: number, call: number) {
		const { trace, pid } = this;
		const birth = i < 0 ? birthOf(trace, pid) : null;
		if (birth) {
			this.forkedBy(birth, Math.min(this.at, list.start(0)));
			return;
		}
		if (i < 0) this.leg('absent', from);
		else if (next < 0) this.leg('open', from, { call });
		else if (!this.recorded) this.leg('silent', from, { call });
		else this.ready('preempted', list.at(next), from);
	}

	/** Adds a leg from the fork to the first wakeup, and continues with the parent. @param seen when the process first appears */
	forkedBy(birth: Birth, seen: number) {
		const { pid } = this;
		const at = Math.min(seen, Number.isNaN(birth.end) ? seen : birth.end);
		this.leg('made', at);
		if (this.at <= this.floor) return;
		if (this.canFollow(birth.parent, this.at)) this.hop(birth.parent, this.at, { born: pid, guessed: birth.guessed });
		else this.leg('absent', -Infinity);
	}

	/** Returns the last wait before this.at, and after a time, in which the process was throttled; -1: none. */
	throttledAfter(from: number): number {
		const { trace } = this;
		const list = processOf(trace, this.pid)?.waits;
		for (let i = list ? list.first(this.at - 0.5) : 0; list && i >= 0; i--) {
			if (i >= list.length || list.start(i) >= this.at) continue;
			if (list.end(i) <= from) return -1;
			if (trace.event(list.at(i)) === WAIT_THROTTLED) return list.at(i);
		}
		return -1;
	}

	/** Adds a leg for each process on the CPU that the process waited for. @param span its first span after the wait; -1: none */
	ready(what: 'ready' | 'preempted', span: number, from: number) {
		const { trace } = this;
		const cpu = span < 0 ? -1 : trace.cpuOf(span);
		const list = cpu < 0 ? undefined : trace.cpus.get(cpu);
		const end = Math.max(from, this.floor);
		let least = end;
		while (this.at > end) {
			const quota = this.throttledAfter(end);
			least = quota < 0 ? end : Math.max(end, Math.min(this.at, trace.end(quota)));
			if (least === this.at) {
				this.leg('throttled', Math.max(end, trace.start[quota]), { cpu, quota });
				continue;
			}
			const i = list ? this.before(list) : -1;
			if (!list || i < 0 || list.end(i) < this.at) {
				this.leg(what, list && i >= 0 ? Math.max(least, list.end(i)) : least, { cpu });
				continue;
			}
			const by = Math.max(0, trace.pid[list.at(i)]);
			let start = list.start(i);
			for (let k = i - 1; k >= 0 && start > least; k--) {
				const g = list.at(k);
				if (trace.start[g] + trace.dur[g] !== start || Math.max(0, trace.pid[g]) !== by) break;
				start = trace.start[g];
			}
			this.leg(what, Math.max(least, start), { cpu, by });
		}
	}

	/** Continues with the waker, most likely the parent, of a process that got an exited process's pid. @param from time of exit */
	numberAgain(wake: number, from: number) {
		const cause = causeOf(this.trace, wake);
		if (!this.toWaker(wake, cause, from, null, { born: this.pid, guessed: true })) this.leg('exited', from);
	}

	/**
	 * Adds legs for the gap before a wakeup.
	 * @param from when the gap began; -Infinity: it had not run before
	 * @param call call in which the process waited
	 * @param fresh whether the process had not run before
	 */
	woken(wake: number, from: number, call: number, fresh: boolean) {
		const { trace, pid } = this;
		const cause = causeOf(trace, wake);
		const birth = fresh ? birthOf(trace, pid) : null;
		if (birth && birth.parent !== cause.pid) {
			this.forkedBy(birth, this.at);
			return;
		}
		if (this.toWaker(wake, cause, from, { call }, birth ? { born: pid, guessed: birth.guessed } : {})) return;
		const whose = this.served?.ksoftirqd === pid ? this.served : { pid, call };
		if (whose.pid !== pid) this.next = { ...this.next, wake };
		const more = { pid: whose.pid, call: whose.call, cause: ofDevice(trace, cause, whose.pid, this.at), by: cause.pid };
		this.leg('handled', Math.max(from, cause.began), more);
		this.leg('wait', from, more);
	}

	/**
	 * Continues with the process that caused a wakeup, at the time of the cause, if it is another process that ran then.
	 * @param from when the gap began
	 * @param wait call in which the process waited; null: the gap is not a wait
	 * @param birth birth of the woken process, if the cause's process forked it
	 * @returns whether the walk continues with that process
	 */
	toWaker(wake: number, cause: Cause, from: number, wait: {call: number} | null, birth: {born?: number, guessed?: boolean}): boolean {
		const at = Math.max(cause.at, from, this.floor);
		if (cause.source !== 'task' || cause.pid === this.pid || !this.canFollow(cause.pid, at)) return false;
		this.leg('requested', at, { cause, call: wait?.call });
		// the request was made before the gap, so the process did not wait for it
		if (this.at <= this.floor || this.at <= from) return true;
		if (wait) this.enter(cause.pid, from, wait.call, wake);
		this.hop(cause.pid, at, { wake, ...birth });
		return true;
	}

	/** Saves the wait to which the walk returns from a waker. */
	enter(waker: number, from: number, call: number, wake: number) {
		const { pid } = this;
		const soft = isKsoftirqd(this.trace, waker);
		// ksoftirqd has no work of its own: its work before the wait does not belong to the waiting process
		if (!this.back && this.served) this.frames = [];
		this.served = soft ? { ksoftirqd: waker, pid, call } : null;
		if ((this.back || soft) && from > this.floor) this.frames.push({ pid, at: from, call, wake });
	}
}

/**
 * Returns the critical path of a process.
 * @param back true: from a waker, the path returns to the waiting process where the wait began; false: the path stays with
 * the waker
 */
export function pathOf(trace: Trace, pid: number, from: number, to: number, back = true): Path {
	return { pid, from, to, back, legs: new Walk(trace, pid, from, to, back).walk() };
}
