// SPDX-License-Identifier: BSD-3-Clause
/** Decodes the counter bits of a span: instructions per cycle, cache misses, or both (kutrace-trace(5)). */

const FLAG_IPC = 0x80;
const FLAG_LLC = 0x20;

const IPC = [0, 1 / 8, 1 / 4, 3 / 8, 1 / 2, 5 / 8, 3 / 4, 7 / 8, 1, 5 / 4, 3 / 2, 7 / 4, 2, 5 / 2, 3, 7 / 2];
const missesOf = (step: number) => (step < 2 ? step : 2 ** (step + 1));

/** Returns which counters the trace has. @param flags `flags` of the trace's header */
export function counted(flags: unknown) {
	const llc = (Number(flags) & FLAG_LLC) !== 0;
	// older traces have counter bits but neither flag: the bits are IPC
	return { ipc: !llc || (Number(flags) & FLAG_IPC) !== 0, llc };
}

/** First and last step of a range. A step is one value of the counter bits. It stands for a range of IPC or of cache misses. */
type Steps = {first: number, last: number};

/** Returns the steps of IPC and cache misses for a span's counter bits. If the trace has both, each has two of the four bits. */
export function steps(what: ReturnType<typeof counted>, value: number): {ipc: Steps | null, llc: Steps | null} {
	const both = what.ipc && what.llc;
	const half = (step: number): Steps => ({ first: step * 4, last: step * 4 + 3 });
	const whole = (step: number): Steps => ({ first: step, last: step });
	return {
		ipc: !what.ipc ? null : both ? half((value >> 2) & 3) : whole(value & 15),
		llc: !what.llc ? null : both ? half(value & 3) : whole(value & 15),
	};
}

/** Returns the position of a needle for IPC, 0 to 1. The scale is 0 to 4 instructions per cycle. */
export const ipcShare = (s: Steps) => (IPC[s.first] + IPC[s.last]) / 2 / 4;
/** Returns the position of a needle for cache misses, 0 to 1. The scale is logarithmic, from 0 to 64K misses and more. */
export const llcShare = (s: Steps) => (s.first + s.last) / 2 / 16;

/** Returns the instructions per cycle as text: one value, or a range. */
export function ipcText({ first, last }: Steps) {
	const next = IPC[last + 1];
	return next === undefined ? `${IPC[first]} or more` : first === last ? `${IPC[first]}` : `${IPC[first]} to ${next}`;
}

/** Returns the cache misses as text: one value, or a range. */
export function llcText({ first, last }: Steps) {
	if (last === 15) return `${missesOf(first)} or more`;
	const most = missesOf(last + 1) - 1;
	return missesOf(first) === most ? `${most}` : `${missesOf(first)} to ${most}`;
}
