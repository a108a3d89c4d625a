// SPDX-License-Identifier: BSD-3-Clause
/*
 * A list of names, in several orders, and the encoding of a name as an entry. Must not store more
 * of a text than an entry can hold.
 *
 *	 63        44 43          32 31           0
 *	+-----------+--------------+--------------+
 *	| timestamp | base | n<<4  |    number    |	n = words, including this one
 *	+-----------+--------------+--------------+
 *	|    up to 56 bytes of text, zero-filled  |	of a task: text, NUL, kind
 *	+-----------------------------------------+
 */
#include "lib/base/name_list.h"

#include "common/entry.h"

int ku_names_add(struct ku_name_list *names, uint16_t base, uint32_t number,
		 const char *text, size_t length)
{
	struct ku_name *name;

	if (names->count == names->room) {
		size_t room = names->room ? names->room * 2 : 1024;
		struct ku_name *list = realloc(names->list, room * sizeof(*list));

		if (!list)
			return -ENOMEM;
		names->list = list;
		names->room = room;
	}
	if (length > KUTRACE_NAME_MAX_BYTES)
		length = KUTRACE_NAME_MAX_BYTES;
	name = &names->list[names->count];
	*name = (struct ku_name){
		.order = (uint32_t)names->count++, .base = base, .number = number,
		.length = (uint16_t)length,
	};
	memcpy(name->text, text, length);
	return 0;
}

int ku_names_add_entry(struct ku_name_list *names, uint16_t base, uint32_t number,
		       const char *text, size_t room)
{
	int ret = ku_names_add(names, base, number, text, strnlen(text, room));

	if (!ret && base == KUTRACE_NAME_PID)
		names->list[names->count - 1].kind = ku_entry_task_kind(text, room);
	return ret;
}

void ku_names_free(struct ku_name_list *names)
{
	free(names->list);
	memset(names, 0, sizeof(*names));
}

#define COMPARE(x, y) do { if ((x) != (y)) return (x) < (y) ? -1 : 1; } while (0)

/* Returns whether entries of this kind differ by their text, not by their number. */
static bool keeps_all(uint16_t base)
{
	return base == KUTRACE_NAME_META;
}

static int compare_number(const void *left, const void *right)
{
	const struct ku_name *a = left, *b = right;

	COMPARE(a->base, b->base);
	if (!keeps_all(a->base))
		COMPARE(a->number, b->number);
	COMPARE(a->counts, b->counts);
	COMPARE(a->order, b->order);
	return 0;
}

/* Compares all members, the order last. Names that differ only in the order are the same name. */
static int compare_all(const void *left, const void *right)
{
	const struct ku_name *a = left, *b = right;
	int text;

	COMPARE(a->base, b->base);
	COMPARE(a->number, b->number);
	COMPARE(a->counts, b->counts);
	COMPARE(a->length, b->length);
	COMPARE(a->kind, b->kind);
	text = memcmp(a->text, b->text, a->length);
	if (text)
		return text;
	COMPARE(a->order, b->order);
	return 0;
}

static int compare_order(const void *left, const void *right)
{
	const struct ku_name *a = left, *b = right;

	COMPARE(a->order, b->order);
	return 0;
}

static int compare_time(const void *left, const void *right)
{
	const struct ku_name *a = left, *b = right;

	COMPARE(a->counts, b->counts);
	COMPARE(a->order, b->order);
	return 0;
}

void ku_names_newest(struct ku_name_list *names)
{
	size_t from, to = 0;

	if (!names->count)
		return;
	qsort(names->list, names->count, sizeof(names->list[0]), compare_number);
	for (from = 0; from < names->count; from++) {
		const struct ku_name *this = &names->list[from], *next = this + 1;

		if (from + 1 < names->count && !keeps_all(this->base) &&
		    next->base == this->base && next->number == this->number)
			continue;	/* the next name is newer */
		names->list[to++] = *this;
	}
	names->count = to;
}

void ku_names_once(struct ku_name_list *names)
{
	size_t from, to = 0;

	if (!names->count)
		return;
	qsort(names->list, names->count, sizeof(names->list[0]), compare_all);
	for (from = 0; from < names->count; from++) {
		struct ku_name key = names->list[from];

		if (to) {
			key.order = names->list[to - 1].order;
			if (!compare_all(&key, &names->list[to - 1]))
				continue;
		}
		names->list[to++] = names->list[from];
	}
	names->count = to;
	qsort(names->list, names->count, sizeof(names->list[0]), compare_order);
}

void ku_names_by_time(struct ku_name_list *names)
{
	if (names->count)
		qsort(names->list, names->count, sizeof(names->list[0]), compare_time);
}

/* Returns the number of bytes of the entry's text: for a task, with NUL and kind if they fit. */
static unsigned int text_bytes(const struct ku_name *name)
{
	const unsigned int bytes = name->length + 2U;

	return name->kind && bytes <= KUTRACE_NAME_MAX_BYTES ? bytes : name->length;
}

unsigned int ku_name_words(const struct ku_name *name)
{
	return 1 + (text_bytes(name) + 7U) / 8;
}

unsigned int ku_name_put(uint64_t *words, const struct ku_name *name, uint64_t ts)
{
	unsigned int n = ku_name_words(name);

	memset(words, 0, n * sizeof(*words));
	words[0] = (ts & KUTRACE_TS_MASK) << KUTRACE_TS_SHIFT |
		   (uint64_t)(name->base | n << KUTRACE_NAME_LEN_SHIFT)
			   << KUTRACE_EVENT_SHIFT |
		   name->number;
	memcpy(words + 1, name->text, name->length);
	if (text_bytes(name) > name->length)
		((uint8_t *)(words + 1))[name->length + 1] = name->kind;
	return n;
}
