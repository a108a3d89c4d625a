// SPDX-License-Identifier: BSD-3-Clause
/**
 * Heights of what is drawn in a row, as shares of it, and the picture's letters.
 * Never depends on a trace or a palette.
 * Imported by what draws on the picture, or draws a sample of it.
 */
import { Kind } from '../base/kinds.js';

/**
 * How high a kind stands in its row, as a share of the bar's height. Nested
 * deeper = higher: the process at the bottom, interrupts on top.
 */
export const heights = (() => {
	const h = new Float32Array(32);
	h[Kind.USER] = h[Kind.KTHREAD] = 0.5;
	h[Kind.SCHED] = 0.62;
	h[Kind.TRAP] = 0.72;
	h[Kind.SYSCALL] = 0.8;
	h[Kind.SOFTIRQ] = 0.9;
	h[Kind.IRQ] = 1;
	h[Kind.CEXIT] = 0.5;
	h[Kind.LOCK] = h[Kind.QUEUE] = h[Kind.POINT] = 0.5;
	return h;
})();
/** The part of a bar, from below, that shows whose context it runs in. */
export const CONTEXT_SHARE = 0.22;
/** The bars take this share of a row's height; what is above is for marks and samples. */
export const BAR_SHARE = 0.86;
/** @param {number} px */
const font = (px) => `${px}px system-ui, "DejaVu Sans", sans-serif`;
export let FONT = font(11);
export let SMALL = font(10);
/** Letters of the picture from now on. @param {number} px */
export function setTextSize(px) {
	FONT = font(px);
	SMALL = font(px - 1);
}
