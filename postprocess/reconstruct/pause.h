/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Pauses: nothing that is open goes through the time in which recording was off. See pause.c.
 */
#ifndef KP_RECONSTRUCT_PAUSE_H
#define KP_RECONSTRUCT_PAUSE_H

#include "reconstruct/state.h"

/* Ends and forgets all that is open, if a pause begins at or before ts, the time of an event. */
void kp_rec_pauses(struct kp_reconstruct *rec, int64_t ts);
/* cpu, which has no state since a pause, is accounted for again from ts on. */
void kp_rec_resume(struct kp_reconstruct *rec, struct kp_cpu *cpu, int64_t ts);

#endif
