// SPDX-License-Identifier: BSD-3-Clause
/**
 * The trace's facts over the picture: where, when, what was recorded and, above all, what was not or was lost.
 * Never hides a loss; names go in as text only.
 * Imported by shell/app.js.
 */
import { byId, make } from '../base/dom.js';
import * as format from '../base/format.js';

/** @typedef {import('../data/trace.js').Trace} Trace */

/** A header value as people read it. @param {unknown} value @returns {string} */
function plain(value) {
	if (value === null || value === undefined) return '';
	if (Array.isArray(value)) return value.map(plain).join(', ');
	if (typeof value === 'object')
		return Object.entries(value).map(([k, v]) => `${k} ${plain(v)}`).join(', ');
	return typeof value === 'number' ? format.count(value) : String(value);
}

/** Sum of a number, or of the numbers in what holds them; null when there are none. @param {unknown} value @returns {number | null} */
function sum(value) {
	if (typeof value === 'number') return value;
	if (typeof value === 'string') {
		const numbers = value.match(/\d+/g);
		return numbers ? numbers.reduce((n, x) => n + Number(x), 0) : null;
	}
	if (value && typeof value === 'object') {
		const parts = Object.values(value).map(sum).filter((x) => x !== null);
		return parts.length ? parts.reduce((a, b) => a + b, 0) : null;
	}
	return null;
}

/** What a trace can hold; see the kernel module's categories. */
const CATEGORIES = [
	'syscall', 'trap', 'irq', 'softirq', 'sched', 'wakeup', 'ipi', 'idle', 'freq', 'pcsample', 'process', 'net',
	'lock', 'mark',
];

/**
 * An object of the header, which goes on in "key2", "key3" ... if its line had become too
 * long; a list in it may do so, too.
 * @param {any} header
 * @param {string} key
 */
function whole(header, key) {
	const first = header[key];
	if (!first || typeof first !== 'object' || Array.isArray(first)) return first;
	const all = { ...first };
	for (let part = 2; header[key + part] && typeof header[key + part] === 'object'; part++) {
		for (const [name, value] of Object.entries(header[key + part])) {
			const before = Object.hasOwn(all, name) ? all[name] : undefined;
			all[name] = Array.isArray(before) && Array.isArray(value) ? [...before, ...value] : value;
		}
	}
	return all;
}

/**
 * What the hooks saw, and above all what they did not.
 * @param {any} coverage
 * @param {(text: string, tip?: string, className?: string) => void} fact
 */
function coverageFacts(coverage, fact) {
	if (!coverage || typeof coverage !== 'object' || !Array.isArray(coverage.categories)) {
		fact(`coverage: ${plain(coverage)}`);
		return;
	}
	fact(`${plain(coverage.backend) || 'unknown'} hooks`, `traced: ${plain(coverage.categories)}`);
	const missing = CATEGORIES.filter((c) => !coverage.categories.includes(c));
	if (missing.length) fact(`not traced: ${missing.join(', ')}`, 'this trace cannot show these', 'missing');
	const caveats = Array.isArray(coverage.caveats) ? coverage.caveats : [];
	if (caveats.length) {
		fact(`${caveats.length} caveat${caveats.length === 1 ? '' : 's'}: ${plain(caveats)}`,
			'what these hooks can tell only in part; docs/events.md and the man pages say what it means', 'missing');
	}
}

/** @param {Trace} trace @param {number | null} base */
export function showFacts(trace, base) {
	const { header } = trace;
	const title = String(header.title || 'KUtrace');
	document.title = `${title} - KUtrace`;
	byId('title').textContent = title;
	const box = byId('facts');
	/** @param {string} text @param {string} [tip] @param {string} [className] */
	const fact = (text, tip = '', className = '') => {
		if (!text) return;
		const element = make('span', className, text);
		if (tip) element.title = tip;
		box.append(element);
	};
	fact(plain(header.hostName), 'host');
	const kernel = plain(header.kernelVersion);
	fact(kernel.split(' ')[0], `kernel ${kernel}`);
	fact(plain(header.cpuModelName), 'CPU model');
	fact(`${trace.cpus.size} CPU${trace.cpus.size === 1 ? '' : 's'}`);
	fact(`${format.wallClock(base, trace.first, 3, true)} for ${format.duration(trace.last - trace.first)}`, 'start and length');
	fact(`${format.count(trace.length)} spans`);
	if ('coverage' in header) coverageFacts(whole(header, 'coverage'), fact);
	if ('overhead' in header) {
		const emit = Number(header.overhead?.emit_ps);
		fact(emit > 0 ? `${Number((emit / 1000).toPrecision(2))} ns an event` : `overhead ${plain(header.overhead)}`,
			`what recording an event cost on this machine: ${plain(header.overhead)}`);
	}
	const losses = whole(header, 'lost');
	const lost = sum(losses);
	if (lost === null) fact('lost: not recorded', 'this trace does not say whether events were lost', 'unknown');
	else if (lost > 0) fact(`LOST ${plain(losses)}`, 'events that are missing from this picture', 'loss');
	else fact('no events lost');
	const dropped = sum(header.dropped);
	if (dropped) fact(`DROPPED ${plain(header.dropped)}`, 'rows that could not be represented', 'loss');
	if (Number(header.flags) & 0x40) fact('wrapped', 'flight recorder: older events were overwritten');
}
