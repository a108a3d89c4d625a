/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Users who may only mark: what each of them has, so that none uses up what others need. It
 * must know nothing of what is counted. Called by point/ and ctl/, in process context.
 */
#ifndef KU_USER_H
#define KU_USER_H

#include <linux/atomic.h>
#include <linux/types.h>
#include <linux/uidgid.h>

struct ku_user {
	struct hlist_node node;
	kuid_t uid;
	u32 refs;		/* under the lock of the table */
	atomic64_t marks_due;	/* for ku_user_rate() */
	atomic64_t names_due;	/* for ku_user_rate_wait() */
	u32 defs;		/* typed tracepoints; point/definition.c */
	u32 bytes;		/* that follow them; point/bytes.c */
	u32 requests;		/* to threads to write these; point/task.c */
};

/* The calling user, with a reference; NULL: no memory. May sleep. */
struct ku_user *ku_user_get_current(void);
/* Any lock that is taken with interrupts on may be held. */
struct ku_user *ku_user_get(struct ku_user *user);
void ku_user_put(struct ku_user *user);
/* @limit: marks a second that a user can make; 0: any number. Read at every mark. */
void ku_user_rate_init(const unsigned int *limit);
/* Returns true if the user may make another mark now. Any context. */
bool ku_user_rate(struct ku_user *user);
/*
 * Counts @names names, and sleeps as long as the user's rate demands. Names have a rate of their
 * own, of the same limit: they cost no mark, and marks do not delay them. Other users do not wait.
 * Returns 0, or -EINTR: the caller is being killed.
 */
int ku_user_rate_wait(struct ku_user *user, u32 names);
/* Nobody has any reference. */
void ku_user_exit(void);

#endif
