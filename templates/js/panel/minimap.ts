// SPDX-License-Identifier: BSD-3-Clause
/** Shows the whole trace in a strip above the picture. Must sum the trace again only when the width changes. */
import { consume } from '../base/dom.ts';
import * as format from '../base/format.ts';
import { Kind, isIdle, isMark } from '../base/kinds.ts';
import { css, mix, type Palette } from '../base/palette.ts';
import { when } from '../scene/times.ts';
import type { Picture } from '../draw/picture.ts';

const MOST_MARKS = 200;
/** Height of the strip, CSS pixels. */
const HEIGHT = 29;

export class Minimap {
	view = this.picture.view;
	/** Share of busy time of all CPUs in each pixel. */
	busy: Float32Array = new Float32Array(0);
	/** The part of the minimap that does not change with the visible range, and the palette of this part. */
	fixed = document.createElement('canvas');
	fixedOf: Palette | null = null;
	/** The rectangle of the visible range, CSS pixels. */
	window = { x0: 0, x1: 0 };

	constructor(public picture: Picture, public canvas: HTMLCanvasElement) {
		this.#listen();
	}

	/** Width in CSS pixels, the same as the picture. */
	get width() {
		return this.view.width;
	}

	x(t: number) {
		const { first, last } = this.view.trace;
		return ((t - first) / (last - first)) * this.width;
	}

	time(x: number) {
		const { first, last } = this.view.trace;
		return first + (x / this.width) * (last - first);
	}

	#measure() {
		const { trace } = this.view;
		const n = Math.round(this.width);
		if (this.busy.length === n) return;
		this.busy = new Float32Array(n);
		const step = (trace.last - trace.first) / n;
		for (const list of trace.cpus.values()) {
			list.prepare();
			let i = list.first(trace.first);
			for (let x = 0; x < n; x++) {
				const tl = trace.first + x * step;
				const tr = tl + step;
				while (i < list.length && list.end(i) <= tl) i++;
				const j = list.seek(tr, i, 16);
				if (j <= i) continue;
				let units = list.busyTime(i, j);
				if (!isIdle(list.kind(i))) units -= Math.max(0, tl - list.start(i));
				if (!isIdle(list.kind(j - 1))) units -= Math.max(0, list.end(j - 1) - tr);
				this.busy[x] += Math.max(0, units) / step / trace.cpus.size;
				i = j - 1;
			}
		}
	}

	/** Paints bars and marks. @param h height, CSS pixels */
	#paint(w: number, h: number) {
		const { view, fixed } = this;
		const { palette, trace } = view;
		this.fixedOf = palette;
		fixed.width = this.canvas.width;
		fixed.height = this.canvas.height;
		this.#measure();
		const ctx = this.picture.context(fixed);
		ctx.fillStyle = css(palette.stripe);
		ctx.fillRect(0, 0, w, h);
		ctx.fillStyle = css(mix(palette.background, palette.dim, 0.75));
		ctx.beginPath();
		for (let x = 0; x < this.busy.length; x++) {
			const high = Math.min(1, this.busy[x]) * (h - 4);
			if (high > 0) ctx.rect(x, h - Math.max(1, high), 1, Math.max(1, high));
		}
		ctx.fill();
		const every = Math.max(1, Math.ceil(trace.marks.length / MOST_MARKS));
		for (let i = 0; i < trace.marks.length; i += every) {
			const kind = trace.kind(trace.marks[i]);
			if (!isMark(kind)) continue;
			ctx.fillStyle = css(palette.kinds[kind]);
			ctx.fillRect(Math.round(this.x(trace.start[trace.marks[i]])), 0, 1, 5);
		}
	}

	draw() {
		const { view, canvas } = this;
		const { palette, trace, scale } = view;
		const w = this.width;
		const h = HEIGHT;
		if (canvas.width !== Math.round(w * scale) || canvas.height !== Math.round(h * scale)) {
			canvas.width = Math.round(w * scale);
			canvas.height = Math.round(h * scale);
		}
		if (this.fixedOf !== palette || this.fixed.width !== canvas.width || this.fixed.height !== canvas.height) this.#paint(w, h);
		const ctx = this.picture.context(canvas);
		ctx.drawImage(this.fixed, 0, 0, w, h);
		if (view.selection) {
			const x0 = this.x(view.selection.t0);
			ctx.fillStyle = css(palette.note, 0.35);
			ctx.fillRect(x0, 0, Math.max(1, this.x(view.selection.t1) - x0), h);
		}
		const x0 = Math.max(0, this.x(view.t0));
		const x1 = Math.min(w, this.x(view.t1));
		// widen a rectangle that is too narrow to see
		const wide = Math.max(5, x1 - x0);
		const left = Math.max(0, Math.min(w - wide, (x0 + x1) / 2 - wide / 2));
		this.window = { x0: left, x1: left + wide };
		ctx.fillStyle = css(palette.background, 0.6);
		ctx.fillRect(0, 0, left, h);
		ctx.fillRect(left + wide, 0, w - left - wide, h);
		ctx.strokeStyle = css(palette.kinds[Kind.WAKE]);
		ctx.lineWidth = 2;
		ctx.strokeRect(left + 1, 1, wide - 2, h - 2);
		const share = (view.t1 - view.t0) / (trace.last - trace.first);
		canvas.setAttribute('aria-valuenow', String(Math.round(((view.t0 + view.t1) / 2 - trace.first) / (trace.last - trace.first) * 100)));
		canvas.setAttribute('aria-valuetext', `${format.duration(view.t1 - view.t0)} from ${when(view, view.t0)}, ${(share * 100).toPrecision(2)} % of the trace`);
	}

	#listen() {
		const { canvas, view } = this;
		/** Distance of the pointer from the middle of the rectangle. */
		let hold = NaN;
		const at = (event: PointerEvent) => event.clientX - canvas.getBoundingClientRect().left;
		const move = (x: number) => {
			const width = view.t1 - view.t0;
			const middle = this.time(x);
			view.showBounded(middle - width / 2, middle + width / 2);
		};
		canvas.addEventListener('pointerdown', (event) => {
			if (event.button !== 0) return;
			canvas.setPointerCapture(event.pointerId);
			const x = at(event);
			const middle = (this.window.x0 + this.window.x1) / 2;
			hold = x >= this.window.x0 && x <= this.window.x1 ? x - middle : 0;
			if (hold === 0) move(x);
		});
		canvas.addEventListener('pointermove', (event) => {
			if (!Number.isNaN(hold)) move(at(event) - hold);
		});
		const up = () => {
			hold = NaN;
		};
		canvas.addEventListener('pointerup', up);
		canvas.addEventListener('pointercancel', up);
		canvas.addEventListener('wheel', (event) => {
			event.preventDefault();
			view.zoomAt(Math.exp(Math.max(-600, Math.min(600, event.deltaY)) * 0.002), view.width / 2);
		}, { passive: false });
		canvas.addEventListener('keydown', (event) => {
			const by = event.code === 'ArrowLeft' ? -0.25 : event.code === 'ArrowRight' ? 0.25 : 0;
			if (!by) return;
			view.pan(view.width * by);
			consume(event);
		});
	}
}
