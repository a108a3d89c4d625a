/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Events that are not execution: IPIs, samples, frequencies, RPCs, locks, queues, messages.
 */
#ifndef KP_RECONSTRUCT_POINT_H
#define KP_RECONSTRUCT_POINT_H

#include "reconstruct/state.h"

void kp_rec_point(struct kp_reconstruct *rec, struct kp_cpu *cpu,
		  const struct kp_event *event);
/* Ends the IPI arcs to @cpu, if the interrupt on top of its stack is an IPI. */
void kp_rec_ipi_taken(struct kp_reconstruct *rec, struct kp_cpu *cpu, int64_t ts);
/* Ends the arcs of stores to the memory that @cpu monitors: it runs again, so it has seen them. */
void kp_rec_stores_seen(struct kp_reconstruct *rec, struct kp_cpu *cpu, int64_t ts);
void kp_rec_point_end(struct kp_reconstruct *rec, struct kp_cpu *cpu);
/* Writes the row of an event in a pause. Changes no state. */
void kp_rec_point_alone(struct kp_reconstruct *rec, const struct kp_event *event);
/* Forgets locks and queues. */
void kp_rec_point_forget(struct kp_reconstruct *rec);
void kp_rec_rpc_end(struct kp_reconstruct *rec, struct kp_task *task, int64_t ts);
void kp_rec_point_free(struct kp_reconstruct *rec);

#endif
