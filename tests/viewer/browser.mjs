// SPDX-License-Identifier: BSD-3-Clause
/**
 * Opens a fresh Chromium without network for tests, screenshots and measurements. With BROWSER=firefox in the
 * environment, or on request, it opens Debian's Firefox, which playwright-core drives by WebDriver BiDi. Finds
 * playwright-core in the cache of templates/modules.sh (NODE_MODULES).
 */
import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';

export const top = join(dirname(fileURLToPath(import.meta.url)), '..', '..');

export const modules = process.env.NODE_MODULES ??
	execFileSync(join(top, 'templates', 'modules.sh'), { encoding: 'utf8' }).trim();
const { chromium, _bidiFirefox } = createRequire(join(modules, 'x.js'))('playwright-core');

/** The browser of tests that do not request one. */
export const usual = process.env.BROWSER === 'firefox' ? 'firefox' : 'chromium';

/** @param {Shape} shape */
async function openChromium(shape) {
	const dir = mkdtempSync(join(tmpdir(), 'kutrace-viewer-'));
	const context = await chromium.launchPersistentContext(dir, {
		executablePath: process.env.CHROMIUM ?? '/usr/bin/chromium',
		headless: true,
		args: ['--no-sandbox', '--disable-gpu', '--disable-quic', '--no-first-run',
			'--disable-background-networking', '--disable-component-update', '--disable-sync'],
		...shape,
	});
	return {
		context,
		end: async () => {
			await context.close();
			rmSync(dir, { recursive: true, force: true });
		},
	};
}

/** @typedef {{colorScheme: 'light' | 'dark', viewport: object, deviceScaleFactor: number}} Shape of windows */

/** @param {Shape} shape */
async function openFirefox({ colorScheme, ...shape }) {
	const browser = await _bidiFirefox.launch({
		executablePath: process.env.FIREFOX ?? '/usr/bin/firefox-esr',
		headless: true,
		timeout: 180000,
		// a proxy that does not exist blocks every request to the network
		firefoxUserPrefs: {
			'network.proxy.type': 1, 'network.proxy.socks': '127.0.0.1', 'network.proxy.socks_port': 9,
			// the driver has no option for the colour scheme
			'layout.css.prefers-color-scheme.content-override': colorScheme === 'dark' ? 0 : 1,
		},
	});
	return { context: await browser.newContext(shape), end: () => browser.close() };
}

/**
 * @param {object} [options]
 * @param {{width: number, height: number}} [options.viewport]
 * @param {'light' | 'dark'} [options.colorScheme]
 * @param {number} [options.deviceScaleFactor]
 * @param {'chromium' | 'firefox'} [options.browser]
 */
export async function openBrowser(options = {}) {
	const shape = {
		viewport: options.viewport ?? { width: 1280, height: 720 },
		colorScheme: options.colorScheme ?? 'light',
		deviceScaleFactor: options.deviceScaleFactor ?? 1,
	};
	const { context, end } = await ((options.browser ?? usual) === 'firefox' ? openFirefox : openChromium)(shape);
	// a busy machine may be slow
	context.setDefaultTimeout(120000);
	/** Violations: every request except for the file itself, and every message of the console. @type {string[]} */
	const requests = [];
	/** @type {string[]} */
	const complaints = [];
	await context.route(/^(?!file:|blob:|data:)/, (/** @type {any} */ route) => {
		requests.push(route.request().url());
		return route.abort();
	});
	return {
		context,
		requests,
		complaints,
		/**
		 * Opens a page. Without an address from the test, the rows of the processes are closed.
		 * @param {string} file
		 * @param {string} [state]
		 * @param {string} [hash]
		 */
		async open(file, state = 'ready', hash = 'g=CPU') {
			const page = await context.newPage();
			page.on('request', (/** @type {any} */ r) => {
				if (!/^(file|blob|data):/.test(r.url())) requests.push(r.url());
			});
			page.on('console', (/** @type {any} */ m) => {
				// ignore a warning about the tests' own reading of pixels
				if (['error', 'warning'].includes(m.type()) && !m.text().includes('willReadFrequently'))
					complaints.push(m.text());
			});
			page.on('pageerror', (/** @type {any} */ e) => complaints.push(String(e)));
			await page.goto(`${pathToFileURL(file).href}${hash && '#'}${hash}`);
			await page.waitForFunction((/** @type {string} */ s) => document.documentElement.dataset.state === s, state);
			return page;
		},
		async close() {
			await end();
		},
	};
}
