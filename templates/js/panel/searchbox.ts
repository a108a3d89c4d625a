// SPDX-License-Identifier: BSD-3-Clause
/** Reads the search's field, limits and switches, and shows mistakes and hints under the field. Must not search. */
import { byId, make } from '../base/dom.ts';
import { Mistake, parse, type Node } from '../ask/grammar.ts';
import { duration } from '../ask/quantities.ts';

/** The typed query; from, to: typed limits of the duration. */
export type Asked = {pattern: string, invert: boolean, from: string, to: string};

const isOn = (button: HTMLElement) => button.getAttribute('aria-pressed') === 'true';

export function searchBox() {
	const input = byId('search') as HTMLInputElement;
	const from = byId('from') as HTMLInputElement;
	const to = byId('to') as HTMLInputElement;
	const invert = byId('invert');
	const capitals = byId('capitals');
	const output = byId('searchsays');
	const get = (): Asked => ({ pattern: input.value, invert: isOn(invert), from: from.value, to: to.value });
	const set = (asked: Asked) => {
		input.value = asked.pattern;
		invert.setAttribute('aria-pressed', String(asked.invert));
		from.value = asked.from;
		to.value = asked.to;
	};
	/** Returns the limit in a box, µs. @param otherwise result for an empty box */
	const limit = (box: HTMLInputElement, otherwise: number): number => {
		if (!box.value.trim()) return otherwise;
		const units = duration(box.value.toLowerCase());
		if (units !== null) return units / 100;
		box.setAttribute('aria-invalid', 'true');
		throw new Mistake(`not a duration: ${box.value}; write 5 (microseconds), 5us, 2 ms, 1s`, 0, 0);
	};
	return {
		input, from, to, invert, capitals, get, set,
		sensitive: () => isOn(capitals),
		/** Returns the query in the boxes; null: no query. @throws Mistake */
		asked: () => {
			for (const box of [input, from, to]) box.removeAttribute('aria-invalid');
			const tree = parse(input.value);
			const [low, high] = [limit(from, 0), limit(to, Infinity)];
			if (!tree && low <= 0 && high === Infinity) return null;
			return { tree: (tree && isOn(invert) ? { is: 'not', of: tree } : tree) as Node | null, from: low, to: high };
		},
		/** Shows a mistake, with its position in the text. */
		wrong: ({ message, at, length }: Mistake) => {
			output.replaceChildren(make('span', '', message));
			if (length) {
				output.append(make('code', '', [input.value.slice(0, at), make('mark', '', input.value.slice(at, at + length)), input.value.slice(at + length)]));
				input.setAttribute('aria-invalid', 'true');
			} else if (!from.hasAttribute('aria-invalid') && !to.hasAttribute('aria-invalid')) {
				input.setAttribute('aria-invalid', 'true');
			}
			output.className = 'wrong';
			output.hidden = false;
		},
		/** Shows a hint. @param text the hint; '': none */
		hint: (text: string) => {
			output.textContent = text;
			output.className = 'hint';
			output.hidden = !text;
		},
	};
}
