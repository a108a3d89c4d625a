// SPDX-License-Identifier: BSD-3-Clause
/**
 * Tests the rows: the groups that are open at first, filter, order, tree, scrolling, pinning, and the number of rows
 * that fit. Uses the real mouse and keys, and compares with the JSON. Prints TAP.
 */
import { pathToFileURL } from 'node:url';
import { openBrowser } from './browser.mjs';
import { driver, turnTo } from './driver.mjs';
import { Event } from './events.mjs';
import { KERNEL_NAMES, golden, isExecution, jsonOf, pageOf, recorded, rowsOf } from './pages.mjs';
import { check, equal, near, test } from './tap.mjs';

/** @typedef {import('./pages.mjs').Row} Row */

const browser = await openBrowser();
/** @type {any} */
let page;
/** @type {ReturnType<typeof driver>} */
let d;
/** @param {string} file @param {string} [hash] */
async function open(file, hash = '') {
	({ page, d } = await turnTo(browser, page, file, hash));
}
/** Returns the labels of a group's rows, from top to bottom. @param {string} group */
const labels = async (group) => (await d.shown()).filter((r) => r.group === group).map((r) => r.label);
const small = (/** @type {string} */ group) => page.locator(`[data-group=${group}] small`).innerText();
/** Waits until the address of the page contains a text. @param {string} part @param {boolean} [there] */
const address = (part, there = true) => d.address(part, there);

/** Processes that run one after the other. Their orders by number, by duration and by start differ. @type {[string, number, number, number][]} name, pid, start, length */
const some = [['web', 30, 1.0, 0.3], ['Web', 7, 1.4, 0.1], ['db', 12, 1.6, 0.9], ['cron', 101, 2.6, 0.2], ['db', 9, 3.0, 0.5]];
/** @type {Row[]} */
const few = some.map(([name, pid, start, dur]) => [start, dur, 0, pid, 0, 65536 + pid, 0, 0, 0, `${name}.${pid}`]);
const fewFile = pageOf(jsonOf(few), 'few');
/** More processes than a screen holds. @type {Row[]} */
const many = Array.from({ length: 120 }, (_, i) => [1 + i / 100, i === 7 ? 0.03 : 0.01, i % 4, 200 + i, 0, 65736 + i, 0, 0, 0, `job.${200 + i}`]);
/** A wait of one of these processes for a lock. @type {Row} */
const waiting = [1.06, 0.1, -1, 205, 0, Event.WAITA + 11, 0, 0, 0, 'wait_lock'];
const manyFile = pageOf(jsonOf([...many, waiting].sort((a, b) => a[0] - b[0])), 'many');
/** @param {number} cpus */
const machine = (cpus) => pageOf(jsonOf(Array.from({ length: cpus }, (_, i) => [1, 1, i, 5, 0, 65541, 0, 0, 0, 'one.5'])), `cpus${cpus}`);

await test('processes are open at first; if not all fit, those with most CPU time come first; rows use the space; closed groups stay closed', async () => {
	await open(fewFile);
	equal(await labels('PID'), ['Web.7', 'db.9', 'db.12', 'web.30', 'cron.101'], 'rows');
	await page.locator('[data-group=PID]').click();
	await address('g=CPU&');
	await page.reload();
	await page.waitForFunction(() => document.documentElement.dataset.state === 'ready');
	await d.settle();
	equal(await labels('PID'), [], 'closed, opened again');
	await open(manyFile);
	const rows = await d.shown();
	const { plot } = await d.drawn();
	const processes = rows.filter((r) => r.group === 'PID');
	equal(processes[0].label, 'job.207', 'the one that ran longest');
	equal(processes.slice(1).map((r) => r.label), many.filter((r) => r[3] !== 207).map((r) => r[9]).slice(0, processes.length - 1), 'then those that ran alike, by number');
	equal(await small('PID'), '120 by CPU time', 'it says in which order');
	equal(await page.locator('#rowmenubox input[name=roworder]:checked').inputValue(), 'cpu', 'so does the menu');
	check(processes.every((r) => r.height >= 14.9), `rows of ${processes[0].height} pixels, and they are scrolled anyway`);
	const cpus = rows.filter((r) => r.group === 'CPU');
	const share = cpus.reduce((sum, r) => sum + r.height, 0) / plot.height;
	check(cpus.length === 4 && share > 0.2 && share < 0.35, `CPUs have ${share} of the picture`);
	const last = rows[rows.length - 1];
	check(last.y + last.height > plot.y + plot.height - 20, `nothing below ${last.y + last.height} of ${plot.y + plot.height}`);
	// rows of 14 CPUs fill the screen, so no process is shown
	await open(pageOf(jsonOf([...many.map((r) => /** @type {Row} */ (r.with(2, r[3] % 14))), waiting].sort((a, b) => a[0] - b[0])), 'many14'));
	equal([(await labels('CPU')).length, (await labels('PID')).length], [14, 0], '14 CPUs');
});

await test('the column of labels has room for program and number, and the same width for every trace', async () => {
	await open(fewFile);
	const before = (await page.locator('#labels').boundingBox()).width;
	/** @type {Row[]} */
	const named = [[0.9, 1e-8, 0, 30, 0, Event.LEFTMARK, 0, 0, 0, 'postgres+wal_writer_1.30'], ...few.map((r) => /** @type {Row} */ (r[3] === 30 ? r.with(9, 'wal_writer_1.30') : r))];
	await open(pageOf(jsonOf(named), 'long'));
	const row = await d.row('wal_writer_1.30');
	equal(row.written, 'postgres+wal_writer_1.30', 'written whole');
	equal((await page.locator('#labels').boundingBox()).width, before, 'width');
});

await test('the box above the labels filters rows: case does not matter, ! inverts, an invalid expression is reported', async () => {
	await open(fewFile);
	await page.keyboard.press('l');
	equal(await page.evaluate(() => document.activeElement?.id), 'rowfilter', 'the key leads there');
	await page.keyboard.type('web');
	await d.settle();
	equal(await labels('PID'), ['Web.7', 'web.30'], 'web');
	equal((await labels('CPU')).length, 1, 'CPUs stay');
	equal(await small('PID'), '2 of 5', 'how many');
	await page.locator('#rowfilter').fill('!^(web|cron)');
	await d.settle();
	equal(await labels('PID'), ['db.9', 'db.12'], 'inverted');
	await page.locator('#rowfilter').fill('(');
	await d.settle();
	equal(await page.locator('#rowfilter').getAttribute('aria-invalid'), 'true', 'no expression');
	equal(await labels('PID'), ['db.9', 'db.12'], 'as before');
	await page.locator('#rowfilter').fill('db|\\.7$');
	await address('f=db');
	await page.reload();
	await page.waitForFunction(() => document.documentElement.dataset.state === 'ready');
	await d.settle();
	equal(await page.locator('#rowfilter').inputValue(), 'db|\\.7$', 'by the address');
	equal(await labels('PID'), ['Web.7', 'db.9', 'db.12'], 'rows by the address');
	await page.locator('#rowfilter').focus();
	await page.keyboard.press('Escape');
	await page.keyboard.press('Escape');
	await d.settle();
	equal(await labels('PID'), ['Web.7', 'db.9', 'db.12', 'web.30', 'cron.101'], 'Esc clears');
	await address('f=db', false);
	await open(fewFile, 'f=(&r=nonsense');
	equal((await labels('PID')).length, 5, 'an address that makes no sense');
});

await test('a row that the user goes to is shown in spite of the filter; a filter opens the processes', async () => {
	await open(manyFile, 'g=CPU');
	await page.locator('#rowfilter').fill('job.31');
	await d.settle();
	equal(await labels('PID'), many.slice(110).map((r) => r[9]), 'opened');
	await page.locator('#tab-waits').click();
	await page.locator('#tablebox tbody tr', { hasText: 'job.205' }).locator('td:not(.text) button').click();
	await d.settle();
	const { notes } = await d.drawn();
	check(notes.length === 1 && notes[0].includes('waiting for a lock'), `went to ${notes}`);
	equal((await labels('PID'))[0], 'job.205', 'its row');
	equal(await small('PID'), '11 of 120', 'rows');
});

await test('the menu and keys sort rows by number, CPU time, start or name, and the address stores the order', async () => {
	await open(fewFile);
	/** @type {Record<string, (a: Row, b: Row) => number>} */
	const orders = { number: (a, b) => a[3] - b[3], cpu: (a, b) => b[1] - a[1], start: (a, b) => a[0] - b[0] };
	for (const [name, by] of Object.entries(orders)) {
		await page.locator('#rowmenu summary').click();
		await page.locator(`#rowmenubox input[value=${name}]`).check();
		await d.settle();
		equal(await labels('PID'), [...few].sort(by).map((r) => r[9]), name);
		await page.keyboard.press('Escape');
		check(!await page.locator('#rowmenubox').isVisible(), 'Esc closes the menu');
	}
	await page.locator('#title').click();
	await page.keyboard.press('o');
	await d.settle();
	equal(await labels('PID'), ['cron.101', 'db.9', 'db.12', 'Web.7', 'web.30'], 'name, by key');
	await address('r=name');
	await page.reload();
	await page.waitForFunction(() => document.documentElement.dataset.state === 'ready');
	await d.settle();
	equal((await labels('PID'))[0], 'cron.101', 'by the address');
});

/** Returns every row of the open groups, by scrolling through them. @returns {Promise<any[]>} */
async function allRows() {
	/** @type {Map<string, any>} */
	const seen = new Map();
	if (!await page.locator('#rowbar').isVisible()) return d.shown();
	await page.locator('#rowbar').focus();
	await page.keyboard.press('Home');
	for (let last = -1; seen.size !== last; await page.keyboard.press('PageDown')) {
		await d.settle();
		last = seen.size;
		for (const row of await d.shown()) if (!seen.has(`${row.group} ${row.id}`)) seen.set(`${row.group} ${row.id}`, row);
	}
	return [...seen.values()];
}

await test('the tree of processes follows the results of fork and clone; a likely parent is marked; an impossible one is not shown', async () => {
	/** @type {Row[]} */
	const family = [
		[1.0, 0.05, 0, 10, 0, 65546, 0, 0, 0, 'sh.10'], [1.05, 0.05, 0, 10, 0, Event.SYSCALL64 + 56, 17, 30, 0, 'clone'],
		// the child runs before its parent's call returns; the child's pid exceeds the 16 bits of a result
		[1.17, 0.02, 1, 65536 + 20, 0, Event.SYSCALL64 + 435, 0, 0, 0, 'clone3'], [1.1, 0.02, 0, 30, 0, Event.SYSCALL64 + 56, 0, 0, 0, 'clone'],
		[1.12, 0.1, 0, 30, 0, 65566, 0, 0, 0, 'make.30'], [1.22, 0.01, 0, 30, 0, Event.SYSCALL64 + 435, 0, 20, 0, 'clone3'],
		[1.19, 0.2, 1, 65536 + 20, 0, 131092, 0, 0, 0, 'cc.65556'],
		// an error, not process 65525
		[1.24, 0.01, 0, 30, 0, Event.SYSCALL64 + 57, 0, 65525, 0, 'fork'], [1.5, 0.1, 0, 65525, 0, 131061, 0, 0, 0, 'other.65525'],
		// a kernel thread: no call shows its parent
		[1.6, 0.05, 0, 2, 0, 65538, 0, 0, 0, 'kthreadd.2'], [1.6, 0.02, 0, 2, 0, -3, 0, 40, 0, '-wakeup-'],
		[1.0, 1e-8, 0, 40, 0, Event.LEFTMARK, 0, 0, 0, 'kthreadd+kworker/0:1.40'], [1.62, 0.03, 1, 40, 0, 65576, 0, 0, 0, 'kworker/0:1.40'],
		// clone returns the pid of a child in another namespace, and another process has the same pid here
		[1.7, 0.01, 0, 10, 0, Event.SYSCALL64 + 56, 0, 50, 0, 'clone'], [1.71, 0.01, 0, 7, 0, 65543, 0, 0, 0, 'web.7'],
		[1.715, 0.01, 0, 7, 0, -3, 1, 50, 0, '-wakeup-'], [1.725, 0.1, 1, 50, 0, 65586, 0, 0, 0, 'worker.50'],
	];
	await open(pageOf(jsonOf(family.sort((a, b) => a[0] - b[0])), 'family'), 'g=CPU.PID&r=tree');
	/** @param {any[]} rows */
	const tree = (rows) => rows.filter((r) => r.group === 'PID').map((r) => `${'  '.repeat(r.depth)}${r.label}${r.guessed ? ' ?' : ''}`);
	equal(tree(await allRows()), ['kthreadd.2', '  kworker/0:1.40 ?', 'web.7', 'sh.10', '  make.30', '    cc.65556', 'worker.50', 'other.65525'], 'tree');
	await page.locator('#rowfilter').fill('make|cc');
	await d.settle();
	equal(tree(await allRows()), ['make.30', '  cc.65556'], 'of what is filtered');

	const json = golden();
	const rows = rowsOf(json);
	await open(pageOf(json, 'golden'), 'g=CPU.PID&r=tree');
	const got = (await allRows()).filter((r) => r.group === 'PID');
	const forked = rows.filter((r) => /^(clone|clone3|fork|vfork)$/.test(r[9]) && r[7] > 0 && r[7] < 61440);
	check(forked.length > 10, 'the trace has too few forks');
	for (const [,,, parent,,,, child] of forked) {
		const at = got.findIndex((r) => r.id === child);
		check(at >= 0 && !got[at].guessed, `${child} is not there, or a guess`);
		let up = at - 1;
		while (up >= 0 && got[up].depth >= got[at].depth) up--;
		equal(got[up]?.id, parent, `parent of ${child}`);
	}
	equal(got.filter((r) => r.depth && !r.guessed).length, forked.length, 'no other children that are certain');
});

await test('the page reports rows out of sight, and the scroll bar reaches them', async () => {
	await open(fewFile);
	equal(await page.locator('#rowbar').isVisible(), false, 'all fit');
	equal(await page.locator('#unseen').isVisible(), false, 'none out of sight');
	await open(manyFile, 'g=CPU');
	await page.locator('[data-group=PID]').click();
	await d.settle();
	const bar = page.locator('#rowbar');
	const box = await bar.boundingBox();
	const { plot } = await d.drawn();
	check(box.x >= plot.x + plot.width - 1 && Math.abs(box.height - plot.height) < 2 && box.width >= 8, `bar ${JSON.stringify(box)}`);
	const unseen = async () => (await page.locator('#unseen').innerText()).match(/\d+/g).map(Number);
	const all = await d.shown();
	equal(await unseen(), [124 - all.length], 'rows below');
	const badge = await page.locator('#unseen').boundingBox();
	check(badge.y >= plot.y + plot.height, 'it stands below the labels, over none of them');
	for (const what of ['#timeas', '#clock']) {
		const words = await page.evaluate((/** @type {string} */ s) => {
			const range = document.createRange();
			range.selectNodeContents(/** @type {Node} */ (document.querySelector(s)));
			const { left, top, bottom } = range.getBoundingClientRect();
			return { left, top, bottom };
		}, what);
		check(words.bottom <= badge.y + 1 || words.top >= badge.y + badge.height - 1 || words.left >= badge.x + badge.width || what === '#timeas', `over ${what}: ${JSON.stringify([words, badge])}`);
	}
	const thumb = async () => page.locator('#rowbar i').boundingBox();
	const before = await thumb();
	check(before.height < box.height * 0.7 && before.height >= 20, `thumb of ${before.height}`);
	await d.drag([before.x + 3, before.y + 5], [before.x + 3, before.y + 5 + box.height]);
	let rows = await d.shown();
	equal(rows[rows.length - 1].label, 'job.319', 'dragged to the end');
	near((await thumb()).y + before.height, box.y + box.height, 1.5, 'the thumb is at the end');
	equal(await unseen(), [124 - rows.length], 'rows above');
	await bar.focus();
	await page.keyboard.press('Home');
	await d.settle();
	equal((await d.shown())[0].label, 'CPU 0', 'Home');
	const first = (await d.shown())[3].y;
	await page.keyboard.press('ArrowDown');
	await d.settle();
	near(first - (await d.shown()).find((r) => r.label === 'CPU 3').y, 22, 1, 'arrow down');
	await page.mouse.click(box.x + 4, box.y + box.height - 4);
	await d.settle();
	rows = await d.shown();
	check((await unseen())[0] > 15 && rows[0].label !== 'CPU 0', 'a click below the thumb: a page');
	check(/rows visible, \d+ above, \d+ below/.test(String(await bar.getAttribute('aria-valuetext'))), 'said to screen readers');
	await page.locator('#title').click();
	await page.keyboard.press('PageUp');
	await d.settle();
	equal((await d.shown())[0].label, 'CPU 0', 'PageUp');
});

await test('labels stay beside their rows when the focus goes to a group out of sight', async () => {
	await open(manyFile, 'g=CPU');
	await page.locator('[data-group=PID]').click();
	await page.locator('#rowbar').waitFor();
	await page.locator('#rowbar').focus();
	await page.keyboard.press('End');
	await d.settle();
	check((await d.shown())[0].label !== 'CPU 0', 'not scrolled');
	await page.locator('[data-group=CPU]').focus();
	await d.settle();
	const inside = async () => page.evaluate(() => ['labels', 'plot', 'groups', 'main'].map((id) => document.getElementById(id)?.scrollTop));
	equal(await inside(), [0, 0, 0, 0], 'scrolled within');
	const { plot } = await d.drawn();
	for (const name of ['CPU', 'PID']) {
		await page.locator(`[data-group=${name}]`).focus();
		await d.settle();
		const button = await page.locator(`[data-group=${name}]`).boundingBox();
		check(button.y >= plot.y - 1 && button.y + button.height <= plot.y + plot.height + 1, `${name} is out of sight: ${button.y}`);
		equal(await inside(), [0, 0, 0, 0], `scrolled within, ${name}`);
		const next = (await d.shown()).find((r) => r.group === name && r.y > button.y);
		near(next.y - button.y, 21, 2, `${name}: its first row is below it`);
	}
	const canvas = await page.locator('#labelcanvas').boundingBox();
	near(canvas.y, plot.y, 0.5, 'labels begin where the rows do');
});

await test('64 CPUs fit a laptop\'s screen, 288 are scrolled and can be read', async () => {
	await open(machine(64));
	equal((await labels('CPU')).length, 64, 'CPUs in sight');
	const { plot } = await d.drawn();
	for (const row of await d.shown()) {
		check(row.y >= plot.y && row.y + row.height <= plot.y + plot.height, `${row.label} is cut off`);
		check(row.group !== 'CPU' || row.height >= 5.9, `${row.label} is ${row.height} high`);
	}
	equal(await page.locator('#rowbar').isVisible(), false, 'no scroll bar');
	await open(machine(288));
	const rows = await labels('CPU');
	check(rows.length > 20 && rows.length < 60, `${rows.length} CPUs in sight`);
	equal(await page.locator('#rowbar').isVisible(), true, 'a scroll bar');
	await page.locator('#rowbar').focus();
	await page.keyboard.press('End');
	await d.settle();
	check((await labels('CPU')).includes('CPU 287'), 'the last');
});

/** Returns the labels of the visible rows, from top to bottom. */
const shown = async () => (await d.shown()).sort((a, b) => a.y - b.y).map((r) => r.label);
/** Returns the position of a label in client coordinates. @param {string} label */
const place = async (label) => {
	const row = await d.row(label);
	const { plot } = await d.drawn();
	return { x: plot.x - 50, y: row.y + row.height / 2 };
};

await test('a pinned row stays at the top while other rows move; double click, button and key pin it', async () => {
	await open(manyFile, 'g=CPU');
	await page.locator('[data-group=PID]').click();
	await d.settle();
	const at = await place('job.203');
	await d.doubleClick(at.x, at.y);
	await d.settle();
	equal((await shown())[0], 'job.203', 'double click');
	const cpu = await place('CPU 2');
	await page.mouse.move(cpu.x, cpu.y);
	await page.locator('#pinrow').click();
	await d.settle();
	equal((await shown()).slice(0, 3), ['job.203', 'CPU 2', 'CPU 0'], 'button');
	const before = await d.shown();
	await page.locator('#rowbar').focus();
	await page.keyboard.press('End');
	await d.settle();
	let rows = await d.shown();
	equal(rows.slice(0, 2).map((r) => [r.label, r.y]), before.slice(0, 2).map((r) => [r.label, r.y]), 'pinned rows have not moved');
	equal(rows[rows.length - 1].label, 'job.319', 'the others have');
	const band = rows[1].y + rows[1].height;
	check(rows.slice(2).every((r) => r.y >= band), 'a row lies over the pinned ones');
	equal(new Set(rows.map((r) => r.label)).size, rows.length, 'each once');
	// the pinned row shows its own spans
	const job = /** @type {Row} */ (many.find((r) => r[3] === 203));
	equal(await d.hit(await d.xOf(job[0] + 0.005), rows[0].y + rows[0].height * 0.7), job, 'hover on the pinned row');
	// a row that is half covered also shows its own spans
	await page.keyboard.press('Home');
	for (let i = 0; i < 3; i++) await page.keyboard.press('ArrowDown');
	await d.settle();
	rows = await d.shown();
	check(rows[2].height < rows[3].height - 2 && rows[2].y >= band, `no row is cut: ${rows[2].label}`);
	const cut = many.find((r) => r[9] === rows[2].label) ?? many.find((r) => `CPU ${r[2]}` === rows[2].label);
	equal(await d.hit(await d.xOf(/** @type {Row} */ (cut)[0] + 0.005), rows[2].y + rows[2].height / 2), cut, 'hover on the cut one');
	await page.locator('#rowfilter').fill('nothing');
	await d.settle();
	check((await shown()).includes('job.203'), 'pinned rows stay in spite of the filter');
	await page.locator('#rowfilter').fill('');
	await address('k=PID.203_CPU.2');
	await page.reload();
	await page.waitForFunction(() => document.documentElement.dataset.state === 'ready');
	await d.settle();
	equal((await shown()).slice(0, 2), ['job.203', 'CPU 2'], 'by the address');
	await page.locator('#title').click();
	await page.keyboard.press('ArrowRight');
	await page.keyboard.press('p');
	await d.settle();
	equal((await shown())[0], 'CPU 2', 'the key lets the row of the annotation go');
	check((await page.locator('#say').innerText()).includes('no longer pinned'), 'said to screen readers');
	await page.locator('#rowmenu summary').click();
	await page.locator('#unpin').click();
	await d.settle();
	await page.keyboard.press('Escape');
	// some time after a reload, Firefox may scroll the rows to their earlier position
	await page.locator('#rowbar').focus();
	await page.keyboard.press('Home');
	await d.settle();
	equal((await shown()).slice(0, 3), ['CPU 0', 'CPU 1', 'CPU 2'], 'none is pinned');
});

await test('the wheel zooms; with shift and on labels it moves rows; a stored switch exchanges the two', async () => {
	await open(manyFile, 'g=CPU');
	await page.locator('[data-group=PID]').click();
	await d.settle();
	const { plot } = await d.drawn();
	/** Returns the effect of a turn of the wheel. @param {number} x @param {boolean} shift */
	const turn = async (x, shift) => {
		const [range, rows] = [await d.range(), await d.shown()];
		await page.mouse.move(x, plot.y + 200);
		if (shift) await page.keyboard.down('Shift');
		await page.mouse.wheel(0, -300);
		await page.mouse.wheel(0, 200);
		if (shift) await page.keyboard.up('Shift');
		await d.settle();
		const [now, after] = [await d.range(), await d.shown()];
		const what = now[1] - now[0] !== range[1] - range[0] ? 'zooms' : Math.abs(after[0].height - rows[0].height) > 0.5 ? 'rows higher' : String(after.map((r) => r.y)) !== String(rows.map((r) => r.y)) ? 'rows move' : 'nothing';
		await page.locator('#reset').click();
		await page.locator('#rowbar').focus();
		await page.keyboard.press('PageDown');
		await d.settle();
		return what;
	};
	const [picture, labelsX] = [plot.x + 300, plot.x - 50];
	const all = async () => [await turn(picture, false), await turn(picture, true), await turn(labelsX, false), await turn(labelsX, true)];
	await turn(picture, false);
	equal(await all(), ['zooms', 'rows move', 'rows move', 'rows higher'], 'at first');
	await page.locator('#rowmenu summary').click();
	await page.locator('#rowmenubox input[value=rows]').check();
	await page.keyboard.press('Escape');
	equal(await all(), ['rows move', 'zooms', 'rows higher', 'rows move'], 'exchanged');
	check((await page.locator('#hint').innerText()).startsWith('wheel: scroll rows'), 'the hint says so');
	await page.reload();
	await page.waitForFunction(() => document.documentElement.dataset.state === 'ready');
	await d.settle();
	equal(await turn(picture, true), 'zooms', 'kept');
	await page.locator('#rowmenu summary').click();
	await page.locator('#rowmenubox input[value=zoom]').check();
	await page.keyboard.press('Escape');
	equal(await turn(picture, false), 'zooms', 'and back');
});

await test('in a browser without storage, the switch is valid until the page is closed', async () => {
	await page.close();
	page = await browser.context.newPage();
	await page.addInitScript(() => Object.defineProperty(window, 'localStorage', { get: () => { throw new DOMException('no', 'SecurityError'); } }));
	await page.goto(pathToFileURL(manyFile).href);
	await page.waitForFunction(() => document.documentElement.dataset.state === 'ready');
	d = driver(page);
	await page.keyboard.press('Shift');
	await page.locator('#rowmenu summary').click();
	await page.locator('#rowmenubox input[value=rows]').check();
	await page.keyboard.press('Escape');
	await d.settle();
	const before = await d.range();
	const { plot } = await d.drawn();
	await page.mouse.move(plot.x + 300, plot.y + 200);
	await page.mouse.wheel(0, -300);
	await d.settle();
	equal(await d.range(), before, 'the wheel does not zoom');
});

await test('a cancelled touch leaves no row dragging', async () => {
	await open(manyFile, 'g=CPU');
	await page.locator('[data-group=PID]').click();
	await d.settle();
	const first = (await d.shown())[0];
	await page.evaluate(() => {
		const labels = /** @type {HTMLElement} */ (document.getElementById('labels'));
		labels.setPointerCapture = () => {};
		const { x, y } = labels.getBoundingClientRect();
		const finger = (/** @type {string} */ type, /** @type {number} */ up) =>
			labels.dispatchEvent(new PointerEvent(type, { pointerId: 7, clientX: x + 60, clientY: y + 300 - up, pointerType: 'touch', bubbles: true, button: 0 }));
		finger('pointerdown', 0);
		finger('pointermove', 30);
		finger('pointercancel', 30);
	});
	await d.settle();
	const rows = await d.shown();
	const { plot } = await d.drawn();
	await page.mouse.move(plot.x - 50, plot.y + 100);
	await page.mouse.move(plot.x - 50, plot.y + 200, { steps: 3 });
	await d.settle();
	equal((await d.shown()).map((r) => r.y), rows.map((r) => r.y), 'rows follow a mouse that has no button down');
	check(!rows.some((r) => r.label === first.label && r.y >= first.y), 'the finger moved them');
});

await test('a measurement stays if the button is released before shift', async () => {
	await open(fewFile);
	const row = await d.row('CPU 0');
	const y = row.y + row.height * 0.7;
	await page.keyboard.down('Shift');
	await page.mouse.move(await d.xOf(1.01), y);
	await page.mouse.down();
	await page.mouse.move(await d.xOf(1.61), y, { steps: 5 });
	await page.mouse.up();
	await page.keyboard.up('Shift');
	await d.settle();
	check((await page.locator('#measure').innerText()).includes('600'), `measured ${await page.locator('#measure').innerText()}`);
	equal((await d.drawn()).notes.length, 2, 'both ends');
});

await test('the graphs of CPU use, run queue, disk queue and packets agree with the JSON; missing data has no row', async () => {
	const json = golden('patched-4cpu');
	const rows = rowsOf(json);
	await open(pageOf(json, 'patched'), 'g=Machine');
	const disk = rows.filter((r) => r[5] === Event.WAITA + 3);
	equal(await labels('Machine'), ['CPU use', 'run queue', ...disk.length ? ['disk queue'] : [], 'packets'], 'rows');
	/** Returns the time of rows inside [a, b) in seconds. @param {Row[]} list @param {number} a @param {number} b */
	const inside = (list, a, b) => list.reduce((sum, r) => sum + Math.max(0, Math.min(b, r[0] + r[1]) - Math.max(a, r[0])), 0);
	const busy = rows.filter((r) => isExecution(r) && r[5] !== 65536);
	/** @type {Record<string, (r: Row) => boolean>} */
	const parts = {
		user: (r) => r[5] > 65536 && r[5] !== 0x20000 && r[6] !== 1,
		interrupts: (r) => r[5] < Event.SYSCALL64 && (r[5] & 0x100) !== 0,
		kernel: (r) => !(r[5] > 65536 && r[5] !== 0x20000 && r[6] !== 1) && !(r[5] < Event.SYSCALL64 && (r[5] & 0x100) !== 0),
	};
	const queue = rows.filter((r) => r[2] === -1 && r[5] === Event.WAITA + 2);
	check(queue.length > 100, 'a queue that nobody is in');
	const [first, last] = await d.range();
	for (const [from, to] of [[0, 1], [0.3, 0.4], [0.5, 0.501]]) {
		await d.setRange(first + (last - first) * from, first + (last - first) * to);
		await d.settle();
		const [a, b] = await d.range();
		const { graphs } = await d.drawn();
		const step = (b - a) / graphs[0].columns;
		for (const [name, is] of Object.entries(parts)) {
			const sum = graphs[0].parts[name].reduce((/** @type {number} */ s, /** @type {number} */ v) => s + v, 0) * step;
			const want = inside(busy.filter(is), a, b);
			near(sum, want, want * 0.02 + step * 0.5, `${name} from ${from} to ${to}`);
		}
		equal(graphs[0].most, 4, 'CPUs');
		for (let x = 0; x < graphs[1].columns; x += 7) {
			const [tl, tr] = [a + x * step, a + (x + 1) * step];
			near(graphs[1].parts['on average'][x], inside(queue, tl, tr) / step, 0.01, `run queue of column ${x}`);
			const times = [tl, ...queue.map((r) => r[0]).filter((t) => t > tl && t < tr)];
			const most = Math.max(...times.map((t) => queue.filter((r) => r[0] <= t + 1e-9 && r[0] + r[1] > t + 1e-9).length));
			near(graphs[1].peak[x], most, 1, `most in column ${x}`);
		}
		const sent = graphs[graphs.length - 1].parts.sent.reduce((/** @type {number} */ s, /** @type {number} */ v) => s + v, 0);
		equal(sent, rows.filter((r) => r[5] === Event.TX_PKT && r[0] >= a && r[0] < b).length, 'packets sent');
	}
	// the graph is drawn, and the pointer can read it
	const row = await d.row('CPU use');
	const { plot, graphs } = await d.drawn();
	check(Object.keys(await d.colours('base', { x: plot.x, y: Math.round(row.y + row.height - 6), width: plot.width, height: 4 })).length > 1, 'nothing is drawn');
	await page.mouse.move(plot.x + 301, row.y + row.height - 4);
	await d.settle();
	const at = Math.floor((301 / plot.width) * graphs[0].columns);
	const total = Object.values(graphs[0].parts).reduce((s, values) => s + /** @type {number[]} */ (values)[at], 0);
	const text = await page.locator('#tip').innerText();
	check(text.startsWith('CPU use: ') && Math.abs(parseFloat(text.slice(9)) - total) < 0.006 * (1 + total), `reads "${text}", is ${total}`);
	await open(fewFile, 'g=CPU.Machine');
	equal(await labels('Machine'), ['CPU use'], 'a trace without waits and packets');
});

await test('kernel threads and workers of io_uring are kernel time in the graph and in the search', async () => {
	const json = recorded('iouring');
	const own = rowsOf(json).filter((r) => isExecution(r) && r[5] > 65536 && r[3] > 0);
	const time = (/** @type {Row[]} */ list) => list.reduce((sum, r) => sum + r[1], 0);
	const [kernel, user] = [own.filter((r) => KERNEL_NAMES.test(r[9])), own.filter((r) => !KERNEL_NAMES.test(r[9]))];
	check(time(kernel) > 3 * time(user), `${time(kernel)} s of kernel threads, ${time(user)} s of programs`);
	await open(pageOf(json, 'iouring'), 'g=Machine');
	const [a, b] = await d.range();
	const { graphs } = await d.drawn();
	const shown = graphs[0].parts.user.reduce((/** @type {number} */ s, /** @type {number} */ v) => s + v, 0) * ((b - a) / graphs[0].columns);
	near(shown, time(user), time(user) * 0.02, 'user code in the graph');
	for (const [text, list] of /** @type {[string, Row[]][]} */ ([['kind:user', user], ['kind:kthread', kernel]])) {
		const found = await page.evaluate((/** @type {string} */ t) => window.kutrace.search(t), text);
		equal([found.count, found.seconds.toFixed(8)], [list.length, time(list).toFixed(8)], text);
	}
	await page.evaluate(() => window.kutrace.search(''));
});

await test('the menu makes PID rows show the CPU use of each process', async () => {
	await open(fewFile, 'g=CPU');
	await page.locator('#rowmenu summary').click();
	await page.locator('#rowmenubox input[value=use]').check();
	await d.settle();
	equal((await labels('PID')).length, 5, 'opens the processes');
	const { graphs, plot } = await d.drawn();
	equal(graphs.map((/** @type {any} */ g) => g.label), await labels('PID'), 'graphs');
	const db = graphs.find((/** @type {any} */ g) => g.label === 'db.12');
	for (const [t, want] of [[1.2, 0], [1.9, 1], [2.2, 1], [2.8, 0]]) {
		const at = Math.floor(((await d.xOf(t) - plot.x) / plot.width) * db.columns);
		near(db.parts.user[at], want, 1e-6, `db.12 at ${t}`);
	}
	await address('.use');
	await page.locator('#rowmenubox input[value=spans]').check();
	await d.settle();
	equal((await d.drawn()).graphs.length, 0, 'off');
});

await test('screen readers get the picture in words: the view, the outlined span, the activity of each row, and the graphs', async () => {
	const json = golden();
	const spans = rowsOf(json).filter(isExecution);
	await open(pageOf(json, 'words'), 'g=CPU.PID.Machine');
	const [t0, t1] = await d.range();
	const a = t0 + (t1 - t0) * 0.25;
	const b = t0 + (t1 - t0) * 0.75;
	await d.setRange(a, b);
	await page.keyboard.press('ArrowRight');
	await d.settle();
	await page.locator('#inwords p').filter({ hasText: 'Annotated: ' }).waitFor({ state: 'attached' });
	const said = await page.evaluate(() => ({
		caption: document.querySelector('#inwords caption')?.textContent ?? '', notes: [...document.querySelectorAll('#inwords p')].map((p) => p.textContent ?? ''),
		rows: [...document.querySelectorAll('#inwords tr')].map((tr) => [...tr.children].map((c) => c.textContent ?? '')), details: document.getElementById('over')?.getAttribute('aria-details'),
	}));
	equal(said.details, 'inwords', 'the picture leads there');
	const shown = await d.shown();
	equal(said.rows.map((/** @type {string[]} */ r) => r[0].replace(/^.*\+/, '')), shown.map((/** @type {any} */ r) => r.label), 'rows in sight');
	const [from, to] = await d.range();
	check(said.caption.includes(`${((to - from) * 1e3).toFixed(3).replace(/0+$/, '')} ms from ${from.toFixed(8)}`), said.caption);
	const share = (/** @type {Row[]} */ list) => list.reduce((s, r) => s + Math.max(0, Math.min(r[0] + r[1], to) - Math.max(r[0], from)), 0) / (to - from);
	let ran = 0;
	for (const [label, text] of said.rows) {
		const row = shown.find((/** @type {any} */ r) => r.label === label.replace(/^.*\+/, ''));
		if (!['CPU', 'PID'].includes(row.group)) continue;
		const own = spans.filter((r) => r[5] !== 65536 && (row.group === 'CPU' ? r[2] : r[3]) === row.id);
		const [all, user] = [share(own), share(own.filter((r) => r[5] > 65536 && r[6] !== 1))];
		if (text === 'did not run') check(all < 1e-6, `${label}: it ran ${all}`);
		else near(Number(/^ran ([\d.]+)/.exec(text)?.[1]), all * 100, 0.1, `${label}: ${text}`);
		if (user > 0.002) near(Number(/user ([\d.]+)/.exec(text)?.[1]), user * 100, 0.1, `${label}: ${text}`);
		if (all > 0) ran++;
	}
	check(ran > 5, `${ran} rows ran`);
	// the rows of the machine may be out of sight
	await page.locator('[data-group=PID]').click();
	await d.settle();
	await page.locator('#inwords th').filter({ hasText: 'CPU use' }).waitFor({ state: 'attached' });
	const graph = await page.locator('#inwords tr').filter({ hasText: 'CPU use' }).locator('td').textContent();
	const busy = share(spans.filter((r) => r[5] !== 65536));
	near(Number(/on average ([\d.]+) CPUs/.exec(graph)?.[1]), busy, busy * 0.01, `CPU use: ${graph}`);
	near(Number(/user ([\d.]+)/.exec(graph)?.[1]), share(spans.filter((r) => r[5] > 65536 && r[6] !== 1)), busy * 0.01, `of it user code: ${graph}`);
});

await test('rows: no complaint on the console, no request', () => {
	equal(browser.complaints, [], 'console');
	equal(browser.requests, [], 'requests');
});
await browser.close();
