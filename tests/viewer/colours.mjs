// SPDX-License-Identifier: BSD-3-Clause
/**
 * The palette as numbers: text against its background (WCAG AA), and the kinds
 * against each other, as the three common colour deficiencies see them. Prints
 * TAP.
 */
import { Kind } from '../../templates/js/base/kinds.js';
import { Palette } from '../../templates/js/base/palette.js';
import { check, test } from './tap.mjs';

/** @typedef {[number, number, number]} Rgb */

/** @param {Rgb} c @returns {Rgb} light, 0..1 */
const linear = (c) => /** @type {Rgb} */ (c.map((v) => (v / 255 <= 0.04045 ? v / 255 / 12.92 : ((v / 255 + 0.055) / 1.055) ** 2.4)));
/** @param {Rgb} c */
const luminance = (c) => linear(c).reduce((s, v, i) => s + v * [0.2126, 0.7152, 0.0722][i], 0);
/** @param {Rgb} a @param {Rgb} b */
const contrast = (a, b) => {
	const [x, y] = [luminance(a), luminance(b)].sort((p, q) => q - p);
	return (x + 0.05) / (y + 0.05);
};
/** Machado, Oliveira and Fernandes 2009, full strength, on linear light. @type {Record<string, number[][]>} */
const eyes = {
	all: [[1, 0, 0], [0, 1, 0], [0, 0, 1]],
	protanopia: [[0.152286, 1.052583, -0.204868], [0.114503, 0.786281, 0.099216], [-0.003882, -0.048116, 1.051998]],
	deuteranopia: [[0.367322, 0.860646, -0.227968], [0.280085, 0.672501, 0.047413], [-0.01182, 0.04294, 0.968881]],
	tritanopia: [[1.255528, -0.076749, -0.178779], [-0.078411, 0.930809, 0.147602], [0.004733, 0.691367, 0.3039]],
};
/** OKLab, as these eyes see it. @param {Rgb} c @param {number[][]} eye */
function lab(c, eye) {
	const light = linear(c);
	const [r, g, b] = eye.map((row) => Math.max(0, row.reduce((s, v, i) => s + v * light[i], 0)));
	const [l, m, s] = [0.4122214708 * r + 0.5363325363 * g + 0.0514459929 * b, 0.2119034982 * r + 0.6806995451 * g + 0.1073969566 * b,
		0.0883024619 * r + 0.2817188376 * g + 0.6299787005 * b].map(Math.cbrt);
	return [0.2104542553 * l + 0.793617785 * m - 0.0040720468 * s, 1.9779984951 * l - 2.428592205 * m + 0.4505937099 * s,
		0.0259040371 * l + 0.7827717662 * m - 0.808675766 * s];
}
/** @param {number[]} a @param {number[]} b */
const distance = (a, b) => Math.hypot(...a.map((v, i) => v - b[i]));

const kinds = { 'system call': Kind.SYSCALL, fault: Kind.TRAP, interrupt: Kind.IRQ, softirq: Kind.SOFTIRQ, scheduler: Kind.SCHED };

for (const dark of [false, true]) {
	const where = dark ? 'dark' : 'light';
	for (const colorBlind of [false, true]) {
		const palette = new Palette(dark, colorBlind);
		await test(`${where}${colorBlind ? ', CB' : ''}: text and what is written in colour has contrast AA`, () => {
			/** @type {[string, Rgb][]} */
			const written = [['text', palette.text], ['dim', palette.dim], ['note', palette.note], ['match', palette.match],
				...[Kind.MARK_A, Kind.MARK_B, Kind.MARK_C, Kind.MARK_D, Kind.BRACKET].map((k) => /** @type {[string, Rgb]} */ ([`kind ${k}`, palette.kinds[k]])),
				...Object.entries(palette.waits)];
			for (const [name, colour] of written) {
				const ratio = contrast(colour, palette.background);
				check(ratio >= 4.5, `${name} ${colour}: ${ratio.toFixed(2)}`);
			}
		});
		for (const [eye, matrix] of Object.entries(eyes)) {
			// the usual palette is for eyes that see all; CB for the others, where heights help, too
			if (!colorBlind && eye !== 'all') continue;
			await test(`${where}${colorBlind ? ', CB' : ''}: kinds differ, as seen with ${eye}`, () => {
				for (const [a, x] of Object.entries(kinds)) {
					for (const [b, y] of Object.entries(kinds)) {
						if (x >= y) continue;
						const d = distance(lab(palette.kinds[x], matrix), lab(palette.kinds[y], matrix));
						check(d >= 0.07, `${a} and ${b}: ${d.toFixed(3)}`);
					}
				}
			});
		}
	}
}
