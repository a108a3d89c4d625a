// SPDX-License-Identifier: BSD-3-Clause
/**
 * The page in Firefox: beside Chromium, then its tables alone, as one TAP. Run by
 * firefox.sh, with BROWSER=firefox.
 */
import { done } from './tap.mjs';

await import('./twin.mjs');
await import('./tables.mjs');
done();
