// SPDX-License-Identifier: BSD-3-Clause
/**
 * Identifies a trace, and the part of it in this page, by short texts that do not depend on the file's name. The texts must
 * not reveal content of the trace.
 */
import { hash } from '../base/palette.ts';
import type { Trace } from '../data/trace.ts';

/** Returns a text that identifies the recording, trimmed or not. */
export function identity({ header }: Trace) {
	const id = header.start?.trace_id;
	if (typeof id === 'string' && /^[\w-]{8,64}$/.test(id)) return id;
	const what = [header.randomid, header.tracebase, header.hostName, header.kernelVersion].map(String).join('\n');
	return [what, `${what}\n`].map((text) => hash(text).toString(16).padStart(8, '0')).join('');
}

/** Returns a text that identifies the part of the recording in this page. */
export const pageIdentity = (trace: Trace) => [identity(trace), trace.first, trace.last, trace.length].join('.');
