// SPDX-License-Identifier: BSD-3-Clause
/**
 * Makes a long span JSON from a short real one by repetition. In each repetition, every
 * interval between two events gets up to 15 % longer or shorter, so all repetitions differ.
 * Spans still touch, nest and refer to each other as in the real trace. The same arguments
 * give the same bytes.
 *
 *	node tests/viewer/repeat.mjs trace.json[.xz] SPANS > long.json
 */
import { execFileSync } from 'node:child_process';
import { readFileSync, writeSync } from 'node:fs';

const [source, wantedText] = process.argv.slice(2);
const wanted = Number(wantedText);
if (!source || !(wanted > 0)) {
	console.error('usage: node tests/viewer/repeat.mjs trace.json[.xz] SPANS');
	process.exit(2);
}
const text = source.endsWith('.xz') ? execFileSync('xzcat', [source], { encoding: 'utf8', maxBuffer: 1 << 30 }) : readFileSync(source, 'utf8');
/** @type {[number, number, ...number[], string][]} */
const rows = JSON.parse(text).events.slice(0, -1);

/** @param {number} s */
const units = (s) => Math.round(s * 1e8);
const first = units(rows[0][0]);
const edges = new Float64Array([...new Set(rows.flatMap((r) => [units(r[0]), units(r[0]) + units(r[1])]))].sort((a, b) => a - b));
/** @type {Map<number, number>} */
const edgeOf = new Map([...edges].map((t, i) => [t, i]));
const from = Int32Array.from(rows, (r) => edgeOf.get(units(r[0])) ?? 0);
const to = Int32Array.from(rows, (r) => edgeOf.get(units(r[0]) + units(r[1])) ?? 0);
const rest = rows.map((r) => `, ${r.slice(2, 9).join(', ')}, ${JSON.stringify(r[9])}],\n`);

let state = 12345;
const random = () => {
	state = (Math.imul(state, 1103515245) + 12345) >>> 0;
	return (state >>> 8) / 16777216;
};
/** @param {number} u */
const seconds = (u) => `${Math.floor(u / 1e8)}.${String(u % 1e8).padStart(8, '0')}`;
/** @type {string[]} */
let lines = [text.slice(0, text.indexOf('\n', text.indexOf('"events"')) + 1)];
function flush() {
	const bytes = Buffer.from(lines.join(''));
	for (let at = 0; at < bytes.length;) {
		try {
			at += writeSync(1, bytes, at);
		} catch (error) {
			// the pipe is full and does not block
			if (/** @type {any} */ (error).code !== 'EAGAIN') throw error;
		}
	}
	lines = [];
}

const times = new Float64Array(edges.length);
let base = first;
for (let made = 0; made < wanted;) {
	times[0] = base;
	let time = base;
	for (let i = 1; i < edges.length; i++) {
		const step = edges[i] - edges[i - 1];
		time += step <= 1 ? step : Math.max(1, Math.round(step * (0.85 + 0.3 * random())));
		times[i] = time;
	}
	for (let i = 0; i < rows.length && made < wanted; i++, made++)
		lines.push('[', seconds(times[from[i]]).padStart(12), ', ', seconds(times[to[i]] - times[from[i]]), rest[i]);
	base = time + 1;
	flush();
}
lines.push('[999.0, 0.0, 0, 0, 0, 0, 0, 0, 0, ""]\n]}\n');
flush();
