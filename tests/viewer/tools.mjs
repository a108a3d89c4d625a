// SPDX-License-Identifier: BSD-3-Clause
/**
 * Tests the minimap, slots, address, keys, highlights, groups of RPCs and resources, and messages. Uses the real
 * mouse and keys, and compares with the JSON and the pixels. Prints TAP.
 */
import { readFileSync } from 'node:fs';
import { kindOf } from '../../templates/js/base/kinds.ts';
import { wordsOf } from '../../templates/js/base/words.ts';
import { openBrowser, usual } from './browser.mjs';
import { callsOf } from './callsof.mjs';
import { driver } from './driver.mjs';
import { Event } from './events.mjs';
import { generate, golden, isExecution, jsonOf, pageOf, rowsOf } from './pages.mjs';
import { check, equal, near, test } from './tap.mjs';

/** @typedef {import('./pages.mjs').Row} Row */

const json = generate('20000', '4');
const rows = rowsOf(json);
const first = Math.min(...rows.map((r) => r[0]));
const last = Math.max(...rows.filter((r) => isExecution(r) || r[5] === -3).map((r) => r[0] + r[1]));
const width = last - first;
const file = pageOf(json, 'tools');
const browser = await openBrowser();
/** @type {any} */
let page;
/** @type {ReturnType<typeof driver>} */
let d;
/** @param {string} path @param {string} [hash] */
async function open(path, hash = '') {
	page = await browser.open(path);
	if (hash) {
		// Firefox's driver waits for ever if an address only scrolls the page
		await page.evaluate((/** @type {string} */ text) => (location.hash = text), hash);
		await page.reload();
		await page.waitForFunction(() => document.documentElement.dataset.state === 'ready');
	}
	d = driver(page);
	await d.settle();
}

await test('a page that is opened for the first time shows three hints, once', async () => {
	await open(file);
	const hints = page.locator('.firsthint');
	equal(await hints.count(), 3, 'hints');
	equal(await hints.first().isVisible(), true, 'shown');
	// no hint covers a row or a control
	const covered = await page.evaluate(() => [...document.querySelectorAll('.firsthint')].flatMap((hint) => {
		const a = hint.getBoundingClientRect();
		/** @param {{left: number, right: number, top: number, bottom: number}} b */
		const over = (b) => a.left < b.right - 0.5 && b.left < a.right - 0.5 && a.top < b.bottom - 0.5 && b.top < a.bottom - 0.5;
		const plot = /** @type {HTMLElement} */ (document.getElementById('plot')).getBoundingClientRect();
		const rows = window.kutrace.rows().map((r) => ({ left: plot.left, right: plot.right, top: r.y, bottom: r.y + r.height, what: r.label }));
		const others = [...document.querySelectorAll('#app button, #app input, #tablebox, #legend, #labels, #axisbox, #minimap, #facts, footer, #paneltitle')]
			.filter((e) => e.checkVisibility({ contentVisibilityAuto: true, visibilityProperty: true }) && !e.closest('details:not([open]) > div'))
			.map((e) => ({ ...e.getBoundingClientRect().toJSON(), what: e.id || e.textContent }));
		const what = [...rows, ...others].filter(over).map((o) => `${hint.textContent} over ${o.what}`);
		if (a.width < 100 || a.right > innerWidth) what.push(`${hint.textContent} is ${a.width} wide`);
		return what;
	}));
	equal(covered, [], 'hints');
	const backs = await page.evaluate(() => [document.body, ...document.querySelectorAll('#plot .firsthint')].map((e) => getComputedStyle(e).backgroundColor));
	equal(backs.slice(1).filter((/** @type {string} */ back) => back !== backs[0]), [], 'bars of arcs below a hint shine through');
	await page.keyboard.press('Shift');
	equal(await hints.first().isVisible(), false, 'gone with the first key');
	await page.reload();
	await page.waitForFunction(() => document.documentElement.dataset.state === 'ready');
	equal(await hints.first().isVisible(), false, 'at the second opening');
});

await test('the minimap shows the view; dragging it and clicking beside it move the view', async () => {
	await d.setRange(first + width * 0.2, first + width * 0.3);
	await d.settle();
	const box = await page.locator('#minimap').boundingBox();
	const { window: win } = await d.drawn();
	near(win.x0, box.width * 0.2, 1.5, 'left');
	near(win.x1, box.width * 0.3, 1.5, 'right');
	const seen = await d.colours('minimap', { x: box.x + box.width * 0.22, y: box.y + 3, width: box.width * 0.06, height: box.height - 6 });
	check(Object.keys(seen).length >= 2, `nothing in it: ${JSON.stringify(seen)}`);
	const y = box.y + box.height / 2;
	await d.drag([box.x + box.width * 0.22, y], [box.x + box.width * 0.52, y]);
	near((await d.range())[0], first + width * 0.5, width * 0.004, 'dragged by 0.3');
	await page.mouse.click(box.x + box.width * 0.85, y);
	await d.settle();
	const [a, b] = await d.range();
	near((a + b) / 2, first + width * 0.85, width * 0.004, 'clicked');
	near(b - a, width * 0.1, width * 0.001, 'width');
	await page.locator('#minimap').focus();
	await page.keyboard.press('ArrowLeft');
	await d.settle();
	near((await d.range())[0], a - (b - a) * 0.25, width * 0.001, 'arrow key');
	await d.reset();
});

await test('the minimap is as high as the CPUs were busy', async () => {
	const box = await page.locator('#minimap').boundingBox();
	const n = Math.round(box.width);
	const pixels = await page.evaluate(() => {
		const canvas = /** @type {HTMLCanvasElement} */ (document.getElementById('minimap'));
		const ctx = /** @type {CanvasRenderingContext2D} */ (canvas.getContext('2d'));
		const { data, width: w, height: h } = ctx.getImageData(0, 0, canvas.width, canvas.height);
		return Array.from({ length: w }, (_, x) => {
			let high = 0;
			for (let y = h - 4; y > 6; y--, high++) if (data[(y * w + x) * 4] > 200) break;
			return high;
		});
	});
	/** Leaving deep idle is idle time. @param {number} x */
	const busy = (x) => {
		const [a, b] = [first + (width * x) / n, first + (width * (x + 1)) / n];
		return rows.filter((r) => isExecution(r) && r[5] !== 65536 && !r[9].startsWith('-c-exit')).reduce((s, r) => s + Math.max(0, Math.min(b, r[0] + r[1]) - Math.max(a, r[0])), 0) / (b - a) / 4;
	};
	for (let x = 20; x < n - 20; x += 37) {
		const want = Math.min(box.height - 10, busy(x) * (box.height - 4) - 3);
		near(pixels[x], Math.max(0, want), 1.6, `column ${x}`);
	}
});

await test('views after the events of the JSON are in the slots', async () => {
	/** @param {number} part */
	const at = (part) => Number((first + width * part).toFixed(8));
	const views = [
		['&#x21d0;', { xleft_ts: at(0), xright_ts: at(1) }], ['&#x2780;', { xleft_ts: at(0.25), xright_ts: at(0.5), grouplength: [4, 54] }],
		['&#x2781;', null], ['<img src=x onerror=1>', JSON.stringify({ xleft_ts: at(0.5), xright_ts: at(0.75) })],
		['&#x2783;', { xleft_ts: '0', xright_ts: [1] }], 'none', ['&#x2785;', { xleft_ts: at(0), xright_ts: at(0.1) }],
	];
	await open(pageOf(String(json).replace(/\]\}\s*$/, `], "extra" : [], "savedview" : ${JSON.stringify(views)}}\n`), 'views'));
	/** @param {number} n */
	const full = (n) => page.locator(`#slot${n}`).getAttribute('data-full');
	equal([await full(1), await full(2), await full(3), await full(4), await full(5)], ['true', 'false', 'true', 'false', 'false'], 'full slots');
	for (const [slot, from, to] of [[1, 0.25, 0.5], [3, 0.5, 0.75]]) {
		await page.locator(`#slot${slot}`).click();
		await d.settle();
		const now = await d.range();
		near(now[0], at(from), 2e-8, `slot ${slot}: from`);
		near(now[1], at(to), 2e-8, `slot ${slot}: to`);
	}
	// nonsensical views are ignored
	await open(pageOf(String(json).replace(/\]\}\s*$/, '], "savedview" : {"1" : [[], {"xleft_ts" : 1}]}}\n'), 'noviews'));
	equal([await full(1), await full(2)], ['false', 'false'], 'views that are none');
	await open(file);
});

await test('five slots store and show views; the double arrow goes back and forth', async () => {
	await d.setRange(first + width * 0.1, first + width * 0.2);
	await page.locator('[data-group=PID]').click();
	await page.locator('#button-arc').click();
	await page.locator('#slot2').click({ modifiers: ['Shift'] });
	equal(await page.locator('#slot2').getAttribute('data-full'), 'true', 'slot 2 is full');
	const kept = await d.range();
	await page.locator('[data-group=PID]').click();
	await page.locator('#button-arc').click();
	await page.locator('#search').fill('futex');
	await page.locator('#search').press('Enter');
	await d.setRange(first + width * 0.7, first + width * 0.9);
	const other = await d.range();
	await page.locator('#slot2').click();
	await d.settle();
	let now = await d.range();
	near(now[0], kept[0], 2e-8, 'from');
	near(now[1], kept[1], 2e-8, 'to');
	check((await d.shown()).some((r) => r.group === 'PID'), 'PID is open again');
	equal(await page.locator('#button-arc').getAttribute('aria-pressed'), 'false', 'Arc');
	equal(await page.locator('#search').inputValue(), '', 'search');
	await page.locator('#swap').click();
	await d.settle();
	now = await d.range();
	near(now[0], other[0], 2e-8, 'back: from');
	equal(await page.locator('#search').inputValue(), 'futex', 'back: search');
	equal((await d.shown()).some((r) => r.group === 'PID'), false, 'back: PID');
	await page.locator('#title').click();
	await page.keyboard.press('0');
	await d.settle();
	near((await d.range())[0], kept[0], 2e-8, 'and forth, by key');
	await page.keyboard.press('Shift+Digit5');
	await page.keyboard.press('Home');
	await page.keyboard.press('5');
	await d.settle();
	near((await d.range())[0], kept[0], 2e-8, 'slot 5 by keys');
	await page.locator('#slot1').click();
	await d.settle();
	near((await d.range())[0], kept[0], 2e-8, 'an empty slot changes nothing');
	await page.locator('#button-arc').click();
	await page.locator('[data-group=PID]').click();
	await d.reset();
});

await test('the address holds view, groups, highlights, search and selection', async () => {
	await d.setRange(first + width * 0.25, first + width * 0.5);
	await page.locator('[data-group=PID]').click();
	await d.settle();
	const { plot } = await d.drawn();
	const target = (await d.shown()).find((r) => r.group === 'PID');
	await page.mouse.click(plot.x - 40, target.y + target.height / 2, { modifiers: ['Shift'] });
	await page.keyboard.down('Shift');
	await page.mouse.click(plot.x - 40, target.y + target.height / 2);
	await page.keyboard.up('Shift');
	await page.locator('#search').fill('fut|"x & y#');
	await page.locator('#search').press('Enter');
	const axis = await page.locator('#axis').boundingBox();
	await d.drag([axis.x + axis.width * 0.4, axis.y + 9], [axis.x + axis.width * 0.6, axis.y + 9]);
	const range = await d.range();
	const { selection } = await d.drawn();
	// the page writes the address shortly after the last change
	await page.waitForFunction((/** @type {number} */ to) => {
		const p = new URLSearchParams(location.hash.slice(1));
		return p.get('q') && Math.abs(Number(/[^-]-(-?[\d.]+)$/.exec(p.get('s') ?? '')?.[1]) - to) < 1e-7;
	}, selection.to);
	const { hash } = new URL(page.url());
	check(hash.length > 10, `address: ${page.url()}`);
	await page.close();
	await open(file, hash.slice(1));
	const again = await d.range();
	near(again[0], range[0], 2e-8, 'from');
	near(again[1], range[1], 2e-8, 'to');
	const list = await d.shown();
	check(list.find((r) => r.label === target.label)?.marked, 'PID is open, its row highlighted');
	equal(await page.locator('#search').inputValue(), 'fut|"x & y#', 'search');
	near((await d.drawn()).selection.from, selection.from, 2e-8, 'selection');
	equal((await d.drawn()).selection.to, selection.to, 'selection to');
});

await test('a nonsensical address does no harm', async () => {
	await page.evaluate(() => {
		location.hash = 't=9-1&g=<b>.CPU&m=PID.x_%00&z=NaN&y=-1&s=a-b&q=(&o=mark-nonsense&p=<img>';
	});
	await d.settle();
	near((await d.range())[0], first, 1e-8, 'the whole trace');
	equal((await d.shown()).map((r) => r.label), ['CPU 0', 'CPU 1', 'CPU 2', 'CPU 3'], 'rows');
	equal(await page.locator('#found').innerText(), 'not a regular expression', 'search');
	await page.evaluate(() => {
		location.hash = '';
	});
	await page.close();
	await open(file);
});

await test('shift-right-click highlights all of a kind, and counts them', async () => {
	const span = rows.filter((r) => r[9] === 'futex' && r[2] === 0).sort((a, b) => b[1] - a[1])[0];
	const before = rows.find((r) => isExecution(r) && r[2] === 0 && Math.abs(r[0] + r[1] - span[0]) < 5e-9);
	await d.setRange(span[0] - 3e-6, span[0] + span[1] + 3e-6);
	const row = await d.row('CPU 0');
	const place = async (/** @type {Row} */ r) => ({ x: Math.round(await d.xOf(r[0] + r[1] * 0.9)), y: Math.round(row.y + row.height * 0.72), width: 1, height: 1 });
	const spots = [await place(span), await place(/** @type {Row} */ (before))];
	const colours = async () => Promise.all(spots.map(async (s) => Object.keys(await d.colours('base', s))[0]));
	const was = await colours();
	await page.keyboard.down('Shift');
	await page.mouse.click(spots[0].x, spots[0].y, { button: 'right' });
	await page.keyboard.up('Shift');
	await d.settle();
	const now = await colours();
	equal(now[0], was[0], 'the kind keeps its colour');
	const [r, g, b] = now[1].split(',');
	check(now[1] !== was[1] && r === g && g === b, `another: ${was[1]} is ${now[1]}`);
	equal(await page.locator('#search').inputValue(), '^futex$', 'search');
	await page.keyboard.press('Home');
	await d.settle();
	const futex = callsOf(json).filter((c) => c.name === 'futex').length;
	// the count appears shortly after the picture, on a busy machine later
	await page.waitForFunction((/** @type {number} */ n) => Number(document.getElementById('found')?.textContent?.split(' match')[0].replace(/\D/g, '')) === n,
		futex).catch(() => {});
	equal((await page.locator('#found').innerText()).split(' match')[0].replace(/\D/g, ''), String(futex), 'count');
	await page.mouse.move(5, 5);
	await page.keyboard.press('Escape');
	await d.setRange(span[0] - 3e-6, span[0] + span[1] + 3e-6);
	await d.settle();
	equal(await colours(), was, 'Esc: as before');
	await d.reset();
});

await test('right-click on a label highlights rows with the same beginning of the name; [Prune] omits rows with nothing to show', async () => {
	/** @type {Row[]} */
	const few = [[1, 1, 0, 5, 0, 65541, 0, 0, 0, 'web-a.5'], [2, 1, 0, 6, 0, 65542, 0, 0, 0, 'web-b.6'], [3, 1, 0, 7, 0, 65543, 0, 0, 0, 'db.7']];
	const main = page;
	await open(pageOf(jsonOf(few), 'few'));
	await page.locator('[data-group=PID]').click();
	await d.settle();
	const { plot } = await d.drawn();
	const row = await d.row('web-a.5');
	await page.mouse.click(plot.x - 40, row.y + row.height / 2, { button: 'right' });
	await d.settle();
	equal((await d.shown()).filter((r) => r.marked).map((r) => r.label), ['web-a.5', 'web-b.6'], 'highlighted');
	await page.locator('[data-group=PID]').click();
	await d.settle();
	const heights = (await d.shown()).filter((r) => r.group === 'PID').map((r) => r.height);
	check(heights[0] > 10 && heights[1] > 10 && heights[2] < 6, `the triangle's third state: ${heights}`);
	await page.keyboard.press('Escape');
	await d.setRange(2.2, 2.8);
	await page.locator('#button-prune').click();
	await d.settle();
	equal((await d.shown()).map((r) => r.label), ['CPU 0', 'web-b.6'], 'pruned');
	await d.setRange(2.5, 3.5);
	// rows are omitted shortly after the view stops moving, on a busy machine later
	const pruned = ['CPU 0', 'web-b.6', 'db.7'];
	for (const until = Date.now() + 30000; Date.now() < until && String((await d.shown()).map((r) => r.label)) !== String(pruned);) await d.settle();
	equal((await d.shown()).map((r) => r.label), pruned, 'pruned anew where the view rests');
	await page.locator('#button-prune').click();
	await d.settle();
	equal((await d.shown()).length, 4, 'all');
	await page.close();
	page = main;
	d = driver(page);
});

await test('RPC rows are as in the original: named by the start, sorted by time', async () => {
	/** The end of an RPC has its number, but not its name. RPC 9 begins before RPC 5. @type {Row[]} */
	const rpcs = [
		[1.0, 1e-8, 0, 5, 0, Event.RPCIDREQ, 9, 0, 0, 'Work.9'], [1.0, 0.1, 0, 5, 9, 65541, 0, 0, 0, 'serve.5'],
		[1.1, 1e-8, 0, 5, 9, Event.RPCIDREQ, 0, 0, 0, '.0'], [1.1, 0.1, 0, 5, 0, 65541, 0, 0, 0, 'serve.5'],
		[1.2, 1e-8, 0, 5, 0, Event.RPCIDMID, 7, 0, 0, 'Chunk.7'], [1.2, 0.1, 0, 5, 7, 65541, 0, 0, 0, 'serve.5'],
		[1.3, 1e-8, 0, 5, 7, Event.RPCIDMID, 0, 0, 0, '.0'],
		[1.3, 1e-8, 0, 5, 0, Event.RPCIDRESP, 5, 0, 0, 'Reply.5'], [1.3, 0.1, 0, 5, 5, 65541, 0, 0, 0, 'serve.5'],
		[1.4, 1e-8, 0, 5, 5, Event.RPCIDRESP, 0, 0, 0, '.0'],
		/*
		 * the argument of a message has a hash in its upper half; an RPC that began before the trace has only
		 * an end
		 */
		[1.4, 0.1, 0, 5, 3, Event.RPCIDRXMSG, 0x70003, 0, 0, 'get.3'], [1.4, 0.1, 0, 5, 3, 65541, 0, 0, 0, 'serve.5'],
		[1.5, 0.1, 0, 5, 2, 65541, 0, 0, 0, 'serve.5'], [1.6, 1e-8, 0, 5, 2, Event.RPCIDREQ, 0, 0, 0, '.0'],
		[0.9, 0.05, -1, 5, 4, Event.WAITA + 11, 0, 0, 0, 'wait_lock'],
	];
	const main = page;
	await open(pageOf(jsonOf(rpcs), 'rpcs'));
	await page.locator('[data-group=CPU]').click();
	await page.locator('[data-group=RPC]').click();
	await d.settle();
	equal((await d.shown()).map((r) => r.label), ['rpc.4', 'Work.9', 'Chunk.7', 'Reply.5', 'get.3', 'rpc.2'], 'RPC rows');
	await page.close();
	page = main;
	d = driver(page);
});

await test('RPC and Resource groups; network messages are slanted', async () => {
	/** @type {Row[]} */
	const net = [
		[1.0, 0.2, 0, 5, 77, Event.RPCIDRXMSG, 1, 0, 0, 'get.77'], [1.2, 0.3, 0, 5, 77, 65541, 0, 0, 0, 'serve.5'],
		[1.5, 0.1, 0, 5, 77, Event.RPCIDTXMSG, 1, 0, 0, 'get.77'], [1.5, 0.1, 0, 5, 0, 65541, 0, 0, 0, 'serve.5'],
		[1.05, 0.1, -1, 5, 77, Event.WAITA + 11, 0, 0, 0, 'lock_wait'], [1.65, 0.15, -1, 5, 77, Event.WAITA + 3, 0, 0, 0, 'wait_disk_long'],
		[1.3, 0.15, 0, 5, 0, Event.LOCKHELD, 9, 0, 0, '=big_lock'], [1.32, 0.05, 0, 5, 0, Event.ENQUEUE, 3, 0, 0, 'queue_in'],
		[1.6, 0.4, 0, 5, 78, 65541, 0, 0, 0, 'serve.5'],
	];
	const main = page;
	await open(pageOf(jsonOf(net), 'net'));
	const { plot, messages } = await d.drawn();
	const cpu = await d.row('CPU 0');
	equal(messages.length, 2, 'messages on the CPU row');
	const [rx, tx] = messages;
	near(rx.x0, await d.xOf(1.0), 1, 'received: from');
	near(rx.x1, await d.xOf(1.2), 1, 'received: to');
	check(rx.y1 > rx.y0 + 10 && tx.y1 < tx.y0 - 10 && rx.y0 >= cpu.y, 'down when received, up when sent');
	const mid = { x: Math.round((rx.x0 + rx.x1) / 2) - 2, y: Math.round((rx.y0 + rx.y1) / 2) - 2, width: 4, height: 4 };
	check(Object.keys(await d.colours('base', mid)).length > 1, 'the message has no pixels');
	check(plot.width > 100, 'plot');
	await page.locator('[data-group=CPU]').click();
	await page.locator('[data-group=RPC]').click();
	await d.settle();
	const rpcs = await d.shown();
	equal(rpcs.map((r) => [r.label, r.spans]), [['get.77', 1], ['rpc.78', 1]], 'RPC rows');
	equal((await d.drawn()).messages.length, 2, 'messages on the RPC row');
	const hit = await page.evaluate((/** @type {number[]} */ [x, y]) => window.kutrace.hit(x, y), [await d.xOf(1.8), rpcs[1].y + rpcs[1].height * 0.8]);
	equal(hit, net.find((r) => r[0] === 1.6), 'hover on an RPC row');
	const wait = await page.evaluate((/** @type {number[]} */ [x, y]) => window.kutrace.hit(x, y), [await d.xOf(1.1), rpcs[0].y + rpcs[0].height * 0.8]);
	equal(wait, net.find((r) => r[9] === 'lock_wait'), 'a wait on an RPC row');
	/** Returns the lengths of lines and gaps along a wait, which is the lowest item drawn. @param {number} a @param {number} b seconds */
	const morse = async (a, b) => {
		const [from, to] = [Math.ceil(await d.xOf(a)), Math.floor(await d.xOf(b))];
		for (let down = Math.floor(rpcs[0].height) - 1; down > rpcs[0].height * 0.5; down--) {
			const strip = (await d.strip('base', from, rpcs[0].y + down, to - from, 1)).map((c) => c === '255,255,255');
			if (strip.filter((white) => !white).length < strip.length * 0.1) continue;
			return strip.reduce((/** @type {number[]} */ list, white, i) => {
				if (i && white === strip[i - 1]) list[list.length - 1]++;
				else list.push(1);
				return list;
			}, []);
		}
		throw new Error('the wait is not drawn');
	};
	/** A dash has 4 units, a dot 1, the gap between them 2, and the gap after the letter 5. A unit is 2 pixels. @param {number[]} runs @param {number[]} pattern */
	const has = (runs, pattern) => runs.some((_, i) => pattern.every((n, k) => Math.abs((runs[i + k] ?? -9) - n * 2) <= 1));
	const [lockRuns, diskRuns] = [await morse(1.06, 1.14), await morse(1.66, 1.79)];
	check(has(lockRuns, [1, 2, 4, 2, 1, 2, 1]), `.-.. of lock: ${lockRuns}`);
	check(has(diskRuns, [4, 2, 1, 2, 1, 5]) && !has(diskRuns, [1, 2, 4, 2, 1]), `-.. of disk: ${diskRuns}`);
	// the reasons are written above the left ends of the waits; their widths differ as their words do
	/** @type {number[]} */
	const wide = [];
	for (const t of [1.05, 1.65]) {
		check(rpcs[0].height > 13, 'too low for a name');
		const y = Math.floor(rpcs[0].y + rpcs[0].height - rpcs[0].height * 0.86 * 0.25 - 12);
		const dark = (await d.strip('base', Math.round(await d.xOf(t)) + 3, y, 85, 9)).map((c) => c.split(',').some((v) => Number(v) < 180));
		check(dark.filter(Boolean).length > 20, `no reason in letters at ${t}`);
		wide.push(Math.max(...dark.map((is, i) => (is ? i % 85 : 0))));
	}
	near(wide[1] / wide[0], 14 / 9, 0.2, `wait_disk_long and lock_wait are ${wide} pixels wide`);
	await page.locator('[data-group=Resource]').click();
	await d.settle();
	equal((await d.shown()).filter((r) => r.group === 'Resource').map((r) => r.label).sort(), ['big_lock', 'queue_in'], 'resources');
	const lock = await d.row('big_lock');
	const on = await d.colours('base', { x: Math.round(await d.xOf(1.4)), y: Math.round(lock.y + lock.height * 0.7), width: 1, height: 1 });
	const off = await d.colours('base', { x: Math.round(await d.xOf(1.7)), y: Math.round(lock.y + lock.height * 0.7), width: 1, height: 1 });
	check(JSON.stringify(on) !== JSON.stringify(off), 'the lock is not drawn');
	await page.close();
	page = main;
	d = driver(page);
});

await test('keys: up and down change rows, m measures, Enter opens the details, h highlights', async () => {
	await page.mouse.move(3, 3);
	await page.locator('#title').click();
	await d.setRange(first + width * 0.5, first + width * 0.502);
	await page.keyboard.press('ArrowRight');
	await page.keyboard.press('ArrowRight');
	await d.settle();
	/** @returns {Promise<Row>} */
	const pinned = async () => {
		const { notes } = await d.drawn();
		return /** @type {Row} */ (rows.find((r) => isExecution(r) && notes[notes.length - 1].startsWith(r[0].toFixed(8)) && notes[notes.length - 1].includes(wordsOf(kindOf(r[5], r[9]), r[9]))));
	};
	const one = await pinned();
	equal(one[2], 0, 'CPU 0');
	await page.keyboard.press('ArrowDown');
	await d.settle();
	const two = await pinned();
	equal(two[2], 1, 'down: CPU 1');
	check((await page.locator('#say').innerText()).startsWith('CPU 1: '), 'said to screen readers');
	await page.keyboard.press('Enter');
	equal(JSON.parse(await page.locator('#pane-details code').innerText()), two, 'Enter: the row of the JSON');
	await page.locator('#panetab-tables').click();
	await page.locator('#title').click();
	await page.keyboard.press('m');
	await page.keyboard.press('ArrowRight');
	await page.keyboard.press('ArrowRight');
	await d.settle();
	const three = await pinned();
	const text = await page.locator('#measure').innerText();
	for (const t of [two[0], three[0]]) check(text.includes(t.toFixed(8)), `measured "${text}", lacks ${t}`);
	equal((await d.drawn()).notes.length, 2, 'both ends');
	await page.keyboard.press('h');
	await d.settle();
	equal((await d.shown()).filter((r) => r.marked).map((r) => r.label), ['CPU 1'], 'h');
	await page.keyboard.press('Escape');
	await page.keyboard.press('Escape');
	await d.settle();
	equal((await d.shown()).filter((r) => r.marked).length, 0, 'Esc');
	const before = (await d.shown())[0].height;
	await page.keyboard.press('r');
	await d.settle();
	check((await d.shown())[0].height > before * 1.2, 'r: rows grow');
	await page.keyboard.press('f');
	await page.keyboard.press('t');
	equal(await page.locator('#panel').isVisible(), false, 't closes the table');
	await page.keyboard.press('t');
	equal(await page.locator('#panel').isVisible(), true, 't opens it');
	await d.reset();
});

await test('pinching zooms: on a trackpad, and by two fingers', async () => {
	const { plot } = await d.drawn();
	await d.reset();
	const [a0, b0] = await d.range();
	await page.mouse.move(plot.x + plot.width / 2, plot.y + 60);
	await page.keyboard.down('Control');
	await page.mouse.wheel(0, -30);
	await page.keyboard.up('Control');
	await d.settle();
	let [a, b] = await d.range();
	check(b - a < (b0 - a0) * 0.85, `trackpad: ${b - a} of ${b0 - a0}`);
	await d.reset();
	const y = plot.y + 60;
	if (usual === 'firefox') {
		// Firefox's driver has no touch, so dispatch the events
		await page.evaluate((/** @type {number[]} */ [x, py]) => {
			const over = /** @type {HTMLElement} */ (document.getElementById('over'));
			over.setPointerCapture = () => {};
			const finger = (/** @type {string} */ type, /** @type {number} */ pointerId, /** @type {number} */ clientX) =>
				over.dispatchEvent(new PointerEvent(type, { pointerId, clientX, clientY: py, pointerType: 'touch', bubbles: true, button: 0 }));
			finger('pointerdown', 1, x - 50);
			finger('pointerdown', 2, x + 50);
			for (const apart of [60, 75, 100]) {
				finger('pointermove', 1, x - apart);
				finger('pointermove', 2, x + apart);
			}
			finger('pointerup', 1, x - 100);
			finger('pointerup', 2, x + 100);
		}, [plot.x + 400, y]);
		await d.settle();
		[a, b] = await d.range();
		near((b - a) / (b0 - a0), 0.5, 0.1, 'two fingers, twice as far apart');
		await d.reset();
		return;
	}
	const client = await page.context().newCDPSession(page);
	const fingers = (/** @type {number} */ apart) => [{ x: plot.x + 400 - apart, y, id: 1 }, { x: plot.x + 400 + apart, y, id: 2 }];
	await client.send('Input.dispatchTouchEvent', { type: 'touchStart', touchPoints: fingers(50) });
	for (const apart of [60, 75, 100]) await client.send('Input.dispatchTouchEvent', { type: 'touchMove', touchPoints: fingers(apart) });
	await client.send('Input.dispatchTouchEvent', { type: 'touchEnd', touchPoints: [] });
	await d.settle();
	[a, b] = await d.range();
	near((b - a) / (b0 - a0), 0.5, 0.1, 'two fingers, twice as far apart');
	await d.reset();
});

await test('title size, IPC\'s modes and legend, printing', async () => {
	const size = () => page.evaluate(() => parseFloat(getComputedStyle(/** @type {Element} */ (document.getElementById('title'))).fontSize));
	const small = await size();
	await page.locator('#titlesize').click();
	check(await size() > small * 1.3, 'bigger');
	await page.locator('#titlesize').click();
	await page.locator('#titlesize').click();
	equal(await size(), small, 'as before');
	await page.locator('#button-table').click();
	equal(await page.locator('#legend').getByText('IPC').count(), 0, 'no legend of what is off');
	await page.locator('#button-ipc').click();
	check((await page.locator('#legend').innerText()).includes('IPC'), 'legend of IPC');
	for (const mode of ['IPC: user', 'IPC: kernel', 'IPC']) {
		await page.locator('#button-ipc').click();
		equal(await page.locator('#button-ipc').innerText(), mode, 'mode');
	}
	await page.locator('#button-table').click();
	// Firefox's driver cannot print
	if (usual === 'firefox') return;
	await page.emulateMedia({ media: 'print' });
	equal(await page.locator('#controls').isVisible(), false, 'no buttons on paper');
	equal(await page.locator('#plot').isVisible(), true, 'the picture is');
	await page.emulateMedia({ media: 'screen', colorScheme: 'dark' });
	await d.settle();
	const corner = async () => {
		const { plot } = await d.drawn();
		return Number(Object.keys(await d.colours('base', { x: plot.x + 3, y: plot.y + plot.height - 5, width: 1, height: 1 }))[0].split(',')[0]);
	};
	check(await corner() < 60, 'dark on the screen');
	await page.evaluate(() => dispatchEvent(new window.Event('beforeprint')));
	equal(await corner(), 255, 'white on paper');
	await page.evaluate(() => dispatchEvent(new window.Event('afterprint')));
	await d.settle();
	check(await corner() < 60, 'dark again');
	await page.emulateMedia({ media: 'screen', colorScheme: 'light' });
});

await test('the clock counts from the start of each row, and back', async () => {
	/** @type {Row[]} */
	const two = [[1, 0.5, 0, 5, 0, 65541, 0, 0, 0, 'early.5'], [2, 0.5, 0, 6, 0, 65542, 0, 0, 0, 'late.6'], [3, 0.1, 0, 5, 0, 65541, 0, 0, 0, 'early.5']];
	const main = page;
	await open(pageOf(jsonOf(two), 'relative'));
	await page.locator('[data-group=PID]').click();
	await d.settle();
	const hit = async (/** @type {string} */ label, /** @type {number} */ t) => {
		const row = await d.row(label);
		return page.evaluate((/** @type {number[]} */ [x, y]) => window.kutrace.hit(x, y), [await d.xOf(t), row.y + row.height * 0.8]);
	};
	const bar = async (/** @type {string} */ label, /** @type {number} */ t) => {
		const row = await d.row(label);
		return Object.keys(await d.colours('base', { x: Math.round(await d.xOf(t)), y: Math.round(row.y + row.height * 0.9), width: 1, height: 1 }))[0];
	};
	equal(await hit('late.6', 1.25), null, 'absolute: nothing there');
	const [colour, blank] = [await bar('late.6', 2.25), await bar('late.6', 1.25)];
	equal([await page.locator('#timeas').inputValue(), await page.locator('#clock').innerText()], ['file', '0 s = 08:50:00'], 'as in the file');
	await page.locator('#clock').click();
	await d.settle();
	equal(await hit('late.6', 1.25), two[1], 'relative: both rows begin together');
	equal(await hit('early.5', 1.25), two[0], 'the first is where it was');
	equal([await bar('late.6', 1.25), await bar('late.6', 2.25)], [colour, blank], 'pixels');
	equal([await page.locator('#timeas').inputValue(), await page.locator('#clock').innerText()], ['row', '0 s = row\'s start'], 'says so');
	await page.locator('#clock').click();
	await d.settle();
	equal(await hit('late.6', 2.25), two[1], 'and back');
	await page.close();
	page = main;
	d = driver(page);
});

await test('names of matches and marks and annotations do not overlap', async () => {
	const main = page;
	await open(pageOf(golden(), 'names'));
	await d.reset();
	await page.evaluate(() => window.kutrace.search('.'));
	await d.settle();
	let seen = 0;
	for (let round = 0; round < 6; round++) {
		if (round === 3) await page.locator('[data-group=PID]').click();
		await page.locator('#next').click();
		// a click on a bar of the histogram goes to a span and annotates it
		const bars = page.locator('#bars button:not([disabled])');
		await bars.nth(round % await bars.count()).click();
		await d.settle();
		const [a, b] = await d.range();
		await d.setRange(a - (b - a) * 8, b + (b - a) * 8);
		await page.waitForTimeout(200);
		await d.settle();
		const { named, labels, pinned } = await d.drawn();
		equal(pinned.length, 1, 'annotated');
		seen += named.length;
		/** @typedef {{x0: number, x1: number, y0: number, y1: number}} Box */
		const over = (/** @type {Box} */ a, /** @type {Box} */ b) => a.x0 < b.x1 - 1 && b.x0 < a.x1 - 1 && a.y0 < b.y1 - 1 && b.y0 < a.y1 - 1;
		named.forEach((/** @type {Box} */ box, /** @type {number} */ i) => {
			for (const other of [...named.slice(i + 1), ...pinned, ...labels])
				check(!over(box, other), `round ${round}: ${JSON.stringify(box)} and ${JSON.stringify(other)}`);
		});
	}
	check(seen > 30, `only ${seen} names`);
	await page.close();
	page = main;
	d = driver(page);
});

await test('tools: no complaint on the console, no request', async () => {
	equal(browser.complaints, [], 'console');
	equal(browser.requests, [], 'requests');
	check(/connect-src|default-src 'none'/.test(String(readFileSync(file)).slice(0, 2000)), 'policy');
});
await browser.close();
