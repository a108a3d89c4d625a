/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A set has the bytes that a process registered by one open file. The module writes only 0 or 1,
 * and only to addresses that the process registered in its own memory. Callers hold
 * ku_point_bytes_lock, except where a function's comment has another rule.
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

/* Value of @delivered and @shown if the byte in the program may be neither 0 nor 1. */
#define KU_UNKNOWN	2

struct ku_point_byte {
	struct list_head node;
	struct ku_point *point;
	unsigned long address;
	u8 delivered;		/* flag at the last write, or at the last failed one */
	u8 shown;		/* value in the program; KU_UNKNOWN if a write failed */
	bool owed;		/* only the process itself can write it */
};

enum ku_point_state {
	KU_IDLE,
	KU_QUEUED,		/* counted in ku_point_pending */
	KU_LATE,		/* queued, but ku_point_bytes_flush() no longer waits for it */
};

/*
 * Number of threads of a process that can be asked to write at the same time. If all of them sleep,
 * further threads can be asked: up to KU_POINT_MORE for one set, and KU_POINT_USER_MORE for all
 * sets of a user. All users who may control count as one user.
 */
#define KU_POINT_TASKS		16
#define KU_POINT_MORE		256
#define KU_POINT_USER_MORE	1024

/* A request to one thread to write the due bytes of its process: task.c. */
struct ku_point_task {
	struct callback_head work;
	struct ku_point_mm *set;
	struct task_struct *thread;	/* NULL: the request is free */
	struct hlist_node node;	/* in the set's @more, or unhashed */
};

/* Protected by ku_point_bytes_lock. */
struct ku_point_mm {
	struct hlist_node node;	/* in ku_point_mms, unless @gone */
	struct kref ref;	/* references by the table, queued work, and requests to threads */
	struct mm_struct *mm;	/* grabbed; the address space itself may be gone */
	struct pid *process;	/* process that registered the bytes, or that shares its memory */
	const void *file;
	struct ku_user *user;	/* the opener, if the opener may only mark; otherwise NULL */
	bool gone;		/* not in the table: nothing is written any more */
	bool handed;		/* every thread of the process has a request to write */
	struct ku_point_task tasks[KU_POINT_TASKS];
	struct hlist_head more;	/* requests beyond @tasks */
	u32 more_count;
	pid_t next;		/* pid of the thread at which the next scan begins; 0: the leader */
	unsigned long wait;	/* delay in jiffies before the next requests to threads */
	enum ku_point_state state;
	u32 count;
	struct list_head bytes;
	struct delayed_work work;
};

/*
 * Protects all sets. With this lock held, code takes only spinlocks, does not sleep for memory, and
 * does not fault in pages. mmap_lock is taken before it.
 */
extern struct mutex ku_point_bytes_lock;

void ku_point_mm_put(struct ku_point_mm *set);
void ku_point_byte_free(struct ku_point_byte *byte);
struct ku_point_byte *ku_point_byte_find(struct ku_point_mm *set, unsigned long address);
bool ku_point_byte_due(const struct ku_point_byte *byte);
/*
 * Writes all due bytes. mmap_lock is also held, so that nothing else can be mapped at the address
 * of a byte before the byte is written or the set is gone. Returns the first byte that needs a
 * fault, or NULL.
 */
struct ku_point_byte *ku_point_mm_write(struct ku_point_mm *set);
/*
 * Writes all due bytes in the context of the process, and may wait for its pages. When no byte is
 * due any more, marks the request @task as free, if not NULL. Returns 0 or -EINTR. No lock held.
 */
int ku_point_mm_write_own(struct ku_point_mm *set, struct ku_point_task *task);
/* Runs the set's work item after @delay jiffies, unless it is queued. */
void ku_point_mm_again(struct ku_point_mm *set, unsigned long delay);
/* Makes the work queues. Returns 0 or -ENOMEM. */
int ku_point_queue_init(void);
/* Destroys the work queues, and waits for work items that still run. No set may be left. */
void ku_point_queue_exit(void);
/* Returns the queue of the set's work item. Users who may only mark have a queue of their own. */
struct workqueue_struct *ku_point_queue_of(const struct ku_point_mm *set);

/* ---- task.c: writes that only the process itself can make ---- */

/*
 * Asks threads of the process to write the due bytes before they execute another instruction in
 * user space. Sets set->handed if every thread was asked, and clears it otherwise. Takes bounded
 * time. Under ku_point_bytes_lock; the process still has its memory.
 */
void ku_point_hand_over(struct ku_point_mm *set);
/* Waits until no thread executes code of task.c. No set may be left. */
void ku_point_task_exit(void);

#endif
