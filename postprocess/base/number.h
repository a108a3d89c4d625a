/* SPDX-License-Identifier: BSD-3-Clause */
/* Reads decimal numbers into scaled 64-bit integers, writes numbers fast, and packs varints. */
#ifndef KP_BASE_NUMBER_H
#define KP_BASE_NUMBER_H

#include <endian.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

static inline bool kp_is_digit(char c)
{
	return c >= '0' && c <= '9';
}

/* Returns the value of a hexadecimal digit, or -1. */
static inline int kp_hex(char c)
{
	if (kp_is_digit(c))
		return c - '0';
	c |= 0x20;
	return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

enum kp_number {
	KP_NUMBER_OK = 0,
	KP_NUMBER_NONE,		/* not a number */
	KP_NUMBER_LONG,		/* more than 18 significant digits */
	KP_NUMBER_RANGE,	/* does not fit into 64 bits */
};

/*
 * Reads a number in JSON's grammar before @end, and moves *p to its end. Sets *value to number *
 * 10^decimals. If the number has more decimals, rounds half away from zero and sets *inexact.
 */
enum kp_number kp_number_json(const char **p, const char *end, int decimals,
			      int64_t *value, bool *inexact);

/*
 * Reads a command-line argument, [+-]digits[.digits]. The digits on one side of the point may be
 * missing. Returns KP_NUMBER_NONE for other texts; with decimals = 0 also for 1.5.
 */
enum kp_number kp_number_argument(const char *text, int decimals, int64_t *value);

/*
 * Writes numbers and plain text eight bytes at a time, for the inner loops of eventtext/eventtext.c and
 * spanjson/write.c.
 *
 * The functions that write numbers may overwrite up to KP_PUT_SLACK bytes after the text; the
 * buffer must have room for them.
 */

#define KP_PUT_SLACK	8u

/*
 * Returns @value, below 10^8, as eight ASCII digits, the first in the lowest byte. Divides all
 * parts of the word in parallel: first into two numbers of four digits, then into four of two
 * digits, then into eight digits. Each multiplication and shift is an exact division for these
 * values.
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

/* Writes the eight bytes of @x, the lowest byte first. Returns the end. */
static inline char *kp_put_8(char *p, uint64_t x)
{
	x = htole64(x);
	memcpy(p, &x, 8);
	return p + 8;
}

/* Writes @value in decimal. Returns the end. May overwrite KP_PUT_SLACK bytes after the end. */
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
 * Returns true if the bytes are ASCII without control characters, backslash, DEL and @quote (pass a
 * backslash for no quote). May also return false for a plain text.
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
 * Copies the plain beginning of @text, see kp_plain_8(). Returns the number of copied bytes: the
 * caller must copy the others. Copies nothing if @len is less than 4.
 */
static inline size_t kp_put_plain(char *p, const char *text, size_t len, char quote)
{
	size_t done = 0;
	uint32_t low, high;
	uint64_t x;

	if (len < 8) {
		if (len < 4)
			return 0;
		/* copy two halves, which may overlap */
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
	/* copy the last eight bytes, although some have been copied already */
	memcpy(&x, text + len - 8, 8);
	if (!kp_plain_8(x, quote))
		return done;
	memcpy(p + len - 8, &x, 8);
	return len;
}

/*
 * LEB128 varints: seven bits per byte, the lowest first. Signed numbers are zigzag encoded: 0 -1 1
 * -2 become 0 1 2 3. These functions do not check bounds when they read (page/unpack.c does).
 */

#define KP_VARINT_MAX 10	/* maximum number of bytes of a 64-bit value */

static inline uint64_t kp_zigzag(int64_t value)
{
	return (uint64_t)value << 1 ^ (uint64_t)(value >> 63);
}

static inline int64_t kp_unzigzag(uint64_t value)
{
	return (int64_t)(value >> 1) ^ -(int64_t)(value & 1);
}

/* Writes @value as a varint of up to KP_VARINT_MAX bytes. Returns the end. */
static inline uint8_t *kp_varint_put(uint8_t *p, uint64_t value)
{
	while (value >= 0x80) {
		*p++ = (uint8_t)value | 0x80;
		value >>= 7;
	}
	*p++ = (uint8_t)value;
	return p;
}

static inline uint8_t *kp_varint_put_signed(uint8_t *p, int64_t value)
{
	return kp_varint_put(p, kp_zigzag(value));
}

/* Reads a varint into *@value. Returns the end of the varint. */
static inline const uint8_t *kp_varint_get(const uint8_t *p, uint64_t *value)
{
	uint64_t v = *p++;
	unsigned int shift = 7;

	if (v >= 0x80) {
		v &= 0x7F;
		do {
			v |= (uint64_t)(*p & 0x7F) << shift;
			shift += 7;
		} while (*p++ & 0x80);
	}
	*value = v;
	return p;
}

static inline const uint8_t *kp_varint_get_signed(const uint8_t *p, int64_t *value)
{
	uint64_t v;

	p = kp_varint_get(p, &v);
	*value = kp_unzigzag(v);
	return p;
}

#endif
