// SPDX-License-Identifier: BSD-3-Clause
/**
 * How many bytes a trace's arrays take, by what they are for: what a test can hold to a limit on any machine.
 * Never counts a buffer twice, and nothing but typed arrays. Imported by shell/embed.js.
 */

/**
 * Buffers in a value that are not known yet.
 * @param {unknown} value
 * @param {Set<unknown>} known
 * @returns {number} bytes
 */
function bytesIn(value, known) {
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

/** @param {import('./trace.js').Trace} trace @returns {Record<string, number>} bytes */
export function footprint(trace) {
	/** @type {Set<unknown>} */
	const known = new Set();
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
