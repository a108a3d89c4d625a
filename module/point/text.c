// SPDX-License-Identifier: GPL-2.0-only
/*
 * Texts of typed tracepoints: checks definitions, and matches names with patterns. Must never read
 * beyond the end of a text, whatever it contains. Any context.
 */
#include <linux/ctype.h>
#include <linux/kernel.h>
#include <linux/string.h>

#include "point/point.h"
#include "uapi/kutrace_abi.h"

#define KU_POINT_NAME_MAX	63

static const char * const ku_point_types[] = {
	"u8", "u16", "u32", "u64", "s8", "s16", "s32", "s64", "x8", "x16", "x32", "x64",
	"ptr", "double", "str",
};

/* Returns the identifier's length. @more: characters that may follow the first one. */
static size_t ku_point_identifier(const char *at, const char *more)
{
	size_t len = 0;

	/* isalpha() also accepts Latin-1 letters. */
	while ((isascii(at[len]) && isalpha(at[len])) || at[len] == '_' ||
	       (len && at[len] && (isdigit(at[len]) || strchr(more, at[len]))))
		len++;
	return len;
}

/* Parses " TYPE FIELD" or ", TYPE FIELD". Returns the address after it, or NULL. */
static const char *ku_point_field(const char *at, bool first)
{
	size_t len, i;

	if (!first && *at++ != ',')
		return NULL;
	if (*at++ != ' ')
		return NULL;
	len = ku_point_identifier(at, "");
	for (i = 0; i < ARRAY_SIZE(ku_point_types); i++)
		if (strlen(ku_point_types[i]) == len && !memcmp(ku_point_types[i], at, len))
			break;
	at += len;
	if (i == ARRAY_SIZE(ku_point_types) || *at++ != ' ')
		return NULL;
	len = ku_point_identifier(at, "");
	return len ? at + len : NULL;
}

size_t ku_point_check(const char *text)
{
	size_t name = ku_point_identifier(text, ".:-");
	const char *at = text + name;
	u32 fields = 0;

	if (!name || name > KU_POINT_NAME_MAX)
		return 0;
	while (*at && *at != '|') {
		if (fields++ == KUTRACE_POINT_WORDS)
			return 0;
		at = ku_point_field(at, fields == 1);
		if (!at)
			return 0;
	}
	if (!*at)
		return 0;
	for (; *at; at++)
		if ((unsigned char)*at < ' ' || *at == 0x7F)
			return 0;
	return name;
}

bool ku_point_match(const char *pattern, const char *name, size_t len)
{
	const char *star = NULL;	/* the last * in @pattern */
	size_t at = 0, resume = 0;	/* position in @name of the next try */

	while (at < len) {
		if (*pattern == '*') {
			star = pattern++;
			resume = at;
		} else if (*pattern && (*pattern == '?' || *pattern == name[at])) {
			pattern++;
			at++;
		} else if (star) {
			pattern = star + 1;
			at = ++resume;
		} else {
			return false;
		}
	}
	while (*pattern == '*')
		pattern++;
	return !*pattern;
}
