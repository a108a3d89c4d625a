/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What Linux's own tracepoints mean in KUtrace's events: sched_switch, sys_enter, irq_handler_entry
 * and the rest, whoever recorded them, LTTng or ftrace. Knows no file format. All of it is told
 * twice, as import/feed.h has it. Used by import/ctf_linux.c and import/perfetto_ftrace.c.
 */
#ifndef KP_IMPORT_LINUX_H
#define KP_IMPORT_LINUX_H

#include "import/feed.h"
#include "import/syscalls.h"

struct kp_linux;

/* A text that need not end with a NUL; may be NULL, 0. */
struct kp_text {
	const char *text;
	size_t len;
};

struct kp_linux *kp_linux_new(struct kp_feed *feed);
void kp_linux_free(struct kp_linux *linux_);

/* The survey is over: what is recorded in part only becomes a caveat. */
int kp_linux_facts(struct kp_linux *linux_);

/* All that follow return what kp_feed_event() does. */

/* The number of a task that the trace does not give. */
#define KP_LINUX_NO_TASK	INT64_MIN

/*
 * state: in which prev leaves, as the kernel's tracepoint has it (prev_state). If prev is not
 * given, the state is that of the task which the last switch brought.
 */
int kp_linux_switch(struct kp_linux *linux_, const struct kp_feed_at *at, int64_t prev,
		    struct kp_text prev_comm, int64_t state, int64_t next, struct kp_text next_comm);
/* Notes that events of that CPU are missing before the next one. */
void kp_linux_gap(struct kp_linux *linux_, uint32_t cpu);
/* Sets the kernel's release ("6.1.25-android14"), for what numbers mean that have changed. */
void kp_linux_set_release(struct kp_linux *linux_, const char *release);

/* How a wakeup was recorded: by who woke, or, if not, where it was carried out. */
enum kp_linux_wakeup { KP_LINUX_WAKING, KP_LINUX_WAKEUP, KP_LINUX_WAKEUP_NEW };
int kp_linux_wakeup(struct kp_linux *linux_, const struct kp_feed_at *at, enum kp_linux_wakeup how,
		    int64_t pid, struct kp_text comm);

/* The event number of a system call, by name, or by number: then it gets its name. */
uint32_t kp_linux_syscall_named(struct kp_linux *linux_, enum kp_calls_of of, struct kp_text name);
uint32_t kp_linux_syscall_numbered(struct kp_linux *linux_, enum kp_calls_of of, uint64_t number);
int kp_linux_syscall(struct kp_linux *linux_, const struct kp_feed_at *at, uint32_t event, bool back,
		     uint64_t value);
/* Sets and returns the table that names the numbered calls of 64-bit programs. */
void kp_linux_set_calls(struct kp_linux *linux_, enum kp_calls_of calls);
enum kp_calls_of kp_linux_calls(const struct kp_linux *linux_);
/*
 * Ends the system call that the running thread is in, for a tracer whose return does not
 * name the call. A call that began before the trace is a call without a name, and is
 * counted.
 */
int kp_linux_syscall_end(struct kp_linux *linux_, const struct kp_feed_at *at, uint64_t value);

int kp_linux_irq(struct kp_linux *linux_, const struct kp_feed_at *at, uint32_t irq, struct kp_text name,
		 bool back, uint64_t value);
/* An interrupt of the processor's own, by what it is called: "local_timer". */
int kp_linux_vector(struct kp_linux *linux_, const struct kp_feed_at *at, struct kp_text name, bool back);
int kp_linux_softirq(struct kp_linux *linux_, const struct kp_feed_at *at, uint32_t vec, bool back);
/* A page fault's beginning: its end is not recorded. */
int kp_linux_fault(struct kp_linux *linux_, const struct kp_feed_at *at, uint64_t error);
/*
 * Names a task: one that there is, one that is made, one that a list of tasks has. Such a list has
 * also tasks that have exited, until their parents have waited for them.
 */
int kp_linux_name(struct kp_linux *linux_, const struct kp_feed_at *at, int64_t pid, struct kp_text name);
/* It executes the program of that path, whose name it gets. */
int kp_linux_exec(struct kp_linux *linux_, const struct kp_feed_at *at, int64_t pid, struct kp_text path);
int kp_linux_made(struct kp_linux *linux_, const struct kp_feed_at *at, int64_t pid, struct kp_text name);
int kp_linux_listed(struct kp_linux *linux_, const struct kp_feed_at *at, int64_t pid, struct kp_text name);
int kp_linux_exit(struct kp_linux *linux_, const struct kp_feed_at *at, int64_t pid);
/* The task has exited, and runs no more: its number is free. */
int kp_linux_gone(struct kp_linux *linux_, const struct kp_feed_at *at, int64_t pid);
/* state: UINT32_MAX: it is left. */
int kp_linux_idle(struct kp_linux *linux_, const struct kp_feed_at *at, uint32_t state);
int kp_linux_frequency(struct kp_linux *linux_, const struct kp_feed_at *at, uint64_t khz);
int kp_linux_packet(struct kp_linux *linux_, const struct kp_feed_at *at, bool sent, uint64_t hash);
/* Text that a program, or the kernel, has put into the trace. */
int kp_linux_mark(struct kp_linux *linux_, const struct kp_feed_at *at, struct kp_text text);
/* An event that has no place in the page. */
void kp_linux_other(struct kp_linux *linux_);
uint64_t kp_linux_others(const struct kp_linux *linux_);
uint64_t kp_linux_nameless(const struct kp_linux *linux_);
/* Returns the number of events that are left out because the task's number is below 0 or above 2^31-1. */
uint64_t kp_linux_numberless(const struct kp_linux *linux_);

#endif
