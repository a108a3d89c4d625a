/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Names of numbered objects in a trace (pids, system calls, locks ...), lives of pids, and names of
 * kernel threads. A later definition of a name replaces earlier ones.
 */
#ifndef KP_MODEL_NAMES_H
#define KP_MODEL_NAMES_H

#include "base/memory.h"
#include "model/span.h"

struct kp_name {
	uint32_t base;
	uint32_t number;
	uint32_t len;		/* length of the name in bytes */
	uint32_t room;		/* number of bytes allocated at text; 0: no name yet */
	char *text;		/* the name, with a NUL after it */
	uint32_t kind;		/* enum kutrace_task_kind of a task; later names do not change it */
};

struct kp_names {
	struct kp_map index;		/* map from (base, number) to the index in list */
	KP_VECTOR(struct kp_name) list;
};

/* Sets the name of object @number of kind @base. Returns 0, or -1 without memory. */
int kp_names_set(struct kp_names *names, uint32_t base, uint32_t number,
		 const char *text, size_t len);

/* Sets the task kind of @number. Does nothing if the object has no name. */
void kp_names_set_kind(struct kp_names *names, uint32_t base, uint32_t number, uint32_t kind);

/* Returns the object's name, or NULL. The pointer is valid until the next kp_names_set(). */
const struct kp_name *kp_names_get(const struct kp_names *names, uint32_t base,
				   uint32_t number);

void kp_names_free(struct kp_names *names);

/*
 * Returns whether a row's name, such as "work.51", is @wanted without the pid ("work"), or all of
 * it ("work.51").
 */
bool kp_is_name_of(const char *name, size_t len, const char *wanted);

/*
 * Lives of pids: distinguishes threads that had the same pid one after the other, by their rows.
 *
 * The rows must be ordered by their start. The rows of one thread have no gap: it runs or waits. So
 * a row after a thread's exit (task_exit) and a gap belongs to another thread. In a trace with a
 * coarser resolution, shorter rows may be missing. There only a gap of twice the resolution counts,
 * because a run and the next wait may both be missing. The time in a pause does not count. A gap that
 * begins before the events of all CPUs are complete does not count either: waits have no rows there.
 *
 * The pid is free before the thread leaves its CPU for the last time. So a run or a wait after the
 * exit also belongs to another thread if it is on another CPU than the thread's last run and overlaps
 * this run by as much as such a gap. Rows that continue on the CPU of that run still belong to the
 * earlier thread. A wakeup that overlaps the run shows no new thread: the exiting thread may be going
 * to sleep.
 */

#define KP_LIFE_GAP	10	/* units of 10 ns; shorter waits have no row */

struct kp_life {
	uint32_t number;	/* number of earlier threads with this pid */
	/* value of "number" for the thread of the last row */
	uint32_t of_row;
	bool exiting;
	int64_t until;		/* end of the thread's last row; INT64_MAX: no row yet */
	int32_t cpu;		/* CPU of the thread's last run */
	int64_t ran_until;	/* end of the thread's last run */
	int32_t before_cpu;	/* CPU of the last run of the previous thread with this pid */
	/* end of that run; 0: none */
	int64_t before_until;
};

/* Lives of all pids. All zero at the beginning. */
struct kp_lives {
	int64_t resolution;	/* resolution of the rows, in units of 10 ns; 0: full */
	int64_t paused, resumed;	/* beginning and end of the last pause */
	int64_t complete;	/* before this time, rows may be missing; 0: none are */
	struct kp_map index;	/* map from pid to the index in list */
	KP_VECTOR(struct kp_life) list;
};

/* Reads from the header which rows may be missing. Must be called before the first row. */
void kp_lives_header(struct kp_lives *lives, const struct kp_header_item *items, size_t count);
/* Processes the next row. Returns kp_lives_of() for its pid, or -1 without memory. */
int64_t kp_lives_row(struct kp_lives *lives, const struct kp_span *span);
/* Returns the number of earlier threads with @pid, for the thread of the last row with @pid. */
uint32_t kp_lives_of(const struct kp_lives *lives, int64_t pid);
/* Returns whether thread @pid has exited. It may still run. */
bool kp_lives_exiting(const struct kp_lives *lives, int64_t pid);
void kp_lives_free(struct kp_lives *lives);

/*
 * Recognize kernel threads by their names, for traces that do not record the kind of a task. A
 * thread that does something that only user code can do is no kernel thread, in spite of its name.
 */

#define KP_KTHREADD	2	/* pid of the thread that creates all kernel threads */

/* Returns true for the name of a kernel thread or a worker, see kp_is_worker_name(). */
bool kp_is_kernel_name(const char *text, size_t len);
/* Returns true for a worker of io_uring, vhost or KVM: a thread of a program in the kernel. */
bool kp_is_worker_name(const char *text, size_t len);

/* Returns the map key of a thread. A pid has at most 32 bits. */
static inline uint64_t kp_life_key(int64_t pid, int64_t life)
{
	return (uint64_t)pid ^ (uint64_t)life << 33;
}

#endif
