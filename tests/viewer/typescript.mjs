// SPDX-License-Identifier: BSD-3-Clause
/** Lets Node import the page's source: removes the types with esbuild. together.mjs registers these hooks before it loads the tests. */
import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

/** @type {import('node:module').LoadHook} */
export async function load(url, context, next) {
	if (!/\.ts($|\?)/.test(url)) return next(url, context);
	// esbuild reads templates/tsconfig.json
	const { stdout } = await promisify(execFile)(process.env.ESBUILD || 'esbuild', [fileURLToPath(url), '--sourcemap=inline'], { maxBuffer: 2 ** 26 });
	return { format: 'module', source: stdout, shortCircuit: true };
}
