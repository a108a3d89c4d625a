// SPDX-License-Identifier: BSD-3-Clause
/** Returns label and colour of a node in the tree of time, as in the picture. Must not walk down the tree. */
import * as format from '../base/format.ts';
import { Kind, programOf, isOwn } from '../base/kinds.ts';
import { reasonIn } from '../ask/waitname.ts';
import type { Node } from '../ask/flame.ts';
import type { Rgb } from '../base/palette.ts';
import type { View } from '../scene/view.ts';

/** elapsed: all time; cpu: time on a CPU. */
export type Measure = 'elapsed' | 'cpu';

/** Returns the label of a node. @param title label of the root */
export function labelOf({ trace }: View, node: Node, title: string) {
	if (node.what === 'all') return title;
	if (node.what === 'process') return node.id ? trace.pidLabel(node.id) : 'interrupts in idle';
	if (node.what === 'wait') {
		if (node.id >= 0) return `waiting for ${trace.words[node.id]}`;
		if (!node.letter) return 'not running, cause unknown';
		return reasonIn(node.letter, node.parent?.what === 'call' && !isOwn(trace.kinds[node.parent.id]) ? trace.words[node.parent.id] : '');
	}
	const kind = trace.kinds[node.id];
	if (!isOwn(kind)) return trace.words[node.id];
	const process = node.parent?.what === 'process' ? trace.pidLabel(node.parent.id) : '';
	const code = kind === Kind.USER ? 'user code' : 'kernel code';
	return trace.words[node.id] === process ? code : `${code} of ${trace.words[node.id]}`;
}

export function colorOf({ trace, palette, styles }: View, node: Node): Rgb {
	if (node.what === 'all') return palette.grid;
	if (node.what === 'process') return node.id ? palette.user(programOf(trace.pidLabel(node.id)), node.id)[1] : palette.idle;
	if (node.what === 'wait') return palette.waits[node.letter] ?? palette.dim;
	return styles.rgb[node.id];
}

/** Returns a node with its ancestors, outermost first. */
export function pathOf(node: Node): Node[] {
	const path = [];
	for (let at = node as Node | null; at; at = at.parent) path.unshift(at);
	return path;
}

export function describe(view: View, node: Node, root: Node, by: Measure, title: string) {
	const share = root[by] ? `${((node[by] / root[by]) * 100).toFixed(1)}\u2009%` : '';
	const parts = [
		...(node.what === 'wait' ? [format.duration(node.elapsed)] : [`${format.duration(node.elapsed)} elapsed, ${format.duration(node.cpu)} on CPU`]),
		...(share ? [`${share} of all`] : []),
		...(node.count ? [`${format.count(node.count)} times`] : []),
		...(node.most > 0 ? [`longest ${format.duration(node.most)}`] : []),
	];
	return `${labelOf(view, node, title)}: ${parts.join(', ')}`;
}
