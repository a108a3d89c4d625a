// SPDX-License-Identifier: BSD-3-Clause
/*
 * Validating and writing UTF-8. Must never read behind the given length.
 * Called by kp_json (names), kp_main (messages) and whoever shows names.
 */
#include "kp_utf8.h"

#include <string.h>

size_t kp_utf8_sequence(const char *text, size_t len)
{
	const unsigned char *s = (const unsigned char *)text;
	unsigned char low = 0x80, high = 0xBF;	/* bounds of the second byte */
	size_t need, i;

	if (!len)
		return 0;
	if (s[0] < 0x80)
		return 1;
	if (s[0] >= 0xC2 && s[0] <= 0xDF) {
		need = 2;
	} else if (s[0] >= 0xE0 && s[0] <= 0xEF) {
		need = 3;
		if (s[0] == 0xE0)
			low = 0xA0;	/* overlong below */
		else if (s[0] == 0xED)
			high = 0x9F;	/* surrogates above */
	} else if (s[0] >= 0xF0 && s[0] <= 0xF4) {
		need = 4;
		if (s[0] == 0xF0)
			low = 0x90;
		else if (s[0] == 0xF4)
			high = 0x8F;	/* U+10FFFF is the last */
	} else {
		return 0;
	}
	if (len < need || s[1] < low || s[1] > high)
		return 0;
	for (i = 2; i < need; i++)
		if ((s[i] & 0xC0) != 0x80)
			return 0;
	return need;
}

size_t kp_utf8_encode(uint32_t code, char *out)
{
	if (code < 0x80) {
		out[0] = (char)code;
		return 1;
	}
	if (code < 0x800) {
		out[0] = (char)(0xC0 | code >> 6);
		out[1] = (char)(0x80 | (code & 0x3F));
		return 2;
	}
	if (code < 0x10000) {
		out[0] = (char)(0xE0 | code >> 12);
		out[1] = (char)(0x80 | (code >> 6 & 0x3F));
		out[2] = (char)(0x80 | (code & 0x3F));
		return 3;
	}
	out[0] = (char)(0xF0 | code >> 18);
	out[1] = (char)(0x80 | (code >> 12 & 0x3F));
	out[2] = (char)(0x80 | (code >> 6 & 0x3F));
	out[3] = (char)(0x80 | (code & 0x3F));
	return 4;
}

size_t kp_utf8_clean(const char *text, size_t len, char *out, uint64_t *replaced)
{
	size_t i = 0, to = 0;

	while (i < len) {
		size_t n = kp_utf8_sequence(text + i, len - i);

		if (n) {
			memcpy(out + to, text + i, n);
			to += n;
			i += n;
		} else {
			memcpy(out + to, KP_UTF8_REPLACEMENT, 3);
			to += 3;
			i++;
			(*replaced)++;
		}
	}
	return to;
}
