// SPDX-License-Identifier: BSD-3-Clause
/**
 * Tests identities of threads on the page: the facts in the pane Details, and the search by cgroup and by the pid in a
 * namespace. Compares them with spantowhy and with plain conditions on the rows of identity.events. Needs no browser. Prints TAP.
 */
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { isExecution } from '../../templates/js/base/kinds.ts';
import { detailsOf } from '../../templates/js/ask/details.ts';
import { findNow } from '../../templates/js/ask/find.ts';
import { parse as parsed } from '../../templates/js/ask/grammar.ts';
import { parse } from '../../templates/js/ask/identity.ts';
import { SubjectSums } from '../../templates/js/ask/process.ts';
import { top } from './browser.mjs';
import { build } from './pages.mjs';
import { check, equal, test } from './tap.mjs';
import { traceOf } from './traceof.mjs';

const lines = readFileSync(join(top, 'tests/data/identity.events'), 'utf8').split('\n').sort((a, b) => parseInt(a) - parseInt(b)).join('\n');
const json = String(execFileSync(join(build, 'bin/eventtospan'), ['x'], { input: lines, stdio: ['pipe', 'pipe', 'ignore'] })).split('\n').sort().join('\n');
const trace = await traceOf(json, 'identity');

/** Returns the first span of a thread in which it runs and that ends after a time. @param {number} pid @param {number} t seconds */
function runOf(pid, t) {
	for (let g = 0; g < trace.length; g++) if (trace.pidOf(trace.pid[g]) === pid && trace.cpuOf(g) >= 0 && trace.end(g) > t * 1e8 && isExecution(trace.kind(g))) return g;
	return -1;
}
/** Returns the facts about a span: its term and its text. @param {number} span */
const factsOf = (span) => detailsOf(trace, span).sections[0].facts.map(({ term, parts }) =>
	[term, parts.map((p) => (typeof p === 'string' ? p : 't' in p ? (p.t / 1e8).toFixed(8) : p.text)).join('').replace(/\s+/g, ' ')]);
const TERMS = ['thread of', 'started by', 'pid in its namespace', 'cgroup', 'identity', 'then'];
/** @param {number} span */
const identityOf = (span) => factsOf(span).filter(([term]) => TERMS.includes(term)).map((f) => f.join(': '));

await test('details: the owner of the pid at the time of the span', () => {
	equal(identityOf(runOf(30000, 0)), ['started by: 10 sh.10?', 'cgroup: /web (20 ms of 100 ms)', 'identity: 0.00002000 began as a process, program sh', 'then: 0.00004001 executed first'], 'first owner');
	equal(identityOf(runOf(30000, 0.053)), ['started by: 10 sh.10?', 'pid in its namespace: 5 (level 1)', 'cgroup: /web (20 ms of 100 ms)', 'identity: 0.05102000 began as a process, program sh',
		'then: 0.05106000 moved to /web (20 ms of 100 ms)', 'then: 0.05300001 executed second =x, until then as thread sh.30001'], 'second owner, after exec in a thread');
	const thread = identityOf(runOf(30001, 0));
	check(thread[0].startsWith('thread of: 30000 '), thread[0]);
	equal(thread.slice(1), ['started by: 10 sh.10?', 'pid in its namespace: 6 (level 1)', 'cgroup: /web (20 ms of 100 ms)', 'identity: 0.05104000 began as a thread, program sh'], 'a thread that moved with its process');
});

await test('the Process panel has the same facts', async () => {
	for (const [t, want] of /** @type {[number, number][]} */ ([[0, 2], [0.053, 3]])) {
		const id = trace.pid[runOf(30000, t)];
		const sums = new SubjectSums(trace, /** @type {any} */ (trace.calls), { pids: [id] }, trace.first, trace.last);
		for (const _ of sums.work()) void _;
		for (const _ of sums.more()) void _;
		const facts = sums.life?.identity ?? [];
		equal(facts.map(({ term }) => term), identityOf(runOf(30000, t)).map((f) => f.split(': ')[0]), `owner at ${t}`);
		equal(facts.filter(({ term }) => term === 'identity' || term === 'then').length, want, `records at ${t}`);
	}
});

await test('details: the cgroups are those of spantowhy', () => {
	const { threads } = JSON.parse(String(execFileSync(join(build, 'bin/spantowhy'), ['--json'], { input: json, stdio: ['pipe', 'pipe', 'ignore'] })));
	for (const { pid, identity } of threads) {
		const span = runOf(pid, identity.history.at(-1).at);
		equal(new Map(/** @type {[string, string][]} */ (factsOf(span))).get('cgroup'), identity.cgroup, `${pid}`);
	}
	check(threads.length === 5, `${threads.length} threads`);
});

/** Returns the number of spans and calls that a search finds. @param {string} text */
const countOf = (text) => findNow(trace, { tree: parsed(text), from: 0, to: Infinity, sensitive: true, zero: 0, rows: [] }).total(0, Infinity).count;

await test('search by cgroup and by the pid in a namespace', () => {
	// the second owner of 30000 and its thread begin in a cgroup without a name, and move to /web
	for (const [text, same] of [['cgroup:^/web', 'pid:30000,30001'], ['cgroup:kubepods', 'pid:10'], ['nspid:6', 'pid:30001'], ['nspid:>0 !nspid:5', 'pid:30001']]) {
		equal(countOf(text), countOf(same), text);
		check(countOf(text) > 0, text);
	}
	check(countOf('nspid:5') > 0 && countOf('nspid:5') < countOf('pid:30000'), 'only the later owners of 30000 have a namespace');
	equal(countOf('cgroup:nothing'), 0, 'no such cgroup');
	equal(countOf('kubepods or c300'), 0, 'the records are no matches of a text');
});

await test('damaged records are none', () => {
	for (const text of ['', 'q p1', 'f  p1', 'x pzz', 'x p1 =', 'f p1 n5.1.2', 'f\tp1']) equal(text === 'x p1 =' ? parse(text, 1, 0)?.program : parse(text, 1, 0), text === 'x p1 =' ? '' : null, text);
	equal(parse('f pa z5 sb', 7, 0)?.parent, 10, 'a field of a later version');
});
