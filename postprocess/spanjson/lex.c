// SPDX-License-Identifier: BSD-3-Clause
/* See spanjson/lex.h. Must not read beyond the NUL at state->end. */
#include "base/text.h"
#include "spanjson/lex.h"

#include <errno.h>
#include <stdarg.h>
#include <stdlib.h>

#include "base/number.h"
#include "base/progress.h"
#include "base/temp.h"
#include "base/tool.h"
#include "common/utf8.h"

#define DEPTH_MAX		32	/* maximum nesting of header values */
#define REST_MAX_BYTES		(64u << 20)	/* maximum bytes after the events */

void kp_json_position(const struct kp_json_state *st, const char *at,
		     uint64_t *line, uint64_t *byte)
{
	const char *s = st->buffer, *next;
	uint64_t start = st->line_start;

	*line = st->lines + 1;
	while (s < at && (next = memchr(s, '\n', (size_t)(at - s)))) {
		s = next + 1;
		start = st->offset + (uint64_t)(s - st->buffer);
		(*line)++;
	}
	*byte = st->offset + (uint64_t)(at - st->buffer) - start + 1;
}

bool kp_json_fail(struct kp_json_state *st, const char *fmt, ...)
{
	va_list args;

	va_start(args, fmt);
	vsnprintf(st->reader->message, sizeof(st->reader->message), fmt, args);
	va_end(args);
	return false;
}

bool kp_json_fail_at(struct kp_json_state *st, const char *at, const char *fmt, ...)
{
	uint64_t line, byte;
	char why[200];
	va_list args;

	va_start(args, fmt);
	vsnprintf(why, sizeof(why), fmt, args);
	va_end(args);
	kp_json_position(st, at, &line, &byte);
	return kp_json_fail(st, "bad JSON: %s (line %llu, byte %llu): %s", st->shown,
		    (unsigned long long)line, (unsigned long long)byte, why);
}

bool kp_json_expected(struct kp_json_state *st, const char *at, const char *what)
{
	uint64_t line, byte;
	int len = 0;

	if (at >= st->end && !st->eof)
		return kp_json_fail_at(st, st->p, "row or header line longer than %u bytes",
			       ITEM_MAX_BYTES);
	if (at >= st->end) {
		kp_json_position(st, at, &line, &byte);
		return kp_json_fail(st, "JSON cut off after line %llu: %s: it ends where %s must be; make it again",
			    (unsigned long long)(line - 1), st->shown, what);
	}
	while (len < 16 && at + len < st->end && at[len] >= ' ' && at[len] < 0x7F &&
	       (len == 0 || !strchr(" ,[]{}:\"", at[len])))
		len++;
	if (!len)
		return kp_json_fail_at(st, at, "found byte 0x%02x where %s must be",
			       (unsigned char)*at, what);
	return kp_json_fail_at(st, at, "found '%.*s' where %s must be", len, at, what);
}

static bool refill(struct kp_json_state *st)
{
	struct kp_json_reader *r = st->reader;
	size_t used = (size_t)(st->p - st->buffer);
	size_t have = (size_t)(st->end - st->p), got;
	const char *s = st->buffer, *next;

	while (s < st->p && (next = memchr(s, '\n', (size_t)(st->p - s)))) {
		s = next + 1;
		st->lines++;
		st->line_start = st->offset + (uint64_t)(s - st->buffer);
	}
	st->offset += used;
	memmove(st->buffer, st->p, have);
	errno = 0;
	got = fread(st->buffer + have, 1, st->room - have, st->in);
	st->p = st->buffer;
	st->end = st->buffer + have + got;
	st->buffer[have + got] = '\0';
	r->bytes += got;
	if (have + got < st->room)
		st->eof = true;
	if (ferror(st->in) && !kp_interrupted())
		return kp_json_fail(st, "cannot read %s: %s", st->shown, strerror(errno));
	if (kp_interrupted())
		return kp_json_fail(st, "interrupted");
	if (r->tee && got && fwrite(st->buffer + have, 1, got, r->tee) != got)
		return kp_json_fail(st, "cannot write a temporary file: %s%s", strerror(errno),
				    kp_temp_remedy(errno));
	kp_progress(r->bytes, st->total);
	return true;
}

bool kp_json_make_room(struct kp_json_state *st)
{
	if (st->eof || st->end - st->p >= ITEM_MAX_BYTES)
		return true;
	return refill(st);
}

bool kp_json_take_rest(struct kp_json_state *st)
{
	while (!st->eof) {
		size_t have = (size_t)(st->end - st->p);
		char *bigger;

		if (have == st->room) {
			if (st->room >= REST_MAX_BYTES)
				return kp_json_fail_at(st, st->p, "more than %u MB after the events",
						       REST_MAX_BYTES >> 20);
			bigger = realloc(st->buffer, 2 * st->room + 1);
			if (!bigger)
				return kp_json_fail(st, "no memory");
			st->room *= 2;
			st->buffer = bigger;
			/* the buffer is full, so st->p was the start of the buffer */
			st->p = bigger;
			st->end = bigger + have;
		}
		if (!refill(st))
			return false;
	}
	return true;
}

bool kp_json_next_item(struct kp_json_state *st)
{
	for (;;) {
		st->p = kp_json_skip(st->p);
		if (!kp_json_make_room(st))
			return false;
		if (*st->p != ' ' && *st->p != '\n' && *st->p != '\t' && *st->p != '\r')
			return true;
	}
}

static const bool plain[256] = {
	[' ' ... '!'] = true, ['#' ... '['] = true, [']' ... 0x7F] = true,
};

static inline const char *skip_plain(const char *p)
{
	while (plain[(unsigned char)*p])
		p++;
	return p;
}

static bool hex4(const char *p, uint32_t *code)
{
	int i;

	*code = 0;
	/* the loop also stops at the NUL at the end of the buffer */
	for (i = 0; i < 4 && kp_hex(p[i]) >= 0; i++)
		*code = *code << 4 | (uint32_t)kp_hex(p[i]);
	return i == 4;
}

/* Decodes the escape at *p, which begins with \, to *code. A lone surrogate becomes U+FFFD. */
static bool escape(struct kp_json_state *st, const char **p, uint32_t *code)
{
	static const char from[] = "\"\\/bfnrt", to[] = "\"\\/\b\f\n\r\t";
	const char *at = *p, *found;
	uint32_t low;

	if (at + 1 >= st->end) {
		*p = st->end;
		return kp_json_expected(st, st->end, "the rest of a string");
	}
	if (at[1] != 'u') {
		found = at[1] ? strchr(from, at[1]) : NULL;
		if (!found)
			return kp_json_fail_at(st, at, "bad escape in a string (\\%c)",
				       at[1] >= ' ' && at[1] < 0x7F ? at[1] : '?');
		*code = (uint32_t)to[found - from];
		*p = at + 2;
		return true;
	}
	if (!hex4(at + 2, code)) {
		if (st->end - at < 6) {
			*p = st->end;
			return kp_json_expected(st, st->end, "the rest of a string");
		}
		return kp_json_fail_at(st, at, "bad escape in a string (\\u needs four hex digits)");
	}
	*p = at + 6;
	if (*code < 0xD800 || *code > 0xDFFF)
		return true;
	if (*code < 0xDC00 && at[6] == '\\' && at[7] == 'u' && hex4(at + 8, &low) &&
	    low >= 0xDC00 && low <= 0xDFFF) {
		*code = 0x10000 + ((*code - 0xD800) << 10) + (low - 0xDC00);
		*p = at + 12;
		return true;
	}
	*code = 0xFFFD;
	st->reader->replaced_bytes++;
	return true;
}

bool kp_json_string(struct kp_json_state *st, const char **p, const char **text,
		   size_t *len)
{
	const char *first = *p + 1, *s = skip_plain(first);
	size_t n = (size_t)(s - first);
	uint32_t code;

	if (*s == '"' && n <= KP_JSON_NAME_MAX) {
		*text = first;
		*len = n;
		*p = s + 1;
		return true;
	}
	s = first;
	for (n = 0; *s != '"'; ) {
		unsigned char c = (unsigned char)*s;

		if (n > KP_JSON_NAME_MAX)
			return kp_json_fail_at(st, *p, "name longer than %d bytes", KP_JSON_NAME_MAX);
		if (c == '\\') {
			if (!escape(st, &s, &code))
				return false;
			n += ku_utf8_encode(code, st->scratch + n);
		} else if (c >= 0x80) {
			size_t seq = ku_utf8_sequence(s, (size_t)(st->end - s));

			if (seq) {
				memcpy(st->scratch + n, s, seq);
				n += seq;
				s += seq;
			} else {
				n += ku_utf8_encode(0xFFFD, st->scratch + n);
				s++;
				st->reader->replaced_bytes++;
			}
		} else if (s >= st->end) {
			return kp_json_expected(st, s, "the end of a string");
		} else if (c == '\n' || c == '\r') {
			return kp_json_fail_at(st, s, "line ends inside a string");
		} else if (!c) {
			return kp_json_fail_at(st, s, "NUL byte in a string");
		} else {
			if (c < ' ')
				st->reader->control_chars++;
			st->scratch[n++] = (char)c;
			s++;
		}
	}
	if (n > KP_JSON_NAME_MAX)
		return kp_json_fail_at(st, *p, "name longer than %d bytes", KP_JSON_NAME_MAX);
	*text = st->scratch;
	*len = n;
	*p = s + 1;
	return true;
}

bool kp_json_pass_value(struct kp_json_state *st, const char **p, int depth)
{
	static const char *const words[] = { "true", "false", "null" };
	const char *text, *s = *p;
	bool inexact, object = *s == '{';
	int64_t number;
	size_t len;

	if (depth > DEPTH_MAX)
		return kp_json_fail_at(st, s, "nested more than %d deep", DEPTH_MAX);
	if (*s == '"')
		return kp_json_string(st, p, &text, &len);
	if (object || *s == '[') {
		char close = object ? '}' : ']';

		s = kp_json_skip(s + 1);
		for (int i = 0; *s != close; i++) {
			if (i) {
				if (*s != ',')
					return kp_json_expected(st, s, "a comma or a closing bracket");
				s = kp_json_skip(s + 1);
			}
			if (object) {
				if (*s != '"')
					return kp_json_expected(st, s, "a key in quotes");
				if (!kp_json_string(st, &s, &text, &len))
					return false;
				s = kp_json_skip(s);
				if (*s != ':')
					return kp_json_expected(st, s, "a colon");
				s = kp_json_skip(s + 1);
			}
			if (!kp_json_pass_value(st, &s, depth + 1))
				return false;
			s = kp_json_skip(s);
		}
		*p = s + 1;
		return true;
	}
	for (int i = 0; i < 3; i++) {
		len = strlen(words[i]);
		if (!strncmp(s, words[i], len)) {
			*p = s + len;
			return true;
		}
	}
	switch (kp_number_json(&s, st->end, 0, &number, &inexact)) {
	case KP_NUMBER_NONE:
		return kp_json_expected(st, s, "a JSON value");
	case KP_NUMBER_LONG:
	case KP_NUMBER_RANGE:
		return kp_json_fail_at(st, *p, "number out of range");
	case KP_NUMBER_OK:
		break;
	}
	*p = s;
	return true;
}

/* Copies a valid escape, and a lone surrogate as U+FFFD. Returns the length in bytes. */
static size_t keep_escape(const char *at, char *to)
{
	uint32_t code, low;

	if (at[1] != 'u' || !hex4(at + 2, &code)) {
		memcpy(to, at, 2);
		return 2;
	}
	if (code >= 0xD800 && code < 0xDC00 && at[6] == '\\' && at[7] == 'u' &&
	    hex4(at + 8, &low) && low >= 0xDC00 && low <= 0xDFFF) {
		memcpy(to, at, 12);
		return 12;
	}
	memcpy(to, code >= 0xD800 && code <= 0xDFFF ? "\\ufffd" : at, 6);
	return 6;
}

char *kp_json_clean_value(const char *text, size_t len)
{
	char *copy = malloc(6 * len + 1);
	uint64_t replaced = 0;
	size_t i, n = 0, to = 0;
	bool in_string = false;

	if (!copy)
		return NULL;
	for (i = 0; i < len; i += n) {
		unsigned char c = (unsigned char)text[i];

		n = ku_utf8_sequence(text + i, len - i);
		if (in_string && c == '\\') {
			n = keep_escape(text + i, copy + to);
			to += n;
			continue;
		}
		if (c == '"')
			in_string = !in_string;
		if (!n || (c < ' ' && in_string)) {
			n = 1;
			to += kp_json_escape(text + i, n, copy + to, &replaced);
		} else {
			memcpy(copy + to, c < ' ' ? " " : text + i, n);
			to += n;
		}
	}
	copy[to] = '\0';
	return copy;
}
