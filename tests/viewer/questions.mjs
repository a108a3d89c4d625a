// SPDX-License-Identifier: BSD-3-Clause
/**
 * Tests questions that a new user of the page may ask. Each is answered on a freshly opened page in at most
 * three actions (a click, a double click, a key, or a word typed into a field and Enter). The answer is read from the
 * page and compared with answersof.mjs. docs/guide/questions.md has the same questions, actions and answers;
 * QUESTIONS_DOC=docs/guide/questions.md writes them there. Prints TAP.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import * as answers from './answersof.mjs';
import { openBrowser, top } from './browser.mjs';
import { golden, pageOf, recorded } from './pages.mjs';
import { check, equal, test } from './tap.mjs';

/** Limit of actions, because users do not find answers that need more. */
const MOST_ACTIONS = 3;
const HOW_MANY = 25;
/** The longest time for an answer on a busy machine, in ms. */
const PATIENCE = 20000;

/** Prepares text for comparison: any sequence of blanks becomes one blank. @param {string} text */
const plain = (text) => text.replace(/[\s\u00a0\u2009\u202f]+/g, ' ').trim();

/** Performs the user's actions and counts them. */
class Hand {
	/** @param {any} page */
	constructor(page) {
		this.page = page;
		this.count = 0;
		/** @type {string[]} */
		this.words = [];
	}

	/** @param {string} words @param {number} [actions] */
	#did(words, actions = 1) {
		this.count += actions;
		this.words.push(words);
	}

	/** @param {string} what selector @param {string} words */
	async click(what, words) {
		this.#did(words);
		await this.page.locator(what).first().click();
	}

	/** @param {string} key @param {string} words */
	async press(key, words) {
		this.#did(words);
		await this.page.keyboard.press(key);
	}

	/** @param {string} field @param {string} text @param {string} words */
	async type(field, text, words) {
		this.#did(words);
		await this.page.locator(field).click();
		await this.page.keyboard.press('Control+a');
		await this.page.keyboard.type(text);
		await this.page.keyboard.press('Enter');
	}

	/** Opens a menu and selects an item: two actions. @param {string} menu @param {string} choice @param {string} words */
	async choose(menu, choice, words) {
		this.#did(words, 2);
		await this.page.locator(menu).selectOption({ label: choice });
	}
}

/** Returns the cells of lines. @param {any} page @param {string} lines selector @returns {Promise<string[][]>} */
const cells = async (page, lines) => (await page.evaluate((/** @type {string} */ s) => [...document.querySelectorAll(s)].map((tr) => [...tr.children].map((td) => td.textContent ?? '')), lines))
	.map((/** @type {string[]} */ line) => line.map(plain));
/** Returns terms and their values. @param {any} page @param {string} box selector @returns {Promise<Record<string, string>>} */
const facts = async (page, box) => Object.fromEntries((await page.evaluate((/** @type {string} */ s) => [...document.querySelectorAll(`${s} dt`)].map((dt) =>
	[dt.textContent ?? '', dt.nextElementSibling?.textContent ?? '']), box)).map((/** @type {string[]} */ [term, value]) => [term, plain(value)]));
/** @param {any} page @param {string} what selector */
const text = async (page, what) => plain((await page.locator(what).first().textContent()) ?? '');

/** A name in the tables. @param {string} name */
const named = (name) => `#tablebox button.name[title^="${name}: show"]`;
/** Lines of a table in the pane Process. @param {string} table */
const lines = (table) => `#processbox section[data-of=${table}] tbody tr:not(.of)`;
const OPENED = (/** @type {string} */ name) => `In the table, click the name of the process, \`${name}\`.`;

/**
 * @typedef {object} Question
 * @property {string} ask
 * @property {string} where position of the answer on the page
 * @property {string} [trace] a golden trace, or a trace in tests/data with its folder
 * @property {(hand: Hand) => Promise<void>} [act]
 * @property {(page: any) => Promise<string>} read
 * @property {(t: answers.Read) => string} want
 */

/** @type {Question[]} */
const QUESTIONS = [{
	ask: 'Which process used most CPU time?',
	where: 'Read the first line of the table beside the picture.',
	read: async (page) => {
		const [[name, time] = []] = await cells(page, '#tablebox tbody tr');
		return `${name}: ${time}`;
	},
	want: answers.busiest,
}, {
	ask: 'Which system call of my server was the slowest?',
	where: 'Read the first line under *system calls*. A click on the line shows the call in the picture.',
	act: async (hand) => {
		await hand.click(named('tcp_server.61'), OPENED('tcp_server.61'));
		await hand.click('#processbox section[data-of=calls] th button:text-is("longest")', 'Under *Calls*, click the column head *longest*.');
	},
	read: async (page) => {
		const [[name, , , longest] = []] = await cells(page, lines('calls'));
		return `${name}: ${longest}`;
	},
	want: (t) => answers.slowestCall(t, t.pidOf('tcp_server')),
}, {
	ask: 'Why did this request take 45 ms?',
	where: 'The pane *Path* lists the causes of the delay with their times, and then each step in order. Here the process ran nearly all the time.',
	act: async (hand) => {
		await hand.click('#tab-calls', 'Above the table, click *Calls*. The slowest calls are at the top.');
		await hand.click('#tablebox tbody tr:has(button[title^="connect:"]) td:nth-child(3) button', 'Click the time of the request, here of `connect`.');
		await hand.press('c', 'Press `c`.');
	},
	read: async (page) => {
		const [, who, long] = /^What held up (.*) for (.*)$/.exec(await text(page, '#pathtitle')) ?? [];
		const sums = await cells(page, '#pathsums tbody tr');
		return `${long} of ${who}: ${sums.slice(0, 3).map(([, what, time, share]) => `${what} ${time}, ${share}`).join('; ')}`;
	},
	want: (t) => answers.whySoLong(t, 'connect'),
}, {
	ask: 'Who took the CPU from my process while it could still run?',
	where: 'The table *Preempted by* lists the processes that took the CPU, with the number and the total time of the preemptions. A click on a line shows the longest.',
	act: (hand) => hand.click(named('workload.56'), OPENED('workload.56')),
	read: async (page) => (await cells(page, lines('taken'))).map(([name, count, time]) => `${name}: ${count}, ${time}`).join('; '),
	want: (t) => answers.preempted(t, t.pidOf('workload')),
}, {
	ask: 'What do page faults cost?',
	where: 'The first line sums up all faults. The lines below it are the processes.',
	act: async (hand) => {
		await hand.click('#tab-kinds', 'Above the table, click *Kinds*.');
		await hand.click(named('fault or trap'), 'Click *fault or trap*.');
	},
	read: async (page) => {
		const [[, count, , longest, , , own] = []] = await cells(page, '#processbox section[data-of=calls] tr.of');
		const [[name, many, , , , , cost] = []] = await cells(page, lines('calls'));
		return `${own}, ${count} faults, longest ${longest}; most of ${name}: ${many}, ${cost}`;
	},
	want: answers.faults,
}, {
	ask: 'Which CPU was idle while work was waiting?',
	where: 'The first line shows how long the CPU was idle while a runnable process had no CPU. A click on the line shows the longest such interval.',
	act: async (hand) => {
		await hand.click('#tab-cpus', 'Above the table, click *CPUs*.');
		await hand.click('#tablebox th button:text-is("idle while others waited")', 'Click the column head *idle while others waited*.');
	},
	read: async (page) => {
		const [[cpu, , , , , , , time, longest] = []] = await cells(page, '#tablebox tbody tr');
		return `CPU ${cpu}: ${time}, longest ${longest}`;
	},
	want: answers.idleWhileReady,
}, {
	ask: 'Which wait for a lock was the longest, and who held the lock?',
	where: 'The pane *Details* shows the duration of the wait. The line *ended by* names the process that released the lock.',
	act: async (hand) => {
		await hand.type('#search', 'wait:lock', 'Type `wait:lock` into the search field, and Enter.');
		await hand.click('#foundends button[aria-label^=longest]', 'In the panel, click the time beside *longest*.');
		await hand.click('#panetab-details', 'Click *Details*.');
	},
	read: async (page) => {
		const f = await facts(page, '#pane-details');
		return `${(f.process ?? '').replace(/^\d+ /, '')}: ${f.duration}, ended by ${f['ended by']}`;
	},
	want: answers.longestLock,
}, {
	ask: 'How long did it take from a packet until the process that waited for it was woken?',
	where: 'In the pane *Details*, the line *woke* names the woken process, the time since the packet, and the time until it ran.',
	act: async (hand) => {
		await hand.type('#search', 'packet received', 'Type `packet received` into the search field, and Enter.');
		await hand.click('#foundends button[aria-label^=longest]', 'In the panel, click the time beside *longest*. All have the same length, so this is the first.');
		await hand.click('#panetab-details', 'Click *Details*.');
	},
	read: async (page) => (await facts(page, '#pane-details')).woke ?? '',
	want: answers.packetToWakeup,
}, {
	ask: 'What ran between two marks?',
	where: 'The table now covers the time between the mark and the next one. The title of the panel shows its length.',
	act: async (hand) => {
		await hand.click('#tab-names', 'Above the table, click *Names*.');
		await hand.click('#tablebox tbody tr:has(button[title^="mark a: mutex"]) td:nth-child(3)', 'Click the line of the mark, `mark a: mutex`, but not its name. The picture shows the mark.');
		await hand.press('x', 'Press `x`.');
	},
	read: async (page) => {
		const long = /^Selection: (.*) from/.exec(await text(page, '#paneltitle'))?.[1];
		const names = (await cells(page, '#tablebox tbody tr')).filter(([name]) => !/idle/.test(name)).slice(0, 3);
		return `${long}: ${names.map(([name, own]) => `${name} ${own}`).join(', ')}`;
	},
	want: (t) => answers.betweenMarks(t, 'mutex'),
}, {
	ask: 'Who wakes my process?',
	where: 'The table *Woken by* lists the wakers, the most frequent first. The table *Woke* below it lists the processes that this one wakes.',
	act: (hand) => hand.click(named('tcp_server.61'), OPENED('tcp_server.61')),
	read: async (page) => {
		const [[name, count] = []] = await cells(page, lines('wokenby'));
		return `${name}: ${count}`;
	},
	want: (t) => answers.wokenBy(t, t.pidOf('tcp_server')),
}, {
	ask: 'Which interrupt takes most time?',
	where: 'Read the column *on CPU* of the first line.',
	act: async (hand) => {
		await hand.click('#panetab-query', 'Click *Query*.');
		await hand.type('#queryfilter', 'kind:irq,softirq', 'Type `kind:irq,softirq` into its field, and Enter.');
		await hand.click('#querybox th button:text-is("on CPU")', 'Click the column head *on CPU*.');
	},
	read: async (page) => {
		const table = await cells(page, '#querybox tr');
		const column = table[0]?.indexOf('on CPU') ?? -1;
		return `${table[1]?.[0]}: ${table[1]?.[column]}`;
	},
	want: answers.costliestInterrupt,
}, {
	ask: 'Which process could run and was kept waiting longest, and who had the CPU?',
	where: 'The pane *Details* shows the process and its wait. The line *meanwhile* shows the work of the CPU on which the process ran afterwards.',
	act: async (hand) => {
		await hand.type('#search', 'wait:cpu', 'Type `wait:cpu` into the search field, and Enter.');
		await hand.click('#foundends button[aria-label^=longest]', 'In the panel, click the time beside *longest*.');
		await hand.click('#panetab-details', 'Click *Details*.');
	},
	read: async (page) => {
		const f = await facts(page, '#pane-details');
		return `${(f.process ?? '').replace(/^\d+ /, '')}: ${f.duration}, ${f.meanwhile}`;
	},
	want: answers.longestReady,
}, {
	ask: 'What does my process wait for most?',
	where: 'The first line of *Waits* shows the reason and the call.',
	act: (hand) => hand.click(named('workload.56'), OPENED('workload.56')),
	read: async (page) => {
		const [[what, count, time] = []] = await cells(page, lines('waits'));
		return `${what}: ${count}, ${time}`;
	},
	want: (t) => answers.waitedMost(t, t.pidOf('workload')),
}, {
	ask: 'Which calls fail, and with which error?',
	where: 'The table has a line for each call and error, the most frequent first.',
	act: async (hand) => {
		await hand.click('#panetab-query', 'Click *Query*.');
		await hand.choose('#queryready', 'failed calls by name and error', 'In the menu *ready queries*, take *failed calls by name and error* (two actions).');
	},
	read: async (page) => (await cells(page, '#querybox tbody tr')).map(([name, error, count]) => `${name} ${error}: ${count}`).join('; '),
	want: answers.failures,
}, {
	ask: 'How often was my process moved to another CPU?',
	where: 'Read the line above the table *CPUs*, at the end of the pane.',
	trace: 'stock-4cpu',
	act: (hand) => hand.click(named('workload.119'), OPENED('workload.119')),
	read: async (page) => /another CPU (.*)$/.exec(await text(page, '#processbox section[data-of=cpus] h3'))?.[1] ?? '',
	want: (t) => answers.migrations(t, t.pidOf('workload')),
}, {
	ask: 'Was anything lost, or not recorded?',
	where: 'Read the facts above the picture. *facts* lists all of them, with their meaning.',
	trace: 'stock-4cpu',
	read: async (page) => {
		const f = await facts(page, '#facts');
		return `lost events: ${f['Lost events']}; not recorded: ${f['Not recorded']}`;
	},
	want: answers.missing,
}, {
	ask: 'Who started this process, and how long did it live?',
	where: 'Read the facts at the top of the pane *Process*.',
	act: (hand) => hand.click(named('mayfly.62'), OPENED('mayfly.62')),
	read: async (page) => {
		const f = await facts(page, '#processbox dl.about');
		return `forked by ${f['forked by']}, ${f['in the trace']}`;
	},
	want: (t) => answers.life(t, 62),
}, {
	ask: 'How long does a `read` take, usually and at worst?',
	where: 'Read the line of `read`. Half of the calls took at most p50, 99 % at most p99.',
	act: (hand) => hand.click('#panetab-query', 'Click *Query*. It lists all system calls by name.'),
	read: async (page) => {
		const [head = [], ...table] = await cells(page, '#querybox tr');
		const line = table.find(([name]) => name === 'read') ?? [];
		const of = (/** @type {string} */ title) => line[head.indexOf(title)];
		return `${of('count')} times; p50 ${of('p50')}, p99 ${of('p99')}, max ${of('max')}`;
	},
	want: (t) => answers.howLong(t, 'read'),
}, {
	ask: 'Who waited for the disk?',
	where: 'The list below the histogram has the processes, the longest wait first.',
	act: (hand) => hand.type('#search', 'wait:disk', 'Type `wait:disk` into the search field, and Enter.'),
	read: async (page) => {
		const [[name, count, time, longest] = []] = await cells(page, '#foundby tbody tr');
		return `${name}: ${count} times, ${time}, longest ${longest}`;
	},
	want: answers.disk,
}, {
	ask: 'How long must my server wait for a CPU once it has been woken?',
	where: 'Read the first line of the table *Run-queue delay*. The lines below it show the distribution.',
	act: (hand) => hand.click(named('tcp_server.61'), OPENED('tcp_server.61')),
	read: async (page) => {
		const [[, count, , p50, p99, longest] = []] = await cells(page, lines('delays'));
		return `${count} times; p50 ${p50}, p99 ${p99}, longest ${longest}`;
	},
	want: (t) => answers.runQueueDelay(t, t.pidOf('tcp_server')),
}, {
	ask: 'Was my program stopped by the CPU quota of its cgroup?',
	where: 'The list below the histogram has the stopped processes, the longest wait first. A question mark in the table *Waits* of a process marks inferred waits.',
	trace: 'data/linux72/throttled',
	act: (hand) => hand.type('#search', 'wait:throttled', 'Type `wait:throttled` into the search field, and Enter.'),
	read: async (page) => {
		const [[name, count, time, longest] = []] = await cells(page, '#foundby tbody tr');
		return `${name}: ${count} times, ${time}, longest ${longest}`;
	},
	want: answers.throttled,
}, {
	ask: 'Did the whole machine stand still, and for how long?',
	where: 'Read the facts above the picture.',
	trace: 'data/stopped',
	read: async (page) => /The machine did not run for [^.]*(\.\d[^.]*)*\./.exec(await text(page, '#facts'))?.[0] ?? '',
	want: answers.stopped,
}, {
	ask: 'Which request of which disk ended the longest wait for a disk?',
	where: 'The pane *Details* shows the request, and how long it was in the queue and in service.',
	trace: 'data/linux72/disk',
	act: async (hand) => {
		await hand.type('#search', 'wait:disk', 'Type `wait:disk` into the search field, and Enter.');
		await hand.click('#foundends button[aria-label^=longest]', 'In the panel, click the time beside *longest*.');
		await hand.click('#panetab-details', 'Click *Details*.');
	},
	read: async (page) => {
		const f = await facts(page, '#pane-details');
		return `${f.disk}: ${f.request}, queued ${f.queued}, served ${f.served}`;
	},
	want: answers.longestRequest,
}, {
	ask: 'Which cgroup does process 1 of a container belong to, and which process started it?',
	where: 'The pane *Details* shows the pid in the namespace of the process, its cgroup and its parent.',
	trace: 'data/linux72/identity',
	act: async (hand) => {
		await hand.type('#search', 'nspid:1 kind:syscall', 'Type `nspid:1 kind:syscall` into the search field, and Enter.');
		await hand.click('#foundends button[aria-label^=longest]', 'In the panel, click the time beside *longest*.');
		await hand.click('#panetab-details', 'Click *Details*.');
	},
	read: async (page) => {
		const f = await facts(page, '#pane-details');
		return `${(f.process ?? '').split(' ')[0]} is ${f['pid in its namespace']} in ${f.cgroup}, started by ${(f['started by'] ?? '').split(' ')[0]}`;
	},
	want: answers.firstOfContainer,
}, {
	ask: 'Does the trace show a known fault, and what did it cost?',
	where: 'The panel opens with the pane *Findings*. Read its first finding. A click on it shows where it is, and the line below it has a proposal.',
	trace: 'data/linux72/throttled',
	read: (page) => text(page, '#pane-findings:not([hidden]) .goes b'),
	want: answers.costOfThrottling,
}];

const USUAL = 'patched-4cpu';
/** The page of each trace, and the data from its JSON. @type {Map<string, {file: string, read: answers.Read}>} */
const traces = new Map();
/** @param {string} name */
function traceOf(name) {
	const there = traces.get(name);
	if (there) return there;
	const json = name.startsWith('data/') ? recorded(name.slice(5)) : golden(name);
	const made = { file: pageOf(json, `questions-${name.replaceAll('/', '-')}`), read: answers.readTrace(json) };
	traces.set(name, made);
	return made;
}

const browser = await openBrowser();
/** The document's part for each question. @type {string[]} */
const told = [];

for (const [i, { ask, where, trace = USUAL, act, read, want }] of QUESTIONS.entries()) {
	await test(`question ${i + 1}: ${ask.replaceAll('`', '')}`, async () => {
		const { file, read: witness } = traceOf(trace);
		const page = await browser.open(file, 'ready', '');
		const hand = new Hand(page);
		await act?.(hand);
		const wanted = plain(want(witness));
		let said = '';
		// sums that are computed between frames arrive with a delay
		for (const until = Date.now() + PATIENCE; said !== wanted && Date.now() < until;) {
			said = plain(await read(page));
			if (said !== wanted) await page.evaluate(() => new Promise((resolve) => requestAnimationFrame(resolve)));
		}
		equal(said, wanted, 'the answer');
		check(hand.count <= MOST_ACTIONS, `${hand.count} actions`);
		check(!/undefined|NaN/.test(wanted), wanted);
		console.log(`# ${ask} ${hand.count} action${hand.count === 1 ? '' : 's'}. ${said}`);
		const steps = hand.words.length ? hand.words.map((words, n) => `${n + 1}. ${words}`).join('\n') : 'Nothing to do.';
		told.push(`## ${i + 1}. ${ask}\n\n${steps}\n\n${where}\n\n> ${said}${trace === USUAL ? '' : ` (\`tests/${trace.startsWith('data/') ? '' : 'golden/'}${trace}.trace.xz\`)`}\n`);
		await page.close();
	});
}

await test(`there are ${HOW_MANY} questions, and docs/guide/questions.md has the same actions and answers`, () => {
	equal(QUESTIONS.length, HOW_MANY, 'questions');
	equal(told.length, HOW_MANY, 'answered');
	const path = join(top, 'docs/guide/questions.md');
	const [front] = readFileSync(path, 'utf8').split(/^## /m);
	const whole = `${front}${told.join('\n')}`;
	if (process.env.QUESTIONS_DOC) writeFileSync(join(top, process.env.QUESTIONS_DOC), whole);
	equal(readFileSync(path, 'utf8'), whole, 'docs/guide/questions.md');
});
await test('questions: no complaint on the console, no request', () => {
	equal(browser.complaints, [], 'console');
	equal(browser.requests, [], 'requests');
});
await browser.close();
