// SPDX-License-Identifier: BSD-3-Clause
/**
 * Tests the picture against the data at random zooms: the share of each colour, the span under the pointer, and the
 * spans that keys reach. The random windows are the same in every run. The expectations are computed from the JSON.
 * Prints TAP.
 */
import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { openBrowser, top } from './browser.mjs';
import { Event } from './events.mjs';
import { generate, golden, isExecution, pageOf, rowsOf } from './pages.mjs';
import { check, done, equal, near, test } from './tap.mjs';

/** @typedef {any} Page */
/** @typedef {import('./pages.mjs').Row} Row */

/** Kinds of execution in the order of the page's numbers. */
const kindNames = ['idle', 'low-power idle', 'leaving idle', 'user', 'system call', 'trap', 'interrupt', 'softirq', 'scheduler', 'kernel thread'];
/** Returns the kind for an event number of the trace format. @param {Row} r */
function kindOf([, , , , , event, arg, , , name]) {
	if (event === 65536) return name.startsWith('-idlelp') ? 1 : 0;
	if (event === 0x20000 && name.startsWith('-c-exit')) return 2;
	if (event >= 65536) return arg === 1 ? 9 : 3;
	if (event === Event.SCHED || event === Event.SCHED_RETURN || (event === Event.SYSCALL64 + 511 && name.startsWith('-sched-'))) return 8;
	if (event >= Event.SYSCALL64) return 4;
	if (event === Event.BH || event === Event.BH_RETURN) return 7;
	return event & 0x100 ? 6 : 5;
}

let state = 4711;
const random = () => {
	state = (Math.imul(state, 1103515245) + 12345) >>> 0;
	return (state >>> 8) / 16777216;
};
/** @param {number} n */
const below = (n) => Math.floor(random() * n);

const browser = await openBrowser();
/** @type {Page} */
let page;
/** @returns {Promise<[number, number]>} */
const range = () => page.evaluate(() => window.kutrace.range());
/** @param {number} a @param {number} b */
const setRange = (a, b) => page.evaluate((/** @type {number[]} */ [x, y]) => window.kutrace.setRange(x, y), [a, b]);
/** @returns {Promise<any[]>} */
const shown = () => page.evaluate(() => window.kutrace.rows());
/** @returns {Promise<{x: number, y: number, width: number, height: number}>} */
const plotBox = () => page.evaluate(() => window.kutrace.drawn().plot);
/** @param {string} group @param {number} id @returns {Promise<any>} */
const painted = (group, id) => page.evaluate((/** @type {[string, number]} */ [g, i]) => window.kutrace.painted(g, i), [group, id]);
const settle = () => page.evaluate(() => new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve))));

/**
 * Returns the expected pixels of each kind in [x0, x1).
 * @param {Row[]} rows
 * @param {number} a
 * @param {number} b
 * @param {number} width
 * @param {number} x0
 * @param {number} x1
 */
function wanted(rows, a, b, width, x0, x1) {
	const sums = new Array(kindNames.length).fill(0);
	const from = a + ((b - a) * x0) / width;
	const to = a + ((b - a) * x1) / width;
	for (const r of rows) {
		const part = Math.min(r[0] + r[1], to) - Math.max(r[0], from);
		if (part > 0) sums[kindOf(r)] += (part / (b - a)) * width;
	}
	return sums;
}

/** Returns a window in [first, last]. Small sizes are as probable as large ones. @param {number} first @param {number} last */
function anyWindow(first, last) {
	const width = (last - first) * 10 ** (-5 * random());
	const a = first + (last - first - width) * random();
	return [a, a + width];
}

for (const [name, json] of /** @type {[string, Buffer][]} */ ([['generated', generate('30000', '4')], ['real', golden()]])) {
	const all = rowsOf(json);
	const execution = all.filter(isExecution);
	const first = Math.min(...all.map((r) => r[0]));
	const last = Math.max(...execution.map((r) => r[0] + r[1]));
	page = await browser.open(pageOf(json, `exact-${name}`));
	await page.locator('[data-group=PID]').click();
	await settle();

	await test(`${name}: each kind's share of any pixel range is the data's, within a pixel`, async () => {
		let dense = 0;
		for (let round = 0; round < 40; round++) {
			const [a, b] = round ? anyWindow(first, last) : [first, last];
			await setRange(a, b);
			const { width } = await plotBox();
			const rows = await shown();
			for (let k = 0; k < 3; k++) {
				// in the generated trace, a process may run on two CPUs at the same time
				const row = rows[below(k && name === 'real' ? rows.length : rows.filter((r) => r.group === 'CPU').length)];
				const mine = execution.filter((r) => (row.group === 'CPU' ? r[2] === row.id : r[3] === row.id && kindOf(r) > 1) &&
					r[0] < b && r[0] + r[1] > a);
				const { shares, kinds } = await painted(row.group, row.id);
				equal(kinds, kindNames.length, 'kinds');
				const columns = shares.length / kinds;
				dense += mine.length > columns ? 1 : 0;
				const ranges = [[0, columns], ...Array.from({ length: 6 }, () => [below(columns), below(columns)].sort((x, y) => x - y))];
				for (const [x0, x1] of ranges) {
					const want = wanted(mine, a, b, columns, x0, x1);
					for (let kind = 0; kind < kinds; kind++) {
						let got = 0;
						for (let x = x0; x < x1; x++) got += shares[x * kinds + kind];
						near(got, want[kind], 1, `${row.label}, [${a}, ${b}], pixels ${x0} to ${x1} of ${width}: ${kindNames[kind]}`);
					}
				}
			}
		}
		check(dense > 4, `only ${dense} rows with more spans than pixels: a test of nothing`);
	});

	await test(`${name}: the pixels have these shares`, async () => {
		let mixed = 0;
		for (const button of ['arc', 'mark', 'lock', 'freq', 'ipc'])
			for (let i = 0; i < 4 && await page.locator(`#button-${button}[aria-pressed=true]:not(:disabled)`).count(); i++) await page.locator(`#button-${button}`).click();
		for (let round = 0; round < 20; round++) {
			const [a, b] = round ? anyWindow(first, last) : [first, last];
			await setRange(a, b);
			const rows = (await shown()).filter((r) => r.group === 'CPU');
			const row = rows[below(rows.length)];
			const { shares, kinds, colours, background, barShare, heights } = await painted('CPU', row.id);
			const plot = await plotBox();
			// find the lines of the grid in a line of pixels that has only the grid and names of groups
			const grid = await page.evaluate(() => {
				const canvas = /** @type {HTMLCanvasElement} */ (document.getElementById('base'));
				const { data } = /** @type {CanvasRenderingContext2D} */ (canvas.getContext('2d')).getImageData(0, 3, canvas.width, 1);
				return Array.from({ length: canvas.width }, (_, x) => x).filter((x) => data[x * 4] !== 255);
			});
			check(grid.length < 30, `${grid.length} lines of the grid`);
			// a height that only interrupts reach, and a height that softirqs also reach
			const bar = Math.round(row.y - plot.y + row.height) - Math.round(row.y - plot.y);
			const foot = Math.round(row.y - plot.y + row.height);
			for (const [share, reaching] of /** @type {[number, number[]][]} */ ([[(1 + heights[7]) / 2, [6]], [(heights[7] + heights[4]) / 2, [6, 7]]])) {
				const y = foot - Math.round(bar * barShare * share);
				const line = await page.evaluate((/** @type {number} */ v) => {
					const canvas = /** @type {HTMLCanvasElement} */ (document.getElementById('base'));
					const ctx = /** @type {CanvasRenderingContext2D} */ (canvas.getContext('2d'));
					return Array.from(ctx.getImageData(0, v, canvas.width, 1).data);
				}, y);
				for (let x = 0; x < line.length / 4; x++) {
					// a share too small to change the colour leaves the line of the grid visible
					if (grid.includes(x)) continue;
					const part = reaching.map((kind) => shares[x * kinds + kind]);
					if (part.every((s) => s === 0) || part.some((s) => s === 1)) continue;
					mixed++;
					for (let c = 0; c < 3; c++) {
						const want = reaching.reduce((sum, kind, i) => sum + part[i] * (colours[kind][c] - background[c]), background[c]);
						// an event number changes the colour of its kind slightly
						const tolerance = 1.5 + 60 * part.reduce((s, v) => s + v, 0);
						near(line[x * 4 + c], want, tolerance, `${row.label} [${a}, ${b}] at ${x}, colour ${c}`);
					}
				}
			}
		}
		check(mixed > 20, `only ${mixed} pixels of several kinds`);
	});

	await test(`${name}: at full zoom every span of the window is under the pointer, with its row's data`, async () => {
		let seen = 0;
		for (let round = 0; round < 12; round++) {
			const middle = execution[below(execution.length)];
			const a = middle[0] - 3e-6;
			const b = middle[0] + 3e-6;
			await setRange(a, b);
			const { x: left, width } = await plotBox();
			const rows = (await shown()).filter((r) => r.group === 'CPU');
			for (const row of rows) {
				const mine = execution.filter((r) => r[2] === row.id && Math.min(r[0] + r[1], b) - Math.max(r[0], a) > 8e-9);
				for (const r of mine) {
					const t = (Math.max(r[0], a) + Math.min(r[0] + r[1], b)) / 2;
					const x = left + ((t - a) / (b - a)) * width;
					// marks cover the spans
					const got = await page.evaluate((/** @type {number[]} */ [px, py]) => window.kutrace.hit(px, py), [x, row.y + row.height / 2]);
					equal(got, r, `${row.label} at ${t}`);
					seen++;
				}
			}
		}
		check(seen > 24, `only ${seen} spans`);
	});

	await test(`${name}: hover shows exactly the row of the JSON`, async () => {
		for (let round = 0; round < 8; round++) {
			const r = execution[below(execution.length)];
			if (r[1] < 2e-8) continue;
			await setRange(r[0] - r[1] * 0.5, r[0] + r[1] * 1.5);
			const { x, width } = await plotBox();
			const row = (await shown()).find((s) => s.group === 'CPU' && s.id === r[2]);
			await page.mouse.move(x + width * 0.5, row.y + row.height * 0.6);
			await settle();
			equal(JSON.parse(await page.locator('#tip code').innerText()), r, `row ${r[9]} at ${r[0]}`);
		}
	});

	await test(`${name}: the arrow keys reach every span of a row's window`, async () => {
		await page.mouse.move(3, 3);
		const cpu = (await shown())[0].id;
		const mine = execution.filter((r) => r[2] === cpu).sort((p, q) => p[0] - q[0]);
		const at = below(mine.length - 60);
		await page.keyboard.press('Escape');
		await page.keyboard.press('Escape');
		await setRange(mine[at][0] - 1e-8, mine[at + 40][0] + 1e-8);
		await page.locator('#title').click();
		/** @type {string[]} */
		const reached = [];
		for (let i = 0; i < 30; i++) {
			await page.keyboard.press('ArrowRight');
			await settle();
			reached.push(...await page.evaluate(() => window.kutrace.drawn().notes));
		}
		const [a] = await range();
		check(a <= mine[at][0] + 1, 'the window');
		for (const r of mine.slice(at, at + 28).filter((s, i, l) => !i || s[0] > l[i - 1][0]))
			check(reached.some((note) => note.startsWith(r[0].toFixed(8))), `${r[9]} at ${r[0].toFixed(8)} was not reached, but ${reached.map((n) => n.slice(0, 10)).join(' ')}`);
	});
	equal(browser.complaints, [], 'console');
	await page.close();
}
await test('a page that two workers decode has the same rows, processes and matches as the JSON', async () => {
	const json = execFileSync(process.execPath, [join(top, 'tests/viewer/repeat.mjs'), join(top, 'tests/golden/stock.json.xz'), '320000'], { maxBuffer: 1 << 30 });
	const all = rowsOf(json);
	page = await browser.open(pageOf(json, 'exact-pair'));
	equal(await page.evaluate(() => window.kutrace.spans), all.length, 'spans');
	const faults = all.filter((r) => r[9] === 'page_fault');
	equal((await page.evaluate(() => window.kutrace.search('^page_fault$'))).count, faults.length, 'matches');
	// open the group as soon as the page is ready, and after 3 s, when the worker's rows have arrived
	for (const wait of [0, 3000]) {
		if (wait) await page.reload();
		await page.waitForFunction(() => document.documentElement.dataset.state === 'ready');
		await page.waitForTimeout(wait);
		if (await page.locator('[data-group=PID]').getAttribute('aria-expanded') !== 'true') await page.locator('[data-group=PID]').click();
		// the worker's rows may not have arrived yet
		await page.waitForFunction(() => window.kutrace.rows().some((/** @type {any} */ r) => r.group === 'PID'));
		await settle();
		const list = (await shown()).filter((r) => r.group === 'PID');
		check(list.length > 5, `${list.length} processes`);
		const execution = all.filter(isExecution);
		for (const row of list)
			equal(row.spans, execution.filter((r) => r[3] === row.id && kindOf(r) > 1).length, `spans of ${row.label}`);
		const first = all[0][0];
		const last = execution.reduce((t, r) => Math.max(t, r[0] + r[1]), 0);
		for (let round = 0; round < 10; round++) {
			const [a, b] = round ? anyWindow(first, last) : [first, last];
			await setRange(a, b);
			const rows = await shown();
			const row = round < 3 ? rows[round % 2] : rows[below(rows.length)];
			const { shares, kinds } = await painted(row.group, row.id);
			const columns = shares.length / kinds;
			const mine = execution.filter((r) => (row.group === 'CPU' ? r[2] === row.id : r[3] === row.id && kindOf(r) > 1));
			for (const [x0, x1] of [[0, columns], [0, below(columns)], ...Array.from({ length: 4 }, () => [below(columns), below(columns)].sort((x, y) => x - y))]) {
				const want = wanted(mine, a, b, columns, x0, x1);
				for (let kind = 0; kind < kinds; kind++) {
					let got = 0;
					for (let x = x0; x < x1; x++) got += shares[x * kinds + kind];
					near(got, want[kind], 1, `${row.label}, [${a}, ${b}], pixels ${x0} to ${x1}: ${kindNames[kind]}`);
				}
			}
		}
	}
	equal(browser.complaints, [], 'console');
});
await test('in a pixel with hundreds of spans, the base line has the colour of the longest span that is not idle, or of a span almost as long', async () => {
	const json = execFileSync(process.execPath, [join(top, 'tests/viewer/repeat.mjs'), join(top, 'tests/golden/stock.json.xz'), '320000'], { maxBuffer: 1 << 30 });
	const execution = rowsOf(json).filter(isExecution);
	const last = execution.reduce((t, r) => Math.max(t, r[0] + r[1]), 0);
	await page.evaluate(() => window.kutrace.search(''));
	for (const button of ['arc', 'mark'])
		for (let i = 0; i < 4 && await page.locator(`#button-${button}[aria-pressed=true]`).count(); i++) await page.locator(`#button-${button}`).click();
	await setRange(execution[0][0], last);
	const plot = await plotBox();
	const row = (await shown())[0];
	const mine = execution.filter((r) => r[2] === row.id);
	check(mine.length > 100 * plot.width, `only ${mine.length / plot.width} spans in a pixel`);
	const { colours } = await painted('CPU', row.id);
	const foot = await page.evaluate((/** @type {number} */ v) => {
		const canvas = /** @type {HTMLCanvasElement} */ (document.getElementById('base'));
		return Array.from(/** @type {CanvasRenderingContext2D} */ (canvas.getContext('2d')).getImageData(0, v, canvas.width, 1).data);
	}, Math.round(row.y - plot.y + row.height) - 1);
	const step = (last - execution[0][0]) / plot.width;
	const parts = Array.from({ length: plot.width }, () => /** @type {{kind: number, part: number}[]} */ ([]));
	for (const r of mine) {
		if (kindOf(r) < 2) continue;
		for (let x = Math.floor((r[0] - execution[0][0]) / step); x < plot.width; x++) {
			const from = execution[0][0] + x * step;
			const part = Math.min(r[0] + r[1], from + step) - Math.max(r[0], from);
			if (part <= 0) break;
			parts[x].push({ kind: kindOf(r), part });
		}
	}
	let told = 0;
	let wrong = 0;
	for (let x = 0; x < plot.width; x++) {
		const longest = parts[x].sort((p, q) => q.part - p.part)[0];
		// only these kinds have unique colours; a second kind with a similar share may be drawn instead
		const second = parts[x].find((p) => p.kind !== longest?.kind);
		if (!longest || longest.kind < 4 || longest.kind === 9 || (second && second.part > 0.7 * longest.part)) continue;
		told++;
		const distance = (/** @type {number} */ kind) => [0, 1, 2].reduce((d, c) => d + Math.abs(foot[4 * x + c] - colours[kind][c]), 0);
		if ([4, 5, 6, 7, 8].some((kind) => kind !== longest.kind && distance(kind) < distance(longest.kind))) wrong++;
	}
	check(told > 20, `only ${told} pixels tell`);
	check(wrong <= told / 50, `${wrong} of ${told} feet are of another kind`);
});
await test('rows that are reused and shifted during a drag look the same as rows that are drawn again', async () => {
	for (let round = 0; round < 8; round++) {
		await page.locator('#reset').click();
		const plot = await plotBox();
		const [x, y] = [plot.x + plot.width / 2, plot.y + 60];
		await page.mouse.move(x, y);
		for (let i = 0; i < 2 + 5 * round; i++) await page.mouse.wheel(0, -120);
		await settle();
		await settle();
		const before = await range();
		await page.mouse.down();
		let at = x;
		for (let i = 0; i < 5; i++) {
			at += (below(2) ? 1 : -1) * below(200);
			await page.mouse.move(at, y);
			await settle();
		}
		await page.mouse.up();
		await settle();
		const after = await range();
		near(after[0], before[0] - ((at - x) / plot.width) * (before[1] - before[0]), (before[1] - before[0]) / plot.width, 'where the drag ends');
		const rows = await shown();
		for (const row of [rows[0], ...Array.from({ length: 4 }, () => rows[below(rows.length)])])
			equal((await painted(row.group, row.id)).stale, 0, `${row.label} at [${after}]: pixels that are not as made anew`);
	}
});
await test('rows without enough time are first drawn in wider columns with the same shares, and then exactly', async () => {
	await page.locator('#reset').click();
	await settle();
	// a clock on which each frame takes too long
	await page.evaluate(() => {
		const now = performance.now.bind(performance);
		let extra = 0;
		performance.now = () => now() + (/** @type {any} */ (window).slowly ? (extra += 50) : extra);
	});
	/**
	 * Reads each row of the picture: the means of 32 pixels of each line, without the lines of waits and the base
	 * line, and whether the row is rough.
	 */
	await page.evaluate(() => (/** @type {any} */ (window).look = () => {
		const canvas = /** @type {HTMLCanvasElement} */ (document.getElementById('base'));
		const { data, width, height } = /** @type {CanvasRenderingContext2D} */ (canvas.getContext('2d')).getImageData(0, 0, canvas.width, canvas.height);
		const { top } = canvas.getBoundingClientRect();
		return window.kutrace.rows().map((/** @type {any} */ row) => {
			/** @type {number[]} */
			const means = [];
			for (let y = Math.ceil(row.y - top) + 1; y < Math.min(height, row.y - top + row.height * 0.7); y++) {
				if (y < 0) continue;
				for (let x0 = 0; x0 + 32 <= width; x0 += 32) for (let c = 0; c < 3; c++) {
					let sum = 0;
					for (let x = x0; x < x0 + 32; x++) sum += data[4 * (y * width + x) + c];
					means.push(sum / 32);
				}
			}
			return { label: row.label, means, rough: row.rough };
		});
	}));
	/** @param {number[]} a @param {number[]} b */
	const apart = (a, b) => a.reduce((sum, v, i) => sum + Math.abs(v - b[i]), 0) / a.length;
	const plot = await plotBox();
	// a part of the trace without repetition, with several spans per pixel
	const [begin, end] = await range();
	await setRange(begin + 0.01 * (end - begin), begin + 0.09 * (end - begin));
	await settle();
	await page.evaluate(() => (/** @type {any} */ (window).slowly = true));
	await page.mouse.move(plot.x + plot.width / 2, plot.y + 60);
	// read the picture within the frame, because the next frame makes the rows exact
	const { unfinished, early } = await page.evaluate(() => new Promise((resolve) => {
		const over = /** @type {HTMLElement} */ (document.getElementById('over'));
		const box = over.getBoundingClientRect();
		over.dispatchEvent(new WheelEvent('wheel', { deltaY: -120, clientX: box.left + box.width / 2, clientY: box.top + 60, bubbles: true, cancelable: true }));
		requestAnimationFrame(() => {
			resolve({ unfinished: window.kutrace.drawn().unfinished, early: /** @type {any} */ (window).look() });
		});
	}));
	check(unfinished, 'the frame had time for everything: a test of nothing');
	await page.evaluate(() => (/** @type {any} */ (window).slowly = false));
	await page.waitForFunction(() => !window.kutrace.drawn().unfinished);
	await settle();
	const late = await page.evaluate(() => /** @type {any} */ (window).look());
	let compared = 0;
	early.forEach((/** @type {any} */ row, /** @type {number} */ i) => {
		const then = late[i];
		// of a row at the edge, none of these lines may be visible
		if (!then.means.length) return;
		// skip a row whose picture hardly changes over time: its comparison would prove nothing
		const other = apart(then.means, then.means.map((/** @type {number} */ _, /** @type {number} */ k) => then.means[(k + 12) % then.means.length]));
		if (process.env.SHOW) console.log(row.label, row.rough, apart(row.means, then.means), other);
		check(!then.rough, `${row.label} stays rough`);
		if (!row.rough || other < 20) return;
		compared++;
		check(apart(row.means, then.means) < other / 8, `${row.label}: ${apart(row.means, then.means)} from what it becomes, which is ${other} from itself 4 blocks later`);
	});
	check(compared > 1, `only ${compared} rows were rough`);
	for (const row of (await shown()).slice(0, 6)) equal((await painted(row.group, row.id)).stale, 0, `${row.label}: made good`);
	equal(browser.complaints, [], 'console');
	await page.close();
});
await test('no network request at all', () => equal(browser.requests, [], 'requests'));
await browser.close();
done();
