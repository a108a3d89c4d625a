// SPDX-License-Identifier: BSD-3-Clause
/*
 * Names by (kind, number), see model/names.h. The list has no size limit, because a trace may name
 * any number of pids. Names are never removed.
 */
#include <stdlib.h>
#include <string.h>

#include "kutrace_events.h"
#include "base/memory.h"
#include "model/names.h"

static uint64_t kp_names_key(uint32_t base, uint32_t number)
{
	return (uint64_t)base << 32 | number;
}

/* Returns the object's entry, which is added without a name if needed; NULL without memory. */
static struct kp_name *kp_names_place(struct kp_names *names, uint32_t base, uint32_t number)
{
	struct kp_name *name;
	uint32_t at;

	if (kp_map_get(&names->places, kp_names_key(base, number), &at))
		return &names->list.items[at];
	name = KP_PUSH(&names->list);
	if (!name)
		return NULL;
	*name = (struct kp_name){ .base = base, .number = number };
	if (!kp_map_set(&names->places, kp_names_key(base, number),
			(uint32_t)(names->list.count - 1)))
		return name;
	names->list.count--;
	return NULL;
}

int kp_names_set(struct kp_names *names, uint32_t base, uint32_t number,
		 const char *text, size_t len)
{
	struct kp_name *name = kp_names_place(names, base, number);

	if (!name)
		return -1;
	if (len > 1u << 20)
		len = 1u << 20;
	if (name->room <= len) {
		uint32_t room = (uint32_t)(len + 16) & ~15u;
		char *bigger = kp_allocated(realloc(name->text, room));

		if (!bigger)
			return -1;
		name->text = bigger;
		name->room = room;
	}
	memcpy(name->text, text, len);
	name->text[len] = 0;
	name->len = (uint32_t)len;
	return 0;
}

void kp_names_set_kind(struct kp_names *names, uint32_t base, uint32_t number, uint32_t kind)
{
	uint32_t at;

	if (kp_map_get(&names->places, kp_names_key(base, number), &at))
		names->list.items[at].kind = kind;
}

const struct kp_name *kp_names_get(const struct kp_names *names, uint32_t base,
				   uint32_t number)
{
	const struct kp_name *name;
	uint32_t at;

	if (!kp_map_get(&names->places, kp_names_key(base, number), &at))
		return NULL;
	name = &names->list.items[at];
	return name->room ? name : NULL;
}

void kp_names_free(struct kp_names *names)
{
	size_t i;

	for (i = 0; i < names->list.count; i++)
		free(names->list.items[i].text);
	free(names->list.items);
	kp_map_free(&names->places);
	memset(names, 0, sizeof(*names));
}
