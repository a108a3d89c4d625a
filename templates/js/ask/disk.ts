// SPDX-License-Identifier: BSD-3-Clause
/** Describes requests of disks, and finds the request that ended a wait. Must not use the page. */
import * as Event from '../base/events.ts';
import * as format from '../base/format.ts';
import { Kind, waitEvent } from '../base/kinds.ts';
import { fact, link, ofProcess, type Fact } from './fact.ts';
import type { Trace } from '../data/trace.ts';

const { duration } = format;
const WAIT_DISK = waitEvent('d');

/** Returns the span of a request with a number: its time in the queue or in service; -1: none. */
function spanOf(trace: Trace, event: number, number: number): number {
	return trace.byKind[Kind.DISK].find((g) => trace.event(g) === event && trace.arg.at(g) === number) ?? -1;
}

/** Returns the parts of the name of a request, such as `vda read 16384 @2048`, as text; null: it is not such a name. */
export function requestOf(name: string) {
	const parts = /^(\S+) (\w+) (\d+) @(\d+)(?: error (\d+))?\??$/.exec(name);
	if (!parts) return null;
	const [, device, operation, bytes, sector, error] = parts;
	const size = Number(bytes) % 1024 ? `${bytes} bytes` : `${Number(bytes) / 1024} KiB`;
	return { device, text: `${operation}${Number(bytes) ? ` of ${size} at sector ${sector}` : ''}${error ? `, error ${error}` : ''}` };
}

/** Returns facts: the time in the queue and in service of a request. */
function times(trace: Trace, number: number): Fact[] {
	const [queue, served] = [spanOf(trace, Event.DISK_QUEUE, number), spanOf(trace, Event.DISK_SERVED, number)];
	return [...(queue < 0 ? [] : [fact('queued', link(trace, queue, duration(trace.dur[queue])))]), ...(served < 0 ? [] : [fact('served', link(trace, served, duration(trace.dur[served])))])];
}

/** Returns facts: the request that ended a wait for a disk. */
export function requestFacts(trace: Trace, wait: number): Fact[] {
	const number = trace.event(wait) === WAIT_DISK ? trace.arg.at(wait) : 0;
	const served = number > 0 ? spanOf(trace, Event.DISK_SERVED, number) : -1;
	const request = served < 0 ? null : requestOf(trace.text(served));
	if (!request) return [];
	const inferred = trace.text(wait).endsWith('?') ? ' (inferred)' : '';
	return [fact('disk', request.device), fact('request', link(trace, served, request.text), inferred), ...times(trace, number),
		...(trace.pid[served] > 0 && trace.pid[served] !== trace.pid[wait] ? [fact('request of', ofProcess(trace, trace.pid[served]))] : [])];
}

/** Returns the facts about a request of a disk. */
export function diskFacts(trace: Trace, span: number): Fact[] {
	const event = trace.event(span);
	const request = requestOf(trace.text(span));
	if (!request || (event !== Event.DISK_QUEUE && event !== Event.DISK_SERVED)) return [];
	const number = trace.arg.at(span);
	const depth = event === Event.DISK_SERVED ? [fact('requests in service', String(trace.ret.at(span)))] : [];
	const wait = trace.byKind[Kind.WAIT].find((g) => trace.event(g) === WAIT_DISK && trace.arg.at(g) === number);
	return [fact('disk', request.device), fact('request', request.text), ...times(trace, number), ...depth,
		...(wait === undefined ? [] : [fact('ended the wait', link(trace, wait), ' of ', ofProcess(trace, trace.pid[wait]))])];
}
