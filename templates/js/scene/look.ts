// SPDX-License-Identifier: BSD-3-Clause
/** Holds the settings of the secondary controls; converts them to text for the address, and back. Must not trust that text. */

/** How strongly the items that are not highlighted fade. */
export const FADES = ['light', 'medium', 'strong'] as const;
/** How far the lines of annotations reach: to the bottom of their row, through the whole picture, or only a little. */
export const REACHES = ['row', 'full', 'short'] as const;
/** Minimum, maximum and default: size of text in CSS pixels, length of labels in letters, minimum width in pixels of spans that are named. */
export const LIMITS = { text: [8, 14, 11], chars: [8, 60, 16], from: [16, 400, 24] };

export interface Look {
	overhead: boolean; /* draw the cost of recording */
	legend: boolean;
	fade: typeof FADES[number];
	reach: typeof REACHES[number];
	text: number;
	chars: number;
	from: number;
}

export const firstLook = (): Look => ({
	overhead: false, legend: true, fade: 'medium', reach: 'row', text: LIMITS.text[2], chars: LIMITS.chars[2], from: LIMITS.from[2],
});

export const within = (value: number, [least, most, usual]: number[]) => (Number.isFinite(value) ? Math.min(most, Math.max(least, Math.round(value))) : usual);

/** Returns the settings as text for the address: `overhead.fade-strong.text-13`; '': all settings are defaults. */
export function lookText(look: Look) {
	const usual = firstLook();
	return [
		...look.overhead ? ['overhead'] : [], ...look.legend ? [] : ['nolegend'],
		...((['fade', 'reach', 'text', 'chars', 'from'] as const)).flatMap((key) => (look[key] === usual[key] ? [] : [`${key}-${look[key]}`])),
	].join('.');
}

/** Returns the settings that a text contains. @param text result of lookText(), or any other text */
export function lookOf(text: string): Look {
	const parts = text.split('.');
	const value = (key: string) => parts.find((part) => part.startsWith(`${key}-`))?.slice(key.length + 1);
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
