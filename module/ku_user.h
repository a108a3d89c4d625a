/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Users who may only mark: what each of them has, so that nobody takes what others want.
 * Process context.
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
	atomic64_t due;		/* for ku_user_rate() */
	u32 defs;		/* typed tracepoints; ku_point.c */
	u32 bytes;		/* that follow them; ku_point_user.c */
};

/* The calling user, with a reference; NULL: no memory. May sleep. */
struct ku_user *ku_user_get_current(void);
/* Any lock that is taken with interrupts on may be held. */
struct ku_user *ku_user_get(struct ku_user *user);
void ku_user_put(struct ku_user *user);
/* May he make another mark, at so many a second? 0: any number. */
bool ku_user_rate(struct ku_user *user, unsigned int rate);
/* Nobody has any reference. */
void ku_user_exit(void);

#endif
