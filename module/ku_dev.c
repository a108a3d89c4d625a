// SPDX-License-Identifier: GPL-2.0-only
/*
 * /dev/kutrace/control, and who may use it or the control system call. Copies
 * structs in and out, maps memory read-only; what is done is done in ku_call.c and
 * ku_session.c.
 */
#include <linux/capability.h>
#include <linux/cred.h>
#include <linux/fs.h>
#include <linux/irq_work.h>
#include <linux/miscdevice.h>
#include <linux/mm.h>
#include <linux/module.h>
#include <linux/poll.h>
#include <linux/slab.h>
#include <linux/uaccess.h>
#include <linux/wait.h>

#include "ku_aux.h"
#include "ku_call.h"
#include "ku_compat.h"
#include "ku_dev.h"
#include "ku_emit.h"
#include "ku_session.h"

struct ku_file {
	bool control;		/* may change and read recordings */
	u64 seen_blocks;	/* taken blocks at the last INFO */
};

static DECLARE_WAIT_QUEUE_HEAD(ku_dev_wait);
static bool ku_dev_marks_all;
static kgid_t ku_dev_gid;

static void ku_dev_irq_work(struct irq_work *work)
{
	wake_up_interruptible(&ku_dev_wait);
}

static DEFINE_IRQ_WORK(ku_dev_work, ku_dev_irq_work);

/* The scheduler may hold its locks here, so the waking is put off. */
void ku_dev_filled(void)
{
	/*
	 * No barrier: a poller that is missed now sees the next block, or the
	 * end of recording.
	 */
	if (waitqueue_active(&ku_dev_wait))
		irq_work_queue(&ku_dev_work);
}

void ku_dev_wake(void)
{
	wake_up_interruptible(&ku_dev_wait);
}

static bool ku_dev_capable(void)
{
	return capable(CAP_SYS_ADMIN) || capable(CAP_PERFMON);
}

/* Of the group that may control although everyone may mark. */
static bool ku_dev_in_group(void)
{
	return ku_dev_marks_all && gid_valid(ku_dev_gid) &&
	       !gid_eq(ku_dev_gid, GLOBAL_ROOT_GID) && in_egroup_p(ku_dev_gid);
}

/*
 * With marks for everyone the file's mode lets everyone in, so it proves
 * nothing; else who could open it for writing may control.
 */
static bool ku_dev_may_control(struct file *file)
{
	if (ku_dev_capable())
		return true;
	if (!(file->f_mode & FMODE_WRITE))
		return false;
	return !ku_dev_marks_all || ku_dev_in_group();
}

static int ku_dev_open(struct inode *inode, struct file *file)
{
	struct ku_file *mine = kzalloc(sizeof(*mine), GFP_KERNEL);

	if (!mine)
		return -ENOMEM;
	mine->control = ku_dev_may_control(file);
	file->private_data = mine;
	return 0;
}

static int ku_dev_release(struct inode *inode, struct file *file)
{
	kfree(file->private_data);
	return 0;
}

#define KU_USER_CATEGORIES \
	(KUTRACE_MASK_MARK | KUTRACE_MASK_LOCK | KUTRACE_MASK_NET)

/*
 * The control system call of a patched kernel. There is no file, so it goes by
 * capabilities and group; others may ask, and mark where everyone may mark.
 */
u64 ku_dev_syscall(u64 command, u64 arg)
{
	u64 result = ~0ULL;

	if (!ku_session_ready())
		return result;
	if (ku_dev_capable() || ku_dev_in_group())
		result = ku_call_original(command, arg);
	else if (command == KUTRACE_CMD_TEST || command == KUTRACE_CMD_VERSION)
		result = ku_call(command, arg);
	else if (command == KUTRACE_CMD_INSERT1 && ku_dev_marks_all)
		result = ku_call_insert1(arg, KU_USER_CATEGORIES);
	/*
	 * The call itself is not recorded, so its return must not be merged into the
	 * system call before it.
	 */
	this_cpu_write(ku_cpu.call, 0);
	return result;
}

static long ku_dev_control(struct kutrace_control __user *user)
{
	struct kutrace_control control;

	if (copy_from_user(&control, user, sizeof(control)))
		return -EFAULT;
	control.result = ku_call(control.command, control.arg);
	if (copy_to_user(user, &control, sizeof(control)))
		return -EFAULT;
	return 0;
}

static long ku_dev_ioctl(struct file *file, unsigned int cmd, unsigned long arg)
{
	struct ku_file *mine = file->private_data;

	if (cmd == KUTRACE_IOC_MARK)
		return min(ku_call_point(arg, KU_USER_CATEGORIES), 0);
	if (!mine->control)
		return -EPERM;
	switch (cmd) {
	case KUTRACE_IOC_INFO:
		return ku_call_info((void __user *)arg, &mine->seen_blocks);
	case KUTRACE_IOC_CONTROL:
		return ku_dev_control((void __user *)arg);
	default:
		return -ENOTTY;
	}
}

static vm_fault_t ku_dev_fault(struct vm_fault *vmf)
{
	u64 offset = (u64)vmf->pgoff << PAGE_SHIFT;
	struct page *page = NULL;

	if (offset >= KUTRACE_MMAP_BLOCKS)
		page = ku_session_block_page(offset - KUTRACE_MMAP_BLOCKS);
	else if (offset >= KUTRACE_MMAP_AUX)
		page = ku_aux_page(offset - KUTRACE_MMAP_AUX);
	else
		page = ku_session_meta_page(offset);
	if (!page)
		return VM_FAULT_SIGBUS;
	get_page(page);
	vmf->page = page;
	return 0;
}

static const struct vm_operations_struct ku_dev_vm_ops = {
	.fault = ku_dev_fault,
};

/* Without control only the first page, which says whether to mark. */
static int ku_dev_mmap(struct file *file, struct vm_area_struct *vma)
{
	struct ku_file *mine = file->private_data;
	u64 bytes = vma->vm_end - vma->vm_start;
	u64 offset = (u64)vma->vm_pgoff << PAGE_SHIFT;
	u64 limit;

	if (offset >= KUTRACE_MMAP_BLOCKS)
		limit = KUTRACE_MMAP_BLOCKS + ku_session_block_bytes();
	else if (offset >= KUTRACE_MMAP_AUX)
		limit = KUTRACE_MMAP_AUX + KUTRACE_AUX_BYTES;
	else
		limit = mine->control ? ku_session_meta_bytes() : PAGE_SIZE;
	if (!mine->control && offset)
		return -EPERM;
	if (offset > limit || bytes > limit - offset)
		return -EINVAL;
	if (vma->vm_flags & VM_WRITE)
		return -EPERM;
	vm_flags_mod(vma, VM_DONTEXPAND | VM_DONTDUMP, VM_MAYWRITE);
	vma->vm_ops = &ku_dev_vm_ops;
	return 0;
}

static __poll_t ku_dev_poll(struct file *file, poll_table *wait)
{
	struct ku_file *mine = file->private_data;

	poll_wait(file, &ku_dev_wait, wait);
	if (!mine->control)
		return EPOLLERR;
	if (ku_atomic64_read(&ku_ring.taken) != mine->seen_blocks ||
	    !ku_session_recording())
		return EPOLLIN | EPOLLRDNORM;
	return 0;
}

static const struct file_operations ku_dev_fops = {
	.owner = THIS_MODULE,
	.open = ku_dev_open,
	.release = ku_dev_release,
	.unlocked_ioctl = ku_dev_ioctl,
	.mmap = ku_dev_mmap,
	.poll = ku_dev_poll,
	.llseek = noop_llseek,
};

static struct miscdevice ku_dev_misc = {
	.minor = MISC_DYNAMIC_MINOR,
	.name = "kutrace_control",
	.nodename = "kutrace/control",
	.fops = &ku_dev_fops,
};

/**
 * ku_dev_init() - make the device
 * @mode: permission bits of the node; ignored with @marks_all
 * @gid: group that may control
 * @marks_all: everyone may open it, to mark
 */
int ku_dev_init(unsigned int mode, unsigned int gid, bool marks_all)
{
	ku_dev_marks_all = marks_all;
	ku_dev_gid = make_kgid(&init_user_ns, gid);
	ku_dev_misc.mode = marks_all ? 0666 : mode & 0666;
	return misc_register(&ku_dev_misc);
}

void ku_dev_exit(void)
{
	misc_deregister(&ku_dev_misc);
	irq_work_sync(&ku_dev_work);
}
