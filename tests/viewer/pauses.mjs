// SPDX-License-Identifier: BSD-3-Clause
/**
 * A recording that was off in between: the page draws dots there and no bar, and the legend has a word for it. Prints TAP.
 */
import { openBrowser } from './browser.mjs';
import { driver } from './driver.mjs';
import { jsonOf, pageOf } from './pages.mjs';
import { check, test } from './tap.mjs';

/** @typedef {import('./pages.mjs').Row} Row */

const ms = 1e-3;
/** @param {number} a @param {number} b @param {number} cpu @param {number} pid @param {number} event @param {string} name @param {number} [arg] @returns {Row} */
const row = (a, b, cpu, pid, event, name, arg = 0) => [a * ms, Math.round((b - a) * 1e5) / 1e8, cpu, pid, 0, event, arg, 0, 0, name];
/** @type {Row[]} */
const rows = [
	row(0, 30, 0, 5, 65541, 'alpha.5'), row(30, 40, 0, 5, 0x801, 'write'), row(0, 40, 1, 0, 65536, '-idle-'),
	row(40, 80, 0, 0, 0x284, '-pause-', 1), row(40, 80, 1, 0, 0x284, '-pause-', 1),
	row(80, 90, 0, 5, 0x801, 'write'), row(90, 100, 0, 5, 65541, 'alpha.5'), row(80, 100, 1, 0, 65536, '-idle-'),
];
rows.sort((a, b) => a[0] - b[0]);
const browser = await openBrowser();
/** @type {any} */
const page = await browser.open(pageOf(jsonOf(rows), 'pauses'));
const d = driver(page);
await page.keyboard.press('Shift');
await d.settle();

/**
 * Returns the share of a row's pixels, between two times, that do not have the most
 * frequent colour.
 * @param {string} label
 * @param {number} a ms
 * @param {number} b ms
 */
async function drawn(label, a, b) {
	const at = await d.row(label);
	const x = Math.ceil(await d.xOf(a * ms));
	const width = Math.floor(await d.xOf(b * ms)) - x;
	/** @type {string[]} */
	const colours = [];
	for (let down = 1; down < at.height - 1; down++) colours.push(...await d.strip('base', x, Math.floor(at.y + down), width, 1));
	/** @type {Map<string, number>} */
	const counts = new Map();
	for (const colour of colours) counts.set(colour, (counts.get(colour) ?? 0) + 1);
	return 1 - Math.max(...counts.values()) / colours.length;
}

await test('a pause is dots on each CPU, and no bar', async () => {
	for (const cpu of ['CPU 0', 'CPU 1']) {
		const share = await drawn(cpu, 42, 78);
		check(share > 0.01 && share < 0.3, `${cpu}: ${share} of the pixels are drawn`);
	}
});

await test('the legend has a word for it', async () => {
	check((await page.locator('#legend').innerText()).includes('not recorded'), 'not recorded');
});

await browser.close();
