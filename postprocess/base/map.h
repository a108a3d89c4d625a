/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Hash table from 64-bit keys to 32-bit values, and a table of distinct strings based on it. Both
 * grow as needed; entries are never removed.
 *
 * A caller with longer keys uses their hash as the key. If another object already has this hash, it
 * tries the next key.
 *
 * The slot of a key depends on a secret of the process, so that no file can choose keys that share
 * a slot.
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

/* An empty map is all zeros. */
struct kp_map {
	struct kp_map_slot *slots;
	size_t mask, count;
};

/* Returns a hash that depends on the secret of the process. No output may depend on the hash. */
uint64_t kp_mix(uint64_t key);
/* Returns a hash of @len bytes; as kp_mix(), it depends on the secret. */
uint64_t kp_hash(const void *bytes, size_t len);

/* Sets *value to the value of @key. Returns false if the map does not contain @key. */
bool kp_map_get(const struct kp_map *map, uint64_t key, uint32_t *value);
/* Returns 0, or -1 without memory. */
int kp_map_set(struct kp_map *map, uint64_t key, uint32_t value);
void kp_map_free(struct kp_map *map);

/* A string at a fixed address, which is valid until the table is freed. */
struct kp_str {
	uint32_t len;
	char text[];		/* with a NUL after it */
};

struct kp_strings {
	struct kp_map by_hash;		/* to the index in list */
	KP_VECTOR(struct kp_str *) list;
};

/* Returns the only copy of @text in the table, which it adds if needed; NULL without memory. */
const struct kp_str *kp_strings_add(struct kp_strings *strings, const char *text,
				    size_t len);
void kp_strings_free(struct kp_strings *strings);

#endif
