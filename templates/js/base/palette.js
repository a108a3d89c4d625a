// SPDX-License-Identifier: BSD-3-Clause
/**
 * Colours: one set each for light, dark and their colour-blind forms; kernel kinds strong, programs pale.
 * Never depends on a trace: equal names and numbers have equal colours in every page.
 * Imported by scene/styles.js and by what draws. Hues are chosen in OKLCH, where equal lightness looks equal.
 */
import { Kind } from './kinds.js';

/** @typedef {[number, number, number]} Rgb 0..255 */

/** @param {number} l @param {number} c @param {number} h degrees @returns {Rgb} */
export function oklch(l, c, h) {
	const a = c * Math.cos((h * Math.PI) / 180);
	const b = c * Math.sin((h * Math.PI) / 180);
	const x = (l + 0.3963377774 * a + 0.2158037573 * b) ** 3;
	const y = (l - 0.1055613458 * a - 0.0638541728 * b) ** 3;
	const z = (l - 0.0894841775 * a - 1.291485548 * b) ** 3;
	const linear = [
		4.0767416621 * x - 3.3077115913 * y + 0.2309699292 * z,
		-1.2684380046 * x + 2.6097574011 * y - 0.3413193965 * z,
		-0.0041960863 * x - 0.7034186147 * y + 1.707614701 * z,
	];
	return /** @type {Rgb} */ (linear.map((v) => {
		const s = v <= 0.0031308 ? 12.92 * v : 1.055 * v ** (1 / 2.4) - 0.055;
		return Math.round(255 * Math.min(1, Math.max(0, s)));
	}));
}

/** @param {Rgb} a @param {Rgb} b @param {number} share of b @returns {Rgb} */
export function mix(a, b, share) {
	return /** @type {Rgb} */ ([0, 1, 2].map((i) => Math.round(a[i] + (b[i] - a[i]) * share)));
}

/** As a pixel of ImageData on a little-endian machine. @param {Rgb} c */
export const pixel = ([r, g, b]) => ((255 << 24) | (b << 16) | (g << 8) | r) >>> 0;

/**
 * Between two pixels; for the inner loop, so without arrays.
 * @param {number} a
 * @param {number} b
 * @param {number} share of b, 0..1
 */
export function blend(a, b, share) {
	const f = (share * 256) | 0;
	const redBlue = ((a & 0xff00ff) * (256 - f) + (b & 0xff00ff) * f) >>> 8;
	const green = ((a & 0xff00) * (256 - f) + (b & 0xff00) * f) >>> 8;
	return ((redBlue & 0xff00ff) | (green & 0xff00) | 0xff000000) >>> 0;
}

/** @param {Rgb} c @param {number} alpha */
export const css = ([r, g, b], alpha = 1) => (alpha === 1 ? `rgb(${r},${g},${b})` : `rgba(${r},${g},${b},${alpha})`);

/** @param {string} text */
export function hash(text) {
	let h = 2166136261;
	for (let i = 0; i < text.length; i++) h = Math.imul(h ^ text.charCodeAt(i), 16777619);
	h = Math.imul(h ^ (h >>> 15), 0x2c1b3c6d);
	return (h ^ (h >>> 13)) >>> 0;
}

/** @param {string} hex @returns {Rgb} */
const rgb = (hex) => /** @type {Rgb} */ ([1, 3, 5].map((i) => parseInt(hex.slice(i, i + 2), 16)));

export class Palette {
	/** @param {boolean} dark @param {boolean} colorBlind */
	constructor(dark, colorBlind) {
		this.dark = dark;
		this.colorBlind = colorBlind;
		this.background = dark ? rgb('#14171c') : rgb('#ffffff');
		this.stripe = dark ? rgb('#191d23') : rgb('#f7f8fa');
		this.grid = dark ? rgb('#252a32') : rgb('#e9ecf0');
		this.text = dark ? rgb('#dfe3ea') : rgb('#1c2128');
		this.dim = dark ? rgb('#949dab') : rgb('#5b6572');
		this.idle = dark ? rgb('#5d6877') : rgb('#a9b2be');
		this.idleLow = dark ? rgb('#3f6c8a') : rgb('#7fb0cf');
		/** What does not stand out while something else does. @type {Rgb} */
		this.grey = dark ? [70, 70, 70] : [205, 205, 205];
		this.match = dark ? rgb('#ffd84d') : rgb('#d6008f');
		this.note = dark ? rgb('#ffe08a') : rgb('#8a4b00');
		this.noteBack = dark ? rgb('#2b2a20') : rgb('#fff8e1');
		/** @param {number} l @param {number} c @param {number} h */
		const kind = (l, c, h) => oklch(dark ? l + 0.04 : l, c, h);
		/** @type {Rgb[]} */
		this.kinds = [];
		const k = this.kinds;
		k[Kind.IDLE] = this.idle;
		k[Kind.IDLELP] = this.idleLow;
		if (colorBlind) {
			k[Kind.SYSCALL] = rgb('#009e73');
			k[Kind.TRAP] = rgb('#e69f00');
			k[Kind.IRQ] = rgb('#0072b2');
			k[Kind.SOFTIRQ] = rgb('#cc79a7');
			k[Kind.CEXIT] = rgb('#d55e00');
		} else {
			k[Kind.SYSCALL] = kind(0.64, 0.15, 152);
			k[Kind.TRAP] = kind(0.7, 0.17, 55);
			k[Kind.IRQ] = kind(0.53, 0.19, 262);
			k[Kind.SOFTIRQ] = kind(0.58, 0.2, 312);
			k[Kind.CEXIT] = kind(0.6, 0.22, 25);
		}
		k[Kind.SCHED] = dark ? rgb(colorBlind ? '#d5dae1' : '#8a929e') : rgb('#525a66');
		k[Kind.USER] = this.user('user', 0)[0];
		k[Kind.WAKE] = dark ? rgb('#6fb7ff') : rgb('#1b66c9');
		k[Kind.IPI] = dark ? rgb('#ff9a62') : rgb('#c2410c');
		k[Kind.MARK_A] = dark ? rgb('#ff7b7b') : rgb('#c81e2b');
		k[Kind.MARK_B] = dark ? rgb('#7cc4ff') : rgb('#0b5cad');
		k[Kind.MARK_C] = dark ? rgb('#7ee2a8') : rgb('#0d7a43');
		k[Kind.MARK_D] = this.text;
		k[Kind.BRACKET] = this.dim;
		k[Kind.TRACEPOINT] = dark ? rgb('#ffc66b') : rgb('#8a5a00');
		k[Kind.LOCK] = dark ? rgb('#e0b3ff') : rgb('#7a2da8');
		k[Kind.PC] = this.dim;
		k[Kind.QUEUE] = k[Kind.POINT] = dark ? rgb('#7fc7c0') : rgb('#14756c');
		k[Kind.RPC] = k[Kind.PACKET] = dark ? rgb('#ff9ed2') : rgb('#b0186f');
		k[Kind.FREQ] = dark ? rgb('#c3d96b') : rgb('#6b7d00');
		/** @type {Record<string, Rgb>} */
		this.waits = Object.fromEntries([...'cdklmnprstuz'].map((letter, i) => [
			letter, oklch(dark ? 0.74 : 0.54, 0.12, colorBlind ? (i % 2 ? 90 : 250) : i * 151 + 40),
		]));
	}

	/**
	 * Main and second tone of a process.
	 * @param {string} program its name, without the pid
	 * @param {number} pid
	 * @returns {[Rgb, Rgb]}
	 */
	user(program, pid) {
		const h = hash(program);
		const hue = this.colorBlind ? (h % 2 ? 250 : 92) : (h % 3600) / 10;
		const second = this.colorBlind ? (pid % 2 ? 92 : 250) : (hue + 40 + ((pid * 137.508) % 280)) % 360;
		// a few levels of lightness, since hues repeat
		const level = ((h >>> 12) % 4) * (this.colorBlind ? 0.045 : 0.025);
		return this.dark ?
			[oklch(0.56 - level, 0.075, hue), oklch(0.46 + level, 0.09, second)] :
			[oklch(0.86 - level, 0.075, hue), oklch(0.72 + level, 0.1, second)];
	}

	/** A kind's colour, a little different for each event number. @param {number} kind @param {number} event */
	numbered(kind, event) {
		const base = this.kinds[kind] ?? this.dim;
		const shift = shade(event);
		return shift < 0 ? mix(base, [0, 0, 0], -shift * 0.05) : mix(base, [255, 255, 255], shift * 0.06);
	}
}

/** How much lighter or darker than its kind's an event's colour is; 0: it is the kind's. @param {number} event */
export const shade = (event) => (((event * 0x9e3779b1) >>> 8) % 7) - 3;
