// SPDX-License-Identifier: GPL-2.0-only
/*
 * The anchor, by which a session is found in a memory dump of a machine that has crashed
 * (uapi/kutrace_anchor.h). Its list is written once, when the session's memory is allocated. Later
 * only its two states change, alternately, so nothing has to run when the machine crashes.
 *
 * The addresses of anchors are not published, not even in the kernel's log: a program with a dump
 * finds them by searching, and nothing else needs a physical address.
 */
#include <linux/cpumask.h>
#include <linux/gfp.h>
#include <linux/io.h>
#include <linux/mm.h>
#include <linux/percpu.h>
#include <linux/sched.h>
#include <linux/sizes.h>
#include <linux/string.h>
#include <linux/timekeeping.h>
#include <linux/utsname.h>

#include "core/memory.h"
#include "session/pool.h"
#include "uapi/kutrace_anchor.h"

#define KU_ANCHOR_ORDER get_order(KUTRACE_ANCHOR_BYTES)
#define KU_ANCHOR_STATE_OFFSET	ALIGN(sizeof(struct kutrace_anchor), 64)
#define KU_ANCHOR_LIST_OFFSET \
	(KU_ANCHOR_STATE_OFFSET + 2 * sizeof(struct kutrace_anchor_state))
#define KU_ANCHOR_STATE_WORDS	(offsetof(struct kutrace_anchor_state, sum) / sizeof(u64))

static_assert(IS_ALIGNED(sizeof(struct kutrace_anchor_state), sizeof(u64)));
static_assert(IS_ALIGNED(sizeof(struct kutrace_anchor), sizeof(u64)));
static_assert(sizeof(struct kutrace_anchor) + 2 * sizeof(struct kutrace_anchor_state) < SZ_32K);
static_assert(sizeof_field(struct new_utsname, release) <= KUTRACE_ANCHOR_UTS);

/* A list that is being written. @failed: there was no memory for the next piece. */
struct ku_anchor_list {
	struct kutrace_anchor_piece *first;
	struct kutrace_anchor_piece *last;
	/* last extent, not written yet because more pages may follow; 0: none */
	u64 extent;
	u64 words;
	bool failed;
};

/* Returns the physical address of memory in the linear map, vmalloc or a module's data. */
static u64 ku_physical(const void *at)
{
	if (virt_addr_valid(at))
		return virt_to_phys((void *)at);
	return page_to_phys(vmalloc_to_page(at)) + offset_in_page(at);
}

static struct kutrace_anchor_piece *ku_piece_new(u64 kind, u32 head_bytes, u32 list_offset)
{
	struct page *page = alloc_pages(KU_LARGE_GFP, KU_ANCHOR_ORDER);
	struct kutrace_anchor_piece *piece;

	if (!page)
		return NULL;
	piece = page_address(page);
	piece->magic[0] = KUTRACE_ANCHOR_HIDDEN0 ^ KUTRACE_ANCHOR_KEY;
	piece->magic[1] = kind ^ KUTRACE_ANCHOR_KEY;
	piece->self = ku_physical(piece);
	piece->head_bytes = head_bytes;
	piece->list_offset = list_offset;
	return piece;
}

/* Clears the pieces, so that a dump does not contain them before the memory is used again. */
static void ku_pieces_free(struct kutrace_anchor_piece *piece)
{
	while (piece) {
		u64 next = piece->next;

		memset(piece, 0, KUTRACE_ANCHOR_BYTES);
		/* The compiler must not omit the memset() of memory that nothing reads. */
		barrier_data(piece);
		__free_pages(virt_to_page(piece), KU_ANCHOR_ORDER);
		piece = next ? phys_to_virt(next) : NULL;
	}
}

static u64 *ku_piece_list(struct kutrace_anchor_piece *piece)
{
	return (void *)piece + piece->list_offset;
}

static void ku_pieces_seal(struct kutrace_anchor_piece *piece)
{
	while (piece) {
		piece->list_sum = kutrace_anchor_sum(0, ku_piece_list(piece), piece->list_words);
		piece->head_sum = kutrace_anchor_sum(0, piece, piece->head_bytes / sizeof(u64));
		piece = piece->next ? phys_to_virt(piece->next) : NULL;
	}
}

static void ku_list_put(struct ku_anchor_list *list, u64 word)
{
	struct kutrace_anchor_piece *piece = list->last;

	if (list->failed)
		return;
	if (piece->list_offset + (piece->list_words + 1) * sizeof(u64) > KUTRACE_ANCHOR_BYTES) {
		u32 head = sizeof(*piece);

		piece = ku_piece_new(KUTRACE_ANCHOR_HIDDEN2, head, head);
		list->failed = !piece;
		if (!piece)
			return;
		list->last->next = piece->self;
		list->last = piece;
	}
	ku_piece_list(piece)[piece->list_words++] = word;
	list->words++;
}

static void ku_list_end_extent(struct ku_anchor_list *list)
{
	if (list->extent)
		ku_list_put(list, list->extent);
	list->extent = 0;
}

/* Adds pages that follow the previously added pages in the described memory. */
static void ku_list_pages(struct ku_anchor_list *list, u64 physical, u64 pages)
{
	u64 before = (list->extent & KUTRACE_ANCHOR_PAGES_MASK) + 1;
	u64 begin = list->extent & ~KUTRACE_ANCHOR_PAGES_MASK;

	/* An extent is at most a block, which limits the damage of a corrupt word. */
	if (list->extent && begin + before * PAGE_SIZE == physical &&
	    before + pages <= KUTRACE_BLOCK_BYTES / PAGE_SIZE) {
		list->extent += pages;
		return;
	}
	ku_list_end_extent(list);
	list->extent = physical | (pages - 1);
}

/* Adds memory that may be contiguous only in the kernel's address space. */
static void ku_list_virtual(struct ku_anchor_list *list, const void *at, u64 bytes)
{
	u64 offset;

	for (offset = 0; offset < bytes; offset += PAGE_SIZE) {
		ku_list_pages(list, ku_physical(at + offset), 1);
		if (!(offset % SZ_1M))
			cond_resched();
	}
}

static void ku_list_blocks(struct ku_anchor_list *list, const struct ku_ring *ring)
{
	u32 i;

	for (i = 0; i < ring->nblocks; i++) {
		if (virt_addr_valid(ring->words[i]))
			ku_list_pages(list, ku_physical(ring->words[i]),
				      KUTRACE_BLOCK_BYTES / PAGE_SIZE);
		else
			ku_list_virtual(list, ring->words[i], KUTRACE_BLOCK_BYTES);
		cond_resched();
	}
}

static void ku_list_slot(struct ku_anchor_list *list, struct ku_cpu *cpu)
{
	int cause;

	ku_list_put(list, ku_physical(&cpu->at.state));
	ku_list_put(list, ku_physical(&cpu->at.block));
	ku_list_put(list, ku_physical(&cpu->at.ahead));
	for (cause = 0; cause < KUTRACE_LOST_CAUSES; cause++)
		ku_list_put(list, ku_physical(&cpu->lost.causes[cause]));
}

static void ku_list_cpus(struct ku_anchor_list *list, const struct ku_ring *ring)
{
	unsigned int cpu, i;

	for (cpu = 0; cpu < nr_cpu_ids; cpu++) {
		if (cpu_possible(cpu)) {
			ku_list_slot(list, per_cpu_ptr(ring->cpu, cpu));
			ku_list_slot(list, per_cpu_ptr(&ku_cpu, cpu));
			ku_list_slot(list, per_cpu_ptr(&ku_cpu2, cpu));
		}
		for (i = 0; i < KUTRACE_ANCHOR_CPU_WORDS && !cpu_possible(cpu); i++)
			ku_list_put(list, 0);
	}
}

/* Ends a section, and writes its last extent. Returns the number of its words. */
static u64 ku_list_end_section(struct ku_anchor_list *list, u64 *words_before)
{
	u64 words;

	ku_list_end_extent(list);
	words = list->words - *words_before;
	*words_before = list->words;
	return words;
}

static void ku_anchor_describe(struct kutrace_anchor *anchor, const struct ku_session *session)
{
	anchor->version = KUTRACE_ANCHOR_VERSION;
	anchor->abi_version = KUTRACE_ABI_VERSION;
	anchor->page_bytes = PAGE_SIZE;
	anchor->word_bytes = sizeof(u64);
	anchor->state_offset = KU_ANCHOR_STATE_OFFSET;
	anchor->state_bytes = sizeof(struct kutrace_anchor_state);
	anchor->ncpus = nr_cpu_ids;
	anchor->causes = KUTRACE_LOST_CAUSES;
	anchor->created_ns = ktime_get_real_ns();
	anchor->aux_first = ku_physical(&session->names.aux.first);
	anchor->aux_last = ku_physical(&session->names.aux.last);
	anchor->aux_lost = ku_physical(&session->names.aux.lost);
	anchor->holder[0] = ku_physical(&ku_primary);
	anchor->holder[1] = ku_physical(&ku_secondary);
	anchor->ring = (unsigned long)&session->ring;
}

static void ku_anchor_fill(struct ku_anchor_list *list, struct kutrace_anchor *anchor,
			   const struct ku_session *session)
{
	const struct ku_aux *aux = &session->names.aux;
	u64 *words = anchor->section_words, *bytes = anchor->section_bytes, before = 0;

	bytes[KUTRACE_ANCHOR_META] = session->meta->meta_bytes;
	bytes[KUTRACE_ANCHOR_AUX] = aux->bytes;
	bytes[KUTRACE_ANCHOR_BLOCKS] = (u64)session->ring.nblocks * KUTRACE_BLOCK_BYTES;
	ku_list_virtual(list, session->meta, session->meta->meta_bytes);
	words[KUTRACE_ANCHOR_META] = ku_list_end_section(list, &before);
	ku_list_virtual(list, aux->buffer, aux->bytes);
	words[KUTRACE_ANCHOR_AUX] = ku_list_end_section(list, &before);
	ku_list_blocks(list, &session->ring);
	words[KUTRACE_ANCHOR_BLOCKS] = ku_list_end_section(list, &before);
	ku_list_cpus(list, &session->ring);
	words[KUTRACE_ANCHOR_CPUS] = ku_list_end_section(list, &before);
}

void ku_anchor_new(struct ku_session *session)
{
	struct ku_anchor_list list = { };
	struct kutrace_anchor *anchor;

	list.first = ku_piece_new(KUTRACE_ANCHOR_HIDDEN1, sizeof(*anchor), KU_ANCHOR_LIST_OFFSET);
	list.last = list.first;
	anchor = (struct kutrace_anchor *)list.first;
	if (anchor) {
		ku_anchor_describe(anchor, session);
		ku_anchor_fill(&list, anchor, session);
	}
	if (!anchor || list.failed) {
		pr_info("kutrace: no contiguous 64 KiB for the anchor: a crash dump will not contain this session\n");
		ku_pieces_free(list.first);
		return;
	}
	ku_pieces_seal(list.first);
	session->anchor = anchor;
}

static struct kutrace_anchor_state *ku_anchor_states(struct ku_session *session)
{
	return (void *)session->anchor + session->anchor->state_offset;
}

void ku_anchor_free(struct ku_session *session)
{
	if (!session->anchor)
		return;
	ku_pieces_free(session->anchor_bytes);
	ku_pieces_free(&session->anchor->piece);
	session->anchor = NULL;
}

void ku_anchor_new_bytes(struct ku_session *session)
{
	u32 head = sizeof(struct kutrace_anchor_piece);
	struct ku_anchor_list list = { };

	lockdep_assert_held(&session->content_lock);
	if (!session->anchor || !session->bytes || session->anchor_bytes)
		return;
	list.first = ku_piece_new(KUTRACE_ANCHOR_HIDDEN2, head, head);
	if (!list.first)
		return;
	list.last = list.first;
	ku_list_virtual(&list, session->bytes,
			(u64)session->ring.nblocks * KUTRACE_IPC_BYTES);
	ku_list_end_extent(&list);
	if (list.failed) {
		ku_pieces_free(list.first);
		return;
	}
	ku_pieces_seal(list.first);
	/* Publishes the list. Pairs with the acquire in ku_anchor_update(). */
	smp_store_release(&session->anchor_bytes, list.first);
}

void ku_anchor_update(struct ku_session *session, const struct kutrace_info *info)
{
	struct kutrace_anchor_state *states, *old, *new;
	struct kutrace_anchor_piece *bytes;

	lockdep_assert_held(&ku_session_lock);
	if (!session->anchor)
		return;
	states = ku_anchor_states(session);
	/* Pairs with the release in ku_anchor_new_bytes(). */
	bytes = smp_load_acquire(&session->anchor_bytes);
	old = &states[states[1].number > states[0].number];
	new = &states[old == &states[0]];
	/* The new state is invalid from here on, until its sum is written. */
	WRITE_ONCE(new->sum, ~new->sum);
	barrier();
	new->bytes_list = bytes ? bytes->self : 0;
	new->bytes_bytes = new->bytes_list ? (u64)session->ring.nblocks * KUTRACE_IPC_BYTES : 0;
	strscpy(new->release, init_utsname()->release, sizeof(new->release));
	strscpy(new->version, init_utsname()->version, sizeof(new->version));
	strscpy(new->machine, init_utsname()->machine, sizeof(new->machine));
	strscpy(new->nodename, init_utsname()->nodename, sizeof(new->nodename));
	new->info = *info;
	new->number = old->number + 1;
	barrier();
	WRITE_ONCE(new->sum, kutrace_anchor_sum(0, new, KU_ANCHOR_STATE_WORDS));
}
