/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Writes a report as JSON: objects, lists, keys, numbers, strings, and where a line ends.
 * Keys say their units (_ns, _bytes, ...). Must never use the locale or floating point, and
 * never stops on errors of the file: the caller asks ferror() at its end. Called by
 * whatever has --json.
 *
 *	struct ku_report r = ku_report_begin(stdout);
 *	ku_report_object(&r, NULL);
 *	ku_report_unsigned(&r, "blocks", 12);
 *	ku_report_lines(&r, "cpus", '[', 1);		each item on a line, behind 1 blank
 *	ku_report_string(&r, NULL, "a \"b\"");
 *	ku_report_close(&r);
 *	ku_report_close(&r);
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

#define KU_REPORT_DEPTH	16	/* objects and lists in each other */

struct ku_report {
	FILE *out;
	int next_indent;	/* of the line that ku_report_break() began, -1 = none */
	unsigned int depth;
	struct {
		char close;	/* } or ] */
		bool any;	/* an item is in it */
		int indent;	/* of each item's line, -1 = all in one line */
	} level[KU_REPORT_DEPTH + 1];
};

struct ku_report ku_report_begin(FILE *out);
/* Behind all that was opened and closed: the end of the line. */
void ku_report_end(struct ku_report *r);

/* In objects, key is an item's; in lists and outermost it is NULL. */
void ku_report_object(struct ku_report *r, const char *key);
void ku_report_list(struct ku_report *r, const char *key);
/* The same, '{' or '[', with each item on a line of its own, behind so many blanks. */
void ku_report_lines(struct ku_report *r, const char *key, char open, int indent);
void ku_report_close(struct ku_report *r);
/* The next item, or the closing bracket, begins a line, behind so many blanks. */
void ku_report_break(struct ku_report *r, int indent);

void ku_report_unsigned(struct ku_report *r, const char *key, uint64_t value);
void ku_report_signed(struct ku_report *r, const char *key, int64_t value);
void ku_report_bool(struct ku_report *r, const char *key, bool value);
void ku_report_null(struct ku_report *r, const char *key);
/* 10 ns units, as seconds with 8 decimals. */
void ku_report_seconds(struct ku_report *r, const char *key, int64_t units);
void ku_report_string(struct ku_report *r, const char *key, const char *text);
/* len bytes, which need not end in a NUL. */
void ku_report_text(struct ku_report *r, const char *key, const char *text, size_t len);

/*
 * len bytes as they stand in a JSON string, without the quotes, to out, which has room for
 * 6 * len: what is not UTF-8 becomes U+FFFD, each byte of it is counted in *replaced.
 * Returns how many bytes that are.
 */
size_t ku_json_escape(const char *text, size_t len, char *out, uint64_t *replaced);

/* 10 ns units as seconds with 8 decimals, 11.08612461, as reports have them. */
void ku_print_seconds(FILE *out, int64_t units);

#endif
