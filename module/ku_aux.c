// SPDX-License-Identifier: GPL-2.0-only
/*
 * Auxiliary name buffer. Entries (struct kutrace_aux_entry) are reserved under
 * a short lock, filled outside it, then marked valid; a reader copies the
 * buffer, not the lock holder's time, and checks each entry. When the buffer is
 * full the oldest names go, and are counted.
 *
 * Offsets run on for ever; where an entry is, is offset modulo the size.
 */
#include <linux/build_bug.h>
#include <linux/minmax.h>
#include <linux/mm.h>
#include <linux/sched.h>
#include <linux/smp.h>
#include <linux/spinlock.h>
#include <linux/string.h>
#include <linux/vmalloc.h>

#include "ku_aux.h"

static DEFINE_RAW_SPINLOCK(ku_aux_lock);
static char *ku_aux;
static u64 ku_aux_first, ku_aux_last, ku_aux_lost;
static char *ku_aux_kept;	/* copy of what lay at [ku_aux_kept_first, ku_aux_kept_last) */
static u64 ku_aux_kept_first, ku_aux_kept_last;

static void *ku_aux_at(u64 offset)
{
	return ku_aux + (offset & (KUTRACE_AUX_BYTES - 1));
}

/* Copies in, over the end of the buffer to its start if need be. */
static void ku_aux_copy(u64 offset, const void *from, size_t bytes)
{
	size_t before_end = KUTRACE_AUX_BYTES - (offset & (KUTRACE_AUX_BYTES - 1));
	size_t part = min(bytes, before_end);

	memcpy(ku_aux_at(offset), from, part);
	memcpy(ku_aux, (const char *)from + part, bytes - part);
}

/**
 * ku_aux_add() - keep a name
 * @base: KUTRACE_NAME_* code
 * @number: what is named
 * @name: its name; need not be terminated
 * @len: length of the name in bytes; more than 56 are cut off
 * @counts: since when it has that name
 *
 * Context: any but NMI; takes a raw spinlock with interrupts off for the
 * reservation only.
 */
void ku_aux_add(u16 base, u32 number, const char *name, size_t len, u64 counts)
{
	struct {
		struct kutrace_aux_entry entry;
		char name[KUTRACE_NAME_MAX_BYTES];
	} full = {};
	unsigned long flags;
	u32 bytes, head;
	u64 offset;

	BUILD_BUG_ON(sizeof(struct kutrace_aux_entry) != KUTRACE_AUX_HEADER);
	len = min_t(size_t, len, KUTRACE_NAME_MAX_BYTES);
	bytes = KUTRACE_AUX_HEADER + ALIGN((u32)len, 8);
	head = bytes << 1;
	full.entry = (struct kutrace_aux_entry) {
		.head = head | KUTRACE_AUX_INVALID,
		.base = base,
		.cpu = raw_smp_processor_id(),
		.counts = counts,
		.number = number,
		.pid = current->pid,
	};
	memcpy(full.name, name, len);

	raw_spin_lock_irqsave(&ku_aux_lock, flags);
	offset = ku_aux_last;
	while (ku_aux_first + KUTRACE_AUX_BYTES < offset + bytes) {
		struct kutrace_aux_entry *oldest = ku_aux_at(ku_aux_first);

		ku_aux_first += oldest->head >> 1;
		ku_aux_lost++;
	}
	WRITE_ONCE(*(u32 *)ku_aux_at(offset), head | KUTRACE_AUX_INVALID);
	ku_aux_last = offset + bytes;
	raw_spin_unlock_irqrestore(&ku_aux_lock, flags);

	ku_aux_copy(offset + 8, (char *)&full + 8, bytes - 8);
	/* Words are 8-aligned, so base and cpu never run over the end. */
	WRITE_ONCE(*((u32 *)ku_aux_at(offset) + 1), *((u32 *)&full + 1));
	/* Readers (user space, a copy) that see it valid see it whole. */
	smp_store_release((u32 *)ku_aux_at(offset), head);
}

/* Where the oldest and the next entry are, and how many were pushed out. */
void ku_aux_bounds(u64 *first, u64 *last, u64 *lost)
{
	unsigned long flags;

	raw_spin_lock_irqsave(&ku_aux_lock, flags);
	*first = ku_aux_first;
	*last = ku_aux_last;
	*lost = ku_aux_lost;
	raw_spin_unlock_irqrestore(&ku_aux_lock, flags);
}

/* From the buffer, over its end to its start if need be. */
static void ku_aux_copy_out(void *to, u64 offset, size_t bytes)
{
	size_t before_end = KUTRACE_AUX_BYTES - (offset & (KUTRACE_AUX_BYTES - 1));
	size_t part = min(bytes, before_end);

	memcpy(to, ku_aux_at(offset), part);
	memcpy((char *)to + part, ku_aux, bytes - part);
}

/* From what is kept, else from the buffer; an entry is in one of them. */
static void ku_aux_read(void *to, u64 offset, size_t bytes)
{
	if (offset < ku_aux_kept_last)
		memcpy(to, ku_aux_kept + (offset - ku_aux_kept_first), bytes);
	else
		ku_aux_copy_out(to, offset, bytes);
}

/**
 * ku_aux_keep() - keep a copy of all names so far, for ku_aux_each()
 *
 * So what was said before recording began is not pushed out in the days of a
 * recording that wraps. Nobody may be adding. Process context, may sleep; without
 * memory nothing is kept apart.
 */
void ku_aux_keep(void)
{
	size_t bytes = ku_aux_last - ku_aux_first;

	vfree(ku_aux_kept);
	ku_aux_kept = bytes ? vmalloc(bytes) : NULL;
	ku_aux_kept_first = ku_aux_first;
	ku_aux_kept_last = ku_aux_kept ? ku_aux_last : ku_aux_first;
	if (ku_aux_kept)
		ku_aux_copy_out(ku_aux_kept, ku_aux_first, bytes);
}

/**
 * ku_aux_each() - call for each name, oldest first, those kept included
 * @take: 0, or what ends it; the name has @len bytes
 * @arg: its first argument
 *
 * Nobody may be adding or resetting. Process context. Returns what @take returned
 * last, or 0.
 */
int ku_aux_each(int (*take)(void *arg, const struct kutrace_aux_entry *entry,
			    const char *name, u32 len), void *arg)
{
	struct {
		struct kutrace_aux_entry entry;
		char name[KUTRACE_NAME_MAX_BYTES];
	} full;
	u64 offset = ku_aux_kept_first;
	int err = 0;

	while (!err && offset < ku_aux_last) {
		u32 bytes;

		if (offset >= ku_aux_kept_last && offset < ku_aux_first) {
			offset = ku_aux_first;
			continue;
		}
		ku_aux_read(&full, offset, KUTRACE_AUX_HEADER);
		bytes = (full.entry.head >> 1) - KUTRACE_AUX_HEADER;
		offset += KUTRACE_AUX_HEADER;
		ku_aux_read(full.name, offset, bytes);
		offset += bytes;
		err = take(arg, &full.entry, full.name, strnlen(full.name, bytes));
		cond_resched();
	}
	return err;
}

/* Empties the buffer; nobody may be adding. */
void ku_aux_reset(void)
{
	unsigned long flags;

	vfree(ku_aux_kept);
	ku_aux_kept = NULL;
	ku_aux_kept_first = 0;
	ku_aux_kept_last = 0;
	raw_spin_lock_irqsave(&ku_aux_lock, flags);
	ku_aux_first = 0;
	ku_aux_last = 0;
	ku_aux_lost = 0;
	raw_spin_unlock_irqrestore(&ku_aux_lock, flags);
}

/* For mapping: the page at that byte offset, NULL beyond the end. */
struct page *ku_aux_page(u64 offset)
{
	return offset < KUTRACE_AUX_BYTES ? vmalloc_to_page(ku_aux + offset) : NULL;
}

int ku_aux_init(void)
{
	ku_aux = vmalloc_user(KUTRACE_AUX_BYTES);
	return ku_aux ? 0 : -ENOMEM;
}

void ku_aux_exit(void)
{
	vfree(ku_aux_kept);
	ku_aux_kept = NULL;
	vfree(ku_aux);
}
