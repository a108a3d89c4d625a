/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Handles context switches and wakeups on the path KU_FOLLOWED: the session records alone, and has
 * a filter by task or timed system calls.
 */
#ifndef KU_FOLLOW_H
#define KU_FOLLOW_H

/* Before the first event; process context. */
void ku_follow_init(void);

#endif
