// SPDX-License-Identifier: BSD-3-Clause
/** Shows the list under the search field: earlier searches, which the browser stores for all pages if it can, and examples. */
import { byId, make, store, stored } from '../base/dom.ts';

const KEY = 'kutrace-searches';
const MOST = 20;

/** Examples, with their meanings. */
const EXAMPLES: [string, string][] = [
	['>1ms', 'longer than 1 ms'],
	['read|write pid:104 dur:1ms..5ms', 'read or write of process 104 that took 1 to 5 ms'],
	['write\\(1\\)', 'calls as annotations show them: name(argument)=result'],
	['errno:*', 'calls that failed; also errno:EAGAIN, ret:<0'],
	['kind:wait process:nginx', 'waits of nginx; wait:lock: only for locks'],
	['kind:irq or kind:softirq', 'one or the other; also and, not, ( ), "exactly this text"'],
	['cpu:2 t:50.085+', 'on CPU 2, from this time on'],
	['50.085', 'go to this time; 50.085+ closer, 50.085- wider'],
];

function earlier(): string[] {
	try {
		const list = JSON.parse(stored(KEY));
		return Array.isArray(list) ? list.filter((text) => typeof text === 'string' && text.length <= 1000).slice(0, MOST) : [];
	} catch {
		return [];
	}
}

export function recents(input: HTMLInputElement, choose: (text: string) => void) {
	const box = byId('recents');
	let searches = earlier();
	/** Index of the selected option. */
	let at = -1;
	const options = () => [...box.querySelectorAll('[role=option]')] as HTMLElement[];
	const point = (to: number) => {
		at = to;
		options().forEach((option, i) => option.setAttribute('aria-selected', String(i === at)));
		const option = options()[at];
		if (option) input.setAttribute('aria-activedescendant', option.id);
		else input.removeAttribute('aria-activedescendant');
		option?.scrollIntoView({ block: 'nearest' });
	};
	const close = () => {
		box.hidden = true;
		input.setAttribute('aria-expanded', 'false');
		point(-1);
	};
	const pick = (text: string) => {
		close();
		choose(text);
	};
	const group = (title: string, list: [string, string][]) => {
		const before = options().length;
		const parts = list.map(([text, meaning], i) => make('div', 'option', [make('code', '', text), make('span', '', meaning)], {
			role: 'option', id: `recent-${before + i}`,
			// the field keeps the focus
			pointerdown: (event) => event.preventDefault(),
			click: () => pick(text),
		}));
		if (list.length) box.append(make('div', '', [make('div', 'head', title, { 'aria-hidden': 'true' }), ...parts], { role: 'group', 'aria-label': title }));
	};
	const open = () => {
		box.replaceChildren();
		group('Earlier searches', searches.map((text) => [text, '']));
		group('Examples', EXAMPLES);
		box.hidden = false;
		input.setAttribute('aria-expanded', 'true');
		point(-1);
	};
	input.addEventListener('blur', close);
	return {
		close,
		isOpen: () => !box.hidden,
		/** Handles the keys Down and Up in the field. */
		move: (by: 1 | -1) => {
			if (box.hidden) {
				if (by > 0) open();
				else return;
			}
			const n = options().length;
			point(at < 0 && by < 0 ? n - 1 : (at + by + n) % n);
		},
		/** Chooses the selected option. @returns whether an option is selected */
		take: (): boolean => {
			const text = box.hidden ? null : options()[at]?.querySelector('code')?.textContent;
			if (!text) return false;
			pick(text);
			return true;
		},
		add: (text: string) => {
			if (!text.trim() || searches[0] === text) return;
			// another page may have stored searches in the meantime
			const others = earlier();
			searches = [text, ...(others.length ? others : searches).filter((s) => s !== text)].slice(0, MOST);
			store(KEY, JSON.stringify(searches));
		},
	};
}
