// SPDX-License-Identifier: BSD-3-Clause
/**
 * Shows the pane Process: everything about processes, a kind or a name, in the selection or the whole trace. ask/process.ts
 * computes the sums. Must do nothing while the pane is hidden, except prepare sums.
 */
import { byId, make } from '../base/dom.ts';
import * as format from '../base/format.ts';
import { KINDS, kindLabel } from '../base/kinds.ts';
import { leastOf } from '../ask/durations.ts';
import { SubjectSums, prepare, prepared, type Subject } from '../ask/process.ts';
import { inSlices } from '../base/slices.ts';
import { wholeTally } from '../ask/stats.ts';
import { wakesOf } from '../ask/wakes.ts';
import { threadAt } from '../scene/spanaddress.ts';
import { cellsOf, grid, sortLines, type Order } from './grid.ts';
import { barText, fillOf } from './histogram.ts';
import { factsOf, sectionsOf, type Section } from './sums.ts';
import { UNFINISHED, UNJOINED, titleIn } from './table.ts';
import { TimeTree, type Shown } from './timetree.ts';
import type { View } from '../scene/view.ts';
import type { File } from './panes.ts';

/** Number of rows of a table that are shown at first, and after a click; the file has all of them. */
const FEW_ROWS = 8;
const MOST_ROWS = 300;

export class ProcessPane {
	subject: Subject | null = null;
	/** True if the subject is the highlighted rows. If the user highlights other rows, these become the subject. */
	marked = false;
	/** The subject that was opened while the spans were being sorted: pids, and the time at which the threads had them. */
	early: {subject: Subject, t: number} | null = null;
	sums: SubjectSums | null = null;
	sections: Section[] = [];
	orders: Map<string, Order> = new Map();
	/** State of the sums made in advance: 0: none; 1: the wakeups of all processes; 2: also the largest processes. */
	ahead = 0;
	/** Ids of the tables for which the user has opened more rows. */
	long: Set<string> = new Set();
	/** State for which the pane was filled; '': none. */
	of = '';
	cancel = () => {};
	time = new TimeTree(this.view, this.jump);
	/** Called when the state for the address has changed. */
	changed = () => {};
	/** Called to show the pane. */
	onopen = () => {};
	onsave: (file: File) => void = () => {};

	constructor(public view: View, public jump: (span: number) => void, public isSeen: () => boolean) {
		this.time.changed = () => this.changed();
		byId('processcsv').addEventListener('click', () => this.onsave(this.file()));
		for (const button of byId('processviews').querySelectorAll('button[data-view]'))
			button.addEventListener('click', () => this.show((button as HTMLElement).dataset.view as Shown));
		byId('processmarked').addEventListener('click', () => this.openMarked());
		byId('processrow').addEventListener('click', () => this.showRow());
		byId('closeprocess').addEventListener('click', () => this.close());
		this.update();
	}

	#markedPids(): number[] {
		return [...this.view.rows.marked].filter((key) => key.startsWith('PID ')).map((key) => Number(key.slice(4)));
	}

	show(shown: Shown) {
		this.time.show(shown);
		this.of = '';
		this.update();
		this.changed();
	}

	/** @param t for pids that were read while the spans were being sorted: time at which the threads had them */
	open(subject: Subject, t = -Infinity) {
		this.subject = subject;
		this.early = this.view.trace.sorting ? { subject, t } : null;
		this.marked = false;
		this.onopen();
		this.update();
		byId('processbox').scrollTop = 0;
		byId('processtitle').focus();
		this.changed();
	}

	/** Replaces the pids of the subject by the ids of the threads. Must be called when the spans are sorted by process. */
	sorted() {
		const { subject, early, view: { trace } } = this;
		if (subject && early?.subject === subject && 'pids' in subject) this.subject = { pids: subject.pids.map((pid) => threadAt(trace, pid, early.t)) };
		this.update();
	}

	openMarked() {
		this.marked = true;
		this.subject = { pids: this.#markedPids() };
		this.onopen();
		this.update();
		this.changed();
	}

	close() {
		this.subject = null;
		this.marked = false;
		this.update();
		this.changed();
	}

	/** Shows the rows of the processes in the picture. */
	showRow() {
		const { subject, view } = this;
		if (!subject || !('pids' in subject)) return;
		view.rows.gather('PID', subject.pids.filter((pid) => pid > 0));
		if (subject.pids.length === 1) view.rows.ensure('PID', subject.pids[0]);
		view.draw();
	}

	title() {
		const { subject, view: { trace } } = this;
		if (!subject) return this.time.shown === 'sums' ? 'No process' : 'All processes';
		if ('kind' in subject) return kindLabel(subject.kind);
		if ('entry' in subject) return trace.family(subject.entry);
		if (this.marked) return `${subject.pids.length} highlighted process${subject.pids.length === 1 ? '' : 'es'}`;
		return subject.pids.length === 1 && subject.pids[0] === 0 ? 'interrupts in idle' : subject.pids.map((pid) => trace.pidLabel(pid)).join(', ');
	}

	/** Updates the pane. Must be called when highlighted rows, the selection or the calls may have changed, or when the pane becomes visible. */
	update() {
		const { trace, selection, rows } = this.view;
		this.#makeAhead();
		if (!this.isSeen()) {
			if (this.time.large) this.time.place(false);
			return;
		}
		this.time.follow();
		const pids = rows.marked.size ? this.#markedPids() : [];
		if (this.marked) this.subject = { pids };
		const { subject } = this;
		const [t0, t1] = selection ? [selection.t0, selection.t1] : [trace.first, trace.last];
		const of = JSON.stringify([subject, t0, t1, trace.sorting, trace.joining, pids.length, this.time.shown]);
		if (of === this.of) return;
		this.of = of;
		this.cancel();
		const button = byId('processmarked');
		button.hidden = !pids.length || this.marked;
		button.textContent = `highlighted (${pids.length})`;
		byId('processtitle').textContent = this.title();
		byId('processcsv').hidden = !subject && this.time.shown === 'sums';
		byId('closeprocess').hidden = !subject;
		byId('processrow').hidden = !subject || !('pids' in subject) || !subject.pids.some((pid) => pid > 0);
		this.#place();
		if (!subject && this.time.shown === 'sums') {
			this.#say('Click the name of a process, a call or a kind in the tables to see everything about it here. Until then, Tree and Flame show all processes.');
			return;
		}
		const calls = trace.sorting ? null : trace.calls;
		if (!calls) {
			byId('processbox').hidden = false;
			this.#say(trace.sorting ? 'Sorting the spans by process \u2026' : 'Joining the parts of calls \u2026');
			return;
		}
		if (this.time.shown !== 'sums' || !subject) {
			this.time.update(subject, this.title(), t0, t1);
			return;
		}
		const made = prepared(trace, subject, t0, t1);
		if (made) {
			this.#fill(made);
			return;
		}
		const sums = new SubjectSums(trace, calls, subject, t0, t1);
		// the tables of the previous subject stay visible until the new sums are complete
		this.sums = null;
		byId('processbox').setAttribute('aria-busy', 'true');
		this.cancel = inSlices(sums.work(), () => this.#fill(sums), { how: trace.length < 100000 ? 'once' : 'soon' });
	}

	/** While the page is idle, computes in advance the sums that are needed to open a process. */
	#makeAhead() {
		const { trace } = this.view;
		if (trace.joining || trace.sorting) return;
		if (this.ahead === 0) {
			this.ahead = 1;
			inSlices(wakesOf(trace), () => {}, { how: 'idle' });
		}
		const { calls } = trace;
		if (this.ahead > 1 || !calls || !wholeTally(trace, trace.first, trace.last)?.calls) return;
		this.ahead = 2;
		inSlices(prepare(trace, calls), () => {}, { how: 'idle' });
	}

	#fill(sums: SubjectSums) {
		this.sums = sums;
		this.sections = sectionsOf(sums);
		byId('processbox').removeAttribute('aria-busy');
		this.render();
		// show the tables first: finding the parent searches all execution
		inSlices(sums.more(), () => {
			if (this.sums === sums) byId('processbox').querySelector('.about')?.replaceWith(this.#facts(sums));
		}, { how: 'soon' });
	}

	/** Shows the selected view: sums, tree or flame. */
	#place() {
		const { shown } = this.time;
		for (const button of byId('processviews').querySelectorAll('button[data-view]'))
			button.setAttribute('aria-pressed', String((button as HTMLElement).dataset.view === shown));
		byId('processbox').hidden = shown !== 'sums';
		this.time.place(true);
	}

	/** Shows a message. @param message text instead of sums */
	#say(message: string) {
		this.sums = null;
		this.sections = [];
		byId('processbox').replaceChildren(make('p', 'empty', message));
	}

	#link(pid: number) {
		return make('button', 'link', this.view.trace.pidLabel(pid), { click: () => this.open({ pids: [pid] }) });
	}

	render() {
		const { sums, view } = this;
		if (!sums) return;
		const parts = this.sections.map((section) => this.#section(section));
		byId('processbox').replaceChildren(this.#facts(sums), ...parts);
		if (!parts.length) byId('processbox').append(make('p', 'empty', `${this.title()}: no events in the ${view.selection ? 'selection' : 'trace'}.`));
	}

	#facts(sums: SubjectSums) {
		return factsOf(sums, this.view, (pid) => this.#link(pid));
	}

	#section(section: Section) {
		const head = make('h3', '', this.view.trace.term(section.title));
		const box = make('section', '', [head], { 'data-of': section.id });
		if (section.note) head.append(make('small', '', section.note));
		const order = this.orders.get(section.id) ?? (section.sort === null ? null : { column: section.sort, down: true });
		const shape = {
			label: section.title, columns: section.columns, order, jump: this.jump, open: (subject: Subject) => this.open(subject),
			title: titleIn(this.view.trace),
			sort: (next: Order) => {
				this.orders.set(section.id, next);
				const other = this.#section(section);
				box.replaceWith(other);
				other.querySelectorAll('th')[next.column].querySelector('button')?.focus();
			},
		};
		const most = this.long.has(section.id) ? MOST_ROWS : FEW_ROWS;
		box.append(grid(shape, section.groups.map(({ head: of, lines }) => ({ head: of, lines: sortLines([...lines], order).slice(0, most) }))));
		const more = section.groups.reduce((sum, { lines }) => sum + Math.max(0, lines.length - most), 0);
		if (more > 0) box.append(this.#more(section, more, box));
		for (const { title, counts } of section.bars ?? []) box.append(this.#bars(title, counts));
		return box;
	}

	/** Makes the button that shows more rows of a table. If these are already shown, makes a text about the remaining rows. */
	#more(section: Section, more: number, box: HTMLElement): HTMLElement {
		if (this.long.has(section.id)) return make('p', 'empty', `and ${format.count(more)} more: [CSV] saves all`);
		return make('button', 'link more', `${format.count(more)} more`, { click: () => {
			this.long.add(section.id);
			const other = this.#section(section);
			box.replaceWith(other);
			(other.querySelector('th button') as HTMLElement | null)?.focus();
		} });
	}

	/** Draws delays as bars. Their height is the logarithm of the number. */
	#bars(title: string, counts: Float64Array) {
		const used = [...counts.keys()].filter((i) => counts[i]);
		const [low, high] = [used[0], used[used.length - 1]];
		const most = Math.log1p(Math.max(...counts));
		const total = counts.reduce((a, b) => a + b, 0);
		const bars = make('div', '', '', { role: 'img', 'aria-label': `${title}: ${used.map((i) => barText(i, counts[i])).join('; ')}` });
		for (let i = low; i <= high; i++) {
			const bar = fillOf(counts[i], most);
			bar.title = `${barText(i, counts[i])} of ${format.count(total)}`;
			bars.append(bar);
		}
		const legend = [format.duration(leastOf(low)), title, format.duration(leastOf(high + 1))].map((text) => make('span', '', text));
		return make('figure', 'delaybars', [bars, make('figcaption', '', legend)]);
	}

	/** Returns the visible table as a file. Without a subject, the tree covers all processes. */
	file(): File {
		const sums = this.time.shown === 'sums';
		if (!this.subject && sums) return 'No process is open: click the name of a process in the tables.';
		if (!this.view.trace.calls) return UNJOINED;
		const cells = sums ? this.sums && this.#cells() : this.time.cells();
		return cells ? { cells, name: `${this.title()}.csv` } : UNFINISHED;
	}

	/** Returns all sums for a file: one table after the other, each with its heading. */
	#cells(): string[][] {
		const { trace } = this.view;
		return this.sections.flatMap((section) => {
			const lines = section.groups.flatMap(({ head, lines: of }) => [...(head ? [head] : []), ...of]);
			const [head, ...rest] = cellsOf({ columns: section.columns, title: titleIn(trace) }, lines);
			return [['table', ...head], ...rest.map((cells) => [trace.term(section.title), ...cells]), []];
		});
	}

	/**
	 * Returns the pane's part of the address: the subject, then the state of the time view. Subjects: `p101.102`
	 * processes, `k4` a kind, `n2048-read` a name by event number and text, `m` the highlighted rows.
	 */
	get(): string {
		return this.#name() + this.time.get();
	}

	#name() {
		const { subject, view: { trace } } = this;
		if (this.marked) return 'm';
		if (!subject) return '';
		if ('pids' in subject) return `p${subject.pids.slice(0, 100).join('.')}`;
		if ('kind' in subject) return `k${subject.kind}`;
		return `n${trace.events[subject.entry]}-${trace.texts[subject.entry]}`;
	}

	/** Sets the state. @param whole result of get() */
	set(whole: string) {
		const { trace } = this.view;
		const address = this.time.set(whole);
		this.of = '';
		const [kind, rest] = [address.slice(0, 1), address.slice(1)];
		this.marked = address === 'm';
		this.subject = null;
		if (kind === 'p' && /^\d+(\.\d+)*$/.test(rest)) this.subject = { pids: rest.split('.').slice(0, 100).map(Number) };
		if (kind === 'k' && /^\d+$/.test(rest) && Number(rest) < KINDS) this.subject = { kind: Number(rest) };
		const name = kind === 'n' ? /^(-?\d+)-(.*)$/s.exec(rest) : null;
		if (name) {
			const entry = trace.texts.findIndex((text, i) => text === name[2] && trace.events[i] === Number(name[1]));
			if (entry >= 0) this.subject = { entry };
		}
		this.update();
	}
}
