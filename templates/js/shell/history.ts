// SPDX-License-Identifier: BSD-3-Clause
/**
 * Keeps the address and the view equal. Each deliberate step is an entry of the browser's history. Continuous changes (wheel,
 * drag, typing) become one entry when they end. Must never leave the page. If the browser keeps no history for pages from
 * files, the page keeps its own.
 */
import { apply, capture, type App } from './state.ts';

/** Time without a change after which the address is written, and maximum time between moves that form one entry, ms. */
const QUIET_MS = 250;
const REST_MS = 1000;
/** Parameters that change continuously: time range, rows, typed text. */
const MOVING = new Set(['t', 'y', 'z', 'q', 'u', 'i', 'f']);
/** Events that show that the user acts. Changes without them are not steps. */
const ACTIONS = ['pointerdown', 'wheel', 'keydown', 'input'];

/** Returns the names of the parameters in which two addresses differ. */
function changed(a: string, b: string) {
	const [p, q] = [new URLSearchParams(a), new URLSearchParams(b)];
	return [...new Set([...p.keys(), ...q.keys()])].filter((name) => p.get(name) !== q.get(name));
}

/** The browser's history or, if the browser refuses it, a list. */
class Entries {
	/** The list, if the browser refuses its history. */
	list: string[] | null = null;
	/** Index of the current entry, and the last known index. */
	at = Number(history.state?.kutrace) || 0;
	top = history.state ? Infinity : 0;

	text: string = '';

	/** Writes an entry. @param push make a new entry, not replace the current one @param open the entry may still be replaced */
	put(text: string, push: boolean, open: boolean) {
		if (push) this.top = ++this.at;
		if (!this.list) {
			try {
				history[push ? 'pushState' : 'replaceState']({ kutrace: this.at, open }, '', text ? `#${text}` : undefined);
				return;
			} catch {
				// the browser does not allow entries for pages from files
				this.list = push ? [this.text] : [];
				this.at = this.top = this.list.length;
			}
		}
		if (push) this.list.length = this.at;
		this.list[this.at] = text;
	}

	/** Goes to the next or previous entry. @returns the address to show; null: the browser reports it later, or there is none */
	go(by: -1 | 1): string | null {
		if (!this.list) {
			history.go(by);
			return null;
		}
		this.at += by;
		return this.list[this.at];
	}

	has(by: -1 | 1) {
		return by < 0 ? this.at > 0 : this.at < this.top;
	}
}

/** Connects the address and the view. @returns changed: must be called when the state may have changed */
export function keepAddress(app: App, say: (text: string) => void): {changed: () => void, back: () => void, forward: () => void} {
	const entries = new Entries();
	/** mine: the state as an address. seen: the browser's address when the page last read it. */
	let mine = '';
	let seen = '';
	/** False if a user wrote the browser's address, which may then be incomplete. The page replaces it without a new entry. */
	let complete = false;
	/** True if the user has acted since the last change was written. */
	let touched = false;
	/** Time until which a move belongs to the last entry. */
	let open = -Infinity;
	let timer: ReturnType<typeof setTimeout> | undefined;
	let rest: ReturnType<typeof setTimeout> | undefined;

	/** Shows an address. @param whole also sets the parts that belong to the page */
	const show = (text: string, whole: boolean) => {
		clearTimeout(timer);
		touched = false;
		open = -Infinity;
		apply(app, text, whole);
		mine = capture(app, true);
		complete = false;
	};
	const follow = (whole = true) => {
		const text = location.hash.slice(1);
		if (text === seen) return;
		seen = text;
		show(text, whole);
	};
	const write = () => {
		clearTimeout(timer);
		// the user may have just changed the address: read it first
		follow();
		const text = capture(app, true);
		const ofPage = app.addressParts.filter((part) => part.ofPage).map((part) => part.name);
		const names = changed(mine, text).filter((name) => !ofPage.includes(name));
		if (text === mine && complete) return;
		complete = true;
		const moves = names.every((name) => MOVING.has(name));
		const push = touched && names.length > 0 && !(moves && performance.now() < open);
		entries.text = mine;
		if (push) open = moves ? Infinity : -Infinity;
		entries.put(text, push, open > 0);
		seen = location.hash.slice(1);
		mine = entries.list ? text : seen;
		touched = false;
		clearTimeout(rest);
		if (open > 0) {
			open = performance.now() + REST_MS;
			rest = setTimeout(() => entries.put(mine, false, false), REST_MS);
		}
	};
	const go = (by: -1 | 1) => {
		write();
		if (!entries.has(by)) {
			say(by < 0 ? 'There is no earlier view.' : 'There is no later view.');
			return;
		}
		clearTimeout(rest);
		const text = entries.go(by);
		if (text !== null) show(text, false);
	};

	for (const name of ACTIONS) addEventListener(name, () => (touched = true), { capture: true, passive: true });
	addEventListener('popstate', (event) => {
		clearTimeout(rest);
		const known = typeof event.state?.kutrace === 'number';
		// an address that a user typed is a new entry after this one
		entries.at = known ? event.state.kutrace : entries.at + 1;
		if (!known) entries.top = entries.at;
		const text = location.hash.slice(1);
		follow(!known);
		if (!known && text) entries.put(text, false, false);
	});
	addEventListener('hashchange', () => follow());
	if (location.hash.length > 1) follow();
	else mine = capture(app, true);
	return {
		changed: () => {
			clearTimeout(timer);
			timer = setTimeout(write, QUIET_MS);
		},
		back: () => go(-1),
		forward: () => go(1),
	};
}
