// SPDX-License-Identifier: BSD-3-Clause
/** Draws into SVG: SvgContext replaces a canvas, SvgPainter paints rows as rectangles. Must escape all text. */
import { pixel } from '../base/palette.ts';
import { Painter } from './paint.ts';

export const escaped = (text: string) => text.replace(/[\u0000-\u0008\u000b\u000c\u000e-\u001f\ufffe\uffff]|[\ud800-\udbff](?![\udc00-\udfff])|(?<![\ud800-\udbff])[\udc00-\udfff]/g, '\ufffd')
	.replace(/&/g, '&amp;').replace(/</g, '&lt;').replace(/>/g, '&gt;').replace(/"/g, '&quot;');
/** Formats a number with two decimals. */
const n = (v: number) => String(Math.round(v * 100) / 100);

/** Paints rows as rectangles of one colour. Coordinates are device pixels. */
export class SvgPainter extends Painter {
	out: string[] = [];

	fill(x0: number, x1: number, y0: number, y1: number, color: number) {
		const left = Math.max(0, x0);
		const right = Math.min(this.width, x1);
		const top = Math.max(0, y0);
		const bottom = Math.min(this.height, y1);
		if (left >= right || top >= bottom) return;
		const hex = [color, color >>> 8, color >>> 16].map((v) => (v & 255).toString(16).padStart(2, '0')).join('');
		const s = this.scale;
		this.out.push(`<path fill="#${hex}" d="M${n(left / s)} ${n(top / s)}h${n((right - left) / s)}v${n((bottom - top) / s)}h${n((left - right) / s)}z"/>`);
	}

	blankRows() {
		const { palette } = this.style!.styles;
		const grid = pixel(palette.grid);
		for (let x = 0; x < this.width; x++) if (this.blank[x] === grid) this.fill(x, x + 1, 0, this.height, grid);
	}

	copyDown(line: Uint32Array, y0: number, y1: number) {
		for (let x = 0; x < this.width;) {
			const color = line[x];
			const from = x;
			while (x < this.width && line[x] === color) x++;
			if (color !== 0) this.fill(from, x, y0, y1, color);
		}
	}
}

/** The methods and properties of CanvasRenderingContext2D that the picture uses. */
export class SvgContext {
	out: string[] = [];
	fillStyle = '#000';
	strokeStyle = '#000';
	lineWidth = 1;
	globalAlpha = 1;
	font = '';
	textAlign = 'left';
	textBaseline = 'alphabetic';
	lineCap = 'butt';
	#dash: number[] = [];
	#path = '';
	#saved: Record<string, any>[] = [];
	#ruler;

	constructor(ruler: CanvasRenderingContext2D) {
		this.#ruler = ruler;
	}

	save() {
		const { fillStyle, strokeStyle, lineWidth, globalAlpha, font, textAlign, textBaseline, lineCap } = this;
		this.#saved.push({ fillStyle, strokeStyle, lineWidth, globalAlpha, font, textAlign, textBaseline, lineCap, dash: this.#dash });
	}

	restore() {
		const saved = this.#saved.pop();
		if (!saved) return;
		const { dash, ...rest } = saved;
		this.#dash = dash;
		Object.assign(this, rest);
	}

	setLineDash(dash: number[]) {
		this.#dash = dash;
	}

	setTransform() {}

	clearRect() {}

	beginPath() {
		this.#path = '';
	}

	moveTo(x: number, y: number) {
		this.#path += `M${n(x)} ${n(y)}`;
	}

	lineTo(x: number, y: number) {
		this.#path += `${this.#path ? 'L' : 'M'}${n(x)} ${n(y)}`;
	}

	bezierCurveTo(...p: number[]) {
		this.#path += `C${p.map(n).join(' ')}`;
	}

	rect(x: number, y: number, w: number, h: number) {
		this.#path += `M${n(x)} ${n(y)}h${n(w)}v${n(h)}h${n(-w)}z`;
	}

	/** @param to end angle, clockwise, radians; default: a full circle */
	arc(x: number, y: number, r: number, from = 0, to: number = 2 * Math.PI) {
		if (to - from >= 2 * Math.PI - 1e-6) {
			this.#path += `M${n(x - r)} ${n(y)}a${n(r)} ${n(r)} 0 1 0 ${n(2 * r)} 0a${n(r)} ${n(r)} 0 1 0 ${n(-2 * r)} 0z`;
			return;
		}
		const at = (angle: number) => `${n(x + r * Math.cos(angle))} ${n(y + r * Math.sin(angle))}`;
		this.#path += `${this.#path ? 'L' : 'M'}${at(from)}A${n(r)} ${n(r)} 0 ${Number(to - from > Math.PI)} 1 ${at(to)}`;
	}

	#alpha() {
		return this.globalAlpha < 1 ? ` opacity="${this.globalAlpha}"` : '';
	}

	fill() {
		if (this.#path) this.out.push(`<path fill="${this.fillStyle}"${this.#alpha()} d="${this.#path}"/>`);
	}

	stroke() {
		if (!this.#path) return;
		const dash = this.#dash.length ? ` stroke-dasharray="${this.#dash.join(' ')}"` : '';
		const cap = this.lineCap === 'butt' ? '' : ` stroke-linecap="${this.lineCap}"`;
		this.out.push(`<path fill="none" stroke="${this.strokeStyle}" stroke-width="${this.lineWidth}"${dash}${cap}${this.#alpha()} d="${this.#path}"/>`);
	}

	fillRect(x: number, y: number, w: number, h: number) {
		this.out.push(`<rect fill="${this.fillStyle}"${this.#alpha()} x="${n(x)}" y="${n(y)}" width="${n(Math.max(0, w))}" height="${n(Math.max(0, h))}"/>`);
	}

	strokeRect(x: number, y: number, w: number, h: number) {
		this.out.push(`<rect fill="none" stroke="${this.strokeStyle}" stroke-width="${this.lineWidth}"${this.#alpha()} x="${n(x)}" y="${n(y)}" width="${n(Math.max(0, w))}" height="${n(Math.max(0, h))}"/>`);
	}

	measureText(text: string) {
		this.#ruler.font = this.font;
		return this.#ruler.measureText(text);
	}

	fillText(text: string, x: number, y: number) {
		const m = /^(?:(\d+) )?([\d.]+)px (.*)$/.exec(this.font);
		const anchor = this.textAlign === 'center' ? 'middle' : this.textAlign === 'right' ? 'end' : 'start';
		// compute the baseline here, because viewers differ in dominant-baseline
		const size = Number(m?.[2] ?? 11);
		const down = this.textBaseline === 'middle' ? size * 0.36 : this.textBaseline === 'top' ? size * 0.86 : 0;
		this.out.push(`<text fill="${this.fillStyle}" font-size="${size}" font-weight="${m?.[1] ?? 400}" text-anchor="${anchor}" x="${n(x)}" y="${n(y + down)}">${escaped(text)}</text>`);
	}
}
