// SPDX-License-Identifier: BSD-3-Clause
/** Starts the first worker. Is the page's first script: must stay small, because the browser waits for it before it reads on. */
import { early } from '../data/early.ts';

early();
