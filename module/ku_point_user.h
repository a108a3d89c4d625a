/* SPDX-License-Identifier: GPL-2.0-only */
/* What ku_point_user.c and ku_point_task.c share: the bytes that a process gave by one file. */
#ifndef KU_POINT_USER_H
#define KU_POINT_USER_H

#include <linux/kref.h>
#include <linux/list.h>
#include <linux/mutex.h>
#include <linux/types.h>
#include <linux/workqueue.h>

struct ku_user;
struct mm_struct;

enum ku_point_state {
	KU_IDLE,
	KU_QUEUED,		/* counted in ku_point_pending */
	KU_LATE,		/* it kept somebody waiting for too long: nobody waits for it */
};

/* All of it under ku_point_user_lock. */
struct ku_point_mm {
	struct hlist_node node;	/* in ku_point_mms, unless gone */
	struct kref ref;	/* of the table, of the work, of threads that are to write */
	struct mm_struct *mm;	/* its memory may be gone */
	const void *file;
	struct ku_user *user;	/* who may only mark; or NULL */
	bool gone;		/* not in the table: nothing more is written */
	bool handed;		/* all threads of the process write what it owes, */
	struct list_head tasks;	/* these of them have not done so yet */
	enum ku_point_state state;
	u32 count;
	struct list_head bytes;
	struct delayed_work work;
};

extern struct mutex ku_point_user_lock;

/* Gives a reference back; under ku_point_user_lock. */
void ku_point_mm_put(struct ku_point_mm *set);
/* For a thread of the process, see there. */
int ku_point_mm_write_own(struct ku_point_mm *set, struct list_head *done);

/* ---- ku_point_task.c ---- */

/*
 * Every thread of the process will write what is due before it executes another instruction of
 * its own, and set->handed says whether that is so. Under ku_point_user_lock; the process
 * has its memory.
 */
void ku_point_hand_over(struct ku_point_mm *set);
/* No set is left. On return none of our code runs in a process. */
void ku_point_task_exit(void);

#endif
