// SPDX-License-Identifier: BSD-3-Clause
/**
 * Tests the pane Findings: it is open at first if there are findings, its sentences are those of spantowhy --findings, and a
 * click shows the time, rows and spans of a finding. Uses the real mouse and keys. Expected findings come from spantowhy,
 * expected pictures from the JSON. Prints TAP.
 */
import { execFileSync, spawnSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { openBrowser } from './browser.mjs';
import { driver } from './driver.mjs';
import { Event } from './events.mjs';
import { build, dir, golden, jsonOf, pageOf, template } from './pages.mjs';
import { check, equal, near, test } from './tap.mjs';

/** @typedef {import('./pages.mjs').Row} Row */
/** @typedef {{pid: number, name: string}} Thread */
/** @typedef {{finding: string, cost: number, count: number, start: number, end: number, victim: Thread, culprit?: Thread, sentence: string, try: string, spans: {pid: number, start: number}[]}} Found */

const browser = await openBrowser();
/** @type {any} */
let page;
/** @type {ReturnType<typeof driver>} */
let d;
/** @param {string} file @param {string} [hash] */
async function open(file, hash = '') {
	await page?.close();
	page = await browser.open(file, 'ready', hash);
	d = driver(page);
	await page.keyboard.press('Shift');
	await d.settle();
}
/** Returns the findings that spantowhy prints. @param {string | Buffer} json @returns {{from: number, to: number, findings: Found[]}} */
const expected = (json) => JSON.parse(execFileSync(join(build, 'bin', 'spantowhy'), ['--findings', '--json'], { input: json, encoding: 'utf8', maxBuffer: 1 << 28 }));
const pane = () => page.locator('#pane-findings');
const items = () => page.locator('#findinglist > li');
const say = () => page.locator('#findingssay').innerText();
const current = () => page.evaluate(() => document.querySelector('#panes [aria-selected="true"]')?.id);
/** Returns the marked or visible rows of processes. @returns {Promise<string[]>} */
const processRows = async () => (await d.shown()).filter((/** @type {any} */ r) => r.group === 'PID').map((/** @type {any} */ r) => r.label);

// ---- traces: times in ms from 11 s ----

/** @param {number} t @param {number} length @param {number} cpu @param {number} pid @param {number} event @param {string} name @returns {Row} */
const row = (t, length, cpu, pid, event, name, arg = 0, ret = 0) => [11 + t / 1e3, length / 1e3, cpu, pid, 0, event, arg, ret, 0, name];
/** @param {number} cpu @param {number} pid @param {number} t @param {number} length */
const user = (cpu, pid, t, length) => row(t, length, cpu, pid, 65536 + pid, `t${pid}.${pid}`);
/** @param {number} cpu @param {number} t @param {number} length */
const idle = (cpu, t, length) => row(t, length, cpu, 0, 65536, '-idle-');
/** @param {Row[]} rows */
const sorted = (rows) => [...rows].sort((a, b) => a[0] - b[0]);

/** Thread 5 is woken on the busy CPU 0 while CPU 1 is idle; then three threads wait for one lock, twelve times. */
const planted = jsonOf(sorted([
	user(0, 5, 0, 10), user(0, 6, 10, 18), row(10, 10, -1, 5, Event.WAITA + 13, 'wait_net'), row(20, 8, 1, 7, -3, '-wakeup-', 0, 5), user(0, 5, 28, 10),
	user(1, 7, 0, 21), idle(1, 21, 17),
	...Array.from({ length: 12 }, (_, i) => [10, 11, 12].map((pid) => row(i * 3, 1, 0, pid, Event.LOCKTRY, 'mutex:m.7', 7))).flat(),
	...[10, 11, 12].map((pid, k) => user(2 + k, pid, 0, 38)),
]), { lost: { full: 5 }, coverage: { backend: 'tracepoint', categories: ['syscall', 'sched'], caveats: ['lock_holder'] } });
/** The same machine, but the lock has two waiting threads, and CPU 1 is busy. */
const healthy = jsonOf(sorted([
	user(0, 5, 0, 10), user(0, 6, 10, 18), row(10, 10, -1, 5, Event.WAITA + 13, 'wait_net'), row(20, 8, 1, 7, -3, '-wakeup-', 0, 5), user(0, 5, 28, 10),
	user(1, 7, 0, 38),
]));

await test('a trace with planted faults: the pane is open at first, with the sentences, costs and proposals of spantowhy', async () => {
	const want = expected(planted);
	equal(want.findings.map((f) => f.finding), ['lock_convoy', 'idle_beside'], 'the faults that were planted');
	await open(pageOf(planted, 'planted'));
	check(await pane().isVisible(), 'the pane is not open');
	equal(await current(), 'panetab-findings', 'the pane');
	equal(await page.locator('#panetab-findings').innerText(), 'Findings 2', 'the number');
	equal(await items().locator('.goes span').allInnerTexts(), want.findings.map((f) => f.sentence), 'sentences');
	equal(await items().locator('p:not(.links)').allInnerTexts(), want.findings.map((f) => `Try: ${f.try}`), 'proposals');
	const costs = await items().locator('.goes b').allInnerTexts();
	equal(costs.map(parseFloat), want.findings.map((f) => f.cost * 1e3), 'costs in ms');
	want.findings.forEach((f, i) => near(parseFloat(costs[i].split(', ')[1]), (100 * f.cost) / (want.to - want.from), 0.05, 'share'));
	if (process.env.SHOT) await page.screenshot({ path: process.env.SHOT });
});

await test('a click on a finding shows its time and rows, selects the time, and annotates its spans', async () => {
	const { findings } = expected(planted);
	await open(pageOf(planted, 'planted'));
	for (const [i, found] of findings.entries()) {
		await items().nth(i).locator('.goes').click();
		await d.settle();
		const { selection, notes } = await d.drawn();
		near(selection?.from ?? NaN, found.start, 1e-7, `${found.finding}: selection from`);
		near(selection?.to ?? NaN, found.end, 1e-7, `${found.finding}: selection to`);
		const [a, b] = await d.range();
		check(a <= found.start && b >= found.end && b - a < (found.end - found.start) * 1.25, `${found.finding}: shown are ${a} to ${b}`);
		const rows = await processRows();
		for (const thread of [found.victim, found.culprit]) check(!thread || rows.includes(thread.name), `${found.finding}: ${thread?.name} is not in ${rows}`);
		equal(notes.length, found.spans.length, `${found.finding}: annotated spans`);
		equal(await items().locator('.goes').evaluateAll((/** @type {Element[]} */ all) => all.map((e) => e.getAttribute('aria-pressed'))), findings.map((_, k) => String(k === i)), 'pressed');
		equal(await current(), 'panetab-findings', 'the pane stays');
	}
	if (process.env.SHOT) await page.screenshot({ path: process.env.SHOT.replace('.png', '-clicked.png') });
	// a span of the list
	const [span] = findings[1].spans;
	await items().nth(1).locator('.links button').first().click();
	await d.settle();
	const { chosen } = await d.drawn();
	near(chosen?.row[0] ?? NaN, span.start, 1e-7, 'the chosen span');
	equal(chosen?.id, span.pid, 'its thread');
});

await test('the critical path of the victim, where it waited', async () => {
	const [, { start, end, victim }] = expected(planted).findings;
	await open(pageOf(planted, 'planted'));
	await items().nth(1).locator('button', { hasText: 'critical path' }).click();
	await d.settle();
	equal(await current(), 'panetab-path', 'the pane');
	check((await page.locator('#pathtitle').innerText()).includes(victim.name), await page.locator('#pathtitle').innerText());
	near(Number(await page.locator('#pathfrom').inputValue()), start, 1e-7, 'from');
	near(Number(await page.locator('#pathto').inputValue()), end, 1e-7, 'to');
});

await test('all of it by keys, and the address has the pane', async () => {
	const { findings } = expected(planted);
	await open(pageOf(planted, 'planted'));
	await page.locator('#panetab-findings').focus();
	await page.keyboard.press('Tab');
	equal(await page.evaluate(() => document.activeElement?.className), 'goes', 'the first finding has the focus');
	await page.keyboard.press('Enter');
	await d.settle();
	near((await d.drawn()).selection?.from ?? NaN, findings[0].start, 1e-7, 'selection');
	equal(await page.evaluate(() => document.activeElement?.getAttribute('aria-pressed')), 'true', 'the focus stays');
	await d.address('v=findings');
	const hash = await page.evaluate(() => location.hash.slice(1));
	await page.locator('#panetab-findings').focus();
	await page.keyboard.press('ArrowRight');
	equal(await current(), 'panetab-tables', 'the next pane');
	await open(pageOf(planted, 'planted'), hash);
	equal(await current(), 'panetab-findings', 'the pane of the address');
	await open(pageOf(planted, 'planted'), 'g=CPU');
	equal(await current(), 'panetab-tables', 'an address without a pane');
	await open(pageOf(planted, 'planted'), 'g=CPU&p=0');
	check(!await pane().isVisible(), 'an address with a closed panel');
});

await test('the times of spans are those of the axis', async () => {
	const [, { spans: [{ pid, start }] }] = expected(planted).findings;
	await open(pageOf(planted, 'planted'));
	const link = items().nth(1).locator('.links button').first();
	equal(await link.innerText(), `t${pid}.${pid} at ${start.toFixed(8)} s`, 'as in the file');
	await page.locator('#timeas').selectOption('start');
	await d.settle();
	equal(await link.innerText(), `t${pid}.${pid} at ${(start - 11).toFixed(8)} s`, 'since the start');
});

await test('a search, and a selection on the axis, show their sums in place of the findings', async () => {
	await open(pageOf(planted, 'planted'));
	await page.keyboard.press('/');
	await page.keyboard.type('t6');
	await page.keyboard.press('Enter');
	await page.locator('#histogram').waitFor({ state: 'visible' });
	equal(await current(), 'panetab-tables', 'after a search');
	await open(pageOf(planted, 'planted'));
	const axis = await page.locator('#axis').boundingBox();
	await d.drag([axis.x + axis.width * 0.1, axis.y + 10], [axis.x + axis.width * 0.4, axis.y + 10]);
	equal(await current(), 'panetab-tables', 'after a drag on the axis');
	// another pane stays
	await page.locator('#panetab-query').click();
	await d.drag([axis.x + axis.width * 0.2, axis.y + 10], [axis.x + axis.width * 0.4, axis.y + 10]);
	equal(await current(), 'panetab-query', 'the pane Query');
});

await test('losses and caveats limit the statements', async () => {
	await open(pageOf(planted, 'planted'));
	const limits = await page.locator('#findinglimitlist').innerText();
	for (const part of [/Lost events: 5/, /Not recorded: .*wakeups/, /Partly recorded: .*no releases of kernel locks/]) check(part.test(limits), `${part} is not in: ${limits}`);
});

await test('a healthy trace: the pane is not open at first, and it claims no more than it knows', async () => {
	for (const [name, json] of /** @type {[string, string | Buffer][]} */ ([['healthy', healthy], ['stock', golden()]])) {
		equal(expected(json).findings, [], `${name}: findings`);
		await open(pageOf(json, name));
		equal(await current(), 'panetab-tables', `${name}: the pane`);
		equal(await page.locator('#panetab-findings').innerText(), 'Findings', `${name}: the button`);
		await page.locator('#panetab-findings').click();
		check(/^No known fault was found\. The trace can still have one/.test(await say()), `${name}: ${await say()}`);
		equal(await items().count(), 0, `${name}: findings in the list`);
	}
	check(/Partly recorded/.test(await page.locator('#findinglimitlist').innerText()), 'the caveats of a stock kernel');
	check(await page.evaluate(() => !/known fault/.test(document.getElementById('facts')?.textContent ?? '')), 'the head of the page has it');
});

await test('findings that are not known are not taken for none', async () => {
	const made = (/** @type {string | Buffer} */ json, /** @type {string} */ name, /** @type {string[]} */ ...options) => {
		const file = join(dir, `${name}.html`);
		writeFileSync(file, spawnSync(join(build, 'bin', 'makeself'), [template, ...options], { input: json, maxBuffer: 1 << 28 }).stdout);
		return file;
	};
	const old = join(dir, 'old.html');
	const text = readFileSync(made(planted, 'new'), 'utf8');
	const without = text.replace(/<script type="application\/json" id="kutrace-findings">[^]*?<\/script>\n/, '');
	check(without.length < text.length, 'no findings to leave out');
	writeFileSync(old, without);
	const large = join(dir, 'large.html');
	writeFileSync(large, without.replace('<script type="application/json" id="kutrace-end">', '<script type="application/json" id="kutrace-findings">{"version": 1, "missing": "spans", "most": 5000000}</script>\n$&'));
	const unordered = planted.replace(/("events" : \[\n)([^]*?)(\[999)/, (_, head, rows, end) => head + rows.trim().split('\n').reverse().join('\n') + '\n' + end);
	for (const [file, why] of /** @type {[string, RegExp][]} */ ([
		[made(planted, 'option', '--no-findings'), /made with --no-findings.*kutrace why --findings/], [old, /made by a program that does not search.*kutrace why --findings/],
		[large, /more than 5.000.000 spans.*kutrace why --findings/], [made(unordered, 'unordered'), /not in order of time/],
	])) {
		await open(file);
		equal(await current(), 'panetab-tables', `${why}: the pane`);
		await page.locator('#panetab-findings').click();
		check(why.test(await say()), `${why}: ${await say()}`);
		check(!/No known fault/.test(await say()), `${why}: claims that there is none`);
	}
});

await test('findings that cannot be read are a damaged page', async () => {
	const text = readFileSync(pageOf(planted, 'planted'), 'utf8');
	for (const [i, [from, to]] of [['"cost": 0.03', '"cost": "0.03'], ['"victim": {', '"victim": [{'], ['"sentence": "', '"sentence": 1, "": "']].entries()) {
		const file = join(dir, `damaged${i}.html`);
		check(text.includes(from), from);
		writeFileSync(file, text.replace(from, to));
		await page?.close();
		page = await browser.open(file, 'error');
		check(/This file is damaged.*kutrace-findings/s.test(await page.locator('#boot').innerText()), await page.locator('#boot').innerText());
	}
});

await test('a sentence with markup is text, and long lists begin with the most expensive findings', async () => {
	const names = Array.from({ length: 30 }, (_, i) => `<b onclick=1>t${i + 100}.${i + 100}`);
	/** @type {Row[]} */
	const many = names.flatMap((name, k) => Array.from({ length: 1100 }, (_, i) => [
		row(i * 0.03, 0.02, k, 100 + k, 65636 + k, name), row(i * 0.03 + 0.02, 0.01, k, 100 + k, Event.TRAP + 14, 'page_fault'),
	]).flat());
	const json = jsonOf(sorted(many));
	const want = expected(json).findings;
	check(want.length > 20, `only ${want.length} findings`);
	await open(pageOf(json, 'many'));
	equal(await items().locator('.goes span').allInnerTexts(), want.slice(0, 20).map((f) => f.sentence), 'the first sentences');
	equal(await items().locator('b b').count(), 0, 'elements of names');
	await page.locator('#findingsall').click();
	equal(await items().count(), want.length, 'all of them');
	const saved = await d.saved('#savetable');
	check(saved.name.endsWith('findings.csv'), saved.name);
	equal(await page.evaluate(() => [...document.querySelectorAll('#panes button')].filter((e) => e.getBoundingClientRect().right > innerWidth || e.scrollWidth > e.clientWidth + 1).map((e) => e.textContent)), [], 'buttons that are cut off');
	equal(saved.bytes.toString().trim().split('\r\n').length, want.length + 1, 'lines of the file');
});

await test('findings: no complaint on the console, no request', () => {
	equal(browser.complaints, [], 'console');
	equal(browser.requests, [], 'requests');
});
await browser.close();
