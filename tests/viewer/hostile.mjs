// SPDX-License-Identifier: BSD-3-Clause
/**
 * Tests hostile and unexpected data: the page shows a correct picture or a clear message, and no script from the
 * data ever runs. Prints TAP.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { openBrowser, usual } from './browser.mjs';
import { Event } from './events.mjs';
import { dir, generate, jsonOf, makeself, pageOf, rowsOf } from './pages.mjs';
import { check, done, equal, test } from './tap.mjs';

/** @typedef {any} Page */
/** @typedef {import('./pages.mjs').Row} Row */

const browser = await openBrowser();
/** @param {Page} page @returns {Promise<any[]>} */
const shown = (page) => page.evaluate(() => window.kutrace.rows());
/** @param {Page} page @param {number} a @param {number} b */
const setRange = (page, a, b) => page.evaluate((/** @type {number[]} */ [x, y]) => window.kutrace.setRange(x, y), [a, b]);
/** @param {Page} page @param {number} x @param {number} y */
const hit = (page, x, y) => page.evaluate((/** @type {number[]} */ [a, b]) => window.kutrace.hit(a, b), [x, y]);
/** @param {Page} page */
const settle = (page) => page.evaluate(() => new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve))));
/** Returns the row of the JSON at a time on the nth visible row. @param {Page} page @param {number} n @param {number} t */
const at = async (page, n, t) => {
	const [a, b] = await page.evaluate(() => window.kutrace.range());
	const { plot } = await page.evaluate(() => window.kutrace.drawn());
	const row = (await shown(page))[n];
	return hit(page, plot.x + ((t - a) / (b - a)) * plot.width, row.y + row.height / 2);
};
/** Checks that there is no complaint, no request, and no foreign script. @param {Page} page */
const clean = async (page) => {
	equal(await page.evaluate(() => /** @type {any} */ (window).injected), undefined, 'a script of the data ran');
	equal(browser.complaints, [], 'console');
	equal(browser.requests, [], 'requests');
};
/** @param {string} name @param {(open: (json: string | Buffer) => Promise<Page>) => Promise<void>} body */
const hostile = (name, body) => test(name, async () => {
	browser.complaints.length = 0;
	/** @type {Page[]} */
	const pages = [];
	try {
		await body(async (json) => {
			const page = await browser.open(pageOf(json, 'hostile'));
			pages.push(page);
			return page;
		});
		for (const page of pages) await clean(page);
	} finally {
		for (const page of pages) await page.close();
	}
});

await hostile('names, title and facts with markup and script', async (open) => {
	const page = await open(generate('3000', '2', 'hostile'));
	await page.locator('[data-group=PID]').click();
	for (const name of ['user', 'all']) await page.locator(`#button-${name}`).click();
	const { plot } = await page.evaluate(() => window.kutrace.drawn());
	for (let i = 1; i < 30; i++) await page.mouse.move(plot.x + (plot.width * i) / 30, plot.y + 40 + (i % 5) * 60);
	await page.evaluate(() => window.kutrace.search('script'));
	await settle(page);
	equal(await page.locator('#title').innerText(), '<b>\'"</script>', 'title');
	equal(await page.evaluate(() => document.querySelectorAll('img, [onerror], #title *, #facts b').length), 0, 'elements made of data');
});

await test('even if a name becomes markup, the security policy prevents scripts and requests', async () => {
	const page = await browser.open(pageOf(generate('3000', '2', 'hostile'), 'policy'));
	// Chromium also reports requests that the policy refuses, with the error "csp"
	/** @type {string[]} */
	const refused = [];
	page.on('requestfailed', (/** @type {any} */ r) => {
		if (r.failure()?.errorText === 'csp') refused.push(r.url());
	});
	const blocked = await page.evaluate(async () => {
		/** @type {string[]} */
		const seen = [];
		document.addEventListener('securitypolicyviolation', (e) => seen.push(e.effectiveDirective));
		document.body.insertAdjacentHTML('beforeend', '<div id="evil" onclick="window.injected=1"></div><img src="http://127.0.0.1:9/x.png" onerror="window.injected=2">');
		document.getElementById('evil')?.click();
		const script = document.createElement('script');
		script.textContent = 'window.injected = 3';
		document.body.append(script);
		const away = document.createElement('script');
		away.src = 'http://127.0.0.1:9/x.js';
		document.body.append(away);
		const fetched = await fetch('http://127.0.0.1:9/x').then(() => 'fetched', () => 'refused');
		const end = performance.now() + 20000;
		const wanted = ['connect-src', 'img-src', 'script-src-attr', 'script-src-elem'];
		while (wanted.some((w) => !seen.includes(w)) && performance.now() < end) await new Promise((r) => setTimeout(r, 50));
		document.getElementById('evil')?.remove();
		return { seen: [...new Set(seen)].sort(), fetched };
	});
	for (const directive of ['connect-src', 'img-src', 'script-src-attr', 'script-src-elem'])
		check(blocked.seen.includes(directive), `${directive} is not what was refused: ${blocked.seen}`);
	equal(blocked.fetched, 'refused', 'a request');
	equal(await page.evaluate(() => /** @type {any} */ (window).injected), undefined, 'a script of the data ran');
	equal(browser.requests.filter((url) => !refused.includes(url)), [], 'requests that left the page');
	browser.requests.length = 0;
	browser.complaints.length = 0;	// messages about the refusals
	await page.close();
});

await hostile('header values that are not text', async (open) => {
	const evil = { '<img src=x onerror=window.injected=1>': '</script><script>window.injected=1</script>' };
	const page = await open(jsonOf([[1, 0.5, 0, 7, 0, 65543, 0, 0, 0, 'a.7']], {
		title: evil, hostName: [1, evil], cpuModelName: null, kernelVersion: 17, coverage: evil, lost: 'many', tracebase: '<b>', overhead: [], flags: {},
	}));
	equal((await shown(page)).length, 1, 'rows');
});

await hostile('a name of 10,000 characters', async (open) => {
	const long = `${'x<'.repeat(5000)}.7`;
	const page = await open(jsonOf([
		[1, 0.5, 0, 7, 0, 65543, 0, 0, 0, long], [1.5, 0.5, 0, 7, 0, Event.SYSCALL64, 0, 0, 0, long], [1.2, 1e-8, 0, 7, 0, Event.MARKA, 0, 0, 0, `mark_a=${long}`],
	], { title: long, hostName: long }));
	for (const name of ['user', 'all']) await page.locator(`#button-${name}`).click();
	await page.locator('[data-group=PID]').click();
	await settle(page);
	const { plot } = await page.evaluate(() => window.kutrace.drawn());
	equal((await at(page, 0, 1.3))[9], long, 'name');
	await page.mouse.move(plot.x + plot.width * 0.3, (await shown(page))[0].y + 30);
	await settle(page);
	equal(JSON.parse(await page.locator('#tip code').innerText())[9], long, 'name in the tooltip');
	const box = await page.locator('#tip').boundingBox();
	check(box.x >= 0 && box.width <= 1280, `the tooltip is ${box.width} pixels wide at ${box.x}`);
	const size = await page.evaluate(() => [document.documentElement.scrollWidth, innerWidth, document.getElementById('plot')?.clientHeight]);
	check(size[0] <= size[1], `the page is ${size[0]} pixels wide`);
	check(size[2] > 200, `the picture is ${size[2]} pixels high`);
});

// The following tests are about sizes and damaged files. They take minutes in Firefox with its driver.
if (usual === 'firefox') {
	await browser.close();
	done();
}

await hostile('100,000 pids', async (open) => {
	/** @type {Row[]} */
	const rows = Array.from({ length: 100000 }, (_, i) => [1 + i * 1e-6, 1e-6, i % 4, i + 1, 0, 65537 + i, 0, 0, 0, `p${i % 977}.${i + 1}`]);
	rows.sort((a, b) => a[2] - b[2] || a[0] - b[0]);
	const page = await open(jsonOf(rows));
	await page.locator('[data-group=PID]').click();
	await settle(page);
	equal(await page.locator('[data-group=PID] small').innerText().then((/** @type {string} */ s) => s.replace(/\D/g, '')), '100000', 'processes');
	const visible = (await shown(page)).filter((r) => r.group === 'PID');
	check(visible.length > 3 && visible.length < 200, `${visible.length} rows`);
	await setRange(page, 1, 1.00001);
	await settle(page);
	await page.evaluate(() => window.kutrace.frames());
	await page.mouse.move(60, 400);
	for (let i = 0; i < 5; i++) await page.mouse.wheel(0, -100);
	await settle(page);
	const frames = await page.evaluate(() => window.kutrace.frames());
	check(Math.min(...frames) < 250, `frames of ${frames} ms`);
});

await hostile('4,096 CPUs', async (open) => {
	/** @type {Row[]} */
	const rows = [];
	for (let cpu = 0; cpu < 4096; cpu++) rows.push([1, 0.001 * ((cpu % 7) + 1), cpu, cpu + 1, 0, 65537 + cpu, 0, 0, 0, `p.${cpu + 1}`]);
	const page = await open(jsonOf(rows));
	equal(await page.evaluate(() => window.kutrace.spans), 4096, 'spans');
	equal(await page.locator('[data-group=CPU] small').innerText().then((/** @type {string} */ s) => s.replace(/\D/g, '')), '4096', 'CPUs');
	const first = await shown(page);
	equal(first[0].label, 'CPU 0', 'first row');
	equal(await at(page, 2, 1.0005), rows[2], 'a span');
	await page.mouse.move(60, 400);
	await page.mouse.down();
	await page.mouse.move(60, 150, { steps: 3 });
	await page.mouse.up();
	await settle(page);
	check((await shown(page))[0].id > 0, 'rows do not move');
});

await hostile('one span', async (open) => {
	/** @type {Row} */
	const only = [1, 0.5, 0, 7, 0, 65543, 0, 0, 0, 'one.7'];
	const page = await open(jsonOf([only]));
	equal(await page.evaluate(() => window.kutrace.range()), [1, 1.5], 'range');
	equal(await at(page, 0, 1.25), only, 'hit');
	await page.keyboard.press('w');
	await page.keyboard.press('ArrowRight');
	await settle(page);
});

await hostile('one span without length', async (open) => {
	const page = await open(jsonOf([[1, 0, 0, 7, 0, 65543, 0, 0, 0, 'one.7']]));
	const [a, b] = await page.evaluate(() => window.kutrace.range());
	check(Number.isFinite(a) && b > a, `range ${a} to ${b}`);
	equal((await shown(page)).map((r) => r.label), ['CPU 0'], 'rows');
});

await hostile('only spans without a CPU', async (open) => {
	const page = await open(jsonOf([[1, 0.25, -1, 7, 0, Event.WAITA + 3, 0, 0, 0, 'wait_disk'], [1.5, 0.25, -1, 7, 0, Event.WAITA + 3, 0, 0, 0, 'wait_disk']]));
	equal((await shown(page)).length, 0, 'CPUs');
	await page.locator('[data-group=PID]').click();
	await settle(page);
	equal((await shown(page)).map((r) => r.id), [7], 'processes');
	equal((await at(page, 0, 1.1))[5], Event.WAITA + 3, 'a wait');
});

await hostile('no spans', async (open) => {
	const page = await open(jsonOf([]));
	equal(await page.evaluate(() => window.kutrace.spans), 0, 'spans');
	for (const key of ['w', 'd', 'ArrowRight', 'n', 'Home']) await page.keyboard.press(key);
	const { plot } = await page.evaluate(() => window.kutrace.drawn());
	await page.mouse.move(plot.x + 100, plot.y + 100);
	await page.mouse.wheel(0, -300);
	await settle(page);
});

await hostile('rows that are not in order', async (open) => {
	const rows = rowsOf(generate('5000', '2')).filter((r) => r[1] > 0);
	const mixed = rows.map((r, i) => /** @type {[number, Row]} */ ([(i * 7919) % rows.length, r])).sort((a, b) => a[0] - b[0]).map((p) => p[1]);
	const page = await open(jsonOf(mixed));
	const mine = rows.filter((r) => r[2] === 1 && r[5] > 65536).sort((a, b) => b[1] - a[1]).slice(0, 8);
	for (const r of mine) {
		await setRange(page, r[0] - r[1], r[0] + 2 * r[1]);
		equal(await at(page, 1, r[0] + r[1] / 2), r, 'hit');
	}
	// only visible rows are searched
	await setRange(page, 0, Math.max(...rows.map((r) => r[0] + r[1])));
	const got = await page.evaluate(() => window.kutrace.search('page_fault'));
	equal(got.count, rows.filter((r) => r[9] === 'page_fault').length, 'matches');
});

await hostile('rows that overlap', async (open) => {
	/** @type {Row[]} */
	const rows = [[1, 1, 0, 7, 0, 65543, 0, 0, 0, 'long.7'], [1.2, 0.1, 0, 8, 0, 65544, 0, 0, 0, 'inner.8'], [1.25, 1, 0, 9, 0, 65545, 0, 0, 0, 'over.9']];
	const page = await open(jsonOf(rows));
	equal(await at(page, 0, 1.1), rows[0], 'before the overlap');
	equal(await at(page, 0, 2.2), rows[2], 'behind it');
	check(await at(page, 0, 1.22), 'inside');
	// each of the spans can be found
	equal((await page.evaluate(() => window.kutrace.search('.'))).count, 3, 'search');
	const { shares, kinds } = await page.evaluate(() => window.kutrace.painted('CPU', 0));
	for (let x = 0; x < shares.length; x += kinds) {
		const sum = shares.slice(x, x + kinds).reduce((/** @type {number} */ s, /** @type {number} */ v) => s + v, 0);
		check(Number.isFinite(sum), `column ${x / kinds}: ${sum}`);
	}
});

await test('NaN, infinities and huge numbers are refused by makeself, with the place', () => {
	const negative = makeself(jsonOf(['[1.0, -0.1, 0, 7, 0, 65543, 0, 0, 0, "a"],\n']));
	equal(String(negative.stderr), 'makeself: 1 rows with a negative start or duration left out\n', 'negative durations');
	for (const bad of ['[NaN, 0.1, 0, 7, 0, 65543, 0, 0, 0, "a"],\n', '[1e999, 0.1, 0, 7, 0, 65543, 0, 0, 0, "a"],\n',
		'[1.0, 0.1, 0, 99999999999999999999, 0, 65543, 0, 0, 0, "a"],\n',
		'[99999999999.0, 0.1, 0, 7, 0, 65543, 0, 0, 0, "a"],\n', '[1.0, 0.1, 99999, 7, 0, 65543, 0, 0, 0, "a"],\n']) {
		const run = makeself(jsonOf([bad]));
		equal(run.status, 1, `exit status of ${bad}`);
		check(/^makeself: .+\n$/.test(String(run.stderr)), String(run.stderr));
		check(!String(run.stdout).includes('</html>'), 'a whole page came out');
	}
});

const whole = generate('4000', '2');
const spans = rowsOf(whole).length;
const html = readFileSync(pageOf(whole, 'whole'));
const dataFrom = html.indexOf('<script type="application/json" id="kutrace-header"');

/**
 * Opens a page that may be broken. The page must report the damage, or have all spans.
 * @param {Buffer} bytes
 * @param {string} what
 */
async function opens(bytes, what) {
	const file = join(dir, 'broken.html');
	writeFileSync(file, bytes);
	const page = await browser.context.newPage();
	/** @type {string[]} */
	const errors = [];
	page.on('pageerror', (/** @type {Error} */ e) => errors.push(String(e)));
	await page.goto(`file://${file}`);
	const state = await page.waitForFunction(() => (document.documentElement.dataset.state !== 'loading' ? document.documentElement.dataset.state : null), null, { timeout: 15000 })
		.then((/** @type {any} */ h) => h.jsonValue(), () => 'loading');
	const text = await page.locator('#boot').innerText();
	equal(await page.evaluate(() => /** @type {any} */ (window).injected), undefined, `${what}: a script of the data ran`);
	equal(errors, [], `${what}: errors`);
	if (state === 'ready') equal(await page.evaluate(() => window.kutrace.spans), spans, `${what}: spans`);
	else if (state === 'error') check(/damaged|cannot be shown/.test(text) && text.length > 40, `${what} says: ${text}`);
	else check(/If this stays, the file is damaged/.test(text), `${what} stays loading and says: ${text}`);
	await page.close();
	return state;
}

await test('a page truncated anywhere shows a message', async () => {
	for (let i = 1; i <= 12; i++) {
		const state = await opens(html.subarray(0, dataFrom + Math.floor(((html.length - 60 - dataFrom) * i) / 12) - i), `cut at ${i}/12`);
		check(state !== 'ready', `cut at ${i}/12 opens as if it were whole`);
	}
});

await test('a flipped bit anywhere in the data gives a message or does not matter', async () => {
	let state = 99;
	let messages = 0;
	for (let i = 0; i < 40; i++) {
		state = (Math.imul(state, 1103515245) + 12345) >>> 0;
		const broken = Buffer.from(html);
		const place = dataFrom + ((state >>> 4) % (html.lastIndexOf('</script>') - dataFrom));
		broken[place] ^= 1 << (i % 8);
		if (await opens(broken, `bit ${i % 8} of byte ${place} flipped`) !== 'ready') messages++;
	}
	check(messages > 25, `only ${messages} of 40 flipped bits were noticed`);
});

await test('wrong attributes give a message', async () => {
	const text = html.toString();
	for (const [from, to] of /** @type {[RegExp, string][]} */ ([
		[/data-count="\d+"/, 'data-count="4294967295"'], [/data-count="\d+"/, 'data-count="-1"'], [/data-bytes="\d+"/, 'data-bytes="99999999999"'],
		[/data-chunk="\d+"/, 'data-chunk="4000000000"'], [/data-track="\d+"/, 'data-track="1e99"'], [/data-kutrace="dur"/, 'data-kutrace="__proto__"'],
		[/data-kutrace="name"/, 'data-kutrace="constructor"'], [/"spans":\d+/, '"spans":1e300'], [/id="kutrace-end">\{/, 'id="kutrace-end">['],
	])) {
		check(from.test(text), `the page has no ${from}`);
		const state = await opens(Buffer.from(text.slice(0, dataFrom) + text.slice(dataFrom).replace(from, to)), `${to}`);
		equal(state, 'error', `state with ${to}`);
	}
});
await test('no network request at all', () => equal(browser.requests, [], 'requests'));
await browser.close();
done();
