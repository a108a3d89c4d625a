// SPDX-License-Identifier: BSD-3-Clause
/**
 * Makes the pictures of docs/img from a page (the demo's):
 *
 *	node tests/viewer/screenshots.mjs build/demo/demo.html [docs/img]
 *
 * overview.png      the whole trace as it opens
 * processes.png     with the PID rows, dark
 * closeup.png       a busy millisecond with a measurement
 */
import { mkdirSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { openBrowser } from './browser.mjs';

const file = process.argv[2];
const dir = process.argv[3] ?? 'docs/img';
if (!file) {
	console.error('usage: node tests/viewer/screenshots.mjs page.html [directory]');
	process.exit(2);
}
mkdirSync(dir, { recursive: true });

/** @param {string} name @param {'light' | 'dark'} colorScheme @param {{width: number, height: number}} viewport @param {(page: any) => Promise<void>} prepare */
async function shoot(name, colorScheme, viewport, prepare) {
	const browser = await openBrowser({ colorScheme, viewport });
	const page = await browser.open(resolve(file));
	await prepare(page);
	await page.waitForTimeout(200);
	await page.screenshot({ path: join(dir, name) });
	await browser.close();
}

/** @param {any} page */
const openProcesses = (page) => page.locator('[data-group=PID]').click();

/**
 * A wakeup from one CPU to another of a length that fits a picture.
 * @param {any} page
 * @returns {Promise<[number, number]>} start and end, seconds
 */
async function wakeup(page) {
	const arcs = await page.evaluate(() => window.kutrace.drawn().arcs.map((/** @type {any} */ a) => a.row));
	const between = arcs.filter((/** @type {any[]} */ r) => r[5] === -3 && r[2] !== r[6] && r[1] > 2e-5);
	between.sort((/** @type {any[]} */ a, /** @type {any[]} */ b) => a[1] - b[1]);
	const row = between[between.length >> 1] ?? arcs[0];
	return row ? [row[0], row[0] + row[1]] : page.evaluate(() => window.kutrace.range());
}

await shoot('overview.png', 'light', { width: 1280, height: 420 }, async () => {});
await shoot('processes.png', 'dark', { width: 1280, height: 720 }, openProcesses);
await shoot('closeup.png', 'light', { width: 1280, height: 420 }, async (page) => {
	const [from, to] = await wakeup(page);
	const width = to - from;
	await page.evaluate(([a, b]) => window.kutrace.setRange(a, b), [from - width * 0.8, to + width * 1.2]);
	const { arcs, plot } = await page.evaluate(() => window.kutrace.drawn());
	const arc = arcs.find((/** @type {any} */ a) => a.row[0] === from);
	if (!arc) return;
	await page.keyboard.down('Shift');
	await page.mouse.move(arc.x0 + 1, arc.y0);
	await page.mouse.down();
	await page.mouse.move(Math.min(arc.x1 + 1, plot.x + plot.width - 5), arc.y1, { steps: 4 });
	await page.keyboard.up('Shift');
	await page.mouse.up();
	await page.mouse.move(5, 5);
});
