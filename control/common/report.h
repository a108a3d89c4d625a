/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Writes a report as JSON: objects, lists, keys, numbers, strings and line breaks.
 *
 * Keys contain their unit (_ns, _bytes, ...). Must not use the locale or floating point. Write
 * errors do not stop a report: the caller checks ferror() at the end.
 *
 *	struct ku_report r = ku_report_begin(stdout);
 *	ku_report_object(&r, NULL);
 *	ku_report_unsigned(&r, "blocks", 12);
 *	ku_report_lines(&r, "cpus", '[', 1);		each item on its own line, indented by 1
 *	ku_report_string(&r, NULL, "a \"b\"");
 *	ku_report_end(&r);
 *
 *	{"blocks": 12, "cpus": [
 *	 "a \"b\""]}
 */
#ifndef KU_COMMON_REPORT_H
#define KU_COMMON_REPORT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#define KU_REPORT_DEPTH	16	/* maximum nesting of objects and lists */

struct ku_report {
	FILE *out;
	int next_indent;	/* indentation requested by ku_report_break(); -1: none */
	unsigned int depth;
	struct {
		char close;	/* } or ] */
		bool any;	/* the list or object has an item already */
		int indent;	/* indentation of each item's line; -1: all items on one line */
	} level[KU_REPORT_DEPTH + 1];
};

struct ku_report ku_report_begin(FILE *out);
/* Closes all open objects and lists, and ends the report with a newline. */
void ku_report_end(struct ku_report *r);

/* Open an object or list. @key: key in the enclosing object; NULL in a list and at the top. */
void ku_report_object(struct ku_report *r, const char *key);
void ku_report_list(struct ku_report *r, const char *key);
/* Opens an object ('{') or a list ('['). Each item begins a line, indented by @indent blanks. */
void ku_report_lines(struct ku_report *r, const char *key, char open, int indent);
void ku_report_close(struct ku_report *r);
/* Makes the next item or closing bracket begin a line, indented by @indent blanks. */
void ku_report_break(struct ku_report *r, int indent);

void ku_report_unsigned(struct ku_report *r, const char *key, uint64_t value);
void ku_report_signed(struct ku_report *r, const char *key, int64_t value);
void ku_report_bool(struct ku_report *r, const char *key, bool value);
void ku_report_null(struct ku_report *r, const char *key);
/* Writes @units, each 10 ns, as seconds with 8 decimals. */
void ku_report_seconds(struct ku_report *r, const char *key, int64_t units);
void ku_report_string(struct ku_report *r, const char *key, const char *text);
/* Writes @len bytes as a string. They need no NUL at the end. */
void ku_report_text(struct ku_report *r, const char *key, const char *text, size_t len);

/*
 * Writes @len bytes to @out, escaped for a JSON string, without the quotes. Returns the
 * number of bytes written; @out needs room for 6 * @len. Each byte that is not part of valid
 * UTF-8 becomes U+FFFD and adds 1 to *@replaced.
 */
size_t ku_json_escape(const char *text, size_t len, char *out, uint64_t *replaced);

/* Prints @units, each 10 ns, as seconds with 8 decimals, for example 11.08612461. */
void ku_print_seconds(FILE *out, int64_t units);

#endif
