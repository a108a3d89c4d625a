// SPDX-License-Identifier: BSD-3-Clause
/**
 * A fresh Chromium without network for tests, screenshots and measurements; with
 * BROWSER=firefox in the environment, or when asked for, Debian's Firefox, which
 * playwright-core drives by WebDriver BiDi. Finds playwright-core in the cache that
 * templates/modules.sh keeps (NODE_MODULES).
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

/** The browser that tests are in, unless they ask for one. */
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
		// whatever it wants from elsewhere it does not get
		firefoxUserPrefs: {
			'network.proxy.type': 1, 'network.proxy.socks': '127.0.0.1', 'network.proxy.socks_port': 9,
			// the driver cannot set this
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
	// a machine that builds kernels meanwhile takes its time
	context.setDefaultTimeout(120000);
	/** What no page may do: every request but the file itself, every complaint. @type {string[]} */
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
		 * Opens a page; without an address of the test's own, with the processes' rows closed, however many they are.
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
				// the tests' own reading of pixels is told off, too
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
