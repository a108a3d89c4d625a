// SPDX-License-Identifier: GPL-2.0-only
/*
 * /dev/kutrace/control: open files and the session of each file. Copies structs from and to the
 * caller; call.c and record/ do the work. Must never touch user memory with a lock held.
 */
#include <linux/cred.h>
#include <linux/err.h>
#include <linux/fs.h>
#include <linux/miscdevice.h>
#include <linux/module.h>
#include <linux/poll.h>
#include <linux/slab.h>
#include <linux/string.h>
#include <linux/uaccess.h>

#include "core/kinds.h"
#include "ctl/ctl.h"
#include "point/point.h"
#include "record/internal.h"
#include "record/record.h"
#include "session/sessions.h"
#include "session/triggers.h"
#include "users/user.h"

/* ---- open files ---- */

static int ku_dev_open(struct inode *inode, struct file *file)
{
	struct ku_file *mine;

	if (!ku_access_allowed())
		return -ENODEV;
	mine = kzalloc(sizeof(*mine), GFP_KERNEL_ACCOUNT);
	if (!mine)
		return -ENOMEM;
	mutex_init(&mine->lock);
	spin_lock_init(&mine->use);
	/* Marking reveals nothing about the kernel, so lockdown also allows it. */
	mine->control = ku_access_may_control(file) && !ku_access_locked_down();
	mine->points.file = file;
	mine->points.uses = RB_ROOT;
	if (!mine->control) {
		mine->points.user = ku_user_get_current();
		if (!mine->points.user) {
			kfree(mine);
			return -ENOMEM;
		}
	}
	mine->session = ku_session_get(ku_session_main());
	mine->owns_main = mine->control && ku_access_owns(file, mine->session);
	file->private_data = mine;
	return 0;
}

/* Detaches a closing file from its session. No other thread uses the file any more. */
static void ku_dev_let_go(struct ku_file *mine)
{
	ku_session_unbind(mine->session, mine);
	if (mine->created)
		ku_session_leave(mine->session);
	ku_session_put(mine->session);
}

static int ku_dev_release(struct inode *inode, struct file *file)
{
	struct ku_file *mine = file->private_data;

	ku_point_bytes_release(file, NULL);
	ku_point_release(&mine->points);
	ku_dev_let_go(mine);
	ku_user_put(mine->points.user);
	kfree(mine);
	return 0;
}

static long ku_dev_control(struct ku_session *session, bool owns,
			   struct kutrace_control __user *user)
{
	struct kutrace_control control;
	int err = 0;

	if (copy_from_user(&control, user, sizeof(control)))
		return -EFAULT;
	if (!owns && !ku_call_is_open(control.command))
		return -EACCES;
	switch (control.command) {
	case KUTRACE_CMD_RESET:
		if (control.arg & ~KU_RESET_FLAGS)
			return -EINVAL;
		err = ku_call_reset(session, control.arg, 0);
		control.result = err ? ~0ULL : 0;
		break;
	case KUTRACE_CMD_ON:
		err = ku_call_on(session);
		control.result = err ? ~0ULL : 1;
		break;
	default:
		control.result = ku_call(session, control.command, control.arg);
	}
	/*
	 * The caller needs the cause of these errors, so they become errno. All other errors, such
	 * as -EBUSY and -EOPNOTSUPP, only give result = ~0.
	 */
	if (err == -ENOMEM || err == -EDQUOT || err == -EINTR || err == -ESTALE ||
	    err == -ETIME || err == -ENOBUFS)
		return err;
	if (copy_to_user(user, &control, sizeof(control)))
		return -EFAULT;
	return 0;
}

/* ---- structs that begin with their length ---- */

/* Copies a struct from the caller. Extends a shorter one with zeros, refuses a longer one. */
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

/*
 * Makes @session the session of the file, which has @created it or not. Takes over the caller's
 * reference, except on -EBUSY: the file has been mapped or polled.
 */
static int ku_dev_select(struct ku_file *mine, struct ku_session *session, bool created)
{
	struct ku_session *old;
	bool old_created;

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
	/* A file that selects its own session again has still created it. */
	old_created = mine->created && old != session;
	mine->created = created || (mine->created && old == session);
	ku_session_unbind(old, mine);
	mine->seen_blocks = 0;
	mine->seen_fired = 0;
	mutex_unlock(&mine->lock);
	if (old_created)
		ku_session_leave(old);
	ku_session_put(old);
	return 0;
}

static int ku_dev_create(struct file *file, struct kutrace_session *what)
{
	struct ku_file *mine = file->private_data;
	struct ku_session *session;
	int err;

	if (!ku_access_may_name(file, what->name, sizeof(what->name)))
		return -EACCES;
	session = ku_session_create(what, file->f_cred->euid);
	if (IS_ERR(session))
		return PTR_ERR(session);
	err = ku_dev_select(mine, session, true);
	if (err) {
		ku_session_destroy(session);
		ku_session_put(session);
		return err;
	}
	ku_session_describe(session, what);
	return 0;
}

/* Finds a session by name, or by number if the name is empty. Takes a reference. */
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

/* Only CREATE uses flags and kinds. The other commands also accept a struct that LIST returned. */
static bool ku_dev_session_valid(const struct kutrace_session *what)
{
	return !(what->flags & ~(u32)KUTRACE_SESSION_KEEP) &&
	       !(what->kinds & ~KUTRACE_KINDS_ALL) &&
	       !memchr_inv(what->reserved, 0, sizeof(what->reserved));
}

static int ku_dev_session(struct file *file, unsigned int cmd, void __user *user)
{
	struct ku_file *mine = file->private_data;
	struct kutrace_session what;
	struct ku_session *session;
	int err = ku_dev_copy_in(&what, sizeof(what), user);

	if (err)
		return err;
	if (!ku_dev_session_valid(&what))
		return -EINVAL;
	if (cmd == KUTRACE_IOC_SESSION_CREATE) {
		err = ku_dev_create(file, &what);
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
	if (!ku_access_owns(file, session)) {
		ku_session_put(session);
		return -EACCES;
	}
	if (cmd == KUTRACE_IOC_SESSION_ATTACH) {
		err = ku_dev_select(mine, session, false);
		if (err)
			ku_session_put(session);
	} else {
		err = ku_session_destroy(session);
		ku_session_put(session);
		ku_point_bytes_flush();
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
	if ((wanted.value | wanted.mask) & ~KUTRACE_KINDS_ALL)
		return -EINVAL;
	wanted.old = ku_session_kinds(session);
	err = ku_session_set_kinds(session, wanted.value, wanted.mask);
	if (err)
		return err;
	ku_point_bytes_flush();
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
		err = ku_session_set_filter(session, wanted);
	kfree(wanted);
	return err;
}

static int ku_dev_trigger(struct ku_session *session, void __user *user)
{
	struct kutrace_trigger wanted;
	int err = ku_dev_copy_in(&wanted, sizeof(wanted), user);

	if (!err)
		err = ku_session_add_trigger(session, &wanted);
	return err ?: ku_dev_copy_out(user, &wanted, sizeof(wanted));
}

static int ku_dev_fired(struct ku_file *mine, struct ku_session *session,
			void __user *user)
{
	struct kutrace_fired fired;
	int err = ku_dev_copy_in(&fired, sizeof(fired), user);

	if (err)
		return err;
	if (memchr_inv(fired.reserved, 0, sizeof(fired.reserved)) ||
	    memchr_inv(fired.trigger.reserved, 0, sizeof(fired.trigger.reserved)))
		return -EINVAL;
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
	if (!err && memchr_inv(lost->reserved, 0, sizeof(lost->reserved)))
		err = -EINVAL;
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
 * Binds @session to the file (ATTEND), or lets it outlive the file (KEEP). Holds the file's lock:
 * if the file selected another session meanwhile, closing it would not undo the binding.
 */
static int ku_dev_tie(struct ku_file *mine, struct ku_session *session, unsigned int cmd,
		      unsigned long arg)
{
	int err = 0;

	mutex_lock(&mine->lock);
	if (mine->session != session) {
		/* Another thread has selected another session. */
		err = -EBUSY;
	} else if (cmd == KUTRACE_IOC_ATTEND) {
		err = ku_session_bind(session, mine, arg);
	} else {
		err = ku_session_keep(session);
	}
	mutex_unlock(&mine->lock);
	return err;
}

/* Takes a reference, because another thread may change the file's session meanwhile. */
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
	bool owns = ku_file_owns(mine, session);

	if (READ_ONCE(session->dead))
		return -ENODEV;
	switch (cmd) {
	case KUTRACE_IOC_INFO:
		return ku_call_info(session, user, &mine->seen_blocks);
	case KUTRACE_IOC_LOST:
		return ku_dev_lost(session, user);
	case KUTRACE_IOC_CONTROL:
		return ku_dev_control(session, owns, user);
	}
	if (!owns)
		return -EACCES;
	switch (cmd) {
	case KUTRACE_IOC_MASK:
		return ku_dev_mask(session, user);
	case KUTRACE_IOC_FILTER:
		return ku_dev_filter(session, user);
	case KUTRACE_IOC_TRIGGER:
		return ku_dev_trigger(session, user);
	case KUTRACE_IOC_FIRED:
		return ku_dev_fired(mine, session, user);
	case KUTRACE_IOC_ATTEND:
		return arg > 1 ? -EINVAL : ku_dev_tie(mine, session, cmd, arg);
	case KUTRACE_IOC_SESSION_KEEP:
		return arg ? -EINVAL : ku_dev_tie(mine, session, cmd, arg);
	default:
		return -ENOTTY;
	}
}

static long ku_dev_mark(struct ku_file *mine, u64 entry)
{
	if (!mine->control && !ku_rate_allows(mine->points.user, ku_kind_of(entry)))
		return 0;
	return min(ku_call_point(entry, KU_USER_CATEGORIES), 0);
}

static long ku_dev_mark_entry(struct ku_file *mine, const struct kutrace_mark __user *user)
{
	u64 entry;

	return get_user(entry, &user->entry) ? -EFAULT : ku_dev_mark(mine, entry);
}

static long ku_dev_ioctl(struct file *file, unsigned int cmd, unsigned long arg)
{
	struct ku_file *mine = file->private_data;
	struct ku_session *session;
	long result;

	switch (cmd) {
	case KUTRACE_IOC_MARK:
		return ku_dev_mark(mine, arg);
	case KUTRACE_IOC_MARK_ENTRY:
		return ku_dev_mark_entry(mine, (const void __user *)arg);
	case KUTRACE_IOC_POINT:
		if (!mine->control && !ku_rate_allows(mine->points.user, KUTRACE_KIND_TPOINT))
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
		return ku_dev_session(file, cmd, (void __user *)arg);
	}
	session = ku_dev_session_of(mine);
	result = ku_dev_of_session(mine, session, cmd, arg);
	ku_session_put(session);
	return result;
}

static __poll_t ku_dev_poll(struct file *file, poll_table *wait)
{
	struct ku_file *mine = file->private_data;
	struct ku_session *session = ku_file_use(mine);
	__poll_t ready = 0;

	/*
	 * Each full block wakes all waiters in an interrupt. Other users must not slow the owner's
	 * recording by many registrations, so their files do not enter the wait queue.
	 */
	if (!mine->control || !ku_file_owns(mine, session))
		return EPOLLERR;
	poll_wait(file, &session->wait, wait);
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
	/*
	 * 32-bit programs have the same structs. Other arguments are small numbers, except the
	 * entry of MARK: without its upper half it has no event number, which gives -EINVAL.
	 */
	.compat_ioctl = compat_ptr_ioctl,
	.mmap = ku_map,
	.poll = ku_dev_poll,
	.llseek = noop_llseek,
};

static struct miscdevice ku_dev_misc = {
	.minor = MISC_DYNAMIC_MINOR,
	.name = "kutrace_control",
	.nodename = "kutrace/control",
	.fops = &ku_dev_fops,
};

int ku_dev_init(unsigned int mode)
{
	ku_dev_misc.mode = ku_access_all_mark() ? 0666 : mode & 0666;
	return misc_register(&ku_dev_misc);
}

void ku_dev_exit(void)
{
	misc_deregister(&ku_dev_misc);
}
