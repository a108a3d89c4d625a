/* SPDX-License-Identifier: BSD-3-Clause */
/* Prints times and texts for people, escapes text for JSON, and recognizes formats of files. */
#ifndef KP_BASE_TEXT_H
#define KP_BASE_TEXT_H

#include <inttypes.h>	/* PRIu64 and similar for callers */
#include <stddef.h>
#include <stdio.h>

/* Writes a time in units of 10 ns with a suitable unit, rounded: "120 ns", "3.45 us", "1.200 s". */
#define KP_TIME_TEXT 32
const char *kp_time_text(int64_t units, char text[KP_TIME_TEXT]);
/* Writes a time with four digits: "177.5 ms". Below 10000 s, it has at most 8 columns and a sign. */
const char *kp_time_short(int64_t units, char text[KP_TIME_TEXT]);

/* Writes a message to @text, at most @room bytes. Returns -1. */
int kp_message(char *text, size_t room, const char *fmt, ...) __attribute__((format(printf, 3, 4)));

/* Prints @len bytes for a terminal, with ? in place of control characters. */
void kp_print_plain(FILE *out, const char *text, size_t len);

/* Returns @len bytes in quotes as valid JSON, which the caller frees; NULL without memory. */
char *kp_json_quote(const char *text, size_t len);

/*
 * Writes @len bytes to @out, escaped for a JSON string, but without quotes and NUL. @out must have
 * room for 6 * len bytes. Returns the number of bytes written. Adds the number of replaced invalid
 * bytes to *replaced.
 */
size_t kp_json_escape(const char *text, size_t len, char *out, uint64_t *replaced);

/* Formats that the filters read; KP_FORMAT_OTHER is any other known format. */
enum kp_format {
	KP_FORMAT_NONE, KP_FORMAT_RAW_TRACE, KP_FORMAT_EVENT_TEXT, KP_FORMAT_SPAN_JSON, KP_FORMAT_PAGE,
	KP_FORMAT_PERFETTO, KP_FORMAT_TAR, KP_FORMAT_XZ, KP_FORMAT_GZIP, KP_FORMAT_ZSTD, KP_FORMAT_OTHER,
};

/* Returns the format of a file with these first bytes. @reads, the filter's own format, wins in doubt. */
enum kp_format kp_format_of(const void *bytes, size_t len, enum kp_format reads);

/*
 * Returns the format of a file with these first bytes, and a command for it: "a page (HTML); try
 * unmakeself". NULL: unknown, or @reads, the filter's own format. For messages only.
 */
const char *kp_other_format(const void *bytes, size_t len, enum kp_format reads);
/* After this call, the descriptions propose commands of kutrace, because other programs can be out of the PATH. */
void kp_formats_for_kutrace(void);

#endif
