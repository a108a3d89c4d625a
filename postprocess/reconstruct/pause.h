/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Pauses of the recording: all open spans end where a pause begins.
 */
#ifndef KP_RECONSTRUCT_PAUSE_H
#define KP_RECONSTRUCT_PAUSE_H

#include "reconstruct/state.h"

/* Ends and forgets all state if a pause begins at or before @ts, the time of an event. */
void kp_rec_pauses(struct kp_reconstruct *rec, int64_t ts);
/* Writes the time from the end of the last pause to @ts, in which the state of @cpu is unknown. */
void kp_rec_resume(struct kp_reconstruct *rec, struct kp_cpu *cpu, int64_t ts);

#endif
