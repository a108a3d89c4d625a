// SPDX-License-Identifier: BSD-3-Clause
/** Makes pages for the browser tests: makeself converts JSON to HTML, in a folder that is removed afterwards. */
import { execFileSync, spawnSync } from 'node:child_process';
import { closeSync, mkdtempSync, openSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { top } from './browser.mjs';
import { Event } from './events.mjs';
import { check } from './tap.mjs';

/** @typedef {[number, number, number, number, number, number, number, number, number, string]} Row */

export const build = join(top, process.env.BUILD ?? 'build');
export const template = join(build, 'templates', 'show_cpu.html');
export const dir = mkdtempSync(join(tmpdir(), 'kutrace-pages-'));
process.on('exit', () => rmSync(dir, { recursive: true, force: true }));

/** @param {string | Buffer} json */
export const makeself = (json) => spawnSync(join(build, 'bin', 'makeself'), [template], { input: json, maxBuffer: 1 << 30 });

/** Makes a page as a user would, directly into a file. @param {string | Buffer} json @param {string} name @returns {string} the file */
export function pageOf(json, name) {
	const file = join(dir, `${name}.html`);
	const out = openSync(file, 'w');
	const run = spawnSync(join(build, 'bin', 'makeself'), [template], { input: json, stdio: ['pipe', out, 'pipe'] });
	closeSync(out);
	check(run.status === 0, `makeself: exit ${run.status}: ${run.stderr}`);
	return file;
}

/** Returns span JSON of gen.mjs. @param {string[]} args */
export const generate = (...args) => execFileSync(process.execPath, [join(top, 'tests/viewer/gen.mjs'), ...args], { maxBuffer: 1 << 30 });

/** Returns span JSON of a golden trace. @param {string} [name] */
export const golden = (name = 'stock') => execFileSync('xzcat', [join(top, `tests/golden/${name}.json.xz`)], { maxBuffer: 1 << 30 });

/** Returns span JSON of a trace in tests/data. @param {string} name */
export const recorded = (name) => execFileSync(join(build, 'bin', 'rawtohtml'), ['--json', '-'],
	{ input: execFileSync('xzcat', [join(top, `tests/data/${name}.trace.xz`)], { maxBuffer: 1 << 30 }), stdio: ['pipe', 'pipe', 'ignore'], maxBuffer: 1 << 30 });

/** Names of the threads in iouring.trace that never leave the kernel. */
export const KERNEL_NAMES = /^(iou-(wrk|sqp)-\d+|k(worker|softirqd|compactd|damond).*|rcu_.*|migration\/\d+)\.\d+$/;

/** @param {string | Buffer} json @returns {Row[]} */
export const rowsOf = (json) => JSON.parse(String(json)).events.slice(0, -1);

/**
 * Returns JSON with these rows.
 * @param {(Row | string)[]} rows a string is inserted unchanged
 * @param {Record<string, unknown>} [header]
 */
export function jsonOf(rows, header = {}) {
	const lines = rows.map((r) => (typeof r === 'string' ? r :
		`[${r[0].toFixed(8)}, ${r[1].toFixed(8)}, ${r.slice(2, 9).join(', ')}, ${JSON.stringify(r[9])}],\n`));
	const head = { Comment: 'V2 with IPC field', flags: 3, title: 'rows', tracebase: '2026-11-20_08:50:00', version: 3, ...header };
	const items = Object.entries(head).map(([k, v]) => ` ${JSON.stringify(k)} : ${JSON.stringify(v)},\n`);
	return `  {\n${items.join('')}"events" : [\n${lines.join('')}[999.0, 0.0, 0, 0, 0, 0, 0, 0, 0, ""]\n]}\n`;
}

/** @param {Row} r */
export const isExecution = (r) => r[2] >= 0 && (r[5] >= 65536 || (r[5] >= Event.TRAP && r[5] < 0x1000));
