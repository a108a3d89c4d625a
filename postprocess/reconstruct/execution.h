/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Execution spans: from a CPU's first event to its last, exactly one covers every instant,
 * and what ends one begins the next at the same time. See execution.c. Called by stack.c,
 * switch.c, point.c and the dispatcher (reconstruct.c).
 */
#ifndef KP_RECONSTRUCT_EXECUTION_H
#define KP_RECONSTRUCT_EXECUTION_H

#include "reconstruct/state.h"

static inline struct kp_frame *kp_rec_top(struct kp_cpu *cpu)
{
	return &cpu->frames[cpu->depth - 1];
}

/*
 * The pid that this CPU is thought to run has been seen to go on elsewhere, or idle makes
 * system calls: a context switch is missing here. Who runs is not known until the next
 * one that is recorded.
 */
static inline bool kp_rec_context_unknown(const struct kp_reconstruct *rec, const struct kp_cpu *cpu)
{
	if (cpu->arriving)
		return false;
	return cpu->task == &rec->idle ? cpu->not_idle : cpu->task->cpu != cpu->id;
}

/* What is on top of the stack ends at ts, with that value and IPC; the next span begins. */
void kp_rec_close(struct kp_reconstruct *rec, struct kp_cpu *cpu, int64_t ts,
		  int32_t retval, uint32_t ipc, bool inferred);
/* The same, but what ends is shown as that frame, unless NULL. */
void kp_rec_close_as(struct kp_reconstruct *rec, struct kp_cpu *cpu, int64_t ts,
		     const struct kp_frame *as, int32_t retval, uint32_t ipc, bool inferred);
/* The same as kp_rec_close(), and it is taken off the stack. */
void kp_rec_pop(struct kp_reconstruct *rec, struct kp_cpu *cpu, int64_t ts,
		int32_t retval, uint32_t ipc, bool inferred);
/* The next span begins at ts. */
void kp_rec_next_span(struct kp_reconstruct *rec, struct kp_cpu *cpu, int64_t ts);
/* Interrupts on top of the stack are over. */
void kp_rec_end_irqs(struct kp_reconstruct *rec, struct kp_cpu *cpu, int64_t ts);
/* An idle state is entered or left. */
void kp_rec_idle_state(struct kp_reconstruct *rec, struct kp_cpu *cpu,
		       const struct kp_event *event);

#endif
