// SPDX-License-Identifier: BSD-3-Clause
/** Reads the header of a trace. Must not trust a value, because it comes from a file. */

/** Returns an object of the header. A long object, or a long list in it, continues under the keys "key2", "key3" ... */
export function whole(header: any, key: string) {
	const first = header[key];
	if (!first || typeof first !== 'object' || Array.isArray(first)) return first;
	const all = { ...first };
	for (let part = 2; header[key + part] && typeof header[key + part] === 'object'; part++) {
		for (const [name, value] of Object.entries(header[key + part])) {
			const before = Object.hasOwn(all, name) ? all[name] : undefined;
			all[name] = Array.isArray(before) && Array.isArray(value) ? [...before, ...value] : value;
		}
	}
	return all;
}

/** Time in which events of some CPUs are missing, units of 10 ns. */
export type Partial = {from: number, to: number};

/**
 * Returns the time range of the fact "partial", which has the form FROM:TO. Returns the fact's text if it has another form or
 * if TO is not after FROM. Returns null if the trace has no such fact.
 */
export function partialOf(header: any): Partial | string | null {
	const value = whole(header, 'coverage')?.partial;
	if (value === undefined) return null;
	// an object may have a key "toString", and then String() fails
	const text = typeof value === 'object' ? JSON.stringify(value) : String(value);
	const [, from, to] = /^(\d{1,18}):(\d{1,18})$/.exec(text)?.map(Number) ?? [];
	return from < to ? { from, to } : text;
}
