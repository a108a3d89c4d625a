/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Execution spans. Between the first and the last event of a CPU, exactly one span covers each
 * instant, except in pauses: where one ends, the next begins.
 */
#ifndef KP_RECONSTRUCT_EXECUTION_H
#define KP_RECONSTRUCT_EXECUTION_H

#include "reconstruct/state.h"

static inline struct kp_frame *kp_rec_top(struct kp_cpu *cpu)
{
	return &cpu->frames[cpu->depth - 1];
}

/*
 * Returns true if the task of this CPU is unknown: this CPU's task was seen on another CPU, or the
 * idle task makes system calls. So a context switch was not recorded. The task is known again at
 * the next recorded switch.
 */
static inline bool kp_rec_context_unknown(const struct kp_reconstruct *rec, const struct kp_cpu *cpu)
{
	if (cpu->arriving)
		return false;
	return cpu->task == &rec->idle ? cpu->not_idle : cpu->task->cpu != cpu->id;
}

/* Ends the span of the top frame at @ts, with @retval and @ipc. The next span begins at @ts. */
void kp_rec_close(struct kp_reconstruct *rec, struct kp_cpu *cpu, int64_t ts,
		  int32_t retval, uint32_t ipc, bool inferred);
/* Does the same, but the span that ends belongs to frame @as, unless @as is NULL. */
void kp_rec_close_as(struct kp_reconstruct *rec, struct kp_cpu *cpu, int64_t ts,
		     const struct kp_frame *as, int32_t retval, uint32_t ipc, bool inferred);
/* Ends the span of the top frame, and pops the frame. */
void kp_rec_pop(struct kp_reconstruct *rec, struct kp_cpu *cpu, int64_t ts,
		int32_t retval, uint32_t ipc, bool inferred);
/* Begins the next span at @ts. */
void kp_rec_next_span(struct kp_reconstruct *rec, struct kp_cpu *cpu, int64_t ts);
/* Pops the interrupts from the top of the stack. */
void kp_rec_end_irqs(struct kp_reconstruct *rec, struct kp_cpu *cpu, int64_t ts);
/* Handles the start or the end of an idle state. */
void kp_rec_idle_state(struct kp_reconstruct *rec, struct kp_cpu *cpu,
		       const struct kp_event *event);

#endif
