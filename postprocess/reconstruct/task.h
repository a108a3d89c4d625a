/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Tasks: names, saved stacks, waits and wakeups.
 */
#ifndef KP_RECONSTRUCT_TASK_H
#define KP_RECONSTRUCT_TASK_H

#include "reconstruct/state.h"

/* Returns the task of @pid, which is created if needed; NULL without memory. pid 0: &rec->idle. */
struct kp_task *kp_rec_task(struct kp_reconstruct *rec, uint32_t pid);
/* Resets the task's state. Its unresolved and deferred spans must have been written before. */
void kp_rec_task_reset(struct kp_reconstruct *rec, struct kp_task *task);
/* Sets the name of thread def->number, and its kind if @def has one. */
void kp_rec_task_name(struct kp_reconstruct *rec, const struct kp_namedef *def,
		      enum kp_name_source source);
/*
 * Begins the life of another thread with the pid of a thread that has exited. Only the name of the
 * earlier thread remains, until another one is recorded.
 */
void kp_rec_reborn(struct kp_reconstruct *rec, struct kp_task *task);
/*
 * Returns true if the task has exited and left its CPU: only a later thread with its pid can run.
 */
static inline bool kp_rec_is_dead(const struct kp_task *task)
{
	return task->exiting && task->cpu < 0;
}
/* Records that a switch has no name for @pid: a name at time -1 belongs to a later thread. */
void kp_rec_task_unnamed(struct kp_reconstruct *rec, uint32_t pid);
/*
 * Returns true if the task is a kernel thread. This is a guess if the trace does not record its
 * kind.
 */
static inline bool kp_rec_in_kernel(const struct kp_task *task)
{
	if (task->kind != KUTRACE_TASK_UNKNOWN)
		return task->kind != KUTRACE_TASK_USER;
	return (task->kernel_name || task->kernel_made) && !task->user;
}
void kp_rec_arrive(struct kp_reconstruct *rec, struct kp_task *task, int cpu,
		   int64_t ts);
/* Records that the task has left @cpu, unless it was seen on another CPU. */
void kp_rec_depart(struct kp_reconstruct *rec, struct kp_task *task, int cpu, int64_t ts);
void kp_rec_runnable(struct kp_reconstruct *rec, struct kp_cpu *cpu,
		     const struct kp_event *event);
/* Returns the wait reason of a task that @cpu wakes now, as a letter; z = unknown. */
char kp_rec_reason(struct kp_reconstruct *rec, const struct kp_cpu *cpu);
/* Saves frames[1..count-1] until the task runs again. */
void kp_rec_save(struct kp_reconstruct *rec, struct kp_task *task,
		 const struct kp_frame *frames, int count);
void kp_rec_pend(struct kp_reconstruct *rec, struct kp_task *task,
		 const struct kp_pending *span);
/*
 * Resolves the unresolved spans: they belong to @frame; NULL: user code. @retval goes to the last
 * span. @inferred: no event shows this.
 */
void kp_rec_decide(struct kp_reconstruct *rec, struct kp_task *task,
		   const struct kp_frame *frame, int32_t retval, bool inferred);
/* Resolves the deferred span of the scheduler, if there is one: it ended at the switch. */
void kp_rec_resolve(struct kp_reconstruct *rec, struct kp_task *task);
/* Resolves it the other way: all unresolved spans since then belong to the scheduler. */
void kp_rec_resolve_scheduler(struct kp_reconstruct *rec, struct kp_task *task, int32_t retval);
/* Writes the unresolved spans at the end of the trace, in the most likely way. */
void kp_rec_task_end(struct kp_reconstruct *rec, struct kp_task *task);
/* Writes a mark at the beginning of the trace, if the task has had more than one name. */
void kp_rec_task_names(struct kp_reconstruct *rec, const struct kp_task *task);
void kp_rec_task_free(struct kp_reconstruct *rec);

#endif
