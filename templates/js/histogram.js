// SPDX-License-Identifier: BSD-3-Clause
/**
 * The durations of the search's matches, in the selection or the whole trace: a
 * bar for each quarter of a power of ten, as high as the logarithm of its number.
 * A click on a bar steps through its spans, the longest first.
 */
import * as format from './format.js';
import { byId, make } from './panel.js';

/** @typedef {import('./view.js').View} View */
/** @typedef {import('./search.js').Matches} Matches */

const PER_DECADE = 4;
const BARS = 48;
/** Spans of a bar that can be stepped through. */
export const MOST_STEPS = 1000;
const SLICE = 20000;

/** The bar of a duration: 0 for none at all. @param {number} units */
export const barOf = (units) => (units < 1 ? 0 : Math.min(BARS - 1, 1 + Math.floor(Math.log10(units) * PER_DECADE + 1e-9)));
/** Shortest duration of a bar, units. @param {number} bar */
export const leastOf = (bar) => (bar <= 0 ? 0 : 10 ** ((bar - 1) / PER_DECADE));

/**
 * Counts, in pieces.
 * @param {Matches} matches
 * @param {number} t0
 * @param {number} t1
 * @param {Float64Array} counts
 */
function* counting(matches, t0, t1, counts) {
	const { start, dur } = matches.trace;
	let n = 0;
	for (const ids of matches.lists()) {
		for (const g of ids) {
			if (start[g] >= t1) break;
			if (start[g] + dur[g] >= t0) counts[barOf(dur[g])]++;
			if (++n % SLICE === 0) yield;
		}
	}
}

/**
 * The spans of a bar, longest first, no more than MOST_STEPS.
 * @param {Matches} matches
 * @param {number} t0
 * @param {number} t1
 * @param {number} bar
 */
export function longestOf(matches, t0, t1, bar) {
	const { start, dur } = matches.trace;
	const low = leastOf(bar);
	const high = leastOf(bar + 1);
	const fine = new Uint32Array(4096);
	/** @param {number} units */
	const place = (units) => Math.max(0, Math.min(4095, Math.floor(((units - low) / Math.max(1, high - low)) * 4096)));
	/** @param {(g: number) => void} visit */
	const each = (visit) => {
		for (const ids of matches.lists()) {
			for (const g of ids) {
				if (start[g] >= t1) break;
				if (start[g] + dur[g] >= t0 && barOf(dur[g]) === bar) visit(g);
			}
		}
	};
	each((g) => {
		fine[place(dur[g])]++;
	});
	let from = 4095;
	for (let sum = fine[from]; from > 0 && sum < MOST_STEPS; from--) sum += fine[from - 1];
	/** @type {number[]} */
	const spans = [];
	each((g) => {
		if (place(dur[g]) >= from && spans.length < 200000) spans.push(g);
	});
	return spans.sort((a, b) => dur[b] - dur[a] || start[a] - start[b]).slice(0, MOST_STEPS);
}

export class Histogram {
	/** @param {View} view @param {(span: number) => void} jump */
	constructor(view, jump) {
		this.view = view;
		this.jump = jump;
		this.counts = new Float64Array(BARS);
		/** The bar that is stepped through. */
		this.bar = -1;
		/** @type {number[]} */
		this.spans = [];
		this.at = -1;
		/** Which matches and stretch the bars are of. */
		this.of = { matches: /** @type {Matches | null} */ (null), t0: 0, t1: 0 };
		this.timer = 0;
	}

	/** Call when the search or the selection has changed. */
	update() {
		const { matches, selection, trace } = this.view;
		const t0 = selection?.t0 ?? trace.first;
		const t1 = selection?.t1 ?? Infinity;
		if (matches === this.of.matches && t0 === this.of.t0 && t1 === this.of.t1) return;
		this.of = { matches, t0, t1 };
		this.bar = this.at = -1;
		this.spans = [];
		clearTimeout(this.timer);
		const box = byId('histogram');
		box.hidden = !matches;
		if (!matches) return;
		const counts = new Float64Array(BARS);
		const work = counting(matches, t0, t1, counts);
		const step = () => {
			for (const until = performance.now() + 6; performance.now() < until;) {
				if (!work.next().done) continue;
				this.counts = counts;
				this.render();
				return;
			}
			this.timer = setTimeout(step, 4);
		};
		step();
	}

	render() {
		const used = [...this.counts.keys()].filter((i) => this.counts[i]);
		const bars = byId('bars');
		bars.replaceChildren();
		const most = Math.log1p(Math.max(1, ...this.counts));
		const total = this.counts.reduce((a, b) => a + b, 0);
		byId('histogramtitle').textContent = `Durations of ${format.count(total)} match${total === 1 ? '' : 'es'}${this.view.selection ? ' in the selection' : ''}`;
		if (!used.length) {
			this.say();
			byId('bartext').textContent = 'nothing matches';
			return;
		}
		const low = used[0];
		const high = used[used.length - 1];
		for (let i = low; i <= high; i++) {
			const n = this.counts[i];
			const bar = /** @type {HTMLButtonElement} */ (make('button', 'bar'));
			bar.dataset.bar = String(i);
			bar.disabled = n === 0;
			const label = `${format.duration(leastOf(i))} to ${format.duration(leastOf(i + 1))}: ${format.count(n)}`;
			bar.setAttribute('aria-label', label);
			bar.title = `${label}; click: step through them, longest first`;
			const fill = make('i');
			fill.style.height = `${n ? Math.max(6, (Math.log1p(n) / most) * 100) : 0}%`;
			bar.append(fill);
			bar.addEventListener('click', () => this.press(i));
			bars.append(bar);
		}
		byId('barfrom').textContent = format.duration(leastOf(low));
		byId('barto').textContent = format.duration(leastOf(high + 1));
		this.say();
	}

	/** @param {number} bar */
	press(bar) {
		const { matches, t0, t1 } = this.of;
		if (!matches) return;
		if (bar !== this.bar) {
			this.bar = bar;
			this.at = -1;
			this.spans = longestOf(matches, t0, t1, bar);
		}
		this.step(1);
	}

	/** To the next span of the bar, or the one before. @param {1 | -1} direction @returns {boolean} was there a bar? */
	step(direction) {
		if (this.bar < 0 || !this.spans.length) return false;
		this.at = (this.at + direction + this.spans.length) % this.spans.length;
		this.jump(this.spans[this.at]);
		this.say();
		return true;
	}

	say() {
		for (const element of byId('bars').querySelectorAll('button'))
			element.setAttribute('aria-pressed', String(Number(element.dataset.bar) === this.bar));
		byId('bartext').textContent = this.bar < 0 ? 'click a bar: its spans, longest first' :
			`${this.at + 1} of ${format.count(this.counts[this.bar])}, ${format.duration(this.view.trace.dur[this.spans[this.at]])}`;
	}
}
