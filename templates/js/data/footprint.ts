// SPDX-License-Identifier: BSD-3-Clause
/**
 * Counts the bytes of a trace's arrays by purpose, so that a test can check limits on any machine. Counts each buffer once,
 * and only typed arrays.
 */
import type { Trace } from './trace.ts';

/**
 * Returns the size of all buffers in a value that are not in known, and adds them to known.
 * @returns bytes
 */
function bytesIn(value: unknown, known: Set<unknown>): number {
	if (!value || typeof value !== 'object' || known.has(value)) return 0;
	known.add(value);
	if (ArrayBuffer.isView(value)) {
		if (known.has(value.buffer)) return 0;
		known.add(value.buffer);
		return value.buffer.byteLength;
	}
	let bytes = 0;
	for (const part of value instanceof Map ? value.values() : Object.values(value)) bytes += bytesIn(part, known);
	return bytes;
}

/** Returns the bytes of each part of the trace. @returns bytes by purpose */
export function footprint(trace: Trace): Record<string, number> {
	const known: Set<unknown> = new Set();
	const { start, dur, name, spanKinds, pid, rpc } = trace;
	return {
		columns: bytesIn([start, dur, name, spanKinds, pid, rpc], known),
		packed: bytesIn([trace.arg, trace.ret, trace.ipc], known),
		cpus: bytesIn([...trace.cpus.values()].map((list) => list.tables), known),
		processes: trace.sorting ? 0 : bytesIn(trace.processes().flatMap(({ spans, waits }) => [spans.index, spans.tables, waits?.index, waits?.tables]), known),
		calls: trace.joining ? 0 : bytesIn(trace.calls?.joined, known),
		rest: bytesIn(trace, known),
	};
}
