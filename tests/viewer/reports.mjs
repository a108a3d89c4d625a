// SPDX-License-Identifier: BSD-3-Clause
/**
 * Compares the calls in the reports of spantoprof and spandiff with callsof.mjs: every number of every line, to
 * the last digit. Prints nothing and exits with 0 if they agree.
 *
 *	node tests/viewer/reports.mjs trace.json prof.json         prof.json: of spantoprof --json
 *	node tests/viewer/reports.mjs a.json diff.json b.json      diff.json: of spandiff --json a.json b.json
 */
import { readFileSync } from 'node:fs';
import { callsOf, elapsedOf, grouped, isCall, sumOf } from './callsof.mjs';

/** @typedef {import('./callsof.mjs').Call} Call */

const [trace, report, second] = process.argv.slice(2);
const said = JSON.parse(readFileSync(report, 'utf8'));
/** @param {number} s @returns {number} */
const units = (s) => Math.round(s * 1e8);

/** @param {any} line of a report */
const numbers = ({ count, cut, time, elapsed, longest, p50, p99 }) =>
	[count, cut, ...[time, elapsed, longest, p50 ?? 0, p99 ?? 0].map(units)].join(' ');
/** Returns the same numbers for calls. @param {Call[]} calls */
function want(calls) {
	const { count, cut, own, elapsed, longest, p50, p99 } = sumOf(calls);
	return [count, cut, own, elapsed, count ? longest : Math.max(...calls.map(elapsedOf)), p50, p99].join(' ');
}

/** @param {Map<string, string>} got @param {Map<string, string>} expected */
function compare(got, expected) {
	const keys = new Set([...got.keys(), ...expected.keys()]);
	const wrong = [...keys].filter((k) => got.get(k) !== expected.get(k));
	for (const key of wrong.slice(0, 10)) console.log(`${key}: ${got.get(key)}, not ${expected.get(key)}`);
	if (wrong.length || keys.size < 20) {
		console.log(`${wrong.length} of ${keys.size} lines differ`);
		process.exit(1);
	}
}

/** @param {string} file */
function read(file) {
	const all = callsOf(readFileSync(file));
	/** Last name of each process. @type {Map<number, string>} */
	const names = new Map();
	for (const c of all) if (c.kind === 'user' || c.kind === 'kthread') names.set(c.pid, c.name);
	return { calls: all.filter(isCall), names };
}

if (second === undefined) {
	const { calls } = read(trace);
	const known = new Set(calls.map((c) => c.name));
	/** @param {Call} c */
	const key = (c) => `${c.pid || `-idle- CPU ${c.pieces[0].cpu}`} ${c.name}`;
	compare(new Map(said.processes.flatMap((/** @type {any} */ p) => p.kinds.filter((/** @type {any} */ k) => k.class === 'cpu' && known.has(k.kind))
		.map((/** @type {any} */ k) => [`${p.pid || p.name} ${k.kind}`, numbers(k)]))),
	new Map([...grouped(calls, key)].map(([k, of]) => [k, want(of)])));
} else {
	const [a, b] = [read(trace), read(second)];
	const known = new Set([...a.calls, ...b.calls].map((c) => c.name));
	/** @type {Map<string, string>} */
	const got = new Map();
	for (const group of said.groups.filter((/** @type {any} */ g) => g.by === 'process'))
		for (const kind of group.kinds.filter((/** @type {any} */ k) => k.class === 'cpu' && known.has(k.kind)))
			for (const side of ['a', 'b']) if (kind[side].count || kind[side].cut) got.set(`${side} ${group.name} ${kind.kind}`, numbers(kind[side]));
	compare(got, new Map([{ side: 'a', ...a }, { side: 'b', ...b }].flatMap(({ side, calls, names }) =>
		[...grouped(calls.filter((c) => c.pid), (c) => `${side} ${(names.get(c.pid) ?? '?').replace(/(.)\.\d+$/, '$1')} ${c.name}`)].map(([k, of]) => /** @type {[string, string]} */ ([k, want(of)])))));
}
