// SPDX-License-Identifier: BSD-3-Clause
/** Shows the scroll bar of the rows, and how many rows are not visible. The bar is hidden if all rows fit. */
import { byId, consume } from '../base/dom.ts';
import { GROUP_HEIGHT } from '../scene/rows.ts';
import type { View } from '../scene/view.ts';

/** Minimum length of the thumb, CSS pixels. */
const LEAST_THUMB = 24;

/** Makes the scroll bar. @returns a function that shows the current position */
export function scrollBar(view: View): () => void {
	const { rows } = view;
	const bar = byId('rowbar');
	const thumb = bar.firstElementChild as HTMLElement;
	const unseen = byId('unseen');
	let last = '';

	/** Returns size and position of the thumb, CSS pixels. */
	const place = () => {
		const track = rows.height;
		const size = Math.min(track, Math.max(LEAST_THUMB, (track * rows.page) / (rows.page + rows.reach)));
		return { size, top: rows.reach ? ((track - size) * rows.scroll) / rows.reach : 0, room: track - size };
	};
	const by = (pixels: number) => {
		rows.scrollBy(pixels);
		view.draw();
	};

	/** Distance of the pointer from the top of the thumb. */
	let hold = NaN;
	bar.addEventListener('pointerdown', (event) => {
		if (event.button !== 0) return;
		const y = event.clientY - bar.getBoundingClientRect().top;
		const { top, size } = place();
		if (y < top || y > top + size) {
			by(y < top ? -rows.page : rows.page);
			return;
		}
		bar.setPointerCapture(event.pointerId);
		hold = y - top;
	});
	bar.addEventListener('pointermove', (event) => {
		if (Number.isNaN(hold)) return;
		const { room } = place();
		const top = event.clientY - bar.getBoundingClientRect().top - hold;
		if (room > 0) by((top / room) * rows.reach - rows.scroll);
	});
	const release = () => {
		hold = NaN;
	};
	for (const name of ['pointerup', 'pointercancel', 'lostpointercapture'] as const) bar.addEventListener(name, release);
	bar.addEventListener('wheel', (event) => {
		event.preventDefault();
		by(event.deltaY * (event.deltaMode === 1 ? 16 : event.deltaMode === 2 ? rows.page : 1));
	}, { passive: false });
	bar.addEventListener('keydown', (event) => {
		const steps: Record<string, number> = { ArrowUp: -GROUP_HEIGHT, ArrowDown: GROUP_HEIGHT, PageUp: -rows.page, PageDown: rows.page, Home: -Infinity, End: Infinity };
		if (!(event.code in steps)) return;
		by(Math.max(-1e9, Math.min(1e9, steps[event.code])));
		consume(event);
	});

	return () => {
		const { above, below } = rows.unseen();
		const now = [rows.scroll, rows.reach, rows.page, rows.height, above, below].join();
		if (now === last) return;
		last = now;
		const there = rows.reach > 0;
		bar.hidden = !there;
		unseen.hidden = !there;
		if (!there) return;
		const { size, top } = place();
		thumb.style.height = `${size}px`;
		thumb.style.top = `${top}px`;
		const seen = rows.visible.length;
		bar.setAttribute('aria-valuenow', String(Math.round((100 * rows.scroll) / rows.reach)));
		bar.setAttribute('aria-valuetext', `${seen} rows visible, ${above} above, ${below} below`);
		unseen.textContent = [above ? `\u25B4 ${above}` : '', below ? `\u25BE ${below}` : ''].filter(Boolean).join('  ');
		unseen.title = `rows that do not fit: ${above} above, ${below} below`;
	};
}
