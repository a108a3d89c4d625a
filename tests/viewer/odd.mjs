// SPDX-License-Identifier: BSD-3-Clause
/**
 * Tests that pages show odd traces (names that look like markup, no names, huge numbers) unchanged, and that damaged
 * pages report the damage. Prints TAP. Needs $BUILD/bin/makeself and the built template.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { openBrowser } from './browser.mjs';
import { opened } from './driver.mjs';
import { Event } from './events.mjs';
import { dir, generate, isExecution, makeself, pageOf, rowsOf, template } from './pages.mjs';
import { check, done, equal, test } from './tap.mjs';

/** @typedef {any} Page */
/** @typedef {import('./pages.mjs').Row} Row */

const json = generate('20000', '4');
const file = pageOf(json, 'whole');

const browser = await openBrowser();
/** @type {Page} */
let page;
/** @type {import('./driver.mjs').Driver} */
let d;
/** @param {string} path @param {string} [state] */
async function open(path, state) {
	({ page, d } = await opened(browser, path, state));
}

await test('hostile names are shown as text', async () => {
	const bad = generate('4000', '3', 'hostile');
	await open(pageOf(bad, 'hostile'));
	const evil = rowsOf(bad);
	equal(await page.evaluate(() => window.kutrace.spans), evil.length, 'spans');
	equal(await page.locator('#title').innerText(), "<b>'\"</script>", 'title');
	check(/Lost events\s+17/.test(await page.locator('#facts').innerText()), 'lost events are not shown');
	const names = [...new Set(evil.filter((r) => r[5] > 65536 && isExecution(r)).map((r) => r[9]))];
	await page.locator('#button-user').click();
	await page.locator('[data-group=PID]').click();
	for (const name of names) {
		const r = /** @type {Row} */ (evil.filter((x) => x[9] === name).sort((a, b) => b[1] - a[1])[0]);
		await d.setRange(r[0] - r[1], r[0] + 2 * r[1]);
		const row = (await d.shown()).find((x) => x.label === `CPU ${r[2]}`);
		await page.mouse.move(await d.xOf(r[0] + r[1] / 2), row.y + row.height * 0.7);
		await d.settle();
		equal(JSON.parse(await page.locator('#tip code').innerText())[9].replace(/[\s\u2028]+/g, ' '), name.replace(/[\s\u2028]+/g, ' '), 'name in the tooltip');
		equal(await d.hit(await d.xOf(r[0] + r[1] / 2), row.y + row.height * 0.7), r, 'row');
	}
	equal(await page.evaluate(() => /** @type {any} */ (window).injected), undefined, 'a name ran as a script');
	equal(await page.locator('#tip img, #tip script, #facts b, #title b').count(), 0, 'a name became markup');
	equal(browser.complaints, [], 'console');
	await page.close();
});

await test('an empty trace opens', async () => {
	const header = String(json).slice(0, String(json).indexOf('"events"'));
	await open(pageOf(`${header}"events" : [\n[999.0, 0.0, 0, 0, 0, 0, 0, 0, 0, ""]\n]}\n`, 'empty'));
	equal(await page.evaluate(() => window.kutrace.spans), 0, 'spans');
	equal(await d.shown(), [], 'rows');
	check((await page.locator('#plot').innerText()).includes('nothing in this trace'), 'it does not say so');
	equal(await page.locator('.firsthint').first().isVisible(), false, 'hints to what is not there');
	equal((await page.evaluate(() => window.kutrace.search('x'))).count, 0, 'search');
	equal(browser.complaints, [], 'console');
	await page.close();
});

await test('one span, unsorted rows, huge numbers', async () => {
	const header = String(json).slice(0, String(json).indexOf('"events"'));
	/** @type {Row[]} */
	const odd = [
		[5, 0.5, 3, 7, 0, 65543, 0, 0, 0, 'late.7'], [1, 0.25, 3, 7, 0, 65543, 0, 0, 0, 'early.7'],
		[2, 1e-8, 3, 4194304, 4000000000, Event.SYSCALL64, 4294967295, -14, 15, 'read'], [3, 0, 9, 8, 0, 65544, 0, 0, 0, '.8'],
		[3, 400, 9, 8, 0, 65544, -5, 65535, 0, ''],
	];
	const text = odd.map((r) => `[${r[0].toFixed(8)}, ${r[1].toFixed(8)}, ${r.slice(2, 9).join(', ')}, ${JSON.stringify(r[9])}],`).join('\n');
	await open(pageOf(`${header}"events" : [\n${text}\n[999.0, 0.0, 0, 0, 0, 0, 0, 0, 0, ""]\n]}\n`, 'odd'));
	equal((await d.shown()).map((r) => r.label), ['CPU 3', 'CPU 9'], 'rows');
	await d.setRange(1.1, 1.2);
	const row = (await d.shown())[0];
	equal(await d.hit(await d.xOf(1.15), row.y + row.height / 2), odd[1], 'first in time');
	await d.setRange(2, 2.00000008);
	equal(await d.hit(await d.xOf(2.000000005), (await d.shown())[0].y + 40), odd[2], 'large numbers');
	await d.setRange(300, 301);
	equal(await d.hit(await d.xOf(300.5), (await d.shown())[1].y + 40), odd[4], 'a span of 400 s');
	equal(browser.complaints, [], 'console');
	await page.close();
});

/** @param {string} name @param {string} html @param {RegExp} message */
const damaged = (name, html, message) => test(`damaged page: ${name}`, async () => {
	const path = join(dir, 'damaged.html');
	writeFileSync(path, html);
	await open(path, 'error');
	const text = await page.locator('#boot').innerText();
	check(text.includes('damaged') && message.test(text), `says: ${text}`);
	equal(await page.locator('#app').isVisible(), false, 'picture');
	await page.close();
});
const html = readFileSync(file, 'utf8');
await damaged('cut in the middle', html.slice(0, html.lastIndexOf('kutrace-end') - 9000), /end is missing/);
await damaged('cut before its end', html.slice(0, html.lastIndexOf('kutrace-end') - 40), /end is missing/);
await damaged('durations are missing', html.replace(/<script[^>]*data-kutrace="dur"[^>]*data-track="1"[^]*?<\/script>\n/, ''), /of \d+ parts/);
await damaged('a chunk is missing', html.replace(/(<script[^>]*data-track="2"[^]*?<\/script>\n)+/, ''), /of 2\d+ spans/);
await damaged('a digit of the data is changed', html.replace(/(data-kutrace="dur"[^>]*>.{5000})(.)/, (_, a, b) => a + (b === 'A' ? 'B' : 'A')), /column dur/i);
await test('damaged page: cut in its script', async () => {
	const path = join(dir, 'stump.html');
	writeFileSync(path, html.slice(0, html.indexOf('kutrace-end')));
	await open(path, 'loading');
	check(/If this stays, the file is damaged/.test(await page.locator('#boot').innerText()), 'message');
	await page.close();
});
await damaged('a template without data', readFileSync(template, 'utf8'), /no trace in it/);
await test('makeself does not make a complete page of a cut JSON', async () => {
	const run = makeself(json.subarray(0, json.length >> 1));
	equal(run.status, 1, 'exit status');
	equal(String(run.stderr).trim().split('\n').length, 1, 'lines of error');
	check(!String(run.stdout).includes('</html>') && !String(run.stdout).includes('id="kutrace-end"'), 'it has an end');
	writeFileSync(join(dir, 'half.html'), run.stdout);
	await open(join(dir, 'half.html'), 'error');
	check((await page.locator('#boot').innerText()).includes('damaged'), 'message');
	await page.close();
});

await test('no network request at all', () => equal(browser.requests, [], 'requests'));
await browser.close();
done();
