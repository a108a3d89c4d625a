// SPDX-License-Identifier: BSD-3-Clause
/**
 * The page's first script.
 * Never grows: the browser waits for it before it reads on.
 * An entry of its own, imported by nobody.
 */
import { early } from '../data/early.js';

early();
