// SPDX-License-Identifier: BSD-3-Clause
/**
 * Measures the page for `make bench`. Pages of 0.1, 1, 5 and 10 million spans (39 and 156 million also have targets)
 * are made by repeat.mjs from the golden trace and opened in Chromium. A real mouse then pans, zooms, scrolls and
 * toggles groups for a minute. Finally a search runs, and a process is opened. Writes a list of {"name", "value",
 * "unit"} to the given file, and prints a table with the targets beside the figures.
 *
 *	BUILD=build node tests/viewer/bench.mjs out.json [MILLIONS...] [wide]
 *
 * wide: an invented trace of three million spans, 288 CPUs and 5,000 processes.
 *
 * The time of a frame is the wall time of one animation frame that changes the picture. The processor time of its
 * thread is printed as well, and is the better figure on a busy machine. Each page is opened five times, a large page
 * twice. The load time is the median. The processor time of all threads of the page depends little on other programs.
 * Figures from a busy machine are useless, so the load average is printed with each size. $BENCH_PAGES is a folder in
 * which pages are stored and used again, also after the template has changed. Needs makeself, the built template,
 * xzcat and Chromium, and 3 MB of disk per million spans.
 */
import { spawn } from 'node:child_process';
import { closeSync, existsSync, mkdtempSync, openSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { loadavg, tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { openBrowser, top } from './browser.mjs';

const [out, ...sizes] = process.argv.slice(2);
if (!out) {
	console.error('usage: node tests/viewer/bench.mjs out.json [MILLIONS...] [wide]');
	process.exit(2);
}
/** @typedef {number | 'wide'} Size millions of spans */
/** @type {Size[]} */
const pages = sizes.length ? sizes.map((s) => (s === 'wide' ? s : Number(s))) : [0.1, 1, 5, 10];
const build = join(top, process.env.BUILD ?? 'build');
const kept = process.env.BENCH_PAGES;
const dir = mkdtempSync(join(tmpdir(), 'kutrace-bench-'));
process.on('exit', () => rmSync(dir, { recursive: true, force: true }));
for (const signal of /** @type {const} */ (['SIGINT', 'SIGTERM'])) process.on(signal, () => process.exit(3));

/** Upper limits, by page and figure. @type {Record<string, Record<string, number>>} */
const targets = {
	1: { load: 500 },
	5: { load: 1500 },
	10: { html: 40e6, load: 1500, 'first picture': 1000, 'frame p95': 16, search: 100, 'search, all match': 100, 'search, a process': 100, process: 200, heap: 600 },
	39: { load: 5000, 'first picture': 1000, 'frame p95': 16, heap: 1600 },
	156: { load: 20000, 'first picture': 1000, 'frame p95': 16 },
	wide: { 'frame p95': 16 },
};
/** Time of use of each page in ms, and number of openings. */
const DRIVE_MS = 60000;
const OPENINGS = 5;
/** Number of openings of a page that takes longer than ten seconds. */
const FEW_OPENINGS = 2;
const LARGE = 39;
/** The wide page: spans, CPUs, processes. */
const WIDE = [3e6, 288, 5000];
/** @type {{name: string, value: number, unit: string}[]} */
const figures = [];
let missed = 0;

/** @param {Size} size */
const label = (size) => (size === 'wide' ? size : `${size}M`);

/** @param {Size} size @param {string} name @param {number} value @param {string} unit */
function figure(size, name, value, unit) {
	const rounded = Number(value.toFixed(unit === 'ms' || !unit ? 1 : 0));
	const target = targets[size]?.[name];
	figures.push({ name: `viewer ${label(size)} ${name}`, value: rounded, unit });
	const verdict = target === undefined ? '' : rounded <= target ? `(target ${target}: kept)` : `(target ${target}: MISSED)`;
	if (verdict.includes('MISSED')) missed++;
	console.log(`  ${label(size).padEnd(5)} ${name.padEnd(28)} ${String(rounded).padStart(10)} ${unit.padEnd(6)} ${verdict}`);
}

/** @param {number[]} values @param {number} share */
function quantile(values, share) {
	const sorted = [...values].sort((a, b) => a - b);
	return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? NaN;
}

/** @param {Size} size @param {string} file */
async function makePage(size, file) {
	const [spans, cpus, processes] = WIDE.map(String);
	const source = spawn(process.execPath, size === 'wide' ? [join(top, 'tests/viewer/gen.mjs'), spans, cpus, '--processes', processes] :
		[join(top, 'tests/viewer/repeat.mjs'), join(top, 'tests/golden/stock.json.xz'), String(size * 1e6)], { stdio: ['ignore', 'pipe', 'inherit'] });
	const sink = openSync(file, 'w');
	const maker = spawn(join(build, 'bin/makeself'), [join(build, 'templates/show_cpu.html')], { stdio: [source.stdout, sink, 'inherit'] });
	closeSync(sink);
	/** @param {import('node:child_process').ChildProcess} child */
	const ended = (child) => new Promise((resolve, reject) => {
		child.on('error', reject);
		child.on('exit', (code) => (code === 0 ? resolve(null) : reject(new Error(`exit status ${code} while making ${file}`))));
	});
	await Promise.all([ended(source), ended(maker)]);
}

/** @typedef {any} Page */

/** Measures the time of a page that contains only a worker: no page can load faster. */
async function floor() {
	const file = join(dir, 'floor.html');
	writeFileSync(file, `<!DOCTYPE html><script>addEventListener('DOMContentLoaded', () => {
		const read = performance.now();
		new Worker(URL.createObjectURL(new Blob(['postMessage(0)']))).onmessage = () => console.log('floor ' + read + ' ' + performance.now());
	});</script>`);
	const browser = await openBrowser();
	/** @type {number[][]} */
	const times = [];
	for (let i = 0; i < OPENINGS; i++) {
		const page = await browser.context.newPage();
		const said = page.waitForEvent('console');
		await page.goto(pathToFileURL(file).href, { waitUntil: 'commit' });
		times.push((await said).text().split(' ').slice(1).map(Number));
		await page.close();
	}
	await browser.close();
	figure(0, 'empty page read', quantile(times.map((t) => t[0]), 0.5), 'ms');
	figure(0, 'its worker runs', quantile(times.map((t) => t[1]), 0.5), 'ms');
}

/** Searches, and opens the process with the most CPU time, until all results are shown. @param {Page} page @param {Size} size @param {() => Promise<number>} used processor time of the page's process, s */
async function asked(page, size, used) {
	await page.locator('#panetab-tables').click();
	await page.locator('#tab-processes').click();
	const name = page.locator('#tablebox tbody button.name').first();
	await name.waitFor();
	const pid = /\.(\d+)/.exec(await name.innerText())?.[1];
	for (const [what, text] of [['search', 'page_fault'], ['search, all match', '.'], ['search, a process', `pid:${pid}`]]) {
		const before = await used();
		figure(size, what, await page.evaluate((/** @type {string} */ t) => {
			const begin = performance.now();
			window.kutrace.search(t);
			return performance.now() - begin;
		}, text), 'ms');
		figure(size, `${what}, processor`, (await used() - before) * 1000, 'ms');
		await page.waitForTimeout(1000);
		// includes the drawing, the histogram, the sums by process, and the data that later selections need
		figure(size, `${what}, all of it`, (await used() - before) * 1000, 'ms');
	}
	await page.evaluate(() => window.kutrace.search(''));
	await page.waitForTimeout(500);
	const before = await used();
	figure(size, 'process', await name.evaluate((/** @type {HTMLElement} */ button) => new Promise((resolve) => {
		const box = /** @type {HTMLElement} */ (document.getElementById('processbox'));
		const begin = performance.now();
		const watch = new MutationObserver(() => {
			if (box.hasAttribute('aria-busy') || !box.querySelector('table')) return;
			watch.disconnect();
			resolve(performance.now() - begin);
		});
		watch.observe(box, { attributes: true, childList: true, subtree: true });
		button.click();
	})), 'ms');
	figure(size, 'process, processor', (await used() - before) * 1000, 'ms');
}

/**
 * Opens the page several times and returns the load times.
 * @param {Awaited<ReturnType<typeof openBrowser>>} browser
 * @param {string} file
 * @param {Size} size
 * @returns {Promise<{page: Page, used: () => Promise<number>, spans: number}>} the last page, and the processor time
 * of its process, s
 */
async function opened(browser, file, size) {
	await browser.context.addInitScript(() => {
		const picture = () => {
			const state = document.documentElement.dataset;
			if (state.picture === undefined && state.state !== 'ready') return;
			/** @type {any} */ (window).firstPicture ??= performance.now();
			if (state.state !== 'ready') return;
			watch.disconnect();
			console.log('loaded');
		};
		const watch = new MutationObserver(picture);
		watch.observe(document, { attributes: true, subtree: true, attributeFilter: ['data-state', 'data-picture'] });
	});
	/** @type {Page} */
	let page;
	/** Processor time of the page's process in seconds. */
	let used = async () => 0;
	const loads = [];
	const pictures = [];
	const work = [];
	let spans = 0;
	const openings = size === 'wide' || size >= LARGE ? FEW_OPENINGS : OPENINGS;
	for (let i = 0; i < openings; i++) {
		page = await browser.context.newPage();
		const inside = await browser.context.newCDPSession(page);
		await inside.send('Performance.enable');
		used = async () => (await inside.send('Performance.getMetrics')).metrics.find((/** @type {any} */ m) => m.name === 'ProcessTime').value;
		const before = await used();
		// polling the page would cost it 40 ms, so it reports by itself when it is ready
		const loaded = page.waitForEvent('console', { predicate: (/** @type {any} */ m) => m.text() === 'loaded' });
		// open only the group CPU; the rows of processes are opened later
		await page.goto(`${pathToFileURL(file).href}#g=CPU`, { waitUntil: 'commit' });
		await loaded;
		work.push((await used() - before) * 1000);
		await page.waitForTimeout(300);
		const [load, first, there] = await page.evaluate(() => [window.kutrace.loadMs, /** @type {any} */ (window).firstPicture, window.kutrace.spans]);
		spans = there;
		if (size === 'wide' ? spans < WIDE[0] : spans !== size * 1e6) throw new Error(`${spans} spans are not ${label(size)}`);
		loads.push(load);
		pictures.push(first);
		if (i < openings - 1) await page.close();
	}
	figure(size, 'first picture', quantile(pictures, 0.5), 'ms');
	figure(size, 'load', quantile(loads, 0.5), 'ms');
	figure(size, 'load, processor', quantile(work, 0.5), 'ms');
	return { page, used, spans };
}

/**
 * Operates the page by mouse and keyboard, and measures its frames.
 * @param {Page} page
 * @param {any} tracing trace of the page in the browser
 * @param {Size} size
 */
async function driven(page, tracing, size) {
	const { plot } = await page.evaluate(() => window.kutrace.drawn());
	const x = plot.x + plot.width * 0.4;
	const y = plot.y + 60;
	/** @type {Record<string, number[]>} */
	const frames = { pan: [], zoom: [], scroll: [], toggle: [] };
	/** Processor time of the frames in ms. @type {number[]} */
	const processor = [];
	tracing.on('Tracing.dataCollected', (/** @type {any} */ { value }) => {
		// shorter frames drew nothing
		for (const e of value) if (e.name === 'FireAnimationFrame' && e.tdur > 300) processor.push(e.tdur / 1000);
	});
	/** @param {string} what @param {() => Promise<void>} body */
	const during = async (what, body) => {
		await page.evaluate(() => window.kutrace.frames());
		await tracing.send('Tracing.start', { transferMode: 'ReportEvents', traceConfig: { includedCategories: ['devtools.timeline'] } });
		await body();
		await page.waitForTimeout(150);
		const all = new Promise((resolve) => tracing.once('Tracing.tracingComplete', resolve));
		await tracing.send('Tracing.end');
		await all;
		frames[what].push(...await page.evaluate(() => window.kutrace.frames()));
	};
	/** @param {number} n @param {number} dx @param {number} dy */
	const wheel = async (n, dx, dy) => {
		for (let i = 0; i < n; i++) {
			await page.mouse.wheel(dx, dy);
			await page.waitForTimeout(16);
		}
	};
	// works also if the button is scrolled out of sight
	const toggle = (/** @type {string} */ name) => page.locator(`[data-group=${name}]`).evaluate((/** @type {HTMLElement} */ button) => button.click());
	const round = async () => {
		await page.mouse.move(x, y);
		await during('zoom', async () => {
			await wheel(35, 0, -120);
			await wheel(35, 0, 120);
		});
		await wheel(5, 0, -120);
		await during('pan', async () => {
			for (let k = 0; k < 2; k++) {
				await page.mouse.move(x + 160, y);
				await page.mouse.down();
				for (let i = 0; i < 50; i++) {
					await page.mouse.move(x + 160 - Math.abs(25 - i) * 12, y);
					await page.waitForTimeout(16);
				}
				await page.mouse.up();
			}
		});
		await page.locator('#reset').click();
	};
	// all rows of CPUs, then with the processes open as well, repeatedly
	for (const until = performance.now() + DRIVE_MS; performance.now() < until;) {
		await round();
		await during('toggle', () => toggle('PID'));
		await round();
		if (size === 'wide') {
			// the rows of the processes do not fit below those of the CPUs
			await during('toggle', () => toggle('CPU'));
			await round();
			await during('toggle', () => toggle('CPU'));
		}
		await during('scroll', async () => {
			await page.mouse.move(plot.x - 60, plot.y + 200);
			await page.keyboard.down('Shift');
			await wheel(12, 0, -120);
			await page.keyboard.up('Shift');
			await wheel(12, 0, 120);
			await page.mouse.down();
			for (let i = 0; i < 60; i++) {
				await page.mouse.move(plot.x - 60, plot.y + 200 - Math.abs(30 - i) * 10);
				await page.waitForTimeout(16);
			}
			await page.mouse.up();
			await page.locator('#reset').click();
		});
		await during('toggle', async () => {
			for (const name of ['PID', 'CPU', 'CPU', 'PID', 'CPU', 'CPU', 'PID']) {
				await toggle(name);
				await page.waitForTimeout(100);
			}
		});
	}
	frames.frame = Object.values(frames).flat();
	for (const [what, times] of Object.entries(frames)) {
		figure(size, `${what} median`, quantile(times, 0.5), 'ms');
		figure(size, `${what} p95`, quantile(times, 0.95), 'ms');
	}
	figure(size, 'frame p95, processor', quantile(processor, 0.95), 'ms');
}

/** @param {Size} size */
async function measure(size) {
	const file = join(kept ?? dir, `${size}.html`);
	if (!kept || !existsSync(file)) {
		await makePage(size, `${file}.part`);
		renameSync(`${file}.part`, file);
	}
	figure(size, 'load average', loadavg()[0], '');
	figure(size, 'html', statSync(file).size, 'bytes');
	const browser = await openBrowser();
	const { page, used, spans } = await opened(browser, file, size);
	const tracing = await browser.context.newCDPSession(page);
	await driven(page, tracing, size);
	await page.waitForFunction(() => window.kutrace.bytes().calls > 0);
	await asked(page, size, used);
	figure(size, 'load average after', loadavg()[0], '');
	// performance.memory is rounded to tenths
	await tracing.send('HeapProfiler.collectGarbage');
	const { usedSize, backingStorageSize } = await tracing.send('Runtime.getHeapUsage');
	figure(size, 'heap', (usedSize + backingStorageSize) / 1e6, 'MB');
	const bytes = await page.evaluate(() => window.kutrace.bytes());
	for (const [what, n] of Object.entries(bytes)) figure(size, `${what}, bytes a span`, n / spans, '');
	await browser.close();
	rmSync(file);
}

await floor();
for (const size of pages) await measure(size);
writeFileSync(out, `[\n${figures.map((f) => `  ${JSON.stringify(f)}`).join(',\n')}\n]\n`);
console.log(missed ? `  ${missed} targets missed: is the machine otherwise idle?` : '  all targets kept');
process.exit(0);
