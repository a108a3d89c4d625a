/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Explains why a thread did not run: for each gap, the reason of the wait, its waker and the waker's
 * call, and the threads that had the CPU while it was runnable. Also finds the critical path.
 *
 * Holds the rows of the requested time, about 50 bytes each. Must not explain what the rows do not
 * show: a waker without a row is unknown.
 */
#ifndef KP_REPORT_WHY_H
#define KP_REPORT_WHY_H

#include <stdio.h>

#include "base/memory.h"
#include "model/names.h"
#include "model/span.h"

/* One row of execution. */
struct kp_why_exec {
	int64_t start, end;
	int64_t pid, event;
	const struct kp_str *name;
	bool kernel;		/* own code of a thread that never leaves the kernel */
};

/* Uninterrupted execution of one pid on one CPU; interrupts belong to it. */
struct kp_why_run {
	int64_t start, end;
	uint32_t cpu;
	size_t first, last;	/* its rows: indexes into the CPU's execs */
	size_t pid;		/* index into pids */
};

struct kp_why_wake {
	int64_t at, end;	/* the arc: from the wakeup until the thread runs */
	int32_t cpu;		/* of the waker */
	int64_t waker;		/* pid */
};

struct kp_why_wait {
	int64_t start, end;
	int64_t event;
	const struct kp_str *name;
};

/* A time during which no run continues. */
struct kp_why_pause {
	int64_t start;
	int64_t end;		/* recording was off until then; start: it was on, but one CPU's
				 * state is unknown */
};

struct kp_why_cpu {
	KP_VECTOR(struct kp_why_exec) execs;
	KP_VECTOR(struct kp_why_run) runs;
};

struct kp_why_pid {
	int64_t pid;
	const struct kp_str *name;	/* as in its rows, such as "work.51" */
	KP_VECTOR(struct kp_why_run) runs;
	KP_VECTOR(size_t) gaps;		/* for each gap, index of the run after it */
	KP_VECTOR(struct kp_why_wake) wakes;
	KP_VECTOR(struct kp_why_wait) waits;
	size_t holder;			/* for kp_why_holders(): index in its list + 1, or 0 */
};

struct kp_why {
	int64_t from, to;	/* units of 10 ns; requested, at the end limited to the rows */
	/* private */
	struct kp_why_cpu *cpus[65536];
	uint32_t cpu_count;	/* highest CPU in use + 1 */
	KP_VECTOR(struct kp_why_pid) pids;
	struct kp_lives lives;
	KP_VECTOR(struct kp_why_pause) pauses;	/* sorted, each start once */
	struct kp_map by_pid;	/* kp_life_key() -> index in pids */
	struct kp_strings strings;
	int64_t complete;	/* events of some CPUs are missing before that time; 0: none are */
	bool no_memory;
	int64_t first, last;	/* start and end of all execution */
	bool any;
};

struct kp_why_holder {
	size_t pid;		/* index into pids */
	int64_t time;
};

struct kp_why_gap {
	int64_t start, end;
	bool is_new;			/* before the thread's first run */
	const struct kp_why_exec *in;	/* call or code when it stopped; NULL: new, or unknown */
	const struct kp_why_run *next;
	const struct kp_why_wait *wait;	/* the wait, or NULL: it was runnable all the time */
	const struct kp_why_wake *wake;	/* NULL: the wakeup was not recorded */
	const struct kp_why_exec *waker_in;	/* what the waker executed */
	const struct kp_why_exec *inside;	/* waker_in is a softirq inside this system call */
	int64_t runnable;		/* from then to the end it waited for a CPU */
	KP_VECTOR(struct kp_why_holder) holders;	/* by kp_why_holders(); most time first */
};

/* Time by name. All zero: empty. */
struct kp_why_sum {
	const struct kp_str *name;
	int64_t time;
};

struct kp_why_sums {
	KP_VECTOR(struct kp_why_sum) list;	/* in the order of first use */
	struct kp_map place;		/* name -> index in the list */
};

/* Adds @time to the sum of @name, a string of why->strings. Returns 0, or -1 without memory. */
int kp_why_sums_add(struct kp_why_sums *sums, const struct kp_str *name, int64_t time);
void kp_why_sums_free(struct kp_why_sums *sums);

#define KP_WHY_CHECK	4096	/* gaps, runs or steps between two checks for an interrupt */

enum kp_why_kind { KP_WHY_RUN, KP_WHY_CPU, KP_WHY_WAIT, KP_WHY_UNKNOWN, KP_WHY_OFF };

/* A part of the critical path. */
struct kp_why_step {
	enum kp_why_kind kind;
	int64_t start, end;
	size_t pid;			/* index into pids */
	uint32_t cpu;			/* on which it ran, or for which it waited */
	const struct kp_str *what;	/* run: name with the most time; wait: its reason */
	bool kernel;			/* KP_WHY_RUN: the thread's own code is kernel code */
	const struct kp_why_wait *wait;	/* KP_WHY_WAIT: the wait; otherwise NULL */
	const struct kp_why_exec *in;	/* its last code before the wait; or NULL */
};

typedef KP_VECTOR(struct kp_why_step) kp_why_steps;

/* @from = @to = 0: the whole trace. */
void kp_why_init(struct kp_why *why, int64_t from, int64_t to);
struct kp_span_sink kp_why_sink(struct kp_why *why);
void kp_why_free(struct kp_why *why);

/* Returns the index of the thread that had @pid at time @at, or -1 if no row belongs to it. */
int64_t kp_why_at(const struct kp_why *why, int64_t pid, int64_t at);
/* Returns the index of the last thread with @pid that ran, or -1 if no row belongs to it. */
int64_t kp_why_find(const struct kp_why *why, int64_t pid);
/* Returns the index of the thread that ran last, except idle; -1: none ran. */
int64_t kp_why_last(const struct kp_why *why);

/*
 * Returns the number of gaps of a thread. The time before its first run is the first gap, if its
 * wakeup was recorded.
 */
size_t kp_why_gap_count(const struct kp_why *why, size_t pid);
/* Explains the n-th gap, except its holders. */
void kp_why_gap(const struct kp_why *why, size_t pid, size_t n, struct kp_why_gap *gap);
/*
 * Finds the threads that had the CPU while the gap's thread waited for it. The caller frees
 * gap->holders.items. Returns 0, or -1 without memory or after an interrupt.
 */
int kp_why_holders(struct kp_why *why, struct kp_why_gap *gap);

/* Returns how long recording was off between two times. */
int64_t kp_why_paused(const struct kp_why *why, int64_t start, int64_t end);
/* Returns whether a pause of the recording begins between two times. */
bool kp_why_paused_between(const struct kp_why *why, int64_t start, int64_t end);

/* Returns the index of the first run that ends after @at, or @count. */
size_t kp_why_run_after(const struct kp_why_run *runs, size_t count, int64_t at);
/*
 * Returns whether the thread has a gap before its run @next, which is not its first. There is no
 * gap between adjacent runs on several CPUs. Where recording was off, or events of some CPUs are
 * missing, the thread may have run, so this is no gap either.
 */
bool kp_why_is_gap(const struct kp_why *why, const struct kp_why_pid *pid, size_t next);
/* Explains the gap before the run @next of the thread; 0: the time before its first run. */
void kp_why_explain(const struct kp_why *why, size_t index, size_t next, struct kp_why_gap *gap);

/* Returns whether this is a thread's own code or idle. Such rows have the thread's name. */
static inline bool kp_why_is_user(const struct kp_why_exec *exec)
{
	return exec->event >= KP_EVENT_USER;
}

/*
 * Follows the critical path from the end of the range, or of the thread's last run, back to the
 * beginning: the work that had to be done before the thread could get there. The last step comes
 * first, and each step ends where the previous step in the list begins. Returns 0, or -1 without
 * memory or after an interrupt.
 */
int kp_why_path(const struct kp_why *why, size_t pid, kp_why_steps *steps);

/* Print why threads did not run. */
void kp_why_text(struct kp_why *why, int64_t pid, FILE *out);
void kp_why_json(struct kp_why *why, int64_t pid, FILE *out);

#endif
