// SPDX-License-Identifier: BSD-3-Clause
/**
 * Tests the palette by numbers: the contrast of text with its background (WCAG AA), and the differences between
 * kinds, as the three common colour deficiencies see them. Prints TAP.
 */
import { Kind } from '../../templates/js/base/kinds.ts';
import { Palette } from '../../templates/js/base/palette.ts';
import { EYES, ciede2000, linear, seen } from './ciede2000.mjs';
import { Event } from './events.mjs';
import { check, near, test } from './tap.mjs';

/** @typedef {import('./ciede2000.mjs').Rgb} Rgb */
/** @typedef {import('./ciede2000.mjs').Lab} Lab */

/** @param {Rgb} c */
const luminance = (c) => linear(c).reduce((s, v, i) => s + v * [0.2126, 0.7152, 0.0722][i], 0);
/** @param {Rgb} a @param {Rgb} b */
const contrast = (a, b) => {
	const [x, y] = [luminance(a), luminance(b)].sort((p, q) => q - p);
	return (x + 0.05) / (y + 0.05);
};
/**
 * Kinds that differ by colour, in the form in which they are drawn: all kinds except those that share a colour on
 * purpose.
 */
const FILLED = /** @type {Record<string, number>} */ ({
	idle: Kind.IDLE, 'low-power idle': Kind.IDLELP, 'leaving deep idle': Kind.CEXIT, 'system call': Kind.SYSCALL, fault: Kind.TRAP,
	interrupt: Kind.IRQ, softirq: Kind.SOFTIRQ, scheduler: Kind.SCHED,
});
const DRAWN = /** @type {Record<string, number>} */ ({
	wakeup: Kind.WAKE, IPI: Kind.IPI, 'mark a': Kind.MARK_A, 'mark b': Kind.MARK_B, 'mark c': Kind.MARK_C, 'mark d': Kind.MARK_D,
	name: Kind.BRACKET, tracepoint: Kind.TRACEPOINT, lock: Kind.LOCK, 'event, queue': Kind.POINT, 'message of an RPC or packet': Kind.PACKET, frequency: Kind.FREQ,
});
/**
 * Kinds that need no colour of their own. User code has the colours of its programs. The colour of a PC sample
 * depends on its address. A pause consists of dots, and a stop of lines, in a row that is otherwise empty.
 */
const OWN = [Kind.USER, Kind.KTHREAD, Kind.PC, Kind.WAIT, Kind.PAUSE, Kind.STOPPED, Kind.STOLEN];
const SHARED = [[Kind.QUEUE, Kind.POINT], [Kind.DISK, Kind.POINT], [Kind.TIMER, Kind.POINT], [Kind.RPC, Kind.PACKET]];
/** Smallest permitted CIEDE2000 difference of two kinds. */
const LEAST = 10;

await test('CIEDE2000 is computed as published', () => {
	/** Sharma, Wu and Dalal 2005, table 1. @type {[Lab, Lab, number][]} */
	const published = [
		[[50, 2.6772, -79.7751], [50, 0, -82.7485], 2.0425], [[50, 3.1571, -77.2803], [50, 0, -82.7485], 2.8615], [[50, -1, 2], [50, 0, 0], 2.3669],
		[[50, 2.49, -0.001], [50, -2.49, 0.0009], 7.1792], [[50, 2.49, -0.001], [50, -2.49, 0.0011], 7.2195], [[50, 2.5, 0], [73, 25, -18], 27.1492],
		[[60.2574, -34.0099, 36.2677], [60.4626, -34.1751, 39.4387], 1.2644], [[6.7747, -0.2908, -2.4247], [5.8714, -0.0985, -2.2286], 0.6377],
		[[2.0776, 0.0795, -1.135], [0.9033, -0.0636, -0.5514], 0.9082],
	];
	for (const [p, q, want] of published) near(ciede2000(p, q), want, 0.0001, `${p} and ${q}`);
	near(seen([255, 255, 255], EYES.all)[0], 100, 0.01, 'white');
	near(seen([255, 0, 0], EYES.all)[1], 80.09, 0.05, 'red, a*');
});

await test('every kind that can be drawn is compared', () => {
	const compared = [...Object.values(FILLED), ...Object.values(DRAWN), ...OWN, ...SHARED.map(([shares]) => shares)];
	for (const [name, kind] of Object.entries(Kind)) check(compared.includes(kind), `${name} is not`);
	for (const dark of [false, true]) {
		const { kinds } = new Palette(dark, false);
		for (const [a, b] of SHARED) check(kinds[a].join() === kinds[b].join(), `${a} and ${b} share a colour`);
	}
});

for (const dark of [false, true]) {
	for (const colorBlind of [false, true]) {
		const where = `${dark ? 'dark' : 'light'}${colorBlind ? ', CB' : ''}`;
		const palette = new Palette(dark, colorBlind);
		await test(`${where}: text and coloured text have contrast AA`, () => {
			/** @type {[string, Rgb][]} */
			const written = [['text', palette.text], ['dim', palette.dim], ['note', palette.note], ['match', palette.match],
				...Object.entries(DRAWN).map(([name, kind]) => /** @type {[string, Rgb]} */ ([name, palette.kinds[kind]])),
				...Object.entries(palette.waits)];
			for (const [name, colour] of written) {
				const ratio = contrast(colour, palette.background);
				check(ratio >= 4.5, `${name} ${colour}: ${ratio.toFixed(2)}`);
			}
		});
		/** All colours of a kind: the event number makes it lighter or darker. @type {[string, Rgb[]][]} */
		const all = Object.entries({ ...FILLED, ...DRAWN }).map(([name, kind]) => [name,
			kind >= Kind.SYSCALL && kind <= Kind.SCHED ? Array.from({ length: 40 }, (_, n) => palette.numbered(kind, Event.SYSCALL64 + n)) : [palette.kinds[kind]]]);
		/** @type {Rgb[]} */
		const users = Array.from({ length: 400 }, (_, n) => palette.user(`program${n}`, n)[0]);
		for (const [eye, matrix] of Object.entries(EYES)) {
			/** @type {[string, Lab[]][]} */
			const looks = all.map(([name, colours]) => [name, [...new Map(colours.map((c) => [c.join(), seen(c, matrix)])).values()]]);
			/** @param {Lab[]} a @param {Lab[]} b */
			const apart = (a, b) => Math.min(...a.flatMap((x) => b.map((y) => ciede2000(x, y))));
			await test(`${where}: no two kinds are nearer than CIEDE2000 ${LEAST}, as seen with ${eye}`, () => {
				const near = looks.flatMap(([a, x], i) => looks.slice(i + 1).map(([b, y]) => /** @type {[string, number]} */ ([`${a} and ${b}`, apart(x, y)])))
					.filter(([, d]) => d < LEAST);
				check(!near.length, near.map(([pair, d]) => `${pair}: ${d.toFixed(1)}`).join(', '));
			});
			await test(`${where}: kernel code is at least CIEDE2000 ${LEAST} from every program's colours, as seen with ${eye}`, () => {
				const programs = users.map((c) => seen(c, matrix));
				for (const [name, colours] of looks.slice(2, Object.keys(FILLED).length)) {
					const d = apart(colours, programs);
					check(d >= LEAST, `${name}: ${d.toFixed(1)}`);
				}
			});
		}
	}
}
