// SPDX-License-Identifier: BSD-3-Clause
/*
 * Numbers the pairs of event and name in a page's data, in the order of their first use.
 *
 * The dictionary must be in memory as a whole. It grows with the number of different names, not
 * with the length of the trace.
 */
#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "page/dictionary.h"

int kp_dictionary_open(struct kp_dictionary *dictionary)
{
	memset(dictionary, 0, sizeof(*dictionary));
	return 0;
}

void kp_dictionary_close(struct kp_dictionary *dictionary)
{
	kp_map_free(&dictionary->by_hash);
	free(dictionary->entries.items);
	free(dictionary->text);
	kp_bytes_free(&dictionary->pending);
	memset(dictionary, 0, sizeof(*dictionary));
}

static inline bool is_entry(const struct kp_dictionary *dictionary, uint32_t number,
			    int64_t event, const char *name, size_t len)
{
	const struct kp_dictionary_entry *entry = &dictionary->entries.items[number];

	return entry->event == event && entry->len == len &&
	       (!len || !memcmp(dictionary->text + entry->offset, name, len));
}

static int add(struct kp_dictionary *dictionary, uint64_t key, int64_t event,
	       const char *name, size_t len)
{
	struct kp_dictionary_entry *entry;
	int rc;

	if (dictionary->entries.count >= INT32_MAX || len >= UINT32_MAX)
		return -ERANGE;
	if (dictionary->text_cap - dictionary->text_len < len) {
		size_t cap = dictionary->text_cap * 2 + len + 4096;
		uint8_t *text = realloc(dictionary->text, cap);

		if (!text)
			return -ENOMEM;
		dictionary->text = text;
		dictionary->text_cap = cap;
	}
	rc = kp_bytes_reserve(&dictionary->pending, len + 2 * KP_VARINT_MAX);
	if (rc)
		return rc;
	entry = KP_PUSH(&dictionary->entries);
	if (!entry)
		return -ENOMEM;
	if (kp_map_set(&dictionary->by_hash, key, (uint32_t)(dictionary->entries.count - 1))) {
		dictionary->entries.count--;
		return -ENOMEM;
	}
	*entry = (struct kp_dictionary_entry){
		.event = event, .offset = dictionary->text_len, .len = (uint32_t)len,
	};
	if (len)
		memcpy(dictionary->text + dictionary->text_len, name, len);
	dictionary->text_len += len;
	kp_put_varint(&dictionary->pending, kp_zigzag(event));
	kp_put_varint(&dictionary->pending, len);
	if (len)
		memcpy(dictionary->pending.data + dictionary->pending.len, name, len);
	dictionary->pending.len += len;
	dictionary->pending_count++;
	return 0;
}

int kp_dictionary_find(struct kp_dictionary *dictionary, int64_t event, const char *name,
		       size_t len, uint32_t *number)
{
	uint32_t *last = &dictionary->last[((uintptr_t)name >> 3 ^ (uint64_t)event) %
					   KP_DICTIONARY_LAST];
	uint64_t key;
	int rc;

	/* The same name pointer often means the same entry. Compare to be sure. */
	if (*last && is_entry(dictionary, *last - 1, event, name, len)) {
		*number = *last - 1;
		return 0;
	}
	for (key = kp_mix((uint64_t)event ^ kp_hash(name, len)); kp_map_get(&dictionary->by_hash, key, number);
	     key++) {
		if (is_entry(dictionary, *number, event, name, len)) {
			*last = *number + 1;
			return 0;
		}
	}
	rc = add(dictionary, key, event, name, len);
	*number = (uint32_t)dictionary->entries.count - 1;
	return rc;
}
