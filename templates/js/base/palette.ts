// SPDX-License-Identifier: BSD-3-Clause
/**
 * Defines the colours, in a light and a dark set. People with any kind of colour vision can distinguish the kinds. Kernel
 * kinds have strong colours, programs pale ones. With the button CB, programs and waits have only two hues. Must not depend
 * on a trace: equal names and numbers have equal colours in every page. Hues are chosen in OKLCH, where colours of equal
 * lightness look equally light.
 */
import { Kind } from './kinds.ts';

/** Red, green and blue, 0 to 255. */
export type Rgb = [number, number, number];

/** Converts a colour from OKLCH to sRGB. @param h hue, degrees */
export function oklch(l: number, c: number, h: number): Rgb {
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
	return linear.map((v) => {
		const s = v <= 0.0031308 ? 12.92 * v : 1.055 * v ** (1 / 2.4) - 0.055;
		return Math.round(255 * Math.min(1, Math.max(0, s)));
	}) as Rgb;
}

/** Mixes two colours. @param share share of b, from 0 to 1 */
export function mix(a: Rgb, b: Rgb, share: number): Rgb {
	return [0, 1, 2].map((i) => Math.round(a[i] + (b[i] - a[i]) * share)) as Rgb;
}

/** Returns the colour as a pixel of ImageData on a little-endian machine. */
export const pixel = ([r, g, b]: Rgb) => ((255 << 24) | (b << 16) | (g << 8) | r) >>> 0;

/** Mixes two pixels. Called in inner loops, so it makes no arrays. @param share share of b, from 0 to 1 */
export function blend(a: number, b: number, share: number) {
	const f = (share * 256) | 0;
	const redBlue = ((a & 0xff00ff) * (256 - f) + (b & 0xff00ff) * f) >>> 8;
	const green = ((a & 0xff00) * (256 - f) + (b & 0xff00) * f) >>> 8;
	return ((redBlue & 0xff00ff) | (green & 0xff00) | 0xff000000) >>> 0;
}

export const css = ([r, g, b]: Rgb, alpha = 1) => (alpha === 1 ? `rgb(${r},${g},${b})` : `rgba(${r},${g},${b},${alpha})`);

/** Returns a text colour that is readable on this background. */
export const inkOn = ([r, g, b]: Rgb) => (0.299 * r + 0.587 * g + 0.114 * b > 140 ? '#10141a' : '#ffffff');

export function hash(text: string) {
	let h = 2166136261;
	for (let i = 0; i < text.length; i++) h = Math.imul(h ^ text.charCodeAt(i), 16777619);
	h = Math.imul(h ^ (h >>> 15), 0x2c1b3c6d);
	return (h ^ (h >>> 13)) >>> 0;
}

const rgb = (hex: string): Rgb => [1, 3, 5].map((i) => parseInt(hex.slice(i, i + 2), 16)) as Rgb;

/**
 * Colours of the kinds. A program searched for them near the usual colours. For full colour vision, and for eyes without red,
 * green or blue cones, the distance between any two is at least 10 in CIEDE2000. Text has contrast AA.
 * tests/viewer/colours.mjs checks this: run it after a change.
 */
const LIGHT = {
	[Kind.IDLE]: '#abb1b8', [Kind.IDLELP]: '#7eb2d4', [Kind.CEXIT]: '#a4003c', [Kind.SYSCALL]: '#289c64',
	[Kind.TRAP]: '#f37f1a', [Kind.IRQ]: '#2602ac', [Kind.SOFTIRQ]: '#ae6bee', [Kind.SCHED]: '#3f3b52',
	[Kind.WAKE]: '#384ead', [Kind.IPI]: '#410000', [Kind.MARK_A]: '#e70833', [Kind.MARK_B]: '#001254',
	[Kind.MARK_C]: '#086050', [Kind.MARK_D]: '#0c0f14', [Kind.TRACEPOINT]: '#7b6400', [Kind.LOCK]: '#811ef8',
	[Kind.POINT]: '#547c6e', [Kind.PACKET]: '#a25d9d', [Kind.FREQ]: '#413a01',
};
const DARK = {
	[Kind.IDLE]: '#595959', [Kind.IDLELP]: '#3a586d', [Kind.CEXIT]: '#fe4380', [Kind.SYSCALL]: '#428124',
	[Kind.TRAP]: '#ffd65e', [Kind.IRQ]: '#3151fd', [Kind.SOFTIRQ]: '#b617a5', [Kind.SCHED]: '#b2c8e7',
	[Kind.WAKE]: '#4fb5fc', [Kind.IPI]: '#f78900', [Kind.MARK_A]: '#ff183c', [Kind.MARK_B]: '#5789fe',
	[Kind.MARK_C]: '#b9ffdd', [Kind.MARK_D]: '#dfe3ea', [Kind.TRACEPOINT]: '#c2b87a', [Kind.LOCK]: '#a181bc',
	[Kind.POINT]: '#4e9d85', [Kind.PACKET]: '#fba2ad', [Kind.FREQ]: '#d5fbb1',
};
/** Share of black or white in each step of shade(). */
const SHADE = 0.015;

/** Grey levels of faded items: light set, dark set. */
const FADED = { light: [165, 112], medium: [205, 70], strong: [230, 42] };

export class Palette {
	declare dark: boolean;
	declare colorBlind: boolean;
	declare background: Rgb;
	declare stripe: Rgb;
	declare grid: Rgb;
	declare text: Rgb;
	declare dim: Rgb;
	/** Colour of the items that are not highlighted, while other items are highlighted. */
	declare grey: Rgb;
	declare match: Rgb;
	declare note: Rgb;
	declare noteBack: Rgb;
	kinds: Rgb[] = [];
	declare idle: Rgb;
	declare idleLow: Rgb;
	declare waits: Record<string, Rgb>;

	/** Makes the colours of one set. @param fade how strongly the items that are not highlighted fade */
	constructor(dark: boolean, colorBlind: boolean, fade: keyof typeof FADED = 'medium') {
		this.dark = dark;
		this.colorBlind = colorBlind;
		this.background = dark ? rgb('#14171c') : rgb('#ffffff');
		this.stripe = dark ? rgb('#191d23') : rgb('#f7f8fa');
		this.grid = dark ? rgb('#252a32') : rgb('#e9ecf0');
		this.text = dark ? rgb('#dfe3ea') : rgb('#1c2128');
		this.dim = dark ? rgb('#949dab') : rgb('#5b6572');
		this.grey = dark ? [FADED[fade][1], FADED[fade][1], FADED[fade][1]] : [FADED[fade][0], FADED[fade][0], FADED[fade][0]];
		this.match = dark ? rgb('#ffd84d') : rgb('#d6008f');
		this.note = dark ? rgb('#ffe08a') : rgb('#8a4b00');
		this.noteBack = dark ? rgb('#2b2a20') : rgb('#fff8e1');
		const set = dark ? DARK : LIGHT;
		for (const [kind, hex] of Object.entries(set)) this.kinds[Number(kind)] = rgb(hex);
		const k = this.kinds;
		this.idle = k[Kind.IDLE];
		this.idleLow = k[Kind.IDLELP];
		k[Kind.USER] = this.user('user', 0)[0];
		k[Kind.KTHREAD] = this.user('kernel', 0)[0];
		// these kinds are only drawn beside other items, so their colours need not be distinguishable
		k[Kind.BRACKET] = k[Kind.PC] = this.dim;
		k[Kind.QUEUE] = k[Kind.DISK] = k[Kind.TIMER] = k[Kind.POINT];
		k[Kind.RPC] = k[Kind.PACKET];
		k[Kind.PAUSE] = k[Kind.STOPPED] = k[Kind.STOLEN] = this.dim;
		this.waits = Object.fromEntries([...'cdklmnprstuzvw'].map((letter, i) => [
			letter, oklch(dark ? 0.74 : 0.54, 0.12, colorBlind ? (i % 2 ? 90 : 250) : i * 151 + 40),
		]));
		this.waits.q = oklch(dark ? 0.64 : 0.42, 0.16, colorBlind ? 250 : 8);
	}

	/** Returns the main and the second colour of a process. @param program name of the process without the pid */
	user(program: string, pid: number): [Rgb, Rgb] {
		const h = hash(program);
		const hue = this.colorBlind ? (h % 2 ? 250 : 92) : (h % 3600) / 10;
		const second = this.colorBlind ? (pid % 2 ? 92 : 250) : (hue + 40 + ((pid * 137.508) % 280)) % 360;
		// hues repeat, so lightness also varies a little
		const level = ((h >>> 12) % 4) * (this.colorBlind ? 0.03 : 0.025);
		return this.dark ?
			[oklch(0.41 - level, 0.055, hue), oklch(0.34 + level, 0.08, second)] :
			[oklch(0.89 - level, 0.075, hue), oklch(0.74 + level, 0.1, second)];
	}

	/** Returns the colour of a kind, varied slightly by event number. */
	numbered(kind: number, event: number) {
		const base = this.kinds[kind] ?? this.dim;
		const shift = shade(event);
		return shift < 0 ? mix(base, [0, 0, 0], -shift * SHADE) : mix(base, [255, 255, 255], shift * SHADE);
	}
}

/** Returns the shade of an event within the colour of its kind: -3 (darkest) to 3 (lightest). */
export const shade = (event: number) => (((event * 0x9e3779b1) >>> 8) % 7) - 3;
