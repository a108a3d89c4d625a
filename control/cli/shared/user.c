// SPDX-License-Identifier: BSD-3-Clause
/*
 * Finds the user for the program that run starts, and for the traces. Recording needs root's
 * rights, so sudo often starts this tool. The recorded program does not need these rights, and must
 * not get them.
 *
 * A statically linked program, as for a rescue system, finds only the users in /etc/passwd. For
 * other sources, the C library loads modules that are not available then.
 */
#include "cli/shared/traces.h"

#include <grp.h>
#include <pwd.h>
#include <unistd.h>

#include "cli/base/base.h"

/* weak: NULL in a static program */
#pragma weak getpwnam
#pragma weak getpwuid
#pragma weak getgrouplist

/* Finds a user by name, or by @uid if @name is NULL. Returns NULL with errno 0 if there is none. */
static struct passwd *find_user(const char *name, uid_t uid)
{
	struct passwd *pw;
	FILE *f;

	errno = 0;
	if (getpwnam && getpwuid) {
		pw = name ? getpwnam(name) : getpwuid(uid);
		/* the sources of users report a missing user by different errors: passwd(5) */
		if (!pw && (errno == ENOENT || errno == ESRCH || errno == EBADF || errno == EPERM))
			errno = 0;
		return pw;
	}
	f = fopen("/etc/passwd", "re");
	if (!f)
		return NULL;
	while ((pw = fgetpwent(f)))
		if (name ? !strcmp(pw->pw_name, name) : pw->pw_uid == uid)
			break;
	fclose(f);
	if (!pw)
		errno = 0;
	return pw;
}

static bool in_group(const struct group *gr, const char *name)
{
	char **member = gr->gr_mem;

	while (*member && strcmp(*member, name))
		member++;
	return *member != NULL;
}

/* Finds the groups of a user in /etc/group, as getgrouplist() does. */
static int groups_of_file(const char *name, gid_t gid, gid_t *groups, int *count)
{
	int n = 0, room = *count;
	struct group *gr;
	FILE *f;

	groups[n++] = gid;
	f = fopen("/etc/group", "re");
	while (f && (gr = fgetgrent(f))) {
		if (gr->gr_gid == gid || !in_group(gr, name))
			continue;
		if (n < room)
			groups[n] = gr->gr_gid;
		n++;
	}
	if (f)
		fclose(f);
	*count = n;
	return n <= room ? n : -1;
}

/* Finds all groups that initgroups() would set. Returns 0 or -ENOMEM. */
static int find_groups(const char *name, struct cmd_user *user)
{
	int count = 64, ret;
	gid_t *groups;

	for (;;) {
		groups = reallocarray(user->groups, (size_t)count, sizeof(*groups));
		if (!groups)
			return -ENOMEM;
		user->groups = groups;
		user->ngroups = count;
		ret = getgrouplist ? getgrouplist(name, user->gid, groups, &user->ngroups)
				   : groups_of_file(name, user->gid, groups, &user->ngroups);
		if (ret >= 0)
			return 0;
		count = user->ngroups > count ? user->ngroups : 2 * count;
	}
}

/* Reads an id that sudo has written into the environment. */
static bool env_id(const char *variable, uint32_t *id)
{
	const char *text = getenv(variable);

	return text && cmd_number(text, 0, UINT32_MAX - 1, id);
}

bool cmd_sudo_user(uint32_t *uid, uint32_t *gid)
{
	uint32_t user, group;

	if (geteuid() || !env_id("SUDO_UID", &user) || !user || !env_id("SUDO_GID", &group))
		return false;
	*uid = user;
	*gid = group;
	return true;
}

static int report_no_user(const char *what, const char *option, const char *name)
{
	return cmd_fail("%s: %s%s: %s", what, option, name, errno ? strerror(errno)
			: getpwnam ? "there is no such user"
			: "there is no such user in /etc/passwd");
}

/* Copies the entry, because another search overwrites it. */
static int copy_user(const char *what, const struct passwd *pw, struct cmd_user *user)
{
	user->name = strdup(pw->pw_name);
	user->home = strdup(pw->pw_dir);
	user->shell = strdup(*pw->pw_shell ? pw->pw_shell : "/bin/sh");
	if (!user->name || !user->home || !user->shell || find_groups(user->name, user))
		return cmd_error(what, -ENOMEM);
	return CMD_OK;
}

static int find_named(const char *what, const char *name, struct cmd_user *user)
{
	struct passwd *pw = find_user(name, 0);
	uint32_t uid;

	if (!pw && cmd_number(name, 0, UINT32_MAX - 1, &uid))
		pw = find_user(NULL, uid);
	if (!pw)
		return report_no_user(what, "--user: ", name);
	if (pw->pw_uid == geteuid())
		return CMD_OK;
	if (geteuid())
		return cmd_fail("%s: --user: %s: only root can run a program as another user", what,
				name);
	user->change = true;
	user->uid = pw->pw_uid;
	user->gid = pw->pw_gid;
	return copy_user(what, pw, user);
}

int cmd_find_user(const char *what, const char *name, struct cmd_user *user)
{
	const char *sudo = getenv("SUDO_UID");
	struct passwd *pw;
	char number[20];

	memset(user, 0, sizeof(*user));
	if (name)
		return find_named(what, name, user);
	if (geteuid() || !sudo || !strcmp(sudo, "0"))
		return CMD_OK;
	if (!cmd_sudo_user(&user->uid, &user->gid))
		return cmd_fail("%s: SUDO_UID and SUDO_GID are invalid: name the program's user with "
				"--user NAME", what);
	user->change = true;
	pw = find_user(NULL, user->uid);
	if (pw)
		return copy_user(what, pw, user);
	snprintf(number, sizeof(number), "%u", user->uid);
	if (errno)
		return report_no_user(what, "SUDO_UID: ", number);
	/* an unknown user has the group that sudo passed, and no home */
	user->name = strdup(number);
	user->home = strdup("/");
	user->shell = strdup("/bin/sh");
	user->groups = malloc(sizeof(*user->groups));
	if (!user->name || !user->home || !user->shell || !user->groups)
		return cmd_error(what, -ENOMEM);
	user->groups[0] = user->gid;
	user->ngroups = 1;
	return CMD_OK;
}

int cmd_become_user(const struct cmd_user *user)
{
	if (!user->change)
		return 0;
	if (setgroups((size_t)user->ngroups, user->groups) ||
	    setresgid(user->gid, user->gid, user->gid) ||
	    setresuid(user->uid, user->uid, user->uid))
		return -errno;
	if (setenv("HOME", user->home, 1) || setenv("SHELL", user->shell, 1) ||
	    setenv("USER", user->name, 1) || setenv("LOGNAME", user->name, 1))
		return -errno;
	unsetenv("SUDO_UID");
	unsetenv("SUDO_GID");
	unsetenv("SUDO_USER");
	unsetenv("SUDO_COMMAND");
	return 0;
}

void cmd_free_user(struct cmd_user *user)
{
	free(user->name);
	free(user->home);
	free(user->shell);
	free(user->groups);
	memset(user, 0, sizeof(*user));
}
