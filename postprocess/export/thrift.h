/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A growing byte buffer, and the parts of Thrift's compact protocol that Parquet needs: structs
 * with numbers, texts and lists.
 */
#ifndef KP_EXPORT_THRIFT_H
#define KP_EXPORT_THRIFT_H

#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/number.h"

/* All zero at first; free(bytes) at the end. */
struct kp_grow {
	uint8_t *bytes;
	size_t used, room;
	bool failed;		/* there was no memory, so some data are missing */
};

/*
 * Returns room for @n more bytes at the end, which are not counted in used yet; NULL without
 * memory.
 */
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

/* ---- compact protocol ---- */

enum kp_thrift_type { KP_TH_I32 = 5, KP_TH_I64 = 6, KP_TH_BINARY = 8, KP_TH_LIST = 9, KP_TH_STRUCT = 12 };

#define KP_TH_DEPTH	8

/* A struct is always open; at first the outermost. All zero at first, except out. */
struct kp_thrift {
	struct kp_grow *out;
	int depth;
	int last[KP_TH_DEPTH];	/* last field of each open struct */
};

static inline void kp_th_field(struct kp_thrift *t, int id, enum kp_thrift_type type)
{
	/* ids ascend, by less than 16 */
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

/* Begins an element of a list of structs, or after kp_th_field() the struct that is a field. */
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

/* The caller adds @count elements after it. */
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

#endif
