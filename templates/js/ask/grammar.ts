// SPDX-License-Identifier: BSD-3-Clause
/**
 * Parses the text of a search into a tree: `futex pid:104 dur:>1ms`, `errno:EAGAIN or kind:wait`, `not (cpu:0 or cpu:1)`.
 * Text without fields, operators, quotes or grouping is one regular expression, exactly as typed. Must not use a trace or
 * the page. An error in the text throws a Mistake with its position.
 */
import { errnoOf } from '../base/errno.ts';
import { Kind, waits } from '../base/kinds.ts';
import { duration, isDuration, number, rangesOf, seconds, type NumberParser, type Range } from './quantities.ts';

/** source: a regular expression; exact: the text was quoted, so it is plain text. */
export type Text = {is: 'text', source: string, exact: boolean, at: number};

export type Field = {
	is: 'field', field: string, ranges?: Range[], source?: string, kinds?: number[], letters?: string, at: number,
	length: number,
};
type Several = {is: 'and' | 'or', of: Node[]};
type Not = {is: 'not', of: Node};
export type Node = Text | Field | Several | Not;

export class Mistake extends Error {
	/** @param at position of the first wrong character */
	constructor(message: string, public at: number, public length: number) {
		super(message);
	}
}

export const KIND_WORDS: Record<string, number[]> = {
	syscall: [Kind.SYSCALL], fault: [Kind.TRAP], irq: [Kind.IRQ], softirq: [Kind.SOFTIRQ], sched: [Kind.SCHED],
	kernel: [Kind.SYSCALL, Kind.TRAP, Kind.IRQ, Kind.SOFTIRQ, Kind.SCHED, Kind.KTHREAD], user: [Kind.USER], kthread: [Kind.KTHREAD], idle: [Kind.IDLE, Kind.IDLELP, Kind.CEXIT],
	wait: [Kind.WAIT], wakeup: [Kind.WAKE], ipi: [Kind.IPI], mark: [Kind.MARK_A, Kind.MARK_B, Kind.MARK_C, Kind.MARK_D, Kind.BRACKET],
	lock: [Kind.LOCK], sample: [Kind.PC], freq: [Kind.FREQ], rpc: [Kind.RPC], queue: [Kind.QUEUE], packet: [Kind.PACKET],
	event: [Kind.POINT], tracepoint: [Kind.TRACEPOINT], pause: [Kind.PAUSE], stopped: [Kind.STOPPED], stolen: [Kind.STOLEN], disk: [Kind.DISK],
	timer: [Kind.TIMER],
};
/** Maps each word for a wait reason to the letters of the waits with this reason. */
const WAIT_WORDS: Record<string, string> = {};
for (const [letter, { name }] of Object.entries(waits)) WAIT_WORDS[name.toLowerCase()] = (WAIT_WORDS[name.toLowerCase()] ?? '') + letter;

/** Returns the values of words that are separated by commas. */
const worded = (
	words: Record<string, any>, text: string, wrong: (message: string) => Mistake,
): any[] => text.toLowerCase().split(',').map((word) => {
	if (!Object.hasOwn(words, word)) throw wrong(`is one of ${Object.keys(words).join(', ')}`);
	return words[word];
});

/** Returns the parser of a numeric field. */
const numeric = (read: NumberParser, what: string, whole = true) => (text: string, wrong: (message: string) => Mistake) => {
	const ranges = rangesOf(text, read, whole);
	if (!ranges) throw wrong(what);
	return { ranges };
};
const NUMBER = 'takes a number, such as 5, >5, 2..5 or 1,3';

/** Ranges of error numbers; other negative results are parts of addresses. */
const ERRORS = [{ low: 1, high: 133 }, { low: 512, high: 530 }];

const FIELDS: Record<string, (text: string, wrong: (message: string) => Mistake) => Partial<Field>> = {
	pid: numeric(number, NUMBER),
	process: (text) => ({ source: text }),
	name: (text) => ({ source: text }),
	cgroup: (text) => ({ source: text }),
	nspid: numeric(number, NUMBER),
	cpu: numeric(number, NUMBER),
	kind: (text, wrong) => ({ kinds: worded(KIND_WORDS, text, wrong).flat() }),
	wait: (text, wrong) => ({ letters: text === '*' ? Object.keys(waits).join('') : worded(WAIT_WORDS, text, wrong).join('') }),
	arg: numeric(number, NUMBER),
	ret: numeric(number, NUMBER),
	errno: (text, wrong) => ({
		ranges: text === '*' ? ERRORS : text.split(',').map((word) => {
			const n = errnoOf(word);
			if (!n) throw wrong('takes the name or number of an error, such as EAGAIN or 11; * is any');
			return { low: n, high: n };
		}),
	}),
	dur: numeric(duration, 'takes a duration, such as >1ms, 2us..5us; a number alone is microseconds'),
	t: numeric(seconds, 'takes seconds, such as 50.085+ (from then on), 50.09- (until then), 50.085..50.09'),
	ipc: numeric(number, 'takes a number, such as >1 or 0.5..1', false),
	rpc: numeric(number, NUMBER),
};
const ALIASES: Record<string, string> = { proc: 'process', duration: 'dur', elapsed: 'dur', time: 't', syscallret: 'ret', result: 'ret', state: 'kind' };
export const FIELD_NAMES = Object.keys(FIELDS);

type Token = {is: 'word' | 'quoted' | 'group' | 'field' | 'duration' | 'or' | 'and' | 'not', from: number, to: number, bang: boolean};

/** Returns the position after the parenthesis that closes the parenthesis at i; -1: there is none. */
function closing(text: string, i: number) {
	let depth = 0;
	for (; i < text.length; i++) {
		if (text[i] === '\\') i++;
		else if (text[i] === '(') depth++;
		else if (text[i] === ')' && --depth === 0) return i + 1;
	}
	return -1;
}

/** Returns the position after a word. Quotes after a field's colon may contain spaces. */
function wordEnd(text: string, i: number) {
	const quoted = /^[a-z]+:"[^"]*"/i.exec(text.slice(i));
	if (quoted) return i + quoted[0].length;
	while (i < text.length && !/\s/.test(text[i])) i++;
	return i;
}

/** Returns the field at the beginning of a word, or null. */
function fieldOf(word: string) {
	const name = /^([a-z]+):/i.exec(word)?.[1].toLowerCase();
	return name === undefined ? null : Object.hasOwn(FIELDS, name) ? name : Object.hasOwn(ALIASES, name) ? ALIASES[name] : null;
}

/** Returns the token at a position. @param bang whether a ! precedes the token */
function tokenAt(text: string, from: number, bang: boolean): Token {
	const ends = (to: number) => to === text.length || /\s/.test(text[to]);
	if (text[from] === '"') {
		const to = text.indexOf('"', from + 1) + 1;
		if (to > 0 && ends(to)) return { is: 'quoted', from, to, bang };
	}
	if (text[from] === '(') {
		const to = closing(text, from);
		// parentheses group only if their content has fields or operators; otherwise they belong to the regular expression
		if (to > 0 && ends(to) && isStructured(tokensOf(text.slice(from + 1, to - 1)))) return { is: 'group', from, to, bang };
	}
	const to = wordEnd(text, from);
	const word = text.slice(from, to);
	if (word === '!' || (word.length > 1 && word[0] === '!' && !bang)) return to - from === 1 ? { is: 'word', from, to, bang } : tokenAt(text, from + 1, true);
	if (fieldOf(word)) return { is: 'field', from, to, bang };
	if (isDuration(word)) return { is: 'duration', from, to, bang };
	if (/^(or|and|not|OR|AND|NOT)$/.test(word)) return { is: word.toLowerCase() as 'or' | 'and' | 'not', from, to, bang };
	return { is: 'word', from, to, bang };
}

function tokensOf(text: string): Token[] {
	const tokens: Token[] = [];
	for (let i = 0; ;) {
		while (i < text.length && /\s/.test(text[i])) i++;
		if (i >= text.length) return tokens;
		const token = tokenAt(text, i, false);
		tokens.push(token);
		i = token.to;
	}
}

/** Returns whether the tokens are more than one regular expression. */
function isStructured(tokens: Token[]) {
	return tokens.some(({ is, bang }, i) => bang || ['quoted', 'group', 'field', 'duration'].includes(is) ||
		(is === 'not' && tokens.length > 1 && i < tokens.length - 1 && (i === 0 || tokens[i - 1].is === 'or' || tokens[i - 1].is === 'and')) ||
		((is === 'or' || is === 'and') && i > 0 && i < tokens.length - 1));
}

/** Parses tokens from left to right. `or` binds weakest, then `and` (also implied between neighbours), then `not`. */
class Reader {
	tokens: Token[] = tokensOf(this.text);
	next = 0;

	/** @param offset position of text in the typed text */
	constructor(public text: string, public offset: number) {}

	/** Skips the next token if it has this type. @returns whether a token was skipped */
	#take(is: Token['is']): boolean {
		if (this.tokens[this.next]?.is !== is) return false;
		this.next++;
		return true;
	}

	/** Parses terms joined by `or`. */
	either(): Node {
		const parts = [this.#both()];
		while (this.#take('or')) parts.push(this.#both());
		return parts.length === 1 ? parts[0] : { is: 'or', of: parts };
	}

	/** Parses terms joined by `and`, or without an operator. */
	#both(): Node {
		const parts = [this.#one()];
		while (this.next < this.tokens.length && this.tokens[this.next].is !== 'or') {
			this.#take('and');
			parts.push(this.#one());
		}
		return parts.length === 1 ? parts[0] : { is: 'and', of: parts };
	}

	/** Parses one term, with a `not` before it if there is one. */
	#one(): Node {
		const token = this.tokens[this.next];
		if (!token || token.is === 'or' || token.is === 'and') {
			const at = token ?? this.tokens[this.next - 1];
			throw new Mistake(token ? `nothing before "${token.is}"` : `nothing after "${at.is}"`, this.offset + at.from, at.to - at.from);
		}
		this.next++;
		if (token.is === 'not') return { is: 'not', of: this.#one() };
		const node = this.#term(token);
		return token.bang ? { is: 'not', of: node } : node;
	}

	#term({ is, from, to, bang }: Token): Node {
		const { text, offset } = this;
		if (is === 'group') return read(text.slice(from + 1, to - 1), offset + from + 1);
		if (is === 'quoted') return { is: 'text', source: text.slice(from + 1, to - 1), exact: true, at: offset + from };
		if (is === 'field' || is === 'duration') return field(is === 'field' ? text.slice(from, to) : `dur:${text.slice(from, to)}`, offset + from, to - from);
		// neighbouring words are one expression, with the spaces between them
		while (!bang && this.tokens[this.next]?.is === 'word' && !this.tokens[this.next].bang) to = this.tokens[this.next++].to;
		return { is: 'text', source: text.slice(from, to), exact: false, at: offset + from };
	}
}

/** Parses a field. @param text the field, as NAME:VALUE */
function field(text: string, at: number, length: number): Field {
	const name = fieldOf(text)!;
	const value = text.slice(text.indexOf(':') + 1).replace(/^"([^"]*)"$/, '$1');
	const wrong = (message: string) => new Mistake(`${name}: ${message}`, at, length);
	if (!value) throw wrong('nothing after the colon');
	return { is: 'field', field: name, ...FIELDS[name](value, wrong), at, length };
}

function read(text: string, offset: number): Node {
	const reader = new Reader(text, offset);
	return reader.either();
}

/** Parses the text of a search. @returns null: the text is empty @throws Mistake */
export function parse(text: string): Node | null {
	if (!text) return null;
	return isStructured(tokensOf(text)) ? read(text, 0) : { is: 'text', source: text, exact: false, at: 0 };
}

/** Returns the text of a search with one more field. @param invert whether the search finds the spans that do not match */
export function narrowed(text: string, invert: boolean, more: string) {
	const tree = parse(text);
	if (!tree) return more;
	const whole = tree.is === 'or' || (invert && tree.is === 'and') ? `(${text})` : text;
	return `${invert ? 'not ' : ''}${whole} ${more}`;
}

/** Returns a field that matches exactly this text. */
export function exactly(name: string, value: string) {
	// a value in quotes cannot contain a quote, so the pattern accepts any character for it
	const pattern = `^${value.replace(/[\\^$.*+?()[\]{}|]/g, '\\$&').replace(/"/g, '.')}$`;
	return `${name}:${/[\s"]/.test(value) ? `"${pattern}"` : pattern}`;
}

/** Returns all parts of a tree that are not operators. */
const leavesOf = (tree: Node | null): (Text | Field)[] => (!tree ? [] : tree.is === 'text' || tree.is === 'field' ? [tree] : tree.is === 'not' ? leavesOf(tree.of) : tree.of.flatMap(leavesOf));

/** Returns whether an expression has capital letters, except in escapes such as \\S. */
export const hasCapitals = (source: string) => /\p{Lu}/u.test(source.replace(/\\./g, ''));

/** Translates fields of other languages, `dur>1ms` or `pid=5`, to this notation. @returns '': no such field, or invalid result */
function asFields(text: string): string {
	const better = text.replace(/(^|[\s(!])([a-z]+)\s?(==?|[<>]=?)\s?([^\s=<>]+)/gi, (all, before, name, sign, value) =>
		(fieldOf(`${name}:`) ? `${before}${name}:${sign[0] === '=' ? '' : sign}${value}` : all));
	if (better === text) return '';
	try {
		parse(better);
		return better;
	} catch {
		return '';
	}
}

/** Suggests a correction for the text of a search that is valid but has no matches; '': no suggestion. */
export function hintOf(text: string) {
	const better = asFields(text);
	if (better) return `write ${better}`;
	const unknown = /(?:^|\s)!?([a-z]{2,}):\S/i.exec(text);
	if (unknown && !fieldOf(`${unknown[1]}:`)) return `"${unknown[1]}:" is no field; fields are ${FIELD_NAMES.join(', ')}`;
	for (const leaf of leavesOf(parse(text))) {
		if (leaf.is === 'field' ? leaf.field === 'dur' && leaf.ranges?.some(({ low, high }) => low === high) : !leaf.exact && duration(leaf.source) !== null && /[a-z]/.test(leaf.source))
			return 'for durations write >1ms, <5us, 1ms..2ms';
		if (leaf.is === 'field' || leaf.exact) continue;
		if (/[(]\d/.test(leaf.source) && !/\\[(]/.test(leaf.source)) return 'parentheses group an expression; for parentheses in names, write \\( or "write(1)"';
		if (/\S\s+\S/.test(leaf.source)) return `no text "${leaf.source.trim()}"; for both anywhere: ${leaf.source.trim().split(/\s+/).join(' and ')}`;
		if (hasCapitals(leaf.source)) return `capital letters match only capitals; for both, write ${leaf.source.toLowerCase()}`;
	}
	return '';
}
