// SPDX-License-Identifier: BSD-3-Clause
/**
 * Which trace this is, and which part of it: short texts, the same whatever its file is called.
 * Never anything by which the trace could be read.
 * Imported by what keeps something of a trace outside of its file.
 */
import { hash } from '../base/palette.js';

/** @typedef {import('../data/trace.js').Trace} Trace */

/** Of the recording, trimmed or not. @param {Trace} trace */
export function identity({ header }) {
	const id = header.start?.trace_id;
	if (typeof id === 'string' && /^[\w-]{8,64}$/.test(id)) return id;
	const what = [header.randomid, header.tracebase, header.hostName, header.kernelVersion].map(String).join('\n');
	return [what, `${what}\n`].map((text) => hash(text).toString(16).padStart(8, '0')).join('');
}

/** Of what this page has of it. @param {Trace} trace */
export const pageIdentity = (trace) => [identity(trace), trace.first, trace.last, trace.length].join('.');
