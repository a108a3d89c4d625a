// SPDX-License-Identifier: BSD-3-Clause
/** Declares what the page offers to tests and embedding pages: embed() in embed.ts. */

type Row = [number, number, number, number, number, number, number, number, number, string];

interface Window {
	kutrace: {
		range(): [number, number];
		setRange(from: number, to: number): void;
		rows(): any[];
		hit(x: number, y: number): Row | null;
		search(text: string): { count: number, seconds: number };
		drawn(): any;
		flame(): any[];
		painted(group: string, id: number): any;
		frames(): number[];
		spans: number;
		loadMs: number;
		bytes(): Record<string, number>;
		visited(): number;
	};
}
