// SPDX-License-Identifier: BSD-3-Clause
/**
 * Shows the pane with the known faults of the trace, the most expensive first. A click on a finding shows its time, rows and
 * spans. Must not compute a finding: makeself found them, with the functions of spantowhy --findings.
 */
import { byId, make } from '../base/dom.ts';
import * as format from '../base/format.ts';
import { spanOf, threadAt } from '../scene/spanaddress.ts';
import { when } from '../scene/times.ts';
import { limits } from './facts.ts';
import { percent } from './grid.ts';
import { seconds } from './pathtable.ts';
import type { Finding, Findings, Missing } from '../data/findings.ts';
import type { View } from '../scene/view.ts';
import type { File } from './panes.ts';

/** Number of findings that are listed at first. */
const FEW = 20;
/** Kinds whose victim does not wait, so a critical path explains nothing. */
const WITHOUT_PATH = ['stopped', 'interrupts', 'page_faults', 'spawn_storm', 'busy_polling'];

const HOW = 'To search for them: kutrace why --findings FILE.';
const MISSING: Record<Missing, (most: number) => string> = {
	option: () => `This page has no findings, because it was made with --no-findings. ${HOW}`,
	spans: (most) => `Known faults were not searched for, because this page has more than ${format.count(most)} spans. ${HOW} Or make a page of a part of the trace: rawtohtml --trim.`,
	memory: () => `Known faults were not searched for, because the machine that made this page had too little memory. ${HOW}`,
	order: () => 'Known faults were not searched for, because the rows of this trace were not in order of time. Sort them, and make the page again.',
	foreign: () => 'Known faults were not searched for, because the rows of this trace are not threads.',
	page: () => `This page was made by a program that does not search for known faults. ${HOW} Or make the page again: unmakeself page.html | makeself.`,
};
const NONE = 'No known fault was found. The trace can still have one: a fault that is not known here, or one that the recorded events do not show. The tables show where the time went.';

/** Returns a sentence about the findings as a whole. */
function summary({ list, missing, most }: Findings) {
	if (missing) return MISSING[missing](most);
	if (!list.length) return NONE;
	return `${list.length === 1 ? 'One known fault' : `${format.count(list.length)} known faults, the most expensive first`}. Click one to see it in the picture.`;
}

/** Returns the findings as lines of cells for a file. */
function* cells(list: Finding[]): Generator<(string | number)[]> {
	yield ['finding', 'cost_s', 'count', 'start_s', 'end_s', 'victim_pid', 'victim', 'culprit_pid', 'culprit', 'sentence', 'try'];
	for (const { kind, cost, count, from, to, victim, culprit, sentence, advice } of list)
		yield [kind, seconds(cost), count, seconds(from), seconds(to), victim.pid, victim.name, culprit?.pid ?? '', culprit?.name ?? '', sentence, advice];
}

/**
 * Makes the pane Findings.
 * @param seen returns whether the pane is visible
 * @param act select: selects a time range; jump: goes to a span; path: shows the critical path of a process
 */
export function findingsPane(
	view: View, findings: Findings, seen: () => boolean,
	act: {select: (from: number, to: number) => void, jump: (span: number) => void, path: (pid: number, from: number, to: number) => void},
) {
	const { trace } = view;
	const box = byId('findinglist');
	let all = false;
	/** The finding that was clicked last. */
	let current: Finding | null = null;
	/** Ends the highlight of the finding's rows. */
	let unmark = () => {};
	/** State for which the list was made: format of times, and ids of threads. */
	let shown = '';
	const key = () => [view.options.time, view.options.relative, view.zero, trace.sorting].join();

	/** Returns the id of the victim. A pid can have belonged to several threads. */
	const victimOf = ({ victim: { pid }, spans, from }: Finding) => threadAt(trace, pid, spans.find((span) => span.pid === pid)?.t ?? from);
	const show = (finding: Finding) => {
		const { from, to, culprit, spans } = finding;
		// the rows of processes need the sorted spans, and the ids of their threads
		trace.processes();
		current = finding;
		act.select(from, to);
		const pins = spans.map(({ pid, t }) => spanOf(trace, pid, t)).filter((pin) => pin !== null);
		const ids = [victimOf(finding), ...(culprit ? [threadAt(trace, culprit.pid, from)] : []), ...pins.map((pin) => pin.id)];
		unmark();
		unmark = view.rows.marking(() => view.rows.gather('PID', [...new Set(ids)].filter((id) => id > 0)));
		const margin = (to - from) * 0.05;
		view.measure = null;
		view.pins = pins;
		view.showBounded(from - margin, to + margin);
		render();
		byId('say').textContent = `The picture shows this finding: ${format.duration(to - from)} from ${when(view, from)}`;
	};
	const showPath = (finding: Finding) => {
		trace.processes();
		act.path(victimOf(finding), finding.from, finding.to);
	};
	const showSpan = (pid: number, t: number) => {
		trace.processes();
		const pin = spanOf(trace, pid, t);
		if (pin) act.jump(pin.span);
	};
	const entry = (finding: Finding) => {
		const { kind, cost, sentence, advice, spans } = finding;
		const price = make('b', '', `${format.duration(cost)}, ${percent(findings.length > 0 ? cost / findings.length : 0)} of the time`);
		const go = make('button', 'goes', [price, ' ', make('span', '', sentence)], {
			title: `${kind}: show its time, its rows and its first spans`, 'aria-pressed': String(finding === current), click: () => show(finding),
		});
		const links = spans.map(({ pid, t }) => make('button', 'link', `${trace.pidLabel(threadAt(trace, pid, t))} at ${when(view, t)}`, {
			title: 'go to this span of the finding', click: () => showSpan(pid, t),
		}));
		if (!WITHOUT_PATH.includes(kind) && finding.victim.pid > 0)
			links.push(make('button', 'link', 'critical path', { title: `what held up ${finding.victim.name} in the time of this finding`, click: () => showPath(finding) }));
		return make('li', '', [go, make('p', '', `Try: ${advice}`), make('p', 'links', links)]);
	};
	const render = () => {
		// the clicked button is replaced, and the focus must stay
		const focused = [...box.querySelectorAll('button')].indexOf(document.activeElement as HTMLButtonElement);
		const listed = findings.list.slice(0, all ? undefined : FEW);
		shown = key();
		byId('findingssay').textContent = summary(findings);
		box.hidden = !findings.list.length;
		box.replaceChildren(...listed.map(entry));
		if (focused >= 0) box.querySelectorAll('button')[focused]?.focus();
		const rest = findings.list.length - listed.length;
		byId('findingsmore').hidden = rest === 0;
		byId('findingsrest').textContent = `and ${format.count(rest)} more, which cost less `;
		const parts = findings.missing ? [] : limits(trace);
		byId('findinglimits').hidden = !parts.length;
		byId('findinglimitlist').replaceChildren(...parts.map((part) => make('li', '', part)));
	};
	byId('findingsall').addEventListener('click', () => {
		all = true;
		render();
	});
	return {
		render,
		/** Writes the times again if they have changed. Must be called after each frame. */
		follow: () => {
			if (seen() && shown !== key()) render();
		},
		any: findings.list.length > 0,
		label: findings.list.length ? `Findings ${format.count(findings.list.length)}` : 'Findings',
		file: (): File => (findings.list.length ? { cells: [...cells(findings.list)], name: 'findings.csv' } : summary(findings)),
	};
}
