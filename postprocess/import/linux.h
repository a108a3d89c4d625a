/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Converts Linux's tracepoints (sched_switch, sys_enter, irq_handler_entry ...) of any tracer to KUtrace's
 * events. The caller passes a trace twice (import/feed.h).
 */
#ifndef KP_IMPORT_LINUX_H
#define KP_IMPORT_LINUX_H

#include "import/feed.h"
#include "import/syscalls.h"

struct kp_linux;

/* A text that is not NUL-terminated. NULL, 0: no text. */
struct kp_text {
	const char *text;
	size_t len;
};

struct kp_linux *kp_linux_new(struct kp_feed *feed);
void kp_linux_free(struct kp_linux *linux_);

/*
 * Ends the first pass (import/feed.h). Adds the caveats, the losses and the
 * recorded categories to the header.
 */
int kp_linux_facts(struct kp_linux *linux_);

/*
 * The functions below that pass an event or a name return 0, -1 without memory, or the result of
 * the sink.
 */

/* number of a task that is not in the trace */
#define KP_LINUX_NO_TASK	INT64_MIN

/*
 * Passes a context switch from @prev to @next. @state: field prev_state of the kernel's tracepoint.
 * If @prev is KP_LINUX_NO_TASK, the task that leaves is the one to which the CPU switched last.
 */
int kp_linux_switch(struct kp_linux *linux_, const struct kp_feed_at *at, int64_t prev,
		    struct kp_text prev_comm, int64_t state, int64_t next, struct kp_text next_comm);
/* Sets the running task of @cpu to unknown, because events of @cpu are missing. */
void kp_linux_gap(struct kp_linux *linux_, uint32_t cpu);
/* Sets the kernel's release ("6.1.25-android14"), on which a bit of prev_state depends. */
void kp_linux_set_release(struct kp_linux *linux_, const char *release);

/*
 * Tracepoints of wakeups. The waker records sched_waking. The CPU of the woken task may record
 * sched_wakeup, which is ignored if the trace has both.
 */
enum kp_linux_wakeup { KP_LINUX_WAKING, KP_LINUX_WAKEUP, KP_LINUX_WAKEUP_NEW };
int kp_linux_wakeup(struct kp_linux *linux_, const struct kp_feed_at *at, enum kp_linux_wakeup how,
		    int64_t pid, struct kp_text comm);

/* Return the event number of a system call by name or by number, and name the event. */
uint32_t kp_linux_syscall_named(struct kp_linux *linux_, enum kp_calls_of of, struct kp_text name);
uint32_t kp_linux_syscall_numbered(struct kp_linux *linux_, enum kp_calls_of of, uint64_t number);
int kp_linux_syscall(struct kp_linux *linux_, const struct kp_feed_at *at, uint32_t event, bool back,
		     uint64_t value);
/* Set and return the table with the names of calls for which the trace has only numbers. */
void kp_linux_set_calls(struct kp_linux *linux_, enum kp_calls_of calls);
enum kp_calls_of kp_linux_calls(const struct kp_linux *linux_);
/*
 * Ends the system call of the running thread, if the return event does not identify the call. If
 * the call began before the trace, its return gets no name, and kp_linux_nameless() counts it.
 */
int kp_linux_syscall_end(struct kp_linux *linux_, const struct kp_feed_at *at, uint64_t value);

int kp_linux_irq(struct kp_linux *linux_, const struct kp_feed_at *at, uint32_t irq, struct kp_text name,
		 bool back, uint64_t value);
/* Passes on an interrupt by the tracer's name of its vector, such as "local_timer". */
int kp_linux_vector(struct kp_linux *linux_, const struct kp_feed_at *at, struct kp_text name, bool back);
int kp_linux_softirq(struct kp_linux *linux_, const struct kp_feed_at *at, uint32_t vec, bool back);
/* Passes on the beginning of a page fault. Tracepoints do not record the end. */
int kp_linux_fault(struct kp_linux *linux_, const struct kp_feed_at *at, uint64_t error);
/* Names a task from the time @at on. */
int kp_linux_name(struct kp_linux *linux_, const struct kp_feed_at *at, int64_t pid, struct kp_text name);
/* Names a task that executes the program @path. The name is the last part of the path. */
int kp_linux_exec(struct kp_linux *linux_, const struct kp_feed_at *at, int64_t pid, struct kp_text path);
/* Names a task that task @parent just created; KP_LINUX_NO_TASK: unknown parent. */
int kp_linux_made(struct kp_linux *linux_, const struct kp_feed_at *at, int64_t parent, int64_t pid,
		  struct kp_text name);
/*
 * Names a task from the tracer's list of tasks. @kind: enum kutrace_task_kind. Ignores a task whose
 * exit was passed on: the list also has zombies.
 */
int kp_linux_listed(struct kp_linux *linux_, const struct kp_feed_at *at, int64_t pid, uint32_t kind,
		    struct kp_text name);
int kp_linux_exit(struct kp_linux *linux_, const struct kp_feed_at *at, int64_t pid);
/* Frees the number of a task that does not run again. Passes on an exit if the trace has none. */
int kp_linux_gone(struct kp_linux *linux_, const struct kp_feed_at *at, int64_t pid);
/* Passes on the idle state that the CPU enters; UINT32_MAX: the CPU leaves idle. */
int kp_linux_idle(struct kp_linux *linux_, const struct kp_feed_at *at, uint32_t state);
int kp_linux_frequency(struct kp_linux *linux_, const struct kp_feed_at *at, uint64_t khz);
int kp_linux_packet(struct kp_linux *linux_, const struct kp_feed_at *at, bool sent, uint64_t hash);
/* Passes on text that a program or the kernel wrote into the trace. */
int kp_linux_mark(struct kp_linux *linux_, const struct kp_feed_at *at, struct kp_text text);
/* Counts an event that the page does not show. */
void kp_linux_other(struct kp_linux *linux_);
/* Returns the number of events that kp_linux_other() counted. */
uint64_t kp_linux_others(const struct kp_linux *linux_);
/* Returns the number of returns without a name (kp_linux_syscall_end()). */
uint64_t kp_linux_nameless(const struct kp_linux *linux_);
/* Returns the number of events omitted because of a task number below 0 or above 2^31-1. */
uint64_t kp_linux_numberless(const struct kp_linux *linux_);

#endif
