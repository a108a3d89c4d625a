// SPDX-License-Identifier: BSD-3-Clause
/**
 * Draws the tree of time as an icicle, a flame graph that hangs down: the width of a box is its share of the time, and its
 * children are below it. Must skip nodes that are narrower than a pixel. A click or Enter zooms into a box; the path above or
 * Esc zooms out; arrow keys go from box to box.
 */
import { byId, consume, make } from '../base/dom.ts';
import { css, inkOn } from '../base/palette.ts';
import { fitted } from '../draw/inside.ts';
import { FONT } from '../draw/sizes.ts';
import { colorOf, labelOf, pathOf, describe, type Measure } from './nodes.ts';
import type { Node } from '../ask/flame.ts';
import type { View } from '../scene/view.ts';

/** A box as drawn, CSS pixels. */
type Box = {node: Node, x: number, width: number, depth: number};

/** Height of a box, CSS pixels; HIGH if the flame is large. */
const LOW = 18;
const HIGH = 30;
/** Space at the left and right, CSS pixels. */
const SIDE = 10;
/** Minimum width of a box that is drawn, CSS pixels. */
const LEAST = 0.4;

export class Flame {
	root: Node | null = null;
	/** The node that fills the width. */
	top: Node | null = null;
	/** The node with the keyboard focus. */
	at: Node | null = null;
	by: Measure = 'elapsed';
	title = '';
	boxes: Box[] = [];
	path = make('nav', 'path', '', { 'aria-label': 'Path to the box that fills the width' });
	canvas = make('canvas', '', '', {
		tabindex: '0', role: 'application',
		'aria-label': 'Flame graph of the time: arrow keys go from box to box, Enter zooms into a box, Escape zooms out. The table below has the same data.',
		click: (event: MouseEvent) => {
			const hit = this.#hit(event);
			if (hit) this.narrow(hit.node);
		},
		pointermove: (event: MouseEvent) => this.#hover(this.#hit(event)?.node ?? null),
		pointerleave: () => this.#hover(null),
		keydown: (event: KeyboardEvent) => this.#keys(event),
		focus: () => this.#go(this.at ?? this.top),
		blur: () => this.draw(),
	});
	description = make('output', 'told', '', { 'aria-live': 'polite' });

	constructor(public view: View, public box: HTMLElement) {
		box.append(this.path, this.canvas, this.description);
		new ResizeObserver(() => this.draw()).observe(box);
	}

	show(root: Node, by: Measure, title: string) {
		// keep the zoom into a node if the new tree has this node
		const path = this.top ? pathOf(this.top).slice(1) : [];
		let top = root;
		for (const step of path) {
			const next = top.children.find((c) => c.what === step.what && c.id === step.id && c.letter === step.letter);
			if (!next) break;
			top = next;
		}
		this.root = root;
		this.top = top;
		this.at = null;
		this.by = by;
		this.title = title;
		this.draw();
		this.#hover(null);
	}

	narrow(node: Node) {
		this.top = node;
		this.at = node;
		this.draw();
		this.#describe(node);
	}

	#hit(event: MouseEvent) {
		const place = this.canvas.getBoundingClientRect();
		const [x, y] = [event.clientX - place.left, event.clientY - place.top];
		const depth = Math.floor(y / this.#high());
		return this.boxes.find((b) => b.depth === depth && x >= b.x && x < b.x + Math.max(1, b.width)) ?? null;
	}

	#describe(node: Node) {
		if (this.root) this.description.textContent = describe(this.view, node, this.root, this.by, this.title);
	}

	#hover(node: Node | null) {
		this.canvas.style.cursor = node ? 'pointer' : '';
		const of = node ?? this.at ?? this.top;
		if (of) this.#describe(of);
	}

	/** Moves the keyboard focus to a node. */
	#go(node: Node | null) {
		if (!node) return;
		this.at = node;
		this.draw();
		this.#describe(node);
	}

	#keys(event: KeyboardEvent) {
		const at = this.at ?? this.top;
		if (!at || !this.top) return;
		const place = this.boxes.findIndex((b) => b.node === at);
		const beside = this.boxes.filter((b) => b.depth === this.boxes[place]?.depth);
		const i = beside.findIndex((b) => b.node === at);
		switch (event.code) {
		case 'ArrowDown': this.#go(this.boxes.find((b) => b.node.parent === at)?.node ?? at); break;
		case 'ArrowUp': this.#go(at.parent ?? at); break;
		case 'ArrowLeft': this.#go(beside[i - 1]?.node ?? at); break;
		case 'ArrowRight': this.#go(beside[i + 1]?.node ?? at); break;
		case 'Enter': case 'NumpadEnter': this.narrow(at); break;
		case 'Escape':
			if (!this.top.parent) return;
			this.narrow(this.top.parent);
			break;
		default: return;
		}
		consume(event);
	}

	/** Returns the visible boxes: the node that fills the width, its ancestors over the whole width, then its descendants. */
	#layout(width: number) {
		const boxes: Box[] = [];
		const { top, by } = this;
		if (!top) return boxes;
		const path = pathOf(top);
		path.forEach((node, depth) => boxes.push({ node, x: 0, width, depth }));
		/** Adds the boxes of a node's children. @param share pixels per unit */
		const below = (node: Node, x: number, share: number, depth: number) => {
			for (const child of [...node.children].sort((a, b) => b[by] - a[by])) {
				const wide = child[by] * share;
				if (wide < LEAST) break;
				boxes.push({ node: child, x, width: wide, depth });
				below(child, x, share, depth + 1);
				x += wide;
			}
		};
		below(top, 0, width / Math.max(1, top[by]), path.length);
		return boxes;
	}

	#high() {
		return this.box.dataset.large ? HIGH : LOW;
	}

	draw() {
		const { canvas, view, top } = this;
		const { scale, palette } = view;
		const width = Math.floor(this.box.clientWidth) - 2 * SIDE;
		if (!top || width < 20) return;
		this.boxes = this.#layout(width);
		const high = this.#high();
		const height = high * (1 + Math.max(...this.boxes.map((b) => b.depth)));
		canvas.style.width = `${width}px`;
		canvas.style.height = `${height}px`;
		canvas.width = Math.round(width * scale);
		canvas.height = Math.round(height * scale);
		const ctx = canvas.getContext('2d')!;
		ctx.scale(scale, scale);
		ctx.font = FONT;
		ctx.textBaseline = 'middle';
		const focused = document.activeElement === canvas ? this.at : null;
		const above = pathOf(top).length - 1;
		for (const { node, x, width: wide, depth } of this.boxes) {
			const color = colorOf(view, node);
			const y = depth * high;
			ctx.globalAlpha = depth < above ? 0.6 : 1;
			ctx.fillStyle = css(color);
			ctx.fillRect(x, y, Math.max(0.5, wide - (wide > 3 ? 1 : 0)), high - 1);
			ctx.globalAlpha = 1;
			const text = wide > 24 ? fitted(ctx, view, labelOf(view, node, this.title), wide - 8) : '';
			if (text) {
				ctx.fillStyle = depth < above ? css(palette.text) : inkOn(color);
				ctx.fillText(text, x + 4, y + high / 2);
			}
			if (node === focused) {
				ctx.strokeStyle = css(palette.text);
				ctx.lineWidth = 2;
				ctx.strokeRect(x + 1, y + 1, Math.max(2, wide - 3), high - 3);
			}
		}
		this.#showPath(pathOf(top));
	}

	#showPath(path: Node[]) {
		const key = path.map((n) => labelOf(this.view, n, this.title)).join('\n');
		if (this.path.dataset.of === key) return;
		this.path.dataset.of = key;
		this.path.replaceChildren(...path.map((node, i) => {
			const label = labelOf(this.view, node, this.title);
			if (i === path.length - 1) return make('span', '', label);
			return make('button', 'link', label, { click: () => this.narrow(node) });
		}));
	}

	/** Shows the flame over the picture, or in the panel again. @param home the flame's place in the panel */
	place(large: boolean, home: HTMLElement) {
		const over = byId('flamelarge');
		over.hidden = !large;
		if (large) this.box.dataset.large = '1';
		else delete this.box.dataset.large;
		(large ? byId('flameplace') : home).append(this.box);
		this.draw();
	}

	/** Returns the drawn boxes in client coordinates, for tests. */
	drawn() {
		const place = this.canvas.getBoundingClientRect();
		const high = this.#high();
		return this.boxes.map(({ node, x, width, depth }) => ({
			label: labelOf(this.view, node, this.title), path: pathOf(node).map((n) => labelOf(this.view, n, this.title)),
			x: x + place.x, y: place.y + depth * high, width, height: high, elapsed: node.elapsed, cpu: node.cpu, count: node.count,
		}));
	}
}
