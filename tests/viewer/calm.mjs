// SPDX-License-Identifier: BSD-3-Clause
/**
 * Tests that a dense picture stays readable. Bars count arcs, marks and messages where there are many. Names are
 * omitted where they do not fit, and the page reports how many. No name is repeated next to itself. Prints TAP.
 */
import { openBrowser } from './browser.mjs';
import { driver } from './driver.mjs';
import { Event, PAGE_FAULT } from './events.mjs';
import { golden, jsonOf, pageOf, rowsOf } from './pages.mjs';
import { check, equal, near, test } from './tap.mjs';

/** @typedef {import('./pages.mjs').Row} Row */

const ARCS = 12000;
const MARKS = 3000;
/** A second with wakeups between two CPUs, and marks with three names. @type {Row[]} */
const rows = [];
for (let i = 0; i < 400; i++) {
	const t = 1 + i * 0.0025;
	rows.push([t, 0.0012, 0, 5, 0, 65541, 0, 0, 0, 'alpha.5'], [t + 0.0012, 0.0013, 0, 5, 0, Event.SYSCALL64, 3, 1, 0, 'read'],
		[t, 0.0015, 1, 6, 0, 65542, 0, 0, 0, 'beta.6'], [t + 0.0015, 0.001, 1, 6, 0, PAGE_FAULT, 0, 0, 0, 'page_fault']);
}
for (let i = 0; i < ARCS; i++) rows.push([1 + (i + 0.3) / ARCS, 3e-6, 0, 5, 0, -3, 1, 6, 0, '-wakeup-']);
for (let i = 0; i < MARKS; i++) rows.push([1 + (i + 0.5) / MARKS, 1e-8, 0, 5, 0, Event.MARKA, 1, 0, 0, `mark_a=${['one', 'one', 'one', 'two'][i % 4]}`]);
for (let i = 0; i < 900; i++) rows.push([1 + (i + 0.6) / 900, 1e-4, 1, 6, 0, Event.RX_PKT, i, 0, 0, 'rx_packet']);
rows.sort((a, b) => a[0] - b[0]);

const browser = await openBrowser();
/** @type {any} */
const page = await browser.open(pageOf(jsonOf(rows), 'dense'));
const d = driver(page);
await page.keyboard.press('Shift');
await d.settle();
/** Returns what the page reports as omitted: kind -> [shown, of]. @returns {Promise<Record<string, [number, number]>>} */
const said = async () => Object.fromEntries((await page.locator('#thinned').innerText()).split(', ').filter((/** @type {string} */ part) => part && !part.endsWith(' as bars')).map((/** @type {string} */ part) => {
	const [, shown, of, what] = /** @type {RegExpExecArray} */ (/^([\d\u202f]+) of ([\d\u202f]+) (.*)$/.exec(part));
	return [what, [shown, of].map((n) => Number(n.replace(/\D/g, '')))];
}));
/** @param {any[]} list */
const spans = (list) => new Set(list.map((a) => a.row.join())).size;

/** Converts a time to the page's units of 10 ns. @param {number} seconds */
const units = (seconds) => Math.round(seconds * 1e8);
/** The events that each kind of bar counts. @type {Record<string, Record<string, (event: number) => boolean>>} */
const counted = {
	arcs: { wakeup: (e) => e === -3, IPI: (e) => e === -7 },
	marks: { 'mark a': (e) => e === Event.MARKA, 'mark b': (e) => e === Event.MARKB, 'mark c': (e) => e === Event.MARKC, 'mark d': (e) => e === Event.MARKD, tracepoint: (e) => e === 0x109 },
	messages: { message: (e) => e === Event.RPCIDRXMSG || e === Event.RPCIDTXMSG || (e >= Event.RX_PKT && e <= Event.TX_USER) },
};

/**
 * Checks that each bar counts the rows of the JSON that begin in its cell, for each kind, and that its height on the
 * canvas matches.
 * @param {ReturnType<typeof driver>} dr @param {Row[]} all @param {string[]} whats expected kinds of bars
 */
async function barsAre(dr, all, whats) {
	const { bars, plot } = await dr.drawn();
	const [a, b] = await dr.range();
	equal(bars.map((/** @type {any} */ x) => x.what), whats, `bars from ${a} to ${b}`);
	for (const { what, counts, from, step, most, y0, y1 } of bars) {
		const [t0, wide] = [units(from), step * 1e8];
		/** @type {number[]} */
		const sums = [];
		for (const [kind, is] of Object.entries(counted[what])) {
			const own = all.filter((r) => is(r[5])).map((r) => units(r[0]));
			if (!own.length) continue;
			const n = counts[kind].length;
			/** @type {number[]} */
			const want = Array(n).fill(0);
			for (const t of own) if (t >= t0 && t < t0 + n * wide) want[Math.floor((t - t0) / wide)]++;
			equal(counts[kind], want, `${kind} from ${a} to ${b}`);
			want.forEach((v, i) => (sums[i] = (sums[i] ?? 0) + v));
		}
		check(t0 <= a * 1e8 && t0 + sums.length * wide >= b * 1e8 && sums.reduce((x, v) => x + v) > plot.width / 6, `${what}: ${sums.length} cells from ${t0}`);
		check(sums.length > plot.width / 9 && sums.length < plot.width / 3, `${sums.length} cells in ${plot.width} pixels`);
		equal(most, Math.max(...sums), 'the highest');
		const back = (await dr.strip('base', Math.round(plot.x + plot.width / 2), Math.floor(y0) - 2, 1, 1))[0];
		/** For each bar to the right of the name: its height in pixels, and its count. @type {[number, number][]} */
		const high = [];
		for (let cell = 0; cell < sums.length; cell++) {
			const [left, right] = [0, 1].map((k) => plot.x + (((from + (cell + k) * step) - a) / (b - a)) * plot.width);
			if (left < plot.x + 80 || right > plot.x + plot.width - 2) continue;
			const strip = await dr.strip('base', Math.round(left) + 1, Math.round(y0), 1, Math.round(y1 - y0));
			// at a line of the grid, every pixel of the column differs from the background
			if (strip[0] !== back && sums[cell] < most * 0.8) continue;
			high.push([strip.filter((c) => c !== back).length, sums[cell]]);
		}
		check(high.length > 20, `${high.length} bars of ${what} looked at`);
		for (const [got, count] of high) {
			const should = count && Math.max(1, (count / most) * (y1 - y0));
			check(Math.abs(got - should) <= 1, `a bar of ${count} ${what} of ${most} is ${got} of ${y1 - y0} pixels high`);
		}
	}
}

await test('12 000 arcs, 3 000 marks, 900 messages: bars count each of them, and the page reports that', async () => {
	const { arcs, marks, messages } = await d.drawn();
	equal([arcs, marks, messages], [[], [], []], 'none is drawn by itself');
	equal(await page.locator('#thinned').innerText(), '900 messages as bars, 12\u202f000 arcs as bars, 3\u202f000 marks as bars', 'said');
	await barsAre(d, rows, ['arcs', 'marks', 'messages']);
	const legend = await page.locator('#legend').innerText();
	for (const what of ['many arcs', 'many marks', 'many messages']) check(legend.includes(what), `legend: ${what}`);
});

await test('over a bar, the tooltip has the number of each kind that begins there', async () => {
	for (const what of ['arcs', 'marks', 'messages']) {
		const { bars, plot } = await d.drawn();
		const { counts, from, step, most, y0, y1 } = bars.find((/** @type {any} */ x) => x.what === what);
		const cell = 60;
		await page.mouse.move(await d.xOf(from + (cell + 0.5) * step), (y0 + y1) / 2);
		await d.settle();
		const tip = await page.locator('#tip').innerText();
		check(tip.startsWith(`${what} that begin here: `), tip);
		for (const [kind, n] of Object.entries(counts)) check(new RegExp(`^${kind}\\s+${n[cell]}$`, 'm').test(tip), `${kind} ${n[cell]}: ${tip}`);
		check(new RegExp(`^highest bar\\s+${most}$`, 'm').test(tip), tip);
		await page.mouse.move(plot.x - 60, plot.y + plot.height - 3);
	}
});

await test('cells stay where they are while the picture is panned', async () => {
	await d.setRange(1.2, 1.7);
	const first = (await d.drawn()).bars[0];
	await barsAre(d, rows, ['arcs', 'marks', 'messages']);
	await d.setRange(1.2013, 1.7013);
	const second = (await d.drawn()).bars[0];
	equal(second.step, first.step, 'width of a cell');
	const cells = (second.from - first.from) / first.step;
	near(cells, Math.round(cells), 1e-4, 'whole cells between the first ones');
	await barsAre(d, rows, ['arcs', 'marks', 'messages']);
});

await test('a real trace: bars equal the arcs of the JSON, of both kinds, at three zooms; the few marks are drawn; without space for bars the page reports that', async () => {
	const real = await browser.open(pageOf(golden(), 'bars'), 'ready', 'g=CPU.PID');
	const r = driver(real);
	const all = rowsOf(golden());
	await real.keyboard.press('Shift');
	await r.settle();
	const [a, b] = await r.range();
	for (const share of [1, 0.6, 0.3]) {
		await r.setRange(a + (b - a) * 0.1 * (1 - share), a + (b - a) * (0.1 * (1 - share) + share));
		await barsAre(r, all, ['arcs']);
		check((await r.drawn()).marks.some((/** @type {any} */ m) => m.row[5] === Event.MARKA), 'marks');
	}
	const legend = await real.locator('#legend').innerText();
	check(legend.includes('many arcs') && !legend.includes('many marks'), `legend: ${legend}`);
	await r.reset();
	await real.setViewportSize({ width: 1280, height: 420 });
	await real.waitForFunction(() => window.kutrace.drawn().plot.height < 400);
	await r.settle();
	await real.mouse.move(60, 250);
	await real.mouse.wheel(0, 300);
	await real.waitForFunction(() => !window.kutrace.rows().some((/** @type {any} */ row) => row.group === 'CPU'));
	await r.settle();
	equal((await r.drawn()).bars, [], 'when no line over a group is in sight');
	check(/^0 of 1\u202f137 arcs/.test(await real.locator('#thinned').innerText()), await real.locator('#thinned').innerText());
	await real.setViewportSize({ width: 1280, height: 720 });
	await real.locator('#button-arc').click();
	await r.settle();
	equal((await r.drawn()).bars, [], 'when arcs are off');
	check(!(await real.locator('#thinned').innerText()).includes('arcs'), 'arcs are off, and counted');
	await real.close();
});

await test('a real trace: the number of matches is the same above and below the picture, because a call is one match', async () => {
	const real = await browser.open(pageOf(golden(), 'bars'), 'ready', 'g=CPU.PID');
	const r = driver(real);
	await real.evaluate(() => window.kutrace.search('page_fault'));
	await real.waitForFunction(() => document.querySelector('#found')?.getAttribute('title')?.includes('consist of'));
	await r.settle();
	const number = (/** @type {string | undefined} */ text) => Number((text ?? '').replace(/\D/g, ''));
	const found = number((await real.locator('#found').innerText()).split(' match')[0]);
	const spansOf = number(/consist of ([\d\u202f]+) spans/.exec(String(await real.locator('#found').getAttribute('title')))?.[1]);
	check(found > 100 && spansOf > found, `${spansOf} spans are ${found} matches`);
	const below = await real.locator('#thinned').innerText();
	equal(number(/of ([\d\u202f]+) matches named/.exec(below)?.[1]), found, below);
	await real.close();
});

await test('zoomed in, all arcs, marks and messages are drawn, and the page reports nothing', async () => {
	await d.setRange(1.2, 1.205);
	const [a, b] = await d.range();
	const { arcs, marks } = await d.drawn();
	equal(spans(arcs), rows.filter((r) => r[5] === -3 && r[0] + r[1] >= a && r[0] <= b).length, 'arcs');
	equal(spans(marks), rows.filter((r) => r[5] === Event.MARKA && r[0] >= a && r[0] <= b).length, 'marks');
	equal((await d.drawn()).bars, [], 'bars');
	check(!/arcs|of \d+ marks/.test(await page.locator('#thinned').innerText()), await page.locator('#thinned').innerText());
	await d.reset();
});

await test('equal names are not drawn next to each other: of marks, of matches, of spans by User and All, inside spans', async () => {
	/** @param {{text: string, x0: number, x1: number, y0: number}[]} labels @param {string} what */
	const apart = (labels, what) => {
		check(labels.length > 3, `only ${labels.length} ${what}`);
		for (const y of new Set(labels.map((l) => l.y0))) {
			const line = labels.filter((l) => l.y0 === y);
			line.sort((p, q) => p.x0 - q.x0);
			line.forEach((l, i) => check(!i || l.text !== line[i - 1].text || l.x0 >= line[i - 1].x1 + 239, `${what}: ${l.text} at ${line[i - 1]?.x0} and ${l.x0}`));
		}
	};
	await d.setRange(1.2, 1.235);
	apart((await d.drawn()).labels, 'names of marks');
	await d.setRange(1.2, 1.22);
	apart((await d.drawn()).labels, 'names of marks, closer');
	await page.locator('#button-mark').click();
	await page.locator('#button-mark').click();
	await page.locator('#button-mark').click();
	await page.evaluate(() => window.kutrace.search('page_fault'));
	await page.waitForTimeout(200);
	await d.settle();
	const { named, matched } = await d.drawn();
	check(matched > 4, `only ${matched} matches`);
	equal((await said())['matches named'], [named.length, matched], 'how many of them have their name');
	equal(named.length, 1, 'boxes that all say page_fault');
	await page.evaluate(() => window.kutrace.search('page_fault|read'));
	await page.waitForTimeout(200);
	await d.settle();
	equal((await d.drawn()).named.length, 2, 'of two names, one each');
	await page.evaluate(() => window.kutrace.search(''));
	await page.locator('#button-mark').click();
	await d.reset();
	// a real trace has other names in between, on another line
	const real = await browser.open(pageOf(golden(), 'real'));
	for (const button of ['#button-user', '#button-all']) {
		await real.locator(button).click();
		await driver(real).settle();
		apart((await driver(real).drawn()).named, `names by ${button}`);
		await real.locator(button).click();
	}
	await real.close();
	// parts of a call and waits with different widths: the name is cut in several ways
	const cut = await browser.open(pageOf(jsonOf([0, 1, 2, 3, 4, 5, 6, 7].flatMap((i) => /** @type {Row[]} */ ([
		[1 + i / 10, 0.09 - (i % 3) / 200, 0, 5, 0, Event.SYSCALL64, 3, 1, 0, 'a_call_with_a_long_name'],
		[1.09 + i / 10 - (i % 3) / 200, 0.01 + (i % 3) / 200, 0, 5, 0, 65541, 0, 0, 0, 'alpha.5']]))
		.concat(/** @type {Row[]} */ ([0, 1, 2, 3].flatMap((i) => [[1 + i / 5, 0.1 - (i % 3) / 60, -1, 6, 0, Event.WAITZ, 0, 0, 0, 'wait_unk'], [1.1 + i / 5 - (i % 3) / 60, 0.1 + (i % 3) / 60, 1, 6, 0, 65542, 0, 0, 0, 'beta.6']])))
		.sort((a, b) => a[0] - b[0])), 'cut'), 'ready', 'g=CPU.PID');
	await driver(cut).settle();
	apart((await driver(cut).drawn()).inside, 'names inside spans');
	await cut.close();
});

await test('User and All report how many names of how many are shown', async () => {
	await page.locator('#button-all').click();
	await d.settle();
	const { notes } = await d.drawn();
	equal((await said())['spans named'], [notes.length, 1600], 'All');
	await page.locator('#button-all').click();
	await d.settle();
	check(!(await page.locator('#thinned').innerText()).includes('named'), 'when off');
});

await test('one setting changes the form of times in axis, note, tooltip, measurement, table and address', async () => {
	const ms = 1e-3;
	/** @type {Row[]} */
	const few = [[50, 100 * ms, 0, 5, 0, 65541, 0, 0, 0, 'alpha.5'], [50.1, 50 * ms, 0, 5, 0, Event.SYSCALL64, 3, 1, 0, 'read'], [50.12, 1e-8, 0, 5, 0, Event.MARKA, 1, 0, 0, 'mark_a=half'], [50.15, 50 * ms, 0, 5, 0, 65541, 0, 0, 0, 'alpha.5']];
	const other = await browser.open(pageOf(jsonOf(few), 'times'));
	const o = driver(other);
	await other.keyboard.press('Shift');
	await o.settle();
	const row = await o.row('CPU 0');
	const { plot } = await o.drawn();
	/** Returns the text of the time 50.1 s in each place that shows it, and the zero of the axis. */
	const told = async () => {
		await other.keyboard.press('Escape');
		await other.keyboard.press('Escape');
		await other.evaluate(() => window.kutrace.setRange(50.05, 50.2));
		// measure an interval and select it
		const x = [plot.x + plot.width / 3 + 3, plot.x + plot.width * 2 / 3 + 3];
		await other.keyboard.down('Shift');
		await other.mouse.move(x[0], row.y + row.height * 0.9);
		await other.mouse.down();
		await other.mouse.move(x[1], row.y + row.height * 0.9, { steps: 4 });
		await other.keyboard.up('Shift');
		await other.mouse.up();
		await o.settle();
		const { notes } = await o.drawn();
		const measure = await other.locator('#measure').innerText();
		await other.locator('#selectmeasure').click();
		const title = await other.locator('#paneltitle').innerText();
		await other.mouse.move(x[0] + 20, row.y + row.height * 0.9);
		await o.settle();
		const tip = (await other.locator('#tip td').first().innerText());
		await other.mouse.move(3, 3);
		return { note: notes[0].split('  ')[0], measure: measure.split(' to ')[0], title: title.replace(/.* from /, ''), tip, axis: await other.locator('#clock').innerText(), tick: (await o.drawn()).axis.find((/** @type {{t: number}} */ a) => Math.abs(a.t - 50.1) < 1e-9)?.label };
	};
	/** @param {string} value @param {string} text @param {string} axis */
	const all = async (value, text, axis) => {
		// the axis shows the same kind of time, with as many digits as its ticks need
		const tick = value === 'mark' ? undefined : text.replace(/\d{6}( s)?$/, '$1');
		if (value !== 'mark') await other.locator('#timeas').selectOption(value);
		equal(await told(), { note: text, measure: text, title: text, tip: text, axis, tick }, value);
	};
	await all('file', '50.10000000 s', '0 s = 08:50:00');
	await all('start', '0.10000000 s', '0 s = 08:50:50.000');
	await all('clock', '08:50:50.10000000', '2026-11-20');
	for (let i = 0; i < 4; i++) await other.keyboard.press('Escape');
	await other.locator('#timeas').selectOption('mark');
	await all('mark', '-0.02000000 s', '0 s = 08:50:50.120');
	equal(await other.locator('#timeas option:checked').innerText(), 'since mark a: half', 'it says since what');
	await driver(other).address('zero=50.12');
	const address = await other.evaluate(() => location.hash);
	check(address.includes('time-mark') && address.includes('zero=50.12'), `address ${address}`);
	// another person opens the address
	const again = await browser.open(pageOf(jsonOf(few), 'times2'), 'ready', address);
	await driver(again).settle();
	equal([await again.locator('#timeas').inputValue(), await again.locator('#clock').innerText()], ['mark', '0 s = 08:50:50.120'], 'from the address');
	await again.close();
	await other.close();
	const timeless = await browser.open(pageOf(jsonOf(few, { tracebase: 'never' }), 'timeless'));
	equal(await timeless.locator('#timeas option[value=clock]').isDisabled(), true, 'no time of day');
	equal(await timeless.locator('#timeas option[value=file]').innerText(), 'seconds', 'no minute that it began in');
	await timeless.close();
});

await test('calm: no complaint on the console, no request', () => {
	equal(browser.complaints, [], 'console');
	equal(browser.requests, [], 'requests');
});
await browser.close();
