/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Checks every 10 s that the time counter keeps pace, for each session that records. So a counter
 * that is bad for a while is noted, although no program asks about the recording.
 */
#ifndef KU_PACE_H
#define KU_PACE_H

/* A session begins to record; ku_session_lock is held. */
void ku_pace_begin(void);
/* Nothing is recorded any more. ku_session_lock is not held. May sleep. */
void ku_pace_exit(void);

#endif
