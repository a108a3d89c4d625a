// SPDX-License-Identifier: BSD-3-Clause
/*
 * Kinds of events, by name and by event number. Needs no module. Must use the event table only,
 * never a list of its own.
 */
#include <errno.h>
#include <stdbool.h>
#include <string.h>

#include "kutrace_events.h"
#include "libkutrace.h"

static const struct {
	const char *name;
	uint32_t category;
	/* first event numbers of calls and of returns (0: no returns), length of the range */
	uint16_t call, ret, count;
} kinds[KUTRACE_KINDS] = {
#define KU_POINT(id, code, cat, label, text) \
	[KUTRACE_KIND_##id] = {label, KUTRACE_CAT_##cat, code, 0, 1},
#define KU_SPAN(id, call, ret, count, cat, label, text) \
	[KUTRACE_KIND_CALL_##id] = {label, KUTRACE_CAT_##cat, call, ret, count},
#define KU_KIND(id, cat, label) [KUTRACE_KIND_##id] = {label, KUTRACE_CAT_##cat, 0, 0, 0},
#include "kutrace_events.def"
};

static const char *const renamed[KUTRACE_KINDS] = {
#define KU_KIND_NAME(id, name) [KUTRACE_KIND_##id] = name,
#include "kutrace_events.def"
};

static const struct {
	const char *name, *text;
} categories[KUTRACE_CATS] = {
#define KU_CAT(id, bit, text) [bit] = {#id, text},
#include "kutrace_events.def"
};

static const uint8_t ipi_vectors[] = {
#define KU_IPI_VECTOR(id) KUTRACE_VECTOR_##id,
#include "kutrace_events.def"
};

/* Returns whether @text is @name in lower case. */
static bool equals_word(const char *name, const char *text, size_t length)
{
	size_t i;

	for (i = 0; i < length && name[i]; i++)
		if ((name[i] >= 'A' && name[i] <= 'Z' ? name[i] + 32 : name[i]) != text[i])
			return false;
	return i == length && !name[i];
}

const char *kutrace_kind_name(unsigned int kind)
{
	if (kind >= KUTRACE_KINDS)
		return NULL;
	return renamed[kind] ? renamed[kind] : kinds[kind].name;
}

/*
 * Returns the bits of the kind. PC samples of user and of kernel code have both bits: the module
 * records the same event for both, and readers check the address.
 */
uint64_t kutrace_kind_bits(unsigned int kind)
{
	if (kind == KUTRACE_KIND_PC_U || kind == KUTRACE_KIND_PC_K)
		return 1ULL << KUTRACE_KIND_PC_U | 1ULL << KUTRACE_KIND_PC_K;
	return kind < KUTRACE_KINDS ? 1ULL << kind : 0;
}

unsigned int kutrace_kind_category(unsigned int kind)
{
	return kind < KUTRACE_KINDS ? kinds[kind].category : KUTRACE_CATS;
}

uint64_t kutrace_category(unsigned int category, char *name, size_t size, const char **text)
{
	uint64_t bits = 0;
	unsigned int i;

	if (category >= KUTRACE_CATS)
		return 0;
	for (i = 0; size && i + 1 < size && categories[category].name[i]; i++)
		name[i] = (char)(categories[category].name[i] + 32);
	if (size)
		name[i] = '\0';
	if (text)
		*text = categories[category].text;
	for (i = 0; i < KUTRACE_KINDS; i++)
		if (kinds[i].category == category)
			bits |= 1ULL << i;
	return bits;
}

int kutrace_event_kind(uint64_t event)
{
	if (event <= 0x1FF && event & 0xF0 && event != KUTRACE_PC_OLD) {
		event &= ~0xF0ULL;
		return event == KUTRACE_NAME_TPOINT ? KUTRACE_KIND_TPOINT
						    : KUTRACE_KIND_NAME;
	}
	if (event == KUTRACE_NAME_TPOINT)
		return KUTRACE_KIND_TPOINT;
	for (size_t i = 0; i < sizeof(ipi_vectors); i++)
		if ((event & ~(uint64_t)KUTRACE_RETURN_BIT) ==
		    (uint64_t)(KUTRACE_CALL_IRQ + ipi_vectors[i]))
			return KUTRACE_KIND_CALL_IPI;
	for (unsigned int kind = 0; kind < KUTRACE_KINDS; kind++) {
		if (event - kinds[kind].call < kinds[kind].count)
			return (int)kind;
		if (kinds[kind].ret && event - kinds[kind].ret < kinds[kind].count)
			return (int)kind;
	}
	return -1;
}

/* Returns the kinds of a word in the list; 0: unknown. */
static uint64_t bits_of_word(const char *word, size_t length)
{
	if (equals_word("all", word, length))
		return KUTRACE_KINDS_ALL;
	for (unsigned int i = 0; i < KUTRACE_CATS; i++)
		if (equals_word(categories[i].name, word, length))
			return kutrace_category(i, NULL, 0, NULL);
	for (unsigned int i = 0; i < KUTRACE_KINDS; i++)
		if (equals_word(kutrace_kind_name(i), word, length))
			return kutrace_kind_bits(i);
	return 0;
}

int kutrace_kinds_parse(const char *list, uint64_t *value, uint64_t *mask,
			const char **bad, size_t *bad_length)
{
	char sign = *list == '+' || *list == '-' ? *list++ : '\0';
	uint64_t bits = 0;
	size_t length;

	for (;; list += length + 1) {
		uint64_t these;

		length = strcspn(list, ",");
		these = bits_of_word(list, length);
		if (!these && !(equals_word("none", list, length) && !sign)) {
			if (bad)
				*bad = list;
			if (bad_length)
				*bad_length = length;
			return -EINVAL;
		}
		bits |= these;
		if (!list[length])
			break;
	}
	*value = sign == '-' ? 0 : bits;
	*mask = sign ? bits : KUTRACE_KINDS_ALL;
	return 0;
}
