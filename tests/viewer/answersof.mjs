// SPDX-License-Identifier: BSD-3-Clause
/**
 * Computes the answers to the questions of docs/guide/questions.md from span JSON alone. questions.mjs compares the page
 * with these answers. Shares no code with the page. callsof.mjs computes the calls. Times are in units of 10 ns.
 */
import { callsOf, elapsedOf, isCall, isWhole, sumOf } from './callsof.mjs';
import { Event } from './events.mjs';

/** @typedef {import('./callsof.mjs').Call} Call */
/** @typedef {{start: number, end: number, cpu: number, pid: number, event: number, arg: number, ret: number, name: string}} Line */
/** @typedef {ReturnType<typeof readTrace>} Read */

const ERRORS = /** @type {Record<number, string>} */ ({ 1: 'EPERM', 2: 'ENOENT', 4: 'EINTR', 10: 'ECHILD', 11: 'EAGAIN', 22: 'EINVAL', 25: 'ENOTTY', 110: 'ETIMEDOUT' });
const CAUSES = /** @type {Record<string, string>} */ ({
	c: 'CPU', d: 'disk', k: 'task', l: 'lock', m: 'memory', n: 'network', p: 'pipe', r: 'RCU', s: 'scheduler', t: 'time', u: 'unknown', z: 'unknown',
});
/** The page's names for the softirqs and the scheduler that occur in answers. @type {Record<string, string>} */
const WORDS = { 'BH:rx': 'network receive softirq', 'BH:rcu': 'RCU softirq', 'BH:timer': 'timer softirq', 'BH:sched': 'scheduler softirq', '-sched-': 'scheduler' };
/** @param {string} name */
const word = (name) => WORDS[name] ?? name;

/** Formats a time with four digits, as in tables. @param {number} units */
export function brief(units) {
	const ns = units * 10;
	if (ns < 999.5) return `${ns.toFixed(0)} ns`;
	const [v, unit] = ns < 999.95e3 ? [ns / 1e3, 'µs'] : ns < 999.95e6 ? [ns / 1e6, 'ms'] : [ns / 1e9, 's'];
	return `${v.toFixed(v < 9.9995 ? 3 : v < 99.995 ? 2 : 1)} ${unit}`;
}
/** Formats a time as in sentences. @param {number} units */
export function told(units) {
	const ns = units * 10;
	const [v, digits, unit] = ns < 999.5 ? [ns, 0, 'ns'] : ns < 999.995e3 ? [ns / 1e3, 2, 'µs'] : ns < 999.9995e6 ? [ns / 1e6, 3, 'ms'] : [ns / 1e9, 3, 's'];
	return `${Number(v.toFixed(digits))} ${unit}`;
}
/** @param {number} n with blanks between thousands */
const count = (n) => String(n).replace(/\B(?=(\d{3})+$)/g, ' ');
/** @param {number} share */
function percent(share) {
	const p = share * 100;
	return `${p >= 99.95 || p === 0 ? p.toFixed(0) : p >= 9.995 ? p.toFixed(1) : p >= 0.01 ? p.toFixed(2) : '<0.01'} %`;
}
/** @param {number} units */
const at = (units) => `${(units / 1e8).toFixed(8)} s`;

/** @template T, K @param {Iterable<T>} list @param {(one: T) => K} key @returns {Map<K, T[]>} */
function by(list, key) {
	/** @type {Map<K, T[]>} */
	const groups = new Map();
	for (const one of list) {
		const group = groups.get(key(one));
		if (group) group.push(one);
		else groups.set(key(one), [one]);
	}
	return groups;
}
/** @param {{start: number, end: number}[]} list */
const sum = (list) => list.reduce((s, { start, end }) => s + end - start, 0);
/** Returns the first element with the largest value. @template T @param {T[]} list @param {(one: T) => number} of @returns {T} */
const most = (list, of) => list.reduce((a, b) => (of(b) > of(a) ? b : a));

/** @param {string | Buffer} json */
export function readTrace(json) {
	const { events, ...header } = JSON.parse(String(json));
	/** @type {Line[]} */
	const lines = events.slice(0, -1).map((/** @type {any[]} */ r) => ({
		start: Math.round(r[0] * 1e8), end: Math.round(r[0] * 1e8) + Math.round(r[1] * 1e8), cpu: r[2], pid: r[3], event: r[5], arg: r[6], ret: r[7], name: r[9],
	})).sort((/** @type {Line} */ a, /** @type {Line} */ b) => a.start - b.start);
	const ran = lines.filter((l) => l.cpu >= 0 && (l.event >= 65536 || (l.event >= Event.TRAP && l.event < 0x1000)));
	const names = new Map(ran.filter((l) => l.event > 65536 && l.event !== 0x20000).map((l) => [l.event - 65536, l.name]));
	const stretches = callsOf(json);
	return {
		header, lines, ran, names, stretches,
		calls: stretches.filter(isCall),
		waits: lines.filter((l) => l.event >= Event.WAITA && l.event <= Event.WAITZ),
		wakes: lines.filter((l) => l.event === -3),
		first: Math.min(...lines.map((l) => l.start)),
		/** @param {number} pid */
		label: (pid) => names.get(pid) ?? (pid ? `.${pid}` : 'idle'),
		/** Returns the first process with a name, such as `workload.56`. @param {string} program @returns {number} */
		pidOf: (program) => [...names].filter(([, name]) => name.startsWith(`${program}.`)).map(([pid]) => pid).sort((a, b) => a - b)[0],
	};
}

/** The cause of a wait, as a letter. @param {Line} wait */
const letter = (wait) => String.fromCharCode(97 + wait.event - Event.WAITA);
/** True for a row of a CPU's idle task. @param {Line} line */
const isIdle = (line) => line.event === 65536;
/** Returns the row of a part of a call. @param {Read} t @param {import('./callsof.mjs').Piece} piece */
const rowOf = (t, piece) => /** @type {Line} */ (t.ran.find((l) => l.start === piece.start && l.cpu === piece.cpu && l.event === piece.event));
/** Returns the row that ran on a CPU at a time. @param {Read} t @param {number} cpu @param {number} time */
const runningAt = (t, cpu, time) => t.ran.find((l) => l.cpu === cpu && l.start <= time && l.end > time);
/** Returns the wakeup that ended a wait. @param {Read} t @param {Line} wait */
function wakeupOf(t, wait) {
	const ran = t.ran.find((l) => l.pid === wait.pid && l.start >= wait.end);
	return ran && t.wakes.find((w) => w.ret === wait.pid && w.start >= wait.start && w.end === ran.start);
}
/** Writes a system call with its argument and result. @param {Read} t @param {Call} call */
function callText(t, call) {
	const [begin, end] = [rowOf(t, call.pieces[0]), rowOf(t, call.pieces[call.pieces.length - 1])];
	const value = end.ret > 0x7fff ? end.ret - 0x10000 : end.ret;
	return `${begin.name}(${begin.arg})=${value}${value < 0 ? ` ${ERRORS[-value]}` : ''}`;
}
/** Names the process that runs on a CPU at a time, and the call that it is in. @param {Read} t @param {number} pid @param {number} cpu @param {number} time */
function doer(t, pid, cpu, time) {
	const line = /** @type {Line} */ (runningAt(t, cpu, time));
	if (line.event > 65536) return `${t.label(pid)} on CPU ${cpu}`;
	const call = /** @type {Call} */ (t.calls.find((c) => c.pieces.some((p) => p.start === line.start && p.cpu === cpu)));
	return `${t.label(pid)} in ${call.kind === 'syscall' ? callText(t, call) : word(line.name)} on CPU ${cpu}`;
}

/** Returns the process with the most CPU time, and that time. @param {Read} t */
export function busiest(t) {
	const groups = [...by(t.ran.filter((l) => !isIdle(l) && l.pid > 0), (l) => l.pid)].map(([pid, list]) => ({ pid, time: sum(list) }));
	const { pid, time } = most(groups, (g) => g.time);
	return `${t.label(pid)}: ${brief(time)}`;
}

/** Returns the longest system call of a process. @param {Read} t @param {number} pid */
export function slowestCall(t, pid) {
	const call = most(t.calls.filter((c) => c.pid === pid && c.kind === 'syscall' && isWhole(c)), elapsedOf);
	return `${call.name}: ${brief(elapsedOf(call))}`;
}

/** Returns the parts of the longest call with a name: the three kinds that took most of its process's time. @param {Read} t @param {string} name */
export function whySoLong(t, name) {
	const call = most(t.calls.filter((c) => c.name === name && isWhole(c)), elapsedOf);
	const [from, to] = [call.pieces[0].start, call.pieces[call.pieces.length - 1].end];
	const own = t.ran.filter((l) => l.pid === call.pid && l.start >= from && l.end <= to && l.end > l.start);
	const text = (/** @type {Line} */ l) => (l.event === Event.BH || l.event === Event.BH_RETURN || l.event === Event.SCHED || l.event === Event.SCHED_RETURN ? word(l.name) :
		l.event < Event.SYSCALL64 && l.event & 0x100 ? `interrupt ${l.name}` : `in ${l.name}`);
	// in a gap without a wakeup, the process waited for the CPU of its next run
	const taken = own.slice(1).flatMap((l, i) => {
		const gap = { start: own[i].end, end: l.start };
		if (t.wakes.some((w) => w.ret === call.pid && w.start >= gap.start && w.start <= gap.end)) return [];
		return t.ran.filter((o) => o.cpu === l.cpu && o.end > gap.start && o.start < gap.end)
			.map((o) => ({ ...o, start: Math.max(o.start, gap.start), end: Math.min(o.end, gap.end), what: `preempted: CPU ${o.cpu} ran ${t.label(o.pid)}` }));
	});
	const parts = [...by(own, text), ...by(taken, (l) => l.what)].map(([what, list]) => ({ what, time: sum(list) })).sort((a, b) => b.time - a.time).slice(0, 3);
	return `${told(to - from)} of ${t.label(call.pid)}: ${parts.map(({ what, time }) => `${what} ${brief(time)}, ${percent(time / (to - from))}`).join('; ')}`;
}

/** Returns the processes that got the CPU from a process that could still run. @param {Read} t @param {number} pid */
export function preempted(t, pid) {
	const own = t.ran.filter((l) => l.pid === pid);
	const away = t.waits.filter((w) => w.pid === pid && letter(w) === 'c' && !t.wakes.some((k) => k.ret === pid && k.end > w.start && k.end <= w.end + 3));
	const taken = away.map((w) => {
		const last = /** @type {Line} */ (own.filter((l) => l.start <= w.start).pop());
		const next = t.ran.find((l) => l.cpu === last.cpu && l.start >= last.end);
		return { by: next && !isIdle(next) && next.pid > 0 && next.pid !== pid ? next.pid : -1, start: w.start, end: w.end };
	}).filter((w) => w.by >= 0);
	return [...by(taken, (w) => w.by)].sort((a, b) => b[1].length - a[1].length || (t.label(a[0]) < t.label(b[0]) ? -1 : 1))
		.map(([who, list]) => `${t.label(who)}: ${list.length}, ${brief(sum(list))}`).join('; ');
}

/** Returns the total cost of faults, and the process with the largest share. @param {Read} t */
export function faults(t) {
	const all = t.calls.filter((c) => c.kind === 'trap');
	const { own, count: many, longest } = sumOf(all);
	const [pid, list] = most([...by(all, (c) => c.pid)], ([, l]) => sumOf(l).elapsed);
	return `${brief(own)}, ${count(many)} faults, longest ${brief(longest)}; most of ${t.label(pid)}: ${count(sumOf(list).count)}, ${brief(sumOf(list).own)}`;
}

/** Returns the CPU that was idle longest while a process could run. @param {Read} t */
export function idleWhileReady(t) {
	/** The intervals in which a process was ready. @type {{start: number, end: number}[]} */
	const ready = [];
	for (const { start, end } of t.waits.filter((w) => letter(w) === 'c')) {
		const last = ready[ready.length - 1];
		if (last && start <= last.end) last.end = Math.max(last.end, end);
		else ready.push({ start, end });
	}
	const common = (/** @type {Line} */ l) => ready.reduce((s, r) => s + Math.max(0, Math.min(r.end, l.end) - Math.max(r.start, l.start)), 0);
	const cpus = [...by(t.ran.filter(isIdle), (l) => l.cpu)].map(([cpu, list]) => {
		const parts = list.map(common);
		return { cpu, time: parts.reduce((a, b) => a + b, 0), longest: Math.max(...parts) };
	});
	const { cpu, time, longest } = most(cpus, (c) => c.time);
	return `CPU ${cpu}: ${brief(time)}, longest ${brief(longest)}`;
}

/** Returns the longest wait for a lock, and the process that released it. @param {Read} t */
export function longestLock(t) {
	const wait = most(t.waits.filter((w) => letter(w) === 'l'), (w) => w.end - w.start);
	const wake = /** @type {Line} */ (wakeupOf(t, wait));
	return `${t.label(wait.pid)}: ${told(wait.end - wait.start)}, ended by ${doer(t, wake.pid, wake.cpu, wake.start)}`;
}

/** Returns the times from the first packet to the wakeup of the process that waited for it, and to its run. @param {Read} t */
export function packetToWakeup(t) {
	const packet = /** @type {Line} */ (t.lines.find((l) => l.name === 'rx_packet'));
	const softirq = /** @type {Line} */ (runningAt(t, packet.cpu, packet.start));
	const call = /** @type {Call} */ (t.calls.find((c) => c.pieces.some((p) => p.start === softirq.start && p.cpu === packet.cpu)));
	const wake = t.wakes.find((w) => w.cpu === packet.cpu && w.start >= packet.start && w.start < call.pieces[call.pieces.length - 1].end);
	if (!wake) return 'no process';
	return `${t.label(wake.ret)}, ${told(wake.start - packet.start)} after the packet arrived, at ${at(wake.start)}. It ran ${told(wake.end - wake.start)} later`;
}

/** Returns the time between two marks, and the three names with most CPU time there. @param {Read} t @param {string} mark */
export function betweenMarks(t, mark) {
	const marks = t.lines.filter((l) => l.event >= Event.MARKA && l.event <= Event.MARKD);
	const i = marks.findIndex((l) => l.name === `mark_a=${mark}`);
	const [from, to] = [marks[i].start, marks[i + 1].start];
	const inside = t.ran.filter((l) => !isIdle(l)).map((l) => ({ ...l, start: Math.max(l.start, from), end: Math.min(l.end, to) })).filter((l) => l.end > l.start);
	const names = [...by(inside, (l) => l.name)].map(([name, list]) => ({ name, time: sum(list) })).sort((a, b) => b.time - a.time).slice(0, 3);
	return `${told(to - from)}: ${names.map(({ name, time }) => `${word(name)} ${brief(time)}`).join(', ')}`;
}

/** Returns the most frequent waker of a process. @param {Read} t @param {number} pid */
export function wokenBy(t, pid) {
	const [who, list] = most([...by(t.wakes.filter((w) => w.ret === pid), (w) => w.pid)], ([, l]) => l.length);
	return `${t.label(who)}: ${list.length}`;
}

/** Returns the interrupt or softirq with the most CPU time. @param {Read} t */
export function costliestInterrupt(t) {
	const [name, list] = most([...by(t.calls.filter((c) => c.kind === 'irq' || c.kind === 'softirq'), (c) => c.name)], ([, l]) => sumOf(l).own);
	return `${word(name)}: ${brief(sumOf(list).own)}`;
}

/** Returns the longest time that a process was ready without a CPU, and the process on the CPU that it then got. @param {Read} t */
export function longestReady(t) {
	const wait = most(t.waits.filter((w) => letter(w) === 'c'), (w) => w.end - w.start);
	const next = /** @type {Line} */ (t.ran.find((l) => l.pid === wait.pid && l.start >= wait.end));
	const others = t.ran.filter((l) => l.cpu === next.cpu && l.pid !== wait.pid && l.end > wait.start && l.start < wait.end)
		.map((l) => ({ ...l, start: Math.max(l.start, wait.start), end: Math.min(l.end, wait.end) }));
	const [pid, list] = most([...by(others, (l) => (isIdle(l) ? -1 : l.pid))], ([, l]) => sum(l));
	const had = pid < 0 ? 'was idle' : pid ? `ran ${t.label(pid)}` : 'handled interrupts';
	return `${t.label(wait.pid)}: ${told(wait.end - wait.start)}, CPU ${next.cpu} ${had} for ${told(sum(list))} of that time.`;
}

/** Returns the object of a wait: its cause, and the innermost call or fault around it. @param {{calls: Call[]}} t @param {Line} wait */
export function waitedFor({ calls }, wait) {
	const cause = CAUSES[letter(wait)];
	const around = letter(wait) === 'c' ? [] : calls.filter((c) => c.pid === wait.pid && (c.kind === 'syscall' || c.kind === 'trap') &&
		c.pieces[0].start < wait.start && c.pieces[c.pieces.length - 1].end > wait.start);
	if (!around.length) return cause;
	const { name } = most(around, (c) => c.pieces[0].start);
	return cause === 'unknown' ? `in ${name}` : `${cause}, in ${name}`;
}

/**
 * Returns the reason and the call for which a process waited longest in total.
 * @param {Read} t
 * @param {number} pid
 */
export function waitedMost(t, pid) {
	const [what, list] = most([...by(t.waits.filter((w) => w.pid === pid), (w) => waitedFor(t, w))], ([, l]) => sum(l));
	return `${what}: ${list.length}, ${brief(sum(list))}`;
}

/** Returns the calls that failed, with their errors and numbers. @param {Read} t */
export function failures(t) {
	const failed = t.calls.filter((c) => c.kind === 'syscall' && c.ends).map((c) => {
		const { ret } = rowOf(t, c.pieces[c.pieces.length - 1]);
		return { call: c, error: ret > 0x7fff ? 0x10000 - ret : 0 };
	}).filter(({ error }) => error > 0 && error <= 133);
	return [...by(failed, ({ call, error }) => `${call.name} ${ERRORS[error] ?? error}`)].map(([what, list]) => ({ what, count: list.filter(({ call }) => isWhole(call)).length }))
		.sort((a, b) => b.count - a.count).map(({ what, count }) => `${what}: ${count}`).join('; ');
}

/** Counts how often a process moved to another CPU. @param {Read} t @param {number} pid */
export function migrations(t, pid) {
	const own = t.ran.filter((l) => l.pid === pid);
	const moves = own.filter((l, i) => i > 0 && own[i - 1].cpu !== l.cpu).length;
	return `${moves} times`;
}

/** Returns the number of lost events, and the categories that were not recorded. @param {Read} t */
export function missing({ header }) {
	const lost = Object.entries(header.lost).filter(([cause]) => cause !== 'total').reduce((s, [, n]) => s + Number(n), 0);
	const words = /** @type {Record<string, string>} */ ({ net: 'packets', lock: 'kernel locks' });
	const has = header.coverage.categories;
	const all = ['syscall', 'trap', 'irq', 'softirq', 'sched', 'wakeup', 'ipi', 'idle', 'freq', 'pcsample', 'process', 'net', 'lock', 'mark'];
	return `lost events: ${lost || 'none'}; not recorded: ${all.filter((c) => !has.includes(c)).map((c) => words[c] ?? c).join(', ')}`;
}

/** Returns the parent of a process, its birth and its end. @param {Read} t @param {number} pid */
export function life(t, pid) {
	const own = t.ran.filter((l) => l.pid === pid);
	const fork = /** @type {Call} */ (t.calls.find((c) => /^(clone3?|v?fork)$/.test(c.name) && (rowOf(t, c.pieces[c.pieces.length - 1]).ret & 0xffff) === pid));
	const born = Math.min(...[...own, ...t.waits.filter((w) => w.pid === pid)].map((l) => l.start));
	const exit = t.lines.find((l) => l.event === Event.TASKEXIT && l.arg === pid)?.start ?? own[own.length - 1].end;
	return `forked by ${t.label(fork.pid)}, began ${at(born)}, exited ${at(exit)}`;
}

/** Returns the durations of the calls with a name. @param {Read} t @param {string} name */
export function howLong(t, name) {
	const { p50, p99, longest, count: many } = sumOf(t.calls.filter((c) => c.name === name));
	return `${count(many)} times; p50 ${brief(p50)}, p99 ${brief(p99)}, max ${brief(longest)}`;
}

/** Returns the process that waited longest for a cause. @param {Read} t @param {string} cause letter of the cause */
function longestFor(t, cause) {
	const [pid, list] = most([...by(t.waits.filter((w) => letter(w) === cause), (w) => w.pid)], ([, l]) => sum(l));
	return `${t.label(pid)}: ${list.length} times, ${brief(sum(list))}, longest ${brief(Math.max(...list.map((w) => w.end - w.start)))}`;
}

/** @param {Read} t */
export const disk = (t) => longestFor(t, 'd');
/** @param {Read} t */
export const throttled = (t) => longestFor(t, 'q');

/** Returns how long the thread that was throttled longest was throttled, and the share of the trace's time. @param {Read} t */
export function costOfThrottling(t) {
	const [, list] = most([...by(t.waits.filter((w) => letter(w) === 'q'), (w) => w.pid)], ([, l]) => sum(l));
	return `${told(sum(list))}, ${percent(sum(list) / (Math.max(...t.ran.map((l) => l.end)) - Math.min(...t.ran.map((l) => l.start))))} of the time`;
}

/** Returns how long no CPU ran. Each CPU has a row for the same time. @param {Read} t */
export function stopped({ lines }) {
	const rows = lines.filter((l) => l.event === Event.STOPPED && l.cpu === 0);
	const [from, to] = [Math.min(...lines.filter((l) => l.cpu >= 0).map((l) => l.start)), Math.max(...lines.filter((l) => l.cpu >= 0).map((l) => l.end))];
	return `The machine did not run for ${told(sum(rows))} of ${told(to - from)}.`;
}

/** Returns the request that ended the longest wait for a disk. @param {Read} t */
export function longestRequest(t) {
	const wait = most(t.waits.filter((w) => letter(w) === 'd'), (w) => w.end - w.start);
	const of = (/** @type {number} */ event) => /** @type {Line} */ (t.lines.find((l) => l.event === event && l.arg === wait.arg));
	const [queue, served] = [of(Event.DISK_QUEUE), of(Event.DISK_SERVED)];
	const [device, operation, bytes, sector] = served.name.split(' ');
	return `${device}: ${operation} of ${Number(bytes) / 1024} KiB at sector ${sector.slice(1)}, queued ${told(queue.end - queue.start)}, served ${told(served.end - served.start)}`;
}

/** Returns the process with number 1 in a namespace of its own, its cgroup and its parent. @param {Read} t */
export function firstOfContainer(t) {
	const row = /** @type {Line} */ (t.lines.find((l) => l.event === Event.TASK && / n1\.1 /.test(l.name)));
	const hex = (/** @type {string} */ field) => parseInt(new RegExp(` ${field}([0-9a-f]+)`).exec(row.name)?.[1] ?? '', 16);
	const cgroup = t.lines.find((l) => l.event === Event.CGROUP && l.arg === hex('c'));
	return `${row.pid} is 1 (level 1) in ${cgroup?.name}, started by ${hex('p')}`;
}

/** Returns how long a woken process had to wait for a CPU. @param {Read} t @param {number} pid */
export function runQueueDelay(t, pid) {
	const own = t.ran.filter((l) => l.pid === pid);
	const delays = t.wakes.filter((w) => w.ret === pid).map((w) => {
		const before = own.filter((l) => l.start < w.end).pop();
		return w.end - Math.max(w.start, Math.min(w.end, before ? before.end : 0));
	}).sort((a, b) => a - b);
	const place = (/** @type {number} */ share) => delays[Math.ceil((delays.length * share) / 100) - 1];
	return `${delays.length} times; p50 ${brief(place(50))}, p99 ${brief(place(99))}, longest ${brief(delays[delays.length - 1])}`;
}
