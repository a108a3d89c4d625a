// SPDX-License-Identifier: BSD-3-Clause
/**
 * One picture of a page as it opens, when its table has been added up:
 *
 *	node tests/viewer/shot.mjs page.html picture.jpg
 */
import { resolve } from 'node:path';
import { openBrowser } from './browser.mjs';

const [file, picture] = process.argv.slice(2);
if (!file || !picture) {
	console.error('usage: node tests/viewer/shot.mjs page.html picture.jpg');
	process.exit(2);
}
const browser = await openBrowser({ viewport: { width: 1280, height: 720 } });
const page = await browser.open(resolve(file));
await page.keyboard.press('Shift');
await page.waitForTimeout(4000);
await page.screenshot({ path: picture, ...(picture.endsWith('.jpg') ? { type: 'jpeg', quality: 70 } : {}) });
await browser.close();
