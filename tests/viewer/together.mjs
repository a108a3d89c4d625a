// SPDX-License-Identifier: BSD-3-Clause
/**
 * Runs browser tests that are modules, one after the other, and prints one TAP output:
 *
 *	node tests/viewer/together.mjs tables tools
 */
import { done } from './tap.mjs';

for (const name of process.argv.slice(2)) await import(`./${name}.mjs`);
done();
