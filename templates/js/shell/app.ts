// SPDX-License-Identifier: BSD-3-Clause
/** Connects the parts of the page when the trace is loaded. Must not make decisions itself. */
import { byId } from '../base/dom.ts';
import { setUnit } from '../base/format.ts';
import { jumpTo } from '../scene/jump.ts';
import { spanAddress, spanOfAddress } from '../scene/spanaddress.ts';
import { View, type AddressPart, type Pin } from '../scene/view.ts';
import { Picture } from '../draw/picture.ts';
import { detailing } from '../panel/details.ts';
import { showFacts } from '../panel/facts.ts';
import { findingsPane } from '../panel/findings.ts';
import { inWords } from '../panel/inwords.ts';
import { searching } from '../panel/finder.ts';
import { placeLegend } from '../panel/legend.ts';
import { Minimap } from '../panel/minimap.ts';
import { panes, type File } from '../panel/panes.ts';
import { criticalPath } from '../panel/path.ts';
import { ProcessPane } from '../panel/process.ts';
import { querying } from '../panel/query.ts';
import { rowMenu } from '../panel/rowmenu.ts';
import { scrollBar } from '../panel/scrollbar.ts';
import { secondary } from '../panel/secondary.ts';
import { selecting } from '../panel/select.ts';
import { showLabel } from '../panel/tooltip.ts';
import { explaining } from '../panel/whyview.ts';
import { panelWidth } from '../panel/width.ts';
import { NO_TARGET, actionsOf } from './actions.ts';
import { addressParts } from './addressparts.ts';
import { buttons, fixedButtons, followTheme, groupButtons, statusLine } from './controls.ts';
import { cursor } from './cursor.ts';
import { embed } from './embed.ts';
import { saveCells, saveTable, saving } from './export.ts';
import { helping, hintWheel, hints } from './help.ts';
import { keepAddress } from './history.ts';
import { WHEELS, attachMouse, wheelSwitch, type Wheel } from './input.ts';
import { attachKeys } from './keys.ts';
import { messages, type Tell } from './message.ts';
import { noteEditor } from './noteeditor.ts';
import { opening } from './opening.ts';
import { onPaper } from './pictures.ts';
import { clicking, hovering } from './pointing.ts';
import { lastView, slots } from './slots.ts';
import { leftOut, type App } from './state.ts';
import { timeSwitch } from './timeas.ts';
import { viewsOfPage } from './viewsfile.ts';
import type { Trace } from '../data/trace.ts';
import type { Table } from '../panel/table.ts';

/** Up to this number of spans, the page itself sorts the spans by process, before the user opens the processes. */
const MOST_SORTED = 5e5;

const canvas = (id: string) => byId(id) as HTMLCanvasElement;

export function show(trace: Trace) {
	const view = new View(trace);
	const picture = new Picture(view, {
		plot: byId('plot'), base: canvas('base'), over: canvas('over'), labels: canvas('labelcanvas'), axis: canvas('axis'),
	});
	return { view, picture };
}

/**
 * Opens the processes' rows, unless the user has already opened or closed a group, zoomed, or selected or annotated a span.
 * If not all rows fit, sorts them by CPU time, most first.
 * @param sorted whether a worker has sorted the spans by process
 */
function openProcesses(view: View, sorted: boolean, reordered: () => void) {
	const { rows, trace } = view;
	if (rows.asked || (!sorted && trace.length > MOST_SORTED) || view.t0 !== trace.first || view.t1 !== trace.last || view.chosen || view.pins.length) return;
	const fit = rows.fits(trace.processes().length);
	if (!fit && !rows.roomy) return;
	if (!fit && rows.order === 'number') {
		rows.order = 'cpu';
		reordered();
	}
	rows.toggle('PID');
	rows.asked = false;
	view.draw();
}

const wheelChoices = (wheel: Wheel) => ({
	choices: WHEELS,
	get: wheel.get,
	set: (now: string) => {
		wheel.set(now);
		hintWheel(wheel);
	},
});

/** Makes the pane of a process. Names in the tables open it. */
function addProcess(
	view: View, pane: ReturnType<typeof panes>, table: Table, jump: (span: number) => void, changed: () => void,
	save: (file: File) => void,
) {
	const process = new ProcessPane(view, jump, () => pane.shows('process'));
	pane.add({ id: 'process', label: view.trace.term('Process'), tip: 'everything about one process, call or kind', seen: () => process.update(), file: () => process.file() });
	process.onopen = () => pane.open('process');
	process.changed = changed;
	process.onsave = save;
	table.onopen = (subject) => process.open(subject);
	return process;
}

/** Opens the process of the row or span under the pointer, or at the cursor. @returns whether there is a process */
function openProcess(view: View, at: ReturnType<typeof cursor>, process: ProcessPane): boolean {
	const row = view.rows.pointed ?? view.hover?.row ?? at.row();
	const span = view.hover?.span ?? (view.arc >= 0 ? view.arc : at.pin()?.span ?? -1);
	const pid = row?.group === 'PID' ? row.id : span >= 0 ? view.trace.pid[span] : -1;
	if (pid >= 0) process.open({ pids: [pid] }, row?.group === 'PID' ? undefined : view.trace.start[span]);
	return pid >= 0;
}

function addQuery(
	view: View, pane: ReturnType<typeof panes>, search: ReturnType<typeof searching>, changed: () => void,
	save: (file: File) => void,
) {
	const query = querying(view, {
		manner: search.manner, search: search.ask, jump: (span) => jumpTo(view, span, true),
		isSeen: () => pane.shows('query'), changed, save,
	});
	pane.add({ id: 'query', label: 'Query', tip: 'the results of a search in groups, with counts and sums', seen: query.update, file: query.file });
	return query;
}

const addressPart = (name: string, part: {get: () => string, set: (text: string) => void}) => ({ name, get: () => part.get(), set: (text: string) => part.set(text) });
const chosenPart = (view: View): AddressPart => ({
	name: 'd',
	get: () => (view.chosen ? spanAddress(view.trace, view.chosen) : ''),
	set: (text) => (view.chosen = spanOfAddress(view.trace, text)),
});

/** Makes the controls around the picture that have no pane. @param unitChanged called after a change of the durations' unit */
function addControls(picture: Picture, unitChanged: () => void) {
	const { view } = picture;
	const wheel = wheelSwitch();
	const menu = rowMenu(view, (text) => (byId('say').textContent = text), wheelChoices(wheel));
	hintWheel(wheel);
	const showButtons = buttons(view, unitChanged);
	fixedButtons(view);
	const placeGroups = groupButtons(view);
	const placeBar = scrollBar(view);
	return { wheel, menu, showButtons, placeGroups, placeBar, minimap: new Minimap(picture, canvas('minimap')) };
}

/** Makes the search, and the panel with its panes. @param changed called when the state for the address has changed */
function addPanel(view: View, axis: HTMLElement, changed: () => void) {
	const { trace } = view;
	/** Shows the sums of a search or a selection, which the pane Findings hides: a page may open with that pane. */
	const leaveFindings = () => {
		if (pane.current() === 'findings') pane.open('tables');
	};
	const search = searching(view, leaveFindings);
	const jump = (span: number) => jumpTo(view, span, true);
	const selection = selecting(view, axis, jump, {
		changed: () => {
			search.selected();
			process.update();
		},
		summed: () => process.update(),
		asked: leaveFindings,
	});
	const pane = panes(selection.open, selection.isOpen, changed);
	const findings = findingsPane(view, trace.findings, () => pane.shows('findings'), { select: selection.set, jump, path: (pid, from, to) => path.pathOf(pid, from, to) });
	pane.add({ id: 'findings', label: findings.label, tip: 'known faults that the trace shows, the most expensive first', seen: findings.render, file: findings.file });
	pane.add({
		id: 'tables', label: 'Tables', tip: 'sums over the whole trace or the selection',
		file: () => selection.table.file(),
	});
	pane.add({ id: 'details', label: 'Details', tip: 'everything known about the span that was clicked', seen: () => details.follow() });
	const details = detailing(view, () => pane.shows('details'), { open: (pid) => process.open({ pids: [pid] }, view.chosen ? trace.start[view.chosen.span] : undefined), why: (span) => ask.why(span), path: (span) => ask.path(span) });
	/** Actions on a span for keys and details, and messages of the page. */
	const ask: {why: (span: number) => void, path: (span: number) => void, tell: Tell} = { why: () => {}, path: () => {}, tell: () => {} };
	const save = (file: File) => saveTable(view, file, ask.tell);
	const process = addProcess(view, pane, selection.table, jump, changed, save);
	const path = criticalPath(view, pane, (lines, end) => saveCells(view, lines, end));
	const query = addQuery(view, pane, search, changed, save);
	selection.table.changed = changed;
	return { search, selection, pane, findings, details, process, path, query, ask };
}
type Panel = ReturnType<typeof addPanel>;

/** Connects the parts that a user can save and share: notes, slots, the address, files. */
function sharing(app: App, picture: Picture, reasons: Parameters<typeof addressParts>[1], changed: () => void) {
	const { view } = app;
	const { tell } = messages();
	const saved = viewsOfPage(view);
	view.notes = saved.notes;
	const slot = slots(app, saved, changed);
	const notes = noteEditor(view, picture.parts, tell, changed);
	const parts = addressParts(app, reasons, slot, notes.show);
	app.addressParts.push(...parts.all);
	const files = opening(app, slot, saved, tell, () => {
		notes.show();
		changed();
	});
	saving(picture, app.pane.file, files, tell, () => leftOut(app));
	onPaper(picture);
	notes.show();
	return { slot, notes, tell, sorted: parts.sorted, offerLast: lastView(app, slot) };
}

/** Returns a function that applies the selected duration unit to every panel. */
function durationUnit(view: View, { selection, search, pane }: Panel) {
	let unit: string = 'auto';
	return () => {
		if (unit === view.options.unit) return;
		unit = view.options.unit;
		setUnit(view.options.unit);
		byId('panel').dataset.unit = unit;
		selection.title();
		selection.table.render();
		search.joined();
		pane.again();
	};
}

/**
 * Sets the actions for the times when the spans are sorted by process, and when the calls are joined.
 * @param reordered called when the order of rows has changed
 */
function whenMore(view: View, { search, selection, details, process, path, query }: Panel, sorted: () => void, reordered: () => void) {
	const { trace } = view;
	trace.onsorted = () => {
		sorted();
		openProcesses(view, true, reordered);
		view.rows.layout(view.height);
		process.sorted();
		view.draw();
	};
	trace.onjoined = () => {
		search.joined();
		query.update();
		selection.joined();
		process.update();
		details.follow();
		path.joined();
	};
}

/**
 * Returns a function that updates the parts of the page that depend on the picture. Call this function after each frame.
 * @param axis updates the line below the picture
 */
function following(
	view: View, { placeGroups, placeBar, minimap }: ReturnType<typeof addControls>,
	{ search, findings, details, process, query }: Panel,
	{ placeHints, axis, changed, hover }: {
		placeHints: () => void, axis: () => void, changed: () => void, hover: ReturnType<typeof hovering>,
	},
) {
	const write = inWords(view);
	let later: ReturnType<typeof setTimeout> | undefined;
	return () => {
		hover.again();
		placeGroups();
		placeHints();
		placeBar();
		minimap.draw();
		axis();
		process.update();
		findings.follow();
		details.follow();
		changed();
		search.follow();
		query.follow();
		write();
		if (view.matches) {
			clearTimeout(later);
			later = setTimeout(search.show, 60);
		}
	};
}

/** Connects mouse, touch and keys. @param address returns the history of the address; undefined before the history is made */
function attach(
	picture: Picture, { wheel, menu }: ReturnType<typeof addControls>,
	{ search, selection, pane, details, process, path, ask }: Panel,
	{ reasons, shared, times, changed, hover, address }: {
		reasons: ReturnType<typeof explaining>, shared: ReturnType<typeof sharing>, times: ReturnType<typeof timeSwitch>,
		changed: () => void, hover: ReturnType<typeof hovering>,
		address: () => ReturnType<typeof keepAddress> | undefined,
	},
) {
	const { view, parts: { over, axis } } = picture;
	const at = cursor(view);
	const showDetails = (pin: Pin) => {
		view.chosen = pin;
		pane.open('details');
		details.follow();
		details.focus();
		view.draw(false);
	};
	const actions = actionsOf({ view, at, search, selection, reasons, path, help: helping(), slot: shared.slot, menu, notes: shared.notes, details: showDetails, tell: shared.tell });
	Object.assign(ask, { why: actions.why, path: actions.path, tell: shared.tell });
	attachMouse(view, {
		over, axis, labels: byId('labels'), pinButton: byId('pinrow'), changed, kind: actions.kind, pin: actions.keys.pin, wheel,
		hover: hover.move,
		label: (row, event) => showLabel(view, row, event),
		click: clicking(view, { explain: reasons.explain, isOpen: selection.isOpen, open: () => pane.open('details') }),
	});
	attachKeys(view, at, {
		...actions.keys, changed, hover: hover.again,
		since: () => {
			if (!times.fromHere()) shared.tell('The trace has no marks, and no span is annotated: shift-click a span, and press the key again.');
		},
		process: () => {
			if (!openProcess(view, at, process)) shared.tell(NO_TARGET);
		},
		back: () => address()?.back(), forward: () => address()?.forward(),
	});
}

export function start(trace: Trace) {
	byId('boot').hidden = true;
	byId('app').inert = false;
	byId('groups').replaceChildren();
	const { view, picture } = show(trace);
	const status = statusLine(view);
	let address: ReturnType<typeof keepAddress> | undefined;
	let placeHints = () => {};
	const changed = () => {
		status.measure();
		address?.changed();
	};
	followTheme(picture);
	showFacts(trace, view.timeBase);
	const controls = addControls(picture, () => applyUnit());
	const panel = addPanel(view, picture.parts.axis, changed);
	const { search, selection, pane, process, path, query } = panel;
	const applyUnit = durationUnit(view, panel);
	const reasons = explaining(view, () => pane.open('tables'), path.pathOf);
	const times = timeSwitch(view, selection.title);
	const hover = hovering(view, picture.parts.over);
	const app: App = {
		view, search, selection, pane,
		refresh: () => {
			applyUnit();
			times.show();
			controls.showButtons();
			controls.menu.show();
		},
		addressParts: [chosenPart(view), addressPart('x', process), search.addressPart, query.addressPart, path.addressPart, secondary(view)],
	};
	const shared = sharing(app, picture, reasons, changed);
	whenMore(view, panel, () => shared.sorted(), controls.menu.show);
	picture.onframe = following(view, controls, panel, { placeHints: () => placeHints(), axis: status.axis, changed, hover });
	attach(picture, controls, panel, { reasons, shared, times, changed, hover, address: () => address });
	panelWidth();
	selection.open(true);
	if (panel.findings.any) pane.open('findings');
	placeLegend(selection.isOpen);
	new ResizeObserver(() => picture.resize()).observe(byId('plot'));
	picture.resize();
	address = keepAddress(app, shared.tell);
	if (!trace.sorting) openProcesses(view, false, controls.menu.show);
	shared.offerLast();
	picture.frame();
	embed(picture, controls.minimap, search.search, () => process.time.flame.drawn());
	byId('empty').hidden = trace.length > 0;
	if (trace.length) placeHints = hints(view);
}
