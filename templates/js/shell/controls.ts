// SPDX-License-Identifier: BSD-3-Clause
/** Makes the buttons above the picture and the texts below it; follows the theme of the system. Must not hold a state. */
import { byId, make } from '../base/dom.ts';
import { UNITS, duration, unitText } from '../base/format.ts';
import { groupCount } from '../draw/edges.ts';
import { showLegend } from '../panel/legend.ts';
import { leftOut } from '../scene/drawn.ts';
import { axisBase } from '../scene/times.ts';
import type { Picture } from '../draw/picture.ts';
import type { View } from '../scene/view.ts';

/** Sizes of the title, as classes of the style sheet. */
const TITLE_SIZES = ['', 'big', 'huge'];

/** States that are not written on the button. */
const PLAIN = new Set(['off', 'on', 'both']);
/** Third states of buttons. The button is then underlined, and the state is announced to screen readers. */
const THIRD = new Set(['bold', 'overlay']);

/** Makes the buttons above the picture. @returns a function that updates the buttons from the options */
export function buttons(view: View, unitChanged: () => void): () => void {
	const { trace, options } = view;
	const bar = byId('buttons');
	const shows: (() => void)[] = [];
	/** Makes a button. @param state returns the button's state; the button shows a string after the label */
	const button = (id: string, label: string, tip: string, available: boolean, state: () => string | boolean, press: () => void) => {
		const element = make('button', '', label) as HTMLButtonElement;
		element.id = `button-${id}`;
		element.title = tip;
		element.disabled = !available;
		const show = () => {
			const now = state();
			const third = typeof now === 'string' && THIRD.has(now);
			element.setAttribute('aria-pressed', third ? 'mixed' : String(now !== false && now !== 'off'));
			if (third) element.setAttribute('aria-label', `${label}: ${now}`);
			else element.removeAttribute('aria-label');
			// only the label changes, so that the bar does not wrap and move the picture
			element.textContent = typeof now === 'string' && !PLAIN.has(now) && !third ? `${label}: ${now}` : label;
		};
		element.addEventListener('click', () => {
			press();
			show();
			view.draw();
		});
		if (available) {
			show();
			shows.push(show);
		}
		bar.append(element);
	};
	const after = (now: string, states: string[]) => states[(states.indexOf(now) + 1) % states.length];
	const toggle = (name: 'user' | 'all' | 'samp' | 'cb' | 'prune', then = () => {}) => () => {
		options[name] = !options[name];
		then();
	};
	/** Returns state and action of a button with three states: on, off, and the third. @param word name of the third state */
	const three = (name: 'arc' | 'lock' | 'freq', third: 'arcBold' | 'lockBold' | 'freqOver', word: string) => {
		const state = () => (options[name] ? (options[third] ? word : 'on') : 'off');
		const press = () => {
			const next = after(state(), name === 'freq' ? ['off', 'on', word] : ['on', 'off', word]);
			options[name] = next !== 'off';
			options[third] = next === word;
			if (name !== 'arc') showLegend(view);
		};
		return { state, press };
	};
	const [arcs, locks, frequencies] = [three('arc', 'arcBold', 'bold'), three('lock', 'lockBold', 'bold'), three('freq', 'freqOver', 'overlay')];
	const recolour = () => {
		view.theme(view.palette.dark);
		showLegend(view);
	};
	button('user', 'User', 'write the name of each program at its first visible span', trace.length > 0, () => options.user, toggle('user'));
	button('all', 'All', 'write the name of every span that has room for it', trace.length > 0, () => options.all, toggle('all'));
	button('mark', 'Mark', 'marks and tracepoints: both, text, numbers, off', trace.marks.length > 0, () => options.mark, () => {
		options.mark = after(options.mark, ['both', 'text', 'numbers', 'off']);
	});
	button('arc', 'Arc', 'arcs of wakeups and IPIs, slanted network messages: on, off, bolder', trace.arcs.length + trace.messages.length > 0, arcs.state, arcs.press);
	button('lock', 'Lock', 'locks held and tried, on PID rows: on, off, bolder', trace.locks.length > 0, locks.state, locks.press);
	button('freq', 'Freq', 'CPU frequency: off, as a line, as an overlay from red (slow) to green', trace.frequencies.size > 0, frequencies.state, frequencies.press);
	button('ipc', 'IPC', `${[trace.counted.ipc ? 'instructions per cycle' : '', trace.counted.llc ? 'last-level cache misses' : ''].filter(Boolean).join(', ')}: off, all code, user code, kernel code`, trace.hasIpc, () => options.ipc, () => {
		options.ipc = after(options.ipc, ['off', 'both', 'user', 'kernel']);
		showLegend(view);
	});
	button('samp', 'Samp', 'PC samples above each CPU: a line rises to the time of the sample, and is thick in the kernel. Without room, they are a strip of colours.', trace.samples.size > 0, () => options.samp, toggle('samp'));
	button('cb', 'CB', 'limit programs to two hues, which colour-blind readers can tell apart', true, () => options.cb, toggle('cb', recolour));
	button('unit', 'Units', 'unit of all durations: automatic, ns, \u00b5s, ms', true, () => (options.unit === 'auto' ? 'off' : 'on'), () => {
		options.unit = UNITS[(UNITS.indexOf(options.unit) + 1) % UNITS.length];
		unitChanged();
	});
	const showUnit = () => {
		const element = byId('button-unit');
		element.textContent = options.unit === 'auto' ? 'Units' : unitText(options.unit);
		element.setAttribute('aria-label', `Units: ${unitText(options.unit)}`);
	};
	shows.push(showUnit);
	byId('button-unit').addEventListener('click', showUnit);
	showUnit();
	button('prune', 'Prune', 'hide rows without visible spans', trace.length > 0, () => options.prune, toggle('prune', () => view.prune()));
	return () => {
		for (const show of shows) show();
		view.prune();
		recolour();
	};
}

/** Connects two buttons: the size of the title, and the red dot, which shows the whole trace. */
export function fixedButtons(view: View) {
	let size = 0;
	byId('titlesize').addEventListener('click', () => {
		size = (size + 1) % TITLE_SIZES.length;
		byId('title').className = TITLE_SIZES[size];
	});
	byId('reset').addEventListener('click', () => view.reset());
}

export function groupButtons(view: View) {
	const box = byId('groups');
	const made = view.rows.groups.map((group) => {
		const element = make('button', 'group');
		element.dataset.group = group.name;
		element.append(make('i'), make('span', '', group.title ?? group.name), make('small'));
		element.addEventListener('click', () => {
			view.rows.toggle(group.name);
			view.draw();
		});
		// if a key moves the focus to an invisible button, scroll to it
		element.addEventListener('focus', () => {
			view.rows.reveal(group);
			view.draw();
		});
		box.append(element);
		return element;
	});
	const last: string[] = [];
	return () => {
		view.rows.groups.forEach((group, i) => {
			const count = groupCount(view.rows, group);
			// hide a name that the pinned rows cover
			const y = group.y < view.rows.band ? -100 : group.y;
			const now = [group.state, y, count].join();
			if (last[i] === now) return;
			last[i] = now;
			const element = made[i];
			element.setAttribute('aria-expanded', String(group.state !== 'closed'));
			element.dataset.state = group.state;
			element.style.top = `${y}px`;
			const small = element.querySelector('small');
			if (small) small.textContent = count;
		});
	};
}

function say(id: string, text: string) {
	const element = byId(id);
	if (element.textContent !== text) element.textContent = text;
}

/** Makes the texts below the picture: zero of the axis, shown range, omissions, measurement. */
export function statusLine(view: View) {
	return {
		axis() {
			say('clock', axisBase(view));
			say('across', `${duration(view.t1 - view.t0)} across`);
			say('thinned', leftOut(view.drawn));
		},
		measure() {
			say('measure', view.measureText());
			byId('hint').hidden = view.measure !== null;
			byId('selectmeasure').hidden = view.measure === null;
		},
	};
}

/** Selects the light or dark colours as in the system, and the light colours on paper. */
export function followTheme(picture: Picture) {
	const { view } = picture;
	const dark = matchMedia('(prefers-color-scheme: dark)');
	const theme = () => {
		view.theme(dark.matches);
		showLegend(view);
	};
	dark.addEventListener('change', theme);
	// paper is white; the same listener in pictures.ts must run after this one
	addEventListener('beforeprint', () => {
		view.theme(false);
		picture.frame();
	});
	addEventListener('afterprint', theme);
	theme();
}
