// SPDX-License-Identifier: BSD-3-Clause
/**
 * What the last frame drew, and where: shapes, and an empty start.
 * Never read by what decides about the next frame, but for names, which keep clear of labels.
 * Imported by view.js and shell/status.js; written by draw/, read by hit tests and the tests.
 */
import * as format from '../base/format.js';

/** @typedef {import('./rows.js').RowOf} RowOf */
/** A mark on the screen. @typedef {{span: number, x: number, row: RowOf, labelled: boolean}} DrawnMark */
/** An arc on the screen. @typedef {{span: number, x0: number, y0: number, x1: number, y1: number}} DrawnArc */
/** A message on the screen. @typedef {{span: number, x0: number, y0: number, x1: number, y1: number}} DrawnMessage */
/** A part of the critical path: in whose row, and where. @typedef {{pid: number, x0: number, x1: number, y: number, runs: boolean}} DrawnPart */
/** Elements of one sort in view: `of` in all, `shown` of them drawn. `what` names the sort (`arcs`, `marks` ...). With `bars`, bars show all of them. @typedef {{shown: number, of: number, what: string, bars?: boolean}} Thinned */
/**
 * Bars of the number of elements that begin in each cell of the time axis. parts: the counts of each kind, from the foot up.
 * t0, step: begin of the first cell, and width of each. most: elements of the highest bar. y0, y1: top and foot on the screen.
 * @typedef {{what: string, parts: {name: string, kind: number, counts: Uint32Array}[], t0: number, step: number, most: number, y0: number, y1: number}} DrawnBars
 */
/** A gap as drawn, and the line from its waker. @typedef {{pid: number, x0: number, x1: number, y: number, from: {x: number, y: number} | null}} DrawnLink */

export const nothingDrawn = () => ({
	arcs: /** @type {DrawnArc[]} */ ([]), arcsVisible: 0,
	marks: /** @type {DrawnMark[]} */ ([]),
	/** Arcs, marks and messages that are too many to be drawn. */
	bars: /** @type {DrawnBars[]} */ ([]),
	/** Marks' names, and what they cover. */
	labels: /** @type {{row: RowOf, text: string, x0: number, x1: number, y0: number, y1: number}[]} */ ([]),
	/** Names in wide spans: the whole name, the part that is shown, and where it is written. */
	inside: /** @type {{text: string, shown: string, x0: number, x1: number, y0: number}[]} */ ([]),
	/** Names of spans, and what is annotated: what they cover. */
	named: /** @type {{x0: number, x1: number, y0: number, y1: number, text: string}[]} */ ([]),
	pinned: /** @type {{x0: number, x1: number, y0: number, y1: number}[]} */ ([]),
	/** Outlines of the span that is chosen. */
	chosen: /** @type {{x0: number, x1: number, y0: number, y1: number}[]} */ ([]),
	notes: /** @type {string[]} */ ([]), matched: 0,
	/** Notes in the user's words: what they cover. */
	written: /** @type {{note: import('./notes.js').Note, x0: number, x1: number, y0: number, y1: number}[]} */ ([]),
	chain: /** @type {DrawnLink[]} */ ([]),
	path: /** @type {DrawnPart[]} */ ([]),
	messages: /** @type {DrawnMessage[]} */ ([]),
	/** Where what recording cost is drawn. */
	overhead: /** @type {{span: number, x0: number, x1: number}[]} */ ([]),
	/** Labels as they are written, cut to their room. */
	rowLabels: /** @type {{row: RowOf, text: string}[]} */ ([]),
	thinned: /** @type {Record<string, Thinned>} */ ({}),
	graphs: /** @type {{row: RowOf, graph: import('../ask/machine.js').Graph, columns: number}[]} */ ([]),
});

/**
 * Returns what was left out or drawn as bars so that the picture can be read, as words: `132 of 1 688 spans named, 12 000 arcs
 * as bars`; "" when all was drawn.
 * @param {ReturnType<typeof nothingDrawn>} drawn
 */
export const leftOut = ({ thinned }) => Object.values(thinned).filter(({ shown, of }) => shown < of)
	.map(({ shown, of, what, bars }) => (bars ? `${format.count(of)} ${what} as bars` : `${format.count(shown)} of ${format.count(of)} ${what}`)).join(', ');
