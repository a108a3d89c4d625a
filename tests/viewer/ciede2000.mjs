// SPDX-License-Identifier: BSD-3-Clause
/**
 * Computes how different two colours look, by CIEDE2000 (CIE 142-2001, with the formulas of Sharma, Wu and
 * Dalal, 2005, whose test data colours.mjs checks). Also computes how colours look with the three common
 * colour deficiencies (Machado, Oliveira and Fernandes 2009, full strength, on linear light). Independent of the
 * page.
 */

/** @typedef {[number, number, number]} Rgb 0..255, sRGB */
/** @typedef {[number, number, number]} Lab CIE L*a*b*, D65 */

/** @type {Record<string, number[][]>} */
export const EYES = {
	all: [[1, 0, 0], [0, 1, 0], [0, 0, 1]],
	protanopia: [[0.152286, 1.052583, -0.204868], [0.114503, 0.786281, 0.099216], [-0.003882, -0.048116, 1.051998]],
	deuteranopia: [[0.367322, 0.860646, -0.227968], [0.280085, 0.672501, 0.047413], [-0.01182, 0.04294, 0.968881]],
	tritanopia: [[1.255528, -0.076749, -0.178779], [-0.078411, 0.930809, 0.147602], [0.004733, 0.691367, 0.3039]],
};

/** @param {Rgb} c @returns {Rgb} light, 0..1 */
export const linear = (c) => /** @type {Rgb} */ (c.map((v) => (v / 255 <= 0.04045 ? v / 255 / 12.92 : ((v / 255 + 0.055) / 1.055) ** 2.4)));

/** Returns a colour as an eye sees it. @param {Rgb} c @param {number[][]} eye @returns {Lab} */
export function seen(c, eye) {
	const light = linear(c);
	const [r, g, b] = eye.map((row) => Math.min(1, Math.max(0, row.reduce((s, v, i) => s + v * light[i], 0))));
	/** @param {number} t */
	const f = (t) => (t > 216 / 24389 ? Math.cbrt(t) : ((24389 / 27) * t + 16) / 116);
	const x = f((0.4124564 * r + 0.3575761 * g + 0.1804375 * b) / 0.95047);
	const y = f(0.2126729 * r + 0.7151522 * g + 0.072175 * b);
	const z = f((0.0193339 * r + 0.119192 * g + 0.9503041 * b) / 1.08883);
	return [116 * y - 16, 500 * (x - y), 200 * (y - z)];
}

const DEGREE = Math.PI / 180;
/** Degrees, 0 for grey. @param {number} b @param {number} a */
const hue = (b, a) => (a === 0 && b === 0 ? 0 : (Math.atan2(b, a) / DEGREE + 360) % 360);

/** @param {Lab} p @param {Lab} q */
export function ciede2000([l1, a1, b1], [l2, a2, b2]) {
	const mean7 = ((Math.hypot(a1, b1) + Math.hypot(a2, b2)) / 2) ** 7;
	const g = 0.5 * (1 - Math.sqrt(mean7 / (mean7 + 25 ** 7)));
	const [c1, c2] = [Math.hypot((1 + g) * a1, b1), Math.hypot((1 + g) * a2, b2)];
	const [h1, h2] = [hue(b1, (1 + g) * a1), hue(b2, (1 + g) * a2)];
	const grey = c1 * c2 === 0;
	let turn = grey ? 0 : h2 - h1;
	if (turn > 180) turn -= 360;
	else if (turn < -180) turn += 360;
	const dh = 2 * Math.sqrt(c1 * c2) * Math.sin((turn * DEGREE) / 2);
	const l = (l1 + l2) / 2;
	const c = (c1 + c2) / 2;
	let h = h1 + h2;
	if (!grey) h = Math.abs(h1 - h2) <= 180 ? h / 2 : h < 360 ? (h + 360) / 2 : (h - 360) / 2;
	const t = 1 - 0.17 * Math.cos((h - 30) * DEGREE) + 0.24 * Math.cos(2 * h * DEGREE) +
		0.32 * Math.cos((3 * h + 6) * DEGREE) - 0.2 * Math.cos((4 * h - 63) * DEGREE);
	const light = (l2 - l1) / (1 + (0.015 * (l - 50) ** 2) / Math.sqrt(20 + (l - 50) ** 2));
	const chroma = (c2 - c1) / (1 + 0.045 * c);
	const tone = dh / (1 + 0.015 * c * t);
	const turned = -Math.sin(60 * DEGREE * Math.exp(-(((h - 275) / 25) ** 2))) * 2 * Math.sqrt(c ** 7 / (c ** 7 + 25 ** 7));
	return Math.sqrt(light ** 2 + chroma ** 2 + tone ** 2 + turned * chroma * tone);
}
