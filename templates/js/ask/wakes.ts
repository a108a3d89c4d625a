// SPDX-License-Identifier: BSD-3-Clause
/** Sorts all wakeups of a trace by woken process and by waker, at the first use. Works in steps. */
import { Kind } from '../base/kinds.ts';
import type { Trace } from '../data/trace.ts';

/** Number of wakeups visited between two yields. */
const SLICE = 5000;
const NONE = new Uint32Array(0);

/** Spans sorted by a key. Spans with the same key keep their order. */
class By {
	sorted: Uint32Array = new Uint32Array(this.spans.length);
	places: Map<number, {lo: number, hi: number, next: number}> = new Map();

	/** @param keys key of each span in spans */
	constructor(public spans: Uint32Array, public keys: Float64Array) {}

	*work() {
		const { spans, keys, places, sorted } = this;
		for (let i = 0; i < spans.length; i++) {
			const place = places.get(keys[i]);
			if (place) place.hi++;
			else places.set(keys[i], { lo: 0, hi: 1, next: 0 });
			if (i % SLICE === 0) yield;
		}
		let at = 0;
		for (const place of places.values()) {
			place.lo = place.next = at;
			at = place.hi += at;
		}
		for (let i = 0; i < spans.length; i++) {
			const place = places.get(keys[i]) as {next: number};
			sorted[place.next++] = spans[i];
			if (i % SLICE === 0) yield;
		}
		this.keys = new Float64Array(0);
	}

	/** Returns the spans with a key, in time order. */
	of(key: number) {
		const place = this.places.get(key);
		return place ? this.sorted.subarray(place.lo, place.hi) : NONE;
	}
}

type Wakes = {to: By, from: By};

const known: WeakMap<Trace, Wakes> = new WeakMap();

export function* wakesOf(trace: Trace): Generator<void, Wakes, void> {
	const there = known.get(trace);
	if (there) return there;
	const spans = trace.byKind[Kind.WAKE];
	const [to, from] = [new Float64Array(spans.length), new Float64Array(spans.length)];
	for (let i = 0; i < spans.length; i++) {
		to[i] = trace.woken(spans[i]);
		from[i] = trace.pid[spans[i]];
		if (i % SLICE === 0) yield;
	}
	const wakes = { to: new By(spans, to), from: new By(spans, from) };
	yield* wakes.to.work();
	yield* wakes.from.work();
	known.set(trace, wakes);
	return wakes;
}

/** Returns the index of the first span that begins at t or later. @param list in time order */
export function seekSpan({ start }: Trace, list: Uint32Array, t: number) {
	let lo = 0;
	for (let hi = list.length; lo < hi;) {
		const mid = (lo + hi) >>> 1;
		if (start[list[mid]] < t) lo = mid + 1;
		else hi = mid;
	}
	return lo;
}
