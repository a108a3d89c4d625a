// SPDX-License-Identifier: BSD-3-Clause
/**
 * Names for a span in a row that mean the same in every page of a trace: `PID.104_7.84584054_823` is the row,
 * the start in seconds and the event number in hexadecimal.
 * Never takes a number that changes when the file is made anew, and finds nothing rather than something near.
 * Imported by shell/kept.js, and by what reads and writes notes.
 */
import * as format from '../base/format.js';

/** @typedef {import('../data/trace.js').Trace} Trace */
/** @typedef {import('./view.js').Pin} Pin */

/** @param {Trace} trace @param {Pin} pin */
export const spotText = (trace, { span, group, id }) =>
	`${group}.${id}_${format.plainSeconds(trace.start[span])}_${trace.event(span).toString(16)}`;

/** Units of a time in seconds, or NaN. @param {string} text */
export function unitsOf(text) {
	const units = /^-?\d{1,10}(\.\d{1,8})?$/.test(text) ? Math.round(Number(text) * 1e8) : NaN;
	return Number.isSafeInteger(units) ? units : NaN;
}

/** Spans that begin at a time, on all CPUs and on none. @param {Trace} trace @param {number} t */
function* beginning(trace, t) {
	for (const list of trace.cpus.values())
		for (let i = list.seek(t); i < list.length && list.start(i) === t; i++) yield list.at(i);
	let [lo, hi] = [trace.others.lo, trace.others.hi];
	while (lo < hi) {
		const mid = (lo + hi) >>> 1;
		if (trace.start[mid] < t) lo = mid + 1;
		else hi = mid;
	}
	for (let g = lo; g < trace.others.hi && trace.start[g] === t; g++) yield g;
}

/**
 * Does a row have to do with a span? Marks stand in the rows of their CPU and of their process.
 * @param {Trace} trace @param {number} span @param {string} group @param {number} id
 */
function belongs(trace, span, group, id) {
	switch (group) {
	case 'CPU': return trace.cpuOf(span) === id;
	case 'PID': return trace.pid[span] === id;
	case 'RPC': return trace.rpc !== null && trace.rpc.at(span) === id;
	case 'Resource': return trace.name[span] === id;
	default: return false;
	}
}

/** @param {Trace} trace @param {string} text of spotText(), or anything @returns {Pin | null} null: not in this trace */
export function spotOf(trace, text) {
	const m = /^(CPU|PID|RPC|Resource)\.(-?\d{1,10})_([\d.-]{1,20})_(-?[0-9a-f]{1,9})$/.exec(text);
	if (!m) return null;
	const [group, id, t, event] = [m[1], Number(m[2]), unitsOf(m[3]), parseInt(m[4], 16)];
	if (Number.isNaN(t)) return null;
	for (const span of beginning(trace, t))
		if (trace.event(span) === event && belongs(trace, span, group, id)) return { span, group, id };
	return null;
}
