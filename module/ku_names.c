// SPDX-License-Identifier: GPL-2.0-only
/*
 * The auxiliary name buffer as the rest of the module sees it: its memory, finding out
 * what is still of use in it, the copy of what was named before recording began, and
 * all names for those who read while nothing is recorded. Adding names is in ku_aux.c.
 *
 * Each time an eighth of the buffer has been said, a work item looks (ku_names_look()):
 *
 *	a) which tasks have ended: their names were in force until now;
 *	b) which events can still be read (ku_readable.c): a name that was not in force
 *	   at any of their times is of no use any more.
 *
 * In this order: what a task recorded before a found it gone is in a block that b sees.
 * What is recorded after b is of tasks that lived after a. So the result, although it
 * is old by the time it is used, never says that a name is of no use that is of use.
 *
 * Process context, may sleep, unless it says otherwise.
 */
#include <linux/log2.h>
#include <linux/mm.h>
#include <linux/moduleparam.h>
#include <linux/pid.h>
#include <linux/pid_namespace.h>
#include <linux/rcupdate.h>
#include <linux/sched.h>
#include <linux/sizes.h>
#include <linux/sort.h>
#include <linux/string.h>
#include <linux/vmalloc.h>

#include "ku_aux.h"
#include "ku_session.h"

static unsigned int names_kb;
module_param(names_kb, uint, 0444);
MODULE_PARM_DESC(names_kb, "size of a session's buffer of names in KiB, 64 to 65536, rounded up to a power of two (default 0: a 16th of the trace buffer, 1024 at least)");

/* ---- what is still of use ---- */

/* Any context. */
static bool ku_task_lives(u32 pid)
{
	bool lives;

	rcu_read_lock();
	lives = pid_task(find_pid_ns((int)pid, &init_pid_ns), PIDTYPE_PID);
	rcu_read_unlock();
	return lives;
}

static void ku_names_look(struct work_struct *work)
{
	struct ku_session *session = container_of(work, struct ku_session, names_look);
	struct ku_aux *aux = &session->aux;
	u32 resets = READ_ONCE(aux->resets);
	u64 at = 0;

	while (ku_aux_lives(aux, &at, ku_task_lives))
		cond_resched();
	ku_readable(&session->ring, aux->spare);
	aux->spare = ku_aux_readable(aux, resets, aux->spare);
}

/* Names are said in interrupts, too. */
static void ku_names_ask(struct irq_work *work)
{
	struct ku_session *session = container_of(work, struct ku_session, names_ask);

	schedule_work(&session->names_look);
}

/* Any context but NMI. */
static void ku_aux_ask(struct ku_aux *aux)
{
	struct ku_session *session = container_of(aux, struct ku_session, aux);

	irq_work_queue(&session->names_ask);
}

void ku_names_init(struct ku_session *session)
{
	init_irq_work(&session->names_ask, ku_names_ask);
	INIT_WORK(&session->names_look, ku_names_look);
	session->aux.ask = ku_aux_ask;
}

void ku_names_stop(struct ku_session *session)
{
	irq_work_sync(&session->names_ask);
	cancel_work_sync(&session->names_look);
}

/* ---- reading while nothing is recorded ---- */

/**
 * ku_aux_keep() - keep a copy of all names so far, for ku_aux_each()
 * @aux: of what
 *
 * Recording begins. So what was said before is not forgotten in the days of a recording
 * that wraps. Nobody may be adding. Without memory nothing is kept apart.
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
	aux->begun = true;
}

/* Where a name is: below kept_last in what is kept, else in the buffer. */
struct ku_aux_place {
	u64 counts;
	u64 offset;
};

static void ku_aux_read(struct ku_aux *aux, void *to, u64 offset, size_t bytes)
{
	if (offset < aux->kept_last)
		memcpy(to, aux->kept + (offset - aux->kept_first), bytes);
	else
		ku_aux_copy_out(aux, to, offset, bytes);
}

/*
 * The places of all names, those kept first; how many. To count them only, places is
 * NULL. A name that was kept and has been moved since has two.
 */
static size_t ku_aux_places(struct ku_aux *aux, u64 last, struct ku_aux_place *places)
{
	u64 offset = aux->kept_first;
	size_t n = 0;

	while (offset < last) {
		u64 end = offset < aux->kept_last ? aux->kept_last : last;
		struct kutrace_aux_entry entry;
		u32 bytes;

		if (offset >= aux->kept_last && offset < aux->first) {
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

/**
 * ku_aux_each() - call for each name in order of time, those kept included
 * @aux: of what
 * @take: 0, or what ends it; the name has @len bytes
 * @arg: its first argument
 *
 * Nobody may be adding or resetting. Returns what @take returned last, 0 or -ENOMEM.
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
	places = kvmalloc_array(n, sizeof(*places), GFP_KERNEL);
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
		err = take(arg, &full.entry, full.name, strnlen(full.name, bytes));
		cond_resched();
	}
	kvfree(places);
	return err;
}

/* What may be copied with the lock held. */
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

/**
 * ku_aux_copy() - copy the buffer as it lies, while names are added
 * @aux: of what
 * @to: as many bytes
 * @first: where the oldest entry is that is whole in @to
 * @last: and behind the newest
 * @lost: how many were lost
 *
 * What was added or moved while the most of it was copied is copied again, the end with
 * the lock held, so that no entry is missed that was there all the time.
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

/* ---- memory ---- */

/* Nobody may be adding. */
void ku_aux_reset(struct ku_aux *aux, u32 shift)
{
	vfree(aux->kept);
	aux->kept = NULL;
	aux->kept_first = 0;
	aux->kept_last = 0;
	ku_aux_empty(aux, shift);
}

/* For mapping: the page at that byte offset, NULL beyond the end. */
struct page *ku_aux_page(struct ku_aux *aux, u64 offset)
{
	return offset < aux->bytes ? vmalloc_to_page(aux->buffer + offset) : NULL;
}

/*
 * A process that begins and ends leaves some hundred words of events and two names of
 * 40 bytes. A 16th of the blocks is enough where others do something, too; where
 * nothing is recorded but such processes it takes a 9th.
 */
u32 ku_aux_size(u32 nblocks)
{
	u64 bytes = (u64)nblocks * KUTRACE_BLOCK_BYTES / 16;

	if (names_kb)
		bytes = (u64)names_kb * SZ_1K;
	else
		bytes = max_t(u64, bytes, KUTRACE_AUX_BYTES);
	return (u32)roundup_pow_of_two(clamp_t(u64, bytes, SZ_64K, SZ_64M));
}

static void *ku_aux_alloc(size_t bytes)
{
	return __vmalloc(bytes, GFP_KERNEL_ACCOUNT | __GFP_ZERO);
}

static u32 ku_aux_notes_bytes(u32 bytes)
{
	return bytes / KU_AUX_MIN * sizeof(struct ku_aux_note);
}

static u32 ku_aux_heads_bytes(u32 bytes)
{
	return bytes / 64 * sizeof(u32);
}

u64 ku_aux_memory(u32 bytes)
{
	return (u64)bytes + ku_aux_notes_bytes(bytes) + ku_aux_heads_bytes(bytes) +
	       2 * sizeof(struct ku_readable);
}

int ku_aux_init(struct ku_aux *aux, u32 bytes)
{
	ku_spin_init(&aux->lock);
	aux->bytes = bytes;
	aux->buffer = ku_aux_alloc(bytes);
	aux->notes = ku_aux_alloc(ku_aux_notes_bytes(bytes));
	aux->heads = ku_aux_alloc(ku_aux_heads_bytes(bytes));
	aux->readable = ku_aux_alloc(sizeof(*aux->readable));
	aux->spare = ku_aux_alloc(sizeof(*aux->spare));
	if (!aux->buffer || !aux->notes || !aux->heads || !aux->readable || !aux->spare)
		return -ENOMEM;
	ku_aux_empty(aux, ku_finest_shift());
	return 0;
}

void ku_aux_exit(struct ku_aux *aux)
{
	vfree(aux->kept);
	vfree(aux->spare);
	vfree(aux->readable);
	vfree(aux->heads);
	vfree(aux->notes);
	vfree(aux->buffer);
}
