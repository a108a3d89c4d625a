// SPDX-License-Identifier: BSD-3-Clause
/* See base/memory.h. The hash table uses linear probing, and is at most half full. */
#include "base/memory.h"

#include <string.h>
#include <sys/random.h>
#include <time.h>

static bool failed;

void *kp_allocated(void *what)
{
	/* Relaxed order is enough: kp_finish() reads the flag after all threads were joined. */
	if (!what)
		__atomic_store_n(&failed, true, __ATOMIC_RELAXED);
	return what;
}

bool kp_memory_failed(void)
{
	return __atomic_load_n(&failed, __ATOMIC_RELAXED);
}

int kp_vector_grow(void **items, size_t *cap, size_t size)
{
	size_t more = *cap + *cap / 2 + 16;
	void *bigger = more > SIZE_MAX / size ? NULL : realloc(*items, more * size);

	if (!kp_allocated(bigger))
		return -1;
	*items = bigger;
	*cap = more;
	return 0;
}

#define KP_MAP_FIRST	64	/* slots, a power of two */

/* Secret of the process, for kp_mix(). The factor is odd. */
static struct {
	uint64_t added, factor;
} secret;

static void __attribute__((constructor)) choose_secret(void)
{
	struct timespec now;

	if (getrandom(&secret, sizeof(secret), GRND_NONBLOCK) != (ssize_t)sizeof(secret)) {
		clock_gettime(CLOCK_MONOTONIC, &now);
		secret.added = (uint64_t)now.tv_nsec * 0x9E3779B97F4A7C15ull;
		secret.factor = secret.added ^ (uint64_t)(uintptr_t)&now;
	}
	secret.factor |= 1;
}

/* Returns the exclusive or of the product's halves: each bit depends on the whole key. */
uint64_t kp_mix(uint64_t key)
{
	const unsigned __int128 product = (unsigned __int128)(key ^ secret.added) * secret.factor;

	return (uint64_t)(product >> 64) ^ (uint64_t)product;
}

uint64_t kp_hash(const void *bytes, size_t len)
{
	const unsigned char *at = bytes;
	uint64_t hash = kp_mix(len), word;

	for (; len >= sizeof(word); at += sizeof(word), len -= sizeof(word)) {
		memcpy(&word, at, sizeof(word));
		hash = kp_mix(hash ^ word);
	}
	word = 0;
	if (len)
		memcpy(&word, at, len);
	return kp_mix(hash ^ word);
}

static size_t kp_map_slot(const struct kp_map *map, uint64_t key)
{
	size_t i = (size_t)kp_mix(key) & map->mask;

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

	bigger.slots = kp_allocated(calloc(count, sizeof(*bigger.slots)));
	if (!bigger.slots)
		return -1;
	for (i = 0; map->slots && i <= map->mask; i++)
		if (map->slots[i].used)
			bigger.slots[kp_map_slot(&bigger, map->slots[i].key)] = map->slots[i];
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

/* If a different string has this hash, @text gets the next free key. */
const struct kp_str *kp_strings_add(struct kp_strings *strings, const char *text,
				    size_t len)
{
	uint64_t key = kp_hash(text, len);
	struct kp_str *str, **item;
	uint32_t at;

	for (; kp_map_get(&strings->by_hash, key, &at); key++) {
		str = strings->list.items[at];
		if (str->len == len && !memcmp(str->text, text, len))
			return str;
	}
	str = kp_allocated(malloc(sizeof(*str) + len + 1));
	if (!str)
		return NULL;
	str->len = (uint32_t)len;
	memcpy(str->text, text, len);
	str->text[len] = 0;
	item = KP_PUSH(&strings->list);
	if (item)
		*item = str;
	if (item && !kp_map_set(&strings->by_hash, key, (uint32_t)(strings->list.count - 1)))
		return str;
	strings->list.count -= item != NULL;
	free(str);
	return NULL;
}

void kp_strings_free(struct kp_strings *strings)
{
	for (size_t i = 0; i < strings->list.count; i++)
		free(strings->list.items[i]);
	free(strings->list.items);
	kp_map_free(&strings->by_hash);
	memset(strings, 0, sizeof(*strings));
}
