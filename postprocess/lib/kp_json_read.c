// SPDX-License-Identifier: BSD-3-Clause
/*
 * Reads the span JSON in a bounded buffer and feeds a sink, see kp_json.h. Must
 * never pass on a row it could not read exactly, nor call end() for input that
 * was not whole. Called by every filter behind eventtospan.
 *
 * The parsing functions take *p into the buffer, which ends with a NUL behind
 * state->end, and leave it at the offending byte when they return false; then
 * the message is set. Whatever they look at (one row, one header line) lies in
 * the buffer whole: that is what make_room() is for.
 */
#include "kp_json.h"

#include <errno.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "kp_main.h"
#include "kp_number.h"
#include "kp_utf8.h"

#define ITEM_MAX_BYTES		(512u * 1024)	/* one row or one header key */
#define BUFFER_BYTES		(4u * ITEM_MAX_BYTES)
#define DEPTH_MAX		32		/* of header values */
#define HEADER_MAX		1024		/* keys */
#define INTEGER_MAX		(1ll << 53)	/* what every JSON reader holds */
#define FIELDS			10
#define UNITS_DECIMALS		8		/* 10 ns units are seconds with 8 */

struct kp_json_state {
	struct kp_json_reader *reader;
	FILE *in;
	const char *shown;
	char *buffer;
	const char *p;		/* next byte to be read, between items */
	const char *end;
	bool eof;
	bool failed;		/* message is set */
	uint64_t lines;		/* newlines in what left the buffer */
	uint64_t line_start;	/* offset in the file of the last line there */
	uint64_t offset;	/* in the file of buffer[0] */
	uint64_t total;		/* file size, 0 = unknown */
	int64_t last_start;
	char *scratch;		/* a name without its escapes */
	struct kp_header header;
};

/* ---- messages ---- */

static void position(const struct kp_json_state *st, const char *at,
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

static bool __attribute__((format(printf, 2, 3)))
fail(struct kp_json_state *st, const char *fmt, ...)
{
	va_list args;

	va_start(args, fmt);
	vsnprintf(st->reader->message, sizeof(st->reader->message), fmt, args);
	va_end(args);
	st->failed = true;
	return false;
}

/* "bad JSON: file (line, byte): why" for the byte at. */
static bool __attribute__((format(printf, 3, 4)))
fail_at(struct kp_json_state *st, const char *at, const char *fmt, ...)
{
	uint64_t line, byte;
	char why[200];
	va_list args;

	va_start(args, fmt);
	vsnprintf(why, sizeof(why), fmt, args);
	va_end(args);
	position(st, at, &line, &byte);
	return fail(st, "bad JSON: %s (line %llu, byte %llu): %s", st->shown,
		    (unsigned long long)line, (unsigned long long)byte, why);
}

/* At at is not what must be there; the input may also just end. */
static bool expected(struct kp_json_state *st, const char *at, const char *what)
{
	uint64_t line, byte;
	int len = 0;

	if (at >= st->end && !st->eof)
		return fail_at(st, st->p, "row or header line longer than %u bytes",
			       ITEM_MAX_BYTES);
	if (at >= st->end) {
		position(st, at, &line, &byte);
		return fail(st, "JSON cut off after line %llu: %s: it ends where %s must be; make it again",
			    (unsigned long long)(line - 1), st->shown, what);
	}
	while (len < 16 && at + len < st->end && at[len] >= ' ' && at[len] < 0x7F &&
	       (len == 0 || !strchr(" ,[]{}:\"", at[len])))
		len++;
	if (!len)
		return fail_at(st, at, "found byte 0x%02x where %s must be",
			       (unsigned char)*at, what);
	return fail_at(st, at, "found '%.*s' where %s must be", len, at, what);
}

/* ---- buffer ---- */

/* Fills the buffer so that an item lies in it whole. false = read error. */
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
	got = fread(st->buffer + have, 1, BUFFER_BYTES - have, st->in);
	st->p = st->buffer;
	st->end = st->buffer + have + got;
	st->buffer[have + got] = '\0';
	r->bytes += got;
	if (have + got < BUFFER_BYTES)
		st->eof = true;
	if (ferror(st->in) && !kp_interrupted())
		return fail(st, "cannot read %s: %s", st->shown, strerror(errno));
	if (kp_interrupted())
		return fail(st, "interrupted");
	if (r->tee && got && fwrite(st->buffer + have, 1, got, r->tee) != got)
		return fail(st, "cannot write a temporary file: %s", strerror(errno));
	kp_progress(r->bytes, st->total);
	return true;
}

static inline bool make_room(struct kp_json_state *st)
{
	if (st->eof || st->end - st->p >= ITEM_MAX_BYTES)
		return true;
	return refill(st);
}

static inline const char *skip(const char *p)
{
	while (*p == ' ' || *p == '\n' || *p == '\t' || *p == '\r')
		p++;
	return p;
}

/* Skips white space between items, however much, and makes room for the next. */
static bool next_item(struct kp_json_state *st)
{
	for (;;) {
		st->p = skip(st->p);
		if (!make_room(st))
			return false;
		if (*st->p != ' ' && *st->p != '\n' && *st->p != '\t' && *st->p != '\r')
			return true;
	}
}

/* ---- strings and header values ---- */

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
	for (i = 0; i < 4; i++) {
		char c = p[i];

		if (c >= '0' && c <= '9')
			*code = *code << 4 | (uint32_t)(c - '0');
		else if ((c | 0x20) >= 'a' && (c | 0x20) <= 'f')
			*code = *code << 4 | (uint32_t)((c | 0x20) - 'a' + 10);
		else
			return false;	/* the NUL at the end, too */
	}
	return true;
}

/* Decodes the escape at *p (a backslash) to *code; a lone surrogate to U+FFFD. */
static bool escape(struct kp_json_state *st, const char **p, uint32_t *code)
{
	static const char from[] = "\"\\/bfnrt", to[] = "\"\\/\b\f\n\r\t";
	const char *at = *p, *found;
	uint32_t low;

	if (at + 1 >= st->end) {
		*p = st->end;
		return expected(st, st->end, "the rest of a string");
	}
	if (at[1] != 'u') {
		found = at[1] ? strchr(from, at[1]) : NULL;
		if (!found)
			return fail_at(st, at, "bad escape in a string (\\%c)",
				       at[1] >= ' ' && at[1] < 0x7F ? at[1] : '?');
		*code = (uint32_t)to[found - from];
		*p = at + 2;
		return true;
	}
	if (!hex4(at + 2, code)) {
		if (st->end - at < 6) {
			*p = st->end;
			return expected(st, st->end, "the rest of a string");
		}
		return fail_at(st, at, "bad escape in a string (\\u needs four hex digits)");
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

/*
 * The string at *p (a quote). Without anything special in it *text points into
 * the buffer, else into the scratch buffer.
 */
static bool string(struct kp_json_state *st, const char **p, const char **text,
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
			return fail_at(st, *p, "name longer than %d bytes", KP_JSON_NAME_MAX);
		if (c == '\\') {
			if (!escape(st, &s, &code))
				return false;
			n += kp_utf8_encode(code, st->scratch + n);
		} else if (c >= 0x80) {
			size_t seq = kp_utf8_sequence(s, (size_t)(st->end - s));

			if (seq) {
				memcpy(st->scratch + n, s, seq);
				n += seq;
				s += seq;
			} else {
				n += kp_utf8_encode(0xFFFD, st->scratch + n);
				s++;
				st->reader->replaced_bytes++;
			}
		} else if (s >= st->end) {
			return expected(st, s, "the end of a string");
		} else if (c == '\n' || c == '\r') {
			return fail_at(st, s, "line ends inside a string");
		} else if (!c) {
			return fail_at(st, s, "NUL byte in a string");
		} else {
			if (c < ' ')
				st->reader->control_chars++;
			st->scratch[n++] = (char)c;
			s++;
		}
	}
	if (n > KP_JSON_NAME_MAX)
		return fail_at(st, *p, "name longer than %d bytes", KP_JSON_NAME_MAX);
	*text = st->scratch;
	*len = n;
	*p = s + 1;
	return true;
}

/* Any JSON value at *p: checked, and passed. */
static bool pass_value(struct kp_json_state *st, const char **p, int depth)
{
	static const char *const words[] = { "true", "false", "null" };
	const char *text, *s = *p;
	bool inexact, object = *s == '{';
	int64_t number;
	size_t len;
	int i;

	if (depth > DEPTH_MAX)
		return fail_at(st, s, "nested more than %d deep", DEPTH_MAX);
	if (*s == '"')
		return string(st, p, &text, &len);
	if (object || *s == '[') {
		char close = object ? '}' : ']';

		s = skip(s + 1);
		for (i = 0; *s != close; i++) {
			if (i) {
				if (*s != ',')
					return expected(st, s, "a comma or a closing bracket");
				s = skip(s + 1);
			}
			if (object) {
				if (*s != '"')
					return expected(st, s, "a key in quotes");
				if (!string(st, &s, &text, &len))
					return false;
				s = skip(s);
				if (*s != ':')
					return expected(st, s, "a colon");
				s = skip(s + 1);
			}
			if (!pass_value(st, &s, depth + 1))
				return false;
			s = skip(s);
		}
		*p = s + 1;
		return true;
	}
	for (i = 0; i < 3; i++) {
		len = strlen(words[i]);
		if (!strncmp(s, words[i], len)) {
			*p = s + len;
			return true;
		}
	}
	switch (kp_number_json(&s, st->end, 0, &number, &inexact)) {
	case KP_NUMBER_NONE:
		return expected(st, s, "a JSON value");
	case KP_NUMBER_LONG:
	case KP_NUMBER_RANGE:
		return fail_at(st, *p, "number out of range");
	case KP_NUMBER_OK:
		break;
	}
	*p = s;
	return true;
}

/*
 * Copies a valid escape, a surrogate pair whole, a lone surrogate as U+FFFD
 * which has the same length. Returns that, in bytes.
 */
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

/*
 * A copy of JSON text with its strings' invalid UTF-8 and bare control
 * characters made valid, and newlines between tokens made blanks.
 */
static char *clean_value(const char *text, size_t len)
{
	char *copy = malloc(6 * len + 1);
	uint64_t replaced = 0;
	size_t i, n = 0, to = 0;
	bool in_string = false;

	if (!copy)
		return NULL;
	for (i = 0; i < len; i += n) {
		unsigned char c = (unsigned char)text[i];

		n = kp_utf8_sequence(text + i, len - i);
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

/* One key of the header up to its colon; *is_events tells the last one. */
static bool header_key(struct kp_json_state *st, char **key, bool *is_events)
{
	const char *text, *s = st->p;
	size_t len;

	if (*s != '"')
		return expected(st, s, "a header key in quotes");
	if (!string(st, &s, &text, &len))
		return false;
	if (memchr(text, '\0', len))
		return fail_at(st, st->p, "NUL character in a header key");
	*key = strndup(text, len);
	if (!*key)
		return fail(st, "out of memory");
	*is_events = !strcmp(*key, "events");
	if (!*is_events && kp_header_get(st->header.items, st->header.count, *key))
		return fail_at(st, st->p, "header key \"%.64s\" stands there twice", *key);
	if (st->header.count >= HEADER_MAX)
		return fail_at(st, st->p, "more than %d header keys", HEADER_MAX);
	s = skip(s);
	if (*s != ':')
		return expected(st, s, "a colon");
	s = skip(s + 1);
	st->p = s;
	return true;
}

static bool header_value(struct kp_json_state *st, const char *key)
{
	const char *s = st->p;
	char *value;
	int status;

	if (!pass_value(st, &s, 0))
		return false;
	value = clean_value(st->p, (size_t)(s - st->p));
	status = value ? kp_header_set(&st->header, key, value) : -1;
	free(value);
	if (status)
		return fail(st, "out of memory");
	st->p = s;
	return true;
}

static bool not_json(struct kp_json_state *st)
{
	const char *s = st->p;

	if (s >= st->end)
		return fail(st, "no JSON: %s is empty", st->shown);
	if (*s == '[' || *s == ']' || *s == '"')
		return fail_at(st, s, "the header must come first (if sort moved it, sort with LC_ALL=C)");
	if ((*s >= '0' && *s <= '9') || *s == '-' || *s == '#')
		return fail_at(st, s, "this looks like event text, not JSON; put eventtospan in front");
	return expected(st, s, "the { of the span JSON");
}

/* From the beginning to behind the [ of "events". */
static bool header(struct kp_json_state *st)
{
	bool is_events = false, good;
	char *key = NULL;

	if (!make_room(st))
		return false;
	if (!strncmp(st->p, "\xEF\xBB\xBF", 3))
		st->p += 3;
	if (!next_item(st))
		return false;
	if (*st->p != '{')
		return not_json(st);
	st->p++;
	for (;;) {
		if (!next_item(st))
			return false;
		if (*st->p == '}')
			return fail_at(st, st->p, "no \"events\" in it: not the JSON of eventtospan");
		key = NULL;
		good = header_key(st, &key, &is_events) &&
		       (is_events || header_value(st, key));
		free(key);
		if (!good)
			return false;
		if (is_events)
			break;
		if (!next_item(st))
			return false;
		if (*st->p == '}')
			continue;
		if (*st->p != ',')
			return expected(st, st->p, "a comma");
		st->p++;
	}
	if (*st->p != '[')
		return expected(st, st->p, "the [ of the events");
	st->p++;
	return true;
}

/* ---- rows ---- */

static bool out_of_range(struct kp_json_state *st, const char *at, const char *field)
{
	return fail_at(st, at, "%s out of range: %.*s", field,
		       (int)strspn(at, "+-.0123456789eE") % 40, at);
}

/* Says why no number begins at at that fits into a time. */
static bool bad_number(struct kp_json_state *st, const char *at, const char *field)
{
	const char *s = at, *behind = at + strspn(at, "+-.0123456789eE");
	bool inexact = false;
	int64_t value;
	char what[64];

	if (behind >= st->end)
		return expected(st, st->end, "the rest of a row");
	switch (kp_number_json(&s, st->end, UNITS_DECIMALS, &value, &inexact)) {
	case KP_NUMBER_NONE:
		break;
	case KP_NUMBER_LONG:
		return fail_at(st, at, "%s has too many digits", field);
	case KP_NUMBER_RANGE:
	case KP_NUMBER_OK:
		return out_of_range(st, at, field);
	}
	snprintf(what, sizeof(what), "a number (%s)", field);
	return expected(st, at, what);
}

static inline bool time_field(struct kp_json_state *st, const char **p,
			      const char *field, int64_t *value)
{
	const char *s = *p;
	uint64_t whole = 0, part = 0;
	bool inexact = false;
	int i;

	/* quickly what we and the original write: 1..9 digits, 8 decimals */
	while (*s >= '0' && *s <= '9' && s - *p < 9)
		whole = whole * 10 + (uint64_t)(*s++ - '0');
	if (*s == '.' && s > *p && (**p != '0' || s - *p == 1)) {
		for (i = 0, s++; i < 8 && *s >= '0' && *s <= '9'; i++)
			part = part * 10 + (uint64_t)(*s++ - '0');
		if (i == 8 && (*s == ',' || *s == ' ')) {
			*value = (int64_t)(whole * 100000000u + part);
			*p = s;
			return true;
		}
	}
	s = *p;
	if (kp_number_json(&s, st->end, UNITS_DECIMALS, value, &inexact) ||
	    *value > KP_JSON_TIME_MAX || *value < -KP_JSON_TIME_MAX)
		return bad_number(st, *p, field);
	st->reader->rounded_times += inexact;
	*p = s;
	return true;
}

static inline bool integer_field(struct kp_json_state *st, const char **p,
				 const char *field, int64_t min, int64_t max,
				 int64_t *value)
{
	const char *s = *p, *first;
	bool negative = *s == '-';
	int64_t v = 0;

	s += negative;
	first = s;
	while (*s >= '0' && *s <= '9' && s - first < 17)
		v = v * 10 + (*s++ - '0');
	if (s == first || (*first == '0' && s - first > 1))
		return bad_number(st, *p, field);
	if (*s == '.' || *s == 'e' || *s == 'E')
		return fail_at(st, *p, "%s must be a whole number", field);
	if (negative)
		v = -v;
	if (v < min || v > max)
		return out_of_range(st, *p, field);
	*value = v;
	*p = s;
	return true;
}

static bool wrong_count(struct kp_json_state *st, const char *at, int fields)
{
	if (*at == ']')
		return fail_at(st, at, "row has %d fields, must have %d", fields, FIELDS);
	return expected(st, at, "a comma");
}

static inline bool comma(struct kp_json_state *st, const char **p, int fields)
{
	const char *s = *p;

	if (*s != ',') {
		s = skip(s);
		if (*s != ',')
			return wrong_count(st, s, fields);
	}
	s++;
	*p = *s == ' ' && s[1] > ' ' ? s + 1 : skip(s);
	return true;
}

/* The row at st->p (a bracket) to span; st->p goes behind it. */
static bool row(struct kp_json_state *st, struct kp_span *span)
{
	static const struct {
		const char *name;
		int64_t min, max;
	} fields[] = {
		{ "CPU", -1, KP_JSON_CPU_MAX },
		{ "pid", -INTEGER_MAX, INTEGER_MAX },
		{ "RPC id", -INTEGER_MAX, INTEGER_MAX },
		{ "event", -INTEGER_MAX, INTEGER_MAX },
		{ "argument", -INTEGER_MAX, INTEGER_MAX },
		{ "return value", -INTEGER_MAX, INTEGER_MAX },
		{ "IPC", INT32_MIN, INT32_MAX },
	};
	const char *s = skip(st->p + 1);
	int64_t v[7];
	int i;

	if (!time_field(st, &s, "start", &span->start))
		return false;
	if (!st->reader->start_width && s - st->p - 1 < 32)
		st->reader->start_width = (int)(s - st->p - 1);
	if (!comma(st, &s, 1) || !time_field(st, &s, "duration", &span->dur) ||
	    !comma(st, &s, 2))
		return false;
	for (i = 0; i < 7; i++)
		if (!integer_field(st, &s, fields[i].name, fields[i].min,
				   fields[i].max, &v[i]) || !comma(st, &s, i + 3))
			return false;
	if (*s != '"')
		return expected(st, s, "a name in quotes");
	if (!string(st, &s, &span->name, &span->name_len))
		return false;
	s = skip(s);
	if (*s == ',')
		return fail_at(st, s, "row has more than %d fields", FIELDS);
	if (*s != ']')
		return expected(st, s, "the ] of the row");
	span->cpu = (int32_t)v[0];
	span->pid = v[1];
	span->rpc = v[2];
	span->event = v[3];
	span->arg0 = v[4];
	span->retval = v[5];
	span->ipc = (int32_t)v[6];
	st->p = s + 1;
	return true;
}

/* [999.0, 0.0, 0, 0, 0, 0, 0, 0, 0, ""], or with more nines, see kp_json.h. */
static bool is_trailer(const struct kp_span *span)
{
	int64_t s = span->start / 100000000, nines = 999;

	if (span->name_len || span->start < 99900000000 || span->start % 100000000 ||
	    span->dur || span->cpu || span->pid || span->rpc || span->event ||
	    span->arg0 || span->retval || span->ipc)
		return false;
	while (nines < s)
		nines = nines * 10 + 9;
	return s == nines;
}

static enum kp_json_result deliver(struct kp_json_state *st, const struct kp_span *span,
				   const struct kp_span_sink *sink)
{
	struct kp_json_reader *r = st->reader;

	r->rows++;
	if (span->start < 0 || span->dur < 0) {
		r->negative_rows++;
		return KP_JSON_OK;
	}
	if (span->start < st->last_start)
		r->out_of_order_rows++;
	st->last_start = span->start;
	r->sink_status = sink->span(sink->self, span);
	return r->sink_status ? KP_JSON_STOPPED : KP_JSON_OK;
}

static enum kp_json_result deliver_header(struct kp_json_state *st,
					  const struct kp_span_sink *sink)
{
	struct kp_json_reader *r = st->reader;

	r->sink_status = sink->header(sink->self, st->header.items, st->header.count);
	return r->sink_status ? KP_JSON_STOPPED : KP_JSON_OK;
}

/* From behind the [ of "events" to its ]. */
static enum kp_json_result rows(struct kp_json_state *st, const struct kp_span_sink *sink)
{
	bool trailer_seen = false, first = true, trailer, comma_seen;
	enum kp_json_result result;
	struct kp_span span;
	const char *at;

	for (;;) {
		if (!next_item(st))
			return KP_JSON_BAD;
		at = st->p;
		if (*at != '[') {
			if (first && *at == ']')
				fail_at(st, at, "no rows and no trailer [999.0, ...]");
			else
				expected(st, at, "a row");
			return KP_JSON_BAD;
		}
		if (!row(st, &span))
			return KP_JSON_BAD;
		/* the header waits for the first row, which tells the layout */
		if (first && (result = deliver_header(st, sink)))
			return result;
		first = false;

		trailer = is_trailer(&span);
		if (trailer && trailer_seen) {
			fail_at(st, at, "second trailer [999.0, ...]: two files in one?");
			return KP_JSON_BAD;
		}
		if (!trailer) {
			const char *behind = st->p;

			st->p = at;	/* for kp_json_where() */
			result = deliver(st, &span, sink);
			if (result)
				return result;
			st->p = behind;
		}
		trailer_seen |= trailer;

		if (!next_item(st))
			return KP_JSON_BAD;
		comma_seen = *st->p == ',';
		if (comma_seen) {
			st->p++;
			if (!next_item(st))
				return KP_JSON_BAD;
		}
		if (*st->p == ']' && !(trailer && comma_seen))
			break;
		if (*st->p == '[' && trailer)
			st->reader->trailer_misplaced = true;
		else if (!comma_seen) {
			expected(st, st->p, "a comma or a closing bracket");
			return KP_JSON_BAD;
		}
	}
	if (!trailer_seen) {
		fail_at(st, st->p, "the trailer [999.0, ...] is missing: cut off?");
		return KP_JSON_BAD;
	}
	st->p++;
	return KP_JSON_OK;
}

/* From behind the ] of "events" to the end of the input. */
static bool end(struct kp_json_state *st)
{
	if (!next_item(st))
		return false;
	if (*st->p == ',')
		return fail_at(st, st->p, "keys behind the events: they must stand in front");
	if (*st->p != '}')
		return expected(st, st->p, "the closing }");
	st->p++;
	if (!next_item(st))
		return false;
	if (st->p < st->end)
		return fail_at(st, st->p, "more data behind the end of the JSON");
	return true;
}

static enum kp_json_result read_all(struct kp_json_state *st,
				    const struct kp_span_sink *sink)
{
	struct kp_json_reader *r = st->reader;
	enum kp_json_result result;

	if (!header(st))
		return KP_JSON_BAD;
	result = rows(st, sink);
	if (result)
		return result;
	if (!end(st))
		return KP_JSON_BAD;
	r->sink_status = sink->end(sink->self);
	return r->sink_status ? KP_JSON_STOPPED : KP_JSON_OK;
}

enum kp_json_result kp_json_read(struct kp_json_reader *reader, FILE *in,
				 const char *shown, const struct kp_span_sink *sink)
{
	struct kp_json_state st = { .reader = reader, .in = in, .shown = shown };
	enum kp_json_result result;
	FILE *tee = reader->tee;
	struct stat info;

	memset(reader, 0, sizeof(*reader));
	reader->tee = tee;
	reader->state = &st;
	if (fileno(in) >= 0 && !fstat(fileno(in), &info) && S_ISREG(info.st_mode))
		st.total = (uint64_t)info.st_size;
	st.buffer = malloc(BUFFER_BYTES + 1);
	st.scratch = malloc(KP_JSON_NAME_MAX + 8);
	if (st.buffer && st.scratch) {
		st.p = st.end = st.buffer;
		st.buffer[0] = '\0';
		result = read_all(&st, sink);
	} else {
		fail(&st, "out of memory");
		result = KP_JSON_BAD;
	}
	if (result == KP_JSON_BAD && kp_interrupted())
		result = KP_JSON_INTERRUPTED;
	kp_header_free(&st.header);
	free(st.buffer);
	free(st.scratch);
	reader->state = NULL;
	return result;
}

void kp_json_where(const struct kp_json_reader *reader, char *text, size_t size)
{
	const struct kp_json_state *st = reader->state;
	uint64_t line, byte;

	if (!st) {
		snprintf(text, size, "end of input");
		return;
	}
	position(st, st->p, &line, &byte);
	snprintf(text, size, "%s (line %llu)", st->shown, (unsigned long long)line);
}
