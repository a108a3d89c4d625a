// SPDX-License-Identifier: BSD-3-Clause
/**
 * Runs browser tests that are modules, one after the other, and prints one TAP output. The tests can import the page's
 * source (typescript.mjs):
 *
 *	node tests/viewer/together.mjs tables tools
 */
import { register } from 'node:module';
import { done } from './tap.mjs';

register('./typescript.mjs', import.meta.url);
for (const name of process.argv.slice(2)) await import(`./${name}.mjs`);
done();
