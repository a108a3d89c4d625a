// SPDX-License-Identifier: BSD-3-Clause
/**
 * Reads a column whose first numbers are 0 and are not stored. RPC ids can be such a column, because spans on no CPU come
 * last. The column never changes.
 */

export class Tail {
	/** @param {Float64Array | Int32Array | Int16Array} values @param {number} from span of the first value */
	constructor(values, from) {
		this.values = values;
		this.from = from;
	}

	/** Returns the value of a span. @param {number} g */
	at(g) {
		return g < this.from ? 0 : this.values[g - this.from];
	}
}
