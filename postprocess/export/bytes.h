/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Stores numbers as little-endian bytes at any address. Each function returns the address after
 * them.
 */
#ifndef KP_EXPORT_BYTES_H
#define KP_EXPORT_BYTES_H

#include <endian.h>
#include <stdint.h>
#include <string.h>

static inline uint8_t *kp_put_le16(uint8_t *p, uint16_t value)
{
	value = htole16(value);
	memcpy(p, &value, 2);
	return p + 2;
}

static inline uint8_t *kp_put_le32(uint8_t *p, uint32_t value)
{
	value = htole32(value);
	memcpy(p, &value, 4);
	return p + 4;
}

static inline uint8_t *kp_put_le64(uint8_t *p, uint64_t value)
{
	value = htole64(value);
	memcpy(p, &value, 8);
	return p + 8;
}

#endif
