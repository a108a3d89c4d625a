// SPDX-License-Identifier: BSD-3-Clause
/** Formats numbers for people: durations, times of day, ticks of the axis. Times are in units of 10 ns. */

/** Returns value as text with at most this number of decimals, without trailing zeros. */
function trimmed(value: number, digits: number) {
	const text = value.toFixed(digits);
	return text.includes('.') ? text.replace(/\.?0+$/, '') : text;
}

/** Units for durations, as in the address. auto: each duration has the unit that suits its length. */
export const UNITS = ['auto', 'ns', 'us', 'ms'] as const;
export type Unit = typeof UNITS[number];
/** Nanoseconds in each unit, and the number of decimals that shows a difference of 10 ns. */
const SIZES: Record<Exclude<Unit, 'auto'>, {ns: number, digits: number, text: string}> = { ns: { ns: 1, digits: 0, text: 'ns' }, us: { ns: 1e3, digits: 2, text: 'µs' }, ms: { ns: 1e6, digits: 5, text: 'ms' } };

let chosen: Unit = 'auto';
export const setUnit = (unit: Unit) => (chosen = unit);
/** Returns the name of a unit for the page. */
export const unitText = (unit: Unit) => (unit === 'auto' ? 'auto' : SIZES[unit].text);

/** Formats a duration in a fixed unit: `1 369 120 ns`. */
function inUnit(units: number, unit: Exclude<Unit, 'auto'>, digitsOf: (n: number, digits: number) => string) {
	const { ns, digits, text } = SIZES[unit];
	const [whole, part] = digitsOf(Math.abs(units) * 10 / ns, digits).split('.');
	return `${units < 0 ? '-' : ''}${count(whole)}${part ? `.${part}` : ''} ${text}`;
}

/** Formats a duration: `340 ns`, `126.54 µs`, `1.369 ms`, `1.722 s`. */
export function duration(units: number) {
	if (chosen !== 'auto') return inUnit(units, chosen, trimmed);
	const ns = Math.abs(units) * 10;
	const sign = units < 0 ? '-' : '';
	if (ns < 999.5) return `${sign}${trimmed(ns, 0)} ns`;
	if (ns < 999.995e3) return `${sign}${trimmed(ns / 1e3, 2)} µs`;
	if (ns < 999.9995e6) return `${sign}${trimmed(ns / 1e6, 3)} ms`;
	return `${sign}${trimmed(ns / 1e9, 3)} s`;
}

/** Formats a duration with four digits, for tables: `1.234 ms`, `154.8 ms`. */
export function brief(units: number) {
	if (chosen !== 'auto') return inUnit(units, chosen, (n, digits) => n.toFixed(Math.min(digits, n >= 1000 ? 0 : n >= 100 ? 1 : n >= 10 ? 2 : n >= 0.1 ? 3 : 5)));
	const ns = units * 10;
	if (ns < 999.5) return `${ns.toFixed(0)} ns`;
	const [value, unit] = ns < 999.95e3 ? [ns / 1e3, 'µs'] : ns < 999.95e6 ? [ns / 1e6, 'ms'] : [ns / 1e9, 's'];
	return `${value.toFixed(value < 9.9995 ? 3 : value < 99.995 ? 2 : 1)} ${unit}`;
}

/** Formats a duration shorter than the resolution of a trace with three digits: `76.9 ns`. Ignores the selected unit. */
export const nanoseconds = (units: number) => `${Number((units * 10).toPrecision(3))} ns`;

/** Formats a time in seconds. By default the text has all digits of the trace, down to 10 ns. */
export const seconds = (units: number, digits = 8) => `${(units / 1e8).toFixed(digits)} s`;

/** Formats seconds for addresses and files: `7.84584054`. */
export const plainSeconds = (units: number) => trimmed(units / 1e8, 8);

/** Separates groups of three digits by narrow spaces: `23 720`. */
export const count = (n: number | string) => String(n).replace(/\B(?=(\d{3})+$)/g, '\u202f');

/** Converts the header's `tracebase` to ms since 1970; null: it has another form. */
export function parseBase(base: unknown) {
	const m = /^(\d{4})-(\d\d)-(\d\d)_(\d\d):(\d\d):(\d\d)/.exec(String(base));
	if (!m) return null;
	const [y, mo, d, h, mi, s] = m.slice(1).map(Number);
	return Date.UTC(y, mo - 1, d, h, mi, s);
}

/**
 * Formats the time of day at `units` after base, with fractions of a second. If base is null, formats seconds.
 * @param base time in ms since 1970
 * @param digits decimals, 0 to 8
 */
export function wallClock(base: number | null, units: number, digits: number, withDate = false) {
	const step = 10 ** (8 - digits);
	const whole = Math.floor(units / step + 1e-6) * step;
	const second = Math.floor(whole / 1e8);
	const part = digits ? '.' + String(Math.round(whole - second * 1e8)).padStart(8, '0').slice(0, digits) : '';
	if (base === null) return `${second}${part} s`;
	const iso = new Date(base + second * 1000).toISOString();
	return (withDate ? `${iso.slice(0, 10)} ` : '') + iso.slice(11, 19) + part;
}

/** Returns the smallest step of 1, 2 or 5 times a power of ten that is at least this long. */
export function niceStep(least: number) {
	const power = 10 ** Math.floor(Math.log10(least));
	const m = least / power;
	return (m <= 1.0001 ? 1 : m <= 2.0001 ? 2 : m <= 5.0001 ? 5 : 10) * power;
}

/** Returns the ticks of the time axis, and the number of decimals that distinguishes them. @param most maximum number of ticks */
export function axis(t0: number, t1: number, most: number): {step: number, minor: number, decimals: number, ticks: number[]} {
	let step = Math.max(1, niceStep((t1 - t0) / Math.max(1, most)));
	if (step >= 1e9) {
		// from ten seconds on, use steps of a clock: 10, 15, 30, 60 seconds ...
		const s = (t1 - t0) / Math.max(1, most) / 1e8;
		step = ([10, 15, 30, 60, 120, 300, 600, 900, 1800, 3600].find((x) => x >= s) ??
			Math.ceil(s / 3600) * 3600) * 1e8;
	}
	const ticks = [];
	for (let k = Math.ceil(t0 / step - 1e-9); k * step <= t1; k++) ticks.push(k * step);
	const lead = Math.round(step / 10 ** Math.floor(Math.log10(step)));
	return { step, minor: lead === 2 ? step / 4 : step / 5, decimals: Math.max(0, 8 - Math.floor(Math.log10(step) + 1e-9)), ticks };
}
