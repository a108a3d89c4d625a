/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Limits for users who may only mark, so that one of them cannot use up what other users need. Must
 * not depend on the kind of the counted resource. Process context.
 */
#ifndef KU_USER_H
#define KU_USER_H

#include <linux/atomic.h>
#include <linux/types.h>
#include <linux/uidgid.h>

struct ku_user {
	struct hlist_node node;
	kuid_t uid;
	u32 refs;		/* under ku_user_lock */
	atomic64_t marks_due;	/* for ku_user_rate(), ns */
	atomic64_t names_due;	/* for ku_user_rate_wait(), ns */
	u32 defs;		/* typed tracepoints: point/definition.c */
	u32 uses;		/* uses of these by open files: point/definition.c */
	u32 bytes;		/* bytes of programs that follow typed tracepoints: point/bytes.c */
	u32 requests;		/* requests to threads to write such bytes: point/task.c */
};

/* Returns the calling user with a reference, or NULL: no memory. May sleep. */
struct ku_user *ku_user_get_current(void);
/* Takes a reference. @user may be NULL. Does not sleep; not in interrupts. */
struct ku_user *ku_user_get(struct ku_user *user);
void ku_user_put(struct ku_user *user);
/* @limit: permitted marks per second and user; 0: no limit. Read at every mark. */
void ku_user_rate_init(const unsigned int *limit);
/* Returns true if the user may make another mark now, and counts it. Does not sleep. */
bool ku_user_rate(struct ku_user *user);
/*
 * Counts @names names, and sleeps as long as the user's rate demands. Names and marks have the same
 * limit, but are counted separately. Other users do not wait. Returns 0, or -EINTR if the caller is
 * being killed.
 */
int ku_user_rate_wait(struct ku_user *user, u32 names);
/* Frees all users. No references may be left. */
void ku_user_exit(void);

#endif
