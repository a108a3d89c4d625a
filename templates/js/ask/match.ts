// SPDX-License-Identifier: BSD-3-Clause
/** Converts the tree of a search to one test. If names alone decide, the test is one table of dictionary entries. */
import { errnoName, returnText, signedReturn } from '../base/errno.ts';
import { Kind, waitLetter } from '../base/kinds.ts';
import { all, either, neither, type Test } from './combine.ts';
import { byCall, byCpu, byDuration, byIpc, byName, byPid, byRpc, bySmallPid, byTime, tabled } from './fields.ts';
import { Mistake, hasCapitals, type Field, type Node, type Text } from './grammar.ts';
import { cgroupName, idsWith } from './identity.ts';
import { inside } from './quantities.ts';
import type { Trace } from '../data/trace.ts';

/** sensitive: small letters do not match capitals; zero: time that the page displays as 0, units of 10 ns. */
type Manner = {sensitive: boolean, zero: number};

/** Maximum number of match results that are stored by name, argument and return value. */
const MOST_LABELS = 500000;

/** Returns the regular expression of a text. If the text has capitals, the case of all letters matters. */
export function expressionOf({ source, exact, at }: Text, sensitive: boolean): RegExp {
	const pattern = exact ? source.replace(/[\\^$.*+?()[\]{}|]/g, '\\$&') : source;
	try {
		return new RegExp(pattern, sensitive || hasCapitals(source) ? '' : 'i');
	} catch (error) {
		const why = /: ([^:]*)$/.exec(error instanceof Error ? error.message : '')?.[1] ?? '';
		throw new Mistake(`not a regular expression${why && `: ${why[0].toLowerCase()}${why.slice(1)}`}`, at, source.length);
	}
}

/**
 * Returns whether an expression matches a name, as in the data or in the words of the page. If a name in the data begins with
 * a hyphen, the match must begin there.
 * @param text name in the data
 * @param words name in the words of the page
 */
function named(expression: RegExp, text: string, words: string) {
	if (words !== text && expression.test(words)) return true;
	if (text[0] !== '-') return expression.test(text);
	const found = expression.exec(text);
	return found !== null && found.index === 0 && (found[0].length > 0 || expression.source === '(?:)');
}

/** Returns whether a text has a parenthesis, = or the name of an error: only calls with argument and result have these. */
const asksForLabels = ({ source, exact }: Text) => /=|\bE[A-Z]{2,}/.test(source) || (exact ? /[()]/ : /\\[()]|\[[^\]]*[()]/).test(source);

/** Returns a test of names or, if the text needs it, of labelled calls: `write(1)=24`, `read(3)=-11 EAGAIN`, `read(3)=-EAGAIN`. */
function byText(trace: Trace, text: Text, sensitive: boolean): Test {
	const expression = expressionOf(text, sensitive);
	const names = byName(trace, (i) => named(expression, trace.texts[i], trace.words[i]));
	if (!asksForLabels(text)) return names;
	const { arg, ret, name, texts } = trace;
	// the text before the parenthesis must be the end of the name
	const literal = text.source.includes('|') ? '' : /^\^?([\w-]+)\\?\(/.exec(text.source)?.[1].toLowerCase() ?? '';
	const hopeless = Uint8Array.from(texts, (t) => Number(!t.toLowerCase().endsWith(literal)));
	const known: Map<number, boolean> = new Map();
	const matches = (entry: number, a: number, r: number, ended: boolean) => {
		const call = `${texts[entry]}(${a})`;
		if (expression.test(r || ended ? `${call}=${returnText(r)}` : call)) return true;
		const signed = signedReturn(r);
		return ended && signed < 0 && signed >= -4095 && expression.test(`${call}=-${errnoName(-signed)}`);
	};
	const labels = byCall(trace, (first, last, ended) => {
		const entry = name[first];
		if (hopeless[entry]) return false;
		const [a, r] = [arg.at(first), ret.at(last)];
		if (!(a >= 0 && a < 65536 && r >= 0 && r < 65536 && entry < 1e6)) return matches(entry, a, r, ended);
		const key = ((entry * 65536 + a) * 65536 + r) * 2 + Number(ended);
		let is = known.get(key);
		if (is === undefined) {
			is = matches(entry, a, r, ended);
			if (known.size < MOST_LABELS) known.set(key, is);
		}
		return is;
	});
	return either([names, labels]);
}

/** Returns a test of the threads with these ids. */
const byIds = (trace: Trace, ids: Set<number>) => byPid(trace, (pid) => ids.has(pid));

function byField(
	trace: Trace, { field, ranges = [], source = '', kinds = [], letters = '', at, length }: Field,
	{ sensitive, zero }: Manner,
): Test {
	const expression = () => expressionOf({ is: 'text', source, exact: false, at: at + length - source.length }, sensitive);
	const fields: Record<string, () => Test> = {
		pid: () => byPid(trace, (pid) => inside(ranges, trace.pidOf(pid))),
		process: () => {
			const e = expression();
			return byPid(trace, (pid) => e.test(trace.pidLabel(pid)));
		},
		name: () => {
			const e = expression();
			return byName(trace, (i) => named(e, trace.texts[i], trace.words[i]));
		},
		cgroup: () => {
			const e = expression();
			return byIds(trace, idsWith(trace, ({ cgroup }) => cgroup > 0 && e.test(cgroupName(trace, cgroup)), true));
		},
		nspid: () => byIds(trace, idsWith(trace, ({ own, level }) => level > 0 && inside(ranges, own), false)),
		cpu: () => byCpu(trace, (cpu) => inside(ranges, cpu)),
		kind: () => byName(trace, (i) => kinds.includes(trace.kinds[i])),
		wait: () => byName(trace, (i) => trace.kinds[i] === Kind.WAIT && letters.includes(waitLetter(trace.events[i]))),
		arg: () => byCall(trace, (first) => inside(ranges, trace.arg.at(first))),
		ret: () => byCall(trace, (_, last, ended) => ended && inside(ranges, signedReturn(trace.ret.at(last)))),
		errno: () => byCall(trace, (_, last, ended) => {
			const value = ended ? signedReturn(trace.ret.at(last)) : 0;
			return value < 0 && value >= -4095 && inside(ranges, -value);
		}),
		dur: () => byDuration(trace, ranges),
		t: () => byTime(trace, ranges.map(({ low, high }) => ({ low: low + zero, high: high + zero }))),
		ipc: () => byIpc(trace, ranges),
		rpc: () => byRpc(trace, ranges),
	};
	return fields[field]();
}

/** Returns a test that is true for spans in the rows with these keys. */
export function inRows(trace: Trace, keys: Iterable<string>): Test {
	const ids: Record<string, Set<number>> = {};
	for (const key of keys) {
		const [group, id] = key.split(' ');
		(ids[group] ??= new Set()).add(Number(id));
	}
	const tests: Test[] = [];
	const { CPU, PID, RPC, Resource } = ids;
	if (CPU) tests.push(byCpu(trace, (cpu) => CPU.has(cpu)));
	if (PID) tests.push(byPid(trace, (pid) => PID.has(pid)));
	if (RPC) tests.push(byRpc(trace, [...RPC].map((id) => ({ low: id, high: id }))));
	if (Resource) tests.push(byName(trace, (i) => Resource.has(i)));
	return tests.length ? either(tests) : byName(trace, () => true);
}

/** Returns the test of a tree. @throws Mistake */
export function testOf(trace: Trace, node: Node, manner: Manner): Test {
	if (node.is === 'text') return byText(trace, node, manner.sensitive);
	if (node.is === 'field') return byField(trace, node, manner);
	if (node.is === 'not') {
		const test = testOf(trace, node.of, manner);
		if (test.pids) return bySmallPid(trace, test.pids.map((w) => 1 - w));
		return test.table ? tabled(trace, test.table.map((w) => 1 - w)) : neither(test);
	}
	const tests = node.of.map((n) => testOf(trace, n, manner));
	const tables = tests.flatMap((t) => (t.table ? [t.table] : []));
	const rest = tests.filter((t) => !t.table);
	if (tables.length > 1 || !rest.length) {
		const one = tables[0].map((_, i) => Number(node.is === 'and' ? tables.every((t) => t[i]) : tables.some((t) => t[i])));
		rest.push(tabled(trace, one));
	} else if (tables.length) {
		rest.push(tabled(trace, tables[0]));
	}
	return rest.length === 1 ? rest[0] : node.is === 'and' ? all(rest) : either(rest);
}
