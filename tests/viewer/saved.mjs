// SPDX-License-Identifier: BSD-3-Clause
/**
 * Tests the saved files (PNG, SVG, CSV) against the JSON and the screen. Prints TAP.
 */
import { openBrowser } from './browser.mjs';
import { driver } from './driver.mjs';
import { generate, isExecution, jsonOf, pageOf, rowsOf } from './pages.mjs';
import { check, equal, test } from './tap.mjs';

/** @typedef {import('./pages.mjs').Row} Row */

const json = generate('20000', '4');
const rows = rowsOf(json);
const first = Math.min(...rows.map((r) => r[0]));
const last = Math.max(...rows.filter((r) => isExecution(r) || r[5] === -3).map((r) => r[0] + r[1]));
const width = last - first;
const browser = await openBrowser();
/** @type {any} */
let page;
/** @type {ReturnType<typeof driver>} */
let d;
/** @param {string} path */
async function open(path) {
	page = await browser.open(path);
	d = driver(page);
	await d.settle();
}
await open(pageOf(json, 'saved'));

/** Returns the position of the picture in a saved SVG: below the title and the facts. @param {Buffer} svg */
const cornerOf = (svg) => (/class="plot" transform="translate\(([\d.]+) ([\d.]+)\)/.exec(String(svg)) ?? []).slice(1).map(Number);

await test('Save: a PNG of the picture', async () => {
	const [left, top] = cornerOf((await d.saved('#savesvg')).bytes);
	const { name, bytes } = await d.saved('#savepng');
	equal(name, 'generated.png', 'name');
	const { plot } = await d.drawn();
	const [a, w, h] = [bytes.subarray(0, 8).toString('latin1'), bytes.readUInt32BE(16), bytes.readUInt32BE(20)];
	equal(a, '\x89PNG\r\n\x1a\n', 'signature');
	check(w >= plot.width + 100 && h >= plot.height + 40, `${w} x ${h}`);
	// the same colours as on the screen
	const place = { x: plot.x, y: plot.y + 40, width: plot.width, height: 60 };
	const want = await d.colours('base', place);
	const seen = await page.evaluate(async (/** @type {any} */ [data, from, across, x]) => {
		const image = await createImageBitmap(new Blob([Uint8Array.from(data)]));
		const canvas = new OffscreenCanvas(image.width, image.height);
		const ctx = /** @type {any} */ (canvas.getContext('2d'));
		ctx.drawImage(image, 0, 0);
		const pixels = ctx.getImageData(x, from, across, 60).data;
		/** @type {Record<string, number>} */
		const counts = {};
		for (let i = 0; i < pixels.length; i += 4) {
			const key = `${pixels[i]},${pixels[i + 1]},${pixels[i + 2]},${pixels[i + 3]}`;
			counts[key] = (counts[key] ?? 0) + 1;
		}
		return counts;
	}, [[...bytes], top + 40, plot.width, left]);
	const common = Object.keys(want).filter((c) => want[c] > 20);
	check(common.length > 10 && common.every((c) => Math.abs((seen[c] ?? 0) - want[c]) <= want[c] * 0.2 + 20), 'other colours than on the screen');
});

await test('Save: an SVG that looks the same', async () => {
	await d.setRange(first, first + width / 500);
	const { name, bytes } = await d.saved('#savesvg');
	equal(name, 'generated.svg', 'name');
	const text = String(bytes);
	const parsed = await page.evaluate((/** @type {string} */ t) => {
		const doc = new DOMParser().parseFromString(t, 'image/svg+xml');
		return { error: doc.querySelector('parsererror')?.textContent ?? '', texts: [...doc.querySelectorAll('text')].map((e) => e.textContent) };
	}, text);
	equal(parsed.error, '', 'XML');
	for (const want of ['CPU 0', 'CPU 3']) check(parsed.texts.includes(want), `no text ${want}`);
	const [a, b] = await d.range();
	const long = rows.filter((r) => isExecution(r) && r[2] === 0 && r[0] > a && r[0] + r[1] < b && r[5] > 65536 && r[5] !== 131072).sort((x, y) => y[1] - x[1])[0];
	check(parsed.texts.some((/** @type {string} */ t) => t.startsWith(long[9].slice(0, 3))), `${long[9]} is not named: ${parsed.texts}`);
	// a browser that draws the SVG gives the bar the same colour
	const row = await d.row('CPU 0');
	const x = Math.round(await d.xOf(long[0] + long[1] * 0.97));
	const spot = { x, y: Math.round(row.y + row.height * 0.72), width: 1, height: 1 };
	const [want] = Object.keys(await d.colours('base', spot));
	const { plot } = await d.drawn();
	const viewer = await browser.context.newPage();
	await viewer.setContent(`<body style="margin:0">${text.slice(text.indexOf('<svg'))}</body>`);
	const [left, top] = cornerOf(bytes);
	const shot = await viewer.screenshot({ clip: { x: left + spot.x - plot.x, y: top + spot.y - plot.y, width: 1, height: 1 } });
	await viewer.close();
	const got = await page.evaluate(async (/** @type {number[]} */ data) => {
		const image = await createImageBitmap(new Blob([Uint8Array.from(data)]));
		const ctx = /** @type {any} */ (new OffscreenCanvas(1, 1).getContext('2d'));
		ctx.drawImage(image, 0, 0);
		return [...ctx.getImageData(0, 0, 1, 1).data].join(',');
	}, [...shot]);
	equal(got, want, 'colour in the SVG');
	await d.reset();
});

await test('Save: CSV of the selection is the JSON\'s rows, and of the table', async () => {
	const axis = await page.locator('#axis').boundingBox();
	await d.drag([axis.x + axis.width * 0.4, axis.y + 9], [axis.x + axis.width * 0.45, axis.y + 9]);
	const { selection } = await d.drawn();
	const { name, bytes } = await d.saved('#savecsv');
	equal(name, 'generated.csv', 'name');
	const lines = String(bytes).trimEnd().split('\r\n');
	equal(lines[0], 'start_s,duration_s,cpu,pid,rpc,event,arg0,retval,ipc,name', 'head');
	const want = rows.filter((r) => Math.round(r[0] * 1e8) < Math.round(selection.to * 1e8) && Math.round((r[0] + r[1]) * 1e8) > Math.round(selection.from * 1e8))
		.map((r) => [r[0].toFixed(8), r[1].toFixed(8), ...r.slice(2)].join(','));
	equal(lines.slice(1).sort().slice(0, 3), want.sort().slice(0, 3), 'rows');
	equal(lines.length - 1, want.length, 'number of rows');
	const table = await d.saved('#savetable');
	equal(table.name, 'generated.processes.csv', 'name of the table');
	const cells = await d.cells();
	const saved = String(table.bytes).trimEnd().split('\r\n');
	equal(saved.length - 1, cells.length, 'lines of the table');
	check(saved[1].startsWith(`${cells[0][0]},`), `${saved[1]}: first line`);
	await page.locator('#clearselection').click();
});

await test('hostile names are text in files and tables', async () => {
	await page.close();
	/** @type {Row[]} */
	const evil = [[1, 1, 0, 5, 0, 65541, 0, 0, 0, '=cmd|calc!A1.5'], [2, 1, 0, 6, 0, 65542, 0, 0, 0, '</text><script>window.injected=1</script>.6'],
		[3, 1, 0, 7, 0, 65543, 0, 0, 0, 'a,"b"\nc.7']];
	await open(pageOf(jsonOf(evil), 'evil'));
	const csv = String((await d.saved('#savecsv')).bytes);
	check(csv.includes(",'=cmd|calc!A1.5\r\n"), `a formula: ${csv}`);
	check(csv.includes(',"a,""b""\nc.7"\r\n'), 'quotes');
	const svg = String((await d.saved('#savesvg')).bytes);
	check(!svg.includes('<script') && svg.includes('&lt;script'), 'markup in the SVG');
	await page.locator('#tab-names').click();
	equal((await d.cells()).map((l) => l[0]).sort(), evil.map((r) => r[9]).sort(), 'table');
	equal(await page.evaluate(() => /** @type {any} */ (window).injected), undefined, 'a name ran as a script');
});

await test('saved: no complaint on the console, no request', async () => {
	equal(browser.complaints, [], 'console');
	equal(browser.requests, [], 'requests');
});
await browser.close();
