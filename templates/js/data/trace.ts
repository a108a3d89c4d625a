// SPDX-License-Identifier: BSD-3-Clause
/**
 * Holds the trace in memory: decoded columns, the kind of each name, and the lists of spans for the rows. A trace does not
 * change after it is made, except that a worker adds the processes' rows and the calls later. Times are in units of 10 ns.
 */
import * as Event from '../base/events.ts';
import { counted } from '../base/counters.ts';
import { returnText } from '../base/errno.ts';
import { partialOf, type Partial } from '../base/header.ts';
import { FIRST_TASK, KINDS, Kind, isExecution, kindOf, isOwn, programOf } from '../base/kinds.ts';
import { columnOf, familyOf, foreignWords, termOf, wordsOf, type RowWords } from '../base/words.ts';
import { Calls } from './calls.ts';
import { Packed, Tail } from './columns.ts';
import { findingsOf, type Findings } from './findings.ts';
import { group, inTimeOrder, processGroups, splitByKind, type Group, type ProcessGroups } from './group.ts';
import { IntervalList } from './intervals.ts';
import { findLives, idAt, regroup, rename, type Lives, type Pids } from './lives.ts';
import { SpanList } from './spans.ts';
import { joinWhole, type Whole } from './totals.ts';
import type { Tables } from './bins.ts';
import type { Arrays, Plan } from './plan.ts';

/** A row of span JSON. */
export type Row = [number, number, number, number, number, number, number, number, number, string];

/** One row of the groups PID, RPC or Resource. */
export interface Process {
	id: number; /* id of a thread, RPC id, or dictionary entry of a resource */
	label: string;
	spans: SpanList;
	waits: SpanList | null;
}

export const UNITS_PER_SECOND = 1e8;

/** Returns whether the event concerns a resource: a named resource, a queue or a held lock. */
function isResource(event: number) {
	return event === Event.RESOURCE || event === Event.ENQUEUE || event === Event.LOCKHELD;
}

export class Trace {
	declare header: Record<string, any>;
	/** Words for the rows, if the rows are not CPUs and processes. */
	declare foreign: RowWords | null;
	declare tracks: {cpu: number, lo: number, hi: number}[];
	declare otherOffset: number;
	declare length: number;
	declare start: Float64Array;
	declare dur: Float64Array | Uint32Array;
	declare name: Uint32Array | Uint16Array;
	/**
	 * Id of each span's thread. The id is the pid, except for a thread whose pid an earlier thread had (lives.ts). While
	 * the spans are being sorted, these are the pids.
	 */
	declare pid: Pids;
	/** Threads of reused pids; null: no pid is reused. */
	lives: Lives | null = null;
	declare rpc: Tail | null;
	declare hasRpc: boolean;
	declare arg: Packed;
	declare ret: Packed;
	declare ipc: Packed;
	/** True if the trace has counter bits (IPC or cache misses). */
	declare hasIpc: boolean;
	declare counted: {ipc: boolean, llc: boolean};
	declare otherCpu: Int32Array;
	declare events: Float64Array;
	declare texts: string[];
	declare spanKinds: Uint8Array;
	declare kinds: Uint8Array;
	/** Words that the page shows for each dictionary entry. */
	declare words: string[];
	/** Latest name of each thread, such as `make.104`, or `make.104#2` for the second thread with this pid. By id. */
	pidNames = new Map<number, string>();
	cpus = new Map<number, SpanList>();
	declare others: {cpu: number, lo: number, hi: number};
	declare byKind: Uint32Array[];
	declare arcs: IntervalList;
	declare marks: Uint32Array;
	declare samples: Map<number, SpanList>;
	declare frequencies: Map<number, SpanList>;
	declare locks: IntervalList;
	/** Spans in which recording was off. Each CPU has its own. */
	declare pauses: IntervalList;
	/** Times in which the machine or a CPU did not run. Each CPU has a span of its own. */
	declare stops: IntervalList;
	/** Time in which events of some CPUs are missing. */
	declare partial: Partial | null;
	/** Received and sent messages: messages of RPCs, and packets. */
	declare messages: IntervalList;
	/** Known faults that the spans prove. */
	findings: Findings = findingsOf(null);
	/** Time range of the picture. */
	declare first: number;
	declare last: number;

	/** @param later whether a worker will sort the spans by process and join the calls */
	constructor(header: Record<string, any>, plan: Plan, arrays: Arrays, later = false) {
		this.header = header;
		this.foreign = foreignWords(header);
		this.tracks = plan.tracks;
		this.otherOffset = plan.otherOffset;
		this.length = plan.spans;
		this.start = arrays.start;
		this.dur = arrays.dur;
		this.name = arrays.name;
		this.pid = arrays.pid;
		this.rpc = arrays.rpc && new Tail(arrays.rpc, arrays.rpcFrom);
		this.hasRpc = arrays.hasRpc;
		this.arg = new Packed(arrays.arg, arrays.order);
		this.ret = new Packed(arrays.ret, arrays.order);
		this.ipc = new Packed(arrays.ipc, arrays.order);
		this.hasIpc = arrays.ipc.length > 0;
		this.counted = counted(header.flags);
		this.otherCpu = arrays.cpu;
		this.events = Float64Array.from(arrays.events);
		this.texts = arrays.texts;
		this.spanKinds = arrays.kind;
		this.kinds = Uint8Array.from(arrays.texts, (text, i) => kindOf(arrays.events[i], text, arrays.inKernel[i]));
		this.words = this.texts.map((text, i) => wordsOf(this.kinds[i], text));

		this.kinds.forEach((kind, i) => {
			if (isOwn(kind)) this.pidNames.set(this.events[i] - FIRST_TASK, this.words[i]);
		});

		this.others = this.tracks.find((t) => t.cpu < 0) ?? { cpu: -1, lo: this.length, hi: this.length };
		this.tracks.forEach(({ cpu, lo, hi }, i) => {
			if (cpu < 0) return;
			const list = new SpanList(this, lo, hi);
			list.tables = arrays.tables[i] ?? null;
			this.cpus.set(cpu, list);
		});

		this.byKind = arrays.byKind ?? splitByKind(this.spanKinds, this.others.lo, this.others.hi);
		const intervals = (...kinds: number[]) => new IntervalList(this, this.#merged(kinds));
		this.arcs = intervals(Kind.WAKE, Kind.IPI);
		this.marks = this.#merged([Kind.MARK_A, Kind.MARK_B, Kind.MARK_C, Kind.MARK_D, Kind.BRACKET, Kind.TRACEPOINT]);
		this.samples = this.#byCpu(this.byKind[Kind.PC]);
		this.frequencies = this.#byCpu(this.byKind[Kind.FREQ]);
		this.locks = intervals(Kind.LOCK);
		this.pauses = intervals(Kind.PAUSE);
		this.stops = intervals(Kind.STOPPED, Kind.STOLEN);
		const partial = partialOf(header);
		this.partial = typeof partial === 'string' ? null : partial;
		this.messages = new IntervalList(this, this.#merged([Kind.RPC, Kind.PACKET]).filter((g) => {
			const event = this.event(g);
			return event === Event.RPCIDRXMSG || event === Event.RPCIDTXMSG || (event >= Event.RX_PKT && event <= Event.TX_USER);
		}));

		const [first, last] = this.#extent();
		this.first = first;
		this.last = last;
		this.sorting = this.joining = later;
		// distinguish the threads of reused pids before anything reads their ids
		if (!later && this.events.includes(Event.TASKEXIT)) this.processes();
	}

	/** True while a worker sorts the spans by process. Code that cannot wait for the worker sorts the spans itself. */
	sorting = false;
	onsorted: () => void = () => {};
	/** True while a worker joins the parts of calls. Until the worker has finished, there are no calls. */
	joining = false;
	onjoined: () => void = () => {};
	#calls: Calls | null = null;
	#processes: Process[] | null = null;
	#rpcs: Process[] | null = null;
	#resources: Process[] | null = null;

	/**
	 * Returns how long recording was off in [t0, t1). A pause has a span for each CPU, but counts once. Spans with argument 0
	 * do not count: recording was on, but the CPU had no event yet.
	 */
	pausedIn(t0: number, t1: number) {
		let sum = 0;
		let until = -Infinity;
		this.pauses.each(t0, t1, (g) => {
			if (!this.arg.at(g) || this.start[g] < until) return;
			until = this.end(g);
			sum += Math.max(0, Math.min(until, t1) - Math.max(this.start[g], t0));
		});
		return sum;
	}

	/** Returns how long the machine did not run in [t0, t1). Such a time has a span for each CPU, but counts once. */
	stoppedIn(t0: number, t1: number) {
		let sum = 0;
		let until = -Infinity;
		this.stops.each(t0, t1, (g) => {
			if (this.kind(g) !== Kind.STOPPED || this.start[g] < until) return;
			until = this.end(g);
			sum += Math.max(0, Math.min(until, t1) - Math.max(this.start[g], t0));
		});
		return sum;
	}

	/** Returns how long single CPUs did not run in [t0, t1), while others did: the sum of all CPUs. */
	stolenIn(t0: number, t1: number) {
		let sum = 0;
		this.stops.each(t0, t1, (g) => {
			if (this.kind(g) === Kind.STOLEN) sum += Math.max(0, Math.min(this.end(g), t1) - Math.max(this.start[g], t0));
		});
		return sum;
	}

	/** Returns the span of the time [from, to) in which the process had a CPU that did not run; -1: there is none. */
	stopOf(pid: number, from: number, to: number) {
		let found = -1;
		if (this.stops.length) this.stops.each(from, to, (g) => {
			if (this.pid[g] === pid && this.start[g] === from && this.end(g) === to) found = g;
		});
		return found;
	}

	/**
	 * Returns the length of [t0, t1) without pauses and without the times in which the machine did not run, at least 1: the
	 * whole of which a share of time is a part.
	 */
	recordedIn(t0: number, t1: number) {
		return Math.max(1, t1 - t0 - this.pausedIn(t0, t1) - this.stoppedIn(t0, t1));
	}

	/** Returns whether events of some CPUs are missing at t or later. */
	isPartial(t: number) {
		return this.partial !== null && t < this.partial.to;
	}

	kind(g: number) {
		return this.spanKinds[g];
	}

	/** Returns the name of a span as in the data. */
	text(g: number) {
		return this.texts[this.name[g]];
	}

	/** Returns the name of a span in the words of the page. */
	shown(g: number) {
		return this.words[this.name[g]];
	}

	event(g: number) {
		return this.events[this.name[g]];
	}

	end(g: number) {
		return this.start[g] + this.dur[g];
	}

	/** The track of the previous result of cpuOf(): the next span is probably in the same track. */
	#near: {cpu: number, lo: number, hi: number} = { cpu: -1, lo: 0, hi: 0 };

	cpuOf(g: number) {
		if (g >= this.others.lo && g < this.others.hi) return this.otherCpu[g - this.otherOffset];
		if (g < this.#near.lo || g >= this.#near.hi) {
			const track = this.tracks.find((t) => g >= t.lo && g < t.hi);
			if (!track) return -1;
			this.#near = track;
		}
		return this.#near.cpu;
	}

	/** Returns the row of span JSON from which the span was made. */
	row(g: number): Row {
		return [
			this.start[g] / UNITS_PER_SECOND, this.dur[g] / UNITS_PER_SECOND, this.cpuOf(g), this.pidOf(this.pid[g]),
			this.rpc ? this.rpc.at(g) : 0, this.event(g), this.arg.at(g), this.ret.at(g),
			this.ipc.at(g), this.text(g),
		];
	}

	/** Returns the return value of the system call that span g is a part of; '': the end of the call is not in the trace. */
	returned(g: number) {
		const { calls } = this;
		const ret = this.ret.at(calls ? calls.last(g) : g);
		return ret || !calls || calls.ends(g) ? returnText(ret) : '';
	}

	/** Returns the label of a span: `name.pid`, `sysname(arg)=ret`, or the name in the words of the page. */
	label(g: number) {
		if (this.kind(g) !== Kind.SYSCALL) return this.shown(g);
		const returned = this.returned(g);
		return `${this.text(g)}(${this.arg.at(g)})${returned && `=${returned}`}`;
	}

	/** Returns the name of a dictionary entry, without the process that the name contains. */
	family(entry: number) {
		return familyOf(this.kinds[entry], this.texts[entry]);
	}

	/** Returns for each dictionary entry whether it has the same event and name as `entry`, for any process in the name. */
	relatives(entry: number): Uint8Array {
		const name = this.family(entry);
		return Uint8Array.from(this.events, (event, i) => Number(event === this.events[entry] && this.family(i) === name));
	}

	/** Returns a term, such as `process` or `CPU`, in the words for this trace's rows. */
	term(term: string) {
		return termOf(this.foreign, term);
	}

	/** Returns the names of the columns of an exported file, in the words for this trace's rows. */
	columns(columns: string[]) {
		return columns.map((column) => columnOf(this.foreign, column));
	}

	/** Returns the pid of a thread. */
	pidOf(id: number) {
		return this.lives?.byId.get(id)?.pid ?? id;
	}

	/** Returns the id of the thread that had a pid at a time. */
	idAt(pid: number, t: number) {
		return this.lives ? idAt(this.lives.later, pid, t) : pid;
	}

	/** Returns the id of the thread that a wakeup woke. */
	woken(g: number) {
		return this.idAt(this.ret.at(g), this.start[g]);
	}

	pidLabel(pid: number) {
		return pid === 0 ? 'idle' : this.pidNames.get(pid) ?? `.${pid}`;
	}

	/** Returns the spans of one kind. @param kind a kind whose spans may overlap */
	ofKind(kind: number) {
		return new IntervalList(this, this.byKind[kind]);
	}

	/** Returns the spans of these kinds in the order of their numbers. */
	#merged(kinds: number[]) {
		const lists = kinds.map((k) => this.byKind[k]).filter((l) => l.length);
		if (lists.length === 1) return lists[0];
		const all = new Uint32Array(lists.reduce((n, l) => n + l.length, 0));
		const wanted = Uint8Array.from({ length: KINDS }, (_, kind) => Number(kinds.includes(kind)));
		for (let at = 0, g = this.others.lo; at < all.length; g++) if (wanted[this.spanKinds[g]]) all[at++] = g;
		return all;
	}

	/** Returns the spans ids as a list for each CPU. */
	#byCpu(ids: Uint32Array): Map<number, SpanList> {
		const grouped = group(ids.length, (i) => ids[i], (g) => this.otherCpu[g - this.otherOffset]);
		return new Map([...grouped.entries()].map(([cpu, { index, lo, hi }]) =>
			[cpu, new SpanList(this, lo, hi, index)]));
	}

	get executions() {
		return this.length - (this.others.hi - this.others.lo);
	}

	/** Returns one row for each thread that ran or waited, except idle, in the order of pids. */
	processes(): Process[] {
		return this.#processes ?? this.#sortedProcesses(processGroups(this.start, this.spanKinds, this.pid, this.tracks, this.byKind[Kind.WAIT]), null);
	}

	/** Uses the worker's result, unless the page has already sorted the spans. @param tables tables of the spans by pid */
	adopt(groups: ProcessGroups, tables: Map<number, Tables>) {
		if (!this.#processes) this.#sortedProcesses(groups, tables);
	}

	/** The calls; null while a worker joins them. */
	get calls(): Calls | null {
		if (this.#calls || this.joining) return this.#calls;
		const { start, dur, spanKinds, pid, name, tracks, texts } = this;
		const { spans } = processGroups(start, spanKinds, pid, tracks, new Uint32Array(0));
		this.#calls = new Calls(this, joinWhole({ start, dur, kind: spanKinds, pid, name, tracks, texts, events: [...this.events] }, spans));
		return this.#calls;
	}

	/** Uses the calls that the worker has joined. @param joined null: the worker could not join them */
	adoptCalls(joined: Whole | null) {
		if (joined) this.#calls = new Calls(this, joined);
		this.joining = false;
		this.onjoined();
	}

	/** Gives each thread of a reused pid its own id, name and groups. */
	#separate({ spans, waits }: ProcessGroups, tables: Map<number, Tables> | null) {
		const lives = findLives(this, { spans, waits });
		if (!lives) return;
		this.lives = lives;
		this.pid = rename(this.pid, lives.renamed);
		for (const pid of lives.later.keys()) tables?.delete(pid);
		for (const groups of [spans, waits]) regroup(groups, this.pid, lives.later.keys());
		for (const [id, { pid, number }] of lives.byId) {
			const { index, lo, hi } = spans.get(id) ?? { index: [], lo: 0, hi: 0 };
			let i = hi - 1;
			while (i >= lo && !isOwn(this.spanKinds[index[i]])) i--;
			this.pidNames.set(id, `${i < lo ? `.${pid}` : this.shown(index[i]).replace(/\?$/, '')}#${number + 1}`);
		}
	}

	#sortedProcesses({ spans, waits }: ProcessGroups, tables: Map<number, Tables> | null) {
		this.#separate({ spans, waits }, tables);
		const pids = [...new Set([...spans.keys(), ...waits.keys()])].sort((a, b) => this.pidOf(a) - this.pidOf(b) || a - b);
		this.#processes = pids.map((id) => this.#row(id, this.pidLabel(id), spans.get(id), waits.get(id)));
		for (const { id, spans: list } of this.#processes) list.tables = tables?.get(id) ?? null;
		return this.#processes;
	}

	#row(id: number, label: string, s: Group | undefined, w?: Group): Process {
		const spans = s ? new SpanList(this, s.lo, s.hi, s.index) : new SpanList(this, 0, 0);
		return { id, label, spans, waits: w ? new SpanList(this, w.lo, w.hi, w.index) : null };
	}

	/**
	 * Returns the names of RPCs. The event that begins work on an RPC has the RPC's id as argument, and its name is the RPC's
	 * name. (At the end of the work the argument is 0.) An RPC without such an event has the name of its first message.
	 * @returns by RPC id
	 */
	#rpcNames(): Map<number, string> {
		const names: Map<number, string> = new Map();
		const messages: Map<number, string> = new Map();
		for (const g of this.byKind[Kind.RPC]) {
			const event = this.event(g);
			const begins = event >= Event.RPCIDREQ && event <= Event.RPCIDMID;
			const id = begins ? this.arg.at(g) : this.rpc ? this.rpc.at(g) : 0;
			const known = begins ? names : messages;
			if (id > 0 && !known.has(id)) known.set(id, this.text(g));
		}
		return new Map([...messages, ...names]);
	}

	/** Returns one row for each RPC id of a span, in the order of their beginnings. */
	rpcs(): Process[] {
		if (this.#rpcs) return this.#rpcs;
		const { rpc } = this;
		if (!rpc) return (this.#rpcs = []);
		const key = (g: number) => (rpc.at(g) > 0 ? rpc.at(g) : -1);
		const groups = group(this.executions, inTimeOrder(this.start, this.tracks), key);
		const waitIds = this.byKind[Kind.WAIT];
		const waits = group(waitIds.length, (i) => waitIds[i], key);
		const labels = this.#rpcNames();
		const begin = (list: Group | undefined) => (list ? this.start[list.index[list.lo]] : Infinity);
		const first = (id: number) => Math.min(begin(groups.get(id)), begin(waits.get(id)));
		const ids = [...new Set([...groups.keys(), ...waits.keys()])].sort((a, b) => first(a) - first(b) || a - b);
		return (this.#rpcs = ids.map((id) => this.#row(id, labels.get(id) ?? `rpc.${id}`, groups.get(id), waits.get(id))));
	}

	/** True if a span uses a resource. Searches only the dictionary, because each of its entries belongs to a span. */
	get hasResources() {
		return this.events.some((event, i) => isResource(event) && [Kind.POINT, Kind.QUEUE, Kind.LOCK].some((kind) => kind === this.kinds[i]));
	}

	/** Returns one row for each named resource, queue and lock that was used. */
	resources(): Process[] {
		if (this.#resources) return this.#resources;
		const used = this.#merged([Kind.POINT, Kind.QUEUE, Kind.LOCK]).filter((g) => isResource(this.event(g)));
		// a dictionary entry is an event number with a name, so one entry is one lock or queue
		const groups = group(used.length, (i) => used[i], (g) => this.name[g]);
		this.#resources = [...groups].map(([id, { index, lo, hi }]) => ({
			id, label: this.texts[id].replace(/^[~=+]/, ''), spans: new SpanList(this, lo, hi, index), waits: null,
		}));
		return this.#resources;
	}

	/**
	 * Returns the limits of the picture: the first start, and the last end of execution, marks and wakeups. Without
	 * execution, returns the last end of all spans.
	 */
	#extent() {
		const { start, dur } = this;
		let first = Infinity;
		let last = -Infinity;
		for (const { cpu, lo, hi } of this.tracks) {
			first = Math.min(first, start[lo]);
			if (cpu >= 0) last = Math.max(last, start[hi - 1] + dur[hi - 1]);
		}
		const reach = (g: number) => {
			if (start[g] + dur[g] > last) last = start[g] + dur[g];
		};
		if (this.cpus.size === 0) for (let g = this.others.lo; g < this.others.hi; g++) reach(g);
		else for (const kind of [Kind.MARK_A, Kind.MARK_B, Kind.MARK_C, Kind.MARK_D, Kind.WAKE]) this.byKind[kind].forEach(reach);
		// on a page of RPCs or disk transfers, waits can end last, such as the transfer of a response
		if (this.foreign) this.byKind[Kind.WAIT].forEach(reach);
		if (first < last) return [first, last];
		// show a single moment as one microsecond
		return first === last ? [first, first + 100] : [0, UNITS_PER_SECOND];
	}

	has(kind: number) {
		return isExecution(kind) ? this.kinds.includes(kind) : this.byKind[kind].length > 0;
	}
}

/**
 * Returns the programs that ran under each pid one after the other. The filters write them as a name: `bash+hello.8292`.
 * @returns programs in time order, by pid; only pids that ran several programs
 */
export function programsByPid(trace: Trace): Map<number, string[]> {
	const found: Map<number, string[]> = new Map();
	trace.texts.forEach((text, i) => {
		if (trace.events[i] !== Event.LEFTMARK) return;
		const [, names, number] = /^(.*\+.*)\.(\d+)$/s.exec(text) ?? [];
		if (!names) return;
		const pid = Number(number);
		// these are the programs of all threads with this pid
		if (trace.lives?.later.has(pid)) return;
		// a name may contain a plus; the spans show the last name
		const last = programOf(trace.pidLabel(pid));
		if (names === last) return;
		const before = names.endsWith(`+${last}`) ? names.slice(0, -last.length - 1) : null;
		found.set(pid, before === null ? names.split('+') : [...before.split('+'), last]);
	});
	return found;
}
