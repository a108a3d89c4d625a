// SPDX-License-Identifier: BSD-3-Clause
/** Shows the pane of the critical path. ask/path.ts computes the path, and draw/path.ts draws view.path. */
import { byId, make } from '../base/dom.ts';
import * as format from '../base/format.ts';
import { intervalOf } from '../ask/interval.ts';
import { pathOf, type Path } from '../ask/path.ts';
import { segmentCount, segmentsOf, sumsBy, sumsOf, type Sum } from '../ask/pathsums.ts';
import { endWords } from '../ask/pathwords.ts';
import { copyText } from './copy.ts';
import { percent } from './grid.ts';
import { MANY, lineOf, seconds, showTable, written } from './pathtable.ts';
import type { View } from '../scene/view.ts';
import type { panes } from './panes.ts';

/** Number of segments, and of lines of sums, that are listed at first. */
const FEW = 60;
const FEW_SUMS = 12;
/** Maximum number of processes whose rows are shown together. */
const MOST_ROWS = 12;

/** Ways to group the sums. */
const BY: {id: string, title: string, key: (sum: Sum) => string | number, who: boolean, what: (sum: Sum) => string}[] = [
	{ id: 'both', title: 'process and activity', key: (s) => `${s.pid} ${s.text}`, who: true, what: (s) => s.text },
	{ id: 'who', title: 'process', key: (s) => s.pid, who: true, what: () => '' },
	{ id: 'sort', title: 'kind of time', key: (s) => s.sort, who: false, what: (s) => s.sort },
];

class PathPane {
	back = true;
	by = BY[0];
	sums: Sum[] = [];
	/** Ends the highlight of the path's rows. */
	unmark = () => {};
	all = { sums: false, legs: false };
	fields = {
		from: byId('pathfrom') as HTMLInputElement, to: byId('pathto') as HTMLInputElement,
		back: byId('pathback') as HTMLSelectElement, by: byId('pathby') as HTMLSelectElement,
	};

	constructor(public view: View, public pane: {open: (id: string) => void}, public save: (lines: Iterable<(string | number)[]>, end: string) => void) {
		this.#attach();
	}

	#attach() {
		const { from, to, back, by } = this.fields;
		by.append(...BY.map(({ id, title }) => make('option', '', `sums by ${title}`, { value: id })));
		by.addEventListener('change', () => {
			this.by = BY.find(({ id }) => id === by.value) ?? BY[0];
			this.#showSums();
		});
		back.addEventListener('change', () => {
			this.back = back.value !== 'on';
			this.#again();
		});
		for (const field of [from, to]) {
			field.addEventListener('change', () => {
				const { path } = this.view;
				const [a, b] = [from, to].map(({ value }) => Math.round(Number(value.trim()) * 1e8));
				const right = path !== null && from.value.trim() !== '' && to.value.trim() !== '' && b > a;
				field.setAttribute('aria-invalid', String(!right));
				if (path && right) this.show(path.pid, a, b);
			});
		}
		byId('pathselection').addEventListener('click', () => {
			const { path, selection } = this.view;
			if (path && selection) this.show(path.pid, selection.t0, selection.t1);
			else byId('say').textContent = 'Nothing is selected: drag on the time axis to select a time.';
		});
		byId('closepath').addEventListener('click', () => this.clear());
		byId('pathcopy').addEventListener('click', () => this.#copy());
		byId('pathcsv').addEventListener('click', () => {
			const { path } = this.view;
			if (path) this.save(written(this.view, path), 'path.csv');
		});
	}

	async #copy() {
		const { view, sums } = this;
		const { path, trace } = view;
		if (!path) return;
		const wall = path.to - path.from;
		const lines = [byId('pathtitle').textContent ?? '', '', ...sums.map((s) =>
			[trace.pidLabel(s.pid), s.text, format.brief(s.units), percent(s.units / wall)].join('\t')), ''];
		for (const line of written(view, path)) if (lines.push(line.join('\t')) > MANY) break;
		byId('say').textContent = await copyText(lines.join('\n')) ? 'The path is copied.' : 'The browser blocked copying: save the path with [CSV].';
	}

	/** Computes the path and shows it. @param going whether the picture moves to the path */
	show(pid: number, from: number, to: number, going = true) {
		const { view } = this;
		const { trace } = view;
		const path = pathOf(trace, pid, Math.max(from, trace.first), Math.min(to, trace.last), this.back);
		if (!path.legs.length) {
			byId('say').textContent = 'There is no path: this time range is empty, or outside the trace.';
			return;
		}
		view.path = path;
		this.sums = sumsOf(trace, path);
		this.all = { sums: false, legs: false };
		const { from: a, to: b } = path;
		this.fields.from.value = seconds(a);
		this.fields.to.value = seconds(b);
		for (const field of [this.fields.from, this.fields.to]) field.removeAttribute('aria-invalid');
		this.fields.back.value = this.back ? 'back' : 'on';
		byId('pathtitle').textContent = `What held up ${trace.pidLabel(pid)} for ${format.duration(b - a)}`;
		byId('pathempty').hidden = true;
		byId('pathbox').hidden = false;
		this.#showSums();
		this.#showLegs();
		if (going) this.#go(path);
		view.draw();
	}

	/** Shows the rows of the path together, and zooms to the path's interval if necessary. */
	#go({ from, to, pid }: Path) {
		const { view } = this;
		const most = sumsBy(this.sums, (s) => s.pid).slice(0, MOST_ROWS).map((s) => s.pid);
		this.unmark();
		this.unmark = view.rows.marking(() => view.rows.gather('PID', [...new Set([pid, ...most])]));
		const wide = to - from;
		if (wide < (view.t1 - view.t0) / 12 || from < view.t0 || to > view.t1) view.showBounded(from - wide * 0.05, to + wide * 0.05);
		this.pane.open('path');
	}

	#again() {
		const { path } = this.view;
		if (path) this.show(path.pid, path.from, path.to, false);
	}

	/** Shows a time range in the picture. @param span span to annotate @param pid process in whose row the span is annotated */
	#jump(from: number, to: number, span = -1, pid = -1) {
		const { view } = this;
		const width = Math.max(200, to - from);
		view.showBounded(from - width * 0.25, to + width * 0.25);
		if (span >= 0 && view.rows.ensure('PID', pid)) view.pins = [{ span, group: 'PID', id: pid }];
		view.draw();
	}

	#showSums() {
		const { view, by } = this;
		const { path, trace } = view;
		if (!path) return;
		const sums = sumsBy(this.sums, by.key);
		const shown = sums.slice(0, this.all.sums ? MANY : FEW_SUMS);
		const both = by.id === 'both';
		const lines = shown.map((sum) => lineOf([...(by.who ? [trace.pidLabel(sum.pid)] : []), ...(both || !by.who ? [by.what(sum)] : []),
			format.brief(sum.units), percent(sum.units / (path.to - path.from))], both ? 2 : 1, () => this.#jump(sum.from, sum.to),
			`${format.count(sum.count)} time${sum.count === 1 ? '' : 's'}, the longest ${format.duration(sum.to - sum.from)}; click: go to the longest`));
		showTable('pathsums', 'What held it up', [...(by.who ? ['process'] : []), ...(both || !by.who ? ['what'] : []), 'time', 'share'], both ? 2 : 1, lines);
		this.#more('pathsumsmore', sums.length, shown.length, () => {
			this.all.sums = true;
			this.#showSums();
		});
	}

	#showLegs() {
		const { view } = this;
		const { path, trace } = view;
		if (!path) return;
		const lines: HTMLElement[] = [];
		const most = this.all.legs ? MANY : FEW;
		for (const { from, to, pid, text, span, leg, last } of segmentsOf(trace, path)) {
			if (lines.length >= most) break;
			const line = lineOf([`+${format.duration(from - path.from)}`, trace.pidLabel(pid), text, format.brief(to - from)], 3,
				() => this.#jump(from, to, span, pid), `${seconds(from)} s to ${seconds(to)} s`);
			const end = last ? endWords(trace, leg) : '';
			if (end) line.children[2].append(make('i', '', end));
			lines.push(line);
		}
		showTable('pathlegs', 'Segments', ['at', 'process', 'what', 'time'], 3, lines);
		this.#more('pathlegsmore', segmentCount(path), lines.length, () => {
			this.all.legs = true;
			this.#showLegs();
		});
	}

	/** Shows the button that lists the remaining lines. */
	#more(id: string, of: number, shown: number, all: () => void) {
		const box = byId(id);
		box.hidden = of <= shown;
		if (box.hidden) return;
		box.replaceChildren(make('span', '', `and ${format.count(of - shown)} more${shown >= MANY ? ': [CSV] saves all' : ''} `));
		if (shown < MANY) box.append(make('button', '', 'all', { click: all }));
	}

	/** Shows the path to the end of a span, or of its call. @returns whether there is a path */
	to(span: number): boolean {
		const { view } = this;
		const around = intervalOf(view.trace, span);
		if (!around) {
			byId('say').textContent = 'This span belongs to no process, so it has no critical path.';
			return false;
		}
		const { pid, from, to } = around;
		const s = view.selection;
		this.show(pid, s && s.t0 < to ? s.t0 : from, to);
		return true;
	}

	clear() {
		const { view } = this;
		if (!view.path) return;
		view.path = null;
		this.unmark();
		this.unmark = () => {};
		byId('pathempty').hidden = false;
		byId('pathbox').hidden = true;
		view.draw();
	}

	/**
	 * The path as text for the address: pid_from_to, with `_on` if the path continues with wakers. If another thread had the
	 * pid at the end, the id of the thread replaces the pid.
	 */
	get text() {
		const { path, trace } = this.view;
		const pid = path ? trace.pidOf(path.pid) : 0;
		return path ? `${trace.idAt(pid, path.to - 1) === path.pid ? pid : path.pid}_${seconds(path.from)}_${seconds(path.to)}${path.back ? '' : '_on'}` : '';
	}

	set text(text) {
		const m = /^(\d{1,15})_(\d+(?:\.\d+)?)_(\d+(?:\.\d+)?)(_on)?$/.exec(text);
		if (!m) {
			this.clear();
			return;
		}
		this.back = !m[4];
		const [from, to] = [m[2], m[3]].map((t) => Math.round(Number(t) * 1e8));
		const { trace } = this.view;
		if (!(from < to && from < trace.last && to > trace.first)) return;
		// a path needs the sorted spans, and the ids of their threads
		trace.processes();
		this.show(trace.idAt(Number(m[1]), to - 1), from, to, false);
	}
}

export function criticalPath(
	view: View, pane: ReturnType<typeof panes>, save: (lines: Iterable<(string | number)[]>, end: string) => void,
) {
	const path = new PathPane(view, pane, save);
	pane.add({
		id: 'path', label: 'Path', tip: 'critical path: what held up a process, and for how long (C)',
		file: () => (view.path ? { cells: [...written(view, view.path)], name: 'path.csv' } : 'No path is open: point at a span, and press c.'),
	});
	return {
		pathTo: (span: number) => path.to(span),
		/** Shows the path of a process through an interval. @param to units of 10 ns */
		pathOf: (pid: number, from: number, to: number) => path.show(pid, from, to),
		clear: () => path.clear(),
		/** Updates the path after calls are joined, because waits then have names. */
		joined: () => {
			if (view.path) path.show(view.path.pid, view.path.from, view.path.to, false);
		},
		addressPart: { name: 'c', get: () => path.text, set: (text: string) => void (path.text = text) },
	};
}
