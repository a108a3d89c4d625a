// SPDX-License-Identifier: BSD-3-Clause
/**
 * Holds the trace in memory: decoded columns, the kind of each name, and the lists that rows are made of. Never changes
 * once it is made, except that a worker adds the processes' rows and the calls later. Times are in units of 10 ns.
 */
import * as Event from '../base/events.js';
import { counted } from '../base/counters.js';
import { returnText } from '../base/errno.js';
import { partialOf } from '../base/header.js';
import { FIRST_TASK, Kind, isExecution, kindOf, isOwn } from '../base/kinds.js';
import { columnOf, familyOf, foreignWords, termOf, wordsOf } from '../base/words.js';
import { Calls } from './calls.js';
import { Packed } from './columns.js';
import { group, inTimeOrder, processGroups, splitByKind } from './group.js';
import { IntervalList } from './intervals.js';
import { SpanList } from './spans.js';
import { Tail } from './tail.js';
import { joinWhole } from './totals.js';

/** @typedef {import('./plan.js').Plan} Plan */
/** @typedef {import('./plan.js').Arrays} Arrays */
/** A row of span JSON. @typedef {[number, number, number, number, number, number, number, number, number, string]} Row */

/**
 * @typedef {object} Process one row of the groups PID, RPC or Resource
 * @property {number} id pid, RPC id, or dictionary entry of a resource
 * @property {string} label
 * @property {SpanList} spans
 * @property {SpanList | null} waits
 */

export const UNITS_PER_SECOND = 1e8;

export class Trace {
	/**
	 * @param {Record<string, any>} header
	 * @param {Plan} plan
	 * @param {Arrays} arrays
	 */
	constructor(header, plan, arrays) {
		this.header = header;
		/** Words for the rows, if they are not CPUs and processes. */
		this.foreign = foreignWords(header);
		this.tracks = plan.tracks;
		this.otherOffset = plan.otherOffset;
		this.length = plan.spans;
		this.start = arrays.start;
		this.dur = arrays.dur;
		this.name = arrays.name;
		this.pid = arrays.pid;
		this.rpc = arrays.rpc && new Tail(arrays.rpc, arrays.rpcFrom);
		/** True if any span belongs to an RPC. */
		this.hasRpc = arrays.hasRpc;
		this.arg = new Packed(arrays.arg, arrays.order);
		this.ret = new Packed(arrays.ret, arrays.order);
		this.ipc = new Packed(arrays.ipc, arrays.order);
		/** True if the trace has counter bits (IPC or cache misses). */
		this.hasIpc = arrays.ipc.length > 0;
		this.counted = counted(header.flags);
		this.otherCpu = arrays.cpu;
		this.events = Float64Array.from(arrays.events);
		this.texts = arrays.texts;
		/** Kind of each span. */
		this.spanKinds = arrays.kind;
		/** Kind of each dictionary entry. */
		this.kinds = Uint8Array.from(arrays.texts, (text, i) => kindOf(arrays.events[i], text, arrays.inKernel[i]));
		/** Words that the page shows for each dictionary entry. */
		this.words = this.texts.map((text, i) => wordsOf(this.kinds[i], text));

		/** Latest name of each pid, with the pid in it. @type {Map<number, string>} */
		this.pidNames = new Map();
		this.kinds.forEach((kind, i) => {
			if (isOwn(kind)) this.pidNames.set(this.events[i] - FIRST_TASK, this.words[i]);
		});

		/** @type {Map<number, SpanList>} */
		this.cpus = new Map();
		this.others = /** @type {{cpu: number, lo: number, hi: number}} */ (
			this.tracks.find((t) => t.cpu < 0) ?? { cpu: -1, lo: this.length, hi: this.length });
		this.tracks.forEach(({ cpu, lo, hi }, i) => {
			if (cpu < 0) return;
			const list = new SpanList(this, lo, hi);
			list.tables = arrays.tables[i] ?? null;
			this.cpus.set(cpu, list);
		});

		this.byKind = arrays.byKind ?? splitByKind(this.spanKinds, this.others.lo, this.others.hi);
		/** @param {number[]} kinds */
		const intervals = (...kinds) => new IntervalList(this, this.#merged(kinds));
		this.arcs = intervals(Kind.WAKE, Kind.IPI);
		this.marks = this.#merged([Kind.MARK_A, Kind.MARK_B, Kind.MARK_C, Kind.MARK_D, Kind.BRACKET, Kind.TRACEPOINT]);
		this.samples = this.#byCpu(this.byKind[Kind.PC]);
		this.frequencies = this.#byCpu(this.byKind[Kind.FREQ]);
		this.locks = intervals(Kind.LOCK);
		/** Times in which recording was off, for each CPU. */
		this.pauses = intervals(Kind.PAUSE);
		const partial = partialOf(header);
		/** Time in which events of some CPUs are missing. */
		this.partial = typeof partial === 'string' ? null : partial;
		/** Messages received and sent: those of RPCs, and packets. */
		this.messages = new IntervalList(this, this.#merged([Kind.RPC, Kind.PACKET]).filter((g) => {
			const event = this.event(g);
			return event === Event.RPCIDRXMSG || event === Event.RPCIDTXMSG || (event >= Event.RX_PKT && event <= Event.TX_USER);
		}));

		const [first, last] = this.#extent();
		/** Beginning and end of the picture. */
		this.first = first;
		this.last = last;
	}

	/** True while a worker sorts the spans by process. Until then, code that cannot wait sorts them itself. */
	sorting = false;
	/** Called when the worker has sorted. @type {() => void} */
	onsorted = () => {};
	/** True while a worker joins the parts of calls. Until then there are no calls. */
	joining = false;
	/** Called when the calls are joined. @type {() => void} */
	onjoined = () => {};
	/** @type {Calls | null} */
	#calls = null;
	/** @type {Process[] | null} */
	#processes = null;
	/** @type {Process[] | null} */
	#rpcs = null;
	/** @type {Process[] | null} */
	#resources = null;

	/**
	 * Returns how long recording was off in [t0, t1). Each CPU has a row for the same pause: it counts once. Rows with
	 * argument 0 do not count: recording was on, but the CPU had no event yet.
	 * @param {number} t0
	 * @param {number} t1
	 */
	pausedIn(t0, t1) {
		let sum = 0;
		let until = -Infinity;
		this.pauses.each(t0, t1, (g) => {
			if (!this.arg.at(g) || this.start[g] < until) return;
			until = this.end(g);
			sum += Math.max(0, Math.min(until, t1) - Math.max(this.start[g], t0));
		});
		return sum;
	}

	/** Returns whether events of some CPUs are missing at t or later. @param {number} t */
	isPartial(t) {
		return this.partial !== null && t < this.partial.to;
	}

	/** Returns the kind of a span. @param {number} g */
	kind(g) {
		return this.spanKinds[g];
	}

	/** Returns the name of a span as in the data. @param {number} g */
	text(g) {
		return this.texts[this.name[g]];
	}

	/** Returns the name of a span in the words of the page. @param {number} g */
	shown(g) {
		return this.words[this.name[g]];
	}

	/** Returns the event number of a span. @param {number} g */
	event(g) {
		return this.events[this.name[g]];
	}

	/** Returns the end of a span. @param {number} g */
	end(g) {
		return this.start[g] + this.dur[g];
	}

	/** The track of the previous result of cpuOf(): the next span is probably in the same. @type {{cpu: number, lo: number, hi: number}} */
	#near = { cpu: -1, lo: 0, hi: 0 };

	/** Returns the CPU of a span, or -1. @param {number} g */
	cpuOf(g) {
		if (g >= this.others.lo && g < this.others.hi) return this.otherCpu[g - this.otherOffset];
		if (g < this.#near.lo || g >= this.#near.hi) {
			const track = this.tracks.find((t) => g >= t.lo && g < t.hi);
			if (!track) return -1;
			this.#near = track;
		}
		return this.#near.cpu;
	}

	/** Returns the row of span JSON from which the span was made. @param {number} g @returns {Row} */
	row(g) {
		return [
			this.start[g] / UNITS_PER_SECOND, this.dur[g] / UNITS_PER_SECOND, this.cpuOf(g), this.pid[g],
			this.rpc ? this.rpc.at(g) : 0, this.event(g), this.arg.at(g), this.ret.at(g),
			this.ipc.at(g), this.text(g),
		];
	}

	/** Returns the return value of the system call that span g is a part of. Returns '' if its end is not in the trace. @param {number} g */
	returned(g) {
		const { calls } = this;
		const ret = this.ret.at(calls ? calls.last(g) : g);
		return ret || !calls || calls.ends(g) ? returnText(ret) : '';
	}

	/** Returns `name.pid`, `sysname(arg)=ret`, or the name in words. @param {number} g */
	label(g) {
		if (this.kind(g) !== Kind.SYSCALL) return this.shown(g);
		const returned = this.returned(g);
		return `${this.text(g)}(${this.arg.at(g)})${returned && `=${returned}`}`;
	}

	/** Returns the name of a dictionary entry, without the process that it names. @param {number} entry */
	family(entry) {
		return familyOf(this.kinds[entry], this.texts[entry]);
	}

	/** Returns for each dictionary entry whether it is the same event as this one, for any process. @param {number} entry @returns {Uint8Array} */
	relatives(entry) {
		const name = this.family(entry);
		return Uint8Array.from(this.events, (event, i) => Number(event === this.events[entry] && this.family(i) === name));
	}

	/** Returns a term of the page, such as `process` or `CPU`, as it reads for this trace. @param {string} term */
	term(term) {
		return termOf(this.foreign, term);
	}

	/** Returns the columns of an exported file as they are for this trace. @param {string[]} columns */
	columns(columns) {
		return columns.map((column) => columnOf(this.foreign, column));
	}

	/** Returns the name of a process with its pid. @param {number} pid */
	pidLabel(pid) {
		return pid === 0 ? 'idle' : this.pidNames.get(pid) ?? `.${pid}`;
	}

	/** Returns the spans of one kind. @param {number} kind a kind whose spans may overlap */
	ofKind(kind) {
		return new IntervalList(this, this.byKind[kind]);
	}

	/** Returns the spans of these kinds in the order of their numbers. @param {number[]} kinds */
	#merged(kinds) {
		const lists = kinds.map((k) => this.byKind[k]).filter((l) => l.length);
		if (lists.length === 1) return lists[0];
		const all = new Uint32Array(lists.reduce((n, l) => n + l.length, 0));
		// each list is sorted by span number: so is the merged list
		const next = lists.map(() => 0);
		for (let at = 0; at < all.length; at++) {
			let least = Infinity;
			let from = 0;
			for (let k = 0; k < lists.length; k++) {
				const g = next[k] < lists[k].length ? lists[k][next[k]] : Infinity;
				if (g < least) {
					least = g;
					from = k;
				}
			}
			all[at] = least;
			next[from]++;
		}
		return all;
	}

	/**
	 * Returns a list of the spans for each CPU.
	 * @param {Uint32Array} ids
	 * @returns {Map<number, SpanList>}
	 */
	#byCpu(ids) {
		const grouped = group(ids.length, (i) => ids[i], (g) => this.otherCpu[g - this.otherOffset]);
		return new Map([...grouped.entries()].map(([cpu, { index, lo, hi }]) =>
			[cpu, new SpanList(this, lo, hi, index)]));
	}

	/** Number of execution spans. */
	get executions() {
		return this.length - (this.others.hi - this.others.lo);
	}

	/** Returns one row for each pid that ran or waited, except idle. @returns {Process[]} */
	processes() {
		if (this.#processes) return this.#processes;
		return this.#sortedProcesses(processGroups(this.start, this.spanKinds, this.pid, this.tracks, this.byKind[Kind.WAIT]), null);
	}

	/**
	 * Takes the result of the worker, unless the page has already sorted the spans itself.
	 * @param {import('./group.js').ProcessGroups} groups
	 * @param {Map<number, import('./bins.js').Tables>} tables tables of the spans by pid
	 */
	adopt(groups, tables) {
		if (!this.#processes) this.#sortedProcesses(groups, tables);
	}

	/** The calls; null while a worker joins them. @returns {Calls | null} */
	get calls() {
		if (this.#calls || this.joining) return this.#calls;
		const { start, dur, spanKinds, pid, name, tracks, texts } = this;
		const { spans } = processGroups(start, spanKinds, pid, tracks, new Uint32Array(0));
		this.#calls = new Calls(this, joinWhole({ start, dur, kind: spanKinds, pid, name, tracks, texts, events: [...this.events] }, spans));
		return this.#calls;
	}

	/** Takes the calls that the worker has joined. @param {import('./totals.js').Whole | null} joined null: the worker could not join them */
	adoptCalls(joined) {
		if (joined) this.#calls = new Calls(this, joined);
		this.joining = false;
		this.onjoined();
	}

	/**
	 * Makes the rows of the processes.
	 * @param {import('./group.js').ProcessGroups} groups
	 * @param {Map<number, import('./bins.js').Tables> | null} tables
	 */
	#sortedProcesses({ spans, waits }, tables) {
		const pids = [...new Set([...spans.keys(), ...waits.keys()])].sort((a, b) => a - b);
		this.#processes = pids.map((id) => {
			const s = spans.get(id);
			const w = waits.get(id);
			const list = s ? new SpanList(this, s.lo, s.hi, s.index) : new SpanList(this, 0, 0);
			list.tables = tables?.get(id) ?? null;
			return {
				id,
				label: this.pidLabel(id),
				spans: list,
				waits: w ? new SpanList(this, w.lo, w.hi, w.index) : null,
			};
		});
		return this.#processes;
	}

	/**
	 * Returns the names of RPCs. Work on an RPC begins with an event that has its id as argument: that event has the name.
	 * (At the end the argument is 0.) Other RPCs have the name of their messages.
	 * @returns {Map<number, string>} by RPC id
	 */
	#rpcNames() {
		/** @type {Map<number, string>} */
		const names = new Map();
		/** @type {Map<number, string>} */
		const messages = new Map();
		for (const g of this.byKind[Kind.RPC]) {
			const event = this.event(g);
			const begins = event >= Event.RPCIDREQ && event <= Event.RPCIDMID;
			const id = begins ? this.arg.at(g) : this.rpc ? this.rpc.at(g) : 0;
			const known = begins ? names : messages;
			if (id > 0 && !known.has(id)) known.set(id, this.text(g));
		}
		return new Map([...messages, ...names]);
	}

	/** Returns one row for each RPC id of a span, in the order of their beginnings. @returns {Process[]} */
	rpcs() {
		if (this.#rpcs) return this.#rpcs;
		const { rpc } = this;
		if (!rpc) return (this.#rpcs = []);
		/** @param {number} g */
		const key = (g) => (rpc.at(g) > 0 ? rpc.at(g) : -1);
		const groups = group(this.executions, inTimeOrder(this.start, this.tracks), key);
		const waitIds = this.byKind[Kind.WAIT];
		const waits = group(waitIds.length, (i) => waitIds[i], key);
		const labels = this.#rpcNames();
		/** Returns the start of the first span in a group. @param {{index: Uint32Array, lo: number} | undefined} list */
		const begin = (list) => (list ? this.start[list.index[list.lo]] : Infinity);
		/** @param {number} id */
		const first = (id) => Math.min(begin(groups.get(id)), begin(waits.get(id)));
		const ids = [...new Set([...groups.keys(), ...waits.keys()])].sort((a, b) => first(a) - first(b) || a - b);
		this.#rpcs = ids.map((id) => {
			const s = groups.get(id);
			const w = waits.get(id);
			return {
				id,
				label: labels.get(id) ?? `rpc.${id}`,
				spans: s ? new SpanList(this, s.lo, s.hi, s.index) : new SpanList(this, 0, 0),
				waits: w ? new SpanList(this, w.lo, w.hi, w.index) : null,
			};
		});
		return this.#rpcs;
	}

	/** Returns whether the event is about a resource: a named resource, a queue or a held lock. @param {number} event */
	static #isResource(event) {
		return event === Event.RESOURCE || event === Event.ENQUEUE || event === Event.LOCKHELD;
	}

	/** True if a span uses a resource. The dictionary has only entries that spans have. */
	get hasResources() {
		return this.events.some((event, i) => Trace.#isResource(event) && [Kind.POINT, Kind.QUEUE, Kind.LOCK].some((kind) => kind === this.kinds[i]));
	}

	/** Returns one row for each named resource, queue and lock that was used. @returns {Process[]} */
	resources() {
		if (this.#resources) return this.#resources;
		const used = this.#merged([Kind.POINT, Kind.QUEUE, Kind.LOCK]).filter((g) => Trace.#isResource(this.event(g)));
		// a dictionary entry is an event number with a name, so one entry is one lock or queue
		const groups = group(used.length, (i) => used[i], (g) => this.name[g]);
		this.#resources = [...groups].map(([id, { index, lo, hi }]) => ({
			id, label: this.texts[id].replace(/^[~=+]/, ''), spans: new SpanList(this, lo, hi, index), waits: null,
		}));
		return this.#resources;
	}

	/** Returns the first start, and the last end of execution, marks and wakeups. Without execution, the last end of all. */
	#extent() {
		const { start, dur } = this;
		let first = Infinity;
		let last = -Infinity;
		for (const { cpu, lo, hi } of this.tracks) {
			first = Math.min(first, start[lo]);
			if (cpu >= 0) last = Math.max(last, start[hi - 1] + dur[hi - 1]);
		}
		/** @param {number} g */
		const reach = (g) => {
			if (start[g] + dur[g] > last) last = start[g] + dur[g];
		};
		if (this.cpus.size === 0) for (let g = this.others.lo; g < this.others.hi; g++) reach(g);
		else for (const kind of [Kind.MARK_A, Kind.MARK_B, Kind.MARK_C, Kind.MARK_D, Kind.WAKE]) this.byKind[kind].forEach(reach);
		// the last span of an RPC is its way through the network
		if (this.foreign) this.byKind[Kind.WAIT].forEach(reach);
		if (first < last) return [first, last];
		// show a single moment as one microsecond
		return first === last ? [first, first + 100] : [0, UNITS_PER_SECOND];
	}

	/** Returns whether the trace has spans of this kind. @param {number} kind */
	has(kind) {
		return isExecution(kind) ? this.kinds.includes(kind) : this.byKind[kind].length > 0;
	}
}
