// SPDX-License-Identifier: BSD-3-Clause
/**
 * Tests that idle time is equal in the page's tables, search and query, in spantoprof and in SQL: idle of any depth,
 * and the time of leaving idle. The test adds up the rows of the span JSON for comparison. The traces have deep idle
 * states: one trace of the test data, and one of real hardware if it is present. Prints TAP.
 */
import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { openBrowser, top } from './browser.mjs';
import { driver } from './driver.mjs';
import { Event } from './events.mjs';
import { build, dir, isExecution, rowsOf, template } from './pages.mjs';
import { check, equal, near, skip, test } from './tap.mjs';

/** @typedef {import('./pages.mjs').Row} Row */

const browser = await openBrowser();
/** @param {string} name @param {string[]} args */
const tool = (name, ...args) => String(execFileSync(join(build, 'bin', name), args, { maxBuffer: 1 << 30, stdio: ['ignore', 'pipe', 'ignore'] }));

/** Units of each CPU. @typedef {{busy: number, idle: number, leaving: number}} Sums */

/** @param {Row[]} rows @returns {Map<number, Sums>} */
function sumsOf(rows) {
	/** @type {Map<number, Sums>} */
	const sums = new Map();
	for (const [, dur, cpu, , , event, , , , name] of rows.filter(isExecution)) {
		const sum = sums.get(cpu) ?? { busy: 0, idle: 0, leaving: 0 };
		sums.set(cpu, sum);
		const leaves = name.startsWith('-c-exit-');
		const units = Math.round(dur * 1e8);
		if (leaves) sum.leaving += units;
		sum[event === 65536 || leaves ? 'idle' : 'busy'] += units;
	}
	return sums;
}
/** @param {Map<number, Sums>} sums @param {keyof Sums} which */
const total = (sums, which) => [...sums.values()].reduce((sum, s) => sum + s[which], 0);
/** @param {string} seconds */
const units = (seconds) => Math.round(Number(seconds || 0) * 1e8);

/** @param {string} name @param {string} trace */
async function held(name, trace) {
	const json = tool('rawtohtml', '--json', trace);
	const rows = rowsOf(json);
	const want = sumsOf(rows);
	const span = join(dir, `${name}.json`);
	writeFileSync(span, json);

	await test(`${name}: the trace leaves deep idle, and has an interrupt in idle`, () => {
		check(total(want, 'leaving') > 0, 'no way out of deep idle');
		check(rows.some((r) => isExecution(r) && r[3] === 0 && r[5] < 65536), 'no interrupt in idle');
	});

	await test(`${name}: spantoprof has the idle time of each CPU, and its part for leaving idle`, () => {
		const { processes } = JSON.parse(tool('spantoprof', '--json', span));
		for (const [cpu, { idle, leaving }] of want) {
			const of = processes.find((/** @type {{name: string}} */ p) => p.name === `-idle- CPU ${cpu}`);
			equal([of?.idle, of?.leaving_idle].map(units), [idle, leaving], `CPU ${cpu}`);
		}
	});

	if (!existsSync(join(build, 'bin', 'rawtosqlite'))) skip(`${name}: SQL`, 'no rawtosqlite: libsqlite3 is not installed');
	else await test(`${name}: SQL has busy and idle time of each CPU, and its part for leaving idle`, () => {
		const db = join(dir, `${name}.db`);
		tool('rawtosqlite', '-o', db, trace);
		const lines = String(execFileSync('sqlite3', [db, 'select cpu, busy_ns, idle_ns, leaving_idle_ns from cpu order by cpu'])).trim().split('\n');
		equal(lines, [...want].sort(([a], [b]) => a - b).map(([cpu, s]) => [cpu, s.busy * 10, s.idle * 10, s.leaving * 10].join('|')), 'table cpu');
	});

	const html = join(dir, `${name}.html`);
	tool('rawtohtml', '--template', template, '-o', html, trace);
	const page = await browser.open(html);
	const d = driver(page);
	await page.keyboard.press('Shift');
	/** @param {string} tab @returns {Promise<Record<string, string>[]>} */
	const table = async (tab) => {
		await page.locator(`#tab-${tab}`).click();
		await page.locator('#tablebox tbody tr').first().waitFor();
		const [head, ...lines] = (await d.saved('#savetable')).bytes.toString().trim().split('\r\n').map((l) => (l.match(/"[^"]*"|[^,]+|(?<=,)(?=,|$)/g) ?? []).map((c) => c.replace(/^"|"$/g, '')));
		return lines.map((cells) => Object.fromEntries(cells.map((c, i) => [head[i], c])));
	};

	await test(`${name}: in the page's table of CPUs, leaving idle is a column of its own, outside busy and kernel time`, async () => {
		const lines = await table('cpus');
		equal(lines.map((l) => [Number(l.CPU), units(l['busy s']), units(l['leaving idle s'])]).sort((a, b) => a[0] - b[0]),
			[...want].map(([cpu, s]) => [cpu, s.busy, s.leaving]).sort((a, b) => a[0] - b[0]), 'busy, leaving idle');
		// a kernel thread's own code counts as kernel time
		const kernel = rows.filter((r) => isExecution(r) && (r[5] < 65536 ? !(r[5] < Event.SYSCALL64 && r[5] & 0x100) : r[3] !== 0 && r[6] === 1)).reduce((sum, r) => sum + Math.round(r[1] * 1e8), 0);
		equal(lines.reduce((sum, l) => sum + units(l['kernel s']), 0), kernel, 'kernel');
	});

	await test(`${name}: "interrupts in idle" has only interrupts, in the table and in the process pane`, async () => {
		const interrupts = rows.filter((r) => isExecution(r) && r[3] === 0 && r[5] < 65536).reduce((sum, r) => sum + Math.round(r[1] * 1e8), 0);
		const line = (await table('processes')).find((l) => l.process === 'interrupts in idle');
		equal(units(line?.['CPU time s'] ?? '0'), interrupts, 'table');
		equal((await table('processes')).reduce((sum, l) => sum + units(l['CPU time s']), 0), total(want, 'busy'), 'all processes are what the CPUs were busy with');
		await page.locator('#tablebox tbody tr', { hasText: 'interrupts in idle' }).locator('button').first().click();
		await page.locator('#processbox td').first().waitFor();
		check(!(await page.locator('#processbox').innerText()).includes('leaving deep idle'), 'the pane has the way out of idle');
		await page.locator('#panetab-tables').click();
	});

	await test(`${name}: kind:idle, the table of kinds and the machine's CPU use agree with these sums`, async () => {
		const found = await page.evaluate(() => window.kutrace.search('kind:idle'));
		equal(units(String(found.seconds)), total(want, 'idle'), 'kind:idle');
		await page.evaluate(() => window.kutrace.search(''));
		const kinds = (await table('kinds')).filter((l) => /idle$/.test(l.kind)).reduce((sum, l) => sum + units(l['on CPU s']), 0);
		equal(kinds, total(want, 'idle'), 'kinds');
		await page.evaluate(() => (location.hash = '#g=Machine'));
		await page.reload();
		await page.waitForFunction(() => document.documentElement.dataset.state === 'ready');
		await d.settle();
		const [a, b] = await d.range();
		const { graphs } = await d.drawn();
		const use = Object.values(graphs[0].parts).flat().reduce((/** @type {number} */ s, /** @type {any} */ v) => s + v, 0) * (b - a) / graphs[0].columns;
		near(use, total(want, 'busy') / 1e8, total(want, 'busy') / 1e8 * 0.02, 'CPU use');
	});
	await page.close();
}

mkdirSync(join(dir, 'traces'));
execFileSync(join(build, 'tests', 'make_traces'), [join(dir, 'traces')]);
await held('deep-idle', join(dir, 'traces', 'deep-idle.trace'));

const real = join(top, '../shared/originals/ubuntu2.trace.xz');
if (existsSync(real)) {
	const trace = join(dir, 'ubuntu2.trace');
	writeFileSync(trace, execFileSync('xz', ['-dc', real], { maxBuffer: 1 << 30 }));
	await held('ubuntu2', trace);
} else {
	skip('a desktop with deep idle', 'the trace is not at hand');
}
await browser.close();
