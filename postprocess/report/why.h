/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Explains the gaps of a thread: the reason of the wait, the waker and its call, and the threads
 * that had the CPU while the thread was runnable. Also finds the critical path.
 *
 * Holds the rows of the requested time in memory, about 50 bytes each. Must not explain more than
 * the rows show: a waker without a row is unknown.
 */
#ifndef KP_REPORT_WHY_H
#define KP_REPORT_WHY_H

#include <stdio.h>

#include "model/names.h"

/* One row of execution. */
struct kp_why_exec {
	int64_t start, end;
	int64_t pid, event;
	const struct kp_str *name;
	bool kernel;		/* the row is own code of a thread that never leaves the kernel */
};

/* Execution of one pid on one CPU without a switch to another pid. Interrupts belong to the run. */
struct kp_why_run {
	int64_t start, end;
	uint32_t cpu;
	size_t first, last;	/* first and last row of the run, as indexes into the execs of the CPU */
	size_t pid;		/* index into pids */
};

struct kp_why_wake {
	int64_t at, end;	/* arc: from the wakeup to the run of the thread */
	int32_t cpu;		/* CPU of the waker */
	int64_t waker;		/* pid of the waker */
};

struct kp_why_wait {
	int64_t start, end;
	int64_t event;
	const struct kp_str *name;
};

/* A pause of the recording, or a time at which a CPU's state is unknown. Each run ends there. */
struct kp_why_pause {
	int64_t start;
	/* equal to start if recording was on, but the state of a CPU is unknown */
	int64_t end;
};

struct kp_why_cpu {
	KP_VECTOR(struct kp_why_exec) execs;
	KP_VECTOR(struct kp_why_run) runs;
};

struct kp_why_pid {
	int64_t pid;
	const struct kp_str *name;	/* name in the thread's rows, such as "work.51"; or "?.51" */
	bool named;			/* a row had the name */
	KP_VECTOR(struct kp_why_run) runs;
	KP_VECTOR(size_t) gaps;		/* index of the run after each gap */
	KP_VECTOR(struct kp_why_wake) wakes;
	KP_VECTOR(struct kp_why_wait) waits;
	/* index + 1 in the list of holders, during kp_why_holders(); otherwise 0 */
	size_t holder;
};

struct kp_why {
	int64_t from, to;	/* requested time, limited to the rows by end(); units of 10 ns */
	/* private members: */
	struct kp_why_cpu *cpus[65536];
	uint32_t cpu_count;	/* highest CPU in use + 1 */
	KP_VECTOR(struct kp_why_pid) pids;
	struct kp_lives lives;
	KP_VECTOR(struct kp_why_pause) pauses;	/* pauses sorted by start, with different starts */
	struct kp_map by_pid;	/* kp_life_key() -> index in pids */
	struct kp_strings strings;
	int64_t complete;	/* time before which events of some CPUs are missing; 0: none */
	bool no_memory;
	/* start and end of the rows of execution and of pauses: in the selected time, and in the trace */
	int64_t first, last, trace_first, trace_last;
	bool any;		/* a row of execution is in the selected time */
};

struct kp_why_holder {
	size_t pid;		/* index into pids */
	int64_t time;
};

struct kp_why_gap {
	int64_t start, end;
	bool is_new;			/* the gap is before the thread's first run */
	/* call or code in which the thread stopped; NULL: new thread, unknown, or before a pause */
	const struct kp_why_exec *in;
	const struct kp_why_run *next;
	const struct kp_why_wait *wait;	/* the wait; NULL: runnable all the time */
	const struct kp_why_wake *wake;	/* the wakeup; NULL: not recorded */
	const struct kp_why_exec *waker_in;	/* row of the waker at the wakeup; NULL: unknown */
	/* system call in which the softirq waker_in ran; NULL: none */
	const struct kp_why_exec *inside;
	/* time from which the thread waited for a CPU, until the end of the gap */
	int64_t runnable;
	/* threads that had the CPU, longest time first; set by kp_why_holders() */
	KP_VECTOR(struct kp_why_holder) holders;
};

struct kp_why_sum {
	const struct kp_str *name;
	int64_t time;
};

struct kp_why_sums {
	KP_VECTOR(struct kp_why_sum) list;	/* sums in the order of first use */
	struct kp_map place;		/* name -> index in list */
};

/* Adds @time to the sum of @name, a string of why->strings. Returns 0, or -1 without memory. */
int kp_why_sums_add(struct kp_why_sums *sums, const struct kp_str *name, int64_t time);
void kp_why_sums_free(struct kp_why_sums *sums);

/* number of gaps, runs or steps between two checks for an interrupt */
#define KP_WHY_CHECK	4096

enum kp_why_kind { KP_WHY_RUN, KP_WHY_CPU, KP_WHY_WAIT, KP_WHY_UNKNOWN, KP_WHY_OFF };

/* A part of the critical path. */
struct kp_why_step {
	enum kp_why_kind kind;
	int64_t start, end;
	size_t pid;			/* index into pids */
	uint32_t cpu;			/* CPU on which the thread ran, or for which it waited */
	const struct kp_str *what;	/* run: name with the most time; wait: reason */
	bool kernel;			/* KP_WHY_RUN: own code of the thread is kernel code */
	const struct kp_why_wait *wait;	/* KP_WHY_WAIT: the wait; otherwise NULL */
	const struct kp_why_exec *in;	/* KP_WHY_WAIT: last code of the thread before it; or NULL */
};

typedef KP_VECTOR(struct kp_why_step) kp_why_steps;

/* Prepares @why for the time from @from to @to. If both are 0: for the whole trace. */
void kp_why_init(struct kp_why *why, int64_t from, int64_t to);
struct kp_span_sink kp_why_sink(struct kp_why *why);
void kp_why_free(struct kp_why *why);

/* Returns the index of the thread that had @pid at time @at; -1 if the thread has no rows. */
int64_t kp_why_at(const struct kp_why *why, int64_t pid, int64_t at);
/* Returns the index of the last thread with @pid, or -1 if there is none. */
int64_t kp_why_find(const struct kp_why *why, int64_t pid);
/*
 * Returns the index of the thread with the name @name (kp_is_name_of()), or -1. Of several threads,
 * returns the one with the longest time from its first to its last run. Sets *@count to their
 * number.
 */
int64_t kp_why_named(const struct kp_why *why, const char *name, size_t *count);
/* Returns the index of the thread that ran last, except idle; -1: no thread ran. */
int64_t kp_why_last(const struct kp_why *why);

/* Returns the number of gaps of a thread (kp_why_is_gap()). */
size_t kp_why_gap_count(const struct kp_why *why, size_t pid);
/* Explains gap @n, from 0 on, except its holders. */
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
 * Returns whether the thread has a gap before its run @next. Adjacent runs on several CPUs have no
 * gap between them. Time without recording is no gap, and neither is time in which events of some
 * CPUs are missing: the thread may have run then. After such a time, and before the first run, the
 * gap begins at the wakeup, if the wakeup was recorded.
 */
bool kp_why_is_gap(const struct kp_why *why, const struct kp_why_pid *pid, size_t next);
/* Explains the gap before the run @next of the thread; 0: the time before its first run. */
void kp_why_explain(const struct kp_why *why, size_t index, size_t next, struct kp_why_gap *gap);

/* Returns whether the row is a thread's own code or idle. Such rows have the thread's name. */
static inline bool kp_why_is_user(const struct kp_why_exec *exec)
{
	return exec->event >= KP_EVENT_USER;
}

/*
 * Follows the critical path from the end of the range, or of the thread's last run, back to the
 * beginning. The path is the work that had to be done before the thread reached the end. The list
 * begins with the latest step, and each step ends where the previous one begins. Returns 0, or -1
 * without memory or after an interrupt.
 */
int kp_why_path(const struct kp_why *why, size_t pid, kp_why_steps *steps);

/*
 * Print gaps, totals and the critical path of the thread with index @pid. If @pid is -1: print
 * totals of all threads, and the critical path of the thread that ran last.
 */
void kp_why_text(struct kp_why *why, int64_t pid, FILE *out);
void kp_why_json(struct kp_why *why, int64_t pid, FILE *out);

#endif
