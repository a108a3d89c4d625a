// SPDX-License-Identifier: BSD-3-Clause
/** Lets Node import the page's source: removes the types with esbuild. together.mjs registers these hooks before it loads the tests. */
import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { join } from 'node:path';

/** @type {(source: Buffer, options: object) => Promise<{code: string}>} */
let transform;

/** Loads esbuild. @param {string} modules directory of the npm packages */
export function initialize(modules) {
	({ transform } = createRequire(join(modules, 'x.js'))('esbuild'));
}

/** @type {import('node:module').LoadHook} */
export async function load(url, context, next) {
	if (!/\.ts($|\?)/.test(url)) return next(url, context);
	// as in templates/tsconfig.json: fields are set after the parameters of the constructor
	const tsconfigRaw = { compilerOptions: { useDefineForClassFields: false } };
	const { code } = await transform(await readFile(new URL(url)), { loader: 'ts', sourcemap: 'inline', sourcefile: url, tsconfigRaw });
	return { format: 'module', source: code, shortCircuit: true };
}
