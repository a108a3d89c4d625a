// SPDX-License-Identifier: BSD-3-Clause
/** Connects the parts of the page when the trace is loaded. Must not make decisions itself. */
import { byId } from '../base/dom.js';
import { setUnit } from '../base/format.js';
import { jumpTo } from '../scene/jump.js';
import { spotOf, spotText } from '../scene/spots.js';
import { View } from '../scene/view.js';
import { Picture } from '../draw/picture.js';
import { detailing } from '../panel/details.js';
import { showFacts } from '../panel/facts.js';
import { inWords } from '../panel/inwords.js';
import { searching } from '../panel/finder.js';
import { placeLegend } from '../panel/legend.js';
import { Minimap } from '../panel/minimap.js';
import { panes } from '../panel/panes.js';
import { criticalPath } from '../panel/path.js';
import { ProcessPane } from '../panel/process.js';
import { querying } from '../panel/query.js';
import { rowMenu } from '../panel/rowmenu.js';
import { scrollBar } from '../panel/scrollbar.js';
import { secondary } from '../panel/secondary.js';
import { selecting } from '../panel/select.js';
import { showLabel } from '../panel/tooltip.js';
import { explaining } from '../panel/whyview.js';
import { panelWidth } from '../panel/width.js';
import { NO_TARGET, actionsOf } from './actions.js';
import { buttons, fixedButtons, groupButtons } from './controls.js';
import { cursor } from './cursor.js';
import { embed } from './embed.js';
import { saveCells, saveTable } from './export.js';
import { helping, hintWheel, hints } from './help.js';
import { keepAddress } from './history.js';
import { attachMouse } from './input.js';
import { attachKeys } from './keys.js';
import { clicking, hovering } from './pointing.js';
import { sharing } from './sharing.js';
import { statusLine } from './status.js';
import { followTheme } from './theme.js';
import { timeSwitch } from './timeas.js';
import { WHEELS, wheelSwitch } from './wheel.js';

/** @typedef {import('../data/trace.js').Trace} Trace */

/** Up to this number of spans, the page itself sorts by process without a request. */
const MOST_SORTED = 5e5;

/** @param {string} id */
const canvas = (id) => /** @type {HTMLCanvasElement} */ (byId(id));

/** Makes a view of a trace, and its picture. @param {Trace} trace */
export function show(trace) {
	const view = new View(trace);
	const picture = new Picture(view, {
		plot: byId('plot'), base: canvas('base'), over: canvas('over'), labels: canvas('labelcanvas'), axis: canvas('axis'),
	});
	return { view, picture };
}

/**
 * Opens the processes' rows, unless the user has already opened or closed a group, or looks at something. If not all rows
 * fit, sorts them by CPU time, most first.
 * @param {View} view
 * @param {boolean} sorted whether a worker has sorted the spans by process
 * @param {() => void} reordered
 */
function openProcesses(view, sorted, reordered) {
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

/** Returns the choices for the wheel in the menu. @param {import('./wheel.js').Wheel} wheel */
const wheelChoices = (wheel) => ({
	choices: WHEELS,
	get: wheel.get,
	set: (/** @type {string} */ now) => {
		wheel.set(now);
		hintWheel(wheel);
	},
});

/**
 * Makes the pane of a process. Names in the tables open it.
 * @param {View} view
 * @param {ReturnType<typeof panes>} pane
 * @param {import('../panel/table.js').Table} table
 * @param {(span: number) => void} jump
 * @param {() => void} changed
 * @param {(file: import('../panel/panes.js').File) => void} save
 */
function addProcess(view, pane, table, jump, changed, save) {
	const process = new ProcessPane(view, jump, () => pane.shows('process'));
	pane.add({ id: 'process', label: view.trace.term('Process'), tip: 'everything about one process, call or kind', seen: () => process.update(), file: () => process.file() });
	process.onopen = () => pane.open('process');
	process.changed = changed;
	process.onsave = save;
	table.onopen = (subject) => process.open(subject);
	return process;
}

/**
 * Opens the process of the row under the pointer, or of the span under the pointer or at the cursor.
 * @param {View} view
 * @param {ReturnType<typeof cursor>} at
 * @param {ProcessPane} process
 * @returns {boolean} whether there is one
 */
function openProcess(view, at, process) {
	const row = view.rows.pointed ?? view.hover?.row ?? at.row();
	const span = view.hover?.span ?? (view.arc >= 0 ? view.arc : at.pin()?.span ?? -1);
	const pid = row?.group === 'PID' ? row.id : span >= 0 ? view.trace.pid[span] : -1;
	if (pid >= 0) process.open({ pids: [pid] });
	return pid >= 0;
}

/**
 * @param {View} view
 * @param {ReturnType<typeof panes>} pane
 * @param {ReturnType<typeof searching>} search
 * @param {() => void} changed
 * @param {(file: import('../panel/panes.js').File) => void} save
 */
function addQuery(view, pane, search, changed, save) {
	const query = querying(view, {
		manner: search.manner, search: search.ask, jump: (span) => jumpTo(view, span, true),
		isSeen: () => pane.shows('query'), changed, save,
	});
	pane.add({ id: 'query', label: 'Query', tip: 'what a search finds, in groups, counted and added up', seen: query.update, file: query.file });
	return query;
}

/** Makes a part of the address. @param {string} name @param {{get: () => string, set: (text: string) => void}} part */
const keeping = (name, part) => ({ name, get: () => part.get(), set: (/** @type {string} */ text) => part.set(text) });
/** Makes the part of the address for the selected span. @param {View} view @returns {import('./state.js').Keeper} */
const chosenKept = (view) => ({
	name: 'd',
	get: () => (view.chosen ? spotText(view.trace, view.chosen) : ''),
	set: (text) => {
		view.chosen = spotOf(view.trace, text);
	},
});

/**
 * Makes the controls around the picture that have no pane.
 * @param {Picture} picture
 * @param {() => void} told called when the unit of durations has changed
 */
function addControls(picture, told) {
	const { view } = picture;
	const wheel = wheelSwitch();
	const menu = rowMenu(view, (text) => (byId('say').textContent = text), wheelChoices(wheel));
	hintWheel(wheel);
	const showButtons = buttons(view, told);
	fixedButtons(view);
	const placeGroups = groupButtons(view);
	const placeBar = scrollBar(view);
	return { wheel, menu, showButtons, placeGroups, placeBar, minimap: new Minimap(picture, canvas('minimap')) };
}

/**
 * Makes the search, and the panel with its panes.
 * @param {View} view
 * @param {HTMLElement} axis
 * @param {() => void} changed called when the state for the address has changed
 */
function addPanel(view, axis, changed) {
	const search = searching(view);
	const jump = (/** @type {number} */ span) => jumpTo(view, span, true);
	const selection = selecting(view, axis, jump, () => {
		search.selected();
		process.update();
	}, () => process.update());
	const pane = panes(selection.open, selection.isOpen, changed);
	pane.add({
		id: 'tables', label: 'Tables', tip: 'everything added up, in the whole trace or the selection',
		file: () => selection.table.file(),
	});
	pane.add({ id: 'details', label: 'Details', tip: 'everything known about the span that was clicked', seen: () => details.follow() });
	const details = detailing(view, () => pane.shows('details'), { open: (pid) => process.open({ pids: [pid] }), why: (span) => ask.why(span), path: (span) => ask.path(span) });
	/**
	 * Actions on a span for keys and details, and messages of the page.
	 * @type {{why: (span: number) => void, path: (span: number) => void, tell: import('./telling.js').Tell}}
	 */
	const ask = { why: () => {}, path: () => {}, tell: () => {} };
	const save = (/** @type {import('../panel/panes.js').File} */ file) => saveTable(view, file, ask.tell);
	const process = addProcess(view, pane, selection.table, jump, changed, save);
	const path = criticalPath(view, pane, (lines, end) => saveCells(view, lines, end));
	const query = addQuery(view, pane, search, changed, save);
	selection.table.changed = changed;
	return { search, selection, pane, details, process, path, query, ask };
}
/** @typedef {ReturnType<typeof addPanel>} Panel */

/**
 * Returns a function that applies the selected duration unit to every panel.
 * @param {View} view
 * @param {Panel} panel
 */
function durationUnit(view, { selection, search, pane }) {
	/** The unit that is applied. @type {string} */
	let unit = 'auto';
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
 * Sets what happens after the first picture, when the spans are sorted by process and when the calls are joined.
 * @param {View} view
 * @param {Panel} panel
 * @param {() => void} sorted
 * @param {() => void} reordered called when the order of rows has changed
 */
function whenMore(view, { search, selection, details, process, path, query }, sorted, reordered) {
	const { trace } = view;
	trace.onsorted = () => {
		sorted();
		openProcesses(view, true, reordered);
		view.rows.layout(view.height);
		process.update();
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
 * Returns a function that updates everything that follows the picture. It must be called after each frame.
 * @param {View} view
 * @param {ReturnType<typeof addControls>} controls
 * @param {Panel} panel
 * @param {object} others
 * @param {() => void} others.placeHints
 * @param {() => void} others.axis updates the line below the picture
 * @param {() => void} others.changed
 * @param {ReturnType<typeof hovering>} others.hover
 */
function following(view, { placeGroups, placeBar, minimap }, { search, details, process, query }, { placeHints, axis, changed, hover }) {
	const write = inWords(view);
	/** @type {ReturnType<typeof setTimeout> | undefined} */
	let later;
	return () => {
		hover.again();
		placeGroups();
		placeHints();
		placeBar();
		minimap.draw();
		axis();
		process.update();
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

/**
 * Connects mouse, touch and keys.
 * @param {Picture} picture
 * @param {ReturnType<typeof addControls>} controls
 * @param {Panel} panel
 * @param {object} others
 * @param {ReturnType<typeof explaining>} others.reasons
 * @param {ReturnType<typeof sharing>} others.kept
 * @param {ReturnType<typeof timeSwitch>} others.times
 * @param {() => void} others.changed
 * @param {ReturnType<typeof hovering>} others.hover
 * @param {() => ReturnType<typeof keepAddress> | undefined} others.address returns the history, once there is one
 */
function attach(picture, { wheel, menu }, { search, selection, pane, details, process, path, ask }, { reasons, kept, times, changed, hover, address }) {
	const { view, parts: { over, axis } } = picture;
	const at = cursor(view);
	/** @param {import('../scene/view.js').Pin} pin */
	const showDetails = (pin) => {
		view.chosen = pin;
		pane.open('details');
		details.follow();
		details.focus();
		view.draw(false);
	};
	const actions = actionsOf({ view, at, search, selection, reasons, path, help: helping(), slot: kept.slot, menu, notes: kept.notes, details: showDetails, tell: kept.tell });
	Object.assign(ask, { why: actions.why, path: actions.path, tell: kept.tell });
	attachMouse(view, {
		over, axis, labels: byId('labels'), pinButton: byId('pinrow'), changed, kind: actions.kind, pin: actions.keys.pin, wheel,
		hover: hover.move,
		label: (row, event) => showLabel(view, row, event),
		click: clicking(view, { explain: reasons.explain, isOpen: selection.isOpen, open: () => pane.open('details') }),
	});
	attachKeys(view, at, {
		...actions.keys, changed, hover: hover.again,
		since: () => {
			if (!times.fromHere()) kept.tell('The trace has no marks, and no span is annotated: shift-click a span, and press the key again.');
		},
		process: () => {
			if (!openProcess(view, at, process)) kept.tell(NO_TARGET);
		},
		back: () => address()?.back(), forward: () => address()?.forward(),
	});
}

/** Starts the page with a trace. @param {Trace} trace */
export function start(trace) {
	byId('boot').hidden = true;
	byId('app').inert = false;
	byId('groups').replaceChildren();
	const { view, picture } = show(trace);
	const status = statusLine(view);
	/** @type {ReturnType<typeof keepAddress> | undefined} */
	let address;
	let placeHints = () => {};
	const changed = () => {
		status.measure();
		address?.changed();
	};
	followTheme(picture);
	showFacts(trace, view.timeBase);
	const controls = addControls(picture, () => tellDurations());
	const panel = addPanel(view, picture.parts.axis, changed);
	const { search, selection, pane, process, path, query } = panel;
	const tellDurations = durationUnit(view, panel);
	const reasons = explaining(view, () => pane.open('tables'), path.pathOf);
	const times = timeSwitch(view, selection.title);
	const hover = hovering(view, picture.parts.over);
	/** @type {import('./state.js').App} */
	const app = {
		view, search, selection, pane,
		refresh: () => {
			tellDurations();
			times.show();
			controls.showButtons();
			controls.menu.show();
		},
		kept: [chosenKept(view), keeping('x', process), search.kept, query.kept, path.keeper, secondary(view)],
	};
	const kept = sharing(app, picture, reasons, changed);
	whenMore(view, panel, () => kept.sorted(), controls.menu.show);
	picture.onframe = following(view, controls, panel, { placeHints: () => placeHints(), axis: status.axis, changed, hover });
	attach(picture, controls, panel, { reasons, kept, times, changed, hover, address: () => address });
	panelWidth();
	selection.open(true);
	placeLegend(selection.isOpen);
	new ResizeObserver(() => picture.resize()).observe(byId('plot'));
	picture.resize();
	address = keepAddress(app, kept.tell);
	if (!trace.sorting) openProcesses(view, false, controls.menu.show);
	kept.offerLast();
	picture.frame();
	embed(picture, controls.minimap, search.search, () => process.time.flame.drawn());
	byId('empty').hidden = trace.length > 0;
	if (trace.length) placeHints = hints(view);
}
