// SPDX-License-Identifier: BSD-3-Clause
/*
 * Escapes text for JSON strings, see base/json_text.h. The output must always be valid UTF-8.
 */
#include "base/json_text.h"

#include <stdlib.h>

#include "base/digits.h"
#include "base/memory.h"
#include "common/report.h"

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
