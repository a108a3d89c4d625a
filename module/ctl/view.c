// SPDX-License-Identifier: GPL-2.0-only
/*
 * Presents a recording as one sequence of words in the order of a raw trace file: name blocks, of
 * which the first has a header of 12 words, then the blocks of all CPUs, oldest first. Serves
 * callers that do not map the session. Not available while the session records.
 *
 * The name blocks are built at the first access. All accesses are between ku_view_begin() and
 * ku_session_release(), which also protect the view. Callers must not access user memory between
 * these calls. Process context, may sleep.
 */
#include <linux/mm.h>
#include <linux/nospec.h>
#include <linux/slab.h>
#include <linux/sort.h>
#include <linux/string.h>
#include <linux/vmalloc.h>

#include "core/word.h"
#include "ctl/ctl.h"
#include "names/table.h"
#include "record/record.h"

/* Counter bytes of one block, in words. */
#define KU_IPC_WORDS	(KUTRACE_IPC_BYTES / sizeof(u64))

/* The last words of a name block stay zero. */
#define KU_NAMES_END	(KUTRACE_BLOCK_WORDS - 8)
/*
 * Largest gap of one TSDELTA, and longest chain of them. A longer gap takes another block, whose
 * header has the full time.
 */
#define KU_DELTA_MAX	1999999999ULL
#define KU_CHAIN_MAX	1000
/* Limit of name blocks: 8 MiB, for the names of a table of usual size and for TSDELTAs. */
#define KU_NAME_BLOCKS	128

#define KU_COUNTS_MASK	((1ULL << 56) - 1)

/* A view, and the state of its construction. */
struct ku_view {
	struct ku_session *session;
	bool valid;
	u64 changes;			/* ku_session_changes() when the view was made */
	u64 *names[KU_NAME_BLOCKS];
	u32 nnames;
	u32 nhave;			/* number of allocated name blocks */
	u32 *data;			/* indexes of the ring's blocks, oldest first */
	u32 ndata;
	u64 begin;			/* names up to this time are valid from the beginning */
	bool wrapped;
	u64 *words;
	u32 used;			/* words used in the current name block */
	u64 now;			/* time of the last entry in this block, in counts */
	u64 at;				/* index of the word that SET4KB chose */
	pid_t at_tgid;			/* process that executed SET4KB */
};

/* ---- building the view ---- */

static void ku_view_drop(struct ku_view *view)
{
	view->nnames = 0;
	view->ndata = 0;
	view->valid = false;
}

static int ku_by_seq(const void *left, const void *right, const void *priv)
{
	const struct kutrace_block *table = priv;
	u64 a = table[*(const u32 *)left].seq;
	u64 b = table[*(const u32 *)right].seq;

	/* Sorting may take long: there can be a million blocks. */
	cond_resched();
	return a < b ? -1 : a > b;
}

static void ku_view_list_data(struct ku_view *view)
{
	u32 i;

	for (i = 0; i < view->session->ring.nblocks; i++) {
		if (view->session->ring.table[i].seq)
			view->data[view->ndata++] = i;
		cond_resched();
	}
	sort_r(view->data, view->ndata, sizeof(*view->data), ku_by_seq, NULL,
	       view->session->ring.table);
}

static u64 ku_counts_of(const u64 *block)
{
	return block[0] & KU_COUNTS_MASK;
}

static int ku_view_add_block(struct ku_view *view)
{
	if (view->nnames == KU_NAME_BLOCKS)
		return -ENOSPC;
	if (view->nnames == view->nhave)
		return -EAGAIN;
	view->words = view->names[view->nnames++];
	memset(view->words, 0, KUTRACE_BLOCK_BYTES);
	return 0;
}

/*
 * Writes the header of the first name block. Its clock pairs serve callers that have no pairs; the
 * library of KUtrace 3 overwrites them. The program that writes the file adds the file version, and
 * clears the wrap flag if the trace did not wrap.
 */
static int ku_view_first_block(struct ku_view *view, const struct kutrace_info *info)
{
	int err = ku_view_add_block(view);
	u64 *w = view->words;

	if (err)
		return err;
	w[0] = (u64)info->start_cpu << 56 | info->start.counts;
	if (info->flags & KUTRACE_RESET_WRAP)
		w[1] = (u64)KUTRACE_FLAG_WRAP << 56;
	w[2] = info->start.counts;
	w[3] = div_u64(info->start.real_ns, NSEC_PER_USEC);
	w[4] = info->stop.counts;
	w[5] = div_u64(info->stop.real_ns, NSEC_PER_USEC);
	w[8] = info->start_pid;
	memcpy(&w[10], info->start_comm, sizeof(info->start_comm));
	view->used = KUTRACE_FIRST_WORD0;
	view->now = info->start.counts;
	return 0;
}

/*
 * Returns the last data block that begins at @counts or before, or NULL. CPUs take blocks in the
 * order of the list, and read the clock a moment later. So the list is in time order, except that
 * neighbours may be swapped.
 */
static const u64 *ku_view_block_at(const struct ku_view *view, u64 counts)
{
	u32 from = 0, to = view->ndata;

	while (from < to) {
		u32 middle = from + (to - from) / 2;

		if (ku_counts_of(view->session->ring.words[view->data[middle]]) <= counts)
			from = middle + 1;
		else
			to = middle;
	}
	/* The search has compared block from - 1, which begins at @counts or before. */
	return from ? view->session->ring.words[view->data[from - 1]] : NULL;
}

/*
 * Begins another name block, for a name with time @counts. Readers treat a block header as a
 * context switch. So this header is a copy of an existing block's header.
 */
static int ku_view_next_block(struct ku_view *view, u64 counts)
{
	const u64 *first = view->names[0], *block = ku_view_block_at(view, counts);
	u64 header[6] = { first[0], 0, first[8], 0, first[10], first[11] };
	int err;

	if (block && ku_counts_of(block) > ku_counts_of(header))
		memcpy(header, block, sizeof(header));
	err = ku_view_add_block(view);
	if (err)
		return err;
	memcpy(view->words, header, sizeof(header));
	view->used = KUTRACE_FIRST_WORD;
	view->now = ku_counts_of(header);
	return 0;
}

/* Returns the number of TSDELTAs before a name with time @counts. */
static u64 ku_view_deltas(struct ku_view *view, u64 counts)
{
	u64 gap = counts > view->now ? counts - view->now : 0;

	return gap <= KUTRACE_GAP_MAX ? 0 : DIV_ROUND_UP_ULL(gap, KU_DELTA_MAX);
}

static void ku_view_put_delta(struct ku_view *view, u64 step)
{
	view->now += step;
	view->words[view->used++] = view->now << KUTRACE_TS_SHIFT |
		KU_EVENT(KUTRACE_TSDELTA) | (u32)step;
}

struct ku_naming {
	struct ku_view *view;
	const struct kutrace_info *info;
};

/* Appends a name. A name that was valid at the beginning gets the time of its block. */
static int ku_view_add_name(void *arg, const struct kutrace_aux_entry *entry,
			    const char *name, u32 len)
{
	const struct kutrace_info *info = ((struct ku_naming *)arg)->info;
	struct ku_view *view = ((struct ku_naming *)arg)->view;
	u32 words = 1 + DIV_ROUND_UP(len, sizeof(u64));
	u64 counts = entry->counts, deltas;
	bool late = counts > view->begin;

	/* A name that was added while recording stopped gets the stop time. */
	if (info->stop.counts)
		counts = min(counts, info->stop.counts);
	deltas = late ? ku_view_deltas(view, counts) : 0;
	/* In a wrapped trace, the first block has only names that were valid at its beginning. */
	if (deltas > KU_CHAIN_MAX || view->used + deltas + words > KU_NAMES_END ||
	    (late && view->wrapped && view->nnames == 1)) {
		int err = ku_view_next_block(view, late ? counts : view->begin);

		if (err)
			return err;
		deltas = late ? ku_view_deltas(view, counts) : 0;
	}
	/* Without a data block for hours, the chain is too long: use the last entry's time. */
	if (deltas <= KU_CHAIN_MAX && late && counts > view->now) {
		for (; deltas > 1; deltas--)
			ku_view_put_delta(view, KU_DELTA_MAX);
		if (deltas)
			ku_view_put_delta(view, counts - view->now);
		view->now = counts;
	}
	view->words[view->used] = view->now << KUTRACE_TS_SHIFT |
		KU_EVENT(entry->base | words << KUTRACE_NAME_LEN_SHIFT) | entry->number;
	memcpy(&view->words[view->used + 1], name, len);
	view->used += words;
	return 0;
}

/*
 * Builds the view, unless it is up to date. The session is held. Returns 0, -EAGAIN if another name
 * block must be allocated, or -ENOSPC.
 */
static int ku_view_make(struct ku_view *view)
{
	struct kutrace_info info;
	struct ku_naming naming = { view, &info };
	int err;
	u32 i;

	if (view->valid && view->changes == ku_session_changes(view->session))
		return 0;
	ku_view_drop(view);
	ku_session_close_blocks(view->session);
	ku_session_info(view->session, &info);
	ku_view_list_data(view);
	/* Nothing was recorded or named since the reset: the view has no words. */
	if (!view->ndata && info.aux_first == info.aux_last)
		goto done;
	if (!info.start.counts)
		info.start.counts = ku_clock_by(view->session->ring.shift);
	view->begin = info.start.counts;
	view->wrapped = info.wrapped;
	if (info.wrapped) {
		view->begin = KU_COUNTS_MASK;
		for (i = 0; i < view->ndata; i++) {
			const u64 *block = view->session->ring.words[view->data[i]];

			view->begin = min(view->begin, ku_counts_of(block));
			cond_resched();
		}
	}
	err = ku_view_first_block(view, &info);
	if (!err)
		err = ku_aux_each(ku_session_aux(view->session), ku_view_add_name, &naming);
	if (err)
		goto fail;
done:
	view->changes = ku_session_changes(view->session);
	view->valid = true;
	return 0;
fail:
	ku_view_drop(view);
	return err;
}

/* ---- memory ---- */

static void ku_view_free(void *freed)
{
	struct ku_view *view = freed;

	if (!view)
		return;
	while (view->nhave)
		vfree(view->names[--view->nhave]);
	kvfree(view->data);
	kvfree(view);
}

static struct ku_view *ku_view_new(struct ku_session *session)
{
	struct ku_view *view = kvzalloc(sizeof(*view), GFP_KERNEL_ACCOUNT);

	if (!view)
		return NULL;
	view->session = session;
	view->data = kvcalloc(session->ring.nblocks, sizeof(*view->data), GFP_KERNEL_ACCOUNT);
	if (view->data)
		return view;
	kvfree(view);
	return NULL;
}

/*
 * Allocates the view, or another name block for it. The session is not held, so that no other
 * thread waits for the allocation. Meanwhile, another thread may allocate the view or block first.
 */
static int ku_view_memory(struct ku_session *session)
{
	struct ku_view *view = NULL, *has;
	u64 *names = NULL;

	if (!READ_ONCE(session->view))
		view = ku_view_new(session);
	else
		names = __vmalloc(KUTRACE_BLOCK_BYTES, GFP_KERNEL_ACCOUNT);
	if (!view && !names)
		return -ENOMEM;
	if (ku_session_hold(session)) {
		ku_view_free(view);
		vfree(names);
		return -EBUSY;
	}
	if (!session->view) {
		session->view_free = ku_view_free;
		session->view = view;
		view = NULL;
	}
	has = session->view;
	if (has && names && has->nhave < KU_NAME_BLOCKS) {
		has->names[has->nhave++] = names;
		names = NULL;
	}
	ku_session_release(session);
	ku_view_free(view);
	vfree(names);
	return 0;
}

/* ---- reading ---- */

struct ku_view *ku_view_begin(struct ku_session *session)
{
	int err;

	do {
		if (ku_session_hold(session))
			return NULL;
		err = session->view ? ku_view_make(session->view) : -EAGAIN;
		if (!err)
			return session->view;
		ku_session_release(session);
	} while (err == -EAGAIN && !ku_view_memory(session));
	return NULL;
}

u64 ku_view_at(const struct ku_view *view)
{
	return view->at_tgid == current->tgid ? view->at : ~0ULL;
}

void ku_view_set_at(struct ku_view *view, u64 index)
{
	view->at = index;
	view->at_tgid = current->tgid;
}

u64 ku_view_count(struct ku_view *view)
{
	return (u64)(view->nnames + view->ndata) * KUTRACE_BLOCK_WORDS;
}

const u64 *ku_view_word(struct ku_view *view, u64 index)
{
	u64 block, word = index % KUTRACE_BLOCK_WORDS;

	index = array_index_nospec(index, ku_view_count(view));
	block = index / KUTRACE_BLOCK_WORDS;
	if (block < view->nnames)
		return &view->names[block][word];
	return &view->session->ring.words[view->data[block - view->nnames]][word];
}

const u64 *ku_view_bytes(struct ku_view *view, u64 index)
{
	u64 block;

	index = array_index_nospec(index, ku_view_count(view) / sizeof(u64));
	block = index / KU_IPC_WORDS;
	if (block < view->nnames)
		return NULL;
	return (const u64 *)(view->session->ring.bytes +
			     (size_t)view->data[block - view->nnames] * KUTRACE_IPC_BYTES) +
	       index % KU_IPC_WORDS;
}
