/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Binary heap in an array: items[0] is the earliest item. KP_HEAP(NAME, TYPE, SELF, EARLIER)
 * defines NAME_up() and NAME_down() for items of TYPE. EARLIER(SELF, a, b) returns whether item *a
 * is earlier than item *b.
 */
#ifndef KP_BASE_HEAP_H
#define KP_BASE_HEAP_H

#include <stddef.h>

/*
 * NAME_up() moves the new last item items[at] up until the array is a heap again. NAME_down() moves
 * items[at] down after it was replaced by a later item; @count is the number of items.
 */
#define KP_HEAP(name, type, self_type, earlier)						\
static inline __attribute__((unused)) void name##_up(self_type self, type *items, size_t at)	\
{											\
	const type moving = items[at];							\
											\
	for (; at && earlier(self, &moving, &items[(at - 1) / 2]); at = (at - 1) / 2)	\
		items[at] = items[(at - 1) / 2];					\
	items[at] = moving;								\
}											\
											\
static inline void name##_down(self_type self, type *items, size_t count, size_t at)	\
{											\
	size_t child = 2 * at + 1;							\
	type moving;									\
											\
	if (child >= count)								\
		return;									\
	child += child + 1 < count && earlier(self, &items[child + 1], &items[child]);	\
	if (!earlier(self, &items[child], &items[at]))					\
		return;									\
	moving = items[at];								\
	do {										\
		items[at] = items[child];						\
		at = child;								\
		child = 2 * at + 1;							\
		if (child >= count)							\
			break;								\
		child += child + 1 < count &&						\
			 earlier(self, &items[child + 1], &items[child]);		\
	} while (earlier(self, &items[child], &moving));				\
	items[at] = moving;								\
}

#endif
