/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Failed allocations; arrays, heaps, hash tables and tables of strings that grow. A caller may
 * continue with less data after a failed allocation. kp_finish() then reports an error and removes
 * the output file.
 */
#ifndef KP_BASE_MEMORY_H
#define KP_BASE_MEMORY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>	/* free() and qsort() for callers */

/* Records a failure if @what, an allocated pointer, is NULL. Returns @what. Thread-safe. */
void *kp_allocated(void *what);
bool kp_memory_failed(void);

/* An array that grows. A new item may move the array and make pointers to items invalid. */
#define KP_VECTOR(type) struct { type *items; size_t count, cap; }

/* Adds an uninitialized item. Evaluates to the item's address, or NULL without memory. */
#define KP_PUSH(vector) \
	((vector)->count < (vector)->cap || \
	 !kp_vector_grow((void **)&(vector)->items, &(vector)->cap, sizeof(*(vector)->items)) ? \
	 &(vector)->items[(vector)->count++] : NULL)
/* Adds an uninitialized item. Evaluates to 0, or -1 without memory. */
#define KP_ADD(vector) \
	((vector)->count < (vector)->cap || \
	 !kp_vector_grow((void **)&(vector)->items, &(vector)->cap, sizeof(*(vector)->items)) ? \
	 ((vector)->count++, 0) : -1)
/* Adds an item with the value that follows. Evaluates to 0, or -1 without memory. */
#define KP_APPEND(vector, ...) \
	(KP_ADD(vector) ? -1 : ((vector)->items[(vector)->count - 1] = __VA_ARGS__, 0))
/* Makes room for one more item in an array of @cap items. Evaluates to 0, or -1 without memory. */
#define KP_ROOM(items, count, cap) \
	((count) < (cap) ? 0 : kp_vector_grow((void **)&(items), &(cap), sizeof(*(items))))
/*
 * Makes the array at least half larger. Returns 0, or -1 without memory; then the array is
 * unchanged.
 */
int kp_vector_grow(void **items, size_t *cap, size_t size);

/*
 * Binary search: sets @at to the index of the first of @count items for which @before is false, or
 * to @count. @before is an expression with the index @at. If it is false for an item, it must be
 * false for all later items.
 */
#define KP_FIND(at, count, before)							\
	do {										\
		size_t low_ = 0, high_ = (count);					\
											\
		while (low_ < high_) {							\
			(at) = low_ + (high_ - low_) / 2;				\
			if (before)							\
				low_ = (at) + 1;					\
			else								\
				high_ = (at);						\
		}									\
		(at) = low_;								\
	} while (0)

/* In a comparison function for qsort(): returns -1 or 1 from this function if @a and @b differ. */
#define KP_COMPARE(a, b)								\
	do {										\
		if ((a) != (b))								\
			return (a) < (b) ? -1 : 1;					\
	} while (0)

/*
 * Binary heap in an array: items[0] is the earliest item. KP_HEAP(NAME, TYPE, SELF, EARLIER)
 * defines NAME_up() and NAME_down() for items of TYPE. EARLIER(SELF, a, b) returns whether item *a
 * is earlier than item *b. NAME_up() moves the new last item items[at] up. NAME_down() moves
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

/*
 * Hash table from 64-bit keys to 32-bit values, and a table of distinct strings based on it. Both
 * grow as needed; entries are never removed.
 *
 * A caller with longer keys uses their hash as the key. If another object already has this key, the
 * caller tries the key plus KP_NEXT_KEY.
 *
 * The slot of a key depends on a secret of the process, so that the author of a file cannot choose
 * keys that share a slot.
 */

struct kp_map_slot {
	uint64_t key;
	uint32_t value;
	uint32_t used;
};

/* An empty map is all zeros. */
struct kp_map {
	struct kp_map_slot *slots;
	size_t mask, count;
};

/* Added to a key of a map if another object has this key. */
#define KP_NEXT_KEY	0x9E3779B97F4A7C15u

/* Returns a hash that depends on the secret of the process. No output may depend on the hash. */
uint64_t kp_mix(uint64_t key);
/* Returns a hash of @len bytes, which also depends on the secret. */
uint64_t kp_hash(const void *bytes, size_t len);

/* Sets *value to the value of @key. Returns false if the map does not contain @key. */
bool kp_map_get(const struct kp_map *map, uint64_t key, uint32_t *value);
/* Sets the value of @key. Returns 0, or -1 without memory. */
int kp_map_set(struct kp_map *map, uint64_t key, uint32_t value);
void kp_map_free(struct kp_map *map);

/* A string of a table. Its address is valid until the table is freed. */
struct kp_str {
	uint32_t len;
	char text[];		/* the string, with a NUL after it */
};

struct kp_strings {
	struct kp_map by_hash;		/* hash of a string to its index in list */
	KP_VECTOR(struct kp_str *) list;
};

/* Returns the table's only copy of @text, which is added if needed. Returns NULL without memory. */
const struct kp_str *kp_strings_add(struct kp_strings *strings, const char *text,
				    size_t len);
void kp_strings_free(struct kp_strings *strings);

#endif
