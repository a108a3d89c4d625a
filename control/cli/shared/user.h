/* SPDX-License-Identifier: BSD-3-Clause */
/* The user of a program and of the traces. */
#ifndef KU_CLI_SHARED_USER_H
#define KU_CLI_SHARED_USER_H

#include <stdbool.h>
#include <stdint.h>

/* The user of a program. */
struct cmd_user {
	bool change;		/* change to this user; otherwise the other members are not used */
	uint32_t uid, gid;
	char *name, *home, *shell;
	uint32_t *groups;
	int ngroups;
};

/*
 * Stores the user and group of the caller of sudo, and returns true, if this process is root by
 * sudo. Otherwise returns false and stores nothing.
 */
bool cmd_sudo_user(uint32_t *uid, uint32_t *gid);
/*
 * Finds the user with that name; NULL: the caller of sudo, or no change. Returns CMD_OK, or
 * CMD_FAILED after a message. The caller must call cmd_free_user() in both cases.
 */
int cmd_find_user(const char *what, const char *name, struct cmd_user *user);
/* Changes this process to the user, including groups and environment. Returns 0 or -errno. */
int cmd_become_user(const struct cmd_user *user);
void cmd_free_user(struct cmd_user *user);

#endif
