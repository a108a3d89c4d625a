/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Protocol buffers, as far as one reads them: the fields of a message, one by one. Must never read
 * behind the message. Used by import/perfetto_*.c.
 */
#ifndef KP_IMPORT_PROTO_READ_H
#define KP_IMPORT_PROTO_READ_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A message: what is left of it. */
struct kp_pb {
	const uint8_t *p, *end;
	bool bad;		/* something in it is no field: the rest is left out */
};

struct kp_pb_field {
	uint32_t number;
	bool is_bytes;		/* a text, a message, packed numbers: then bytes; else value */
	uint64_t value;
	struct kp_pb bytes;
};

static inline bool kp_pb_varint(struct kp_pb *pb, uint64_t *value)
{
	unsigned int shift;

	*value = 0;
	for (shift = 0; shift < 64 && pb->p < pb->end; shift += 7) {
		const uint8_t byte = *pb->p++;

		*value |= (uint64_t)(byte & 0x7F) << shift;
		if (!(byte & 0x80))
			return true;
	}
	pb->bad = true;
	return false;
}

static inline bool kp_pb_fixed(struct kp_pb *pb, unsigned int size, uint64_t *value)
{
	unsigned int i;

	*value = 0;
	if ((size_t)(pb->end - pb->p) < size) {
		pb->bad = true;
		return false;
	}
	for (i = 0; i < size; i++)
		*value |= (uint64_t)*pb->p++ << 8 * i;
	return true;
}

/* The next field; false: there is none, or pb->bad. */
static inline bool kp_pb_next(struct kp_pb *pb, struct kp_pb_field *field)
{
	uint64_t tag, len;

	if (pb->bad || pb->p == pb->end || !kp_pb_varint(pb, &tag))
		return false;
	field->number = (uint32_t)(tag >> 3);
	field->is_bytes = (tag & 7) == 2;
	field->value = 0;
	switch (tag & 7) {
	case 0:
		return kp_pb_varint(pb, &field->value);
	case 1:
		return kp_pb_fixed(pb, 8, &field->value);
	case 5:
		return kp_pb_fixed(pb, 4, &field->value);
	case 2:
		if (!kp_pb_varint(pb, &len) || len > (uint64_t)(pb->end - pb->p))
			break;
		field->bytes = (struct kp_pb){ .p = pb->p, .end = pb->p + len };
		pb->p += len;
		return true;
	default:
		break;
	}
	pb->bad = true;
	return false;
}

#endif
