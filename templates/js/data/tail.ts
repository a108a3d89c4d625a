// SPDX-License-Identifier: BSD-3-Clause
/**
 * Reads a column whose first numbers are 0 and are not stored. RPC ids can be such a column, because spans on no CPU come
 * last. The column never changes.
 */

export class Tail {
	declare values: Float64Array | Int32Array | Int16Array;
	declare from: number;

	/** @param from span of the first value */
	constructor(values: Float64Array | Int32Array | Int16Array, from: number) {
		this.values = values;
		this.from = from;
	}

	/** Returns the value of a span. */
	at(g: number) {
		return g < this.from ? 0 : this.values[g - this.from];
	}
}
