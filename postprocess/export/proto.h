/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Writes protocol buffers: puts fields into memory, which must have room. Each function returns the
 * address after the field.
 */
#ifndef KP_EXPORT_PROTO_H
#define KP_EXPORT_PROTO_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "base/number.h"
#include "export/bytes.h"

enum kp_proto_wire { KP_PROTO_VARINT, KP_PROTO_FIXED64, KP_PROTO_BYTES };

static inline uint8_t *kp_proto_tag(uint8_t *p, uint32_t field, enum kp_proto_wire wire)
{
	return kp_varint_put(p, (uint64_t)field << 3 | wire);
}

/* For the types int32 to uint64, bool and enum. A negative number takes ten bytes. */
static inline uint8_t *kp_proto_number(uint8_t *p, uint32_t field, uint64_t value)
{
	return kp_varint_put(kp_proto_tag(p, field, KP_PROTO_VARINT), value);
}

static inline uint8_t *kp_proto_fixed64(uint8_t *p, uint32_t field, uint64_t value)
{
	return kp_put_le64(kp_proto_tag(p, field, KP_PROTO_FIXED64), value);
}

static inline uint8_t *kp_proto_text(uint8_t *p, uint32_t field, const char *text, size_t len)
{
	p = kp_varint_put(kp_proto_tag(p, field, KP_PROTO_BYTES), len);
	memcpy(p, text, len);
	return p + len;
}

/* Begins a nested message, up to kp_proto_close(). It takes up to 5 bytes more than its fields. */
static inline uint8_t *kp_proto_open(uint8_t *p, uint32_t field, uint8_t **inner)
{
	p = kp_proto_tag(p, field, KP_PROTO_BYTES);
	*inner = p + 1;
	return p + 1;
}

static inline uint8_t *kp_proto_close(uint8_t *p, uint8_t *inner)
{
	size_t len = (size_t)(p - inner);
	uint8_t length[KP_VARINT_MAX];
	size_t bytes;

	if (len < 0x80) {
		inner[-1] = (uint8_t)len;
		return p;
	}
	bytes = (size_t)(kp_varint_put(length, len) - length);
	memmove(inner - 1 + bytes, inner, len);
	memcpy(inner - 1, length, bytes);
	return p + bytes - 1;
}

#endif
