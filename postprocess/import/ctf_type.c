// SPDX-License-Identifier: BSD-3-Clause
/*
 * Memory and environment of the metadata, see import/ctf_type.h.
 */
#include "import/ctf_type.h"

#include <stdlib.h>
#include <string.h>

#define CHUNK_BYTES	(64u << 10)

/* The types and texts of a trace's metadata are allocated in chunks, which are freed together. */
struct chunk {
	struct chunk *before;
	size_t used, room;
	uint64_t bytes[];
};

void *kp_ctf_meta_memory(struct kp_ctf_meta *meta, size_t size)
{
	struct chunk *chunk = meta->memory;
	void *memory;

	size = (size + 7) & ~(size_t)7;
	if (!chunk || chunk->room - chunk->used < size) {
		const size_t room = size > CHUNK_BYTES ? size : CHUNK_BYTES;

		chunk = calloc(1, sizeof(*chunk) + room);
		if (!chunk)
			return NULL;
		chunk->before = meta->memory;
		chunk->room = room;
		meta->memory = chunk;
	}
	memory = (char *)chunk->bytes + chunk->used;
	chunk->used += size;
	return memory;
}

const char *kp_ctf_env(const struct kp_ctf_meta *meta, const char *key)
{
	size_t i;

	for (i = 0; i < meta->env.count; i++)
		if (!strcmp(meta->env.items[i].key, key))
			return meta->env.items[i].text;
	return NULL;
}

void kp_ctf_meta_free(struct kp_ctf_meta *meta)
{
	struct chunk *chunk, *before;
	size_t i;

	for (i = 0; i < meta->streams.count; i++)
		kp_map_free(&meta->streams.items[i].events);
	for (chunk = meta->memory; chunk; chunk = before) {
		before = chunk->before;
		free(chunk);
	}
	free(meta->streams.items);
	free(meta->events.items);
	free(meta->env.items);
	memset(meta, 0, sizeof(*meta));
}
