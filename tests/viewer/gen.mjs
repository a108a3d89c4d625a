// SPDX-License-Identifier: BSD-3-Clause
/**
 * Writes deterministic span JSON to stdout, for tests and measurements. CPUs run processes with
 * system calls, faults, interrupts, softirqs, the scheduler and idle time, with waits and
 * wakeups between them, marks and samples. The same arguments give the same bytes.
 *
 *	node tests/viewer/gen.mjs SPANS [CPUS] [hostile] [--seed N] [--processes N]
 *
 * hostile: names with markup, quotes, backslashes, controls and other scripts.
 */
import { writeSync } from 'node:fs';
import { Event, LOCAL_TIMER, PAGE_FAULT } from './events.mjs';

const args = process.argv.slice(2);
/** @param {string} name @param {number} usual */
const option = (name, usual) => {
	const at = args.indexOf(name);
	return at >= 0 ? Number(args.splice(at, 2)[1]) : usual;
};
let state = option('--seed', 12345);
const processes = option('--processes', 10);
const wanted = Number(args[0] ?? 10000);
const cpus = Number(args[1] ?? 4);
const hostile = args[2] === 'hostile';

const random = () => {
	state = (Math.imul(state, 1103515245) + 12345) >>> 0;
	return (state >>> 8) / 16777216;
};
/** @param {number} low @param {number} high both included */
const between = (low, high) => low + Math.floor(random() * (high - low + 1));

const nasty = [
	'</script><script>window.injected=1</script>', '"quoted"', "it's", 'back\\slash\\', '<img src=x onerror=window.injected=1>',
	'tab\tnew\nline', '<!-- comment', '\u2028line\u2029', '日本語', '${window.injected=1}', '&lt;b&gt;', '<!-- kutrace-data -->',
];
const plain = ['nginx', 'postgres', 'bash', 'redis', 'rsyslogd', 'java', 'kworker/0:1', 'sshd', 'node', 'tcpdump'];
const names = hostile ? nasty : plain;
const programs = Array.from({ length: Math.max(processes, names.length) }, (_, i) => ({ name: names[i % names.length], pid: 101 + i * 7 }));
const calls = [['read', 0], ['write', 1], ['mmap', 9], ['futex', 202], ['epoll_wait', 232], ['sendto', 44]];

/** @type {string[]} */
let lines = [];
/** Rows that are not written yet, because earlier rows may follow. @type {[number, string][]} */
let waiting = [];
const flush = () => {
	const text = Buffer.from(lines.join(''));
	for (let at = 0; at < text.length;) {
		try {
			at += writeSync(1, text, at);
		} catch (error) {
			// the pipe is full and does not block
			if (/** @type {any} */ (error).code !== 'EAGAIN') throw error;
		}
	}
	lines = [];
};
/** @param {number} units */
const seconds = (units) => `${Math.floor(units / 1e8)}.${String(units % 1e8).padStart(8, '0')}`;
let made = 0;
/**
 * @param {number} start
 * @param {number} dur
 * @param {(number)[]} numbers cpu pid rpc event arg0 ret ipc
 * @param {string} name
 */
function row(start, dur, numbers, name) {
	waiting.push([start, `[${seconds(start).padStart(12)}, ${seconds(dur)}, ${numbers.join(', ')}, ${JSON.stringify(name)}],\n`]);
	made++;
}
/** @param {number} until time before which no further row begins */
function settle(until) {
	waiting.sort((a, b) => a[0] - b[0]);
	let n = 0;
	while (n < waiting.length && waiting[n][0] < until) n++;
	for (const [, line] of waiting.splice(0, n)) lines.push(line);
	flush();
}

lines.push(`  {
 "Comment" : "V2 with IPC field",
 "cpuModelName" : "Generated",
 "coverage" : "syscall trap irq softirq sched wakeup idle",
 "flags" : 3,
 "hostName" : "gen",
 "kernelVersion" : "6.1.0",
 "lost" : ${hostile ? 17 : 0},
 "title" : ${JSON.stringify(hostile ? "<b>'\"</script>" : 'generated')},
 "tracebase" : "2026-11-20_08:50:00",
 "version" : 3,
"events" : [
`);

const clock = new Array(cpus).fill(100000000);
const on = clock.map((_, cpu) => programs[cpu % programs.length]);
while (made < wanted) {
	// the CPU with the earliest time continues, so that rows are in order of time
	const cpu = clock.indexOf(Math.min(...clock));
	const p = on[cpu];
	let t = clock[cpu];
	/** @type {[number, number, number[], string][]} */
	const rows = [];
	/** @param {number} dur @param {number[]} numbers @param {string} name */
	const run = (dur, numbers, name) => {
		rows.push([t, dur, numbers, name]);
		t += dur;
	};
	const label = `${p.name}.${p.pid}`;
	const ipc = between(0, 15);
	const choice = random();
	if (choice < 0.62) {
		const [name, number] = calls[between(0, calls.length - 1)];
		run(between(20, 900), [cpu, p.pid, 0, 65536 + p.pid, 0, 0, ipc], label);
		const arg = between(0, 65535);
		const ret = random() < 0.2 ? 65536 - between(1, 30) : between(0, 4096);
		run(between(10, 400), [cpu, p.pid, 0, Event.SYSCALL64 + Number(number), arg, ret, ipc], String(name));
	} else if (choice < 0.78) {
		run(between(20, 500), [cpu, p.pid, 0, 65536 + p.pid, 0, 0, ipc], label);
		run(between(15, 200), [cpu, p.pid, 0, PAGE_FAULT, 0, 0, ipc], 'page_fault');
	} else if (choice < 0.86) {
		run(between(20, 500), [cpu, p.pid, 0, 65536 + p.pid, 0, 0, ipc], label);
		rows.push([t - 1, 100000, [cpu, p.pid, 0, Event.PC_K, between(0, 65535), 0, 0], `PC=ffffffff810${between(100, 999)}00`]);
		run(between(50, 300), [cpu, p.pid, 0, LOCAL_TIMER, 0, 0, 0], 'local_timer');
		run(between(50, 300), [cpu, p.pid, 0, Event.BH, 1, 0, 0], 'BH:timer');
	} else if (choice < 0.97) {
		const to = programs[between(0, programs.length - 1)];
		run(between(50, 200), [cpu, p.pid, 0, Event.SCHED, 0, 0, 0], '-sched-');
		const waker = between(0, cpus - 1);
		const wait = between(50, 3000);
		if (to !== p) {
			rows.push([t, wait, [-1, p.pid, 0, Event.WAITA + between(0, 25), 0, 0, 0], 'wait_any']);
			rows.push([t, wait, [cpu, p.pid, 0, -3, waker, to.pid, 0], '-wakeup-']);
		}
		if (random() < 0.4) run(between(200, 5000), [cpu, 0, 0, 65536, 0, 0, 0], '-idle-');
		else if (random() < 0.2) {
			run(between(2000, 9000), [cpu, 0, 0, 65536, 1, 0, 0], '-idlelp-');
			run(between(500, 1500), [cpu, 0, 0, 0x20000, 0, 0, 0], '-c-exit-');
		}
		on[cpu] = to;
	} else {
		const letter = between(0, 3);
		run(between(100, 300), [cpu, p.pid, 0, 65536 + p.pid, 0, 0, ipc], label);
		rows.push([t, 1, [cpu, p.pid, 0, Event.MARKA + letter, letter === 3 ? made : 1234, 0, 0],
			letter === 3 ? 'mark_d' : `mark_${'abc'[letter]}=${random() < 0.5 ? '/' : ''}step`]);
	}
	for (const [start, dur, numbers, name] of rows) row(start, dur, numbers, name);
	clock[cpu] = t;
	if (waiting.length > 20000) settle(Math.min(...clock) - 2);
}
settle(Infinity);
lines.push('[999.0, 0.0, 0, 0, 0, 0, 0, 0, 0, ""]\n]}\n');
flush();
