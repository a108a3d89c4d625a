// SPDX-License-Identifier: GPL-2.0-only
/*
 * Reads a session's names: all of them in time order while nothing is recorded, or a copy of the
 * buffer while names are added. Must not hold the table's lock longer than copying 16 KiB takes.
 *
 * Process context, may sleep.
 */
#include <linux/mm.h>
#include <linux/nospec.h>
#include <linux/sizes.h>
#include <linux/sort.h>
#include <linux/string.h>
#include <linux/vmalloc.h>

#include "core/memory.h"
#include "names/table.h"

/*
 * Copies all names so far, for ku_aux_each(). Called when a recording begins, so that a long
 * recording in wrap mode does not lose the names from before. Nothing may add names. Without
 * memory, nothing is copied.
 */
void ku_aux_keep(struct ku_aux *aux)
{
	size_t bytes = aux->last - aux->first;

	vfree(aux->copy);
	aux->copy = bytes ? __vmalloc(bytes, KU_LARGE_GFP) : NULL;
	aux->copy_first = aux->first;
	aux->copy_last = aux->copy ? aux->last : aux->first;
	if (aux->copy)
		ku_aux_copy_out(aux, aux->copy, aux->first, bytes);
	aux->begun = true;
}

void ku_aux_reset(struct ku_aux *aux, u32 shift)
{
	vfree(aux->copy);
	aux->copy = NULL;
	aux->copy_first = 0;
	aux->copy_last = 0;
	ku_aux_empty(aux, shift);
}

/* Location of a name: below copy_last in the copy, otherwise in the buffer. */
struct ku_aux_place {
	u64 counts;
	u64 offset;
};

static void ku_aux_read(struct ku_aux *aux, void *to, u64 offset, size_t bytes)
{
	if (offset < aux->copy_last)
		memcpy(to, aux->copy + (offset - aux->copy_first), bytes);
	else
		ku_aux_copy_out(aux, to, offset, bytes);
}

/*
 * Fills @places with the locations of all names, first the names in the copy. Only counts them if
 * @places is NULL. Returns their number. A name in the copy that was moved since has two locations.
 */
static size_t ku_aux_places(struct ku_aux *aux, u64 last, struct ku_aux_place *places)
{
	u64 offset = aux->copy_first;
	size_t n = 0;

	while (offset < last) {
		u64 end = offset < aux->copy_last ? aux->copy_last : last;
		struct kutrace_aux_entry entry;
		u32 bytes;

		if (offset >= aux->copy_last && offset < aux->first) {
			offset = aux->first;
			continue;
		}
		if (end - offset < KUTRACE_AUX_HEADER)
			break;
		ku_aux_read(aux, &entry, offset, sizeof(entry));
		bytes = ku_aux_length(&entry);
		if (WARN_ON_ONCE(!bytes || bytes > end - offset))
			break;
		if (places)
			places[n] = (struct ku_aux_place){ entry.counts, offset };
		n++;
		offset += bytes;
		cond_resched();
	}
	return n;
}

static int ku_aux_compare(const void *left, const void *right)
{
	const struct ku_aux_place *a = left, *b = right;

	if (a->counts != b->counts)
		return a->counts < b->counts ? -1 : 1;
	return a->offset < b->offset ? -1 : a->offset > b->offset;
}

/*
 * Calls @take for each name in time order, also for names in the copy. @take returns 0 to continue,
 * another value to stop; @len of a task's name includes its NUL and its kind. Nothing may add names
 * or reset the table. Returns the last value of @take, or -ENOMEM.
 */
int ku_aux_each(struct ku_aux *aux,
		int (*take)(void *arg, const struct kutrace_aux_entry *entry,
			    const char *name, u32 len), void *arg)
{
	struct ku_aux_place *places;
	u64 last = aux->last;
	size_t n, i;
	int err = 0;

	n = ku_aux_places(aux, last, NULL);
	if (!n)
		return 0;
	places = kvmalloc_array(n, sizeof(*places), KU_LARGE_GFP);
	if (!places)
		return -ENOMEM;
	ku_aux_places(aux, last, places);
	sort(places, n, sizeof(*places), ku_aux_compare, NULL);
	for (i = 0; i < n && !err; i++) {
		struct ku_aux_full full;
		u32 bytes;

		ku_aux_read(aux, &full.entry, places[i].offset, KUTRACE_AUX_HEADER);
		bytes = ku_aux_length(&full.entry) - KUTRACE_AUX_HEADER;
		ku_aux_read(aux, full.name, places[i].offset + KUTRACE_AUX_HEADER, bytes);
		err = take(arg, &full.entry, full.name, ku_aux_unpadded(full.name, bytes));
		cond_resched();
	}
	kvfree(places);
	return err;
}

/* Bytes that may be copied with the lock held. */
#define KU_COPY_LOCKED	SZ_16K

static void ku_aux_copy_part(struct ku_aux *aux, char *to, u64 from, u64 end)
{
	while (from < end) {
		u64 at = from & (aux->bytes - 1);
		u64 part = min_t(u64, end - from, aux->bytes - at);

		memcpy(to + at, aux->buffer + at, part);
		from += part;
	}
}

/*
 * Copies the buffer to aux->bytes bytes at @to, while names are added. Sets *@first and *@last to
 * the offsets of the oldest entry that is complete in @to, and after the newest one.
 *
 * Copies again the entries that were added or moved during the copy, the last of them with the lock
 * held. So no entry is missed that was in the buffer all the time.
 */
void ku_aux_copy(struct ku_aux *aux, char *to, u64 *first, u64 *last, u64 *lost)
{
	unsigned long flags;
	u64 from, end;

	ku_aux_bounds(aux, &from, &end, lost);
	for (;;) {
		ku_aux_copy_part(aux, to, from, end);
		cond_resched();
		ku_spin_lock(&aux->lock, flags);
		from = max(end, aux->first);
		end = aux->last;
		if (end - from <= KU_COPY_LOCKED)
			break;
		ku_spin_unlock(&aux->lock, flags);
	}
	ku_aux_copy_part(aux, to, from, end);
	*first = aux->first;
	*last = aux->last;
	*lost = aux->lost;
	ku_spin_unlock(&aux->lock, flags);
}

struct page *ku_aux_page(struct ku_aux *aux, u64 offset)
{
	if (offset >= aux->bytes)
		return NULL;
	return vmalloc_to_page(aux->buffer + array_index_nospec(offset, aux->bytes));
}
