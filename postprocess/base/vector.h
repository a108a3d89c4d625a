/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Arrays that grow. An addition may move the array, so pointers into it become invalid.
 */
#ifndef KP_BASE_VECTOR_H
#define KP_BASE_VECTOR_H

#include <stddef.h>

#define KP_VECTOR(type) struct { type *items; size_t count, cap; }

/* Adds an uninitialized item. Evaluates to its address, or NULL without memory. */
#define KP_PUSH(vector) \
	((vector)->count < (vector)->cap || \
	 !kp_vector_grow((void **)&(vector)->items, &(vector)->cap, sizeof(*(vector)->items)) ? \
	 &(vector)->items[(vector)->count++] : NULL)
/* Adds an uninitialized item. Evaluates to 0, or -1 without memory. */
#define KP_ADD(vector) \
	((vector)->count < (vector)->cap || \
	 !kp_vector_grow((void **)&(vector)->items, &(vector)->cap, sizeof(*(vector)->items)) ? \
	 ((vector)->count++, 0) : -1)
/*
 * Makes room for one more item in a plain array of @cap items. Evaluates to 0, or -1 without
 * memory.
 */
#define KP_ROOM(items, count, cap) \
	((count) < (cap) ? 0 : kp_vector_grow((void **)&(items), &(cap), sizeof(*(items))))
/*
 * Makes room for at least half as many more items of @size bytes. Returns 0, or -1 without memory.
 */
int kp_vector_grow(void **items, size_t *cap, size_t size);

#endif
