// SPDX-License-Identifier: BSD-3-Clause
/** Holds the colours of a trace's names and processes for one palette and highlight. Never changes. */
import { FIRST_TASK, Kind, programOf, isOwn } from '../base/kinds.ts';
import { mix, pixel, type Palette, type Rgb } from '../base/palette.ts';
import type { Trace } from '../data/trace.ts';

export class Styles {
	declare only: ((entry: number) => boolean) | null;
	declare palette: Palette;
	declare trace: Trace;
	/** Colour of the bar of each dictionary entry, as a pixel. */
	declare body: Uint32Array;
	declare rgb: Rgb[];

	/** @param only dictionary entries that are highlighted; the others are grey */
	constructor(trace: Trace, palette: Palette, only: ((entry: number) => boolean) | null = null) {
		this.only = only;
		this.palette = palette;
		this.trace = trace;
		const n = trace.texts.length;
		this.body = new Uint32Array(n);
		this.rgb = new Array(n);
		for (let i = 0; i < n; i++) {
			const kind = trace.kinds[i];
			let color;
			if (isOwn(kind)) color = palette.user(programOf(trace.texts[i]), trace.events[i] - FIRST_TASK)[0];
			else color = palette.numbered(kind, kind === Kind.IDLE || kind === Kind.IDLELP ? 0 : trace.events[i]);
			if (kind === Kind.IDLE) color = palette.idle;
			if (kind === Kind.IDLELP) color = palette.idleLow;
			if (only && !only(i)) color = palette.grey;
			this.rgb[i] = color;
			this.body[i] = pixel(color);
		}
	}

	#second: Map<number, number> = new Map();

	/** Returns the second colour of a pid, as a pixel. */
	context(pid: number) {
		let color = this.#second.get(pid);
		if (color === undefined) {
			color = pixel(this.only ? this.palette.grey : pid <= 0 ? mix(this.palette.background, this.palette.idle, 0.6) :
				this.palette.user(programOf(this.trace.pidLabel(pid)), pid)[1]);
			this.#second.set(pid, color);
		}
		return color;
	}
}
