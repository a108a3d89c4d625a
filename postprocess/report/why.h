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

#include "common/disk_text.h"
#include "common/timer_text.h"
#include "model/identity.h"
#include "model/names.h"

/* One row of execution. */
struct kp_why_exec {
	int64_t start, end;
	int64_t pid, event;
	const struct kp_str *name;
	bool kernel;		/* the row is own code of a thread that never leaves the kernel */
	uint16_t retval;	/* low bits of the return value; 0 if the call does not return in this row */
};

/* Execution of one pid on one CPU without a switch to another pid. Interrupts belong to the run. */
struct kp_why_run {
	int64_t start, end;
	uint32_t cpu;
	size_t first, last;	/* first and last row of the run, as indexes into the execs of the CPU */
	size_t pid;		/* index into pids */
	int64_t stopped;	/* time in which the CPU did not run */
};

struct kp_why_wake {
	int64_t at, end;	/* arc: from the wakeup to the run of the thread */
	int32_t cpu;		/* CPU of the waker */
	int64_t waker;		/* pid of the waker */
};

struct kp_why_wait {
	int64_t start, end;
	int64_t event, arg0;
	const struct kp_str *name;
};

/* A request of a disk. Times are 0 if the trace does not show them. */
struct kp_why_request {
	int64_t queued, served;		/* durations */
	struct ku_disk disk;
};

/* A timer that woke a thread. */
struct kp_why_timer {
	int64_t woken;			/* time of the wakeup */
	struct ku_timer_parts parts;
};

/* A pause of the recording, or a time at which a CPU's state is unknown. Each run ends there. */
struct kp_why_pause {
	int64_t start;
	/* equal to start if recording was on, but the state of a CPU is unknown */
	int64_t end;
};

/* The policy and the priority of a pid during a time; of pid 0: of the pids that have none then. */
struct kp_why_priority {
	int64_t pid, start, end;
	const struct kp_str *name;	/* "FIFO 50" */
};

/* One of several threads that had a pid one after the other. */
struct kp_why_life {
	int64_t pid;
	/* start of the first run of this thread or, without one, of the next; INT64_MAX: no run from then on */
	int64_t begin;
	size_t index;		/* index into pids */
};

struct kp_why_cpu {
	KP_VECTOR(struct kp_why_exec) execs;
	KP_VECTOR(struct kp_why_run) runs;
};

struct kp_why_pid {
	int64_t pid;
	uint32_t life;			/* number of earlier threads with this pid */
	const struct kp_str *name;	/* name in the thread's rows, such as "work.51"; or "?.51" */
	bool named;			/* a row had the name */
	int64_t ended;			/* time of its exit; 0: not recorded */
	KP_VECTOR(struct kp_why_run) runs;
	KP_VECTOR(size_t) gaps;		/* index of the run after each gap */
	KP_VECTOR(struct kp_why_wake) wakes;
	KP_VECTOR(struct kp_why_wait) waits;
	KP_VECTOR(struct kp_why_wait) tries;	/* attempts to take a lock, until the thread had it */
	/* times in which the thread held a lock, from its attempt until it let a waiting thread have it */
	KP_VECTOR(struct kp_why_wait) holds;
	/* times in which the thread was runnable, but the quota of its cgroup was used up; without overlap */
	KP_VECTOR(struct kp_why_wait) throttles;
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
	struct kp_identities identities;
	KP_VECTOR(struct kp_why_pause) pauses;	/* pauses sorted by start, with different starts */
	struct kp_map by_pid;	/* kp_life_key() -> index in pids */
	struct kp_map by_cgroup;	/* low bits of a cgroup's id -> index in cgroups */
	KP_VECTOR(struct kp_why_life) order;	/* all pids, sorted by pid, then by time */
	KP_VECTOR(const struct kp_str *) cgroups;	/* names of throttled cgroups */
	struct kp_map by_request;	/* number of a disk's request -> index in requests */
	KP_VECTOR(struct kp_why_request) requests;
	struct kp_map by_timer;		/* number of a timer's row -> index in timers */
	KP_VECTOR(struct kp_why_timer) timers;
	KP_VECTOR(struct kp_why_priority) priorities;	/* sorted by pid and start, after end() */
	struct kp_strings strings;
	int64_t lost;		/* number of lost events; -1: not recorded */
	bool wrapped;		/* newer events overwrote the oldest ones */
	int64_t complete;	/* time before which events of some CPUs are missing; 0: none */
	bool no_memory;
	/* start and end of the rows of execution and of pauses: in the selected time, and in the trace */
	int64_t first, last, trace_first, trace_last;
	bool any;		/* a row of execution is in the selected time */
	/* pids of the candidates of kp_why_choose(); 0: none */
	int64_t run_pid, fired_pid, started_pid;
	char trigger[200];	/* the trigger that fired: "syscall:flock>400ms" */
};

/* Name of the program that records. Its threads are not explained, unless the user chooses one. */
#define KP_WHY_RECORDER	"kutrace_control"

/* Reason for which a thread is explained. */
enum kp_why_reason {
	KP_WHY_CHOSEN,		/* by the user */
	KP_WHY_FIRED,		/* it fired the trigger */
	KP_WHY_RUN_BY,		/* it is the program that kutrace_control run recorded */
	KP_WHY_STARTED_BY,	/* it is a child of kutrace_control, in a trace without the fact "run" */
	KP_WHY_LAST,		/* of all threads, except idle and kutrace_control, it ran last */
};

struct kp_why_choice {
	int64_t index;		/* index into pids; -1: no thread */
	enum kp_why_reason reason;
};

struct kp_why_holder {
	size_t pid;		/* index into pids */
	int64_t time;
};

struct kp_why_gap {
	int64_t start, end;
	size_t pid;			/* index into pids of the thread */
	bool is_new;			/* the gap is before the thread's first run */
	/* call or code in which the thread stopped; NULL: new thread, unknown, or before a pause */
	const struct kp_why_exec *in;
	const struct kp_why_run *next;
	const struct kp_why_wait *wait;	/* the wait; NULL: runnable all the time */
	const struct kp_why_wait *lock;	/* the lock that the thread waited for; NULL: none, or not recorded */
	const struct kp_why_wake *wake;	/* the wakeup; NULL: not recorded */
	const struct kp_why_exec *waker_in;	/* row of the waker at the wakeup; NULL: unknown */
	/* system call in which the softirq waker_in ran; NULL: none */
	const struct kp_why_exec *inside;
	/* time from which the thread was runnable, until the end of the gap */
	int64_t runnable;
	int64_t throttled;		/* part of this time in which the thread was throttled */
	const struct kp_why_wait *throttle;	/* the last throttled interval; NULL: none */
	/* run of the thread that took the CPU from this one; NULL: not preempted, or unknown */
	const struct kp_why_run *preemptor;
	/* threads that had the CPU, longest time first; set by kp_why_holders() */
	KP_VECTOR(struct kp_why_holder) holders;
};

struct kp_why_sum {
	const struct kp_str *name;
	int64_t time;
	uint64_t count;			/* number of added times */
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

enum kp_why_kind {
	KP_WHY_RUN, KP_WHY_CPU, KP_WHY_WAIT, KP_WHY_UNKNOWN, KP_WHY_OFF, KP_WHY_STOPPED, KP_WHY_THROTTLED
};

/* A part of the critical path. */
struct kp_why_step {
	enum kp_why_kind kind;
	int64_t start, end;
	size_t pid;			/* index into pids */
	uint32_t cpu;			/* CPU on which the thread ran, or for which it waited */
	const struct kp_str *what;	/* run: name with the most time; wait: reason; stopped: name of the row */
	bool kernel;			/* KP_WHY_RUN: own code of the thread is kernel code */
	/* KP_WHY_WAIT: the wait; KP_WHY_THROTTLED: the throttled interval; otherwise NULL */
	const struct kp_why_wait *wait;
	const struct kp_why_exec *in;	/* KP_WHY_WAIT: last code of the thread before it; or NULL */
	const struct kp_why_wait *lock;	/* the lock that the thread waited for; or NULL */
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

/*
 * Returns the first thread of the program that kutrace_control run recorded; index -1: the trace has
 * none.
 */
struct kp_why_choice kp_why_program(const struct kp_why *why);
/* Chooses the thread that is explained if the user chooses none. */
struct kp_why_choice kp_why_choose(const struct kp_why *why);
/*
 * Returns the time at which another thread made the thread, or the beginning of the range if the
 * trace does not show that.
 */
int64_t kp_why_beginning(const struct kp_why *why, size_t index);

/* Returns the number of gaps of a thread (kp_why_is_gap()). */
size_t kp_why_gap_count(const struct kp_why *why, size_t pid);
/* Explains gap @n, from 0 on, except its holders. */
void kp_why_gap(const struct kp_why *why, size_t pid, size_t n, struct kp_why_gap *gap);
/*
 * Finds the threads that had the CPU while the gap's thread waited for it. The caller frees
 * gap->holders.items. Returns 0, or -1 without memory or after an interrupt.
 */
int kp_why_holders(struct kp_why *why, struct kp_why_gap *gap);

/*
 * Returns how long the thread was throttled between two times. Sets *@last, unless it is NULL, to the
 * last throttled interval in that time, or to NULL.
 */
int64_t kp_why_throttled(const struct kp_why_pid *pid, int64_t start, int64_t end,
			 const struct kp_why_wait **last);
/* Returns the name of the cgroup that was throttled; NULL: unknown. */
const struct kp_str *kp_why_cgroup(const struct kp_why *why, const struct kp_why_wait *throttle);
/* Returns the request of a disk that ended the wait; NULL: none, or unknown. */
const struct kp_why_request *kp_why_request(const struct kp_why *why, const struct kp_why_wait *wait);
/* Returns the timer that ended the wait; NULL: none, or not recorded. */
const struct kp_why_timer *kp_why_timer(const struct kp_why *why, const struct kp_why_wait *wait);
/* Returns the time from which the timer was due until it woke the thread. */
int64_t kp_why_timer_late(const struct kp_why_timer *timer);
/* Returns the policy and the priority of a pid at a time; NULL: not recorded. */
const struct kp_str *kp_why_priority(const struct kp_why *why, int64_t pid, int64_t at);
/* Returns how long recording was off between two times. */
int64_t kp_why_paused(const struct kp_why *why, int64_t start, int64_t end);
/* Returns whether a pause of the recording begins between two times. */
bool kp_why_paused_between(const struct kp_why *why, int64_t start, int64_t end);

/* Returns whether the row is a call that makes a thread, or code of the thread that makes kernel threads. */
bool kp_why_makes_threads(const struct kp_why_exec *exec);
/* Returns the row that the CPU @number executed at time @at, or NULL. */
const struct kp_why_exec *kp_why_exec_at(const struct kp_why *why, int32_t number, int64_t at);
/* Returns the index of the run's row at @time; the first row if @time is before the run. */
size_t kp_why_row_at(const struct kp_why_run *run, const struct kp_why_exec *execs, int64_t time);
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

/* Returns whether the row is a time in which the CPU did not run. */
static inline bool kp_why_is_stopped(const struct kp_why_exec *exec)
{
	return exec->event == KUTRACE_MADE_STOPPED || exec->event == KUTRACE_MADE_STOLEN;
}

/*
 * Follows the critical path from the end of the range, or of the thread's last run, back to
 * kp_why_beginning(). The path is the work that had to be done before the thread reached the end.
 * The list begins with the oldest step, and each step begins where the previous one ends. Returns 0,
 * or -1 without memory or after an interrupt.
 */
int kp_why_path(const struct kp_why *why, size_t pid, kp_why_steps *steps);

/*
 * Print the critical path of the chosen thread, its sums first. If the reason is KP_WHY_CHOSEN, also
 * print the totals and the gaps of the thread; otherwise the totals of all threads. @top: number of
 * rows of each list in the text, those with the most time; SIZE_MAX: all. @worst: lines for the member
 * "worst" of the JSON; NULL: no such member.
 */
void kp_why_text(struct kp_why *why, struct kp_why_choice choice, size_t top, FILE *out);
void kp_why_json(struct kp_why *why, struct kp_why_choice choice, const char *worst, FILE *out);

#endif
