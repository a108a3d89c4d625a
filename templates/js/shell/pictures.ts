// SPDX-License-Identifier: BSD-3-Clause
/** Makes the picture with legend and facts around it (draw/sheet.ts): PNG, SVG, paper. Must restore the view. */
import { byId } from '../base/dom.ts';
import { css } from '../base/palette.ts';
import { sheet } from '../draw/sheet.ts';
import { SvgContext, SvgPainter, escaped } from '../draw/svg.ts';
import { factLines } from '../panel/facts.ts';
import { legendOf } from '../panel/legend.ts';
import type { Picture } from '../draw/picture.ts';

/** Size of the printed picture: as wide as a large screen, in the proportions of A4. */
const PAPER = { width: 1400, height: 962 };

const ruler = () => document.createElement('canvas').getContext('2d')!;

function sheetOf({ view, left, foot }: Picture) {
	return sheet(view, ruler(), {
		left, axis: foot, title: String(view.trace.header.title || 'KUtrace'),
		facts: factLines(view.trace, view.timeBase), legend: legendOf(view),
	});
}

export function png(picture: Picture): Promise<Blob | null> {
	const { view, parts } = picture;
	const { scale, palette } = view;
	// draw again completely, because the last frame may have left something out
	view.draw();
	picture.frame();
	const around = sheetOf(picture);
	const canvas = document.createElement('canvas');
	canvas.width = Math.round(around.width * scale);
	canvas.height = Math.round(around.height * scale);
	const ctx = canvas.getContext('2d')!;
	ctx.fillStyle = css(palette.background);
	ctx.fillRect(0, 0, canvas.width, canvas.height);
	const top = Math.round(around.top * scale);
	const x = Math.round(around.left * scale);
	ctx.drawImage(parts.labels, 0, top);
	ctx.drawImage(parts.base, x, top);
	ctx.drawImage(parts.over, x, top);
	ctx.drawImage(parts.axis, x, top + parts.base.height);
	ctx.scale(scale, scale);
	around.draw((left, down, draw) => {
		ctx.save();
		ctx.translate(left, down);
		draw(ctx);
		ctx.restore();
	});
	return new Promise((resolve) => canvas.toBlob(resolve, 'image/png'));
}

export function svg(picture: Picture) {
	const { view } = picture;
	const { palette } = view;
	const drawing = (draw: (ctx: any) => void) => {
		const ctx = new SvgContext(ruler());
		draw(ctx);
		return ctx.out.join('\n');
	};
	const painter = new SvgPainter();
	painter.resize(Math.round(view.width * view.scale), Math.round(view.height * view.scale), view.scale);
	const time = picture.paintRows(painter);
	const inside = drawing((ctx) => picture.decorate(ctx, painter));
	const over = drawing((ctx) => picture.drawOver(ctx));
	const labels = drawing((ctx) => picture.drawLabels(ctx));
	const axis = drawing((ctx) => picture.drawAxis(ctx, time));
	// make the sheet after the drawings, because these determine the omissions that it lists
	const around = sheetOf(picture);
	const { width, height, left, top } = around;
	const rest: string[] = [];
	around.draw((x, y, draw) => rest.push(`<g transform="translate(${x} ${y})">${drawing(draw)}</g>`));
	const title = escaped(String(view.trace.header.title || 'KUtrace'));
	return `<?xml version="1.0" encoding="UTF-8"?>
<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}" viewBox="0 0 ${width} ${height}" font-family="system-ui, 'DejaVu Sans', sans-serif">
<title>${title}</title>
<rect width="${width}" height="${height}" fill="${css(palette.background)}"/>
<defs><clipPath id="plotclip"><rect width="${view.width}" height="${view.height}"/></clipPath></defs>
<g transform="translate(0 ${top})">${labels}</g>
<g class="plot" transform="translate(${left} ${top})" clip-path="url(#plotclip)">
<g shape-rendering="crispEdges">${painter.out.join('\n')}</g>
<g>${inside}</g>
<g>${over}</g>
</g>
<g transform="translate(${left} ${top + view.height})">${axis}</g>
${rest.join('\n')}
</svg>
`;
}

/** Prints only the picture, as large as the paper. */
export function onPaper(picture: Picture) {
	const { view } = picture;
	const box = byId('paper');
	addEventListener('beforeprint', () => {
		const { width, height, scale, hover } = view;
		view.hover = null;
		const around = sheetOf(picture);
		view.resize(width + PAPER.width - around.width, height + PAPER.height - around.height, scale);
		// the number of legend columns depends on the height, so compute the sheet again
		const again = sheetOf(picture);
		view.resize(view.width + PAPER.width - again.width, view.height + PAPER.height - again.height, scale);
		const made = new DOMParser().parseFromString(svg(picture), 'image/svg+xml').documentElement;
		view.resize(width, height, scale);
		view.hover = hover;
		box.replaceChildren(document.importNode(made, true));
		view.draw();
		picture.frame();
	});
	addEventListener('afterprint', () => {
		box.replaceChildren();
		view.draw();
	});
}
