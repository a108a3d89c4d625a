/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Pauses: what is open ends where recording goes off. See pause.c.
 */
#ifndef KP_RECONSTRUCT_PAUSE_H
#define KP_RECONSTRUCT_PAUSE_H

#include "reconstruct/state.h"

/* Ends and forgets all that is open, if a pause begins at or before ts, the time of an event. */
void kp_rec_pauses(struct kp_reconstruct *rec, int64_t ts);
/* Accounts for cpu, which has had no state since a pause, again from ts on. */
void kp_rec_resume(struct kp_reconstruct *rec, struct kp_cpu *cpu, int64_t ts);

#endif
