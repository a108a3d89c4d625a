// SPDX-License-Identifier: BSD-3-Clause
/**
 * Keeps the address in step with the view and the view with the address, and the way back: each deliberate step is an
 * entry of the browser's history; what moves by and by (wheel, drag, typing) becomes one when it comes to rest.
 * Never leaves the page, and works where a browser keeps no history for files: then the page keeps its own.
 * Imported by app.js.
 */
import { apply, capture } from './state.js';

/** @typedef {import('./state.js').App} App */

/** A change is written when so long nothing else has changed; moves that are no further apart are one, ms. */
const QUIET_MS = 250;
const REST_MS = 1000;
/** What moves by and by: part of the time, rows, what is typed. */
const MOVING = new Set(['t', 'y', 'z', 'q', 'u', 'i', 'f']);
/** What the user does: what changes without that is no step. */
const DOINGS = ['pointerdown', 'wheel', 'keydown', 'input'];

/** Names of the parameters in which two addresses differ. @param {string} a @param {string} b */
function changed(a, b) {
	const [p, q] = [new URLSearchParams(a), new URLSearchParams(b)];
	return [...new Set([...p.keys(), ...q.keys()])].filter((name) => p.get(name) !== q.get(name));
}

/** The browser's history, or, from when it refuses, a list. */
class Entries {
	/** The list, when the browser refuses. @type {string[] | null} */
	list = null;
	/** Which entry is shown, and how many there are behind the first, as far as is known. */
	at = Number(history.state?.kutrace) || 0;
	top = history.state ? Infinity : 0;

	/** The address that the page is at. @type {string} */
	text = '';

	/** @param {string} text @param {boolean} push a new entry, not the one that is shown @param {boolean} open it may still be replaced */
	put(text, push, open) {
		if (push) this.top = ++this.at;
		if (!this.list) {
			try {
				history[push ? 'pushState' : 'replaceState']({ kutrace: this.at, open }, '', text ? `#${text}` : undefined);
				return;
			} catch {
				// a browser that forbids it for files
				this.list = push ? [this.text] : [];
				this.at = this.top = this.list.length;
			}
		}
		if (push) this.list.length = this.at;
		this.list[this.at] = text;
	}

	/** @param {-1 | 1} by @returns {string | null} the address to show; null: the browser will say, or there is none */
	go(by) {
		if (!this.list) {
			history.go(by);
			return null;
		}
		this.at += by;
		return this.list[this.at];
	}

	/** Is there one? @param {-1 | 1} by */
	has(by) {
		return by < 0 ? this.at > 0 : this.at < this.top;
	}
}

/**
 * @param {App} app
 * @param {(text: string) => void} say
 * @returns {{changed: () => void, back: () => void, forward: () => void}} changed: call when anything may have
 */
export function keepAddress(app, say) {
	const entries = new Entries();
	/** What is shown, as the address has it, and the address itself as it was last seen. */
	let mine = '';
	let seen = '';
	/** Is the address the page's own? What somebody wrote may say less, and is replaced, without a new entry. */
	let spelled = false;
	/** Has the user done anything since the last change was written? */
	let touched = false;
	/** Until when a move belongs to the last entry. */
	let open = -Infinity;
	/** @type {ReturnType<typeof setTimeout> | undefined} */
	let timer;
	/** @type {ReturnType<typeof setTimeout> | undefined} */
	let rest;

	/** @param {string} text @param {boolean} whole with what is of the page, as somebody sends it */
	const show = (text, whole) => {
		clearTimeout(timer);
		touched = false;
		open = -Infinity;
		apply(app, text, whole);
		mine = capture(app, true);
		spelled = false;
	};
	const follow = (whole = true) => {
		const text = location.hash.slice(1);
		if (text === seen) return;
		seen = text;
		show(text, whole);
	};
	const write = () => {
		clearTimeout(timer);
		// somebody has just changed it, and it has not been followed yet
		follow();
		const text = capture(app, true);
		const ofPage = app.kept.filter((part) => part.ofPage).map((part) => part.name);
		const names = changed(mine, text).filter((name) => !ofPage.includes(name));
		if (text === mine && spelled) return;
		spelled = true;
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
	/** @param {-1 | 1} by */
	const go = (by) => {
		write();
		if (!entries.has(by)) {
			say(by < 0 ? 'There is nothing further back.' : 'There is nothing further on.');
			return;
		}
		clearTimeout(rest);
		const text = entries.go(by);
		if (text !== null) show(text, false);
	};

	for (const name of DOINGS) addEventListener(name, () => (touched = true), { capture: true, passive: true });
	addEventListener('popstate', (event) => {
		clearTimeout(rest);
		const known = typeof event.state?.kutrace === 'number';
		// an address that somebody typed is an entry behind this one
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
