// SPDX-License-Identifier: GPL-2.0-only
/* Kinds of events: see core/kinds.h. */
#include "core/kinds.h"

static_assert(KUTRACE_KINDS <= 63, "kinds are bits of a word");

u8 ku_kinds[KUTRACE_EVENT_MASK + 1];

static const u8 ku_kind_categories[KUTRACE_KINDS] = {
#define KU_POINT(id, code, cat, label, text) [KUTRACE_KIND_##id] = KUTRACE_CAT_##cat,
#define KU_SPAN(id, call, ret, count, cat, label, text) \
	[KUTRACE_KIND_CALL_##id] = KUTRACE_CAT_##cat,
#define KU_KIND(id, cat, label) [KUTRACE_KIND_##id] = KUTRACE_CAT_##cat,
#include "uapi/kutrace_events.def"
};

static const char * const ku_kind_names[KUTRACE_KINDS] = {
#define KU_POINT(id, code, cat, label, text) [KUTRACE_KIND_##id] = label,
#define KU_SPAN(id, call, ret, count, cat, label, text) [KUTRACE_KIND_CALL_##id] = label,
#define KU_KIND(id, cat, label) [KUTRACE_KIND_##id] = label,
#include "uapi/kutrace_events.def"
};

static const char * const ku_kind_renamed[KUTRACE_KINDS] = {
#define KU_KIND_NAME(id, name) [KUTRACE_KIND_##id] = name,
#include "uapi/kutrace_events.def"
};

static const char * const ku_category_names[KUTRACE_CATS] = {
#define KU_CAT(id, bit, text) [bit] = #id,
#include "uapi/kutrace_events.def"
};

static const u8 ku_ipi_vectors[] = {
#define KU_IPI_VECTOR(id) KUTRACE_VECTOR_##id,
#include "uapi/kutrace_events.def"
};

static void ku_kinds_set(u32 first, u32 count, u32 kind)
{
	while (count--)
		ku_kinds[first + count] = (u8)kind;
}

/*
 * Fills ku_kinds, before the first event. Numbers without a definition belong to names. Of the
 * names, rings record only typed tracepoints.
 */
void ku_kinds_init(void)
{
	u32 i;

	ku_kinds_set(0, KUTRACE_EVENT_MASK + 1, KUTRACE_KIND_NAME);
#define KU_POINT(id, code, cat, label, text) ku_kinds[code] = KUTRACE_KIND_##id;
#define KU_SPAN(id, call, ret, count, cat, label, text) \
	ku_kinds_set(call, count, KUTRACE_KIND_CALL_##id); \
	ku_kinds_set(ret, count, KUTRACE_KIND_CALL_##id);
#include "uapi/kutrace_events.def"
	for (i = 0; i < sizeof(ku_ipi_vectors); i++) {
		ku_kinds[KUTRACE_CALL_IRQ + ku_ipi_vectors[i]] = KUTRACE_KIND_CALL_IPI;
		ku_kinds[KUTRACE_RET_IRQ + ku_ipi_vectors[i]] = KUTRACE_KIND_CALL_IPI;
	}
	for (i = 1; i <= KUTRACE_NAME_MAX_WORDS; i++)
		ku_kinds[KUTRACE_NAME_TPOINT | i << KUTRACE_NAME_LEN_SHIFT] =
			KUTRACE_KIND_TPOINT;
}

const char *ku_kind_name(u32 kind)
{
	return ku_kind_renamed[kind] ?: ku_kind_names[kind];
}

const char *ku_category_name(u32 category)
{
	return ku_category_names[category];
}

u32 ku_kind_category(u32 kind)
{
	return ku_kind_categories[kind];
}

u64 ku_kinds_of_categories(u32 categories)
{
	u64 kinds = 0;
	u32 i;

	for (i = 0; i < KUTRACE_KINDS; i++)
		if (categories >> ku_kind_categories[i] & 1)
			kinds |= 1ULL << i;
	return kinds;
}

u32 ku_categories_of_kinds(u64 kinds)
{
	u32 categories = 0, i;

	for (i = 0; i < KUTRACE_KINDS; i++)
		if (kinds >> i & 1)
			categories |= 1U << ku_kind_categories[i];
	return categories;
}
