// SPDX-License-Identifier: BSD-3-Clause
/**
 * Computes how time was used, as a tree: machine, process, call, calls inside, waits. The tree is for all processes, for some
 * processes, or for the calls of a kind or name, in a time range. Counts no time twice: the elapsed time of a node is exactly
 * its own time plus the elapsed times of its children. Works in steps.
 */
import * as Event from '../base/events.ts';
import { Kind, isExecution, isIdle, waitLetter } from '../base/kinds.ts';
import { isCall, type Calls } from '../data/calls.ts';
import { PIECE } from '../data/join.ts';
import type { SpanList } from '../data/spans.ts';
import type { Trace } from '../data/trace.ts';
import type { Subject } from './process.ts';

/** What a node stands for. User code is also a `call`. */
type What = 'all' | 'process' | 'call' | 'wait';

/** A node of the tree. Times are in units of 10 ns. */
export class Node {
	/** Number of calls, spans or waits. */
	count = 0;
	/** Time of the node itself: on a CPU or, for a wait, waiting. */
	own = 0;
	/** cpu: time on a CPU, of this node and all nodes inside. elapsed: time on a CPU or waiting, of the same nodes. */
	cpu = 0;
	elapsed = 0;
	/** First span of the longest call, span or wait, and its time inside the range. */
	longest = -1;
	most = -1;
	parts: Map<number, Node> = new Map();
	/** Children with a time or a count. finish() sets them. */
	children: Node[] = [];

	/** @param id pid, or dictionary entry of a call or of the lock of a wait @param letter wait reason; '': not known */
	constructor(public what: What, public parent: Node | null, public id: number, public letter = '') {}

	/** Returns the child for a call or wait. Makes it if it is new. */
	part(what: What, id: number, letter = '') {
		const key = what === 'wait' ? -1000 * (1 + id) - (letter ? letter.charCodeAt(0) : 0) : id;
		let part = this.parts.get(key);
		if (!part) this.parts.set(key, (part = new Node(what, this, id, letter)));
		return part;
	}

	counts(span: number, time: number) {
		this.count++;
		if (time <= this.most) return;
		this.most = time;
		this.longest = span;
	}
}

/** Number of spans visited between two yields. */
const SLICE = 5000;

/** Goes through the spans of processes, one process after another. */
class Walk {
	/** If set, only calls for which this function returns true count, with the calls and waits inside them. */
	takes: ((g: number) => boolean) | null = null;
	/** Calls that contain the current time, outermost first: node, end time, number of the joined call. */
	within: {node: Node | null, end: number, call: number}[] = [];
	process = new Node('process', null, 0);
	waits: SpanList | null = null;
	nextWait = 0;
	/** Spans in which the process tried to get a lock. */
	tries: number[] = [];

	constructor(public trace: Trace, public calls: Calls, public t0: number, public t1: number) {}

	/** The node to which time is added; null: the time does not count. */
	get top() {
		const { within } = this;
		return within.length ? within[within.length - 1].node : this.takes ? null : this.process;
	}

	/** Removes the calls that have ended by t from `within`. */
	leave(t: number) {
		const { within } = this;
		while (within.length && within[within.length - 1].end <= t) within.pop();
	}

	/**
	 * Counts a call that may have begun before the range. Returns its node; null: it does not count.
	 * @param first its first part
	 */
	enter(first: number, name: number, from: number, to: number) {
		const { top } = this;
		const node = this.takes?.(first) ? this.process : top ? top.part('call', name) : null;
		node?.counts(first, Math.min(to, this.t1) - Math.max(from, this.t0));
		return node;
	}

	open(call: number) {
		const { begin, elapsed, name } = this.calls.joined;
		const end = begin[call] + elapsed[call];
		this.within.push({ node: this.enter(this.calls.firstOf(call), name[call], begin[call], end), end, call });
	}

	/** Adds a time in which the process did not run. */
	gap(from: number, to: number) {
		this.leave(from);
		const { top, waits, trace } = this;
		if (!top || to <= from) return;
		let known = 0;
		if (waits) {
			const end = waits.length;
			while (this.nextWait < end && waits.end(this.nextWait) <= from) this.nextWait++;
			for (let i = this.nextWait; i < end && waits.start(i) < to; i++) {
				const g = waits.at(i);
				const time = Math.min(to, waits.end(i)) - Math.max(from, waits.start(i));
				const letter = waitLetter(trace.event(g));
				// a wait for a CPU comes after the wakeup: the lock no longer matters
				const lock = letter === 'c' || letter === 'q' ? -1 : this.lockAt(Math.max(from, waits.start(i)));
				const node = top.part('wait', lock, letter);
				node.own += time;
				node.counts(g, time);
				known += time;
			}
		}
		if (known < to - from) top.part('wait', -1).own += to - from - known;
	}

	/** Returns the dictionary entry of the lock that the process waits for at t, or -1. */
	lockAt(t: number) {
		const { start, dur, name } = this.trace;
		for (const g of this.tries) if (start[g] <= t && start[g] + dur[g] > t) return name[g];
		return -1;
	}

	span(g: number) {
		const { trace: { start, dur, spanKinds, name }, calls, t0, t1 } = this;
		const from = start[g];
		const to = from + dur[g];
		const time = Math.min(to, t1) - Math.max(from, t0);
		if (calls.flags[g] & PIECE) {
			const call = calls.at(g);
			const { within } = this;
			let at = within.length;
			while (at > 0 && within[at - 1].call !== call) at--;
			if (at > 0) within.length = at;
			else {
				this.leave(from);
				this.open(call);
			}
			const { top } = this;
			if (top) top.own += time;
			return;
		}
		this.leave(from);
		// user code is in no call
		if (!isCall(spanKinds[g])) this.within.length = 0;
		const node = this.enter(g, name[g], from, to);
		if (node) node.own += time;
	}

	/** Adds the time of a process, or of an idle task's calls, to node. @param open calls from before the range, outermost first */
	*through(node: Node, list: SpanList, waits: SpanList | null, open: number[], only?: (g: number) => boolean) {
		const { t0, t1 } = this;
		const { start, dur } = this.trace;
		this.process = node;
		this.within = [];
		this.waits = waits;
		const bounds = [list, waits].filter((l) => l !== null && l.length > 0).map((l) => l!);
		const seenFrom = Math.min(...bounds.map((l) => l.start(0)));
		const seenTo = Math.max(...bounds.map((l) => l.end(l.length - 1)));
		this.nextWait = waits ? waits.first(t0) : 0;
		for (const call of open) this.open(call);
		const until = list.seek(t1);
		let end = Math.max(t0, seenFrom);
		for (let i = list.first(t0); i < until; i++) {
			if (i % SLICE === 0) yield;
			const g = list.at(i);
			if (only && !only(g)) continue;
			if (!only && start[g] > end) this.gap(end, start[g]);
			this.span(g);
			end = Math.max(end, start[g] + dur[g]);
		}
		if (!only) this.gap(end, Math.min(t1, seenTo));
	}
}

/** Returns the joined calls that began before t and end after t, by pid. Pid 0 stands for all idle tasks. */
function* goingOn(
	{ pid }: Trace, { joined: { begin, elapsed, pieces, at }, count }: Calls, t: number,
): Generator<void, Map<number, number[]>, void> {
	const open: Map<number, number[]> = new Map();
	for (let call = 0; call < count && begin[call] < t; call++) {
		if (call % SLICE === 0) yield;
		if (begin[call] + elapsed[call] <= t) continue;
		const id = pid[pieces[at[call]]];
		(open.get(id) ?? open.set(id, []).get(id)!).push(call);
	}
	return open;
}

/** Returns the spans in which a process tried to get a lock, by pid. */
function triesOf(trace: Trace) {
	const tries: Map<number, number[]> = new Map();
	for (const g of trace.byKind[Kind.LOCK]) {
		if (trace.event(g) !== Event.LOCKTRY) continue;
		const pid = trace.pid[g];
		(tries.get(pid) ?? tries.set(pid, []).get(pid)!).push(g);
	}
	return tries;
}

/** Computes the sums of a node from its children. Drops children without time and count. */
function finish(node: Node) {
	node.children = [...node.parts.values()];
	node.cpu = node.what === 'wait' ? 0 : node.own;
	node.elapsed = node.own;
	for (const child of node.children) {
		finish(child);
		node.cpu += child.cpu;
		node.elapsed += child.elapsed;
	}
	node.children = node.children.filter((c) => c.elapsed > 0 || c.count > 0);
}

/** Returns a function that selects the calls of a subject; null: all calls. */
function wantedOf(trace: Trace, calls: Calls, subject: Subject | null): ((g: number) => boolean) | null {
	if (!subject || 'pids' in subject) return null;
	if ('kind' in subject) return (g) => trace.spanKinds[g] === subject.kind;
	return (g) => calls.name(g) === subject.entry;
}

/** Computes the tree of a subject for a range. @param subject null: the machine */
export function* flameOf(trace: Trace, calls: Calls, subject: Subject | null, t0: number, t1: number): Generator<void, Node, void> {
	const root = new Node('all', null, -1);
	const walk = new Walk(trace, calls, t0, t1);
	walk.takes = wantedOf(trace, calls, subject);
	const pids = subject && 'pids' in subject ? new Set(subject.pids) : null;
	const kind = subject && 'kind' in subject ? subject.kind : subject && 'entry' in subject ? trace.kinds[subject.entry] : -1;
	if (kind >= 0 && (!isExecution(kind) || isIdle(kind))) return root;
	const open = yield* goingOn(trace, calls, t0);
	const tries = triesOf(trace);
	for (const { id, spans, waits } of trace.processes()) {
		if (pids && !pids.has(id)) continue;
		walk.tries = tries.get(id) ?? [];
		yield* walk.through(root.part('process', id), spans, waits, open.get(id) ?? []);
	}
	walk.tries = [];
	if (!pids || pids.has(0)) {
		const { pid, spanKinds } = trace;
		for (const [cpu, list] of trace.cpus) {
			const mine = (open.get(0) ?? []).filter((call) => trace.cpuOf(calls.firstOf(call)) === cpu);
			yield* walk.through(root.part('process', 0), list, null, mine, (g) => pid[g] === 0 && !isIdle(spanKinds[g]));
		}
	}
	finish(root);
	const [process] = root.children;
	if (pids?.size === 1 && process) {
		process.parent = null;
		return process;
	}
	for (const { count } of root.children) root.count += count;
	return root;
}
