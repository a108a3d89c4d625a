// SPDX-License-Identifier: GPL-2.0-only
/*
 * /dev/kutrace/control. Checks who asks for what, copies structs in and out,
 * maps memory read-only; what is done is done in ku_session.c.
 */
#include <linux/capability.h>
#include <linux/cred.h>
#include <linux/fs.h>
#include <linux/irq_work.h>
#include <linux/miscdevice.h>
#include <linux/mm.h>
#include <linux/module.h>
#include <linux/nospec.h>
#include <linux/poll.h>
#include <linux/slab.h>
#include <linux/uaccess.h>
#include <linux/wait.h>

#include "ku_aux.h"
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

/*
 * With marks for everyone the file's mode lets everyone in, so it proves
 * nothing; else who could open it for writing may control.
 */
static bool ku_dev_may_control(struct file *file)
{
	if (capable(CAP_SYS_ADMIN) || capable(CAP_PERFMON))
		return true;
	if (!(file->f_mode & FMODE_WRITE))
		return false;
	return !ku_dev_marks_all ||
	       (gid_valid(ku_dev_gid) && !gid_eq(ku_dev_gid, GLOBAL_ROOT_GID) &&
		in_egroup_p(ku_dev_gid));
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

/* Categories of the points, by event number from here on. */
#define KU_FIRST_POINT 0x100

static const u16 ku_points[] = {
#define KU_POINT(id, code, cat, label, text) \
	[(code) - KU_FIRST_POINT] = KUTRACE_MASK_##cat,
#include "uapi/kutrace_events.def"
};

/*
 * Records a point for user space, if it is of one of the categories. Not those
 * that only the ring itself may write: two words, or about time.
 */
static int ku_dev_point(u64 entry, u32 categories)
{
	u32 event = entry >> KUTRACE_EVENT_SHIFT & KUTRACE_EVENT_MASK;
	u32 index = event - KU_FIRST_POINT;

	if (entry >> KUTRACE_TS_SHIFT || index >= ARRAY_SIZE(ku_points) ||
	    event == KUTRACE_TSDELTA)
		return -EINVAL;
	index = array_index_nospec(index, ARRAY_SIZE(ku_points));
	if (!(ku_points[index] & categories & ~KUTRACE_MASK_PCSAMPLE))
		return -EINVAL;
	preempt_disable();
	ku_emit(entry);
	preempt_enable();
	return 0;
}

/* A variable-length name entry goes to the auxiliary buffer, on or off. */
static int ku_dev_insert_name(u64 pointer)
{
	u64 words[KUTRACE_NAME_MAX_WORDS];
	u32 event, length;
	size_t len;

	if (copy_from_user(words, u64_to_user_ptr(pointer), sizeof(words)))
		return -EFAULT;
	event = words[0] >> KUTRACE_EVENT_SHIFT & KUTRACE_EVENT_MASK;
	length = event >> KUTRACE_NAME_LEN_SHIFT & 0xF;
	if (event >= 0x200 || length < 1 || length > KUTRACE_NAME_MAX_WORDS)
		return -EINVAL;
	len = strnlen((char *)&words[1], (length - 1) * sizeof(u64));
	ku_aux_add(event & ~0xF0, (u32)words[0], (char *)&words[1], len, ku_clock());
	return 0;
}

/* One command of the control call; ~0 = refused. */
static u64 ku_dev_command(u64 command, u64 arg)
{
	u64 words;

	/* Complemented: insert although recording is off; only names can be. */
	if (command == ~(u64)KUTRACE_CMD_INSERTN)
		command = KUTRACE_CMD_INSERTN;
	switch (command) {
	case KUTRACE_CMD_OFF:
		ku_session_off();
		return 0;
	case KUTRACE_CMD_ON:
		return ku_session_on() ? ~0ULL : 0;
	case KUTRACE_CMD_FLUSH:
		/* Blocks end in NOPs by themselves. */
		return ku_session_recording() ? ~0ULL : 0;
	case KUTRACE_CMD_RESET:
		return ku_session_reset(arg) ? ~0ULL : 0;
	case KUTRACE_CMD_STAT:
		return ku_session_used_blocks();
	case KUTRACE_CMD_GETCOUNT:
		words = ku_session_used_blocks() * KUTRACE_BLOCK_WORDS;
		return ku_session_wrapped() ? ~words : words;
	case KUTRACE_CMD_INSERT1:
		arg &= (1ULL << KUTRACE_TS_SHIFT) - 1;
		return ku_dev_point(arg, KUTRACE_MASK_ALL) ? ~0ULL : 1;
	case KUTRACE_CMD_INSERTN:
		return ku_dev_insert_name(arg) ? ~0ULL : 1;
	case KUTRACE_CMD_TEST:
		return ku_session_recording();
	case KUTRACE_CMD_VERSION:
		return KUTRACE_MODULE_VERSION;
	default:
		return ~0ULL;
	}
}

/*
 * The control system call of a patched kernel. Whoever may control by capability
 * may all; others may ask, and mark where everyone may mark.
 */
u64 ku_dev_syscall(u64 command, u64 arg)
{
	if (capable(CAP_SYS_ADMIN) || capable(CAP_PERFMON))
		return ku_dev_command(command, arg);
	switch (command) {
	case KUTRACE_CMD_TEST:
	case KUTRACE_CMD_VERSION:
		return ku_dev_command(command, arg);
	case KUTRACE_CMD_INSERT1:
		arg &= (1ULL << KUTRACE_TS_SHIFT) - 1;
		if (!ku_dev_marks_all || ku_dev_point(arg, KU_USER_CATEGORIES))
			return ~0ULL;
		return 1;
	default:
		return ~0ULL;
	}
}

static long ku_dev_control(struct kutrace_control __user *user)
{
	struct kutrace_control control;

	if (copy_from_user(&control, user, sizeof(control)))
		return -EFAULT;
	control.result = ku_dev_command(control.command, control.arg);
	if (copy_to_user(user, &control, sizeof(control)))
		return -EFAULT;
	return 0;
}

/* The caller's struct may be shorter or longer than ours: length says. */
static long ku_dev_info(struct ku_file *mine, struct kutrace_info __user *user)
{
	struct kutrace_info info;
	u32 length;

	if (get_user(length, &user->length))
		return -EFAULT;
	if (length < offsetofend(struct kutrace_info, abi_version))
		return -EINVAL;
	ku_session_info(&info);
	mine->seen_blocks = info.taken_blocks;
	if (length > sizeof(info))
		length = sizeof(info);
	if (copy_to_user(user, &info, length))
		return -EFAULT;
	return 0;
}

static long ku_dev_ioctl(struct file *file, unsigned int cmd, unsigned long arg)
{
	struct ku_file *mine = file->private_data;

	if (cmd == KUTRACE_IOC_MARK)
		return ku_dev_point(arg, KU_USER_CATEGORIES);
	if (!mine->control)
		return -EPERM;
	switch (cmd) {
	case KUTRACE_IOC_INFO:
		return ku_dev_info(mine, (void __user *)arg);
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
