// SPDX-License-Identifier: GPL-2.0-only
/* Implements set.h: sets of bytes of typed tracepoints, and writing these bytes. */
#include <linux/highmem.h>
#include <linux/mm.h>
#include <linux/pagemap.h>
#include <linux/pid.h>
#include <linux/sched/mm.h>
#include <linux/slab.h>
#include <linux/uaccess.h>

#include "compat/version.h"
#include "point/point.h"
#include "point/set.h"
#include "users/user.h"

#define KU_TRIES	4	/* attempts to write to a page that was just faulted in */

/* Protects all sets, and the bytes in them. */
DEFINE_MUTEX(ku_point_bytes_lock);

static struct workqueue_struct *ku_point_queue[2];	/* [1]: of users who may control */

void ku_point_byte_free(struct ku_point_byte *byte)
{
	ku_point_byte_gone(byte->point);
	kfree(byte);
}

static void ku_point_mm_free(struct kref *ref)
{
	struct ku_point_mm *set = container_of(ref, struct ku_point_mm, ref);
	struct ku_point_byte *byte, *next;

	list_for_each_entry_safe(byte, next, &set->bytes, node)
		ku_point_byte_free(byte);
	mmdrop(set->mm);
	put_pid(set->process);
	ku_user_put(set->user);
	kfree(set);
}

void ku_point_mm_put(struct ku_point_mm *set)
{
	kref_put(&set->ref, ku_point_mm_free);
}

struct ku_point_byte *ku_point_byte_find(struct ku_point_mm *set, unsigned long address)
{
	struct ku_point_byte *byte;

	list_for_each_entry(byte, &set->bytes, node)
		if (byte->address == address)
			return byte;
	return NULL;
}

/*
 * Writes @value without a page fault, so does not sleep for a page. Returns 0, -EFAULT if the byte
 * cannot be written, or -EAGAIN if the write needs a fault. If a private page can be written
 * without a fault, it is anonymous and belongs only to this process. mmap_lock is held.
 */
static int ku_point_poke(struct mm_struct *mm, unsigned long address, u8 value)
{
	struct vm_area_struct *vma = vma_lookup(mm, address);
	struct page *page;
	int err = -EFAULT;
	u8 *at;

	if (!vma || !(vma->vm_flags & VM_WRITE) ||
	    vma->vm_flags & (VM_SHARED | VM_HUGETLB | VM_IO | VM_PFNMAP))
		return -EFAULT;
	if (ku_pin_page_remote(mm, address, &page) != 1)
		return -EAGAIN;
	if (PageAnon(page)) {
		at = kmap_local_page(page);
		WRITE_ONCE(at[offset_in_page(address)], value);
		kunmap_local(at);
		/* The page has no file that could be truncated, so the page lock is not needed. */
		set_page_dirty(page);
		err = 0;
	}
	unpin_user_page(page);
	return err;
}

bool ku_point_byte_due(const struct ku_point_byte *byte)
{
	return byte->owed || byte->delivered != READ_ONCE(byte->point->flag);
}

struct ku_point_byte *ku_point_mm_write(struct ku_point_mm *set)
{
	struct ku_point_byte *byte, *missing = NULL;
	int err;

	if (set->gone)
		return NULL;
	list_for_each_entry(byte, &set->bytes, node) {
		u8 flag = READ_ONCE(byte->point->flag);

		if (!ku_point_byte_due(byte))
			continue;
		err = ku_point_poke(set->mm, byte->address, flag);
		byte->owed = err == -EAGAIN;
		if (byte->owed) {
			missing = missing ?: byte;
		} else {
			byte->delivered = flag;
			byte->shown = err ? KU_UNKNOWN : flag;
		}
	}
	return missing;
}

/* Gives up on a byte whose page could not be faulted in. Under ku_point_bytes_lock. */
static void ku_point_byte_fail(struct ku_point_mm *set, unsigned long address)
{
	struct ku_point_byte *byte = ku_point_byte_find(set, address);

	if (!byte)
		return;
	byte->delivered = READ_ONCE(byte->point->flag);
	byte->shown = KU_UNKNOWN;
	byte->owed = false;
}

int ku_point_mm_write_own(struct ku_point_mm *set, struct ku_point_task *task)
{
	unsigned long address = 0, before = 0;
	struct ku_point_byte *missing;
	bool failed = false;
	int tries = 0, err;

	do {
		err = mmap_read_lock_killable(set->mm);
		mutex_lock(&ku_point_bytes_lock);
		if (failed)
			ku_point_byte_fail(set, address);
		missing = err ? NULL : ku_point_mm_write(set);
		address = missing ? missing->address : 0;
		if (!missing && task)
			task->thread = NULL;
		mutex_unlock(&ku_point_bytes_lock);
		if (!err)
			mmap_read_unlock(set->mm);
		if (!missing)
			return err;
		tries = address == before ? tries + 1 : 1;
		before = address;
		failed = tries == KU_TRIES ||
			 fault_in_safe_writeable((const char __user *)address, 1);
	} while (1);
}

struct workqueue_struct *ku_point_queue_of(const struct ku_point_mm *set)
{
	return ku_point_queue[!set->user];
}

void ku_point_mm_again(struct ku_point_mm *set, unsigned long delay)
{
	if (!set->gone && queue_delayed_work(ku_point_queue_of(set), &set->work, delay))
		kref_get(&set->ref);
}

int ku_point_queue_init(void)
{
	ku_point_queue[0] = alloc_workqueue("kutrace_marker_points", WQ_UNBOUND, 0);
	ku_point_queue[1] = alloc_workqueue("kutrace_points", WQ_UNBOUND, 0);
	if (ku_point_queue[0] && ku_point_queue[1])
		return 0;
	ku_point_queue_exit();
	return -ENOMEM;
}

void ku_point_queue_exit(void)
{
	int i;

	for (i = 0; i < 2; i++)
		if (ku_point_queue[i])
			destroy_workqueue(ku_point_queue[i]);
}
