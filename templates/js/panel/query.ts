// SPDX-License-Identifier: BSD-3-Clause
/**
 * Shows the pane Query: the matches of a search in groups, as a table. ask/find.ts searches, and ask/query.ts computes the
 * sums. Must cancel work that is no longer needed.
 */
import { byId, make } from '../base/dom.ts';
import * as format from '../base/format.ts';
import { inTimedSlices } from '../base/slices.ts';
import { find } from '../ask/find.ts';
import { Mistake, hintOf, narrowed, parse } from '../ask/grammar.ts';
import { Grouped, MOST_MATCHES, type By } from '../ask/query.ts';
import { when } from '../scene/times.ts';
import { QueryTable } from './querytable.ts';
import type { Trace } from '../data/trace.ts';
import type { View } from '../scene/view.ts';
import type { File } from './panes.ts';

type Asked = {filter: string, by: By, of: 'calls' | 'spans', where: string, column: string, down: boolean};

/** Groupings, with their names. */
const BYS: [By, string][] = [
	['kind', 'kind'], ['name', 'name'], ['call', 'name and process'], ['process', 'process'], ['program', 'program'],
	['cpu', 'CPU'], ['state', 'state'], ['errno', 'error'], ['failure', 'name and error'], ['none', 'nothing: list each'],
];
/** Ranges, with their names. */
const WHERES: [string, string][] = [['selection', 'selection or whole trace'], ['whole', 'whole trace'], ['screen', 'time on the screen']];
const OFS: [string, string][] = [['calls', 'calls'], ['spans', 'spans']];
/** Titles of columns by which queries are sorted. */
const [COUNT, SUM, MOST] = ['count', 'sum', 'max'];
/** Returns `spans` or `calls`, whichever fits a grouping. A call can be in several states; each of its spans is in one state. */
const fitting = (by: string, of: string) => (by === 'state' ? 'spans' : of);
/** Ready queries: name, filter, grouping, column to sort by. */
const READY: [string, string, By, string][] = [
	['slowest calls', 'kind:syscall', 'call', MOST],
	['slowest calls, one by one', 'kind:syscall', 'none', 'elapsed'],
	['failed calls by error', 'errno:*', 'errno', COUNT],
	['failed calls by name and error', 'errno:*', 'failure', COUNT],
	['failed calls by name and process', 'errno:*', 'call', COUNT],
	['waits by reason', 'kind:wait', 'name', SUM],
	['longest waits by process', 'kind:wait', 'process', MOST],
	['interrupts by process', 'kind:irq,softirq', 'process', SUM],
	['interrupts by CPU', 'kind:irq,softirq', 'cpu', SUM],
	['cost of faults', 'kind:fault', 'process', SUM],
	['user code by program', 'kind:user', 'program', SUM],
	['wakeups by waker', 'kind:wakeup', 'process', COUNT],
	['all time by state', 'kind:user,kernel,idle,wait', 'state', SUM],
];
/** The default query. */
const USUAL: Asked = { filter: 'kind:syscall', by: 'name', of: 'calls', where: 'selection', column: MOST, down: true };

function selectOf(id: string, choices: [string, string][]) {
	const select = byId(id) as HTMLSelectElement;
	select.append(...choices.map(([value, label]) => make('option', '', label, { value })));
	return select;
}

function queryBoxes(trace: Trace, changed: (ready: Partial<Asked>) => void) {
	const filter = byId('queryfilter') as HTMLInputElement;
	const by = selectOf('queryby', BYS.map(([id, label]) => [id, trace.term(label)]));
	const of = selectOf('queryof', OFS);
	const where = selectOf('querywhere', WHERES);
	const ready = selectOf('queryready', [['', 'ready queries'], ...READY.map(([label], i) => [String(i), label] as [string, string])]);
	for (const select of [of, where]) select.addEventListener('change', () => changed({}));
	by.addEventListener('change', () => {
		of.value = fitting(by.value, of.value);
		changed({ column: by.value === 'none' ? 'elapsed' : SUM, down: true });
	});
	let timer: ReturnType<typeof setTimeout> | undefined;
	filter.addEventListener('input', () => {
		clearTimeout(timer);
		timer = setTimeout(() => changed({}), 200);
	});
	filter.addEventListener('keydown', (event) => {
		if (event.key === 'Enter') changed({});
		else if (event.key === 'Escape') filter.blur();
		else return;
		event.stopPropagation();
	});
	ready.addEventListener('change', () => {
		const [, text, group, column] = READY[Number(ready.value)] ?? [];
		if (group === undefined) return;
		filter.value = text;
		by.value = group;
		of.value = fitting(group, 'calls');
		ready.value = '';
		changed({ column, down: true });
	});
	return {
		filter,
		get: () => ({ filter: filter.value, by: by.value as By, of: of.value as 'calls' | 'spans', where: where.value }),
		set: (asked: Asked) => {
			filter.value = asked.filter;
			by.value = asked.by;
			of.value = asked.of;
			where.value = asked.where;
		},
	};
}

/** Returns the query for a text from the address. */
function askedOf(text: string): Asked {
	const [, by, of, where, column, order, filter] = /^(\w+)\.(\w+)\.(\w+)\.([\w ]+)-([du])\.([^]*)$/.exec(text) ?? [];
	const known = (list: [string, string][], value: string) => list.some(([v]) => v === value);
	if (!known(BYS, by) || !known(OFS, of) || !known(WHERES, where)) return USUAL;
	return { filter: filter.slice(0, 1000), by: by as By, of: of as 'calls' | 'spans', where, column, down: order === 'd' };
}

/** Makes the pane Query. @param changed called when the query has changed, to update the page's address */
export function querying(
	view: View,
	{ manner, search, jump, isSeen, changed, save }: {
		manner: () => {sensitive: boolean, zero: number, rows: string[]}, search: (text: string) => void,
		jump: (span: number) => void, isSeen: () => boolean, changed: () => void, save: (file: File) => void,
	},
) {
	const { trace } = view;
	const output = byId('querysays');
	let stop = () => {};
	/** State for which the table was made. */
	let shown = '';
	let filter = '';
	/** True if the table has the answer to the current query. */
	let answered = false;
	const boxes = queryBoxes(trace, (order) => {
		table.sort({ ...table.order, ...order });
		update();
		changed();
	});
	/** Narrows the search to the matches of a row. @param only search fields that find only these matches */
	const narrow = (only: string) => {
		search(only ? narrowed(filter, false, only) : filter);
	};
	const table = new QueryTable(byId('querybox'), { narrow, jump, changed, trace, when: (t) => when(view, t) });
	table.sort(USUAL);

	const say = (text: string, wrong = false) => {
		output.textContent = text;
		output.classList.toggle('wrong', wrong);
		if (wrong) boxes.filter.setAttribute('aria-invalid', 'true');
		else boxes.filter.removeAttribute('aria-invalid');
	};
	const show = (grouped: Grouped) => {
		const { total, groups, list, grouping: { by, of } } = grouped;
		const n = total.count + total.cut;
		const cut = total.cut ? `, ${format.count(total.cut)} of them incomplete` : '';
		const one = by === 'none';
		const many = one ? '' : ` in ${format.count(groups.length)} group${groups.length === 1 ? '' : 's'}`;
		const most = one && n > MOST_MATCHES ? `; the ${format.count(MOST_MATCHES)} longest:` : '';
		say(n ? `${format.count(n)} ${n === 1 ? of.slice(0, -1) : of}${many}${cut}, elapsed ${format.duration(total.sum)}${most}` :
			hintOf(filter) || 'no match in this time');
		answered = true;
		table.show(grouped, BYS.find(([id]) => id === by)?.[1] ?? '', one ? list : null);
	};
	const range = (): {t0: number, t1: number} => {
		const { where } = boxes.get();
		const part = where === 'screen' ? view : where === 'selection' ? view.selection : null;
		return part ? { t0: part.t0, t1: part.t1 } : { t0: trace.first, t1: Infinity };
	};
	const update = () => {
		if (!isSeen()) return;
		const asked = boxes.get();
		const key = JSON.stringify([asked, manner(), range(), trace.calls !== null]);
		if (key === shown) return;
		shown = key;
		answered = false;
		stop();
		if (asked.of === 'calls' && !trace.calls) {
			say('Joining the parts of calls \u2026');
			table.clear();
			return;
		}
		try {
			const { t0, t1 } = range();
			filter = asked.filter;
			const query = { tree: parse(filter), from: 0, to: Infinity, ...manner() };
			stop = inTimedSlices(find(trace, query), {
				first: 20,
				progress: (share) => say(`searching \u2026 ${Math.floor(share * 100)} %`),
				done: (matches) => {
					const grouped = new Grouped(matches, { by: asked.by, of: asked.of, t0, t1 });
					stop = inTimedSlices(grouped.work(), { first: 20, progress: () => say('adding up \u2026'), done: () => show(grouped) });
				},
			});
		} catch (error) {
			if (!(error instanceof Mistake)) throw error;
			say(error.message, true);
			table.clear();
		}
	};
	boxes.set(USUAL);
	const file = (): File => (answered ? { cells: table.cells(), name: 'query.csv' } : `The query has no table yet: ${output.textContent}`);
	byId('querycsv').addEventListener('click', () => save(file()));
	let later: ReturnType<typeof setTimeout> | undefined;
	return {
		update,
		file,
		/** Updates the pane soon, because the range, highlights or times may have changed. Must be called after each frame. */
		follow: () => {
			if (!isSeen()) return;
			clearTimeout(later);
			later = setTimeout(update, 150);
		},
		addressPart: {
			name: 'w',
			get: () => {
				const { filter, by, of, where } = boxes.get();
				const { column, down } = table.order;
				const text = `${by}.${of}.${where}.${column}-${down ? 'd' : 'u'}.${filter}`;
				return text === `${USUAL.by}.${USUAL.of}.${USUAL.where}.${USUAL.column}-d.${USUAL.filter}` ? '' : text;
			},
			set: (text: string) => {
				const asked = askedOf(text);
				boxes.set(asked);
				table.sort(asked);
				update();
			},
		},
	};
}
