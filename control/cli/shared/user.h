/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Whom a program and the traces belong to, see user.c.
 */
#ifndef KU_CLI_SHARED_USER_H
#define KU_CLI_SHARED_USER_H

#include <stdbool.h>
#include <stdint.h>

/* Whom a program belongs to. */
struct cmd_user {
	bool change;		/* to another one; else none of the rest counts */
	uint32_t uid, gid;
	char *name, *home, *shell;
	uint32_t *groups;
	int ngroups;
};

/* Who called sudo, if this is root by it; else both stay as they are. */
bool cmd_sudo_user(uint32_t *uid, uint32_t *gid);
/*
 * The user of that name; NULL: who called sudo, or as it is. CMD_OK or CMD_FAILED after a
 * message; cmd_forget_user() in both cases.
 */
int cmd_find_user(const char *what, const char *name, struct cmd_user *user);
/* This process is that user's from now on, groups and environment too. 0 or -errno. */
int cmd_become_user(const struct cmd_user *user);
void cmd_forget_user(struct cmd_user *user);

#endif
