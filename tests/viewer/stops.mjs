// SPDX-License-Identifier: BSD-3-Clause
/**
 * Tests times in which the machine, or one CPU, did not run. The page draws diagonal lines and no bar, the legend and the facts
 * name the time, no sum counts it, and calls and explanations continue through it. Prints TAP.
 */
import { openBrowser } from './browser.mjs';
import { shareDrawn, turnTo } from './driver.mjs';
import { Event } from './events.mjs';
import { jsonOf, pageOf } from './pages.mjs';
import { check, equal, test } from './tap.mjs';

/** @typedef {import('./pages.mjs').Row} Row */

const ms = 1e-3;
/** @param {number} a @param {number} b @param {number} cpu @param {number} pid @param {number} event @param {string} name @param {number} [arg] @returns {Row} */
const row = (a, b, cpu, pid, event, name, arg = 0) => [a * ms, Math.round((b - a) * 1e5) / 1e8, cpu, pid, 0, event, arg, 0, 0, name];
const WRITE = Event.SYSCALL64 + 1;
/** From 100 to 160 ms the machine does not run. From 200 to 260 ms, CPU 0 does not run. @type {Row[]} */
const rows = [
	row(0, 50, 0, 5, 65541, 'alpha.5'), row(50, 100, 0, 5, WRITE, 'write'), row(0, 100, 1, 0, 65536, '-idle-'),
	row(100, 160, 0, 5, Event.STOPPED, '-stopped-', 1), row(100, 160, 1, 0, Event.STOPPED, '-stopped-', 1),
	row(160, 170, 0, 5, WRITE, 'write'), row(170, 200, 0, 5, 65541, 'alpha.5'), row(160, 280, 1, 0, 65536, '-idle-'),
	row(200, 260, 0, 5, Event.STOLEN, '-stolen-?', 1), row(260, 280, 0, 5, 65541, 'alpha.5'),
];
const browser = await openBrowser();
/** @type {any} */
let page;
/** @type {import('./driver.mjs').Driver} */
let d;
/** @param {Row[]} list @param {string} name @param {string} [hash] */
async function open(list, name, hash = 'g=CPU.PID') {
	({ page, d } = await turnTo(browser, page, pageOf(jsonOf([...list].sort((a, b) => a[0] - b[0]), {}), name), hash));
}

/** Returns shareDrawn() of this page. @param {string} label @param {number} a ms @param {number} b ms */
const drawn = (label, a, b) => shareDrawn(d, label, a * ms, b * ms);

const textOf = async (/** @type {string} */ list) => (await page.locator(list).innerText()).replace(/\s+/g, ' ');

await open(rows, 'stops');
await test('the rows of CPUs and processes have diagonal lines and no bar', async () => {
	for (const [label, from, to] of /** @type {[string, number, number][]} */ ([['CPU 0', 102, 158], ['CPU 1', 102, 158], ['alpha.5', 102, 158], ['CPU 0', 202, 258], ['alpha.5', 202, 258]])) {
		const share = await drawn(label, from, to);
		check(share > 0.05 && share < 0.5, `${label} at ${from} ms: ${share} of the pixels are drawn`);
	}
});

await test('the legend, the facts and the text for screen readers name the times', async () => {
	check((await textOf('#legend')).includes('machine or CPU stopped'), 'legend');
	const facts = await textOf('#facts');
	check(facts.includes('The machine did not run for 60 ms of 280 ms.'), facts);
	check(facts.includes('Single CPUs did not run for 60 ms (inferred).'), facts);
	await page.locator('#inwords tr', { hasText: 'alpha.5' }).first().waitFor({ state: 'attached' });
	const words = (await page.locator('#inwords').textContent()).replace(/\s/g, ' ');
	check(words.includes('The machine did not run for 60 ms of the shown time'), words);
	check(words.includes('Single CPUs did not run for 60 ms (inferred)'), words);
});

await test('no sum counts the times, and the shares do not count a stop of the machine', async () => {
	await page.locator('#tab-processes').click();
	const line = ((await d.cells()).find((l) => l[0] === 'alpha.5') ?? []).map((/** @type {string} */ text) => text.replace(/\s/g, ' '));
	// 160 ms of 280 - 60 ms
	equal(line.slice(1, 3), ['160.0 ms', '72.7 %'], 'alpha.5');
});

await test('a call around a stop is one complete call', async () => {
	await page.locator('#tab-names').click();
	const line = ((await d.cells()).find((l) => l[0] === 'write') ?? []).map((/** @type {string} */ text) => text.replace(/\s/g, ' '));
	check(line.includes('1') && line.some((/** @type {string} */ text) => text.startsWith('60.00 ms')) && line.some((/** @type {string} */ text) => text.startsWith('120.0')), line.join(' | '));
});

await test('the words stopped and stolen find the times', async () => {
	for (const [word, count] of /** @type {[string, number][]} */ ([['stopped', 2], ['stolen', 1]])) {
		await page.locator('#search').fill(`kind:${word}`);
		await page.locator('#search').press('Enter');
		await d.settle();
		equal(Number((await page.locator('#found').innerText()).split(' match')[0].replace(/\D/g, '')), count, word);
	}
});

await test('explanations and paths do not show a wait', async () => {
	await open(rows, 'stops');
	for (const [t, text] of /** @type {[number, RegExp][]} */ ([[165, /alpha\.5 had CPU 0, but the machine did not run for 60 ms\. So it did not wait\./], [270, /alpha\.5 had CPU 0, but most likely this CPU did not run for 60 ms\./]])) {
		const { y, height } = await d.row('alpha.5');
		await page.mouse.move(await d.xOf(t * ms), y + height / 2);
		await page.keyboard.press('y');
		await d.settle();
		check(text.test(await textOf('#why')), await textOf('#why'));
	}
	await page.evaluate(() => (location.hash = '#g=CPU.PID&v=path&c=5_0_0.28'));
	await page.locator('#pathlegs tbody tr').first().waitFor();
	const legs = await textOf('#pathlegs');
	check(/had CPU 0, but the machine did not run/.test(legs) && /had CPU 0, which most likely did not run/.test(legs), legs);
});

await test('a trace without such times has none of this', async () => {
	await open(rows.filter((r) => r[0] >= 260 * ms), 'nostops');
	check(!(await textOf('#facts')).includes('did not run') && !(await textOf('#legend')).includes('stopped'), await textOf('#facts'));
});

await test('no complaint, no request', () => {
	equal(browser.complaints, [], 'console');
	equal(browser.requests, [], 'requests');
});

await browser.close();
