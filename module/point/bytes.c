// SPDX-License-Identifier: GPL-2.0-only
/*
 * Typed tracepoints of programs. Each has a byte in the program's own memory that shows whether to
 * record, so an inactive tracepoint costs a load and a branch. The bytes that a process registered
 * by one open file form a set (set.c). When the flags of definitions change, a work item for each
 * set writes its bytes.
 *
 * The memory of one process cannot delay other processes. If mmap_lock is not available, the work
 * item tries again later. It never waits for pages: it writes only where no page fault is
 * necessary, and only to private pages of the process. If a page is missing or shared with a child,
 * the process itself writes. The module makes some of its threads write before they execute
 * another instruction in user space (task.c). If a file system in user space or userfaultfd must
 * supply the page, only that process waits for it.
 *
 * The bytes of users who may only mark are limited, and have their own queue, so they cannot fill
 * the queue of other users. ku_point_bytes_late() counts a byte that could not be written. The
 * next change of its flag tries again.
 *
 * Locking: mmap_lock > ku_point_bytes_lock, and ku_session_lock > ku_point_lock >
 * ku_point_bytes_lock. With ku_point_bytes_lock held, code takes only spinlocks, does not sleep for
 * memory, and does not fault in pages.
 */
#include <linux/hashtable.h>
#include <linux/jiffies.h>
#include <linux/kref.h>
#include <linux/list.h>
#include <linux/mm.h>
#include <linux/mutex.h>
#include <linux/pid.h>
#include <linux/sched/mm.h>
#include <linux/slab.h>
#include <linux/uaccess.h>
#include <linux/wait.h>
#include <linux/workqueue.h>

#include "compat/version.h"
#include "point/point.h"
#include "point/set.h"
#include "users/user.h"

#define KU_BYTES		65536	/* limit of all bytes */
#define KU_MARKER_BYTES		16384	/* limit of all users who may only mark, together */
#define KU_USER_BYTES		4096	/* limit of each of these users */
#define KU_MM_BYTES		4096	/* limit of one set */
#define KU_MM_MARKER_BYTES	1024
#define KU_FLUSH_TIMEOUT	HZ
#define KU_AGAIN		max(HZ / 100, 1)	/* delay if mmap_lock was not available */
#define KU_LATER		(HZ / 2)	/* the same, if no caller waits */
#define KU_SWEEP_MIN		64

static DEFINE_HASHTABLE(ku_point_mms, 8);
static u32 ku_point_mm_count, ku_point_sweep_at = KU_SWEEP_MIN;
static u32 ku_point_bytes, ku_point_marker_bytes;
static u32 ku_point_pending;
static DECLARE_WAIT_QUEUE_HEAD(ku_point_flushed);

/* ---- sets of bytes; ku_point_bytes_lock is held ---- */

/* Ends the wait of ku_point_bytes_flush() for this set. */
static void ku_point_mm_done(struct ku_point_mm *set, enum ku_point_state state)
{
	if (set->state == KU_QUEUED) {
		WRITE_ONCE(ku_point_pending, ku_point_pending - 1);
		if (!ku_point_pending)
			wake_up_all(&ku_point_flushed);
	}
	set->state = state;
}

static void ku_point_count(const struct ku_point_mm *set, int change)
{
	ku_point_bytes += change;
	if (set->user) {
		ku_point_marker_bytes += change;
		set->user->bytes += change;
	}
}

static void ku_point_mm_drop(struct ku_point_mm *set)
{
	if (set->gone)
		return;
	set->gone = true;
	hash_del(&set->node);
	if (cancel_delayed_work(&set->work))
		ku_point_mm_put(set);
	ku_point_mm_count--;
	ku_point_count(set, -(int)set->count);
	ku_point_mm_done(set, KU_IDLE);
	ku_point_mm_put(set);
}

/*
 * Drops the sets of ended processes. Such a set remains if the process had not mapped the file, and
 * another process still has the file open.
 */
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

/* Removes the byte from the set. The caller frees it afterwards. */
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

static bool ku_point_mm_has_process(const struct ku_point_mm *set)
{
	bool has;

	rcu_read_lock();
	has = pid_task(set->process, PIDTYPE_TGID);
	rcu_read_unlock();
	return has;
}

/* Makes the process write. If not every thread got a request, tries again later. */
static void ku_point_mm_hand_over(struct ku_point_mm *set)
{
	ku_point_hand_over(set);
	/*
	 * After the process has ended, another process may use its memory, but no thread can write.
	 */
	if (set->handed || !ku_point_mm_has_process(set))
		return;
	set->wait = clamp(2 * set->wait, (unsigned long)KU_LATER, 32UL * KU_LATER);
	ku_point_mm_again(set, set->wait);
}

static void ku_point_mm_work(struct work_struct *work)
{
	struct ku_point_mm *set = container_of(to_delayed_work(work), struct ku_point_mm, work);
	bool alive = mmget_not_zero(set->mm);
	bool locked = alive && mmap_read_trylock(set->mm);

	mutex_lock(&ku_point_bytes_lock);
	if (locked && ku_point_mm_write(set))
		ku_point_mm_hand_over(set);
	if (locked)
		mmap_read_unlock(set->mm);
	if (!alive)
		ku_point_mm_drop(set);
	else if (!locked)
		ku_point_mm_again(set, set->state == KU_LATE ? KU_LATER : KU_AGAIN);
	/* A caller that changes a flag now waits for the lock, and then queues the set again. */
	if (locked)
		ku_point_mm_done(set, KU_IDLE);
	mutex_unlock(&ku_point_bytes_lock);
	/* mmput() may sleep to free the memory of the process, so another work item does that. */
	if (alive)
		ku_mmput_async(set->mm);
	mutex_lock(&ku_point_bytes_lock);
	ku_point_mm_put(set);
	mutex_unlock(&ku_point_bytes_lock);
}

static void ku_point_mm_ask(struct ku_point_mm *set)
{
	if (set->state == KU_IDLE) {
		set->state = KU_QUEUED;
		WRITE_ONCE(ku_point_pending, ku_point_pending + 1);
	}
	set->wait = 0;
	if (!mod_delayed_work(ku_point_queue_of(set), &set->work, 0))
		kref_get(&set->ref);
}

void ku_point_bytes_changed(void)
{
	struct ku_point_byte *byte;
	struct ku_point_mm *set;
	int i;

	mutex_lock(&ku_point_bytes_lock);
	hash_for_each(ku_point_mms, i, set, node) {
		list_for_each_entry(byte, &set->bytes, node) {
			if (!ku_point_byte_due(byte))
				continue;
			ku_point_mm_ask(set);
			break;
		}
	}
	mutex_unlock(&ku_point_bytes_lock);
}

void ku_point_bytes_flush(void)
{
	struct ku_point_mm *set;
	int i;

	might_sleep();
	/* No set is pending, or the caller is being killed and reports nothing. */
	if (wait_event_killable_timeout(ku_point_flushed, !READ_ONCE(ku_point_pending),
					KU_FLUSH_TIMEOUT))
		return;
	mutex_lock(&ku_point_bytes_lock);
	hash_for_each(ku_point_mms, i, set, node)
		if (set->state == KU_QUEUED)
			ku_point_mm_done(set, KU_LATE);
	mutex_unlock(&ku_point_bytes_lock);
}

u32 ku_point_bytes_late(void)
{
	struct ku_point_byte *byte;
	struct ku_point_mm *set;
	u32 count = 0;
	int i;

	mutex_lock(&ku_point_bytes_lock);
	hash_for_each(ku_point_mms, i, set, node) {
		list_for_each_entry(byte, &set->bytes, node) {
			if (byte->owed && set->handed)
				continue;
			count += byte->owed || byte->shown != READ_ONCE(byte->point->flag);
		}
	}
	mutex_unlock(&ku_point_bytes_lock);
	return count;
}

/* ---- calls of the device ---- */

/* Returns the set of this process and file with a reference. Makes it if necessary. */
static struct ku_point_mm *ku_point_mm_get(const struct ku_point_file *file)
{
	struct ku_point_mm *fresh = kzalloc(sizeof(*fresh), GFP_KERNEL_ACCOUNT), *set;

	if (!fresh)
		return NULL;
	mutex_lock(&ku_point_bytes_lock);
	set = ku_point_mm_find(file->file);
	if (!set) {
		set = fresh;
		fresh = NULL;
		kref_init(&set->ref);
		mmgrab(current->mm);
		set->mm = current->mm;
		set->file = file->file;
		set->user = ku_user_get(file->user);
		INIT_LIST_HEAD(&set->bytes);
		set->process = get_pid(task_tgid(current));
		INIT_DELAYED_WORK(&set->work, ku_point_mm_work);
		hash_add(ku_point_mms, &set->node, (unsigned long)set->mm);
		if (++ku_point_mm_count >= ku_point_sweep_at)
			ku_point_mm_sweep();
	}
	if (!ku_point_mm_has_process(set)) {
		put_pid(set->process);
		set->process = get_pid(task_tgid(current));
	}
	kref_get(&set->ref);
	mutex_unlock(&ku_point_bytes_lock);
	kfree(fresh);
	return set;
}

static bool ku_point_bytes_room(const struct ku_point_mm *set)
{
	if (!set->user)
		return set->count < KU_MM_BYTES && ku_point_bytes < KU_BYTES;
	return set->count < KU_MM_MARKER_BYTES && set->user->bytes < KU_USER_BYTES &&
	       ku_point_bytes < KU_BYTES && ku_point_marker_bytes < KU_MARKER_BYTES;
}

/*
 * Adds the byte to the set. Returns 0, -ENOSPC, or -EAGAIN: the set was dropped meanwhile, because
 * another thread removed its last byte.
 */
static int ku_point_byte_add(struct ku_point_mm *set, struct ku_point_byte *byte)
{
	struct ku_point_byte *old;
	int err = 0;

	mutex_lock(&ku_point_bytes_lock);
	old = ku_point_byte_find(set, byte->address);
	if (set->gone) {
		err = -EAGAIN;
	} else if (!old && !ku_point_bytes_room(set)) {
		err = -ENOSPC;
		if (!set->count)
			ku_point_mm_drop(set);
	} else {
		list_add_tail(&byte->node, &set->bytes);
		set->count++;
		ku_point_count(set, 1);
		if (old) {
			ku_point_byte_unlink(set, old);
			ku_point_byte_free(old);
		}
	}
	mutex_unlock(&ku_point_bytes_lock);
	return err;
}

/*
 * Adds the byte to the set and writes it. Returns an error of ku_point_byte_add(), -EFAULT or
 * -EINTR. Another thread may free the byte, so this function looks it up again by its address.
 */
static int ku_point_byte_follow(struct ku_point_mm *set, struct ku_point_byte *byte,
				struct ku_point *point)
{
	unsigned long address = byte->address;
	int err;

	err = ku_point_byte_add(set, byte);
	if (err)
		return err;
	err = ku_point_mm_write_own(set, NULL);
	mutex_lock(&ku_point_bytes_lock);
	byte = set->gone ? NULL : ku_point_byte_find(set, address);
	if (byte && byte->point == point && (err || byte->shown == KU_UNKNOWN)) {
		ku_point_byte_unlink(set, byte);
		/* After an error the caller keeps its reference to the definition. */
		kfree(byte);
		err = err ?: -EFAULT;
	} else {
		err = 0;
	}
	mutex_unlock(&ku_point_bytes_lock);
	return err;
}

int ku_point_bytes_follow(const struct ku_point_file *file, struct ku_point *point,
			  unsigned long address)
{
	struct ku_point_byte *byte;
	struct ku_point_mm *set;
	u8 now;
	int err;

	if (!current->mm || get_user(now, (const u8 __user *)address))
		return -EFAULT;
	do {
		byte = kzalloc(sizeof(*byte), GFP_KERNEL_ACCOUNT);
		if (!byte)
			return -ENOMEM;
		byte->point = point;
		byte->address = address;
		/*
		 * After fork(), a child has the values of its parent. If they are right, they are
		 * not written, because a write would copy the page.
		 */
		byte->delivered = now <= 1 ? now : KU_UNKNOWN;
		byte->shown = byte->delivered;
		set = ku_point_mm_get(file);
		err = set ? ku_point_byte_follow(set, byte, point) : -ENOMEM;
		if (err == -EAGAIN || err == -ENOSPC || !set)
			kfree(byte);
		if (set) {
			mutex_lock(&ku_point_bytes_lock);
			ku_point_mm_put(set);
			mutex_unlock(&ku_point_bytes_lock);
		}
	} while (err == -EAGAIN);
	return err;
}

int ku_point_bytes_forget(unsigned long address)
{
	struct ku_point_byte *byte;
	struct hlist_node *next;
	struct ku_point_mm *set;
	int err = -ENOENT;

	/* Removes the byte from the sets of all files. The lock excludes a write in progress. */
	mutex_lock(&ku_point_bytes_lock);
	hash_for_each_possible_safe(ku_point_mms, set, next, node, (unsigned long)current->mm) {
		byte = set->mm == current->mm ? ku_point_byte_find(set, address) : NULL;
		if (!byte)
			continue;
		kref_get(&set->ref);
		ku_point_byte_unlink(set, byte);
		ku_point_byte_free(byte);
		ku_point_mm_put(set);
		err = 0;
	}
	mutex_unlock(&ku_point_bytes_lock);
	return err;
}

void ku_point_bytes_release(const void *file, const struct mm_struct *mm)
{
	struct ku_point_mm *set;
	struct hlist_node *next;
	int i;

	mutex_lock(&ku_point_bytes_lock);
	hash_for_each_safe(ku_point_mms, i, next, set, node)
		if (set->file == file && (!mm || set->mm == mm))
			ku_point_mm_drop(set);
	mutex_unlock(&ku_point_bytes_lock);
}

/* ---- init, exit ---- */

int ku_point_bytes_init(void)
{
	return ku_point_queue_init();
}

/* No file is open, so no set is in the table. Waits for work items that still run. */
void ku_point_bytes_exit(void)
{
	ku_point_queue_exit();
	ku_point_task_exit();
}
