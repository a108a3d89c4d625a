// SPDX-License-Identifier: BSD-3-Clause
/*
 * Prints times and texts for people, and escapes text for JSON, see base/text.h. It must not print
 * control characters; escaped text must always be valid UTF-8.
 */
#include "base/text.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdlib.h>

#include "base/memory.h"
#include "base/number.h"
#include "common/report.h"

const char *kp_time_text(int64_t units, char text[KP_TIME_TEXT])
{
	uint64_t size = units < 0 ? -(uint64_t)units : (uint64_t)units;
	const char *sign = units < 0 ? "-" : "";

	if (size < 100)
		snprintf(text, KP_TIME_TEXT, "%s%" PRIu64 " ns", sign, size * 10);
	else if (size < 100000)
		snprintf(text, KP_TIME_TEXT, "%s%" PRIu64 ".%02" PRIu64 " us", sign, size / 100,
			 size % 100);
	else if (size < 100000000)
		snprintf(text, KP_TIME_TEXT, "%s%" PRIu64 ".%03" PRIu64 " ms", sign,
			 size / 100000, size % 100000 / 100);
	else
		snprintf(text, KP_TIME_TEXT, "%s%" PRIu64 ".%03" PRIu64 " s", sign,
			 size / 100000000, size % 100000000 / 100000);
	return text;
}

int kp_message(char *text, size_t room, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(text, room, fmt, ap);
	va_end(ap);
	return -1;
}

void kp_print_plain(FILE *out, const char *text, size_t len)
{
	for (size_t i = 0; i < len; i++)
		putc((unsigned char)text[i] < ' ' || text[i] == 0x7f ? '?' : text[i], out);
}

size_t kp_json_escape(const char *text, size_t len, char *out, uint64_t *replaced)
{
	/* copy the plain beginning fast, escape the rest byte by byte */
	size_t plain = kp_put_plain(out, text, len, '"');

	if (plain == len)
		return len;
	return plain + ku_json_escape(text + plain, len - plain, out + plain, replaced);
}

char *kp_json_quote(const char *text, size_t len)
{
	char *out = kp_allocated(malloc(6 * len + 3));
	uint64_t replaced = 0;
	size_t n;

	if (!out)
		return NULL;
	out[0] = '"';
	n = kp_json_escape(text, len, out + 1, &replaced);
	out[n + 1] = '"';
	out[n + 2] = '\0';
	return out;
}
