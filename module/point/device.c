// SPDX-License-Identifier: GPL-2.0-only
/*
 * Calls of the device about typed tracepoints: copies structs from and to the caller, and checks
 * them. Must not trust lengths and ids.
 */
#include <linux/nospec.h>
#include <linux/rcupdate.h>
#include <linux/string.h>
#include <linux/uaccess.h>

#include "point/point.h"
#include "session/state.h"

static long ku_point_ioctl_def(unsigned int cmd, struct kutrace_point_def __user *user,
			       struct ku_point_file *file)
{
	struct kutrace_point_def def;
	int id;

	if (copy_from_user(&def, user, sizeof(def)))
		return -EFAULT;
	if (def.length != sizeof(def) || memchr_inv(def.reserved, 0, sizeof(def.reserved)))
		return -EINVAL;
	if (cmd == KUTRACE_IOC_POINT_DEFINE) {
		if (strnlen(def.text, sizeof(def.text)) == sizeof(def.text))
			return -EINVAL;
		id = ku_point_define(def.text, file, NULL);
		if (id < 0)
			return id;
		def.id = (u32)id;
	}
	if (!ku_point_next(def.id, &def))
		return -ENOENT;
	return copy_to_user(user, &def, sizeof(def)) ? -EFAULT : 0;
}

static long ku_point_ioctl_switch(struct kutrace_point_switch __user *user)
{
	struct kutrace_point_switch wanted;

	if (copy_from_user(&wanted, user, sizeof(wanted)))
		return -EFAULT;
	if (wanted.length != sizeof(wanted) || wanted.value > 1 ||
	    strnlen(wanted.name, sizeof(wanted.name)) == sizeof(wanted.name))
		return -EINVAL;
	wanted.count = ku_point_switch(wanted.name, wanted.value);
	if (!wanted.count)
		return -ENOENT;
	ku_point_bytes_flush();
	wanted.behind = ku_point_bytes_late();
	return copy_to_user(user, &wanted, sizeof(wanted)) ? -EFAULT : 0;
}

static long ku_point_ioctl_record(const struct kutrace_point_entry __user *user)
{
	struct kutrace_point_entry entry;
	struct ku_point *point;

	if (copy_from_user(&entry, user, sizeof(entry)))
		return -EFAULT;
	if (entry.nwords > KUTRACE_POINT_WORDS)
		return -EINVAL;
	entry.nwords = array_index_nospec(entry.nwords, KUTRACE_POINT_WORDS + 1);
	rcu_read_lock();
	point = ku_point_get(entry.id);
	/*
	 * The flag is clear if the tracepoint was switched off since the program read its byte, or
	 * if the program has no byte.
	 */
	if (point && READ_ONCE(point->flag)) {
		WRITE_ONCE(point->recorded, ku_sessions_resets() + 1);
		ku_point_emit(entry.id, entry.words, entry.nwords);
	}
	rcu_read_unlock();
	return point ? 0 : -EINVAL;
}

/* Returns the definition, counted as used by a byte, or NULL. */
static struct ku_point *ku_point_get_for_byte(u32 id)
{
	struct ku_point *point;

	rcu_read_lock();
	point = ku_point_get(id);
	if (point && !atomic_inc_unless_negative(&point->bytes))
		point = NULL;
	rcu_read_unlock();
	return point;
}

static long ku_point_ioctl_byte(const struct kutrace_point_byte __user *user,
				const struct ku_point_file *file)
{
	struct kutrace_point_byte byte;
	struct ku_point *point;
	int err;

	if (copy_from_user(&byte, user, sizeof(byte)))
		return -EFAULT;
	if (byte.length != sizeof(byte) || byte.reserved)
		return -EINVAL;
	if (byte.address != (unsigned long)byte.address)
		return -EFAULT;
	point = ku_point_get_for_byte(byte.id);
	if (!point)
		return -EINVAL;
	err = ku_point_bytes_follow(file, point, byte.address);
	if (err)
		ku_point_byte_gone(point);
	return err;
}

long ku_point_ioctl(unsigned int cmd, unsigned long arg, struct ku_point_file *file)
{
	bool control = !file->user;
	void __user *user = (void __user *)arg;

	switch (cmd) {
	case KUTRACE_IOC_POINT:
		return ku_point_ioctl_record(user);
	case KUTRACE_IOC_POINT_DEFINE:
		return ku_point_ioctl_def(cmd, user, file);
	case KUTRACE_IOC_POINT_BYTE:
		return ku_point_ioctl_byte(user, file);
	case KUTRACE_IOC_POINT_FORGET:
		return ku_point_bytes_forget(arg);
	case KUTRACE_IOC_POINT_LIST:
		return control ? ku_point_ioctl_def(cmd, user, file) : -EPERM;
	case KUTRACE_IOC_POINT_SWITCH:
		return control ? ku_point_ioctl_switch(user) : -EPERM;
	default:
		return -ENOTTY;
	}
}
