/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Reads Protocol Buffers: the fields of a message in turn. Must not read past the end of the message.
 */
#ifndef KP_IMPORT_PROTO_READ_H
#define KP_IMPORT_PROTO_READ_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The rest of a message that is being read. */
struct kp_pb {
	const uint8_t *p, *end;
	bool bad;		/* invalid bytes were found: the rest is not read */
};

struct kp_pb_field {
	uint32_t number;
	bool is_bytes;		/* text, message or packed numbers, in bytes; otherwise a number, in value */
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

/* Reads the next field. Returns false at the end, or if the message is invalid (pb->bad). */
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
