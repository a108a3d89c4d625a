// SPDX-License-Identifier: BSD-3-Clause
/**
 * Measures a page: its size, the time from opening until it is ready, and the duration of
 * frames while a real wheel and drag zoom and pan. Prints JSON.
 *
 *	node tests/viewer/measure.mjs page.html
 */
import { statSync } from 'node:fs';
import { resolve } from 'node:path';
import { openBrowser } from './browser.mjs';

const file = resolve(process.argv[2]);
const browser = await openBrowser();
/** @param {number[]} values @param {number} share */
const quantile = (values, share) => {
	const sorted = [...values].sort((a, b) => a - b);
	return Number((sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? NaN).toFixed(2));
};
/** @param {number[]} f */
const summary = (f) => ({ frames: f.length, median_ms: quantile(f, 0.5), p95_ms: quantile(f, 0.95), max_ms: quantile(f, 1) });
const loads = [];
let page = await browser.open(file);
loads.push(await page.evaluate(() => window.kutrace.loadMs));
for (let i = 0; i < 2; i++) {
	await page.close();
	page = await browser.open(file);
	loads.push(await page.evaluate(() => window.kutrace.loadMs));
}
const plot = await page.evaluate(() => window.kutrace.drawn().plot);
const x = plot.x + plot.width * 0.4;
const y = plot.y + 60;
/** @type {Record<string, unknown>} */
const result = {
	html_bytes: statSync(file).size,
	spans: await page.evaluate(() => window.kutrace.spans),
	load_ms: loads.map((v) => Math.round(v)),
};
const frames = () => page.evaluate(() => window.kutrace.frames());
await frames();
await page.mouse.move(x, y);
for (let i = 0; i < 40; i++) {
	await page.mouse.wheel(0, -120);
	await page.waitForTimeout(20);
}
result.zoom_in = summary(await frames());
for (let i = 0; i < 44; i++) {
	await page.mouse.wheel(0, 120);
	await page.waitForTimeout(20);
}
result.zoom_out = summary(await frames());
for (let i = 0; i < 6; i++) await page.mouse.wheel(0, -120);
await page.waitForTimeout(100);
await frames();
await page.mouse.down();
for (let i = 0; i < 40; i++) {
	await page.mouse.move(x + 8 * Math.abs(20 - i) - 160, y);
	await page.waitForTimeout(16);
}
await page.mouse.up();
result.pan = summary(await frames());
await page.evaluate(() => document.getElementById('reset')?.click());
result.search = await page.evaluate(() => {
	const begin = performance.now();
	const found = window.kutrace.search('page_fault');
	return { ms: Math.round(performance.now() - begin), ...found };
});
await page.waitForTimeout(200);
await frames();
for (let i = 0; i < 20; i++) {
	await page.mouse.wheel(0, -60);
	await page.waitForTimeout(20);
}
result.zoom_with_search = summary(await frames());
await page.evaluate(() => { window.kutrace.search(''); document.getElementById('reset')?.click(); });
await page.waitForTimeout(200);
result.open_pid_ms = await page.evaluate(() => {
	const begin = performance.now();
	/** @type {HTMLElement} */ (document.querySelector('[data-group=PID]')).click();
	return Math.round(performance.now() - begin);
});
await page.waitForTimeout(500);
await frames();
for (let i = 0; i < 20; i++) {
	await page.mouse.wheel(0, -60);
	await page.waitForTimeout(20);
}
result.zoom_with_pids = summary(await frames());
result.heap_mb = await page.evaluate(() => Math.round(/** @type {any} */ (performance).memory.usedJSHeapSize / 1e6));
console.log(JSON.stringify(result, null, '\t'));
if (browser.complaints.length) console.error(browser.complaints.join('\n'));
await browser.close();
