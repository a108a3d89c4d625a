// SPDX-License-Identifier: GPL-2.0-only
/*
 * Lists every category, kind and typed tracepoint for /dev/kutrace/tracepoints: its state, the
 * number of its events in the buffer, and the number of lost events. The events are counted when
 * the file is read, so that counting costs nothing during recording.
 */
#include <linux/mm.h>
#include <linux/sched/signal.h>
#include <linux/slab.h>
#include <linux/string.h>
#include <linux/vmalloc.h>

#include "core/kinds.h"
#include "ctl/ctl.h"
#include "point/point.h"
#include "record/record.h"

#define KU_LINE_MAX	128
#define KU_LINES_MAX	(1 + KUTRACE_CATS + KUTRACE_KINDS)

struct ku_hits {
	u64 kinds[KUTRACE_KINDS];
	u32 points[KUTRACE_POINT_IDS];	/* indexed by id */
};

/* Counts calls but not returns. */
static void ku_hit(struct ku_hits *hits, u64 word, u32 event)
{
	if (event >= KUTRACE_CALL_TRAP && event & KUTRACE_RETURN_BIT)
		return;
	hits->kinds[ku_kind_of(word)]++;
	if (ku_kind_of(word) == KUTRACE_KIND_TPOINT)
		hits->points[word & (KUTRACE_POINT_IDS - 1)]++;
}

static void ku_hits_block(struct ku_hits *hits, const u64 *words)
{
	struct ku_walk walk = { .words = words, .at = KUTRACE_FIRST_WORD };

	while (ku_walk_next(&walk) && walk.word != ~0ULL)
		ku_hit(hits, walk.word, walk.event);
}

/*
 * Counts the events of all blocks, in copies, because CPUs may write to the blocks. Does not count
 * a block that was overwritten during the copy. Returns false if killed or out of memory.
 */
static bool ku_hits_count(struct ku_session *session, struct ku_hits *hits)
{
	struct ku_ring *ring = ku_session_ring(session);
	u64 *copy = vmalloc(KUTRACE_BLOCK_BYTES);
	u32 i;

	if (!copy)
		return false;
	for (i = 0; i < ring->nblocks; i++) {
		u64 seq = READ_ONCE(ring->table[i].seq);

		if (!seq)
			continue;
		/* Pairs with the barriers around the store of seq in ku_block_take(). */
		smp_rmb();
		memcpy(copy, ring->words[i], KUTRACE_BLOCK_BYTES);
		/* Read seq again only after the copy. Pairs with the same barriers. */
		smp_rmb();
		if (READ_ONCE(ring->table[i].seq) == seq)
			ku_hits_block(hits, copy);
		cond_resched();
		if (fatal_signal_pending(current))
			break;
	}
	vfree(copy);
	return i == ring->nblocks;
}

struct ku_list {
	struct ku_session *session;
	const struct ku_hits *hits;
	u64 kinds;		/* kinds that the session records */
	u64 lost[KUTRACE_KINDS];
	char *text;
	size_t len, room;
};

static void ku_list_category(struct ku_list *list, u32 category)
{
	u64 mask = ku_kinds_of_categories(1U << category);
	u64 on = list->kinds & mask, hits = 0, lost = 0;
	u32 i;

	for (i = 0; i < KUTRACE_KINDS; i++) {
		if (!(mask >> i & 1))
			continue;
		hits += list->hits->kinds[i];
		lost += list->lost[i];
	}
	list->len += scnprintf(list->text + list->len, list->room - list->len,
			       "%s category %s %llu %llu\n", ku_category_name(category),
			       on == mask ? "on" : on & ~KUTRACE_KINDS_FIXED ? "some" : "off",
			       hits, lost);
}

static void ku_list_kind(struct ku_list *list, u32 kind)
{
	const char *state = list->kinds >> kind & 1 ? "on" : "off";
	const char *category = ku_category_name(ku_kind_category(kind));

	/* The name table is not part of the blocks, so names have no hits. */
	if (kind == KUTRACE_KIND_NAME)
		list->len += scnprintf(list->text + list->len, list->room - list->len,
				       "%s %s %s - %llu\n", ku_kind_name(kind), category, state,
				       list->lost[kind]);
	else
		list->len += scnprintf(list->text + list->len, list->room - list->len,
				       "%s %s %s %llu %llu\n", ku_kind_name(kind), category,
				       state, list->hits->kinds[kind], list->lost[kind]);
}

/* Losses are counted for the kind, not for each typed tracepoint. */
static void ku_list_points(struct ku_list *list)
{
	struct kutrace_point_def *def = kmalloc(sizeof(*def), GFP_KERNEL);
	u32 id = 1;

	while (def && list->room - list->len > KU_LINE_MAX && ku_point_next(id, def)) {
		char *end = strpbrk(def->text, " |");

		if (end)
			*end = 0;
		list->len += scnprintf(list->text + list->len, list->room - list->len,
				       "%s point %s %u -\n", def->text, def->on ? "on" : "off",
				       list->hits->points[def->id]);
		id = def->id + 1;
		cond_resched();
	}
	kfree(def);
}

static u32 ku_list_points_count(void)
{
	struct kutrace_point_def *def = kmalloc(sizeof(*def), GFP_KERNEL);
	u32 count = 0;

	while (def && ku_point_next(count + 1, def))
		count = def->id;
	kfree(def);
	return count;
}

char *ku_files_list(struct ku_session *session, size_t *len)
{
	struct ku_hits *hits = vzalloc(sizeof(*hits));
	struct ku_list *list = kzalloc(sizeof(*list), GFP_KERNEL);
	char *text = NULL;
	u32 i;

	if (!hits || !list || !ku_hits_count(session, hits))
		goto out;
	list->session = session;
	list->hits = hits;
	/* Leave space for tracepoints that are defined meanwhile. */
	list->room = KU_LINE_MAX * (KU_LINES_MAX + 16 + ku_list_points_count());
	list->text = __vmalloc(list->room, GFP_KERNEL_ACCOUNT);
	if (!list->text)
		goto out;
	list->kinds = ku_session_kinds(session);
	ku_session_lost(session, list->lost);
	list->len = scnprintf(list->text, list->room, "# name category state hits lost\n");
	for (i = 0; i < KUTRACE_CATS; i++)
		ku_list_category(list, i);
	for (i = 0; i < KUTRACE_KINDS; i++)
		ku_list_kind(list, i);
	ku_list_points(list);
	text = list->text;
	*len = list->len;
out:
	kfree(list);
	vfree(hits);
	return text;
}

static bool ku_matches(const char *pattern, const char *name)
{
	return ku_point_match(pattern, name, strlen(name));
}

int ku_files_switch(struct ku_session *session, const char *pattern, bool on)
{
	u64 mask = 0;
	u32 i;

	for (i = 0; i < KUTRACE_CATS; i++)
		if (ku_matches(pattern, ku_category_name(i)))
			mask |= ku_kinds_of_categories(1U << i);
	for (i = 0; i < KUTRACE_KINDS; i++)
		if (ku_matches(pattern, ku_kind_name(i)))
			mask |= 1ULL << i;
	if (!ku_point_switch(pattern, on) && !mask)
		return -ENOENT;
	return mask ? ku_session_set_kinds(session, on ? mask : 0, mask) : 0;
}
