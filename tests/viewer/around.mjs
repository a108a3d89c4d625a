// SPDX-License-Identifier: BSD-3-Clause
/**
 * Tests the page around the picture: the layout, the facts of the trace, the help, keys by
 * position, one scale of font sizes, the content security policy, and disabled controls. Prints
 * TAP.
 */
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { openBrowser, top } from './browser.mjs';
import { driver } from './driver.mjs';
import { Event } from './events.mjs';
import { golden, jsonOf, pageOf } from './pages.mjs';
import { check, equal, near, test } from './tap.mjs';

/** @typedef {import('./pages.mjs').Row} Row */
/** @typedef {{x: number, y: number, width: number, height: number}} Box */

/** @type {Row[]} */
const rows = [
	[1, 1, 0, 5, 0, 65541, 0, 0, 0, 'alpha.5'], [2, 1, 0, 5, 0, Event.SYSCALL64, 0, 0, 0, 'read'],
	[3, 1, 0, 5, 0, 65541, 0, 0, 0, 'alpha.5'], [4, 1, 0, 5, 0, Event.SYSCALL64, 0, 0, 0, 'read'], [5, 1, 0, 6, 0, 65542, 0, 0, 0, 'beta.6'],
];
const header = {
	title: 'A trace with a title', hostName: 'example', kernelVersion: '6.1.192 #1 SMP', cpuModelName: 'Some CPU 3000', flags: 0x43,
	coverage: { backend: 'tracepoint', categories: ['syscall', 'trap', 'irq', 'softirq', 'sched', 'wakeup', 'ipi', 'idle', 'freq', 'pcsample', 'process', 'mark'], caveats: ['fault_end'] },
	coverage2: { caveats: ['traps'], clock: 'tsc', clock_step_us: -1500000 },
	lost: { full: 5 }, lost2: { nested: 2 }, dropped: { words: 3 }, overhead: { emit_ps: 11000 },
};
const file = pageOf(jsonOf(rows, header), 'around');
const browser = await openBrowser();
/** @type {any} */
const page = await browser.open(file);
const d = driver(page);
await page.keyboard.press('Shift');

/** @param {any} p @param {string} selector @returns {Promise<Box>} */
const box = async (p, selector) => {
	const found = await p.locator(selector).boundingBox();
	check(found && found.width > 0 && found.height > 0, `${selector} is not there`);
	return found;
};

for (const [width, height] of [[1280, 720], [2560, 1440], [3840, 2160]]) {
	await test(`${width}x${height}: controls on top, labels left, legend right, axis and clock below, hint and [more] at the foot`, async () => {
		await page.setViewportSize({ width, height });
		await d.settle();
		const [title, buttons, search, map, labels, plot, legend, axis, clock, hint, more, dot] = await Promise.all(
			['#title', '#buttons', '#searching', '#minimap', '#labels', '#plot', '#legend', '#axis', '#clock', '#hint', '#more', '#reset'].map((s) => box(page, s)));
		check(title.y < buttons.y && buttons.y + buttons.height <= map.y && search.y < map.y, 'title, controls, minimap');
		check(map.y + map.height <= plot.y + 1, 'minimap over the picture');
		check(labels.x + labels.width <= plot.x && plot.x + plot.width <= legend.x, 'labels, picture, legend');
		check(plot.y + plot.height <= axis.y + 1 && Math.abs(axis.x - plot.x) < 2, 'the axis below the picture');
		check(clock.x + clock.width <= plot.x && clock.y >= plot.y + plot.height - 1, 'the clock bottom left');
		for (const [name, b] of /** @type {[string, Box][]} */ ([['hint', hint], ['[more]', more], ['red dot', dot]])) check(b.y >= axis.y + axis.height - 1, `${name} at the foot`);
		check(dot.x < plot.x && more.x > plot.x + plot.width / 2, 'red dot left, [more] right');
		const cut = await page.evaluate(() => [...document.querySelectorAll('#app button, #app label, #facts div, #facts dd, #legend li, #tablebox td:not(.text), #measure')].filter((e) => {
			const b = e.getBoundingClientRect();
			return /** @type {HTMLElement} */ (e).checkVisibility() && b.width && (b.right > innerWidth + 0.5 || b.left < -0.5 || b.bottom > innerHeight + 0.5 || e.scrollWidth > Math.ceil(b.width) + 1);
		}).map((e) => e.textContent || e.id));
		equal(cut, [], 'cut off');
		check(await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth && document.documentElement.scrollHeight <= innerHeight), 'the page scrolls');
		equal((await d.drawn()).plot.width, plot.width, 'the picture is as wide as its place');
	});
}
/** Returns the width of the panel. @param {any} p */
const panelWide = async (p) => Math.round((await box(p, '#panel')).width);
/** Opens every pane and every table, and calls look() in each. @param {(name: string) => Promise<void>} look */
const everyPane = async (look) => {
	let seen = 0;
	for (const button of [...await page.locator('#tabs button').all(), ...await page.locator('#panes button').all()]) {
		await button.click();
		await d.settle();
		await look(await button.innerText());
		seen++;
	}
	check(seen >= 12, `only ${seen} panes and tables`);
	await page.locator('#panetab-tables').click();
	await page.locator('#tab-processes').click();
	await d.settle();
};
await test('1920x1080: the picture stays where it is, whichever pane and table is shown, and no column is cut off', async () => {
	await page.setViewportSize({ width: 1920, height: 1080 });
	await d.settle();
	const place = await box(page, '#plot');
	check(place.width > 1920 * 0.45, `the picture has ${place.width} pixels`);
	await everyPane(async (name) => {
		equal(await box(page, '#plot'), place, `with ${name}`);
		equal(await page.evaluate(() => [...document.querySelectorAll('#tablebox, #querybox, #processbox section')].filter((e) => e.scrollWidth > e.clientWidth).map((e) => e.id)), [], `wider than its place: ${name}`);
	});
});
await test('1400x900: the usual query of a real trace shows every column, and the cause of each wait in full', async () => {
	const other = await browser.open(pageOf(golden('stock-4cpu'), 'real'), 'ready', '');
	await other.setViewportSize({ width: 1400, height: 900 });
	await other.keyboard.press('Shift');
	await driver(other).settle();
	const waits = (await driver(other).drawn()).inside.map((/** @type {{shown: string}} */ name) => name.shown).filter((/** @type {string} */ text) => /^(waiting|[a-z]$)/.test(text));
	check(waits.includes('n') && waits.includes('waiting for RCU'), `waits: ${waits}`);
	equal(waits.filter((/** @type {string} */ text) => /^waiting (for|in) .{0,3}~$/.test(text)), [], 'causes that are cut off');
	await other.locator('#panetab-query').click();
	await other.locator('#querybox tbody tr').first().waitFor();
	equal(await other.evaluate(() => [...document.querySelectorAll('#querybox')].map((e) => e.scrollWidth - e.clientWidth)), [0], 'the query is wider than its place');
	await other.close();
});
await page.setViewportSize({ width: 1280, height: 720 });

await test('a drag or keys move the edge of the panel; every pane and the next page have that width; a double click or Enter resets it', async () => {
	await d.settle();
	const usual = await panelWide(page);
	const { x, y, width, height } = await box(page, '#paneledge');
	const at = /** @type {[number, number]} */ ([x + width / 2, y + height / 3]);
	const range = await d.range();
	await d.drag(at, [at[0] - 70, at[1]]);
	equal(await panelWide(page), usual + 70, 'wider by as much as it was dragged');
	equal((await d.drawn()).plot.width, (await box(page, '#plot')).width, 'the picture follows');
	equal(await d.range(), range, 'and shows the same time');
	await page.locator('#paneledge').focus();
	await page.keyboard.press('ArrowRight');
	const wide = usual + 70 - 24;
	equal(await panelWide(page), wide, 'narrower by key');
	equal(await page.locator('#paneledge').getAttribute('aria-valuenow'), String(wide), 'said');
	await everyPane(async (name) => equal(await panelWide(page), wide, `with ${name}`));
	const other = await browser.open(file);
	equal(await panelWide(other), wide, 'kept');
	await other.setViewportSize({ width: 500, height: 400 });
	check((await box(other, '#plot')).width >= 150, 'a small window has a picture nevertheless');
	await other.close();
	await page.locator('#paneledge').focus();
	await page.keyboard.press('Home');
	const most = await panelWide(page);
	check((await box(page, '#plot')).width >= 150, 'as wide as can be leaves a picture');
	equal(await page.locator('#paneledge').getAttribute('aria-valuemax'), String(most), 'how wide that is');
	await page.keyboard.press('End');
	const least = await panelWide(page);
	equal(await page.locator('#paneledge').getAttribute('aria-valuemin'), String(least), 'as narrow as can be');
	equal(await page.evaluate(() => [...document.querySelectorAll('#tabs button, #panes button, #closepanel')].filter((e) => e.getBoundingClientRect().right > innerWidth).map((e) => e.textContent)), [], 'tabs that are cut off');
	await page.locator('#tab-calls').click();
	const cell = () => page.evaluate(() => {
		const table = /** @type {HTMLElement} */ (document.getElementById('tablebox'));
		table.scrollLeft = 1e4;
		const [first, last] = [table.querySelector('tbody td:first-child'), table.querySelector('tbody td:last-child')].map((e) => /** @type {Element} */ (e).getBoundingClientRect());
		return { scrolled: table.scrollLeft > 0, name: first.left >= table.getBoundingClientRect().left, last: last.right <= innerWidth };
	});
	equal(await cell(), { scrolled: true, name: true, last: true }, 'a table that is wider goes under its names');
	await page.locator('#tab-processes').click();
	const edge = await box(page, '#paneledge');
	await page.mouse.dblclick(edge.x + edge.width / 2, at[1]);
	equal(await panelWide(page), usual, 'double click');
	await page.keyboard.press('ArrowLeft');
	equal(await panelWide(page), usual + 24, 'the edge has the focus');
	await page.keyboard.press('Enter');
	equal(await panelWide(page), usual, 'Enter');
	const third = await browser.open(file);
	equal(await panelWide(third), usual, 'and kept so');
	await third.close();
});

await test('the facts: host, kernel, CPU model, when, back end and coverage, spans, losses, cost of an event, all in sight', async () => {
	const facts = (await page.locator('#facts').innerText()).replace(/\s+/g, ' ');
	for (const part of ['Host example', 'Kernel 6.1.192', 'CPUs 1 of Some CPU 3000', 'Begin 2026-11-20 08:50:01.000', 'Length 5 s', 'Hooks tracepoint', 'Not recorded packets, kernel locks',
		'Partly recorded ends of page faults, traps other than page faults', 'Spans 5', 'Overhead 11 ns/event', 'Lost events 7: 5 buffer full, 2 nested in an NMI',
		'Dropped 3 invalid words', 'Overwritten older events', 'Wall clock set back by 1.5 s'])
		check(facts.includes(part), `facts lack ${part}: ${facts}`);
	const loud = await page.evaluate(() => [...document.querySelectorAll('#facts .loss dd, #facts .caveat dd')].map((e) => {
		const b = e.getBoundingClientRect();
		return { text: e.textContent, seen: document.elementFromPoint(b.x + 4, b.y + b.height / 2) === e, weight: getComputedStyle(e).fontWeight, color: getComputedStyle(e).color };
	}));
	equal(loud.map((/** @type {any} */ l) => l.seen), [true, true, true, true, true, true], `in sight: ${JSON.stringify(loud)}`);
	const [r, g, b] = loud.find((/** @type {any} */ l) => l.text.startsWith('7: ')).color.match(/\d+/g).map(Number);
	check(r > g + 80 && r > b + 80, 'losses are not red');
	const other = await browser.open(pageOf(jsonOf(rows, { lost: { full: 0 } }), 'unlost'));
	const quiet = (await other.locator('#facts').innerText()).replace(/\s+/g, ' ');
	check(quiet.includes('Lost events none') && !/Dropped|Overwritten|Wall clock|Not recorded|Partly/.test(quiet), `facts of a whole trace: ${quiet}`);
	const unknown = await browser.open(pageOf(jsonOf(rows), 'unknown'));
	check(/Lost events\s+unknown \(not recorded in this file\)/.test(await unknown.locator('#facts').innerText()), 'what is not known is not said');
	await other.close();
	await unknown.close();
});

await test('the facts of a stock kernel\'s trace take two lines and are all visible', async () => {
	const { events: _, ...header } = JSON.parse(String(golden()));
	const other = await browser.open(pageOf(jsonOf(rows, { ...header, title: 'KUtrace demo: the stock Debian kernel' }), 'stock'));
	const lines = await other.evaluate(() => {
		const facts = [...document.querySelectorAll('#facts > div')].map((e) => e.getBoundingClientRect());
		return { tops: new Set(facts.map((r) => Math.round(r.top))).size, high: Math.max(...facts.map((r) => r.height)), count: facts.length };
	});
	check(lines.count >= 11 && lines.high < 20, `${lines.count} facts, up to ${lines.high} pixels high`);
	equal(lines.tops, 2, 'lines');
	await other.close();
});

await test('the build is not shown as the kernel of a trace that does not name its release', async () => {
	for (const [text, want] of [['#5SMPFriNov20_08:48:47UTC2026', 'Kernel release not recorded; build 5 of Nov 20, 2026'], ['6.1.192 #1 SMP PREEMPT Mon Nov 16 10:17:40 UTC 2026', 'Kernel 6.1.192'],
		['#12 of mine', 'Kernel release not recorded; build 12 of mine']]) {
		const other = await browser.open(pageOf(jsonOf(rows, { kernelVersion: text }), 'kernel'));
		const facts = (await other.locator('#facts').innerText()).replace(/\s+/g, ' ');
		check(facts.includes(want), `facts lack ${want}: ${facts}`);
		check(!facts.includes('Kernel #'), facts);
		await other.close();
	}
});

await test('the facts name a slow clock and its resolution', async () => {
	for (const [khz, want, not] of [[62500, 'Clock cntvct, 62.5 MHz', 'resolution'], [19200, 'Clock cntvct, 19.2 MHz: resolution 52 ns', 'GHz']]) {
		const slow = await browser.open(pageOf(jsonOf(rows, { coverage: { backend: 'tracepoint', categories: ['syscall'], caveats: ['fault_late'], clock: 'cntvct', clock_khz: khz } }), 'clock'));
		await slow.locator('#allfacts summary').click();
		const all = (await slow.locator('#factlist').innerText()).replace(/\s+/g, ' ');
		for (const part of [want, 'page faults begin with handle_mm_fault']) check(all.includes(part), `the list lacks ${part}: ${all}`);
		check(!all.includes(String(not)), all);
		await slow.close();
	}
});

await test('the facts are a labelled list with losses first; a click shows all of them with explanations', async () => {
	const lossy = await browser.open(pageOf(jsonOf(rows, { hostName: 'example', lost: { full: 5, nested: 2, total: 7 },
		coverage: { backend: 'tracepoint', categories: ['syscall', 'sched'], caveats: ['fault_end', 'of_tomorrow'], clock: 'tsc', clock_khz: 2299996 } }), 'facts'));
	const list = await lossy.locator('#facts > div').evaluateAll((/** @type {HTMLElement[]} */ all) => all.map((e) => [e.children[0].tagName, e.children[0].textContent, e.children[1].tagName, e.className]));
	check(list.every((/** @type {string[]} */ [dt, , dd]) => dt === 'DT' && dd === 'DD'), 'a list of terms');
	equal(list.slice(0, 3).map((/** @type {string[]} */ l) => [l[1], l[3]]), [['Lost events', 'loss'], ['Not recorded', 'caveat'], ['Partly recorded', 'caveat']], 'first');
	const facts = (await lossy.locator('#facts').innerText()).replace(/\s+/g, ' ');
	for (const part of ['Lost events 7: 5 buffer full, 2 nested in an NMI', 'ends of page faults, of_tomorrow', 'Host example'])
		check(facts.includes(part), `facts lack ${part}: ${facts}`);
	equal(await lossy.locator('#factlist').isVisible(), false, 'all of them: closed');
	await lossy.locator('#allfacts summary').click();
	const all = (await lossy.locator('#factlist').innerText()).replace(/\s+/g, ' ');
	for (const part of ['Clock tsc, 2.3 GHz', 'Recorded system calls, scheduler', 'Partly recorded page faults end with handle_mm_fault, of_tomorrow', 'kutrace-trace(5)']) check(all.includes(part), `the list lacks ${part}: ${all}`);
	await lossy.mouse.click(400, 400);
	equal(await lossy.locator('#factlist').isVisible(), false, 'a click elsewhere closes it');
	await lossy.close();
});

await test('buttons for data that the trace lacks are disabled, and its groups are absent', async () => {
	for (const name of ['mark', 'arc', 'lock', 'freq', 'ipc', 'samp']) equal(await page.locator(`#button-${name}`).isDisabled(), true, name);
	for (const name of ['user', 'all', 'cb', 'prune']) equal(await page.locator(`#button-${name}`).isDisabled(), false, name);
	equal(await page.locator('[data-group]').evaluateAll((/** @type {HTMLElement[]} */ list) => list.map((e) => e.dataset.group)), ['Machine', 'CPU', 'PID'], 'groups');
});

await test('User names each program once; All names each span, and programs once, in eight letters', async () => {
	await page.locator('#button-user').click();
	await d.settle();
	equal((await d.drawn()).notes, ['alpha.5', 'beta.6'], 'User');
	await page.locator('#button-user').click();
	await page.locator('#button-all').click();
	await d.settle();
	equal((await d.drawn()).notes, ['alpha.5', 'read(0)~', 'read(0)', 'beta.6'], 'All; what has no end in the trace has no result');
	await page.locator('#button-all').click();
	await d.settle();
});

await test('keys are read by position: W on one keyboard and Z on another zoom; / searches in any position', async () => {
	const width = async () => {
		const [a, b] = await d.range();
		return b - a;
	};
	/** @param {KeyboardEventInit} init */
	const press = async (init) => {
		await page.evaluate((/** @type {KeyboardEventInit} */ i) => document.body.dispatchEvent(new KeyboardEvent('keydown', { ...i, bubbles: true, cancelable: true })), init);
		await d.settle();
	};
	const whole = await width();
	await press({ code: 'KeyZ', key: 'w' });
	near(await width(), whole, 1e-9, 'the letter w elsewhere');
	await press({ code: 'KeyW', key: 'z' });
	near(await width(), whole / 1.4, whole / 1000, 'the place of W');
	await press({ code: 'Digit7', key: '/', shiftKey: true });
	equal(await page.evaluate(() => document.activeElement?.id), 'search', 'has the focus');
	await page.keyboard.press('Escape');
	await d.reset();
});

await test('the help has every key and every gesture', async () => {
	await page.keyboard.press('?');
	const said = (await page.locator('#help dt').allInnerTexts()).join(' | ');
	const source = readFileSync(join(top, 'templates/js/shell/keys.ts'), 'utf8');
	const codes = [...source.matchAll(/case '(\w+)'/g)].map((m) => m[1]);
	check(codes.length > 20, `only ${codes.length} keys`);
	/** @type {Record<string, string>} */
	const names = { ArrowLeft: '←', ArrowRight: '→', ArrowUp: '↑', ArrowDown: '↓', Enter: 'Enter', NumpadEnter: 'Enter', Slash: '/', Digit0: '0', Home: 'Home' };
	for (const code of [...codes, 'Escape', 'Question']) {
		const want = names[code] ?? (code === 'Escape' ? 'Esc' : code === 'Question' ? '?' : code.replace('Key', ''));
		const words = said.split(/[\s,|]+/);
		check(words.includes(want) || words.includes(want.toLowerCase()), `the help lacks ${code} (${want}): ${said}`);
	}
	for (const gesture of ['wheel', 'pinch', 'drag', 'red dot', 'hover', 'click a gap', 'shift-click', 'shift-drag', 'shift-right-click', 'labels: wheel, drag', 'labels: shift-click',
		'labels: right-click', 'clock', '1 to 5'])
		check(said.includes(gesture), `the help lacks ${gesture}: ${said}`);
	await page.keyboard.press('Escape');
});

await test('all font sizes are from one scale', async () => {
	await page.locator('#button-table').click();
	await page.locator('#button-table').click();
	await page.keyboard.press('?');
	const sizes = await page.evaluate(() => [...new Set([...document.querySelectorAll('body *')].filter((e) => [...e.childNodes].some((n) => n.nodeType === 3 && n.textContent?.trim()))
		.map((e) => getComputedStyle(e).fontSize))].sort());
	const scale = ['10px', '11px', '12px', '15px', '22px'];
	equal(sizes.filter((/** @type {string} */ s) => !scale.includes(s)), [], 'sizes beside the scale');
	await page.keyboard.press('Escape');
	const drawn = ['draw/sizes', 'draw/edges', 'draw/chain', 'shell/export'].flatMap((name) => [...readFileSync(join(top, `templates/js/${name}.ts`), 'utf8').matchAll(/([\d.]+)px system-ui|= font\(([\d.]+)\)/g)].map((m) => `${m[1] ?? m[2]}px`));
	check(drawn.length >= 3 && drawn.every((s) => scale.includes(s)), `drawn in ${drawn}`);
});

await test('the security policy permits only the scripts and styles of the page', async () => {
	const policy = String(await page.locator('meta[http-equiv]').getAttribute('content'));
	equal(policy.split('; ').map((p) => p.replace(/'sha256-[A-Za-z0-9+/=]{44}'/g, 'HASH')).sort(),
		["base-uri 'none'", "default-src 'none'", "form-action 'none'", 'script-src HASH HASH', 'style-src HASH', 'worker-src blob:'], 'directives');
	// the policy permits only the page's own scripts and styles
	const texts = await page.locator('script:not([type]), style').allTextContents();
	equal([...policy.matchAll(/'sha256-([^']*)'/g)].map((m) => m[1]).sort(),
		texts.map((/** @type {string} */ text) => createHash('sha256').update(text).digest('base64')).sort(), 'hashes');
});

await test('embedding pages: an invalid range is refused, and the picture stays', async () => {
	const before = await d.range();
	const errors = await page.evaluate(() => [[2, 1], [1, 1], [NaN, 2], [0, Infinity]].map(([a, b]) => {
		try {
			window.kutrace.setRange(a, b);
			return 'taken';
		} catch (error) {
			return /** @type {Error} */ (error).name;
		}
	}));
	equal(errors, ['RangeError', 'RangeError', 'RangeError', 'RangeError'], 'ranges');
	equal(await d.range(), before, 'range');
	equal(await page.evaluate(() => document.documentElement.dataset.state), 'ready', 'state');
});

await test('around: no complaint on the console, no request', () => {
	equal(browser.complaints, [], 'console');
	equal(browser.requests, [], 'requests');
});
await browser.close();
