// SPDX-License-Identifier: BSD-3-Clause
/** Defines what a frame has drawn and where, for hit tests, the status line and tests. */
import * as format from '../base/format.ts';
import type { Graph } from '../ask/machine.ts';
import type { Note } from './notes.ts';
import type { RowOf } from './rows.ts';

export type DrawnMark = {span: number, x: number, row: RowOf, labelled: boolean};
/** An arc or a message on the screen. */
export type DrawnArc = {span: number, x0: number, y0: number, x1: number, y1: number};
/** A part of the critical path on the screen, in the row of pid. */
export type DrawnPart = {pid: number, x0: number, x1: number, y: number, runs: boolean};
/** Numbers of visible elements. of: all; shown: drawn individually; what: their name (`arcs` ...); bars: bars show all of them. */
export type Thinned = {shown: number, of: number, what: string, bars?: boolean};
/**
 * Bars that show how many elements begin in each cell of the time axis. parts: the counts of each kind, lowest first. t0,
 * step: beginning of the first cell, and width of each cell. most: elements of the highest bar. y0, y1: top and bottom on
 * the screen.
 */
export type DrawnBars = {
	what: string, parts: {name: string, kind: number, counts: Uint32Array}[], t0: number, step: number, most: number,
	y0: number, y1: number,
};
/** A gap on the screen, and the line from its waker. */
export type DrawnLink = {pid: number, x0: number, x1: number, y: number, from: {x: number, y: number} | null};

export const nothingDrawn = () => ({
	arcs: [] as DrawnArc[], arcsVisible: 0,
	marks: [] as DrawnMark[],
	/** Bars for arcs, marks and messages that are too many to be drawn individually. */
	bars: [] as DrawnBars[],
	/** Names of marks, and the rectangles that they cover. */
	labels: [] as {row: RowOf, text: string, x0: number, x1: number, y0: number, y1: number}[],
	/** Names in wide spans: the whole name, the part that is shown, and its position. */
	inside: [] as {text: string, shown: string, x0: number, x1: number, y0: number}[],
	/** Names of spans and annotations, and the rectangles that they cover. */
	named: [] as {x0: number, x1: number, y0: number, y1: number, text: string}[],
	pinned: [] as {x0: number, x1: number, y0: number, y1: number}[],
	chosen: [] as {x0: number, x1: number, y0: number, y1: number}[],
	notes: [] as string[], matched: 0,
	/** The user's notes, and the rectangles that they cover. */
	written: [] as {note: Note, x0: number, x1: number, y0: number, y1: number}[],
	chain: [] as DrawnLink[],
	path: [] as DrawnPart[],
	messages: [] as DrawnArc[],
	overhead: [] as {span: number, x0: number, x1: number}[],
	/** Labels of rows, shortened to the available width. */
	rowLabels: [] as {row: RowOf, text: string}[],
	thinned: {} as Record<string, Thinned>,
	graphs: [] as {row: RowOf, graph: Graph, columns: number}[],
});

/** Describes the elements that were left out or drawn as bars: `132 of 1 688 spans named, 12 000 arcs as bars`. */
export const leftOut = ({ thinned }: ReturnType<typeof nothingDrawn>) => Object.values(thinned).filter(({ shown, of }) => shown < of)
	.map(({ shown, of, what, bars }) => (bars ? `${format.count(of)} ${what} as bars` : `${format.count(shown)} of ${format.count(of)} ${what}`)).join(', ');
