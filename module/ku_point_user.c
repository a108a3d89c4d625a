// SPDX-License-Identifier: GPL-2.0-only
/*
 * Typed tracepoints of programs: each has a byte in its own object that says whether to
 * record, so that asking is a load and a branch. The bytes that a process gave by one
 * open file are kept together, and written by a work item of their own when the flags of
 * their definitions change. Must never write but 0 or 1, and nowhere but where the process
 * itself said that a byte of its own memory is.
 *
 * What a process can do to others by odd memory: nothing, but let who switches wait for it,
 * KU_SETTLE at most and once, until it has been reached again. Only its own work item
 * waits for its mmap_lock and its pages. There is no lock to drop while faulting, so a page
 * that userfaultfd should bring is -EFAULT; shared mappings, whose file systems may wait
 * when they are written, are refused. Those who may only mark have a queue of their own,
 * which they cannot fill for others. A byte that could not be written is counted, and tried
 * again at the next change of its flag.
 *
 * Locking: writing > mmap_lock > ku_point_user_lock; also ku_session_lock > ku_point_lock >
 * ku_point_user_lock, and mmap_lock > ku_session_lock (by way of mapping the device). So
 * nobody who has one of the latter may write to user memory, or wait for who does. Inside
 * ku_point_user_lock nothing is taken but spinlocks.
 */
#include <linux/hashtable.h>
#include <linux/highmem.h>
#include <linux/kref.h>
#include <linux/list.h>
#include <linux/mm.h>
#include <linux/mutex.h>
#include <linux/sched/mm.h>
#include <linux/slab.h>
#include <linux/uaccess.h>
#include <linux/wait.h>
#include <linux/workqueue.h>

#include "ku_compat.h"
#include "ku_point.h"

#define KU_BYTES		65536	/* in all */
#define KU_MARKER_BYTES		16384	/* of these of those who may only mark */
#define KU_MM_BYTES		4096	/* of one process by one file */
#define KU_MM_MARKER_BYTES	1024
#define KU_SETTLE		HZ
#define KU_SWEEP_MIN		64
#define KU_UNKNOWN		2	/* neither 0 nor 1 */

struct ku_point_byte {
	struct list_head node;
	const struct ku_point *point;
	unsigned long address;
	u8 told;		/* the flag that was taken to it last */
	u8 shown;		/* what it holds, as far as we know */
};

enum ku_point_state {
	KU_IDLE,
	KU_QUEUED,		/* counted in ku_point_pending */
	KU_LATE,		/* it kept somebody waiting for too long: nobody waits for it */
};

/*
 * The bytes of a process that came by one file. The list changes under writing and
 * ku_point_user_lock, so either is enough to walk it.
 */
struct ku_point_mm {
	struct hlist_node node;	/* in ku_point_mms, unless gone */
	struct kref ref;	/* of the table, of the work, of who looks */
	struct mm_struct *mm;	/* its memory may be gone */
	const void *file;
	bool control;
	bool gone;		/* not in the table: nothing more is written */
	enum ku_point_state state;
	u32 asked;		/* how often the work was */
	u32 count;
	struct list_head bytes;
	struct mutex writing;	/* whoever writes; who has it knows that nobody else does */
	struct work_struct work;
};

static DEFINE_MUTEX(ku_point_user_lock);
static DEFINE_HASHTABLE(ku_point_mms, 8);	/* by mm */
static u32 ku_point_mm_count, ku_point_sweep_at = KU_SWEEP_MIN;
static u32 ku_point_bytes, ku_point_marker_bytes;
static u32 ku_point_pending;
static DECLARE_WAIT_QUEUE_HEAD(ku_point_settled);
static struct workqueue_struct *ku_point_queue[2];	/* [1]: of those who control */

/* ---- sets of bytes; all under ku_point_user_lock ---- */

static void ku_point_mm_free(struct kref *ref)
{
	struct ku_point_mm *set = container_of(ref, struct ku_point_mm, ref);
	struct ku_point_byte *byte, *next;

	list_for_each_entry_safe(byte, next, &set->bytes, node)
		kfree(byte);
	mmdrop(set->mm);
	kfree(set);
}

static void ku_point_mm_put(struct ku_point_mm *set)
{
	kref_put(&set->ref, ku_point_mm_free);
}

/* Nobody has to wait for it any more. */
static void ku_point_mm_settled(struct ku_point_mm *set, enum ku_point_state state)
{
	if (set->state == KU_QUEUED) {
		WRITE_ONCE(ku_point_pending, ku_point_pending - 1);
		if (!ku_point_pending)
			wake_up_all(&ku_point_settled);
	}
	set->state = state;
}

static void ku_point_count(const struct ku_point_mm *set, int change)
{
	ku_point_bytes += change;
	if (!set->control)
		ku_point_marker_bytes += change;
}

static void ku_point_mm_drop(struct ku_point_mm *set)
{
	if (set->gone)
		return;
	set->gone = true;
	hash_del(&set->node);
	ku_point_mm_count--;
	ku_point_count(set, -(int)set->count);
	ku_point_mm_settled(set, KU_IDLE);
	ku_point_mm_put(set);
}

/* Of processes that are no more, had not mapped the file, and shared it with others. */
static void ku_point_mm_sweep(void)
{
	struct ku_point_mm *set;
	struct hlist_node *next;
	int i;

	hash_for_each_safe(ku_point_mms, i, next, set, node)
		if (!atomic_read(&set->mm->mm_users))
			ku_point_mm_drop(set);
	ku_point_sweep_at = max(2 * ku_point_mm_count, (u32)KU_SWEEP_MIN);
}

static struct ku_point_mm *ku_point_mm_find(const void *file)
{
	struct ku_point_mm *set;

	hash_for_each_possible(ku_point_mms, set, node, (unsigned long)current->mm)
		if (set->mm == current->mm && set->file == file)
			return set;
	return NULL;
}

static struct ku_point_byte *ku_point_byte_find(struct ku_point_mm *set, unsigned long address)
{
	struct ku_point_byte *byte;

	list_for_each_entry(byte, &set->bytes, node)
		if (byte->address == address)
			return byte;
	return NULL;
}

/* The caller frees it. */
static void ku_point_byte_unlink(struct ku_point_mm *set, struct ku_point_byte *byte)
{
	list_del(&byte->node);
	set->count--;
	if (!set->gone)
		ku_point_count(set, -1);
	if (!set->count)
		ku_point_mm_drop(set);
}

/* ---- writing ---- */

/* mmap_lock is held. 0 or -EFAULT. */
static int ku_point_poke(struct mm_struct *mm, unsigned long address, u8 value)
{
	struct vm_area_struct *vma = vma_lookup(mm, address);
	struct page *page;
	u8 *at;

	if (!vma || vma->vm_flags & VM_SHARED ||
	    ku_pin_page_remote(mm, address, &page) != 1)
		return -EFAULT;
	at = kmap_local_page(page);
	WRITE_ONCE(at[offset_in_page(address)], value);
	kunmap_local(at);
	unpin_user_pages_dirty_lock(&page, 1, true);
	return 0;
}

/* What is to be written to it, or -1: it has been, or is not to be any more. */
static int ku_point_byte_due(struct ku_point_mm *set, struct ku_point_byte *byte)
{
	int due = -1;
	u8 flag;

	/* Nobody else changes told; should the flag change now, the work is asked again. */
	if (byte->told == READ_ONCE(byte->point->flag))
		return -1;
	mutex_lock(&ku_point_user_lock);
	flag = READ_ONCE(byte->point->flag);
	if (!set->gone && byte->told != flag) {
		due = flag;
		byte->told = flag;
	}
	mutex_unlock(&ku_point_user_lock);
	return due;
}

/*
 * All that is due. writing is held, and the process has its memory.
 *
 * Whether the set is gone is asked with mmap_lock held: then nothing else can have been
 * mapped where the byte is before it has been written, so closing need not wait for us.
 */
static void ku_point_mm_write(struct ku_point_mm *set)
{
	struct ku_point_byte *byte;

	mmap_read_lock(set->mm);
	list_for_each_entry(byte, &set->bytes, node) {
		int due = ku_point_byte_due(set, byte);

		if (due < 0)
			continue;
		if (ku_point_poke(set->mm, byte->address, due))
			due = KU_UNKNOWN;
		WRITE_ONCE(byte->shown, due);
	}
	mmap_read_unlock(set->mm);
}

static void ku_point_mm_work(struct work_struct *work)
{
	struct ku_point_mm *set = container_of(work, struct ku_point_mm, work);
	bool alive = mmget_not_zero(set->mm);
	u32 asked;

	mutex_lock(&ku_point_user_lock);
	asked = set->asked;
	mutex_unlock(&ku_point_user_lock);
	if (alive) {
		mutex_lock(&set->writing);
		ku_point_mm_write(set);
		mutex_unlock(&set->writing);
	}
	mutex_lock(&ku_point_user_lock);
	if (!alive)
		ku_point_mm_drop(set);
	/* Else it was asked again while it ran, and will run again. */
	if (set->asked == asked)
		ku_point_mm_settled(set, KU_IDLE);
	mutex_unlock(&ku_point_user_lock);
	if (alive)
		mmput(set->mm);
	ku_point_mm_put(set);
}

static void ku_point_mm_ask(struct ku_point_mm *set)
{
	set->asked++;
	if (set->state == KU_IDLE) {
		set->state = KU_QUEUED;
		WRITE_ONCE(ku_point_pending, ku_point_pending + 1);
	}
	if (queue_work(ku_point_queue[set->control], &set->work))
		kref_get(&set->ref);
}

void ku_point_user_changed(void)
{
	struct ku_point_byte *byte;
	struct ku_point_mm *set;
	int i;

	mutex_lock(&ku_point_user_lock);
	hash_for_each(ku_point_mms, i, set, node) {
		list_for_each_entry(byte, &set->bytes, node) {
			if (byte->told == READ_ONCE(byte->point->flag))
				continue;
			ku_point_mm_ask(set);
			break;
		}
	}
	mutex_unlock(&ku_point_user_lock);
}

void ku_point_user_settle(void)
{
	struct ku_point_mm *set;
	int i;

	might_sleep();
	/* Done; or we are being killed, and nobody is told anything. */
	if (wait_event_killable_timeout(ku_point_settled, !READ_ONCE(ku_point_pending),
					KU_SETTLE))
		return;
	mutex_lock(&ku_point_user_lock);
	hash_for_each(ku_point_mms, i, set, node)
		if (set->state == KU_QUEUED)
			ku_point_mm_settled(set, KU_LATE);
	mutex_unlock(&ku_point_user_lock);
}

u32 ku_point_user_behind(void)
{
	struct ku_point_byte *byte;
	struct ku_point_mm *set;
	u32 count = 0;
	u8 flag;
	int i;

	mutex_lock(&ku_point_user_lock);
	hash_for_each(ku_point_mms, i, set, node) {
		list_for_each_entry(byte, &set->bytes, node) {
			flag = READ_ONCE(byte->point->flag);
			/* Also one that is right, until a write that hangs has come. */
			count += READ_ONCE(byte->shown) != flag || byte->told != flag;
		}
	}
	mutex_unlock(&ku_point_user_lock);
	return count;
}

/* ---- from the device ---- */

/* The set of this process and file, made if there is none; with a reference. */
static struct ku_point_mm *ku_point_mm_get(const void *file, bool control)
{
	struct ku_point_mm *fresh = kzalloc(sizeof(*fresh), GFP_KERNEL_ACCOUNT), *set;

	if (!fresh)
		return NULL;
	mutex_lock(&ku_point_user_lock);
	set = ku_point_mm_find(file);
	if (!set) {
		set = fresh;
		fresh = NULL;
		kref_init(&set->ref);
		mmgrab(current->mm);
		set->mm = current->mm;
		set->file = file;
		set->control = control;
		INIT_LIST_HEAD(&set->bytes);
		mutex_init(&set->writing);
		INIT_WORK(&set->work, ku_point_mm_work);
		hash_add(ku_point_mms, &set->node, (unsigned long)set->mm);
		if (++ku_point_mm_count >= ku_point_sweep_at)
			ku_point_mm_sweep();
	}
	kref_get(&set->ref);
	mutex_unlock(&ku_point_user_lock);
	kfree(fresh);
	return set;
}

static bool ku_point_room(const struct ku_point_mm *set)
{
	if (set->control)
		return set->count < KU_MM_BYTES && ku_point_bytes < KU_BYTES;
	return set->count < KU_MM_MARKER_BYTES && ku_point_bytes < KU_BYTES &&
	       ku_point_marker_bytes < KU_MARKER_BYTES;
}

/*
 * Takes over byte, if it can; writing is held. 0, -ENOSPC, or -EAGAIN: the set has gone
 * meanwhile, as another thread took its last byte from it.
 */
static int ku_point_byte_add(struct ku_point_mm *set, struct ku_point_byte *byte)
{
	struct ku_point_byte *old;
	int err = 0;

	mutex_lock(&ku_point_user_lock);
	old = ku_point_byte_find(set, byte->address);
	if (set->gone) {
		err = -EAGAIN;
	} else if (!old && !ku_point_room(set)) {
		err = -ENOSPC;
		if (!set->count)
			ku_point_mm_drop(set);
	} else {
		list_add_tail(&byte->node, &set->bytes);
		set->count++;
		ku_point_count(set, 1);
		if (old)
			ku_point_byte_unlink(set, old);
	}
	mutex_unlock(&ku_point_user_lock);
	if (!err)
		kfree(old);
	return err;
}

/* As ku_point_byte_add(), but it is written, too; also -EFAULT, -EINTR. */
static int ku_point_byte_follow(struct ku_point_mm *set, struct ku_point_byte *byte)
{
	int err;

	if (mutex_lock_killable(&set->writing))
		return -EINTR;
	err = ku_point_byte_add(set, byte);
	if (!err) {
		ku_point_mm_write(set);
		if (byte->shown != byte->told) {
			err = -EFAULT;
			mutex_lock(&ku_point_user_lock);
			ku_point_byte_unlink(set, byte);
			mutex_unlock(&ku_point_user_lock);
		}
	}
	mutex_unlock(&set->writing);
	return err;
}

int ku_point_user_follow(const void *file, bool control, const struct ku_point *point,
			 unsigned long address)
{
	struct ku_point_byte *byte;
	struct ku_point_mm *set;
	u8 now;
	int err;

	if (!current->mm || get_user(now, (const u8 __user *)address))
		return -EFAULT;
	byte = kzalloc(sizeof(*byte), GFP_KERNEL_ACCOUNT);
	if (!byte)
		return -ENOMEM;
	byte->point = point;
	byte->address = address;
	/* A child of a fork has its parent's, on a page that need not be copied for it. */
	byte->told = now <= 1 ? now : KU_UNKNOWN;
	byte->shown = byte->told;
	do {
		set = ku_point_mm_get(file, control);
		err = set ? ku_point_byte_follow(set, byte) : -ENOMEM;
		if (set)
			ku_point_mm_put(set);
	} while (err == -EAGAIN);
	if (err)
		kfree(byte);
	return err;
}

/* A set of this process that has the byte, by whatever file; with a reference. */
static struct ku_point_mm *ku_point_mm_having(unsigned long address)
{
	struct ku_point_mm *set, *found = NULL;

	mutex_lock(&ku_point_user_lock);
	hash_for_each_possible(ku_point_mms, set, node, (unsigned long)current->mm)
		if (set->mm == current->mm && ku_point_byte_find(set, address))
			found = set;
	if (found)
		kref_get(&found->ref);
	mutex_unlock(&ku_point_user_lock);
	return found;
}

int ku_point_user_forget(unsigned long address)
{
	struct ku_point_byte *byte;
	struct ku_point_mm *set;
	int err = -ENOENT;

	while (err != -EINTR && (set = ku_point_mm_having(address))) {
		/* Behind a write that is under way, which may be to it. */
		err = mutex_lock_killable(&set->writing) ? -EINTR : 0;
		if (!err) {
			mutex_lock(&ku_point_user_lock);
			byte = ku_point_byte_find(set, address);
			if (byte)
				ku_point_byte_unlink(set, byte);
			mutex_unlock(&ku_point_user_lock);
			mutex_unlock(&set->writing);
			kfree(byte);
		}
		ku_point_mm_put(set);
	}
	return err;
}

void ku_point_user_release(const void *file, const struct mm_struct *mm)
{
	struct ku_point_mm *set;
	struct hlist_node *next;
	int i;

	mutex_lock(&ku_point_user_lock);
	hash_for_each_safe(ku_point_mms, i, next, set, node)
		if (set->file == file && (!mm || set->mm == mm))
			ku_point_mm_drop(set);
	mutex_unlock(&ku_point_user_lock);
}

/* ---- init, exit ---- */

int ku_point_user_init(void)
{
	ku_point_queue[0] = alloc_workqueue("kutrace_marker_points", WQ_UNBOUND, 0);
	ku_point_queue[1] = alloc_workqueue("kutrace_points", WQ_UNBOUND, 0);
	if (ku_point_queue[0] && ku_point_queue[1])
		return 0;
	ku_point_user_exit();
	return -ENOMEM;
}

/* There is no file any more, so no set, but one may be written yet. */
void ku_point_user_exit(void)
{
	int i;

	for (i = 0; i < 2; i++)
		if (ku_point_queue[i])
			destroy_workqueue(ku_point_queue[i]);
}
