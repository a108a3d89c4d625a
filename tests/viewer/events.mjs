// SPDX-License-Identifier: BSD-3-Clause
/** Exports event numbers by name, for programs that Node runs without the hooks of typescript.mjs. */
import { readFileSync } from 'node:fs';

const text = readFileSync(new URL('../../templates/js/base/events.ts', import.meta.url), 'utf8');

/** @type {typeof import('../../templates/js/base/events.ts')} */
export const Event = /** @type {any} */ (Object.fromEntries([...text.matchAll(/(\w+) = (0x[0-9a-f]+|\d+)/g)].map(([, name, number]) => [name, Number(number)])));

/** A page fault of each architecture, and the interrupt of the CPU's timer. */
export const PAGE_FAULT = Event.TRAP + 14;
export const LOCAL_TIMER = Event.IRQ + 236;
