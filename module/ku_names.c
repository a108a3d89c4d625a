// SPDX-License-Identifier: GPL-2.0-only
/*
 * The auxiliary name buffer as the rest of the module sees it: its memory, the copy
 * of what was named before recording began, and all names for those who read while
 * nothing is recorded. Adding names is in ku_aux.c. Process context, may sleep.
 */
#include <linux/mm.h>
#include <linux/sched.h>
#include <linux/string.h>
#include <linux/vmalloc.h>

#include "ku_aux.h"

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
	struct ku_aux_full full;
	u64 offset = aux->kept_first;
	int err = 0;

	while (!err && offset < aux->last) {
		u64 end = offset < aux->kept_last ? aux->kept_last : aux->last;
		u32 bytes;

		if (offset >= aux->kept_last && offset < aux->first) {
			offset = aux->first;
			continue;
		}
		if (end - offset < KUTRACE_AUX_HEADER)
			break;
		ku_aux_read(aux, &full.entry, offset, KUTRACE_AUX_HEADER);
		bytes = ku_aux_length(&full.entry);
		if (WARN_ON_ONCE(!bytes || bytes > end - offset))
			break;
		ku_aux_read(aux, full.name, offset + KUTRACE_AUX_HEADER,
			    bytes - KUTRACE_AUX_HEADER);
		offset += bytes;
		err = take(arg, &full.entry, full.name,
			   strnlen(full.name, bytes - KUTRACE_AUX_HEADER));
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
	ku_spin_lock(&aux->lock, flags);
	aux->first = 0;
	aux->last = 0;
	aux->lost = 0;
	ku_spin_unlock(&aux->lock, flags);
}

/* For mapping: the page at that byte offset, NULL beyond the end. */
struct page *ku_aux_page(struct ku_aux *aux, u64 offset)
{
	return offset < KUTRACE_AUX_BYTES ? vmalloc_to_page(aux->buffer + offset) : NULL;
}

int ku_aux_init(struct ku_aux *aux)
{
	ku_spin_init(&aux->lock);
	aux->buffer = __vmalloc(KUTRACE_AUX_BYTES, GFP_KERNEL_ACCOUNT | __GFP_ZERO);
	return aux->buffer ? 0 : -ENOMEM;
}

void ku_aux_exit(struct ku_aux *aux)
{
	vfree(aux->kept);
	vfree(aux->buffer);
}
