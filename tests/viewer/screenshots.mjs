// SPDX-License-Identifier: BSD-3-Clause
/**
 * Makes the pictures of docs/img, for `make pictures`:
 *
 *	node tests/viewer/screenshots.mjs trace page.html service.html [docs/img]
 *
 * These are overview.png and step1.webp to step5.webp for the README, and service.webp for docs/guide/install.md. Labels in
 * a picture name important places. The output of tools is made from `trace`. Examine each picture before you
 * commit it.
 */
import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { build } from './pages.mjs';
import { openBrowser } from './browser.mjs';
import { driver } from './driver.mjs';
import { Event, PAGE_FAULT } from './events.mjs';

const [trace, file, service, dir = 'docs/img'] = process.argv.slice(2);
if (!trace || !file || !service) {
	console.error('usage: node tests/viewer/screenshots.mjs trace page.html service.html [directory]');
	process.exit(2);
}
mkdirSync(dir, { recursive: true });

/** Letters are sharp at this quality, and a file has a third of the size of a PNG. */
const WEBP_QUALITY = 0.8;

/** The point of a label, and the position of its text, in client coordinates. @typedef {{at: [number, number], words: [number, number], text: string}} Label */

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

/** Colours and widths of the lines and rings, the widest first, for a page and for a terminal. @type {Record<string, [string, number][]>} */
const STROKES = { page: [['#fff', 5], ['#1b2333', 2]], terminal: [['#dfe3ea', 2]] };

/** Draws labels over the page: a text in a box, a line, and a ring around the point. @param {any} page @param {Label[]} labels @param {keyof typeof STROKES} [where] */
const draw = (page, labels, where = 'page') => page.evaluate((/** @type {[Label[], [string, number][]]} */ [list, strokes]) => {
	const make = (/** @type {string} */ name, /** @type {Record<string, string | number>} */ attributes, text = '') => {
		const element = document.createElementNS('http://www.w3.org/2000/svg', name);
		for (const [key, value] of Object.entries(attributes)) element.setAttribute(key, String(value));
		element.textContent = text;
		return element;
	};
	const svg = make('svg', { width: innerWidth, height: innerHeight });
	Object.assign(/** @type {SVGElement} */ (svg).style, { position: 'fixed', inset: '0', zIndex: '99', pointerEvents: 'none' });
	document.body.append(svg);
	for (const { at: [x, y], words: [left, top], text } of list) {
		const lines = text.split('\n');
		const high = 17 * lines.length + 7;
		const letters = lines.map((line, i) => make('text', { x: left + 9, y: top + 17 + 17 * i, fill: '#fff', 'font-size': 13, 'font-weight': 600, 'font-family': 'system-ui, "DejaVu Sans", sans-serif' }, line));
		svg.append(...letters);
		const width = Math.max(...letters.map((l) => /** @type {SVGTextElement} */ (l).getBBox().width)) + 18;
		// from the nearest edge of the box
		const from = [Math.max(left + 8, Math.min(left + width - 8, x)), Math.max(top, Math.min(top + high, y))];
		for (const [stroke, wide] of strokes) {
			svg.append(make('line', { x1: from[0], y1: from[1], x2: x, y2: y, stroke, 'stroke-width': wide }), make('circle', { cx: x, cy: y, r: 5, fill: 'none', stroke, 'stroke-width': wide }));
		}
		svg.append(make('rect', { x: left, y: top, width, height: high, rx: 4, fill: '#1b2333', stroke: '#fff' }), ...letters);
	}
}, [labels, STROKES[where]]);

/** @param {any} page @param {string} name @param {Label[]} [labels] */
async function keep(page, name, labels = []) {
	await driver(page).settle();
	await page.waitForTimeout(250);
	if (labels.length) await draw(page, labels);
	const png = await page.screenshot();
	writeFileSync(join(dir, name), name.endsWith('.webp') ? await webp(page, png) : png);
}

/** Returns the middle of the element that a selector finds. @param {any} page @param {string} selector @returns {Promise<[number, number]>} */
async function middle(page, selector) {
	const { x, y, width, height } = await page.locator(selector).first().boundingBox();
	return [x + width / 2, y + height / 2];
}

/**
 * Returns the output of a tool for the trace, with the name of the trace that the README uses.
 * @param {string[]} words the tool, and its arguments
 */
function said([tool, ...words]) {
	const place = mkdtempSync(join(tmpdir(), 'kutrace-said-'));
	symlinkSync(resolve(trace), join(place, 'slow.trace'));
	const run = spawnSync(resolve(build, 'bin', tool), words, { cwd: place, encoding: 'utf8' });
	rmSync(place, { recursive: true });
	if (run.status !== 0) throw new Error(`${tool}: exit ${run.status}: ${run.stderr}`);
	return `${run.stdout}${run.stderr}`.trimEnd().split('\n');
}

/**
 * Draws a terminal. Lines that begin with $ were typed.
 * @param {Awaited<ReturnType<typeof openBrowser>>} browser
 * @param {string} name
 * @param {string[]} lines
 * @param {(place: (text: string) => Promise<[number, number]>) => Promise<Label[]>} labels place: right end of the
 * line that contains the text
 */
async function terminal(browser, name, lines, labels) {
	const page = await browser.context.newPage();
	await page.setViewportSize({ width: 1280, height: 40 + 20 * lines.length });
	await page.setContent('<body><pre></pre>');
	await page.evaluate((/** @type {string[]} */ list) => {
		Object.assign(document.body.style, { margin: '0', background: '#14171c', color: '#dfe3ea' });
		const pre = /** @type {HTMLElement} */ (document.querySelector('pre'));
		Object.assign(pre.style, { margin: '20px', font: '14px/20px "DejaVu Sans Mono", monospace' });
		for (const line of list) {
			const span = document.createElement('span');
			span.textContent = line;
			if (line.startsWith('$')) span.style.color = '#7cc4ff';
			pre.append(span, '\n');
		}
	}, lines);
	await draw(page, await labels(async (text) => {
		const box = await page.locator('span', { hasText: text }).first().boundingBox();
		return [box.x + box.width + 16, box.y + box.height / 2];
	}), 'terminal');
	writeFileSync(join(dir, name), await webp(page, await page.screenshot()));
	await page.close();
}

/** Returns a label to the right of a line in a terminal. @param {[number, number]} at @param {string} text @returns {Label} */
const beside = (at, text) => ({ at, words: [at[0] + 40, at[1] - 12], text });

const browser = await openBrowser();
// each page opens without stored settings
await browser.context.addInitScript(() => {
	if (location.protocol === 'file:') localStorage.clear();
});

await terminal(browser, 'step1.webp', ['$ sudo kutrace_control run -o slow.trace -- ./myprogram', '...', '$ checktrace slow.trace', ...said(['checktrace', 'slow.trace'])], async (place) => [
	beside(await place('kutrace_control run'), 'records while the program runs'),
	beside(await place('lost:'), 'nothing is missing'),
]);
await terminal(browser, 'step2.webp', ['$ rawtohtml slow.trace --title "my slow program" -o slow.html', ...said(['rawtohtml', 'slow.trace', '--title', 'my slow program', '-o', 'slow.html', '--template', resolve(build, 'templates', 'show_cpu.html')])],
	async (place) => [beside(await place('$ rawtohtml'), 'one file, which opens from disk')]);

/** @param {{width: number, height: number}} size @param {string} [what] */
async function opened(size, what = file) {
	const page = await browser.open(resolve(what), 'ready', '');
	await page.setViewportSize(size);
	await page.keyboard.press('Shift');
	await driver(page).settle();
	return page;
}
const LAPTOP = { width: 1280, height: 720 };

const overview = await opened({ width: 1280, height: 520 });
await keep(overview, 'overview.png');
await overview.close();

const first = await opened(LAPTOP);
{
	const { plot } = await first.evaluate(() => window.kutrace.drawn());
	const [cpu0, cpu1] = await first.evaluate(() => window.kutrace.rows().filter((/** @type {any} */ r) => r.group === 'CPU'));
	/** Returns the longest place of idle or running time on the second CPU, in a part of the picture. @param {'idle' | 'runs'} what @param {number} from @param {number} to shares of the width */
	const longest = (what, from, to) => first.evaluate((/** @type {any} */ [kind, left, right, row]) => {
		let best = [left, 0];
		for (let x = Math.round(left); x < right; x++) {
			const hit = window.kutrace.hit(x, row.y + row.height * 0.8);
			if (hit && (hit[5] === 65536) === (kind === 'idle') && hit[1] > best[1]) best = [x, hit[1]];
		}
		return best[0];
	}, [what, plot.x + plot.width * from, plot.x + plot.width * to, cpu1]);
	const foot = cpu1.y + cpu1.height;
	const [runs, idle] = [await longest('runs', 0.2, 0.5), await longest('idle', 0.7, 0.9)];
	const table = await first.locator('#tablebox tbody tr').first().boundingBox();
	await keep(first, 'step3.webp', [
		{ at: [plot.x - 60, cpu0.y + cpu0.height * 0.6], words: [14, cpu0.y + cpu0.height * 0.6 + 16], text: 'a row is a CPU' },
		{ at: [runs + 12, cpu1.y + cpu1.height * 0.7], words: [runs - 40, foot + 60], text: 'a program runs; what stands\nhigher is the kernel, for it' },
		{ at: [idle + 6, foot - 2], words: [idle - 100, foot + 150], text: 'a thin line: the CPU is idle' },
		{ at: [plot.x + plot.width * 0.45, plot.y + plot.height + 6], words: [plot.x + plot.width * 0.25, plot.y + plot.height - 70], text: 'drag on the axis: the table of a part' },
		{ at: await middle(first, '#reset'), words: [14, plot.y + plot.height - 70], text: 'brings all back' },
		{ at: [table.x + 4, table.y + table.height - 2], words: [table.x + 60, table.y + 110], text: 'which processes used the CPUs;\na click on a row goes to its longest span' },
	]);
}
await first.close();

/** Returns the longest gaps of each process, from top to bottom, as points to click. @param {any} page @returns {Promise<[number, number][]>} */
const gapsOf = (page) => page.evaluate((/** @type {number[]} */ [WAITA, WAITZ]) => {
	const { plot } = window.kutrace.drawn();
	return window.kutrace.rows().filter((/** @type {any} */ r) => r.group === 'PID').flatMap((/** @type {any} */ r) => {
		/** Maps the start of each gap to its position and length. @type {Map<number, [number, number, number]>} */
		const gaps = new Map();
		for (let x = plot.x + 5; x < plot.x + plot.width - 5; x += 3) {
			const hit = window.kutrace.hit(x, r.y + r.height * 0.8);
			if (hit && hit[5] >= WAITA && hit[5] <= WAITZ && hit[1] > 5e-4) gaps.set(hit[0], [x, r.y + r.height * 0.8, hit[1]]);
		}
		return [...gaps.values()].sort((p, q) => q[2] - p[2]).slice(0, 8);
	});
}, [Event.WAITA, Event.WAITZ]);

const why = await opened(LAPTOP);
{
	// find the first gap whose waker had waited too, with the whole chain visible; the process must have existed
	// before the gap
	for (const [i, [x, y]] of (await gapsOf(why)).entries()) {
		// show the same view again: @n makes the address different
		await why.evaluate((/** @type {number} */ n) => (location.hash = `g=CPU.PID&r=cpu&n=${n}`), i);
		await why.waitForFunction(() => window.kutrace.drawn().chain.length === 0);
		await driver(why).settle();
		await why.mouse.click(x, y);
		await driver(why).settle();
		const { plot, chain } = await why.evaluate(() => window.kutrace.drawn());
		if (chain.length > 1 && chain[0].x0 > plot.x + 9 && await why.locator('[data-group=PID]').getAttribute('data-state') === 'open') break;
	}
	await why.mouse.move(3, 700);
	const { plot, chain } = await why.evaluate(() => window.kutrace.drawn());
	const list = await why.locator('#whylist li').first().boundingBox();
	const [link] = chain;
	const row = (await why.evaluate(() => window.kutrace.rows())).find((/** @type {any} */ r) => link.y > r.y && link.y < r.y + r.height);
	const low = link.y > plot.y + plot.height * 0.6;
	await keep(why, 'step4.webp', [
		{ at: await middle(why, '[data-group=PID] i'), words: [30, (await middle(why, '[data-group=PID] i'))[1] - 60], text: 'processes have rows, too' },
		{ at: [link.x0 * 0.7 + link.x1 * 0.3, row.y + row.height * 0.8], words: [Math.max(plot.x + 10, link.x0 * 0.7 + link.x1 * 0.3 - 60), link.y + (low ? -100 : 70)], text: 'it did not run: click the line' },
		{ at: [list.x - 22, list.y + 9], words: [list.x - 330, list.y + 60], text: 'what it waited for, who woke it,\nwhat that one had waited for' },
	]);
}
await why.close();

const search = await opened(LAPTOP);
await search.locator('#search').fill('page_fault');
await search.locator('#search').press('Enter');
await search.keyboard.press('Home');
await search.locator('#bars button:not([disabled])').first().waitFor();
{
	const [box, found] = [await search.locator('#searchbox').boundingBox(), await search.locator('#found').boundingBox()];
	const bar = await middle(search, '#bars button:not([disabled]) >> nth=-1');
	const { plot } = await search.evaluate(() => window.kutrace.drawn());
	const [, row] = await search.evaluate(() => window.kutrace.rows());
	const match = await search.evaluate((/** @type {any} */ [left, right, { y, height }, fault]) => {
		for (let x = Math.round(left); x < right; x++) if (window.kutrace.hit(x, y + height * 0.8)?.[5] === fault) return x;
		return left;
	}, [plot.x + plot.width * 0.4, plot.x + plot.width, row, PAGE_FAULT]);
	await keep(search, 'step5.webp', [
		{ at: [box.x + box.width - 12, box.y + box.height / 2], words: [box.x - 60, box.y + box.height + 16], text: 'what is searched for' },
		{ at: [found.x + found.width - 112, found.y + 12], words: [plot.x + plot.width - 240, found.y + 40], text: 'how many, and what they cost' },
		{ at: [bar[0], bar[1] + 20], words: [bar[0] - 330, bar[1] + 50], text: 'how long they took: click the last bar' },
		{ at: [match, row.y + row.height - 1], words: [plot.x + plot.width * 0.2, row.y + row.height + 60], text: 'they are underlined; what does not match is dimmed' },
	]);
}
await search.close();

// A slow request of a service: the condition of its trigger, the processes in it, and the chain of waits.
const slow = await opened({ width: 1280, height: 600 }, service);
{
	await slow.locator('#search').fill('flock >400ms');
	await slow.locator('#search').press('Enter');
	await slow.locator('#bars button:not([disabled])').first().click();
	await slow.locator('#rowfilter').fill('answer|flock.4715|backup');
	await slow.locator('#search').fill('');
	await driver(slow).settle();
	/** Returns the position of the longest gap of each process. @returns {Promise<Record<string, [number, number, number]>>} */
	const waits = () => slow.evaluate((/** @type {number[]} */ [WAITA, WAITZ]) => {
		const { plot } = window.kutrace.drawn();
		/** @type {Record<string, [number, number, number]>} */
		const longest = {};
		for (const r of window.kutrace.rows().filter((/** @type {any} */ one) => one.group === 'PID')) {
			for (let x = plot.x + 5; x < plot.x + plot.width - 5; x += 3) {
				const hit = window.kutrace.hit(x, r.y + r.height * 0.8);
				if (hit && hit[5] >= WAITA && hit[5] <= WAITZ && hit[1] > (longest[hit[3]]?.[2] ?? 0)) longest[hit[3]] = [x, r.y + r.height * 0.8, hit[1]];
			}
		}
		return longest;
	}, [Event.WAITA, Event.WAITZ]);
	const [x, y] = (await waits())[4715];
	await slow.mouse.click(x + 120, y);
	await driver(slow).settle();
	await slow.mouse.move(640, 596);
	const where = await waits();
	const [answer, flock, backup] = [4713, 4715, 4706].map((pid) => where[pid]);
	const list = await slow.locator('#whylist li').first().boundingBox();
	await keep(slow, 'service.webp', [
		{ at: [answer[0] + 260, answer[1]], words: [answer[0] + 190, answer[1] - 40], text: 'the request waits for its flock' },
		{ at: [flock[0] + 120, flock[1]], words: [flock[0] - 60, flock[1] + 34], text: 'flock waits for the lock: click the line' },
		{ at: [backup[0] + 330, backup[1]], words: [backup[0] + 280, backup[1] - 56], text: 'backup has the lock, and waits itself' },
		{ at: [list.x - 22, list.y + 9], words: [list.x - 200, list.y + 70], text: 'who ended the wait' },
	]);
}
await browser.close();
