// SPDX-License-Identifier: BSD-3-Clause
/**
 * Takes the data elements out of the page while the browser still reads the page, and passes them to workers, which decode
 * them. Must not show a part of a trace as the whole: missing or contradictory parts throw DamagedError.
 */
import { Kind } from '../base/kinds.ts';
import { inTimedSlices } from '../base/slices.ts';
import { early } from './early.ts';
import { findingsOf } from './findings.ts';
import { DamagedError, planOf, type Arrays, type Part, type Plan } from './plan.ts';
import { sortTracks } from './sort.ts';
import { Trace } from './trace.ts';
import type { Tables } from './bins.ts';
import type { ProcessGroups } from './group.ts';
import type { Pids } from './lives.ts';
import type { Whole } from './totals.ts';

/**
 * From this number of spans on, the page starts a second worker, which saves time. Must be less than CHUNK_SPANS
 * (postprocess/page/page.c), so that the first full chunk starts that worker.
 */
const PAIR_FROM_SPANS = 200000;

/** Columns that the first worker of a pair decodes: times. */
const FIRST_COLUMNS = ['gap', 'dur'];
const COPY = 1 << 17;

/** Returns the parsed JSON of an element; null if there is no such element. */
function json(id: string) {
	const element = document.getElementById(id);
	if (!element) return null;
	try {
		return JSON.parse(element.textContent ?? '');
	} catch {
		throw new DamagedError(`its ${id} part cannot be read`);
	}
}

/** The data elements read so far. They go to the workers while the rest of the page is still being read. */
class Intake {
	taken: Part[] = [];
	/** Elements that are not sent yet, because it is not known whether there will be a second worker. */
	waiting: [Part, string][] = [];
	spans = 0;
	decoders: Decoder[] = [];
	/** The worker that was started at the top of the page. */
	early = early();
	bytes = 0;
	onbytes: (bytes: number) => void = () => {};

	/**
	 * Sends all complete elements to the workers. An element is complete if another node follows it.
	 * @param all true: the whole page has been read, so the last element is also complete
	 */
	take(all: boolean) {
		for (const element of document.querySelectorAll('script[data-kutrace]')) {
			const d = (element as HTMLScriptElement).dataset;
			const part = {
				column: d.kutrace ?? '', track: d.track ?? '', chunk: Number(d.chunk ?? 0), count: Number(d.count),
				bytes: Number(d.bytes), wide: d.wide !== undefined,
			};
			// the attributes of an element can be read before its text is complete
			const spans = this.spans + (part.column === 'gap' ? part.count : 0);
			if (spans >= PAIR_FROM_SPANS) this.start(2);
			if (!all && !element.nextSibling) break;
			this.spans = spans;
			this.taken.push(part);
			const text = element.textContent ?? '';
			element.remove();
			// with two workers, one worker decodes the times and the other worker everything else, which takes about as long
			if (FIRST_COLUMNS.includes(part.column)) this.decoders[0].post({ part, text });
			else this.waiting.push([part, text]);
		}
		if (this.decoders.length > 1) this.send();
	}

	start(workers: number) {
		while (this.decoders.length < workers) this.decoders.push(new Decoder(this.decoders.length ? new Worker(this.early.url) : this.early.worker, (bytes) => {
			this.bytes += bytes;
			this.onbytes(this.bytes);
		}));
	}

	/** Sends the waiting elements to the last worker. */
	send() {
		for (const [part, text] of this.waiting) this.decoders[this.decoders.length - 1].post({ part, text });
		this.waiting = [];
	}

	async finish(plan: Plan): Promise<Arrays> {
		this.send();
		if (this.decoders.length === 1) return this.decoders[0].finish(plan, 'both') as Promise<Arrays>;
		const { port1, port2 } = new MessageChannel();
		const parts: Arrays[] = await Promise.all([
			this.decoders[0].finish(plan, 'first', port1), this.decoders[1].finish(plan, 'rest', port2)]) as any;
		const arrays = Object.assign({}, ...parts) as Arrays;
		for (const [track, tables] of arrays.othersTables ?? []) arrays.tables[track] = tables;
		return arrays;
	}

	/** Makes a worker sort the processes' rows and join the calls, and passes the results to the trace. */
	async sortAndJoin(trace: Trace) {
		if (!trace.sorting) {
			this.stop();
			return;
		}
		try {
			const copies = await copied(trace);
			let sorted = null;
			if (copies) {
				this.decoders[0].post({ processes: { ...copies, events: [...trace.events], texts: trace.texts } }, Object.values(copies).map((c) => c.buffer));
				sorted = await this.decoders[0].processes;
			}
			if (sorted) {
				trace.adopt(sorted.groups, sorted.tables);
				this.decoders[0].post({ join: trace.lives?.renamed ?? null });
			} else {
				// sums and calls need the ids of threads with reused pids
				trace.processes();
			}
			trace.sorting = false;
			trace.onsorted();
			trace.adoptCalls(sorted && (await this.decoders[0].calls));
		} finally {
			this.stop();
			trace.sorting = false;
		}
	}

	stop() {
		for (const decoder of this.decoders) decoder.worker.terminate();
		URL.revokeObjectURL(this.early.url);
	}
}

type Copies = {
	start: Float64Array, dur: Float64Array | Uint32Array, kind: Uint8Array, name: Uint16Array | Uint32Array,
	pid: Pids, waitIds: Uint32Array,
};

function* copying<T extends Copies[keyof Copies]>(array: T): Generator<void, T, void> {
	const copy = new (array.constructor as any)(array.length) as T;
	for (let at = 0; at < array.length; at += COPY) {
		copy.set(array.subarray(at, at + COPY) as any, at);
		yield;
	}
	return copy;
}

/**
 * Copies the arrays that a worker needs to sort spans and join calls, because the page also needs them. Works between
 * frames. Must be called after the trace is on the screen, so that the copying does not delay the picture.
 * @returns null: there is not enough memory
 */
function copied({ start, dur, spanKinds, name, pid, byKind }: Trace): Promise<Copies | null> {
	function* work(): Generator<void, Copies | null, void> {
		try {
			return {
				start: yield* copying(start), dur: yield* copying(dur), kind: yield* copying(spanKinds),
				name: yield* copying(name), pid: yield* copying(pid), waitIds: yield* copying(byKind[Kind.WAIT]),
			};
		} catch {
			return null;
		}
	}
	return new Promise((resolve) => inTimedSlices(work(), { first: 0, done: resolve }));
}

class Decoder {
	declare worker: Worker;
	/** Result of sorting. null: the worker failed, so the page sorts the spans itself. */
	declare processes: Promise<{groups: ProcessGroups, tables: Map<number, Tables>} | null>;
	/** Result of joining. null: the worker failed. */
	declare calls: Promise<Whole | null>;
	declare arrays: Promise<Partial<Arrays>>;

	constructor(worker: Worker, advance: (bytes: number) => void) {
		this.worker = worker;
		let given: (processes: any) => void = () => {};
		this.processes = new Promise((resolve) => (given = resolve));
		let joined: (calls: any) => void = () => {};
		this.calls = new Promise((resolve) => (joined = resolve));
		this.arrays = new Promise((resolve, reject) => {
			const fail = (error: Error) => {
				reject(error);
				given(null);
				joined(null);
			};
			this.worker.onerror = (event) => fail(new Error(event.message || 'a worker failed'));
			this.worker.onmessage = ({ data }) => {
				if (data.error) fail(new DamagedError(data.error));
				else if (data.arrays) resolve(data.arrays);
				else if (data.processes) given(data.processes);
				else if (data.calls) joined(data.calls);
				else advance(data.progress);
			};
		});
		// an error may come before finish() returns the promise; finish() reports it
		this.arrays.catch(() => {});
	}

	post(message: unknown, transfer: Transferable[] = []) {
		this.worker.postMessage(message, transfer);
	}

	/**
	 * Sends the plan.
	 * @param finish which arrays to return
	 * @param port connection to the other worker
	 */
	finish(plan: Plan, finish: 'both' | 'first' | 'rest', port?: MessagePort) {
		this.post({ plan, finish, port }, port ? [port] : []);
		return this.arrays;
	}
}

const intake = new Intake();
const observer = new MutationObserver(() => intake.take(false));
observer.observe(document.body, { childList: true });
intake.start(1);

/**
 * Loads the trace. Must be called when the whole page has been read.
 * @param agreed called with the number of spans; its promise is awaited before memory is allocated
 * @returns sortAndJoin: must be called when the trace is on the screen
 */
export async function loadTrace(
	progress: (fraction: number) => void, agreed: (spans: number) => Promise<void>,
): Promise<{trace: Trace, sortAndJoin: () => void}> {
	observer.disconnect();
	try {
		return await load(progress, agreed);
	} catch (error) {
		intake.stop();
		throw error;
	}
}

/** Returns the number of spans in the elements that were read so far. */
export const spansTaken = () => intake.spans;

async function load(progress: (fraction: number) => void, agreed: (spans: number) => Promise<void>) {
	intake.take(true);
	const { taken } = intake;
	const header = json('kutrace-header');
	const end = json('kutrace-end');
	if (!header && !taken.length && !end)
		throw new DamagedError('there is no trace in it');
	if (!end)
		throw new DamagedError('its end is missing: the copy is incomplete, or the program that wrote it stopped');
	const plan = planOf(taken);
	if (plan.spans !== end.spans || plan.chunks.filter(Boolean).length !== end.chunks)
		throw new DamagedError(`it has ${plan.spans} of ${end.spans} spans`);
	if (taken.length !== end.elements)
		throw new DamagedError(`it has ${taken.length} of ${end.elements} parts`);

	const findings = findingsOf(json('kutrace-findings'));
	const total = taken.reduce((sum, part) => sum + part.bytes, 0) || 1;
	intake.onbytes = (bytes) => progress(bytes / total);
	await agreed(plan.spans);
	const arrays = await intake.finish(plan);
	if (arrays.texts.length !== end.names)
		throw new DamagedError(`it has ${arrays.texts.length} of ${end.names} names`);
	if (!arrays.sorted) sortTracks(plan, arrays);
	const trace = new Trace(header ?? {}, plan, arrays, arrays.sorted && intake.decoders.length > 1);
	trace.findings = findings;
	return { trace, sortAndJoin: () => void intake.sortAndJoin(trace) };
}
