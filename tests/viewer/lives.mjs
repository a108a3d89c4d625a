// SPDX-License-Identifier: BSD-3-Clause
/**
 * Tests threads that had the same pid one after the other: the tables, the Process panel, the rows and the search show
 * each of them, with the times of spantoprof. Prints TAP.
 */
import { execFileSync } from 'node:child_process';
import { copyFileSync, existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { onlyProcess } from '../../templates/js/ask/fields.ts';
import { findNow } from '../../templates/js/ask/find.ts';
import { parse } from '../../templates/js/ask/grammar.ts';
import { tally } from '../../templates/js/ask/stats.ts';
import { plainSeconds } from '../../templates/js/base/format.ts';
import { isCall } from '../../templates/js/data/calls.ts';
import { rename } from '../../templates/js/data/lives.ts';
import { openBrowser, top } from './browser.mjs';
import { driver } from './driver.mjs';
import { Event } from './events.mjs';
import { build, dir, golden, isExecution, jsonOf, pageOf, recorded, rowsOf } from './pages.mjs';
import { check, equal, test } from './tap.mjs';
import { traceOf } from './traceof.mjs';

/** @typedef {Awaited<ReturnType<typeof traceOf>>} Trace */
/** @typedef {import('./pages.mjs').Row} Row */

const reuse = recorded('pid-reuse');
const units = (/** @type {number} */ s) => Math.round(s * 1e8);
const sum = (/** @type {number[]} */ numbers) => numbers.reduce((a, b) => a + b, 0);

/**
 * Returns a line for each thread in spantoprof: pid, time on a CPU, waits, and the numbers of complete and incomplete calls.
 * @param {string | Buffer} json
 */
function profileOf(json) {
	const { processes } = JSON.parse(String(execFileSync(join(build, 'bin/spantoprof'), ['--json'], { input: json, stdio: ['pipe', 'pipe', 'ignore'], maxBuffer: 1 << 30 })));
	return processes.filter((/** @type {any} */ p) => p.pid > 0 && p.cpu > 0).map((/** @type {any} */ { pid, cpu, kinds }) => {
		const calls = kinds.filter((/** @type {any} */ k) => k.class === 'cpu' && k.kind !== 'user' && k.kind !== 'kernel');
		const waits = kinds.filter((/** @type {any} */ k) => k.class === 'wait');
		return [pid, units(cpu), sum(waits.map((/** @type {any} */ k) => units(k.time))), sum(calls.map((/** @type {any} */ k) => k.count)), sum(calls.map((/** @type {any} */ k) => k.cut))].join(' ');
	}).sort();
}

/** Returns the same lines for the page's sums. @param {Trace} trace */
function sumsOf(trace) {
	const sums = tally(trace, trace.first, trace.last);
	return [...sums.processes.values()].filter((p) => p.pid > 0 && p.units > 0).map((p) => {
		const calls = (sums.calls?.groups ?? []).filter((c) => c.pid === p.pid && isCall(c.kind));
		return [trace.pidOf(p.pid), p.units, p.wait, sum(calls.map((c) => c.count)), sum(calls.map((c) => c.cut))].join(' ');
	}).sort();
}

// A pid is used again on another CPU, before its first owner leaves its CPU, and again after a pause.
const overlapping = String(execFileSync(join(build, 'bin/eventtospan'), ['x'], { stdio: ['pipe', 'pipe', 'ignore'], input: `${[
	'-1 1 34 300 first', '-1 0 287 0 pause=300000:320000', '1000 0 512 1 300 0 300 0 0 first.300', '100000 0 2279 1 300 0 0 0 0 exit_group', '101000 1 531 1 300 0 300 0 0 task_exit.300',
	'101100 1 34 300 second', '101200 0 512 0 300 0 300 0 0 second.300', '101900 0 512 1 0 0 0 0 0 -idle-.0', '140000 0 2279 0 300 0 0 0 0 exit_group', '141000 1 531 0 300 0 300 0 0 task_exit.300',
	'141500 0 512 0 0 0 0 0 0 -idle-.0', '340000 1 34 300 third', '340100 0 512 1 300 0 300 0 0 third.300', '350000 0 512 1 0 0 0 0 0 -idle-.0', '360000 0 512 0 0 0 0 0 0 -idle-.0',
].sort((a, b) => parseInt(a) - parseInt(b)).join('\n')}\n` })).split('\n').sort().join('\n');

for (const [name, json] of /** @type {[string, () => string | Buffer][]} */ ([
	['pid-reuse.trace', () => reuse], ['overlapping owners', () => overlapping], ['repeated', () => repeated(3)],
	...['stock', 'patched-4cpu', 'stock-wrap'].map((golden1) => [golden1, () => golden(golden1)]),
])) {
	await test(`${name}: the sums of each thread are the sums of spantoprof`, async () => {
		const text = json();
		const want = profileOf(text);
		equal(sumsOf(await traceOf(text, `lives ${name}`)), want, 'pid, time on a CPU, waits, complete calls, incomplete calls');
		const pids = want.map((/** @type {string} */ line) => line.split(' ')[0]);
		check(['stock', 'patched-4cpu', 'stock-wrap'].includes(name) || new Set(pids).size < pids.length, 'no pid is reused');
	});
}

/** Returns the recorded trace several times, one after the other. @param {number} times */
function repeated(times) {
	const file = join(dir, 'reuse.json');
	writeFileSync(file, reuse);
	return execFileSync(process.execPath, [join(top, 'tests/viewer/repeat.mjs'), file, String(times * rowsOf(reuse).length)], { maxBuffer: 1 << 30 });
}

const browser = await openBrowser();
/** @type {any} */
let page = await browser.open(pageOf(reuse, 'reuse'), 'ready', 'g=PID');
let d = driver(page);
const labels = ['reuse_0.30000#1', 'reuse_1.30000#2', 'reuse_2.30000#3'];
/** Returns the lines of a table with these threads. @param {string} tab */
const linesOf = async (tab) => {
	await page.locator(`#tab-${tab}`).click();
	await d.settle();
	return (await d.saved('#savetable')).bytes.toString().trim().split('\r\n').map((line) => line.replace(/"(\w+), in (\S+)"/, '$1; in $2').split(',')).filter((line) => line.some((text) => text.includes('30000')));
};

await test('the tables have a line for each thread', async () => {
	equal((await linesOf('processes')).map(([name, time]) => [name, units(Number(time))]).sort(), [[labels[0], 1316403], [labels[1], 1140390], [labels[2], 1214151]], 'processes');
	equal((await linesOf('calls')).filter(([name]) => name === 'exit_group').map((line) => [line[1], line[3], line[line.length - 1]]).sort(), labels.map((label) => [label, '0', '1']), 'exit_group: no complete call');
	const sleeps = rowsOf(reuse).filter((r) => r[2] < 0 && r[3] === 30000 && r[9] === 'wait_time').map((r) => units(r[1]));
	equal((await linesOf('waits')).filter((line) => line[1].startsWith('time')).map(([name, , time, number]) => [name, units(Number(time)), number]).sort(),
		labels.map((label, i) => [label, sleeps[i], '1']), 'the sleep of each');
	const wakes = (await linesOf('wakeups')).filter(([from, to]) => from === 'fw.126' && labels.includes(to));
	equal(wakes.map(([, to]) => to).sort(), labels, 'woken by its parent');
});

await test('the Process panel shows one thread: its time, its parent, its begin and its exit', async () => {
	const exits = rowsOf(reuse).filter((r) => r[5] === Event.TASKEXIT && r[6] === 30000).map((r) => r[0].toFixed(8));
	const begins = rowsOf(reuse).filter((r) => r[3] === 30000 && (isExecution(r) || r[9] === 'wait_cpu')).map((r) => r[0]);
	for (const [i, time] of ['13.16 ms', '11.40 ms', '12.14 ms'].entries()) {
		await page.locator('#panetab-tables').click();
		await page.locator('#tab-processes').click();
		await page.locator('#tablebox tbody button', { hasText: labels[i].replace(/\.30.*/, '') }).first().click();
		await d.settle();
		const text = (await page.locator('#processbox').innerText()).replace(/\s+/g, ' ');
		const began = Math.min(...begins.filter((t) => i === 0 || t > Number(exits[i - 1]) + 0.02)).toFixed(8);
		for (const part of [time, 'forked by fw.126', `began ${began}`, `exited ${exits[i]}`]) check(text.includes(part), `${labels[i]}: ${part}: ${text.slice(0, 600)}`);
	}
});

await test('each thread has a row, and the rows of a pid are together', async () => {
	const rows = (await d.shown()).map((/** @type {any} */ row) => row.label).filter((/** @type {string} */ label) => label.includes('30000'));
	equal(rows, labels, 'rows');
});

await test('a search for a pid finds all its threads, and can be narrowed to one of them', async () => {
	const trace = await traceOf(reuse, 'search');
	const count = (/** @type {string} */ text) =>
		findNow(trace, { tree: parse(text), from: 0, to: Infinity, sensitive: true, zero: 0, rows: [] }).total(0, Infinity).count;
	const all = rowsOf(reuse).filter((r) => r[3] === 30000).length;
	equal(count('pid:30000'), all, 'pid:30000');
	const each = trace.processes().filter((p) => trace.pidOf(p.id) === 30000).map((p) => count(onlyProcess(trace, p.id)));
	equal([each.length, sum(each)], [3, all], `each: ${each}`);
	equal(trace.row(trace.processes().find((p) => p.label === labels[2])?.spans.at(0) ?? 0)[3], 30000, 'the pid in a row of span JSON');
});

const json = repeated(34);
const large = pageOf(json, 'large');
await test('in a large trace, a worker joins the calls of each thread', async () => {
	await page.close();
	page = await browser.open(large);
	d = driver(page);
	await sumsAre(json);
});

const rows = rowsOf(json);
const exits = rows.filter((r) => r[5] === Event.TASKEXIT && r[6] === 30000).map((r) => r[0]);
/** Returns the rows of the fifth thread with the reused pid that have a name. @param {string} name */
const ofFifth = (name) => rows.filter((r) => r[3] === 30000 && r[9] === name && exits.filter((t) => t < r[0]).length === 4);
const fifth = { id: 30000 + 4 * 2 ** 22, label: 'reuse_1.30000#5' };
const [a, b] = ofFifth('reuse_1.30000').filter(isExecution);
const [sleep] = ofFifth('wait_time');
const text = (/** @type {number} */ s) => plainSeconds(units(s));
/** Returns the address of a span. @param {Row} r @param {string} [row] */
const spanText = (r, row = 'PID.30000') => `${row}_${text(r[0])}_${r[5].toString(16)}`;

// In the page held.html, the spans are not sorted until release(). In failing.html, sorting fails. In dying.html, the worker ends.
await browser.context.addInitScript(() => {
	const here = /** @type {any} */ (window);
	const post = Worker.prototype.postMessage;
	Worker.prototype.postMessage = function (/** @type {any} */ message, /** @type {any[]} */ ...more) {
		const send = () => Reflect.apply(post, this, [message, ...more]);
		const { pathname } = location;
		if (!message.processes) send();
		else if (pathname.endsWith('/held.html')) here.release = send;
		else if (pathname.endsWith('/failing.html')) post.call(this, { part: { column: 'none', bytes: 0, count: 0 }, text: '' });
		else if (pathname.endsWith('/dying.html')) this.dispatchEvent(new ErrorEvent('error', { message: 'not enough memory' }));
		else send();
	};
});

/** Opens the large trace. @param {'large' | 'held' | 'failing' | 'dying'} name @param {string} hash */
async function openLarge(name, hash) {
	await page.close();
	const file = join(dir, `${name}.html`);
	if (!existsSync(file)) copyFileSync(large, file);
	page = await browser.open(file, 'ready', hash);
	d = driver(page);
}

/** Waits until the spans are sorted. */
const sorted = () => page.waitForFunction(() => window.kutrace.bytes().processes > 0);
async function release() {
	await page.waitForFunction(() => /** @type {any} */ (window).release);
	await page.evaluate(() => /** @type {any} */ (window).release());
	await sorted();
	await d.settle();
}
const hashOf = () => decodeURIComponent(new URL(page.url()).hash);

await test('an address keeps its threads while the spans are being sorted, and in another page', async () => {
	const both = `${spanText(a)}~${spanText(b)}`;
	const why = `30000_${text(sleep[0] + sleep[1] / 2)}`;
	const parts = [`d=${spanText(a)}`, `pi=${both}`, `me=${both}`, `n=PID.30000_${text(a[0])}_late`];
	const kept = (/** @type {string} */ when) => {
		for (const part of parts) check(hashOf().includes(part), `${when}: no ${part}: ${hashOf()}`);
	};
	const shown = async (/** @type {string} */ when) => {
		// a new time range shows that the page has written its address
		const to = b[0] + b[1] + 1e-5;
		await d.setRange(a[0] - 1e-5, to);
		await d.address(`-${text(to)}&`);
		await d.settle();
		kept(when);
		const { chosen, notes, written, measure } = await d.drawn();
		equal([chosen.group, chosen.id, chosen.row[0]], ['PID', fifth.id, a[0]], `${when}: selected span`);
		check(hashOf().includes('&wy=30000_'), `${when}: no wy=30000: ${hashOf()}`);
		equal([notes.length, written.map((/** @type {any} */ note) => [note.id, note.text])], [2, [[fifth.id, 'late']]], `${when}: annotations and notes in the row`);
		check(measure.includes(' to '), `${when}: measurement: ${measure}`);
		equal(await page.locator('#whytitle').innerText(), `Why was ${fifth.label} not running?`, `${when}: explained process`);
	};
	await openLarge('held', `g=CPU&k=PID.${fifth.id}&p=0&${parts.join('&')}&wy=${why}`);
	await d.address('&o=');
	kept('being sorted');
	check(hashOf().includes(`&wy=${why}&`), `being sorted: no wy=${why}: ${hashOf()}`);
	await release();
	await shown('sorted');
	const hash = new URL(page.url()).hash.slice(1);
	await openLarge('large', hash);
	await sorted();
	await shown('another page');
});

await test('a process that is opened while the spans are being sorted is the thread of the selected span', async () => {
	const title = () => page.locator('#processtitle').innerText();
	const hash = `g=CPU&d=${spanText(a, `CPU.${a[2]}`)}`;
	await openLarge('held', hash);
	await page.keyboard.press('i');
	check((await title()).endsWith('.30000'), `key, before: ${await title()}`);
	await release();
	equal(await title(), fifth.label, 'key');
	await openLarge('held', `${hash}&v=details`);
	await page.locator('#pane-details dl button.link', { hasText: '.30000' }).first().click();
	check((await title()).endsWith('.30000'), `link, before: ${await title()}`);
	await release();
	equal(await title(), fifth.label, 'link');
	await openLarge('held', hash);
	await page.keyboard.press('y');
	equal(await page.locator('#whytitle').innerText(), `Why was ${fifth.label} not running?`, 'why');
	await openLarge('held', hash);
	await page.keyboard.press('c');
	check((await page.locator('#pathtitle').innerText()).includes(` ${fifth.label} `), `path: ${await page.locator('#pathtitle').innerText()}`);
	await release();
});

for (const name of /** @type {const} */ (['failing', 'dying'])) {
	await test(`in a large trace, the page separates the threads if the worker does not (${name})`, async () => {
		await openLarge(name, 'g=CPU');
		await sumsAre(json);
	});
}

await test('renaming does not change the array of pids', () => {
	for (const type of [Float64Array, Int32Array, Int16Array]) {
		const pid = type.of(5, 5);
		const ids = Float64Array.of(5 + 2 ** 22);
		equal([[...rename(pid, { spans: Uint32Array.of(1), ids })], [...pid]], [[5, ids[0]], [5, 5]], type.name);
	}
});

/** Opens the small trace. @param {string} hash */
async function openSmall(hash) {
	await page.close();
	page = await browser.open(join(dir, 'reuse.html'), 'ready', hash);
	d = driver(page);
	await d.settle();
}

await test('files of views and notes contain pids', async () => {
	const third = rowsOf(reuse).filter((r) => r[9] === 'reuse_2.30000' && isExecution(r))[1];
	await openSmall(`g=PID&n=PID.30000_${text(third[0])}_third`);
	const idOf = async () => (await d.drawn()).written.map((/** @type {any} */ note) => note.id);
	const id = 30000 + 2 * 2 ** 22;
	equal(await idOf(), [id], 'row of the note in the address');
	const { bytes } = await d.saved('#saveviews');
	const { extra } = JSON.parse(String(bytes));
	equal(extra.map((/** @type {any[]} */ row) => [row[3], row.length]), [[30000, 10]], 'pid in the file');
	await openSmall('g=PID');
	await page.locator('#viewsfile').setInputFiles({ name: 'views.json', mimeType: 'application/json', buffer: bytes });
	await page.waitForFunction(() => window.kutrace.drawn().written.length > 0);
	equal(await idOf(), [id], 'row of the note in the file');
});

await test('an address keeps the explained thread and the path of a thread', async () => {
	const trace = await traceOf(reuse, 'explained');
	const threads = trace.processes().filter((p) => trace.pidOf(p.id) === 30000).map(({ label, spans }) =>
		({ label, from: spans.start(0) / 1e8, to: spans.end(spans.length - 1) / 1e8 }));
	equal(threads.map(({ label }) => label), labels, 'threads');
	const [first, second] = threads;
	const last = rowsOf(reuse).find((r) => r[9] === 'wait_time' && r[3] === 30000 && r[0] > second.from);
	const why = (/** @type {string} */ label) => `Why was ${label} not running?`;
	for (const [what, hash, part, title, want] of [
		['after its exit', `wy=30000_${text(first.to)}`, '&wy=30000_', '#whytitle', why(first.label)],
		['before its birth', `wy=30000_${text(second.from - 5e-8)}`, '&wy=30000_', '#whytitle', why(second.label)],
		['asleep', `wy=30000_${text((last?.[0] ?? 0) + 1e-6)}`, '&wy=30000_', '#whytitle', why(second.label)],
		['path', `c=30000_${text(second.from)}_${text(second.to)}`, '&c=30000_', '#pathtitle', `What held up ${second.label} for `],
		['path that ends in another thread', `c=${30000 + 2 ** 22}_${text(second.from)}_${text(threads[2].to)}`, `&c=${30000 + 2 ** 22}_`, '#pathtitle', `What held up ${second.label} for `],
	]) {
		await openSmall(`g=PID&${hash}`);
		for (const again of [false, true]) {
			const shown = await page.locator(title).textContent();
			check(shown.startsWith(want), `${what}${again ? ', again' : ''}: ${shown}`);
			await d.address('&o=');
			check(hashOf().includes(part), `${what}: no ${part}: ${hashOf()}`);
			if (!again) await openSmall(new URL(page.url()).hash.slice(1));
		}
	}
});

await test('an address explains a process with a pid of ten digits', async () => {
	const pid = 3000000000;
	/** @type {Row[]} */
	const wide = [[1, 0.001, 0, pid, 0, 65541, 0, 0, 0, `large.${pid}`], [1.001, 0.002, 0, 0, 0, 65536, 0, 0, 0, '-idle-'], [1.003, 0.001, 0, pid, 0, 65541, 0, 0, 0, `large.${pid}`]];
	await page.close();
	page = await browser.open(pageOf(jsonOf(wide), 'ten digits'), 'ready', `g=PID&wy=${pid}_1.002`);
	d = driver(page);
	await d.address('&o=');
	check(hashOf().includes(`&wy=${pid}_1.002`), hashOf());
	check((await page.locator('#whytitle').innerText()).includes(`.${pid} `), 'title');
});

/** Checks the tables of the page against the sums of spantoprof. @param {string | Buffer} json */
async function sumsAre(json) {
	await page.locator('#tab-calls').click();
	await page.locator('#tablebox table').waitFor();
	const calls = (await d.saved('#savetable')).bytes.toString().trim().split('\r\n').slice(1).map((/** @type {string} */ line) => line.split(','));
	await page.locator('#tab-processes').click();
	const times = (await d.saved('#savetable')).bytes.toString().trim().split('\r\n').slice(1).map((/** @type {string} */ line) => line.split(',')).filter((/** @type {string[]} */ [name]) => name !== 'interrupts in idle');
	const got = times.filter((/** @type {string[]} */ [, time]) => Number(time) > 0).map((/** @type {string[]} */ [name, time, , wait]) => {
		const of = calls.filter((/** @type {string[]} */ line) => line[1] === name);
		return [/\.(\d+)(#\d+)?$/.exec(name)?.[1], units(Number(time)), units(Number(wait)), sum(of.map((/** @type {string[]} */ line) => Number(line[3]))), sum(of.map((/** @type {string[]} */ line) => Number(line[line.length - 1])))].join(' ');
	}).sort();
	equal(got, profileOf(json), 'pid, time on a CPU, waits, complete calls, incomplete calls');
}

await test('no complaint, no request', () => {
	equal(browser.complaints, [], 'console');
	equal(browser.requests, [], 'requests');
});

await browser.close();
