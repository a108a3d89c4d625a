// SPDX-License-Identifier: BSD-3-Clause
/**
 * Checks that each segment of a critical path on the page agrees with the JSON. Does not compute the path, but examines
 * each segment, and each step between two segments, by itself. Shares no code with the page. Times are in units of
 * 10 ns.
 */
import { wordsOf } from '../../templates/js/base/words.ts';
import { kindOf } from '../../templates/js/base/kinds.ts';
import { Event } from './events.mjs';
import { check } from './tap.mjs';

/** @typedef {{start: number, end: number, cpu: number, pid: number, event: number, arg: number, ret: number, name: string, text: string}} Line */
/** @typedef {ReturnType<typeof traceOf>} Traced */

/** @param {number} seconds */
const units = (seconds) => Math.round(seconds * 1e8);
/** Returns the page's name of an activity. Argument 1 of user code marks a thread that never leaves the kernel. @param {number} event @param {number} arg @param {string} name */
function textOf(event, arg, name) {
	if (event > 65536 && event !== 0x20000) return `${arg === 1 ? 'kernel' : 'user'} code${name.endsWith('?') ? '?' : ''}`;
	const word = wordsOf(kindOf(event, name), name);
	const sched = event === Event.SCHED || event === Event.SCHED_RETURN || name.startsWith('-sched-');
	if (sched || event === Event.BH || event === Event.BH_RETURN) return word;
	return event < Event.SYSCALL64 && event & 0x100 ? `interrupt ${word}` : `in ${word}`;
}

/** @template K @param {Line[]} lines @param {(line: Line) => K} key @returns {Map<K, Line[]>} */
function by(lines, key) {
	/** @type {Map<K, Line[]>} */
	const groups = new Map();
	for (const line of lines) {
		const list = groups.get(key(line));
		if (list) list.push(line);
		else groups.set(key(line), [line]);
	}
	return groups;
}

/** @param {string | Buffer} json */
export function traceOf(json) {
	/** @type {Line[]} */
	const lines = JSON.parse(String(json)).events.slice(0, -1).map((/** @type {any[]} */ r) => ({
		start: units(r[0]), end: units(r[0]) + units(r[1]), cpu: r[2], pid: r[3], event: r[5], arg: r[6], ret: r[7], name: r[9], text: textOf(r[5], r[6], r[9]),
	}));
	lines.sort((a, b) => a.start - b.start);
	const ran = lines.filter((l) => l.cpu >= 0 && (l.event >= 65536 || (l.event >= Event.TRAP && l.event < 0x1000)));
	const [first, last] = [Math.min(...lines.slice(0, 50).map((l) => l.start)), ran.reduce((m, l) => Math.max(m, l.end), 0)];
	const ofPid = by(ran.filter((l) => l.pid > 0), (l) => l.pid);
	/** @param {Line[]} list */
	const time = (list) => list.reduce((s, l) => s + l.end - l.start, 0);
	const busiest = [...ofPid].filter(([, list]) => !list.some((l) => l.name.startsWith('ksoftirqd'))).sort((a, b) => time(b[1]) - time(a[1])).map(([pid]) => pid);
	// four processes for the whole trace, and three from before their first row to their last row
	const questions = busiest.slice(0, 4).map((pid) => ({ pid, from: first / 1e8, to: last / 1e8 }));
	for (const pid of busiest.slice(4, 7)) {
		const list = /** @type {Line[]} */ (ofPid.get(pid));
		questions.push({ pid, from: (list[0].start - 50000) / 1e8, to: list[list.length - 1].end / 1e8 });
	}
	return {
		ran, questions: questions.filter((q) => q.from >= first / 1e8), ofPid, ofCpu: by(ran, (l) => l.cpu), wakes: by(lines.filter((l) => l.event === -3), (l) => l.ret),
		ipis: lines.filter((l) => l.event === -7),
		names: new Map([...ofPid].map(([pid, list]) => [pid, list.filter((l) => l.event === 65536 + pid).map((l) => l.name)])),
	};
}

/** Returns the lines of a list that overlap [from, to). @param {Line[] | undefined} list @param {number} from @param {number} to */
function within(list, from, to) {
	if (!list) return [];
	let lo = 0;
	for (let hi = list.length; lo < hi;) {
		const mid = (lo + hi) >>> 1;
		if (list[mid].start < from) lo = mid + 1;
		else hi = mid;
	}
	while (lo > 0 && list[lo - 1].end > from) lo--;
	/** @type {Line[]} */
	const found = [];
	for (; lo < list.length && list[lo].start < to; lo++) if (list[lo].end > from && list[lo].end > list[lo].start) found.push(list[lo]);
	return found;
}

const RUNS = ['user code', 'kernel code', 'system calls', 'faults', 'interrupts, softirqs', 'scheduler'];

/**
 * Checks one segment by itself.
 * @param {Traced} trace
 * @param {{from: number, to: number, pid: number, what: string, sort: string, cpu: string, where: string}} segment
 * @returns {boolean} whether the segment is a wait
 */
function checkSegment(trace, { from, to, pid, what, sort, cpu, where }) {
	const own = within(trace.ofPid.get(pid), from, to);
	if (RUNS.includes(sort) && !what.startsWith('woken in')) {
		check(own.length === 1 && own[0].start <= from && own[0].end >= to, `${where}: it does not run all the time`);
		check(own[0].text === what && String(own[0].cpu) === cpu, `${where}: it runs ${own[0].text} on CPU ${own[0].cpu}`);
		return false;
	}
	check(!own.length, `${where}: it runs ${own[0]?.text}`);
	const [, on, who] = /CPU (\d+) (?:ran (.*)|was idle)$/.exec(what) ?? [];
	if (on !== undefined && /^(ready|preempted)/.test(what)) {
		const there = within(trace.ofCpu.get(Number(on)), from, to);
		const sum = there.reduce((s, l) => s + Math.min(to, l.end) - Math.max(from, l.start), 0);
		check(sum === to - from, `${where}: not all of the CPU's time is known`);
		for (const l of there) check(who === undefined ? l.pid <= 0 : String(trace.names.get(l.pid) ?? '').includes(who) || who === `.${l.pid}`, `${where}: process ${l.pid} had the CPU`);
		const behind = trace.ofPid.get(pid)?.find((l) => l.start >= to && l.end > l.start);
		check(behind?.cpu === Number(on), `${where}: it went on on CPU ${behind?.cpu}`);
		return false;
	}
	return what.startsWith('waiting');
}

/**
 * Checks the step from one segment to the next one of another process.
 * @param {Traced} trace
 * @param {number} t
 * @param {number} before @param {number} behind pids before and after the step
 * @param {string} then event at the end of the segment before the step
 * @param {string} what activity of the segment before the step
 * @param {string} next activity of the segment after the step
 * @param {string} where
 */
function checkStep(trace, t, before, behind, then, what, next, where) {
	if (then.startsWith('begins to wait')) {
		const own = trace.ofPid.get(before) ?? [];
		const stops = own.some((l) => l.end === t) && !within(own, t, t + 1).length;
		check(stops, `${where}: ${before} goes on`);
		const again = own.find((l) => l.start >= t && l.end > l.start);
		check((trace.wakes.get(before) ?? []).some((w) => w.start >= t && again && w.start <= again.start), `${where}: nobody wakes ${before}`);
		return;
	}
	if (next.includes('was requested from another CPU')) {
		check(trace.ipis.some((l) => l.start === t), `${where}: no IPI`);
		return;
	}
	const wakes = (trace.wakes.get(behind) ?? []).filter((w) => w.start === t);
	const clones = (trace.ofPid.get(before) ?? []).some((l) => /^(clone3?|v?fork)$/.test(l.name) && (l.ret & 0xffff) === (behind & 0xffff));
	check(then.startsWith('wakes') || then.startsWith('forks'), `${where}: '${then}'`);
	check(wakes.length > 0 || (then.startsWith('forks') && clones), `${where}: no wakeup of ${behind} at ${t}`);
	const behindIsKsoftirqd = trace.names.get(behind)?.some((name) => name.startsWith('ksoftirqd/')) ?? false;
	for (const w of wakes) {
		// the waker is the process itself, or a softirq that interrupted it
		const there = within(trace.ofCpu.get(w.cpu), t, t + 1);
		if (behindIsKsoftirqd && /^(woken in|waiting)/.test(what)) {
			// the waker of ksoftirqd is a softirq that ran just before
			const softirq = within(trace.ofCpu.get(w.cpu), there[0].start - 1, t + 1).some((l) => l.event === Event.BH || l.event === Event.BH_RETURN);
			check(softirq, `${where}: no softirq`);
			continue;
		}
		check(w.pid === before || there.some((l) => l.pid === before), `${where}: woken by ${w.pid}`);
	}
}

/**
 * @param {Traced} trace
 * @param {string[][]} csv lines of cells
 * @param {number} pid
 * @param {number} from
 * @param {number} to seconds
 * @param {boolean} on the path continues with wakers
 */
export function checkPath(trace, csv, pid, from, to, on) {
	let at = units(from);
	let hops = 0;
	let waits = 0;
	const ksoftirqds = csv.filter((cells) => cells[3].startsWith('ksoftirqd/')).length;
	/** @type {string[] | null} */
	let before = null;
	for (const cells of csv) {
		const [start, dur] = [units(Number(cells[0])), units(Number(cells[1]))];
		const where = `path of ${pid}${on ? ', on' : ''}: ${cells.join(' ')}`;
		check(start === at && dur > 0, `${where}: the segment before ends at ${at / 1e8}`);
		if (checkSegment(trace, { from: start, to: start + dur, pid: Number(cells[2]), what: cells[4], sort: cells[5], cpu: cells[6], where })) waits++;
		if (before && before[2] !== cells[2]) {
			hops++;
			checkStep(trace, start, Number(before[2]), Number(cells[2]), before[7], before[4], cells[4], where);
			// when the path continues with wakers, it returns only to a process that waits for ksoftirqd
			check(!on || !before[7].startsWith('begins') || ksoftirqds > 0, where);
		}
		before = cells;
		at = start + dur;
	}
	check(at === units(to), `path of ${pid}: it ends at ${at / 1e8}, not ${to}`);
	check(Number(before?.[2]) === pid, `path of ${pid}: it ends at ${before?.[2]}`);
	return { hops, waits };
}
