// SPDX-License-Identifier: BSD-3-Clause
/**
 * Tests timers that woke threads: the details of a wait have the time at which its timer was due and the five parts of its
 * lateness, the details of a timer have the wait, and search words find them. Prints TAP.
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
const CALL = Event.SYSCALL64 + 35;
const WAIT_TIME = Event.WAITA + 19;
/** A timer of thread 5 is due at 20 ms, and the thread runs at 30 ms. Then a timer by the tick, without the interrupt. @type {Row[]} */
const rows = [
	row(0, 10, 0, 5, 65541, 'alpha.5'), row(10, 15, 0, 5, CALL, 'nanosleep'), row(15, 30, 0, 0, 65536, '-idle-'),
	row(20, 28, 0, 5, Event.TIMER_LATE, 'hrtimer slack 5000000 interrupt 2000000 before 700000 wakeup 300000', 1), row(15, 28, -1, 5, WAIT_TIME, 'wait_time', 1),
	row(28, 30, 0, 0, -3, '-wakeup-', 0, 5), row(28, 30, -1, 5, Event.WAITA + 2, 'wait_cpu'), row(30, 40, 0, 5, CALL, 'nanosleep'), row(40, 55, 0, 0, 65536, '-idle-'),
	row(44, 50, 0, 5, Event.TIMER_LATE, 'wheel slack 4000000 before 1500000 wakeup 500000', 2), row(40, 50, -1, 5, WAIT_TIME, 'wait_time', 2),
	row(50, 55, 0, 0, -3, '-wakeup-', 0, 5), row(55, 60, 0, 5, CALL, 'nanosleep'), row(60, 65, 0, 0, 65536, '-idle-'),
	// the thread asks for a time that has passed
	row(53, 65, 0, 5, Event.TIMER_LATE, 'hrtimer slack 1000000 interrupt 10000000 before 600000 wakeup 400000', 3), row(60, 65, -1, 5, WAIT_TIME, 'wait_time', 3),
	row(65, 70, 0, 5, CALL, 'nanosleep'),
];
const browser = await openBrowser();
/** @type {any} */
let page;

/** Opens the page with a selected span, and returns the facts of its details. @param {string} span */
async function details(span) {
	({ page } = await turnTo(browser, page, pageOf(jsonOf([...rows].sort((a, b) => a[0] - b[0]), {}), `timer${span.replace(/\W/g, '')}`), `g=PID&d=${span}&v=details`));
	await page.locator('#pane-details:not([aria-busy]) h2').waitFor();
	const facts = await page.evaluate(() => [...document.querySelectorAll('#pane-details dt')].map((dt) => [dt.textContent ?? '', dt.nextElementSibling?.textContent ?? '']));
	return Object.fromEntries(facts.map((/** @type {string[]} */ [term, value]) => [term, value.replace(/\s+/g, ' ').trim()]));
}
const wait = (/** @type {string} */ start) => `PID.5_${start}_${WAIT_TIME.toString(16)}`;
const terms = (/** @type {Record<string, string>} */ facts, /** @type {string[]} */ names) => names.map((name) => facts[name]);

await test('the details of a wait have the five parts of the lateness', async () => {
	const facts = await details(wait('0.015'));
	equal(terms(facts, ['timer', 'late', 'slack', 'then interrupt after', 'then earlier callbacks', 'then wakeup after', 'then waited for a CPU']),
		['by a clock', '10 ms', '5 ms', '2 ms', '700 µs', '300 µs', '2 ms'], 'the parts');
	check(/\b0?\.?02(0*)? s|20 ms/.test(facts['timer was due at']), facts['timer was due at']);
});

await test('a timer by the tick, whose interrupt is unknown', async () => {
	const facts = await details(wait('0.04'));
	equal(terms(facts, ['timer', 'late', 'rounded up to ticks', 'then interrupt and earlier callbacks', 'then wakeup after', 'then waited for a CPU']),
		['by the kernel\u2019s tick', '11 ms', '4 ms', '1.5 ms', '500 µs', '5 ms'], 'the parts');
	check(!('slack' in facts || 'then interrupt after' in facts), 'other parts');
});

await test('a timer that was due before the wait', async () => {
	const facts = await details(wait('0.06'));
	equal(terms(facts, ['late', 'before the wait by']), ['12 ms', '7 ms'], 'the times');
	check(!('before the wait by' in await details(wait('0.04'))), 'only such timers');
});

await test('the details of a timer have the parts, and the wait that it ended', async () => {
	const facts = await details(`CPU.0_0.02_${Event.TIMER_LATE.toString(16)}`);
	equal(terms(facts, ['late', 'slack', 'then interrupt after']), ['8 ms until the wakeup', '5 ms', '2 ms'], 'the parts');
	check(facts['ended the wait'].includes('alpha.5'), facts['ended the wait']);
});

await test('search words find the timers', async () => {
	for (const [text, count] of /** @type {[string, number][]} */ ([['kind:timer', 3], ['kind:timer wheel', 1], ['wait:time', 3]])) {
		equal((await page.evaluate((/** @type {string} */ t) => window.kutrace.search(t), text)).matches, count, text);
	}
});

await browser.close();
