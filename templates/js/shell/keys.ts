// SPDX-License-Identifier: BSD-3-Clause
/** Handles keys, by their position on the keyboard. The help in show_cpu.html lists each key; a test compares them. */
import { GROUP_HEIGHT } from '../scene/rows.ts';
import type { View } from '../scene/view.ts';
import type { actionsOf } from './actions.ts';
import type { cursor } from './cursor.ts';

/** Connects the keys. @param actions hover: finds the span under the pointer again */
export function attachKeys(
	view: View, at: ReturnType<typeof cursor>,
	actions: ReturnType<typeof actionsOf>['keys'] &
		Record<'changed' | 'hover' | 'since' | 'process' | 'back' | 'forward', () => void>,
) {
	const scroll = (direction: 1 | -1, pixels: number) => {
		const before = view.rows.scroll;
		view.rows.scrollBy(direction * pixels);
		if (view.rows.scroll === before) actions.ends(direction < 0 ? 'rows above' : 'rows below');
		view.draw();
	};
	const along = (direction: 1 | -1) => {
		if (!at.along(direction)) actions.ends(direction < 0 ? 'earlier spans in this row' : 'later spans in this row');
	};
	addEventListener('keydown', (event) => {
		const typing = event.target instanceof HTMLInputElement || event.target instanceof HTMLSelectElement;
		if (event.code === 'Escape') {
			actions.escape();
			if (typing) (event.target as HTMLElement).blur();
			event.preventDefault();
			return;
		}
		if (typing || event.ctrlKey || event.altKey || event.metaKey) return;
		const digit = /^Digit([1-5])$/.exec(event.code);
		// the keys for / and ? depend on the layout of the keyboard
		if (event.key === '/' || event.key === '?' || digit) {
			if (event.key === '/') actions.search();
			else if (event.key === '?') actions.help();
			else if (digit) actions.slot(Number(digit[1]) - 1, event.shiftKey);
			event.preventDefault();
			return;
		}
		// a focused button handles Enter and space itself
		if (['Enter', 'NumpadEnter', 'Space'].includes(event.code) && event.target instanceof Element && event.target.closest('button, summary, [role=tab]')) return;
		// the picture may have moved since the last frame
		actions.hover();
		const pin = at.pin();
		const focus = view.hover ? view.hover.span : pin ? pin.span : -1;
		const middle = focus >= 0 ? Math.max(0, Math.min(view.width, view.x(view.trace.start[focus]))) : view.width / 2;
		switch (event.code) {
		case 'KeyW': view.zoomAt(1 / 1.4, middle); break;
		case 'KeyS': view.zoomAt(1.4, middle); break;
		case 'KeyA': view.pan(-view.width * 0.15); break;
		case 'KeyD': view.pan(view.width * 0.15); break;
		case 'KeyR': view.rows.zoomAt(1.3, view.height / 3); view.draw(); break;
		case 'KeyF': view.rows.zoomAt(1 / 1.3, view.height / 3); view.draw(); break;
		case 'ArrowLeft': along(-1); break;
		case 'ArrowRight': along(1); break;
		case 'ArrowUp': case 'ArrowDown': {
			const direction = event.code === 'ArrowUp' ? -1 : 1;
			if (event.shiftKey || !at.across(direction)) scroll(direction, 3 * GROUP_HEIGHT);
			break;
		}
		case 'PageUp': scroll(-1, view.rows.page); break;
		case 'PageDown': scroll(1, view.rows.page); break;
		case 'KeyL': actions.filter(); break;
		case 'KeyO': actions.order(); break;
		case 'KeyP': actions.pin(); break;
		case 'Enter': case 'NumpadEnter': actions.details(); break;
		case 'KeyM': if (!at.measure()) actions.noCursor(); break;
		case 'KeyH': if (!at.mark(event.shiftKey)) actions.noCursor(); break;
		case 'KeyK': actions.kind(); break;
		case 'KeyE': actions.note(event.shiftKey); break;
		case 'KeyI': actions.process(); break;
		case 'KeyU': actions.since(); break;
		case 'KeyY': actions.why(); break;
		case 'KeyC': actions.path(); break;
		case 'KeyX': actions.between(); break;
		case 'KeyZ': actions.zoomSelection(); break;
		case 'KeyT': actions.table(); break;
		case 'Digit0': actions.swap(); break;
		case 'Home': view.reset(); break;
		case 'Backspace': event.shiftKey ? actions.forward() : actions.back(); break;
		case 'Slash': actions.search(); break;
		case 'KeyN': actions.next(event.shiftKey ? -1 : 1); break;
		default: return;
		}
		event.preventDefault();
		actions.changed();
	});
}
