/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Why a thread did not run: every gap of it, what it waited for, who woke it from
 * what, and who held the CPU it then waited for; and the critical path. Called by
 * spantowhy. Holds the rows of the time asked for, some 50 bytes each. It must
 * never explain what the rows do not say: a waker that is not in them is unknown.
 */
#ifndef KP_WHY_H
#define KP_WHY_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "base/map.h"
#include "base/vector.h"
#include "model/lives.h"
#include "model/span.h"

/* One execution row. */
struct kp_why_exec {
	int64_t start, end;
	int64_t pid, event;
	const struct kp_str *name;
	bool kernel;		/* own code of a thread that never leaves the kernel */
};

/* Execution of one pid on one CPU without a break, interrupts in it included. */
struct kp_why_run {
	int64_t start, end;
	uint32_t cpu;
	size_t first, last;	/* its rows: index into the CPU's execs */
	size_t pid;		/* index into pids */
};

struct kp_why_wake {
	int64_t at, end;	/* the arc: from the wakeup until it runs */
	int32_t cpu;		/* of the waker */
	int64_t waker;		/* pid */
};

struct kp_why_wait {
	int64_t start, end;
	int64_t event;
	const struct kp_str *name;
};

/* A time that no run goes through. */
struct kp_why_pause {
	int64_t start;
	int64_t end;		/* recording was off until then; start: only this CPU was not accounted for */
};

struct kp_why_cpu {
	KP_VECTOR(struct kp_why_exec) execs;
	KP_VECTOR(struct kp_why_run) runs;
};

struct kp_why_pid {
	int64_t pid;
	const struct kp_str *name;	/* as in its rows: "work.51" */
	KP_VECTOR(struct kp_why_run) runs;
	KP_VECTOR(size_t) gaps;		/* the runs that they are in front of */
	KP_VECTOR(struct kp_why_wake) wakes;
	KP_VECTOR(struct kp_why_wait) waits;
	size_t holder;			/* kp_why_holders()'s: place in its list + 1; 0: not in it */
};

struct kp_why {
	int64_t from, to;	/* 10 ns units; what is asked for, then what there is */
	/* the core's own */
	struct kp_why_cpu *cpus[65536];
	uint32_t cpu_count;	/* highest in use + 1 */
	KP_VECTOR(struct kp_why_pid) pids;
	struct kp_lives lives;
	KP_VECTOR(struct kp_why_pause) pauses;	/* in order, each start once */
	struct kp_map by_pid;	/* kp_life_key() to the place in pids */
	struct kp_strings strings;
	int64_t complete;	/* events of some CPUs are missing before that time; 0: of none */
	bool no_memory;
	int64_t first, last;	/* of the execution */
	bool any;
};

struct kp_why_holder {
	size_t pid;		/* index into pids */
	int64_t time;
};

struct kp_why_gap {
	int64_t start, end;
	bool is_new;			/* before the thread's first run */
	const struct kp_why_exec *in;	/* call, fault or user code when it stopped; NULL: new, or not shown */
	const struct kp_why_run *next;
	const struct kp_why_wait *wait;	/* the reason, or NULL: it was runnable all along */
	const struct kp_why_wake *wake;	/* or NULL: nobody recorded */
	const struct kp_why_exec *waker_in;	/* what the waker was doing */
	const struct kp_why_exec *inside;	/* waker_in is a softirq inside this system call */
	int64_t runnable;		/* from here to end it waited for the CPU */
	KP_VECTOR(struct kp_why_holder) holders;	/* kp_why_holders()'s; most time first */
};

/* Time by name. All zero = none. */
struct kp_why_sum {
	const struct kp_str *name;
	int64_t time;
};

struct kp_why_sums {
	KP_VECTOR(struct kp_why_sum) list;	/* in the order of the first time of each */
	struct kp_map place;		/* of a name in the list */
};

/* Adds time to the sum of a name that is one of why->strings. Returns 0, or -1 without memory. */
int kp_why_sums_add(struct kp_why_sums *sums, const struct kp_str *name, int64_t time);
void kp_why_sums_free(struct kp_why_sums *sums);

#define KP_WHY_CHECK	4096	/* gaps, runs or steps between two tests for an interrupt */

enum kp_why_kind { KP_WHY_RUN, KP_WHY_CPU, KP_WHY_WAIT, KP_WHY_UNKNOWN, KP_WHY_OFF };

/* A part of the critical path. */
struct kp_why_step {
	enum kp_why_kind kind;
	int64_t start, end;
	size_t pid;			/* index into pids */
	uint32_t cpu;			/* it ran on, or waited for */
	const struct kp_str *what;	/* most of what ran; the reason */
	bool kernel;			/* of KP_WHY_RUN: the thread's own code is kernel code */
	const struct kp_why_wait *wait;	/* that it waited, of KP_WHY_WAIT; or NULL */
	const struct kp_why_exec *in;	/* what it was in when it stopped running; or NULL */
};

typedef KP_VECTOR(struct kp_why_step) kp_why_steps;

/* from = to = 0: all. */
void kp_why_init(struct kp_why *why, int64_t from, int64_t to);
struct kp_span_sink kp_why_sink(struct kp_why *why);
void kp_why_free(struct kp_why *why);

/* Index of the thread that had pid at that time, or -1 when no row is of it. */
int64_t kp_why_at(const struct kp_why *why, int64_t pid, int64_t at);
/* Index of the last thread that had pid and ran, or -1 when no row is of it. */
int64_t kp_why_find(const struct kp_why *why, int64_t pid);
/* The pid that ran last, idle apart; -1 when none did. */
int64_t kp_why_last(const struct kp_why *why);

/* Number of gaps of the pid (its beginning, if it was woken for it, is the first). */
size_t kp_why_gap_count(const struct kp_why *why, size_t pid);
/* Explains the n-th of them, without its holders. */
void kp_why_gap(const struct kp_why *why, size_t pid, size_t n, struct kp_why_gap *gap);
/*
 * Finds the threads that ran where the gap's thread waited for a CPU. The caller frees gap->holders.items.
 * Returns 0, or -1 without memory or at an interrupt.
 */
int kp_why_holders(struct kp_why *why, struct kp_why_gap *gap);

/* Returns how long recording was off between two times. */
int64_t kp_why_paused(const struct kp_why *why, int64_t start, int64_t end);
/* Returns true if a pause of the recording begins between two times. */
bool kp_why_paused_between(const struct kp_why *why, int64_t start, int64_t end);

/* Returns the index of the first run that ends after that time, or count. */
size_t kp_why_run_after(const struct kp_why_run *runs, size_t count, int64_t at);
/*
 * Returns true if the thread has a gap before its run next, which is not its first. Adjacent
 * runs on several CPUs have none. A time with a pause of the recording is no gap: nothing is
 * known of the thread then.
 */
bool kp_why_is_gap(const struct kp_why *why, const struct kp_why_pid *pid, size_t next);
/* Explains the gap before run next of the thread (0: the beginning). */
void kp_why_explain(const struct kp_why *why, size_t index, size_t next, struct kp_why_gap *gap);

/* True of a thread's own code and of idle, whose rows have the thread's name. */
static inline bool kp_why_is_user(const struct kp_why_exec *exec)
{
	return exec->event >= KP_EVENT_USER;
}

/*
 * From the end of the range, or of the pid's last run, back to its beginning: who
 * had to do what for the pid to get there. Steps touch each other; last one first.
 * 0, or -1 without memory or at an interrupt.
 */
int kp_why_path(const struct kp_why *why, size_t pid, kp_why_steps *steps);

#endif
