// SPDX-License-Identifier: BSD-3-Clause
/** Shows the facts of the trace above the picture, losses and incomplete data first. Must not hide a loss. */
import { CAVEATS } from '../base/caveats.ts';
import { byId, closeOutside, make } from '../base/dom.ts';
import * as format from '../base/format.ts';
import { partialOf, whole } from '../base/header.ts';
import { foreignWords } from '../base/words.ts';
import type { Trace } from '../data/trace.ts';

/** Converts a header value to readable text. */
function plain(value: unknown): string {
	if (value === null || value === undefined) return '';
	if (Array.isArray(value)) return value.map(plain).join(', ');
	if (typeof value === 'object')
		return Object.entries(value).map(([k, v]) => `${k} ${plain(v)}`).join(', ');
	return typeof value === 'number' ? format.count(value) : String(value);
}

/** Returns the sum of all numbers in value, except members named "total"; null if value contains no number. */
function sum(value: unknown): number | null {
	if (typeof value === 'number') return value;
	if (typeof value === 'string') {
		const numbers = value.match(/\d+/g);
		return numbers ? numbers.reduce((n, x) => n + Number(x), 0) : null;
	}
	if (value && typeof value === 'object') {
		const parts = Object.entries(value).filter(([key]) => key !== 'total').map(([, v]) => sum(v)).filter((x) => x !== null);
		return parts.length ? parts.reduce((a, b) => a + b, 0) : null;
	}
	return null;
}

/** Names of the categories of events that the kernel module has. */
const CATEGORIES: Record<string, string> = {
	syscall: 'system calls', trap: 'faults and traps', irq: 'interrupts', softirq: 'softirqs', sched: 'scheduler', wakeup: 'wakeups', ipi: 'IPIs',
	idle: 'idle states', freq: 'CPU frequency', pcsample: 'PC samples', process: 'process names', net: 'packets', lock: 'kernel locks', mark: 'marks',
};

const CAUSES: Record<string, string> = {
	full: 'buffer full', nested: 'nested in an NMI', noblock: 'no free block', names: 'names dropped for lack of space', probe: 'no free return probe', rate: 'above the rate limit',
	discarded: 'discarded by the tracer', overrun: 'overwritten before they were read', far_cpus: 'of CPUs above 255',
	first_block: 'stale entries of the first block', words: 'invalid words',
};

/** Returns the counts that are not zero, as `5 buffer full, 2 nested in an NMI`. */
function causes(value: unknown) {
	if (!value || typeof value !== 'object' || Array.isArray(value)) return plain(value);
	return Object.entries(value).filter(([key, n]) => key !== 'total' && n !== 0)
		.map(([key, n]) => `${plain(n)} ${Object.hasOwn(CAUSES, key) ? CAUSES[key] : key}`).join(', ');
}

/** Returns the words for the items of a list, joined to one text. */
const inWords = (list: unknown, words: Record<string, string>) => (Array.isArray(list) ? list : []).map((item) => (Object.hasOwn(words, item) ? words[item] : plain(item))).join(', ');

/** Returns the kernel release or, for a trace of KUtrace 3, number and date of the build from `uname -v` without blanks. */
function kernelName(text: string) {
	if (!text.startsWith('#')) return text.split(' ')[0];
	const m = /^#(\d+).*?(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun)\s*(Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec)\s*(\d{1,2}).*?(\d{4})$/.exec(text);
	return m ? `release not recorded; build ${m[1]} of ${m[2]} ${m[3]}, ${m[4]}` : `release not recorded; build ${text.slice(1)}`;
}

/** more: explanation; full: long value; level: how the page marks the fact; only: set if only the list shows the fact. */
type Fact = {label: string, value: string, full?: string, more?: string, level?: 'loss' | 'caveat' | 'unknown', only?: 'list'};

/** Returns the facts about events that are missing or incomplete. */
function missing(trace: Trace): Fact[] {
	const { header, first, last } = trace;
	const facts: Fact[] = [];
	const words = foreignWords(header);
	if (words) facts.push({ label: 'Shows', value: words.fact, more: words.meaning, level: 'caveat' });
	const out = Number(header.foreign?.left_out);
	if (out > 0) facts.push({ label: 'Left out', value: `${format.count(out)} contradictory time${out === 1 ? '' : 's'}`, more: 'an end before its beginning, or a block out of order', level: 'loss' });
	const losses = whole(header, 'lost');
	const lost = sum(losses);
	if (lost === null) facts.push({ label: 'Lost events', value: 'unknown (not recorded in this file)', more: 'the file has no number of lost events', level: 'unknown' });
	else facts.push({ label: 'Lost events', value: lost > 0 ? `${format.count(lost)}${typeof losses === 'object' ? `: ${causes(losses)}` : ''}` : 'none',
		more: 'events that are missing in this picture, by cause', level: lost > 0 ? 'loss' : undefined });
	const dropped = sum(header.dropped);
	if (dropped) facts.push({ label: 'Dropped', value: causes(header.dropped), more: 'events that could not be converted', level: 'loss' });
	if (Number(header.flags) & 0x40) facts.push({ label: 'Overwritten', value: 'older events', more: 'flight recorder: when the buffer was full, new events replaced the oldest', level: 'caveat' });
	const partial = partialOf(header);
	if (partial !== null) {
		const where = 'events of some CPUs are missing';
		facts.push({ label: 'Partial', value: typeof partial === 'string' ? `${where}, but the file does not give two times: ${partial}` :
			`from ${format.seconds(partial.from)} to ${format.seconds(partial.to)} ${where}: waits that begin there are not drawn`,
		more: 'each CPU overwrote its own oldest events; dots mark a row without events in that time', level: 'caveat' });
	}
	const off = trace.pausedIn(first, last);
	if (off) facts.push({ label: 'Pauses', value: `Recording was off for ${format.duration(off)} of ${format.duration(last - first)}.`,
		more: 'the shares of time in tables and panels do not count this time', level: 'caveat' });
	const stopped = trace.stoppedIn(first, last);
	if (stopped) facts.push({ label: 'Stopped', value: `The machine did not run for ${format.duration(stopped)} of ${format.duration(last - first)}.`,
		more: 'no CPU time contains this time, and the shares of time do not count it; diagonal lines mark it', level: 'caveat' });
	const stolen = trace.stolenIn(first, last);
	if (stolen) facts.push({ label: 'Stolen', value: `Single CPUs did not run for ${format.duration(stolen)} (inferred).`,
		more: 'busy CPUs without a tick, while other CPUs ran; no CPU time contains this time; diagonal lines mark it', level: 'caveat' });
	const coverage = whole(header, 'coverage');
	const step = Number(coverage?.clock_step_us);
	if (step) facts.push({ label: 'Wall clock', value: `set ${step < 0 ? 'back' : 'forward'} by ${format.duration(Math.abs(step) * 100)}`,
		more: 'the wall clock was set, or drifted from the time counter, by this much during the recording; times on this page do not contain this change', level: 'caveat' });
	if (!Array.isArray(coverage?.categories)) return facts;
	const missed = Object.keys(CATEGORIES).filter((c) => !coverage.categories.includes(c));
	if (missed.length) facts.push({ label: 'Not recorded', value: inWords(missed, CATEGORIES), more: 'this trace has no events of these kinds', level: 'caveat' });
	const caveats: any[] = Array.isArray(coverage.caveats) ? coverage.caveats : [];
	if (caveats.length) {
		const caveatTexts = (which: 0 | 1) => inWords([...new Set(caveats.map((c) => (Object.hasOwn(CAVEATS, c) ? CAVEATS[c][which] : c)))], {});
		facts.push({ label: 'Partly recorded', value: caveatTexts(0), full: caveatTexts(1),
			more: `caveats of this recording: ${plain(caveats)}; kutrace-trace(5) explains them`, level: 'caveat' });
	}
	return facts;
}

/** Returns what limits every statement about the trace: losses, pauses, and events that were not or only partly recorded. */
export function limits(trace: Trace): string[] {
	const merged = Number(trace.header.resolution_us);
	return [
		...missing(trace).filter(({ level }) => level).map(({ label, value, full }) => `${label}: ${full ?? value}`),
		...(merged > 0 ? [`Merged: spans shorter than ${format.duration(merged * 100)}, so faults with shorter parts are not found`] : []),
	];
}

/** Minimum length of a clock count that makes the clock a caveat. On x86 a count takes 10 to 20 ns. */
const COARSE_NS = 25;

/** Returns the clock of the recording, and its resolution if the resolution is coarse. */
function clockFact(coverage: any): Fact {
	const khz = Number(coverage.clock_khz);
	const name = plain(coverage.clock);
	if (!(khz > 0)) return { label: 'Clock', value: name, only: 'list' };
	const count = (1e6 / khz) * 2 ** (Number(coverage.clock_shift) || 0);
	const rate = khz < 1e5 ? `${Number((khz / 1e3).toPrecision(4))} MHz` : `${Number((khz / 1e6).toPrecision(4))} GHz`;
	if (count < COARSE_NS) return { label: 'Clock', value: `${name}, ${rate}`, only: 'list' };
	return { label: 'Clock', value: `${name}, ${rate}: resolution ${Math.round(count)} ns`, level: 'caveat',
		more: 'the clock of this machine counts slowly: a time below the resolution is shown as 0, or as the resolution' };
}

/** Returns the facts about host, time and method of the recording. */
function recorded(trace: Trace, base: number | null): Fact[] {
	const { header } = trace;
	const kernel = plain(header.kernelVersion);
	const coverage = whole(header, 'coverage');
	const detailed = coverage && typeof coverage === 'object' && !Array.isArray(coverage);
	const facts: Fact[] = [
		{ label: 'Begin', value: format.wallClock(base, trace.first, 3, true), more: 'time of day of the first event' },
		{ label: 'Length', value: format.duration(trace.last - trace.first) },
		{ label: 'Host', value: plain(header.hostName) },
		{ label: 'Kernel', value: kernel ? kernelName(kernel) : '', more: kernel },
		{ label: foreignWords(header) ? 'Lanes' : 'CPUs', value: `${trace.cpus.size}${header.cpuModelName ? ` of ${plain(header.cpuModelName)}` : ''}` },
	];
	if (detailed) {
		facts.push({ label: 'Hooks', value: plain(coverage.backend) || 'unknown', more: coverage.backend === 'tracepoint' ? 'tracepoints of a stock kernel' : coverage.backend === 'patched' ? 'hooks of a patched kernel' : '' });
		facts.push({ label: 'Recorded', value: inWords(coverage.categories, CATEGORIES), only: 'list' });
		if (coverage.clock) facts.push(clockFact(coverage));
		if (coverage.tool) facts.push({ label: 'Written by', value: plain(coverage.tool), only: 'list' });
	} else if ('coverage' in header) {
		facts.push({ label: 'Coverage', value: plain(coverage) });
	}
	facts.push({ label: 'Spans', value: format.count(trace.length) });
	if ('overhead' in header) {
		const emit = Number(header.overhead?.emit_ps);
		facts.push({ label: 'Overhead', value: emit > 0 ? `${Number((emit / 1000).toPrecision(2))} ns/event` : plain(header.overhead), more: 'measured time to record one event on this machine' });
	}
	return facts;
}

/** Maximum number of letters in the value above the picture; the list has the whole value. */
const MOST_LETTERS = 200;
const shortened = (value: string) => (value.length <= MOST_LETTERS ? value : `${value.slice(0, MOST_LETTERS)}~`);

/** Makes the element of a fact. @param explained true: with the explanation, for the list of facts */
function entry(fact: Fact, explained: boolean) {
	const more = fact.more && fact.more !== fact.value ? fact.more : undefined;
	const value = make('dd', '', explained ? fact.full ?? fact.value : shortened(fact.value));
	if (explained && more) value.append(make('small', '', more));
	return make('div', fact.level, [make('dt', '', fact.label), value], { title: fact.full && more && !explained ? `${fact.full}: ${more}` : more });
}

/** Returns all facts that have a value. */
const factsOf = (trace: Trace, base: number | null) => [...missing(trace), ...recorded(trace, base)].filter((fact) => fact.value);

/** Returns the facts above the picture, as lines for the head of an exported picture. */
export const factLines = (trace: Trace, base: number | null): string[] => factsOf(trace, base).filter((fact) => !fact.only)
	.map(({ label, value }) => `${label}: ${shortened(value)}`);

/** Fills the head of the page and the list of facts. */
export function showFacts(trace: Trace, base: number | null) {
	const title = String(trace.header.title || 'KUtrace');
	document.title = `${title} - KUtrace`;
	byId('title').textContent = title;
	const facts = factsOf(trace, base);
	byId('facts').replaceChildren(...facts.filter((fact) => !fact.only).map((fact) => entry(fact, false)));
	byId('factlist').replaceChildren(...facts.map((fact) => entry(fact, true)));
	closeOutside(byId('allfacts') as HTMLDetailsElement);
}
