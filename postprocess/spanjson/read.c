// SPDX-License-Identifier: BSD-3-Clause
/*
 * Must count each correction of a row (rounded time, replaced byte), and must not call end() if the
 * input is incomplete.
 */
#include <stdlib.h>
#include <sys/stat.h>

#include "base/number.h"
#include "base/text.h"
#include "base/tool.h"
#include "spanjson/lex.h"

#define HEADER_MAX		1024		/* maximum number of header keys */
/* largest integer that is exact in all JSON readers */
#define INTEGER_MAX		(1ll << 53)
#define FIELDS			10
#define UNITS_DECIMALS		8		/* seconds with 8 decimals are units of 10 ns */

/* Reads a header key and its colon. Sets *is_events if the key is "events". */
static bool header_key(struct kp_json_state *st, char **key, bool *is_events)
{
	const char *text, *s = st->p;
	size_t len;

	if (*s != '"')
		return kp_json_expected(st, s, "a header key in quotes");
	if (!kp_json_string(st, &s, &text, &len))
		return false;
	if (memchr(text, '\0', len))
		return kp_json_fail_at(st, st->p, "NUL character in a header key");
	*key = strndup(text, len);
	if (!*key)
		return kp_json_fail(st, "no memory");
	*is_events = !strcmp(*key, "events");
	/* A key may occur twice before the events: the last counts, as in other JSON readers. */
	if (st->rows_seen && (kp_header_get(st->header.items, st->header.count, *key) ||
			      kp_header_get(st->trailing.items, st->trailing.count, *key) || *is_events))
		return kp_json_fail_at(st, st->p, "header key \"%.64s\" occurs twice", *key);
	if (st->header.count + st->trailing.count >= HEADER_MAX)
		return kp_json_fail_at(st, st->p, "more than %d header keys", HEADER_MAX);
	s = kp_json_skip(s);
	if (*s != ':')
		return kp_json_expected(st, s, "a colon");
	s = kp_json_skip(s + 1);
	st->p = s;
	return true;
}

static bool header_value(struct kp_json_state *st, struct kp_header *header, const char *key)
{
	const char *s = st->p;
	char *value;
	int status;

	if (!kp_json_pass_value(st, &s, 0))
		return false;
	value = kp_json_clean_value(st->p, (size_t)(s - st->p));
	status = value ? kp_header_set(header, key, value) : -1;
	free(value);
	if (status)
		return kp_json_fail(st, "no memory");
	st->p = s;
	return true;
}

/* Reports input that is no JSON. @first: the first bytes, before white space was skipped. */
static bool not_json(struct kp_json_state *st, const char *first, size_t first_len)
{
	const char *what;
	const char *s = st->p;

	if (s >= st->end)
		return kp_json_fail(st, "no JSON: %s is empty", st->shown);
	what = kp_other_format(first, first_len, KP_FORMAT_SPAN_JSON);
	if (what)
		return kp_json_fail_at(st, s, "no JSON, but %s", what);
	if (*s == '[' || *s == ']' || *s == '"')
		return kp_json_fail_at(st, s, "the header must come first (if sort moved it, sort with LC_ALL=C)");
	if ((*s >= '0' && *s <= '9') || *s == '-' || *s == '#')
		return kp_json_fail_at(st, s, "this looks like event text, not JSON; convert it by eventtospan first");
	return kp_json_expected(st, s, "the { of the span JSON");
}

/* Reads from the beginning to the [ of "events". */
static bool header(struct kp_json_state *st)
{
	bool is_events = false, good;
	char *key = NULL, first[512];
	size_t first_len;

	if (!kp_json_make_room(st))
		return false;
	first_len = (size_t)(st->end - st->p);
	first_len = first_len < sizeof(first) ? first_len : sizeof(first);
	memcpy(first, st->p, first_len);
	if (!strncmp(st->p, "\xEF\xBB\xBF", 3))
		st->p += 3;
	if (!kp_json_next_item(st))
		return false;
	if (*st->p != '{')
		return not_json(st, first, first_len);
	st->p++;
	for (;;) {
		if (!kp_json_next_item(st))
			return false;
		if (*st->p == '}')
			return kp_json_fail_at(st, st->p, "no \"events\" in it: not the JSON of eventtospan");
		key = NULL;
		good = header_key(st, &key, &is_events) &&
		       (is_events || header_value(st, &st->header, key));
		free(key);
		if (!good)
			return false;
		if (is_events)
			break;
		if (!kp_json_next_item(st))
			return false;
		if (*st->p == '}')
			continue;
		if (*st->p != ',')
			return kp_json_expected(st, st->p, "a comma");
		st->p++;
	}
	if (*st->p != '[')
		return kp_json_expected(st, st->p, "the [ of the events");
	st->p++;
	return true;
}

static bool out_of_range(struct kp_json_state *st, const char *at, const char *field)
{
	return kp_json_fail_at(st, at, "%s out of range: %.*s", field,
		       (int)strspn(at, "+-.0123456789eE") % 40, at);
}

/* Reports why the text at @at is not a valid number of the field. */
static bool bad_number(struct kp_json_state *st, const char *at, const char *field)
{
	const char *s = at, *trailing = at + strspn(at, "+-.0123456789eE");
	bool inexact = false;
	int64_t value;
	char what[64];

	if (trailing >= st->end)
		return kp_json_expected(st, st->end, "the rest of a row");
	switch (kp_number_json(&s, st->end, UNITS_DECIMALS, &value, &inexact)) {
	case KP_NUMBER_NONE:
		break;
	case KP_NUMBER_LONG:
		return kp_json_fail_at(st, at, "%s has too many digits", field);
	case KP_NUMBER_RANGE:
	case KP_NUMBER_OK:
		return out_of_range(st, at, field);
	}
	snprintf(what, sizeof(what), "a number (%s)", field);
	return kp_json_expected(st, at, what);
}

static inline bool time_field(struct kp_json_state *st, const char **p,
			      const char *field, int64_t *value)
{
	const char *s = *p;
	uint64_t whole = 0, part = 0;
	bool inexact = false;
	int i;

	/* fast path for our own and the original's output: 1 to 9 digits, 8 decimals */
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
		return kp_json_fail_at(st, *p, "%s must be a whole number", field);
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
		return kp_json_fail_at(st, at, "row has %d fields, must have %d", fields, FIELDS);
	return kp_json_expected(st, at, "a comma");
}

static inline bool comma(struct kp_json_state *st, const char **p, int fields)
{
	const char *s = *p;

	if (*s != ',') {
		s = kp_json_skip(s);
		if (*s != ',')
			return wrong_count(st, s, fields);
	}
	s++;
	*p = *s == ' ' && s[1] > ' ' ? s + 1 : kp_json_skip(s);
	return true;
}

/* Parses the row at st->p (a bracket) to @span, and moves st->p after it. */
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
	const char *s = kp_json_skip(st->p + 1);
	int64_t v[7];

	if (!time_field(st, &s, "start", &span->start))
		return false;
	if (!st->reader->start_width && s - st->p - 1 < 32)
		st->reader->start_width = (int)(s - st->p - 1);
	if (!comma(st, &s, 1) || !time_field(st, &s, "duration", &span->dur) || !comma(st, &s, 2))
		return false;
	for (int i = 0; i < 7; i++)
		if (!integer_field(st, &s, fields[i].name, fields[i].min,
				   fields[i].max, &v[i]) || !comma(st, &s, i + 3))
			return false;
	if (*s != '"')
		return kp_json_expected(st, s, "a name in quotes");
	if (!kp_json_string(st, &s, &span->name, &span->name_len))
		return false;
	s = kp_json_skip(s);
	if (*s == ',')
		return kp_json_fail_at(st, s, "row has more than %d fields", FIELDS);
	if (*s != ']')
		return kp_json_expected(st, s, "the ] of the row");
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

/* Returns true for [999.0, 0.0, 0, 0, 0, 0, 0, 0, 0, ""], also with more nines (json.h). */
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

/* Reads the rows, from the [ of "events" to its ]. */
static enum kp_json_result rows(struct kp_json_state *st, const struct kp_span_sink *sink)
{
	bool trailer_seen = false, first = true, trailer, comma_seen;
	enum kp_json_result result;
	struct kp_span span;
	const char *at;

	for (;;) {
		if (!kp_json_next_item(st))
			return KP_JSON_BAD;
		at = st->p;
		if (*at != '[') {
			if (first && *at == ']')
				kp_json_fail_at(st, at, "no rows and no trailer [999.0, ...]");
			else
				kp_json_expected(st, at, "a row");
			return KP_JSON_BAD;
		}
		if (!row(st, &span))
			return KP_JSON_BAD;
		/* the first row determines the width, which header() needs */
		if (first && (result = deliver_header(st, sink)))
			return result;
		first = false;

		trailer = is_trailer(&span);
		if (trailer && trailer_seen) {
			kp_json_fail_at(st, at, "second trailer [999.0, ...]: two files in one?");
			return KP_JSON_BAD;
		}
		if (!trailer && span.start >= KP_JSON_TIME_MAX) {
			out_of_range(st, kp_json_skip(at + 1), "start");
			return KP_JSON_BAD;
		}
		if (!trailer) {
			const char *trailing = st->p;

			st->p = at;	/* kp_json_where() needs this position */
			result = deliver(st, &span, sink);
			if (result)
				return result;
			st->p = trailing;
		}
		trailer_seen |= trailer;

		if (!kp_json_next_item(st))
			return KP_JSON_BAD;
		comma_seen = *st->p == ',';
		if (comma_seen) {
			st->p++;
			if (!kp_json_next_item(st))
				return KP_JSON_BAD;
		}
		if (*st->p == ']' && !(trailer && comma_seen))
			break;
		if (*st->p == '[' && trailer)
			st->reader->trailer_misplaced = true;
		else if (!comma_seen) {
			kp_json_expected(st, st->p, "a comma or a closing bracket");
			return KP_JSON_BAD;
		}
	}
	if (!trailer_seen) {
		kp_json_fail_at(st, st->p, "the trailer [999.0, ...] is missing: cut off?");
		return KP_JSON_BAD;
	}
	st->p++;
	return KP_JSON_OK;
}

/* Reads the keys that follow the events, from the comma before the first one to the closing }. */
static bool trailing(struct kp_json_state *st)
{
	bool is_events, good;
	char *key;

	if (*st->p == ',' && !kp_json_take_rest(st))
		return false;
	while (*st->p == ',') {
		st->p = kp_json_skip(st->p + 1);
		key = NULL;
		good = header_key(st, &key, &is_events) && header_value(st, &st->trailing, key);
		free(key);
		if (!good)
			return false;
		st->p = kp_json_skip(st->p);
	}
	return true;
}

/* Reads from the ] of "events" to the end of the input. */
static bool end(struct kp_json_state *st)
{
	st->rows_seen = true;
	if (!kp_json_next_item(st) || !trailing(st))
		return false;
	if (*st->p != '}')
		return kp_json_expected(st, st->p, "the closing }");
	st->p++;
	if (!kp_json_next_item(st))
		return false;
	if (st->p < st->end)
		return kp_json_fail_at(st, st->p, "more data after the end of the JSON");
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
	if (sink->trailing && st->trailing.count) {
		r->sink_status = sink->trailing(sink->self, st->trailing.items, st->trailing.count);
		if (r->sink_status)
			return KP_JSON_STOPPED;
	}
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
	st.room = BUFFER_BYTES;
	st.buffer = malloc(BUFFER_BYTES + 1);
	st.scratch = malloc(KP_JSON_NAME_MAX + 8);
	if (st.buffer && st.scratch) {
		st.p = st.end = st.buffer;
		st.buffer[0] = '\0';
		result = read_all(&st, sink);
	} else {
		kp_json_fail(&st, "no memory");
		result = KP_JSON_BAD;
	}
	if (result == KP_JSON_BAD && kp_interrupted())
		result = KP_JSON_INTERRUPTED;
	if (result == KP_JSON_STOPPED)
		kp_json_where(reader, reader->stopped_at, sizeof(reader->stopped_at));
	kp_header_free(&st.header);
	kp_header_free(&st.trailing);
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
		snprintf(text, size, "%s", reader->stopped_at);
		return;
	}
	kp_json_position(st, st->p, &line, &byte);
	snprintf(text, size, "%s (line %llu)", st->shown, (unsigned long long)line);
}

/* ---- exit status: reports every correction ---- */

int kp_json_exit_status(const struct kp_json_reader *r, enum kp_json_result result)
{
	if (r->replaced_bytes)
		kp_error("%" PRIu64 " bytes of text were no valid UTF-8, replaced by U+FFFD",
			 r->replaced_bytes);
	if (r->control_chars)
		kp_error("%" PRIu64 " bare control characters in strings, now escaped",
			 r->control_chars);
	if (r->rounded_times)
		kp_error("%" PRIu64 " times finer than 10 ns, rounded", r->rounded_times);
	if (r->negative_rows)
		kp_error("%" PRIu64 " rows with a negative start or duration left out",
			 r->negative_rows);
	if (r->trailer_misplaced)
		kp_error("the trailer [999.0, ...] is before the end, because rows are after 999 s; moved to the end");
	switch (result) {
	case KP_JSON_OK:
	case KP_JSON_INTERRUPTED:	/* kp_finish() reports the interrupt */
		return KP_OK;
	case KP_JSON_STOPPED:
		return KP_BAD;
	case KP_JSON_BAD:
		break;
	}
	kp_error("%s", r->message);
	return KP_BAD;
}

int kp_json_ordered_status(const struct kp_json_reader *r, enum kp_json_result result,
			   const char *shown)
{
	int status = kp_json_exit_status(r, result);

	if (result != KP_JSON_OK || !r->out_of_order_rows)
		return status;
	kp_error("%s: rows are not in time order; run LC_ALL=C sort first", shown);
	return KP_BAD;
}

/* Adds an empty list of events to the keys, so that kp_json_read() can parse them. */
enum kp_json_result kp_json_read_keys(struct kp_json_reader *reader, const char *text,
				      size_t len, const char *shown,
				      const struct kp_span_sink *sink)
{
	/* beginning of a trace without rows, for the opening brace of @text */
	static const char rows[] = "{\"events\":[[999.0, 0.0, 0, 0, 0, 0, 0, 0, 0, \"\"]]";
	struct kp_span_sink keys = {
		.header = kp_span_ignore_header, .span = kp_span_ignore_span, .end = kp_span_ignore_end,
		.self = sink->self, .trailing = sink->trailing,
	};
	enum kp_json_result result = KP_JSON_BAD;
	size_t head = sizeof(rows) - 1, at = 1;
	char *whole;
	FILE *in;

	if (len < 2 || text[0] != '{') {
		snprintf(reader->message, sizeof(reader->message),
			 "bad JSON: %s: no object of keys", shown);
		return KP_JSON_BAD;
	}
	whole = malloc(head + len);
	if (!whole) {
		snprintf(reader->message, sizeof(reader->message), "no memory");
		return KP_JSON_BAD;
	}
	memcpy(whole, rows, head);
	memcpy(whole + head, text, len);
	/* if there are keys, a comma replaces the brace */
	while (at < len && strchr(" \t\r\n", text[at]))
		at++;
	whole[head] = at < len && text[at] == '}' ? ' ' : ',';
	in = fmemopen(whole, head + len, "r");
	if (in) {
		result = kp_json_read(reader, in, shown, &keys);
		fclose(in);
	} else {
		snprintf(reader->message, sizeof(reader->message), "no memory");
	}
	free(whole);
	return result;
}
