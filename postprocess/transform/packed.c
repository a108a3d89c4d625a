// SPDX-License-Identifier: BSD-3-Clause
/*
 * Labels of packed rows, see transform/packed.h. A label must not move, because another thread may
 * read it.
 */
#include "transform/packed.h"

#include <stdlib.h>

#include "common/utf8.h"

static int no_memory(struct kp_labels *labels)
{
	labels->error = "no memory";
	return -1;
}

/* Returns the only copy of @text, with invalid UTF-8 replaced as by the JSON writer. */
static const struct kp_str *valid_name(struct kp_labels *labels, const char *text, size_t len)
{
	const struct kp_str *str;
	uint64_t replaced = 0;
	char *copy = malloc(3 * len + 1);

	if (!copy)
		return NULL;
	len = ku_utf8_replace(text, len, copy, &replaced);
	str = kp_strings_add(&labels->strings, copy, len);
	free(copy);
	return str;
}

int kp_label_new(struct kp_labels *labels, int64_t event, const char *text, size_t len,
		 uint32_t *number)
{
	const struct kp_str *name = valid_name(labels, text, len);
	struct kp_label **chunk;
	uint64_t key;

	if (!name)
		return no_memory(labels);
	/*
	 * Two labels may have the same key: then the later one replaces the earlier one in the map.
	 * So a label may get two numbers, which does no harm.
	 */
	key = (uint64_t)(uintptr_t)name ^ (uint64_t)event << 32;
	if (kp_map_get(&labels->map, key, number) &&
	    kp_label_of(labels, *number)->event == event &&
	    kp_label_of(labels, *number)->name == name)
		return 0;
	if (labels->count == (size_t)KP_LABEL_CHUNK * KP_LABEL_CHUNKS) {
		labels->error = "too many different names";
		return -1;
	}
	chunk = &labels->chunks[labels->count / KP_LABEL_CHUNK];
	if (!*chunk)
		*chunk = malloc(KP_LABEL_CHUNK * sizeof(**chunk));
	if (!*chunk)
		return no_memory(labels);
	*number = (uint32_t)labels->count;
	if (kp_map_set(&labels->map, key, *number))
		return no_memory(labels);
	(*chunk)[labels->count++ % KP_LABEL_CHUNK] = (struct kp_label){ event, name };
	return 0;
}

void kp_labels_free(struct kp_labels *labels)
{
	size_t i;

	kp_strings_free(&labels->strings);
	kp_map_free(&labels->map);
	for (i = 0; i < KP_LABEL_CHUNKS && labels->chunks[i]; i++)
		free(labels->chunks[i]);
}
