// SPDX-License-Identifier: BSD-3-Clause
/**
 * Tests that every action works by keyboard. The test finds all elements that listen to clicks, because it replaces
 * addEventListener(). Each must be reachable with Tab, or by arrow keys from such an element, or the help must name
 * a key for it. Prints TAP.
 */
import { openBrowser } from './browser.mjs';
import { driver } from './driver.mjs';
import { golden, pageOf } from './pages.mjs';
import { check, equal, test } from './tap.mjs';

const file = pageOf(golden('patched-4cpu'), 'keyboard');
const browser = await openBrowser();
await browser.context.addInitScript(() => {
	const add = EventTarget.prototype.addEventListener;
	EventTarget.prototype.addEventListener = function (/** @type {string} */ type, /** @type {any[]} */ ...rest) {
		if (this instanceof Element && ['click', 'dblclick', 'pointerdown', 'mousedown', 'contextmenu'].includes(type)) {
			const has = this.getAttribute('data-clicked') ?? '';
			if (!has.split(' ').includes(type)) this.setAttribute('data-clicked', `${has} ${type}`.trim());
		}
		return add.apply(this, /** @type {any} */ ([type, ...rest]));
	};
});

/**
 * Canvases and similar elements, by id: the actions of a click on them, and the keys for these actions in the help.
 * @type {Record<string, [string, string][]>}
 */
const DRAWN = {
	over: [['goes to a span', '\u2190 \u2192'], ['goes to another row', '\u2191 \u2193'], ['shows its details', 'Enter'], ['explains a gap', 'y'], ['measures', 'm'],
		['annotates and writes', 'e, E'], ['pans', 'A D'], ['highlights its kind', 'h, H, k'], ['shows a path', 'c']],
	axis: [['selects', 'x, z']],
	labels: [['moves rows', 'PageUp PageDown'], ['pins a row', 'p'], ['highlights a row, rows that begin alike', 'h, H, k']],
};

/** @type {any} */
const page = await browser.open(file, 'ready', '');
const d = driver(page);

/** Returns every visible element that listens to clicks, and how a key reaches it. @returns {Promise<{what: string, how: string}[]>} */
const listening = () => page.evaluate(() => {
	/** @param {Element} e */
	const focusable = (e) => /** @type {HTMLElement} */ (e).tabIndex >= 0 && !/** @type {any} */ (e).disabled && e.matches('button, a[href], input, select, summary, textarea, [tabindex]');
	const seen = [...document.querySelectorAll('[data-clicked], #app :is(button, a[href], summary, select, input)')].filter((e) => /** @type {HTMLElement} */ (e).checkVisibility());
	return seen.map((e) => {
		const within = e.closest('[role=tablist], [role=treegrid], [role=tree]');
		const name = `${e.tagName.toLowerCase()}${e.id && `#${e.id}`}.${e.className || ''} ${(e.getAttribute('aria-label') || e.textContent || '').trim().slice(0, 30)}`;
		const how = /** @type {any} */ (e).disabled ? 'off' : focusable(e) ? 'tab' :
			within && [...within.querySelectorAll('[tabindex="0"]')].length ? 'arrows' :
			e.id in /** @type {any} */ (window).drawnThere ? 'key' :
			// a button in the line of a table, or the content of a box, does the same
			[...e.querySelectorAll('button, a[href], input, select, [tabindex="0"]')].some(focusable) ? 'within' :
			e.closest('label')?.querySelector('input') ? 'label' : 'none';
		return { what: name, how };
	});
});

/** @param {string} state */
async function holds(state) {
	await page.evaluate((/** @type {string[]} */ ids) => Object.assign(window, { drawnThere: Object.fromEntries(ids.map((id) => [id, 1])) }), Object.keys(DRAWN));
	const all = await listening();
	check(all.length > 30, `${state}: only ${all.length} controls`);
	const lost = all.filter(({ how }) => how === 'none');
	equal(lost.map(({ what }) => what), [], `${state}: by no key`);
	return all;
}

await test('everything that reacts to a click is reached by key: on the opened page, in every table and pane, with open menus', async () => {
	const all = await holds('first');
	for (const id of Object.keys(DRAWN)) check(all.some(({ what, how }) => what.includes(`#${id}.`) && how === 'key'), `${id} listens to nothing`);
	check(all.some(({ what, how }) => what.startsWith('tr') && how === 'within'), 'no line of a table listens');
	for (const tab of ['cpus', 'calls', 'kinds', 'names', 'waits', 'wakeups']) {
		await page.locator(`#tab-${tab}`).click();
		await page.locator('#tablebox tbody tr').first().waitFor();
		await holds(tab);
	}
	for (const hash of ['v=process&x=p56', 'v=process&x=p56~tree', 'v=process&x=p56~flame', 'v=query', 'v=path&c=56_57.93_57.97']) {
		await page.evaluate((/** @type {string} */ text) => (location.hash = text), hash);
		await d.settle();
		await page.locator(hash.includes('tree') ? '#treebox tbody tr' : hash.includes('flame') ? '#flamebox canvas' : hash.includes('query') ? '#querybox tbody tr' :
			hash.includes('path') ? '#pathlegs tbody tr' : '#processbox section').first().waitFor();
		await holds(hash);
	}
	await page.evaluate(() => (location.hash = 'v=details&d=CPU.1_57.92584515_82a'));
	await page.locator('#pane-details:not([aria-busy]) h2').waitFor();
	await holds('details');
	for (const menu of ['#rowmenu', '#save', '#allfacts', '#second']) {
		await page.locator(`${menu} summary`).click();
		await holds(menu);
		await page.locator(`${menu} summary`).click();
	}
	await page.keyboard.press('?');
	await holds('help');
	await page.keyboard.press('Escape');
});

await test('drawn elements have keys for every action of a click, and the help names them', async () => {
	const keys = await page.evaluate(() => [...document.querySelectorAll('#help dt')].map((dt) => dt.textContent ?? ''));
	for (const [id, list] of Object.entries(DRAWN)) for (const [what, key] of list) check(keys.includes(key), `${id}: ${what} by ${key}, which is not in the help`);
});

await test('a click on a line of a table and the key on its button go to the same place', async () => {
	await page.evaluate(() => (location.hash = 'v=tables&p=calls'));
	await page.locator('#tablebox[data-tab=calls] tbody tr').first().waitFor();
	const ends = [];
	for (const way of ['click', 'key']) {
		if (way === 'click') await page.locator('#tablebox tbody tr').nth(1).locator('td').nth(3).click();
		else await page.locator('#tablebox tbody tr').nth(1).locator('td:not(.text) button').first().press('Enter');
		await d.settle();
		ends.push((await d.drawn()).notes);
		await page.keyboard.press('Escape');
		await d.reset();
	}
	check(ends[0].length === 1, 'it goes nowhere');
	equal(ends[1], ends[0], 'by key');
});

await test('keyboard: no complaint on the console, no request', () => {
	equal(browser.complaints, [], 'console');
	equal(browser.requests, [], 'requests');
});
await browser.close();
