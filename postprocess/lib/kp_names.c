// SPDX-License-Identifier: BSD-3-Clause
/*
 * A hash table from (kind, number) to a name. Grows without a limit of its own,
 * because a trace may name any number of pids; nothing is dropped. Called by
 * the raw reader and by the reconstruction.
 */
#include <stdlib.h>
#include <string.h>

#include "kp_names.h"
#include "kutrace_events.h"

#define KP_NAMES_FIRST	1024	/* slots, a power of two */

static size_t kp_names_slot(const struct kp_names *names, uint32_t base,
			    uint32_t number)
{
	uint64_t key = ((uint64_t)base << 32 | number) * 0x9E3779B97F4A7C15ull;
	size_t i = (size_t)(key >> 32) & names->mask;

	while (names->slots[i].room && (names->slots[i].base != base ||
					names->slots[i].number != number))
		i = (i + 1) & names->mask;
	return i;
}

static int kp_names_grow(struct kp_names *names)
{
	size_t count = names->slots ? (names->mask + 1) * 2 : KP_NAMES_FIRST;
	struct kp_names bigger = { .mask = count - 1, .used = names->used };
	size_t i;

	bigger.slots = calloc(count, sizeof(*bigger.slots));
	if (!bigger.slots)
		return -1;
	for (i = 0; names->slots && i <= names->mask; i++) {
		struct kp_name *name = &names->slots[i];

		if (name->room)
			bigger.slots[kp_names_slot(&bigger, name->base,
						   name->number)] = *name;
	}
	free(names->slots);
	*names = bigger;
	return 0;
}

int kp_names_set(struct kp_names *names, uint32_t base, uint32_t number,
		 const char *text, size_t len)
{
	struct kp_name *name;

	if (len > 1u << 20)
		len = 1u << 20;
	if ((!names->slots || names->used * 2 > names->mask) && kp_names_grow(names))
		return -1;
	name = &names->slots[kp_names_slot(names, base, number)];
	if (name->room <= len) {
		uint32_t room = (uint32_t)(len + 16) & ~15u;
		char *bigger = realloc(name->text, room);

		if (!bigger)
			return -1;
		if (!name->room)
			names->used++;
		name->text = bigger;
		name->room = room;
		name->base = base;
		name->number = number;
	}
	memcpy(name->text, text, len);
	name->text[len] = 0;
	name->len = (uint32_t)len;
	return 0;
}

const struct kp_name *kp_names_get(const struct kp_names *names, uint32_t base,
				   uint32_t number)
{
	const struct kp_name *name;

	if (!names->slots)
		return NULL;
	name = &names->slots[kp_names_slot(names, base, number)];
	return name->room ? name : NULL;
}

void kp_names_free(struct kp_names *names)
{
	size_t i;

	for (i = 0; names->slots && i <= names->mask; i++)
		free(names->slots[i].text);
	free(names->slots);
	memset(names, 0, sizeof(*names));
}

const char *kp_default_trap(uint32_t number)
{
	switch (number) {
#define KU_TRAP(number_, label) case (number_): return label;
#include "kutrace_events.def"
	default:
		return NULL;
	}
}

const char *kp_default_vector(uint32_t number)
{
	switch (number) {
#define KU_VECTOR(id, number_, label) case (number_): return label;
#include "kutrace_events.def"
	default:
		return NULL;
	}
}

const char *kp_default_softirq(uint32_t number)
{
	switch (number) {
#define KU_SOFTIRQ(number_, label) case (number_): return label;
#include "kutrace_events.def"
	default:
		return NULL;
	}
}

const char *kp_default_point(uint32_t event)
{
	if (event == KUTRACE_PSTATE || event == KUTRACE_PSTATE2)
		return "-freq-";
	switch (event) {
#define KU_POINT(id, code, cat, label, text) case (code): return label;
#include "kutrace_events.def"
	default:
		return NULL;
	}
}
