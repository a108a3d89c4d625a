/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Pids: names, saved stacks, waits and wakeups. See task.c. Called by the dispatcher
 * (reconstruct.c), stack.c and point.c.
 */
#ifndef KP_RECONSTRUCT_TASK_H
#define KP_RECONSTRUCT_TASK_H

#include "reconstruct/state.h"

/* The task of pid, made if need be; NULL without memory. pid 0: &rec->idle. */
struct kp_task *kp_rec_task(struct kp_reconstruct *rec, uint32_t pid);
/* Forgets what the task was doing; what is undecided or deferred of it has been handed out. */
void kp_rec_task_reset(struct kp_reconstruct *rec, struct kp_task *task);
/* Sets the name of thread def->number, and its kind if @def has one. */
void kp_rec_task_name(struct kp_reconstruct *rec, const struct kp_namedef *def,
		      enum kp_name_source source);
/*
 * Begins the life of another thread that got the number of one that has exited. Nothing
 * of the earlier one remains, except its name as long as no other is recorded.
 */
void kp_rec_reborn(struct kp_reconstruct *rec, struct kp_task *task);
/* Returns true if task has exited and left its CPU: only another thread of its number can run. */
static inline bool kp_rec_is_dead(const struct kp_task *task)
{
	return task->exiting && task->cpu < 0;
}
/* Notes that a switch has no name for pid: one at time -1 is a later thread's. */
void kp_rec_task_unnamed(struct kp_reconstruct *rec, uint32_t pid);
/*
 * Returns true if task never leaves the kernel: its own code is no user code. This is a
 * guess if the trace does not record the task's kind.
 */
static inline bool kp_rec_in_kernel(const struct kp_task *task)
{
	if (task->kind != KUTRACE_TASK_UNKNOWN)
		return task->kind != KUTRACE_TASK_USER;
	return (task->kernel_name || task->kernel_made) && !task->user;
}
void kp_rec_arrive(struct kp_reconstruct *rec, struct kp_task *task, int cpu,
		   int64_t ts);
/* task no longer runs on cpu, if it did. */
void kp_rec_depart(struct kp_reconstruct *rec, struct kp_task *task, int cpu, int64_t ts);
void kp_rec_runnable(struct kp_reconstruct *rec, struct kp_cpu *cpu,
		     const struct kp_event *event);
/* Why somebody waited whom cpu wakes now, as a letter; z = not known. */
char kp_rec_reason(struct kp_reconstruct *rec, const struct kp_cpu *cpu);
/* Keeps frames[1..count-1] for when task runs again. */
void kp_rec_save(struct kp_reconstruct *rec, struct kp_task *task,
		 const struct kp_frame *frames, int count);
void kp_rec_pend(struct kp_reconstruct *rec, struct kp_task *task,
		 const struct kp_pending *span);
/*
 * What was undecided was frame (NULL: user code); retval goes to the last span.
 * inferred: nothing says so.
 */
void kp_rec_decide(struct kp_reconstruct *rec, struct kp_task *task,
		   const struct kp_frame *frame, int32_t retval, bool inferred);
/* The scheduler's span that is deferred for task, if any: it ended at the switch. */
void kp_rec_resolve(struct kp_reconstruct *rec, struct kp_task *task);
/* It did not: all that is undecided since is the scheduler. */
void kp_rec_resolve_scheduler(struct kp_reconstruct *rec, struct kp_task *task, int32_t retval);
/* At the end of the trace: what was not decided is handed out as it seems. */
void kp_rec_task_end(struct kp_reconstruct *rec, struct kp_task *task);
/* A mark at the beginning of the trace, if the pid had more than one name. */
void kp_rec_task_names(struct kp_reconstruct *rec, const struct kp_task *task);
void kp_rec_task_free(struct kp_reconstruct *rec);

#endif
