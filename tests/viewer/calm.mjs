// SPDX-License-Identifier: BSD-3-Clause
/**
 * A picture that can be read: arcs, marks, messages and names are thinned out where there are many, and the page
 * says how many are left out; no name stands beside itself. Prints TAP.
 */
import { openBrowser } from './browser.mjs';
import { driver } from './driver.mjs';
import { golden, jsonOf, pageOf } from './pages.mjs';
import { check, equal, test } from './tap.mjs';

/** @typedef {import('./pages.mjs').Row} Row */

const ARCS = 12000;
const MARKS = 3000;
/** One second; wakeups between two CPUs, marks that come in three names. @type {Row[]} */
const rows = [];
for (let i = 0; i < 400; i++) {
	const t = 1 + i * 0.0025;
	rows.push([t, 0.0012, 0, 5, 0, 65541, 0, 0, 0, 'alpha.5'], [t + 0.0012, 0.0013, 0, 5, 0, 0x800, 3, 1, 0, 'read'],
		[t, 0.0015, 1, 6, 0, 65542, 0, 0, 0, 'beta.6'], [t + 0.0015, 0.001, 1, 6, 0, 0x40e, 0, 0, 0, 'page_fault']);
}
for (let i = 0; i < ARCS; i++) rows.push([1 + (i + 0.3) / ARCS, 3e-6, 0, 5, 0, -3, 1, 6, 0, '-wakeup-']);
for (let i = 0; i < MARKS; i++) rows.push([1 + (i + 0.5) / MARKS, 1e-8, 0, 5, 0, 0x20a, 1, 0, 0, `mark_a=${['one', 'one', 'one', 'two'][i % 4]}`]);
for (let i = 0; i < 900; i++) rows.push([1 + (i + 0.6) / 900, 1e-4, 1, 6, 0, 0x214, i, 0, 0, 'rx_packet']);
rows.sort((a, b) => a[0] - b[0]);

const browser = await openBrowser();
/** @type {any} */
const page = await browser.open(pageOf(jsonOf(rows), 'dense'));
const d = driver(page);
await page.keyboard.press('Shift');
await d.settle();
/** What the page says it has left out: what -> [shown, of]. @returns {Promise<Record<string, [number, number]>>} */
const said = async () => Object.fromEntries((await page.locator('#thinned').innerText()).split(', ').filter(Boolean).map((/** @type {string} */ part) => {
	const [, shown, of, what] = /** @type {RegExpExecArray} */ (/^([\d\u202f]+) of ([\d\u202f]+) (.*)$/.exec(part));
	return [what, [shown, of].map((n) => Number(n.replace(/\D/g, '')))];
}));
/** @param {any[]} list */
const spans = (list) => new Set(list.map((a) => a.row.join())).size;

await test('12 000 arcs, 3 000 marks, 900 messages: a few of each, and the page says how many of how many', async () => {
	const { arcs, marks, messages, plot } = await d.drawn();
	const counts = await said();
	equal(counts.arcs, [spans(arcs), ARCS], 'arcs');
	equal(counts.marks, [spans(marks), MARKS], 'marks');
	equal(counts.messages, [spans(messages), 900], 'messages');
	equal(counts['names of marks'], [spans(marks.filter((/** @type {any} */ m) => m.labelled)), spans(marks)], 'names');
	for (const [what, list, most, x] of /** @type {[string, any[], number, string][]} */ ([['arcs', arcs, 1, 'x0'], ['marks', marks, 2, 'x'], ['messages', messages, 1, 'x0']])) {
		check(spans(list) > plot.width / 20, `only ${spans(list)} ${what}`);
		for (let from = 0; from + 40 < plot.width; from += 40) {
			const here = list.filter((a) => a[x] >= plot.x + from && a[x] < plot.x + from + 40);
			// cells are of 8 to 16 pixels
			check(spans(here) <= most * 6, `${spans(here)} ${what} in 40 pixels`);
			check(here.length > 0, `no ${what} in 40 pixels`);
		}
	}
});

await test('what is left out stays out while the picture is panned', async () => {
	const before = await d.drawn();
	await d.setRange(1.2, 1.7);
	const first = await d.drawn();
	const ids = (/** @type {any} */ now, /** @type {number} */ a, /** @type {number} */ b) =>
		now.arcs.map((/** @type {any} */ arc) => arc.row[0]).filter((/** @type {number} */ t) => t > a && t < b).join();
	await d.setRange(1.2013, 1.7013);
	const second = await d.drawn();
	equal(ids(second, 1.25, 1.65), ids(first, 1.25, 1.65), 'the same arcs');
	check(first.arcs.length > 20 && before.arcs.length > 20, 'there are none');
});

await test('closer, all are drawn and nothing is said', async () => {
	await d.setRange(1.2, 1.205);
	const [a, b] = await d.range();
	const { arcs, marks } = await d.drawn();
	equal(spans(arcs), rows.filter((r) => r[5] === -3 && r[0] + r[1] >= a && r[0] <= b).length, 'arcs');
	equal(spans(marks), rows.filter((r) => r[5] === 0x20a && r[0] >= a && r[0] <= b).length, 'marks');
	check(!/arcs|of \d+ marks/.test(await page.locator('#thinned').innerText()), await page.locator('#thinned').innerText());
	await d.reset();
});

await test('no name stands beside itself: of marks, of matches, of spans by User and All, inside spans', async () => {
	/** @param {{text: string, x0: number, x1: number, y0: number}[]} labels @param {string} what */
	const apart = (labels, what) => {
		check(labels.length > 3, `only ${labels.length} ${what}`);
		for (const y of new Set(labels.map((l) => l.y0))) {
			const line = labels.filter((l) => l.y0 === y);
			line.sort((p, q) => p.x0 - q.x0);
			line.forEach((l, i) => check(!i || l.text !== line[i - 1].text || l.x0 >= line[i - 1].x1 + 239, `${what}: ${l.text} at ${line[i - 1]?.x0} and ${l.x0}`));
		}
	};
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
	// a real trace has other names in between, which have their place in another line
	const real = await browser.open(pageOf(golden(), 'real'));
	for (const button of ['#button-user', '#button-all']) {
		await real.locator(button).click();
		await driver(real).settle();
		apart((await driver(real).drawn()).named, `names by ${button}`);
		await real.locator(button).click();
	}
	await real.close();
	// pieces of one call, and waits, whose rooms are not as wide: the name is cut in more than one way
	const cut = await browser.open(pageOf(jsonOf([0, 1, 2, 3, 4, 5, 6, 7].flatMap((i) => /** @type {Row[]} */ ([
		[1 + i / 10, 0.09 - (i % 3) / 200, 0, 5, 0, 0x800, 3, 1, 0, 'a_call_with_a_long_name'],
		[1.09 + i / 10 - (i % 3) / 200, 0.01 + (i % 3) / 200, 0, 5, 0, 65541, 0, 0, 0, 'alpha.5']]))
		.concat(/** @type {Row[]} */ ([0, 1, 2, 3].flatMap((i) => [[1 + i / 5, 0.1 - (i % 3) / 60, -1, 6, 0, 0x319, 0, 0, 0, 'wait_unk'], [1.1 + i / 5 - (i % 3) / 60, 0.1 + (i % 3) / 60, 1, 6, 0, 65542, 0, 0, 0, 'beta.6']])))
		.sort((a, b) => a[0] - b[0])), 'cut'), 'ready', 'g=CPU.PID');
	await driver(cut).settle();
	apart((await driver(cut).drawn()).inside, 'names inside spans');
	await cut.close();
});

await test('User and All say of how many', async () => {
	await page.locator('#button-all').click();
	await d.settle();
	const { notes } = await d.drawn();
	equal((await said())['spans named'], [notes.length, 1600], 'All');
	await page.locator('#button-all').click();
	await d.settle();
	check(!(await page.locator('#thinned').innerText()).includes('named'), 'when off');
});

await test('one language of time: axis, note, tooltip, measure, table and address tell it alike, switched in one place', async () => {
	const ms = 1e-3;
	/** @type {Row[]} */
	const few = [[50, 100 * ms, 0, 5, 0, 65541, 0, 0, 0, 'alpha.5'], [50.1, 50 * ms, 0, 5, 0, 0x800, 3, 1, 0, 'read'], [50.12, 1e-8, 0, 5, 0, 0x20a, 1, 0, 0, 'mark_a=half'], [50.15, 50 * ms, 0, 5, 0, 65541, 0, 0, 0, 'alpha.5']];
	const other = await browser.open(pageOf(jsonOf(few), 'times'));
	const o = driver(other);
	await other.keyboard.press('Shift');
	await o.settle();
	const row = await o.row('CPU 0');
	const { plot } = await o.drawn();
	/** What each of them says of 50.1 s, and the axis of its own beginning. */
	const told = async () => {
		await other.keyboard.press('Escape');
		await other.keyboard.press('Escape');
		await other.evaluate(() => window.kutrace.setRange(50.05, 50.2));
		// from here to there, and a selection of that
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
		// the axis tells the same time in the same language, with as many digits as its ticks need
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
	// a colleague opens it
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
