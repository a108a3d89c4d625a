// SPDX-License-Identifier: BSD-3-Clause
/**
 * Tests the drawings over and between the bars, pixel by pixel on a trace made for this test: locks, frequency, PC
 * samples, Morse code of waits, idle states, IPIs and IPC needles. Also tests colours by pid and name, errno names,
 * progress, and the security policy. Prints TAP.
 */
import { Kind } from '../../templates/js/base/kinds.ts';
import { Palette } from '../../templates/js/base/palette.ts';
import { openBrowser } from './browser.mjs';
import { driver } from './driver.mjs';
import { Event } from './events.mjs';
import { generate, isExecution, jsonOf, pageOf, rowsOf } from './pages.mjs';
import { check, equal, near, test } from './tap.mjs';

/** @typedef {import('./pages.mjs').Row} Row */

// 1 ms per unit; CPU 0 runs 5 and 6 alternately, and CPU 1 idles
const ms = 1e-3;
/** @param {number} a @param {number} b @param {number} cpu @param {number} pid @param {number} event @param {string} name @param {number} [arg] @param {number} [ret] @param {number} [ipc] @returns {Row} */
const row = (a, b, cpu, pid, event, name, arg = 0, ret = 0, ipc = 0) => [a * ms, Math.round((b - a) * 1e5) / 1e8, cpu, pid, 0, event, arg, ret, ipc, name];
/** @type {Row[]} */
const rows = [
	row(0, 20, 0, 5, 65541, 'alpha.5', 0, 0, 4), row(95, 96, 1, 4194303, 65536 + 4194303, 'a_program_with_a_long_name.4194303'), row(20, 40, 0, 6, 65542, 'beta.6', 0, 0, 14), row(40, 60, 0, 5, Event.SYSCALL64 + 2, 'open', 3, 65534, 8),
	row(60, 80, 0, 7, 65543, 'alpha.7'), row(80, 100, 0, 6, 65542, 'beta.6'),
	row(0, 30, 1, 0, 65536, '-idle-'), row(30, 70, 1, 0, 65536, '-idlelp-', 1), row(70, 90, 1, 0, 0x20000, '-c-exit-'), row(90, 95, 1, 0, 65536, '-idle-'), row(96, 100, 1, 0, 65536, '-idle-'),
	row(10, 10.001, 0, 5, Event.PSTATE, '-freq-', 1000), row(10, 50, 0, 0, Event.PSTATE, '-freq-', 1000), row(50, 90, 0, 0, Event.PSTATE, '-freq-', 2000),
	row(15, 25, 0, 5, Event.PC_K, 'PC=ffffffff81000100', 7), row(65, 75, 0, 7, Event.PC_U, 'PC=000055550000', 9),
	row(25, 55, 0, 6, Event.LOCKHELD, '=pool', 11), row(30, 45, 0, 5, Event.LOCKTRY, '~pool', 11), row(47, 50, 0, 5, Event.LOCKHELD, '=pool', 11),
	row(20, 40, -1, 5, Event.WAITA + 3, 'wait_dsk'), row(40, 80, -1, 6, Event.WAITA + 13, 'wait_net'),
	row(35, 38, 0, 6, -7, '-ipi-', 1),
];
rows.sort((a, b) => a[0] - b[0]);
const browser = await openBrowser();
/** @type {any} */
const page = await browser.open(pageOf(jsonOf(rows), 'layers'));
const d = driver(page);
await page.keyboard.press('Shift');
await page.locator('[data-group=PID]').click();
await d.settle();

/** Returns the colours of one column of a row's pixels, from top to bottom. @param {string} label @param {number} t ms */
async function column(label, t) {
	const at = await d.row(label);
	return d.strip('base', Math.round(await d.xOf(t * ms)), Math.ceil(at.y), 1, Math.floor(at.height));
}
/** Returns the colours of adjacent pixels. @param {string} label @param {number} down pixels from the row's head @param {number} a ms @param {number} b ms */
async function line(label, down, a, b) {
	const at = await d.row(label);
	const x = Math.ceil(await d.xOf(a * ms));
	return d.strip('base', x, Math.floor(at.y + down), Math.floor(await d.xOf(b * ms)) - x, 1);
}
const white = '255,255,255';
/** The colour of the axis lines, which cross the whole picture. */
const grid = (await d.strip('base', Math.ceil((await d.drawn()).plot.x), Math.ceil((await d.drawn()).plot.y), Math.floor((await d.drawn()).plot.width), 1)).find((c) => c !== white) ?? white;
/** @param {string[]} colours */
const drawnShare = (colours) => colours.filter((c) => c !== white && c !== grid).length / colours.length;
/** @param {string} name */
const press = async (name) => {
	await page.locator(`#button-${name}`).click();
	await d.settle();
};

await test('Lock: a held lock is a line, a tried lock is dotted, in the row of its process; the button hides them', async () => {
	equal(await page.locator('#button-lock').isDisabled(), false, 'there are locks');
	equal(await page.locator('#button-lock').getAttribute('aria-pressed'), 'true', 'on at first');
	await page.locator('#button-arc').click();
	// above the bars, in the first pixels of the row
	near(drawnShare(await line('beta.6', 1, 26, 54)), 1, 0, 'beta holds it');
	const tried = drawnShare(await line('alpha.5', 1, 31, 44));
	check(tried > 0.2 && tried < 0.98, `alpha tries it: ${tried} of the line`);
	near(drawnShare(await line('alpha.5', 1, 47.5, 49.5)), 1, 0, 'alpha holds it, while beta does');
	equal(drawnShare(await line('alpha.7', 1, 26, 54)), 0, 'nobody else does');
	await press('lock');
	for (const label of ['beta.6', 'alpha.5']) equal(drawnShare(await line(label, 1, 42, 54)), 0, `${label}: off`);
	await press('lock');
	await press('lock');
	near(drawnShare(await line('beta.6', 1, 26, 54)), 1, 0, 'on again');
	await page.locator('#button-arc').click();
});

await test('Freq: a line as high as the frequency', async () => {
	equal(await page.locator('#button-freq').isDisabled(), false, 'there are frequencies');
	const before = [await column('CPU 0', 30), await column('CPU 0', 70)];
	await press('freq');
	const after = [await column('CPU 0', 30), await column('CPU 0', 70)];
	const [low, high] = after.map((c, i) => {
		const changed = c.flatMap((v, y) => (v === before[i][y] ? [] : [y]));
		check(changed.length > 0 && changed.length < 6, `a line, not ${changed.length} pixels`);
		return 1 - changed[changed.length >> 1] / c.length;
	});
	near(high, 0.96, 0.06, '2000 MHz: at the head');
	near(low, 0.48, 0.06, '1000 MHz: half of it');
	await press('freq');
	await press('freq');
	equal(await column('CPU 0', 70), before[1], 'off');
});

await test('Samp: lines above the row rise to the time of the sample, with a colour per place; without space, a strip', async () => {
	equal(drawnShare(await line('CPU 0', 1, 16, 24)), 0, 'off at first');
	await press('samp');
	/** Returns the pixels from the top of the row that the line of a sample covers at a time, and their colour. @param {number} t ms */
	const at = async (t) => {
		const ys = (await column('CPU 0', t)).slice(0, 7).flatMap((c, y) => (c === white || c === grid ? [] : [{ y, c }]));
		check(ys.length > 0, `nothing at ${t} ms`);
		return { y: ys.reduce((sum, { y }) => sum + y, 0) / ys.length, thick: ys.length, colour: ys[ys.length >> 1].c };
	};
	const [kernel, user] = [[await at(16.5), await at(23)], [await at(66.5), await at(73)]];
	for (const [early, late] of [kernel, user]) check(late.y < early.y - 1.5, `rises from ${early.y} to ${late.y}`);
	check(kernel[0].thick > user[0].thick, `kernel ${kernel[0].thick}, user ${user[0].thick} pixels`);
	check(kernel[0].colour !== user[0].colour, 'two places, one colour');
	equal(drawnShare(await line('CPU 0', 1, 28, 60)), 0, 'nothing between');
	await d.setRange(-1.9, 2.1);
	await d.settle();
	const x = Math.round(await d.xOf(20 * ms));
	const { y } = await d.row('CPU 0');
	check((await d.strip('base', x - 1, Math.ceil(y) + 1, 3, 1)).some((c) => c !== white && c !== grid), 'from afar: no strip');
	await d.reset();
	await press('samp');
});

await test('idle is a thin line, low-power idle is dashed, leaving it is a red sine', async () => {
	const at = await d.row('CPU 1');
	const foot = Math.floor(at.height) - 1;
	equal(drawnShare(await line('CPU 1', foot, 2, 28)), 1, 'idle');
	equal(drawnShare(await line('CPU 1', foot - 8, 2, 28)), 0, 'above it nothing');
	const dashes = await line('CPU 1', foot, 32, 68);
	near(drawnShare(dashes), 0.5, 0.12, 'low power');
	const edges = dashes.filter((c, i) => i && (c === white) !== (dashes[i - 1] === white)).length;
	check(edges >= 8, `only ${edges} edges of dashes`);
	const x = Math.ceil(await d.xOf(71 * ms));
	const seen = await d.strip('base', x, Math.ceil(at.y), Math.floor(await d.xOf(89 * ms)) - x, Math.floor(at.height));
	const width = Math.floor(await d.xOf(89 * ms)) - x;
	/** The y coordinates of red pixels, by column. @type {number[][]} */
	const red = Array.from({ length: width }, () => []);
	seen.forEach((c, i) => {
		const [r, g, b] = c.split(',').map(Number);
		if (r > g + 60 && r > b + 60) red[i % width].push(Math.floor(i / width));
	});
	check(red.filter((ys) => ys.length).length > width * 0.8, 'no red line all along');
	const middles = red.filter((ys) => ys.length).map((ys) => ys.reduce((a, b) => a + b) / ys.length);
	check(Math.max(...middles) - Math.min(...middles) > 6, 'it is flat');
	const turns = middles.filter((y, i) => i > 1 && (y - middles[i - 1]) * (middles[i - 1] - middles[i - 2]) < 0).length;
	check(turns >= 4, `it turns only ${turns} times`);
});

await test('waits are lines in Morse: dots and dashes by reason, as in the legend', async () => {
	/** Returns the lengths of lines and gaps along a wait. @param {string} label @param {number} a @param {number} b */
	const morse = async (label, a, b) => {
		const at = await d.row(label);
		for (let down = Math.floor(at.height) - 1; down > at.height * 0.5; down--) {
			const colours = await line(label, down, a, b);
			if (drawnShare(colours) < 0.1) continue;
			/** @type {number[]} */
			const runs = [];
			let last = null;
			for (const c of colours) {
				if ((c === white) === last) runs[runs.length - 1]++;
				else runs.push(1);
				last = c === white;
			}
			return { runs: runs.slice(1, -1), first: colours[0] !== white };
		}
		throw new Error(`${label}: no line`);
	};
	// a dash has 4 units, a dot 1, the gap between them 2, and the gap after the letter 5; a unit is 2 pixels
	const disk = await morse('alpha.5', 20.1, 39.9);
	const net = await morse('beta.6', 40.1, 79.9);
	/** @param {number[]} runs @param {number[]} pattern */
	const has = (runs, pattern) => runs.some((_, i) => pattern.every((n, k) => Math.abs((runs[i + k] ?? -9) - n * 2) <= 1));
	check(has(disk.runs, [4, 2, 1, 2, 1, 5]), `-.. of disk: ${disk.runs}`);
	check(has(net.runs, [4, 2, 1, 5]), `-. of network: ${net.runs}`);
	check(!has(net.runs, [4, 2, 1, 2, 1, 5]) && !has(disk.runs, [4, 2, 1, 5]), 'the reasons look alike');
	for (const [label, t] of /** @type {[string, number][]} */ ([['alpha.5', 20], ['beta.6', 40]])) {
		const at = await d.row(label);
		check(at.height > 13, `${label} is too low for a name`);
		const x = Math.round(await d.xOf(t * ms));
		const y = Math.floor(at.y + at.height - at.height * 0.86 * 0.25 - 12);
		const letters = (await d.strip('base', x + 3, y, 45, 9)).filter((c) => c !== white && c !== grid && c.split(',').some((v) => Number(v) < 180));
		check(letters.length > 20, `${label}: no reason in letters, ${letters.length} pixels`);
	}
	const legend = await page.locator('#legend').innerText();
	for (const text of ['d  disk', 'n  network']) check(legend.replace(/ +/g, ' ').includes(text.replace(/ +/g, ' ')), `legend lacks ${text}: ${legend}`);
});

await test('an IPI\'s arc leads from the sender\'s row to the other CPU\'s, dashed', async () => {
	const { arcs } = await d.drawn();
	const ipi = arcs.find((/** @type {any} */ a) => a.row[5] === -7);
	check(ipi, 'no arc');
	const [from, to] = [await d.row('CPU 0'), await d.row('CPU 1')];
	near(ipi.x0, await d.xOf(35 * ms), 1, 'from');
	near(ipi.x1, await d.xOf(38 * ms), 1, 'to');
	check(ipi.y0 > from.y && ipi.y0 < from.y + from.height && ipi.y1 > to.y && ipi.y1 < to.y + to.height, 'rows');
	const head = { x: Math.round(ipi.x1) - 3, y: Math.round(ipi.y1) - 5, width: 6, height: 5 };
	const on = JSON.stringify(await d.colours('base', head));
	await press('arc');
	check(JSON.stringify(await d.colours('base', head)) !== on, 'the head is no pixels');
	await press('arc');
});

await test('IPC: a needle that turns with the value, for user, kernel or both', async () => {
	/** Returns the position of the needle's dark pixels, from -1 (left) to 1 (right). @param {number} t */
	const needle = async (t) => {
		const at = await d.row('CPU 0');
		const x = Math.round(await d.xOf(t * ms)) - 16;
		const before = await d.strip('base', x, Math.ceil(at.y), 32, 30);
		await press('ipc');
		const after = await d.strip('base', x, Math.ceil(at.y), 32, 30);
		for (let i = 0; i < 3; i++) await press('ipc');
		const places = after.flatMap((c, i) => (c === before[i] ? [] : [(i % 32) - 16]));
		return places.length > 8 ? places.reduce((a, b) => a + b) / places.length / 16 : NaN;
	};
	const [slow, quick] = [await needle(10), await needle(30)];
	// the value 4 stands for 0.5 instructions per cycle, and 14 for 3
	check(slow < -0.1 && quick > 0.1, `0.5 points to ${slow}, 3 to ${quick}`);
	const places = async () => [(await column('CPU 0', 10)).join(), (await column('CPU 0', 50)).join()];
	const off = await places();
	const changed = async () => (await places()).map((c, i) => c !== off[i]);
	await press('ipc');
	const both = await changed();
	await press('ipc');
	const user = await changed();
	await press('ipc');
	const kernel = await changed();
	await press('ipc');
	equal([both, user, kernel, await changed()], [[true, true], [true, false], [false, true], [false, false]], 'both, user, kernel, off');
});

await test('LLC: a needle for misses, or two needles for IPC and misses, according to the flags; the legend and the data name them', async () => {
	/** @param {number} flags @param {number[]} values of four spans */
	const openWith = async (flags, values) => {
		const other = await browser.open(pageOf(jsonOf(values.map((v, i) => row(25 * i, 25 * (i + 1), 0, 5, 65541, 'alpha.5', 0, 0, v)), { flags }), `llc${flags}`));
		await other.keyboard.press('Shift');
		const o = driver(other);
		await o.settle();
		const at = await o.row('CPU 0');
		const before = await Promise.all(values.map(async (_, i) => o.strip('base', Math.round(await o.xOf((25 * i + 12.5) * ms)) - 16, Math.ceil(at.y), 32, 20)));
		await other.locator('#button-ipc').click();
		await o.settle();
		/** Position of the pixels of a needle from -1 to 1, for red and for other pixels. @type {{red: number, dark: number}[]} */
		const needles = [];
		for (const [i, old] of before.entries()) {
			const now = await o.strip('base', Math.round(await o.xOf((25 * i + 12.5) * ms)) - 16, Math.ceil(at.y), 32, 20);
			/** @type {{red: number[], dark: number[]}} */
			const places = { red: [], dark: [] };
			now.forEach((c, k) => {
				const [r, g, b] = c.split(',').map(Number);
				if (c === old[k]) return;
				if (r > g + 100 && r > b + 80) places.red.push((k % 32) - 16);
				else if (r < 90 && g < 90 && b < 90) places.dark.push((k % 32) - 16);
			});
			/** @param {number[]} list */
			const mean = (list) => (list.length > 5 ? list.reduce((x, y) => x + y) / list.length / 16 : NaN);
			needles.push({ red: mean(places.red), dark: mean(places.dark) });
		}
		const legend = await other.locator('#legend').innerText();
		await other.mouse.move(await o.xOf(0.06), at.y + at.height * 0.8);
		await o.settle();
		const tip = (await other.locator('#tip table').innerText()).replace(/\s+/g, ' ');
		const title = await other.locator('#button-ipc').getAttribute('title');
		await other.close();
		return { needles, legend, tip, title };
	};
	const misses = await openWith(0x23, [0, 2, 11, 15]);
	const places = misses.needles.map((n) => n.red);
	check(places[0] < places[1] && places[1] < 0 && places[2] > 0.05 && places[3] > places[2], `misses point to ${places}`);
	check(misses.needles.every((n) => Number.isNaN(n.dark)), 'a needle for IPC that nobody counted');
	check(misses.legend.includes('LLC misses') && !misses.legend.includes('IPC'), `legend: ${misses.legend}`);
	check(misses.tip.includes('LLC misses 4096 to 8191') && !misses.tip.includes('IPC'), `data: ${misses.tip}`);
	check(misses.title.startsWith('last-level cache misses'), `title: ${misses.title}`);
	const both = await openWith(0xa3, [0, 3, 12 + 3, 12]);
	check(both.needles[0].red < -0.05 && both.needles[0].dark < -0.05, `none of both: ${JSON.stringify(both.needles[0])}`);
	check(both.needles[1].red > 0.05 && both.needles[1].dark < -0.05, `many misses, slow: ${JSON.stringify(both.needles[1])}`);
	check(both.needles[3].red < -0.05 && both.needles[3].dark > 0.05, `no misses, quick: ${JSON.stringify(both.needles[3])}`);
	check(both.legend.includes('LLC misses') && both.legend.includes('IPC'), `legend: ${both.legend}`);
	check(both.tip.includes('IPC 2 or more') && both.tip.includes('LLC misses 8192 or more'), `data: ${both.tip}`);
	const ipc = await openWith(0x83, [0, 4, 9, 15]);
	check(ipc.needles.every((n) => Number.isNaN(n.red)) && ipc.tip.includes('IPC 1.25') && !ipc.legend.includes('LLC'), 'IPC alone');
});

await test('marks a, b and c are open or closed brackets with names; mark d is a number in a box', async () => {
	/** @type {Row[]} */
	const marked = [row(0, 100, 0, 5, 65541, 'alpha.5'), row(10, 10, 0, 5, Event.MARKA, 'mark_a=begin'), row(30, 30, 0, 5, Event.MARKA, 'mark_a=/begin'), row(45, 45, 0, 5, Event.MARKB, 'mark_b=bee'),
		row(60, 60, 0, 5, Event.MARKC, 'mark_c=cee'), row(75, 75, 0, 5, Event.MARKD, 'mark_d', 4711)];
	const other = await browser.open(pageOf(jsonOf(marked), 'marks'));
	const o = driver(other);
	await o.settle();
	const { labels, plot } = await o.drawn();
	equal(labels.map((/** @type {any} */ l) => l.text), ['begin', '/begin', 'bee', 'cee', '4711'], 'names');
	const at = await o.row('CPU 0');
	const x = await Promise.all([10, 30, 45, 60, 75].map((t) => o.xOf(t * ms)));
	check(labels[0].x0 + plot.x > x[0] && labels[1].x1 + plot.x < x[1] && labels[2].x0 + plot.x > x[2], 'a closing one is named before it, an opening one behind it');
	check(labels[3].y0 > labels[0].y0 && labels[4].y0 > labels[3].y0 && labels[2].y0 === labels[0].y0, 'c stands lower, and d lowest');
	/** @param {string} a @param {string} b how far apart two colours are */
	const apart = (a, b) => Math.max(...a.split(',').map((v, k) => Math.abs(Number(v) - Number(b.split(',')[k]))));
	/** Returns the colour of a mark's line, and whether its foot extends to the left and to the right. @param {number} i */
	const bracket = async (i) => {
		const middle = Math.round(x[i]);
		const line = await o.strip('base', middle - 8, Math.round(at.y + at.height * 0.5), 12, 1);
		const [colour] = line.slice(6, 10).sort((p, q) => apart(q, line[0]) - apart(p, line[0]));
		let [left, right] = [false, false];
		for (let up = -1; up < 4; up++) {
			const foot = await o.strip('base', middle - 6, Math.round(at.y + at.height) - up, 12, 1);
			if (foot.slice(3, 5).every((c) => apart(c, colour) < 60)) left = true;
			if (foot.slice(7, 9).every((c) => apart(c, colour) < 60)) right = true;
		}
		return { colour, left, right };
	};
	const seen = await Promise.all([0, 1, 2, 3, 4].map(bracket));
	equal(seen.map(({ left, right }) => [left, right]), [[false, true], [true, false], [false, true], [false, true], [false, false]], `feet: ${JSON.stringify(seen)}`);
	check(apart(seen[0].colour, seen[1].colour) < 60, `both a: ${JSON.stringify(seen)}`);
	for (const [i, j] of [[0, 2], [0, 3], [0, 4], [2, 3], [2, 4], [3, 4]]) check(apart(seen[i].colour, seen[j].colour) > 60, `one colour: ${JSON.stringify([seen[i], seen[j]])}`);
	/** Returns the share of drawn pixels at the upper edge of a label. @param {any} l */
	const edge = async (l) => {
		const strip = await o.strip('base', Math.round(l.x0 + plot.x) + 2, Math.round(l.y0 + plot.y), Math.floor(l.x1 - l.x0) - 3, 1);
		return strip.filter((c) => c.split(',').every((v) => Number(v) < 150)).length / strip.length;
	};
	check(await edge(labels[4]) > 0.9, `no box round the number: ${await edge(labels[4])}`);
	check(await edge(labels[0]) < 0.2, `a box round a name: ${await edge(labels[0])}`);
	await other.close();
});

await test('a process has two tones and its name a colour, the same in every trace', async () => {
	/** @param {ReturnType<typeof driver>} dr @param {number} t */
	const tones = async (dr, t) => {
		const at = await dr.row('CPU 0');
		const x = Math.round(await dr.xOf(t * ms));
		const strip = await dr.strip('base', x, Math.ceil(at.y), 1, Math.floor(at.height));
		return [strip[Math.round(strip.length * 0.7)], strip[Math.round(strip.length * 0.93)]];
	};
	const alpha = await tones(d, 18);
	const beta = await tones(d, 38);
	check(alpha[0] !== alpha[1] && beta[0] !== beta[1], `one tone only: ${alpha} ${beta}`);
	check(alpha[0] !== beta[0], 'two programs, one colour');
	/** @param {string} c @returns {number} degrees */
	const hue = (c) => {
		const [r, g, b] = c.split(',').map(Number);
		return (Math.atan2(Math.sqrt(3) * (g - b), 2 * r - g - b) * 180) / Math.PI;
	};
	// read the colours near the right end of each bar, where there is no name
	equal((await tones(d, 78))[0], alpha[0], 'the same program under another pid');
	/** @type {Row[]} */
	const other = [row(0, 50, 0, 900, 65536 + 900, 'alpha.900'), row(50, 100, 0, 901, 65536 + 901, 'gamma.901')];
	const second = await browser.open(pageOf(jsonOf(other), 'other'));
	equal((await tones(driver(second), 45))[0], alpha[0], 'in another trace');
	const hues = [alpha[0], beta[0], (await tones(driver(second), 95))[0]].map(hue);
	check(Math.max(...hues) - Math.min(...hues) > 15, `three programs, one hue: ${hues}`);
	await second.close();
});

await test('a system call shows its argument and result, with the name of the error', async () => {
	const cpu = await d.row('CPU 0');
	const { plot } = await d.drawn();
	await page.keyboard.down('Shift');
	await page.mouse.move(await d.xOf(45 * ms), cpu.y + cpu.height * 0.8);
	await page.mouse.down();
	await d.settle();
	const { notes } = await d.drawn();
	await page.mouse.up();
	await page.keyboard.up('Shift');
	check(notes.length === 1 && notes[0].includes('open(3)=-2 ENOENT'), `note: ${notes}`);
	await page.mouse.move(await d.xOf(50 * ms), cpu.y + cpu.height * 0.8);
	await d.settle();
	const tip = await page.locator('#tip').innerText();
	check(/returned\s+-2 ENOENT/.test(tip) && tip.includes('20 ms'), tip);
	await page.mouse.move(plot.x - 60, plot.y + plot.height - 3);
});

await test('times have readable units, and digits are aligned', async () => {
	const texts = await page.evaluate(() => [...document.querySelectorAll('#tablebox td:not(.text)')].map((e) => e.textContent));
	check(texts.some((/** @type {string} */ t) => /^\d\d?\.\d\d? (µs|ms)$|^\d{3}\.\d (µs|ms)$|^\d\.\d{3} (µs|ms)$/.test(t)), `no time like 12.34 ms: ${texts}`);
	check(!texts.some((/** @type {string} */ t) => /\d{4,}\.\d/.test(t)), `a time with too many digits: ${texts}`);
	const styles = await page.evaluate(() => [...document.querySelectorAll('#tablebox td:not(.text)')].map((e) => {
		const s = getComputedStyle(e);
		return `${s.textAlign} ${s.fontVariantNumeric}`;
	}));
	equal([...new Set(styles)], ['right tabular-nums'], 'alignment');
});

await test('at 1280 pixels, the tables cut off only names, which keep their pids', async () => {
	for (const tab of ['processes', 'calls', 'kinds', 'names', 'waits', 'wakeups']) {
		await page.locator(`#tab-${tab}`).click();
		const cut = await page.evaluate(() => {
			/** @param {Element | null} e */
			const right = (e) => e?.getBoundingClientRect().right ?? 0;
			const box = document.getElementById('tablebox');
			const pids = [...document.querySelectorAll('#tablebox .name span:not(.front)')].filter((e) => right(e) > right(e.closest('td')) + 0.5);
			const numbers = [...document.querySelectorAll('#tablebox td:not(.text)')].filter((e) => e.scrollWidth > e.clientWidth + 1 || right(e) > right(box));
			return [...pids, ...numbers].map((e) => e.textContent);
		});
		equal(cut, [], tab);
	}
	await page.locator('#tab-processes').click();
});

await test('the security policy blocks foreign scripts and requests', async () => {
	const blocked = await page.evaluate(async () => {
		/** @type {string[]} */
		const seen = [];
		addEventListener('securitypolicyviolation', (e) => seen.push(e.effectiveDirective));
		const script = document.createElement('script');
		script.textContent = 'window.injected = 1';
		document.body.append(script);
		const image = new Image();
		image.src = 'http://127.0.0.1:9/x.png';
		await fetch('http://127.0.0.1:9/').catch(() => {});
		// wait for three reports, which the browser sends with a delay
		for (const until = Date.now() + 20000; new Set(seen).size < 3 && Date.now() < until;) await new Promise((resolve) => setTimeout(resolve, 20));
		script.remove();
		return { seen, injected: /** @type {any} */ (window).injected };
	});
	equal(blocked.injected, undefined, 'an inline script ran');
	for (const what of ['script-src-elem', 'img-src', 'connect-src']) check(blocked.seen.includes(what), `${what} is not blocked: ${blocked.seen}`);
	// messages about the refusals are not complaints of the page
	check(browser.complaints.every((c) => /Content.Security.Policy/.test(c)), `console: ${browser.complaints}`);
	browser.complaints.length = 0;
});

await test('at 3840x2160 with two device pixels per pixel, the picture and the span under the pointer agree', async () => {
	const large = await openBrowser({ viewport: { width: 1920, height: 1080 }, deviceScaleFactor: 2 });
	const other = await large.open(pageOf(jsonOf(rows), 'large'));
	const dr = driver(other);
	const size = await other.evaluate(() => {
		const canvas = /** @type {HTMLCanvasElement} */ (document.getElementById('base'));
		return [canvas.width / canvas.clientWidth, canvas.height / canvas.clientHeight];
	});
	equal(size, [2, 2], 'device pixels');
	const cpu = await dr.row('CPU 0');
	for (const [t, name] of /** @type {const} */ ([[19.8, 'alpha.5'], [20.2, 'beta.6'], [59.8, 'open'], [60.2, 'alpha.7']]))
		equal((await dr.hit(await dr.xOf(t * ms), cpu.y + cpu.height * 0.8))?.[9], name, `at ${t} ms`);
	await large.close();
});

await test('a group that a worker still sorts opens immediately, and gets its rows later', async () => {
	const context = browser.context;
	const sorted = await context.newPage();
	await sorted.addInitScript(() => {
		// the worker's result is delivered when the test releases it
		/** @type {(() => void)[]} */
		const held = [];
		/** @type {any} */ (window).release = () => held.forEach((give) => give());
		const handler = /** @type {PropertyDescriptor} */ (Object.getOwnPropertyDescriptor(Worker.prototype, 'onmessage'));
		Object.defineProperty(Worker.prototype, 'onmessage', {
			set(callback) {
				handler.set?.call(this, (/** @type {MessageEvent} */ event) => {
					if (event.data.processes) held.push(() => callback(event));
					else callback(event);
				});
			},
		});
	});
	const large = generate('330000', '4');
	await sorted.goto((await import('node:url')).pathToFileURL(pageOf(large, 'sorted')).href);
	await sorted.waitForFunction(() => document.documentElement.dataset.state === 'ready');
	const ds = driver(sorted);
	const group = sorted.locator('[data-group=PID]');
	await group.click();
	// until the test releases the worker's result, the group shows "sorting"
	await sorted.waitForFunction(() => /** @type {HTMLElement} */ (document.querySelector('[data-group=PID]')).innerText.includes('sorting'));
	equal((await ds.shown()).filter((r) => r.group === 'PID').length, 0, 'rows so far');
	await sorted.waitForFunction(() => {
		/** @type {any} */ (window).release();
		return window.kutrace.rows().some((/** @type {any} */ r) => r.group === 'PID');
	}, null, { polling: 100, timeout: 30000 });
	await ds.settle();
	const all = rowsOf(large);
	const list = (await ds.shown()).filter((r) => r.group === 'PID').slice(0, 3);
	equal(list.map((r) => r.spans), list.map((r) => all.filter((x) => isExecution(x) && x[3] === r.id && x[9] !== '-idle-').length), 'spans by pid');
	check((await group.innerText()).match(/PID\s*\d+/), `count: ${await group.innerText()}`);
	await sorted.close();
});

await test('tracepoints are flags with their fields: drawn, hovered, searched, switched off with the marks', async () => {
	const point = row(62, 62, 0, 7, 0x109, 'block_rq_issue dev=8 sector=1048576 cmd=W');
	const far = row(20, 20, 0, 6, 0x109, 'net_xmit len=60');
	const other = await browser.open(pageOf(jsonOf([...rows, point, far].sort((a, b) => a[0] - b[0])), 'tracepoints'));
	await other.keyboard.press('Shift');
	const dp = driver(other);
	const marks = () => dp.drawn().then((/** @type {any} */ now) => now.marks.filter((/** @type {any} */ m) => m.row[5] === Event.TPOINT));
	equal((await marks()).map((/** @type {any} */ m) => [m.row[9], m.labelled]), [[far[9], true], [point[9], true]], 'flags');
	check((await other.locator('#legend').innerText()).includes('tracepoint'), 'not in the legend');
	const flag = (await marks())[1];
	const at = await dp.row('CPU 0');
	const colour = await other.evaluate((/** @type {[number, number]} */ [x, y]) => {
		const canvas = /** @type {HTMLCanvasElement} */ (document.getElementById('base'));
		const box = canvas.getBoundingClientRect();
		return Array.from(/** @type {CanvasRenderingContext2D} */ (canvas.getContext('2d')).getImageData(x - box.left, y - box.top, 1, 1).data);
	}, [flag.x + 3, at.y + 3]);
	equal(colour.slice(0, 3), [...new Palette(false, false).kinds[Kind.TRACEPOINT]], 'its colour');
	await other.mouse.move(flag.x, at.y + at.height / 2);
	await dp.settle();
	equal(JSON.parse(await other.locator('#tip code').innerText()), point, 'hover');
	equal((await other.evaluate(() => window.kutrace.search('sector=1048576'))).count, 1, 'found by a field');
	await other.evaluate(() => window.kutrace.search(''));
	for (const [state, count] of /** @type {[string, number][]} */ ([['text', 2], ['numbers', 0], ['off', 0], ['both', 2]])) {
		await other.locator('#button-mark').click();
		await dp.settle();
		equal((await marks()).length, count, `Mark: ${state}`);
	}
	await other.close();
});

await test('a progress bar is shown while the page loads', async () => {
	const context = browser.context;
	const loading = await context.newPage();
	await loading.addInitScript(() => {
		/** @type {number[]} */
		const seen = (/** @type {any} */ (window).seen = []);
		const look = () => {
			const bar = /** @type {HTMLProgressElement | null} */ (document.getElementById('progress'));
			if (bar?.checkVisibility() && bar.hasAttribute('value')) seen.push(bar.value);
		};
		// record each change of the bar
		addEventListener('DOMContentLoaded', () => {
			const bar = document.getElementById('progress');
			if (bar) new MutationObserver(look).observe(bar, { attributes: true });
		});
	});
	await loading.goto((await import('node:url')).pathToFileURL(pageOf(generate('60000', '4'), 'progress')).href);
	await loading.waitForFunction(() => document.documentElement.dataset.state === 'ready');
	const seen = await loading.evaluate(() => /** @type {any} */ (window).seen);
	check(seen.length >= 3, `seen ${seen}`);
	check(seen.every((/** @type {number} */ v, /** @type {number} */ i) => v > 0 && v <= 1 && (!i || v >= seen[i - 1])), `not growing: ${seen}`);
	equal(await loading.locator('#progress').isVisible(), false, 'gone in the end');
	await loading.close();
});
await browser.close();
