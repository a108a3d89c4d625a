/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Checks every 10 s that the time counter keeps pace, for each session that records. So a temporary
 * fault of the counter is noticed even if no program queries the session.
 */
#ifndef KU_PACE_H
#define KU_PACE_H

/* Starts the checks when a session begins to record; ku_session_lock held. */
void ku_pace_begin(void);
/* Ends the checks. Nothing may record any more. ku_session_lock not held. May sleep. */
void ku_pace_exit(void);

#endif
