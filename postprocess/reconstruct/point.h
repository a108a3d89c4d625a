/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Events that are no execution: IPIs, samples, frequency, RPCs, locks, queues, messages.
 * See point.c. Called by the dispatcher (reconstruct.c).
 */
#ifndef KP_RECONSTRUCT_POINT_H
#define KP_RECONSTRUCT_POINT_H

#include "reconstruct/state.h"

void kp_rec_point(struct kp_reconstruct *rec, struct kp_cpu *cpu,
		  const struct kp_event *event);
/* An interrupt was taken: answers IPIs. */
void kp_rec_ipi_taken(struct kp_reconstruct *rec, struct kp_cpu *cpu, int64_t ts);
/* cpu does something, so it saw the stores to the memory that it watches. */
void kp_rec_stores_seen(struct kp_reconstruct *rec, struct kp_cpu *cpu, int64_t ts);
void kp_rec_point_end(struct kp_reconstruct *rec, struct kp_cpu *cpu);
/* Makes a row of an event that came while recording was off; it changes no state. */
void kp_rec_point_alone(struct kp_reconstruct *rec, const struct kp_event *event);
/* Forgets locks and queues. */
void kp_rec_point_forget(struct kp_reconstruct *rec);
void kp_rec_rpc_end(struct kp_reconstruct *rec, struct kp_task *task, int64_t ts);
void kp_rec_point_free(struct kp_reconstruct *rec);

#endif
