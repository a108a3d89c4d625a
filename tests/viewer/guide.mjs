// SPDX-License-Identifier: BSD-3-Clause
/**
 * What the User Guide's page has beside the rows and their spans: names of rows, third states of buttons, units,
 * samples and locks that can be picked, overhead, secondary controls; by pixels or text against the JSON. Prints TAP.
 */
import { openBrowser } from './browser.mjs';
import { driver } from './driver.mjs';
import { golden, jsonOf, pageOf, rowsOf } from './pages.mjs';
import { check, equal, test } from './tap.mjs';

/** @typedef {import('./pages.mjs').Row} Row */

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
/** Points at a row's label. @param {any} row of rows() */
async function pointAt(row) {
	const { plot } = await d.drawn();
	await page.mouse.move(plot.x - 40, row.y + row.height * 0.6);
	await d.settle();
}
const tip = async () => (await page.locator('#tip').isVisible() ? (await page.locator('#tip').innerText()).replace(/\s+/g, ' ') : '');

await test('a PID row is labelled with the programs that ran under the pid; the pid stays when it is cut; the tip has all', async () => {
	const json = golden('patched-4cpu');
	const rows = rowsOf(json);
	await open(pageOf(json, 'patched'), 'g=PID');
	// as the JSON lists them
	const lists = new Map(rows.filter((r) => r[5] === 526).map((r) => [r[3], r[9]]));
	const shown = (await d.shown()).filter((r) => r.group === 'PID' && r.written);
	const several = shown.filter((r) => lists.has(r.id));
	check(several.length > 5 && several.length < shown.length, `${several.length} of ${shown.length} have been several programs`);
	let cut = 0;
	for (const row of shown) {
		const whole = lists.get(row.id) ?? row.label;
		check(row.written.endsWith(`.${row.id}`), `${row.written}: no number`);
		if (row.written === whole) continue;
		cut++;
		// the end of it, behind a ~
		const [front, back] = row.written.split(/~(.*)/s);
		check(whole.endsWith(back) || back === `.${row.id}`, `${row.written} is not of ${whole}`);
		check(whole.startsWith(front) || whole.includes(`+${front}`), `${row.written} does not begin as ${whole}`);
		if (cut > 4) continue;
		await pointAt(row);
		check((await tip()).startsWith(whole), `${whole}: the tip says ${await tip()}`);
	}
	check(cut > 0, 'all labels fit: nothing was tried');
	const [, changed] = several.map((r) => lists.get(r.id));
	await page.locator('#rowfilter').fill(String(changed).split('+')[0]);
	await d.settle();
	check((await d.shown()).some((r) => lists.get(r.id) === changed), 'the filter knows a program that it was before');
	/** @type {Row[]} */
	const few = [
		[1, 0.1, 0, 7, 0, 65543, 0, 0, 0, 'g++.7'], [1, 1e-8, 0, 7, 0, 526, 0, 0, 0, 'sh+g++.7'],
		[1.1, 0.1, 0, 8, 0, 65544, 0, 0, 0, 'a+b.8'], [1.2, 0.1, 0, 9, 0, 65545, 0, 0, 0, 'one.9'],
	];
	await open(pageOf(jsonOf(few.sort((a, b) => a[0] - b[0])), 'plus'), 'g=PID');
	equal((await d.shown()).filter((r) => r.group === 'PID').map((r) => r.written), ['sh+g++.7', 'a+b.8', 'one.9'], 'names with a plus of their own');
	await pointAt((await d.shown()).find((r) => r.id === 7));
	equal(await tip(), 'sh+g++.7 was sh is g++', 'tip');
	await pointAt((await d.shown()).find((r) => r.id === 9));
	equal(await tip(), '', 'nothing more to say');
});

await test('guide: no complaint on the console, no request', () => {
	equal(browser.complaints, [], 'console');
	equal(browser.requests, [], 'requests');
});
await browser.close();
