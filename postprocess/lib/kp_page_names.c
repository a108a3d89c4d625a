// SPDX-License-Identifier: BSD-3-Clause
/*
 * The dictionary of the page's data: (event, name) -> number, in the order of
 * first use. Called by kp_page.c. Grows with the number of different names,
 * which is what must be held of a trace however long it is.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "kp_page_int.h"

struct kp_name_slot {
	int64_t event;
	size_t offset;		/* of the text */
	uint32_t len;
	uint32_t hash;
	uint32_t number;	/* + 1; 0 = empty slot */
};

int kp_names_open(struct kp_names *names)
{
	memset(names, 0, sizeof(*names));
	names->slot_mask = 4095;
	names->slots = calloc(names->slot_mask + 1, sizeof(*names->slots));
	return names->slots ? 0 : -ENOMEM;
}

void kp_names_close(struct kp_names *names)
{
	free(names->slots);
	free(names->text);
	kp_bytes_free(&names->pending);
	memset(names, 0, sizeof(*names));
}

static uint32_t hash_of(int64_t event, const char *name, size_t len)
{
	uint64_t h = (uint64_t)event * 0x9E3779B97F4A7C15u;

	for (size_t i = 0; i < len; i++)
		h = (h ^ (uint8_t)name[i]) * 0x100000001B3u;
	return (uint32_t)(h ^ h >> 32);
}

static int grow(struct kp_names *names)
{
	size_t mask = names->slot_mask * 2 + 1;
	struct kp_name_slot *slots = calloc(mask + 1, sizeof(*slots));

	if (!slots)
		return -ENOMEM;
	for (size_t i = 0; i <= names->slot_mask; i++) {
		size_t at = names->slots[i].hash & mask;

		if (!names->slots[i].number)
			continue;
		while (slots[at].number)
			at = (at + 1) & mask;
		slots[at] = names->slots[i];
	}
	free(names->slots);
	names->slots = slots;
	names->slot_mask = mask;
	memset(names->last, 0, sizeof(names->last));
	return 0;
}

static int add(struct kp_names *names, struct kp_name_slot *slot, int64_t event,
	       const char *name, size_t len, uint32_t hash)
{
	int rc;

	if (names->count >= INT32_MAX || len >= UINT32_MAX)
		return -ERANGE;
	if (names->text_cap - names->text_len < len) {
		size_t cap = names->text_cap * 2 + len + 4096;
		uint8_t *text = realloc(names->text, cap);

		if (!text)
			return -ENOMEM;
		names->text = text;
		names->text_cap = cap;
	}
	rc = kp_bytes_reserve(&names->pending, len + 2 * KP_VARINT_MAX);
	if (rc)
		return rc;
	if (len)
		memcpy(names->text + names->text_len, name, len);
	*slot = (struct kp_name_slot){
		.event = event,
		.offset = names->text_len,
		.len = (uint32_t)len,
		.hash = hash,
		.number = ++names->count,
	};
	names->text_len += len;
	kp_put_varint(&names->pending, kp_zigzag(event));
	kp_put_varint(&names->pending, len);
	if (len)
		memcpy(names->pending.data + names->pending.len, name, len);
	names->pending.len += len;
	names->pending_count++;
	return 0;
}

int kp_names_find(struct kp_names *names, int64_t event, const char *name, size_t len,
		  uint32_t *number)
{
	struct kp_name_last *last = &names->last[((uintptr_t)name >> 3 ^ (uint64_t)event) %
						 KP_NAMES_LAST];
	struct kp_name_slot *slot;
	uint32_t hash;
	size_t at;
	int rc;

	/* What was found last for this pointer is likely, and is checked. */
	if (last->slot && last->slot->event == event && last->slot->len == len &&
	    (!len || !memcmp(names->text + last->slot->offset, name, len))) {
		*number = last->slot->number - 1;
		return 0;
	}
	hash = hash_of(event, name, len);
	at = hash & names->slot_mask;
	for (; (slot = &names->slots[at])->number; at = (at + 1) & names->slot_mask) {
		if (slot->hash == hash && slot->event == event && slot->len == len &&
		    (!len || !memcmp(names->text + slot->offset, name, len))) {
			*number = slot->number - 1;
			last->slot = slot;
			return 0;
		}
	}
	rc = add(names, slot, event, name, len, hash);
	if (rc)
		return rc;
	*number = names->count - 1;
	if (names->count > names->slot_mask / 2)
		return grow(names);
	return 0;
}
