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
#include <linux/security.h>
#include <linux/slab.h>
#include <linux/uaccess.h>
#include <linux/wait.h>

#include "ku_aux.h"
#include "ku_call.h"
#include "ku_compat.h"
#include "ku_dev.h"
#include "ku_emit.h"
#include "ku_filter.h"
#include "ku_kinds.h"
#include "ku_point.h"
#include "ku_session.h"
#include "ku_trigger.h"
#include "ku_user.h"

/* An open file: of one session, with a reference to it. */
struct ku_file {
	struct ku_session *session;
	bool control;		/* may change and read recordings */
	bool used;		/* mapped or waited for: it stays with this session */
	bool temporary;		/* the session goes with this file */
	u64 seen_blocks;	/* taken blocks at the last INFO */
	u32 seen_fired;		/* triggers done at the last FIRED */
	/*
	 * Which session it is of, and changes of that. ku_session_lock is taken inside it, so it
	 * must not be inside mmap_lock.
	 */
	struct mutex lock;
	/* session, used: for who may not wait, as in mmap(). Nothing is taken inside it. */
	spinlock_t use;
	struct ku_point_file points;
};

static bool ku_dev_marks_all;
static const unsigned int *ku_dev_marks_rate;
static kgid_t ku_dev_gid;
static bool ku_dev_ready;

void ku_dev_allow(void)
{
	/* Whoever may open finds all that there is. Pairs with ku_dev_allowed(). */
	smp_store_release(&ku_dev_ready, true);
}

bool ku_dev_allowed(void)
{
	/* Pairs with ku_dev_allow(). */
	return smp_load_acquire(&ku_dev_ready);
}

bool ku_dev_locked_down(void)
{
	return security_locked_down(LOCKDOWN_TRACEFS);
}

bool ku_dev_capable(void)
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
	struct ku_file *mine;

	if (!ku_dev_allowed())
		return -ENODEV;
	mine = kzalloc(sizeof(*mine), GFP_KERNEL_ACCOUNT);
	if (!mine)
		return -ENOMEM;
	mutex_init(&mine->lock);
	spin_lock_init(&mine->use);
	/* Marks tell nothing of the kernel, so these may be made all the same. */
	mine->control = ku_dev_may_control(file) && !ku_dev_locked_down();
	mine->points.file = file;
	INIT_LIST_HEAD(&mine->points.uses);
	if (!mine->control) {
		mine->points.user = ku_user_get_current();
		if (!mine->points.user) {
			kfree(mine);
			return -ENOMEM;
		}
	}
	mine->session = ku_session_get(ku_session_main());
	file->private_data = mine;
	return 0;
}

/* Nobody else can use the file any more. */
static void ku_dev_let_go(struct ku_file *mine)
{
	ku_session_leave(mine->session, mine);
	if (mine->temporary)
		ku_session_destroy(mine->session);
	ku_session_put(mine->session);
}

static int ku_dev_release(struct inode *inode, struct file *file)
{
	struct ku_file *mine = file->private_data;

	ku_point_user_release(file, NULL);
	ku_point_release(&mine->points);
	ku_dev_let_go(mine);
	ku_user_put(mine->points.user);
	kfree(mine);
	return 0;
}

/* Marks of one who may only mark: not too many. @kind: what is lost otherwise. */
static bool ku_dev_rate(struct ku_user *user, u32 kind)
{
	if (user && ku_user_rate(user, READ_ONCE(*ku_dev_marks_rate)))
		return true;
	preempt_disable();
	ku_sessions_rate_lost(kind);
	preempt_enable();
	return false;
}

static u64 ku_dev_syscall_mark(u64 arg)
{
	struct ku_user *user = ku_user_get_current();
	u64 result = ~0ULL;

	if (ku_dev_rate(user, ku_kind_of(arg)))
		result = ku_call_insert1(arg, KU_USER_CATEGORIES);
	ku_user_put(user);
	return result;
}

/*
 * The control system call of a patched kernel. There is no file, so it goes by
 * capabilities and group; others may ask, and mark where everyone may mark.
 */
u64 ku_dev_syscall(u64 command, u64 arg)
{
	u64 result = ~0ULL;

	if (!ku_sessions_ready())
		goto out;
	if ((ku_dev_capable() || ku_dev_in_group()) && !ku_dev_locked_down())
		result = ku_call_original(command, arg);
	else if (command == KUTRACE_CMD_TEST || command == KUTRACE_CMD_VERSION)
		result = ku_call(ku_session_main(), command, arg);
	else if (command == KUTRACE_CMD_INSERT1 && ku_dev_marks_all)
		result = ku_dev_syscall_mark(arg);
out:
	/*
	 * The call itself is not recorded, so its return must not be merged into the
	 * system call before it: also while the module goes, which ends recording later.
	 */
	this_cpu_write(ku_cpu.call, 0);
	return result;
}

static long ku_dev_control(struct ku_session *session, struct kutrace_control __user *user)
{
	struct kutrace_control control;
	int err;

	if (copy_from_user(&control, user, sizeof(control)))
		return -EFAULT;
	if (control.command == KUTRACE_CMD_RESET) {
		err = ku_call_reset(session, control.arg, 0);
		/* What only a number can say: it is not the caller who is wrong. */
		if (err == -ENOMEM || err == -EDQUOT || err == -EINTR)
			return err;
		control.result = err ? ~0ULL : 0;
	} else {
		control.result = ku_call(session, control.command, control.arg);
	}
	if (copy_to_user(user, &control, sizeof(control)))
		return -EFAULT;
	return 0;
}

/* ---- structs with a length in front ---- */

/* A shorter one of the caller is as if the rest were zero, a longer one is refused. */
static int ku_dev_copy_in(void *to, size_t size, const void __user *from)
{
	u32 length;

	if (get_user(length, (const u32 __user *)from))
		return -EFAULT;
	if (length < sizeof(length) || length > size)
		return -EINVAL;
	memset(to, 0, size);
	return copy_from_user(to, from, length) ? -EFAULT : 0;
}

static int ku_dev_copy_out(void __user *to, const void *from, size_t size)
{
	u32 length;

	if (get_user(length, (const u32 __user *)to))
		return -EFAULT;
	return copy_to_user(to, from, min_t(size_t, size, length)) ? -EFAULT : 0;
}

/* ---- sessions ---- */

/* The file is of that session from now on; takes over the reference. */
static int ku_dev_bind(struct ku_file *mine, struct ku_session *session, bool temporary)
{
	struct ku_session *old;
	bool old_temporary;

	mutex_lock(&mine->lock);
	spin_lock(&mine->use);
	if (mine->used) {
		spin_unlock(&mine->use);
		mutex_unlock(&mine->lock);
		return -EBUSY;
	}
	old = mine->session;
	mine->session = session;
	spin_unlock(&mine->use);
	old_temporary = mine->temporary;
	mine->temporary = temporary;
	ku_session_leave(old, mine);
	mine->seen_blocks = 0;
	mine->seen_fired = 0;
	mutex_unlock(&mine->lock);
	if (old_temporary)
		ku_session_destroy(old);
	ku_session_put(old);
	return 0;
}

bool ku_dev_owns(struct ku_session *session)
{
	return session == ku_session_main() || uid_eq(session->owner, current_euid()) ||
	       ku_dev_capable();
}

static int ku_dev_create(struct ku_file *mine, struct kutrace_session *what)
{
	struct ku_session *session = ku_session_create(what);
	int err;

	if (IS_ERR(session))
		return PTR_ERR(session);
	err = ku_dev_bind(mine, session, !session->keep);
	if (err) {
		ku_session_destroy(session);
		ku_session_put(session);
		return err;
	}
	ku_session_describe(session, what);
	return 0;
}

/* By name, or if there is none by number; with a reference. */
static struct ku_session *ku_dev_find(const struct kutrace_session *what)
{
	struct ku_session *session;

	if (strnlen(what->name, sizeof(what->name)) == sizeof(what->name))
		return NULL;
	if (what->name[0])
		return ku_session_find(what->name);
	session = ku_session_next(what->id);
	if (session && session->id != what->id) {
		ku_session_put(session);
		return NULL;
	}
	return session;
}

static int ku_dev_session(struct ku_file *mine, unsigned int cmd, void __user *user)
{
	struct kutrace_session what;
	struct ku_session *session;
	int err = ku_dev_copy_in(&what, sizeof(what), user);

	if (err)
		return err;
	if (cmd == KUTRACE_IOC_SESSION_CREATE) {
		err = ku_dev_create(mine, &what);
		return err ?: ku_dev_copy_out(user, &what, sizeof(what));
	}
	session = cmd == KUTRACE_IOC_SESSION_LIST ? ku_session_next(what.id) :
						    ku_dev_find(&what);
	if (!session)
		return -ENOENT;
	ku_session_describe(session, &what);
	if (cmd == KUTRACE_IOC_SESSION_LIST) {
		ku_session_put(session);
		return ku_dev_copy_out(user, &what, sizeof(what));
	}
	if (!ku_dev_owns(session)) {
		ku_session_put(session);
		return -EACCES;
	}
	if (cmd == KUTRACE_IOC_SESSION_ATTACH) {
		err = ku_dev_bind(mine, session, false);
		if (err)
			ku_session_put(session);
	} else {
		err = ku_session_destroy(session);
		ku_session_put(session);
		ku_point_user_settle();
	}
	return err ?: ku_dev_copy_out(user, &what, sizeof(what));
}

/* ---- what a session records ---- */

static int ku_dev_mask(struct ku_session *session, struct kutrace_switch __user *user)
{
	struct kutrace_switch wanted;
	int err;

	if (copy_from_user(&wanted, user, sizeof(wanted)))
		return -EFAULT;
	wanted.old = ku_session_kinds(session);
	err = ku_session_set_kinds(session, wanted.value, wanted.mask);
	if (err)
		return err;
	ku_point_user_settle();
	wanted.kinds = ku_session_kinds(session);
	return copy_to_user(user, &wanted, sizeof(wanted)) ? -EFAULT : 0;
}

static int ku_dev_filter(struct ku_session *session, void __user *user)
{
	struct kutrace_filter *wanted = kmalloc(sizeof(*wanted), GFP_KERNEL);
	int err;

	if (!wanted)
		return -ENOMEM;
	err = ku_dev_copy_in(wanted, sizeof(*wanted), user);
	if (!err)
		err = ku_filter_set(session, wanted);
	kfree(wanted);
	return err;
}

static int ku_dev_trigger(struct ku_session *session, void __user *user)
{
	struct kutrace_trigger wanted;
	int err = ku_dev_copy_in(&wanted, sizeof(wanted), user);

	if (!err)
		err = ku_trigger_add(session, &wanted);
	return err ?: ku_dev_copy_out(user, &wanted, sizeof(wanted));
}

static int ku_dev_fired(struct ku_file *mine, struct ku_session *session,
			void __user *user)
{
	struct kutrace_fired fired;
	int err = ku_dev_copy_in(&fired, sizeof(fired), user);

	if (err)
		return err;
	WRITE_ONCE(mine->seen_fired, ku_trigger_fired(session, &fired));
	return ku_dev_copy_out(user, &fired, sizeof(fired));
}

static int ku_dev_lost(struct ku_session *session, void __user *user)
{
	struct kutrace_lost *lost = kmalloc(sizeof(*lost), GFP_KERNEL);
	int err;

	if (!lost)
		return -ENOMEM;
	err = ku_dev_copy_in(lost, sizeof(*lost), user);
	if (!err) {
		memset(lost, 0, sizeof(*lost));
		lost->length = sizeof(*lost);
		lost->nkinds = KUTRACE_KINDS;
		ku_session_lost(session, lost->kinds);
		err = ku_dev_copy_out(user, lost, sizeof(*lost));
	}
	kfree(lost);
	return err;
}

/*
 * What ties a file and its session together: not while the file is moved to another one,
 * which would leave behind what nobody ever unties.
 */
static int ku_dev_tie(struct ku_file *mine, struct ku_session *session, unsigned int cmd,
		      unsigned long arg)
{
	int err = 0;

	mutex_lock(&mine->lock);
	if (mine->session != session) {
		/* Another thread has moved it. */
		err = -EBUSY;
	} else if (cmd == KUTRACE_IOC_ATTEND) {
		err = ku_session_attend(session, mine, arg);
	} else {
		session->keep = true;
		mine->temporary = false;
	}
	mutex_unlock(&mine->lock);
	return err;
}

/* With a reference: another thread may change the file's session meanwhile. */
static struct ku_session *ku_dev_session_of(struct ku_file *mine)
{
	struct ku_session *session;

	mutex_lock(&mine->lock);
	session = ku_session_get(mine->session);
	mutex_unlock(&mine->lock);
	return session;
}

static long ku_dev_of_session(struct ku_file *mine, struct ku_session *session,
			      unsigned int cmd, unsigned long arg)
{
	void __user *user = (void __user *)arg;

	if (READ_ONCE(session->dead))
		return -ENODEV;
	switch (cmd) {
	case KUTRACE_IOC_INFO:
		return ku_call_info(session, user, &mine->seen_blocks);
	case KUTRACE_IOC_CONTROL:
		return ku_dev_control(session, user);
	case KUTRACE_IOC_MASK:
		return ku_dev_mask(session, user);
	case KUTRACE_IOC_FILTER:
		return ku_dev_filter(session, user);
	case KUTRACE_IOC_TRIGGER:
		return ku_dev_trigger(session, user);
	case KUTRACE_IOC_FIRED:
		return ku_dev_fired(mine, session, user);
	case KUTRACE_IOC_ATTEND:
		if (arg > 1)
			return -EINVAL;
		fallthrough;
	case KUTRACE_IOC_SESSION_KEEP:
		return ku_dev_tie(mine, session, cmd, arg);
	case KUTRACE_IOC_LOST:
		return ku_dev_lost(session, user);
	default:
		return -ENOTTY;
	}
}

static long ku_dev_ioctl(struct file *file, unsigned int cmd, unsigned long arg)
{
	struct ku_file *mine = file->private_data;
	struct ku_session *session;
	long result;

	switch (cmd) {
	case KUTRACE_IOC_MARK:
		if (!mine->control && !ku_dev_rate(mine->points.user, ku_kind_of(arg)))
			return 0;
		return min(ku_call_point(arg, KU_USER_CATEGORIES), 0);
	case KUTRACE_IOC_POINT:
		if (!mine->control && !ku_dev_rate(mine->points.user, KUTRACE_KIND_TPOINT))
			return 0;
		fallthrough;
	case KUTRACE_IOC_POINT_DEFINE:
	case KUTRACE_IOC_POINT_BYTE:
	case KUTRACE_IOC_POINT_FORGET:
	case KUTRACE_IOC_POINT_LIST:
	case KUTRACE_IOC_POINT_SWITCH:
		return ku_point_ioctl(cmd, arg, &mine->points);
	}
	if (!mine->control)
		return -EPERM;
	switch (cmd) {
	case KUTRACE_IOC_SESSION_CREATE:
	case KUTRACE_IOC_SESSION_ATTACH:
	case KUTRACE_IOC_SESSION_DESTROY:
	case KUTRACE_IOC_SESSION_LIST:
		return ku_dev_session(mine, cmd, (void __user *)arg);
	}
	session = ku_dev_session_of(mine);
	result = ku_dev_of_session(mine, session, cmd, arg);
	ku_session_put(session);
	return result;
}

/* ---- mapping ---- */

/* Its session, and it stays with that from now on. mmap_lock may be held. */
static struct ku_session *ku_dev_use(struct ku_file *mine)
{
	struct ku_session *session;

	spin_lock(&mine->use);
	session = mine->session;
	mine->used = true;
	spin_unlock(&mine->use);
	return session;
}

static vm_fault_t ku_dev_fault(struct vm_fault *vmf)
{
	struct ku_file *mine = vmf->vma->vm_file->private_data;
	u64 offset = (u64)vmf->pgoff << PAGE_SHIFT;
	struct page *page = NULL;

	if (offset >= KUTRACE_MMAP_BYTES)
		page = ku_pool_bytes_page(mine->session, offset - KUTRACE_MMAP_BYTES);
	else if (offset >= KUTRACE_MMAP_BLOCKS)
		page = ku_pool_block_page(mine->session, offset - KUTRACE_MMAP_BLOCKS);
	else if (offset >= KUTRACE_MMAP_AUX)
		page = ku_aux_page(&mine->session->aux, offset - KUTRACE_MMAP_AUX);
	else
		page = ku_pool_meta_page(mine->session, offset);
	if (!page)
		return VM_FAULT_SIGBUS;
	get_page(page);
	vmf->page = page;
	return 0;
}

static const struct vm_operations_struct ku_dev_vm_ops = {
	.fault = ku_dev_fault,
};

static void ku_dev_meta_close(struct vm_area_struct *vma)
{
	ku_point_user_release(vma->vm_file, vma->vm_mm);
}

static const struct vm_operations_struct ku_dev_meta_vm_ops = {
	.fault = ku_dev_fault,
	.close = ku_dev_meta_close,
};

/* Without control only what says whether to mark. */
static int ku_dev_mmap(struct file *file, struct vm_area_struct *vma)
{
	struct ku_file *mine = file->private_data;
	u64 bytes = vma->vm_end - vma->vm_start;
	u64 offset = (u64)vma->vm_pgoff << PAGE_SHIFT;
	struct ku_session *session = ku_dev_use(mine);
	u64 limit;

	if (offset >= KUTRACE_MMAP_BYTES)
		limit = KUTRACE_MMAP_BYTES + ku_pool_bytes_size(session);
	else if (offset >= KUTRACE_MMAP_BLOCKS)
		limit = KUTRACE_MMAP_BLOCKS + ku_pool_block_bytes(session);
	else if (offset >= KUTRACE_MMAP_AUX)
		limit = KUTRACE_MMAP_AUX + mine->session->aux.bytes;
	else
		limit = mine->control ? ku_pool_meta_bytes(session) : PAGE_SIZE;
	if (!mine->control && offset)
		return -EPERM;
	if (offset > limit || bytes > limit - offset)
		return -EINVAL;
	if (vma->vm_flags & VM_WRITE)
		return -EPERM;
	vm_flags_mod(vma, VM_DONTEXPAND | VM_DONTDUMP, VM_MAYWRITE);
	vma->vm_ops = offset ? &ku_dev_vm_ops : &ku_dev_meta_vm_ops;
	return 0;
}

static __poll_t ku_dev_poll(struct file *file, poll_table *wait)
{
	struct ku_file *mine = file->private_data;
	struct ku_session *session = ku_dev_use(mine);
	__poll_t ready = 0;

	poll_wait(file, &session->wait, wait);
	if (!mine->control)
		return EPOLLERR;
	if (READ_ONCE(session->dead))
		ready |= EPOLLHUP;
	if (ku_trigger_done(session) != READ_ONCE(mine->seen_fired))
		ready |= EPOLLPRI;
	if (ku_atomic64_read(&session->ring.taken) != mine->seen_blocks ||
	    !ku_session_is_on(session))
		ready |= EPOLLIN | EPOLLRDNORM;
	return ready;
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
 * @marks_rate: so many marks a second each, for those who may only mark
 */
int ku_dev_init(unsigned int mode, unsigned int gid, bool marks_all,
		const unsigned int *marks_rate)
{
	ku_dev_marks_rate = marks_rate;
	ku_dev_marks_all = marks_all;
	ku_dev_gid = make_kgid(&init_user_ns, gid);
	ku_dev_misc.mode = marks_all ? 0666 : mode & 0666;
	return misc_register(&ku_dev_misc);
}

void ku_dev_exit(void)
{
	misc_deregister(&ku_dev_misc);
}
