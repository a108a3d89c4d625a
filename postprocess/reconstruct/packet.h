/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Pairs network packets in the kernel with packets and messages in user code.
 */
#ifndef KP_RECONSTRUCT_PACKET_H
#define KP_RECONSTRUCT_PACKET_H

#include "reconstruct/state.h"

/* Writes the row of a packet in the kernel or in user code, or holds it for its counterpart. */
void kp_rec_packet(struct kp_reconstruct *rec, struct kp_cpu *cpu,
		   const struct kp_span *row, const struct kp_str *name);
/* Handles a message that user code received or sent at row->start. */
void kp_rec_packet_message(struct kp_reconstruct *rec, struct kp_cpu *cpu,
			   struct kp_span *row, const struct kp_str *name);
/*
 * Write the rows that still wait for a counterpart: packets in the kernel, or the message of a
 * task.
 */
void kp_rec_packet_end(struct kp_reconstruct *rec);
void kp_rec_packet_task_end(struct kp_reconstruct *rec, struct kp_task *task);

#endif
