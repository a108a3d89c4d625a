// SPDX-License-Identifier: BSD-3-Clause
/**
 * Tests that speedscope's own page reads the output of spantospeedscope, and that its table for each CPU has the sums
 * of the spans' times. speedscope.sh runs this test:
 *
 *	SPEEDSCOPE=FOLDER node tests/viewer/speedscope.mjs spans.json profile.json
 */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { openBrowser } from './browser.mjs';
import { check, done, equal, test } from './tap.mjs';

const USER = 65536, CALLS = 1024, CALLS_END = 4096;
const ROWS = 20;	// further rows would need scrolling
const [spans, profile] = process.argv.slice(2);

/** Own time of each frame in ns, by CPU. @type {Map<number, Map<string, number>>} */
const self = new Map();
/** @type {Map<number, string>} */
const names = new Map();
for (const [start, seconds, cpu, pid, , event, , , , name] of JSON.parse(readFileSync(spans, 'utf8')).events) {
	if (start === 999 || cpu < 0 || !(event >= USER || (event >= CALLS && event < CALLS_END)) || (event >= USER && !pid)) continue;
	if (event >= USER && !names.has(pid)) names.set(pid, name);
	const frames = self.get(cpu) ?? new Map();
	self.set(cpu, frames);
	const frame = event >= USER ? names.get(pid) : name;
	frames.set(frame, (frames.get(frame) ?? 0) + Math.round(seconds * 1e9));
}

const UNITS = { ns: 1, 'µs': 1e3, ms: 1e6, s: 1e9 };

/** Reads a time as speedscope writes it ("47.96ms (15%)"): the ns, and the value of its last digit. @param {string} text */
function time(text) {
	const [, number, unit] = /^([\d.]+)(ns|µs|ms|s)( |$)/.exec(text) ?? [];
	const worth = /** @type {Record<string, number>} */ (UNITS)[unit] * 10 ** -(number?.split('.')[1]?.length ?? 0);
	return { ns: Number(number) * /** @type {Record<string, number>} */ (UNITS)[unit], worth };
}

/** @param {string} text @param {number} ns */
const says = (text, ns) => Math.abs(time(text).ns - ns) <= time(text).worth / 2 + 0.5;

/** Returns the own time and name of each row of the table. @param {any} page @returns {Promise<string[][]>} */
function tableOf(page) {
	return page.evaluate(() => [...document.querySelectorAll('tr')]
		.map((row) => [...row.cells].map((cell) => cell.innerText.trim()))
		.filter((cells) => cells.length === 3 && /%\)$/.test(cells[1])).map((cells) => cells.slice(1)));
}

const dir = mkdtempSync(join(tmpdir(), 'kutrace-speedscope-'));
const browser = await openBrowser({ viewport: { width: 1280, height: 900 } });
try {
	// like speedscope's command, put the profile into a script
	const script = join(dir, 'profile.js');
	writeFileSync(script, `speedscope.loadFileFromBase64('profile', '${readFileSync(profile).toString('base64')}')`);
	const page = await browser.context.newPage();
	/** @type {string[]} */
	const errors = [];
	page.on('pageerror', (/** @type {Error} */ error) => errors.push(String(error)));
	await page.goto(`${pathToFileURL(join(process.env.SPEEDSCOPE ?? '', 'dist/release/index.html')).href}#localProfilePath=${script}`);

	const cpus = [...self.keys()].sort((a, b) => a - b);
	let shows = true;	// false after a page did not open, so that the test waits for it only once
	for (const [at, cpu] of cpus.entries())
		await test(`speedscope shows CPU ${cpu}: the frames with the most own time, and that time`, async () => {
			check(shows, 'it did not show the one before');
			shows = false;
			if (at) await page.keyboard.press('n');	// the next profile
			const title = `CPU ${cpu} (${at + 1}/${cpus.length})`;
			await page.waitForFunction((/** @type {string} */ text) => document.body.innerText.includes(text), title);
			await page.keyboard.press('3');	// as a table
			await page.waitForFunction(() => document.body.innerText.includes('Symbol Name'));
			shows = true;
			const want = [...self.get(cpu) ?? []].filter(([, ns]) => ns).sort((a, b) => b[1] - a[1]).slice(0, ROWS);
			check(want.length > 5, `only ${want.length} frames`);
			const names = (/** @type {string[][]} */ rows) => rows.slice(0, want.length).map(([, name]) => name).join(' ');
			const wanted = want.map(([name]) => name).join(' ');
			// the table's header appears before its rows, and old rows remain until those of the next
			// profile appear
			let shown = await tableOf(page);
			for (const end = Date.now() + 20000; names(shown) !== wanted && Date.now() < end; shown = await tableOf(page)) await page.waitForTimeout(100);
			equal(names(shown), wanted, 'in order');
			for (const [n, [name, ns]] of want.entries()) check(says(shown[n][0], ns), `${name}: ${shown[n][0]}, and it is ${ns} ns`);
		});
	await test('speedscope reports no error', () => equal(errors.join('; '), '', 'its page'));
} finally {
	await browser.close();
	rmSync(dir, { recursive: true, force: true });
}
done();
