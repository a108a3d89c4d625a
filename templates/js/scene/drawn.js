// SPDX-License-Identifier: BSD-3-Clause
/**
 * Defines what a frame has drawn and where, for hit tests, the status line and tests. Must not influence the next frame,
 * except that names avoid labels.
 */
import * as format from '../base/format.js';

/** @typedef {import('./rows.js').RowOf} RowOf */
/** A mark on the screen. @typedef {{span: number, x: number, row: RowOf, labelled: boolean}} DrawnMark */
/** An arc on the screen. @typedef {{span: number, x0: number, y0: number, x1: number, y1: number}} DrawnArc */
/** A message on the screen. @typedef {{span: number, x0: number, y0: number, x1: number, y1: number}} DrawnMessage */
/**
 * A part of the critical path on the screen, in the row of pid.
 * @typedef {{pid: number, x0: number, x1: number, y: number, runs: boolean}} DrawnPart
 */
/**
 * Elements of one sort in view: `of` in all, `shown` of them drawn. `what` names the sort (`arcs`, `marks` ...). With
 * `bars`, bars show all of them.
 * @typedef {{shown: number, of: number, what: string, bars?: boolean}} Thinned
 */
/**
 * Bars that show how many elements begin in each cell of the time axis. parts: the counts of each kind, lowest first. t0,
 * step: beginning of the first cell, and width of each cell. most: elements of the highest bar. y0, y1: top and bottom on
 * the screen.
 * @typedef {{what: string, parts: {name: string, kind: number, counts: Uint32Array}[], t0: number, step: number, most: number, y0: number, y1: number}} DrawnBars
 */
/**
 * A gap on the screen, and the line from its waker.
 * @typedef {{pid: number, x0: number, x1: number, y: number, from: {x: number, y: number} | null}} DrawnLink
 */

export const nothingDrawn = () => ({
	arcs: /** @type {DrawnArc[]} */ ([]), arcsVisible: 0,
	marks: /** @type {DrawnMark[]} */ ([]),
	/** Bars for arcs, marks and messages that are too many to be drawn individually. */
	bars: /** @type {DrawnBars[]} */ ([]),
	/** Names of marks, and the rectangles that they cover. */
	labels: /** @type {{row: RowOf, text: string, x0: number, x1: number, y0: number, y1: number}[]} */ ([]),
	/** Names in wide spans: the whole name, the part that is shown, and its position. */
	inside: /** @type {{text: string, shown: string, x0: number, x1: number, y0: number}[]} */ ([]),
	/** Names of spans and annotations, and the rectangles that they cover. */
	named: /** @type {{x0: number, x1: number, y0: number, y1: number, text: string}[]} */ ([]),
	pinned: /** @type {{x0: number, x1: number, y0: number, y1: number}[]} */ ([]),
	/** Outlines of the selected span. */
	chosen: /** @type {{x0: number, x1: number, y0: number, y1: number}[]} */ ([]),
	notes: /** @type {string[]} */ ([]), matched: 0,
	/** The user's notes, and the rectangles that they cover. */
	written: /** @type {{note: import('./notes.js').Note, x0: number, x1: number, y0: number, y1: number}[]} */ ([]),
	chain: /** @type {DrawnLink[]} */ ([]),
	path: /** @type {DrawnPart[]} */ ([]),
	messages: /** @type {DrawnMessage[]} */ ([]),
	/** Where the cost of recording is drawn. */
	overhead: /** @type {{span: number, x0: number, x1: number}[]} */ ([]),
	/** Labels of rows, shortened to the available width. */
	rowLabels: /** @type {{row: RowOf, text: string}[]} */ ([]),
	thinned: /** @type {Record<string, Thinned>} */ ({}),
	graphs: /** @type {{row: RowOf, graph: import('../ask/machine.js').Graph, columns: number}[]} */ ([]),
});

/**
 * Describes names and arcs that were left out or drawn as bars: `132 of 1 688 spans named, 12 000 arcs as bars`; "" if
 * everything was drawn.
 * @param {ReturnType<typeof nothingDrawn>} drawn
 */
export const leftOut = ({ thinned }) => Object.values(thinned).filter(({ shown, of }) => shown < of)
	.map(({ shown, of, what, bars }) => (bars ? `${format.count(of)} ${what} as bars` : `${format.count(shown)} of ${format.count(of)} ${what}`)).join(', ');
