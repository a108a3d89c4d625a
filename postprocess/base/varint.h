/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Numbers as LEB128 varints: seven bits per byte, the lowest first. Signed numbers are zigzag
 * encoded: 0 -1 1 -2 become 0 1 2 3. Reading trusts its input; page/unpack.c reads varints from
 * files.
 */
#ifndef KP_BASE_VARINT_H
#define KP_BASE_VARINT_H

#include <stdint.h>

#define KP_VARINT_MAX 10	/* bytes of a 64-bit value */

static inline uint64_t kp_zigzag(int64_t value)
{
	return (uint64_t)value << 1 ^ (uint64_t)(value >> 63);
}

static inline int64_t kp_unzigzag(uint64_t value)
{
	return (int64_t)(value >> 1) ^ -(int64_t)(value & 1);
}

/* Writes up to KP_VARINT_MAX bytes. Returns the end. */
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

/* Returns the end of the varint. */
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
