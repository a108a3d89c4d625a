// SPDX-License-Identifier: BSD-3-Clause
/*
 * Copies rows of RPCs, disk blocks and profiles (page/foreign.h). Checks the types of the fields in
 * each row, but not their meaning. Must not pass on a broken file as a complete one.
 */
#include "page/foreign.h"

#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/tool.h"

#define LOOK_BYTES 65536	/* the first row must end within this number of bytes */
#define ROW_BYTES 65536
/* 1 s in units of 10 ns; also the number 1 times 10^8, see skip_number() */
#define SECOND INT64_C(100000000)
#define TRAILER (999 * SECOND)

#define PROFILE_LINE (65536 * SECOND)	/* a profile numbers its lines from 65536 */

/* The key of each kind's rows, and the types of a row's fields (n: number, s: string). */
static const struct {
	const char *key, *fields, *what;
	int times;		/* number of leading fields that are times */
	bool lasts;		/* the second field is a duration */
} forms[] = {
	[KP_FOREIGN_RPC] = { "events", "nnnnssnnnnsssns", "RPCs", 4, false },
	[KP_FOREIGN_DISK] = { "points", "nn", "disk blocks", 1, false },
	[KP_FOREIGN_PROFILE] = { "events", "nnnnnnnnns", "a profile", 1, true },
};

const char *kp_foreign_what(enum kp_foreign_kind kind)
{
	return forms[kind].what;
}

static bool is_blank(int c)
{
	return c == ' ' || c == '\t' || c == '\n' || c == '\r';
}

static const char *skip_blanks(const char *p, const char *end)
{
	while (p < end && is_blank(*p))
		p++;
	return p;
}

/* Returns the end of the string at @p; NULL if there is no complete string. */
static const char *skip_string(const char *p, const char *end)
{
	if (p == end || *p != '"')
		return NULL;
	while (++p < end && *p != '"') {
		if ((unsigned char)*p < ' ')
			return NULL;
		p += *p == '\\';
	}
	return p < end ? p + 1 : NULL;
}

static bool is_digit(const char *p, const char *end)
{
	return p < end && *p >= '0' && *p <= '9';
}

/*
 * Returns the end of the number at @p, or NULL. Sets *@units to the number times 10^8, which
 * converts seconds to units of 10 ns.
 */
static const char *skip_number(const char *p, const char *end, int64_t *units)
{
	const bool minus = p < end && *p == '-';
	int64_t value = 0, scale = 100000000;

	p += minus;
	if (!is_digit(p, end))
		return NULL;
	for (; is_digit(p, end); p++)
		if (value < INT64_C(10000000000))
			value = value * 10 + (*p - '0');
	value = value < INT64_C(10000000000) ? value * scale : INT64_MAX / 2;
	if (p < end && *p == '.') {
		p++;
		if (!is_digit(p, end))
			return NULL;
		for (; is_digit(p, end); p++) {
			scale /= 10;
			value += (*p - '0') * scale;
		}
	}
	*units = minus ? -value : value;
	return p;
}

/* Returns the end of the row at @p, or NULL if @p is no row of @kind. Fills *@row. */
static const char *match_row(enum kp_foreign_kind kind, const char *p, const char *end,
			     struct kp_foreign_row *row)
{
	const char *fields = forms[kind].fields;
	int64_t units = 0;

	row->text = p;
	if (p == end || *p != '[')
		return NULL;
	for (int i = 0; fields[i]; i++) {
		p = skip_blanks(p + 1, end);
		p = fields[i] == 's' ? skip_string(p, end) : skip_number(p, end, &units);
		if (!p)
			return NULL;
		if (i == 0)
			row->first = row->last = units;
		else if (i < forms[kind].times && units > row->last)
			row->last = units;
		else if (i == 1 && forms[kind].lasts && units < INT64_MAX / 4 && row->first < INT64_MAX / 4)
			row->last += units;
		p = skip_blanks(p, end);
		if (p == end || *p != (fields[i + 1] ? ',' : ']'))
			return NULL;
	}
	row->len = (size_t)(++p - row->text);
	return p;
}

static bool is_key(const char *key, const char *from, const char *to)
{
	const size_t len = strlen(key);

	return (size_t)(to - from) == len + 2 && !memcmp(from + 1, key, len);
}

/*
 * Returns whether the row at @p has the kind @kind. A row of a profile looks like a span. One of its
 * fields CPU, pid and RPC is the number of its line, and the other two are -1.
 */
static bool is_row(enum kp_foreign_kind kind, const char *p, const char *end)
{
	struct kp_foreign_row row;
	int64_t units[5];
	int lines = 0, none = 0;

	if (!match_row(kind, p, end, &row))
		return false;
	if (kind != KP_FOREIGN_PROFILE)
		return true;
	for (int i = 0; i < 5; i++)
		p = skip_blanks(skip_number(skip_blanks(p + 1, end), end, &units[i]), end);
	for (int i = 2; i < 5; i++) {
		lines += units[i] >= PROFILE_LINE;
		none += units[i] == -SECOND;
	}
	return lines == 1 && none == 2;
}

/* Returns whether the row at @p is complete. */
static bool row_ends(const char *p, const char *end)
{
	while (p && p < end && *p != ']')
		p = *p == '"' ? skip_string(p, end) : p + 1;
	return p && p < end;
}

/* Returns the kind of the rows in the text at @p. Sets *@more if more text is needed to decide. */
static enum kp_foreign_kind kind_of(const char *p, const char *end, bool *more)
{
	const char *key = "", *key_end = key;
	int depth = 0;

	*more = true;
	for (p = skip_blanks(p, end); p < end; p++) {
		if (!depth && *p != '{')
			break;
		if (*p == '"') {
			const char *to = skip_string(p, end);

			if (!to)
				break;
			if (depth == 1) {
				key = p;
				key_end = to;
			}
			p = to - 1;
		} else if (*p == '[' && depth == 1) {
			const char *first = skip_blanks(p + 1, end);

			bool rows = false;

			for (enum kp_foreign_kind kind = KP_FOREIGN_RPC; kind <= KP_FOREIGN_PROFILE; kind++) {
				if (!is_key(forms[kind].key, key, key_end))
					continue;
				rows = true;
				if (is_row(kind, first, end)) {
					*more = false;
					return kind;
				}
			}
			*more = !rows || !row_ends(first, end);
			if (rows)
				break;
			depth++;
		} else if (*p == '[' || *p == '{') {
			depth++;
		} else if (*p == ']' || *p == '}') {
			depth--;
		}
	}
	return KP_FOREIGN_NONE;
}

/* A stream that repeats the text that kp_foreign_detect() read, then continues with the input. */
struct peeked {
	FILE *rest;
	size_t used, len;
	char text[LOOK_BYTES];
};

static ssize_t read_looked(void *cookie, char *to, size_t size)
{
	struct peeked *peeked = cookie;
	size_t n = peeked->len - peeked->used;

	if (!n) {
		/* at a terminal, a read after the end of the file would wait again */
		if (feof(peeked->rest))
			return 0;
		n = fread(to, 1, size, peeked->rest);
		return n || !ferror(peeked->rest) ? (ssize_t)n : -1;
	}
	if (n > size)
		n = size;
	memcpy(to, peeked->text + peeked->used, n);
	peeked->used += n;
	return (ssize_t)n;
}

static int close_looked(void *cookie)
{
	free(cookie);
	return 0;
}

FILE *kp_foreign_detect(FILE *in, enum kp_foreign_kind *kind)
{
	const cookie_io_functions_t io = { .read = read_looked, .close = close_looked };
	struct peeked *peeked = calloc(1, sizeof(*peeked));
	off_t at = fileno(in) < 0 ? -1 : ftello(in);
	struct stat info;
	bool more = true;
	ssize_t got;
	FILE *all;

	*kind = KP_FOREIGN_NONE;
	if (!peeked)
		return NULL;
	if (at >= 0 && !fstat(fileno(in), &info) && S_ISREG(info.st_mode)) {
		got = pread(fileno(in), peeked->text, LOOK_BYTES, at);
		if (got > 0)
			*kind = kind_of(peeked->text, peeked->text + got, &more);
		free(peeked);
		return in;
	}
	/* read single bytes, and no more than needed: the writer of a pipe may be slow */
	while (peeked->len < LOOK_BYTES && !kp_interrupted() &&
	       fread(peeked->text + peeked->len, 1, 1, in) == 1) {
		if (peeked->text[peeked->len++] == ']')
			*kind = kind_of(peeked->text, peeked->text + peeked->len, &more);
		if (!more)
			break;
	}
	peeked->rest = in;
	all = fopencookie(peeked, "r", io);
	if (!all)
		free(peeked);
	else
		setvbuf(all, NULL, _IOFBF, 1 << 16);
	return all;
}

struct copy {
	struct kp_foreign *foreign;
	const char *shown;
	FILE *in, *out;
	char row[ROW_BYTES];
};

static int bad(const struct copy *copy, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));

static int bad(const struct copy *copy, const char *fmt, ...)
{
	char text[200];
	va_list ap;

	if (kp_interrupted())
		return KP_BAD;	/* kp_finish() reports the error */
	va_start(ap, fmt);
	vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	kp_error("bad JSON: %s, rows of %s: %s", copy->shown,
		 kp_foreign_what(copy->foreign->kind), text);
	return KP_BAD;
}

static int cut_off(const struct copy *copy)
{
	if (ferror(copy->in))
		return bad(copy, "cannot read: %s", strerror(errno));
	return bad(copy, "cut off after row %" PRIu64, copy->foreign->rows);
}

static int next_byte(const struct copy *copy)
{
	int c;

	do
		c = getc(copy->in);
	while (is_blank(c));
	return c;
}

/*
 * If @rows, copies the text before the rows, up to their opening bracket. Otherwise copies the text
 * after the rows, up to the end of the object. Pages have spaces instead of newlines: a space after
 * { or , of the outer object becomes a newline again.
 */
static int copy_around(const struct copy *copy, bool rows, int depth)
{
	char key[32] = "";
	size_t len = 0;
	bool string = false, escaped = false, line = false;
	int c;

	while ((c = getc(copy->in)) != EOF) {
		if (!string && line && c == ' ')
			c = '\n';
		line = false;
		if (!string && rows && depth == 1 && c == '[' &&
		    !strcmp(key, forms[copy->foreign->kind].key))
			return KP_OK;
		putc(c, copy->out);
		if (string) {
			string = escaped || c != '"';
			if (string && depth == 1 && len < sizeof(key) - 1)
				key[len++] = (char)c;
			key[len] = '\0';
			escaped = !escaped && c == '\\';
		} else if (c == '"') {
			string = true;
			len = depth == 1 ? 0 : len;
		} else if (c == '{' || c == '[') {
			depth++;
			line = depth == 1;
		} else if (c == '}' || c == ']') {
			if (!--depth)
				return rows ? bad(copy, "it has no rows") : KP_OK;
		} else {
			line = c == ',' && depth == 1;
		}
	}
	return cut_off(copy);
}

/*
 * Reads a row into copy->row, after its opening bracket was read. Returns the row's length, or 0 if
 * the row is too long or cut off.
 */
static size_t read_row(struct copy *copy)
{
	bool string = false, escaped = false;
	size_t len = 1;
	int c;

	copy->row[0] = '[';
	while (len < ROW_BYTES && (c = getc(copy->in)) != EOF) {
		copy->row[len++] = (char)c;
		if (string) {
			string = escaped || c != '"';
			escaped = !escaped && c == '\\';
		} else if (c == '"') {
			string = true;
		} else if (c == ']') {
			return len;
		}
	}
	return 0;
}

static int copy_rows(struct copy *copy)
{
	struct kp_foreign *foreign = copy->foreign;
	const char *separator = "[\n";
	struct kp_foreign_row row;
	int c = next_byte(copy);
	/* any: a row was read; closed: no comma followed the last row */
	bool any = false, closed = false;

	while (c == '[' && !closed) {
		const size_t len = read_row(copy);
		bool trailer;

		if (!len)
			return feof(copy->in) || ferror(copy->in) ? cut_off(copy) :
				bad(copy, "row %" PRIu64 " is longer than %d bytes",
				    foreign->rows + 1, ROW_BYTES);
		if (match_row(foreign->kind, copy->row, copy->row + len, &row) != copy->row + len)
			return bad(copy, "row %" PRIu64 " is bad: %.60s", foreign->rows + 1,
				   len < ROW_BYTES ? (copy->row[len] = '\0', copy->row) : "");
		any = true;
		trailer = row.first == TRAILER;
		foreign->rows += !trailer;
		if (trailer || !foreign->keep || foreign->keep(foreign->self, &row)) {
			foreign->copied += !trailer;
			fputs(separator, copy->out);
			fwrite(row.text, 1, row.len, copy->out);
			separator = ",\n";
		}
		if (kp_interrupted() || ferror(copy->out))
			return KP_BAD;	/* kp_finish() reports the error */
		c = next_byte(copy);
		closed = c != ',';
		if (!closed)
			c = next_byte(copy);
	}
	if (c == EOF)
		return cut_off(copy);
	if (c != ']' || (any && !closed))
		return bad(copy, "no row after row %" PRIu64, foreign->rows);
	fputs(*separator == '[' ? "[\n]" : "\n]", copy->out);
	return KP_OK;
}

int kp_foreign_copy(struct kp_foreign *foreign, FILE *in, const char *shown, FILE *out)
{
	struct copy *copy = malloc(sizeof(*copy));
	int status;

	if (!copy) {
		kp_error("no memory");
		return KP_BAD;
	}
	copy->foreign = foreign;
	copy->shown = shown;
	copy->in = in;
	copy->out = out;
	status = copy_around(copy, true, 0);
	foreign->rows_at = ftell(out);
	if (!status)
		status = copy_rows(copy);
	foreign->rows_end = ftell(out) - 1;
	if (!status)
		status = copy_around(copy, false, 1);
	if (!status && next_byte(copy) != EOF)
		status = bad(copy, "more data after its end");
	if (!status && ferror(in))
		status = cut_off(copy);
	if (!status)
		putc('\n', out);
	free(copy);
	return status;
}
