/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Context switches.
 */
#ifndef KP_RECONSTRUCT_SWITCH_H
#define KP_RECONSTRUCT_SWITCH_H

#include "reconstruct/state.h"

void kp_rec_switch(struct kp_reconstruct *rec, struct kp_cpu *cpu,
		   const struct kp_event *event);
/* Handles the evidence of a context switch to event->pid that was not recorded. */
void kp_rec_gap(struct kp_reconstruct *rec, struct kp_cpu *cpu,
		const struct kp_event *event);

#endif
