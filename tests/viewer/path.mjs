// SPDX-License-Identifier: BSD-3-Clause
/**
 * Tests the critical path. For invented traces, this file has the expected segments. For real traces, pathof.mjs
 * checks every segment with the data of the JSON only. Uses the real mouse and keys. Prints TAP.
 */
import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { openBrowser, top } from './browser.mjs';
import { driver } from './driver.mjs';
import { Event } from './events.mjs';
import { golden, jsonOf, pageOf } from './pages.mjs';
import { checkPath, traceOf } from './pathof.mjs';
import { check, equal, near, test } from './tap.mjs';

/** @typedef {import('./pages.mjs').Row} Row */

const browser = await openBrowser();
/** @type {any} */
let page;
/** @type {ReturnType<typeof driver>} */
let d;
/** @param {string} file */
async function open(file) {
	await page?.close();
	page = await browser.open(file, 'ready', 'g=CPU.PID');
	d = driver(page);
	await page.keyboard.press('Shift');
	await page.waitForFunction(() => document.querySelectorAll('#tablebox tbody tr').length > 0);
	await d.settle();
}

/** Returns the lines of the pane's CSV, as cells. @returns {Promise<string[][]>} */
async function segments() {
	// take the file from the page, so that no download folder is needed
	const text = await page.evaluate(() => new Promise((resolve) => {
		const make = URL.createObjectURL;
		const click = HTMLAnchorElement.prototype.click;
		URL.createObjectURL = (blob) => {
			void /** @type {Blob} */ (blob).text().then(resolve);
			return make.call(URL, blob);
		};
		HTMLAnchorElement.prototype.click = () => {};
		document.getElementById('pathcsv')?.click();
		URL.createObjectURL = make;
		HTMLAnchorElement.prototype.click = click;
	}));
	return text.split('\r\n').slice(1, -1).map((/** @type {string} */ line) => {
		/** @type {string[]} */
		const cells = [];
		for (const [, quoted, plain] of line.matchAll(/(?:^|,)(?:"((?:[^"]|"")*)"|([^",]*))/g)) cells.push(quoted?.replace(/""/g, '"') ?? plain);
		return cells;
	});
}
/** Shows a path by its address. @param {number} pid @param {number} from @param {number} to seconds @param {boolean} [on] */
async function go(pid, from, to, on = false) {
	const address = `${pid}_${from.toFixed(8)}_${to.toFixed(8)}${on ? '_on' : ''}`;
	await page.evaluate((/** @type {string} */ c) => (location.hash = `g=CPU.PID&v=path&c=${c}`), address);
	await page.waitForFunction((/** @type {string[]} */ [a, b]) => {
		const value = (/** @type {string} */ id) => /** @type {HTMLInputElement} */ (document.getElementById(id)).value;
		return value('pathfrom') === a && value('pathto') === b;
	}, [from.toFixed(8), to.toFixed(8)]);
}

// --- invented traces --------------------------------------------------------------

/** Beginning of the present story in s. The functions below get times in ms after it. */
let zero = 0;
/** @type {Row[]} */
const rows = [];
const SYSCALLS = ['read', 'write', 'futex', 'clone', 'wait4', 'execve', 'exit_group', 'nanosleep', 'sendto', 'recvfrom', 'pread64', 'poll'];
const INTERRUPTS = ['local_timer', 'virtio0-req.0', 'call_function_single_ipi'];
/** @param {string} name @param {number} pid */
function eventOf(name, pid) {
	if (SYSCALLS.includes(name)) return Event.SYSCALL64 + SYSCALLS.indexOf(name);
	if (INTERRUPTS.includes(name)) return Event.IRQ + INTERRUPTS.indexOf(name);
	return name.startsWith('BH:') ? Event.BH : name === '-idle-' ? 65536 : 65536 + pid;
}
/** Adds a run. @param {number} cpu @param {number} from @param {number} to @param {number} pid @param {string} [name] @param {number} [ret] */
const run = (cpu, from, to, pid, name = `p.${pid}`, ret = 0) =>
	rows.push([zero + from / 1e3, (to - from) / 1e3, cpu, pid, 0, eventOf(name, pid), 0, ret, 0, name]);
/** @param {number} cpu @param {number} from @param {number} to */
const idle = (cpu, from, to) => run(cpu, from, to, 0, '-idle-');
/**
 * Adds a wakeup of pid by waker, on a CPU.
 * @param {number} cpu
 * @param {number} at
 * @param {number} waker
 * @param {number} pid
 * @param {number} runs start of its run
 * @param {number} on CPU of its run
 */
const wake = (cpu, at, waker, pid, runs, on) => rows.push([zero + at / 1e3, (runs - at) / 1e3, cpu, waker, 0, -3, on, pid, 0, '-wakeup-']);
/** @param {number} pid @param {string} letter @param {number} from @param {number} to */
const wait = (pid, letter, from, to) => rows.push([zero + from / 1e3, (to - from) / 1e3, -1, pid, 0, Event.WAITA + letter.charCodeAt(0) - 97, 0, 0, 0,
	({ l: 'wait_lock', p: 'wait_pipe', n: 'wait_net', t: 'wait_time', d: 'wait_disk', c: 'wait_cpu', q: 'wait_throttled?' })[letter] ?? 'wait_unk']);

/**
 * The expected segments of the path of pid between two times: from (ms), to, process, activity, and event at its end.
 * @typedef {[number, number, number, string, string?]} Segment
 */
/** @type {{name: string, zero: number, pid: number, from: number, to: number, on: boolean, want: Segment[]}[]} */
const asked = [];
/** @param {string} name @param {number} pid @param {number} from @param {number} to @param {Segment[]} want @param {boolean} [on] */
const path = (name, pid, from, to, want, on = false) => asked.push({ name, zero, pid, from, to, on, want });
/** @param {() => void} tell */
function story(tell) {
	zero += 0.1;
	tell();
}

story(() => {
	run(0, 0, 2, 11), run(0, 2, 3, 11, 'write'), wake(0, 2.5, 11, 12, 4, 1), run(0, 3, 4, 11, 'read'), wait(11, 'p', 4, 8), idle(0, 4, 9);
	idle(1, 0, 4), run(1, 4, 6, 12, 'read'), run(1, 6, 7, 12), run(1, 7, 9, 12, 'write'), wake(1, 8, 12, 11, 9, 0), run(0, 9, 10, 11, 'read'), run(0, 10, 12, 11);
	/** @type {Segment[]} */
	const end = [[6, 7, 12, 'user code'], [7, 8, 12, 'in write', 'wakes p.11'], [8, 9, 11, 'ready: CPU 0 was idle'], [9, 10, 11, 'in read'], [10, 12, 11, 'user code']];
	path('pipe: who waits for the answer, and who has it', 11, 0, 12, [[0, 2, 11, 'user code'], [2, 3, 11, 'in write'], [3, 4, 11, 'in read', 'begins to wait in read'],
		[4, 6, 12, 'in read'], ...end]);
	path('pipe: on with the waker', 11, 0, 12, [[0, 2, 11, 'user code'], [2, 2.5, 11, 'in write', 'wakes p.12'], [2.5, 4, 12, 'ready: CPU 1 was idle'],
		[4, 6, 12, 'in read'], ...end], true);
	path('a wait that is not over in the interval', 11, 3, 7, [[3, 4, 11, 'in read'], [4, 7, 11, 'waiting in read: not over at the end']]);
});
story(() => {
	run(0, 0, 8, 21), run(0, 8, 9, 21, 'futex'), wake(0, 8.5, 21, 22, 9, 1), run(0, 9, 12, 21);
	run(1, 0, 3, 22), run(1, 3, 4, 22, 'futex'), wait(22, 'l', 4, 8.5), idle(1, 4, 9), run(1, 9, 10, 22, 'futex'), run(1, 10, 12, 22);
	/** @type {Segment[]} */
	const end = [[8, 8.5, 21, 'in futex', 'wakes p.22'], [8.5, 9, 22, 'ready: CPU 1 was idle'], [9, 10, 22, 'in futex'], [10, 12, 22, 'user code']];
	path('lock: held as long as it was waited for', 22, 0, 12, [[0, 3, 22, 'user code'], [3, 4, 22, 'in futex', 'begins to wait in futex'], [4, 8, 21, 'user code'], ...end]);
	path('lock: held', 22, 0, 12, [[0, 8, 21, 'user code'], ...end], true);
});
story(() => {
	run(0, 0, 2, 31), run(0, 2, 4, 31, 'clone', 32), wake(0, 3, 31, 32, 5, 1), run(0, 4, 5, 31, 'wait4'), wait(31, 'z', 5, 12), idle(0, 5, 14);
	idle(1, 0, 5), run(1, 5, 6, 32, 'clone'), run(1, 6, 9, 32, 'execve'), run(1, 9, 11, 32), run(1, 11, 13, 32, 'exit_group'), wake(1, 12, 32, 31, 14, 0);
	run(0, 14, 15, 31, 'wait4'), run(0, 15, 30, 31);
	path('fork, exec, wait', 31, 0, 16, [[0, 2, 31, 'user code'], [2, 4, 31, 'in clone'], [4, 5, 31, 'in wait4', 'begins to wait in wait4'], [5, 6, 32, 'in clone'],
		[6, 9, 32, 'in execve'], [9, 11, 32, 'user code'], [11, 12, 32, 'in exit_group', 'wakes p.31'], [12, 14, 31, 'ready: CPU 0 was idle'], [14, 15, 31, 'in wait4'], [15, 16, 31, 'user code']]);
	path('before its birth: who forked it; behind its end: it has exited', 32, 0, 20, [[0, 2, 31, 'user code'], [2, 3, 31, 'in clone', 'forks p.32'],
		[3, 5, 32, 'ready: CPU 1 was idle'], [5, 6, 32, 'in clone'], [6, 9, 32, 'in execve'], [9, 11, 32, 'user code'], [11, 13, 32, 'in exit_group'], [13, 20, 32, 'exited']]);
});
story(() => {
	run(0, 0, 1, 41), run(0, 1, 2, 41, 'nanosleep'), wait(41, 't', 2, 6.5), idle(0, 2, 6), run(0, 6, 7, 0, 'local_timer'), wake(0, 6.5, 0, 41, 8, 0), idle(0, 7, 8);
	run(0, 8, 9, 41, 'nanosleep'), run(0, 9, 10, 41, 'poll'), wait(41, 'z', 10, 12), idle(0, 10, 13), wake(0, 12, 0, 41, 13, 0), run(0, 13, 14, 41, 'poll'), run(0, 14, 15, 41);
	path('a sleep ends by its own timer', 41, 0, 9, [[0, 1, 41, 'user code'], [1, 2, 41, 'in nanosleep'], [2, 6, 41, 'waiting in nanosleep for its own timer'],
		[6, 6.5, 41, 'woken in interrupt local_timer'], [6.5, 8, 41, 'ready: CPU 0 was idle'], [8, 9, 41, 'in nanosleep']]);
	path('a path shows that the trace has no cause of a wait', 41, 9, 15, [[9, 10, 41, 'in poll'], [10, 12, 41, 'waiting in poll: the trace does not show for what'],
		[12, 13, 41, 'ready: CPU 0 was idle'], [13, 14, 41, 'in poll'], [14, 15, 41, 'user code']]);
});
story(() => {
	run(0, 0, 1, 51), run(0, 1, 2, 51, 'sendto'), run(0, 2, 3, 51, 'BH:rx'), wake(0, 2.5, 51, 52, 3.5, 1), run(0, 3, 3.2, 51, 'sendto'), run(0, 3.2, 4, 51, 'recvfrom'), wait(51, 'n', 4, 7.5), idle(0, 4, 9);
	run(1, 0, 1, 52, 'recvfrom'), wait(52, 'n', 1, 2.5), idle(1, 1, 3.5), run(1, 3.5, 4, 52, 'recvfrom'), run(1, 4, 6, 52), run(1, 6, 7, 52, 'sendto'), run(1, 7, 8, 52, 'BH:rx'), wake(1, 7.5, 52, 51, 9, 0), run(1, 8, 8.2, 52, 'sendto');
	run(0, 9, 10, 51, 'recvfrom');
	/** @type {Segment[]} */
	const end = [[4, 6, 52, 'user code'], [6, 7, 52, 'in sendto'], [7, 7.5, 52, 'network receive softirq', 'wakes p.51'], [7.5, 9, 51, 'ready: CPU 0 was idle'], [9, 10, 51, 'in recvfrom']];
	path('loopback: the softirq is in the call of who sent', 51, 0, 10, [[0, 1, 51, 'user code'], [1, 2, 51, 'in sendto'], [2, 3, 51, 'network receive softirq'],
		[3, 3.2, 51, 'in sendto'], [3.2, 4, 51, 'in recvfrom', 'begins to wait in recvfrom'], ...end]);
	path('loopback, on with the waker', 51, 0, 10, [[0, 1, 51, 'user code'], [1, 2, 51, 'in sendto'], [2, 2.5, 51, 'network receive softirq', 'wakes p.52'],
		[2.5, 3.5, 52, 'ready: CPU 1 was idle'], [3.5, 4, 52, 'in recvfrom'], ...end], true);
});
story(() => {
	// the sender's softirq stops and leaves the packet to ksoftirqd
	run(0, 0, 1, 61), run(0, 1, 2, 61, 'sendto'), run(0, 2, 3, 61, 'BH:rx'), run(0, 3, 6, 61, 'sendto'), wake(0, 3.2, 61, 62, 6, 0);
	run(0, 6, 7, 62, 'ksoftirqd/0.62'), run(0, 7, 8.5, 62, 'BH:rx'), run(0, 8.5, 9, 62, 'local_timer'), run(0, 9, 10, 62, 'BH:rx'), run(0, 10, 12, 62, 'ksoftirqd/0.62'), wake(0, 9.5, 62, 63, 11, 1);
	run(1, 0, 1.5, 63, 'recvfrom'), wait(63, 'n', 1.5, 9.5), idle(1, 1.5, 11), run(1, 11, 12, 63, 'recvfrom'), run(1, 12, 13, 63);
	run(0, 12, 30, 61);
	path('ksoftirqd: who woke it', 63, 0, 12, [[0, 1.5, 63, 'in recvfrom', 'begins to wait in recvfrom'], [1.5, 2, 61, 'in sendto'], [2, 3, 61, 'network receive softirq'],
		[3, 3.2, 61, 'in sendto', 'wakes ksoftirqd/0.62'], [3.2, 6, 62, 'ready: CPU 0 ran p.61'], [6, 7, 62, 'user code'], [7, 8.5, 62, 'network receive softirq'],
		[8.5, 9, 62, 'interrupt local_timer'], [9, 9.5, 62, 'network receive softirq', 'wakes p.63'], [9.5, 11, 63, 'ready: CPU 1 was idle'], [11, 12, 63, 'in recvfrom']]);
});
story(() => {
	run(0, 0, 1, 71), run(0, 1, 2, 71, 'pread64'), wait(71, 'd', 2, 5.5), idle(0, 2, 5), run(0, 5, 5.2, 0, 'virtio0-req.0'), run(0, 5.2, 6, 0, 'BH:block'), wake(0, 5.5, 0, 71, 7, 0), idle(0, 6, 7);
	run(0, 7, 8, 71, 'pread64'), run(0, 8, 9, 71), run(0, 9, 12, 72), wait(71, 'c', 9, 12), run(0, 12, 13, 71);
	path('a disk, through its interrupt and a softirq; then another one is on the CPU', 71, 0, 13, [[0, 1, 71, 'user code'], [1, 2, 71, 'in pread64'],
		[2, 5, 71, 'waiting in pread64 for disk: virtio0-req.0'], [5, 5.5, 71, 'woken in block I/O softirq'], [5.5, 7, 71, 'ready: CPU 0 was idle'], [7, 8, 71, 'in pread64'],
		[8, 9, 71, 'user code'], [9, 12, 71, 'preempted: CPU 0 ran p.72'], [12, 13, 71, 'user code']]);
});
story(() => {
	run(1, 0, 0.5, 92, 'read'), wait(92, 'p', 0.5, 3.5), idle(1, 0.5, 3), run(1, 3, 4, 0, 'call_function_single_ipi'), wake(1, 3.5, 0, 92, 5, 1), idle(1, 4, 5), run(1, 5, 6, 92, 'read'), run(1, 6, 7, 92);
	run(0, 0, 1, 91), run(0, 1, 2, 91, 'write'), rows.push([zero + 1.5e-3, 1.5e-3, 0, -1, 0, -7, 1, 0, 0, '-ipi-']), run(0, 2, 6, 91);
	path('another CPU executes the wakeup', 92, 0, 6, [[0, 0.5, 92, 'in read', 'begins to wait in read'], [0.5, 1, 91, 'user code'], [1, 1.5, 91, 'in write', 'wakes p.92'],
		[1.5, 3.5, 92, 'waiting in read: the wakeup was requested from another CPU'], [3.5, 5, 92, 'ready: CPU 1 was idle'], [5, 6, 92, 'in read']]);
});
story(() => {
	run(0, 0, 2, 101), wait(101, 'q', 2, 7), idle(0, 2, 6), run(0, 6, 7, 102), wait(101, 'c', 7, 8), run(0, 7, 8, 102), run(0, 8, 9, 101), wait(101, 'l', 9, 10), wake(1, 10, 103, 101, 14, 0);
	idle(0, 9, 14), wait(101, 'c', 10, 11), wait(101, 'q', 11, 14), run(0, 14, 15, 101), run(1, 0, 16, 103);
	path('throttled, after a preemption', 101, 0, 9, [[0, 2, 101, 'user code'], [2, 7, 101, 'throttled?: its cgroup had used its quota of CPU time'],
		[7, 8, 101, 'preempted: CPU 0 ran p.102'], [8, 9, 101, 'user code']]);
	path('throttled, after a wakeup', 101, 10, 15, [[10, 11, 101, 'ready: CPU 0 was idle'], [11, 14, 101, 'throttled?: its cgroup had used its quota of CPU time'], [14, 15, 101, 'user code']]);
});
story(() => {
	run(0, 0, 2, 111), wait(111, 'c', 2, 3), run(0, 2, 3, 112), run(0, 3, 4, 111), rows.push([zero + 1e-3, 2.5e-3, -1, 112, 0, Event.PRIORITY_SPAN, 0, 0, 0, 'FIFO 50']);
	path('preempted, with the priority', 111, 0, 4, [[0, 2, 111, 'user code'], [2, 3, 111, 'preempted: CPU 0 ran p.112 (FIFO 50)'], [3, 4, 111, 'user code']]);
});

/** @param {Segment[]} list */
const told = (list) => list.map(([from, to, pid, what, then = '']) => `${from.toFixed(2)} ${to.toFixed(2)} ${pid} ${what}${then && ` | ${then}`}`);

await test('known answers: pipe, lock, fork, timer, loopback, ksoftirqd, disk, preemption, IPI, throttling, birth and exit', async () => {
	await open(pageOf(jsonOf(rows.sort((a, b) => a[0] - b[0])), 'stories'));
	for (const { name, zero: at, pid, from, to, on, want } of asked) {
		await go(pid, at + from / 1e3, at + to / 1e3, on);
		const got = (await segments()).map(([start, dur, who,, what,,, then]) => {
			const ms = Math.round((Number(start) - at) * 1e8) / 1e5;
			return /** @type {Segment} */ ([Math.abs(ms), ms + Number(dur) * 1e3, Number(who), what, then]);
		});
		equal(told(got), told(want), name);
	}
});

await test('a path opens by key, from the pane, from an explanation and by the address, can be copied as text, and Esc closes it', async () => {
	// show the lock's trace, which begins at 0.2 s
	const begin = 0.2;
	await page.keyboard.press('Escape');
	await d.setRange(begin, begin + 0.012);
	await d.settle();
	const row = await d.row('p.22');
	// for the last user code of p.22, the path begins with the last wait
	await page.mouse.move(await d.xOf(begin + 0.011), row.y + row.height * 0.7);
	await d.settle();
	await page.keyboard.press('c');
	await d.settle();
	equal([await page.locator('#pathfrom').inputValue(), await page.locator('#pathto').inputValue()], [(begin + 0.004).toFixed(8), (begin + 0.012).toFixed(8)], 'the wait before');
	equal(await page.locator('#pane-path').isVisible(), true, 'its pane');
	check((await page.locator('#pathtitle').innerText()) === 'What held up p.22 for 8 ms', 'title');
	const sums = await page.evaluate(() => [...document.querySelectorAll('#pathsums tbody tr')].map((tr) => [...tr.children].map((td) => td.textContent)));
	equal(sums[0], ['p.21', 'user code', '4.000 ms', '50.0\u2009%'], 'who held it up');
	const { path: drawn } = await d.drawn();
	equal(drawn.map((/** @type {any} */ p) => p.pid), [21, 22, 22], 'drawn in rows');
	near(drawn[0].x0, await d.xOf(begin + 0.004), 1.5, 'from the wait on');
	near(drawn[0].x1, await d.xOf(begin + 0.0085), 1.5, 'to the wakeup');
	const line = Math.round((await d.xOf(begin + 0.006)));
	check(Object.keys(await d.colours('over', { x: line, y: Math.round(drawn[0].y) - 1, width: 2, height: 2 })).some((c) => c !== '0,0,0,0'), 'nothing drawn there');
	await page.locator('#pathback').selectOption('on');
	equal((await segments())[0].slice(0, 5), [(begin + 0.004).toFixed(8), '0.00400000', '21', 'p.21', 'user code'], 'on with the waker');
	await page.waitForFunction(() => location.hash.includes('_on'));
	await page.locator('#pathback').selectOption('back');
	await page.locator('#pathfrom').fill((begin + 0.001).toFixed(8));
	await page.locator('#pathfrom').press('Enter');
	equal((await segments())[0].slice(0, 5), [(begin + 0.001).toFixed(8), '0.00200000', '22', 'p.22', 'user code'], 'another start');
	await page.locator('#pathby').selectOption('who');
	const who = await page.evaluate(() => [...document.querySelectorAll('#pathsums tbody tr')].map((tr) => [...tr.children].map((td) => td.textContent)));
	equal(who, [['p.22', '6.500 ms', '59.1\u2009%'], ['p.21', '4.500 ms', '40.9\u2009%']], 'by process');
	await page.locator('#pathlegs tbody tr button').nth(2).click();
	await d.settle();
	const [a, b] = await d.range();
	check(a < begin + 0.004 && b > begin + 0.008 && b - a < 0.0085, `a segment is a link: ${a} to ${b}`);
	await page.locator('#title').click();
	await page.keyboard.press('Escape');
	await page.keyboard.press('Escape');
	equal(await page.locator('#pathbox').isVisible(), false, 'Esc');
	await d.settle();
	equal((await d.drawn()).path, [], 'nothing drawn');
	// a call: from its beginning to its end
	await d.setRange(begin, begin + 0.012);
	await page.mouse.move(await d.xOf(begin + 0.0095), row.y + row.height * 0.7);
	await d.settle();
	await page.keyboard.press('c');
	equal([await page.locator('#pathfrom').inputValue(), await page.locator('#pathto').inputValue()], [(begin + 0.003).toFixed(8), (begin + 0.01).toFixed(8)], 'the whole call');
	await page.mouse.click(await d.xOf(begin + 0.006), row.y + row.height * 0.7);
	await d.settle();
	await page.locator('#whypath').click();
	equal([await page.locator('#pathfrom').inputValue(), await page.locator('#pathto').inputValue()], [(begin + 0.004).toFixed(8), (begin + 0.009).toFixed(8)], 'from an explanation');
});

await test('waits have the names of their calls: tooltip, explanation, table', async () => {
	await d.setRange(0.3, 0.316);
	await page.locator('#title').click();
	await page.keyboard.press('Escape');
	await d.settle();
	const row = await d.row('p.31');
	const [x, y] = [await d.xOf(0.308), row.y + row.height * 0.6];
	await page.mouse.move(x, y);
	await d.settle();
	check((await page.locator('#tip').innerText()).startsWith('waiting in wait4'), `tooltip: ${await page.locator('#tip').innerText()}`);
	await page.mouse.click(x, y);
	await d.settle();
	const [why] = await page.locator('#whylist li').allInnerTexts();
	check(why.startsWith('p.31 did not run for 9 ms: it was waiting in wait4. p.32 woke it'), why);
	await page.locator('#tab-waits').click();
	const waits = await d.cells();
	equal(waits.find((l) => l[0] === 'p.31')?.slice(0, 3), ['p.31', 'in wait4', '7.000 ms'], 'table');
	equal(waits.find((l) => l[0] === 'p.71')?.slice(0, 2), ['p.71', 'disk, in pread64'], 'disk');
	check(!waits.some((l) => l[1].includes('unknown')), 'unknown');
});

await test('a chain of many wakers is listed in part, and on demand to its end', async () => {
	/** @type {Row[]} */
	const turns = [];
	const saved = rows.splice(0);
	zero = 1;
	// two processes wake each other alternately, forty times; a timer wakes the first one
	run(0, 0, 1, 101, 'read'), run(1, 0, 2, 102, 'read');
	idle(0, 1, 9), run(0, 9, 10, 0, 'local_timer'), wake(0, 9.5, 0, 101, 10, 0);
	for (let i = 0; i < 40; i++) {
		const [cpu, me, other] = i % 2 ? [1, 102, 101] : [0, 101, 102];
		const t = 10 + i * 4;
		run(cpu, t, t + 1, me, 'read'), run(cpu, t + 1, t + 2, me, 'write'), wake(cpu, t + 1.5, me, other, t + 4, 1 - cpu), run(cpu, t + 2, t + 3, me, 'read');
	}
	run(0, 170, 171, 101, 'read'), run(0, 171, 173, 101);
	turns.push(...rows.splice(0, rows.length, ...saved));
	await open(pageOf(jsonOf(turns.sort((a, b) => a[0] - b[0])), 'turns'));
	await d.setRange(1.155, 1.173);
	await d.settle();
	const row = await d.row('p.101');
	await page.mouse.click(await d.xOf(1.1665), row.y + row.height * 0.6);
	await d.settle();
	equal(await page.locator('#whylist li').count(), 12, 'at first');
	equal((await d.drawn()).chain.length, 12, 'drawn');
	equal((await page.locator('#whyrest').innerText()).trim(), 'and 29 more', 'the rest');
	await page.locator('#whyall').click();
	equal(await page.locator('#whylist li').count(), 41, 'all');
	check((await page.locator('#whyend').innerText()).includes('A timer ended the wait.'), `end: ${await page.locator('#whyend').innerText()}`);
});

// --- real traces ------------------------------------------------------------------

const reference = join(process.env.KUTRACE_REFERENCE ?? join(top, '../shared/reference'), 'k61-4cpu.json.xz');
/** @type {[string, string | Buffer][]} */
const real = [['stock', golden('stock')], ['patched-4cpu', golden('patched-4cpu')]];
if (existsSync(reference)) real.push(['k61-4cpu', execFileSync('xzcat', [reference], { maxBuffer: 1 << 30 })]);
for (const [name, json] of real) {
	await test(`${name}: every segment agrees with the JSON, and they add up`, async () => {
		const trace = traceOf(json);
		await open(pageOf(json, name));
		let hops = 0;
		let waits = 0;
		for (const { pid, from, to } of trace.questions) {
			for (const on of [false, true]) {
				await go(pid, from, to, on);
				const found = checkPath(trace, await segments(), pid, from, to, on);
				hops += found.hops;
				waits += found.waits;
			}
		}
		check(hops > 100 && waits > 5, `too little to check: ${hops} hops, ${waits} waits`);
	});
}

await browser.close();
