// SPDX-License-Identifier: BSD-3-Clause
/**
 * Tests the search: its grammar, without a browser; its results in a real trace, against plain conditions on the
 * JSON's rows and callsof.mjs's calls; and the field with keys: stepping, Esc, recent searches, mistakes and hints.
 * Prints TAP.
 */
import { exactly, narrowed, parse } from '../../templates/js/ask/grammar.ts';
import { isTime, timeRangeOf, textOf } from '../../templates/js/ask/timetext.ts';
import { duration } from '../../templates/js/ask/quantities.ts';
import { openBrowser } from './browser.mjs';
import { brief, driver } from './driver.mjs';
import { Event } from './events.mjs';
import { golden, jsonOf, pageOf, recorded, rowsOf } from './pages.mjs';
import { check, equal, near, test } from './tap.mjs';
import { failed, isSyscall, thingsOf } from './things.mjs';

/** @typedef {import('./pages.mjs').Row} Row */
/** @typedef {import('./things.mjs').Thing} Thing */

// --- the grammar ----------------------------------------------------------------

/** Returns a short text of a parsed search. @param {any} n @returns {string} */
const short = (n) => (!n ? 'null' : n.is === 'text' ? `${n.exact ? '"' : '/'}${n.source}${n.exact ? '"' : '/'}` : n.is === 'not' ? `not(${short(n.of)})` :
	n.is === 'field' ? `${n.field}:${n.ranges ? n.ranges.map((/** @type {any} */ r) => `${r.low}_${r.high}`) : n.source ?? n.kinds ?? n.letters}` : `${n.is}(${n.of.map(short)})`);
/** @param {string} text */
const parsed = (text) => {
	try {
		return short(parse(text));
	} catch (/** @type {any} */ mistake) {
		return `${mistake.at}+${mistake.length} ${mistake.message}`;
	}
};

await test('text without a field, operator or quotes is one regular expression', () => {
	for (const text of ['futex', 'waiting for disk', '^(read|write)$', '(', 'fut|"x & y#', ' a  b ', 'a:b', 'BH:rx', '!', 'x!', '1ms', 'or', 'read or', 'not', 'made runnable: PID 5', '\\(3\\)=', '[a-c]{2,}'])
		equal(parsed(text), `/${text}/`, text);
	equal(parsed(''), 'null', 'nothing');
});

await test('fields, operators, quotes, parentheses', () => {
	for (const [text, want] of [
		['futex pid:104', 'and(/futex/,pid:104_104)'], ['PID:1,3..5', 'pid:1_1,3_5'], ['pid:>5 read', 'and(pid:6_Infinity,/read/)'],
		['>1ms', 'dur:100001_Infinity'], ['>=1ms', 'dur:100000_Infinity'], ['<5us', 'dur:-Infinity_499'], ['1ms..2ms', 'dur:100000_200000'],
		['2..5ms', 'dur:200000_500000'], ['dur:2us..5us', 'dur:200_500'], ['dur:>15', 'dur:1501_Infinity'], ['dur:..340ns', 'dur:-Infinity_34'],
		['t:50.085+', 't:5008500000_Infinity'], ['t:50.085-', 't:-Infinity_5008500000'], ['t:1.5..2', 't:150000000_200000000'],
		['ret:<0', 'ret:-Infinity_-1'], ['ret:-11', 'ret:-11_-11'], ['arg:0x10', 'arg:16_16'], ['errno:EAGAIN', 'errno:11_11'], ['errno:eintr,5', 'errno:4_4,5_5'],
		['kind:irq,softirq', 'kind:6,7'], ['wait:lock', 'wait:l'], ['a b pid:1 c d', 'and(/a b/,pid:1_1,/c d/)'], ['a and b', 'and(/a/,/b/)'],
		['a or b c', 'or(/a/,/b c/)'], ['a pid:1 or b', 'or(and(/a/,pid:1_1),/b/)'], ['not a or b', 'or(not(/a/),/b/)'], ['!pid:1', 'not(pid:1_1)'], ['a !b c', 'and(/a/,not(/b/),/c/)'],
		['"write(1)=24"', '"write(1)=24"'], ['"a b" c', 'and("a b",/c/)'], ['process:"Web Content"', 'process:Web Content'],
		['(cpu:0 or cpu:1) read', 'and(or(cpu:0_0,cpu:1_1),/read/)'], ['(read|write) cpu:1', 'and(/(read|write)/,cpu:1_1)'], ['not (a or b)', 'not(or(/a/,/b/))'],
		['((pid:1 or pid:2) a) or b', 'or(and(or(pid:1_1,pid:2_2),/a/),/b/)'],
	]) equal(parsed(text), want, text);
});

await test('a mistake gives a message with its position', () => {
	equal(parsed('futex pid:x'), '6+5 pid: takes a number, such as 5, >5, 2..5 or 1,3', 'pid');
	equal(parsed('a or pid:'), '5+4 pid: nothing after the colon', 'nothing');
	equal(parsed('pid:1 or'), '6+2 nothing after "or"', 'or');
	equal(parsed('or or pid:1'), '0+2 nothing before "or"', 'or first');
	check(parsed('x (kind:foo or a)').startsWith('3+8 kind: is one of syscall, fault, irq'), parsed('x (kind:foo or a)'));
	equal(parsed('errno:EFOO').slice(0, 33), '0+10 errno: takes the name or num', 'errno');
});

await test('durations, times to go to, and narrowing', () => {
	equal(['5', '5us', '2 ms', '1s', '340ns', '1.5µs', 'x', '5 h', ''].map((text) => duration(text)), [500, 500, 200000, 1e8, 34, 150, null, null, null], 'durations');
	equal(['50.085', '50.08-', '18:40.1234+', '50', '50.', '1.5us', '6.1-rc'].map(isTime), [true, true, true, false, false, false, false], 'times');
	const half = (/** @type {string} */ text) => {
		const { t0, t1, at } = timeRangeOf(text, 0, Date.UTC(2026, 1, 1, 8, 17));
		return [at / 1e8, (t1 - t0) / 2];
	};
	// as in the guide: half the width is five units of the last digit; + and - go down and up in 1, 2, 5 steps
	equal([half('40.123'), half('40.1234'), half('40.1234+'), half('40.12--'), half('40.12-'), half('40.1++'), half('18:40.1234')],
		[[40.123, 5e5], [40.1234, 5e4], [40.1234, 2e4], [40.12, 2e7], [40.12, 1e7], [40.1, 1e7], [100.1234, 5e4]], 'widths');
	for (const text of ['40.123', '40.12345+', '40.5--', '7.1234567++']) {
		const { t0, t1 } = timeRangeOf(text, 0, null);
		equal(textOf(t0, t1, 0), text, 'and back');
	}
	equal(narrowed('a or b', false, 'pid:1'), '(a or b) pid:1', 'or');
	equal(parsed(narrowed('a pid:2', true, 'pid:1')), 'and(not(and(/a/,pid:2_2)),pid:1_1)', 'inverted');
	equal(parsed(exactly('name', 'a "b" (c)')), 'name:^a .b. \\(c\\)$', 'a name with quotes');
});

// --- results --------------------------------------------------------------------

const KINDS = /** @type {Record<string, string[]>} */ ({ syscall: ['syscall'], fault: ['trap'], irq: ['irq'], softirq: ['softirq'] });
const json = golden('patched-4cpu');
const things = thingsOf(json);
const programs = new Map(rowsOf(json).filter((r) => r[5] > 65536 && r[5] < 0x20000).map((r) => [r[5] - 65536, r[9]]));
const first = Math.min(...things.map((t) => t.start)) / 1e8;
const last = Math.max(...things.map((t) => t.start)) / 1e8;
const middle = ((first + last) / 2).toFixed(4);
const busy = [...programs.keys()].sort((a, b) => things.filter((t) => t.pid === b).length - things.filter((t) => t.pid === a).length)[0];
const program = /** @type {string} */ (programs.get(busy)).replace(/\.\d+$/, '');
const browser = await openBrowser();
const file = pageOf(json, 'search');
let page = await browser.open(file);
let d = driver(page);
await page.keyboard.press('Shift');
/** @param {string} text */
const found = (text) => page.evaluate((/** @type {string} */ t) => window.kutrace.search(t), text);
/** @param {string} text @param {(t: Thing) => boolean} wants @param {number} [least] */
async function held(text, wants, least = 1) {
	const want = things.filter(wants);
	const got = await found(text);
	check(want.length >= least && want.length < things.length, `${text}: ${want.length} of ${things.length} say nothing`);
	equal([got.matches, Math.round(got.elapsed * 1e8)], [want.length, want.reduce((s, t) => s + t.elapsed, 0)], text);
}

await test('fields find the same number and time as plain conditions over the JSON', async () => {
	await held(`pid:${busy}`, (t) => t.pid === busy, 100);
	await held(`process:^${program}`, (t) => (programs.get(t.pid) ?? '').startsWith(program), 100);
	await held('cpu:1', (t) => t.cpus.includes(1), 100);
	await held('!cpu:1', (t) => !t.cpus.includes(1), 100);
	for (const kind of Object.keys(KINDS)) await held(`kind:${kind}`, (t) => KINDS[kind].includes(t.kind));
	await held('kind:irq,fault', (t) => t.kind === 'irq' || t.kind === 'trap');
	await held('kind:wait', (t) => t.kind === 'wait');
	await held('wait:lock', (t) => t.kind === 'wait' && t.event === Event.WAITA + 11);
	await held('kind:wakeup', (t) => t.kind === 'wakeup');
	await held('arg:3', (t) => isSyscall(t) && t.arg === 3);
	await held('arg:>100', (t) => isSyscall(t) && t.arg > 100);
	await held('ret:0', (t) => t.ret === 0);
	await held('ret:<0', (t) => t.ret !== null && t.ret < 0);
	await held('errno:*', failed);
	await held('errno:EAGAIN', (t) => t.ret === -11);
	await held('>1ms', (t) => t.elapsed > 100000, 10);
	await held('10us..1ms', (t) => t.elapsed >= 1000 && t.elapsed <= 100000, 10);
	await held(`t:${middle}+`, (t) => t.start >= Math.round(Number(middle) * 1e8), 10);
	await held(`t:${middle}-`, (t) => t.start <= Math.round(Number(middle) * 1e8), 10);
	await held('name:^read$', (t) => t.name === 'read');
});

await test('and, or, not and parentheses combine fields to any depth', async () => {
	await held(`read pid:${busy}`, (t) => /read/.test(t.name) && t.pid === busy);
	await held('kind:syscall dur:>100us !cpu:0', (t) => isSyscall(t) && t.elapsed > 10000 && !t.cpus.includes(0));
	await held('errno:* or kind:irq', (t) => failed(t) || t.kind === 'irq');
	await held('not (kind:syscall or cpu:1) dur:>5us', (t) => !(isSyscall(t) || t.cpus.includes(1)) && t.elapsed > 500);
	await held('(ret:0 or ret:3) (cpu:0 or dur:>20us) open', (t) => (t.ret === 0 || t.ret === 3) && (t.cpus.includes(0) || t.elapsed > 2000) && t.text.some((x) => /open/.test(x)));
	await held('!(errno:* or ret:0) kind:syscall', (t) => isSyscall(t) && !failed(t) && t.ret !== 0);
});

await test('calls are found in the form name(argument)=result, by expression and by quotes', async () => {
	await held('write\\(1', (t) => t.text.some((x) => /write\(1/.test(x)));
	await held('=1$', (t) => t.text.some((x) => /=1$/.test(x)));
	await held('EAGAIN', (t) => t.text.some((x) => /EAGAIN/.test(x)));
	await held('=-EAGAIN', (t) => t.ret === -11);
	await held('^(open|openat)\\(', (t) => t.text.some((x) => /^(open|openat)\(/.test(x)));
	const some = /** @type {Thing} */ (things.find((t) => t.ret === 3 && t.arg > 0));
	await held(`"${some.text[1]}"`, (t) => t.text.some((x) => x.includes(some.text[1])));
	await held('104', (t) => /104/.test(t.name), 0);
});

await test('upper case matches only itself, lower case matches both, until [Aa] is pressed; [!] inverts', async () => {
	equal((await found('PAGE_FAULT')).matches, 0, 'capitals');
	const softirqs = (/** @type {Thing} */ t) => t.name === 'BH:rx';
	await held('bh:rx', softirqs);
	await held('BH:rx', softirqs);
	await page.locator('#capitals').click();
	await held('BH:rx', softirqs);
	equal((await found('bh:rx')).matches, 0, 'case is matched');
	await page.waitForFunction(() => new URLSearchParams(location.hash.slice(1)).get('b') === 'c');
	await page.locator('#capitals').click();
	await page.locator('#invert').click();
	await held('kind:syscall dur:>100us', (t) => !(isSyscall(t) && t.elapsed > 10000));
	await page.locator('#invert').click();
	await page.waitForFunction(() => !new URLSearchParams(location.hash.slice(1)).has('b'));
});

await test('limits have units; without a text, they find everything with such a duration', async () => {
	await found('');
	/** @param {string} from @param {string} to */
	const limits = async (from, to) => {
		await page.locator('#from').fill(from);
		await page.locator('#to').fill(to);
		await page.locator('#to').press('Enter');
		return page.locator('#found').innerText();
	};
	const many = (/** @type {number} */ a, /** @type {number} */ b) => things.filter((t) => t.elapsed >= a && t.elapsed <= b).length;
	for (const [from, to, a, b] of /** @type {[string, string, number, number][]} */ ([['5', '7', 500, 700], ['5us', '1 ms', 500, 1e5], ['1ms', '', 1e5, Infinity], ['.01s', '1S', 1e6, 1e8]]))
		equal(Number((await limits(from, to)).split(' match')[0].replace(/\D/g, '')), many(a, b), `${from}..${to}`);
	equal(await limits('soon', ''), 'not understood', 'no duration');
	check((await page.locator('#searchsays').innerText()).includes('not a duration: soon'), 'said');
	equal(await page.locator('#from').getAttribute('aria-invalid'), 'true', 'marked');
	await limits('', '');
	equal(await page.locator('#found').innerText(), '', 'nothing');
});

await test('only highlighted rows count, and the page reports that', async () => {
	await found('page_fault');
	const row = await d.row('CPU 1');
	const { plot } = await d.drawn();
	await page.keyboard.down('Shift');
	await page.mouse.click(plot.x - 40, row.y + row.height / 2);
	await page.keyboard.up('Shift');
	const want = things.filter((t) => t.name === 'page_fault' && t.cpus.includes(1)).length;
	await page.waitForFunction(() => /in 1 row,/.test(document.getElementById('found')?.textContent ?? ''));
	equal(Number((await page.locator('#found').innerText()).split(' match')[0].replace(/\D/g, '')), want, 'matches');
	await page.keyboard.press('Escape');
	await page.waitForFunction(() => !/ in /.test(document.getElementById('found')?.textContent ?? ''));
});

// --- the field ------------------------------------------------------------------

await test('in the field, Enter steps forward and shift-Enter back; Esc leaves it with its text; a second Esc clears it', async () => {
	await found('');
	await page.keyboard.press('/');
	await page.keyboard.type('^execve$');
	const execs = things.filter((t) => t.name === 'execve').sort((a, b) => a.start - b.start);
	const noted = async () => (await d.drawn()).notes[0]?.slice(0, 10) ?? '';
	for (const [key, i] of /** @type {[string, number][]} */ ([['Enter', 0], ['Enter', 1], ['Enter', 2], ['Shift+Enter', 1]])) {
		await page.keyboard.press(key);
		await d.settle();
		check((execs[i].start / 1e8).toFixed(8).startsWith(await noted()) && (await noted()), `${key}: ${await noted()}, not ${execs[i].start}`);
	}
	equal(await page.evaluate(() => document.activeElement?.id), 'search', 'still in the field');
	await page.keyboard.press('Escape');
	equal(await page.evaluate(() => [document.activeElement?.id, /** @type {HTMLInputElement} */ (document.getElementById('search')).value]), ['', '^execve$'], 'Esc leaves it');
	await page.keyboard.press('Escape');
	await page.keyboard.press('Escape');
	equal(await page.locator('#search').inputValue(), '', 'cleared, behind the annotation');
	await d.reset();
});

await test('mistakes are shown under the field with their position; an empty result is always reported', async () => {
	await page.locator('#search').fill('futex pid:abc');
	await page.locator('#search').press('Enter');
	equal(await page.locator('#searchsays mark').innerText(), 'pid:abc', 'the place');
	check((await page.locator('#searchsays').innerText()).startsWith('pid: takes a number'), 'what');
	equal(await page.locator('#search').getAttribute('aria-invalid'), 'true', 'marked');
	const says = async (/** @type {string} */ text) => {
		await page.locator('#search').fill(text);
		await page.locator('#search').press('Enter');
		return page.locator('#searchsays').innerText();
	};
	check((await says('read(')).startsWith('not a regular expression: unterminated group'), 'expression');
	check((await says('programme:nginx')).includes('"programme:" is no field'), 'no such field');
	for (const text of ['1ms', 'read dur:1ms']) check((await says(text)).includes('>1ms'), 'a duration');
	check((await says('write(1)')).includes('write \\('), 'parentheses');
	check((await says('read write')).includes('read and write'), 'words');
	equal(await says('no_such_name'), 'no match in this trace', 'nothing');
	await d.setRange(first, first + 0.0001);
	await page.locator('#search').fill('^exit_group$');
	await page.waitForFunction(() => document.getElementById('searchsays')?.textContent?.includes('elsewhere'));
	equal(await page.locator('#search').getAttribute('aria-invalid'), null, 'no mistake any more');
	await found('');
	await d.reset();
});

await test('a time in the field moves the view to it, as in the guide; @@ is the time of the view', async () => {
	await page.locator('#search').fill(`${middle}+`);
	check((await page.locator('#search').press('Enter'), await page.locator('#found').innerText()).includes('\u00b1 200 \u00b5s'), await page.locator('#found').innerText());
	const [a, b] = await d.range();
	near((a + b) / 2, Number(middle), 1e-7, 'there');
	near(b - a, 4e-4, 1e-7, 'so wide');
	await page.locator('#search').fill('@@');
	await page.locator('#search').press('Enter');
	equal(await page.locator('#search').inputValue(), `${middle}+`, '@@');
	await page.locator('#search').fill('999.5');
	await page.locator('#search').press('Enter');
	check((await page.locator('#searchsays').innerText()).startsWith('not in this trace, which lasts from'), 'elsewhere');
	await found('');
	await d.reset();
});

await test('Down in the field lists recent searches and examples, also after the page is reopened', async () => {
	for (const text of ['futex', 'errno:*']) {
		await page.locator('#search').fill(text);
		await page.locator('#search').press('Enter');
	}
	await page.locator('#search').press('ArrowDown');
	const options = () => page.locator('#recents [role=option] code').allInnerTexts();
	equal((await options()).slice(0, 2), ['errno:*', 'futex'], 'the latest first');
	equal(await page.locator('#search').getAttribute('aria-expanded'), 'true', 'expanded');
	await page.keyboard.press('ArrowDown');
	await page.keyboard.press('Enter');
	equal(await page.locator('#search').inputValue(), 'futex', 'the second');
	equal(await page.locator('#recents').isVisible(), false, 'closed');
	await page.keyboard.press('ArrowDown');
	await page.keyboard.press('Escape');
	equal([await page.locator('#recents').isVisible(), await page.evaluate(() => document.activeElement?.id)], [false, 'search'], 'Esc closes the list first');
	await page.close();
	page = await browser.open(file);
	d = driver(page);
	await page.locator('#search').press('ArrowDown');
	const again = await options();
	equal(again.slice(0, 2), ['futex', 'errno:*'], 'kept');
	for (const text of again.slice(2)) check(!/^[0-9]+\+.*(takes|nothing)/.test(parsed(text)), `an example that is wrong: ${text}`);
	await page.keyboard.press('Escape');
});

await test('shortest, longest, and a line for each process; a click goes there or narrows', async () => {
	await found('kind:syscall');
	await page.locator('#foundby tbody tr').first().waitFor();
	const calls = things.filter(isSyscall);
	const sums = [...new Set(calls.map((t) => t.pid))].map((pid) => {
		const of = calls.filter((t) => t.pid === pid);
		return { pid, n: of.length, total: of.reduce((s, t) => s + t.elapsed, 0), most: Math.max(...of.map((t) => t.elapsed)) };
	}).sort((a, b) => b.total - a.total || b.n - a.n || a.pid - b.pid);
	/** @type {string[][]} */
	const lines = await page.evaluate(() => [...document.querySelectorAll('#foundby tbody tr')].map((tr) => [...tr.children].map((td) => td.textContent)));
	equal(lines.map((l) => [l[0], Number(l[1].replace(/\D/g, '')), l[2], l[3]]),
		sums.map((s) => [programs.get(s.pid) ?? `.${s.pid}`, s.n, brief(s.total / 1e8), brief(s.most / 1e8)]), 'processes');
	const longest = calls.reduce((a, b) => (b.elapsed > a.elapsed ? b : a));
	await page.locator('#foundends button').nth(1).click();
	await d.settle();
	check((await d.drawn()).notes[0].startsWith((longest.start / 1e8).toFixed(8)), 'the longest');
	await d.reset();
	await page.locator('#foundby tbody tr').nth(1).locator('button').first().click();
	equal(await page.locator('#search').inputValue(), `kind:syscall pid:${sums[1].pid}`, 'narrowed');
	equal(Number((await page.locator('#found').innerText()).split(' match')[0].replace(/\D/g, '')), sums[1].n, 'matches');
});

await test('spans that do not match are dimmed during a search; the switch is stored', async () => {
	await page.keyboard.press('Escape');
	const call = /** @type {Thing} */ (things.find((t) => t.name === 'execve' && t.elapsed > 10000));
	await found('^execve$');
	await d.setRange(call.start / 1e8 - 0.0002, call.start / 1e8 + 0.0002);
	/** Returns the colours of the row of the call at a time. @param {number} seconds since the call began */
	const at = async (seconds) => {
		await d.settle();
		const row = await d.row(`CPU ${call.cpus[0]}`);
		return [...new Set(await d.strip('base', Math.round(await d.xOf(call.start / 1e8 + seconds)), Math.round(row.y) + 3, 1, Math.round(row.height) - 9))].join(' ');
	};
	const [x, inside] = [-0.0001, 0.00002];
	const [dimmed, bright] = [await at(x), await at(inside)];
	await page.locator('#dim').click();
	check(await at(x) !== dimmed, 'not dimmed');
	equal(await at(inside), bright, 'a match');
	const plain = await at(x);
	await page.close();
	page = await browser.open(file);
	d = driver(page);
	equal(await page.locator('#dim').getAttribute('aria-pressed'), 'false', 'remembered');
	await page.locator('#dim').click();
	await found('^execve$');
	await d.setRange(call.start / 1e8 - 0.0002, call.start / 1e8 + 0.0002);
	equal(await at(x), dimmed, 'dimmed again');
	await found('');
	equal(await at(x), plain, 'without a search nothing is');
});

await test('instructions per cycle can be searched; a trace without them gives a message', async () => {
	const says = async (/** @type {string} */ text) => {
		await page.locator('#search').fill(text);
		await page.locator('#search').press('Enter');
		return page.locator('#searchsays').innerText();
	};
	if (!rowsOf(json).some((r) => r[8])) check((await says('ipc:>1')).includes('no instructions per cycle'), 'none');
	await page.close();
	/** @param {number} i @param {number} ipc @returns {Row} */
	const row = (i, ipc) => [i, 0.5, 0, 7, 0, 65536 + 7, 0, 0, ipc, 'work.7'];
	page = await browser.open(pageOf(jsonOf([row(1, 2), row(2, 8), row(3, 11), row(4, 15)], { flags: 0x83 }), 'ipc'));
	d = driver(page);
	// the values stand for 1/4, 1, 7/4, and 3.5 or more instructions per cycle
	for (const [text, n] of /** @type {[string, number][]} */ ([['ipc:>1', 2], ['ipc:>=1', 3], ['ipc:0..0.5', 1], ['ipc:1.75', 1]])) equal((await found(text)).matches, n, text);
	await page.close();
});

await test('a call that moved to another CPU is found by either CPU', async () => {
	const wrap = golden('stock-4cpu-wrap');
	const all = thingsOf(wrap);
	page = await browser.open(pageOf(wrap, 'wrap'));
	for (const cpu of [0, 1, 2, 3]) {
		const want = all.filter((t) => t.cpus.includes(cpu));
		check(want.some((t) => t.cpus[0] !== cpu), `nothing went to CPU ${cpu}`);
		equal((await found(`cpu:${cpu}`)).matches, want.length, `CPU ${cpu}`);
		equal((await found(`!cpu:${cpu}`)).matches, all.length - want.length, `not CPU ${cpu}`);
	}
	await page.close();
});

await test('throttled waits: search words, states, details and the explanation', async () => {
	const throttled = recorded('linux72/throttled');
	const waits = rowsOf(throttled).filter((r) => r[9] === 'wait_throttled?');
	equal(waits.length, 12, 'waits in the data');
	page = await browser.open(pageOf(throttled, 'throttled'), 'ready', 'g=PID');
	d = driver(page);
	for (const text of ['wait:throttled', 'kind:wait throttled\\?$']) equal((await found(text)).matches, waits.length, text);
	equal((await found('kind:wait !wait:cpu,throttled')).matches, rowsOf(throttled).filter((r) => r[2] < 0 && r[5] >= Event.WAITA && r[5] <= Event.WAITZ).length -
		waits.length - (await found('wait:cpu')).matches, 'other waits');
	const longest = waits.reduce((a, b) => (b[1] > a[1] ? b : a));
	const row = await d.row('throttled.121');
	await page.keyboard.press('Escape');
	await page.mouse.click(await d.xOf(longest[0] + longest[1] / 2), row.y + row.height * 0.5);
	await d.settle();
	const why = `${await page.locator('#whylist li').first().innerText()} ${await page.locator('#whyend').innerText()}`;
	check(why.includes('It was ready, but its cgroup had used its quota of CPU time.'), `the explanation: ${why}`);
	check(why.includes('throttled'), `the reason: ${why}`);
	await page.close();
});

await browser.close();
