// SPDX-License-Identifier: GPL-2.0-only
/*
 * The commands of the control call: system call 1023 of a patched kernel and its
 * twin, KUTRACE_IOC_CONTROL. Programs that were built with the original's library
 * speak it. Who may call is decided by ku_dev.c, which is the only caller.
 *
 * What is recorded lies in blocks, and names in the auxiliary buffer; the call
 * shows one sequence of words, as it belongs into a file: blocks of names, of which
 * the first has the 12 words of header, then the CPUs' blocks in the order in which
 * they were taken. The blocks of names are made when somebody asks for them first.
 * It must never show that while recording is on.
 *
 * Context of everything here: process, may sleep. Locking: what is read is read
 * between ku_session_hold() and ku_session_release(), which also guard its view; no
 * memory of the caller is touched in between.
 */
#include <linux/kernel.h>
#include <linux/mm.h>
#include <linux/nospec.h>
#include <linux/sched.h>
#include <linux/slab.h>
#include <linux/sort.h>
#include <linux/uaccess.h>
#include <linux/vmalloc.h>

#include "ku_aux.h"
#include "ku_call.h"
#include "ku_emit.h"
#include "ku_point.h"
#include "ku_session.h"

#define KU_REFUSED	(~0ULL)

/* A copy of 4 KiB, in words. */
#define KU_COPY_BYTES	4096
#define KU_COPY_WORDS	(KU_COPY_BYTES / sizeof(u64))

/* As the original answers when there are no IPC bytes to copy: none were. */
#define KU_IPC_NONE	KU_COPY_BYTES
/* The bytes of a block of the sequence, in words. */
#define KU_IPC_WORDS	(KUTRACE_IPC_BYTES / sizeof(u64))

/* The last words of a block of names stay zero. */
#define KU_NAMES_END	(KUTRACE_BLOCK_WORDS - 8)
/* What one TSDELTA says, and how many of them are worth no other header. */
#define KU_DELTA_MAX	1999999999ULL
#define KU_CHAIN_MAX	1000
/* 2 MiB of names as aux entries are fewer as words; chains take the rest. */
#define KU_NAME_BLOCKS	128

#define KU_COUNTS_MASK	((1ULL << 56) - 1)

/* What can be read of a session, and the block of names being written. */
struct ku_view {
	struct ku_session *session;
	bool valid;
	u64 changes;			/* ku_session_changes() it was made at */
	u64 *names[KU_NAME_BLOCKS];
	u32 nnames;
	u32 nhave;			/* of names that there is memory for */
	u32 *data;			/* numbers of blocks of the pool, as taken */
	u32 ndata;
	u64 begin;			/* names up to then are in force from it on */
	bool wrapped;
	u64 *words;
	u32 used;			/* of its words */
	u64 now;			/* time of its last entry, counts */
	u64 at;				/* SET4KB: index of a word */
	pid_t at_tgid;			/* of whom */
};

/* The reset before was refused: ON must not record what was not asked for. */
static bool ku_call_no_on;

/* ---- the sequence of blocks ---- */

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

	/* There can be a million of them. */
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
 * The first block. The clock pairs are there for who has none of his own; the
 * original's library puts its own in their place. Which version the file is, and
 * that a trace did not wrap after all, is also for whoever writes it.
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
 * Another block of names, for a name of that time. Readers take a block's header
 * for a context switch; so it repeats that of a block which is there anyway.
 */
static int ku_view_next_block(struct ku_view *view, u64 counts)
{
	const u64 *first = view->names[0];
	u64 header[6] = { first[0], 0, first[8], 0, first[10], first[11] };
	u32 i;
	int err;

	for (i = 0; i < view->ndata; i++) {
		const u64 *block = view->session->ring.words[view->data[i]];
		u64 at = ku_counts_of(block);

		if (at <= counts && at > ku_counts_of(header))
			memcpy(header, block, sizeof(header));
		cond_resched();
	}
	err = ku_view_add_block(view);
	if (err)
		return err;
	memcpy(view->words, header, sizeof(header));
	view->used = KUTRACE_FIRST_WORD;
	view->now = ku_counts_of(header);
	return 0;
}

/* How many TSDELTAs lead to a name of that time. */
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

/*
 * Appends a name: those in force at the beginning with the time of the block that
 * they are in, those that came later with their own.
 */
static int ku_view_add_name(void *arg, const struct kutrace_aux_entry *entry,
			    const char *name, u32 len)
{
	const struct kutrace_info *info = ((struct ku_naming *)arg)->info;
	struct ku_view *view = ((struct ku_naming *)arg)->view;
	u32 words = 1 + DIV_ROUND_UP(len, sizeof(u64));
	u64 counts = entry->counts, deltas;
	bool late = counts > view->begin;

	/* Those that came while it went off belong to its end. */
	if (info->stop.counts)
		counts = min(counts, info->stop.counts);
	deltas = late ? ku_view_deltas(view, counts) : 0;
	/* In a wrapped trace the first block is for what is in force when it begins. */
	if (deltas > KU_CHAIN_MAX || view->used + deltas + words > KU_NAMES_END ||
	    (late && view->wrapped && view->nnames == 1)) {
		int err = ku_view_next_block(view, late ? counts : view->begin);

		if (err)
			return err;
		deltas = late ? ku_view_deltas(view, counts) : 0;
	}
	/* After half a day of nothing at all: of the last sign before that. */
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
 * Makes what can be read, unless it is there already. Held. -EAGAIN: it takes another block of
 * names.
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
	ku_session_info_held(view->session, &info);
	ku_view_list_data(view);
	/* Nothing was recorded nor named since the reset: there are no words. */
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
		err = ku_aux_each(&view->session->aux, ku_view_add_name, &naming);
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

/* Held, and made. */
static u64 ku_view_count(struct ku_view *view)
{
	return (u64)(view->nnames + view->ndata) * KUTRACE_BLOCK_WORDS;
}

/* Where word @index is, which is below the count. */
static const u64 *ku_view_word(struct ku_view *view, u64 index)
{
	u64 block, word = index % KUTRACE_BLOCK_WORDS;

	index = array_index_nospec(index, ku_view_count(view));
	block = index / KUTRACE_BLOCK_WORDS;
	if (block < view->nnames)
		return &view->names[block][word];
	return &view->session->ring.words[view->data[block - view->nnames]][word];
}

/*
 * Where the eight bytes of counters @index are, which is below an eighth of the count;
 * NULL: those of a block of names, which has none.
 */
static const u64 *ku_view_bytes(struct ku_view *view, u64 index)
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

/* ---- commands that read; refused while recording ---- */

static void ku_view_free(struct ku_view *view)
{
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

/* Not held, so that nobody else waits for memory. Others may do the same meanwhile. */
static int ku_view_memory(struct ku_session *session)
{
	struct ku_view *view = NULL;
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
		session->view = view;
		view = NULL;
	}
	if (session->view && names && session->view->nhave < KU_NAME_BLOCKS) {
		session->view->names[session->view->nhave++] = names;
		names = NULL;
	}
	ku_session_release(session);
	ku_view_free(view);
	vfree(names);
	return 0;
}

/* Holds the session; its view, or NULL: nothing to read, and not held. */
static struct ku_view *ku_call_begin_reading(struct ku_session *session)
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

void ku_call_forget(struct ku_session *session)
{
	ku_view_free(session->view);
	session->view = NULL;
}

static u64 ku_call_flush(struct ku_session *session)
{
	if (ku_session_hold(session))
		return KU_REFUSED;
	/* What CPUs have not filled is zero. */
	ku_session_close_blocks(session);
	ku_session_release(session);
	return 0;
}

static u64 ku_call_count(struct ku_session *session)
{
	struct ku_view *view = ku_call_begin_reading(session);
	u64 count;

	if (!view)
		return KU_REFUSED;
	count = ku_view_count(view);
	if (ku_session_wrapped(session))
		count = ~count;
	ku_session_release(session);
	return count;
}

static u64 ku_call_word(struct ku_session *session, u64 index)
{
	struct ku_view *view = ku_call_begin_reading(session);
	u64 word = KU_REFUSED;

	if (!view)
		return KU_REFUSED;
	if (index < ku_view_count(view))
		word = *ku_view_word(view, index);
	ku_session_release(session);
	return word;
}

static u64 ku_call_ipc_word(struct ku_session *session, u64 index)
{
	struct ku_view *view = ku_call_begin_reading(session);
	const u64 *bytes = NULL;
	u64 word = 0;

	if (!view)
		return 0;
	if (session->ring.bytes && index < ku_view_count(view) / sizeof(u64))
		bytes = ku_view_bytes(view, index);
	if (bytes)
		word = *bytes;
	ku_session_release(session);
	return word;
}

/* Where GET4KB copies from: a multiple of 4 KiB, for this process only. */
static u64 ku_call_set(struct ku_session *session, u64 index)
{
	struct ku_view *view;
	u64 result = KU_REFUSED;

	if (index % KU_COPY_WORDS)
		return KU_REFUSED;
	view = ku_call_begin_reading(session);
	if (!view)
		return KU_REFUSED;
	if (index < ku_view_count(view)) {
		view->at = index;
		view->at_tgid = current->tgid;
		result = 0;
	}
	ku_session_release(session);
	return result;
}

/* By way of a page, so that a fault in the caller's memory stops nobody else. */
static u64 ku_call_get(struct ku_session *session, u64 pointer)
{
	struct ku_view *view;
	u64 result = KU_REFUSED;
	void *copy = kmalloc(KU_COPY_BYTES, GFP_KERNEL);

	if (!copy)
		return KU_REFUSED;
	view = ku_call_begin_reading(session);
	if (!view)
		goto out;
	if (view->at_tgid == current->tgid && view->at < ku_view_count(view)) {
		memcpy(copy, ku_view_word(view, view->at), KU_COPY_BYTES);
		result = 0;
	}
	ku_session_release(session);
	if (!result && copy_to_user(u64_to_user_ptr(pointer), copy, KU_COPY_BYTES))
		result = KU_REFUSED;
out:
	kfree(copy);
	return result;
}

/* The index that was set is one of eight bytes here. */
static u64 ku_call_get_ipc(struct ku_session *session, u64 pointer)
{
	struct ku_view *view;
	u64 result = KU_IPC_NONE;
	const u64 *bytes;
	void *copy = kzalloc(KU_COPY_BYTES, GFP_KERNEL);

	if (!copy)
		return KU_REFUSED;
	view = ku_call_begin_reading(session);
	if (!view)
		goto out;
	if (session->ring.bytes && view->at_tgid == current->tgid &&
	    view->at < ku_view_count(view) / sizeof(u64)) {
		bytes = ku_view_bytes(view, view->at);
		if (bytes)
			memcpy(copy, bytes, KU_COPY_BYTES);
		result = 0;
	}
	ku_session_release(session);
	if (!result && copy_to_user(u64_to_user_ptr(pointer), copy, KU_COPY_BYTES))
		result = KU_IPC_NONE;
out:
	kfree(copy);
	return result;
}

/* ---- commands that insert ---- */

/* Categories of the points, by event number from here on. */
#define KU_FIRST_POINT 0x100

static const u16 ku_points[] = {
#define KU_POINT(id, code, cat, label, text) \
	[(code) - KU_FIRST_POINT] = KUTRACE_MASK_##cat,
#include "uapi/kutrace_events.def"
};

/*
 * Whether user space may record that point: of one of the categories, and not one
 * that only the ring itself may write: two words, or about time.
 */
static bool ku_call_is_point(u64 entry, u32 categories)
{
	u32 event = entry >> KUTRACE_EVENT_SHIFT & KUTRACE_EVENT_MASK;
	u32 index = event - KU_FIRST_POINT;

	if (entry >> KUTRACE_TS_SHIFT || index >= ARRAY_SIZE(ku_points) ||
	    event == KUTRACE_TSDELTA)
		return false;
	index = array_index_nospec(index, ARRAY_SIZE(ku_points));
	return ku_points[index] & categories & ~KUTRACE_MASK_PCSAMPLE;
}

int ku_call_point(u64 entry, u32 categories)
{
	unsigned long flags;

	if (!ku_call_is_point(entry, categories))
		return -EINVAL;
	/* While it is off, a CPU's block may be open: see ku_session_insert(). */
	if (!ku_sessions_recording())
		return 0;
	/* A switch or a wakeup that somebody makes up tells of himself. */
	local_irq_save(flags);
	ku_cpu_write(task, current);
	ku_emit(entry);
	local_irq_restore(flags);
	return 1;
}

/* A zero word is a NOP: nothing is recorded, but the caller may mark. */
u64 ku_call_insert1(u64 entry, u32 categories)
{
	int words;

	entry &= (1ULL << KUTRACE_TS_SHIFT) - 1;
	if (!entry)
		return 0;
	words = ku_call_point(entry, categories);
	return words < 0 ? KU_REFUSED : words;
}

static u64 ku_call_insert1_off(struct ku_session *session, u64 entry)
{
	entry &= (1ULL << KUTRACE_TS_SHIFT) - 1;
	if (!ku_call_is_point(entry, KUTRACE_MASK_ALL))
		return KU_REFUSED;
	ku_session_insert(session, entry);
	return 1;
}

/* A name goes to the auxiliary buffer. Answers its length in words. */
static u64 ku_call_insertn(struct ku_session *session, u64 pointer, bool while_off)
{
	u64 words[KUTRACE_NAME_MAX_WORDS];
	u32 event, base, length;
	size_t len;

	if (copy_from_user(words, u64_to_user_ptr(pointer), sizeof(words)))
		return KU_REFUSED;
	event = words[0] >> KUTRACE_EVENT_SHIFT & KUTRACE_EVENT_MASK;
	length = event >> KUTRACE_NAME_LEN_SHIFT & 0xF;
	base = event & ~(0xF << KUTRACE_NAME_LEN_SHIFT);
	if (event >= 0x200 || !base || length < 1 || length > KUTRACE_NAME_MAX_WORDS)
		return KU_REFUSED;
	if (!while_off && !ku_session_is_on(session))
		return 0;
	len = strnlen((char *)&words[1], (length - 1) * sizeof(u64));
	if (while_off) {
		ku_session_insert_name(session, base, (u32)words[0], (char *)&words[1], len);
		return length;
	}
	preempt_disable();
	ku_sessions_name(base, (u32)words[0], (char *)&words[1], len);
	preempt_enable();
	return length;
}

/* ---- the call ---- */

/* The caller's struct may be shorter or longer than ours: length says. */
int ku_call_info(struct ku_session *session, struct kutrace_info __user *user,
		 u64 *taken_blocks)
{
	struct kutrace_info info;
	u32 length;

	if (get_user(length, &user->length))
		return -EFAULT;
	if (length < offsetofend(struct kutrace_info, abi_version))
		return -EINVAL;
	ku_session_info(session, &info);
	*taken_blocks = info.taken_blocks;
	if (length > sizeof(info))
		length = sizeof(info);
	return copy_to_user(user, &info, length) ? -EFAULT : 0;
}

int ku_call_reset(struct ku_session *session, u64 flags, unsigned int clock_shift)
{
	int err = ku_session_reset(session, flags, clock_shift);

	if (!err)
		WRITE_ONCE(ku_call_no_on, false);
	return err;
}

u64 ku_call(struct ku_session *session, u64 command, u64 arg)
{
	u64 taken_blocks;

	switch (command) {
	case KUTRACE_CMD_OFF:
		ku_session_off(session);
		/* Programs have been told when the caller is; so below. */
		ku_point_user_settle();
		return 0;
	case KUTRACE_CMD_ON:
		if (READ_ONCE(ku_call_no_on) || ku_session_on(session))
			return KU_REFUSED;
		ku_point_user_settle();
		return 1;
	case KUTRACE_CMD_FLUSH:
		return ku_call_flush(session);
	case KUTRACE_CMD_RESET:
		return ku_call_reset(session, arg, 0) ? KU_REFUSED : 0;
	case KUTRACE_CMD_STAT:
		return ku_session_used_blocks(session);
	case KUTRACE_CMD_GETCOUNT:
		return ku_call_count(session);
	case KUTRACE_CMD_GETWORD:
		return ku_call_word(session, arg);
	case KUTRACE_CMD_INSERT1:
		return ku_call_insert1(arg, KUTRACE_MASK_ALL);
	case ~(u64)KUTRACE_CMD_INSERT1:
		return ku_call_insert1_off(session, arg);
	case KUTRACE_CMD_INSERTN:
		return ku_call_insertn(session, arg, false);
	case ~(u64)KUTRACE_CMD_INSERTN:
		return ku_call_insertn(session, arg, true);
	case KUTRACE_CMD_GETIPCWORD:
		return ku_call_ipc_word(session, arg);
	case KUTRACE_CMD_TEST:
		return ku_session_is_on(session);
	case KUTRACE_CMD_VERSION:
		return KUTRACE_MODULE_VERSION;
	case KUTRACE_CMD_SET4KB:
		return ku_call_set(session, arg);
	case KUTRACE_CMD_GET4KB:
		return ku_call_get(session, arg);
	case KUTRACE_CMD_GETIPC4KB:
		return ku_call_get_ipc(session, arg);
	case KUTRACE_CMD_INFO:
		return ku_call_info(session, u64_to_user_ptr(arg), &taken_blocks) ? KU_REFUSED : 0;
	default:
		return KU_REFUSED;
	}
}

/*
 * The original's turn recording off by themselves, its library takes the time from
 * the counter in a fixed unit, and does not look whether a reset was refused: then
 * nothing of before may be taken for what was asked for.
 */
u64 ku_call_original(u64 command, u64 arg)
{
	struct ku_session *session = ku_session_main();
	int err;

	if (command != KUTRACE_CMD_RESET && command != KUTRACE_CMD_FLUSH)
		return ku_call(session, command, arg);
	ku_session_off(session);
	ku_point_user_settle();
	if (command == KUTRACE_CMD_FLUSH)
		return ku_call(session, command, arg);
	err = ku_call_reset(session, arg, KUTRACE_CALL_CLOCK_SHIFT);
	if (err && !ku_call_reset(session, 0, KUTRACE_CALL_CLOCK_SHIFT)) {
		WRITE_ONCE(ku_call_no_on, true);
		pr_info_ratelimited("kutrace: %s asks for instructions per cycle or cache misses, which cannot be counted here: not recording\n",
				    current->comm);
	}
	return err ? KU_REFUSED : 0;
}
