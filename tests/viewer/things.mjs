// SPDX-License-Identifier: BSD-3-Clause
/**
 * Lists everything that a search can find in span JSON, as plain objects: calls (callsof.mjs) and rows without a CPU,
 * with argument and result. The tests of search and query compare the page with the list. Shares no code with the page.
 */
import { callsOf, elapsedOf, isWhole, ownOf } from './callsof.mjs';
import { Event } from './events.mjs';
import { isExecution, rowsOf } from './pages.mjs';

/** @typedef {import('./pages.mjs').Row} Row */

const ERRNO = /** @type {Record<number, string>} */ ({ 2: 'ENOENT', 4: 'EINTR', 10: 'ECHILD', 11: 'EAGAIN', 110: 'ETIMEDOUT', 22: 'EINVAL', 25: 'ENOTTY' });
/** A call, or a row without a CPU, with all fields that can be searched. @typedef {{name: string, kind: string, pid: number, cpus: number[], start: number, elapsed: number, own: number, whole: boolean, pieces: [number, number][], arg: number, ret: number | null, event: number, text: string[]}} Thing */

/** @param {string | Buffer} json @returns {Thing[]} */
export function thingsOf(json) {
	const rows = rowsOf(json);
	const at = new Map(rows.filter(isExecution).map((r) => [`${Math.round(r[0] * 1e8)} ${r[2]}`, r]));
	const rowOf = (/** @type {import('./callsof.mjs').Piece} */ p) => /** @type {Row} */ (at.get(`${p.start} ${p.cpu}`));
	const calls = callsOf(json).map((c) => {
		const [first, last] = [rowOf(c.pieces[0]), rowOf(c.pieces[c.pieces.length - 1])];
		const value = last[7] > 0x7fff ? last[7] - 0x10000 : last[7];
		const ret = c.kind === 'syscall' && c.ends ? value : null;
		const call = `${first[9]}(${first[6]})`;
		const text = [c.name, ...(c.kind !== 'syscall' ? [] : ret === null ? [value ? `${call}=${value}` : call] :
			[`${call}=${ret}${ERRNO[-ret] ? ` ${ERRNO[-ret]}` : ''}`, ...(ERRNO[-ret] ? [`${call}=-${ERRNO[-ret]}`] : [])])];
		return { name: c.name, kind: c.kind, pid: c.pid, cpus: c.pieces.map((p) => p.cpu), start: c.pieces[0].start, elapsed: elapsedOf(c), own: ownOf(c), whole: isWhole(c),
			pieces: c.pieces.map((p) => /** @type {[number, number]} */ ([p.start, p.end])),
			arg: first[6], ret, event: first[5], text };
	});
	const others = rows.filter((r) => !isExecution(r)).map((r) => ({
		name: r[9], kind: r[5] >= Event.WAITA && r[5] <= Event.WAITZ ? 'wait' : r[5] === -3 ? 'wakeup' : 'other', pid: r[3], cpus: [r[2]],
		start: Math.round(r[0] * 1e8), elapsed: Math.round(r[1] * 1e8), own: 0, whole: true, pieces: [], arg: r[6], ret: null, event: r[5], text: [r[9]],
	}));
	return [...calls, ...others];
}

/** True if the call returned an error. Other negative results are parts of addresses. @param {Thing} t */
export const failed = (t) => t.ret !== null && ((t.ret < 0 && t.ret >= -133) || (t.ret <= -512 && t.ret >= -530));
/** @param {Thing} t */
export const isSyscall = (t) => t.kind === 'syscall';
