// SPDX-License-Identifier: BSD-3-Clause
/**
 * Defines the heights of bars as shares of a row, and the fonts of the picture. Must not depend on a trace or a palette.
 */
import { Kind } from '../base/kinds.ts';

/**
 * Height of each kind as a share of the bars' height. Deeper nesting is higher: the process is at the bottom, and
 * interrupts are at the top.
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
/** Lower part of a bar, which shows the process in whose context it runs. */
export const CONTEXT_SHARE = 0.22;
/** Share of a row's height for the bars; marks and samples are above. */
export const BAR_SHARE = 0.86;
/** Returns a font of this size. */
const font = (px: number) => `${px}px system-ui, "DejaVu Sans", sans-serif`;
export let FONT = font(11);
export let SMALL = font(10);
/** Sets the text size of the picture. */
export function setTextSize(px: number) {
	FONT = font(px);
	SMALL = font(px - 1);
}
