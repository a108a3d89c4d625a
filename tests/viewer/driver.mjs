// SPDX-License-Identifier: BSD-3-Clause
/** Operates an open page for the browser tests: converts times to pixels and reads the drawn picture. */

import { usual } from './browser.mjs';

/** @param {any} page a page of Playwright */
export function driver(page) {
	/** @returns {Promise<any>} */
	const drawn = () => page.evaluate(() => window.kutrace.drawn());
	/** @returns {Promise<[number, number]>} */
	const range = () => page.evaluate(() => window.kutrace.range());
	/** Waits two frames, and longer while rows are unfinished, until the requested state is on the screen. */
	const settle = () => page.evaluate(() => new Promise((resolve) => {
		const next = () => (window.kutrace.drawn().unfinished ? requestAnimationFrame(next) : resolve(null));
		requestAnimationFrame(() => requestAnimationFrame(next));
	}));
	return {
		drawn,
		range,
		settle,
		/** Also waits until the range is drawn, so that positions on the screen are those of this range. @param {number} a @param {number} b seconds */
		setRange: async (a, b) => {
			await page.evaluate((/** @type {number[]} */ [x, y]) => window.kutrace.setRange(x, y), [a, b]);
			await settle();
		},
		/** @returns {Promise<any[]>} */
		shown: () => page.evaluate(() => window.kutrace.rows()),
		/** Returns the row with a label. @param {string} label @returns {Promise<any>} */
		row: (label) => page.evaluate((/** @type {string} */ l) => window.kutrace.rows().find((/** @type {any} */ r) => r.label === l), label),
		/** Waits until the address of the page contains a text, or no longer contains it. @param {string} part @param {boolean} [there] */
		address: (part, there = true) => page.waitForFunction((/** @type {any} */ [text, wanted]) => location.hash.includes(text) === wanted, [part, there]),
		reset: async () => {
			await page.locator('#reset').click();
			await settle();
		},
		/** Returns the client x coordinate of a time in the present range. @param {number} t seconds */
		xOf: async (t) => {
			const [a, b] = await range();
			const { plot } = await drawn();
			return plot.x + ((t - a) / (b - a)) * plot.width;
		},
		/** Returns the row of the JSON at a client point. @param {number} x @param {number} y */
		hit: (x, y) => page.evaluate((/** @type {number[]} */ [a, b]) => window.kutrace.hit(a, b), [x, y]),
		/**
		 * Double-clicks. Both clicks get the same time stamp in the page, even if the browser delays the
		 * second one.
		 * @param {number} x @param {number} y
		 */
		doubleClick: async (x, y) => {
			await page.evaluate(() => {
				const now = performance.now();
				const own = Object.getOwnPropertyDescriptor(Event.prototype, 'timeStamp');
				Object.defineProperty(Event.prototype, 'timeStamp', { get: () => now, configurable: true });
				Object.assign(window, { asItWas: () => Object.defineProperty(Event.prototype, 'timeStamp', /** @type {PropertyDescriptor} */ (own)) });
			});
			await page.mouse.dblclick(x, y);
			await page.evaluate(() => /** @type {any} */ (window).asItWas());
		},
		/** Drags with the real mouse. @param {[number, number]} from @param {[number, number]} to */
		drag: async (from, to) => {
			await page.mouse.move(...from);
			await page.mouse.down();
			await page.mouse.move((from[0] + to[0]) / 2, (from[1] + to[1]) / 2, { steps: 3 });
			await page.mouse.move(...to, { steps: 3 });
			await page.mouse.up();
			await settle();
		},
		/** Returns the text of the table's cells, by line. @returns {Promise<string[][]>} */
		cells: () => page.evaluate(() => [...document.querySelectorAll('#tablebox tbody tr')].map((tr) =>
			[...tr.children].map((td) => td.textContent))),
		/**
		 * Counts the pixels of each colour of a canvas in a client rectangle.
		 * @param {string} id
		 * @param {{x: number, y: number, width: number, height: number}} box
		 * @returns {Promise<Record<string, number>>}
		 */
		colours: (id, box) => page.evaluate((/** @type {any} */ [canvasId, b]) => {
			const canvas = /** @type {HTMLCanvasElement} */ (document.getElementById(canvasId));
			const place = canvas.getBoundingClientRect();
			const ctx = /** @type {CanvasRenderingContext2D} */ (canvas.getContext('2d'));
			const { data } = ctx.getImageData(b.x - place.x, b.y - place.y, Math.max(1, b.width), Math.max(1, b.height));
			/** @type {Record<string, number>} */
			const seen = {};
			for (let i = 0; i < data.length; i += 4) {
				const key = `${data[i]},${data[i + 1]},${data[i + 2]},${data[i + 3]}`;
				seen[key] = (seen[key] ?? 0) + 1;
			}
			return seen;
		}, [id, box]),
		/**
		 * Returns the colours of the canvas's pixels in a client rectangle, line by line, as "r,g,b".
		 * @param {string} id @param {number} x @param {number} y @param {number} width @param {number} height
		 * @returns {Promise<string[]>}
		 */
		strip: (id, x, y, width, height) => page.evaluate((/** @type {[string, ...number[]]} */ [canvasId, left, top, w, h]) => {
			const canvas = /** @type {HTMLCanvasElement} */ (document.getElementById(canvasId));
			const place = canvas.getBoundingClientRect();
			const ctx = /** @type {CanvasRenderingContext2D} */ (canvas.getContext('2d'));
			const { data } = ctx.getImageData(left - place.x, top - place.y, Math.max(1, w), Math.max(1, h));
			return Array.from({ length: data.length / 4 }, (_, i) => `${data[i * 4]},${data[i * 4 + 1]},${data[i * 4 + 2]}`);
		}, [id, x, y, width, height]),
		/** Clicks an item of the Save menu and returns the saved file. @param {string} item @param {boolean} [inMenu] false: the item is a button outside of the menu @returns {Promise<{name: string, bytes: Buffer}>} */
		saved: async (item, inMenu = true) => {
			if (inMenu) await page.locator('#save summary').click();
			if (usual === 'firefox') {
				// Firefox's driver does not report downloads: take the file from the page
				const got = page.evaluate(() => new Promise((resolve) => {
					const make = URL.createObjectURL;
					/** @type {Blob | MediaSource} */
					let blob;
					URL.createObjectURL = (b) => make.call(URL, (blob = b));
					HTMLAnchorElement.prototype.click = function () {
						URL.createObjectURL = make;
						delete document.documentElement.dataset.taken;
						new Response(/** @type {Blob} */ (blob)).arrayBuffer().then((bytes) => resolve({ name: this.download, bytes: [...new Uint8Array(bytes)] }));
					};
					document.documentElement.dataset.taken = '';
				}));
				await page.waitForFunction(() => document.documentElement.dataset.taken !== undefined);
				await page.locator(item).click();
				const { name, bytes } = await got;
				return { name, bytes: Buffer.from(bytes) };
			}
			const [download] = await Promise.all([page.waitForEvent('download'), page.locator(item).click()]);
			const chunks = [];
			for await (const chunk of await download.createReadStream()) chunks.push(chunk);
			return { name: download.suggestedFilename(), bytes: Buffer.concat(chunks) };
		},
	};
}

/** @typedef {ReturnType<typeof driver>} Driver */

/**
 * Returns the share of a row's pixels between two times that differ from the most frequent colour.
 * @param {Driver} d
 * @param {string} label
 * @param {number} from seconds
 * @param {number} to seconds
 */
export async function shareDrawn(d, label, from, to) {
	const at = await d.row(label);
	const x = Math.ceil(await d.xOf(from));
	const width = Math.floor(await d.xOf(to)) - x;
	/** @type {string[]} */
	const colours = [];
	for (let down = 1; down < at.height - 1; down++) colours.push(...await d.strip('base', x, Math.floor(at.y + down), width, 1));
	/** @type {Map<string, number>} */
	const counts = new Map();
	for (const colour of colours) counts.set(colour, (counts.get(colour) ?? 0) + 1);
	return 1 - Math.max(...counts.values()) / colours.length;
}
/** @typedef {Awaited<ReturnType<typeof import('./browser.mjs').openBrowser>>} Browser */

/** Opens a page and its driver. @param {Browser} browser @param {string} file @param {string} [state] @param {string} [hash] */
export async function opened(browser, file, state, hash) {
	/** @type {any} */
	const page = await browser.open(file, state, hash);
	return { page, d: driver(page) };
}

/**
 * Opens a page in place of another one. Presses a key, so that the hints of a new page disappear.
 * @param {Browser} browser
 * @param {any} before page to close
 * @param {string} file
 * @param {string} hash
 */
export async function turnTo(browser, before, file, hash) {
	await before?.close();
	const { page, d } = await opened(browser, file, 'ready', hash);
	await page.keyboard.press('Shift');
	await d.settle();
	return { page, d };
}

/** Formats a duration with four digits, as the table does. @param {number} s seconds */
export function brief(s) {
	const ns = Math.round(s * 1e8) * 10;
	if (ns < 999.5) return `${ns} ns`;
	const [v, unit] = ns < 999.95e3 ? [ns / 1e3, 'µs'] : ns < 999.95e6 ? [ns / 1e6, 'ms'] : [ns / 1e9, 's'];
	return `${v.toFixed(v < 9.9995 ? 3 : v < 99.995 ? 2 : 1)} ${unit}`;
}
