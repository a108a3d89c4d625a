/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Calls and returns: the pending calls of each CPU.
 */
#ifndef KP_RECONSTRUCT_STACK_H
#define KP_RECONSTRUCT_STACK_H

#include "reconstruct/state.h"

void kp_rec_call(struct kp_reconstruct *rec, struct kp_cpu *cpu,
		 const struct kp_event *event);
/* @event is the return's event, or NULL if it was merged. */
void kp_rec_return(struct kp_reconstruct *rec, struct kp_cpu *cpu,
		   const struct kp_event *event, int64_t ts, uint32_t call,
		   int32_t retval, uint32_t ipc);
/* Ends a merged call of @cpu, whose return is due, at @ts at the latest. */
void kp_rec_due(struct kp_reconstruct *rec, struct kp_cpu *cpu, int64_t ts);

#endif
