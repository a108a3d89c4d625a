// SPDX-License-Identifier: BSD-3-Clause
/**
 * Makes the pictures of docs/img from a page, by `make pictures` from the demo's:
 *
 *	node tests/viewer/screenshots.mjs build/demo/demo.html [docs/img]
 *
 * NAME-720-light.webp and so on: ten views at 1280x720 and 2560x1440, light and
 * dark; overview.png for the README. Look at each before it is kept.
 */
import { mkdirSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { openBrowser } from './browser.mjs';
import { driver } from './driver.mjs';

const file = process.argv[2];
const dir = process.argv[3] ?? 'docs/img';
if (!file) {
	console.error('usage: node tests/viewer/screenshots.mjs page.html [directory]');
	process.exit(2);
}
mkdirSync(dir, { recursive: true });

/** Enough for letters to stay sharp; a third of a PNG's bytes. */
const WEBP_QUALITY = 0.6;

/** @param {any} page @param {Buffer} png @returns {Promise<Buffer>} the picture as WebP */
async function webp(page, png) {
	const url = await page.evaluate(async (/** @type {[string, number]} */ [data, quality]) => {
		const bytes = Uint8Array.from(atob(data), (c) => c.charCodeAt(0));
		const image = await createImageBitmap(new Blob([bytes], { type: 'image/png' }));
		const canvas = document.createElement('canvas');
		canvas.width = image.width;
		canvas.height = image.height;
		canvas.getContext('2d')?.drawImage(image, 0, 0);
		return canvas.toDataURL('image/webp', quality);
	}, [png.toString('base64'), WEBP_QUALITY]);
	return Buffer.from(url.slice(url.indexOf(',') + 1), 'base64');
}

/**
 * Opens the page, brings it to what is to be seen, and keeps the picture.
 * @param {Awaited<ReturnType<typeof openBrowser>>} browser
 * @param {string} name
 * @param {(page: any) => Promise<void>} prepare
 */
async function shoot(browser, name, prepare) {
	const page = await browser.open(resolve(file));
	await page.keyboard.press('Shift');
	await prepare(page);
	const { height } = page.viewportSize();
	await page.mouse.move(3, height - 3);
	await driver(page).settle();
	await page.waitForTimeout(250);
	const png = await page.screenshot();
	writeFileSync(join(dir, name), name.endsWith('.webp') ? await webp(page, png) : png);
	await page.close();
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

/** Drags on the axis, in shares of its width. @param {any} page @param {number} from @param {number} to */
async function select(page, from, to) {
	const box = await page.locator('#axis').boundingBox();
	await page.mouse.move(box.x + box.width * from, box.y + 9);
	await page.mouse.down();
	await page.mouse.move(box.x + box.width * to, box.y + 9, { steps: 4 });
	await page.mouse.up();
}

/** @param {any} page */
async function closeup(page) {
	const [from, to] = await wakeup(page);
	const width = to - from;
	await page.evaluate((/** @type {number[]} */ [a, b]) => window.kutrace.setRange(a, b), [from - width * 0.8, to + width * 1.2]);
	const { arcs, plot } = await page.evaluate(() => window.kutrace.drawn());
	const arc = arcs.find((/** @type {any} */ a) => a.row[0] === from);
	if (!arc) return;
	await page.keyboard.down('Shift');
	await page.mouse.move(arc.x0 + 1, arc.y0);
	await page.mouse.down();
	await page.mouse.move(Math.min(arc.x1 + 1, plot.x + plot.width - 5), arc.y1, { steps: 4 });
	await page.keyboard.up('Shift');
	await page.mouse.up();
}

/** What each picture shows. @type {Record<string, (page: any) => Promise<void>>} */
const views = {
	overview: async () => {},
	processes: openProcesses,
	closeup,
	/** A gap of a process, and the chain of those it waited for. */
	why: async (page) => {
		await openProcesses(page);
		await page.waitForTimeout(100);
		// just before a process runs that another one woke: the one with the most to tell
		const gaps = await page.evaluate(() => window.kutrace.drawn().arcs.filter((/** @type {any} */ a) =>
			a.row[5] === -3 && a.row[3] > 0 && window.kutrace.rows().some((/** @type {any} */ r) => r.group === 'PID' && a.y1 > r.y && a.y1 < r.y + r.height))
			.map((/** @type {any} */ a) => [a.x0 - 6, a.y1]).filter((/** @type {[number, number]} */ [x, y]) => {
				const hit = window.kutrace.hit(x, y);
				return hit && hit[5] >= 0x300 && hit[5] <= 0x319 && hit[1] > 0.02;
			}));
		let best = { at: gaps[0], links: 0 };
		for (const at of gaps.slice(0, 25)) {
			await page.mouse.click(at[0], at[1]);
			await driver(page).settle();
			const links = (await page.evaluate(() => window.kutrace.drawn().chain.length));
			if (links > best.links) best = { at, links };
		}
		await page.mouse.click(best.at[0], best.at[1]);
	},
	selection: async (page) => {
		await openProcesses(page);
		await select(page, 0.06, 0.29);
		await page.locator('#tab-names').click();
	},
	search: async (page) => {
		await page.locator('#search').fill('futex|read|write');
		await page.locator('#search').press('Enter');
		await page.locator('#bars button:not([disabled])').last().click();
	},
	highlight: async (page) => {
		await openProcesses(page);
		await page.locator('#tab-names').click();
		await page.locator('#tablebox tr', { hasText: 'page_fault' }).first().click();
		await page.keyboard.press('k');
		await page.keyboard.press('Home');
	},
	relative: async (page) => {
		await openProcesses(page);
		await page.locator('#clock').click();
		await page.locator('#tab-waits').click();
	},
	help: (page) => page.keyboard.press('?'),
	colourblind: async (page) => {
		await page.locator('#button-cb').click();
		await page.locator('#button-user').click();
		await openProcesses(page);
		await page.locator('#tab-wakeups').click();
	},
};

for (const [width, height] of [[1280, 720], [2560, 1440]]) {
	for (const scheme of /** @type {const} */ (['light', 'dark'])) {
		const browser = await openBrowser({ colorScheme: scheme, viewport: { width, height } });
		for (const [name, prepare] of Object.entries(views)) await shoot(browser, `${name}-${height}-${scheme}.webp`, prepare);
		await browser.close();
	}
}
// README's
const browser = await openBrowser({ viewport: { width: 1280, height: 480 } });
await shoot(browser, 'overview.png', views.overview);
await browser.close();
