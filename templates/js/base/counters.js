// SPDX-License-Identifier: BSD-3-Clause
/**
 * Decodes the counter bits of a span: instructions per cycle, cache misses, or both (kutrace-trace(5)). Must not read a
 * trace: the flags of its header are an argument.
 */

const FLAG_IPC = 0x80;
const FLAG_LLC = 0x20;

const IPC = [0, 1 / 8, 1 / 4, 3 / 8, 1 / 2, 5 / 8, 3 / 4, 7 / 8, 1, 5 / 4, 3 / 2, 7 / 4, 2, 5 / 2, 3, 7 / 2];
/** Returns the smallest number of misses that a step stands for. @param {number} step */
const missesOf = (step) => (step < 2 ? step : 2 ** (step + 1));

/** Returns which counters the trace has. @param {unknown} flags flags of the trace's header */
export function counted(flags) {
	const llc = (Number(flags) & FLAG_LLC) !== 0;
	// older traces have counter bits but neither flag: the bits are IPC
	return { ipc: !llc || (Number(flags) & FLAG_IPC) !== 0, llc };
}

/** The steps that a value stands for, first to last. @typedef {{first: number, last: number}} Steps */

/**
 * Returns the steps of IPC and of cache misses that a span's value stands for. With both counters, each has two of the four
 * bits.
 * @param {ReturnType<typeof counted>} what result of counted()
 * @param {number} value counter bits of the span
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

/** Returns the position of a needle for IPC, 0 to 1. The scale is 0 to 4 instructions per cycle. @param {Steps} s */
export const ipcShare = (s) => (IPC[s.first] + IPC[s.last]) / 2 / 4;
/** Returns the position of a needle for cache misses, 0 to 1. The scale is logarithmic, from 0 to 64K misses and more. @param {Steps} s */
export const llcShare = (s) => (s.first + s.last) / 2 / 16;

/** Returns the instructions per cycle as text: one value, or a range. @param {Steps} s */
export function ipcText({ first, last }) {
	const next = IPC[last + 1];
	return next === undefined ? `${IPC[first]} or more` : first === last ? `${IPC[first]}` : `${IPC[first]} to ${next}`;
}

/** Returns the cache misses as text: one value, or a range. @param {Steps} s */
export function llcText({ first, last }) {
	if (last === 15) return `${missesOf(first)} or more`;
	const most = missesOf(last + 1) - 1;
	return missesOf(first) === most ? `${most}` : `${missesOf(first)} to ${most}`;
}
