// SPDX-License-Identifier: BSD-3-Clause
/**
 * What a span's last number says: instructions per cycle, cache misses, or both (kutrace-trace(5)).
 * Never reads a trace; the header's flags tell it what was counted.
 * Imported by data/trace.js, and by what shows the numbers: draw/inside.js, panel/tooltip.js.
 */

const FLAG_IPC = 0x80;
const FLAG_LLC = 0x20;

const IPC = [0, 1 / 8, 1 / 4, 3 / 8, 1 / 2, 5 / 8, 3 / 4, 7 / 8, 1, 5 / 4, 3 / 2, 7 / 4, 2, 5 / 2, 3, 7 / 2];
/** Least misses of a step. @param {number} step */
const missesOf = (step) => (step < 2 ? step : 2 ** (step + 1));

/** @param {unknown} flags of the trace's header */
export function counted(flags) {
	const llc = (Number(flags) & FLAG_LLC) !== 0;
	// a trace that has the numbers, but neither flag, is of a time that knew only IPC
	return { ipc: !llc || (Number(flags) & FLAG_IPC) !== 0, llc };
}

/** Steps first to last that are meant. @typedef {{first: number, last: number}} Steps */

/**
 * @param {ReturnType<typeof counted>} what
 * @param {number} value of the span
 * @returns {{ipc: Steps | null, llc: Steps | null}}
 */
export function steps(what, value) {
	const both = what.ipc && what.llc;
	/** @param {number} step @returns {Steps} */
	const half = (step) => ({ first: step * 4, last: step * 4 + 3 });
	/** @param {number} step @returns {Steps} */
	const whole = (step) => ({ first: step, last: step });
	return {
		ipc: !what.ipc ? null : both ? half((value >> 2) & 3) : whole(value & 15),
		llc: !what.llc ? null : both ? half(value & 3) : whole(value & 15),
	};
}

/** Where a needle for IPC points, 0 to 1: 0 to 4 instructions a cycle. @param {Steps} s */
export const ipcShare = (s) => (IPC[s.first] + IPC[s.last]) / 2 / 4;
/** Where a needle for misses points: their logarithm, 0 to 64K and more. @param {Steps} s */
export const llcShare = (s) => (s.first + s.last) / 2 / 16;

/** Instructions per cycle, as far as they are told. @param {Steps} s */
export function ipcText({ first, last }) {
	const next = IPC[last + 1];
	return next === undefined ? `${IPC[first]} or more` : first === last ? `${IPC[first]}` : `${IPC[first]} to ${next}`;
}

/** Misses, as far as they are told. @param {Steps} s */
export function llcText({ first, last }) {
	if (last === 15) return `${missesOf(first)} or more`;
	const most = missesOf(last + 1) - 1;
	return missesOf(first) === most ? `${most}` : `${missesOf(first)} to ${most}`;
}
