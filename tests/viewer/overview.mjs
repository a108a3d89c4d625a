// SPDX-License-Identifier: BSD-3-Clause
/**
 * Tests the overview, which the page shows before the trace is decoded. It has the same rows and shares as the
 * trace, and disappears when the trace is ready. A damaged overview does no harm. Prints TAP.
 */
import { execFileSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { EXECUTION_KINDS, Kind } from '../../templates/js/base/kinds.ts';
import { overviewTrace } from '../../templates/js/data/overview.ts';
import { openBrowser, top } from './browser.mjs';
import { Event, PAGE_FAULT } from './events.mjs';
import { KERNEL_NAMES, dir, golden, isExecution, jsonOf, pageOf, recorded, rowsOf } from './pages.mjs';
import { check, equal, near, test } from './tap.mjs';

const browser = await openBrowser();
const json = execFileSync(process.execPath, [join(top, 'tests/viewer/repeat.mjs'), join(top, 'tests/golden/stock.json.xz'), '320000'], { maxBuffer: 1 << 30 });
const file = pageOf(json, 'overview');

/** Opens a page whose workers' results arrive when the test releases them. The rows of processes stay closed, because they would move the other rows. @param {string} name */
async function held(name) {
	const page = await browser.context.newPage();
	await page.addInitScript(() => {
		/** @type {(() => void)[]} */
		const waiting = [];
		let open = false;
		/** @type {any} */ (window).release = () => {
			open = true;
			for (const give of waiting.splice(0)) give();
		};
		const handler = /** @type {PropertyDescriptor} */ (Object.getOwnPropertyDescriptor(Worker.prototype, 'onmessage'));
		Object.defineProperty(Worker.prototype, 'onmessage', {
			set(callback) {
				handler.set?.call(this, (/** @type {MessageEvent} */ event) => {
					if (event.data.arrays && !open) waiting.push(() => callback(event));
					else callback(event);
				});
			},
		});
	});
	page.on('pageerror', (/** @type {any} */ e) => browser.complaints.push(String(e)));
	await page.goto(`${pathToFileURL(name).href}#g=CPU`);
	return page;
}

/** @type {any} */
const page = await held(file);
/** Returns the canvas of the plot as lines of [r, g, b]. @param {any} [of] page */
const pixels = async (of = page) => {
	// transfer the pixels as text with one letter per byte, because millions of numbers take long
	const { width, height, text } = await of.evaluate(() => {
		const canvas = /** @type {HTMLCanvasElement} */ (document.getElementById('base'));
		const { data, width: w, height: h } = /** @type {CanvasRenderingContext2D} */ (canvas.getContext('2d')).getImageData(0, 0, canvas.width, canvas.height);
		return { width: w, height: h, text: Array.from({ length: h }, (_, y) => String.fromCharCode(...data.subarray(4 * y * w, 4 * (y + 1) * w))).join('') };
	});
	/** @param {number} at */
	const rgb = (at) => [text.charCodeAt(at), text.charCodeAt(at + 1), text.charCodeAt(at + 2)];
	return { width, lines: Array.from({ length: height }, (_, y) => Array.from({ length: width }, (__, x) => rgb(4 * (y * width + x)))) };
};
/** @type {any} */
let early;
/** @param {string} id of a canvas @returns {Promise<string>} */
const drawn = (id) => page.evaluate((/** @type {string} */ i) => /** @type {HTMLCanvasElement} */ (document.getElementById(i)).toDataURL(), id);
let axis = '';
/** A page of two million spans. */
let large = '';

await test('the overview distinguishes kernel threads from user code', async () => {
	const few = join(dir, 'iouring.json');
	writeFileSync(few, recorded('iouring'));
	const many = execFileSync(process.execPath, [join(top, 'tests/viewer/repeat.mjs'), few, '210000'], { maxBuffer: 1 << 30 });
	const html = readFileSync(pageOf(many, 'iouring'), 'latin1');
	const trace = await overviewTrace({}, /id="kutrace-overview">(.*?)<\/script>/s.exec(html)?.[1] ?? '');
	const sums = new Float64Array(EXECUTION_KINDS);
	for (const list of trace.cpus.values()) {
		const times = new Float64Array(EXECUTION_KINDS);
		list.columns(1).coarse(trace.first, trace.last, times);
		times.forEach((time, kind) => (sums[kind] += time / 1e8));
	}
	const own = rowsOf(many).filter((r) => isExecution(r) && r[5] > 65536 && r[3] > 0);
	for (const [kind, kernel] of /** @type {[number, boolean][]} */ ([[Kind.USER, false], [Kind.KTHREAD, true]])) {
		const want = own.filter((r) => KERNEL_NAMES.test(r[9]) === kernel).reduce((sum, r) => sum + r[1], 0);
		near(sums[kind], want, want * 0.05, kernel ? 'kernel threads' : 'user code');
	}
});

await test('rows and a progress bar are drawn while the trace is still being decoded', async () => {
	await page.waitForFunction(() => document.documentElement.dataset.picture === 'overview');
	equal(await page.evaluate(() => document.documentElement.dataset.state), 'loading', 'state');
	check(await page.locator('#plot').isVisible(), 'the picture cannot be seen');
	check(await page.locator('#progress').isVisible(), 'the bar cannot be seen');
	equal(await page.evaluate(() => /** @type {HTMLElement} */ (document.getElementById('app')).inert), true, 'nothing can be done with it');
	equal(await page.locator('#title').innerText(), JSON.parse(String(json)).title, 'title');
	axis = await drawn('axis');
	if (process.env.SHOT) await page.screenshot({ path: process.env.SHOT });
	early = await pixels();
});

await test('the overview has the trace\'s shares of kernel kinds and its time', async () => {
	await page.evaluate(() => /** @type {any} */ (window).release());
	await page.waitForFunction(() => document.documentElement.dataset.state === 'ready');
	equal(await page.evaluate(() => document.documentElement.dataset.picture), undefined, 'no longer the overview');
	equal(await page.evaluate(() => /** @type {HTMLElement} */ (document.getElementById('app')).inert), false, 'everything can be used');
	const { painted, rows, plot } = await page.evaluate(() => ({
		rows: window.kutrace.rows(), plot: window.kutrace.drawn().plot,
		painted: window.kutrace.rows().map((/** @type {any} */ r) => window.kutrace.painted(r.group, r.id)),
	}));
	equal(early.width, Math.round(plot.width), 'the plot is as wide as it will be');
	// the base of a row is on a line across the whole picture
	const background = painted[0].background;
	const bases = early.lines.flatMap((/** @type {number[][]} */ line, /** @type {number} */ y) =>
		(line.every((p) => p.join() === line[0].join()) && line[0].join() !== background.join() ? [y] : []));
	equal(bases.length, rows.length, 'rows');
	let compared = 0;
	rows.forEach((/** @type {any} */ row, /** @type {number} */ i) => {
		const { shares, kinds, colours, barShare, heights } = painted[i];
		const bar = Math.round(row.y - plot.y + row.height) - Math.round(row.y - plot.y);
		// a height that only softirqs and interrupts reach, a height that system calls also reach, and a
		// height that faults also reach
		for (const [share, reaching] of /** @type {[number, number[]][]} */ ([[(heights[7] + heights[4]) / 2, [6, 7]], [(heights[4] + heights[5]) / 2, [4, 6, 7]], [(heights[5] + heights[8]) / 2, [4, 5, 6, 7]]])) {
			const line = early.lines[bases[i] - Math.round(bar * barShare * share)];
			for (let x0 = 0; x0 + 40 <= early.width; x0 += 40) {
				for (let c = 0; c < 3; c++) {
					let got = 0;
					let want = 0;
					for (let x = x0; x < x0 + 40; x++) {
						got += line[x][c] / 40;
						want += (background[c] + reaching.reduce((sum, k) => sum + shares[x * kinds + k] * (colours[k][c] - background[c]), 0)) / 40;
					}
					// an interval of the overview is not a pixel, and an event number changes the
					// colour of its kind slightly
					near(got, want, 7, `${row.label}, pixels ${x0} to ${x0 + 40}, kinds ${reaching}, colour ${c}`);
					if (Math.abs(want - background[c]) > 14) compared++;
				}
			}
		}
	});
	check(compared > 100, `only ${compared} places with something in them`);
	equal(await drawn('axis'), axis, 'time axis');
	await page.close();
});

await test('a process has its own colours from the first picture on, whatever the number of its CPU', async () => {
	/** @type {string[]} */
	const lines = [];
	// alpha, then beta, then idle: a third each, with system calls in between
	for (let i = 0; i < 105000; i++) {
		const [pid, name] = [[5, 'alpha.5'], [6, 'beta.6'], [0, '-idle-']][Math.floor(i / 35000)];
		const t = (1 + i * 2e-6).toFixed(8);
		lines.push(`[${t}, 0.00000160, 300, ${pid}, 0, ${65536 + Number(pid)}, 0, 0, 0, "${name}"],\n`);
		lines.push(`[${(1 + i * 2e-6 + 1.6e-6).toFixed(8)}, 0.00000040, 300, ${pid}, 0, ${pid ? Event.SYSCALL64 : 65536}, 0, 0, 0, "${pid ? 'read' : '-idle-'}"],\n`);
	}
	const other = await held(pageOf(jsonOf(lines), 'colours'));
	await other.waitForFunction(() => document.documentElement.dataset.picture === 'overview');
	const first = await pixels(other);
	await other.evaluate(() => /** @type {any} */ (window).release());
	await other.waitForFunction(() => document.documentElement.dataset.state === 'ready');
	const row = await other.evaluate(() => ({ ...window.kutrace.rows()[0], top: window.kutrace.drawn().plot.y }));
	equal(row.label, 'CPU 300', 'row');
	const last = await pixels(other);
	const heights = [0.04, 0.12, 0.3].map((up) => Math.round(row.y - row.top + row.height * (1 - up)));
	const parts = [0.1, 0.25, 0.4, 0.6];
	for (const y of heights) for (const part of parts) {
		const x = Math.round(first.width * part);
		for (let c = 0; c < 3; c++) near(first.lines[y][x][c], last.lines[y][x][c], 6, `at ${part} of the width, line ${y}, colour ${c}: ${first.lines[y][x]} and then ${last.lines[y][x]}`);
	}
	const [alpha, beta] = [parts[0], parts[3]].map((part) => heights.map((y) => last.lines[y][Math.round(first.width * part)].join()));
	check(alpha.every((c, i) => c !== beta[i]), `alpha and beta look alike: ${alpha} ${beta}`);
	await other.close();
});

await test('a damaged overview does no harm, a small page has none', async () => {
	const text = readFileSync(file, 'latin1');
	const at = text.indexOf('"shares":"', text.indexOf('id="kutrace-overview"')) + 200;
	for (const [name, bad] of /** @type {[string, string][]} */ ([
		['flipped', text.slice(0, at) + 'AAAAAAAA' + text.slice(at + 8)],
		['numbers', text.replace(/"bins":\d+/, '"bins":-1')], ['whose', text.replace(/"most":"eF.{20}/, '"most":"eFAAAAAAAAAAAAAAAAAAAA')],
		['programs', text.replace('"programs":[[', '"programs":[[{},"x"],[')],
		['json', text.replace('id="kutrace-overview">{', 'id="kutrace-overview">{{')]])) {
		check(bad !== text, `${name}: nothing is damaged`);
		const broken = file.replace('overview', name);
		writeFileSync(broken, bad, 'latin1');
		const other = await held(broken);
		await other.waitForFunction(() => document.documentElement.dataset.overview === 'damaged' || document.documentElement.dataset.picture !== undefined);
		equal(await other.evaluate(() => ({ ...document.documentElement.dataset })), { state: 'loading', overview: 'damaged' }, `${name}: while it is loaded`);
		check(await other.locator('#progress').isVisible(), `${name}: the bar cannot be seen`);
		await other.evaluate(() => /** @type {any} */ (window).release());
		await other.waitForFunction(() => document.documentElement.dataset.state === 'ready');
		equal(await other.evaluate(() => ({ ...document.documentElement.dataset })), { state: 'ready' }, `${name}: when it is there`);
		equal(await other.evaluate(() => window.kutrace.spans), JSON.parse(String(json)).events.length - 1, `${name}: spans`);
		await other.close();
	}
	const small = readFileSync(pageOf(golden(), 'small'), 'latin1');
	check(!small.includes('id="kutrace-overview"'), 'a small page has one');
});
await test('with two million spans, chunks that arrive late are as correct as the first', async () => {
	const each = 1100000;
	/** @type {string[]} */
	const lines = [];
	/** Starts and durations by CPU, units of 10 ns. */
	const starts = [new Float64Array(each), new Float64Array(each)];
	const durs = [new Uint32Array(each), new Uint32Array(each)];
	const time = [1e8, 1e8];
	let [count, units] = [0, 0];
	const names = [['user', 65541], ['read', Event.SYSCALL64], ['page_fault', PAGE_FAULT]];
	for (let k = 0; k < each; k++) for (const cpu of [0, 1]) {
		const dur = 5 + ((k * 7 + cpu) % 97);
		// a few gaps
		starts[cpu][k] = time[cpu] += k % 1000 === 0 ? 33 : 0;
		durs[cpu][k] = dur;
		time[cpu] += dur;
		const [name, event] = names[k % 3];
		if (k % 3 === 1) {
			count++;
			units += dur;
		}
		lines.push(`[${(starts[cpu][k] / 1e8).toFixed(8)}, ${(dur / 1e8).toFixed(8)}, ${cpu}, ${5 + (k % 11)}, 0, ${event}, ${k % 50}, 0, 0, "${name}"],\n`);
	}
	large = pageOf(jsonOf(lines), 'big');
	const big = await browser.open(large);
	equal(await big.evaluate(() => window.kutrace.spans), 2 * each, 'spans');
	await big.waitForFunction(() => window.kutrace.bytes().calls > 0);
	const got = await big.evaluate(() => window.kutrace.search('^read$'));
	equal(got.count, count, 'count of a name');
	near(got.seconds, units / 1e8, 1e-7, 'its time');
	// the page has the sums of the whole trace; for later selections, it adds up all spans once
	await big.waitForFunction((/** @type {number} */ n) => window.kutrace.visited() >= n, count);
	equal(await big.evaluate(() => window.kutrace.visited()), count, 'spans that were added up');
	for (const [cpu, k] of [[0, 0], [1, 1], [0, 400000], [1, 600001], [0, 1000123], [1, 1099998], [0, each - 1], [1, each - 1]]) {
		const [start, dur] = [starts[cpu][k], durs[cpu][k]];
		const row = await big.evaluate((/** @type {number[]} */ [a, b, c]) => {
			window.kutrace.setRange(a, b);
			const { y, height } = window.kutrace.rows()[c];
			const { plot } = window.kutrace.drawn();
			return window.kutrace.hit(plot.x + plot.width / 2, y + height * 0.8);
		}, [(start - dur) / 1e8, (start + 2 * dur) / 1e8, cpu]);
		equal(row, [start / 1e8, dur / 1e8, cpu, 5 + (k % 11), 0, names[k % 3][1], k % 50, 0, 0, names[k % 3][0]], `span ${k} of CPU ${cpu}`);
	}
	// for an interval, the page adds up only spans in the blocks at its ends, and has sums of the other blocks
	const before = await big.evaluate(() => window.kutrace.visited());
	const [a, b] = [Math.round(time[0] * 0.3 + 0.7e8), Math.round(time[0] * 0.6 + 0.4e8)];
	await big.evaluate((/** @type {number[]} */ [x, y]) => window.kutrace.setRange(x / 1e8, y / 1e8), [a, b]);
	let inside = 0;
	for (const cpu of [0, 1]) for (let k = 1; k < each; k += 3) if (starts[cpu][k] <= b && starts[cpu][k] + durs[cpu][k] > a) inside++;
	const said = `of ${inside.toLocaleString('en').replace(/,/g, '\u202f')} spans, `;
	await big.waitForFunction((/** @type {string} */ text) => document.getElementById('found')?.title.includes(text), said).catch(() => {});
	check(String(await big.locator('#found').getAttribute('title')).includes(said), `on the screen${said}not ${await big.locator('#found').getAttribute('title')}`);
	const more = await big.evaluate(() => window.kutrace.visited()) - before;
	check(more <= 4 * 4096, `${more} spans added up for a part`);
	const bytes = await big.evaluate(() => window.kutrace.bytes());
	// time 8 and 4 bytes, name 2, kind 1, pid 2; no RPC
	equal(bytes.columns, 17 * 2 * each, 'bytes of the columns');
	check(bytes.cpus <= 7 * 2 * each && bytes.processes <= 7 * 2 * each, `tables: ${JSON.stringify(bytes)}`);
	const all = (Object.values(bytes).reduce((sum, n) => sum + n, 0) - bytes.calls) / (2 * each);
	check(all <= 31, `${all.toFixed(1)} bytes a span: ${JSON.stringify(bytes)}`);
	await big.close();
});

await test('a large trace is drawn before most of its page has arrived', async () => {
	const bytes = readFileSync(large);
	const part = bytes.indexOf('<script type="application/octet-stream"') + 100;
	check(part > 100 && bytes.indexOf('id="kutrace-overview"') < part, 'the overview is not in front of the data');
	let send = () => {};
	const server = createServer((_, response) => {
		response.writeHead(200, { 'content-type': 'text/html' });
		response.write(bytes.subarray(0, part));
		send = () => response.end(bytes.subarray(part));
	});
	await new Promise((resolve) => server.listen(0, '127.0.0.1', () => resolve(null)));
	const { port } = /** @type {import('node:net').AddressInfo} */ (server.address());
	const other = await browser.context.newPage();
	other.on('pageerror', (/** @type {any} */ e) => browser.complaints.push(String(e)));
	await other.route(`http://127.0.0.1:${port}/`, (/** @type {any} */ route) => route.continue());
	await other.goto(`http://127.0.0.1:${port}/`, { waitUntil: 'commit' });
	await other.waitForFunction(() => document.documentElement.dataset.picture === 'overview');
	equal(await other.evaluate(() => ({ state: document.documentElement.dataset.state, ready: document.readyState })), { state: 'loading', ready: 'loading' }, 'state');
	check(await other.locator('#plot').isVisible() && await other.locator('#progress').isVisible(), 'the picture or the bar cannot be seen');
	const { lines } = await pixels(other);
	check(lines.some((line) => line.some((p) => p.join() !== lines[0][0].join())), 'nothing is drawn');
	send();
	await other.waitForFunction(() => document.documentElement.dataset.state === 'ready');
	equal(await other.evaluate(() => window.kutrace.spans), 2200000, 'spans');
	await other.close();
	server.close();
});

await test('no complaint, no request', () => {
	equal(browser.complaints, [], 'console');
	equal(browser.requests, [], 'requests');
});
await browser.close();
