// SPDX-License-Identifier: BSD-3-Clause
/**
 * Defines window.kutrace, for tests and for pages that embed this page. The names in window.kutrace and their meanings must
 * not change. Times are in seconds, positions are client coordinates.
 */
import { EXECUTION_KINDS } from '../base/kinds.ts';
import { UNITS_PER_SECOND, type Trace } from '../data/trace.ts';
import { BAR_SHARE, heights } from '../draw/sizes.ts';
import type { Picture } from '../draw/picture.ts';
import type { Minimap } from '../panel/minimap.ts';

/** Defines window.kutrace. Must be called when everything is ready. */
export function embed(
	picture: Picture, minimap: Minimap,
	search: (text: string) => {count: number, seconds: number, matches: number, elapsed: number}, flame: () => unknown,
) {
	const { view } = picture;
	const { trace } = view;
	(window as any).kutrace = {
		/** Returns the shown time range, seconds. */
		range: () => [view.t0 / UNITS_PER_SECOND, view.t1 / UNITS_PER_SECOND],
		/** Shows a time range, in seconds. */
		setRange: (from: number, to: number) => {
			if (!Number.isFinite(from) || !Number.isFinite(to) || to <= from)
				throw new RangeError('setRange(start, stop): seconds, start before stop');
			view.show(from * UNITS_PER_SECOND, to * UNITS_PER_SECOND);
			picture.frame();
		},
		/** Returns the visible rows, client coordinates. */
		rows: () => {
			const box = picture.parts.over.getBoundingClientRect();
			return view.rows.visible.map((r) => ({
				group: r.group, id: r.id, label: r.label, y: r.y + box.top, height: r.h, spans: r.spans.length,
				/** The label as drawn, shortened to its space. */
				written: view.drawn.rowLabels.find(({ row }) => row === r)?.text ?? '',
				marked: view.rows.marked.has(`${r.group} ${r.id}`),
				/** Position in the process tree, if rows are in that order. */
				depth: r.depth, guessed: r.guessed,
				/** True if the row was drawn in columns of several pixels, for lack of time. */
				rough: picture.painter.rowLines.get(r)?.rough ?? false,
			}));
		},
		/** Returns the row of span JSON at a point. @param x client coordinate @param y client coordinate */
		hit: (x: number, y: number) => {
			const box = picture.parts.over.getBoundingClientRect();
			const hit = view.hit(x - box.left, y - box.top);
			return hit ? trace.row(hit.span) : null;
		},
		/** Searches. Returns the matching spans on the screen, the matches (a call is one match), and the times of both. */
		search,
		/** Returns what the last frame drew, for tests. */
		drawn: () => {
			const box = picture.parts.over.getBoundingClientRect();
			return {
				plot: { x: box.left, y: box.top, width: box.width, height: box.height },
				arcs: view.drawn.arcs.map((a) => ({
					row: trace.row(a.span), x0: a.x0 + box.left, y0: a.y0 + box.top, x1: a.x1 + box.left, y1: a.y1 + box.top,
				})),
				arcsVisible: view.drawn.arcsVisible,
				marks: view.drawn.marks.map((m) => ({
					row: trace.row(m.span), x: m.x + box.left, y: m.row.y + box.top, group: m.row.group, labelled: m.labelled,
				})),
				/** Bars: numbers of elements that begin in each cell, by kind. */
				bars: view.drawn.bars.map(({ what, parts, t0, step, most, y0, y1 }) => ({
					what, counts: Object.fromEntries(parts.map(({ name, counts }) => [name, [...counts]])), most,
					from: t0 / UNITS_PER_SECOND, step: step / UNITS_PER_SECOND, y0: y0 + box.top, y1: y1 + box.top,
				})),
				notes: view.drawn.notes,
				/** Notes of the user, relative to the plot's corner. */
				written: view.drawn.written.map(({ note, x0, x1, y0, y1 }) => ({ ...note, x0, x1, y0, y1 })),
				/** The selected span, and its outlines, relative to the plot's corner. */
				chosen: view.chosen && { row: trace.row(view.chosen.span), group: view.chosen.group, id: view.chosen.id, boxes: view.drawn.chosen },
				/** Names on the picture, of spans, annotations and marks, with the rectangles that they cover, relative to the plot's corner. */
				named: view.drawn.named, pinned: view.drawn.pinned, inside: view.drawn.inside,
				labels: view.drawn.labels.map(({ text, x0, x1, y0, y1 }) => ({ text, x0, x1, y0, y1 })),
				matched: view.drawn.matched,
				overhead: view.drawn.overhead.map(({ span, x0, x1 }) => ({ row: trace.row(span), x0: x0 + box.left, x1: x1 + box.left })),
				graphs: view.drawn.graphs.map(({ row, graph, columns }) => ({
					label: row.label, columns, most: graph.most, peak: graph.peak && [...graph.peak],
					parts: Object.fromEntries(graph.parts.map(({ name, values }) => [name, [...values]])),
				})),
				/** Ticks of the axis, seconds. */
				axis: view.times().ticks.map(({ t, label }) => ({ t: t / UNITS_PER_SECOND, label })),
				/** True while new rows are still being drawn. */
				unfinished: picture.unfinished,
				selection: view.selection && { from: view.selection.t0 / UNITS_PER_SECOND, to: view.selection.t1 / UNITS_PER_SECOND },
				chain: view.drawn.chain.map((c) => ({
					...c, x0: c.x0 + box.left, x1: c.x1 + box.left, y: c.y + box.top,
					from: c.from && { x: c.from.x + box.left, y: c.from.y + box.top },
				})),
				path: view.drawn.path.map((p) => ({ ...p, x0: p.x0 + box.left, x1: p.x1 + box.left, y: p.y + box.top })),
				messages: view.drawn.messages.map((m) => ({
					row: trace.row(m.span), x0: m.x0 + box.left, y0: m.y0 + box.top, x1: m.x1 + box.left, y1: m.y1 + box.top,
				})),
				window: minimap.window,
				measure: view.measureText(),
			};
		},
		/** Returns the boxes of the flame, for tests. */
		flame,
		painted: (group: string, id: number) => painted(picture, group, id),
		/** Returns and removes the durations of the last frames, ms. */
		frames: () => picture.frames.splice(0),
		spans: trace.length,
		/** Time from the start of loading until now, when everything is ready, ms. */
		loadMs: performance.now(),
		bytes: () => footprint(trace),
		/** Returns the number of spans that were summed one by one for the totals of matches. */
		visited: () => view.matches?.visited ?? 0,
	};
	const root = document.documentElement;
	root.dataset.state = 'ready';
	delete root.dataset.picture;
	delete root.dataset.overview;
}

/**
 * Draws the picture again. Returns for one row how much of each pixel column was drawn in each execution kind's colour, 0
 * to 1, and how many pixels of the stored lines differ from newly drawn lines.
 */
function painted(picture: Picture, group: string, id: number) {
	const { view, painter } = picture;
	const row = view.rows.find(group, id);
	if (!row) return null;
	painter.record = new Map();
	view.draw();
	picture.frame();
	const { shares, stale } = painter.record.get(row.spans) ?? { shares: new Float32Array(0), stale: 0 };
	painter.record = null;
	const style = painter.style!;
	const rgb = (color: number) => [color & 255, (color >>> 8) & 255, (color >>> 16) & 255];
	return {
		kinds: EXECUTION_KINDS, shares: Array.from(shares), stale, colours: Array.from(style.kinds, rgb),
		background: rgb(style.background), barShare: BAR_SHARE, heights: Array.from(heights.subarray(0, EXECUTION_KINDS)),
	};
}

/** Returns the size of all buffers in a value that are not in known, and adds these buffers to known. @returns bytes */
function bytesIn(value: unknown, known: Set<unknown>): number {
	if (!value || typeof value !== 'object' || known.has(value)) return 0;
	known.add(value);
	if (ArrayBuffer.isView(value)) {
		if (known.has(value.buffer)) return 0;
		known.add(value.buffer);
		return value.buffer.byteLength;
	}
	let bytes = 0;
	for (const part of value instanceof Map ? value.values() : Object.values(value)) bytes += bytesIn(part, known);
	return bytes;
}

/** Returns the bytes of a trace's arrays by purpose, so that a test can check limits on any machine. Counts each buffer once. */
function footprint(trace: Trace): Record<string, number> {
	const known: Set<unknown> = new Set();
	const { start, dur, name, spanKinds, pid, rpc } = trace;
	return {
		columns: bytesIn([start, dur, name, spanKinds, pid, rpc], known),
		packed: bytesIn([trace.arg, trace.ret, trace.ipc], known),
		cpus: bytesIn([...trace.cpus.values()].map((list) => list.tables), known),
		processes: trace.sorting ? 0 : bytesIn(trace.processes().flatMap(({ spans, waits }) => [spans.index, spans.tables, waits?.index, waits?.tables]), known),
		calls: trace.joining ? 0 : bytesIn(trace.calls?.joined, known),
		rest: bytesIn(trace, known),
	};
}
