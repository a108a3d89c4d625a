// SPDX-License-Identifier: BSD-3-Clause
/**
 * Translates names of the data, such as `wait_unk`, `-idlelp-` or `BH:rx`, to the words that the page shows. Must not
 * change names that users or programs gave. Files, addresses and the raw row keep the names of the data. A search finds
 * both forms.
 */
import { Kind, isOwn, waits } from './kinds.ts';

/** Names that the filters and the kernel module make (module/uapi/kutrace_events.def). */
const WORDS: Record<string, string> = {
	'-idle-': 'idle',
	'-idlelp-': 'low-power idle',
	'-c-exit-': 'leaving deep idle',
	'-sched-': 'scheduler',
	'-wakeup-': 'wakeup',
	'-ipi-': 'IPI',
	'-freq-': 'CPU frequency',
	'-other-': 'other processes',
	...Object.fromEntries(Object.entries({
		cpu: 'c', disk: 'd', task: 'k', lock: 'l', mem: 'm', net: 'n', pipe: 'p', throttled: 'q', rcu: 'r', sche: 's', sched: 's', time: 't', reclaim: 'v', writeback: 'w', unk: 'z',
	}).map(([name, letter]) => [`wait_${name}`, waits[letter].doing])),
	'sendipi': 'IPI sent',
	'mwait': 'entering idle',
	'monitor_store': 'store to a monitored line',
	'monitor_exit': 'leaving idle',
	'task_exit': 'process exit',
	'runnable': 'made runnable',
	'lock_try': 'lock not acquired',
	'lock_acquired': 'lock acquired',
	'lock_freed': 'lock released',
	'rx_packet': 'packet received',
	'tx_packet': 'packet sent',
	'rx_user': 'packet received by user code',
	'tx_user': 'packet sent by user code',
	'mbit_sec': 'network speed',
	'BH:hi': 'high-priority softirq',
	'BH:timer': 'timer softirq',
	'BH:tx': 'network send softirq',
	'BH:rx': 'network receive softirq',
	'BH:block': 'block I/O softirq',
	'BH:irq_p': 'interrupt poll softirq',
	'BH:taskl': 'tasklet softirq',
	'BH:sched': 'scheduler softirq',
	'BH:hrtim': 'hrtimer softirq',
	'BH:rcu': 'RCU softirq',
};

/** Kinds whose names the page does not translate, because users, programs or the table of system calls gave them. */
const GIVEN: Set<number> = new Set([Kind.SYSCALL, Kind.MARK_A, Kind.MARK_B, Kind.MARK_C, Kind.MARK_D, Kind.BRACKET, Kind.RPC, Kind.TRACEPOINT]);

/** Beginning of a mark's name: `mark_a`, or `mark_a=burst`. */
const MARK = /^mark_([abcd])(?:=|$)/;
/** Parts of a name: text, pid, and a `?` if the span was inferred. */
const PARTS = /^([^.?]+)(?:\.(\d+))?(\??)$/;

/** Returns the words for a name of the data. `?` and pid stay: `runnable.105` becomes `made runnable: PID 105`. */
export function wordsOf(kind: number, name: string) {
	if (isOwn(kind)) return name.startsWith('-other-') ? WORDS['-other-'] : name;
	if (kind === Kind.PC) return name;
	if (GIVEN.has(kind)) return name.startsWith('mark_') ? name.replace(MARK, (all, letter) => `mark ${letter}${all.endsWith('=') ? ': ' : ''}`) : name;
	if (Object.hasOwn(WORDS, name)) return WORDS[name];
	const [, plain, pid, guess] = PARTS.exec(name) ?? ['', name];
	return Object.hasOwn(WORDS, plain) ? `${WORDS[plain]}${pid ? `: PID ${pid}` : ''}${guess}` : name;
}

/** Returns the words for a name, without the process that the name contains: `made runnable` for every process. */
export function familyOf(kind: number, name: string) {
	const [, plain, pid, guess] = PARTS.exec(name) ?? [];
	return pid && !isOwn(kind) && kind !== Kind.PC && !GIVEN.has(kind) && Object.hasOwn(WORDS, plain) ? WORDS[plain] + guess : wordsOf(kind, name);
}

/** Words for the rows of a page whose rows are not CPUs and processes. */
export type RowWords = {cpus: string, cpu: string, processes: string, process: string, fact: string, meaning: string};

/** Words for the rows, by the text `rows` in the header's object `foreign`. */
const FOREIGN: Record<string, RowWords> = {
	'RPCs': {
		cpus: 'Lanes', cpu: 'lane', processes: 'RPCs', process: 'RPC', fact: 'RPCs, not CPUs',
		meaning: 'a bar is the work of the server, the lines before and after it are the transfers of request and response; a lane has one RPC at a time; names are method, status, client>server, number; the message itself is not shown',
	},
	'disk blocks': {
		cpus: 'Disk', cpu: 'lane', processes: 'Transfers', process: 'transfer', fact: 'disk blocks, not CPUs',
		meaning: 'a bar is a run of consecutive blocks, from the first to the last time seen; each mark is a block; only the numbers show where on the disk the blocks are',
	},
};

/** Returns the words for the rows of this page. @returns null: the rows are CPUs and processes */
export const foreignWords = ({ foreign }: Record<string, any>): RowWords | null => (typeof foreign?.rows === 'string' && Object.hasOwn(FOREIGN, foreign.rows) ? FOREIGN[foreign.rows] : null);

/** Returns a term of the page, such as the head of a column, for a page with these rows. @param words null: CPUs and processes */
export function termOf(words: RowWords | null, term: string) {
	if (!words) return term;
	const capital = (word: string) => word[0].toUpperCase() + word.slice(1);
	const terms: Record<string, string> = {
		process: words.process, Process: capital(words.process), Processes: words.processes, program: 'name',
		CPU: words.cpu, CPUs: `${capital(words.cpu)}s`, 'on CPU': 'at work', 'name and process': `name and ${words.process}`,
	};
	return Object.hasOwn(terms, term) ? terms[term] : term;
}

/** Returns the name of a column in exported files, for a page with these rows. @param words null: CPUs and processes */
export function columnOf(words: RowWords | null, column: string) {
	if (!words) return column;
	const [process, cpu] = [words.process.toLowerCase(), words.cpu];
	const columns: Record<string, string> = { pid: `${process}_id`, process, cpu, last_cpu: `last_${cpu}`, on_cpu_s: 'at_work_s' };
	return Object.hasOwn(columns, column) ? columns[column] : column;
}
