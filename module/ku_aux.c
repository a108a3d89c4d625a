// SPDX-License-Identifier: GPL-2.0-only
/*
 * Auxiliary name buffer. Entries (struct kutrace_aux_entry) are reserved under
 * a short lock, filled outside it, then marked valid; a reader copies the
 * buffer, not the lock holder's time, and checks each entry. When the buffer is
 * full the oldest names go, and are counted.
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

static void *ku_aux_at(struct ku_aux *aux, u64 offset)
{
	return aux->buffer + (offset & (KUTRACE_AUX_BYTES - 1));
}

/* Copies in, over the end of the buffer to its start if need be. */
static void ku_aux_copy(struct ku_aux *aux, u64 offset, const void *from, size_t bytes)
{
	size_t before_end = KUTRACE_AUX_BYTES - (offset & (KUTRACE_AUX_BYTES - 1));
	size_t part = min(bytes, before_end);

	memcpy(ku_aux_at(aux, offset), from, part);
	memcpy(aux->buffer, (const char *)from + part, bytes - part);
}

/**
 * ku_aux_add() - keep a name
 * @aux: where
 * @base: KUTRACE_NAME_* code
 * @number: what is named
 * @name: its name; need not be terminated
 * @len: length of the name in bytes; more than 56 are cut off
 * @counts: since when it has that name
 *
 * Context: any but NMI; takes a raw spinlock with interrupts off for the
 * reservation only.
 */
void ku_aux_add(struct ku_aux *aux, u16 base, u32 number, const char *name, size_t len,
		u64 counts)
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

	raw_spin_lock_irqsave(&aux->lock, flags);
	offset = aux->last;
	while (aux->first + KUTRACE_AUX_BYTES < offset + bytes) {
		struct kutrace_aux_entry *oldest = ku_aux_at(aux, aux->first);

		aux->first += oldest->head >> 1;
		aux->lost++;
	}
	WRITE_ONCE(*(u32 *)ku_aux_at(aux, offset), head | KUTRACE_AUX_INVALID);
	aux->last = offset + bytes;
	raw_spin_unlock_irqrestore(&aux->lock, flags);

	ku_aux_copy(aux, offset + 8, (char *)&full + 8, bytes - 8);
	/* Words are 8-aligned, so base and cpu never run over the end. */
	WRITE_ONCE(*((u32 *)ku_aux_at(aux, offset) + 1), *((u32 *)&full + 1));
	/* Readers (user space, a copy) that see it valid see it whole. */
	smp_store_release((u32 *)ku_aux_at(aux, offset), head);
}

/* Where the oldest and the next entry are, and how many were pushed out. */
void ku_aux_bounds(struct ku_aux *aux, u64 *first, u64 *last, u64 *lost)
{
	unsigned long flags;

	raw_spin_lock_irqsave(&aux->lock, flags);
	*first = aux->first;
	*last = aux->last;
	*lost = aux->lost;
	raw_spin_unlock_irqrestore(&aux->lock, flags);
}

/* From the buffer, over its end to its start if need be. */
static void ku_aux_copy_out(struct ku_aux *aux, void *to, u64 offset, size_t bytes)
{
	size_t before_end = KUTRACE_AUX_BYTES - (offset & (KUTRACE_AUX_BYTES - 1));
	size_t part = min(bytes, before_end);

	memcpy(to, ku_aux_at(aux, offset), part);
	memcpy((char *)to + part, aux->buffer, bytes - part);
}

/* From what is kept, else from the buffer; an entry is in one of them. */
static void ku_aux_read(struct ku_aux *aux, void *to, u64 offset, size_t bytes)
{
	if (offset < aux->kept_last)
		memcpy(to, aux->kept + (offset - aux->kept_first), bytes);
	else
		ku_aux_copy_out(aux, to, offset, bytes);
}

/**
 * ku_aux_keep() - keep a copy of all names so far, for ku_aux_each()
 * @aux: of what
 *
 * So what was said before recording began is not pushed out in the days of a
 * recording that wraps. Nobody may be adding. Process context, may sleep; without
 * memory nothing is kept apart.
 */
void ku_aux_keep(struct ku_aux *aux)
{
	size_t bytes = aux->last - aux->first;

	vfree(aux->kept);
	aux->kept = bytes ? vmalloc(bytes) : NULL;
	aux->kept_first = aux->first;
	aux->kept_last = aux->kept ? aux->last : aux->first;
	if (aux->kept)
		ku_aux_copy_out(aux, aux->kept, aux->first, bytes);
}

/**
 * ku_aux_each() - call for each name, oldest first, those kept included
 * @aux: of what
 * @take: 0, or what ends it; the name has @len bytes
 * @arg: its first argument
 *
 * Nobody may be adding or resetting. Process context. Returns what @take returned
 * last, or 0.
 */
int ku_aux_each(struct ku_aux *aux,
		int (*take)(void *arg, const struct kutrace_aux_entry *entry,
			    const char *name, u32 len), void *arg)
{
	struct {
		struct kutrace_aux_entry entry;
		char name[KUTRACE_NAME_MAX_BYTES];
	} full;
	u64 offset = aux->kept_first;
	int err = 0;

	while (!err && offset < aux->last) {
		u32 bytes;

		if (offset >= aux->kept_last && offset < aux->first) {
			offset = aux->first;
			continue;
		}
		ku_aux_read(aux, &full, offset, KUTRACE_AUX_HEADER);
		bytes = (full.entry.head >> 1) - KUTRACE_AUX_HEADER;
		offset += KUTRACE_AUX_HEADER;
		ku_aux_read(aux, full.name, offset, bytes);
		offset += bytes;
		err = take(arg, &full.entry, full.name, strnlen(full.name, bytes));
		cond_resched();
	}
	return err;
}

/* Empties the buffer; nobody may be adding. */
void ku_aux_reset(struct ku_aux *aux)
{
	unsigned long flags;

	vfree(aux->kept);
	aux->kept = NULL;
	aux->kept_first = 0;
	aux->kept_last = 0;
	raw_spin_lock_irqsave(&aux->lock, flags);
	aux->first = 0;
	aux->last = 0;
	aux->lost = 0;
	raw_spin_unlock_irqrestore(&aux->lock, flags);
}

/* For mapping: the page at that byte offset, NULL beyond the end. */
struct page *ku_aux_page(struct ku_aux *aux, u64 offset)
{
	return offset < KUTRACE_AUX_BYTES ? vmalloc_to_page(aux->buffer + offset) : NULL;
}

int ku_aux_init(struct ku_aux *aux)
{
	raw_spin_lock_init(&aux->lock);
	aux->buffer = __vmalloc(KUTRACE_AUX_BYTES, GFP_KERNEL_ACCOUNT | __GFP_ZERO);
	return aux->buffer ? 0 : -ENOMEM;
}

void ku_aux_exit(struct ku_aux *aux)
{
	vfree(aux->kept);
	vfree(aux->buffer);
}
