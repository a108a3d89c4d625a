// SPDX-License-Identifier: BSD-3-Clause
/**
 * Reads the findings in the page, which makeself found in the page's spans (postprocess/report/findings). Must not trust a
 * value, because it comes from a file, and must not take a missing list for an empty one.
 */
import { DamagedError } from './plan.ts';

/** A thread by its pid and name. */
type Thread = {pid: number, name: string};

/** A known fault that the spans prove. Times are in units of 10 ns. */
export interface Finding {
	kind: string; /* name of the kind in docs/reference/findings.md */
	cost: number; /* time that the fault took from its victims */
	count: number;
	from: number; /* from its first to its last span */
	to: number;
	victim: Thread; /* the thread that lost the most time */
	culprit: Thread | null;
	sentence: string;
	advice: string; /* what to try */
	spans: {pid: number, t: number}[]; /* its first spans: thread and start */
}

/** Why the page has no findings. page: the page was made by a program that does not find any. */
export type Missing = 'option' | 'spans' | 'memory' | 'order' | 'foreign' | 'page';

/** missing: the reason why the list is not known; most: maximum number of spans for findings; length: time in which they were searched. */
export type Findings = {list: Finding[], length: number, missing: Missing | null, most: number};

const MISSING = ['option', 'spans', 'memory', 'order', 'foreign'];
/** Version of the element that this page understands (KP_FINDINGS_VERSION). */
const VERSION = 1;

const damaged = () => new DamagedError('its kutrace-findings part cannot be read');

/** Returns the value if it is an object. */
function object(value: any): any {
	if (!value || typeof value !== 'object') throw damaged();
	return value;
}

function text(value: unknown): string {
	if (typeof value !== 'string') throw damaged();
	return value;
}

function number(value: unknown): number {
	if (typeof value !== 'number' || !Number.isFinite(value)) throw damaged();
	return value;
}

function list(value: unknown): unknown[] {
	if (!Array.isArray(value)) throw damaged();
	return value;
}

const units = (value: unknown) => Math.round(number(value) * 1e8);
const thread = (value: unknown): Thread => ({ pid: number(object(value).pid), name: text(object(value).name) });

function findingOf(value: unknown): Finding {
	const { finding, cost, count, start, end, victim, culprit, sentence, try: advice, spans } = object(value);
	return {
		kind: text(finding), cost: units(cost), count: number(count), from: units(start), to: units(end), victim: thread(victim),
		culprit: culprit === undefined ? null : thread(culprit), sentence: text(sentence), advice: text(advice),
		spans: list(spans).map((span) => ({ pid: number(object(span).pid), t: units(object(span).start) })),
	};
}

/** Returns the findings of an element. @param value its parsed JSON; null: there is no such element */
export function findingsOf(value: any): Findings {
	const none = { list: [], length: 0, most: 0 };
	if (value === null || object(value).version !== VERSION) return { ...none, missing: 'page' };
	if (value.missing !== undefined) return { ...none, missing: (MISSING.includes(value.missing) ? value.missing : 'page') as Missing, most: number(value.most) };
	return { list: list(value.findings).map(findingOf), length: units(value.to) - units(value.from), missing: null, most: 0 };
}
