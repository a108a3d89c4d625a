// SPDX-License-Identifier: BSD-3-Clause
/** Shows the durations of the matches as bars (ask/durations.ts) of logarithmic height. A click steps through a bar's matches. */
import { byId, make } from '../base/dom.ts';
import * as format from '../base/format.ts';
import { BARS, counting, leastOf, longestOf } from '../ask/durations.ts';
import type { Matches } from '../ask/search.ts';
import type { View } from '../scene/view.ts';

export const barText = (bar: number, n: number) => `${format.duration(leastOf(bar))} to ${format.duration(leastOf(bar + 1))}: ${format.count(n)}`;

/** Makes the filled part of a bar. @param n number of matches in the bar @param most logarithm of the largest number in a bar */
export function fillOf(n: number, most: number) {
	const fill = make('i');
	fill.style.height = `${n ? Math.max(6, (Math.log1p(n) / most) * 100) : 0}%`;
	return fill;
}

export class Histogram {
	counts: Float64Array = new Float64Array(BARS);
	/** The selected bar, whose matches are stepped through. */
	bar = -1;
	/** The matches of the selected bar. */
	found: {span: number, time: number}[] = [];
	at = -1;
	/** The matches and the range of the bars. */
	of = { matches: null as Matches | null, t0: 0, t1: 0 };
	timer = 0;

	constructor(public view: View, public jump: (span: number) => void) {}

	/** Updates the bars. Must be called when the search or the selection has changed. */
	update() {
		const { matches, selection, trace } = this.view;
		const t0 = selection?.t0 ?? trace.first;
		const t1 = selection?.t1 ?? Infinity;
		if (matches === this.of.matches && t0 === this.of.t0 && t1 === this.of.t1) return;
		this.of = { matches, t0, t1 };
		this.bar = this.at = -1;
		this.found = [];
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
		byId('histogramtitle').textContent = `${total ? `Durations of ${format.count(total)}` : 'No'} match${total === 1 ? '' : 'es'}${this.view.selection ? ' in the selection' : ''}`;
		if (!used.length) {
			this.say();
			for (const id of ['bartext', 'barfrom', 'barto']) byId(id).textContent = '';
			return;
		}
		const low = used[0];
		const high = used[used.length - 1];
		for (let i = low; i <= high; i++) {
			const n = this.counts[i];
			const label = barText(i, n);
			const bar = make('button', 'bar', [fillOf(n, most)], {
				'data-bar': String(i), 'aria-label': label, title: `${label}; click: go through these matches, longest first`, click: () => this.press(i),
			});
			bar.disabled = n === 0;
			bars.append(bar);
		}
		byId('barfrom').textContent = format.duration(leastOf(low));
		byId('barto').textContent = format.duration(leastOf(high + 1));
		this.say();
	}

	/** Selects a bar and goes to its next match. */
	press(bar: number) {
		const { matches, t0, t1 } = this.of;
		if (!matches) return;
		if (bar !== this.bar) {
			this.bar = bar;
			this.at = -1;
			this.found = longestOf(matches, t0, t1, bar);
		}
		this.step(1);
	}

	/** Goes to the next or previous match of the bar. @returns whether a bar is selected */
	step(direction: 1 | -1): boolean {
		if (this.bar < 0 || !this.found.length) return false;
		this.at = (this.at + direction + this.found.length) % this.found.length;
		this.jump(this.found[this.at].span);
		this.say();
		return true;
	}

	say() {
		for (const element of byId('bars').querySelectorAll('button'))
			element.setAttribute('aria-pressed', String(Number(element.dataset.bar) === this.bar));
		byId('bartext').textContent = this.bar < 0 ? 'click a bar: go through its matches' :
			`${this.at + 1} of ${format.count(this.counts[this.bar])}, ${format.duration(this.found[this.at].time)}`;
	}
}
