// SPDX-License-Identifier: BSD-3-Clause
/**
 * Start of the page: loads the trace, wires view, input and panels together, and
 * offers window.kutrace to tests and to pages that embed this one.
 */
import { buttons, groupButtons } from './controls.js';
import { saving } from './export.js';
import { searching } from './finder.js';
import * as format from './format.js';
import { attachMouse, clearNotes } from './input.js';
import { jumpTo } from './jump.js';
import { attachKeys, cursor } from './keys.js';
import { Kind } from './kinds.js';
import { DamagedError, loadTrace, spansTaken } from './load.js';
import { Minimap } from './minimap.js';
import { overviewTrace } from './overview.js';
import { programOf } from './palette.js';
import { byId, make, showFacts, showLegend, showTooltip } from './panel.js';
import { selecting } from './select.js';
import { keepAddress, slots } from './state.js';
import { painted } from './paint.js';
import { UNITS_PER_SECOND } from './trace.js';
import { View } from './view.js';
import { gapBefore } from './why.js';
import { explaining } from './whyview.js';

const root = document.documentElement;
/** A smaller trace is there in less than these ms, and later for every picture before it. */
const OVERVIEW_SPANS = 2e6;
const OVERVIEW_MS = 300;

/** @param {unknown} error */
function failed(error) {
	root.dataset.state = 'error';
	delete root.dataset.picture;
	const box = byId('boot');
	const damaged = error instanceof DamagedError;
	const message = (error instanceof Error ? error.message : String(error)).replace(/\.+$/, '');
	box.replaceChildren(
		make('h1', '', damaged ? 'This file is damaged' : 'This trace cannot be shown'),
		make('p', '', `${message.charAt(0).toUpperCase()}${message.slice(1)}.`),
		make('p', '', damaged ? 'Copy it again, or make it again from its trace.' :
			'This page needs a browser of 2023 or later, and enough memory for the trace.'));
	box.hidden = false;
	byId('app').hidden = true;
}

/** The first opening points at three things, once. */
function hints() {
	const box = byId('hints');
	try {
		if (localStorage.getItem('kutrace-hints')) return;
		localStorage.setItem('kutrace-hints', 'shown');
	} catch {
		// a browser that keeps nothing for files shows them each time
	}
	box.hidden = false;
	const away = () => {
		box.hidden = true;
		for (const name of ['pointerdown', 'wheel', 'keydown']) removeEventListener(name, away, true);
	};
	for (const name of ['pointerdown', 'wheel', 'keydown']) addEventListener(name, away, true);
}

/** @param {string} id */
const canvas = (id) => /** @type {HTMLCanvasElement} */ (byId(id));
const parts = () => ({
	plot: byId('plot'), base: canvas('base'), over: canvas('over'), labels: canvas('labelcanvas'), axis: canvas('axis'),
});

/** A first picture, while the workers decode. */
async function overview() {
	if (root.dataset.state !== 'loading') return;
	const text = document.getElementById('kutrace-overview')?.textContent;
	const head = document.getElementById('kutrace-header')?.textContent;
	if (!text || !head) return;
	try {
		const header = JSON.parse(head);
		const trace = await overviewTrace(header, text);
		if (root.dataset.state !== 'loading') return;
		byId('title').textContent = String(header.title || 'KUtrace');
		byId('app').inert = true;
		byId('main').classList.add('withpanel');
		const view = new View(trace, parts());
		view.theme(matchMedia('(prefers-color-scheme: dark)').matches);
		view.resize();
		view.frame();
		groupButtons(view)();
		root.dataset.picture = 'overview';
	} catch {
		// the trace comes without it; what is wrong with the file is said by who reads that
		root.dataset.overview = 'damaged';
	}
}

/** @param {import('./trace.js').Trace} trace */
function start(trace) {
	byId('boot').hidden = true;
	byId('app').inert = false;
	byId('groups').replaceChildren();
	const view = new View(trace, parts());
	trace.onsorted = () => {
		view.rows.layout(view.height);
		view.draw();
	};
	const dark = matchMedia('(prefers-color-scheme: dark)');
	const theme = () => {
		view.theme(dark.matches);
		showLegend(view);
	};
	dark.addEventListener('change', theme);
	// paper is white
	addEventListener('beforeprint', () => {
		view.theme(false);
		view.frame();
	});
	addEventListener('afterprint', theme);
	theme();
	showFacts(trace, view.timeBase);
	const showButtons = buttons(view);
	const placeGroups = groupButtons(view);
	const minimap = new Minimap(view, canvas('minimap'));
	const search = searching(view);
	const selection = selecting(view, (span) => jumpTo(view, span, true), search.selected);
	const reasons = explaining(view, () => selection.open(true));
	const app = { view, search, selection, refresh: showButtons };
	const slot = slots(app);
	saving(view, selection.table);
	const help = byId('help');
	const toggleHelp = () => {
		help.hidden = !help.hidden;
		if (!help.hidden) byId('closehelp').focus();
	};
	let address = () => {};

	/** A text that has not changed costs nothing. @param {string} id @param {string} text */
	const say = (id, text) => {
		const element = byId(id);
		if (element.textContent !== text) element.textContent = text;
	};
	const status = () => {
		say('measure', view.measureText());
		byId('hint').hidden = view.measure !== null;
		byId('selectmeasure').hidden = view.measure === null;
		address();
	};
	/** @type {ReturnType<typeof setTimeout> | undefined} */
	let later;
	view.onframe = () => {
		placeGroups();
		minimap.draw();
		const time = view.times();
		say('clock', view.options.relative ? `row's start\n${time.base > trace.first ? `+ ${format.duration(time.base - trace.first)}` : ''}` :
			format.wallClock(view.timeBase, time.base, time.digits, true).replace(' ', '\n'));
		say('across', `${format.duration(view.t1 - view.t0)} across`);
		status();
		if (view.matches) {
			clearTimeout(later);
			later = setTimeout(search.show, 60);
		}
	};
	/** All of a span's kind stand out, and are counted by the search. @param {number} span */
	const kind = (span) => {
		view.highlight(span);
		const user = trace.kind(span) === Kind.USER;
		const name = (user ? programOf(trace.text(span)) : trace.text(span)).replace(/[\\^$.*+?()[\]{}|]/g, '\\$&');
		search.search(view.only ? `^${name}${user ? '\\.\\d+' : ''}$` : '');
	};
	attachMouse(view, {
		over: view.parts.over, labels: byId('labels'), axis: view.parts.axis,
		hover: (event) => {
			const box = view.parts.over.getBoundingClientRect();
			const hit = event ? view.hit(event.clientX - box.left, event.clientY - box.top) : null;
			const changed = hit?.span !== view.hover?.span || hit?.row !== view.hover?.row;
			view.hover = hit;
			showTooltip(view, hit ? hit.span : null, event?.clientX ?? 0, event?.clientY ?? 0);
			if (changed) view.draw(false);
		},
		changed: status,
		click: (x, y) => {
			const row = view.rows.at(y);
			if (row?.group === 'PID') reasons.explain(row.id, view.time(x) + view.offset(row));
		},
		kind,
	});
	const at = cursor(view);
	attachKeys(view, at, {
		search: search.focus,
		next: search.next,
		help: toggleHelp,
		changed: status,
		why: () => {
			const span = view.hover?.span ?? at.pin()?.span ?? -1;
			if (span < 0) return;
			// inside of a wait, or before what ran
			const wait = trace.kind(span) === Kind.WAIT;
			reasons.explain(trace.pid[span], wait ? trace.start[span] + trace.dur[span] / 2 : gapBefore(trace, span));
		},
		kind: () => {
			const span = view.hover?.span ?? at.pin()?.span ?? -1;
			if (span >= 0) kind(span);
		},
		between: () => selection.between(view.hover ? trace.start[view.hover.span] : (view.t0 + view.t1) / 2),
		zoomSelection: () => byId('zoomselection').click(),
		table: () => selection.open(!selection.isOpen()),
		slot: (n, save) => (save ? slot.save(n) : slot.restore(n)),
		swap: slot.toggle,
		escape: () => {
			byId('tip').hidden = true;
			/** @type {HTMLDetailsElement} */ (byId('save')).open = false;
			if (!help.hidden) help.hidden = true;
			else if (at.stop() || view.pins.length) clearNotes(view);
			else if (view.chain) reasons.clear();
			else if (view.only) kind(view.only.indexOf(1) < 0 ? 0 : firstOf(trace, view.only));
			else if (view.rows.marked.size) view.rows.clearMarks();
			else if (view.selection) selection.clear();
			else search.search('');
			view.draw();
		},
	});
	byId('reset').addEventListener('click', () => view.reset());
	byId('clock').addEventListener('click', () => {
		view.options.relative = !view.options.relative;
		view.draw();
	});
	byId('more').addEventListener('click', toggleHelp);
	byId('closehelp').addEventListener('click', toggleHelp);
	selection.open(true);
	// where there is no room for both, the legend stands below the table
	const narrow = matchMedia('(max-width: 1499px)');
	const place = () => {
		const inPanel = narrow.matches && selection.isOpen();
		if (inPanel) byId('panel').append(byId('legend'));
		else byId('main').append(byId('legend'));
	};
	narrow.addEventListener('change', place);
	new MutationObserver(place).observe(byId('panel'), { attributeFilter: ['hidden'] });
	place();
	new ResizeObserver(() => view.resize()).observe(byId('plot'));
	view.resize();
	address = keepAddress(app);
	view.frame();
	expose(view, minimap, search.search);
	byId('empty').hidden = trace.length > 0;
	if (trace.length) hints();
}

/** A span of a name that stands out. @param {import('./trace.js').Trace} trace @param {Uint8Array} only */
function firstOf(trace, only) {
	return trace.name.findIndex((entry) => only[entry] === 1);
}

/**
 * @param {View} view
 * @param {Minimap} minimap
 * @param {(text: string) => {count: number, seconds: number}} search
 */
function expose(view, minimap, search) {
	const { trace } = view;
	/** @type {any} */ (window).kutrace = {
		/** What is on the screen, seconds. */
		range: () => [view.t0 / UNITS_PER_SECOND, view.t1 / UNITS_PER_SECOND],
		/** @param {number} from @param {number} to seconds */
		setRange: (from, to) => {
			if (!Number.isFinite(from) || !Number.isFinite(to) || to <= from)
				throw new RangeError('setRange(start, stop): seconds, start before stop');
			view.show(from * UNITS_PER_SECOND, to * UNITS_PER_SECOND);
			view.frame();
		},
		/** The rows on the screen, client coordinates. */
		rows: () => {
			const box = view.parts.over.getBoundingClientRect();
			return view.rows.visible.map((r) => ({
				group: r.group, id: r.id, label: r.label, y: r.y + box.top, height: r.h, spans: r.spans.length,
				marked: view.rows.marked.has(`${r.group} ${r.id}`),
				/** Drawn in columns of several pixels, for lack of time. */
				rough: view.painter.kept.get(r)?.rough ?? false,
			}));
		},
		/** @param {number} x client @param {number} y client */
		hit: (x, y) => {
			const box = view.parts.over.getBoundingClientRect();
			const hit = view.hit(x - box.left, y - box.top);
			return hit ? trace.row(hit.span) : null;
		},
		search,
		/** What the last frame drew, for tests. */
		drawn: () => {
			const box = view.parts.over.getBoundingClientRect();
			return {
				plot: { x: box.left, y: box.top, width: box.width, height: box.height },
				arcs: view.drawn.arcs.map((a) => ({
					row: trace.row(a.span), x0: a.x0 + box.left, y0: a.y0 + box.top, x1: a.x1 + box.left, y1: a.y1 + box.top,
				})),
				arcsVisible: view.drawn.arcsVisible,
				marks: view.drawn.marks.map((m) => ({
					row: trace.row(m.span), x: m.x + box.left, y: m.row.y + box.top, group: m.row.group, labelled: m.labelled,
				})),
				notes: view.drawn.notes,
				/** Names that stand on the picture, of spans, of what is annotated, of marks: what they cover, from the plot's corner. */
				named: view.drawn.named, pinned: view.drawn.pinned,
				labels: view.drawn.labels.map(({ text, x0, x1, y0, y1 }) => ({ text, x0, x1, y0, y1 })),
				matched: view.drawn.matched,
				/** Rows that have just come into sight are still being drawn. */
				unfinished: view.unfinished,
				selection: view.selection && { from: view.selection.t0 / UNITS_PER_SECOND, to: view.selection.t1 / UNITS_PER_SECOND },
				chain: view.drawn.chain.map((c) => ({
					...c, x0: c.x0 + box.left, x1: c.x1 + box.left, y: c.y + box.top,
					from: c.from && { x: c.from.x + box.left, y: c.from.y + box.top },
				})),
				messages: view.drawn.messages.map((m) => ({
					row: trace.row(m.span), x0: m.x0 + box.left, y0: m.y0 + box.top, x1: m.x1 + box.left, y1: m.y1 + box.top,
				})),
				window: minimap.window,
				measure: view.measureText(),
			};
		},
		/** How much of each pixel column of a row each kind was drawn with, for tests. @param {string} group @param {number} id */
		painted: (group, id) => painted(view, group, id),
		/** How long the last frames took to make, ms; emptied by reading. */
		frames: () => view.frames.splice(0),
		spans: trace.length,
		/** From the start of loading until now, when everything can be used, ms. */
		loadMs: performance.now(),
	};
	root.dataset.state = 'ready';
	delete root.dataset.picture;
	delete root.dataset.overview;
}

addEventListener('DOMContentLoaded', () => {
	const bar = /** @type {HTMLProgressElement} */ (byId('progress'));
	byId('boottext').textContent = 'Reading the trace';
	// laid out unseen while the workers decode, so that it need not be then
	byId('app').hidden = false;
	const loading = loadTrace((fraction) => {
		bar.value = fraction;
	});
	setTimeout(overview, spansTaken() < OVERVIEW_SPANS ? OVERVIEW_MS : 0);
	loading.then(({ trace, behind }) => {
		try {
			start(trace);
		} finally {
			behind();
		}
	}).catch(failed);
});
