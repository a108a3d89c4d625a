/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Arrays that grow. Nothing in them may be pointed to while something is added. Used by
 * whatever holds an unknown number of things.
 */
#ifndef KP_BASE_VECTOR_H
#define KP_BASE_VECTOR_H

#include <stddef.h>

#define KP_VECTOR(type) struct { type *items; size_t count, cap; }

/* Makes room for one more; evaluates to its address, or NULL without memory. */
#define KP_PUSH(vector) \
	((vector)->count < (vector)->cap || \
	 !kp_vector_grow((void **)&(vector)->items, &(vector)->cap, sizeof(*(vector)->items)) ? \
	 &(vector)->items[(vector)->count++] : NULL)
/* The same, evaluates to 0, or -1 without memory. */
#define KP_ADD(vector) \
	((vector)->count < (vector)->cap || \
	 !kp_vector_grow((void **)&(vector)->items, &(vector)->cap, sizeof(*(vector)->items)) ? \
	 ((vector)->count++, 0) : -1)
/* Room for one more in an array that is kept apart from its count: 0, or -1 without memory. */
#define KP_ROOM(items, count, cap) \
	((count) < (cap) ? 0 : kp_vector_grow((void **)&(items), &(cap), sizeof(*(items))))
/* Makes room for half as many more items of size bytes. 0, or -1 without memory. */
int kp_vector_grow(void **items, size_t *cap, size_t size);

#endif
