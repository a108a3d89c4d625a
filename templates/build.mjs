// SPDX-License-Identifier: BSD-3-Clause
/**
 * Builds the page. Bundles the worker, the scripts and the style, and inserts them into the HTML
 * with a Content-Security-Policy that allows only them. The policy forbids all other sources.
 *
 *	NODE_MODULES=dir node templates/build.mjs out.html
 */
import { createHash } from 'node:crypto';
import { mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const here = dirname(fileURLToPath(import.meta.url));
const out = process.argv[2];
if (!out || !process.env.NODE_MODULES) {
	console.error('usage: NODE_MODULES=dir node templates/build.mjs out.html');
	process.exit(2);
}
const esbuild = createRequire(join(process.env.NODE_MODULES, 'x.js'))('esbuild');

/** Returns the bundle of an entry. @param {string} entry */
async function bundle(entry) {
	const result = await esbuild.build({
		entryPoints: [join(here, entry)],
		bundle: true,
		minify: true,
		write: false,
		target: 'es2022',
		charset: 'utf8',
		legalComments: 'none',
	});
	return result.outputFiles[0].text.trimEnd();
}

const worker = await bundle('js/data/worker.ts');
const start = await bundle('js/shell/start.ts');
const script = await bundle('js/shell/main.ts');
const style = await bundle('css/page.css');

// a script must not contain text that ends a script element or hides its end
if ([worker, start, script].some((text) => /<\/script|<!--/i.test(text)) || /<\/style/i.test(style)) {
	console.error('build: the bundle holds text that would end its element');
	process.exit(1);
}
/** Returns the hash of a text, for the policy. @param {string} text */
const hash = (text) => `'sha256-${createHash('sha256').update(text).digest('base64')}'`;
const policy = [
	"default-src 'none'",
	`script-src ${hash(start)} ${hash(script)}`,
	`style-src ${hash(style)}`,
	'worker-src blob:',
	"base-uri 'none'",
	"form-action 'none'",
].join('; ');
const version = /^VERSION := (.+)$/m.exec(readFileSync(join(here, '../Makefile'), 'utf8'))?.[1] ?? '';
/** @type {Record<string, string>} */
const parts = { CSP: policy, WORKER: worker, START: start, CSS: style, SCRIPT: script, VERSION: version };
const html = readFileSync(join(here, 'show_cpu.html'), 'utf8')
	.replace(/@(CSP|WORKER|START|CSS|SCRIPT|VERSION)@/g, (_, name) => parts[name]);
mkdirSync(dirname(out), { recursive: true });
writeFileSync(`${out}.tmp`, html);
renameSync(`${out}.tmp`, out);
