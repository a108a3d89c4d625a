// SPDX-License-Identifier: BSD-3-Clause
/**
 * Numbers as people read them: durations, times of day, ticks of the axis. Times come in units of 10 ns.
 * Never reads a trace or the page. All durations are told in one unit when somebody has chosen one.
 * Imported by whatever writes numbers.
 */

/** @param {number} value @param {number} digits */
function trimmed(value, digits) {
	const text = value.toFixed(digits);
	return text.includes('.') ? text.replace(/\.?0+$/, '') : text;
}

/** What durations can be told in, as the address has it; auto: each in the one that suits it. */
export const UNITS = /** @type {const} */ (['auto', 'ns', 'us', 'ms']);
/** @typedef {typeof UNITS[number]} Unit */
/** Nanoseconds in one, and digits behind the point that tell 10 ns apart. @type {Record<Exclude<Unit, 'auto'>, {ns: number, digits: number, text: string}>} */
const SIZES = { ns: { ns: 1, digits: 0, text: 'ns' }, us: { ns: 1e3, digits: 2, text: 'µs' }, ms: { ns: 1e6, digits: 5, text: 'ms' } };

/** @type {Unit} */
let chosen = 'auto';
/** From now on durations are told so. @param {Unit} unit */
export const setUnit = (unit) => {
	chosen = unit;
};
/** @param {Unit} unit as people read it */
export const unitText = (unit) => (unit === 'auto' ? 'auto' : SIZES[unit].text);

/** In the unit that was chosen: `1 369 120 ns`. @param {number} units @param {Exclude<Unit, 'auto'>} unit @param {(n: number, digits: number) => string} digitsOf */
function inUnit(units, unit, digitsOf) {
	const { ns, digits, text } = SIZES[unit];
	const [whole, part] = digitsOf(Math.abs(units) * 10 / ns, digits).split('.');
	return `${units < 0 ? '-' : ''}${count(whole)}${part ? `.${part}` : ''} ${text}`;
}

/** `340 ns`, `126.54 µs`, `1.369 ms`, `1.722 s`. @param {number} units */
export function duration(units) {
	if (chosen !== 'auto') return inUnit(units, chosen, trimmed);
	const ns = Math.abs(units) * 10;
	const sign = units < 0 ? '-' : '';
	if (ns < 999.5) return `${sign}${trimmed(ns, 0)} ns`;
	if (ns < 999.995e3) return `${sign}${trimmed(ns / 1e3, 2)} µs`;
	if (ns < 999.9995e6) return `${sign}${trimmed(ns / 1e6, 3)} ms`;
	return `${sign}${trimmed(ns / 1e9, 3)} s`;
}

/** With four digits, for tables: `1.234 ms`, `154.8 ms`. @param {number} units */
export function brief(units) {
	if (chosen !== 'auto') return inUnit(units, chosen, (n, digits) => n.toFixed(Math.min(digits, n >= 1000 ? 0 : n >= 100 ? 1 : n >= 10 ? 2 : n >= 0.1 ? 3 : 5)));
	const ns = units * 10;
	if (ns < 999.5) return `${ns.toFixed(0)} ns`;
	const [value, unit] = ns < 999.95e3 ? [ns / 1e3, 'µs'] : ns < 999.95e6 ? [ns / 1e6, 'ms'] : [ns / 1e9, 's'];
	return `${value.toFixed(value < 9.9995 ? 3 : value < 99.995 ? 2 : 1)} ${unit}`;
}

/** Less than the trace tells apart, whatever durations are told in: `76.9 ns`. @param {number} units */
export const nanoseconds = (units) => `${Number((units * 10).toPrecision(3))} ns`;

/** Seconds, to the last digit that the trace has or to fewer. @param {number} units @param {number} [digits] */
export const seconds = (units, digits = 8) => `${(units / 1e8).toFixed(digits)} s`;

/** As addresses and files have them: `7.84584054`. @param {number} units */
export const plainSeconds = (units) => trimmed(units / 1e8, 8);

/** `23 720`. @param {number | string} n */
export const count = (n) => String(n).replace(/\B(?=(\d{3})+$)/g, '\u202f');

/** `tracebase` of the header in ms since 1970, or null. @param {unknown} base */
export function parseBase(base) {
	const m = /^(\d{4})-(\d\d)-(\d\d)_(\d\d):(\d\d):(\d\d)/.exec(String(base));
	if (!m) return null;
	const [y, mo, d, h, mi, s] = m.slice(1).map(Number);
	return Date.UTC(y, mo - 1, d, h, mi, s);
}

/**
 * Wall-clock time of base + units with digits behind the second; without a
 * base, seconds.
 * @param {number | null} base ms
 * @param {number} units
 * @param {number} digits 0..8
 * @param {boolean} withDate
 */
export function wallClock(base, units, digits, withDate = false) {
	const step = 10 ** (8 - digits);
	const whole = Math.floor(units / step + 1e-6) * step;
	const second = Math.floor(whole / 1e8);
	const part = digits ? '.' + String(Math.round(whole - second * 1e8)).padStart(8, '0').slice(0, digits) : '';
	if (base === null) return `${second}${part} s`;
	const iso = new Date(base + second * 1000).toISOString();
	return (withDate ? `${iso.slice(0, 10)} ` : '') + iso.slice(11, 19) + part;
}

/** Steps people count in: 1, 2, 5 times a power of ten. @param {number} least */
export function niceStep(least) {
	const power = 10 ** Math.floor(Math.log10(least));
	const m = least / power;
	return (m <= 1.0001 ? 1 : m <= 2.0001 ? 2 : m <= 5.0001 ? 5 : 10) * power;
}

/**
 * Returns the ticks of the time axis, and how many decimals distinguish them.
 * @param {number} t0 units
 * @param {number} t1 units
 * @param {number} most ticks that have room
 * @returns {{step: number, minor: number, decimals: number, ticks: number[]}}
 */
export function axis(t0, t1, most) {
	let step = Math.max(1, niceStep((t1 - t0) / Math.max(1, most)));
	if (step >= 1e9) {
		// from ten seconds on, clocks count in sixties
		const s = (t1 - t0) / Math.max(1, most) / 1e8;
		step = ([10, 15, 30, 60, 120, 300, 600, 900, 1800, 3600].find((x) => x >= s) ??
			Math.ceil(s / 3600) * 3600) * 1e8;
	}
	const ticks = [];
	for (let k = Math.ceil(t0 / step - 1e-9); k * step <= t1; k++) ticks.push(k * step);
	const lead = Math.round(step / 10 ** Math.floor(Math.log10(step)));
	return { step, minor: lead === 2 ? step / 4 : step / 5, decimals: Math.max(0, 8 - Math.floor(Math.log10(step) + 1e-9)), ticks };
}
