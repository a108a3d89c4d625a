/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Numbers and plain text, eight bytes at a time: the inner loops of what writes
 * event text and span JSON. Used by eventtext/write.c and spanjson/write.c.
 *
 * What puts text writes up to KP_PUT_SLACK bytes behind it, which must be there.
 */
#ifndef KP_DIGITS_H
#define KP_DIGITS_H

#include <endian.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#define KP_PUT_SLACK	8u	/* bytes */

/*
 * value, below 10^8, as eight ASCII digits, the first one in the lowest byte. Halves,
 * then quarters, then single digits are divided side by side in one word; the
 * multiplications are exact for what a lane can hold.
 */
static inline uint64_t kp_digits_8(uint32_t value)
{
	uint64_t x = value / 10000 | (uint64_t)(value % 10000) << 32;
	uint64_t high = (x * 10486 >> 20) & 0x0000007F0000007Full;

	x = high | (x - 100 * high) << 16;
	high = (x * 103 >> 10) & 0x000F000F000F000Full;
	x = high | (x - 10 * high) << 8;
	return x | 0x3030303030303030ull;
}

/* Eight bytes, the first one in the lowest byte of x. */
static inline char *kp_put_8(char *p, uint64_t x)
{
	x = htole64(x);
	memcpy(p, &x, 8);
	return p + 8;
}

/* value in decimal, with slack. Returns its end. */
static inline char *kp_put_unsigned(char *p, uint64_t value)
{
	uint64_t x;
	int zeros;

	if (value < 10) {
		*p = (char)('0' + value);
		return p + 1;
	}
	if (value >= 100000000) {
		p = kp_put_unsigned(p, value / 100000000);
		return kp_put_8(p, kp_digits_8((uint32_t)(value % 100000000)));
	}
	x = kp_digits_8((uint32_t)value);
	zeros = __builtin_ctzll(x ^ 0x3030303030303030ull) & ~7;
	kp_put_8(p, x >> zeros);
	return p + 8 - zeros / 8;
}

static inline char *kp_put_signed(char *p, int64_t value)
{
	if (value >= 0)
		return kp_put_unsigned(p, (uint64_t)value);
	*p = '-';
	return kp_put_unsigned(p + 1, 0 - (uint64_t)value);
}

/*
 * true if none of the eight bytes is a control character, a backslash, DEL, or
 * quote (give a backslash to look for no more). May be false without need.
 */
static inline bool kp_plain_8(uint64_t x, char quote)
{
	const uint64_t ones = 0x0101010101010101ull;
	uint64_t slash = x ^ ones * '\\', del = x ^ ones * 0x7F;
	uint64_t other = x ^ ones * (unsigned char)quote;

	return !(((x - ones * 0x20) | (slash - ones) | (del - ones) | (other - ones) | x) &
		 ones * 0x80);
}

/*
 * Copies text up to what kp_plain_8() does not like, or to within 3 bytes of its end.
 * Returns how many bytes; the rest is the caller's.
 */
static inline size_t kp_put_plain(char *p, const char *text, size_t len, char quote)
{
	size_t done = 0;
	uint32_t low, high;
	uint64_t x;

	if (len < 8) {
		if (len < 4)
			return 0;
		/* two halves that may overlap */
		memcpy(&low, text, 4);
		memcpy(&high, text + len - 4, 4);
		if (!kp_plain_8((uint64_t)high << 32 | low, quote))
			return 0;
		memcpy(p, &low, 4);
		memcpy(p + len - 4, &high, 4);
		return len;
	}
	for (; len - done >= 8; done += 8) {
		memcpy(&x, text + done, 8);
		if (!kp_plain_8(x, quote))
			return done;
		memcpy(p + done, &x, 8);
	}
	/* the last eight, some of them once more */
	memcpy(&x, text + len - 8, 8);
	if (!kp_plain_8(x, quote))
		return done;
	memcpy(p + len - 8, &x, 8);
	return len;
}

#endif
