// SPDX-License-Identifier: BSD-3-Clause
/*
 * Open addressing with linear probing, at most half full. Called by the
 * reconstruction.
 */
#include <stdlib.h>
#include <string.h>

#include "kp_map.h"

#define KP_MAP_FIRST	64	/* slots, a power of two */

static size_t kp_map_slot(const struct kp_map *map, uint64_t key)
{
	size_t i = (size_t)(key * 0x9E3779B97F4A7C15ull >> 32) & map->mask;

	while (map->slots[i].used && map->slots[i].key != key)
		i = (i + 1) & map->mask;
	return i;
}

bool kp_map_get(const struct kp_map *map, uint64_t key, uint32_t *value)
{
	const struct kp_map_slot *slot;

	if (!map->slots)
		return false;
	slot = &map->slots[kp_map_slot(map, key)];
	if (!slot->used)
		return false;
	*value = slot->value;
	return true;
}

static int kp_map_grow(struct kp_map *map)
{
	size_t count = map->slots ? (map->mask + 1) * 2 : KP_MAP_FIRST, i;
	struct kp_map bigger = { .mask = count - 1, .count = map->count };

	bigger.slots = calloc(count, sizeof(*bigger.slots));
	if (!bigger.slots)
		return -1;
	for (i = 0; map->slots && i <= map->mask; i++)
		if (map->slots[i].used)
			bigger.slots[kp_map_slot(&bigger, map->slots[i].key)] =
				map->slots[i];
	free(map->slots);
	*map = bigger;
	return 0;
}

int kp_map_set(struct kp_map *map, uint64_t key, uint32_t value)
{
	struct kp_map_slot *slot;

	if ((!map->slots || map->count * 2 > map->mask) && kp_map_grow(map))
		return -1;
	slot = &map->slots[kp_map_slot(map, key)];
	map->count += !slot->used;
	*slot = (struct kp_map_slot){ .key = key, .value = value, .used = 1 };
	return 0;
}

void kp_map_free(struct kp_map *map)
{
	free(map->slots);
	memset(map, 0, sizeof(*map));
}

/* ---- strings ---- */

static uint64_t kp_hash(const char *text, size_t len)
{
	uint64_t hash = 0xCBF29CE484222325ull;

	while (len--)
		hash = (hash ^ (unsigned char)*text++) * 0x100000001B3ull;
	return hash ^ hash >> 32;
}

static size_t kp_string_slot(const struct kp_strings *strings, const char *text,
			     size_t len)
{
	size_t i = (size_t)kp_hash(text, len) & strings->mask;

	while (strings->slots[i] && (strings->slots[i]->len != len ||
				     memcmp(strings->slots[i]->text, text, len)))
		i = (i + 1) & strings->mask;
	return i;
}

static int kp_strings_grow(struct kp_strings *strings)
{
	size_t count = strings->slots ? (strings->mask + 1) * 2 : KP_MAP_FIRST, i;
	struct kp_strings bigger = { .mask = count - 1, .count = strings->count };

	bigger.slots = calloc(count, sizeof(*bigger.slots));
	if (!bigger.slots)
		return -1;
	for (i = 0; strings->slots && i <= strings->mask; i++) {
		struct kp_str *str = strings->slots[i];

		if (str)
			bigger.slots[kp_string_slot(&bigger, str->text, str->len)] = str;
	}
	free(strings->slots);
	*strings = bigger;
	return 0;
}

const struct kp_str *kp_strings_add(struct kp_strings *strings, const char *text,
				    size_t len)
{
	struct kp_str *str;
	size_t i;

	if ((!strings->slots || strings->count * 2 > strings->mask) &&
	    kp_strings_grow(strings))
		return NULL;
	i = kp_string_slot(strings, text, len);
	if (strings->slots[i])
		return strings->slots[i];
	str = malloc(sizeof(*str) + len + 1);
	if (!str)
		return NULL;
	str->len = (uint32_t)len;
	memcpy(str->text, text, len);
	str->text[len] = 0;
	strings->slots[i] = str;
	strings->count++;
	return str;
}

void kp_strings_free(struct kp_strings *strings)
{
	size_t i;

	for (i = 0; strings->slots && i <= strings->mask; i++)
		free(strings->slots[i]);
	free(strings->slots);
	memset(strings, 0, sizeof(*strings));
}
