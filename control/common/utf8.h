/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Decodes UTF-8 by RFC 3629: no overlong forms, no surrogates, nothing above U+10FFFF. Makes
 * untrusted text (names of tasks, files, hosts) printable. Must not read after the given length
 * or the end of the text.
 */
#ifndef KU_COMMON_UTF8_H
#define KU_COMMON_UTF8_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

#define KU_UTF8_REPLACEMENT "\xEF\xBF\xBD"	/* U+FFFD */

/* Returns the length of the valid sequence in the @len bytes at @text: 1..4; 0: none. */
static inline size_t ku_utf8_sequence(const char *text, size_t len)
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
			low = 0xA0;	/* smaller values are overlong */
		else if (s[0] == 0xED)
			high = 0x9F;	/* larger values are surrogates */
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

/* Writes the code point (below 0x110000) to @out (4 bytes). Returns its length in bytes. */
static inline size_t ku_utf8_encode(uint32_t code, char *out)
{
	static const unsigned char first[] = {0, 0, 0xC0, 0xE0, 0xF0};	/* bits of the first byte */
	const size_t length = code < 0x80 ? 1 : code < 0x800 ? 2 : code < 0x10000 ? 3 : 4;

	for (size_t i = length - 1; i; i--, code >>= 6)
		out[i] = (char)(0x80 | (code & 0x3F));
	out[0] = (char)(first[length] | code);
	return length;
}

/*
 * Copies @len bytes to @out, which needs room for 3 * @len. Each byte that is not part of a valid
 * sequence becomes U+FFFD and adds 1 to *@replaced. Returns the length in bytes.
 */
static inline size_t ku_utf8_replace(const char *text, size_t len, char *out, uint64_t *replaced)
{
	size_t i = 0, to = 0;

	while (i < len) {
		size_t n = ku_utf8_sequence(text + i, len - i);

		memcpy(out + to, n ? text + i : KU_UTF8_REPLACEMENT, n ? n : 3);
		to += n ? n : 3;
		i += n ? n : 1;
		*replaced += !n;
	}
	return to;
}

/*
 * Returns the length of the character at @text; 0 at the end of the text. If the next N bytes must
 * be printed as ?, because they are a control character or invalid UTF-8, returns -N.
 */
static inline int ku_utf8_shown(const char *text)
{
	const unsigned char *s = (const unsigned char *)text;
	size_t length;

	if (!*s)
		return 0;
	if (*s < 0x80)
		return *s < ' ' || *s == 0x7F ? -1 : 1;
	length = ku_utf8_sequence(text, strnlen(text, 4));
	if (!length)
		return -1;
	/* C2 80 to C2 9F are control characters */
	return s[0] == 0xC2 && s[1] < 0xA0 ? -2 : (int)length;
}

/* Replaces unprintable characters by ?, in place. */
static inline void ku_utf8_clean(char *text)
{
	char *to = text;
	int bytes;

	while ((bytes = ku_utf8_shown(text))) {
		if (bytes < 0) {
			*to++ = '?';
			text -= bytes;
			continue;
		}
		while (bytes--)
			*to++ = *text++;
	}
	*to = '\0';
}

#endif
