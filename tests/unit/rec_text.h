/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Builds event text line by line, for tests of the reconstruction:
 *
 *	text_begin(NAMES);
 *	event(100, 0, KUTRACE_USERPID, 2, 2, "two.2");
 *	... text ...
 */
#ifndef REC_TEXT_H
#define REC_TEXT_H

#include "rec_run.h"

static char text[1 << 16];
static size_t used;

/* Adds to the text. */
static void __attribute__((format(printf, 1, 2))) add(const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	used += (size_t)vsnprintf(text + used, sizeof(text) - used, fmt, ap);
	va_end(ap);
	assert_true(used < sizeof(text));
}

/* Begins another text with @lines. */
static inline void text_begin(const char *lines)
{
	used = 0;
	add("%s", lines);
}

/* Adds an event without a duration: the beginning of a call, its end, or a switch. */
static inline void event(long long ts, int cpu, unsigned int number, int pid, unsigned int arg, const char *name)
{
	add("%lld 0 %u %d %d 0 %u 0 0 %s (%x)\n", ts, number, cpu, pid, arg, name, number);
}

/* Adds an event of one moment, such as a wakeup. */
static inline void point(long long ts, int cpu, unsigned int number, int pid, unsigned int arg, const char *name)
{
	add("%lld 1 %u %d %d 0 %u 0 0 %s (%x)\n", ts, number, cpu, pid, arg, name, number);
}

/* Reconstructs the text. Returns the rows with any of @words (NULL at the end), valid until the next call. */
static inline const char *rows_with(const char *const *words)
{
	static char list[1 << 14];
	size_t len = 0;

	run(text, used, false);
	list[0] = 0;
	for (size_t i = 0; i < rows.count; i++)
		for (const char *const *word = words; *word; word++)
			if (strstr(rows.line[i], *word)) {
				len += (size_t)snprintf(list + len, sizeof(list) - len, "%s", rows.line[i]);
				break;
			}
	assert_true(len < sizeof(list));
	free_rows(&rows);
	return list;
}

/* Returns expected rows, valid until the next call. */
static inline const char *__attribute__((format(printf, 1, 2))) rows_of(const char *fmt, ...)
{
	static char list[1 << 12];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(list, sizeof(list), fmt, ap);
	va_end(ap);
	return list;
}

#endif
