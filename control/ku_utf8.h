/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Text that comes from anybody (names of tasks, files, hosts), as it may be shown: UTF-8 as
 * it is, but nothing that tells a terminal or a reader of JSON something. Included by
 * libkutrace and kutrace_control.
 */
#ifndef KU_UTF8_H
#define KU_UTF8_H

#include <stddef.h>

/*
 * How many bytes the character at text has, 0 at its end; negative: so many bytes are to
 * be shown as ?, because they are a control character or no UTF-8.
 */
static inline int ku_utf8_bytes(const char *text)
{
	/* by length: smallest character that needs it, bits of the first byte */
	static const struct {
		unsigned int smallest, mark, mask;
	} lengths[] = {{0}, {0}, {0x80, 0xC0, 0x1F}, {0x800, 0xE0, 0x0F}, {0x10000, 0xF0, 0x07}};
	unsigned char first = (unsigned char)*text;
	unsigned int c;
	int length, i;

	if (!first)
		return 0;
	if (first < 0x80)
		return first < ' ' || first == 0x7F ? -1 : 1;
	length = first >= 0xF0 ? 4 : first >= 0xE0 ? 3 : 2;
	if ((first & ~lengths[length].mask) != lengths[length].mark)
		return -1;
	c = first & lengths[length].mask;
	for (i = 1; i < length; i++) {
		if (((unsigned char)text[i] & 0xC0) != 0x80)
			return -1;
		c = c << 6 | ((unsigned char)text[i] & 0x3F);
	}
	if (c < lengths[length].smallest || c > 0x10FFFF || (c >= 0xD800 && c <= 0xDFFF))
		return -1;
	return c < 0xA0 ? -length : length;	/* controls of 8 bits */
}

/* Makes it so that it may be shown, where it stands. */
static inline void ku_utf8_clean(char *text)
{
	char *to = text;
	int bytes;

	while ((bytes = ku_utf8_bytes(text))) {
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
