// SPDX-License-Identifier: BSD-3-Clause
/** Shows the secondary controls, in the menu beside the red dot. The settings are in view.look, and the address holds them. */
import { byId, consume, make } from '../base/dom.ts';
import * as format from '../base/format.ts';
import { overheadOf } from '../draw/overhead.ts';
import { setTextSize } from '../draw/sizes.ts';
import { FADES, LIMITS, REACHES, firstLook, lookOf, lookText, within, type Look } from '../scene/look.ts';
import { showLegend } from './legend.ts';
import { choices, fieldset } from './rowmenu.ts';
import type { AddressPart, View } from '../scene/view.ts';

/** Width of the column of labels without its letters, and width of a letter at text size 11; CSS pixels. */
const BESIDE = 20;
const LETTER = 7;
/** Limits and default of row heights, percent. */
const HEIGHTS = [20, 4000, 100];
const REACH_TEXTS: Record<typeof REACHES[number], string> = { row: 'to the bottom of the row', full: 'through the whole picture', short: 'short' };

/** Adds an input for a number, with a label. @returns a function that shows a value in the input */
function number(box: HTMLElement, id: string, text: string, limits: number[], set: (value: number) => void): (value: number) => void {
	const input = make('input', '', '', { id, type: 'number', min: String(limits[0]), max: String(limits[1]), change: () => {
		const value = within(input.value.trim() === '' ? NaN : Number(input.value), limits);
		input.value = String(value);
		set(value);
	} });
	box.append(make('label', '', [text, input]));
	return (value) => {
		input.value = String(value);
	};
}

/** Adds a check box with a label. @returns a function that shows a value in the check box */
function check(box: HTMLElement, id: string, text: string, set: (on: boolean) => void): (on: boolean) => void {
	const input = make('input', '', '', { id, type: 'checkbox', change: () => set(input.checked) });
	box.append(make('label', '', [input, make('span', '', text)]));
	return (on) => {
		input.checked = on;
	};
}

/** Opens and closes the menu: by its button, a shift-click on the red dot, Esc, or a press elsewhere. */
function opening() {
	const menu = byId('second') as HTMLDetailsElement;
	const summary = menu.querySelector('summary')!;
	byId('reset').addEventListener('click', (event) => {
		if (!event.shiftKey) return;
		event.stopImmediatePropagation();
		menu.open = !menu.open;
		if (menu.open) summary.focus();
	}, true);
	menu.addEventListener('keydown', (event) => {
		if (event.code !== 'Escape' || !menu.open) return;
		consume(event);
		menu.open = false;
		summary.focus();
	});
	addEventListener('pointerdown', (event) => {
		if (event.target instanceof Node && !menu.contains(event.target) && event.target !== byId('reset')) menu.open = false;
	});
}

function applied(view: View) {
	const { look } = view;
	setTextSize(look.text);
	view.widths.clear();
	const main = byId('main');
	const usual = look.chars === LIMITS.chars[2] && look.text === LIMITS.text[2];
	if (usual) main.style.removeProperty('--labels');
	else main.style.setProperty('--labels', `${Math.round(BESIDE + (look.chars * LETTER * look.text) / LIMITS.text[2])}px`);
	main.classList.toggle('nolegend', !look.legend);
	byId('legend').hidden = !look.legend;
	view.theme(view.palette.dark);
	showLegend(view);
}

/** Returns the text for the cost of an event, and whether the cost was measured. */
function overheadText({ trace }: View) {
	const { units, measured } = overheadOf(trace);
	return `overhead as white lines: ${format.nanoseconds(units)} per event${measured ? '' : ' (assumed, not measured)'}`;
}

export function secondary(view: View): AddressPart {
	const box = byId('secondbox');
	box.replaceChildren();
	opening();
	/** Returns a function that sets one setting. */
	const setting = <K extends keyof Look>(key: K): (value: Look[K]) => void => (value) => {
		view.look[key] = value;
		applied(view);
	};
	const sizes = fieldset('Sizes', []);
	const showHeight = number(sizes, 'rowheight', 'height of rows, %', HEIGHTS, (value) => {
		view.rows.zoom = value / 100;
		view.rows.layout(view.height);
		view.draw();
	});
	const showText = number(sizes, 'textsize', 'text size, pixels', LIMITS.text, setting('text'));
	const showChars = number(sizes, 'labelchars', 'length of row labels, letters', LIMITS.chars, setting('chars'));
	const showFrom = number(sizes, 'textfrom', 'narrowest span with a name, pixels', LIMITS.from, setting('from'));
	box.append(sizes);
	const showFade = choices(box, 'fade', 'Dim other spans', FADES.map((fade) => [fade, fade] as const),
		(value) => setting('fade')(FADES.find((f) => f === value) ?? firstLook().fade));
	const showReach = choices(box, 'reach', 'Lines of annotations', REACHES.map((reach) => [reach, REACH_TEXTS[reach]] as const),
		(value) => setting('reach')(REACHES.find((r) => r === value) ?? firstLook().reach));
	const shown = fieldset('Shown', []);
	const showOverhead = check(shown, 'overhead', overheadText(view), setting('overhead'));
	const showLegendBox = check(shown, 'legendon', 'legend', setting('legend'));
	box.append(shown, make('p', '', `${document.querySelector('meta[name=generator]')?.getAttribute('content') ?? ''}; trace format ${view.trace.header.version ?? 'unknown'}`));
	const show = () => {
		const { look } = view;
		showHeight(Math.round(view.rows.zoom * 100));
		showText(look.text);
		showChars(look.chars);
		showFrom(look.from);
		showFade(look.fade);
		showReach(look.reach);
		showOverhead(look.overhead);
		showLegendBox(look.legend);
	};
	byId('second').addEventListener('toggle', show);
	show();
	return {
		name: 'sc',
		get: () => lookText(view.look),
		set: (text) => {
			const look = lookOf(text);
			if (lookText(look) === lookText(view.look)) return;
			view.look = look;
			applied(view);
			show();
		},
	};
}
