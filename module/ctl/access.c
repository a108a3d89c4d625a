// SPDX-License-Identifier: GPL-2.0-only
/*
 * Decides who may control and read recordings, and who may only mark. Must decide by the module's
 * parameters and by the credentials of the opener (file->f_cred), never of the caller: a
 * set-user-ID program may write to a file that another user opened and passed on.
 */
#include <linux/capability.h>
#include <linux/cred.h>
#include <linux/fs.h>
#include <linux/kernel.h>
#include <linux/security.h>
#include <linux/string.h>
#include <linux/user_namespace.h>

#include "ctl/ctl.h"

static bool ku_access_marks_all;
static kgid_t ku_access_gid;
static bool ku_access_ready;

void ku_access_init(bool marks_all, kgid_t gid)
{
	ku_access_marks_all = marks_all;
	ku_access_gid = gid;
}

bool ku_access_all_mark(void)
{
	return ku_access_marks_all;
}

void ku_access_allow(void)
{
	/* Publishes the data that open files use. Pairs with the acquire in ku_access_allowed(). */
	smp_store_release(&ku_access_ready, true);
}

bool ku_access_allowed(void)
{
	/* Pairs with the release in ku_access_allow(). */
	return smp_load_acquire(&ku_access_ready);
}

bool ku_access_locked_down(void)
{
	return security_locked_down(LOCKDOWN_TRACEFS);
}

/* f_cred has the opener's credentials at open(). Later changes do not count. */
bool ku_access_capable(struct file *file)
{
	return file_ns_capable(file, &init_user_ns, CAP_SYS_ADMIN) ||
	       file_ns_capable(file, &init_user_ns, CAP_PERFMON);
}

/*
 * Returns true if the caller is in the group that may control although everyone may mark. Only
 * open() calls this, so the caller is the opener.
 */
static bool ku_access_in_group(void)
{
	return ku_access_marks_all && gid_valid(ku_access_gid) &&
	       !gid_eq(ku_access_gid, GLOBAL_ROOT_GID) && in_egroup_p(ku_access_gid);
}

/*
 * If everyone may mark, everyone can open the file, so being able to open it proves nothing.
 * Otherwise an opener who may write to the file may control.
 */
bool ku_access_may_control(struct file *file)
{
	if (ku_access_capable(file))
		return true;
	if (!(file->f_mode & FMODE_WRITE))
		return false;
	return !ku_access_marks_all || ku_access_in_group();
}

bool ku_access_owns(struct file *file, const struct ku_session *session)
{
	return uid_eq(session->owner, file->f_cred->euid) || ku_access_capable(file);
}

bool ku_access_may_name(struct file *file, const char *name, size_t size)
{
	static const char prefix[] = "uid-";
	char own[sizeof(prefix) + 10];

	if (strncmp(name, prefix, strlen(prefix)) || ku_access_capable(file))
		return true;
	scnprintf(own, sizeof(own), "%s%u", prefix, from_kuid(&init_user_ns, file->f_cred->euid));
	return !strncmp(name, own, size);
}
