// SPDX-License-Identifier: BSD-3-Clause
/** Shows a chain of why.js: as sentences in the panel, and drawn over the rows. */
import { byId, make } from './panel.js';
import { BAR_SHARE } from './paint.js';
import { FONT } from './marks.js';
import { css } from './palette.js';
import { why } from './why.js';

/** @typedef {import('./view.js').View} View */
/** @typedef {import('./why.js').Link} Link */
/** A gap as drawn, and the line from its waker. @typedef {{pid: number, x0: number, x1: number, y: number, from: {x: number, y: number} | null}} DrawnLink */

/**
 * @param {View} view
 * @param {() => void} openPanel
 */
export function explaining(view, openPanel) {
	const box = byId('why');
	const clear = () => {
		if (!view.chain) return;
		view.chain = null;
		box.hidden = true;
		view.draw(false);
	};
	/** @param {Link} link */
	const show = (link) => {
		const width = Math.max(20, link.to - link.from);
		view.showBounded(link.from - width * 0.25, link.to + width * 0.25);
	};
	/**
	 * Explains the gap of a pid around a time.
	 * @param {number} pid
	 * @param {number} t
	 * @returns {boolean} was there a gap?
	 */
	const explain = (pid, t) => {
		const chain = pid > 0 ? why(view.trace, pid, t) : null;
		if (!chain) return false;
		view.chain = chain;
		byId('whytitle').textContent = `Why was ${view.trace.pidLabel(pid)} not running?`;
		const list = byId('whylist');
		list.replaceChildren(...chain.links.map((link) => {
			const item = make('li');
			const button = make('button', '', link.text);
			button.addEventListener('click', () => show(link));
			item.append(button);
			return item;
		}));
		byId('whyend').textContent = chain.end;
		box.hidden = false;
		openPanel();
		view.rows.gather('PID', chain.links.flatMap((l) => [l.pid, l.waker]).filter((id) => id > 0));
		const from = Math.min(...chain.links.map((l) => l.from));
		const to = Math.max(...chain.links.map((l) => l.to));
		const tiny = to - from < (view.t1 - view.t0) / 12;
		if (tiny || from < view.t0 || to > view.t1) view.showBounded(from - (to - from) * 0.15, to + (to - from) * 0.15);
		view.draw();
		return true;
	};
	byId('closewhy').addEventListener('click', clear);
	return { explain, clear };
}

/**
 * @param {CanvasRenderingContext2D} ctx
 * @param {View} view
 * @returns {DrawnLink[]}
 */
export function drawChain(ctx, view) {
	const { chain, trace, rows, palette } = view;
	/** @type {DrawnLink[]} */
	const drawn = [];
	if (!chain) return drawn;
	const color = css(palette.match);
	/** @param {import('./rows.js').RowOf} row */
	const level = (row) => row.y + row.h * (1 - BAR_SHARE * 0.25);
	ctx.save();
	ctx.strokeStyle = ctx.fillStyle = color;
	ctx.lineCap = 'round';
	chain.links.forEach((link, n) => {
		const row = rows.find('PID', link.pid);
		if (!row) return;
		const x0 = view.x(link.from);
		const x1 = view.x(link.to);
		const y = level(row);
		const source = link.wake < 0 ? null : rows.find('PID', link.waker) ?? rows.find('CPU', trace.cpuOf(link.wake));
		const wakeX = link.wake < 0 ? NaN : view.x(trace.start[link.wake]);
		ctx.lineWidth = 4;
		ctx.globalAlpha = 0.6;
		ctx.beginPath();
		ctx.moveTo(Math.max(-5, x0), y);
		ctx.lineTo(Math.min(view.width + 5, x1), y);
		if (source && link.waker > 0 && Number.isFinite(link.ranFrom)) {
			ctx.moveTo(Math.max(-5, view.x(link.ranFrom)), level(source));
			ctx.lineTo(Math.min(view.width + 5, wakeX), level(source));
		}
		ctx.stroke();
		ctx.globalAlpha = 1;
		ctx.lineWidth = 1.5;
		if (source) {
			const up = level(source) > y ? 1 : -1;
			ctx.beginPath();
			ctx.moveTo(wakeX, level(source));
			ctx.lineTo(wakeX, y);
			ctx.stroke();
			ctx.beginPath();
			ctx.moveTo(wakeX - 4, y + 7 * up);
			ctx.lineTo(wakeX, y + 1 * up);
			ctx.lineTo(wakeX + 4, y + 7 * up);
			ctx.fill();
		}
		drawn.push({ pid: link.pid, x0, x1, y, from: source ? { x: wakeX, y: level(source) } : null });
		const middle = (Math.max(0, x0) + Math.min(view.width, x1)) / 2;
		if (x1 < 0 || x0 > view.width) return;
		ctx.font = `600 ${FONT}`;
		ctx.textAlign = 'center';
		ctx.textBaseline = 'middle';
		ctx.beginPath();
		ctx.arc(middle, y, 8, 0, 7);
		ctx.fill();
		ctx.fillStyle = css(palette.background);
		ctx.fillText(String(n + 1), middle, y + 0.5);
		ctx.fillStyle = color;
	});
	ctx.restore();
	return drawn;
}
