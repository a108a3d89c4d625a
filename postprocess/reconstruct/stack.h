/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Calls and returns: what is pending on each CPU. See stack.c. Called by the dispatcher
 * (reconstruct.c).
 */
#ifndef KP_RECONSTRUCT_STACK_H
#define KP_RECONSTRUCT_STACK_H

#include "reconstruct/state.h"

void kp_rec_call(struct kp_reconstruct *rec, struct kp_cpu *cpu,
		 const struct kp_event *event);
/* event is the return's own, or NULL when it was merged. */
void kp_rec_return(struct kp_reconstruct *rec, struct kp_cpu *cpu,
		   const struct kp_event *event, int64_t ts, uint32_t call,
		   int32_t retval, uint32_t ipc);
/* Closes the spans of cpu that are due before time ts. */
void kp_rec_due(struct kp_reconstruct *rec, struct kp_cpu *cpu, int64_t ts);

#endif
