// SPDX-License-Identifier: BSD-3-Clause
/**
 * Everything around the picture: buttons, title and facts, legend, tooltip,
 * status line, help. Names from the trace go into the page as text only, never
 * as markup.
 */
import { ipcText, llcText, steps } from './counters.js';
import * as format from './format.js';
import { Kind, kindLabel, returnText, waitLetter, waits } from './kinds.js';
import { morsePattern } from './lines.js';
import { needle } from './marks.js';
import { CONTEXT_SHARE, css, heights } from './palette.js';

/** @typedef {import('./view.js').View} View */
/** @typedef {import('./trace.js').Trace} Trace */

/** @param {string} id */
export function byId(id) {
	const element = document.getElementById(id);
	if (!element) throw new Error(`the page lacks #${id}`);
	return element;
}

/**
 * @param {string} tag
 * @param {string} [className]
 * @param {string} [text]
 */
export function make(tag, className = '', text = '') {
	const element = document.createElement(tag);
	if (className) element.className = className;
	if (text) element.textContent = text;
	return element;
}

// --- facts ---------------------------------------------------------------------

/** A header value as people read it. @param {unknown} value @returns {string} */
function plain(value) {
	if (value === null || value === undefined) return '';
	if (Array.isArray(value)) return value.map(plain).join(', ');
	if (typeof value === 'object')
		return Object.entries(value).map(([k, v]) => `${k} ${plain(v)}`).join(', ');
	return typeof value === 'number' ? format.count(value) : String(value);
}

/** Sum of a number, or of the numbers in what holds them; null when there are none. @param {unknown} value @returns {number | null} */
function sum(value) {
	if (typeof value === 'number') return value;
	if (typeof value === 'string') {
		const numbers = value.match(/\d+/g);
		return numbers ? numbers.reduce((n, x) => n + Number(x), 0) : null;
	}
	if (value && typeof value === 'object') {
		const parts = Object.values(value).map(sum).filter((x) => x !== null);
		return parts.length ? parts.reduce((a, b) => a + b, 0) : null;
	}
	return null;
}

/** What a trace can hold; see the kernel module's categories. */
const CATEGORIES = [
	'syscall', 'trap', 'irq', 'softirq', 'sched', 'wakeup', 'ipi', 'idle', 'freq', 'pcsample', 'process', 'net',
	'lock', 'mark',
];

/**
 * An object of the header, which goes on in "key2", "key3" ... if its line had become too
 * long; a list in it may do so, too.
 * @param {any} header
 * @param {string} key
 */
function whole(header, key) {
	const first = header[key];
	if (!first || typeof first !== 'object' || Array.isArray(first)) return first;
	const all = { ...first };
	for (let part = 2; header[key + part] && typeof header[key + part] === 'object'; part++) {
		for (const [name, value] of Object.entries(header[key + part])) {
			const before = Object.hasOwn(all, name) ? all[name] : undefined;
			all[name] = Array.isArray(before) && Array.isArray(value) ? [...before, ...value] : value;
		}
	}
	return all;
}

/**
 * What the hooks saw, and above all what they did not.
 * @param {any} coverage
 * @param {(text: string, tip?: string, className?: string) => void} fact
 */
function coverageFacts(coverage, fact) {
	if (!coverage || typeof coverage !== 'object' || !Array.isArray(coverage.categories)) {
		fact(`coverage: ${plain(coverage)}`);
		return;
	}
	fact(`${plain(coverage.backend) || 'unknown'} hooks`, `traced: ${plain(coverage.categories)}`);
	const missing = CATEGORIES.filter((c) => !coverage.categories.includes(c));
	if (missing.length) fact(`not traced: ${missing.join(', ')}`, 'this trace cannot show these', 'missing');
	const caveats = Array.isArray(coverage.caveats) ? coverage.caveats : [];
	if (caveats.length) {
		fact(`${caveats.length} caveat${caveats.length === 1 ? '' : 's'}: ${plain(caveats)}`,
			'what these hooks can tell only in part; docs/events.md and the man pages say what it means', 'missing');
	}
}

/** @param {Trace} trace @param {number | null} base */
export function showFacts(trace, base) {
	const { header } = trace;
	const title = String(header.title || 'KUtrace');
	document.title = `${title} - KUtrace`;
	byId('title').textContent = title;
	const box = byId('facts');
	/** @param {string} text @param {string} [tip] @param {string} [className] */
	const fact = (text, tip = '', className = '') => {
		if (!text) return;
		const element = make('span', className, text);
		if (tip) element.title = tip;
		box.append(element);
	};
	fact(plain(header.hostName), 'host');
	const kernel = plain(header.kernelVersion);
	fact(kernel.split(' ')[0], `kernel ${kernel}`);
	fact(plain(header.cpuModelName), 'CPU model');
	fact(`${trace.cpus.size} CPU${trace.cpus.size === 1 ? '' : 's'}`);
	fact(`${format.wallClock(base, trace.first, 3, true)} for ${format.duration(trace.last - trace.first)}`, 'start and length');
	fact(`${format.count(trace.length)} spans`);
	if ('coverage' in header) coverageFacts(whole(header, 'coverage'), fact);
	if ('overhead' in header) {
		const emit = Number(header.overhead?.emit_ps);
		fact(emit > 0 ? `${Number((emit / 1000).toPrecision(2))} ns an event` : `overhead ${plain(header.overhead)}`,
			`what recording an event cost on this machine: ${plain(header.overhead)}`);
	}
	const losses = whole(header, 'lost');
	const lost = sum(losses);
	if (lost === null) fact('lost: not recorded', 'this trace does not say whether events were lost', 'unknown');
	else if (lost > 0) fact(`LOST ${plain(losses)}`, 'events that are missing from this picture', 'loss');
	else fact('no events lost');
	const dropped = sum(header.dropped);
	if (dropped) fact(`DROPPED ${plain(header.dropped)}`, 'rows that could not be represented', 'loss');
	if (Number(header.flags) & 0x40) fact('wrapped', 'flight recorder: older events were overwritten');
}

// --- legend ----------------------------------------------------------------------

const LEGEND_KINDS = [
	Kind.USER, Kind.SYSCALL, Kind.TRAP, Kind.IRQ, Kind.SOFTIRQ, Kind.SCHED, Kind.IDLE, Kind.IDLELP, Kind.CEXIT,
];

/**
 * @param {string} label
 * @param {(ctx: CanvasRenderingContext2D, w: number, h: number) => void} draw
 */
function legendItem(label, draw) {
	const item = make('li');
	const canvas = document.createElement('canvas');
	const scale = Math.min(3, window.devicePixelRatio || 1);
	canvas.width = 26 * scale;
	canvas.height = 16 * scale;
	const ctx = /** @type {CanvasRenderingContext2D} */ (canvas.getContext('2d'));
	ctx.scale(scale, scale);
	draw(ctx, 26, 16);
	item.append(canvas, make('span', '', label));
	return item;
}

/** Only what the trace has. @param {View} view */
export function showLegend(view) {
	const { trace, palette } = view;
	const list = make('ul');
	const second = css(palette.user('user', 1)[1]);
	for (const kind of LEGEND_KINDS) {
		if (!trace.has(kind)) continue;
		list.append(legendItem(kindLabel(kind), (ctx, w, h) => {
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
		}));
	}
	for (const kind of [Kind.WAKE, Kind.IPI]) {
		if (!trace.has(kind)) continue;
		list.append(legendItem(kindLabel(kind), (ctx, w, h) => {
			ctx.strokeStyle = css(palette.kinds[kind]);
			ctx.lineWidth = 1.25;
			ctx.setLineDash(kind === Kind.WAKE ? [2, 2.5] : [5, 2]);
			ctx.beginPath();
			ctx.moveTo(2, h - 2);
			ctx.bezierCurveTo(w * 0.2, 0, w * 0.7, 0, w - 3, h - 3);
			ctx.stroke();
		}));
	}
	for (const kind of [Kind.MARK_A, Kind.MARK_B, Kind.MARK_C, Kind.MARK_D]) {
		if (!trace.has(kind)) continue;
		list.append(legendItem(kindLabel(kind), (ctx, w, h) => {
			ctx.strokeStyle = css(palette.kinds[kind]);
			ctx.lineWidth = 1.5;
			ctx.beginPath();
			if (kind === Kind.MARK_D) ctx.rect(8.5, 2.5, 10, 11);
			else for (const [x, foot] of [[7, 4], [19, -4]]) {
				ctx.moveTo(x + foot, 2);
				ctx.lineTo(x, 2);
				ctx.lineTo(x, h - 2);
				ctx.lineTo(x + foot, h - 2);
			}
			ctx.stroke();
		}));
	}
	if (trace.has(Kind.TRACEPOINT)) {
		list.append(legendItem(kindLabel(Kind.TRACEPOINT), (ctx, w, h) => {
			ctx.fillStyle = css(palette.kinds[Kind.TRACEPOINT]);
			ctx.fillRect(w / 2 - 3, 2, 1.5, h - 6);
			ctx.fillRect(w / 2 - 2, 2, 6, 5);
		}));
	}
	if (view.options.ipc !== 'off') {
		/** @param {string} label @param {import('./palette.js').Rgb} color */
		const dial = (label, color) => list.append(legendItem(label, (ctx, w, h) => {
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
		}));
		if (trace.counted.ipc) dial('IPC 0 to 4', palette.text);
		if (trace.counted.llc) dial('LLC misses 0 to 64K', palette.kinds[Kind.MARK_A]);
	}
	const letters = !trace.has(Kind.WAIT) ? [] :
		[...new Set(trace.texts.flatMap((_, i) => (trace.kinds[i] === Kind.WAIT ? waitLetter(trace.events[i]) : [])))].sort();
	if (letters.length) list.append(make('li', 'head', 'waits, in PID rows'));
	for (const letter of letters) {
		list.append(legendItem(`${letter}  ${waits[letter]?.name ?? 'unknown'}`, (ctx, w, h) => {
			ctx.fillStyle = css(palette.waits[letter] ?? palette.dim);
			const pattern = morsePattern(waits[letter]?.morse ?? '.');
			for (let x = 0; x < w; x++)
				if (pattern[Math.floor(x / 1.5) % pattern.length]) ctx.fillRect(x, h / 2 - 0.75, 1, 1.5);
		}));
	}
	byId('legend').replaceChildren(list);
}

// --- tooltip ------------------------------------------------------------------------

/** @param {View} view @param {number} span */
export function tooltipLines(view, span) {
	const { trace, timeBase } = view;
	const row = trace.row(span);
	const kind = trace.kind(span);
	const start = trace.start[span];
	/** @type {[string, string][]} */
	const lines = [
		['start', `${format.seconds(start)}   ${format.wallClock(timeBase, start, 8)}`],
		['duration', `${format.duration(trace.dur[span])}   (${format.seconds(trace.dur[span])})`],
	];
	if (row[2] >= 0) lines.push(['CPU', String(row[2])]);
	if (row[3] >= 0) lines.push(['process', row[3] === 0 ? '0 (idle)' : `${row[3]}   ${trace.pidLabel(row[3])}`]);
	if (row[4] > 0) lines.push(['RPC', String(row[4])]);
	lines.push(['event', `${row[5]}   0x${(row[5] >>> 0).toString(16)}   ${kindLabel(kind)}`]);
	if (kind === Kind.WAKE) {
		lines.push(['wakes', `${trace.pidLabel(row[7])} on CPU ${row[6]}`]);
	} else if (kind === Kind.SYSCALL) {
		lines.push(['arg0', `${row[6]}   0x${row[6].toString(16)}`], ['returned', returnText(row[7])]);
	} else if (row[6] || row[7]) {
		lines.push(['arg0', `${row[6]}   0x${row[6].toString(16)}`]);
		if (row[7]) lines.push(['value', String(row[7])]);
	}
	if (trace.hasIpc) {
		const { ipc, llc } = steps(trace.counted, row[8]);
		if (ipc) lines.push(['IPC', ipcText(ipc)]);
		if (llc) lines.push(['LLC misses', llcText(llc)]);
	}
	return { title: trace.label(span), lines, raw: rawRow(trace, span) };
}

/** The row as its line of the JSON, but for the padding. @param {Trace} trace @param {number} span */
export function rawRow(trace, span) {
	const row = trace.row(span);
	return `[${row[0].toFixed(8)}, ${row[1].toFixed(8)}, ${row.slice(2, 9).join(', ')}, ${JSON.stringify(row[9])}]`;
}

/** @param {View} view @param {number | null} span @param {number} x client @param {number} y client */
export function showTooltip(view, span, x, y) {
	const tip = byId('tip');
	if (span === null) {
		tip.hidden = true;
		return;
	}
	const { title, lines, raw } = tooltipLines(view, span);
	const table = make('table');
	for (const [name, value] of lines) {
		const line = make('tr');
		line.append(make('th', '', name), make('td', '', value));
		table.append(line);
	}
	tip.replaceChildren(make('b', '', title), table, make('code', '', raw));
	tip.hidden = false;
	const { width, height } = tip.getBoundingClientRect();
	const left = x + 16 + width < innerWidth ? x + 16 : Math.max(4, x - width - 16);
	const top = y + 18 + height < innerHeight ? y + 18 : Math.max(4, y - height - 14);
	tip.style.left = `${left}px`;
	tip.style.top = `${top}px`;
}
