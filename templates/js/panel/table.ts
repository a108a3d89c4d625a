// SPDX-License-Identifier: BSD-3-Clause
/** Shows the tables of the panel. A click on a name opens the details of its subject. A click on a row goes to its longest span. */
import { byId, make } from '../base/dom.ts';
import * as format from '../base/format.ts';
import { Kind, kindLabel } from '../base/kinds.ts';
import { waitFor } from '../ask/waitname.ts';
import { isCall } from '../data/calls.ts';
import { cellsOf, count, grid, orNone, percentIfAny, sortLines, text, time, timeIfAny } from './grid.ts';
import type { OfCalls } from '../ask/callsums.ts';
import type { Subject } from '../ask/process.ts';
import { addSum, type Sum, type Tally } from '../ask/stats.ts';
import type { Trace } from '../data/trace.ts';
import type { View } from '../scene/view.ts';
import type { Column, Line, Order } from './grid.ts';
import { tabKeys, type File } from './panes.ts';

/** calls: the table needs joined calls. */
type Tab = {
	id: string, label: string, tip: string, columns: () => Column[], sort: number,
	lines: (sums: Tally, wall: number) => Line[], calls?: boolean,
};

/** Kinds that have other tables, or no meaningful length. */
const ELSEWHERE: Set<number> = new Set([Kind.WAIT, Kind.WAKE, Kind.IPI, Kind.PC, Kind.FREQ, Kind.BRACKET]);
/** Maximum number of rows; the file of the table has all of them. */
const MOST_ROWS = 300;

export const COLUMNS: Record<string, Column> = {
	cpu: { title: 'CPU time', key: 'CPU', show: time, tip: 'time on a CPU, in user code and in the kernel' },
	share: { title: 'share', key: 'wall', show: percentIfAny, tip: 'share of the whole or selected time without pauses; 100 % is one CPU' },
	count: { title: 'count', show: format.count, tip: 'number of spans' },
	longest: { title: 'longest', show: time, tip: 'the longest span; click a row to go there', goes: true },
	wait: { title: 'waiting', show: time, tip: 'time in which the process did not run, for any reason' },
	time: { title: 'time', show: time, tip: 'total time of all spans' },
	own: { title: 'on CPU', show: timeIfAny, tip: 'total time on a CPU, without interrupts and faults inside' },
	calls: { title: 'count', show: count, tip: 'number of complete calls; of user code and idle: number of spans' },
	longestCall: { title: 'longest', show: timeIfAny, tip: 'the longest call, from beginning to end; \u2265: all are incomplete, and took at least this long; click a row to go there', goes: true },
	p50: { title: 'p50', show: timeIfAny, tip: 'half of the complete calls took no longer' },
	p99: { title: 'p99', show: timeIfAny, tip: '99 % of the complete calls took no longer' },
	elapsed: { title: 'elapsed', show: time, tip: 'total time from beginning to end, also of incomplete calls' },
	cut: { title: 'incomplete', key: 'cutoff', show: count, tip: 'calls whose beginning or end is outside this time, or was not recorded; they are not in count, p50 and p99' },
	latency: { title: 'delay', key: 'untilrun', show: time, tip: 'total time from the wakeups until the woken process ran' },
};

/** Returns the columns that the tables of kinds and of names share. */
const CALLS = () => [COLUMNS.own, COLUMNS.share, COLUMNS.calls, COLUMNS.longestCall, COLUMNS.p50, COLUMNS.p99, COLUMNS.elapsed, COLUMNS.cut];
/** Makes the line of a kind or name of execution. */
const lineOfCalls = (name: string, c: OfCalls, wall: number, subject: Subject): Line => ({
	cells: [name, c.own, c.own / wall, c.count, c.most, orNone(c.p50), orNone(c.p99), c.elapsed, c.cut], span: c.longest, key: String(Object.values(subject)), bound: c.bound, opens: [subject],
});
/** Makes the line of a kind or name of spans on no CPU. */
const lineOfOthers = (name: string, s: Sum, subject: Subject): Line => ({
	cells: [name, -1, -1, s.count, s.most, -1, -1, s.units, 0], span: s.longest, key: String(Object.values(subject)), opens: [subject],
});
/** Sums spans on no CPU by name. Events whose names differ only in a pid are one name. */
function otherNames({ trace, names }: Tally) {
	const families: Map<string, Sum & {name: number}> = new Map();
	for (const sum of names) {
		if (!sum.count || ELSEWHERE.has(trace.kinds[sum.name])) continue;
		const key = `${trace.events[sum.name]} ${trace.family(sum.name)}`;
		const known = families.get(key);
		if (known) addSum(known, sum);
		else families.set(key, { ...sum });
	}
	return [...families.values()];
}
export const ofProcess = (pid: number): Subject | null => (pid >= 0 ? { pids: [pid] } : null);

/** Returns a function for the titles of columns, which differ on pages without processes. */
export const titleIn = (trace: Trace): (column: Column) => string => (column) => (!trace.foreign ? column.title : trace.term(column === COLUMNS.cpu ? COLUMNS.own.title : column.title));

const TABS: Tab[] = [{
	id: 'processes', label: 'Processes', tip: 'which processes used the CPUs, and which waited', sort: 1,
	columns: () => [{ title: 'process', show: text, tip: 'name and pid' }, COLUMNS.cpu, COLUMNS.share, COLUMNS.wait, COLUMNS.longest],
	lines: (sums, wall) => [...sums.processes.values()].map((p) => ({
		cells: [p.pid ? sums.trace.pidLabel(p.pid) : 'interrupts in idle', p.units, p.units / wall, p.wait, Math.max(0, p.most)],
		span: p.longest, key: `PID ${p.pid}`, opens: [ofProcess(p.pid)],
	})),
}, {
	id: 'cpus', label: 'CPUs', tip: 'what each CPU did, and whether it was idle while a process was ready', sort: 1,
	columns: () => [{ title: 'CPU', show: text, tip: '' }, { title: 'busy', show: time, tip: 'time in which the CPU was not idle' }, COLUMNS.share,
		{ title: 'user', show: time, tip: 'user code' }, { title: 'kernel', show: time, tip: 'system calls, faults, the scheduler' },
		{ title: 'interrupts', show: time, tip: 'interrupts and softirqs' },
		{ title: 'leaving idle', show: timeIfAny, tip: 'estimated time to leave deep idle states; counted as idle, not as busy' },
		{ title: 'idle while others waited', key: 'idleothersready', show: time, tip: 'time in which the CPU was idle while a process was ready and had no CPU: the process was bound to other CPUs, or on its way to this one' },
		{ title: 'longest', show: time, tip: 'longest single stretch of this idle time; click a row to go there', goes: true }],
	lines: (sums, wall) => sums.cpus.map((c) => ({
		cells: [c.cpu, c.busy, c.busy / wall, c.user, c.kernel, c.interrupts, c.leaving, c.wasted, c.most], span: c.longest, key: `CPU ${c.cpu}`,
	})),
}, {
	id: 'calls', label: 'Calls', tip: 'system calls, faults and interrupts of each process, the longest first', sort: 2, calls: true,
	columns: () => [{ title: 'call', show: text, tip: 'system call, fault, interrupt or softirq' }, { title: 'process', show: text, tip: 'process that made the call, or that was interrupted' },
		COLUMNS.longestCall, COLUMNS.calls, COLUMNS.p50, COLUMNS.p99, COLUMNS.elapsed, COLUMNS.own, COLUMNS.cut],
	lines: (sums) => (sums.calls?.groups ?? []).filter((c) => isCall(c.kind)).map((c) => ({
		cells: [sums.trace.words[c.name], sums.trace.pidLabel(c.pid), c.most, c.count, orNone(c.p50), orNone(c.p99), c.elapsed, c.own, c.cut],
		span: c.longest, key: `${c.name} ${c.pid}`, bound: c.bound, opens: [{ entry: c.name }, ofProcess(c.pid)],
	})),
}, {
	id: 'kinds', label: 'Kinds', tip: 'what the CPUs did', sort: 1,
	columns: () => [{ title: 'kind', show: text, tip: '' }, ...CALLS()], calls: true,
	lines: (sums, wall) => [
		...(sums.calls?.kinds ?? []).map((c) => lineOfCalls(kindLabel(c.kind), c, wall, { kind: c.kind })),
		...sums.kinds.filter((k) => k.count).map((k) => lineOfOthers(kindLabel(k.kind), k, { kind: k.kind })),
	],
}, {
	id: 'names', label: 'Names', tip: 'system calls, interrupts, programs by name', sort: 1,
	columns: () => [{ title: 'name', show: text, tip: '' }, ...CALLS()], calls: true,
	lines: (sums, wall) => [
		...(sums.calls?.names ?? []).map((c) => lineOfCalls(sums.trace.words[c.name], c, wall, { entry: c.name })),
		...otherNames(sums).map((n) => lineOfOthers(sums.trace.family(n.name), n, { entry: n.name })),
	],
}, {
	id: 'waits', label: 'Waits', tip: 'what processes waited for', sort: 2,
	columns: () => [{ title: 'process', show: text, tip: '' }, { title: 'waited for', key: 'for', show: text, tip: 'reason, and the call in which it waited' }, COLUMNS.time, COLUMNS.count, COLUMNS.longest],
	lines: (sums) => [...sums.waits.values()].map((w) => ({
		cells: [sums.trace.pidLabel(w.pid), waitFor(w.letter, w.call < 0 ? '' : sums.trace.words[w.call]), w.units, w.count, w.most],
		span: w.longest, key: `${w.pid} ${w.letter} ${w.call}`, opens: [ofProcess(w.pid)],
	})),
}, {
	id: 'wakeups', label: 'Wakeups', tip: 'which process woke which, and how long it took until the woken process ran', sort: 2,
	columns: () => [{ title: 'waker', show: text, tip: '' }, { title: 'woken', key: 'woke', show: text, tip: 'process that the waker woke' }, COLUMNS.count, COLUMNS.latency, COLUMNS.longest],
	lines: (sums) => [...sums.wakeups.values()].map((w) => ({
		cells: [sums.trace.pidLabel(w.from), sums.trace.pidLabel(w.to), w.count, w.units, w.most],
		span: w.longest, key: `${w.from} ${w.to}`, opens: [ofProcess(w.from), ofProcess(w.to)],
	})),
}];

/** Messages that explain why a table cannot be saved yet. */
export const UNFINISHED = 'The sums are not complete yet: save the table when they are.';
export const UNJOINED = 'The parts of calls are still being joined: save the table after that.';

/** Returns the name of a column in addresses. */
const plain = ({ title, key }: Column) => key ?? title.replace(/\W+/g, '');

export class Table {
	onopen: (subject: Subject) => void = () => {};
	tab = TABS[0];
	/** For each tab, the column and the direction by which its table is sorted. */
	orders: Map<string, Order> = new Map(TABS.map((t) => [t.id, { column: t.sort, down: true }]));
	/** Called when another table is shown, or when the order changes. */
	changed = () => {};
	sums: Tally | null = null;
	lines: Line[] = [];

	constructor(public view: View, public jump: (span: number) => void) {
		const tabs = byId('tabs');
		for (const tab of TABS) {
			tabs.append(make('button', '', view.trace.term(tab.label), {
				id: `tab-${tab.id}`, title: tab.tip, role: 'tab', 'aria-controls': 'tablebox', click: () => this.choose(tab.id),
			}));
		}
		tabKeys(tabs, (by) => {
			this.choose(TABS[(TABS.indexOf(this.tab) + by + TABS.length) % TABS.length].id);
			byId(`tab-${this.tab.id}`).focus();
		});
		this.render();
	}

	choose(id: string) {
		this.tab = TABS.find((t) => t.id === id) ?? this.tab;
		this.render();
		this.changed();
	}

	/** The tables whose order is not the default: `calls-p99-down.names-count-up`. */
	get sorting() {
		return TABS.flatMap((tab) => {
			const { column, down } = this.orders.get(tab.id) as {column: number, down: boolean};
			return column === tab.sort && down ? [] : [`${tab.id}-${plain(tab.columns()[column])}-${down ? 'down' : 'up'}`];
		}).join('.');
	}

	/** Sets the orders. Invalid parts are ignored; all other tables get their default order. */
	set sorting(asked) {
		for (const tab of TABS) {
			const [, title, way] = asked.split('.').map((item) => item.split('-')).find(([id]) => id === tab.id) ?? [];
			const column = tab.columns().findIndex((c) => plain(c) === title);
			this.orders.set(tab.id, column < 0 ? { column: tab.sort, down: true } : { column, down: way !== 'up' });
		}
		this.render();
	}

	/** Shows sums. @param sums null: not computed yet */
	show(sums: Tally | null) {
		this.sums = sums;
		this.render();
	}

	#sorted() {
		const sums = this.sums!;
		return sortLines(this.tab.lines(sums, sums.trace.recordedIn(sums.t0, sums.t1)), this.orders.get(this.tab.id) ?? null);
	}

	render() {
		for (const tab of TABS) {
			const button = byId(`tab-${tab.id}`);
			button.setAttribute('aria-selected', String(tab === this.tab));
			button.tabIndex = tab === this.tab ? 0 : -1;
		}
		const box = byId('tablebox');
		box.dataset.tab = this.tab.id;
		if (!this.sums) {
			box.replaceChildren(make('p', 'empty', 'Adding up …'));
			return;
		}
		if (this.tab.calls && !this.sums.calls) {
			box.replaceChildren(make('p', 'empty', 'Joining the parts of calls …'));
			return;
		}
		this.lines = this.#sorted();
		if (!this.lines.length) {
			box.replaceChildren(make('p', 'empty', `${this.view.trace.term(this.tab.label)}: none in the ${this.view.selection ? 'selection' : 'trace'}.`));
			return;
		}
		const shape = {
			label: this.tab.label, columns: this.tab.columns(), order: this.orders.get(this.tab.id) ?? null, jump: this.jump, open: this.onopen, title: titleIn(this.view.trace),
			sort: (order: Order) => {
				this.orders.set(this.tab.id, order);
				this.render();
				this.changed();
				box.querySelectorAll('th')[order.column].querySelector('button')?.focus();
			},
		};
		box.replaceChildren(grid(shape, [{ head: null, lines: this.lines.slice(0, MOST_ROWS) }]));
		if (this.lines.length > MOST_ROWS)
			box.append(make('p', 'empty', `and ${format.count(this.lines.length - MOST_ROWS)} more: [Save], this table`));
	}

	/** Returns the whole table for a file, with times in seconds. Sums of an earlier selection are not returned. */
	file(): File {
		const { sums, tab, view: { trace, selection } } = this;
		const { t0, t1 } = selection ?? { t0: trace.first, t1: trace.last };
		if (sums?.t0 !== t0 || sums.t1 !== t1) return UNFINISHED;
		if (tab.calls && !sums.calls) return UNJOINED;
		return { cells: cellsOf({ columns: tab.columns(), title: titleIn(trace) }, this.#sorted()), name: `${tab.id}.csv` };
	}
}
