/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Network packets and messages, seen by the kernel and by user code. See packet.c. Called by
 * point.c and the dispatcher (reconstruct.c).
 */
#ifndef KP_RECONSTRUCT_PACKET_H
#define KP_RECONSTRUCT_PACKET_H

#include "reconstruct/state.h"

/* A packet, seen by the kernel or by user code, as it is to be shown. */
void kp_rec_packet(struct kp_reconstruct *rec, struct kp_cpu *cpu,
		   const struct kp_span *row, const struct kp_str *name);
/* A message, of which user code says that it was received or sent at row->start. */
void kp_rec_packet_message(struct kp_reconstruct *rec, struct kp_cpu *cpu,
			   struct kp_span *row, const struct kp_str *name);
/*
 * Hands out unpaired what still waits for its counterpart: the kernel's packets, a task's
 * message.
 */
void kp_rec_packet_end(struct kp_reconstruct *rec);
void kp_rec_packet_task_end(struct kp_reconstruct *rec, struct kp_task *task);

#endif
