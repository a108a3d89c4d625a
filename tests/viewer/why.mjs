// SPDX-License-Identifier: BSD-3-Clause
/**
 * Tests the explanation for a time in which a process did not exist: before its fork or after its end. For invented
 * traces, this file has the answers. For real traces, the answer for each process must agree with fork and exit in
 * the JSON. Uses the real mouse. Prints TAP.
 */
import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { exitOf } from '../../templates/js/ask/ends.ts';
import { gapAt } from '../../templates/js/ask/gap.ts';
import { pathOf } from '../../templates/js/ask/path.ts';
import { why } from '../../templates/js/ask/why.ts';
import { openBrowser } from './browser.mjs';
import { driver } from './driver.mjs';
import { Event } from './events.mjs';
import { build, golden, isExecution, jsonOf, pageOf, recorded, rowsOf } from './pages.mjs';
import { check, equal, near, test } from './tap.mjs';
import { traceOf } from './traceof.mjs';

/** @typedef {import('./pages.mjs').Row} Row */

const CALLS = ['clone', 'wait4', 'exit_group', 'poll', 'write'];
/** @param {number} from @param {number} to ms @param {number} cpu @param {number} pid @param {string} [name] @param {number} [ret] @returns {Row} */
const run = (from, to, cpu, pid, name = `p.${pid}`, ret = 0) =>
	[from / 1e3, (to - from) / 1e3, cpu, pid, 0, name === '-idle-' ? 65536 : CALLS.includes(name) ? Event.SYSCALL64 + CALLS.indexOf(name) : 65536 + pid, 0, ret, 0, name];
/** @param {number} cpu @param {number} from @param {number} to */
const idle = (cpu, from, to) => run(from, to, cpu, 0, '-idle-');
/** @param {number} at @param {number} runs ms @param {number} cpu @param {number} waker @param {number} pid @param {number} on @returns {Row} */
const wake = (at, runs, cpu, waker, pid, on) => [at / 1e3, (runs - at) / 1e3, cpu, waker, 0, -3, on, pid, 0, '-wakeup-'];
/** @param {Row[]} rows */
const json = (rows) => jsonOf(rows.sort((a, b) => a[0] - b[0]));

// 31 forks 32, wakes it, waits for it, and forks 33 in another namespace. 40 is woken, without a fork. Pid 32 is used
// again.
const story = json([
	run(0, 20, 0, 31), run(20, 24, 0, 31, 'clone', 32), wake(23, 25, 0, 31, 32, 1), run(24, 24.5, 0, 31, 'wait4'), idle(0, 24.5, 54),
	idle(1, 0, 25), run(25, 26, 1, 32, 'clone'), run(26, 51, 1, 32), run(51, 53, 1, 32, 'exit_group'), wake(52, 54, 1, 32, 31, 0), idle(1, 53, 68),
	run(54, 55, 0, 31, 'wait4'), run(55, 60, 0, 31), run(60, 64, 0, 31, 'clone', 7), wake(62, 68, 0, 31, 33, 1), run(64, 80, 0, 31),
	run(68, 70, 1, 33, 'clone'), run(70, 80, 1, 33), wake(75, 80, 0, 31, 40, 1), run(80, 90, 1, 40), wake(82, 90, 0, 31, 41, 1), run(80, 100, 0, 31),
	run(90, 92, 1, 41, 'poll'), run(92, 95, 1, 41), run(95, 100, 1, 32),
]);
const ms = 1e5;
/** @param {Awaited<ReturnType<typeof traceOf>>} trace @param {number} pid @param {number} t ms */
const asked = (trace, pid, t) => {
	const chain = why(trace, pid, t * ms);
	return chain && { spans: chain.links.map((l) => [l.pid, l.from / ms, l.to / ms, l.absent]), texts: chain.links.map((l) => l.text), end: chain.end };
};

await test('before its birth, the explanation states that the process did not exist yet, its parent and the time of the fork', async () => {
	const trace = await traceOf(story, 'story');
	const before = asked(trace, 32, 9);
	equal(before?.spans, [[32, 0, 23, 'unborn']], 'links');
	equal(before?.texts, ['p.32 did not exist yet. p.31 forked it 23 ms after the beginning of the trace.'], 'text');
	check(before?.end.startsWith('So it did not wait. '), `end: ${before?.end}`);
	// if the fork returned another number, the waker is a likely parent
	const likely = asked(trace, 33, 9);
	equal(likely?.spans, [[33, 0, 62, 'unborn']], 'links of a guess');
	check(likely?.texts[0].includes('Most likely p.31 forked it'), `a guess: ${likely?.texts}`);
});

await test('between its birth and its first run, a process waits since the fork, not since the beginning of the trace', async () => {
	const trace = await traceOf(story, 'story');
	const fresh = asked(trace, 32, 24);
	equal(fresh?.spans, [[32, 23, 25, '']], 'links');
	check(fresh?.texts[0].startsWith('p.32 did not run for 2 ms after p.31 forked it. p.31 woke it in clone'), `text: ${fresh?.texts}`);
	equal(fresh?.end, 'p.31 was running all that time.', 'end');
	// the chain of the parent, which waited for process 32, has the same link
	const parent = asked(trace, 31, 30);
	equal(parent?.spans, [[31, 24.5, 54, ''], [32, 23, 25, '']], 'chain of the parent');
});

await test('after its end, the explanation states that the process has ended, and when its number is used again', async () => {
	const trace = await traceOf(story, 'story');
	const gone = asked(trace, 32, 60);
	equal(gone?.spans, [[32, 53, 95, 'exited']], 'links');
	equal(gone?.texts, ['p.32 did not exist any more. It had exited in exit_group 53 ms after the beginning of the trace.'], 'text');
	check(gone?.end.includes('got its PID 42 ms later'), `end: ${gone?.end}`);
});

await test('the critical path of a reused number does not wait since the end of the other process, and has one birth', async () => {
	/** @param {string} text @param {string} name */
	const path = async (text, name) => pathOf(await traceOf(text, name), 32, 50 * ms, 100 * ms, true).legs
		.map((l) => [l.what, l.pid, l.from / ms, l.to / ms, l.born, l.guessed]);
	equal((await path(story, 'story')).slice(0, 4), [
		['run', 32, 50, 53, -1, false], ['exited', 32, 53, 95, -1, false], ['run', 32, 95, 100, -1, false],
	], 'nobody in the trace has woken it');
	const forked = json([
		run(0, 20, 0, 31), run(20, 24, 0, 31, 'clone', 32), wake(23, 25, 0, 31, 32, 1), run(24, 90, 0, 31), run(25, 51, 1, 32), run(51, 53, 1, 32, 'exit_group'),
		idle(1, 53, 95), run(90, 93, 0, 31, 'clone', 32), wake(92, 95, 0, 31, 32, 1), run(93, 100, 0, 31), run(95, 100, 1, 32),
	]);
	equal(await path(forked, 'forked twice'), [
		['run', 31, 50, 92, 32, true], ['ready', 32, 92, 95, -1, false], ['run', 32, 95, 100, -1, false],
	], 'on with who woke it first');
});

await test('without a recorded birth, both sleeping and not existing are possible, unless the process was in a call', async () => {
	const trace = await traceOf(story, 'story');
	const thread = asked(trace, 40, 9);
	equal(thread?.spans[0], [40, 0, 80, ''], 'its gap');
	check(thread?.texts[0].includes('did not run in the first 80 ms of the trace. It was asleep, or did not exist yet. p.31 woke it'), `text: ${thread?.texts}`);
	// a call whose beginning is not in the trace began before the trace
	const calls = json([run(0, 50, 0, 31), wake(40, 50, 0, 31, 41, 0), run(50, 52, 0, 41, 'poll'), run(52, 60, 0, 41)]);
	const slept = await traceOf(calls, 'slept');
	Object.defineProperty(slept, 'calls', { value: { of: () => ({ noBegin: true, part: 1 }) } });
	const sleeper = asked(slept, 41, 9);
	check(sleeper?.texts[0].startsWith('p.41 did not run for 50 ms, in poll.'), `text: ${sleeper?.texts}`);
});

/** Returns span JSON of a filter. @param {string} tool @param {string[]} args @param {string | Buffer} input */
const filtered = (tool, args, input) => execFileSync(join(build, 'bin', tool), args, { input, stdio: ['pipe', 'pipe', 'ignore'], maxBuffer: 1 << 30 });
/** @param {string[]} lines of event text */
const spansOf = (lines) => String(filtered('eventtospan', ['x'], `${[...lines].sort((a, b) => parseInt(a) - parseInt(b)).join('\n')}\n`)).split('\n').sort().join('\n');
/** Returns the result of gapAt() for a process number at each time. @param {Awaited<ReturnType<typeof traceOf>>} trace @param {number} pid @param {number[]} times units */
const thereAt = (trace, pid, times) => times.map((t) => gapAt(trace, pid, t)?.there);

// The recording has a pause. 40 ends its thread group, also 41, which is in read. Pid 41 is used two more times.
// 50 is killed in its own code, 60 sleeps in exit, and 70 is exiting when recording is turned off.
const killed = ['-1 1 34 40 leader', '-1 1 34 41 follower', '-1 1 34 50 victim', '-1 1 34 60 sleeper', '-1 1 34 70 paused', '-1 0 287 0 pause=300000:320000',
	'1000 0 512 1 41 0 41 0 0 follower.41', '2000 0 2048 1 41 0 0 0 0 read', '3000 0 512 1 0 0 0 0 0 -idle-.0',
	'1000 0 512 0 40 0 40 0 0 leader.40', '9000 0 2279 0 40 0 0 0 0 exit_group', '9100 1 518 0 40 0 41 0 0 runnable.41', '9500 1 531 0 40 0 40 0 0 task_exit.40', '9600 0 512 0 0 0 0 0 0 -idle-.0',
	'9200 0 512 1 41 0 41 0 0 follower.41', '9400 1 531 1 41 0 41 0 0 task_exit.41', '9700 0 512 1 0 0 0 0 0 -idle-.0',
	'100000 0 512 0 50 0 50 0 0 victim.50', '110000 1 531 0 50 0 50 0 0 task_exit.50', '110100 0 512 0 0 0 0 0 0 -idle-.0',
	'199000 1 34 41 second', '199900 1 518 1 0 0 41 0 0 runnable.41', '200000 0 512 1 41 0 41 0 0 follower.41', '201000 1 531 1 41 0 41 0 0 task_exit.41', '201100 0 512 1 0 0 0 0 0 -idle-.0',
	'210000 0 512 0 60 0 60 0 0 sleeper.60', '211000 0 2279 0 60 0 0 0 0 exit_group', '211100 1 531 0 60 0 60 0 0 task_exit.60', '212000 0 512 0 0 0 0 0 0 -idle-.0',
	'220000 0 1516 0 0 0 0 0 0 local_timer', '220100 1 518 0 0 0 60 0 0 runnable.60', '220200 0 2028 0 0 0 0 0 0 /local_timer', '220300 0 512 0 60 0 60 0 0 sleeper.60', '221000 0 512 0 0 0 0 0 0 -idle-.0',
	'280000 0 512 1 70 0 70 0 0 paused.70', '289000 0 2279 1 70 0 0 0 0 exit_group', '290000 1 531 1 70 0 70 0 0 task_exit.70', '320000 100 1038 1 70 0 0 0 0 page_fault', '320500 0 512 1 0 0 0 0 0 -idle-.0',
	'399000 1 34 41 third', '399900 1 518 1 0 0 41 0 0 runnable.41', '400000 0 512 1 41 0 41 0 0 follower.41', '401000 0 512 1 0 0 0 0 0 -idle-.0', '500000 0 512 0 40 0 40 0 0 leader.40', '501000 0 512 0 0 0 0 0 0 -idle-.0'];

await test('a process ended by a signal or by the exit of another thread no longer exists, in any call; a process that sleeps in its exit exists', async () => {
	const trace = await traceOf(spansOf(killed), 'killed');
	equal(thereAt(trace, 41, [5000, 50000, 250000, 310000, 390000]), ['stopped', 'exited', 'exited', 'exited', 'exited'], 'of a group that exits, twice, and a third one that does not');
	equal(thereAt(trace, 50, [150000, 310000, 450000]), ['exited', 'exited', 'exited'], 'by a signal');
	equal(thereAt(trace, 60, [215000, 230000]), ['stopped', 'exited'], 'asleep in its exit');
	equal(thereAt(trace, 70, [310000, 450000]), ['off', 'exited'], 'it exits, and recording goes off and on');
	const gone = why(trace, 41, 50000);
	equal(gone?.links.map((l) => [l.pid, l.from, l.absent]), [[41, 9700, 'exited']], 'the answer');
	check(pathOf(trace, 41, 5000, 200500, true).legs.some((l) => l.what === 'exited' && l.pid === 41), 'the path');
	check(pathOf(trace, 50, 105000, 450000, true).legs.some((l) => l.what === 'exited' && l.pid === 50), 'the path of what was killed');
	const exits = (/** @type {number} */ pid) => trace.processes().filter((p) => trace.pidOf(p.id) === pid).map((p) => exitOf(trace, p));
	equal([40, 41, 50, 60].map(exits), [[9500, NaN], [9400, 201000, NaN], [110000], [211100]], 'the exit of each thread');
});

// Pid 41 stops in read before a pause, and pid 42 too. After the pause, 40 wakes 41, which waits for its CPU. Nothing wakes 42.
const offAndOn = ['-1 1 34 40 waker', '-1 1 34 41 woken', '-1 1 34 42 lost', '-1 0 287 0 pause=20000:50000',
	'1000 0 512 1 41 0 41 0 0 woken.41', '2000 0 2048 1 41 0 0 0 0 read', '3000 0 512 1 42 0 42 0 0 lost.42', '4000 0 2048 1 42 0 0 0 0 read', '5000 0 512 1 0 0 0 0 0 -idle-.0',
	'1000 0 512 0 40 0 40 0 0 waker.40', '50000 0 512 0 40 0 40 0 0 waker.40', '50000 0 512 1 0 0 0 0 0 -idle-.0', '60000 0 518 0 40 0 41 0 0 runnable.41',
	'70000 0 512 1 41 0 41 0 0 woken.41', '80000 0 512 1 42 0 42 0 0 lost.42', '90000 0 512 1 0 0 0 0 0 -idle-.0', '90000 0 512 0 0 0 0 0 0 -idle-.0'];

await test('after a pause, a wait for the CPU counts from the wakeup, and no other wait counts, as in spantowhy', async () => {
	const trace = await traceOf(spansOf(offAndOn), 'offAndOn');
	equal([41, 42].map((pid) => thereAt(trace, pid, [10000, 55000, 65000, 75000])), [['off', 'off', 'queued', undefined], ['off', 'off', 'off', 'off']], 'what the trace shows');
	equal(why(trace, 41, 65000)?.links.map((l) => [l.pid, l.from, l.to, l.absent]), [[41, 60000, 70000, '']], 'the wait after the pause');
	equal(why(trace, 41, 10000)?.links.map((l) => [l.pid, l.from, l.to, l.absent]), [[41, 3000, 60000, 'off']], 'the time before');
	const kinds = /** @type {Record<string, string>} */ ({ silent: 'off', ready: 'cpu' });
	for (const pid of [41, 42]) {
		/** @type {{kind: string, start: number, end: number}[]} the order of the steps in the report does not matter */
		const steps = JSON.parse(String(filtered('spantowhy', ['--json', '--pid', `${pid}`], spansOf(offAndOn)))).path;
		const units = (/** @type {number} */ s) => Math.round(s * 1e8);
		const legs = pathOf(trace, pid, 1000, 90000, true).legs.filter((l) => l.what !== 'open' && l.what !== 'absent').map((l) => [kinds[l.what] ?? l.what, l.from, l.to]);
		equal(legs, steps.map((s) => [s.kind, units(s.start), units(s.end)]).sort((a, b) => Number(a[1]) - Number(b[1])), `the path of ${pid}`);
	}
});

// 300 is woken while it goes to sleep in its exit, and, where events are missing, preempted in its exit.
const exiting = ['4000 0 512 1 300 0 300 0 0 first.300', '100000 0 2279 1 300 0 0 0 0 exit_group', '101000 1 531 1 300 0 300 0 0 task_exit.300'];
const ends = ['200000 0 512 0 40 0 40 0 0 a.40', '210000 0 512 0 41 0 41 0 0 b.41', '220000 0 512 0 42 0 42 0 0 c.42', '225000 1 531 0 42 0 42 0 0 task_exit.42', '230000 0 512 0 41 0 41 0 0 b.41', '240000 0 512 0 0 0 0 0 0 -idle-.0'];
const fallsAsleep = [...exiting, '104000 1 518 0 50 0 300 0 0 runnable.300', '106500 0 512 1 0 0 0 0 0 -idle-.0', '118000 0 512 1 300 0 300 0 0 first.300', '119000 0 512 1 0 0 0 0 0 -idle-.0', ...ends];
const preempted = ['-1 1 287 0 partial=0:108000', ...exiting, '105000 0 512 1 60 0 60 0 0 other.60', '112000 0 512 1 300 0 300 0 0 first.300', '113000 0 512 1 0 0 0 0 0 -idle-.0', ...ends];

for (const [name, json] of /** @type {[string, () => string | Buffer][]} */ ([
	['killed', () => spansOf(killed)],
	['woken while it goes to sleep in its exit', () => spansOf(fallsAsleep)],
	['preempted in its exit', () => spansOf(preempted)],
	['pid-reuse.trace', () => recorded('pid-reuse')],
	...['stock', 'stock-4cpu', 'patched-4cpu', 'patched-wrap'].map((name) => [name, () => golden(name)]),
])) {
	await test(`${name}: each number has as many processes as in spantoprof, and an ended process has no state`, async () => {
		const text = json();
		const trace = await traceOf(text, `lives ${name}`);
		/** @type {Map<number, number>} */
		const lives = new Map();
		for (const [, pid] of String(filtered('spantoprof', ['--json'], text)).matchAll(/^.*\{"pid": (\d+), "name"/gm)) lives.set(Number(pid), (lives.get(Number(pid)) ?? 0) + 1);
		const exits = trace.events.includes(Event.TASKEXIT);
		let gone = 0;
		/** @type {Map<number, number>} */
		const threads = new Map();
		for (const { id } of trace.processes().filter((p) => p.id > 0 && p.spans.length)) {
			threads.set(trace.pidOf(id), (threads.get(trace.pidOf(id)) ?? 0) + 1);
			const ended = gapAt(trace, id, trace.last - 1)?.there === 'exited';
			gone += Number(ended);
			check(ended || !trace.processes().some((p) => p.id > id && trace.pidOf(p.id) === trace.pidOf(id)), `${id} has not ended before the next thread`);
		}
		for (const [pid, count] of threads) equal(count, lives.get(pid), `of ${pid}`);
		check(lives.size > 3 && (!exits || gone > 1), `${lives.size} numbers, ${gone} gone in the end`);
	});
}

for (const name of ['stock', 'patched-4cpu']) {
	await test(`${name}: no process waits before its fork or after its end`, async () => {
		const text = golden(name);
		const rows = rowsOf(text);
		const trace = await traceOf(text, name);
		const units = (/** @type {number} */ s) => Math.round(s * 1e8);
		/** For each process: the first row that ran, the last row except interrupts and the scheduler, and the end of all rows. @type {Map<number, {first: Row, last: Row, end: number}>} */
		const lives = new Map();
		for (const r of rows.filter((row) => isExecution(row) && row[3] > 0).sort((a, b) => a[0] - b[0])) {
			const life = lives.get(r[3]) ?? { first: r, last: r, end: 0 };
			lives.set(r[3], life);
			life.end = Math.max(life.end, units(r[0]) + units(r[1]));
			if (r[5] > 65536 || (r[5] >= Event.SYSCALL64 && !r[9].startsWith('-sched'))) life.last = r;
		}
		let births = 0;
		let exits = 0;
		for (const [pid, { first, last, end }] of lives) {
			const fork = rows.find((r) => ['clone', 'clone3', 'fork', 'vfork'].includes(r[9]) && r[7] === pid && r[3] !== pid);
			if (fork) {
				const woken = rows.find((r) => r[5] === -3 && r[7] === pid);
				const born = Math.min(units(first[0]), units(fork[0]) + units(fork[1]), woken ? units(woken[0]) : Infinity);
				births++;
				const before = why(trace, pid, (trace.first + born) / 2);
				equal(before?.links.map((l) => [l.pid, l.to, l.absent, l.waker]), [[pid, born, 'unborn', fork[3]]], `${pid}: before its birth`);
				const gap = gapAt(trace, pid, units(first[0]) - 1);
				if (gap) check(gap.from >= born && gap.there === 'new', `${pid}: new from ${gap.from}, born ${born}`);
				near(born, units(fork[0]) + units(fork[1]) / 2, units(fork[1]) / 2 + 1e6, `${pid}: born inside its fork`);
			}
			if (/^exit(_group)?\??$/.test(last[9]) && trace.last - end > 100) {
				exits++;
				const gone = why(trace, pid, (end + trace.last) / 2);
				equal(gone?.links.map((l) => [l.pid, l.from, l.absent]), [[pid, end, 'exited']], `${pid}: after its end`);
			}
		}
		check(births > 10 && exits > 10, `${births} births, ${exits} exits`);
	});
}

const browser = await openBrowser();

await test('a click in the row before the birth or after the end explains that, and draws dots up to the fork', async () => {
	/** @type {any} */
	const page = await browser.open(pageOf(story, 'clicked'), 'ready', 'g=CPU.PID');
	const d = driver(page);
	await d.settle();
	const click = async (/** @type {number} */ t, share = 0.5) => {
		const { y, height } = await d.row('p.32');
		await page.mouse.click(await d.xOf(t), y + height * share);
		await d.settle();
	};
	const range = await d.range();
	await click(0.009);
	equal(await page.locator('#whylist li').allInnerTexts(), ['p.32 did not exist yet. p.31 forked it 23 ms after the beginning of the trace.'], 'before');
	equal(await d.range(), range, 'the picture stays');
	const { chain } = await d.drawn();
	equal(chain.length, 1, 'drawn');
	near(chain[0].x1, await d.xOf(0.023), 1, 'up to the birth');
	const parent = await d.row('p.31');
	near(chain[0].from.x, await d.xOf(0.023), 1, 'line from the parent');
	check(chain[0].from.y > parent.y && chain[0].from.y < parent.y + parent.height, 'in its row');
	/** Returns the share of drawn pixels of a line. @param {number} y */
	const drawn = async (y) => {
		const seen = await d.colours('over', { x: Math.round(chain[0].x0) + 3, y: Math.round(y), width: Math.round((chain[0].x1 - chain[0].x0) / 2) - 20, height: 1 });
		const all = Object.values(seen).reduce((a, b) => a + b, 0);
		return (all - (seen['0,0,0,0'] ?? 0)) / all;
	};
	const share = await drawn(chain[0].y);
	check(share > 0.1 && share < 0.7, `dots: ${share} of the line`);
	await click(0.06);
	check((await page.locator('#whylist li').innerText()).includes('did not exist any more'), 'after');
	await page.keyboard.press('Escape');
	await d.settle();
	await click(0.024, 0.95);
	check((await page.locator('#whylist li').first().innerText()).includes('after p.31 forked it'), 'between');
});

await test('no complaint on the console, no request', async () => {
	equal(browser.complaints, [], 'console');
	equal(browser.requests, [], 'requests');
	await browser.close();
});
