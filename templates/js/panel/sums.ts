// SPDX-License-Identifier: BSD-3-Clause
/** Makes the facts and tables of the process pane, for the screen and for a file. ask/process.ts computes the sums. */
import { make } from '../base/dom.ts';
import * as format from '../base/format.ts';
import { Kind, isExecution, kindLabel } from '../base/kinds.ts';
import { waitFor } from '../ask/waitname.ts';
import { isCall } from '../data/calls.ts';
import { when } from '../scene/times.ts';
import { count, orNone, percent, text, time, timeIfAny, type Column, type Group, type Line } from './grid.ts';
import { COLUMNS, ofProcess } from './table.ts';
import type { OfCalls } from '../ask/callsums.ts';
import type { Keyed, SubjectSums } from '../ask/process.ts';
import type { View } from '../scene/view.ts';

/** sort: column by which the table is sorted at first. */
export type Section = {
	id: string, title: string, note?: string, columns: Column[], sort: number | null, groups: Group[],
	bars?: {title: string, counts: Float64Array}[],
};

/** Order in which kinds are shown. */
const ORDER: number[] = [Kind.SYSCALL, Kind.TRAP, Kind.IRQ, Kind.SOFTIRQ, Kind.SCHED, Kind.USER, Kind.KTHREAD, Kind.CEXIT, Kind.IDLE, Kind.IDLELP];
/** Names for all calls of a kind. */
const TOGETHER: Record<number, string> = {
	[Kind.SYSCALL]: 'system calls', [Kind.TRAP]: 'faults, traps', [Kind.IRQ]: 'interrupts', [Kind.SOFTIRQ]: 'softirqs',
	[Kind.SCHED]: 'scheduler', [Kind.USER]: 'user code', [Kind.KTHREAD]: 'kernel code',
};
const mean = { title: 'mean', show: time, tip: 'average' };
/** Column `longest` of a table whose lines go to their longest span. */
const longest = { ...COLUMNS.longest, tip: 'click: go to it' };

const named = (title: string, tip = ''): Column => ({ title, show: text, tip });

const lineOf = (c: OfCalls, name: string, opens?: Line['opens']): Line => ({
	cells: [name, c.count, c.elapsed, c.most, orNone(c.p50), orNone(c.p99), c.own, c.cut], span: c.longest, key: `${c.kind} ${c.name} ${c.pid}`, bound: c.bound, opens,
});

/** Makes the table of calls by name or, if the subject is a kind or a name, by process. */
function callsOf({ trace, subject, calls }: SubjectSums): Section[] {
	const byPid = !('pids' in subject);
	const groups = ORDER.flatMap((kind) => {
		const all = calls.kinds.find((k) => k.kind === kind);
		if (!all) return [];
		const lines = calls.names.filter((c) => c.kind === kind)
			.map((c) => (byPid ? lineOf(c, trace.pidLabel(c.pid), [ofProcess(c.pid)]) : lineOf(c, trace.words[c.name], [{ entry: c.name }])));
		const single = lines.length === 1 && !isCall(kind);
		return [{ head: single ? null : lineOf(all, TOGETHER[kind] ?? kindLabel(kind), byPid ? [] : [{ kind }]), lines }];
	});
	return [{
		id: 'calls', title: byPid ? 'By process' : 'Calls', sort: 2, groups,
		columns: [named(byPid ? 'process' : 'call'), COLUMNS.calls, COLUMNS.elapsed, COLUMNS.longestCall, COLUMNS.p50, COLUMNS.p99, COLUMNS.own, COLUMNS.cut],
	}];
}

const linesOf = (sums: Iterable<Keyed>, name: (key: any) => string, opens?: (key: any) => Line['opens']): Line[] => [...sums].map((s) => ({
	cells: [name(s.key), s.count, s.units, s.units / s.count, s.most], span: s.longest, key: String(s.key), opens: opens?.(s.key),
}));

function waitsOf({ trace, waits: sums }: SubjectSums): Section[] {
	const lines = [...sums.values()].map((w) => linesOf([w], () => waitFor(w.letter, w.call < 0 ? '' : trace.words[w.call]))[0]);
	return [{
		id: 'waits', title: 'Waits', sort: 2,
		columns: [named('waited for', 'reason, and the call in which it waited'), COLUMNS.count, COLUMNS.time, mean, longest],
		groups: [{ head: null, lines }],
	}];
}

/** Makes a table of processes. @param time column of the sums */
const processesOf = (id: string, title: string, { trace }: SubjectSums, sums: Map<number, Keyed>, time: Column, sort: number, note?: string): Section => ({
	id, title, sort, note, columns: [named('process'), COLUMNS.count, time, mean, longest],
	groups: [{ head: null, lines: linesOf(sums.values(), (pid) => trace.pidLabel(pid), (pid) => [ofProcess(pid)]) }],
});

function delaysOf({ delays: { woken, switched } }: SubjectSums): Section[] {
	const present = ([['after a wakeup', woken], ['after losing the CPU', switched]] as const).filter(([, { count: n }]) => n);
	return [{
		id: 'delays', title: 'Run-queue delay', sort: null, note: 'time in which the process was ready, but had no CPU',
		columns: [named('delay'), COLUMNS.count, mean, { title: 'p50', show: timeIfAny, tip: 'half took no longer' }, { title: 'p99', show: timeIfAny, tip: '99 % took no longer' },
			longest],
		groups: [{ head: null, lines: present.map(([name, d]) => ({ cells: [name, d.count, d.units / d.count, d.p50, d.p99, d.most], span: d.longest, key: name })) }],
		bars: present.map(([title, { bars }]) => ({ title, counts: bars })),
	}];
}

function cpusOf({ cpus, migrations, trace }: SubjectSums): Section[] {
	const total = [...cpus.values()].reduce((sum, c) => sum + c.units, 0);
	return [{
		id: 'cpus', title: 'CPUs', sort: 1, note: migrations ? `it moved to another ${trace.term('CPU')} ${format.count(migrations)} time${migrations === 1 ? '' : 's'}` : `it never moved to another ${trace.term('CPU')}`,
		columns: [named('CPU'), { title: 'time', show: time, tip: 'time in which the process ran on this CPU' }, { title: 'share', show: percent, tip: 'share of the time in which the process ran' }, { title: 'runs', show: count, tip: 'how often the process got this CPU' }],
		groups: [{ head: null, lines: [...cpus.values()].map((c) => ({ cells: [`${trace.term('CPU')} ${c.cpu}`, c.units, c.units / Math.max(1, total), c.runs], span: -1, key: String(c.cpu) })) }],
	}];
}

/** Returns all tables of the pane that are not empty. */
export function sectionsOf(sums: SubjectSums): Section[] {
	const delay = { title: 'delay', show: time, tip: 'total time until the process ran again' };
	return [...callsOf(sums), ...('pids' in sums.subject ? [
		...delaysOf(sums), processesOf('taken', 'Preempted by', sums, sums.takenBy, delay, 1, 'processes that got the CPU while this process was ready'), ...waitsOf(sums),
		processesOf('wokenby', 'Woken by', sums, sums.wokenBy, COLUMNS.latency, 1), processesOf('woke', 'Woke', sums, sums.woke, COLUMNS.latency, 1), ...cpusOf(sums),
	] : [processesOf('others', 'By process', sums, sums.others, COLUMNS.time, 2)])].filter(({ groups }) => groups.some(({ head, lines }) => head || lines.length));
}

/** Returns the facts about parent, children, beginning and end. */
function lifeOf({ life, trace }: SubjectSums, view: View, link: (pid: number) => HTMLElement) {
	if (!life) return [];
	const facts: [string, (Node | string)[]][] = [];
	const { parent, children, first, exit, identity } = life;
	for (const { term, parts } of identity)
		facts.push([term, parts.map((part) => (typeof part === 'string' ? part : 't' in part ? when(view, part.t) : 'pid' in part ? link(part.pid) : part.text))]);
	if (parent && !identity.length) facts.push(['forked by', [link(parent.pid), ...(parent.guessed ? ['? (likely)'] : [])]]);
	if (children.length) {
		const shown = children.slice(0, 12).flatMap(({ pid, guessed }) => [link(pid), guessed ? '? ' : ' ']);
		facts.push(['forked', [...shown, ...(children.length > 12 ? [`and ${format.count(children.length - 12)} more`] : [])]]);
	}
	const began = parent ? `began ${when(view, first)}` : first > trace.first ? `first seen ${when(view, first)}` : 'from the start';
	facts.push(['in the trace', [`${began}, ${Number.isNaN(exit) ? 'no exit recorded' : `exited ${when(view, exit)}`}`]]);
	return facts;
}

/** Makes the list of facts above the tables. */
export function factsOf(sums: SubjectSums, view: View, link: (pid: number) => HTMLElement) {
	const { calls, subject, cpus, waits: causes, t0, t1 } = sums;
	const facts: [string, (Node | string)[]][] = [];
	const of = (which: (kind: number) => boolean) => calls.kinds.filter((k) => which(k.kind)).reduce((sum, k) => sum + k.own, 0);
	const all = of(isExecution);
	if (all) {
		const user = of((kind) => kind === Kind.USER);
		const parts = 'pids' in subject ? `, ${format.brief(user)} of it user code` : '';
		facts.push([sums.trace.term('on CPU'), [`${format.brief(all)}, ${percent(all / sums.trace.recordedIn(t0, t1))} of one ${sums.trace.term('CPU')}${parts}`]]);
	}
	const runs = [...cpus.values()].reduce((sum, c) => sum + c.runs, 0);
	if (runs) facts.push(['ran', [`${format.count(runs)} time${runs === 1 ? '' : 's'}, on ${cpus.size === 1 ? `one ${sums.trace.term('CPU')}` : `${cpus.size} ${sums.trace.term('CPU')}s`}`]]);
	const waited = [...causes.values()].reduce((sum, w) => sum + w.units, 0);
	if (waited) facts.push(['waited', [format.brief(waited)]]);
	facts.push(...lifeOf(sums, view, link));
	return make('dl', 'about', facts.map(([name, parts]) => make('div', '', [make('dt', '', name), make('dd', '', parts)])));
}
