// SPDX-License-Identifier: BSD-3-Clause
/** The browser tests of tables, tools, layers, columns and colours, one after the other, as one TAP. */
import { done } from './tap.mjs';

await import('./tables.mjs');
await import('./tools.mjs');
await import('./layers.mjs');
await import('./columns.mjs');
await import('./colours.mjs');
done();
