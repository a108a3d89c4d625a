// SPDX-License-Identifier: BSD-3-Clause
/**
 * Returns label and colour of a node in the tree of time, as in the picture. Must not walk down the tree.
 */
import * as format from '../base/format.js';
import { Kind, programOf, isOwn } from '../base/kinds.js';
import { reasonIn } from '../ask/waitname.js';

/** @typedef {import('../ask/flame.js').Node} Node */
/** @typedef {import('../scene/view.js').View} View */
/** elapsed: all time; cpu: time on a CPU. @typedef {'elapsed' | 'cpu'} Measure */

/** Returns the label of a node. @param {View} view @param {Node} node @param {string} title label of the root */
export function labelOf({ trace }, node, title) {
	if (node.what === 'all') return title;
	if (node.what === 'process') return node.id ? trace.pidLabel(node.id) : 'interrupts in idle';
	if (node.what === 'wait') {
		if (node.id >= 0) return `waiting for ${trace.words[node.id]}`;
		if (!node.letter) return 'not running, not told why';
		return reasonIn(node.letter, node.parent?.what === 'call' && !isOwn(trace.kinds[node.parent.id]) ? trace.words[node.parent.id] : '');
	}
	const kind = trace.kinds[node.id];
	if (!isOwn(kind)) return trace.words[node.id];
	const process = node.parent?.what === 'process' ? trace.pidLabel(node.parent.id) : '';
	const code = kind === Kind.USER ? 'user code' : 'kernel code';
	return trace.words[node.id] === process ? code : `${code} of ${trace.words[node.id]}`;
}

/** Returns the colour of a node. @param {View} view @param {Node} node @returns {import('../base/palette.js').Rgb} */
export function colorOf({ trace, palette, styles }, node) {
	if (node.what === 'all') return palette.grid;
	if (node.what === 'process') return node.id ? palette.user(programOf(trace.pidLabel(node.id)), node.id)[1] : palette.idle;
	if (node.what === 'wait') return palette.waits[node.letter] ?? palette.dim;
	return styles.rgb[node.id];
}

/** Returns a node with its ancestors, outermost first. @param {Node} node @returns {Node[]} */
export function pathOf(node) {
	const path = [];
	for (let at = /** @type {Node | null} */ (node); at; at = at.parent) path.unshift(at);
	return path;
}

/** Describes a node in a sentence. @param {View} view @param {Node} node @param {Node} root @param {Measure} by @param {string} title */
export function tellOf(view, node, root, by, title) {
	const share = root[by] ? `${((node[by] / root[by]) * 100).toFixed(1)}\u2009%` : '';
	const parts = [
		...(node.what === 'wait' ? [format.duration(node.elapsed)] : [`${format.duration(node.elapsed)} elapsed, ${format.duration(node.cpu)} on CPU`]),
		...(share ? [`${share} of all`] : []),
		...(node.count ? [`${format.count(node.count)} times`] : []),
		...(node.most > 0 ? [`longest ${format.duration(node.most)}`] : []),
	];
	return `${labelOf(view, node, title)}: ${parts.join(', ')}`;
}
