// SPDX-License-Identifier: BSD-3-Clause
/*
 * Prints times and texts for people, see base/print.h. It must not print control characters.
 */
#include "base/print.h"

#include <inttypes.h>

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

void kp_print_plain(FILE *out, const char *text, size_t len)
{
	for (size_t i = 0; i < len; i++)
		putc((unsigned char)text[i] < ' ' || text[i] == 0x7f ? '?' : text[i], out);
}
