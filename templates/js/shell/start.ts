// SPDX-License-Identifier: BSD-3-Clause
/**
 * Starts the first worker. Is the page's first script, and must stay small, because the browser waits for the script before
 * it reads on. This file is a separate entry, so no file imports it.
 */
import { early } from '../data/early.ts';

early();
