// SPDX-License-Identifier: BSD-3-Clause
/* Reports as JSON. Must never leave a bracket open, so a stack holds the open brackets. */
#include <assert.h>
#include <inttypes.h>
#include <string.h>

#include "common/report.h"
#include "common/utf8.h"

struct ku_report ku_report_begin(FILE *out)
{
	return (struct ku_report){ .out = out, .next_indent = -1, .level[0].indent = -1 };
}

static void begin_line(struct ku_report *r, int indent)
{
	fprintf(r->out, "\n%*s", indent, "");
	r->next_indent = -1;
}

/* Writes the beginning of an item: comma, line break, key. */
static void begin_item(struct ku_report *r, const char *key)
{
	int indent = r->next_indent >= 0 ? r->next_indent : r->level[r->depth].indent;

	if (r->level[r->depth].any)
		putc(',', r->out);
	if (indent >= 0)
		begin_line(r, indent);
	else if (r->level[r->depth].any)
		putc(' ', r->out);
	r->level[r->depth].any = true;
	if (key)
		fprintf(r->out, "\"%s\": ", key);
}

void ku_report_lines(struct ku_report *r, const char *key, char open, int indent)
{
	begin_item(r, key);
	putc(open, r->out);
	assert(r->depth < KU_REPORT_DEPTH);
	r->depth++;
	r->level[r->depth].close = open == '{' ? '}' : ']';
	r->level[r->depth].any = false;
	r->level[r->depth].indent = indent;
}

void ku_report_object(struct ku_report *r, const char *key)
{
	ku_report_lines(r, key, '{', -1);
}

void ku_report_list(struct ku_report *r, const char *key)
{
	ku_report_lines(r, key, '[', -1);
}

void ku_report_close(struct ku_report *r)
{
	assert(r->depth);
	if (r->next_indent >= 0)
		begin_line(r, r->next_indent);
	putc(r->level[r->depth--].close, r->out);
}

void ku_report_end(struct ku_report *r)
{
	while (r->depth)
		ku_report_close(r);
	putc('\n', r->out);
}

void ku_report_break(struct ku_report *r, int indent)
{
	r->next_indent = indent;
}

void ku_report_unsigned(struct ku_report *r, const char *key, uint64_t value)
{
	begin_item(r, key);
	fprintf(r->out, "%" PRIu64, value);
}

void ku_report_signed(struct ku_report *r, const char *key, int64_t value)
{
	begin_item(r, key);
	fprintf(r->out, "%" PRId64, value);
}

void ku_report_bool(struct ku_report *r, const char *key, bool value)
{
	begin_item(r, key);
	fputs(value ? "true" : "false", r->out);
}

void ku_report_null(struct ku_report *r, const char *key)
{
	begin_item(r, key);
	fputs("null", r->out);
}

void ku_print_seconds(FILE *out, int64_t units)
{
	uint64_t size = units < 0 ? -(uint64_t)units : (uint64_t)units;

	fprintf(out, "%s%" PRIu64 ".%08" PRIu64, units < 0 ? "-" : "", size / 100000000,
		size % 100000000);
}

void ku_report_seconds(struct ku_report *r, const char *key, int64_t units)
{
	begin_item(r, key);
	ku_print_seconds(r->out, units);
}

void ku_report_text(struct ku_report *r, const char *key, const char *text, size_t len)
{
	char escaped[6 * 128];
	uint64_t replaced = 0;

	begin_item(r, key);
	putc('"', r->out);
	while (len) {
		/* parts of at most 128 bytes; no part ends within a character */
		size_t n = len < 128 ? len : 128;

		while (n < len && n > 124 && ((unsigned char)text[n] & 0xC0) == 0x80)
			n--;
		fwrite(escaped, 1, ku_json_escape(text, n, escaped, &replaced), r->out);
		text += n;
		len -= n;
	}
	putc('"', r->out);
}

void ku_report_string(struct ku_report *r, const char *key, const char *text)
{
	ku_report_text(r, key, text, strlen(text));
}

/* Character after the backslash. 'u': \u00XX. 0: no escape. 1: byte of a UTF-8 sequence. */
static const unsigned char escapes[256] = {
	[0x00 ... 0x07] = 'u', ['\b'] = 'b', ['\t'] = 't', ['\n'] = 'n',
	[0x0B] = 'u', ['\f'] = 'f', ['\r'] = 'r', [0x0E ... 0x1F] = 'u',
	['"'] = '"', ['\\'] = '\\', [0x7F] = 'u', [0x80 ... 0xFF] = 1,
};

size_t ku_json_escape(const char *text, size_t len, char *out, uint64_t *replaced)
{
	static const char hex[] = "0123456789abcdef";
	char *p = out;
	size_t i = 0, n;

	while (i < len) {
		unsigned char c = (unsigned char)text[i];
		unsigned char e = escapes[c];

		if (!e) {
			*p++ = (char)c;
			i++;
		} else if (e == 1) {
			n = ku_utf8_sequence(text + i, len - i);
			memcpy(p, n ? text + i : KU_UTF8_REPLACEMENT, n ?: 3);
			p += n ?: 3;
			i += n ?: 1;
			*replaced += !n;
		} else if (e == 'u') {
			memcpy(p, "\\u00", 4);
			p[4] = hex[c >> 4];
			p[5] = hex[c & 15];
			p += 6;
			i++;
		} else {
			p[0] = '\\';
			p[1] = (char)e;
			p += 2;
			i++;
		}
	}
	return (size_t)(p - out);
}
