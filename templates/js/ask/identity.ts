// SPDX-License-Identifier: BSD-3-Clause
/**
 * Finds which owner of its pid a thread is: its birth, parent, programs, cgroup, and its pid in its own namespace. The rows with
 * this information have the event of a name of a task (kutrace-trace(5)). Must not use the page.
 */
import * as Event from '../base/events.ts';
import { Kind } from '../base/kinds.ts';
import { exitTimes } from '../data/lives.ts';
import { fact, ofProcess, type Fact, type Part } from './fact.ts';
import type { Trace } from '../data/trace.ts';

/** One record. Pids are of the initial namespace; 0: unknown. own: pid in the own namespace, if level is not 0. */
export type Identity = {
	at: number, reason: string, program: string, parent: number, process: number, own: number, level: number, cgroup: number, start: string, before: number,
};
/** The records of one owner of a pid up to a time; cgroup: id, also after a move of the whole process. */
export type Owner = {records: Identity[], last: Identity, cgroup: number};

const REASONS: Record<string, string> = { p: 'existed', f: 'began as a process', t: 'began as a thread', x: 'executed', m: 'moved to', g: 'moved to' };
const FORM = /^([pftxmg])((?: [a-z][0-9a-f]+(?:\.[0-9a-f]+)?)*)(?: =(.*))?$/s;
/** Maximum number of records that are shown. */
const MOST_RECORDS = 20;

type Known = {byPid: Map<number, Identity[]>, cgroups: Map<number, string>};
const known: WeakMap<Trace, Known> = new WeakMap();

/** Returns the record in the name of a row, or null. */
export function parse(text: string, pid: number, at: number): Identity | null {
	const [, reason, fields, program] = FORM.exec(text) ?? [];
	if (!reason) return null;
	const values = new Map(fields.split(' ').map((f) => [f[0], f.slice(1)] as [string, string]));
	const number = (letter: string) => parseInt(values.get(letter) ?? '0', 16);
	const level = parseInt((values.get('n') ?? '').split('.')[1] ?? '0', 16);
	return {
		at, reason, program: program ?? '', parent: number('p'), process: number('g') || pid, own: level ? number('n') : 0, level,
		cgroup: number('c'), start: values.get('s') ?? '', before: number('o'),
	};
}

function recordsOf(trace: Trace): Known {
	let all = known.get(trace);
	if (all) return all;
	all = { byPid: new Map(), cgroups: new Map() };
	known.set(trace, all);
	if (!trace.events.includes(Event.TASK)) return all;
	for (const g of trace.byKind[Kind.POINT]) {
		if (trace.event(g) === Event.CGROUP) all.cgroups.set(trace.arg.at(g), trace.text(g));
		if (trace.event(g) !== Event.TASK) continue;
		const pid = trace.pidOf(trace.pid[g]);
		const record = parse(trace.text(g), pid, trace.start[g]);
		if (record) (all.byPid.get(pid) ?? all.byPid.set(pid, []).get(pid)!).push(record);
	}
	return all;
}

/** Returns the number of items, in time order, up to t. @param at returns the time of item i */
function countTo(length: number, at: (i: number) => number, t: number) {
	let lo = 0;
	for (let hi = length; lo < hi;) {
		const mid = (lo + hi) >>> 1;
		if (at(mid) <= t) lo = mid + 1;
		else hi = mid;
	}
	return lo;
}

/** Returns the number of the records of a pid up to t. */
const upTo = (records: Identity[], t: number) => countTo(records.length, (i) => records[i].at, t);

/** Returns the owner of a pid at a time, or null if the trace has no record. @param pid a pid, not the id of a thread */
export function ownerAt(trace: Trace, pid: number, t: number): Owner | null {
	const { byPid } = recordsOf(trace);
	const all = byPid.get(pid) ?? [];
	const n = upTo(all, t);
	if (!n) return null;
	const last = all[n - 1];
	let first = n - 1;
	while (first && all[first - 1].start === last.start) first--;
	const process = last.process === pid ? [] : byPid.get(last.process) ?? [];
	// a thread moves with its process
	const moved = process.slice(0, upTo(process, t)).findLast((record) => record.reason === 'g' && record.at > last.at);
	return { records: all.slice(first, n), last, cgroup: (moved ?? last).cgroup };
}

/** Returns the name of a cgroup. */
export const cgroupName = (trace: Trace, id: number) => recordsOf(trace).cgroups.get(id) ?? `id ${id}`;

/**
 * Returns the ids of the threads of which at least one record passes.
 * @param along whether threads also pass if a record of a move of their whole process does
 */
export function idsWith(trace: Trace, wants: (record: Identity) => boolean, along: boolean): Set<number> {
	const { byPid } = recordsOf(trace);
	const ids: Set<number> = new Set();
	/** Records of moves of each process that pass, in time order. */
	const moves: Map<number, Identity[]> = new Map();
	for (const [pid, records] of byPid)
		for (const record of records) {
			if (!wants(record)) continue;
			ids.add(trace.idAt(pid, record.at));
			if (along && record.reason === 'g') (moves.get(pid) ?? moves.set(pid, []).get(pid)!).push(record);
		}
	if (!moves.size) return ids;
	const exits = exitTimes(trace);
	for (const [pid, records] of byPid)
		for (const { process, at } of records) {
			const of = process === pid ? [] : moves.get(process) ?? [];
			const move = of[upTo(of, at)];
			const ends = exits.get(pid) ?? [];
			if (move && !(ends[countTo(ends.length, (i) => ends[i], at)] <= move.at)) ids.add(trace.idAt(pid, at));
		}
	return ids;
}

function recordParts(trace: Trace, record: Identity): Part[] {
	const what = REASONS[record.reason];
	if (record.reason === 'm' || record.reason === 'g') return [{ t: record.at }, ` ${what} ${cgroupName(trace, record.cgroup)}`];
	return [{ t: record.at }, ` ${what}${record.program ? `${record.reason === 'x' ? ' ' : ', program '}${record.program}` : ''}`,
		...(record.before && record.reason === 'x' ? [', until then as thread ', ofProcess(trace, trace.idAt(record.before, record.at - 1))] : [])];
}

/** Returns the facts about the owner of a thread's pid at a time. Returns none if the trace has no record of it. */
export function identityFacts(trace: Trace, id: number, t: number): Fact[] {
	const owner = id > 0 ? ownerAt(trace, trace.pidOf(id), t) : null;
	if (!owner) return [];
	const { records, last } = owner;
	const pid = trace.pidOf(id);
	return [
		...(last.process !== pid ? [fact('thread of', `${last.process}   `, ofProcess(trace, trace.idAt(last.process, t)))] : []),
		...(last.parent ? [fact('started by', `${last.parent}   `, ofProcess(trace, trace.idAt(last.parent, records[0].at)))] : []),
		...(last.level ? [fact('pid in its namespace', `${last.own} (level ${last.level})`)] : []),
		...(owner.cgroup ? [fact('cgroup', cgroupName(trace, owner.cgroup))] : []),
		...(records.length > MOST_RECORDS ? [fact('records', `the last ${MOST_RECORDS} of ${records.length}`)] : []),
		...records.slice(-MOST_RECORDS).map((record, i) => fact(i ? 'then' : 'identity', ...recordParts(trace, record))),
	];
}
