/* SPDX-License-Identifier: BSD-3-Clause */
/* Encodings of the exporters: numbers, protocol buffers, Thrift's compact protocol, Parquet. */
#ifndef KP_EXPORT_BYTES_H
#define KP_EXPORT_BYTES_H

#include <endian.h>
#include <stdlib.h>
#include <string.h>

#include "base/number.h"

static inline uint8_t *kp_put_le(uint8_t *p, uint64_t value, size_t bytes)
{
	value = htole64(value);
	memcpy(p, &value, bytes);
	return p + bytes;
}

#define kp_put_le16(p, value)	kp_put_le(p, value, 2)
#define kp_put_le32(p, value)	kp_put_le(p, value, 4)
#define kp_put_le64(p, value)	kp_put_le(p, value, 8)

/* ---- protocol buffers: write a field at @p, and return the address after it ---- */

enum kp_proto_wire { KP_PROTO_VARINT, KP_PROTO_FIXED64, KP_PROTO_BYTES };

static inline uint8_t *kp_proto_tag(uint8_t *p, uint32_t field, enum kp_proto_wire wire)
{
	return kp_varint_put(p, (uint64_t)field << 3 | wire);
}

/* Writes a field of an integer type, bool or enum. Negative numbers take ten bytes. */
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

/*
 * Begins a nested message, which kp_proto_close() ends. The message takes up to 5 bytes more than
 * its fields.
 */
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

/* A growing byte buffer. Zeroed at first. The caller frees the member bytes at the end. */
struct kp_grow {
	uint8_t *bytes;
	size_t used, room;
	bool failed;		/* no memory was left; some data are missing */
};

/* Returns the address of @n free bytes, but does not change used; NULL without memory. */
static inline uint8_t *kp_grow_room(struct kp_grow *grow, size_t n)
{
	size_t room = grow->room ? grow->room : 256;
	uint8_t *more;

	if (grow->failed)
		return NULL;
	if (n <= grow->room - grow->used)
		return grow->bytes + grow->used;
	while (room - grow->used < n)
		room *= 2;
	more = realloc(grow->bytes, room);
	if (!more) {
		grow->failed = true;
		return NULL;
	}
	grow->bytes = more;
	grow->room = room;
	return more + grow->used;
}

static inline void kp_grow_add(struct kp_grow *grow, const void *data, size_t n)
{
	uint8_t *to = kp_grow_room(grow, n);

	if (!to || !n)
		return;
	memcpy(to, data, n);
	grow->used += n;
}

static inline void kp_grow_byte(struct kp_grow *grow, unsigned int byte)
{
	const uint8_t value = (uint8_t)byte;

	kp_grow_add(grow, &value, 1);
}

static inline void kp_grow_varint(struct kp_grow *grow, uint64_t value)
{
	uint8_t *to = kp_grow_room(grow, KP_VARINT_MAX);

	if (to)
		grow->used += (size_t)(kp_varint_put(to, value) - to);
}

/* ---- Thrift's compact protocol, as far as Parquet needs it: structs with numbers, texts, lists ---- */

enum kp_thrift_type { KP_TH_I32 = 5, KP_TH_I64 = 6, KP_TH_BINARY = 8, KP_TH_LIST = 9, KP_TH_STRUCT = 12 };

#define KP_TH_DEPTH	8

/*
 * A writer of structs. At least one struct is open; the outermost is open from the start. Zeroed at
 * first, except out.
 */
struct kp_thrift {
	struct kp_grow *out;
	int depth;
	int last[KP_TH_DEPTH];	/* last field of each open struct */
};

static inline void kp_th_field(struct kp_thrift *t, int id, enum kp_thrift_type type)
{
	/* field ids ascend in steps of less than 16 */
	kp_grow_byte(t->out, (unsigned int)(id - t->last[t->depth]) << 4 | type);
	t->last[t->depth] = id;
}

static inline void kp_th_i32(struct kp_thrift *t, int id, int32_t value)
{
	kp_th_field(t, id, KP_TH_I32);
	kp_grow_varint(t->out, kp_zigzag(value));
}

static inline void kp_th_i64(struct kp_thrift *t, int id, int64_t value)
{
	kp_th_field(t, id, KP_TH_I64);
	kp_grow_varint(t->out, kp_zigzag(value));
}

static inline void kp_th_text(struct kp_thrift *t, const void *text, size_t len)
{
	kp_grow_varint(t->out, len);
	kp_grow_add(t->out, text, len);
}

static inline void kp_th_binary(struct kp_thrift *t, int id, const void *text, size_t len)
{
	kp_th_field(t, id, KP_TH_BINARY);
	kp_th_text(t, text, len);
}

/* Begins a struct: an element of a list, or the field that kp_th_field() has begun. */
static inline void kp_th_open(struct kp_thrift *t)
{
	t->last[++t->depth] = 0;
}

static inline void kp_th_close(struct kp_thrift *t)
{
	kp_grow_byte(t->out, 0);
	t->depth--;
}

static inline void kp_th_struct(struct kp_thrift *t, int id)
{
	kp_th_field(t, id, KP_TH_STRUCT);
	kp_th_open(t);
}

/* Begins a list. The caller then adds @count elements. */
static inline void kp_th_list(struct kp_thrift *t, int id, enum kp_thrift_type type, size_t count)
{
	kp_th_field(t, id, KP_TH_LIST);
	if (count < 15) {
		kp_grow_byte(t->out, (unsigned int)count << 4 | type);
		return;
	}
	kp_grow_byte(t->out, 0xF0u | type);
	kp_grow_varint(t->out, count);
}

/* Encodes 64-bit numbers as DELTA_BINARY_PACKED. */
void kp_pq_delta(struct kp_grow *out, const int64_t *values, size_t count);

/* Encodes numbers as RLE and bit-packed runs, for RLE_DICTIONARY and definition levels. */
void kp_pq_hybrid(struct kp_grow *out, const uint32_t *values, size_t count, unsigned int bits);

/* Returns the number of bits for numbers up to @most. */
unsigned int kp_pq_bits(uint64_t most);

#endif
