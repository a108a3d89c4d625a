/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Translates Linux's tracepoints (sched_switch, sys_enter, irq_handler_entry ...) into KUtrace's events,
 * for all tracers and file formats. The caller passes a trace twice, see import/feed.h.
 */
#ifndef KP_IMPORT_LINUX_H
#define KP_IMPORT_LINUX_H

#include "import/feed.h"
#include "import/syscalls.h"

struct kp_linux;

/* A text without a NUL at its end. NULL, 0: no text. */
struct kp_text {
	const char *text;
	size_t len;
};

struct kp_linux *kp_linux_new(struct kp_feed *feed);
void kp_linux_free(struct kp_linux *linux_);

/*
 * Ends the survey: adds caveats for events that are recorded only in part, the losses and the recorded
 * categories to the header.
 */
int kp_linux_facts(struct kp_linux *linux_);

/* The functions below that pass an event or a name return the same as kp_feed_event(). */

/* number of a task that is not in the trace */
#define KP_LINUX_NO_TASK	INT64_MIN

/*
 * Passes a context switch from @prev to @next. @state: field prev_state of the kernel's tracepoint.
 * If @prev is KP_LINUX_NO_TASK, @state belongs to the task to which the CPU switched last.
 */
int kp_linux_switch(struct kp_linux *linux_, const struct kp_feed_at *at, int64_t prev,
		    struct kp_text prev_comm, int64_t state, int64_t next, struct kp_text next_comm);
/*
 * Notes that events of that CPU are missing before the next event, so its running task is not
 * known.
 */
void kp_linux_gap(struct kp_linux *linux_, uint32_t cpu);
/* Sets the kernel's release ("6.1.25-android14"), on which the meaning of a bit of prev_state depends. */
void kp_linux_set_release(struct kp_linux *linux_, const char *release);

/*
 * The tracepoint of a wakeup. sched_waking is recorded by the waker, sched_wakeup possibly on the CPU of the woken
 * task. In a trace that has both, sched_wakeup is ignored.
 */
enum kp_linux_wakeup { KP_LINUX_WAKING, KP_LINUX_WAKEUP, KP_LINUX_WAKEUP_NEW };
int kp_linux_wakeup(struct kp_linux *linux_, const struct kp_feed_at *at, enum kp_linux_wakeup how,
		    int64_t pid, struct kp_text comm);

/* Return the event number of a system call, by its name or its number, and name the event. */
uint32_t kp_linux_syscall_named(struct kp_linux *linux_, enum kp_calls_of of, struct kp_text name);
uint32_t kp_linux_syscall_numbered(struct kp_linux *linux_, enum kp_calls_of of, uint64_t number);
int kp_linux_syscall(struct kp_linux *linux_, const struct kp_feed_at *at, uint32_t event, bool back,
		     uint64_t value);
/* Set and return the table of names for calls that have only a number in the trace. */
void kp_linux_set_calls(struct kp_linux *linux_, enum kp_calls_of calls);
enum kp_calls_of kp_linux_calls(const struct kp_linux *linux_);
/*
 * Ends the system call of the running thread, for a tracer whose return events lack the call. If
 * the call began before the trace, its return has no name and is counted.
 */
int kp_linux_syscall_end(struct kp_linux *linux_, const struct kp_feed_at *at, uint64_t value);

int kp_linux_irq(struct kp_linux *linux_, const struct kp_feed_at *at, uint32_t irq, struct kp_text name,
		 bool back, uint64_t value);
/*
 * Passes an interrupt of the processor itself, with the tracer's name for its vector:
 * "local_timer".
 */
int kp_linux_vector(struct kp_linux *linux_, const struct kp_feed_at *at, struct kp_text name, bool back);
int kp_linux_softirq(struct kp_linux *linux_, const struct kp_feed_at *at, uint32_t vec, bool back);
/* Passes the beginning of a page fault. Tracepoints do not record the end. */
int kp_linux_fault(struct kp_linux *linux_, const struct kp_feed_at *at, uint64_t error);
/* Names a task from this time on. */
int kp_linux_name(struct kp_linux *linux_, const struct kp_feed_at *at, int64_t pid, struct kp_text name);
/* Names a task that executes the program @path. The name is the last part of the path. */
int kp_linux_exec(struct kp_linux *linux_, const struct kp_feed_at *at, int64_t pid, struct kp_text path);
/* Names a task that task @parent just created. KP_LINUX_NO_TASK: the trace does not have the parent. */
int kp_linux_made(struct kp_linux *linux_, const struct kp_feed_at *at, int64_t parent, int64_t pid,
		  struct kp_text name);
/*
 * Names a task of the tracer's list of tasks. @kind: enum kutrace_task_kind. The list also has
 * zombies, which have exited and which their parents have not waited for yet. The function ignores
 * zombies.
 */
int kp_linux_listed(struct kp_linux *linux_, const struct kp_feed_at *at, int64_t pid, uint32_t kind,
		    struct kp_text name);
int kp_linux_exit(struct kp_linux *linux_, const struct kp_feed_at *at, int64_t pid);
/* Notes that a task has exited and does not run again, so its number is free. Passes its exit if the trace has none. */
int kp_linux_gone(struct kp_linux *linux_, const struct kp_feed_at *at, int64_t pid);
/*
 * Passes an idle state. @state: the idle state that the CPU enters, or UINT32_MAX when the CPU
 * leaves its state.
 */
int kp_linux_idle(struct kp_linux *linux_, const struct kp_feed_at *at, uint32_t state);
int kp_linux_frequency(struct kp_linux *linux_, const struct kp_feed_at *at, uint64_t khz);
int kp_linux_packet(struct kp_linux *linux_, const struct kp_feed_at *at, bool sent, uint64_t hash);
/* Passes text that a program or the kernel wrote into the trace. */
int kp_linux_mark(struct kp_linux *linux_, const struct kp_feed_at *at, struct kp_text text);
/* Counts an event that the page does not show. */
void kp_linux_other(struct kp_linux *linux_);
/* Returns the number of events that kp_linux_other() counted. */
uint64_t kp_linux_others(const struct kp_linux *linux_);
/* Returns the number of returns of calls that began before the trace, see kp_linux_syscall_end(). */
uint64_t kp_linux_nameless(const struct kp_linux *linux_);
/*
 * Returns the number of events that are left out, because the task's number is below 0 or above
 * 2^31-1.
 */
uint64_t kp_linux_numberless(const struct kp_linux *linux_);

#endif
