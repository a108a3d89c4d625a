// SPDX-License-Identifier: BSD-3-Clause
/** The page's first script; see early.js. */
import { early } from './early.js';

early();
