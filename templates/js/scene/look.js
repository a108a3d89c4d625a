// SPDX-License-Identifier: BSD-3-Clause
/**
 * What the secondary controls set: sizes, how strongly things fade, how notes reach, overhead; as text for the address.
 * Never trusts that text: what makes no sense is as at first.
 * Imported by view.js, which has one of them, and panel/secondary.js, which changes it.
 */

/** How strongly what does not stand out fades: light, medium, strong. */
export const FADES = /** @type {const} */ (['light', 'medium', 'strong']);
/** How far lines of annotations reach: to the foot of their row, up and down the picture, or hardly. */
export const REACHES = /** @type {const} */ (['row', 'full', 'short']);
/** Least, most, and at first: text in CSS pixels, labels in letters, spans that are named from so many pixels on. */
export const LIMITS = { text: [8, 14, 11], chars: [8, 60, 16], from: [16, 400, 24] };

/**
 * @typedef {object} Look
 * @property {boolean} overhead the cost of recording is drawn
 * @property {boolean} legend
 * @property {typeof FADES[number]} fade
 * @property {typeof REACHES[number]} reach
 * @property {number} text
 * @property {number} chars
 * @property {number} from
 */

/** @returns {Look} */
export const firstLook = () => ({
	overhead: false, legend: true, fade: 'medium', reach: 'row', text: LIMITS.text[2], chars: LIMITS.chars[2], from: LIMITS.from[2],
});

/** @param {number} value @param {number[]} limits */
export const within = (value, [least, most, usual]) => (Number.isFinite(value) ? Math.min(most, Math.max(least, Math.round(value))) : usual);

/** `overhead.fade-strong.text-13`; '': as at first. @param {Look} look */
export function lookText(look) {
	const usual = firstLook();
	return [
		...look.overhead ? ['overhead'] : [], ...look.legend ? [] : ['nolegend'],
		...(/** @type {const} */ (['fade', 'reach', 'text', 'chars', 'from'])).flatMap((key) => (look[key] === usual[key] ? [] : [`${key}-${look[key]}`])),
	].join('.');
}

/** @param {string} text as of lookText(), or anything @returns {Look} */
export function lookOf(text) {
	const parts = text.split('.');
	/** @param {string} key */
	const value = (key) => parts.find((part) => part.startsWith(`${key}-`))?.slice(key.length + 1);
	const usual = firstLook();
	return {
		overhead: parts.includes('overhead'), legend: !parts.includes('nolegend'),
		fade: FADES.find((f) => f === value('fade')) ?? usual.fade,
		reach: REACHES.find((r) => r === value('reach')) ?? usual.reach,
		text: within(Number(value('text') ?? NaN), LIMITS.text),
		chars: within(Number(value('chars') ?? NaN), LIMITS.chars),
		from: within(Number(value('from') ?? NaN), LIMITS.from),
	};
}
