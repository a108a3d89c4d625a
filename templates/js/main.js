// SPDX-License-Identifier: BSD-3-Clause
/**
 * Start of the page: loads the trace, wires view, input and panels together, and
 * offers window.kutrace to tests and to pages that embed this one.
 */
import * as format from './format.js';
import { attachKeys, attachMouse, clearNotes } from './input.js';
import { DamagedError, loadTrace } from './load.js';
import { byId, make, showFacts, showLegend, showTooltip } from './panel.js';
import { Matches } from './search.js';
import { painted } from './paint.js';
import { UNITS_PER_SECOND } from './trace.js';
import { View } from './view.js';

const root = document.documentElement;

/** @param {unknown} error */
function failed(error) {
	root.dataset.state = 'error';
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

/** @param {View} view */
function buttons(view) {
	const { trace, options } = view;
	const bar = byId('buttons');
	/**
	 * @param {string} id
	 * @param {string} label
	 * @param {string} tip
	 * @param {boolean} available
	 * @param {() => string | boolean} state what is on; a string is shown behind the label
	 * @param {() => void} press
	 */
	const button = (id, label, tip, available, state, press) => {
		const element = /** @type {HTMLButtonElement} */ (make('button', '', label));
		element.id = `button-${id}`;
		element.title = tip;
		element.disabled = !available;
		const show = () => {
			const now = state();
			element.setAttribute('aria-pressed', String(now !== false && now !== 'off'));
			element.textContent = typeof now === 'string' && now !== 'off' && now !== 'both' ? `${label}: ${now}` : label;
		};
		element.addEventListener('click', () => {
			press();
			show();
			view.draw();
		});
		if (available) show();
		bar.append(element);
	};
	/** @param {string} now @param {string[]} states */
	const after = (now, states) => states[(states.indexOf(now) + 1) % states.length];
	/** @param {'user' | 'all' | 'arc' | 'lock' | 'freq' | 'samp' | 'cb'} name */
	const toggle = (name) => () => {
		options[name] = !options[name];
	};
	button('user', 'User', 'name the first instance of each program on the screen', trace.length > 0, () => options.user, toggle('user'));
	button('all', 'All', 'name every span that has room', trace.length > 0, () => options.all, toggle('all'));
	button('mark', 'Mark', 'marks: both, text, numbers, off', trace.marks.length > 0, () => options.mark, () => {
		options.mark = after(options.mark, ['both', 'text', 'numbers', 'off']);
	});
	button('arc', 'Arc', 'arcs of wakeups and IPIs', trace.arcs.length > 0, () => options.arc, toggle('arc'));
	button('lock', 'Lock', 'locks held and tried, on PID rows', trace.locks.length > 0, () => options.lock, toggle('lock'));
	button('freq', 'Freq', 'CPU frequency', trace.frequencies.size > 0, () => options.freq, toggle('freq'));
	button('ipc', 'IPC', 'instructions per cycle: both, user, kernel, off', trace.ipc !== null, () => options.ipc, () => {
		options.ipc = after(options.ipc, ['off', 'both', 'user', 'kernel']);
	});
	button('samp', 'Samp', 'PC samples, as a strip above each CPU', trace.samples.size > 0, () => options.samp, toggle('samp'));
	button('cb', 'CB', 'colours for colour-blind eyes', true, () => options.cb, () => {
		options.cb = !options.cb;
		view.theme(view.palette.dark);
		showLegend(view);
	});
}

/** The group names with their triangles, over the labels. @param {View} view */
function groupButtons(view) {
	const box = byId('groups');
	const made = view.rows.groups.map((group) => {
		const element = make('button', 'group');
		element.dataset.group = group.name;
		element.append(make('i'), make('span', '', group.name), make('small'));
		element.addEventListener('click', () => {
			view.rows.toggle(group.name);
			view.draw();
		});
		box.append(element);
		return element;
	});
	return () => {
		view.rows.groups.forEach((group, i) => {
			const element = made[i];
			element.setAttribute('aria-expanded', String(group.state !== 'closed'));
			element.dataset.state = group.state;
			element.style.top = `${group.y}px`;
			const small = element.querySelector('small');
			if (small) small.textContent = group.count >= 0 ? String(group.count) : '';
		});
	};
}

/** @param {View} view */
function searching(view) {
	const input = /** @type {HTMLInputElement} */ (byId('search'));
	const from = /** @type {HTMLInputElement} */ (byId('from'));
	const to = /** @type {HTMLInputElement} */ (byId('to'));
	const invert = byId('invert');
	const found = byId('found');
	let last = '';
	let timer = 0;

	const run = () => {
		clearTimeout(timer);
		const query = {
			pattern: input.value,
			invert: invert.getAttribute('aria-pressed') === 'true',
			from: Number(from.value) || 0,
			to: to.value.trim() === '' || !Number.isFinite(Number(to.value)) ? Infinity : Number(to.value),
		};
		const key = JSON.stringify([query, to.value]);
		if (key === last) return;
		last = key;
		input.removeAttribute('aria-invalid');
		view.matches = null;
		if (query.pattern) {
			try {
				view.matches = new Matches(view.trace, query);
			} catch {
				input.setAttribute('aria-invalid', 'true');
			}
		}
		show();
		view.draw();
	};
	const show = () => {
		if (input.getAttribute('aria-invalid')) {
			found.textContent = 'not a regular expression';
			return { count: 0, seconds: 0 };
		}
		if (!view.matches) {
			found.textContent = '';
			return { count: 0, seconds: 0 };
		}
		const { count, units } = view.matches.total(view.t0, view.t1);
		found.textContent = `${format.count(count)} match${count === 1 ? '' : 'es'}, ${format.duration(units)}`;
		return { count, seconds: units / UNITS_PER_SECOND };
	};
	for (const element of [input, from, to]) {
		element.addEventListener('input', () => {
			clearTimeout(timer);
			timer = setTimeout(run, 150);
		});
		element.addEventListener('keydown', (event) => {
			if (event.key !== 'Enter') return;
			run();
			show();
		});
	}
	invert.addEventListener('click', () => {
		invert.setAttribute('aria-pressed', String(invert.getAttribute('aria-pressed') !== 'true'));
		run();
	});
	/** Where n and N go on from. */
	let at = NaN;
	/** @param {1 | -1} direction */
	const next = (direction) => {
		run();
		if (!view.matches) return;
		const inside = at >= view.t0 && at <= view.t1;
		const span = view.matches.next(inside ? at : direction > 0 ? view.t0 : view.t1, direction);
		if (span < 0) return;
		at = view.trace.start[span];
		view.reveal(span);
		const cpu = view.trace.cpuOf(span);
		const row = view.rows.find('CPU', cpu) ?? view.rows.find('PID', view.trace.pid[span]);
		view.measure = null;
		view.pins = row ? [{ span, group: row.group, id: row.id }] : [];
		view.draw();
	};
	byId('next').addEventListener('click', () => next(1));
	byId('previous').addEventListener('click', () => next(-1));
	/** @param {string} text */
	const search = (text) => {
		input.value = text;
		run();
		return show();
	};
	return { next, show, search, focus: () => { input.focus(); input.select(); } };
}

/** @param {import('./trace.js').Trace} trace */
function start(trace) {
	byId('boot').hidden = true;
	byId('app').hidden = false;
	/** @param {string} id */
	const canvas = (id) => /** @type {HTMLCanvasElement} */ (byId(id));
	const view = new View(trace, {
		plot: byId('plot'), base: canvas('base'), over: canvas('over'), labels: canvas('labelcanvas'), axis: canvas('axis'),
	});
	const dark = matchMedia('(prefers-color-scheme: dark)');
	const theme = () => {
		view.theme(dark.matches);
		showLegend(view);
	};
	dark.addEventListener('change', theme);
	theme();
	showFacts(trace, view.timeBase);
	buttons(view);
	const placeGroups = groupButtons(view);
	const search = searching(view);
	const help = byId('help');
	const toggleHelp = () => {
		help.hidden = !help.hidden;
	};

	const status = () => {
		byId('measure').textContent = view.measureText();
		byId('hint').hidden = view.measure !== null;
	};
	/** @type {ReturnType<typeof setTimeout> | undefined} */
	let later;
	view.onframe = () => {
		placeGroups();
		const time = format.axis(view.t0, view.t1, view.width / 110);
		byId('clock').textContent = format.wallClock(view.timeBase, time.base, time.digits, true).replace(' ', '\n');
		byId('across').textContent = `${format.duration(view.t1 - view.t0)} across`;
		status();
		if (view.matches) {
			clearTimeout(later);
			later = setTimeout(search.show, 60);
		}
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
	});
	attachKeys(view, {
		search: search.focus,
		next: search.next,
		help: toggleHelp,
		changed: status,
		arrow: (direction) => {
			const pin = view.pins[view.pins.length - 1];
			const row = pin ? view.rows.find(pin.group, pin.id) : view.rows.visible[0];
			if (!row) return;
			const list = row.spans;
			const i = pin ? list.seek(trace.start[pin.span] + (direction > 0 ? 0.5 : 0)) : list.seek(view.t0);
			const k = pin && direction < 0 ? i - 1 : i;
			if (k < 0 || k >= list.length) return;
			const span = list.at(k);
			view.pins = [{ span, group: row.group, id: row.id }];
			view.measure = null;
			if (trace.start[span] < view.t0 || trace.start[span] > view.t1) view.reveal(span);
			view.draw(false);
		},
		escape: () => {
			if (!help.hidden) help.hidden = true;
			else if (view.pins.length) clearNotes(view);
			else if (view.rows.marked.size) view.rows.clearMarks();
			else search.search('');
			view.draw();
		},
	});
	byId('reset').addEventListener('click', () => view.reset());
	byId('more').addEventListener('click', toggleHelp);
	byId('closehelp').addEventListener('click', toggleHelp);
	new ResizeObserver(() => view.resize()).observe(byId('plot'));
	view.resize();
	view.frame();
	expose(view, search.search);
}

/** @param {View} view @param {(text: string) => {count: number, seconds: number}} search */
function expose(view, search) {
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
				matched: view.drawn.matched,
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
}

addEventListener('DOMContentLoaded', () => {
	const bar = /** @type {HTMLProgressElement} */ (byId('progress'));
	byId('boottext').textContent = 'Reading the trace';
	loadTrace((fraction) => {
		bar.value = fraction;
	}).then(start).catch(failed);
});
