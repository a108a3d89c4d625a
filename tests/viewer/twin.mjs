// SPDX-License-Identifier: BSD-3-Clause
/**
 * Tests that Firefox and Chromium draw the same picture. Both browsers open one page and perform the same actions
 * with real wheel, drag, clicks and keys. After each action, rows, range, arcs, marks, notes and the span under a
 * point must agree, and so must the pixels of the bars. Prints TAP.
 */
import { openBrowser } from './browser.mjs';
import { driver } from './driver.mjs';
import { generate, golden, isExecution, pageOf, rowsOf } from './pages.mjs';
import { check, equal, near, test } from './tap.mjs';

/** @typedef {import('./pages.mjs').Row} Row */

const json = golden();
const rows = rowsOf(json);
const file = pageOf(json, 'twin');
const browsers = await Promise.all(/** @type {const} */ (['chromium', 'firefox']).map((browser) => openBrowser({ browser })));
const pages = await Promise.all(browsers.map((b) => b.open(file)));
const drivers = pages.map(driver);
/**
 * Runs the same actions in both browsers, one after the other. @template T
 * @param {(page: any, d: ReturnType<typeof driver>) => Promise<T>} body
 * @returns {Promise<T[]>}
 */
const both = async (body) => {
	/** @type {T[]} */
	const results = [];
	for (const [i, page] of pages.entries()) results.push(await body(page, drivers[i]));
	return results;
};

/** Returns the drawn picture, in pixels of the plot and seconds. @param {any} page @param {ReturnType<typeof driver>} d */
async function geometry(page, d) {
	await page.mouse.move(3, 3);
	await d.settle();
	const { plot, arcs, marks, arcsVisible, bars, notes, window } = await d.drawn();
	const [from, to] = await d.range();
	const list = await d.shown();
	/** The span under the middle of each tenth of each row. @type {(Row | null)[]} */
	const under = [];
	for (const row of list)
		for (let k = 0; k < 10; k++) under.push(await d.hit(plot.x + (plot.width * (k + 0.5)) / 10, row.y + row.height * 0.8));
	return {
		texts: { labels: list.map((r) => `${r.group} ${r.label} ${r.spans}`), notes, arcsVisible, arcs: arcs.length, bars: bars.map((/** @type {any} */ x) => [x.what, x.most, x.counts]), marks: marks.map((/** @type {any} */ m) => m.row), under },
		numbers: [from, to],
		pixels: [plot.width, plot.height, window.x0, window.x1, ...list.flatMap((r) => [r.y - plot.y, r.height]),
			...arcs.flatMap((/** @type {any} */ a) => [a.x0 - plot.x, a.y0 - plot.y, a.x1 - plot.x, a.y1 - plot.y]),
			...marks.flatMap((/** @type {any} */ m) => [m.x - plot.x, m.y - plot.y])],
	};
}

/** @param {string} where */
async function agree(where) {
	const [c, f] = await both(geometry);
	equal(f.texts, c.texts, where);
	f.numbers.forEach((v, i) => near(v, c.numbers[i], 1e-8, `${where}: second ${i} of the range`));
	equal(f.pixels.length, c.pixels.length, `${where}: how much is drawn`);
	f.pixels.forEach((v, i) => near(v, c.pixels[i], 1.01, `${where}: coordinate ${i}`));
}

/**
 * Returns the share of pixels that agree, on two lines of each row. Pixels that are blank in both browsers do not
 * count.
 */
async function pixels() {
	const lines = await both(async (page, d) => {
		const { plot } = await d.drawn();
		const ys = (await d.shown()).filter((r) => r.y + r.height < plot.y + plot.height).flatMap((r) => [r.y + r.height * 0.45, r.y + r.height * 0.9]);
		return page.evaluate((/** @type {number[]} */ at) => {
			const canvas = /** @type {HTMLCanvasElement} */ (document.getElementById('base'));
			const top = canvas.getBoundingClientRect().top;
			const ctx = /** @type {CanvasRenderingContext2D} */ (canvas.getContext('2d'));
			return at.map((y) => Array.from(ctx.getImageData(0, Math.round(y - top), canvas.width, 1).data));
		}, ys);
	});
	let same = 0;
	let coloured = 0;
	lines[0].forEach((/** @type {number[]} */ line, /** @type {number} */ n) => {
		for (let i = 0; i < line.length; i += 4) {
			if ([0, 1, 2].every((k) => Math.min(line[i + k], lines[1][n][i + k]) > 250)) continue;
			coloured++;
			if ([0, 1, 2].every((k) => Math.abs(line[i + k] - lines[1][n][i + k]) <= 12)) same++;
		}
	});
	check(coloured > 1000, `only ${coloured} pixels are not blank`);
	return same / coloured;
}

await test('the page opens completely in Firefox and writes nothing to the console', async () => {
	equal(await pages[1].evaluate(() => window.kutrace.spans), rows.length, 'spans');
	check((await pages[1].evaluate(() => navigator.userAgent)).includes('Firefox/'), 'this is no Firefox');
	await agree('whole trace');
	equal(browsers[1].complaints, [], 'console');
});

await test('wheel, drag, arrow keys, an open group: Firefox draws what Chromium draws', async () => {
	await both(async (page, d) => {
		const { plot } = await d.drawn();
		await page.locator('#title').click();
		await page.mouse.move(Math.round(plot.x + plot.width * 0.4), Math.round(plot.y + 60));
		for (let i = 0; i < 4; i++) await page.mouse.wheel(0, -240);
		await d.settle();
	});
	const zoomed = await drivers[0].range();
	check(zoomed[1] - zoomed[0] < (rows[rows.length - 1][0] - rows[0][0]) / 3, 'the wheel did not zoom');
	await agree('zoomed');
	await both(async (page, d) => {
		const { plot } = await d.drawn();
		await d.drag([Math.round(plot.x + plot.width * 0.6), Math.round(plot.y + 60)], [Math.round(plot.x + plot.width * 0.3), Math.round(plot.y + 60)]);
	});
	check((await drivers[0].range())[0] > zoomed[0], 'the drag did not pan');
	await agree('panned');
	await both(async (page) => {
		await page.locator('[data-group=PID]').click();
		await page.keyboard.press('ArrowRight');
		await page.keyboard.press('ArrowRight');
	});
	await agree('PID open, a span annotated');
	check((await drivers[1].shown()).some((r) => r.group === 'PID') && (await drivers[1].drawn()).notes.length === 1, 'no rows, or no note');
});

await test('both browsers draw the same pixels', async () => {
	// hide names and arcs, because the browsers smooth letters and curves differently
	await both(async (page) => {
		await page.evaluate(() => {
			const letters = CanvasRenderingContext2D.prototype;
			/** @type {any} */ (window).fillText = letters.fillText;
			letters.fillText = () => {};
		});
		await page.locator('#button-arc').click();
	});
	for (const share of [1, 0.05, 0.001]) {
		const [from, to] = [rows[0][0], rows[rows.length - 1][0]];
		const middle = from + (to - from) * 0.6;
		await both(async (page, d) => {
			await page.keyboard.press('Escape');
			await d.setRange(Math.max(from, middle - (to - from) * share / 2), middle + (to - from) * share / 2);
			await d.settle();
		});
		const same = await pixels();
		check(same > 0.995, `${share} of the trace: only ${(same * 100).toFixed(1)} % of the pixels agree`);
	}
	await both((page) => page.evaluate(() => {
		CanvasRenderingContext2D.prototype.fillText = /** @type {any} */ (window).fillText;
	}));
});

await test('search, tables and hover agree', async () => {
	const execution = rows.filter((r) => isExecution(r) && /page_fault/.test(r[9]));
	const found = await both(async (page, d) => {
		await d.reset();
		return page.evaluate(() => window.kutrace.search('page_fault'));
	});
	equal(found[0], found[1], 'search');
	check(found[0].count > 0 && execution.length > 0, 'nothing to find');
	const tables = await both(async (page, d) => {
		await page.locator('#tab-names').click();
		return d.cells();
	});
	equal(tables[1], tables[0], 'table of names');
	const tips = await both(async (page, d) => {
		await d.reset();
		const row = await d.row('CPU 0');
		const { plot } = await d.drawn();
		await page.mouse.move(Math.round(plot.x + plot.width * 0.37), Math.round(row.y + row.height * 0.7));
		await d.settle();
		return page.locator('#tip').innerText();
	});
	equal(tips[1].replace(/\s+/g, ' '), tips[0].replace(/\s+/g, ' '), 'tooltip');
});

await test('dark colours follow the setting of the system', async () => {
	const dark = await openBrowser({ browser: 'firefox', colorScheme: 'dark' });
	const page = await dark.open(pageOf(generate('2000', '2'), 'dark'));
	const d = driver(page);
	const { plot } = await d.drawn();
	const blank = Object.keys(await d.colours('base', { x: plot.x + 3, y: plot.y + plot.height - 5, width: 2, height: 2 }));
	check(blank.every((c) => Number(c.split(',')[0]) < 60), `background ${blank}`);
	await dark.close();
});

await test('Firefox: no complaint on the console, no request', async () => {
	equal(browsers[1].complaints, [], 'console');
	equal(browsers[1].requests, [], 'requests');
});
for (const browser of browsers) await browser.close();
