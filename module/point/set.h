/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The bytes that a process gave by one open file, and writing them. Must never write but 0 or 1,
 * nor where the process itself did not say that a byte of its own memory is. Called by bytes.c,
 * and by task.c for threads of the process. All of it under ku_point_bytes_lock.
 */
#ifndef KU_POINT_SET_H
#define KU_POINT_SET_H

#include <linux/kref.h>
#include <linux/list.h>
#include <linux/mutex.h>
#include <linux/types.h>
#include <linux/workqueue.h>

struct ku_point;
struct ku_point_mm;
struct ku_user;
struct mm_struct;
struct pid;
struct task_struct;

/* What a byte holds: neither 0 nor 1. */
#define KU_UNKNOWN	2

struct ku_point_byte {
	struct list_head node;
	struct ku_point *point;
	unsigned long address;
	u8 delivered;		/* the flag that was last written, or given up on */
	u8 shown;		/* what it holds, as far as we know */
	bool owed;		/* its process has to write it */
};

enum ku_point_state {
	KU_IDLE,
	KU_QUEUED,		/* counted in ku_point_pending */
	KU_LATE,		/* it kept somebody waiting for too long: nobody waits for it */
};

/*
 * Threads of one process that can be asked to write, at the same time; and how many more where
 * all of these sleep: of one set, and of all sets of a user. Users who may control count as one.
 */
#define KU_POINT_TASKS		16
#define KU_POINT_MORE		256
#define KU_POINT_USER_MORE	1024

/* A request to one thread to write the due bytes of its process: see task.c. */
struct ku_point_task {
	struct callback_head work;
	struct ku_point_mm *set;
	struct task_struct *thread;	/* NULL: the request is free */
	struct hlist_node node;	/* in the set's @more, or unhashed */
};

/* All of it under ku_point_bytes_lock. */
struct ku_point_mm {
	struct hlist_node node;	/* in ku_point_mms, unless gone */
	struct kref ref;	/* of the table, of the work, of threads that are to write */
	struct mm_struct *mm;	/* its memory may be gone */
	struct pid *process;	/* the process that gave the bytes, or one that shares its memory */
	const void *file;
	struct ku_user *user;	/* who may only mark; or NULL */
	bool gone;		/* not in the table: nothing more is written */
	bool handed;		/* every thread of the process is asked to write */
	struct ku_point_task tasks[KU_POINT_TASKS];
	struct hlist_head more;	/* requests beside @tasks */
	u32 more_count;
	pid_t next;		/* thread at which the next scan begins; 0: the first one */
	unsigned long wait;	/* jiffies before the next attempt to find a thread */
	enum ku_point_state state;
	u32 count;
	struct list_head bytes;
	struct delayed_work work;
};

/*
 * Inside it nothing is taken but spinlocks, no memory is allocated that would have to be waited
 * for, and no page faulted in. It is taken inside mmap_lock.
 */
extern struct mutex ku_point_bytes_lock;

/* Gives a reference back. */
void ku_point_mm_put(struct ku_point_mm *set);
void ku_point_byte_free(struct ku_point_byte *byte);
struct ku_point_byte *ku_point_byte_find(struct ku_point_mm *set, unsigned long address);
bool ku_point_byte_due(const struct ku_point_byte *byte);
/*
 * Writes all that is due; mmap_lock is held, too: so nothing else can have been mapped where a
 * byte is before it has been written or the set is gone. The first byte that takes a fault, or
 * NULL: there is none.
 */
struct ku_point_byte *ku_point_mm_write(struct ku_point_mm *set);
/*
 * Writes all due bytes in the context of the process, and may wait for its pages. Frees @task,
 * which may be NULL, together with the last check of what is due. Returns 0 or -EINTR. No lock
 * may be held.
 */
int ku_point_mm_write_own(struct ku_point_mm *set, struct ku_point_task *task);
/* Runs the set's work item after @delay jiffies, unless it is queued. */
void ku_point_mm_again(struct ku_point_mm *set, unsigned long delay);
/* Makes the queues of the work items. Returns 0 or -ENOMEM. */
int ku_point_queue_init(void);
/* Waits for the work items that still run. No set may be left. */
void ku_point_queue_exit(void);
/* Returns the queue of the set's work item. Users who may only mark have a queue of their own. */
struct workqueue_struct *ku_point_queue_of(const struct ku_point_mm *set);

#endif
