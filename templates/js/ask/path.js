// SPDX-License-Identifier: BSD-3-Clause
/**
 * The critical path of an interval: from its end back to its start, what had to happen for a process to get there.
 * Each moment belongs to one leg, and the legs touch. Never guesses who woke whom: where the trace does not say, a leg says so.
 * Imported by panel/path.js; pathsums.js adds up, pathwords.js has the words. The rules: docs/critical-path.md. Units of 10 ns.
 */
import { Kind, waitLetter } from '../base/kinds.js';
import { Backwards } from './backwards.js';
import { ABUT, causeOf, isKsoftirqd, processOf, runsAt, wakeOf } from './causes.js';
import { endsBehind, exitsOf } from './ends.js';
import { birthOf } from './forks.js';
import { callIn } from './waitname.js';

/** @typedef {import('../data/trace.js').Trace} Trace */
/** @typedef {import('../data/spans.js').SpanList} SpanList */
/** @typedef {import('./causes.js').Cause} Cause */

/**
 * run: it ran. ready: woken, and not running yet. preempted: it could run, and nobody had to wake it. wait: for what is no process.
 * handled: the interrupt, or softirq, that woke it. asked: another CPU was asked to wake it. open: a wait that does not end here.
 * made: forked, and not yet woken. exited: it is no more. absent: nothing is known of it yet. silent: it did not run, the trace does not say why.
 * @typedef {'run' | 'ready' | 'preempted' | 'wait' | 'handled' | 'asked' | 'open' | 'made' | 'exited' | 'absent' | 'silent'} What
 */
/**
 * @typedef {object} Leg
 * @property {What} what
 * @property {number} pid
 * @property {number} from
 * @property {number} to
 * @property {number} lo of a run: its first element in the process's list
 * @property {number} hi and its last one
 * @property {number} cpu ready, preempted: the CPU that it then ran on; -1: none
 * @property {number} by ready, preempted: who had that CPU; 0: it was idle, -1: not known. wait: who woke it, when that is not gone on with
 * @property {number} call the call that it waits in, a span; -1: none, or not known
 * @property {Cause | null} cause of wait, handled, asked
 * @property {number} wake the wakeup at its end, of the next leg's process; -1: none
 * @property {number} born the process that it forked at its end; -1: none
 * @property {boolean} guessed it is not certain that it did
 * @property {{call: number, wake: number} | null} waits the process begins to wait at its end, for what the next legs are
 */
/**
 * @typedef {object} Path
 * @property {number} pid
 * @property {number} from
 * @property {number} to
 * @property {boolean} back when a waker's part ends: back to who waited
 * @property {Leg[]} legs in order of time
 */

/** How most legs end. @type {{wake: number, born: number, guessed: boolean, waits: Leg['waits']}} */
const NOTHING = { wake: -1, born: -1, guessed: false, waits: null };

/** Hops in a row without any time between them, after which no more is followed. */
const MOST_HOPS = 32;

class Walk {
	/** @param {Trace} trace @param {number} pid @param {number} from @param {number} to @param {boolean} back */
	constructor(trace, pid, from, to, back) {
		this.trace = trace;
		this.from = from;
		this.back = back;
		/** Whom it is at, and when. */
		this.pid = pid;
		this.at = to;
		/** Waits to come back to. @type {{pid: number, at: number, call: number, wake: number}[]} */
		this.frames = [];
		/** Who waits for what ksoftirqd does. @type {{ksoftirqd: number, pid: number, call: number} | null} */
		this.served = null;
		/** @type {Leg[]} */
		this.legs = [];
		/** What the next leg, which is before in time, ends with. */
		this.next = NOTHING;
		this.hops = 0;
		/** @type {Map<SpanList, Backwards>} */
		this.places = new Map();
		this.exit = exitsOf(trace);
		/** Were wakeups recorded? */
		this.recorded = trace.byKind[Kind.WAKE].length > 0;
	}

	/** The last element of a list that starts before the moment. @param {SpanList} list */
	before(list) {
		let place = this.places.get(list);
		if (!place) this.places.set(list, (place = new Backwards(list)));
		return place.before(this.at);
	}

	/** It goes no further back than this, for now. */
	get floor() {
		const { frames } = this;
		return frames.length ? frames[frames.length - 1].at : this.from;
	}

	/** A leg back to a time. @param {What} what @param {number} from @param {Partial<Leg>} [more] */
	leg(what, from, more = {}) {
		from = Math.max(from, this.floor);
		if (!(from < this.at)) return;
		const { wake, born, guessed, waits } = this.next;
		const { pid = this.pid, lo = 0, hi = -1, cpu = -1, by = -1, call = -1, cause = null } = more;
		this.legs.push({ what, pid, from, to: this.at, lo, hi, cpu, by, call, cause, wake, born, guessed, waits });
		if (this.next !== NOTHING) this.next = NOTHING;
		this.at = from;
		this.hops = 0;
	}

	/** Goes on with another process. @param {number} pid @param {number} at @param {{wake?: number, born?: number, guessed?: boolean}} by */
	hop(pid, at, by) {
		this.pid = pid;
		this.at = Math.min(this.at, at);
		this.next = { ...this.next, ...by };
		this.hops++;
	}

	/** Can it go on with a process that is at it at that time? @param {number} pid @param {number} at */
	canFollow(pid, at) {
		return this.hops < MOST_HOPS && runsAt(this.trace, pid, at);
	}

	/** @returns {Leg[]} in order of time */
	walk() {
		while (this.at > this.from) {
			const { floor } = this;
			if (this.at <= floor) {
				const { pid, call, wake } = /** @type {Walk['frames'][0]} */ (this.frames.pop());
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

	/** @param {SpanList} list @param {number} i @param {number} floor */
	run(list, i, floor) {
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

	/** Between element i, which is before, and the next one. @param {SpanList} list @param {number} i */
	gap(list, i) {
		const { trace, pid } = this;
		const next = i + 1 < list.length ? i + 1 : -1;
		const to = next < 0 ? Infinity : list.start(next);
		const ended = endsBehind(trace, list, i, this.exit);
		const from = i < 0 ? -Infinity : list.end(i);
		if (to - from <= ABUT || (i >= 0 && next >= 0 && !ended && (trace.isPartial(from) || trace.pausedIn(from, to)))) {
			this.leg('silent', from);
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

	/** Nobody woke it. @param {SpanList} list @param {number} i @param {number} from @param {number} next @param {number} call */
	unwoken(list, i, from, next, call) {
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

	/** Goes on with the parent; before, what was forked and not yet woken. @param {import('./forks.js').Birth} birth @param {number} seen when it was first heard of */
	forkedBy(birth, seen) {
		const { pid } = this;
		const at = Math.min(seen, Number.isNaN(birth.end) ? seen : birth.end);
		this.leg('made', at);
		if (this.at <= this.floor) return;
		if (this.canFollow(birth.parent, this.at)) this.hop(birth.parent, this.at, { born: pid, guessed: birth.guessed });
		else this.leg('absent', -Infinity);
	}

	/**
	 * Could run, from a time on: by who had the CPU that it then got.
	 * @param {'ready' | 'preempted'} what
	 * @param {number} span that it then ran; -1: it did not
	 * @param {number} from
	 */
	ready(what, span, from) {
		const { trace } = this;
		const cpu = span < 0 ? -1 : trace.cpuOf(span);
		const list = cpu < 0 ? undefined : trace.cpus.get(cpu);
		const least = Math.max(from, this.floor);
		while (this.at > least) {
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

	/**
	 * It is at the first wakeup of a process that has the number of one that had ended: who does that has forked it, most likely.
	 * @param {number} wake
	 * @param {number} from when the other one ended
	 */
	numberAgain(wake, from) {
		const cause = causeOf(this.trace, wake);
		if (!this.toWaker(wake, cause, from, null, { born: this.pid, guessed: true })) this.leg('exited', from);
	}

	/**
	 * It is at the wakeup that ended a gap.
	 * @param {number} wake
	 * @param {number} from when the gap began; -Infinity: it had not run before
	 * @param {number} call that it waited in
	 * @param {boolean} fresh it had not run before
	 */
	woken(wake, from, call, fresh) {
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
		const more = { pid: whose.pid, call: whose.call, cause: this.ofDevice(cause, whose.pid), by: cause.pid };
		this.leg('handled', Math.max(from, cause.began), more);
		this.leg('wait', from, more);
	}

	/**
	 * Goes on with who brought a wakeup about, from when that was done, if it was another process, which ran then.
	 * @param {number} wake
	 * @param {Cause} cause
	 * @param {number} from when the gap began
	 * @param {{call: number} | null} wait the gap is one, in this call; null: it is none
	 * @param {{born?: number, guessed?: boolean}} birth of the process that was woken, where that one forked it
	 * @returns {boolean} is that so?
	 */
	toWaker(wake, cause, from, wait, birth) {
		const at = Math.max(cause.at, from, this.floor);
		if (cause.source !== 'task' || cause.pid === this.pid || !this.canFollow(cause.pid, at)) return false;
		this.leg('asked', at, { cause, call: wait?.call });
		// it was asked before the gap: nobody was waited for
		if (this.at <= this.floor || this.at <= from) return true;
		if (wait) this.enter(cause.pid, from, wait.call, wake);
		this.hop(cause.pid, at, { wake, ...birth });
		return true;
	}

	/** An interrupt is of what the process waited for. @param {Cause} cause @param {number} pid @returns {Cause} */
	ofDevice(cause, pid) {
		const waits = cause.source === 'device' ? processOf(this.trace, pid)?.waits : null;
		if (!waits) return cause;
		const i = waits.seek(this.at) - 1;
		const letter = i >= 0 && waits.end(i) >= this.at - ABUT ? waitLetter(this.trace.event(waits.at(i))) : '';
		return letter === 'd' ? { ...cause, source: 'disk' } : letter === 'n' ? { ...cause, source: 'network' } : cause;
	}

	/** Remembers where to come back to from a waker. @param {number} waker @param {number} from @param {number} call @param {number} wake */
	enter(waker, from, call, wake) {
		const { pid } = this;
		const soft = isKsoftirqd(this.trace, waker);
		// ksoftirqd has no work of its own: what is before the wait is not that of who waits
		if (!this.back && this.served) this.frames = [];
		this.served = soft ? { ksoftirqd: waker, pid, call } : null;
		if ((this.back || soft) && from > this.floor) this.frames.push({ pid, at: from, call, wake });
	}
}

/**
 * @param {Trace} trace
 * @param {number} pid
 * @param {number} from
 * @param {number} to
 * @param {boolean} [back] true: a waker's part is only as long as the wait, and before it comes who waited; false: on with the waker
 * @returns {Path}
 */
export function pathOf(trace, pid, from, to, back = true) {
	return { pid, from, to, back, legs: new Walk(trace, pid, from, to, back).walk() };
}
