// SPDX-License-Identifier: BSD-3-Clause
/**
 * Tests the pane Details for spans of a real trace, after a click, Enter, a link or an address. Compares the pane
 * with the JSON (callsof.mjs) and with values in this file. Also tests the outline, arcs, double clicks and steps
 * back. Uses the real mouse and keys. Prints TAP.
 */
import { pathToFileURL } from 'node:url';
import { openBrowser } from './browser.mjs';
import { callsOf, elapsedOf, isCall, ownOf } from './callsof.mjs';
import { driver } from './driver.mjs';
import { Event } from './events.mjs';
import { golden, jsonOf, pageOf, rowsOf } from './pages.mjs';
import { check, equal, near, test } from './tap.mjs';

/** @typedef {import('./callsof.mjs').Call} Call */
/** @typedef {import('./callsof.mjs').Piece} Piece */
/** @typedef {import('./pages.mjs').Row} Row */

const json = golden();
const rows = rowsOf(json);
const stretches = callsOf(json);
const calls = stretches.filter(isCall);
const pieces = stretches.flatMap((c) => c.pieces).sort((a, b) => a.start - b.start);
/** Converts seconds to units of 10 ns. @param {number} seconds */
const units = (seconds) => Math.round(seconds * 1e8);
const wakes = rows.filter((r) => r[5] === -3).map((r) => ({ row: r, t: units(r[0]), ran: units(r[0]) + units(r[1]), cpu: r[2], waker: r[3], to: r[6], woken: r[7] }));
const file = pageOf(json, 'details');
const browser = await openBrowser();
/** @type {any} */
let page = await browser.open(file);
let d = driver(page);
await page.keyboard.press('Shift');

/** @param {number} t units */
const seconds = (t) => `${Math.floor(t / 1e8)}.${String(t % 1e8).padStart(8, '0')} s`;
/** Returns the text by which the address names a span. @param {Piece} p */
const nameOf = (p, group = 'CPU', id = p.cpu) => `${group}.${id}_${seconds(p.start).slice(0, -2).replace(/0+$/, '')}_${p.event.toString(16)}`;
/** Converts a displayed time to units, with its precision. @param {string} text */
function time(text) {
	const [, number, unit] = /^(?:≥ )?([\d.]+) (ns|µs|ms|s)\b/.exec(text) ?? [];
	check(number, `no time: ${text}`);
	const size = /** @type {Record<string, number>} */ ({ ns: 0.1, µs: 100, ms: 1e5, s: 1e8 })[unit];
	return { units: Number(number) * size, within: (size * (unit === 'µs' ? 0.005 : unit === 'ns' ? 0.5 : 0.0005)) + 0.001 };
}
/** @param {string} text @param {number} want units @param {string} what */
function sameTime(text, want, what) {
	const got = time(text);
	near(got.units, want, got.within, `${what}: ${text}`);
}

/** Returns the content of the pane when it is complete. */
async function details() {
	await page.locator('#pane-details:not([aria-busy]) h2').waitFor();
	return page.evaluate(() => {
		const box = /** @type {HTMLElement} */ (document.getElementById('pane-details'));
		/** @type {{title: string, facts: Record<string, string>, lines: string[]}[]} */
		const sections = [{ title: '', facts: {}, lines: [] }];
		for (const e of box.querySelectorAll('h3, dt, li')) {
			const now = sections[sections.length - 1];
			const text = e.textContent ?? '';
			if (e.tagName === 'H3') sections.push({ title: text, facts: {}, lines: [] });
			else if (e.tagName === 'DT') now.facts[text] = e.nextElementSibling?.textContent ?? '';
			else now.lines.push(text);
		}
		return { title: box.querySelector('h2')?.textContent ?? '', sections };
	});
}
/** Returns the section whose title begins with a text. @param {Awaited<ReturnType<typeof details>>} all @param {string} title */
const section = (all, title) => all.sections.find((/** @type {any} */ s) => s.title.startsWith(title));

let asked = 0;
/** Selects spans by the address, with the pane open. @param {string} name */
async function choose(name) {
	await page.evaluate((/** @type {[string, string]} */ [n, time]) => {
		const p = new URLSearchParams(location.hash.slice(1));
		p.set('d', n);
		p.set('v', 'details');
		// an address that was not used before, even for the same span
		p.set('asked', time);
		location.hash = `#${p}`;
	}, [name, String(asked++)]);
	await page.waitForFunction((/** @type {string} */ n) => {
		const { chosen } = window.kutrace.drawn();
		return chosen && Number(n.split('_')[1]) === chosen.row[0];
	}, name);
	await d.settle();
}

/** Clicks a span in its CPU's row. The span must be wide enough. @param {Piece} p */
async function click(p, group = 'CPU', id = p.cpu) {
	const row = (await d.shown()).find((/** @type {any} */ r) => r.group === group && r.id === id);
	await page.mouse.click(await d.xOf((p.start + p.end) / 2e8), row.y + row.height * 0.8);
	await d.settle();
}

/** Returns the gaps of a process inside a call, from the JSON. @param {Call} call */
function gapsOf(call) {
	const own = pieces.filter((p) => p.pid === call.pid && p.start >= call.pieces[0].start && p.end <= call.pieces[call.pieces.length - 1].end);
	return own.slice(1).map((p, i) => ({ from: own[i].end, to: p.start })).filter(({ from, to }) => to - from > 1);
}

const connect = /** @type {Call} */ (calls.find((c) => c.name === 'connect' && c.pieces.length === 11));

await test('a click opens the details: call, part, result, process, waits inside and their wakers', async () => {
	const piece = connect.pieces[4];
	await d.setRange(piece.start / 1e8 - 0.0002, piece.end / 1e8 + 0.0002);
	await click(piece);
	const all = await details();
	const [{ facts }] = all.sections;
	equal(all.title, 'connect(4)=0', 'title');
	sameTime(facts.elapsed, elapsedOf(connect), 'elapsed');
	sameTime(facts['on CPU'], ownOf(connect), 'on CPU');
	sameTime(facts['on CPU'].replace(/^.*not running /, ''), connect.away, 'away');
	equal([facts.start, facts.end], [seconds(connect.pieces[0].start), seconds(connect.pieces[10].end)], 'from, to');
	check(facts['this part'].startsWith('5 of 11: ') && facts['this part'].endsWith(`from ${seconds(piece.start)} on CPU ${piece.cpu}`), facts['this part']);
	equal(facts.CPUs, [...new Set(connect.pieces.map((p) => p.cpu))].sort().join(', '), 'CPUs');
	equal([facts.arg0, facts.returned], ['4   0x4', '0'], 'values');
	const names = new Set(pieces.filter((p) => p.pid === connect.pid && p.event >= 65536).map((p) => p.name));
	check([...names].some((n) => facts.process === `${connect.pid}   ${n}` && facts.program === n.replace(/\.\d+$/, '')), `${facts.process}, ${facts.program}`);
	const waits = section(all, 'Waited inside');
	const gaps = gapsOf(connect);
	check(gaps.length > 1, 'nothing waits inside');
	equal(waits?.lines.length, gaps.length, 'gaps');
	sameTime(String(waits?.title).replace(/^.*, /, ''), connect.away, 'waited');
	gaps.forEach(({ from, to }, i) => {
		const line = String(waits?.lines[i]);
		sameTime(line, to - from, 'gap');
		check(line.includes(`from ${seconds(from)}`), line);
		const wake = wakes.find((w) => w.woken === connect.pid && w.ran === to && w.t >= from);
		if (!wake) check(line.includes('No wakeup recorded') || line.includes('It was ready') || line.includes('does not show'), line);
		else {
			check(line.includes(`wakeup at ${seconds(wake.t)}`), `${line}: not ${seconds(wake.t)}`);
			sameTime(line.replace(/^.* It ran /, ''), to - wake.t, 'until it ran');
		}
	});
	equal(section(all, 'Parts')?.lines.map((/** @type {string} */ l) => l.replace(/^.* from (.*) on CPU (\d+).*$/, '$1 $2')), connect.pieces.map((p) => `${seconds(p.start)} ${p.cpu}`), 'parts');
});

await test('the outline surrounds the span in its rows, and stays during zoom and pan', async () => {
	const piece = connect.pieces[4];
	const { chosen, plot } = await d.drawn();
	equal([chosen.group, chosen.id, units(chosen.row[0])], ['CPU', piece.cpu, piece.start], 'chosen');
	equal(chosen.boxes.length, 1, 'rows that show it');
	near(chosen.boxes[0].x0 + plot.x, await d.xOf(piece.start / 1e8), 1.5, 'left');
	near(chosen.boxes[0].x1 + plot.x, await d.xOf(piece.end / 1e8), 1.5, 'right');
	await page.locator('#say').filter({ hasText: 'connect(4)=0' }).waitFor({ state: 'attached' });
	await page.mouse.move(plot.x + 300, plot.y + 50);
	await page.mouse.wheel(0, 500);
	await d.settle();
	const after = (await d.drawn()).chosen;
	equal(after.row, chosen.row, 'after the wheel');
	check(after.boxes[0].x1 - after.boxes[0].x0 < chosen.boxes[0].x1 - chosen.boxes[0].x0, 'as wide as before');
	near((after.boxes[0].x0 + after.boxes[0].x1) / 2 + plot.x, await d.xOf((piece.start + piece.end) / 2e8), 1.5, 'moved with it');
	await d.reset();
	check((await d.drawn()).chosen.boxes[0].x1 - (await d.drawn()).chosen.boxes[0].x0 >= 6, 'too small to be seen');
});

await test('an address identifies the span independent of its number; another page also outlines it', async () => {
	const piece = connect.pieces[4];
	await page.waitForFunction((/** @type {string} */ n) => new URLSearchParams(location.hash.slice(1)).get('d') === n, nameOf(piece));
	const other = await browser.open(file, 'ready', `g=CPU&d=${nameOf(piece)}&v=details`);
	const { chosen } = await driver(other).drawn();
	equal(units(chosen.row[0]), piece.start, 'chosen');
	await other.locator('#pane-details h2').filter({ hasText: 'connect(4)=0' }).waitFor();
	for (const bad of ['CPU.0_1.00000000_5', '__proto__', 'CPU.99999999999_1_1', `PID.0_${'9'.repeat(400)}_1`]) {
		await other.evaluate((/** @type {string} */ b) => (location.hash = `#g=CPU&v=details&d=${encodeURIComponent(b)}`), bad);
		await other.waitForFunction(() => !window.kutrace.drawn().chosen);
	}
	await other.close();
});

/** Returns the innermost call of the same process that continues after this one. @param {Call} call */
function parentOf(call) {
	const begin = call.pieces[0].start;
	const around = calls.filter((c) => c !== call && c.pid === call.pid && (c.pid !== 0 || c.pieces[0].cpu === call.pieces[0].cpu) &&
		c.pieces[0].start < begin && c.pieces[c.pieces.length - 1].start > begin);
	return around.sort((a, b) => b.pieces[0].start - a.pieces[0].start)[0];
}
/** @param {Call[]} list @param {number} n */
const some = (list, n) => list.filter((_, i) => i % Math.max(1, Math.floor(list.length / n)) === 0);

await test('parent and children, before and after, previous and next of the same name go to the right time', async () => {
	const nested = some(calls.filter((c) => c.pid > 0 && c.ends && parentOf(c)), 5);
	const outer = some(calls.filter((c) => c.pieces.length > 2 && c.pid > 0), 4);
	check(nested.length > 4 && outer.length > 3, 'nothing is in anything');
	for (const call of [...nested, ...outer]) {
		const [first, last] = [call.pieces[0], call.pieces[call.pieces.length - 1]];
		await choose(nameOf(first));
		const all = await details();
		const { facts } = section(all, 'Around');
		const parent = parentOf(call);
		if (parent) {
			check(facts.inside.startsWith(parent.name), `${call.name} at ${first.start}: ${facts.inside}, not ${parent.name}`);
			await page.locator('#pane-details dt:text-is("inside") + dd button').click();
			await d.settle();
			equal(units((await d.drawn()).chosen.row[0]), parent.pieces[0].start, 'a click on the parent');
			await choose(nameOf(first));
			await details();
		}
		const children = calls.filter((c) => c.pieces[0].start > first.start && c.pieces[0].start < last.start && parentOf(c) === call);
		equal(section(all, 'Calls inside')?.lines.map((/** @type {string} */ l) => l.replace(/^.* at /, '')) ?? [], children.slice(0, 60).map((c) => seconds(c.pieces[0].start)), `children of ${call.name} at ${first.start}`);
		const own = pieces.filter((p) => p.pid === call.pid);
		const at = (/** @type {Piece | undefined} */ p) => (p ? seconds(p.start) : 'none');
		equal([facts['before it'], facts['after it']].map((v) => v.replace(/^.* at /, '')), [at(own[own.indexOf(first) - 1]), at(own[own.indexOf(last) + 1])], 'before, behind');
		const alike = calls.filter((c) => c.pieces[0].event === first.event && c.name.replace('?', '') === call.name.replace('?', '')).sort((a, b) => a.pieces[0].start - b.pieces[0].start);
		const mine = alike.filter((c) => c.pid === call.pid);
		equal(['previous of this name', 'next of this name', 'previous in all processes', 'next in all processes'].map((term) => facts[term].replace(/^.* at /, '')),
			[mine[mine.indexOf(call) - 1], mine[mine.indexOf(call) + 1], alike[alike.indexOf(call) - 1], alike[alike.indexOf(call) + 1]].map((c) => at(c?.pieces[0])), `alike ${call.name} at ${first.start}`);
	}
});

await test('the details have the tasks that a call woke and their runs, and the waker of the run with the span', async () => {
	const within = wakes.filter((w) => w.waker > 0).map((w) => ({ w, p: pieces.find((p) => p.cpu === w.cpu && p.start <= w.t && p.end > w.t) }));
	const sent = within.filter(({ p }) => p && p.event >= Event.SYSCALL64 && p.event < 0x1000).filter((_, i) => i % 40 === 0).slice(0, 3);
	check(sent.length > 2, 'nobody wakes anybody');
	for (const { w, p } of sent) {
		const piece = /** @type {Piece} */ (p);
		await choose(nameOf(piece));
		const line = section(await details(), 'Woke')?.lines.find((/** @type {string} */ l) => l.includes(` at ${seconds(w.t)}`));
		check(line?.includes(`.${w.woken} `) && line.endsWith(`on CPU ${w.to}`), `${seconds(w.t)}: ${line}`);
		sameTime(line.replace(/^.*, ran /, ''), w.ran - w.t, 'until it ran');
		const then = /** @type {Piece} */ (pieces.find((q) => q.pid === w.woken && q.start === w.ran));
		await choose(nameOf(then));
		const [{ facts }] = (await details()).sections;
		const how = facts['did not run before'] ?? facts.woken;
		check(facts['runs since'].endsWith(seconds(w.ran)) && how.includes(`wakeup at ${seconds(w.t)}`), `${facts['runs since']}; ${how}`);
	}
});

await test('a wait has its cause, its waker, and the runs before and after', async () => {
	const waits = rows.filter((r) => r[5] >= Event.WAITA && r[5] <= Event.WAITZ && r[3] > 0);
	for (const r of waits.filter((_, i) => i % 150 === 0).slice(0, 4)) {
		const [from, to] = [units(r[0]), units(r[0]) + units(r[1])];
		const own = pieces.filter((p) => p.pid === r[3]);
		const then = own.find((p) => p.start >= to - 1);
		const before = own.filter((p) => p.end <= from + 1).pop();
		const wake = then && wakes.find((w) => w.woken === r[3] && w.ran === then.start);
		await choose(`PID.${r[3]}_${r[0].toFixed(8)}_${r[5].toString(16)}`);
		const [{ facts }] = (await details()).sections;
		equal([facts.start, facts.end], [seconds(from), seconds(to)], 'from, to');
		check(facts.reason.endsWith(`(${String.fromCharCode(97 + r[5] - Event.WAITA)})`), facts.reason);
		if (wake) check(facts.woken.includes(seconds(wake.t)), `${facts.woken}, not ${seconds(wake.t)}`);
		else check(/^(No wakeup recorded|It was ready)\./.test(facts['ended by']), facts['ended by']);
		equal([facts['ran before'] === 'nothing in the trace', facts['ran then'] === 'nothing in the trace'], [!before, !then], 'before, then');
	}
});

/** Returns a client point in a part of a call, in its CPU's row. @param {Piece} p @param {number} share of the piece */
async function middle(p, share = 0.5) {
	const row = (await d.shown()).find((/** @type {any} */ r) => r.group === 'CPU' && r.id === p.cpu);
	return /** @type {[number, number]} */ ([await d.xOf((p.start + (p.end - p.start) * share) / 1e8), row.y + row.height * 0.8]);
}
/** @param {Piece} p @param {number} times as wide as the span */
const around = (p, times = 5) => d.setRange((p.start - (p.end - p.start) * (times / 2)) / 1e8, (p.end + (p.end - p.start) * (times / 2)) / 1e8);
/** Returns the start of the selected span in units, or 0 if there is none. */
const chosen = async () => units((await d.drawn()).chosen?.row[0] ?? 0);

await test('the process, and its parent, open in the pane Process', async () => {
	await choose(nameOf(connect.pieces[0]));
	await details();
	await page.locator('#pane-details dt:text-is("process") + dd button').click();
	equal(await page.locator('#processtitle').innerText(), 'workload.105', 'the process');
	equal(await page.evaluate(() => document.activeElement?.id), 'processtitle', 'the focus is there');
	await choose(nameOf(connect.pieces[0]));
	await details();
	await page.locator('#pane-details dt:text-is("parent") + dd button').press('Enter');
	equal(await page.locator('#processtitle').innerText(), 'kutrace_control.104', 'its parent, by key');
});

await test('a wait has the name of its call everywhere: details, screen reader, annotation, measurement', async () => {
	const wait = /** @type {Row} */ (rows.find((r) => r[5] === Event.WAITZ && r[3] === 105 && calls.some((c) => c.name === 'wait4' && c.pid === 105 &&
		c.pieces[0].start < units(r[0]) && c.pieces[c.pieces.length - 1].end > units(r[0]))));
	await choose(`PID.105_${seconds(units(wait[0])).slice(0, -2).replace(/0+$/, '')}_319`);
	const all = await details();
	equal([all.title, all.sections[0].facts.reason.replace(/ \(.\)$/, '')], ['waiting in wait4', 'in wait4'], 'details');
	await page.locator('#pane-details dt:text-is("ran then") + dd button').first().click();
	await d.settle();
	const since = (await details()).sections[0].facts['did not run before'];
	check(since.includes(': in wait4 ') && !since.includes('unknown'), `what ran then: ${since}`);
	await choose(`PID.105_${seconds(units(wait[0])).slice(0, -2).replace(/0+$/, '')}_319`);
	await page.locator('#say').filter({ hasText: 'waiting in wait4' }).waitFor({ state: 'attached' });
	await page.evaluate(() => window.kutrace.search('wait:unknown pid:105'));
	await d.setRange(wait[0] - 0.001, wait[0] + 0.001);
	await page.locator('#next').click();
	await d.settle();
	check((await d.drawn()).notes[0].includes('  waiting in wait4  '), `annotated: ${(await d.drawn()).notes}`);
	await page.evaluate(() => window.kutrace.search(''));
	await page.locator('#title').click();
	for (let i = 0; i < 3; i++) await page.keyboard.press('Escape');
	await page.evaluate(() => (location.hash = 'g=CPU&v=details'));
	await d.reset();
});

await test('a click hides the tooltip until the pointer moves', async () => {
	const piece = connect.pieces[4];
	await d.setRange(piece.start / 1e8 - 0.0002, piece.end / 1e8 + 0.0002);
	const row = (await d.shown()).find((/** @type {any} */ r) => r.group === 'CPU' && r.id === piece.cpu);
	const [x, y] = [await d.xOf((piece.start + piece.end) / 2e8), row.y + row.height * 0.8];
	await page.mouse.move(x, y);
	await page.locator('#tip').filter({ hasText: 'connect' }).waitFor();
	await page.mouse.down();
	await page.mouse.up();
	await d.settle();
	equal(await page.locator('#tip').isVisible(), false, 'behind the click');
	await page.mouse.move(x + 2, y);
	await page.locator('#tip').filter({ hasText: 'connect' }).waitFor();
	await page.mouse.move(3, 3);
	await d.reset();
});

await test('an arc: its tooltip has waker and woken task, a click opens its details; a click beside it opens the span', async () => {
	const wake = /** @type {typeof wakes[0]} */ (wakes.find((w) => w.cpu !== w.to && w.waker > 0 && w.ran - w.t > 2000 && w.ran - w.t < 20000));
	await d.setRange((wake.t - 2000) / 1e8, (wake.ran + 2000) / 1e8);
	await d.settle();
	const arc = (await d.drawn()).arcs.find((/** @type {any} */ a) => units(a.row[0]) === wake.t && a.row[5] === -3);
	for (const [x, y] of [[arc.x0, arc.y0], [arc.x1, arc.y1]]) {
		await page.mouse.move(x + 1, y + 1);
		await d.settle();
		const tip = await page.locator('#tip').innerText();
		check(/\.\d+ woke .+\.\d+/.test(tip) && tip.includes(`.${wake.woken}`) && tip.includes(seconds(wake.t)), tip);
		sameTime(tip.replace(/^.*latency\s+/s, ''), wake.ran - wake.t, 'latency');
	}
	await page.mouse.move(arc.x0 - 30, arc.y0);
	await d.settle();
	check(!(await page.locator('#tip').innerText()).includes(' woke '), 'beside it');
	await page.mouse.click(arc.x1, arc.y1);
	await d.settle();
	equal(await chosen(), wake.t, 'chosen');
	const all = await details();
	const [{ facts }] = all.sections;
	check(all.title.includes(' woke ') && all.title.endsWith(`.${wake.woken}`), all.title);
	check(facts.to.endsWith(`on CPU ${wake.to}`) && facts.from.endsWith(`on CPU ${wake.cpu}`), `${facts.from}, ${facts.to}`);
	sameTime(facts.latency, wake.ran - wake.t, 'latency');
	check((await d.drawn()).chosen.boxes.length > 0, 'it is outlined');
	await page.mouse.move(3, 3);
});

await test('with the panel closed, a click outlines, a second one or Enter opens the details, and Esc removes the outline', async () => {
	const [one, two] = [connect.pieces[4], connect.pieces[6]];
	await page.locator('#closepanel').click();
	await around(one);
	await page.mouse.click(...await middle(one));
	await d.settle();
	equal([await chosen(), await page.locator('#panel').isVisible()], [one.start, false], 'one click');
	await around(two);
	// a click at another point than the first one is no double click, however soon it comes
	await page.mouse.click(...await middle(two, 0.3));
	await d.settle();
	equal([await chosen(), await page.locator('#panel').isVisible()], [two.start, false], 'another span');
	// at another point of the same span
	await page.mouse.click(...await middle(two, 0.1));
	await page.locator('#pane-details h2').filter({ hasText: 'connect(4)=0' }).waitFor();
	equal(await chosen(), two.start, 'the same again');
	await page.locator('#closepanel').click();
	// wait until the removed button has lost the focus
	await page.waitForFunction(() => document.activeElement === document.body);
	await page.keyboard.press('Enter');
	await page.locator('#pane-details h2').filter({ hasText: 'connect(4)=0' }).waitFor();
	equal(await page.evaluate(() => document.activeElement?.textContent), 'connect(4)=0', 'Enter takes the focus there');
	await page.keyboard.press('Escape');
	await d.settle();
	equal(await chosen(), 0, 'Esc');
	await page.locator('#pane-details .empty').waitFor();
});

await test('a double click shows the span or the whole call on 80 % of the width, even if its first click moved the picture', async () => {
	for (const piece of [connect.pieces[4], /** @type {Piece} */ (pieces.find((p) => p.pid === connect.pid && p.event >= 65536 && p.end - p.start > 3000))]) {
		const call = piece.event < 65536;
		const [from, to] = call ? [connect.pieces[0].start, connect.pieces[10].end] : [piece.start, piece.end];
		// the first click opens or closes the panel, which changes the size of the picture
		await page.locator('#panetab-tables').click();
		await page.locator('#tab-calls').click();
		await around(piece);
		await d.doubleClick(...await middle(piece));
		await d.settle();
		equal(await chosen(), piece.start, 'chosen');
		const [a, b] = await d.range();
		near((to - from) / 1e8 / (b - a), 0.8, 0.001, 'share');
		near((a + b) / 2, (from + to) / 2e8, (b - a) / 1000, 'middle');
	}
	await page.locator('#panetab-tables').click();
	await page.locator('#tab-processes').click();
});

await test('a click in a gap explains it; a second one opens the details of the wait', async () => {
	await page.locator('[data-group=PID]').click();
	await d.settle();
	const wait = /** @type {Row} */ (rows.find((r) => r[5] >= Event.WAITA && r[5] <= Event.WAITZ && r[3] === connect.pid && r[1] > 0.0005));
	const at = async () => {
		const row = (await d.shown()).find((/** @type {any} */ r) => r.group === 'PID' && r.id === wait[3]);
		return /** @type {[number, number]} */ ([await d.xOf(wait[0] + wait[1] / 2), row.y + row.height / 2]);
	};
	await d.setRange(wait[0] - 0.001, wait[0] + wait[1] + 0.001);
	await page.mouse.click(...await at());
	await page.locator('#why').waitFor({ state: 'visible' });
	const [a, b] = await d.range();
	equal(await chosen() === units(wait[0]), false, 'chosen by the first click');
	// late enough not to be a double click
	await page.waitForTimeout(450);
	await page.mouse.click(...await at());
	await page.locator('#pane-details h2').waitFor();
	equal([await chosen(), ...await d.range()], [units(wait[0]), a, b], 'the second');
	await page.keyboard.press('Escape');
	await page.keyboard.press('Escape');
	await page.locator('[data-group=PID]').click();
});

await test('[copy] gives all details as text, also if the browser forbids the clipboard', async () => {
	await choose(nameOf(connect.pieces[4]));
	const all = await details();
	const got = await page.evaluate(async () => {
		/** @type {string[]} */
		const texts = [];
		const button = /** @type {HTMLElement} */ ([...document.querySelectorAll('#pane-details button')].find((b) => b.textContent === 'copy'));
		const told = /** @type {HTMLElement} */ (document.querySelector('#pane-details output'));
		document.addEventListener('copy', () => texts.push(/** @type {HTMLTextAreaElement} */ (document.activeElement).value));
		for (const allowed of [true, false]) {
			told.textContent = '';
			Object.defineProperty(navigator, 'clipboard', { configurable: true, value: { writeText: async (/** @type {string} */ text) => {
				if (!allowed) throw new Error('not allowed');
				texts.push(text);
			} } });
			button.focus();
			button.click();
			await new Promise((resolve) => setTimeout(resolve));
			texts.push(told.textContent ?? '', document.activeElement === button ? 'focus' : '');
		}
		return texts;
	});
	const [text, told, focus] = got;
	equal(got.slice(3), [text, told, focus], 'the old way');
	equal([told, focus], ['copied', 'focus'], 'said');
	for (const part of [all.title, `returned: 0`, ...Object.values(all.sections[0].facts), ...all.sections.flatMap((/** @type {any} */ s) => s.lines)])
		check(text.includes(part), `lacks ${part}`);
});

/** The part of the address that describes the view. */
const place = () => page.evaluate(() => {
	const p = new URLSearchParams(location.hash.slice(1));
	return ['t', 'd', 's', 'q', 'v'].map((name) => p.get(name) ?? '').join(' ');
});
/** Waits until the address has changed after an action. @param {() => Promise<any>} act */
async function step(act) {
	const before = await place();
	await act();
	await page.waitForFunction((/** @type {string} */ b) => {
		const p = new URLSearchParams(location.hash.slice(1));
		return ['t', 'd', 's', 'q', 'v'].map((name) => p.get(name) ?? '').join(' ') !== b;
	}, before);
	return place();
}

await test('Backspace and the browser go back and forward; each step is an entry, and moves together are one', async () => {
	page = await browser.open(file);
	d = driver(page);
	await page.keyboard.press('Shift');
	await page.waitForFunction(() => location.hash.includes('o='));
	const places = [await place()];
	const length = await page.evaluate(() => history.length);
	places.push(await step(() => page.locator('#tablebox tbody tr').nth(1).click()));
	places.push(await step(() => page.locator('#panetab-details').click()));
	const link = page.locator('#pane-details dt:text-is("next of this name") + dd button, #pane-details dt:text-is("after it") + dd button').first();
	places.push(await step(() => link.click()));
	places.push(await step(() => link.click()));
	const piece = connect.pieces[4];
	await around(piece);
	await page.waitForFunction((/** @type {string} */ b) => !location.hash.includes(b), places[4].split(' ')[0]);
	places[4] = await place();
	places.push(await step(async () => d.doubleClick(...await middle(piece))));
	// many turns of the wheel make one entry
	places.push(await step(() => page.evaluate(() => {
		for (let i = 0; i < 5; i++) document.getElementById('over')?.dispatchEvent(new WheelEvent('wheel', { deltaY: 100, clientX: 500, clientY: 200, bubbles: true, cancelable: true }));
	})));
	await page.waitForFunction(() => history.state.open === false);
	places.push(await step(() => page.mouse.wheel(0, 200)));
	equal(await page.evaluate(() => history.length) - length, 7, 'entries');
	equal(new Set(places).size, places.length, 'places are all different');
	/** @param {string} want @param {string} what */
	const at = async (want, what) => {
		await page.waitForFunction((/** @type {string} */ w) => {
			const p = new URLSearchParams(location.hash.slice(1));
			return ['t', 'd', 's', 'q', 'v'].map((name) => p.get(name) ?? '').join(' ') === w;
		}, want).catch(async () => check(false, `${what}: at ${await place()}, not ${want}`));
		const [a, b] = want.split(' ')[0].split('-').map(Number);
		if (b) near((await d.range())[0] + (await d.range())[1], a + b, 1e-6, what);
		equal(((await d.drawn()).chosen?.row[0] ?? '').toString(), want.split(' ')[1] && String(Number(want.split(' ')[1].split('_')[1])), `${what}: chosen`);
	};
	for (let i = places.length - 2; i >= 4; i--) {
		await page.keyboard.press('Backspace');
		await at(places[i], `back to ${i}`);
	}
	await page.goBack();
	await at(places[3], 'the browser goes back');
	await page.keyboard.press('Shift+Backspace');
	await at(places[4], 'forward');
	await page.locator('#rowfilter').fill('ab');
	await page.locator('#rowfilter').press('Backspace');
	equal(await page.locator('#rowfilter').inputValue(), 'a', 'in a field it deletes');
	await page.close();
});

await test('going back ends at the first entry; the page keeps the history if the browser has none for files', async () => {
	page = await browser.context.newPage();
	d = driver(page);
	await page.addInitScript(() => {
		history.pushState = history.replaceState = () => {
			throw new DOMException('not for files', 'SecurityError');
		};
	});
	await page.goto(`${pathToFileURL(file).href}#g=CPU`);
	await page.waitForFunction(() => document.documentElement.dataset.state === 'ready');
	/** The visible range and the selection, with the digits of the address. */
	const state = async () => [...(await d.range()).map((t) => Math.round(t * 1e7)), await chosen()];
	const states = [await state()];
	for (const name of ['connect', 'execve']) {
		// search and press the button in one call: if the page wrote the address in between, the search would be
		// a separate entry of the history
		await page.evaluate((/** @type {string} */ n) => {
			window.kutrace.search(`^${n}$`);
			const next = document.getElementById('next');
			next?.dispatchEvent(new PointerEvent('pointerdown', { bubbles: true }));
			next?.click();
		}, name);
		await d.settle();
		// there is no later entry, and the page has not yet written the last change to the address
		await page.keyboard.press('Shift+Backspace');
		states.push(await state());
	}
	for (const [key, i] of /** @type {[string, number][]} */ ([['Backspace', 1], ['Shift+Backspace', 2], ['Backspace', 1], ['Backspace', 0], ['Backspace', 0]])) {
		await page.keyboard.press(key);
		await d.settle();
		equal(await state(), states[i], `${key} to ${i}`);
	}
	await page.locator('#toldtext').filter({ hasText: 'no earlier view' }).waitFor();
	await page.close();
});

await test('a wait during an attempt to take a lock has the lock; another wait has none', async () => {
	/** @param {number} a @param {number} b @param {number} cpu @param {number} pid @param {number} event @param {string} name @param {number} [arg] @returns {Row} */
	const row = (a, b, cpu, pid, event, name, arg = 0) => [a * 1e-3, Math.round((b - a) * 1e5) / 1e8, cpu, pid, 0, event, arg, 0, 0, name];
	const pipe = Event.WAITA + 'p'.charCodeAt(0) - 'a'.charCodeAt(0);
	const list = [row(0, 10, 0, 5, Event.SYSCALL64 + 1, 'write'), row(9, 31, 0, 5, Event.LOCKTRY, 'rwsem:file_write.7', 7), row(10, 30, -1, 5, pipe, 'wait_pipe'),
		row(10, 30, 0, 0, 65536, '-idle-'), row(30, 40, 0, 5, 65541, 'alpha.5'), row(40, 50, -1, 5, pipe, 'wait_pipe'), row(40, 50, 0, 0, 65536, '-idle-'), row(50, 60, 0, 5, 65541, 'alpha.5')];
	page = await browser.open(pageOf(jsonOf(list.sort((a, b) => a[0] - b[0])), 'locked'));
	d = driver(page);
	await page.keyboard.press('Shift');
	for (const [at, want] of /** @type {[number, string | undefined][]} */ ([[10, 'rwsem:file_write.7'], [40, undefined]])) {
		await choose(`PID.5_${(at * 1e-3).toFixed(8)}_${pipe.toString(16)}`);
		const [{ facts }] = (await details()).sections;
		equal([facts.reason.slice(-3), facts.lock], ['(p)', want], `the wait at ${at} ms`);
	}
	await page.close();
});

await test('details: no complaint on the console, no request', () => {
	equal(browser.complaints, [], 'console');
	equal(browser.requests, [], 'requests');
});
await browser.close();
