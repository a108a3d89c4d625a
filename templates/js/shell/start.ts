// SPDX-License-Identifier: BSD-3-Clause
/**
 * Is the page's first script. Must stay small, because the browser waits for it before it reads on. It is a separate entry,
 * so no file imports it.
 */
import { early } from '../data/early.ts';

early();
