// SPDX-License-Identifier: BSD-3-Clause
/** Shows the legend: a sample of each kind that the trace has, drawn as in the picture. */
import * as Event from '../base/events.ts';
import { byId, make } from '../base/dom.ts';
import { Kind, kindLabel, waitLetter, waits } from '../base/kinds.ts';
import { css, type Rgb } from '../base/palette.ts';
import { needle } from '../draw/inside.ts';
import { dotted, hatched, frequencyColor } from '../draw/layers.ts';
import { morsePattern } from '../draw/lines.ts';
import { diagonals } from '../draw/overhead.ts';
import { CONTEXT_SHARE, heights } from '../draw/sizes.ts';
import type { Entry } from '../draw/sheet.ts';
import type { View } from '../scene/view.ts';

const LEGEND_KINDS = [
	Kind.USER, Kind.SYSCALL, Kind.TRAP, Kind.IRQ, Kind.SOFTIRQ, Kind.SCHED, Kind.KTHREAD, Kind.IDLE, Kind.IDLELP, Kind.CEXIT,
];

function lineOf({ label, draw }: Entry) {
	if (!draw) return make('li', 'head', label);
	const canvas = make('canvas');
	const scale = Math.min(3, window.devicePixelRatio || 1);
	canvas.width = 26 * scale;
	canvas.height = 16 * scale;
	const ctx = canvas.getContext('2d')!;
	ctx.scale(scale, scale);
	draw(ctx, 26, 16);
	return make('li', '', [canvas, make('span', '', label)]);
}

/** Makes an entry whose sample is one line. @param path adds the line to the path of the canvas */
const stroked = (label: string, color: string, width: number, dash: number[], path: Exclude<Entry['draw'], undefined>): Entry => ({ label, draw: (ctx, w, h) => {
	ctx.strokeStyle = color;
	ctx.lineWidth = width;
	ctx.setLineDash(dash);
	ctx.beginPath();
	path(ctx, w, h);
	ctx.stroke();
} });

function addExecution({ trace, palette }: View, list: Entry[]) {
	const second = css(palette.user('user', 1)[1]);
	for (const kind of LEGEND_KINDS) {
		if (!trace.has(kind)) continue;
		list.push({ label: kindLabel(kind), draw: (ctx, w, h) => {
			const color = css(palette.kinds[kind]);
			ctx.fillStyle = color;
			if (kind === Kind.IDLE) ctx.fillRect(0, h - 2, w, 1.5);
			else if (kind === Kind.IDLELP) for (let x = 0; x < w; x += 8) ctx.fillRect(x, h - 3, 4, 2.5);
			else if (kind === Kind.CEXIT) {
				ctx.strokeStyle = color;
				ctx.lineWidth = 1.5;
				ctx.beginPath();
				for (let x = 0; x <= w; x++) ctx.lineTo(x, h - 5 - 3.5 * Math.sin(x * 0.6));
				ctx.stroke();
			} else {
				ctx.fillRect(0, h * (1 - heights[kind]), w, h * (heights[kind] - CONTEXT_SHARE));
				ctx.fillStyle = second;
				ctx.fillRect(0, h * (1 - CONTEXT_SHARE), w, h * CONTEXT_SHARE);
			}
		} });
	}
}

function addLines({ trace, palette, options, look }: View, list: Entry[]) {
	for (const kind of [Kind.WAKE, Kind.IPI]) {
		if (!trace.has(kind)) continue;
		list.push(stroked(kindLabel(kind), css(palette.kinds[kind]), 1.25, kind === Kind.WAKE ? [2, 2.5] : [5, 2], (ctx, w, h) => {
			ctx.moveTo(2, h - 2);
			ctx.bezierCurveTo(w * 0.2, 0, w * 0.7, 0, w - 3, h - 3);
		}));
	}
	if (trace.messages.length) {
		list.push({ label: 'message', draw: (ctx, w, h) => {
			ctx.strokeStyle = ctx.fillStyle = css(palette.kinds[Kind.PACKET]);
			ctx.lineWidth = 1.5;
			ctx.beginPath();
			ctx.moveTo(4, 2);
			ctx.lineTo(w - 6, h - 3);
			ctx.stroke();
			ctx.beginPath();
			ctx.moveTo(w - 9, h - 8);
			ctx.lineTo(w - 6, h - 3);
			ctx.lineTo(w - 3, h - 8);
			ctx.fill();
		} });
	}
	for (const [event, label] of [[Event.LOCKHELD, 'lock held'], [Event.LOCKTRY, 'trying to lock']] as [number, string][]) {
		if (!options.lock || !trace.events.includes(event)) continue;
		list.push(stroked(label, css(palette.kinds[Kind.LOCK]), 2, event === Event.LOCKTRY ? [1.5, 2] : [], (ctx, w, h) => {
			ctx.moveTo(1, h / 2);
			ctx.lineTo(w - 1, h / 2);
		}));
	}
	for (const label of [...(trace.pauses.length ? [kindLabel(Kind.PAUSE)] : []), ...(trace.partial ? ['events missing'] : [])])
		list.push(stroked(label, css(palette.kinds[Kind.PAUSE]), 1, [1, 4], (ctx, w, h) => dotted(ctx, 0, 0, w, h)));
	if (trace.stops.length)
		list.push(stroked('machine or CPU stopped', css(palette.kinds[Kind.STOPPED]), 1, [], (ctx, w, h) => hatched(ctx, 0, 0, w, h)));
	if (look.overhead) {
		list.push({ label: 'overhead', draw: (ctx, w, h) => {
			ctx.fillStyle = css(palette.kinds[Kind.SYSCALL]);
			ctx.fillRect(0, 0, w, h);
			diagonals(ctx, 0, 0, w / 2, h);
		} });
	}
	if (options.freq) {
		list.push(options.freqOver ? { label: 'frequency, slow to fast', draw: (ctx, w, h) => {
			for (let i = 0; i < 8; i++) {
				ctx.fillStyle = frequencyColor(i / 7);
				ctx.fillRect((i * w) / 8, 2, w / 8, h - 4);
			}
		} } : stroked('frequency', css(palette.kinds[Kind.FREQ]), 1.5, [], (ctx, w, h) => {
			for (const [x, y] of [[1, 10], [9, 10], [9, 4], [18, 4], [18, 7], [w - 1, 7]]) ctx.lineTo(x, Math.min(h, y));
		}));
	}
}

function addMarks({ trace, palette }: View, list: Entry[]) {
	for (const kind of [Kind.MARK_A, Kind.MARK_B, Kind.MARK_C, Kind.MARK_D]) {
		if (!trace.has(kind)) continue;
		list.push(stroked(kindLabel(kind), css(palette.kinds[kind]), 1.5, [], (ctx, _, h) => {
			if (kind === Kind.MARK_D) ctx.rect(8.5, 2.5, 10, 11);
			else for (const [x, foot] of [[7, 4], [19, -4]]) {
				ctx.moveTo(x + foot, 2);
				ctx.lineTo(x, 2);
				ctx.lineTo(x, h - 2);
				ctx.lineTo(x + foot, h - 2);
			}
		}));
	}
	if (trace.has(Kind.TRACEPOINT)) {
		list.push({ label: kindLabel(Kind.TRACEPOINT), draw: (ctx, w, h) => {
			ctx.fillStyle = css(palette.kinds[Kind.TRACEPOINT]);
			ctx.fillRect(w / 2 - 3, 2, 1.5, h - 6);
			ctx.fillRect(w / 2 - 2, 2, 6, 5);
		} });
	}
}

/** A plot of usual width draws bars if it has more arcs (or more marks) than this. */
const MANY = 120;

/** Adds the entries for bars, which replace elements that are too many to draw one by one. */
function addBars({ trace, palette }: View, list: Entry[]) {
	const bars = (label: string, kind: number, elements: number) => elements > MANY && list.push({ label, draw: (ctx, w, h) => {
		ctx.fillStyle = css(palette.kinds[kind]);
		[4, 7, 3, 12, 9, 5].forEach((high, i) => ctx.fillRect(1 + i * 4, h - 1 - high, 3, high));
	} });
	const commonest = (...kinds: number[]) => kinds.sort((a, b) => trace.byKind[b].length - trace.byKind[a].length)[0];
	bars('many arcs', commonest(Kind.WAKE, Kind.IPI), trace.arcs.length);
	bars('many messages', Kind.PACKET, trace.messages.length);
	bars('many marks', commonest(Kind.MARK_A, Kind.MARK_B, Kind.MARK_C, Kind.MARK_D, Kind.TRACEPOINT), trace.marks.length - trace.byKind[Kind.BRACKET].length);
}

/** Adds the entries for the dials of instructions per cycle and of cache misses. */
function addDials({ trace, palette, options }: View, list: Entry[]) {
	if (options.ipc === 'off') return;
	const dial = (label: string, color: Rgb) => list.push({ label: label, draw: (ctx, w, h) => {
		ctx.strokeStyle = css(palette.dim);
		ctx.beginPath();
		ctx.arc(w / 2, h - 1, 12, Math.PI, 2 * Math.PI);
		ctx.stroke();
		ctx.fillStyle = css(palette.text);
		for (const share of [0.25, 0.5, 0.75]) {
			const angle = Math.PI * (1 - share);
			ctx.fillRect(w / 2 + 10 * Math.cos(angle) - 1, h - 1 - 10 * Math.sin(angle) - 1, 2, 2);
		}
		ctx.fillStyle = css(color);
		needle(ctx, w / 2, h - 1, 11, 0.72);
	} });
	if (trace.counted.ipc) dial('IPC 0 to 4', palette.text);
	if (trace.counted.llc) dial('LLC misses 0 to 64K', palette.kinds[Kind.MARK_A]);
}

function addWaits({ trace, palette }: View, list: Entry[]) {
	const letters = !trace.has(Kind.WAIT) ? [] :
		[...new Set(trace.texts.flatMap((_, i) => (trace.kinds[i] === Kind.WAIT ? waitLetter(trace.events[i]) : [])))].sort();
	if (letters.length) list.push({ label: `waits, in ${trace.foreign?.process ?? 'PID'} rows` });
	for (const letter of letters) {
		list.push({ label: `${letter}  ${waits[letter]?.name ?? 'unknown'}`, draw: (ctx, w, h) => {
			ctx.fillStyle = css(palette.waits[letter] ?? palette.dim);
			const pattern = morsePattern(waits[letter]?.morse ?? '.');
			for (let x = 0; x < w; x++)
				if (pattern[Math.floor(x / 1.5) % pattern.length]) ctx.fillRect(x, h / 2 - 0.75, 1, 1.5);
		} });
	}
}

/** Values of data-fit in the style sheet, from wide to narrow line spacing. */
const FITS = ['', 'dense', 'denser'];

/** Selects the widest line spacing with which the whole legend is visible. */
function fit() {
	const box = byId('legend');
	const panel = byId('panel');
	for (const level of FITS) {
		box.dataset.fit = level;
		const outer = panel.contains(box) ? panel : box;
		if (outer.scrollHeight <= outer.clientHeight && box.scrollHeight <= box.clientHeight) return;
	}
}

/** Returns the entries for the items that the trace has. */
export function legendOf(view: View): Entry[] {
	const list: Entry[] = [];
	for (const add of [addExecution, addLines, addMarks, addBars, addDials, addWaits]) add(view, list);
	return list;
}

export function showLegend(view: View) {
	byId('legend').replaceChildren(make('ul', '', legendOf(view).map(lineOf)));
	fit();
}

/** Moves the legend below the table if the window has no room for both. @param isOpen whether the table is open */
export function placeLegend(isOpen: () => boolean) {
	const narrow = matchMedia('(max-width: 1499px)');
	const place = () => {
		const inPanel = narrow.matches && isOpen();
		const home = byId(inPanel ? 'panel' : 'main');
		if (byId('legend').parentElement !== home) home.append(byId('legend'));
		fit();
	};
	narrow.addEventListener('change', place);
	// observe the panel and all elements in it: a hidden element leaves room for the legend
	new MutationObserver(place).observe(byId('panel'), { attributeFilter: ['hidden'], subtree: true });
	new ResizeObserver(fit).observe(byId('main'));
	place();
}
