// SPDX-License-Identifier: BSD-3-Clause
/**
 * A column that is 0 up to some span, of which only the rest has room: what is on no CPU stands behind all that is.
 * Never changes. Made by trace.js of what worker.js has decoded.
 */

export class Tail {
	/** @param {Float64Array | Int32Array | Int16Array} values @param {number} from the span of the first of them */
	constructor(values, from) {
		this.values = values;
		this.from = from;
	}

	/** @param {number} g span */
	at(g) {
		return g < this.from ? 0 : this.values[g - this.from];
	}
}
