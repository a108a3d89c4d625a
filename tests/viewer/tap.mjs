// SPDX-License-Identifier: BSD-3-Clause
/** Prints TAP lines, and has the assertions of the browser tests. */

let number = 0;
let failures = 0;

/** With ONLY=regexp, only the tests with matching names run. */
const only = process.env.ONLY ? new RegExp(process.env.ONLY) : null;

/**
 * Runs one test. An exception makes it fail.
 * @param {string} name
 * @param {() => Promise<void> | void} body
 */
export async function test(name, body) {
	if (only && !only.test(name)) {
		skip(name, 'not among those asked for');
		return;
	}
	number++;
	try {
		await body();
		console.log(`ok ${number} - ${name}`);
	} catch (error) {
		failures++;
		console.log(`not ok ${number} - ${name}`);
		const text = error instanceof Error ? error.stack ?? error.message : String(error);
		for (const line of text.split('\n').slice(0, 6)) console.error(`# ${line}`);
	}
}

/** @param {string} name @param {string} reason */
export function skip(name, reason) {
	number++;
	console.log(`ok ${number} - ${name} # SKIP ${reason}`);
}

/** @returns {never} */
export function done() {
	console.log(`1..${number}`);
	process.exit(failures || !number ? 1 : 0);
}

/** @param {unknown} condition @param {string} message */
export function check(condition, message) {
	if (!condition) throw new Error(message);
}

/** @param {unknown} got @param {unknown} expected @param {string} what */
export function equal(got, expected, what) {
	const a = JSON.stringify(got);
	const b = JSON.stringify(expected);
	if (a !== b) throw new Error(`${what}: got ${a}, expected ${b}`);
}

/** @param {number} got @param {number} expected @param {number} tolerance @param {string} what */
export function near(got, expected, tolerance, what) {
	if (!(Math.abs(got - expected) <= tolerance)) throw new Error(`${what}: got ${got}, expected ${expected} within ${tolerance}`);
}
