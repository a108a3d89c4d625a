// SPDX-License-Identifier: BSD-3-Clause
/**
 * Tests requests of disks: the search words find them, the details of a wait have the request that ended it, and the details
 * of a request have its times and the wait. Prints TAP.
 */
import { openBrowser } from './browser.mjs';
import { turnTo } from './driver.mjs';
import { Event } from './events.mjs';
import { jsonOf, pageOf } from './pages.mjs';
import { check, equal, test } from './tap.mjs';

/** @typedef {import('./pages.mjs').Row} Row */

const ms = 1e-3;
/** @param {number} a @param {number} b @param {number} cpu @param {number} pid @param {number} event @param {string} name @param {number} [arg] @param {number} [ret] @returns {Row} */
const row = (a, b, cpu, pid, event, name, arg = 0, ret = 0) => [a * ms, Math.round((b - a) * 1e5) / 1e8, cpu, pid, 0, event, arg, ret, 0, name];
const READ = Event.SYSCALL64;
const WAIT_DISK = Event.WAITA + 3;
/** Thread 5 waits for request 1. Then its wait ends with request 2 of thread 6, which is inferred. @type {Row[]} */
const rows = [
	row(0, 10, 0, 5, 65541, 'alpha.5'), row(10, 15, 0, 5, READ, 'read'), row(15, 60, 0, 0, 65536, '-idle-'),
	row(11, 12, 0, 5, Event.DISK_QUEUE, 'vda read 16384 @2048', 1, 1), row(12, 55, 0, 5, Event.DISK_SERVED, 'vda read 16384 @2048', 1, 1),
	row(15, 55, -1, 5, WAIT_DISK, 'wait_disk', 1), row(55, 60, 0, 0, -3, '-wakeup-', 0, 5), row(60, 70, 0, 5, READ, 'read'), row(70, 80, 0, 5, 65541, 'alpha.5'),
	row(80, 100, 0, 6, 65542, 'beta.6'), row(72, 90, 0, 6, Event.DISK_SERVED, 'vda write 1000 @7 error 5', 2, 3),
	row(80, 90, -1, 5, WAIT_DISK, 'wait_disk?', 2), row(90, 100, 0, 0, -3, '-wakeup-', 0, 5), row(100, 110, 0, 5, 65541, 'alpha.5'),
];
const browser = await openBrowser();
/** @type {any} */
let page;

/** Opens the page with a selected span, and returns the facts of its details. @param {string} span */
async function details(span) {
	({ page } = await turnTo(browser, page, pageOf(jsonOf([...rows].sort((a, b) => a[0] - b[0]), {}), `disk${span.replace(/\W/g, '')}`), `g=PID&d=${span}&v=details`));
	await page.locator('#pane-details:not([aria-busy]) h2').waitFor();
	const facts = await page.evaluate(() => [...document.querySelectorAll('#pane-details dt')].map((dt) => [dt.textContent ?? '', dt.nextElementSibling?.textContent ?? '']));
	return Object.fromEntries(facts.map((/** @type {string[]} */ [term, value]) => [term, value.replace(/\s+/g, ' ').trim()]));
}
const wait = (/** @type {string} */ start) => `PID.5_${start}_${WAIT_DISK.toString(16)}`;

await test('the details of a wait have the request that ended it', async () => {
	const facts = await details(wait('0.015'));
	equal([facts.disk, facts.request, facts.queued, facts.served], ['vda', 'read of 16 KiB at sector 2048', '1 ms', '43 ms'], 'the request');
	check(!('request of' in facts), 'the thread is the owner');
});

await test('a request of another thread is inferred', async () => {
	const facts = await details(wait('0.08'));
	equal([facts.disk, facts.request, facts.served], ['vda', 'write of 1000 bytes at sector 7, error 5 (inferred)', '18 ms'], 'the request');
	check(facts['request of'].startsWith('beta.6'), facts['request of']);
	check(!('queued' in facts), 'its queue is not in the trace');
});

await test('search words find the requests and the waits', async () => {
	for (const [text, count] of /** @type {[string, number][]} */ ([['kind:disk', 3], ['wait:disk', 2], ['kind:disk write', 1]])) {
		equal((await page.evaluate((/** @type {string} */ t) => window.kutrace.search(t), text)).matches, count, text);
	}
});

await browser.close();
