// SPDX-License-Identifier: BSD-3-Clause
/**
 * Tests that the page works with calls, not with their parts. Tables, search, histogram, stepping, tooltip,
 * annotation and files of real traces must agree with callsof.mjs for all calls, to the last digit. Uses the real
 * mouse and keys. Prints TAP.
 */
import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { kindOf } from '../../templates/js/base/kinds.ts';
import { wordsOf } from '../../templates/js/base/words.ts';
import { openBrowser, top } from './browser.mjs';
import { callsOf, elapsedOf, grouped, isCall, isWhole, ownOf, sumOf } from './callsof.mjs';
import { brief, driver } from './driver.mjs';
import { Event, LOCAL_TIMER } from './events.mjs';
import { golden, jsonOf, pageOf } from './pages.mjs';
import { check, equal, test } from './tap.mjs';

/** @typedef {import('./callsof.mjs').Call} Call */

const KINDS = /** @type {Record<string, string>} */ ({
	syscall: 'system call', trap: 'fault or trap', irq: 'interrupt', softirq: 'softirq', sched: 'scheduler',
});
const json = golden();
const calls = callsOf(json);
const browser = await openBrowser();
/** @type {any} */
let page = await browser.open(pageOf(json, 'calls'));
let d = driver(page);
await page.keyboard.press('Shift');

/** @param {number} units */
const digits = (units) => `${Math.floor(units / 1e8)}.${String(units % 1e8).padStart(8, '0')}`;
/** @param {string[]} a @param {string[]} b @param {string} what must have the same lines, in any order */
function sameLines(a, b, what) {
	const [x, y] = [[...a].sort(), [...b].sort()];
	const at = x.findIndex((line, i) => line !== y[i]);
	check(x.length === y.length && at < 0, `${what}: ${x.length} and ${y.length} lines; ${x[at]}, not ${y[at]}`);
}
/** Returns the lines of a CSV without commas in its cells, without the header line. @param {{bytes: Buffer}} file */
const lines = (file) => file.bytes.toString().split('\r\n').slice(1, -1);

/** Returns the line for a call in the form of the page's file. @param {Call} call */
function callLine(call) {
	const { pieces, name, kind, pid, begins, ends } = call;
	const lacks = [...(begins ? [] : ['beginning']), ...(ends ? [] : ['end']), ...(name.endsWith('?') ? ['inferred'] : [])].join(' ');
	return [digits(pieces[0].start), digits(elapsedOf(call)), digits(ownOf(call)), digits(call.away), pieces.length, lacks,
		pieces[0].cpu, pieces[pieces.length - 1].cpu, pid, KINDS[kind], pieces[0].event, name].join();
}
/** Returns the same fields from a line of the page's file. @param {string} line */
function fileLine(line) {
	const cells = line.split(',');
	return [...cells.slice(0, 9), ...cells.slice(10, 12), cells[14]].join();
}
/** Returns the page's name of a call. @param {Call} call */
const word = ({ name, pieces }) => wordsOf(kindOf(pieces[0].event, name), name);

/** Returns a line in the form of the page's table of names. @param {string} name @param {Call[]} of */
function nameLine(name, of) {
	const { count, cut, own, elapsed, longest, p50, p99 } = sumOf(of);
	const most = count ? longest : Math.max(...of.map(elapsedOf));
	/** @param {number} units */
	const quantile = (units) => (count && isCall(of[0]) ? digits(units) : '');
	return [name, digits(own), count, digits(most), quantile(p50), quantile(p99), digits(elapsed), cut].join();
}
/** Removes the share of wall time from a line of the page's file. @param {string} line */
const withoutShare = (line) => line.split(',').filter((_, i) => i !== 2).join();
/** Names of everything that ran. The table also has rows of marks and packets. */
const words = new Set(calls.map(word));
/** @param {string} line */
const ran = (line) => words.has(line.split(',')[0]);

/** Returns the JSON of a golden trace in which the machine stops twelve times for half a second. @param {string} name */
function withStops(name) {
	const stop = 5e7;
	const events = execFileSync('xzcat', [join(top, `tests/golden/${name}.events.xz`)], { maxBuffer: 1 << 30, encoding: 'latin1' }).trimEnd().split('\n');
	const times = events.map((line) => (/^\d/.test(line) ? Number.parseInt(line, 10) : -1)).filter((t) => t >= 0).sort((a, b) => a - b);
	const at = Array.from({ length: 12 }, (_, i) => times[Math.floor(((i + 1) * times.length) / 13)]);
	const text = events.map((line) => (/^\d/.test(line) ? line.replace(/^\d+/, (t) => String(Number(t) + stop * at.filter((s) => Number(t) > s).length)) : line)).join('\n');
	const json = execFileSync(join(process.env.BUILD ?? 'build', 'bin/eventtospan'), ['stops'], { input: Buffer.from(`${text}\n`, 'latin1'), maxBuffer: 1 << 30, stdio: ['pipe', 'pipe', 'ignore'], encoding: 'latin1' });
	return Buffer.from(`${json.trimEnd().split('\n').sort().join('\n')}\n`, 'latin1');
}

await test('a machine that stops: all calls of the page\'s file equal those of callsof.mjs, to the last digit', async () => {
	const text = withStops('stock-4cpu');
	check(text.toString().split('"-stopped-"').length > 8, 'too few stops');
	const other = await browser.open(pageOf(text, 'stops'));
	sameLines(lines(await driver(other).saved('#savecalls')).map(fileLine), callsOf(text).filter(isCall).map(callLine), 'calls');
	await other.close();
});

for (const name of ['stock', 'patched-4cpu', 'stock-4cpu-wrap']) {
	await test(`${name}: all calls of the page's file equal those of callsof.mjs, to the last digit`, async () => {
		const text = execFileSync('xzcat', [join(top, `tests/golden/${name}.json.xz`)], { maxBuffer: 1 << 30 });
		const other = await browser.open(pageOf(text, name));
		const got = lines(await driver(other).saved('#savecalls')).map(fileLine);
		const want = callsOf(text).filter(isCall);
		check(want.some((c) => c.pieces.length > 5) && want.some((c) => !isWhole(c)), 'the trace has nothing to join');
		sameLines(got, want.map(callLine), 'calls');
		await other.close();
	});
}

await test('names and kinds: on CPU, count, longest, p50, p99, elapsed, incomplete; user code and idle by intervals', async () => {
	await page.locator('#tab-names').click();
	const got = lines(await d.saved('#savetable')).filter(ran).map(withoutShare);
	sameLines(got, [...grouped(calls, word)].map(([name, of]) => nameLine(name, of)), 'names');
	await page.locator('#tab-kinds').click();
	const kinds = lines(await d.saved('#savetable')).filter((l) => Object.values(KINDS).includes(l.split(',')[0])).map(withoutShare);
	sameLines(kinds, [...grouped(calls.filter(isCall), (c) => KINDS[c.kind])].map(([kind, of]) => nameLine(kind, of)), 'kinds');
});

await test('two clicks reach the slowest call of a process, which has 11 parts', async () => {
	await page.locator('#tab-calls').click();
	const table = await d.cells();
	const labels = new Map(calls.filter((c) => c.kind === 'user').map((c) => [c.pid, c.name]));
	const groups = [...grouped(calls.filter(isCall), (c) => `${c.pid} ${c.name}`)].map(([, of]) => ({ of, sum: sumOf(of) }));
	groups.sort((a, b) => b.sum.longest - a.sum.longest);
	for (let i = 0; i < 5; i++) {
		const { of: [call], sum } = groups[i];
		equal(table[i].slice(0, 6), [word(call), labels.get(call.pid), brief(sum.longest / 1e8), String(sum.count), brief(sum.p50 / 1e8), brief(sum.p99 / 1e8)], `row ${i}`);
	}
	await page.locator('#tablebox tbody tr').nth(2).click();
	await d.settle();
	const longest = /** @type {Call} */ (calls.find((c) => c.name === 'connect'));
	const [note] = (await d.drawn()).notes;
	check(longest.pieces.length === 11 && note.startsWith(digits(longest.pieces[0].start)), `connect of ${longest.pieces.length} pieces: ${note}`);
	check(note.includes('part 1 of 11 of 29.874 ms') && note.includes('connect(4)=0'), note);
	const [a, b] = await d.range();
	check(a * 1e8 < longest.pieces[0].start && b * 1e8 > longest.pieces[10].end, 'all of it is on the screen');
});

await test('the tooltip shows the number of the part, the elapsed time, and the times on and off CPU', async () => {
	const call = /** @type {Call} */ (calls.find((c) => c.name === 'connect'));
	const length = (/** @type {import('./callsof.mjs').Piece} */ p) => p.end - p.start;
	const part = call.pieces.reduce((best, p, i) => (i && length(p) > length(call.pieces[best]) ? i : best), 1);
	const piece = call.pieces[part];
	const row = await d.row(`CPU ${piece.cpu}`);
	await page.mouse.move(await d.xOf((piece.start + piece.end) / 2e8), row.y + row.height * 0.6);
	await d.settle();
	const tip = await page.locator('#tip').innerText();
	const other = elapsedOf(call) - ownOf(call) - call.away;
	for (const text of [`part ${part + 1} of 11`, '29.874 ms', '14.247 ms', `not running ${brief(call.away / 1e8)}`, `interrupted ${(other / 1e5).toFixed(3)} ms`, 'returned'])
		check(tip.includes(text), `lacks ${text}: ${tip}`);
	await page.mouse.move(3, 3);
	await page.keyboard.press('Escape');
	await d.reset();
});

await test('a call is one match in the count, the time and the limits; n goes from call to call', async () => {
	const found = calls.filter((c) => /^(connect|execve|nanosleep)$/.test(c.name)).sort((a, b) => a.pieces[0].start - b.pieces[0].start);
	const got = await page.evaluate(() => window.kutrace.search('^(connect|execve|nanosleep)$'));
	equal([got.matches, Math.round(got.elapsed * 1e8)], [found.length, found.reduce((s, c) => s + elapsedOf(c), 0)], 'matches');
	equal([got.count, Math.round(got.seconds * 1e8)], [found.reduce((n, c) => n + c.pieces.length, 0), found.reduce((s, c) => s + ownOf(c), 0)], 'their spans');
	check((await page.locator('#found').innerText()).startsWith(`${found.length} matches`), 'said');
	for (const call of [...found.slice(0, 6)]) {
		await page.keyboard.press('n');
		await d.settle();
		const [note] = (await d.drawn()).notes;
		check(note.startsWith(digits(call.pieces[0].start)), `n: ${note}, not ${digits(call.pieces[0].start)}`);
	}
	await page.keyboard.press('Shift+N');
	await d.settle();
	check((await d.drawn()).notes[0].startsWith(digits(found[4].pieces[0].start)), 'N');
	await d.reset();
	await page.locator('#from').fill('5000');
	await page.locator('#from').press('Enter');
	const long = found.filter((c) => elapsedOf(c) >= 500000);
	check(long.some((c) => c.pieces.every((p) => p.end - p.start < 500000)), 'no piece of one is as long');
	check((await page.locator('#found').innerText()).startsWith(`${long.length} matches`), `usec: ${await page.locator('#found').innerText()}, not ${long.length}`);
	// the time is in a gap in the middle of a call
	const call = /** @type {Call} */ (calls.find((c) => c.name === 'nanosleep' && c.away > 100000));
	const gap = call.pieces.findIndex((p, i) => i > 0 && p.start - call.pieces[i - 1].end > 50000);
	const from = call.pieces[gap - 1].end / 1e8;
	await page.locator('#from').fill('');
	await d.setRange(from + 0.0001, from + 0.0002);
	equal((await page.evaluate(() => window.kutrace.search('^nanosleep$'))).matches >= 1, true, 'a call that waits');
	await d.reset();
});

await test('the histogram has calls by elapsed time; a bar steps through them, longest first', async () => {
	await page.evaluate(() => window.kutrace.search('^page_fault$'));
	await page.locator('#histogram').waitFor({ state: 'visible' });
	const faults = calls.filter((c) => c.name === 'page_fault');
	/** @param {number} units */
	const barOf = (units) => 1 + Math.floor(Math.log10(units) * 4 + 1e-9);
	const want = [...grouped(faults, (c) => barOf(elapsedOf(c)))].map(([bar, of]) => [bar, of.length]).sort((a, b) => a[0] - b[0]);
	await page.waitForFunction(() => document.querySelectorAll('#bars button').length > 0);
	const bars = await page.evaluate(() => [...document.querySelectorAll('#bars button')].map((b) => [
		Number(/** @type {HTMLElement} */ (b).dataset.bar), Number((b.getAttribute('aria-label') ?? '').split(': ')[1].replace(/\D/g, ''))]));
	equal(bars.filter((/** @type {number[]} */ b) => b[1]), want, 'bars');
	const most = faults.sort((a, b) => elapsedOf(b) - elapsedOf(a))[0];
	check(most.pieces.length > 1, 'the longest is in one piece');
	await page.locator(`.bar[data-bar="${barOf(elapsedOf(most))}"]`).click();
	await d.settle();
	const [note] = (await d.drawn()).notes;
	check(note.startsWith(digits(most.pieces[0].start)) && note.includes(`of ${most.pieces.length}`), `the longest: ${note}`);
	await page.keyboard.press('Escape');
	await page.evaluate(() => window.kutrace.search(''));
	await d.reset();
});

await test('calls that a selection cuts are counted separately, with their part inside', async () => {
	const axis = await page.locator('#axis').boundingBox();
	await d.drag([axis.x + axis.width * 0.13, axis.y + 10], [axis.x + axis.width * 0.31, axis.y + 10]);
	const { selection } = await d.drawn();
	const [t0, t1] = [Math.round(selection.from * 1e8), Math.round(selection.to * 1e8)];
	/** @param {number} from @param {number} to */
	const inside = (from, to) => Math.max(0, Math.min(to, t1) - Math.max(from, t0));
	await page.locator('#tab-names').click();
	const got = lines(await d.saved('#savetable')).filter(ran).map(withoutShare);
	const want = [...grouped(calls, word)].flatMap(([name, of]) => {
		const touching = of.filter((c) => c.pieces[0].start < t1 && c.pieces[c.pieces.length - 1].end > t0);
		if (!touching.length) return [];
		const whole = touching.filter((c) => isWhole(c) && c.pieces[0].start >= t0 && c.pieces[c.pieces.length - 1].end <= t1);
		const elapsed = touching.map((c) => inside(c.pieces[0].start, c.pieces[c.pieces.length - 1].end));
		const own = touching.map((c) => c.pieces.reduce((s, p) => s + inside(p.start, p.end), 0));
		const sum = sumOf(whole);
		/** @param {number} units */
		const quantile = (units) => (whole.length && isCall(of[0]) ? digits(units) : '');
		return [[name, digits(own.reduce((a, b) => a + b)), whole.length, digits(whole.length ? sum.longest : Math.max(...elapsed)), quantile(sum.p50), quantile(sum.p99),
			digits(elapsed.reduce((a, b) => a + b)), touching.length - whole.length].join()];
	});
	check(want.length > 20 && want.some((l) => !l.endsWith(',0')), 'nothing is cut off');
	sameLines(got, want, 'names of the selection');
	const cut = (await d.cells()).find((l) => l[4].startsWith('\u2265'));
	check(cut && cut[3] === '0', 'a call of which only a part is here says so');
	const touching = calls.filter((c) => isCall(c) && c.pieces[0].start < t1 && c.pieces[c.pieces.length - 1].end > t0);
	sameLines(lines(await d.saved('#savecalls')).map(fileLine), touching.map(callLine), 'calls of the selection, whole');
	await page.locator('#clearselection').click();
	await page.close();
});

await test('in a large trace, a worker joins the parts after the first picture, with the same numbers', async () => {
	// without exits, all repetitions of a thread are one thread, as in callsOf(); lives.mjs tests reused pids
	const big = String(execFileSync(process.execPath, [join(top, 'tests/viewer/repeat.mjs'), join(top, 'tests/golden/patched-4cpu.json.xz'), '250000'], { maxBuffer: 1 << 30 }))
		.split('\n').filter((line) => !/, 531, \d+, \d+, \d+, "task_exit/.test(line)).join('\n');
	page = await browser.open(pageOf(big, 'large'));
	d = driver(page);
	await page.locator('#tab-names').click();
	await page.locator('#tablebox table').waitFor();
	const got = lines(await d.saved('#savetable')).map(withoutShare);
	const want = [...grouped(callsOf(big), word)].map(([name, of]) => nameLine(name, of));
	const names = new Set(want.map((l) => l.split(',')[0]));
	sameLines(got.filter((l) => names.has(l.split(',')[0])), want, 'names');
	await page.close();
});

await test('calls that the trace cuts are marked in table and tooltip, and have no result', async () => {
	/** @param {number} a @param {number} b @param {number} event @param {string} name @param {number} [ret] @returns {import('./pages.mjs').Row} ms */
	const run = (a, b, event, name, ret = 0) => [a / 1000, (b - a) / 1000, 0, 51, 0, event, 3, ret, 0, name];
	page = await browser.open(pageOf(jsonOf([
		run(0, 4, Event.SYSCALL64, 'read', 7), run(4, 5, 65536 + 51, 'work.51'), run(5, 6, Event.SYSCALL64 + 1, 'write', 9), run(6, 7, 65536 + 51, 'work.51'),
		run(7, 9, Event.SYSCALL64 + 2, 'open'), run(9, 10, LOCAL_TIMER, 'local_timer'), run(10, 12, Event.SYSCALL64 + 2, 'open'),
	]), 'cut'));
	d = driver(page);
	await page.locator('#tab-calls').click();
	// the panel is wider now
	await d.settle();
	equal((await d.cells()).map((l) => [l[0], l[2], l[3], l[4], l[8]]), [
		['open', '\u2265\u20095.000 ms', '0', '', '1'], ['read', '\u2265\u20094.000 ms', '0', '', '1'],
		['local_timer', '1.000 ms', '1', '1.000 ms', '0'], ['write', '1.000 ms', '1', '1.000 ms', '0']], 'table');
	const row = await d.row('CPU 0');
	await page.mouse.move(await d.xOf(0.011), row.y + row.height * 0.6);
	await d.settle();
	const tip = await page.locator('#tip').innerText();
	for (const text of ['part 2 of 2', 'its end is not in the trace', '\u2265 5 ms']) check(tip.includes(text), `lacks ${text}: ${tip}`);
	check(tip.startsWith('open(3)\n'), `a result that nobody has seen: ${tip}`);
	await page.close();
});

await browser.close();
