// SPDX-License-Identifier: BSD-3-Clause
/**
 * Tests the page's words for the names in the data. The words appear everywhere, except in files and the raw row,
 * which have the names of the data. The search finds both. Also tests that the legend is never cut off. Prints TAP.
 */
import { openBrowser } from './browser.mjs';
import { driver } from './driver.mjs';
import { Event, LOCAL_TIMER, PAGE_FAULT } from './events.mjs';
import { jsonOf, pageOf } from './pages.mjs';
import { check, equal, test } from './tap.mjs';

/** @typedef {import('./pages.mjs').Row} Row */

/** @type {Row[]} */
const rows = [
	[1, 0.5, 0, 5, 0, 65541, 0, 0, 0, 'wait_unk.5'], [1.5, 0.5, 0, 0, 0, 65536, 1, 0, 0, '-idlelp-'], [1.6, 0.3, -1, 5, 0, Event.WAITZ, 0, 0, 0, 'wait_unk'],
	[2, 0.4, 0, 0, 0, Event.BH, 3, 0, 0, 'BH:rx'], [2.4, 0.2, 0, 5, 0, Event.SCHED, 0, 0, 0, '-sched-?'], [2.6, 0.4, 0, 5, 0, Event.SYSCALL64, 3, 9, 0, 'sendipi'],
	[3, 1e-8, 0, 5, 0, Event.RUNNABLE, 77, 0, 0, 'runnable.77'], [3, 1e-8, 0, 5, 0, Event.RUNNABLE, 78, 0, 0, 'runnable.78'], [3, 1, 0, 0, 0, 65536, 0, 0, 0, '-idle-'], [4, 1e-8, 0, 5, 0, Event.MARKA, 1, 0, 0, 'mark_a=mwait'],
	[4, 0.5, 0, 6, 0, 65542, 0, 0, 0, 'BH:rx.6'], [4.1, 0.1, -1, 6, 0, Event.WAITA + 3, 0, 0, 0, 'wait_of_mine'], [4.5, 0.5, 0, 6, 0, PAGE_FAULT, 0, 0, 0, 'page_fault'],
];
const browser = await openBrowser();
/** @type {any} */
const page = await browser.open(pageOf(jsonOf(rows), 'words'));
const d = driver(page);
await page.keyboard.press('Shift');
await d.settle();

await test('-idlelp-, wait_unk and BH:rx of the data have common words in the table and over the picture; names of programs stay', async () => {
	await page.locator('#tab-names').click();
	const names = (await d.cells()).map((line) => line[0]);
	for (const word of ['low-power idle', 'network receive softirq', 'scheduler?', 'idle', 'made runnable', 'mark a: mwait', 'page_fault',
		// a program or a system call may have any name
		'wait_unk.5', 'BH:rx.6', 'sendipi'])
		check(names.includes(word), `the table lacks ${word}: ${names}`);
	check(!names.some((name) => /^-|^BH:rx$|^mark_/.test(name)), `names of the data: ${names}`);
	// rows whose names differ only in the pid form one line, which opens one pane
	const line = page.locator('#tablebox tr', { hasText: 'made runnable' });
	equal([await line.count(), (await line.first().locator('td').allInnerTexts())[3]], [1, '2'], 'lines of made runnable, and their number');
	await line.locator('button.name').click();
	await page.locator('#processbox td').first().waitFor();
	equal([await page.locator('#processtitle').innerText(), (await page.locator('#processbox tr').last().locator('td').allInnerTexts())[1]], ['made runnable', '2'], 'opened');
	await page.locator('#panetab-tables').click();
	await page.locator('[data-group=PID]').click();
	await d.settle();
	const at = await d.row('wait_unk.5');
	await page.mouse.move(await d.xOf(1.75), at.y + at.height * 0.8);
	await d.settle();
	const tip = (await page.locator('#tip').innerText()).replace(/\s+/g, ' ');
	check(tip.startsWith('waiting, cause unknown'), `tooltip: ${tip}`);
	check(tip.includes('in the data wait_unk'), `the tooltip lacks the data's name: ${tip}`);
	equal(JSON.parse(await page.locator('#tip code').innerText()), rows[2], 'the raw row');
	await page.mouse.move(3, 3);
});

await test('search finds the names of the data and the words; files have the names of the data', async () => {
	/** @param {string} text @returns {Promise<number>} */
	const found = async (text) => (await page.evaluate((/** @type {string} */ t) => window.kutrace.search(t), text)).count;
	equal([await found('^wait_unk$'), await found('cause unknown'), await found('^-idlelp-'), await found('^low-power'), await found('^BH:rx$'), await found('network receive')],
		[1, 1, 1, 1, 1, 1], 'matches');
	equal(await found('^wait_of_mine$'), 1, 'a name that the table does not know');
	await page.locator('#invert').click();
	equal(await found('cause unknown'), rows.length - 1, 'inverted');
	await page.locator('#invert').click();
	await page.evaluate(() => window.kutrace.search(''));
	const csv = String((await d.saved('#savecsv')).bytes);
	for (const [, , , , , , , , , name] of rows) check(csv.includes(`,${name.startsWith('-') ? name : name}\r\n`) || csv.includes(`,'${name}\r\n`), `the file lacks ${name}`);
	check(!csv.includes('low-power idle'), 'words in the file');
});

/** Returns rows of every kind that a legend can have. @returns {Row[]} */
function everything() {
	/** @type {Row[]} */
	const all = [[1, 1, 0, 5, 0, 65541, 0, 0, 5, 'a.5'], [2, 1, 0, 5, 0, Event.SYSCALL64, 0, 0, 5, 'read'], [3, 1, 0, 5, 0, PAGE_FAULT, 0, 0, 0, 'page_fault'], [4, 1, 0, 5, 0, LOCAL_TIMER, 0, 0, 0, 'local_timer'],
		[5, 1, 0, 5, 0, Event.BH, 0, 0, 0, 'BH:rx'], [6, 1, 0, 5, 0, Event.SCHED, 0, 0, 0, '-sched-'], [7, 1, 0, 0, 0, 65536, 0, 0, 0, '-idle-'], [8, 1, 0, 0, 0, 65536, 1, 0, 0, '-idlelp-'],
		[9, 1, 0, 0, 0, 0x20000, 0, 0, 0, '-c-exit-'], [9, 0.1, 0, 5, 0, -3, 0, 5, 0, '-wakeup-'], [9, 0.1, 0, 5, 0, -7, 0, 5, 0, '-ipi-'], [9.1, 1e-8, 0, 5, 0, Event.TPOINT, 0, 0, 0, 'point'],
		[9.2, 0.1, 0, 5, 0, Event.LOCKHELD, 9, 0, 0, '=big'], [9.3, 0.1, 0, 5, 0, Event.LOCKTRY, 9, 0, 0, '~big'], [9.4, 0.1, 0, 5, 0, Event.PSTATE, 2400, 0, 0, '-freq-'], [9.5, 0.1, 0, 5, 0, Event.RX_PKT, 1, 0, 0, 'rx_packet']];
	for (const i of [0, 1, 2, 3]) all.push([9.6, 1e-8, 0, 5, 0, Event.MARKA + i, 1, 0, 0, `mark_${'abcd'[i]}`]);
	for (const letter of 'cdklmnpqrstuz') all.push([9.7, 0.1, -1, 5, 0, Event.WAITA + letter.charCodeAt(0) - 97, 0, 0, 0, `wait_${letter}`]);
	return all.sort((p, q) => p[0] - q[0]);
}

for (const [width, height] of [[1280, 720], [1024, 640], [1500, 600], [2560, 1440]]) {
	await test(`${width}x${height}: the whole legend is visible beside or below the table, with everything that a trace can have`, async () => {
		const other = await browser.open(pageOf(jsonOf(everything(), { flags: 0x83 }), 'everything'));
		await other.setViewportSize({ width, height });
		await other.keyboard.press('Shift');
		await other.locator('#button-ipc').click();
		await other.locator('#button-freq').click();
		for (const open of [true, false]) {
			await driver(other).settle();
			const { items, cut } = await other.evaluate(() => {
				const box = /** @type {HTMLElement} */ (document.getElementById('legend')).getBoundingClientRect();
				const list = [...document.querySelectorAll('#legend li')];
				return { items: list.length, cut: list.filter((li) => {
					const r = li.getBoundingClientRect();
					const label = /** @type {Element} */ (li.lastElementChild ?? li).getBoundingClientRect();
					return r.bottom > Math.min(box.bottom, innerHeight) + 0.5 || r.top < box.top - 0.5 || label.right > Math.min(box.right, innerWidth) + 0.5 ||
						!document.elementFromPoint(r.left + 3, r.top + r.height / 2)?.closest('#legend');
				}).map((li) => li.textContent) };
			});
			check(items >= 32, `only ${items} entries`);
			equal(cut, [], `cut off, table ${open ? 'open' : 'closed'}`);
			await other.locator('#button-table').click();
		}
		await other.close();
	});
}

await test('words: no complaint on the console, no request', () => {
	equal(browser.complaints, [], 'console');
	equal(browser.requests, [], 'requests');
});
await browser.close();
