/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The one hash table: from 64-bit keys to 32-bit values; and on it, a table of distinct
 * strings. Who looks things up by something longer takes its hash as the key, and the next
 * key where another thing has it. Both grow as needed; nothing is ever dropped.
 * The slot of a key depends on a secret of the process, so that no file can choose keys that share a slot.
 * Used by all floors.
 */
#ifndef KP_MAP_H
#define KP_MAP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/vector.h"

struct kp_map_slot {
	uint64_t key;
	uint32_t value;
	uint32_t used;
};

/* All zero = empty. */
struct kp_map {
	struct kp_map_slot *slots;
	size_t mask, count;
};

/* Returns a hash that depends on the secret of the process. No output may depend on the hash. */
uint64_t kp_mix(uint64_t key);
uint64_t kp_hash(const void *bytes, size_t len);

/* Value of key to *value; false if there is none. */
bool kp_map_get(const struct kp_map *map, uint64_t key, uint32_t *value);
/* 0, or -1 without memory. */
int kp_map_set(struct kp_map *map, uint64_t key, uint32_t value);
void kp_map_free(struct kp_map *map);

/* A string that stays where it is until the table is freed. */
struct kp_str {
	uint32_t len;
	char text[];		/* NUL-terminated besides */
};

struct kp_strings {
	struct kp_map by_hash;		/* to the place in list */
	KP_VECTOR(struct kp_str *) list;
};

/* The one copy of text; NULL without memory. */
const struct kp_str *kp_strings_add(struct kp_strings *strings, const char *text,
				    size_t len);
void kp_strings_free(struct kp_strings *strings);

#endif
