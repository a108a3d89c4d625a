// SPDX-License-Identifier: BSD-3-Clause
/**
 * Takes one picture of a page after opening, or at an address, when its table is complete:
 *
 *	node tests/viewer/shot.mjs page.html picture.jpg [ADDRESS]
 */
import { resolve } from 'node:path';
import { openBrowser } from './browser.mjs';

const [file, picture, hash = ''] = process.argv.slice(2);
if (!file || !picture) {
	console.error('usage: node tests/viewer/shot.mjs page.html picture.jpg [ADDRESS]');
	process.exit(2);
}
const browser = await openBrowser({ viewport: { width: 1280, height: 720 } });
const page = await browser.open(resolve(file), 'ready', hash);
await page.keyboard.press('Shift');
await page.waitForTimeout(4000);
await page.screenshot({ path: picture, ...(picture.endsWith('.jpg') ? { type: 'jpeg', quality: 70 } : {}) });
await browser.close();
