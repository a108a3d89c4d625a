// SPDX-License-Identifier: BSD-3-Clause
/** Tests the sentences that explain why a process did not run, with example values. Needs no browser. Prints TAP. */
import { SENTENCES, partsOf, say } from '../../templates/js/ask/sentences.ts';
import { check, equal, test } from './tap.mjs';

/** @typedef {keyof typeof SENTENCES} Key */

/** Example values. @type {Record<string, string | number>} */
const VALUES = {
	process: 'make.30', parent: 'sh.29', waker: 'cc1.31', time: '295 µs', delay: '2 µs', after: '7 µs', paused: '40 ms', until: '0.06000000 s', cpu: 0, from: 1, to: 0,
	call: 'read', waiting: 'waiting for a pipe', waits: 'pipe, in read 290 µs', wait: 'waiting for a pipe', interrupt: 'local_timer', softirq: 'network receive softirq', throttled: 'throttled?',
	through: 'virtio0-req.0', step: 2, wakeup: 'wakeup', at: '33.29200536 s', span: 'read(3)', priority: 'FIFO 50',
};
const keys = /** @type {Key[]} */ (Object.keys(SENTENCES));
/** Returns a sentence with the example values. @param {Key} key @param {Record<string, string | number>} [other] values that differ */
const whole = (key, other = {}) => say(key, /** @type {any} */ ({ ...VALUES, ...other }));
/** Returns the names of the values that a sentence can lack. @param {Key} key */
const optional = (key) => [...SENTENCES[key].matchAll(/\[[^\]{]*\{(\w+)\}[^\]]*\]/g)].map(([, name]) => name);

await test('each sentence is complete, with and without its optional parts', () => {
	for (const key of keys) {
		const without = whole(key, Object.fromEntries(optional(key).map((name) => [name, ''])));
		for (const text of new Set([whole(key), without])) {
			console.log(`# ${text}`);
			check(!/[[\]{}]|undefined| {2}| [.,:;]|^ | $/.test(text), `${key}: ${text}`);
			if (!/^(leg|end|fact)/.test(key)) check(/^[\p{L}].*[.]$/u.test(text), `${key} is no sentence: ${text}`);
			for (const sentence of text.split(/[.:;] /)) check(sentence.split(' ').length <= 25, `${key} is too long: ${text}`);
		}
	}
	check(new Set(keys.map((key) => SENTENCES[key])).size === keys.length, 'two sentences are equal');
});

await test('sentences read as a whole', () => {
	/** @type {[string, string][]} */
	const want = [
		[whole('gapWait'), 'make.30 did not run for 295 µs: it was waiting for a pipe in read.'],
		[whole('gap', { call: '' }), 'make.30 did not run for 295 µs.'],
		[whole('moved'), 'It moved from CPU 1 to CPU 0, which took 295 µs.'],
		[whole('wokenBy'), 'cc1.31 woke it in read on CPU 0.'],
		[whole('wokenBy', { call: '' }), 'cc1.31 woke it on CPU 0.'],
		[whole('wokenByInterrupt', { process: '' }), 'Interrupt local_timer woke it on CPU 0.'],
		[whole('byOwnTimer'), 'Its own timer ended the wait.'],
		[whole('cpuRan'), 'CPU 0 ran make.30 (FIFO 50) for 295 µs of that time.'],
		[whole('cpuRan', { priority: '' }), 'CPU 0 ran make.30 for 295 µs of that time.'],
		[whole('unwoken'), 'No wakeup recorded.'],
		[whole('legOwnTimer'), 'waiting in read for its own timer'],
		[whole('legKernel', { call: '', through: '' }), 'waiting for the kernel'],
	];
	equal(want.map(([got]) => got), want.map(([, text]) => text), 'texts');
});

await test('values are not searched for places of values, and links stay links', () => {
	equal(say('wokenBy', { waker: '{cpu}[x]', call: '', cpu: 0 }), '{cpu}[x] woke it on CPU 0.', 'a name with braces');
	const link = { span: 7, text: 'disk' };
	equal(partsOf('factGap', { time: '5 ms', from: { t: 3 }, waits: [link] }), ['5 ms', ' from ', { t: 3 }, ': ', link, '.'], 'links');
	equal(partsOf('factGap', { time: '5 ms', from: { t: 3 }, waits: [] }), ['5 ms', ' from ', { t: 3 }, '.'], 'no wait');
});
