// SPDX-License-Identifier: BSD-3-Clause
/**
 * Why a process was not running: from a gap back to what woke it, to what that had waited for, and so on.
 * Never touches the page or the view, and never guesses: where the trace does not say, the chain ends.
 * Imported by panel/whyview.js, shell/actions.js and thread.js; draw/chain.js draws the chain.
 */
import * as format from '../base/format.js';
import { Kind, isIdle, waitLetter, waits } from '../base/kinds.js';

/** @typedef {import('../data/trace.js').Trace} Trace */
/** @typedef {import('../data/spans.js').SpanList} SpanList */

/**
 * @typedef {object} Link one process that did not run
 * @property {number} pid
 * @property {number} from end of its last span before the gap, units
 * @property {number} to when it ran again
 * @property {{letter: string, units: number}[]} reasons
 * @property {number} wake the wakeup that ended it, or -1
 * @property {number} waker pid, or -1
 * @property {number} ranFrom since when the waker had been running at the wakeup
 * @property {string} text what happened
 */

/** @typedef {{links: Link[], end: string}} Chain end: why it goes no further back */

const MOST_LINKS = 12;
/** Spans that are no further apart belong to one run. */
const ABUT = 1;

/** @type {WeakMap<Trace, Map<number, number[]>>} */
const wakesOf = new WeakMap();

/** Wakeups of a pid in order of time. @param {Trace} trace @param {number} pid */
function wakes(trace, pid) {
	let all = wakesOf.get(trace);
	if (!all) {
		all = new Map();
		for (const g of trace.byKind[Kind.WAKE]) {
			const to = trace.ret.at(g);
			const list = all.get(to);
			if (list) list.push(g);
			else all.set(to, [g]);
		}
		wakesOf.set(trace, all);
	}
	return all.get(pid) ?? [];
}

/** @type {WeakMap<Trace, Map<number, import('../data/trace.js').Process>>} */
const byPid = new WeakMap();

/** @param {Trace} trace @param {number} pid */
export function processOf(trace, pid) {
	let all = byPid.get(trace);
	if (!all) byPid.set(trace, (all = new Map(trace.processes().map((p) => [p.id, p]))));
	return all.get(pid);
}

/**
 * The stretch around t in which a pid did not run, or null.
 * @param {Trace} trace
 * @param {number} pid
 * @param {number} t
 */
export function gapAt(trace, pid, t) {
	const list = processOf(trace, pid)?.spans;
	if (!list) return null;
	const next = list.seek(t + 0.001);
	if (next === 0 && trace.first > t) return null;
	const from = next > 0 ? list.end(next - 1) : trace.first;
	const to = next < list.length ? list.start(next) : trace.last;
	return from <= t && to - from > ABUT ? { from, to } : null;
}

/** A time in the gap before the run that a span belongs to. @param {Trace} trace @param {number} span */
export function gapBefore(trace, span) {
	const list = processOf(trace, trace.pid[span])?.spans;
	const run = list ? runBefore(list, trace.start[span]) : null;
	return (run ? run.from : trace.start[span]) - 0.5;
}

/** What runs on a CPU at a time, or -1. @param {Trace} trace @param {number} cpu @param {number} t */
export function runningOn(trace, cpu, t) {
	const list = trace.cpus.get(cpu);
	if (!list) return -1;
	const i = list.first(t);
	return i < list.length && list.start(i) <= t ? list.at(i) : -1;
}

/**
 * Which process had a CPU longest between two times.
 * @param {Trace} trace
 * @param {number} cpu
 * @param {number} from
 * @param {number} to
 * @param {number} but not this one
 */
export function holder(trace, cpu, from, to, but) {
	const list = trace.cpus.get(cpu);
	/** @type {Map<number, number>} */
	const sums = new Map();
	if (!list) return null;
	const end = Math.min(list.seek(to), list.first(from) + 100000);
	for (let i = list.first(from); i < end; i++) {
		const g = list.at(i);
		const pid = trace.pid[g];
		if (pid === but || isIdle(trace.kind(g))) continue;
		sums.set(pid, (sums.get(pid) ?? 0) + Math.min(to, list.end(i)) - Math.max(from, list.start(i)));
	}
	const best = [...sums].sort((a, b) => b[1] - a[1])[0];
	return best ? { pid: best[0], units: best[1] } : null;
}

/**
 * When the run began in which a list's spans reach t.
 * @param {SpanList} list
 * @param {number} t
 */
function runBefore(list, t) {
	let k = list.seek(t + 0.001) - 1;
	if (k < 0) return null;
	while (k > 0 && list.start(k) - list.end(k - 1) <= ABUT) k--;
	return { from: list.start(k), first: k === 0, before: k > 0 ? list.end(k - 1) : NaN };
}

/** @param {Trace} trace @param {number} pid @param {number} from @param {number} to */
function reasonsOf(trace, pid, from, to) {
	const list = processOf(trace, pid)?.waits;
	/** @type {Map<string, number>} */
	const sums = new Map();
	if (list) {
		for (let i = list.first(from); i < list.length && list.start(i) < to; i++) {
			const letter = waitLetter(trace.event(list.at(i)));
			sums.set(letter, (sums.get(letter) ?? 0) + Math.min(to, list.end(i)) - Math.max(from, list.start(i)));
		}
	}
	return [...sums].map(([letter, units]) => ({ letter, units })).filter((r) => r.units > 0).sort((a, b) => b.units - a.units);
}

/**
 * @param {Trace} trace
 * @param {number} pid
 * @param {number} t a time in the gap
 * @returns {Chain | null} null: it was running
 */
export function why(trace, pid, t) {
	/** @type {Link[]} */
	const links = [];
	let gap = gapAt(trace, pid, t);
	if (!gap) return null;
	let end = '';
	const seen = new Set();
	for (let who = pid; gap;) {
		const { from, to } = gap;
		seen.add(`${who} ${from}`);
		const reasons = reasonsOf(trace, who, from, to);
		/** @type {Link} */
		const link = { pid: who, from, to, reasons, wake: -1, waker: -1, ranFrom: NaN, text: '' };
		links.push(link);
		link.wake = wakes(trace, who).find((g) => trace.start[g] >= from - ABUT && trace.start[g] <= to) ?? -1;
		const name = trace.pidLabel(who);
		const list = /** @type {SpanList} */ (processOf(trace, who)?.spans);
		const i = list.seek(to - 0.001);
		const cpu = i < list.length ? trace.cpuOf(list.at(i)) : -1;
		link.text = `${name} did not run for ${format.duration(to - from)}` +
			(reasons.length ? ` (${reasons.map((r) => `${waits[r.letter]?.name ?? 'unknown'} ${format.duration(r.units)}`).join(', ')})` : '');
		if (link.wake < 0) {
			const other = cpu >= 0 ? holder(trace, cpu, from, to, who) : null;
			end = to >= trace.last ? 'It does not run again in this trace.' :
				other ? `Nobody woke it: it could have run, but CPU ${cpu} ran ${trace.pidLabel(other.pid)} for ${format.duration(other.units)}.` :
				'The trace does not show what made it run again.';
			break;
		}
		const at = trace.start[link.wake];
		const wakeCpu = trace.cpuOf(link.wake);
		const doing = runningOn(trace, wakeCpu, at);
		const kind = doing >= 0 ? trace.kind(doing) : Kind.USER;
		const waker = trace.pid[link.wake];
		const delay = to - at;
		const other = delay > ABUT && cpu >= 0 ? holder(trace, cpu, at, to, who) : null;
		const late = delay > 100 ? ` It ran ${format.duration(delay)} after that` +
			(other && other.units > delay / 4 ? `: CPU ${cpu} ran ${trace.pidLabel(other.pid)}.` : '.') : '';
		if (kind === Kind.IRQ || kind === Kind.SOFTIRQ || waker <= 0 || isIdle(kind)) {
			link.text += `, until ${doing >= 0 ? trace.shown(doing) : 'something'} on CPU ${wakeCpu}` +
				`${waker > 0 ? ` (in ${trace.pidLabel(waker)})` : ''} woke it.${late}`;
			end = kind === Kind.IRQ || kind === Kind.SOFTIRQ ?
				`${trace.shown(doing)} is ${kind === Kind.IRQ ? 'an interrupt' : 'a softirq'}: the cause lies outside of the processes.` :
				'It was woken from the idle loop: the cause lies outside of the processes.';
			break;
		}
		link.waker = waker;
		link.text += `, until ${trace.pidLabel(waker)} woke it${doing >= 0 && kind !== Kind.USER ? ` in ${trace.label(doing)}` : ''} on CPU ${wakeCpu}.${late}`;
		const wakerList = processOf(trace, waker)?.spans;
		const run = wakerList ? runBefore(wakerList, at) : null;
		if (!run) {
			end = `The trace does not show what ${trace.pidLabel(waker)} did before.`;
			break;
		}
		link.ranFrom = run.from;
		if (run.from <= from) {
			end = `${trace.pidLabel(waker)} was running all that time.`;
			break;
		}
		gap = run.first ? null : { from: run.before, to: run.from };
		if (!gap) end = `${trace.pidLabel(waker)} first ran ${format.duration(at - run.from)} before that.`;
		else if (links.length >= MOST_LINKS || seen.has(`${waker} ${gap.from}`)) {
			end = 'And so on.';
			break;
		}
		who = waker;
	}
	return { links, end };
}
