// SPDX-License-Identifier: BSD-3-Clause
/**
 * Tests accessibility. axe-core reports nothing, not even a minor problem, in the states of the page that the
 * test visits, light or dark. Every control can be reached with Tab, shows the focus, has a name, and works by key. Prints TAP.
 * viewer.sh sets NODE_MODULES.
 */
import { execFileSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { openBrowser, top } from './browser.mjs';
import { dir, generate, pageOf, recorded, template } from './pages.mjs';
import { check, done, equal, test } from './tap.mjs';

/** @typedef {any} Page */

const modules = process.env.NODE_MODULES ?? execFileSync(join(top, 'templates/modules.sh'), { encoding: 'utf8' }).trim();
const axe = readFileSync(join(modules, 'axe-core/axe.min.js'), 'utf8');
const file = pageOf(generate('5000', '3'), 'axe');

/** @param {Page} page @param {string} state */
async function audit(page, state) {
	await page.evaluate(axe);
	const found = await page.evaluate(async () => {
		const { violations, passes } = await /** @type {any} */ (window).axe.run(document, { resultTypes: ['violations'] });
		return { passes: passes.length, violations: violations.map((/** @type {any} */ v) => ({ id: v.id, impact: v.impact, nodes: v.nodes.map((/** @type {any} */ n) => n.html.slice(0, 120)) })) };
	});
	check(found.passes > 8, `${state}: axe looked at next to nothing`);
	equal(found.violations, [], state);
}

for (const colorScheme of /** @type {const} */ (['light', 'dark'])) {
	const browser = await openBrowser({ colorScheme });
	const page = await browser.open(file);
	const settle = () => page.evaluate(() => new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve))));
	await test(`${colorScheme}: the audit finds nothing at first`, () => audit(page, 'first'));
	await test(`${colorScheme}: the audit finds nothing with processes open, a search, a span's data, the help`, async () => {
		await page.locator('[data-group=PID]').click();
		await page.evaluate(() => window.kutrace.search('page_fault'));
		const { plot } = await page.evaluate(() => window.kutrace.drawn());
		await page.mouse.move(plot.x + plot.width / 2, plot.y + 60);
		await settle();
		await audit(page, 'in use');
		await page.mouse.move(2, 2);
		await page.locator('#panetab-query').click();
		await page.locator('#querybox tbody tr').first().waitFor();
		await page.locator('#search').fill('pid:x');
		await page.locator('#searchsays').waitFor({ state: 'visible' });
		await page.locator('#search').press('ArrowDown');
		await audit(page, 'query and searches');
		await page.keyboard.press('Escape');
		await page.locator('#panetab-tables').click();
		await page.evaluate(() => window.kutrace.search('page_fault'));
		await page.locator('#title').click();
		await page.keyboard.press('?');
		await settle();
		check(await page.locator('#help').isVisible(), 'no help');
		await audit(page, 'help');
		await page.keyboard.press('Escape');
		await settle();
		check(!await page.locator('#help').isVisible(), 'Esc does not close the help');
	});
	await test(`${colorScheme}: the audit finds nothing with a process open: its sums, its tree, its flame graph, also over the picture`, async () => {
		for (const state of ['p101', 'p101~tree', 'p101~flame', '~flame.large']) {
			await page.evaluate((/** @type {string} */ hash) => (location.hash = hash), `g=CPU&v=process&x=${state}`);
			await settle();
			await audit(page, state);
		}
		await page.evaluate(() => (location.hash = 'g=CPU'));
		await settle();
	});
	await test(`${colorScheme}: the audit finds nothing with the pane Findings, empty and with findings, one of them clicked`, async () => {
		await page.locator('#panetab-findings').click();
		await audit(page, 'no findings');
		const faulty = await browser.open(pageOf(recorded('stopped'), 'axe-stopped'), 'ready', '');
		await faulty.locator('#findinglist .goes').first().click();
		await faulty.evaluate(() => new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve))));
		await audit(faulty, 'findings');
		await faulty.close();
		await page.locator('#panetab-tables').click();
	});
	await test(`${colorScheme}: the audit finds nothing with a critical path`, async () => {
		const [from, to] = await page.evaluate(() => window.kutrace.range());
		await page.evaluate((/** @type {string} */ path) => (location.hash = `g=CPU.PID&v=path&c=${path}`), `101_${from.toFixed(8)}_${to.toFixed(8)}`);
		await page.locator('#pathlegs tbody tr').first().waitFor();
		await settle();
		await audit(page, 'path');
	});
	await test(`${colorScheme}: the audit finds nothing with any table, the details of a span, an explanation of a gap, menus, notes`, async () => {
		await page.evaluate(() => (location.hash = 'g=CPU.PID'));
		await settle();
		for (const tab of await page.locator('#tabs button').all()) {
			await tab.click();
			await audit(page, await tab.innerText());
		}
		const { plot } = await page.evaluate(() => window.kutrace.drawn());
		const [cpu] = await page.evaluate(() => window.kutrace.rows());
		await page.mouse.click(plot.x + plot.width / 2, cpu.y + cpu.height * 0.8);
		await settle();
		check(await page.locator('#pane-details dd').count() > 3, 'no details');
		await audit(page, 'details');
		await page.mouse.move(plot.x + plot.width / 2, cpu.y + cpu.height * 0.8);
		await page.keyboard.press('y');
		await settle();
		await audit(page, 'why');
		for (const menu of ['#rowmenu', '#second', '#notes', '#save', '#allfacts']) {
			await page.locator(`${menu} summary`).click();
			await audit(page, menu);
			await page.locator(`${menu} summary`).click();
		}
		await page.evaluate(() => (location.hash = 'g=CPU'));
		await settle();
	});
	await test(`${colorScheme}: the audit finds nothing on the page that reports a damaged file`, async () => {
		const damaged = join(dir, 'damaged.html');
		writeFileSync(damaged, readFileSync(template));
		const other = await browser.open(damaged, 'error');
		await audit(other, 'damaged');
		await other.close();
	});
	if (colorScheme === 'light') {
		await test('every control is reached with Tab, has a name, and shows the focus', async () => {
			await page.reload();
			await page.waitForFunction(() => document.documentElement.dataset.state === 'ready');
			const wanted = await page.evaluate(() => [...document.querySelectorAll('#app button:not(:disabled), #app input, #app select, #app [tabindex="0"]')]
				.filter((e) => /** @type {HTMLElement} */ (e).checkVisibility() && /** @type {HTMLElement} */ (e).tabIndex >= 0).length);
			const reached = new Set();
			for (let i = 0; i < wanted + 12; i++) {
				await page.keyboard.press('Tab');
				const at = await page.evaluate(() => {
					const e = /** @type {HTMLElement} */ (document.activeElement);
					if (!e || e === document.body) return null;
					const all = [...document.querySelectorAll('*')];
					const style = getComputedStyle(e);
					const labels = /** @type {HTMLInputElement} */ (e).labels;
					return {
						place: all.indexOf(e), html: e.outerHTML.slice(0, 100), counts: !!e.closest('#app'),
						name: e.getAttribute('aria-label') || e.innerText || e.title || labels?.[0]?.innerText || e.getAttribute('aria-labelledby') || '',
						focus: style.outlineStyle !== 'none' && parseFloat(style.outlineWidth) > 0 || style.boxShadow !== 'none',
					};
				});
				if (!at) continue;
				check(at.name.trim(), `no name: ${at.html}`);
				check(at.focus, `the focus is not to be seen: ${at.html}`);
				if (at.counts) reached.add(at.place);
			}
			check(reached.size >= wanted, `Tab reaches ${reached.size} of ${wanted} controls`);
			check(wanted > 10, `only ${wanted} controls`);
		});
		await test('controls work by key: a group opens with Enter, a button toggles with Space', async () => {
			const group = page.locator('[data-group=PID]');
			const open = await group.getAttribute('aria-expanded');
			await group.focus();
			await page.keyboard.press('Enter');
			await settle();
			check(await group.getAttribute('aria-expanded') !== open, `the PID group stays ${open}`);
			const arc = page.locator('#button-arc');
			const before = await arc.getAttribute('aria-pressed');
			await arc.focus();
			await page.keyboard.press('Space');
			await settle();
			check(await arc.getAttribute('aria-pressed') !== before, 'Arc');
			await page.keyboard.press('Space');
		});
		await test('a zoom to 200 % leaves everything usable', async () => {
			await page.setViewportSize({ width: 640, height: 400 });
			await settle();
			const { plot } = await page.evaluate(() => window.kutrace.drawn());
			check(plot.width >= 150 && plot.height >= 60, `the picture has ${plot.width} by ${plot.height}`);
		});
	}
	await browser.close();
}
done();
